/* Thread frontiers (Diamos, Ashbaugh, Maiyuran, Kerr, Wu & Yalamanchili, "SIMD re-convergence at thread frontiers", MICRO
 * 2011).
 *
 * Blocks have priorities, an order without back edges in which a loop is whole and barriers come last (cfg/order.c). Of the
 * blocks that hold threads of a warp the one of highest priority runs, with all threads that are in it, so that a block
 * runs when all threads have come that still can: paths join at the first block they have in common, post-dominator or
 * not. The *frontier* of a block is where threads may wait meanwhile (cfg/frontier.c). A *key* is {call depth, deepest
 * first; place}; a place is a PC's number when blocks lie in the order of their priorities. The lowest key runs.
 *
 * stack: a list of {PC, mask} sorted by key for each warp, of which the first runs; a branch inserts its sides, equal PCs
 * become one entry. This is min(SP:PC) with the compiler's order in place of that of the text, and the same code.
 *
 * sandybridge: hardware with a PC in each thread and one for the warp, which cannot know who waits where. At the end of a
 * block the warp goes to the block of highest priority among those its threads go to and *all* of the block's frontier. It
 * may find no thread there: such a block is issued instruction by instruction without threads, and the first block of
 * its own frontier comes next. tf.skip is the ideal: it costs nothing to find out. It gives the schedule of the list.
 *
 * Choices of ours. The paper's text was not at hand; the rule for the branch is that of the authors' emulator (GPU Ocelot
 * 2.x, its thread-frontier pass and "gen6" mechanism), with three differences. (1) Ocelot goes on to the next block of the
 * layout from an empty one; here only blocks of its frontier follow. (2) Ocelot counts both targets of a branch that the
 * warp takes in part, even where no thread went to one of them; here only where threads go. (3) It lets a branch that
 * all threads of the warp take alike lead them there at once: `together`, off by default, since the frontier is visited
 * "whether or not anybody waits". The list checks every step for the next entry; Ocelot adds a branch where a block
 * falls through into its frontier.
 *
 * Calls: depth first, as Ocelot's stack of sorted stacks. A frontier is that of one function and depth. Threads that return
 * go on as if the block that called had ended; where a walk ends in a function to which no thread is left to return
 * from, or threads were released from a barrier behind the unit, no frontier knows where to go: the unit goes to the
 * lowest key of all (`searches`). Who waits at a barrier or a .sync instruction is inactive; the unit goes on while
 * another thread can run. */
#include <inttypes.h>

#include "base/alloc.h"
#include "mech/lib/order.h"
#include "mech/lib/set.h"
#include "mech/tf/tf.h"

enum { RETURNS = 2 }; /* mech_outcome.depth_change */

struct tf {
    struct walk walk;
    const uint32_t *after; /* tf_tables */
    bool walks, together;  /* blocks without threads are walked */
};

static bool tf_create(struct mech *m, struct err *e) {
    (void)e;
    struct tf *f = m->self;
    const struct tf_params *p = tf_params(m);
    const struct tf_tables *t = m->env.tables;
    f->walks = p->kind == TF_SANDYBRIDGE && !p->skip;
    f->together = p->together;
    walk_create(m, &f->walk, t ? t->order.place : NULL, t ? t->order.pc_at : NULL);
    f->after = t ? t->after : NULL;
    return true;
}

static void tf_start(struct mech *m, struct mech_split *s, uint32_t home) {
    struct tf *f = m->self;
    walk_start(m, &f->walk, s, home);
}

/* ---- where the unit goes ---- */

/* What the frontier behind pc says, at this depth. */
static inline uint64_t frontier(const struct tf *f, uint32_t depth, uint32_t pc) {
    const uint32_t place = f->after[pc];
    return place == TF_NOWHERE ? SORTED_NONE : sorted_key(depth, place);
}

/* ... and the blocks that called say, for threads that return. */
static uint64_t callers_frontier(const struct mech *m, const struct mech_outcome *o) {
    const struct tf *f = m->self;
    uint64_t first = SORTED_NONE;
    for (uint32_t k = 0; k < o->nsides; k++) {
        const uint32_t depth = sorted_depth_of(m, &f->walk.sorted, &o->side[k].set);
        const uint64_t key = frontier(f, depth, o->side[k].pc - 1);
        if (key < first) first = key;
    }
    return first;
}

/* True if threads have just gone to this key. */
static bool aimed_at(const struct mech *m, const struct mech_outcome *o, uint64_t key) {
    const struct tf *f = m->self;
    const uint32_t pc = sorted_pc(&f->walk.sorted, key);
    for (uint32_t k = 0; k < o->nsides; k++)
        if (o->side[k].pc == pc && sorted_depth_of(m, &f->walk.sorted, &o->side[k].set) == sorted_depth(key))
            return true;
    return false;
}

static void note_list(struct mech *m, const struct walk_home *h) {
    const uint64_t n = h->list.standing.n + h->list.blocked.n;
    if (n > tf_counts(m)->list_max) tf_counts(m)->list_max = n;
}

static void go_to(struct mech *m, struct walk_home *h, uint64_t key) {
    struct tf *f = m->self;
    tf_counts(m)->merges += walk_to(m, &f->walk, h, key);
    if (!h->run->threads)
        tf_counts(m)->empty_blocks +=
            m->env.cfg->blocks[m->env.module->code.v[h->run->pc].block].first == h->run->pc;
}

/* All threads stand or wait. `next`: the frontier's word. */
static void tf_decide(struct mech *m, struct walk_home *h, const struct mech_outcome *o, uint64_t next) {
    const struct tf *f = m->self;
    const uint64_t limit = h->list.limit;
    note_list(m, h);
    if (limit == SORTED_NONE) {
        walk_rest(m, h);
        return;
    }
    if (f->walks && limit < next && !aimed_at(m, o, limit)) tf_counts(m)->searches++;
    go_to(m, h, limit < next ? limit : next);
}

/* ---- the interface ---- */

/* All threads of the warp that are left. */
static bool whole_warp(const struct walk_home *h) {
    return !h->list.standing.n && !h->list.blocked.n;
}

static void tf_commit(struct mech *m, struct mech_split *s, const struct mech_outcome *o) {
    struct tf *f = m->self;
    struct walk_home *h = walk_home_of(&f->walk, s);
    uint64_t next = frontier(f, sorted_depth(h->key), o->pc);
    if (f->together && o->nsides == 1 && !o->waiting.n && whole_warp(h)) next = SORTED_NONE;
    if (o->nsides == 1 && !o->exited.n && !o->waiting.n && !o->depth_change) {
        const uint64_t key = sorted_move(h->key, f->walk.place[o->side[0].pc]);
        if (key < h->list.limit && key <= next) {
            h->key = key;
            s->pc = o->side[0].pc;
            order_add(m->order, s);
            return;
        }
    }
    tf_counts(m)->empty_issues += !s->threads;
    if (next == SORTED_NONE && o->depth_change == RETURNS && f->walks && !(f->together && whole_warp(h)))
        next = callers_frontier(m, o);
    const uint32_t made = walk_scatter(m, &f->walk, h, o);
    /* A side that goes on as it is was not inserted. */
    tf_counts(m)->inserts += made - (made == 1 && o->nsides == 1 && aimed_at(m, o, h->list.limit));
    tf_decide(m, h, o, next);
}

/* Released threads stand. A unit in flight sees them when it commits. */
static void tf_arrived(struct mech *m, struct walk_home *h) {
    struct tf *f = m->self;
    note_list(m, h);
    if (h->run->in_flight || (!order_parked(h->run) && h->key < h->list.limit)) return;
    walk_stop(m, &f->walk, h);
    tf_counts(m)->searches += f->walks;
    go_to(m, h, h->list.limit);
}

static void tf_release(struct mech *m, const struct mech_set *set, uint32_t pc) {
    struct tf *f = m->self;
    walk_release(m, &f->walk, set, pc, tf_arrived);
}

/* ---- for people ---- */

enum { PC_BITS = 32, DEPTH_BITS = 16 };

/* A warp has at most as many entries as threads. Depths are our addition. */
static void tf_storage(const struct mech *m, struct mech_storage *out) {
    const uint64_t threads = (uint64_t)m->env.warps * SORTED_LANES, w = m->env.warp_size;
    const uint64_t homes = threads / w ? threads / w : 1, of_home = threads / homes;
    if (tf_params(m)->kind == TF_STACK) {
        storage_add(out,
                    (struct mech_array){.name = "sorted_list", .entries = homes * w, .bits = PC_BITS + w});
        storage_add(out,
                    (struct mech_array){.name = "list_depths", .entries = homes * w, .bits = DEPTH_BITS});
        return;
    }
    storage_add(out, (struct mech_array){.name = "thread_pc", .entries = homes, .bits = of_home * PC_BITS});
    storage_add(out,
                (struct mech_array){.name = "thread_depth", .entries = homes, .bits = of_home * DEPTH_BITS});
    storage_add(out, (struct mech_array){
                         .name = "warp_pc_and_depth", .entries = homes, .bits = PC_BITS + DEPTH_BITS});
}

static void tf_audit(const struct mech *m) {
    const struct tf *f = m->self;
    walk_audit(m, &f->walk, true);
    FOR_SPLITS(s, m->pool) CHECK(f->walks || s->threads || order_parked(s));
}

extern const struct mech_ops mech_tf;
const struct mech_ops mech_tf = {
    .name = "tf",
    .title = "Thread frontiers",
    .source = "Diamos et al., MICRO 2011",
    .caps = MECH_ANY_CODE | MECH_AT_HOME | MECH_STEADY,
    .params = MECH_PARAM_ROWS(TF_PARAMS),
    .counters = MECH_COUNTER_ROWS(TF_COUNTERS),
    .self_bytes = sizeof(struct tf),
    .prepare = tf_prepare,
    .create = tf_create,
    .start = tf_start,
    .commit = tf_commit,
    .release = tf_release,
    .census = walk_census,
    .places = walk_places,
    .state = walk_state,
    .storage = tf_storage,
    .audit = tf_audit,
};
