/* The commands of experiments, as data: compare, study, reproduce, area, sweep, results. */
#include <stdint.h>

#include "cli/commands.h"
#include "sim/config.h"

/* ---- compare ---- */

static const struct opt compare_options[] = {
    {"mech", 'M', false, "NAME[:KEY=VALUE]...,...|all",
     "Mechanisms, the first being what the others are measured by; parameters of one follow its name, as in "
     "pdom,pdom:side=most. all: every one of 'heddle list mechanisms' that is not named before it, as in "
     "pdom,all. Without the option, all."},
    MACHINE_ROWS,
    LAUNCH_ROWS,
    CUDA_COMPILER_ROW,
    SCRIPT_ROW,
    SIZE_ROW,
    ISA_ROW,
    SAMPLE_ROW,
    {"jobs", 'j', false, "N", "Simulations at a time (default: one for each core of the host)."},
    {"json", 0, OPT_WRITES, "FILE",
     "Write everything to FILE as JSON; - is standard output. The same bytes whatever --jobs says."},
    {"csv", 0, OPT_WRITES, "FILE", "Write a row of all statistics for each program and mechanism to FILE."},
    {"html", 0, OPT_WRITES, "FILE",
     "Write a page to FILE: speed-ups, lanes and cycles by reason as charts, every statistic in tables. It "
     "needs a "
     "browser and nothing else."},
    {"markdown", 0, false, NULL, "Print the tables as Markdown."},
    {"host", 0, false, NULL, "Also report host seconds where they are left out by default."},
    MAX_INSTS_ROW,
    {"quiet", 'q', false, NULL, "No table and no progress; only files and errors."},
    {0},
};
static const struct help_entry compare_shows[] = {
    {"cycles, IPC", "Core cycles, and thread instructions per cycle."},
    {"lanes", "Lane activity: share of the lanes of issue slots that had an active thread."},
    {"depth", "Depth utilisation: share of scheduler cycles with an issue."},
    {"L1D hits, DRAM", "Hits of the first-level data cache; share of the DRAM's bandwidth used."},
    {"speed-up", "Cycles of the first mechanism over those of this one, as a number and as a bar."},
    {"one over another",
     "Of two files, or of several whose kernels have one name, before and after a change: cycles of the "
     "first over those of each other "
     "one, under every mechanism; and which of them are the same code, comments and lines aside."},
    {"refused", "The mechanism cannot run the program; the reason is below the table. That is a result: the "
                "exit status is 0."},
    {"failed", "The program did not end under this mechanism; the reason is on standard error. A spin lock "
               "under a stack is the classic."},
    {0},
};
static const struct help_section compare_sections[] = {
    {"Programs",
     "FILE, or FILE:KERNEL where a file has several; @NAME, one of 'heddle list workloads'. Launch "
     "options apply to all files; each may carry its own ('heddle run --help', Options in the file). --size "
     "applies to all workloads.",
     no_entries},
    {"Arguments", "As of 'heddle run'.", no_entries},
    {"The table", "", compare_shows},
    {0},
};
static const struct help_entry compare_examples[] = {
    {"heddle compare examples/collatz.ptx examples/mandelbrot.ptx --mech nrec,pdom,mimd",
     "Two programs under three mechanisms."},
    {"heddle compare before.cu after.cu --mech pdom,dwf",
     "What did a change gain, and under which mechanism?"},
    {"heddle compare @bfs @mu examples/photons.ptx --mech pdom,dwf,harp --size tiny",
     "Two workloads beside a file."},
    {"heddle compare examples/collatz.ptx --mech pdom,mimd --set sm.warp_size=64 --json -",
     "On a machine with wider warps; everything as JSON."},
    {0},
};

const struct command command_compare = {
    .name = "compare",
    .operands = "FILE[:KERNEL]|@NAME...",
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .summary = "run kernels and workloads under several mechanisms, side by side",
    .text = "Runs every program under every mechanism on the same machine, in parallel, and shows cycles and "
            "speed-ups over the first. The memory each run leaves (buffers and variables) must be that of a "
            "functional run: if not, the first element that differs is named and the exit status is 1. A "
            "workload must pass its check against the CPU, with the same bytes as in a functional run.",
    .options = compare_options,
    .sections = compare_sections,
    .examples = compare_examples,
    .run = compare_main,
};

/* ---- study ---- */

static const struct opt study_options[] = {
    MACHINE_ROWS,
    {"mech", 'M', false, "NAME[:KEY=VALUE]...,...|all",
     "Of progress: mechanisms, as of 'heddle compare' (default all). Of oracle-lanes: the one whose issues "
     "are compared with the bound; of factors and sensitivity: the one whose statistic is the response "
     "(default pdom)."},
    LAUNCH_ROWS,
    CUDA_COMPILER_ROW,
    SIZE_ROW,
    ISA_ROW,
    {"factor", 'f', true, "[NAME:]KEY=LOW,HIGH[:KEY=LOW,HIGH]...",
     "Of factors: an option of the machine or a parameter of the mechanism (harp.first) and its two levels; "
     "options that go together make one factor."},
    {"runs", 'r', false, "N",
     "Of factors: 8, 12, 16, 20 or 24; the smallest that has a column for each factor unless given."},
    {"foldover", 0, false, NULL,
     "Of factors: as many runs again with all levels reversed, which takes interactions of two factors out "
     "of the effects."},
    {"preset", 'p', false, "NAME",
     "Of factors: a paper's design, its values beside ours: harp (HARP 7.2.1, Table 6). Without programs, "
     "with the paper's."},
    {"over", 'o', true, "KEY=VALUE,VALUE,...",
     "Of sensitivity: an option and the values it takes; several are varied one at a time. Written as "
     "--factor, with as many values as one likes."},
    {"response", 'R', false, "STAT",
     "Of factors and sensitivity: the statistic that is looked at, of 'heddle list stats' (default "
     "gpu.ipc)."},
    {"relative-to", 0, false, "MECH", "Of these: the response is the statistic over that of this mechanism."},
    {"mean", 0, false, "KIND",
     "Of these: over programs, harmonic, geometric or arithmetic (default: geometric with --relative-to, "
     "arithmetic without)."},
    {"db", 'd', OPT_UPDATES, "FILE",
     "Of these: keep every run in this SQLite file, as 'heddle sweep' does: what is there does not run "
     "again."},
    {"jobs", 'j', false, "N", "Programs at a time (default: one for each core of the host)."},
    {"json", 0, OPT_WRITES, "FILE", "Write everything to FILE as JSON; - is standard output."},
    {"csv", 0, OPT_WRITES, "FILE", "Write a row for each cell, effect or value to FILE; not of bounds."},
    {"markdown", 0, false, NULL, "Print the tables as Markdown; not of bounds."},
    {"quiet", 'q', false, NULL, "No table and no progress; only files and errors."},
    {0},
};
static const struct help_entry study_kinds[] = {
    {"oracle-lanes", "For each block and each PC, the lane that executes it most often decides how many "
                     "issues it takes at least, if threads may be regrouped at will within their block but "
                     "keep their lanes. The sum bounds lane activity under any regrouping (HARP 3.2)."},
    {"oracle-reconvergence",
     "The traces of the first 128 threads of every launch, in warps of four, aligned as well as can be: what "
     "reconvergence at the best points would save over that at post-dominators (DWF 3.3). The machine, "
     "dwf-8800gtx unless --config says another, gets ideal memory."},
    {"progress",
     "Which of a set of small kernels that wait for other threads (spin locks, flags, barriers) end under "
     "which mechanisms: ends, deadlock (proved, and the mechanism's doing), refused. Names of kernels after "
     "it choose among them."},
    {"table1",
     "The ten schemes of divergence control that SL compares in its Table 1, the paper's words beside what "
     "comes out here: traversal order, reconvergence, recursion, indirect branches."},
    {"factors",
     "Which options move a response most: every factor is low in half of the runs of a Plackett-Burman "
     "design and high in the others, and its effect is the difference of the means (HARP 7.2.1). Columns "
     "without a factor tell how large an effect must be to mean something."},
    {"sensitivity",
     "A response at each value of an option, all others left as they are: its mean, smallest, largest and "
     "standard deviation."},
    {0},
};
static const struct help_section study_sections[] = {
    {"Studies", "", study_kinds},
    {"Programs", "As of 'heddle compare'.", no_entries},
    {0},
};
static const struct help_entry study_examples[] = {
    {"heddle study oracle-reconvergence @odd-even @mandelbrot --size tiny",
     "The thesis's contrived loop, and an ordinary one."},
    {"heddle study oracle-lanes examples/photons.ptx @bfs --size tiny", "How full could their warps be?"},
    {"heddle study progress lock-warp lock-inside --mech pdom,minpc,mimd",
     "Which lock ends under a stack, and which without one?"},
    {"heddle study factors @mu @ray --size tiny --mech harp --relative-to pdom --factor sm.depth=8,16 "
     "--factor "
     "sm.simd_width=16,32 --factor harp.first=4,8",
     "What HARP's lead over a stack depends on."},
    {"heddle study factors --preset harp", "HARP's Table 6, ours beside it."},
    {"heddle study sensitivity @hspt @mp --mech harp --relative-to pdom --over harp.first=4,8,16",
     "How much depends on a size that the paper does not give."},
    {0},
};

const struct command command_study = {
    .name = "study",
    .operands = "STUDY [FILE[:KERNEL]|@NAME|LITMUS]...",
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .summary = "bounds that no mechanism can beat; which kernels end; which options matter",
    .text = "Runs every program and computes, from what its threads executed, a limit on what scheduling can "
            "reach; or runs litmus kernels under every mechanism and shows which of them end; or varies "
            "options of the machine and shows what they do to a statistic.",
    .options = study_options,
    .sections = study_sections,
    .examples = study_examples,
    .run = study_main,
};

/* ---- reproduce ---- */

static const struct opt reproduce_options[] = {
    {"list", 'l', false, NULL,
     "Show the claims, what the papers say, what each rests on, and what those that cannot be checked wait "
     "for."},
    SIZE_ROW,
    {"isa", 0, false, "ptx|riscv|riscv-O1",
     "Which builds of the programs run (docs/riscv.md). Claims about programs that are not compiled for it "
     "are left "
     "out: all but those of Fung's thesis."},
    {"db", 0, OPT_UPDATES, "FILE",
     "Keep every run in this SQLite file, as 'heddle sweep' does: what is there does not run again."},
    {"jobs", 'j', false, "N", "Simulations at a time (default: one for each core of the host)."},
    {"json", 0, OPT_WRITES, "FILE", "Write everything to FILE as JSON; - is standard output."},
    {"csv", 0, OPT_WRITES, "FILE", "Write a row for each claim and each workload of it to FILE."},
    {"html", 0, OPT_WRITES, "FILE",
     "Write a page to FILE: the score, and every claim with the paper's value and ours as bars, to sort and "
     "filter. It needs a browser and nothing else."},
    {"markdown", 0, false, NULL, "Print the result as Markdown."},
    {"quiet", 'q', false, NULL, "No table and no progress; only files and errors."},
    {0},
};
static const struct help_entry reproduce_shows[] = {
    {"The score",
     "Of the predictions, and of the chosen claims, that could be checked, those with the right sign and "
     "those within a third "
     "of the paper's number: counted by value, where each program's value of a table counts one, "
     "and by claim, where a table counts one; signs also without those of which the paper says that nothing "
     "changes ('even', 'stays'). docs/reproduction.md has the rules."},
    {"paper, ours", "What the paper says, and what comes out here, by the paper's own mean."},
    {"verdict", "'within a third' of the paper's number; 'off': the sign is right, the size is not; 'sign "
                "differs'; 'no effect': 0.0 here; 'agrees' with a direction or bound, which have no size."},
    {"basis", "'predicted': nothing was fitted to the number. 'chosen': neither, but an option or program "
              "was settled after its effect had been seen. 'fitted': a program or model was. 'derived': "
              "computed from the paper's numbers, or following from other claims. 'definition': a check of "
              "the implementation or a property of the program. The score counts predictions and, apart from "
              "them, what is chosen."},
    {"By workload", "What the number is made of; in parentheses the paper's value where it gives one."},
    {"The sign differs", "Where ours is a loss and the paper's a gain, or the other way round: the workload "
                         "that decides it, and which statistics changed there."},
    {"NAME has no value", "A run that failed or whose results are wrong counts for no claim. Wrong results "
                          "make the exit status 1."},
    {0},
};
static const struct help_section reproduce_sections[] = {
    {"What it shows", "", reproduce_shows},
    {0},
};
static const struct help_entry reproduce_examples[] = {
    {"heddle reproduce --list", "What there is to reproduce."},
    {"heddle reproduce dwf.pdom dwf.oracle-contrived --size tiny", "Two claims, quickly."},
    {"heddle reproduce --db results.sqlite", "All of them; a second run takes everything from the file."},
    {"heddle reproduce --db results.sqlite --html claims.html", "The same as a page for a browser."},
    {"heddle reproduce --isa riscv --db results.sqlite",
     "Claims about the programs of Fung's thesis, compiled for RISC-V; others are left out."},
    {0},
};

const struct command command_reproduce = {
    .name = "reproduce",
    .operands = "[CLAIM...]",
    .min_operands = 0,
    .max_operands = SIZE_MAX,
    .summary = "the papers' claims, with our figures beside them",
    .text =
        "Runs what each claim needs, on the paper's machine and workloads, and prints the score, claim, the "
        "paper's value, ours, a verdict, and the values by workload. At size small the thesis's machine has "
        "a quarter of "
        "its cores and memory, so that the launches fill it. CLAIM is one of --list, or a paper: dwf, "
        "harp, mp, sl. Without one, all of them.",
    .options = reproduce_options,
    .sections = reproduce_sections,
    .examples = reproduce_examples,
    .run = reproduce_main,
};

/* ---- area ---- */

static const struct opt area_options[] = {
    {"mech", 'M', false, "NAME[:KEY=VALUE]...,...|all",
     "Mechanisms, as of 'heddle compare'. Without the option, all."},
    {"node", 'n', false, "90|40",
     "The process in nm. Without it, 90 for dwf-8800gtx and 40 for any other machine."},
    MACHINE_ROWS,
    {"totals", 0, false, NULL, "Only the totals of each mechanism, not its structures."},
    {"fit", 0, false, NULL, "Show the constants of the model and its error on each published row instead."},
    {"json", 0, OPT_WRITES, "FILE", "Write everything to FILE as JSON, the fit too; - is standard output."},
    {"csv", 0, OPT_WRITES, "FILE", "Write a row for each array of each mechanism to FILE."},
    {"markdown", 0, false, NULL, "Print the tables as Markdown."},
    {"quiet", 'q', false, NULL, "No tables; only files and errors."},
    {0},
};
static const struct help_entry area_shows[] = {
    {"arrays, entries, bits", "How many arrays are alike on an SM, entries of each, bits of an entry."},
    {"ways, tag, ports",
     "Entries read at once; bits that are kept once more for a search; read and write ports, or rw for one "
     "that does both."},
    {"register decoders", "One for each further lane, where threads of one issue have their registers in "
                          "different rows."},
    {"of the chip", "Of the published chip, with that on each of its SMs: GeForce 8800 GTX at 90 nm (DWF 7), "
                    "GF100 at 40 nm (HARP 8)."},
    {"beyond pdom", "That less the share of pdom's stacks on the same machine."},
    {"a row left out", "Of --fit: least and most of a constant over all fits that leave one row out."},
    {"error, left out", "Of --fit: the model's error on a published row, and that of a model fitted to all "
                        "other rows."},
    {0},
};
static const struct help_section area_sections[] = {
    {"What it shows", "", area_shows},
    {0},
};
static const struct help_entry area_examples[] = {
    {"heddle area --mech dwf --node 90", "DWF's Table 7.1, by the model."},
    {"heddle area --mech pdom,harp,tbc", "Three mechanisms on harp-fermi, at 40 nm."},
    {"heddle area --fit --node 90", "How well does the model fit what was published?"},
    {0},
};

const struct command command_area = {
    .name = "area",
    .operands = "",
    .min_operands = 0,
    .max_operands = 0,
    .summary = "what mechanisms take on a chip, in mm2 by structure",
    .text =
        "Computes the area of every structure that a mechanism adds to an SM from its entries, bits, ways "
        "and ports, by a model whose constants are fitted to the areas that DWF and HARP publish. The "
        "machine is dwf-8800gtx at 90 nm and harp-fermi at 40 nm unless --config says another. Nothing "
        "is simulated.",
    .options = area_options,
    .sections = area_sections,
    .examples = area_examples,
    .run = area_main,
};

/* ---- sweep ---- */

static const struct opt sweep_options[] = {
    {"workloads", 'w', false, "NAME,...|all", "Workloads to run, by name."},
    {"program", 'P', OPT_REPEAT, "'WORD...'",
     "A compiled CUDA program and its arguments, as 'heddle cuda' takes them, in quotes as one; {NAME} among "
     "them is an axis."},
    {"input", 'i', OPT_REPEAT | OPT_READS, "FILE",
     "A file that CUDA programs read: when its contents change, their points are new ones."},
    {"mech", 'M', false, "NAME[:KEY=VALUE]...,...|all",
     "Mechanisms, with parameters of their own as in pdom,pdom:side=most. Without it, the configuration's."},
    {"config", 'c', OPT_READS, "NAME|FILE,...",
     "Machines (default: " CONFIG_DEFAULT "; of CUDA programs " HD_CONFIG_CUDA ")."},
    {"size", 0, false, "SIZE,...", "Sizes of the inputs: tiny, small, paper (default small)."},
    {"isa", 0, false, "ptx|riscv|riscv-O1,...",
     "Builds of the workloads (docs/riscv.md): each of them with each of these. @NAME:riscv is one of them."},
    {"set", 'S', true, "KEY=VALUE,...",
     "An option of the machine, a parameter of a mechanism or an argument of your own program, and the "
     "values it takes in turn; 8..64:8 and "
     "8..64*2 are ranges, by steps and by factors. Several such options give every combination of their "
     "values."},
    {"zip", 'z', true, "AXIS,AXIS,...",
     "These axes (of --set, or workload, size, config, mech) take their values together, the first with the "
     "first, instead of in every combination."},
    {"points", 'p', OPT_READS, "FILE",
     "A file of points, as CSV: its heading names axes, each row has a value for each. An empty cell leaves "
     "the axis as it is. Axes that the file does not have are combined with every row."},
    {"seeds", 0, false, "N",
     "Each point N times, with the seeds 1 to N of what is random in the memory system (memory.seed), and of "
     "inputs that have {seed} in their launch options."},
    {"skip-where", 0, true, "EXPR",
     "Leave out points for which this holds, as in \"sm.warp_size > 32 and mech == harp\"."},
    LAUNCH_ROWS,
    CUDA_COMPILER_ROW,
    SCRIPT_ROW,
    {"db", 'd', OPT_UPDATES, "FILE", "The database: made when it is not there, continued when it is."},
    {"jobs", 'j', false, "N",
     "Simulations at a time (default: one for each core of the host). Of --slurm: of each task, which gets "
     "as many cores "
     "(default 1)."},
    {"dry-run", 'n', false, NULL,
     "Only list the points, which of them are stored, and what the others will cost, estimated from the "
     "times "
     "that are stored."},
    {"host", 0, false, NULL, "With --dry-run, the estimated seconds of each point."},
    {"retry", 0, false, NULL, "Run points again that are stored as failed, refused, wrong or killed."},
    {"slurm", 0, false, NULL,
     "Run the points as array jobs of Slurm, and attend to them until all are in the database. It can be "
     "left by Ctrl-C and "
     "taken up again."},
    {"sbatch", 0, false, "'ARG...'",
     "Of --slurm: more words for sbatch, as in --sbatch '--time=60 --mem=4G -p long'."},
    {"points-per-task", 0, false, "N|auto",
     "Of --slurm: points that a task of an array runs, one after the other (default auto: as many as take "
     "half a minute, by "
     "what such points took before)."},
    {"retries", 0, false, "N",
     "Of --slurm: how often a point that its host killed is tried again before it is stored as killed "
     "(default 2)."},
    {"shard", 0, false, "I/N",
     "Run the I-th of N parts of the points, on whatever host, into a file of its own beside the database: "
     "results.sqlite.2-of-8. 'heddle results merge' joins them."},
    {"quiet", 'q', false, NULL, "No progress and no summary; only errors and warnings."},
    {0},
};
static const struct help_entry sweep_points[] = {
    {"Points", "A point is one program with its arguments, or one workload at one size, under one mechanism "
               "on one machine. Two that come to the "
               "same are one: a parameter of a mechanism says nothing about the others, an option set to "
               "what the configuration says is not set."},
    {"Stored", "Each point is stored when it ends, whole or not at all, with all its statistics. A "
               "sweep that was killed, or a second one that overlaps, runs only what is missing. Other "
               "kernels, another machine or another build of heddle give other points."},
    {"ok, wrong, failed, refused, killed",
     "Whether the check of the results held; failed: it did not run to its end, as with a spin lock under a "
     "stack; refused: the mechanism cannot run it. These are results like any other; killed: its host "
     "ended it, as tasks of a cluster may be. A wrong result or a killed point makes the exit status 1."},
    {0},
};
static const struct help_entry sweep_grammar[] = {
    {"A,B,C", "A list; commas within brackets belong to a value."},
    {"8..64", "Whole numbers from 8 to 64; 64..8 counts down. K, M, G and T stand for powers of 1024."},
    {"8..64:8, 0.5..2:0.5", "By steps: never past the end, which is a value when a step gets there."},
    {"8..64*2", "By a factor: 8, 16, 32, 64."},
    {"EXPR",
     "Comparisons == != < <= > >= of axes, numbers and texts, with and, or, not, brackets and + - * / "
     "%. A text of other signs than letters, digits, _ and . stands in quotes. Where an axis says "
     "nothing about a point, no comparison with it holds."},
    {0},
};
static const struct help_entry sweep_programs[] = {
    {"FILE[:KERNEL], @NAME", "Files with their launch, as of 'heddle compare', and workloads, which "
                             "--workloads names too. Launch options and --script apply to all files."},
    {"--program 'WORD...'", "A CUDA program runs once for each point, in a process of its own and in the "
                            "current directory; what it prints is not shown. It fails when its exit status "
                            "is not 0, a kernel of it fails or it launches none. --jobs 1 keeps programs "
                            "apart that write the same files."},
    {"--set NAME=...",
     "A name without a point is an argument of files and programs: {NAME} in launch options, "
     "on the command line or in the file itself, and in a program's words has its value, and {(NAME + 255) / "
     "256} is "
     "computed from it; a number of a script (let NAME = ...) gets it. {NAME=8} in a file "
     "says what it is where nobody sets it."},
    {"--set block=64,128", "kernel, grid, block, shared and script are axes under their own names."},
    {0},
};
static const struct help_entry sweep_verbs[] = {
    {"status DB", "How far it is: points, tasks, who attends to it, and what was killed for what reason. "
                  "Changes nothing."},
    {"resume DB",
     "Attends to it until all points are in the database: what failed or was preempted is submitted again."},
    {"cancel DB", "Ends its tasks. What they have done by then stays in the database."},
    {0},
};
static const struct help_section sweep_sections[] = {
    {"Programs", "", sweep_programs},
    {"Values and conditions", "", sweep_grammar},
    {"What is run", "", sweep_points},
    {"Over a cluster",
     "A sweep that --slurm began, by the name of its database, from any shell that sees the same files:",
     sweep_verbs},
    {0},
};
static const struct help_entry sweep_examples[] = {
    {"heddle sweep --workloads all --mech pdom,dwf,mimd --size tiny --db results.sqlite",
     "Every workload under three mechanisms."},
    {"heddle sweep --workloads bfs,mu --mech pdom,harp --set sm.warp_size=16,32,64 --set gpu.sms=4,8 --db "
     "results.sqlite",
     "Two workloads under two mechanisms on six machines: 24 points."},
    {"heddle sweep --workloads mu --mech pdom,harp --set sm.warp_size=8..64*2 --set gpu.sms=2,4,8,16 --zip "
     "sm.warp_size,gpu.sms --skip-where \"mech == harp and gpu.sms > 8\" --db results.sqlite --dry-run",
     "Two options that change together, and a combination that is left out."},
    {"heddle sweep kernel.cu --grid '{n / 256}' --block 256 --arg 'buf:f32[{n}]=rand(1)' --arg 'u32:{n}' "
     "--set n=1K..64K*4 --mech pdom,dwf --db results.sqlite",
     "A kernel of your own at four sizes; then 'heddle results --db results.sqlite --rows n --cols mech "
     "--value cycles'."},
    {"heddle sweep --program './program {n}' --set n=1K,4K --mech pdom,dwf,volta --set gpu.sms=8..32*2 --db "
     "results.sqlite",
     "A CUDA program at two sizes under three mechanisms on three machines."},
    {"heddle sweep --workloads all --mech all --db results.sqlite --slurm --sbatch '--time=4:00:00 --mem=2G'",
     "Every workload under every mechanism, over a cluster."},
    {0},
};

const struct command command_sweep = {
    .name = "sweep",
    .operands = "[FILE[:KERNEL]|@NAME]...|status DB|resume DB|cancel DB",
    .min_operands = 0,
    .max_operands = SIZE_MAX,
    .summary = "run kernels and workloads on many machines, into a database",
    .text = "Runs every program under every mechanism on every machine, in parallel, and stores each result "
            "in an SQLite database as soon as it is there. What is stored already does not run again.",
    .options = sweep_options,
    .sections = sweep_sections,
    .examples = sweep_examples,
    .run = sweep_main,
};

/* ---- results ---- */

static const struct opt results_options[] = {
    {"db", 'd', OPT_READS, "FILE", "The database of a sweep. It is not changed."},
    {"only", 'o', true, "AXIS=VALUE,...",
     "Only points that have one of these values there; several --only must all hold."},
    {"value", 'v', true, "NAME,...",
     "Statistics to show, of 'heddle list stats', or host.seconds. The section may be left out: ipc is "
     "gpu.ipc."},
    {"rows", 'r', false, "AXIS,...", "A table of one statistic: what its rows are."},
    {"cols", 'C', false, "AXIS,...", "And its columns."},
    {"over", 0, false, "AXIS,...[:KIND]",
     "Points that differ in nothing else share a cell of the table, which has their mean and spread: --over "
     "memory.seed. KIND is arithmetic (the default), geometric or harmonic: --over workload:geometric."},
    {"spread", 0, false, "KIND",
     "Of these: range, from the smallest to the largest (the default), or deviation, their standard "
     "deviation."},
    {"relative-to", 0, false, "COLUMN",
     "Every value over that of this column in its row; with --over point by point, seed 3 over seed 3."},
    {"mean", 0, false, "KIND",
     "A last row with the mean of each column, of its values as shown: harmonic, geometric or arithmetic."},
    {"csv", 0, OPT_WRITES, "FILE", "Write it to FILE as comma-separated values; - is standard output."},
    {"json", 0, OPT_WRITES, "FILE",
     "Write it to FILE as JSON, the list with every option of every machine; - is standard output."},
    {"long", 0, false, NULL,
     "Of --csv and --parquet: a row for each point and statistic, with a column for each option that points "
     "differ in."},
    {"parquet", 0, OPT_WRITES, "FILE",
     "Write the list to FILE as Parquet: a column of its own for each option that points differ in, numbers "
     "as numbers."},
    {"html", 0, OPT_WRITES, "FILE",
     "Write a page to FILE that draws it: bars, lines, a heat map or dots, whose axes the reader can change. "
     "It needs a browser and nothing else."},
    {"svg", 0, OPT_WRITES, "FILE",
     "Draw the table to FILE as SVG. Without --rows and --cols they come from what the points differ in, and "
     "seeds are averaged. It needs gnuplot."},
    {"plot", 'p', false, "KIND",
     "Of these: bars (a group for each row, a bar for each column), lines (one for each column, over rows "
     "that are numbers), heat (the table, its cells coloured) or scatter (a dot for each cell). Without it, "
     "what fits the table."},
    {"x", 0, false, "NAME", "Of a scatter plot: the statistic to the right."},
    {"y", 0, false, "NAME", "And the one upwards, which --relative-to divides."},
    {"log", 0, false, "x|y|x,y|none",
     "Of lines and scatter plots: which axes are logarithmic. Without it, those that show it better so."},
    {"host", 0, false, NULL,
     "Also host seconds, which are left out of lists by default since they differ from run to run."},
    {0},
};
static const struct help_entry results_axes[] = {
    {"workload, size, config", "What ran, and on which machine."},
    {"mech", "The mechanism, with those of its parameters that are not the configuration's."},
    {"options", "Options that are not the configuration's, as one text; - where there are none."},
    {"version, state", "heddle's version, after its + a hash of the sources of that build; ok, wrong, "
                       "failed, refused or killed."},
    {"KEY", "Any key of 'heddle list options': its value at that point, wherever it came from; and whatever "
            "else stands as KEY=VALUE in a point's options."},
    {0},
};
static const struct help_entry results_joins[] = {
    {"OUT", "The database: made when it is not there, else added to."},
    {"IN",
     "Shards ('heddle sweep --shard') of one sweep, and databases. A shard that was killed or cut gives "
     "what it has, and is named. Another program's file, shards of different sweeps, or different "
     "results for one point are refused. Joining the same files again changes nothing."},
    {0},
};
static const struct help_section results_sections[] = {
    {"merge OUT IN...", "", results_joins},
    {"Axes", "What --only, --rows, --cols and --over take:", results_axes},
    {0},
};
static const struct help_entry results_examples[] = {
    {"heddle results --db results.sqlite --rows workload --cols mech --value ipc --relative-to pdom --mean "
     "geometric",
     "Speed-ups over a stack."},
    {"heddle results --db results.sqlite --only workload=bfs --rows sm.warp_size --cols mech --value "
     "sm.lane_activity",
     "What wider warps cost."},
    {"heddle results --db results.sqlite --rows workload --cols mech --value ipc --relative-to pdom --plot "
     "heat --svg speedups.svg",
     "Speed-ups as a picture for a paper."},
    {"heddle results --db results.sqlite --rows sm.warp_size --cols mech --over memory.seed --value ipc "
     "--svg warps.svg",
     "Lines with a band from the worst seed to the best."},
    {"heddle results --db results.sqlite --x sm.lane_activity --y ipc --svg dots.svg",
     "Does IPC follow lane activity?"},
    {"heddle results --db results.sqlite --csv all.csv", "Every statistic of every point."},
    {"heddle results --db results.sqlite --value ipc,cycles --long --csv -", "For a notebook."},
    {"heddle results merge results.sqlite results.sqlite.*-of-4", "Four shards become one database."},
    {0},
};

const struct command command_results = {
    .name = "results",
    .operands = "[merge OUT IN...]",
    .min_operands = 0,
    .max_operands = SIZE_MAX,
    .summary = "show, tabulate, draw, export and join what sweeps stored",
    .text = "Lists the points of a database, lays one statistic out as a table, or draws it. With merge, "
            "joins files: "
            "shards and databases IN to the database OUT, all of them or, where one does not belong there, "
            "none.",
    .options = results_options,
    .sections = results_sections,
    .examples = results_examples,
    .run = results_main,
};
