/* The command that builds CUDA programs, as data: nvcc. Its flags are nvcc's own, from nvcc.def. */
#include <stdint.h>

#include "cli/cmd/commands.h"
#include "cli/cmd/help.h"
#include "toolchain/nvcc.h"

/* What CMake and configure scripts look for is the release. */
static void print_version(const struct cli *c) {
    fprintf(c->term.out,
            "nvcc: heddle's compiler driver for CUDA C++, over clang, with the interface of NVIDIA's nvcc\n"
            "heddle %s\nCuda compilation tools, release 12.5, V12.5.82\n",
            hd_version());
}

enum cli_exit nvcc_main(struct cli *c, int n, char *const *words) {
    struct nvcc k = {0};
    struct err e = {0};
    k.dir = (struct workdir){.mem = &k.mem, .err = c->term.err};
    bool fine = nvcc_parse(&k, n, words, &e);
    if (fine && k.ask_help) {
        struct sb text = {0};
        help_command(&text, &c->term, c->command);
        term_print(&c->term, &text);
        sb_free(&text);
    } else if (fine && k.ask_version) {
        print_version(c);
    } else {
        fine = fine && nvcc_build(&k, &e);
    }
    const enum cli_exit status = fine ? CLI_OK : cli_fail(c, &e);
    nvcc_free(&k);
    err_free(&e);
    return status;
}

/* ---- the command line ---- */

static const struct opt nvcc_options[] = {{0}};

static const struct help_entry nvcc_flags[] = {
#define QUIET(names, form, kind, clang, own)
#define FLAG(names, form, kind, clang, own, usage, help) {usage, help},
#include "toolchain/nvcc.def"
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
