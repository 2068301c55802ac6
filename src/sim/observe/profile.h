/* Profile: where the lane slots of the launches so far went, by branch, PTX line, source line and function.
 *
 * All slots are those of schedulers x cycles x lanes of a SIMD group: lane slots of issues (sm/slots.c) and, a group's width
 * each, scheduler cycles without an issue (sm/waits.c). Of a line there are two sides to it. What it suffers: slots of its
 * own issues without an active thread, and of waits for it. What it causes: slots lost anywhere because threads parted there
 * (sm/charge.c). Both are given for the line itself and with calls: a call then has what the functions called there suffer
 * and cause, once, however deep they recurse. */
#ifndef HEDDLE_SIM_OBSERVE_PROFILE_H
#define HEDDLE_SIM_OBSERVE_PROFILE_H

#include "base/alloc.h"
#include "ir/program.h"
#include "sm/sm.h"

/* In lane slots. */
struct profile_cost {
    uint64_t lanes[SM_LANE_KINDS]; /* of its issues */
    uint64_t waits[SM_WAITS];      /* of cycles without an issue, in which it was waited for, by reason */
    uint64_t parted,
        exited;    /* caused: of threads that parted here, elsewhere; of those of them that have exited */
    uint64_t held; /* caused: of cycles without an issue, most threads waiting for some that parted here */
};
uint64_t profile_waits(const struct profile_cost *c);   /* those for whatever reason */
uint64_t profile_slots(const struct profile_cost *c);   /* all of its issues and waits */
uint64_t profile_suffers(const struct profile_cost *c); /* those without an active thread */
uint64_t profile_causes(const struct profile_cost *c);

struct profile_row {
    uint32_t pc; /* the first, of a row that has several */
    const char *func;
    uint32_t line;                  /* of the PTX text */
    const char *file;               /* source, or NULL */
    uint32_t source_line;           /* 0: none */
    struct sm_branch count;         /* of all its instructions */
    struct profile_cost own, calls; /* of the instructions themselves; and of all they call */
};
struct profile_rows {
    struct profile_row *v;
    size_t n, cap;
};

struct profile {
    uint64_t slots;                /* all */
    uint64_t lanes[SM_LANE_KINDS]; /* of issues; with waits, they add up to slots */
    uint64_t waits[SM_WAITS];
    /* Branches that depend on a condition and were executed, and whatever else threads parted at: what causes most first,
     * then the most executions, then by PC. */
    struct profile_rows branches;
    /* In order of PC; what was never executed is left out. Instructions of a file to which the compiler gave no line are one
     * row of `source`, line 0. */
    struct profile_rows ptx, source, functions;
};

/* by_pc: counters of the launches; account: NULL: nothing was charged. */
void profile_make(struct profile *p, const struct ir_module *m, const struct sm_branch *by_pc,
                  const struct sm_account *account);
void profile_free(struct profile *p);

#endif
