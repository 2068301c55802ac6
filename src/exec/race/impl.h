/* What the files races*.c share: clocks, what is known of each word, the threads of a block. races.c has the design. */
#ifndef HEDDLE_EXEC_RACE_IMPL_H
#define HEDDLE_EXEC_RACE_IMPL_H

#include "exec/impl.h"
#include "exec/race/races.h"

/* ---- clocks: what a thread knows of others (races_clock.c) ----
 *
 * A *unit* is what runs in order by itself: a thread, or in lockstep a warp. Each counts its epochs, from 1. A clock says, for
 * the units of some blocks, up to which epoch everything they did is known to be over. Units that know the same share a
 * clock, and clocks share parts; both are copied when one of several owners changes them. A unit's own epochs are not
 * in its clock, so that the threads of a warp can have the same one. */
struct races_part { /* of one block */
    uint32_t refs;
    uint32_t epoch[]; /* by unit */
};
struct races_clock {
    uint32_t refs, n, cap;
    uint64_t stamp; /* no two clocks that know different things have the same */
    struct {
        uint32_t block;
        struct races_part *part;
    } * v; /* ascending blocks */
};
struct exec_races;
struct races_clock *clock_new(struct exec_races *r);
struct races_clock *clock_ref(struct races_clock *c);
void clock_drop(struct exec_races *r, struct races_clock *c); /* NULL is fine */
/* NULL: nothing is known of the block. */
const struct races_part *clock_part(const struct races_clock *c, uint32_t block);
/* *c learns all that from knows; *c may be NULL, which knows nothing. */
void clock_join(struct exec_races *r, struct races_clock **c, const struct races_clock *from);
/* Returns the part of a block for writing. *c and the part are copied first if they are shared. */
struct races_part *clock_write(struct exec_races *r, struct races_clock **c, uint32_t block);

static inline bool clock_knows(const struct races_part *p, uint32_t unit, uint32_t epoch) {
    return p && p->epoch[unit] >= epoch;
}

/* ---- what is known of a word, or of a byte (races_shadow.c) ---- */

struct races_write {           /* the last plain store */
    uint32_t block, epoch, pc; /* epoch 0: none */
    uint16_t thread;
    uint8_t access; /* enum exec_race_access */
};
struct races_group { /* lanes of a warp that did anything else, at one instruction in one epoch */
    uint32_t block, epoch, pc, lanes;
    uint16_t warp;
    uint8_t access;
};
enum { RACES_MORE = 7, RACES_PAGE = 4096 };
struct races_more {
    struct races_group g[RACES_MORE];
    uint32_t n, next; /* next: of those that are free */
};
struct races_cell {
    struct races_write w;
    struct races_group first; /* epoch 0: none, and none in more */
    uint32_t more;            /* further groups: an index, 0 for none */
    uint32_t value;           /* of the last store */
    uint32_t sync;            /* what a thread that reads this learns: an index, 0 for nothing */
};
struct races_page { /* of RACES_PAGE bytes of memory */
    uint64_t number;
    bool bytes;              /* one cell for each byte, not for each word */
    struct races_cell *cell; /* NULL: no such page */
};
struct races_sync { /* left behind by stores that others synchronise with */
    struct races_clock *gpu, *cta;
    uint32_t block; /* whose threads learn cta */
    uint32_t next;  /* of those that are free */
};

/* The cell that holds addr of an access of so many bytes, which are *step of memory; NULL: no memory to keep it in. b NULL:
 * global memory. */
struct races_cell *shadow_cell(struct exec_races *r, struct races_block *b, uint64_t addr, uint32_t bytes,
                               uint32_t *step);
void shadow_free(struct exec_races *r);
void shadow_free_page(struct exec_races *r, struct races_page *p);
void shadow_add_group(struct exec_races *r, struct races_cell *c, const struct races_group *g, uint32_t slot);
/* Group k of a cell, NULL after the last. */
struct races_group *shadow_group(struct exec_races *r, struct races_cell *c, uint32_t k);
void shadow_clear_groups(struct exec_races *r, struct races_cell *c);
struct races_sync *shadow_sync(struct exec_races *r, struct races_cell *c); /* made if there is none */
void shadow_clear_sync(struct exec_races *r, struct races_cell *c);

/* ---- threads ---- */

enum races_scope { RACES_GPU, RACES_CTA, RACES_SCOPES };
struct races_unit {
    struct races_clock *clock;
    /* The stamps of the last clocks it has learnt from, so that a thread that polls learns only once. */
    uint64_t learnt[RACES_SCOPES];
    uint32_t epoch;
    struct {                       /* at its last fence: what its later stores publish */
        struct races_clock *clock; /* NULL: there was none */
        uint32_t epoch;
    } fence[RACES_SCOPES];
};
struct races_block {
    uint32_t index;
    struct races_unit *unit;
    struct races_clock *arrived[EXEC_BARRIERS]; /* what bar.arrive brought */
    struct races_clock *cluster[2]; /* the same of the cluster's barrier; [1]: of the phase that is over */
    struct races_page *page;        /* of shared memory */
    uint32_t npages;
};

/* ---- findings (races.c) ---- */

struct races_seen { /* one side of a conflict */
    uint32_t pc, block;
    uint16_t thread;
    uint8_t access;
};
struct races_conflict {
    struct races_seen side[2];
    uint64_t address; /* in its space */
    bool shared, same_value;
};
void races_record(struct exec_races *r, const struct races_conflict *c);

enum { RACES_BUCKETS = 1024, RACES_MOST = 4096 };
struct races_found {
    struct exec_race race;
    const struct ir_module *module;
    uint32_t next; /* in its bucket, 1 + index */
};

struct exec_races {
    enum exec_races_mode mode;
    uint64_t limit, used; /* bytes, of shadow and clocks */
    /* of the launch under way */
    const struct exec_grid *grid;
    uint32_t nunits; /* of a block */
    exec_fn *fn[IR_NOPS];
    uint64_t stamps;         /* given out to clocks */
    bool met;                /* by bar.warp.sync, of the instruction under way */
    struct races_page *page; /* global memory: a hash table */
    size_t npages, page_cap;
    size_t last_page;
    VEC(struct races_more) more;
    VEC(struct races_sync) sync;
    uint32_t free_more, free_sync;
    /* of all */
    VEC(struct races_found) found;
    uint32_t bucket[RACES_BUCKETS];
    uint64_t omitted, unseen;
    struct arena text;
};

static inline uint32_t races_unit_of(const struct exec_races *r, uint32_t thread) {
    return r->mode == EXEC_RACES_LOCKSTEP ? thread / EXEC_LANES : thread;
}

/* ---- the order of accesses (races_order.c), and accesses (races_access.c) ---- */
exec_fn races_bar, races_cluster_bar, races_warpsync, races_fence,
    races_release; /* executors in place of others */
exec_fn races_copy, races_ld, races_st, races_atom;
/* What a thread that reads a cell learns from it; and what a thread that writes it leaves there. */
void races_acquire(struct exec_races *r, struct races_block *b, struct races_unit *u,
                   const struct races_sync *s);
void races_publish(struct exec_races *r, struct races_block *b, uint32_t unit, struct races_cell *c,
                   uint8_t order, bool keep);

#endif
