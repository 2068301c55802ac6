/* Experiments: one response, measured for every program on every machine of a list. What is varied from machine to machine is
 * the business of designs (lab/factors.h); here it is a list of settings. */
#ifndef HEDDLE_LAB_EXPERIMENT_H
#define HEDDLE_LAB_EXPERIMENT_H

#include "lab/store/pivot.h"
#include "lab/sweep/run.h"

/* What is measured. */
struct response {
    const char *stat;        /* a statistic, with its section or without */
    const char *mech;        /* under which mechanism: "NAME" or "NAME:KEY=VALUE:..." */
    const char *relative_to; /* another mechanism, whose statistic divides; NULL: none */
    enum pivot_mean mean;    /* over programs */
};

struct experiment_machine {
    const hd_option *settings; /* on top of those of all */
    size_t nsettings;
};

struct experiment {
    struct response response;
    const char *config;        /* name or file; NULL: the default machine */
    const hd_option *settings; /* settings of all machines */
    size_t nsettings;
    const struct lab_subject *subjects;
    size_t nsubjects;
    const struct experiment_machine *machines;
    size_t nmachines;
    struct lab_sweep sweep; /* its store, jobs, tick and user are for the caller to fill */
    /* Filled by experiment_plan. */
    VEC(struct lab_point) points; /* [machine][subject][mech, relative_to] */
    const char *stat;             /* the statistic's whole name */
    /* Filled by experiment_run. */
    double *value;         /* [machine][subject], where the subject counts */
    const char **left_out; /* by subject: why it does not count, NULL: it does */
    size_t counted;        /* subjects */
    size_t wrong;          /* runs whose results are not the CPU's */
    double *mean;          /* by machine, over subjects that count */
    struct arena mem;
};

/* Works all points out: whatever does not exist or does not fit together is told here, before anything runs. */
bool experiment_plan(struct experiment *x, struct err *e);
/* Runs what the store does not have. A program that has no response on one of the machines counts on none. False: the store
 * does not work, the sweep was stopped (sweep.stopped), or no program is left, or the mean does not exist. */
bool experiment_run(struct experiment *x, struct err *e);
/* In either case, and after a plan alone. */
void experiment_free(struct experiment *x);

double experiment_value(const struct experiment *x, size_t machine, size_t subject);
/* "gpu.ipc of harp over that of pdom" */
void experiment_response_name(const struct experiment *x, struct sb *out);

#endif
