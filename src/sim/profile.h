/* Profile: what each branch of a module cost over the timed launches so far, with its lines. */
#ifndef HEDDLE_SIM_PROFILE_H
#define HEDDLE_SIM_PROFILE_H

#include "base/alloc.h"
#include "ir/program.h"
#include "sm/sm.h"

struct profile_row {
    uint32_t pc;
    const char *func;
    uint32_t line;        /* of the PTX text */
    const char *file;     /* source, or NULL */
    uint32_t source_line; /* 0: none */
    struct sm_branch count;
};

/* Branches that depend on a condition, and whatever else diverged, where executed; the most lanes lost first, then the most executions, then by PC. */
struct profile {
    VEC(struct profile_row) rows;
};

void profile_make(struct profile *p, const struct ir_module *m, const struct sm_branch *by_pc);
void profile_free(struct profile *p);

#endif
