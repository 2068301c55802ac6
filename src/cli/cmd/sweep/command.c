/* The command line of `heddle sweep`, as data. */
#include <stdint.h>

#include "cli/cmd/commands.h"
#include "cli/cmd/sweep/programs.h"
#include "sim/config.h"

const struct opt sweep_options[] = {
    {"workloads", 'w', OPT_LIST, "NAME,...|all", "Workloads to run, by name."},
    {"program", 'P', OPT_REPEAT, "'WORD...'",
     "A compiled CUDA program and its arguments, as 'heddle cuda' takes them, in quotes as one; {NAME} among "
     "them is an axis."},
    {"input", 'i', OPT_REPEAT | OPT_READS, "FILE",
     "A file that CUDA programs read: when its contents change, their points are new ones."},
    {"mech", 'M', OPT_LIST, "NAME[:KEY=VALUE]...,...|all",
     "Mechanisms, with parameters of their own as in pdom,pdom:side=most. Without it, the configuration's."},
    {"config", 'c', OPT_READS | OPT_LIST, "NAME|FILE,...",
     "Machines (default: " CONFIG_DEFAULT "; of CUDA programs " HD_CONFIG_CUDA ")."},
    {"size", 0, OPT_LIST, "SIZE,...", "Sizes of the inputs: tiny, small, paper (default small)."},
    {"isa", 0, OPT_LIST, "ptx|riscv|riscv-O1,...",
     "Builds of the workloads (docs/riscv.md): each of them with each of these. @NAME:riscv is one of them."},
    {"set", 'S', true, "KEY=VALUE,...",
     "An option of the machine, a parameter of a mechanism or an argument of your own program, and the "
     "values it takes in turn; 8..64:8 and "
     "8..64*2 are ranges, by steps and by factors. Several such options give every combination of their "
     "values; given again for the same KEY, the option adds to its list."},
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
static const struct help_entry sweep_point_texts[] = {
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
     "gives a default."},
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
    {"What is run", "", sweep_point_texts},
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
    {"heddle sweep --workloads mu --mech pdom,harp --set sm.warp_size=16..64*2 --set gpu.sms=4,8,16 --zip "
     "sm.warp_size,gpu.sms --skip-where \"mech == harp and gpu.sms > 8\" --db results.sqlite --dry-run",
     "Two options that change together, and a combination that is left out."},
    {"heddle sweep examples/saxpy.ptx --grid '{(n + 255) / 256}' --block 256 --arg 'buf:f32[{n}]=rand(1)' "
     "--arg 'buf:f32[{n}]' --arg f32:2 --arg 'u32:{n}' --set n=1K..64K*4 --mech pdom,dwf --db results.sqlite",
     "A kernel of your own at four sizes; then 'heddle results --db results.sqlite --rows n --cols mech "
     "--value cycles'."},
    {"heddle sweep --program './walks {n}' --set n=1K,4K --mech pdom,dwf,volta --set gpu.sms=8..32*2 --db "
     "results.sqlite",
     "A CUDA program ('heddle nvcc -O2 examples/walks.cu -o walks') at two sizes under three mechanisms on "
     "three machines."},
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
