/* The threads of a home warp that do not run, as a list of {key, mask} sorted by key: for mechanisms that keep a PC with
 * each thread, or a sorted list of PCs with each warp, and let the lowest run (min(SP:PC), thread frontiers, SBI).
 *
 * A key is a call depth and a place in the code: the deepest call comes first, then the lowest place. What a place is
 * belongs to the mechanism: the PC, or the PC's place in an order of the blocks. Threads with one key are one entry, so
 * that running an entry runs all threads that are there. Threads that wait at a barrier are kept in a list of their
 * own.
 *
 * Beside that the threads are in *groups*: those that no divergence has parted since they last ran together. That is
 * how reconvergences are counted. */
#ifndef HEDDLE_MECH_LIB_SORTED_H
#define HEDDLE_MECH_LIB_SORTED_H

#include "mech/lib/split.h"

#define SORTED_NONE UINT64_MAX
enum { SORTED_LANES = 32, SORTED_WORDS = MECH_WIDEST / SORTED_LANES };

static inline uint64_t sorted_key(uint32_t depth, uint32_t place) {
    return (uint64_t)(UINT32_MAX - depth) << 32 | place;
}
static inline uint32_t sorted_depth(uint64_t key) {
    return UINT32_MAX - (uint32_t)(key >> 32);
}
static inline uint32_t sorted_place(uint64_t key) {
    return (uint32_t)key;
}
/* The key of the same depth at another place. */
static inline uint64_t sorted_move(uint64_t key, uint32_t place) {
    return (key & UINT64_C(0xffffffff00000000)) | place;
}

struct sorted_entry {
    uint64_t key;
    uint32_t mask[SORTED_WORDS]; /* by slot, from the home's first on */
};
struct sorted_list {
    uint32_t n, threads;
    struct sorted_entry *e; /* highest key first, no key twice: the last one is the next to run */
};

/* The lists of one home warp. */
struct sorted_home {
    uint64_t limit;                       /* lowest key that stands, SORTED_NONE without one */
    uint32_t first, words;                /* architectural warp slots */
    struct sorted_list standing, blocked; /* could run; wait at a barrier or .sync instruction */
};

struct sorted_group {
    uint64_t number, since;
};

/* The lists of one SM. */
struct sorted {
    const uint32_t *pc_at;      /* PC of a place; NULL: a place is a PC */
    bool flat;                  /* depths do not count: all are 0 */
    struct sorted_entry *entry; /* the lists' memory: two for each thread */
    struct sorted_group *group; /* by thread, slot * 32 + lane */
    uint64_t groups;            /* there were */
    uint32_t standing;          /* threads, over all homes */
};

static inline uint32_t sorted_pc(const struct sorted *q, uint64_t key) {
    return q->pc_at ? q->pc_at[sorted_place(key)] : sorted_place(key);
}
/* The depth that the keys of these threads have, which are in one place. */
static inline uint32_t sorted_depth_of(const struct mech *m, const struct sorted *q,
                                       const struct mech_set *set) {
    return q->flat ? 0 : m->env.depth(m->env.sm, set->p[0].warp, (uint32_t)__builtin_ctz(set->p[0].mask));
}
void sorted_create(const struct mech *m, struct sorted *q);
/* Starts the home warp of these threads, which run and form one group. No thread stands yet. */
void sorted_start(struct mech *m, struct sorted *q, struct sorted_home *h, uint32_t home,
                  const struct mech_set *set);

/* ---- lists ---- */
/* Lists these threads, which are in no split, as able to run. True: some stood at that key already. */
bool sorted_stand(struct sorted *q, struct sorted_home *h, const struct mech_set *set, uint64_t key);
/* Lists these threads as waiting; they will go on from `key`. */
void sorted_block(struct sorted_home *h, const struct mech_set *set, uint64_t key);
/* Moves the threads at the limit out of the standing list; the next key is the new limit. At least one thread must
 * stand. */
void sorted_take(struct sorted *q, struct sorted_home *h, struct mech_set *out);
/* True if threads stand at the key. */
static inline bool sorted_holds(const struct sorted_home *h, uint64_t key) {
    uint32_t k = h->standing.n;
    if (key < h->limit) return false;
    while (k && h->standing.e[k - 1].key < key) k--;
    return k && h->standing.e[k - 1].key == key;
}
/* Moves the threads at `key` from the standing list to `out`. False: there are none. */
bool sorted_take_at(struct sorted *q, struct sorted_home *h, uint64_t key, struct mech_set *out);
/* True if threads stand at key's place in shallower calls. None stands at key itself. */
static inline bool sorted_above(const struct sorted_home *h, uint64_t key) {
    const struct sorted_list *l = &h->standing;
    /* The first entry is the shallowest: mostly there is one depth. */
    if (!l->n || sorted_depth(l->e[0].key) == sorted_depth(key)) return false;
    for (uint32_t k = 0; k < l->n; k++)
        if (sorted_place(l->e[k].key) == sorted_place(key)) return true;
    return false;
}
/* Moves the threads at key's place in shallower calls from the standing list to `out`. Returns the depth of the
 * shallowest of them, or that of key if there are none. */
uint32_t sorted_take_above(struct sorted *q, struct sorted_home *h, uint64_t key, struct mech_set *out);
/* Moves the threads of one depth, which is returned, from `left` to `out`. */
uint32_t sorted_take_depth(const struct mech *m, const struct sorted *q, struct mech_set *left,
                           struct mech_set *out);
/* Lanes of one slot, all of which wait, stand: at this place, each at the depth at which it waited. */
void sorted_unblock(struct sorted *q, struct sorted_home *h, uint32_t warp, uint32_t mask, uint32_t place);

/* ---- groups ---- */
/* A group of its own from now on. */
void sorted_part(struct mech *m, struct sorted *q, const struct mech_set *set);
/* Notes that these threads run together now, at pc. All groups they belong to, but the one parted last, come to an end;
 * returns how many do. */
uint32_t sorted_meet(struct mech *m, struct sorted *q, const struct mech_set *set, uint32_t pc);
/* A divergence: each side is a group. */
void sorted_diverge(struct mech *m, struct sorted *q, const struct mech_outcome *o);

/* ---- for people ---- */
/* The threads of an entry, as a set. */
void sorted_set(const struct sorted_home *h, const struct sorted_entry *e, struct mech_set *out);
/* Where those of both lists are. */
void sorted_places(const struct sorted *q, const struct sorted_home *h, mech_place_fn *put, void *user);
/* "warp 0: depth 0 pc 5 running, ready w0:0000000f"; s NULL: they are in no split. */
void sorted_print(const struct sorted *q, uint32_t home, uint64_t key, const struct mech_set *set,
                  const char *what, const struct mech_split *s, struct sb *out);
/* A line for each entry of both lists, lowest first. */
void sorted_state(const struct sorted *q, const struct sorted_home *h, uint32_t home, struct sb *out);
/* Panics unless these threads, and those of the lists, are at the depths that their keys say. */
void sorted_audit_depth(const struct mech *m, const struct sorted *q, const struct mech_set *set,
                        uint64_t key);
void sorted_audit_depths(const struct mech *m, const struct sorted *q, const struct sorted_home *h);
/* Panics unless both lists are in order, their entries disjoint and without threads of `seen`, to which they are added, and
 * the limit is exact. Returns how many stand. */
uint32_t sorted_audit(const struct sorted_home *h, uint32_t *seen);
/* Marks lanes as seen, which they were not. */
void sorted_see(uint32_t *seen, uint32_t mask);

#endif
