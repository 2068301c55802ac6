/* A reconvergence stack per warp: what pdom is, and what a mechanism that changes only how such a warp issues (large warps)
 * has in common with it. Its self begins with a struct pdom, which pdom_create fills in. */
#ifndef HEDDLE_MECH_PDOM_H
#define HEDDLE_MECH_PDOM_H

#include "mech/lib/stack.h"

struct pdom {
    uint32_t words;
    enum stack_side side;       /* that runs first */
    struct stack *stack;        /* by home warp */
    uint32_t inactive, joining; /* over all stacks */
};

/* Elements of split.own behind pdom's own: KNOWN and FREE are for mechanisms that build on pdom. PDOM_KNOWN becomes 0
 * when the split's threads change. */
enum { PDOM_KNOWN = 2, PDOM_FREE = 3 };

/* Slots of mech_ops. A split of these has one home warp for life. */
void pdom_create(struct mech *m, enum stack_side side);
void pdom_start(struct mech *m, struct mech_split *s, uint32_t home);
bool pdom_advance(struct mech *m, struct mech_split *s, uint32_t to);
void pdom_commit(struct mech *m, struct mech_split *s, const struct mech_outcome *o);
void pdom_release(struct mech *m, const struct mech_set *set, uint32_t pc);
void pdom_census(const struct mech *m, struct mech_census *c);
void pdom_places(const struct mech *m, mech_place_fn *put, void *user);
void pdom_state(const struct mech *m, struct sb *out);
void pdom_storage(const struct mech *m, struct mech_storage *out); /* the stacks */
void pdom_audit(const struct mech *m);

#endif
