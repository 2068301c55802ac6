/* The command that records, as data. */
#include "cli/commands.h"

static const struct opt record_options[] = {
    {"output", 'o', OPT_WRITES, "FILE", "Where the trace goes; usually called NAME.hdt."},
    LAUNCH_ROWS,
    CUDA_COMPILER_ROW,
    SCRIPT_ROW,
    SIZE_ROW,
    ISA_ROW,
    MACHINE_ROWS,
    MAX_INSTS_ROW,
    {"quiet", 'q', false, NULL, "Do not say how large the trace is."},
    {0},
};

static const struct help_entry record_examples[] = {
    {"heddle record @bfs --size tiny -o bfs.hdt", "All launches of a workload."},
    {"heddle run bfs.hdt --mech harp --config harp-fermi",
     "The same threads under HARP on HARP's machine, without their values."},
    {"heddle record examples/collatz.ptx -o collatz.hdt && heddle compare collatz.hdt",
     "A file as its own options say, then every mechanism on what it did."},
    {0},
};

const struct command command_record = {
    .name = "record",
    .operands = "FILE|@WORKLOAD",
    .min_operands = 1,
    .max_operands = 1,
    .summary = "write down what the threads of a program do, to be replayed on any machine",
    .text =
        "Runs a program as 'heddle run --functional' does and writes a trace: the program, its launches, and "
        "of every thread which way it went and what it accessed. 'heddle run FILE.hdt' replays it on any "
        "machine under any mechanism, without the program's inputs, and takes as many cycles as executing "
        "the program there would. docs/traces.md describes the file, what it takes to be the same, and where "
        "it cannot be.\n"
        "Kernels that use what atomics return, read memory that others change, or ask for clocks might go "
        "another way on another machine; they are named. Kernels that wait by mbarrier are refused. What "
        "kernels print, they print now, and not in a replay.\n"
        "Accel-Sim's traces of machine code, kernelslist.g or a kernel's .traceg, are converted.",
    .options = record_options,
    .sections = no_sections,
    .examples = record_examples,
    .run = record_main,
};
