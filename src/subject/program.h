/* One kernel of one file with its launch, as the command line asks for it: what `run` and `compare` share. */
#ifndef HEDDLE_SUBJECT_PROGRAM_H
#define HEDDLE_SUBJECT_PROGRAM_H

#include "cli/cli.h"
#include "lab/run/program.h"
#include "subject/capture.h"
#include "toolchain/cudacc.h"
#include "value/args.h"
#include "value/params.h"
#include "value/vars.h"

struct program_arg {
    const char *name; /* name of --buffer; NULL: an argument of the kernel */
    const char *text; /* the SPEC */
    struct arg_spec spec;
    uint64_t addr;           /* where a captured buffer was; 0: anywhere */
    const uint8_t *captured; /* what a captured buffer held; NULL: it was not captured */
    uint8_t *data;           /* contents of any other buffer, NULL for zeros */
};

struct program {
    const struct cli *cli;
    const char *before; /* operands of the command before the file, for a command line to paste; NULL: none */
    const char *file, *kernel_name; /* kernel_name NULL: the only one */
    bool has_grid, has_block, has_shared;
    bool launches, scripted; /* a kernel of it is to run; as a script says */
    bool binary;             /* machine code with a main, which launches */
    VEC(const char *) argv;  /* its arguments */
    const char *files;       /* --files: which it may use; NULL: not given */
    hd_launch launch;
    VEC(struct program_arg) args;
    VEC(struct program_arg) buffers; /* --buffer: reached by name */
    VEC(struct var_given) vars;      /* --set-var, those of the file first */
    struct cudacc_options compile;
    struct params *names; /* what {NAME} in the file's own options stands for; NULL: what they assume */
    /* Head of a list of programs of the same file: PTX is taken from one with the same flags. */
    const struct program *like;
    const char *module;  /* what lines of the PTX are called in messages: the file, unless it was compiled */
    struct sb text;      /* the PTX */
    struct opts sidecar; /* options the file itself carries */
    hd_kernel_info info; /* program_choose; its strings belong to the device */
    struct lab_program lab;   /* program_choose; buffers have no contents before program_contents */
    struct lab_arg *lab_args; /* for args, then for buffers */
    struct capture capture;
    struct arena mem;
};

/* The options of the launch; file may end in ":KERNEL". Everything that can be said without opening a file. */
bool program_options(struct program *p, const struct cli *c, const char *file, const struct opts *o,
                     struct err *e);
/* Reads a program for a command that launches nothing: the file as it is, and how it is compiled. */
void program_file(struct program *p, const struct cli *c, const char *file, const struct opts *o);
/* Reads the file, compiles it if need be, and takes from the options it carries what the command line left open. */
bool program_read(struct program *p, struct err *e);
/* Loads what was read. */
bool program_module(const struct program *p, hd_device *dev, hd_module **mod, struct err *e);
/* Finds the kernel in the loaded file, checks shape and arguments against it, fills p->lab. */
bool program_choose(struct program *p, hd_device *dev, hd_module *mod, hd_kernel **k, struct err *e);
/* Makes the contents of the buffers. */
bool program_contents(struct program *p, struct err *e);
/* Lets go of those that it can make again: all but what came from files. */
void program_forget_contents(struct program *p);
void program_free(struct program *p);

/* Arguments and behind them the buffers that have names, by number. */
static inline struct program_arg *program_entry(const struct program *p, size_t i) {
    return i < p->args.n ? &p->args.v[i] : &p->buffers.v[i - p->args.n];
}

/* program_names.c: --buffer and --set-var of the options, and what has to do with names when the module is there. */
bool program_read_names(struct program *p, const struct opts *o, struct err *e);
bool program_find_buffer(const struct program *p, const char *name, size_t n, size_t *number, struct err *e);
/* "argument 2" or "buffer x" */
void program_entry_name(const struct program *p, size_t number, struct sb *out);
/* The addresses of a struct's or pointer's SPEC as links. */
bool program_link(struct program *p, const struct arg_links *found, const struct lab_link **links, size_t *n,
                  struct err *e);
bool program_describe_vars(struct program *p, hd_device *dev, hd_module *mod, struct err *e);

/* program_capture.c: a launch that was taken out of a CUDA program, where the command line leaves it open. */
bool program_captured(struct program *p, struct err *e);

/* program_match.c: arguments against the kernel's parameters. */
bool program_match(const struct program *p, const hd_kernel *k, struct err *e);
/* "4 blocks of 256 threads" */
void program_shape(const hd_launch *l, struct sb *out);

#endif
