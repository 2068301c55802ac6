/* Stack-less min(SP:PC): a PC and a call depth per thread, and nothing else (SL sections 3 and 4).
 *
 * Of a home warp the threads with the deepest call and, among those, the lowest PC run together; a *key* holds both so that
 * the lowest key is what the arbiter's reduction tree would choose. Threads are in one of four places: in the running split;
 * standing (they could run, others come first); blocked (at a barrier); or late (flagged inactive because their data is
 * not there, `minpc.memory`). The arbiter looks at those that stand.
 *
 * 4.1: as long as the running split only steps, it keeps the minimum, so nothing is compared but its key with the lowest
 * key that stands, the *limit*. Reaching it is where threads join. The keys of threads that do not run are kept as a list
 * (mech/lib/sorted.h), an entry for each place where threads are; hardware would compare the threads' own.
 *
 * minpc.stack: the arbiter compares {SP, PC}, but it is the PC alone that is broadcast, and "comparing the values of
 * individual PCs with the selected common PC" tells who is active (section 3, Figure 2). So threads that are at one PC in
 * different activations of a recursive function run together, each on its own stack: "Div" in Table 1's row of this paper,
 * and the default. Then two tests say whether a step keeps the minimum and all threads at it: its key is below the
 * limit, and no thread stands at the new PC in a shallower call. `sync` is what hardware with one stack pointer for a
 * warp would do (section 2): PC and depth must agree.
 *
 * 4.2: threads that hit run ahead. With `issue = barrel` the SM offers those whose data came early (memory), and the split
 * left in flight is late. With `issue = scoreboard` the split meets the missing data at the first use: who lacks it is put
 * into a late split that is in no order; the others go on. When data arrives the threads stand again and an arbitration
 * lets them catch up.
 *
 * 4.2 and 6 also say what port conflicts and a speculative arbitration do: port.c.
 *
 * Deviations: a running split of which all threads miss keeps its warp waiting, where the paper would let the others of
 * the warp run. The simulator notes with each thread the divergence that parted it from others, for the profile only. With
 * minpc.sp off the depth half of every key is the same, so threads of different activations at one PC run together
 * whatever minpc.stack says. */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "mech/lib/order.h"
#include "mech/lib/set.h"
#include "mech/minpc/minpc.h"

static bool minpc_create(struct mech *m, struct err *e) {
    (void)e;
    struct minpc *f = m->self;
    f->memory = minpc_params(m)->memory;
    f->home = PAGES_NEW(m->env.pages, struct minpc_home, split_homes(&m->env));
    sorted_create(m, &f->sorted);
    f->sorted.flat = !minpc_params(m)->sp;
    f->div = minpc_params(m)->sp && minpc_params(m)->stack == MINPC_DIV;
    f->arbitration = minpc_params(m)->arbitration;
    f->speculate = minpc_params(m)->speculate;
    return true;
}

/* ---- depths ---- */

/* Lists these threads as standing. They are at one place, in calls of these depths. */
static void minpc_stand(struct mech *m, struct minpc_home *h, const struct mech_set *set, uint32_t deepest,
                        uint32_t shallowest, uint32_t place) {
    struct minpc *f = m->self;
    if (deepest == shallowest) {
        sorted_stand(&f->sorted, &h->list, set, sorted_key(deepest, place));
        return;
    }
    struct mech_set left, here;
    for (set_copy(&left, set); left.n;) {
        const uint32_t depth = sorted_take_depth(m, &f->sorted, &left, &here);
        sorted_stand(&f->sorted, &h->list, &here, sorted_key(depth, place));
    }
}

/* ... or wait, to go on there. */
static void minpc_block(struct mech *m, struct minpc_home *h, const struct mech_set *set, uint32_t deepest,
                        uint32_t shallowest, uint32_t place) {
    const struct minpc *f = m->self;
    if (deepest == shallowest) {
        sorted_block(&h->list, set, sorted_key(deepest, place));
        return;
    }
    struct mech_set left, here;
    for (set_copy(&left, set); left.n;) {
        const uint32_t depth = sorted_take_depth(m, &f->sorted, &left, &here);
        sorted_block(&h->list, &here, sorted_key(depth, place));
    }
}

/* True if arbitration would choose exactly the threads that have this key. */
static inline bool keeps_turn(const struct minpc *f, const struct minpc_home *h, uint64_t key) {
    return key < h->list.limit && !(f->div && sorted_above(&h->list, key));
}

/* ---- arbitration ---- */

/* The running split, which has no threads, gets those with the lowest key, if any stand. */
static void arbitrate(struct mech *m, struct minpc_home *h) {
    struct minpc *f = m->self;
    if (h->list.limit == SORTED_NONE) return;
    struct mech_set set;
    h->key = h->list.limit;
    sorted_take(&f->sorted, &h->list, &set);
    h->shallowest = sorted_depth(h->key);
    if (f->div && sorted_above(&h->list, h->key))
        h->shallowest = sorted_take_above(&f->sorted, &h->list, h->key, &set);
    h->run->pc = sorted_place(h->key);
    split_assign(m->pool, h->run, &set);
    minpc_counts(m)->merges += sorted_meet(m, &f->sorted, &set, h->run->pc);
}

/* Arbitrates for a running split that has threads: they stand first. */
static void choose_again(struct mech *m, struct minpc_home *h) {
    struct mech_split *s = h->run;
    split_unbind(m->pool, &s->set);
    if (s->threads) minpc_stand(m, h, &s->set, sorted_depth(h->key), h->shallowest, sorted_place(h->key));
    s->set.n = s->threads = 0;
    arbitrate(m, h);
}

/* No thread of the warp can run: the split rests, or ends with the last thread. */
static void rest(struct mech *m, struct minpc_home *h) {
    minpc_forget_guess(m, h);
    if (h->list.blocked.n || h->nlate) {
        order_remove(m->order, h->run);
        return;
    }
    split_free(m, h->run);
    h->run = NULL;
}

/* ---- late threads ---- */

/* `ahead` goes on without s. */
static void minpc_part(struct mech *m, struct minpc_home *h, struct mech_split *s,
                       const struct mech_split *ahead) {
    struct minpc *f = m->self;
    s->own[MINPC_LATE] = MINPC_IS_LATE;
    s->own[MINPC_DEEPEST] = sorted_depth(h->key);
    s->own[MINPC_SHALLOWEST] = h->shallowest;
    h->nlate += s->threads;
    sorted_part(m, &f->sorted, &ahead->set);
    sorted_part(m, &f->sorted, &s->set);
}

static void make_late(struct mech *m, struct minpc_home *h, struct mech_split *s,
                      const struct mech_split *ahead) {
    minpc_part(m, h, s, ahead);
    minpc_counts(m)->run_ahead++;
    mech_event(m, "run ahead of %" PRIu32, s->pc);
}

/* Some threads of a late split have their data and stand, at pc. */
static void minpc_catch_up(struct mech *m, struct minpc_home *h, struct mech_split *s,
                           const struct mech_set *ready, uint32_t pc) {
    struct minpc *f = m->self;
    const uint32_t n = set_count(ready);
    set_remove(&s->set, ready);
    s->threads -= n;
    h->nlate -= n;
    if (s->threads) sorted_part(m, &f->sorted, ready);
    split_unbind(m->pool, ready);
    minpc_stand(m, h, ready, s->own[MINPC_DEEPEST], s->own[MINPC_SHALLOWEST], pc);
}

/* Adds to `out` those of these lanes of s that need not wait for an event. */
static void minpc_able(struct mech *m, const struct mech_split *s, struct mech_piece lanes,
                       struct mech_set *out) {
    struct mech_split one;
    memcpy(&one, s, offsetof(struct mech_split, set));
    one.threads = 1;
    FOR_LANES(l, lanes.mask) {
        set_one(&one.set, lanes.warp, 1u << l);
        if (m->env.when(m->env.sm, &one) != MECH_NEVER) set_add(out, lanes.warp, 1u << l);
    }
}

/* The running split waits for an event. Threads that wait for it become late, the others may go on. Returns false if
 * all wait or none do. In that case the event may be data or the fetch of the instruction: a warp that leaves one line
 * of code to fetch another might do so for ever. */
static bool pass_late(struct mech *m, struct minpc_home *h) {
    struct mech_split *s = h->run;
    struct mech_set ahead = {0}, late;
    for (uint32_t k = 0; k < s->set.n; k++) minpc_able(m, s, s->set.p[k], &ahead);
    if (!ahead.n || set_equal(&ahead, &s->set)) return false;
    order_remove(m->order, s);
    set_copy(&late, &s->set);
    set_remove(&late, &ahead);
    struct mech_split *l = split_divide(m, s, &late);
    make_late(m, h, l, s);
    if (h->shallowest != sorted_depth(h->key)) choose_again(m, h); /* those in the deepest call may be late */
    return true;
}

/* ---- going on ---- */

/* Schedules whatever the running split now holds; it is in no order. */
static void minpc_go(struct mech *m, struct minpc_home *h) {
    const struct minpc *f = m->self;
    do {
        if (!h->run->threads) {
            rest(m, h);
            return;
        }
        if (h->from > *m->env.now)
            order_add_at(m->order, h->run, h->from);
        else
            order_add(m->order, h->run);
    } while (f->memory && h->run->wake == MECH_NEVER && pass_late(m, h));
}

void minpc_leave(struct mech *m, struct minpc_home *h, struct mech_split *s, struct mech_split *ahead) {
    minpc_part(m, h, s, ahead);
    h->run = ahead;
    if (h->shallowest != sorted_depth(h->key)) choose_again(m, h); /* those in the deepest call may be in s */
    minpc_go(m, h);
}

/* The running split's threads compete with the others. */
static void compete(struct mech *m, struct minpc_home *h) {
    choose_again(m, h);
    minpc_go(m, h);
}

/* Threads that were blocked or late stand now: 4.2's arbitration, unless the running split is on its way; its commit will
 * see the limit. */
static void minpc_arrived(struct mech *m, struct minpc_home *h) {
    if (h->run->in_flight || (h->run->threads && keeps_turn(m->self, h, h->key))) return;
    minpc_counts(m)->arbitrations++;
    order_remove(m->order, h->run);
    choose_again(m, h);
    minpc_arbitrated(m, h, NULL);
    minpc_go(m, h);
}

/* ---- the interface ---- */

static void minpc_start(struct mech *m, struct mech_split *s, uint32_t home) {
    struct minpc *f = m->self;
    struct minpc_home *h = &f->home[home];
    s->own[MINPC_HOME] = home;
    *h = (struct minpc_home){.run = s};
    sorted_start(m, &f->sorted, &h->list, home, &s->set);
    h->shallowest = sorted_depth_of(m, &f->sorted, &s->set);
    h->key = sorted_key(h->shallowest, s->pc);
    minpc_go(m, h);
}

/* Every thread of s, whose depths were these, is where the outcome says; s is left without threads. */
static void minpc_scatter(struct mech *m, struct minpc_home *h, struct mech_split *s,
                          const struct mech_outcome *o, uint32_t deepest, uint32_t shallowest) {
    struct minpc *f = m->self;
    if (o->exited.n) split_exit(m->pool, s, &o->exited);
    if (o->nsides > 1) sorted_diverge(m, &f->sorted, o);
    split_unbind(m->pool, &s->set);
    minpc_block(m, h, &o->waiting, deepest, shallowest, o->pc + 1);
    for (uint32_t k = 0; k < o->nsides; k++) {
        const struct mech_side *side = &o->side[k];
        /* A call or return moves threads of one depth to one depth, which only the SM knows. */
        if (o->depth_change && deepest == shallowest) {
            const uint32_t now = sorted_depth_of(m, &f->sorted, &side->set);
            minpc_stand(m, h, &side->set, now, now, side->pc);
        } else {
            minpc_stand(m, h, &side->set, deepest, shallowest, side->pc);
        }
    }
    s->set.n = s->threads = 0;
}

/* Late threads have finished the instruction the others ran ahead of. */
static void commit_late(struct mech *m, struct minpc_home *h, struct mech_split *s,
                        const struct mech_outcome *o) {
    h->nlate -= s->threads;
    minpc_scatter(m, h, s, o, s->own[MINPC_DEEPEST], s->own[MINPC_SHALLOWEST]);
    split_free(m, s);
    minpc_arrived(m, h);
}

/* Drops a wrong guess: no thread was where it issued, so nothing is written back. */
static void commit_guess(struct mech *m, struct minpc_home *h, struct mech_split *s) {
    if (h->guess == s) h->guess = NULL;
    split_free(m, s);
}

static void minpc_commit(struct mech *m, struct mech_split *s, const struct mech_outcome *o) {
    const struct minpc *f = m->self;
    struct minpc_home *h = minpc_home_of(m, s);
    if (s->own[MINPC_LATE]) {
        if (s->own[MINPC_LATE] == MINPC_GUESSED)
            commit_guess(m, h, s);
        else
            commit_late(m, h, s, o);
        return;
    }
    const bool flow = ir_ops[o->insn->op].cls == IR_C_BRANCH;
    bool steps = false; /* onto a standing PC: the threads' own comparison notices, without the arbiter */
    minpc_forget_guess(m, h);
    if (o->nsides == 1 && !o->exited.n && !o->waiting.n && (f->sorted.flat || !o->depth_change)) {
        const uint64_t key = sorted_move(h->key, o->side[0].pc);
        const bool keeps = keeps_turn(f, h, key);
        minpc_counts(m)->arbitrations += flow || !keeps;
        if (keeps) {
            h->key = key;
            s->pc = o->side[0].pc;
            if (flow) minpc_arbitrated(m, h, o);
            minpc_go(m, h);
            return;
        }
        minpc_counts(m)->limit_hits += !flow;
        steps = !flow;
    } else {
        minpc_counts(m)->arbitrations++;
    }
    minpc_scatter(m, h, s, o, sorted_depth(h->key), h->shallowest);
    arbitrate(m, h);
    if (!steps) minpc_arbitrated(m, h, o);
    minpc_go(m, h);
}

static bool minpc_memory(struct mech *m, struct mech_split *s, const struct mech_set *ready) {
    const struct minpc *f = m->self;
    struct minpc_home *h = minpc_home_of(m, s);
    if (!f->memory || set_empty(ready) || set_equal(ready, &s->set)) return false;
    if (s->own[MINPC_LATE]) { /* some more of them */
        minpc_catch_up(m, h, s, ready, s->pc + 1);
        minpc_arrived(m, h);
        return true;
    }
    struct mech_split *t = split_divide(m, s, ready);
    t->pc = s->pc + 1;
    t->age = s->age;
    make_late(m, h, s, t);
    h->run = t;
    h->key = sorted_move(h->key, t->pc);
    compete(m, h);
    return true;
}

/* Lets the threads of a late split stand again that have their data. */
static void wake_late(struct mech *m, struct mech_split *s, uint32_t warp, uint32_t mask) {
    struct minpc_home *h = minpc_home_of(m, s);
    struct mech_set ready = {0};
    minpc_able(m, s, (struct mech_piece){warp, mask & set_mask(&s->set, warp)}, &ready);
    if (!ready.n) return;
    minpc_catch_up(m, h, s, &ready, s->pc);
    if (!s->threads) split_free(m, s);
    minpc_arrived(m, h);
}

/* The running split's next instruction may be at hand, which does not make it issue before its arbitration is over. */
static void wake_running(struct mech *m, struct minpc_home *h) {
    if (h->from <= *m->env.now) {
        order_wake(m->order, h->run);
    } else if (h->run->wake == MECH_NEVER && order_holds(h->run)) {
        order_remove(m->order, h->run);
        order_add_at(m->order, h->run, h->from);
    }
}

static void minpc_wake(struct mech *m, struct mech_split *s, uint32_t warp, uint32_t mask) {
    const struct minpc *f = m->self;
    if (s->in_flight) return;
    if (s->own[MINPC_LATE]) {
        wake_late(m, s, warp, mask);
        return;
    }
    wake_running(m, minpc_home_of(m, s));
    if (f->memory && s->threads && s->wake == MECH_NEVER && pass_late(m, minpc_home_of(m, s)))
        minpc_go(m, minpc_home_of(m, s));
}

static void minpc_release(struct mech *m, const struct mech_set *set, uint32_t pc) {
    struct minpc *f = m->self;
    for (int pass = 0; pass < 2; pass++) /* all of a warp stand before it arbitrates */
        for (uint32_t k = 0; k < set->n; k++)
            for (uint32_t left = set->p[k].mask; left;) {
                const uint32_t warp = set->p[k].warp, lane = (uint32_t)__builtin_ctz(left);
                const uint32_t here = split_next_part(m->pool, &left);
                if (pass)
                    minpc_arrived(m, &f->home[split_home_of(m->pool, warp, lane)]);
                else
                    sorted_unblock(&f->sorted, &f->home[split_home_of(m->pool, warp, lane)].list, warp, here,
                                   pc);
            }
}

static void minpc_census(const struct mech *m, struct mech_census *c) {
    const struct minpc *f = m->self;
    *c = (struct mech_census){.inactive_path = f->sorted.standing};
}

extern const struct mech_ops mech_minpc;
const struct mech_ops mech_minpc = {
    .name = "minpc",
    .title = "Stack-less min(SP:PC)",
    .source = "SL 3, 4, Table 2",
    .caps = MECH_ANY_CODE,
    .params = MECH_PARAM_ROWS(MINPC_PARAMS),
    .counters = MECH_COUNTER_ROWS(MINPC_COUNTERS),
    .self_bytes = sizeof(struct minpc),
    .create = minpc_create,
    .start = minpc_start,
    .select = minpc_select,
    .selects = minpc_selects,
    .commit = minpc_commit,
    .memory = minpc_memory,
    .release = minpc_release,
    .wake = minpc_wake,
    .census = minpc_census,
    .places = minpc_places,
    .state = minpc_state,
    .storage = minpc_storage,
    .audit = minpc_audit,
};
