/* The commands and their options, as data. Parser, --help, the man page (docs/heddle.1) and the option lists
 * of docs/cli.md are all made from these tables; nothing about an option is said anywhere else. */
#include <stdint.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/help.h"
#include "cli/sidecar.h"
#include "sim/config.h"

static const struct opt no_options[] = {{0}};
static const struct help_section no_sections[] = {{0}};
static const struct help_entry no_examples[] = {{0}};

/* Rows that several tables have. */
/* clang-format off */
#define LAUNCH_ROWS \
    {"kernel", 'k', false, "NAME", \
     "Kernel to run. May be left out when the file has only one; otherwise the kernels are listed."}, \
    {"grid", 'g', false, "X[,Y[,Z]]", "Blocks of the grid in each dimension; what is left out is 1."}, \
    {"block", 'b', false, "X[,Y[,Z]]", \
     "Threads of a block in each dimension. May be left out when the kernel itself fixes them (.reqntid)."}, \
    {"shared", 's', false, "BYTES", \
     "Dynamic shared memory of a block, for .extern .shared arrays (default 0)."}, \
    {"arg", 'a', true, "SPEC", \
     "The next argument of the kernel, in the order of its parameters; see Arguments below."}
#define MACHINE_ROWS \
    {"config", 'c', false, "NAME|FILE", \
     "The machine: one of 'heddle list configs', or a file of lines [section] and key = value. --set comes after " \
     "and wins."}, \
    {"set", 'S', true, "KEY=VALUE", \
     "Set an option of the machine, as in --set gpu.sms=4. See 'heddle list options'."}
#define MAX_INSTS_ROW \
    {"max-insts", 'm', false, "N", \
     "Stop with status 1 after N thread instructions of a launch. A bound for kernels that may never end."}
#define SIZE_ROW \
    {"size", 0, false, "SIZE", \
     "Of a workload: tiny, small (what it is without this option) or paper, the launch of the paper."}
/* clang-format on */

/* What the comment of a PTX file may say (cli/sidecar.h). */
const struct opt launch_options[] = {LAUNCH_ROWS, {0}};

/* ---- run ---- */

static const struct opt run_options[] = {
    LAUNCH_ROWS,
    SIZE_ROW,
    {"print", 'p', true, "N[:COUNT]",
     "After the run, show the buffer of argument N (the first is 0): its first COUNT elements, 64 unless "
     "said."},
    {"dump", 'd', true, "N:FILE",
     "After the run, write the buffer of argument N to FILE as raw little-endian bytes; - is standard "
     "output."},
    {"json", 'j', false, "FILE",
     "Write options and statistics to FILE as JSON; - is standard output. The keys are those of 'heddle list "
     "options' and "
     "'heddle list stats'. The same run gives the same bytes."},
    {"host", 0, false, NULL,
     "Also report host seconds and speed where they are left out by default: in JSON and when the report "
     "does not go to "
     "a terminal."},
    {"functional", 'f', false, NULL, "Compute results only, without modelling time: faster, and no cycles."},
    {"mech", 'M', false, "NAME[:KEY=VALUE]...",
     "Control-flow mechanism: one of 'heddle list mechanisms', and parameters of its own, as in "
     "pdom:side=most. Without it, run.mech of the configuration."},
    MACHINE_ROWS,
    {"interval", 'i', false, "N[:THREADS]",
     "Time series: what was done in every N cycles, as a table and in --json; with THREADS, --json and "
     "--series "
     "also count the instructions of each of the first so many threads."},
    {"series", 0, false, "FILE", "Write the time series to FILE as CSV; - is standard output."},
    {"profile", 'P', false, NULL,
     "Show the branches that cost most, with PTX and source line: executions, divergences, sides, lanes "
     "lost, "
     "cycles until reconvergence. Also adds them to --json."},
    {"trace", 't', false, "FILE",
     "Write a line for every issue to FILE: cycle, SM, scheduler, PC, threads, instruction, event of the "
     "mechanism; - is standard output."},
    {"timeline", 0, false, "FILE",
     "Write a timeline to FILE that chrome://tracing and Perfetto open: a track for each warp, a slice for "
     "each "
     "stretch of issues."},
    MAX_INSTS_ROW,
    {"quiet", 'q', false, NULL,
     "No report and no progress; only what --print, --dump, --json and the kernel itself write."},
    {0},
};

static const struct help_entry run_specs[] = {
    {"TYPE:VALUE", "A scalar: u8 s8 u16 s16 u32 s32 u64 s64 f16 f32 f64, and its value, decimal or 0x "
                   "hexadecimal. Floats may also be "
                   "written inf, nan, or exactly as in PTX: 0f3f800000, 0d3ff0000000000000. A value the type "
                   "cannot hold is an error."},
    {"buf:TYPE[COUNT]", "Address of a new buffer of COUNT elements in device memory, filled with zeros."},
    {"buf:TYPE[COUNT]=zero", "The same."},
    {"buf:TYPE[COUNT]=iota", "Filled with 0, 1, 2, ...; narrow integers wrap around, floats are rounded."},
    {"buf:TYPE[COUNT]=value(V)", "Every element is V."},
    {"buf:TYPE[COUNT]=rand(SEED)", "Random, the same for the same seed on every machine: integers over all "
                                   "values of the type, floats in [0, 1)."},
    {"buf:TYPE[COUNT]=rand(SEED,LO,HI)",
     "Random integers from LO to HI, both included; random floats in [LO, HI)."},
    {"buf:TYPE[COUNT]=file:PATH",
     "Raw little-endian bytes of a file of exactly that size. With [] the count is that of the file."},
    {"sym:NAME", "Address of a .global variable of the module."},
    {"bytes:HEX", "A struct by value, two hexadecimal digits for each byte in memory order."},
    {0},
};
static const struct help_entry run_outputs[] = {
    {"Report",
     "Unless --quiet, a report on standard output: launch (of a workload all of them, by kernel where they "
     "are many, and then their total), machine, cycles, instructions per "
     "cycle, lane activity "
     "(active lanes of issue slots), depth utilisation (scheduler cycles with an issue), "
     "divergence, splits alive, cache hits, "
     "DRAM, blocks on an SM and what limits them, storage of the mechanism, scheduler cycles by the number "
     "of "
     "threads they issued, idle cycles of threads by what they waited for. Without "
     "time: instructions, lane activity, branches. It is left out when - sends other data there. A "
     "terminal also "
     "sees host time and speed, and on standard error a progress line when a run takes longer than "
     "a second."},
    {"Files",
     "Written under a temporary name and then renamed, all of them after the run: nothing is written "
     "when the launch fails, and never half a file. Only --trace and --timeline are kept when the "
     "program failed: they show how."},
    {"Kernel output",
     "What kernels print goes to standard output, or to standard error when - sends data to the former."},
    {0},
};
static const struct help_entry sidecars[] = {
    {"// heddle: OPTION...", "On a line of its own among the comments at the top of a PTX file: --kernel, "
                             "--grid, --block, --shared and "
                             "--arg for that file, with quotes as in a shell. The command line wins; one "
                             "--arg there replaces all of the "
                             "line. A file with several kernels may have a line for each."},
    {0},
};
static const struct help_entry run_workloads[] = {
    {"@NAME",
     "A benchmark of 'heddle list workloads' with its own kernels, inputs and launches. What it computes is "
     "compared with what the CPU computes; if it differs, the first wrong element is named and the exit "
     "status is 1. Options of a launch do not apply; --size says how large it is."},
    {0},
};
static const struct help_section run_sections[] = {
    {"Workloads", "Instead of a file:", run_workloads},
    {"Arguments", "One --arg for each parameter of the kernel, in order. SPEC is one of:", run_specs},
    {"Options in the file", "A PTX file may say how it wants to be launched:", sidecars},
    {"Output", "", run_outputs},
    {0},
};
static const struct help_entry run_examples[] = {
    {"heddle run examples/collatz.ptx --profile",
     "As the file itself says, on the default machine; where do its warps lose lanes?"},
    {"heddle run examples/collatz.ptx --grid 4 --block 256 --arg 'buf:u32[1024]=iota' --arg 'buf:u32[1024]' "
     "--arg u32:1024 --functional --print 1:16",
     "Collatz steps of 0 to 1023; shows the first sixteen."},
    {"heddle run @bfs --mech harp --config harp-fermi",
     "Breadth-first search under HARP on HARP's machine, verified against the CPU."},
    {"heddle run examples/collatz.ptx --mech nrec --config tiny --set sm.warp_size=16 --json stats.json",
     "Another mechanism on a smaller machine; the statistics go to a file."},
    {0},
};

/* ---- compare ---- */

static const struct opt compare_options[] = {
    {"mech", 'M', false, "NAME[:KEY=VALUE]...,...",
     "Mechanisms, the first being what the others are measured by; parameters of one follow its name, as in "
     "pdom,pdom:side=most. Without it, all of 'heddle list mechanisms'."},
    MACHINE_ROWS,
    LAUNCH_ROWS,
    SIZE_ROW,
    {"jobs", 'j', false, "N", "Simulations at a time (default: one for each core of the host)."},
    {"json", 0, false, "FILE",
     "Write everything to FILE as JSON; - is standard output. The same bytes whatever --jobs says."},
    {"csv", 0, false, "FILE", "Write a row of all statistics for each program and mechanism to FILE."},
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
    {"failed", "The program did not end under this mechanism; the reason is on standard error. A spin lock "
               "under a stack is the classic."},
    {0},
};
static const struct help_section compare_sections[] = {
    {"Programs",
     "FILE.ptx, or FILE.ptx:KERNEL where a file has several; @NAME, one of 'heddle list workloads'. Launch "
     "options "
     "apply to all files; each may carry its own ('heddle run --help', Options in the file). --size applies "
     "to all "
     "workloads.",
     no_examples},
    {"Arguments", "As of 'heddle run'.", no_examples},
    {"The table", "", compare_shows},
    {0},
};
static const struct help_entry compare_examples[] = {
    {"heddle compare examples/collatz.ptx examples/mandelbrot.ptx --mech nrec,pdom,mimd",
     "Two programs under three mechanisms."},
    {"heddle compare @bfs @mu examples/photons.ptx --mech pdom,dwf,harp --size tiny",
     "Two workloads beside a file."},
    {"heddle compare examples/collatz.ptx --mech pdom,mimd --set sm.warp_size=64 --json -",
     "On a machine with wider warps; everything as JSON."},
    {0},
};

/* ---- study ---- */

static const struct opt study_options[] = {
    MACHINE_ROWS,
    {"mech", 'M', false, "NAME[:KEY=VALUE]...",
     "Of oracle-lanes: the mechanism whose issues are compared with the bound (default pdom)."},
    LAUNCH_ROWS,
    SIZE_ROW,
    {"jobs", 'j', false, "N", "Programs at a time (default: one for each core of the host)."},
    {"json", 0, false, "FILE", "Write everything to FILE as JSON; - is standard output."},
    {"quiet", 'q', false, NULL, "No table and no progress; only files and errors."},
    {0},
};
static const struct help_entry study_kinds[] = {
    {"oracle-lanes",
     "For each block and each PC, the lane that executes it most often decides how many issues it takes at "
     "least, if threads may be regrouped at will within their block but keep their lanes. The sum bounds "
     "lane "
     "activity under any regrouping (HARP 3.2)."},
    {"oracle-reconvergence",
     "The traces of the first 128 threads of every launch, in warps of four, aligned as well as can be: what "
     "reconvergence at the best points would save over that at post-dominators (DWF 3.3). The machine, "
     "dwf-8800gtx unless --config says another, gets ideal memory."},
    {0},
};
static const struct help_section study_sections[] = {
    {"Studies", "", study_kinds},
    {"Programs", "As of 'heddle compare'.", no_examples},
    {0},
};
static const struct help_entry study_examples[] = {
    {"heddle study oracle-reconvergence @odd-even @mandelbrot --size tiny",
     "The thesis's contrived loop, and an ordinary one."},
    {"heddle study oracle-lanes examples/photons.ptx @bfs --size tiny", "How full could their warps be?"},
    {0},
};

/* ---- reproduce ---- */

static const struct opt reproduce_options[] = {
    {"list", 'l', false, NULL,
     "Show the claims, what the papers say, and what those that cannot be checked wait for."},
    SIZE_ROW,
    {"db", 0, false, "FILE",
     "Keep every run in this SQLite file, as 'heddle sweep' does: what is there does not run again."},
    {"jobs", 'j', false, "N", "Simulations at a time (default: one for each core of the host)."},
    {"json", 0, false, "FILE", "Write everything to FILE as JSON; - is standard output."},
    {"csv", 0, false, "FILE", "Write a row for each claim and each workload of it to FILE."},
    {"markdown", 0, false, NULL, "Print the result as Markdown."},
    {"quiet", 'q', false, NULL, "No table and no progress; only files and errors."},
    {0},
};
static const struct help_entry reproduce_shows[] = {
    {"paper, ours", "What the paper says, and what comes out here, by the paper's own mean."},
    {"By workload", "What the number is made of; in parentheses the paper's value where it gives one."},
    {"The sign differs",
     "Where ours is a loss and the paper's a gain, or the other way round: the workload that decides "
     "it, and which statistics changed there."},
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
    {0},
};

/* ---- config ---- */

static const struct opt config_options[] = {
    {"set", 'S', true, "KEY=VALUE", "Set an option on top."},
    {"help-keys", 0, false, NULL, "With what each key means and accepts."},
    {0},
};
static const struct help_entry config_actions[] = {
    {"show [NAME|FILE]",
     "Every key with its value and where it comes from: default, the configuration, given. "
     "What it prints can be read back as a file. Without a name, the default machine."},
    {"diff NAME|FILE NAME|FILE", "The keys in which two machines differ."},
    {0},
};
static const struct help_section config_sections[] = {
    {"Actions", "", config_actions},
    {0},
};
static const struct help_entry config_examples[] = {
    {"heddle config show harp-fermi --set gpu.sms=4", "What machine is that, exactly?"},
    {"heddle config diff harp-fermi turing-rtx2060", "How do the two differ?"},
    {0},
};

/* ---- explain ---- */

static const struct opt explain_options[] = {
    {"warp", 'w', false, "[BLOCK:]N|all",
     "Which warp of the machine, counted from 0 in its block; all: every warp of the block. Without it, warp "
     "0 "
     "of block 0."},
    {"steps", 'n', false, "N", "Stop after N instructions of it (default 200)."},
    {"lanes", 'l', false, NULL, "Every instruction on a line of its own."},
    {"all", 0, false, NULL, "The same, and the tables after each."},
    {"config", 'c', false, "NAME|FILE",
     "The machine: one of 'heddle list configs', or a file (default tiny: one small SM with warps of 8)."},
    {"set", 'S', true, "KEY=VALUE", "Set an option of the machine, as in --set sm.depth=1."},
    LAUNCH_ROWS,
    {"size", 0, false, "SIZE", "Of a workload: tiny (what it is without this option), small or paper."},
    {"launch", 0, false, "N",
     "Of a workload: which launch, counted from 0; with --kernel, which of that kernel. Without it, the "
     "first."},
    MAX_INSTS_ROW,
    {0},
};
static const struct help_entry explain_shows[] = {
    {"cycles", "From issue to commit."},
    {"PCs, block of code", "As 'heddle inspect --code' numbers them."},
    {"lanes",
     "# runs it, . does not, lane 0 first. Of several warps, each with its number. +N: so many threads of "
     "other warps run with them."},
    {"instructions",
     "With the line of the PTX and of the source. Consecutive ones of a block of code that do "
     "nothing but go on are counted, not shown; -> where they go on, if not at the next."},
    {"go to, exit, wait", "What became of which lanes, where they did not all go on together."},
    {"tables", "What the mechanism keeps for these threads, whenever other threads are together in it than "
               "before, and what it says itself. Its page in docs/mechanisms says how to read them."},
    {0},
};
static const struct help_section explain_sections[] = {
    {"Arguments",
     "MECH is one of 'heddle list mechanisms', with parameters of its own as in pdom:side=most. Launch "
     "options are those of 'heddle run', and a file may carry them. Of a workload (@NAME, one of 'heddle "
     "list "
     "workloads') the first launch is told, or the one that --launch and --kernel choose.",
     no_examples},
    {"What it shows", "", explain_shows},
    {0},
};
static const struct help_entry explain_examples[] = {
    {"heddle explain pdom examples/diamond.ptx",
     "The stack of a warp, as two nested branches part its four threads and join them."},
    {"heddle explain nrec examples/collatz.ptx --warp 2:1 --steps 50",
     "The first fifty instructions of the second warp of the third block."},
    {0},
};

/* ---- inspect ---- */

static const struct opt inspect_options[] = {
    {"kernel", 'k', false, "NAME", "Only this kernel or function."},
    {"code", 'c', false, NULL, "List the instructions instead, as heddle runs them, block by block."},
    {"dot", 0, false, NULL,
     "Print the control-flow graph of one kernel for Graphviz instead; with --code, every instruction in "
     "it."},
    {"json", 0, false, NULL, "Print everything as JSON instead."},
    {0},
};
static const struct help_entry inspect_shows[] = {
    {"parameters", "Number, name, type, bytes and offset of each: what --arg of 'heddle run' has to supply."},
    {"registers",
     "32-bit registers a thread needs, calls included: what limits how many threads fit on an SM."},
    {"structure", "Whether the graph is nested if, else, while and switch; structured but for loops with "
                  "breaks; unstructured; or "
                  "irreducible (a loop with two entries): with the block that shows it and why."},
    {"branches",
     "Every conditional or indirect branch with its targets and its immediate post-dominator (IPDOM), the "
     "earliest block where all its threads meet again; PTX lines, and source lines where the compiler left "
     "them."},
    {"loops",
     "Header, depth, blocks, ways out; breaks: left from more than one block or to more than one place."},
    {"mix", "Instructions by the class of the unit that runs them, as they stand in the code."},
    {0},
};
static const struct help_section inspect_sections[] = {
    {"What it shows", "For each kernel and device function:", inspect_shows},
    {0},
};
static const struct help_entry inspect_examples[] = {
    {"heddle inspect examples/collatz.ptx", "Where does it branch, and where do the branches meet again?"},
    {"heddle inspect examples/collatz.ptx --dot | dot -Tsvg > collatz.svg", "A picture of it."},
    {0},
};

/* ---- sweep ---- */

static const struct opt sweep_options[] = {
    {"workloads", 'w', false, "NAME,...|all", "Workloads to run, by name."},
    {"mech", 'M', false, "NAME[:KEY=VALUE]...,...|all",
     "Mechanisms, with parameters of their own as in pdom,pdom:side=most. Without it, the configuration's."},
    {"config", 'c', false, "NAME|FILE,...", "Machines (default: " CONFIG_DEFAULT ")."},
    {"size", 0, false, "SIZE,...", "Sizes of the inputs: tiny, small, paper (default small)."},
    {"set", 'S', true, "KEY=VALUE,...",
     "An option of the machine and the values it takes in turn. Several such options give every combination "
     "of their "
     "values."},
    {"db", 'd', false, "FILE", "The database: made when it is not there, continued when it is."},
    {"jobs", 'j', false, "N", "Simulations at a time (default: one for each core of the host)."},
    {"dry-run", 'n', false, NULL, "Only list the points, and which of them are stored."},
    {"retry", 0, false, NULL, "Run points again that are stored as failed or wrong."},
    {"quiet", 'q', false, NULL, "No progress and no summary; only errors."},
    {0},
};
static const struct help_entry sweep_points[] = {
    {"Points", "A point is one workload at one size under one mechanism on one machine. Two that come to the "
               "same are one: a "
               "parameter of a mechanism says nothing about the others, an option set to what the "
               "configuration says is not set."},
    {"Stored", "Each point is stored when it ends, in a transaction of its own, with all its statistics. A "
               "sweep that was "
               "killed, or a second one that overlaps, runs only what is missing. Another version of heddle "
               "gives other points."},
    {"ok, wrong, failed", "Whether the check of the results held; failed: it did not run to its end, as with "
                          "a spin lock under a stack. That is "
                          "a result like any other; a wrong result makes the exit status 1."},
    {0},
};
static const struct help_section sweep_sections[] = {
    {"What is run", "", sweep_points},
    {0},
};
static const struct help_entry sweep_examples[] = {
    {"heddle sweep --workloads all --mech pdom,dwf,mimd --size tiny --db results.sqlite",
     "Every workload under three mechanisms."},
    {"heddle sweep --workloads bfs,mu --mech pdom,harp --set sm.warp_size=16,32,64 --set gpu.sms=4,8 --db "
     "results.sqlite",
     "Two workloads under two mechanisms on six machines: 24 points."},
    {0},
};

/* ---- results ---- */

static const struct opt results_options[] = {
    {"db", 'd', false, "FILE", "The database of a sweep. It is not changed."},
    {"only", 'o', true, "AXIS=VALUE,...",
     "Only points that have one of these values there; several --only must all hold."},
    {"value", 'v', true, "NAME,...",
     "Statistics to show, of 'heddle list stats', of a mechanism's own (dwf.merges), or host.seconds. The "
     "section may "
     "be left out: ipc is gpu.ipc."},
    {"rows", 'r', false, "AXIS,...", "A table of one statistic: what its rows are."},
    {"cols", 'C', false, "AXIS,...", "And its columns."},
    {"relative-to", 0, false, "COLUMN", "Every value over that of this column in its row."},
    {"mean", 0, false, "KIND",
     "A last row with the mean of each column, of its values as shown: harmonic, geometric or arithmetic."},
    {"csv", 0, false, "FILE", "Write it to FILE as comma-separated values; - is standard output."},
    {"json", 0, false, "FILE",
     "Write it to FILE as JSON, the list with every option of every machine; - is standard output."},
    {"host", 0, false, NULL,
     "Also host seconds, which are left out of lists by default since they differ from run to run."},
    {0},
};
static const struct help_entry results_axes[] = {
    {"workload, size, config", "What ran, and on which machine."},
    {"mech", "The mechanism, with those of its parameters that are not the configuration's."},
    {"options", "Options that are not the configuration's, as one text; - where there are none."},
    {"version, state", "heddle's version; ok, wrong or failed."},
    {"KEY", "Any key of 'heddle list options': its value at that point, wherever it came from."},
    {0},
};
static const struct help_section results_sections[] = {
    {"Axes", "What --only, --rows and --cols take:", results_axes},
    {0},
};
static const struct help_entry results_examples[] = {
    {"heddle results --db results.sqlite --rows workload --cols mech --value ipc --relative-to pdom --mean "
     "geometric",
     "Speed-ups over a stack."},
    {"heddle results --db results.sqlite --only workload=bfs --rows sm.warp_size --cols mech --value "
     "lane_activity",
     "What wider warps cost."},
    {"heddle results --db results.sqlite --csv all.csv", "Every statistic of every point."},
    {0},
};

/* ---- list, help, version ---- */

static const struct opt list_options[] = {
    {"json", 0, false, NULL, "Print the list as JSON."},
    {"markdown", 0, false, NULL, "Print the list as a Markdown table."},
    {0},
};
static const struct help_entry list_topics[] = {
    {"mechanisms",
     "Control-flow mechanisms that --mech takes: name, title, where it is from, what it can run."},
    {"configs", "Machines that --config takes by name."},
    {"workloads",
     "Benchmarks that @NAME runs: name, where it was measured, how far its warps diverge, its launch "
     "there, what it does."},
    {"options", "Keys that --set takes: default, accepted values, meaning."},
    {"stats", "Statistics of a run: name, unit, meaning. These are the keys of --json."},
    {"instructions", "Operations of the intermediate form: name, types, class."},
    {0},
};
static const struct help_section list_sections[] = {
    {"Topics", "", list_topics},
    {0},
};

static const struct opt help_options[] = {
    {"man", 0, false, NULL, "Print the whole manual as a man page."},
    {"markdown", 0, false, NULL, "Print the help of a command as Markdown."},
    {0},
};

const struct command commands[] = {
    {"run", "FILE.ptx|@NAME", 1, 1, "run a kernel of a PTX file, or a workload",
     "Loads FILE.ptx, makes the arguments, runs one kernel over the grid and shows what it computed; or runs "
     "the "
     "workload NAME and verifies its results. "
     "Out-of-bounds or "
     "misaligned accesses, traps, failed assertions and barriers that cannot complete stop the run; the "
     "message names the "
     "thread, the PTX line, the source line and the nearest allocation.",
     run_options, run_sections, run_examples, run_main},
    {"compare", "FILE.ptx[:KERNEL]|@NAME...", 1, SIZE_MAX,
     "run kernels and workloads under several mechanisms, side by side",
     "Runs every program under every mechanism on the same machine, in parallel, and shows cycles and "
     "speed-ups "
     "over the first. The memory each run leaves (buffers and variables) must be that of a functional run: "
     "if not, "
     "the first element that differs is named and the exit status is 1. A workload must pass its check "
     "against "
     "the CPU, with the same bytes as in a functional run.",
     compare_options, compare_sections, compare_examples, compare_main},
    {"study", "STUDY FILE.ptx[:KERNEL]|@NAME...", 2, SIZE_MAX, "bounds that no mechanism can beat",
     "Runs every program and computes, from what its threads executed, a limit on what scheduling can reach.",
     study_options, study_sections, study_examples, study_main},
    {"reproduce", "[CLAIM...]", 0, SIZE_MAX, "the papers' claims, with our figures beside them",
     "Runs what each claim needs, on the paper's machine and workloads, and prints claim, the paper's value, "
     "ours, and the values by workload. At size small the thesis's machine has a quarter of its cores and "
     "memory, so that the launches fill it. CLAIM is one of --list, or a paper: dwf, harp, mp, sl. Without "
     "one, all of them.",
     reproduce_options, reproduce_sections, reproduce_examples, reproduce_main},
    {"config", "ACTION [NAME|FILE]...", 1, 3, "show or compare machine configurations",
     "Prints the machine that a configuration and settings make.", config_options, config_sections,
     config_examples, config_main},
    {"explain", "MECH FILE.ptx[:KERNEL]|@NAME", 2, 2, "show step by step what a mechanism does with a warp",
     "Runs a kernel and shows one warp, or all of a block: every instruction with the lanes that run it, "
     "where they "
     "part, meet, wait and exit, and the mechanism's tables after each change.",
     explain_options, explain_sections, explain_examples, explain_main},
    {"inspect", "FILE.ptx|@NAME", 1, 1, "show kernels, their parameters, control flow and resources",
     "Loads FILE.ptx, or the kernels of the workload NAME, and shows what is known before they run.",
     inspect_options, inspect_sections, inspect_examples, inspect_main},
    {"list", "TOPIC", 1, 1, "list mechanisms, configurations, workloads, options, statistics, instructions",
     "Prints one of the tables that drive heddle.", list_options, list_sections, no_examples, list_main},
    {"sweep", "", 0, 0, "run workloads on many machines, into a database",
     "Runs every workload under every mechanism on every machine, in parallel, and stores each result in an "
     "SQLite "
     "database as soon as it is there. What is stored already does not run again.",
     sweep_options, sweep_sections, sweep_examples, sweep_main},
    {"results", "", 0, 0, "show, tabulate and export what sweeps stored",
     "Lists the points of a database, or lays one statistic out as a table.", results_options,
     results_sections, results_examples, results_main},
    {"help", "[COMMAND]", 0, 1, "show help on a command", "Shows what 'heddle COMMAND --help' shows.",
     help_options, no_sections, no_examples, help_main},
    {"version", "", 0, 0, "print the version", "Prints the version.", no_options, no_sections, no_examples,
     version_main},
    {0},
};

const char help_description[] = "heddle runs GPU kernels, as compilers emit them in PTX, on a simulated SIMT "
                                "processor. It is about control flow: where "
                                "the threads of a warp diverge, where they meet again, and what that costs.";

static const struct help_entry exit_codes[] = {
    {"0", "Success."},
    {"1",
     "The simulated program failed: a fault, a trap, an assertion, a deadlock, or the bound of --max-insts; "
     "a workload's check that failed; or a mechanism left other memory than a functional run."},
    {"2", "Bad usage or bad input: an unknown option, a file that cannot be read, PTX with errors; also "
          "output that could "
          "not be written."},
    {0},
};
static const struct help_entry variables[] = {
    {"NO_COLOR", "When set and not empty, no colour on terminals."},
    {0},
};
const struct help_section help_general[] = {
    {"Exit status", "", exit_codes},
    {"Environment", "", variables},
    {0},
};

const struct command *command_find(const char *name) {
    for (const struct command *c = commands; c->name; c++)
        if (!strcmp(c->name, name)) return c;
    return NULL;
}

void command_unknown(const char *name, struct err *e) {
    const char *names[sizeof commands / sizeof *commands];
    size_t n = 0;
    for (const struct command *c = commands; c->name; c++) names[n++] = c->name;
    names[n] = NULL;
    const char *near = nearest_name(name, names);
    if (near)
        err_set(e, ERR_INPUT, "unknown command '%.60s' (did you mean '%s'?)", name, near);
    else
        err_set(e, ERR_INPUT, "unknown command '%.60s'", name);
}
