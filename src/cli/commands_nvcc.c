/* The command that builds CUDA programs, as data: nvcc. Its flags are nvcc's own, from nvcc.def. */
#include <stdint.h>

#include "cli/commands.h"
#include "cli/nvcc.h"

static const struct opt nvcc_options[] = {{0}};

static const struct help_entry nvcc_flags[] = {
#define QUIET(names, form, kind, clang, own)
#define FLAG(names, form, kind, clang, own, usage, help) {usage, help},
#include "cli/nvcc.def"
#undef FLAG
#undef QUIET
    {0},
};
static const struct help_section nvcc_sections[] = {
    {"Flags",
     "Of nvcc's flags. The long names work too, with one dash or two. Others of nvcc's are accepted where "
     "they "
     "change nothing here, and refused by name where they would.",
     nvcc_flags},
    {0},
};
static const struct help_entry nvcc_examples[] = {
    {"heddle nvcc prog.cu -o prog && ./prog", "Build a program and run it, its kernels simulated."},
    {"heddle nvcc -arch=sm_80 -O3 -Iinclude main.cu solver.cu util.cpp -o solver", "Several files."},
    {"heddle nvcc -dc a.cu b.cu && heddle nvcc -rdc=true a.o b.o -o both",
     "Device code of one file that uses another's."},
    {"make NVCC='heddle nvcc'", "A Makefile that was written for nvcc."},
    {0},
};

const struct command command_nvcc = {
    .name = "nvcc",
    .operands = "[FLAG]... FILE...",
    .min_operands = 0,
    .max_operands = SIZE_MAX,
    .summary = "build a program from CUDA C++ with clang, linked with heddle's CUDA runtime",
    .text =
        "Compiles kernels and host code with Debian's clang-19 and heddle's own headers, and links the "
        "runtime "
        "library that comes with heddle: no NVIDIA software is needed. Takes nvcc's flags, so that a "
        "Makefile "
        "written for nvcc works with NVCC='heddle nvcc', or with heddle-nvcc where one word is needed. The "
        "program runs as it is; 'heddle cuda' runs it with a machine, mechanism and reports of choice. "
        "docs/cuda.md says what the headers have.",
    .options = nvcc_options,
    .sections = nvcc_sections,
    .examples = nvcc_examples,
    .raw = nvcc_main,
};
