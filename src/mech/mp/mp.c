/* Multi-path execution (MP): all sides of a branch can be scheduled, and still meet at the immediate post-dominator.
 *
 * Every home warp has a splits table (ST), one row {PC, RPC, mask} per schedulable split, and a reconvergence table (RT),
 * one entry {PC, RPC, mask, pending mask} per place at which threads will meet; tables.h has both and how they
 * hang together. Here are the rules that change them: divergence, arrival, exit, barriers, early meetings.
 *
 * As in mech/lib/stack.c a place is a PC *and* a call depth, and sides that meet only at the function's end meet where it
 * returns to: such an entry is `open`, its PC known when the first thread returns.
 *
 * Opportunistic early reconvergence adds an entry inside a block for two splits that lead to the same place. It asks for
 * the call depth of the branch behind that place: only then do both have the same calls behind them.
 *
 * Choices where the slides are silent: splits are as old as their warp, so that orders by age treat all paths of it
 * alike (as the youngest of all, new ones would only run, and meet others, when older warps leave a slot); who stops at
 * a barrier gives up an early meeting (others may hold it there for ever) but not a post-dominator; threads that have
 * waited at a place for `patience` cycles go on without the others if one of these spins or stands at a barrier, so that
 * a lock that is released behind the loop that takes it is released; a row that does not fit is kept in memory and takes
 * turns with the others of its warp; an entry that does not fit is read back when it is complete. */
#include <inttypes.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "mech/lib/order.h"
#include "mech/lib/set.h"
#include "mech/lib/split.h"
#include "mech/mp/tables.h"

/* ---- early reconvergence ---- */

/* Where t is in the block of s, once what it has in flight is done; IR_NOPC: not there, or leading elsewhere. */
static uint32_t next_in_block(const struct mech *m, const struct mech_split *s, const struct mech_split *t) {
    const struct ir_insn *code = m->env.module->code.v, *at = &code[t->pc];
    if (t == s || t->own[MP_STATUS] != MP_ROW || t->own[MP_TO] != s->own[MP_TO] ||
        t->own[MP_DEPTH] != s->own[MP_DEPTH] || at->block != code[s->pc].block)
        return IR_NOPC;
    if (t->in_flight) return at->flags & IR_F_ENDS ? IR_NOPC : t->pc + 1;
    return t->pc;
}

/* The other split that is furthest in the block that s enters; NULL: none. */
static struct mech_split *leader_for(const struct mech *m, const struct mech_split *s, uint32_t *place) {
    const struct mp_home *h = mp_home_of(m, s);
    struct mech_split *lead = NULL;
    *place = s->pc;
    for (uint32_t k = 0; k < h->splits; k++) {
        struct mech_split *t = split_at(m->pool, h->split[k]);
        uint32_t next = next_in_block(m, s, t);
        if (next == IR_NOPC || next < *place || (lead && next == *place)) continue;
        lead = t;
        *place = next;
    }
    return lead;
}

/* s enters a block. True: it will meet another split there. */
static bool mp_meet(struct mech *m, struct mech_split *s) {
    struct mp_home *h = mp_home_of(m, s);
    const uint32_t to = s->own[MP_TO];
    uint32_t place;
    if (mp_entry_early(h, to) || s->own[MP_STATUS] == MP_AWAY ||
        s->own[MP_DEPTH] != (to == MP_NONE ? 0 : h->rt[to].level))
        return false;
    struct mech_split *lead = leader_for(m, s, &place);
    if (!lead) return false;
    struct mp_entry e = {.pc = place,
                         .depth = (int32_t)s->own[MP_DEPTH],
                         .to = to,
                         .level = s->own[MP_DEPTH],
                         .branch = IR_NOPC,
                         .age = s->age < lead->age ? s->age : lead->age};
    mask_put(&e.mask, h->first, &s->set);
    mask_put(&e.mask, h->first, &lead->set);
    s->own[MP_TO] = lead->own[MP_TO] = mp_entry_add(m, h, e);
    mech_event(m, "to meet early at %" PRIu32, place);
    if (!lead->in_flight) mp_arrive(m, lead);
    return true;
}

/* s goes on at its PC: it may be at a place, meet others (also mid-block when it comes `back` from a barrier), or run. */
static void mp_go_on(struct mech *m, struct mech_split *s, bool back) {
    const struct mp *p = m->self;
    const struct ir_insn *code = m->env.module->code.v;
    do s = mp_settle(m, s);
    while (s && p->early && mp_home_of(m, s)->splits > 1 && (back || code[s->pc].flags & IR_F_LEADER) &&
           mp_meet(m, s));
    if (s) mp_schedule(m, s);
}

/* ---- leaving entries ---- */

/* Threads exited. Further up they are still pending when an entry fires, so none of those fires before its turn. */
static void exit_from(struct mech *m, uint32_t home, uint32_t i, const struct mech_set *gone) {
    const struct mp *p = m->self;
    while (i != MP_NONE) {
        uint32_t up = p->home[home].rt[i].to;
        struct mech_split *s = mp_forgo(m, home, i, gone);
        if (s) mp_go_on(m, s, false);
        i = up;
    }
}

static void wait_at(struct mech *m, struct mech_split *s, uint32_t pc) {
    const struct mp_home *h = mp_home_of(m, s);
    s->pc = pc;
    order_remove(m->order, s);
    mp_set_status(m, s, MP_WAITS);
    while (mp_entry_early(h, s->own[MP_TO])) {
        uint32_t i = s->own[MP_TO];
        s->own[MP_TO] = h->rt[i].to;
        struct mech_split *others = mp_forgo(m, s->own[MP_HOME], i, &s->set);
        if (others) mp_go_on(m, others, false);
    }
}

/* ---- the clock ---- */

static void ring_home(struct mech *m, uint32_t home) {
    struct mp *p = m->self;
    struct mp_home *h = &p->home[home];
    for (uint32_t i = 0; i < h->n; i++) {
        if (!h->rt[i].used) continue;
        if (h->rt[i].alarm <= *m->env.now && mp_in_vain(m, h, i)) {
            mp_go_on(m, mp_let_go(m, home, i), false);
            continue;
        }
        if (h->rt[i].alarm <= *m->env.now) h->rt[i].alarm = *m->env.now + mp_params(m)->patience;
        if (h->rt[i].alarm < p->alarm) p->alarm = h->rt[i].alarm;
    }
    mp_come_back(m, h);
    for (uint32_t k = 0; h->away && k < h->splits; k++) {
        const struct mech_split *s = split_at(m->pool, h->split[k]);
        uint64_t due = s->own[MP_STATUS] == MP_AWAY ? p->due[s->id] : MECH_NEVER;
        if (due > *m->env.now && due < p->alarm) p->alarm = due;
    }
}

static void mp_ring(struct mech *m) {
    struct mp *p = m->self;
    p->alarm = MECH_NEVER;
    for (uint32_t k = 0; k < p->homes; k++)
        if (p->home[k].used || p->home[k].away) ring_home(m, k);
}

static uint64_t mp_next(const struct mech *m, uint32_t sched) {
    (void)sched;
    return ((const struct mp *)m->self)->alarm;
}

static bool mp_select(struct mech *m, uint32_t sched, struct mech_packet *out) {
    struct mp *p = m->self;
    if (*m->env.now >= p->alarm) mp_ring(m);
    struct mech_split *s = order_pick(m->order, sched, *m->env.now);
    if (!s) return false;
    mp_counts(m)->rt_sum += p->entries;
    mp_counts(m)->rt_samples++;
    split_issue(m, out, s);
    return true;
}

/* ---- launch, commit, release ---- */

static bool create_basic(struct mech *m, struct err *e) {
    (void)e;
    struct mp *p = m->self;
    p->homes = split_homes(&m->env);
    p->home = PAGES_NEW(m->env.pages, struct mp_home, p->homes);
    p->due = pages_raw(m->env.pages, m->pool->cap * sizeof *p->due);
    p->alarm = MECH_NEVER;
    return true;
}

static bool mp_create(struct mech *m, struct err *e) {
    ((struct mp *)m->self)->early = mp_params(m)->opportunistic;
    return create_basic(m, e);
}

static void mp_start(struct mech *m, struct mech_split *s, uint32_t home) {
    struct mp *p = m->self;
    struct mp_home *h = &p->home[home];
    CHECK(!h->splits && !h->used);
    if (!h->split) h->split = PAGES_NEW(m->env.pages, uint32_t, m->env.warp_size);
    h->first = s->set.p[0].warp;
    h->sched = s->sched;
    mp_split_enlist(m, s, home);
    mp_schedule(m, s);
}

/* Does the branch join where its split is on the way to anyway? */
static bool same_place(const struct mp_home *h, uint32_t to, uint32_t rpc, int32_t depth) {
    if (to == MP_NONE) return rpc == IR_NOPC && depth < 0;
    const struct mp_entry *e = &h->rt[to];
    return e->depth == depth && (rpc == IR_NOPC ? e->open : !e->open && e->pc == rpc);
}

/* What the branch that s has just executed adds to the RT if its sides differ. */
static struct mp_entry mp_join_of(const struct mech_split *s, const struct mech_outcome *o) {
    const bool open = o->insn->rpc == IR_NOPC;
    return (struct mp_entry){.pc = o->insn->rpc,
                             .depth = (int32_t)s->own[MP_DEPTH] - open,
                             .to = s->own[MP_TO],
                             .level = s->own[MP_DEPTH],
                             .branch = o->pc,
                             .age = s->age,
                             .open = open};
}

static void mp_diverge(struct mech *m, const struct mech_outcome *o, struct mp_entry e,
                       struct mech_split **side, uint32_t n) {
    struct mp_home *h = mp_home_of(m, side[0]);
    uint32_t to = e.to;
    if (!same_place(h, to, o->insn->rpc, e.depth)) {
        for (uint32_t k = 0; k < o->nsides; k++) mask_put(&e.mask, h->first, &o->side[k].set);
        to = mp_entry_add(m, h, e);
    }
    for (uint32_t k = 0; k < n; k++) side[k]->own[MP_TO] = to;
    split_diverged(m, n);
}

static void mp_commit_sides(struct mech *m, struct mech_split *s, const struct mech_outcome *o) {
    struct mech_split *side[MECH_SIDES];
    const struct mp_entry e = mp_join_of(s, o);
    const uint32_t n = split_sides(m, s, o, MP_DEPTH, side);
    for (uint32_t k = 0; k + 1 < n; k++) mp_split_join(m, side[k], s);
    if (n > 1) mp_diverge(m, o, e, side, n);
    for (uint32_t k = n; k--;) mp_go_on(m, side[k], false);
}

/* While its threads are sorted out s has no row, so that no other split can be made to meet it where it was. */
static void mp_commit_slow(struct mech *m, struct mech_split *s, const struct mech_outcome *o) {
    const uint32_t home = s->own[MP_HOME], to = s->own[MP_TO];
    mp_set_status(m, s, MP_NEW);
    split_exit(m->pool, s, &o->exited);
    if (!s->threads) {
        mp_split_drop(m, s);
        exit_from(m, home, to, &o->exited);
        return;
    }
    if (o->exited.n) exit_from(m, home, to, &o->exited);
    if (o->waiting.n) wait_at(m, o->nsides ? mp_split_divide(m, s, &o->waiting) : s, o->pc + 1);
    if (o->nsides) mp_commit_sides(m, s, o);
}

static void mp_commit(struct mech *m, struct mech_split *s, const struct mech_outcome *o) {
    struct mp_home *h = mp_home_of(m, s);
    if (o->nsides == 1 && !o->exited.n && !o->waiting.n && !o->depth_change) {
        s->pc = o->side[0].pc;
        mp_go_on(m, s, false);
    } else {
        mp_commit_slow(m, s, o);
    }
    if (h->away) mp_come_back(m, h);
}

static void mp_release(struct mech *m, const struct mech_set *set, uint32_t pc) {
    struct mech_set left, some;
    set_copy(&left, set);
    while (left.n) {
        struct mech_split *s = split_first_of(m->pool, &left, &some);
        CHECK(s->own[MP_STATUS] == MP_WAITS && s->pc == pc);
        struct mp_home *h = mp_home_of(m, s);
        if (!set_equal(&some, &s->set)) s = mp_split_divide(m, s, &some);
        mp_set_status(m, s, MP_NEW);
        mp_go_on(m, s, true);
        if (h->away) mp_come_back(m, h);
    }
}

/* ---- what they are called ---- */

#define OPS                                                                                                  \
    .source = "MP, HPCA 2014", .caps = MECH_ANY_CODE | MECH_PROGRESS,                                        \
    .counters = MECH_COUNTER_ROWS(MP_COUNTERS), .self_bytes = sizeof(struct mp), .start = mp_start,          \
    .select = mp_select, .commit = mp_commit, .release = mp_release, .next = mp_next, .clocked = mp_clocked, \
    .census = mp_census, .places = mp_places, .state = mp_state, .storage = mp_storage, .audit = mp_audit

extern const struct mech_ops mech_mp, mech_mp_basic;
const struct mech_ops mech_mp = {.name = "mp",
                                 .title = "Multi-path, opportunistic",
                                 .asks_spinning = true,
                                 .params = MECH_PARAM_ROWS(MP_PARAMS),
                                 .create = mp_create,
                                 OPS};
const struct mech_ops mech_mp_basic = {.name = "mp-basic",
                                       .title = "Multi-path",
                                       .asks_spinning = true,
                                       .params = MECH_PARAM_ROWS(MP_BASIC_PARAMS),
                                       .create = create_basic,
                                       OPS};
