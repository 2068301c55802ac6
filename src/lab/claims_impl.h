/* Claims at work: what the files claims*.c share. */
#ifndef HEDDLE_LAB_CLAIMS_IMPL_H
#define HEDDLE_LAB_CLAIMS_IMPL_H

#include <stdatomic.h>

#include "lab/claims.h"
#include "lab/sweep/run.h"

struct claims_study {
    struct claim_value *value;
    const char *config;
    const struct table1_scheme *scheme; /* scheme of a grid; NULL: the study is of a workload */
    enum claim_kind kind;               /* reconvergence or instructions */
    bool fine;
    double result;
    struct err err;
};

struct claims_work {
    struct claims *c;
    VEC(struct lab_point) points;
    size_t *first; /* point of each claim */
    struct lab_sweep sweep;
    VEC(struct claims_study) studies;
    atomic_bool stop; /* the studies */
};

/* The point of a claim's workload on one of its machines. */
size_t claims_point(const struct claims_work *w, size_t claim, size_t workload, int machine);
/* A statistic there; false: the workload's value says why not. */
bool claims_stat(struct claims_work *w, size_t claim, size_t workload, int machine, const char *name,
                 double *value);

/* Tells how far it came; false: stop. */
bool claims_tick(struct claims *c, const struct lab_progress *p);
bool claims_stopped(struct err *e);

/* claims_study.c: claims that are made by runs of a study of their own; and these runs. */
bool claims_is_study(const struct claim *c);
bool claims_studies(struct claims_work *w, struct err *e);
/* claims_table.c: settings that a configuration has at size small, on top of itself. */
const char *claims_smaller(const char *config);
/* Where programs are machine code; and the build of the first of some names, NULL: there is none. */
const char *claims_machine_code(const char *config);
const struct workload *claims_workload(const char *names, enum work_isa isa);
/* claims_area.c: the number of an AREA, which takes no run. */
double claims_area(const struct claim *c);

/* claims_effect.c: the number of an EFFECT or a RANK, by a / b in each of the runs. */
double claims_effect(const struct claim *c, const double response[CLAIM_RUNS]);

/* claims_why.c: the sentences of a claim's note. */
void claims_explain(struct claims_work *w, size_t claim);

#endif
