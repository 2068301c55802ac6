/* One `heddle report`: what the command line asked for, a run for each mechanism, and the tree that the page draws. Shared
 * by the files report*.c; docs/report.md says what the page shows. */
#ifndef HEDDLE_CLI_CMD_REPORT_REPORT_H
#define HEDDLE_CLI_CMD_REPORT_REPORT_H

#include <jansson.h>
#include <stdatomic.h>

#include "cli/outfile.h"
#include "cli/outputs.h"
#include "sim/sim.h"
#include "subject/machines.h"
#include "subject/subject.h"

struct report;

/* What the page says it is of, where that is not the file. */
struct report_origin {
    const char *title, *file; /* file: what it is part of, beside which sources are looked for */
    const struct opts *opts;  /* options of the command that was given */
};

/* A launch that ended. */
struct report_launch {
    uint32_t kernel; /* place of the kernel among the run's */
    hd_launch shape;
    struct stats stats;
};
struct report_kernel {
    const char *name;
    uint32_t registers, shared_bytes;
    struct sm_limit limit[SM_LIMITS]; /* limits of its first launch */
};

/* The program under one mechanism. */
struct report_run {
    const struct report *report;
    const char *name; /* as --mech has it */
    hd_device *dev;
    VEC(struct report_kernel) kernels; /* in the order of their first launches */
    VEC(struct report_launch) launches;
    struct lab_outcome out;
    json_t *data;              /* NULL: it did not end */
    atomic_uint_fast32_t done; /* launches that have ended, for the progress line */
    struct arena mem;
};

struct report {
    struct cli *cli;
    const struct opts *opts;
    const struct report_origin *origin; /* NULL: the file itself */
    struct subject subject;
    struct machines machines;
    struct machine functional; /* to look at the program with */
    const char *html, *json;   /* files; json NULL: not wanted */
    uint64_t sm;               /* the one that is looked at closely */
    bool quiet;
    unsigned jobs;
    struct report_run *runs;
    size_t nruns;
    struct progress progress;
};

/* report.c: the command, for another one. o: its own options. */
enum cli_exit report_of(struct cli *cli, const struct opts *o, const struct report_origin *origin);
/* How much each of the runs may put into the page. */
struct report_budget {
    uint32_t bins, windows, issues, samples;
};
struct report_budget report_budget(size_t runs, uint64_t rows);

/* run.c: what a run leaves, while its device is still there. */
json_t *report_run_json(const struct report_run *run, const hd_module *mod);
/* A cost as numbers of kinds and slots, in turn, without those that are 0: lane kinds, waits, then what it causes: threads
 * parted, exited, waits. */
json_t *report_cost(const struct profile_cost *c);

/* time.c: series and lanes over time of a run. */
json_t *report_series(const hd_device *dev);
json_t *report_density(const struct density *d, uint32_t width, uint32_t warp, uint32_t schedulers,
                       size_t insts);
/* One cell: a letter for threads of an issue, 0 to 63 of 63 of full; one for issues of peak (per bin), 0: none, else
 * 63 + 4 log2 of the share, at least 1; then two or three for the PC, all in the 64 letters of base64. */
void report_cell(const struct density_cell *c, uint64_t full, uint64_t peak, int letters, struct sb *out);

/* code.c: the program: its text, sources, functions and blocks; of functions that the runs say they executed. */
json_t *report_code(const struct report *r, const hd_module *mod);
/* The lines that `wanted` has, by number from 1, in pieces: [{"first", "text"}]. */
json_t *report_text(const char *text, const bool *wanted, uint32_t lines);
uint32_t report_lines(const char *text);

/* tree.c: adds the readable name of a kernel or function as "title" of o; its "name" stays the one of the PTX. */
void report_title(const char *name, json_t *o);
/* tree.c: everything together. */
json_t *report_tree(const struct report *r, const hd_device *dev, const hd_module *mod);

#endif
