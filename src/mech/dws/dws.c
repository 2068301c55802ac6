/* Dynamic warp subdivision (DWS): a warp with a reconvergence stack that is divided into several schedulable splits where
 * its branches or its loads diverge, as long as a table has room for them.
 *
 * After Meng, Tarjan and Skadron, "Dynamic Warp Subdivision for Integrated Branch and Memory Divergence Tolerance" (ISCA
 * 2010), whose scheme HARP 2.3 and 5 summarise. The warp-split table (WST) is shared by the warps of an SM. Without an
 * entry a branch serialises its sides as under pdom, and a load keeps its threads together.
 *
 * Branches. One is subdivided if the block at its post-dominator R is short (`max_block`): that is what narrow splits run
 * through if they do not meet at R. With `branch = stack` the sides run side by side and wait at R, which is basic
 * multi-path execution limited by table and heuristic. With `pc` no thread waits at R: a split that comes to a PC at
 * which another split of its warp with the same joins before it is about to issue goes on with it.
 *
 * Loads (memory.c). Threads that have their data leave the others, which fall behind. With `limit` (BranchLimited) they stop
 * at the next branch until the others are there; without (BranchBypass) they go on, and splits meet at equal PCs.
 *
 * The joins of a warp are a tree (dws.h), because splits of a warp can be in different branches at once. As in
 * mech/lib/stack.c a place is a PC and a call depth, and sides that meet only at the function's end meet where it returns to.
 *
 * Choices that are ours, the paper's text not being at hand:
 * - The table has an entry for each split of a warp but one, which is in the scheduler as an undivided warp is. Sides that
 *   wait for their turn, and threads that have arrived at a join, are on the stack and need none.
 * - A branch without a post-dominator in its function has no block behind it, and may be subdivided.
 * - Splits meet at equal PCs only if neither waits for an event, and at the call depth of the branch behind the join they
 *   lead to: deeper, they may have come by different calls and would part at the return.
 * - A branch that is serialised runs a taken side first, lower PCs before higher ones.
 * - A split is one stream: a thread of it that waits at a barrier holds the others of it.
 * - Sides of a serialised branch may wait for each other at a barrier or a .sync instruction. When all who run to a join
 *   wait so, a side that is held there has its turn. It takes an entry of the table if there is one, else that of one who
 *   waits, which is on the stack then and, when it is released, is held until its turn comes again.
 * - All splits are as old as their warp for orders by age.
 * - Revived is the split of the oldest warp of the scheduler, in a cycle in which nothing else of it can issue. */
#include "mech/dws/dws.h"

#include "base/alloc.h"
#include "mech/lib/order.h"

/* ---- going on ---- */

/* Another split that is about to issue where s is, and has the same way before it. */
static struct mech_split *partner(const struct mech *m, const struct mech_split *s) {
    const struct dws_home *h = dws_home_of(m, s);
    const uint32_t to = s->own[DWS_TO];
    if (s->wake == MECH_NEVER || s->own[DWS_DEPTH] != (to == DWS_NONE ? 0 : h->join[to].level)) return NULL;
    for (uint32_t k = 0; k < h->splits; k++) {
        struct mech_split *t = split_at(m->pool, h->split[k]);
        if (t != s && t->pc == s->pc && t->own[DWS_TO] == to && t->own[DWS_DEPTH] == s->own[DWS_DEPTH] &&
            order_holds(t) && t->wake != MECH_NEVER)
            return t;
    }
    return NULL;
}

/* s is in the order. */
static void dws_meet(struct mech *m, struct mech_split *s) {
    struct mech_split *t = partner(m, s);
    if (!t) return;
    split_reconverged(m, s->pc);
    dws_counts(m)->rejoined_pc++;
    order_remove(m->order, t);
    dws_merge(m, t, s);
    order_add(m->order, t);
}

/* Lets a split run that is at no join. */
static void dws_run(struct mech *m, struct mech_split *s) {
    const struct dws *d = m->self;
    dws_set_status(m, s, DWS_RUNS);
    order_add(m->order, s);
    if (s->wake == MECH_NEVER)
        dws_consider(m, s);
    else if (d->by_pc && dws_home_of(m, s)->active > 1)
        dws_meet(m, s);
}

/* Gives turns to other splits of the home after one has stopped and none has taken its place. */
static void give_turns(struct mech *m, uint32_t home) {
    for (struct mech_split *s; (s = dws_turn(m, home));) dws_run(m, s);
}

void dws_go(struct mech *m, struct mech_split *s) {
    const uint32_t home = s->own[DWS_HOME];
    struct mech_split *turn = NULL;
    s = dws_settle(m, s, &turn);
    if (s) dws_run(m, s);
    if (turn) dws_run(m, turn);
    if (!s && !turn) give_turns(m, home);
}

/* Threads exited. Further up they are still pending when a join fires, so none of those fires before its turn. */
static void exit_from(struct mech *m, uint32_t home, uint32_t i, const struct mech_set *gone) {
    const struct dws *d = m->self;
    while (i != DWS_NONE) {
        const uint32_t up = d->home[home].join[i].to;
        struct mech_split *turn = NULL, *s = dws_forgo(m, home, i, gone, &turn);
        if (s) dws_go(m, s);
        if (turn) dws_run(m, turn);
        i = up;
    }
    give_turns(m, home);
}

/* ---- divergence ---- */

static bool short_behind(const struct mech *m, uint32_t rpc) {
    if (rpc == IR_NOPC) return true;
    const struct cfg_block *b = &m->env.cfg->blocks[m->env.module->code.v[rpc].block];
    return b->end - b->first <= dws_params(m)->max_block;
}

/* Whether so many splits more may come of a branch. */
static bool subdivides(struct mech *m, uint32_t rpc, uint32_t more) {
    return dws_params(m)->branch != DWS_BRANCH_OFF && short_behind(m, rpc) && dws_room(m, more);
}

/* Does the branch join where its split is on the way to anyway? */
static bool same_place(const struct dws_home *h, uint32_t to, const struct dws_join *j) {
    if (to == DWS_NONE) return j->open && j->depth < 0;
    const struct dws_join *e = &h->join[to];
    CHECK(!dws_group(e)); /* its threads have met in front of the branch */
    return e->depth == j->depth && (j->open ? e->open : !e->open && e->pc == j->pc);
}

static bool dws_at_join(const struct dws_join *j, const struct mech_split *s) {
    return (int32_t)s->own[DWS_DEPTH] == j->depth && (j->open || j->pc == s->pc);
}

/* Lets one of the sides that are not at the join run and holds the others. */
static void dws_hold(struct mech *m, struct dws_home *h, uint32_t i, struct mech_split **side, uint32_t n,
                     uint32_t next) {
    struct dws_join *j = &h->join[i];
    const struct mech_split *first = NULL;
    for (uint32_t k = 0; k < n; k++) {
        const struct mech_split *s = side[k];
        if (dws_at_join(j, s)) continue;
        if (!first || dws_comes_first(s, first, next)) first = s;
    }
    for (uint32_t k = 0; k < n; k++) {
        if (side[k] == first || dws_at_join(j, side[k])) continue;
        order_remove(m->order, side[k]);
        dws_set_status(m, side[k], DWS_HELD);
        mask_put(&j->held, h->first, &side[k]->set);
    }
}

/* Where the branch that s has just executed joins if its sides differ. */
static struct dws_join dws_join_of(const struct dws_home *h, const struct mech_split *s,
                                   const struct mech_outcome *o) {
    const bool open = o->insn->rpc == IR_NOPC;
    struct dws_join j = {.pc = o->insn->rpc,
                         .depth = (int32_t)s->own[DWS_DEPTH] - open,
                         .to = s->own[DWS_TO],
                         .level = s->own[DWS_DEPTH],
                         .branch = o->pc,
                         .open = open};
    mask_put(&j.mask, h->first, &s->set);
    return j;
}

/* The join of the branch, for its threads too. Where splits meet at equal PCs, those that execute it one after the other
 * share its join, if that of the first is still there when the second comes: else they could not meet behind it. As in
 * `partner` only at the call depth of the branch behind what they lead to. */
static uint32_t join_at(struct mech *m, struct dws_home *h, const struct dws_join *j) {
    const struct dws *d = m->self;
    if (!d->by_pc || j->level != (j->to == DWS_NONE ? 0 : h->join[j->to].level))
        return dws_join_add(m, h, *j);
    for (uint32_t i = 0; i < h->n; i++) {
        struct dws_join *e = &h->join[i];
        if (!e->used || dws_group(e) || e->to != j->to || e->level != j->level || !same_place(h, i, j))
            continue;
        for (uint32_t k = 0; k < MASK_WORDS; k++) {
            e->mask.w[k] |= j->mask.w[k];
            e->pending.w[k] |= j->mask.w[k];
        }
        return i;
    }
    return dws_join_add(m, h, *j);
}

/* alone: no other thread was on the way to where s leads. */
static void dws_diverge(struct mech *m, struct dws_home *h, const struct dws_join *j, bool alone,
                        struct mech_split **side, uint32_t n, uint32_t next) {
    const bool by_pc = dws_params(m)->branch == DWS_BRANCH_PC, same = same_place(h, j->to, j);
    uint32_t arrived = 0, to = j->to;
    for (uint32_t k = 0; k < n; k++) arrived += dws_at_join(j, side[k]);
    const bool divided = subdivides(m, j->pc, n - 1 - (by_pc ? 0 : arrived));
    split_diverged(m, n);
    dws_counts(m)->branch_splits += divided;
    for (uint32_t k = 0; k + 1 < n; k++) dws_taken(m, side[k]);
    if (!(divided && (by_pc || same)) && !(same && alone)) to = join_at(m, h, j);
    for (uint32_t k = 0; k < n; k++) side[k]->own[DWS_TO] = to;
    if (!divided) dws_hold(m, h, to, side, n, next);
}

static void dws_commit_sides(struct mech *m, struct dws_home *h, struct mech_split *s,
                             const struct mech_outcome *o) {
    struct mech_split *side[MECH_SIDES];
    const struct dws_join j = dws_join_of(h, s, o);
    const bool alone = j.to != DWS_NONE && dws_alone(h, j.to, s);
    const uint32_t n = split_sides(m, s, o, DWS_DEPTH, side);
    if (n > 1) dws_diverge(m, h, &j, alone, side, n, o->pc + 1);
    for (uint32_t k = n; k--;)
        if (side[k]->own[DWS_STATUS] != DWS_HELD) dws_go(m, side[k]);
}

/* ---- launch, issue, commit, release ---- */

static bool dws_create(struct mech *m, struct err *e) {
    (void)e;
    struct dws *d = m->self;
    const struct dws_params *p = dws_params(m);
    d->homes = split_homes(&m->env);
    d->home = PAGES_NEW(m->env.pages, struct dws_home, d->homes);
    d->late = PAGES_NEW(m->env.pages, uint64_t, bitmap_words(m->pool->cap));
    d->nlate = PAGES_NEW(m->env.pages, uint32_t, m->env.schedulers);
    d->by_pc = p->branch == DWS_BRANCH_PC || (p->memory != DWS_MEMORY_OFF && !p->limit);
    return true;
}

static void dws_start(struct mech *m, struct mech_split *s, uint32_t home) {
    struct dws *d = m->self;
    struct dws_home *h = &d->home[home];
    CHECK(!h->splits && !h->n);
    if (!h->split) h->split = PAGES_NEW(m->env.pages, uint32_t, m->env.warp_size);
    h->first = s->set.p[0].warp;
    h->sched = s->sched;
    h->age = s->age;
    dws_enlist(m, s, home);
    dws_go(m, s);
}

/* What may be revived is worth a look. */
static uint64_t dws_next(const struct mech *m, uint32_t sched) {
    const struct dws *d = m->self;
    return d->nlate[sched] && d->wst < dws_params(m)->wst ? *m->env.now : MECH_NEVER;
}

static bool dws_select(struct mech *m, uint32_t sched, struct mech_packet *out) {
    const struct dws *d = m->self;
    struct mech_split *s = order_pick(m->order, sched, *m->env.now);
    if (!s && d->nlate[sched] && dws_revive(m, sched)) s = order_pick(m->order, sched, *m->env.now);
    if (!s) return false;
    if (d->wst > dws_counts(m)->wst_max) dws_counts(m)->wst_max = d->wst;
    split_issue(m, out, s);
    return true;
}

static void dws_commit_slow(struct mech *m, struct dws_home *h, struct mech_split *s,
                            const struct mech_outcome *o) {
    const uint32_t home = s->own[DWS_HOME], to = s->own[DWS_TO];
    if (o->exited.n) split_exit(m->pool, s, &o->exited);
    if (!s->threads) dws_drop(m, s);
    if (o->exited.n) exit_from(m, home, to, &o->exited);
    if (o->exited.n && !o->nsides) return;
    if (o->waiting
            .n) { /* threads that wait and those that do not go on behind this instruction once all may */
        CHECK(!o->exited.n && o->nsides <= 1 && (!o->nsides || o->side[0].pc == o->pc + 1));
        mask_put(&h->waiting, h->first, &o->waiting);
        s->pc = o->pc + 1;
        order_remove(m->order, s);
        dws_set_status(m, s, DWS_WAITS);
        give_turns(m, home);
        return;
    }
    dws_commit_sides(m, h, s, o);
}

static bool dws_advance(struct mech *m, struct mech_split *s, uint32_t to) {
    dws_set_late(m, s, false);
    s->pc = to;
    dws_go(m, s);
    return true;
}

static void dws_commit(struct mech *m, struct mech_split *s, const struct mech_outcome *o) {
    if (o->nsides == 1 && !o->exited.n && !o->waiting.n && !o->depth_change) {
        dws_advance(m, s, o->side[0].pc);
        return;
    }
    dws_set_late(m, s, false);
    dws_commit_slow(m, dws_home_of(m, s), s, o);
}

/* Whether a thread of s is at a barrier. */
static bool dws_waits(const struct dws_home *h, const struct mech_split *s) {
    uint32_t bits = 0;
    for (uint32_t k = 0; k < s->set.n; k++)
        bits |= h->waiting.w[s->set.p[k].warp - h->first] & s->set.p[k].mask;
    return bits;
}

static void dws_release(struct mech *m, const struct mech_set *set, uint32_t pc) {
    struct mech_set left, some;
    set_copy(&left, set);
    while (left.n) {
        struct mech_split *s = split_first_of(m->pool, &left, &some);
        const bool parked = s->own[DWS_STATUS] == DWS_PARKED;
        CHECK((parked || s->own[DWS_STATUS] == DWS_WAITS) && s->pc == pc);
        struct dws_home *h = dws_home_of(m, s);
        mask_take(&h->waiting, h->first, &some);
        if (dws_waits(h, s)) continue;
        if (!parked || dws_unpark(m, s))
            dws_go(m, s);
        else
            give_turns(m, s->own[DWS_HOME]);
    }
}

static void dws_wake(struct mech *m, struct mech_split *s, uint32_t warp, uint32_t mask) {
    const struct dws *d = m->self;
    (void)warp, (void)mask;
    if (!order_holds(s)) return;
    order_wake(m->order, s);
    if (s->wake == MECH_NEVER)
        dws_consider(m, s);
    else if (d->by_pc && dws_home_of(m, s)->active > 1)
        dws_meet(m, s);
}

extern const struct mech_ops mech_dws;
const struct mech_ops mech_dws = {
    .name = "dws",
    .title = "Dynamic warp subdivision",
    .source = "HARP 2.3, 5; ISCA 2010",
    .caps = MECH_ANY_CODE | MECH_AT_HOME,
    .params = MECH_PARAM_ROWS(DWS_PARAMS),
    .counters = MECH_COUNTER_ROWS(DWS_COUNTERS),
    .self_bytes = sizeof(struct dws),
    .create = dws_create,
    .start = dws_start,
    .select = dws_select,
    .commit = dws_commit,
    .advance = dws_advance,
    .memory = dws_memory,
    .release = dws_release,
    .wake = dws_wake,
    .next = dws_next,
    .census = dws_census,
    .places = dws_places,
    .state = dws_state,
    .storage = dws_storage,
    .audit = dws_audit,
};
