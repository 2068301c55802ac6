/* Numbered blocks (R. A. Lorie & H. R. Strong, "Method for conditional branch execution in SIMD vector processors", US
 * 4435758, 1984, as SL section 2.3 describes it).
 *
 * The compiler numbers the blocks by a relaxed topological sort (cfg/order.c: loops whole, barriers last). A thread has a PC
 * and the number of the block it is to run. "In the case of divergence, the block with the smallest number will be run in
 * priority": where threads leave a block, the smallest number of all threads of the warp is chosen, and those who have it run.
 * Threads that are off are looked at again only "when a potential reconvergence point is reached": the compiler marks these
 * (SYNC, the form `joins`), and at a mark the number of every thread is compared with that of the block about to run; those
 * equal are enabled. The mark is an instruction and costs an issue.
 *
 * This is thread frontiers' sorted list with the comparison moved from every step into the program, and the same code
 * (mech/lib/walk.h). A key is a place: a PC's number when blocks lie in the order of their numbers.
 *
 * Choices of ours. Threads are enabled when the unit is about to enter the marked block, and all of them execute the mark. The
 * patent marks blocks with two instructions, ELSE where a lower number may wait and JOIN where paths meet; here every end
 * of a block chooses the smallest number, at no cost. Threads that are equal at a block without a mark stay off until they
 * are chosen: `missed`. The marks are complete but for barriers, which let a higher number run while a lower one waits, so
 * that it happens only with these. Who waits at a barrier or a .sync instruction is off, and the others of the warp go on;
 * released threads are looked at where the next block ends. Table 1: no recursion and no indirect branches; a return is
 * one, so no calls. */
#include <inttypes.h>

#include "base/alloc.h"
#include "mech/lib/declare.h"
#include "mech/lib/order.h"
#include "mech/lib/walk.h"

#define COUNTERS(SUM, MAX)                                                                          \
    SUM(comparisons, "times", "Marks: the numbers of all threads were compared with the block's.")  \
    SUM(switches, "times",                                                                          \
        "Ends of blocks at which another block than the one that follows had the smallest number.") \
    SUM(merges, "events", "Groups of threads that met others.")                                     \
    SUM(missed, "times", "Threads came to a block where others stood, and no mark let them meet.")
MECH_COUNTS(lorie, COUNTERS)

struct lorie {
    struct walk walk;
};

static const void *lorie_strong_prepare(const struct mech_program *p, struct arena *mem, struct err *e) {
    (void)e;
    return walk_by_priority(p, mem);
}

static bool lorie_strong_create(struct mech *m, struct err *e) {
    (void)e;
    struct lorie *l = m->self;
    const struct walk_order *t = m->env.tables;
    walk_create(m, &l->walk, t ? t->place : NULL, t ? t->pc_at : NULL);
    l->walk.sorted.flat = true;
    return true;
}

static void lorie_strong_start(struct mech *m, struct mech_split *s, uint32_t home) {
    struct lorie *l = m->self;
    walk_start(m, &l->walk, s, home);
}

static inline bool begins_block(const struct mech *m, uint32_t pc) {
    return m->env.cfg->blocks[m->env.module->code.v[pc].block].first == pc;
}

/* True if all threads go on together to pc, and no waiting thread is looked at there or has a smaller number. */
static bool lorie_strong_goes_on(struct mech *m, const struct walk_home *h, uint32_t pc, uint64_t key) {
    if (!begins_block(m, pc) || key < h->list.limit) return true;
    if (key > h->list.limit || ir_is_mark(&m->env.module->code.v[pc], IR_MK_SYNC)) return false;
    lorie_counts(m)->missed++;
    return true;
}

static void lorie_strong_commit(struct mech *m, struct mech_split *s, const struct mech_outcome *o) {
    struct lorie *l = m->self;
    struct walk_home *h = walk_home_of(&l->walk, s);
    uint64_t key = SORTED_NONE;
    lorie_counts(m)->comparisons += ir_is_mark(o->insn, IR_MK_SYNC);
    if (o->nsides == 1 && !o->exited.n && !o->waiting.n) {
        key = sorted_move(h->key, l->walk.place[o->side[0].pc]);
        if (lorie_strong_goes_on(m, h, o->side[0].pc, key)) {
            h->key = key;
            s->pc = o->side[0].pc;
            order_add(m->order, s);
            return;
        }
    }
    walk_scatter(m, &l->walk, h, o);
    if (h->list.limit == SORTED_NONE) {
        walk_rest(m, h);
        return;
    }
    lorie_counts(m)->switches += key != SORTED_NONE && h->list.limit < key;
    lorie_counts(m)->merges += walk_to(m, &l->walk, h, h->list.limit);
}

/* Released threads wait where they are. If other threads of the warp run, they find the released ones at the end of the
 * block. */
static void lorie_strong_arrived(struct mech *m, struct walk_home *h) {
    struct lorie *l = m->self;
    if (order_parked(h->run)) lorie_counts(m)->merges += walk_to(m, &l->walk, h, h->list.limit);
}

static void lorie_strong_release(struct mech *m, const struct mech_set *set, uint32_t pc) {
    struct lorie *l = m->self;
    walk_release(m, &l->walk, set, pc, lorie_strong_arrived);
}

/* ---- for people ---- */

enum { PC_BITS = 32, NUMBER_BITS = 16 };

static void lorie_strong_storage(const struct mech *m, struct mech_storage *out) {
    const uint64_t threads = (uint64_t)m->env.warps * SORTED_LANES, w = m->env.warp_size;
    const uint64_t homes = threads / w ? threads / w : 1;
    storage_add(
        out, (struct mech_array){.name = "thread_pc", .entries = homes, .bits = threads / homes * PC_BITS});
    storage_add(out, (struct mech_array){.name = "thread_block_number",
                                         .entries = homes,
                                         .bits = threads / homes * NUMBER_BITS});
}

static void lorie_strong_audit(const struct mech *m) {
    const struct lorie *l = m->self;
    walk_audit(m, &l->walk, false);
    FOR_SPLITS(s, m->pool) CHECK(s->threads || order_parked(s));
}

extern const struct mech_ops mech_lorie_strong;
const struct mech_ops mech_lorie_strong = {
    .name = "lorie-strong",
    .title = "Numbered blocks, compared at marks",
    .source = "Lorie & Strong, US 4435758; SL 2.3",
    .caps = MECH_UNSTRUCTURED | MECH_IRREDUCIBLE | MECH_AT_HOME | MECH_STEADY,
    .form = CFG_FORM_JOINS,
    .counters = MECH_COUNTER_ROWS(COUNTERS),
    .self_bytes = sizeof(struct lorie),
    .prepare = lorie_strong_prepare,
    .create = lorie_strong_create,
    .start = lorie_strong_start,
    .commit = lorie_strong_commit,
    .release = lorie_strong_release,
    .census = walk_census,
    .places = walk_places,
    .state = walk_state,
    .storage = lorie_strong_storage,
    .audit = lorie_strong_audit,
};
