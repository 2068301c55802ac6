/* One `heddle sweep`: the axes the command line spans, the points on them, and what became of them. Shared by sweep*.c. */
#ifndef HEDDLE_CLI_SWEEP_H
#define HEDDLE_CLI_SWEEP_H

#include "cli/stop.h"
#include "lab/sweep.h"

/* An option and the values it takes in turn. */
struct sweep_axis {
    const char *key;
    VEC(const char *) values;
};

struct sweep {
    struct cli *cli;
    const char *db;
    bool quiet, dry_run;
    VEC(const struct workload *) workloads;
    VEC(enum work_size) sizes;
    VEC(const char *) configs, mechs; /* NULL: the default machine, the configuration's mechanism */
    VEC(struct sweep_axis) axes;
    VEC(struct lab_point) points;
    struct lab_sweep lab;
    struct progress progress;
    struct stop stop;
    struct arena mem;
};

/* sweep_axes.c: the options that say which points there are. */
bool sweep_axes(struct sweep *s, const struct opts *o, struct err *e);
void sweep_axes_free(struct sweep *s);

/* sweep_report.c */
void sweep_list(const struct sweep *s, struct sb *out); /* --dry-run */
/* The line at the end, and on standard error what is wrong with which point. */
enum cli_exit sweep_report(const struct sweep *s, struct sb *out);

#endif
