/* One `heddle run`: what the command line asked for, and what became of it. Shared by the files run*.c. */
#ifndef HEDDLE_CLI_RUN_H
#define HEDDLE_CLI_RUN_H

#include "cli/machine.h"
#include "cli/outfile.h"
#include "cli/program.h"

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
    struct program program;
    struct machine machine;
    const char *json;
    bool quiet, host;
    bool data_on_stdout; /* "-" was given for an output: nothing else may go there */
    VEC(struct run_print) prints;
    VEC(struct run_dump) dumps;
    /* of the simulation */
    hd_device *dev;
    hd_module *mod;
    hd_kernel *kernel;
    hd_arg *args;   /* as the device takes them: addresses of buffers */
    double seconds; /* host time of the launch */
    struct progress progress;
};

/* run_options.c: fills the first part from the options; the file is read for those it carries. */
bool run_read_options(struct run *r, const struct opts *o, struct err *e);
bool run_read_outputs(struct run *r, const struct opts *o, struct err *e);

/* run_report.c: what is shown and written after the launch. */
void run_report(const struct run *r, struct sb *out);
bool run_json(const struct run *r, struct sb *out, struct err *e);
/* Elements of a buffer in columns. */
void run_elements(const struct program_arg *a, size_t number, uint64_t count, const uint8_t *data, int width,
                  struct sb *out);

#endif
