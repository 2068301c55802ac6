/* The splits of one SM: a pool, which thread is in which split, and where threads are at home.
 *
 * Thread t of a block (t = architectural warp in the block * 32 + lane) belongs for life to machine warp t / W, lane
 * t % W. A machine warp narrower than 32 is a part of one architectural warp, a wider one several in consecutive slots.
 * It is named by a number that is unique on the SM: for W <= 32 the place of its first thread divided by W, for wider
 * ones the slot of its first architectural warp. */
#ifndef HEDDLE_MECH_LIB_SPLIT_H
#define HEDDLE_MECH_LIB_SPLIT_H

#include "base/bitmap.h"
#include "base/bits.h"
#include "mech/mech.h"

#define SPLIT_NONE 0xffffffffu
enum { SPLIT_CHUNK = 32 };

struct split_pool {
    uint32_t cap, alive, warp_size, schedulers;
    bool whole_blocks;   /* to schedulers, not single warps */
    uint32_t first_free; /* no free slot below */
    uint32_t high;       /* no slot at or above it was ever used */
    uint64_t stamp;      /* age of the next split */
    uint32_t pieces;     /* most that a split has */
    uint32_t stride;     /* bytes from one split to the next: only those pieces have room */
    struct pages *pages;
    unsigned char **chunk; /* of splits; made as needed, kept until the end */
    uint64_t *used;        /* a bit per slot */
    uint32_t slots;        /* architectural warp slots */
    uint32_t *holder;      /* split of thread slot * 32 + lane, or SPLIT_NONE */
    uint32_t *present;     /* per slot: threads that were launched and whose exit was not committed yet */
    uint32_t *first;       /* per slot: slot of the first architectural warp of its machine warp */
};

/* pieces: most that a split will have. What lies beyond them in a split's set is not there. Lives as long as env->pages. */
struct split_pool *split_pool_new(const struct mech_env *env, uint32_t pieces);

/* ---- splits ---- */
/* A new one without threads: the lowest free slot, the youngest age. */
struct mech_split *split_new(struct mech *m, uint32_t sched, uint32_t pc);
/* Takes it out of the order; its threads belong to no split any more. */
void split_free(struct mech *m, struct mech_split *s);
/* There is one. */
static inline struct mech_split *split_known(const struct split_pool *p, uint32_t id) {
    return (struct mech_split *)(void *)(p->chunk[id / SPLIT_CHUNK] + id % SPLIT_CHUNK * (size_t)p->stride);
}
/* NULL: no split there. */
static inline struct mech_split *split_at(const struct split_pool *p, uint32_t id) {
    return bitmap_has(p->used, id) ? split_known(p, id) : NULL;
}
static inline struct mech_split *split_of(const struct split_pool *p, uint32_t warp, uint32_t lane) {
    const uint32_t id = p->holder[warp * 32 + lane];
    return id == SPLIT_NONE ? NULL : split_at(p, id);
}
/* Makes s the split of these threads, wherever they were, without touching s->set. */
void split_bind(struct split_pool *p, const struct mech_split *s, const struct mech_set *set);
/* Notes that these threads are in no split. */
void split_unbind(struct split_pool *p, const struct mech_set *set);
/* s->set := set, threads counted and bound. */
void split_assign(struct split_pool *p, struct mech_split *s, const struct mech_set *set);
/* Each becomes the split of the other's threads. */
void split_exchange(struct split_pool *p, struct mech_split *s, struct mech_split *t);
/* Takes `part`, a proper subset, out of s into a new split at the same PC with the same own[]. */
struct mech_split *split_divide(struct mech *m, struct mech_split *s, const struct mech_set *part);
/* Threads of `from` join `into`; `from` is freed. */
void split_merge(struct mech *m, struct mech_split *into, struct mech_split *from);
/* Takes from `left`, which is not empty, the threads that are in one split with its first, and returns that split: `part`. */
struct mech_split *split_first_of(const struct split_pool *p, struct mech_set *left, struct mech_set *part);
/* For mechanisms that park a split whose threads wait: takes from `left` the threads that were parked together with its
 * first and returns a split of exactly those; NULL: none left. */
struct mech_split *split_released(struct mech *m, struct mech_set *left);
/* Threads whose exit is committed leave: s (NULL: none) and the books. */
void split_exit(struct split_pool *p, struct mech_split *s, const struct mech_set *gone);
/* For each live split s, in slot order. */
#define FOR_SPLITS(s, p)                                    \
    for (uint32_t s##_id = 0; s##_id < (p)->high; s##_id++) \
        for (struct mech_split *s = split_at((p), s##_id); s; s = NULL)

/* ---- homes ---- */
struct split_home {
    uint32_t id; /* below split_homes() */
    uint32_t sched;
    struct mech_set set; /* its threads that exist */
};
uint32_t split_homes(const struct mech_env *env); /* how many there can be */
/* The k-th machine warp of a block that arrives, k from 0; false: no more. */
bool split_home_at(const struct split_pool *p, const struct mech_block *b, uint32_t k,
                   struct split_home *out);
uint32_t split_home_of(const struct split_pool *p, uint32_t warp, uint32_t lane);
/* Counts up over the home warps of a scheduler, so that what is interleaved by it is used evenly. */
uint32_t split_rank(const struct split_pool *p, uint32_t home);
uint32_t split_lane_of(const struct split_pool *p, uint32_t warp, uint32_t lane); /* 0 .. W - 1 */
/* A block's threads are there: present, at home, in no split. */
void split_launch(struct split_pool *p, const struct mech_block *b);

/* Lanes of a slot, in parts that have one home each: takes the first part out of *left. */
static inline uint32_t split_next_part(const struct split_pool *p, uint32_t *left) {
    const uint32_t part = *left & lanes_beside((uint32_t)__builtin_ctz(*left), p->warp_size);
    *left &= ~part;
    return part;
}

/* ---- shared by mechanisms ---- */
/* The threads of s, or those of it that go on, do so at pc: whatever the mechanism does with a split that may run. */
typedef void split_go_fn(struct mech *m, struct mech_split *s, uint32_t pc);
/* A commit for mechanisms that let all go their own ways. Who exits leaves, those that wait are parked (in no order) as a
 * split of their own at the next instruction, and `go` is given a split for each side, that of the lowest PC last, which
 * keeps s and its age. */
void split_part(struct mech *m, struct mech_split *s, const struct mech_outcome *o, split_go_fn *go);
/* For mechanisms whose places are a PC and a call depth: divides s, whose threads all go on, into a split for each, with its
 * PC and with its call depth in own[depth]. That of the highest PC is out[0], s itself the last. How many: up to
 * MECH_SIDES. */
uint32_t split_sides(struct mech *m, struct mech_split *s, const struct mech_outcome *o, uint32_t depth,
                     struct mech_split **out);
/* Released threads: each split that was parked, or a new one of those of it that are released, is schedulable at pc. */
void split_release(struct mech *m, const struct mech_set *set, uint32_t pc);
/* Takes the threads of left's first home warp out of it; one split of just these, wherever they were parked. */
struct mech_split *split_gather_home(struct mech *m, struct mech_set *left);
/* Counts and reports a divergence into so many sides. */
void split_diverged(struct mech *m, uint32_t sides);
/* Counts and reports that threads that had parted meet again, at pc. */
void split_reconverged(struct mech *m, uint32_t pc);
/* Counts the splits alive; to be called for every packet that issues. */
static inline void split_sample(struct mech *m) {
    m->stats.splits_sum += m->pool->alive;
    m->stats.splits_samples++;
}
/* Makes the packet s alone, and counts it. */
void split_issue(struct mech *m, struct mech_packet *p, struct mech_split *s);
/* Panics unless the splits' sets are disjoint, bound, and together exactly the threads present (whole: no thread is
 * anywhere else), and unless who is present is live; threads in flight may have exited already. */
void split_audit(const struct mech *m, bool whole);
/* "split 3 sched 0 pc 17 ready w0:0000000f" */
void split_print(const struct mech_split *s, struct sb *out);
void split_state(const struct mech *m, struct sb *out); /* a line for each split */
/* "pc 17 ", and "pc - " for IR_NOPC: a field of a mechanism's table. */
void split_print_pc(struct sb *out, const char *name, uint32_t pc);

#endif
