/* Several machines that differ in their mechanism: what --mech NAME,...|all asks for, on one --config with one set of --set. */
#ifndef HEDDLE_SUBJECT_MACHINES_H
#define HEDDLE_SUBJECT_MACHINES_H

#include "lab/run/compare.h"
#include "subject/machine.h"

struct machines {
    VEC(struct machine) settings;
    VEC(struct lab_machine) v; /* named by what --mech says */
    struct arena mem;          /* the names */
};

/* Timed machines, in the order of --mech; all of 'heddle list mechanisms' without it. Release with machines_free in either
 * case. */
bool machines_read(struct machines *m, const struct opts *o, struct err *e);
/* Reads one timed machine; without --mech, with the mechanism of the configuration. */
bool machines_read_one(struct machines *m, const struct opts *o, struct err *e);
void machines_sample(struct machines *m, const struct opts *o); /* --sample */
/* --threads, and without it as many as the host has cores: for one that runs alone. */
bool machines_threads(struct machines *m, const struct opts *o, struct err *e);
bool machines_limit(struct machines *m, const struct opts *o, struct err *e); /* --max-insts */
/* Their options, by opening a device with each. */
bool machines_check(const struct machines *m, struct err *e);
void machines_free(struct machines *m);

#endif
