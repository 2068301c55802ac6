/* A home warp that is one instruction stream: one PC and one mask of running threads, the others wait in tables of the mechanism.
 * The warp has one split for life. All its threads are bound to that split, whether they run or not, so that whatever happens to
 * one wakes it. A running thread that waits at a barrier holds the others that run: they go on together. */
#ifndef HEDDLE_MECH_LIB_SINGLE_H
#define HEDDLE_MECH_LIB_SINGLE_H

#include "mech/lib/mask.h"
#include "mech/lib/split.h"

struct single {
    uint32_t first;      /* slot of its first architectural warp: of its masks */
    struct mask waiting; /* running threads at a barrier */
    uint32_t threads;    /* that live */
    uint32_t inactive;   /* of them, on another path; all others that do not run have arrived somewhere */
    uint32_t barred;     /* but for these, which wait at a barrier and let others run */
};
struct single_sums { /* of all homes: the census */
    uint32_t inactive, joining;
};
enum { SINGLE_HOME }; /* split.own */

/* s has all threads of the warp. */
void single_start(struct single *h, struct mech_split *s, uint32_t home);
/* Makes these threads, perhaps none, the ones that run. */
void single_run(const struct single *h, struct mech_split *s, const struct mask *mask);
/* Threads exited: the split and the books are without them. */
void single_exit(struct mech *m, struct single *h, struct mech_split *s, const struct mech_set *gone);
/* Some of the running threads wait: the split is in no order, at the PC where all of them go on. */
void single_wait(struct mech *m, struct single *h, struct mech_split *s, const struct mech_outcome *o);
/* Released threads, home by home; `go` is called for each home of which none waits any more. home_of: of a split. */
void single_release(struct mech *m, const struct mech_set *set, uint32_t pc,
                    struct single *(*home_of)(struct mech *m, const struct mech_split *s),
                    void (*go)(struct mech *m, struct mech_split *s));
/* Around a change of who runs and who is `inactive`: out of the sums, into them. */
void single_uncount(struct single_sums *t, const struct single *h, const struct mech_split *s);
void single_count(struct single_sums *t, const struct single *h, const struct mech_split *s);

/* ---- for people ---- */
void single_places(const struct single *h, const struct mask *mask, uint32_t pc, mech_place_fn *put,
                   void *user);
/* "warp 0: split ..." and whom a barrier holds. */
void single_print(const struct single *h, const struct mech_split *s, struct sb *out);
void single_print_mask(const struct single *h, const struct mask *mask, struct sb *out);
/* Panics unless the running threads and `held`, which is all in its tables, are the warp's threads, and who waits is there. */
void single_audit(const struct mech *m, const struct single *h, const struct mech_split *s,
                  const struct mask *held);

#endif
