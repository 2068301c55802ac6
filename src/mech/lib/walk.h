/* A control unit for each home warp that has a place of its own in the code: for mechanisms whose threads keep their PCs and
 * run when the unit comes to where they are (thread frontiers, Lorie & Strong, Takahashi). One split stands for the unit. It has the threads
 * that are where the unit is, perhaps none: then it is issued without any. The other threads of the warp are in sorted
 * lists (mech/lib/sorted.h). Where the unit goes next is for the mechanism to say. */
#ifndef HEDDLE_MECH_LIB_WALK_H
#define HEDDLE_MECH_LIB_WALK_H

#include "mech/lib/sorted.h"

struct walk_home {
    struct mech_split *run; /* exists as long as a thread lives; in no order while no thread can run */
    uint64_t key;           /* where the unit is */
    struct sorted_home list;
};

struct walk {
    struct sorted sorted;
    struct walk_home *home;
    const uint32_t *place; /* of a PC; NULL: a place is a PC */
};

/* By launch: functions in the order of the text, and the blocks of each in that of their priorities. */
struct walk_order {
    const uint32_t *place, *pc_at; /* of a PC, and back */
};
const struct walk_order *walk_by_priority(const struct mech_program *p, struct arena *mem);

enum { WALK_HOME }; /* split.own */

static inline struct walk_home *walk_home_of(const struct walk *w, const struct mech_split *s) {
    return &w->home[s->own[WALK_HOME]];
}

static inline uint32_t walk_place(const struct walk *w, uint32_t pc) {
    return w->place ? w->place[pc] : pc;
}

/* place and its inverse, pc_at, are the mechanism's; NULL: the order is that of the text. */
void walk_create(const struct mech *m, struct walk *w, const uint32_t *place, const uint32_t *pc_at);
/* The unit is at s->pc, with all threads of the warp. */
void walk_start(struct mech *m, struct walk *w, struct mech_split *s, uint32_t home);
/* The unit's threads stand or wait where the outcome says, or are gone; it has none now and is in no order. Returns how many
 * entries that made of threads that stand. */
uint32_t walk_scatter(struct mech *m, struct walk *w, struct walk_home *h, const struct mech_outcome *o);
/* Does what walk_scatter does for a unit that has not been issued: its threads stand where they are. */
void walk_stop(struct mech *m, struct walk *w, struct walk_home *h);
/* The unit, which has no threads, goes to `key` and gets those that stand there, if any do. Returns how many groups met. */
uint32_t walk_to(struct mech *m, struct walk *w, struct walk_home *h, uint64_t key);
/* Parks the unit, which has no threads while none stands. It waits for blocked threads, and ends with the last thread. */
void walk_rest(struct mech *m, struct walk_home *h);
/* Released threads stand; then `arrived` is called for each of their homes, once for each part of an architectural warp. */
void walk_release(struct mech *m, struct walk *w, const struct mech_set *set, uint32_t pc,
                  void (*arrived)(struct mech *m, struct walk_home *h));

/* ---- for people: slots of a mechanism whose `self` begins with its walk ---- */
void walk_census(const struct mech *m, struct mech_census *c);
void walk_places(const struct mech *m, mech_place_fn *put, void *user);
void walk_state(const struct mech *m, struct sb *out);
/* Panics unless every thread is in one place, the unit's threads are where it is and, with `first`, none stands there or
 * before. */
void walk_audit(const struct mech *m, const struct walk *w, bool first);

#endif
