/* One `heddle run`: what the command line asked for, and what became of it. Shared by the files run*.c. */
#ifndef HEDDLE_CLI_RUN_H
#define HEDDLE_CLI_RUN_H

#include <jansson.h>

#include "cli/machine.h"
#include "cli/outfile.h"
#include "cli/program.h"
#include "sim/sim.h"

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
    const char *json, *series, *trace, *timeline; /* files; NULL: not wanted */
    bool functional, quiet, host, profile;
    bool data_on_stdout; /* "-" was given for an output: nothing else may go there */
    uint64_t interval, threads;
    VEC(struct run_print) prints;
    VEC(struct run_dump) dumps;
    /* of the simulation */
    hd_device *dev;
    hd_module *mod;
    hd_kernel *kernel;
    hd_arg *args;            /* as the device takes them: addresses of buffers */
    bool ran;                /* it began: neither the library nor the mechanism refused it */
    double seconds;          /* host time of the launch */
    struct outfiles watched; /* trace and timeline, written while it runs */
    struct progress progress;
};

/* run_options.c: fills the first part from the options; run_read_outputs when the file has been read, which
 * may bring arguments of its own. */
bool run_read_options(struct run *r, const struct opts *o, struct err *e);
bool run_read_outputs(struct run *r, const struct opts *o, struct err *e);

/* run_watch.c: what is recorded while it runs. */
bool run_watch(struct run *r, struct err *e);
/* Last of all, since it drops the series: completes the files, also those of a run that failed. */
bool run_watch_end(struct run *r, struct err *e);

/* run_report.c: what is shown and written after the launch. */
void run_report(const struct run *r, struct sb *out);
bool run_json(const struct run *r, struct sb *out, struct err *e);
/* A line's name at the left; the same with a number after it. */
void run_label(const struct run *r, struct sb *out, const char *name);
void run_count(const struct run *r, struct sb *out, const char *name, uint64_t v);
/* run_timed.c: the part of the report that only a timed run has. */
void run_timed_report(const struct run *r, const struct stats *s, struct sb *out);
/* Elements of a buffer in columns. */
void run_elements(const struct program_arg *a, size_t number, uint64_t count, const uint8_t *data, int width,
                  struct sb *out);

/* run_series.c, run_profile.c: for people and as JSON. */
void run_series(const struct run *r, struct sb *out);
json_t *run_series_json(const struct run *r);
void run_profile(const struct run *r, struct sb *out);
json_t *run_profile_json(const struct run *r);

#endif
