/* The command that runs CUDA programs, as data: cuda. */
#include <stdint.h>

#include "cli/cmd/commands.h"

static const struct opt cuda_options[] = {
    {"mech", 'M', OPT_LIST, "NAME[:KEY=VALUE]...,...|all",
     "Mechanisms: the program runs once for each, and a table compares them; the first is what the others "
     "are measured by. "
     "Written as of 'heddle compare'. Without the option, run.mech of the configuration."},
    {"config", 'c', OPT_READS | OPT_LIST, "NAME|FILE,...",
     "The machine: one of 'heddle list configs', or a file of lines [section] and key = value "
     "(default: " HD_CONFIG_CUDA "). Of several, "
     "the program runs on "
     "each. --set comes after and wins."},
    {"set", 'S', true, "KEY=VALUE",
     "Set an option of the machine, as in --set gpu.sms=4. See 'heddle list options'."},
    {"functional", 'f', false, NULL, "Compute results only, without modelling time: faster, and no cycles."},
    SAMPLE_ROW,
    {"timed", 't', true, "KERNEL[:N]",
     "Model the time of this kernel only, or of its N-th launch, counted from 1; everything else is "
     "functional. KERNEL is its name in "
     "the source or in the PTX, without template arguments and parameters."},
    {"launches", 'l', false, NULL,
     "Show every launch in a row of its own, in order, instead of one row for each kernel."},
    {"profile", 'P', false, NULL,
     "Show where the lane slots of all timed launches went: the branches that cost most, the lines and the "
     "functions, as 'heddle run --profile' does. Runs take two to three times as long."},
    {"races", 0, false, "[=lockstep]",
     "Look for data races, as 'heddle run --races' does. Launches are functional; the exit status is 1 if "
     "there is one and the program's own is 0."},
    {"output", 'o', OPT_WRITES, "FILE",
     "Write the tables to FILE instead of standard error; - is standard output."},
    {"json", 0, OPT_WRITES, "FILE",
     "Write every launch and every statistic to FILE as JSON. The same program gives the same bytes."},
    {"csv", 0, OPT_WRITES, "FILE", "Write a row of all statistics for each launch to FILE."},
    {"html", 0, OPT_WRITES, "FILE",
     "Write a page to FILE: kernels and mechanisms as charts, every statistic in tables. It needs a browser "
     "and nothing else."},
    {"report", 0, OPT_WRITES, "FILE",
     "Write the page of 'heddle report' to FILE, of the launch that took most cycles in the first run. To "
     "take it out, the program runs once more, functionally and without showing its output."},
    {"log", 0, OPT_WRITES, "FILE",
     "Keep what the processes wrote down about their launches: a JSON object a line."},
    {"capture", 'C', OPT_WRITES, "KERNEL[:N]=FILE",
     "Take a launch out of the program: write the kernel, its arguments and all device memory, as they are "
     "before its first or N-th "
     "launch, to FILE, which run, compare, report, explain and study then take like a PTX file with its "
     "launch."},
    {"threads", 0, false, "N",
     "Threads of the host that simulate a launch; as many as it has cores if there is one run, one if there "
     "are "
     "several. Results are the same bytes for every N."},
    {"jobs", 'j', false, "N",
     "Of several machines: runs at a time (default: one for each core of the host)."},
    {"options", 0, OPT_READS, "FILE",
     "Read options from FILE: lines NAME = VALUE with the names of this list, semicolons between several "
     "values of set and timed. "
     "The command line comes after and wins."},
    MAX_INSTS_ROW,
    {"quiet", 'q', false, NULL,
     "No tables, no warnings about the program's file and no progress; only files and errors."},
    {0},
};

static const struct help_entry cuda_programs[] = {
    {"shared runtime", "Programs call the simulator instead of NVIDIA's runtime and driver, whose shared "
                       "libraries it replaces: libcudart.so of CUDA "
                       "11, 12 and 13, and libcuda.so.1. nvcc links the runtime into programs unless it is "
                       "told -cudart shared; 'heddle nvcc' builds "
                       "programs without any software of NVIDIA's."},
    {"PTX", "A program must hold PTX, as it does unless it was built for named GPUs only: machine code is "
            "not simulated."},
    {"refused", "A program with its runtime linked into it, a static one, or one for another processor is "
                "refused before it starts."},
    {"scripts, interpreters",
     "They may be the program: what they start is simulated too, each process for itself."},
    {0},
};
static const struct help_entry cuda_shows[] = {
    {"standard output, standard error", "The program's own go where they went without heddle. Tables follow "
                                        "on standard error when it has ended."},
    {"several machines", "The program runs once on each, several at a time. The output of the first is shown "
                         "as it comes; where the output or the exit "
                         "status of another differs, that is said. Standard input goes to all. They run in "
                         "the same directory: --jobs 1 keeps programs "
                         "apart that write the same files."},
    {"time", "cudaEventElapsedTime and the like tell simulated time; clocks of the host tell the host's."},
    {"exit status", "That of the program, or 128 and the number of the signal that ended it; of several runs "
                    "the first that is not 0. 2: the "
                    "program was not started, or a file could not be written."},
    {"Stopped", "Ctrl-C goes to the program, SIGTERM and SIGHUP are passed on to it; tables and files have "
                "what had ended by then."},
    {0},
};
static const struct help_entry cuda_variables[] = {
    {"HEDDLE_CONFIG, HEDDLE_MECH, HEDDLE_SET, HEDDLE_MODE, HEDDLE_TIMED, HEDDLE_RACES, HEDDLE_PROFILE, "
     "HEDDLE_LOG, "
     "HEDDLE_FILE",
     "As --config, --mech, --set (several with semicolons), functional or timed, --timed (likewise), --races "
     "and --profile (0 or 1), --log and "
     "--options. Options win. A program that is started by itself with the library in LD_LIBRARY_PATH reads "
     "the same."},
    {"HEDDLE_CUDA_LIB",
     "Directory of the runtime library, where it is not in its usual place beside the command."},
    {0},
};
static const struct help_section cuda_sections[] = {
    {"Programs", "", cuda_programs},
    {"Output", "", cuda_shows},
    {"Environment", "", cuda_variables},
    {0},
};
static const struct help_entry cuda_examples[] = {
    {"heddle nvcc -O2 -lineinfo examples/walks.cu -o walks",
     "Build a program; it is the one of all lines below."},
    {"heddle cuda ./walks 1024",
     "Run it on the default machine; which kernels took how long, and how many lanes were active?"},
    {"heddle cuda --mech pdom,dwf,volta ./walks 1024", "Three mechanisms side by side."},
    {"heddle cuda --config volta-v100 --timed longest:1 ./walks",
     "Time the first launch of one kernel, and compute the rest quickly."},
    {"heddle cuda -f --capture walks=walks.hdl ./walks",
     "Take the first launch of a kernel out; then 'heddle report walks.hdl' or 'heddle run walks.hdl "
     "--profile'."},
    {"heddle cuda --profile ./walks", "Which lines and branches of its kernels cost most?"},
    {"heddle cuda --mech pdom,dwf --report page.html ./walks",
     "Its heaviest launch under two mechanisms, line by line, as a page."},
    {"heddle cuda --races ./walks", "Does it have data races?"},
    {0},
};

#define NO_CHECKPOINT                                                                                      \
    "a CUDA program is a process of its own, and its memory, threads and files are not heddle's to save; " \
    "'heddle cuda --capture' takes a launch out of it, which 'heddle run' can save"
static const struct help_entry cuda_refused[] = {
    {"checkpoint", NO_CHECKPOINT}, {"resume", NO_CHECKPOINT}, {0}};

const struct command command_cuda = {
    .name = "cuda",
    .operands = "PROGRAM [ARG]...",
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .runs_program = true,
    .summary = "run a compiled CUDA program, its kernels on a simulated machine",
    .text = "Starts PROGRAM with the simulator's library in place of CUDA's runtime and driver: the host "
            "code runs as it is, kernels "
            "run on the simulated machine. Nothing is rebuilt, and neither a GPU nor software of NVIDIA's is "
            "needed. All words after "
            "PROGRAM are its own; -- may precede it.",
    .options = cuda_options,
    .sections = cuda_sections,
    .examples = cuda_examples,
    .refused = cuda_refused,
    .run = cuda_main,
};
