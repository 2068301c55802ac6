/* Forward progress: what becomes of a litmus kernel on a machine. */
#ifndef HEDDLE_LAB_LITMUS_H
#define HEDDLE_LAB_LITMUS_H

#include "lab/run/program.h"
#include "workloads/litmus/litmus.h"

/* Words of docs/progress.md, which has their meaning. */
enum litmus_end {
    LITMUS_ENDS,     /* with the memory it must leave */
    LITMUS_DEADLOCK, /* found to be of the mechanism's making: with every thread on its own it ends */
    LITMUS_REFUSED,
    LITMUS_GOES_ON, /* a bound on cycles came before an end or a proof that there is none */
    LITMUS_NO_END,  /* a deadlock whose cause the watchdog does not know, or finds in the program */
    LITMUS_WRONG,   /* it ended, and memory is not what it must be */
    LITMUS_FAILED   /* any other error */
};
extern const char *const litmus_end_names[]; /* "ends", "deadlock", ... */

struct litmus_cell {
    enum litmus_end end;
    uint64_t cycles; /* until then */
    struct err err;  /* the reason, but of ENDS */
};

/* The kernel of that name; NULL: e has the nearest. */
const struct litmus *litmus_find(const char *name, struct err *e);
/* Runs it on a timed machine. The machine should have a bound, gpu.max_cycles: about some loops nothing can be proved. Release
 * err. */
void litmus_run(const struct litmus *l, const hd_config *machine, struct litmus_cell *out);

#endif
