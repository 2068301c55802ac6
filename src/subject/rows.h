/* Options of a launch as rows, for the commands that launch and for the options that a file carries itself. */
#ifndef HEDDLE_SUBJECT_ROWS_H
#define HEDDLE_SUBJECT_ROWS_H

#include "cli/opts.h"

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
/* clang-format on */

#endif
