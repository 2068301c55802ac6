/* The command line of `heddle compare`, as data. */
#include <stdint.h>

#include "cli/cmd/commands.h"

static const struct opt compare_options[] = {
    {"mech", 'M', OPT_LIST, "NAME[:KEY=VALUE]...,...|all",
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
