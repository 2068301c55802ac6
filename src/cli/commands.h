/* Tables of commands, and the rows that several of them have. */
#ifndef HEDDLE_CLI_COMMANDS_H
#define HEDDLE_CLI_COMMANDS_H

#include "cli/cli.h"

extern const struct command command_record;
extern const struct command command_run, command_report, command_explain, command_cuda;
extern const struct command command_compare, command_study, command_reproduce, command_sweep, command_results;
extern const struct command command_area, command_validate, command_nvcc;
extern const struct command command_config, command_inspect, command_list, command_completion, command_help,
    command_version;

/* Ends of tables that have nothing else. */
extern const struct help_section no_sections[];
extern const struct help_entry no_entries[];

/* clang-format off */
#define CUDA_FLAGS_ROW \
    {"cuda-flags", 0, false, "'FLAG...'", \
     "Of a file in CUDA C++: more flags for its compiler, as in --cuda-flags '-DN=64 -use_fast_math'. clang takes nvcc's too."}
#define CUDA_COMPILER_ROW \
    {"cuda-compiler", 0, false, "nvcc|clang|PATH", \
     "Of a file in CUDA C++: by what it is compiled. Without it, HEDDLE_CUDACC of the environment, else nvcc where there is " \
     "one, else clang-19 or newer."}
#define LAUNCH_ROWS \
    {"kernel", 'k', false, "NAME", \
     "Kernel to run. May be left out when the file has only one; otherwise the kernels are listed."}, \
    {"grid", 'g', false, "X[,Y[,Z]]", \
     "Blocks of the grid in each dimension, with commas or as in 4x4; what is left out is 1."}, \
    {"block", 'b', false, "X[,Y[,Z]]", \
     "Threads of a block in each dimension, likewise. May be left out when the kernel itself fixes them (.reqntid)."}, \
    {"shared", 's', false, "BYTES", \
     "Dynamic shared memory of a block, for .extern .shared arrays (default 0)."}, \
    {"arg", 'a', true, "SPEC", \
     "The next argument of the kernel, in the order of its parameters; see Arguments below."}, \
    {"buffer", 'B', OPT_REPEAT, "NAME=TYPE[COUNT][=FILL]", \
     "A buffer that is no argument itself but reached through one, as ptr:NAME in a struct or alone. FILL as of " \
     "--arg buf:..."}, \
    {"set-var", 'V', OPT_REPEAT, "NAME[INDEX]=[TYPE:]VALUES", \
     "What a .const or .global variable (__constant__, __device__) holds before the run: as many numbers as it has, or " \
     "from INDEX on, with commas between them, or one of zero, iota, value(V), rand(...), file:PATH, ptr:NAME, sym:NAME, " \
     "bytes:HEX, {FIELD, ...}. TYPE is needed where the PTX declares bytes, as compilers do for arrays."}, \
    {"argv", 0, OPT_REPEAT, "WORD", \
     "The next argument of a program for RISC-V, which has a main of its own (docs/riscv.md)."}, \
    {"files", 0, false, "none|DIR|all", \
     "Which files a program for RISC-V may use: none, those in DIR and below it, or all that you may. Without it, it reads " \
     "what you may read and writes in the current folder and below. Never files of processes in /proc (docs/riscv.md)."}, \
    CUDA_FLAGS_ROW
#define SCRIPT_ROW \
    {"script", 0, OPT_READS, "FILE", \
     "Run what this script says instead of one launch: buffers, launches in order, loops, what to print, write and " \
     "check, on one device; - is standard input. docs/scripts.md describes the language."}
#define MACHINE_ROWS \
    {"config", 'c', OPT_READS, "NAME|FILE", \
     "The machine: one of 'heddle list configs', or a file of lines [section] and key = value. --set comes after " \
     "and wins."}, \
    {"set", 'S', true, "KEY=VALUE", \
     "Set an option of the machine, as in --set gpu.sms=4. See 'heddle list options'."}
#define MAX_INSTS_ROW \
    {"max-insts", 'm', false, "N", \
     "Stop with status 1 once a launch has executed more than N thread instructions. A bound for kernels that may " \
     "never end."}
#define SAMPLE_ROW \
    {"sample", 0, false, "[=DISTANCE]", \
     "Estimate launches that repeat earlier ones instead of simulating them: faster, and no longer exact " \
     "(docs/sampling.md). DISTANCE is how far their instructions by basic block may differ, from 0 to 1 (default: 0.02). " \
     "What was estimated is marked with ~."}
#define SIZE_ROW \
    {"size", 0, false, "SIZE", \
     "Of a workload: tiny, small (what it is without this option) or paper, the launch of the paper."}
#define ISA_ROW \
    {"isa", 0, false, "ptx|riscv|riscv-O1", \
     "Of a workload: which build of its kernels. Those of Fung's thesis are also compiled for RISC-V, with -O2 and with " \
     "-O1 (docs/riscv.md); @NAME:riscv is the same."}
/* clang-format on */

#endif
