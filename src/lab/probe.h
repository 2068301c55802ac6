/* Micro-benchmarks of a machine: what one operation, access or transfer takes, measured as on hardware, by kernels that do little
 * else; and what was published of the hardware that a configuration models. */
#ifndef HEDDLE_LAB_PROBE_H
#define HEDDLE_LAB_PROBE_H

#include <heddle.h>

#include "base/err.h"

/* How a probe is measured (probe.c); the letters `$` of its text become numbers of registers. */
enum probe_kind {
    PROBE_CHAIN,    /* cycles from an operation to one that needs its result */
    PROBE_RATE,     /* thread operations a cycle of an SM full of threads */
    PROBE_CHASE,    /* cycles of a load whose address is the load's before, in a ring of a certain size */
    PROBE_CONSTANT, /* cycles of such a load in constant memory */
    PROBE_BANKS,    /* cycles of an SM for a warp's shared load in which so many threads want each bank */
    PROBE_STREAM,   /* bytes a cycle of the core that all SMs read, or an SM */
    PROBE_RESIDENT, /* threads that fit on an SM */
};
/* Where the words of a chase or stream are found. */
enum probe_level { PROBE_L1, PROBE_L2, PROBE_DRAM, PROBE_SHARED, PROBE_LEVELS };

struct probe {
    const char *name, *unit, *what;
    enum probe_kind kind;
    const char *text; /* one operation */
    /* Threads of a chain, an enum probe_level, threads a bank, or the constant level, from 1. */
    uint32_t parameter;
};
/* Rows of probes.def; the last has no name. */
extern const struct probe probe_list[];
const struct probe *probe_find(const char *name, struct err *e); /* NULL: e has the nearest */

/* Measures it on the machine, which must be a timed one. ERR_REFUSED: the machine has no such part. */
bool probe_run(const struct probe *p, const hd_config *machine, double *value, struct err *e);

/* What was published of the hardware: within so many per cent of it a machine passes. 0: for the record; both are printed, and why
 * they differ. */
struct published {
    const char *config, *probe;
    double value, percent;
    const char *source, *note; /* note: NULL, or why ours differs */
};
extern const struct published published_list[]; /* rows of published.def; the last has no config */
const struct published *published_find(const char *config, const char *probe); /* NULL: none */
bool published_holds(const struct published *p, double ours);

#endif
