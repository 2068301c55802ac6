/* One `heddle run`: what the command line asked for, and what became of it. Shared by the files run*.c. */
#ifndef HEDDLE_CLI_RUN_H
#define HEDDLE_CLI_RUN_H

#include <heddle.h>

#include "cli/args.h"
#include "cli/cli.h"
#include "cli/outfile.h"

struct run_arg {
    const char *text; /* the SPEC */
    struct arg_spec spec;
    uint64_t addr;  /* buffer or symbol, once placed */
    uint8_t *bytes; /* struct by value */
};

struct run_print {
    uint64_t arg, count; /* count 0: not said */
};
struct run_dump {
    uint64_t arg;
    const char *path;
};

struct run {
    struct cli *cli;
    /* from the command line */
    const char *file, *kernel_name, *json, *config;
    bool quiet, host, has_grid, has_block;
    bool data_on_stdout; /* "-" was given for a dump or JSON: nothing else may go there */
    hd_launch launch;
    VEC(struct run_arg) args;
    VEC(struct run_print) prints;
    VEC(struct run_dump) dumps;
    VEC(hd_option) settings;
    struct arena mem; /* keys of settings */
    /* of the simulation */
    hd_device *dev;
    hd_module *mod;
    hd_kernel *kernel;
    hd_kernel_info info;
    double seconds; /* host time of the launch */
    struct progress progress;
};

/* run_options.c: fills the first part from the options. */
bool run_read_options(struct run *r, const struct opts *o, struct err *e);

/* run_args.c: arguments against the kernel's parameters; in device memory; as the library takes them. */
bool run_match_args(struct run *r, struct err *e);
bool run_place_args(struct run *r, struct err *e);
void run_pack_args(const struct run *r, hd_arg *out);
/* "saxpy(u32 n, f32 a, u64 x)": a kernel as one line. */
void run_signature(const hd_kernel_info *k, struct sb *out);

/* run_report.c: what is shown and written after the launch. */
void run_report(const struct run *r, struct sb *out);
bool run_json(const struct run *r, struct sb *out, struct err *e);
/* Elements of a buffer in columns. */
void run_elements(const struct run_arg *a, size_t number, uint64_t count, const uint8_t *data, int width,
                  struct sb *out);

/* An hd_status with the device's message, as an error. */
bool run_check(const struct run *r, hd_status s, struct err *e);

#endif
