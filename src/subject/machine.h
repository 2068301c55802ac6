/* The machine a command line describes: --config, --set and a mechanism, shared by the commands that simulate. */
#ifndef HEDDLE_SUBJECT_MACHINE_H
#define HEDDLE_SUBJECT_MACHINE_H

#include <heddle.h>

#include "base/alloc.h"
#include "cli/opts.h"

struct cli;
struct machine {
    VEC(hd_option) settings; /* in this order: later ones win */
    const char *config;      /* name or file; NULL: the default machine */
    struct arena mem;        /* keys and values of settings */
};

/* A configuration (name or file; NULL: none) and every --set. Release with machine_free in either case. */
bool machine_read(struct machine *m, const char *config, const struct opts *o, struct err *e);
/* How kernels run, and under which mechanism: "NAME" or "NAME:KEY=VALUE:..."; NULL: as the options say. */
bool machine_choose(struct machine *m, bool functional, const char *mech, struct err *e);
void machine_set(struct machine *m, const char *key, const char *value); /* after all others: it wins */
/* --sample. */
void machine_sample(struct machine *m, const struct opts *o);
/* --threads; neither that nor a setting of run.threads: as many as the host has cores. */
bool machine_threads(struct machine *m, const struct opts *o, struct err *e);
/* --max-insts, of every launch. */
bool machine_limit(struct machine *m, const struct opts *o, struct err *e);
/* Warns of every --set of a parameter of a mechanism that is not among mechs, "NAME[:KEY=VALUE]...,...", none of which is
 * used then; mechs NULL: a run without time, which has no mechanism at all. */
void machine_warn_unused(const struct cli *c, const struct opts *o, const char *mechs);
/* Valid as long as the machine is neither changed nor released. */
hd_config machine_config(const struct machine *m);
void machine_free(struct machine *m);

#endif
