/* HARP: diverged threads are regrouped with those of other warps while they are apart, and the warps they came from are
 * revived at the reconvergence point (HARP 4).
 *
 * Warps and barriers are as wide as the SIMD group. Every scheduler has five tables: First-Level, Second-Level
 * (level.c), Ready-Lookup, Waiting-Lookup (lookup.c) and Re-convergence Barriers (barrier.c). What a commit
 * does is here:
 *
 *   several next PCs   the warp dies; a barrier at the RPC is reserved for each of its threads; each side's threads merge
 *                      into warps of Ready-Lookup at the same PC or found one there
 *   one next PC        threads that have a barrier there are marked in it and leave the warp; the rest goes on
 *   a barrier is full  the warp of its threads is revived and goes to Second-Level
 *
 * and a warp that issues an access to global memory enters Waiting-Lookup, where warps at the same instruction merge.
 * Threads never change their lane or their scheduler, so registers stay where they are.
 *
 * Where the paper is silent: a side that is at the RPC already is marked at once. A branch with more than two targets makes
 * a warp of every side. Threads that wait at a block barrier or a .sync instruction leave the warp, are no entry of any
 * table, and go on as they were parked. Exited threads leave their barriers. The access of barrier_latency cycles delays
 * whatever a commit sends to Second-Level by barrier_latency - 1; lookups run beside it (7.3.2). Warps hold threads of one
 * call depth only. Under issue = scoreboard a load is committed when it issues, so Waiting-Lookup has nothing to wait for and,
 * unless `depart` = few, holds nothing. */
#include "mech/harp/harp.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "mech/lib/order.h"
#include "mech/lib/set.h"

static struct harp_sched *tables_of(const struct mech *m, const struct mech_split *s) {
    const struct harp *h = m->self;
    return &h->q[s->sched];
}

/* ---- life ---- */

static bool harp_create(struct mech *m, struct err *e) {
    const struct harp_params *param = harp_params(m);
    const uint32_t barriers = param->barriers;
    const uint32_t ways = param->barrier_ways < barriers ? param->barrier_ways : barriers;
    if (barriers % ways)
        return err_set(e, ERR_INPUT,
                       "harp.barriers is %" PRIu32 ": it must be a multiple of harp.barrier_ways, %" PRIu32,
                       barriers, ways);
    struct harp *h = m->self;
    struct pages *pages = m->env.pages;
    h->cap_first = param->first;
    h->cap_second = param->second;
    h->cap_ready = param->ready_lookup;
    h->cap_waiting = param->waiting_lookup;
    h->latency = param->barrier_latency;
    h->few = param->few;
    h->first_counts = param->count == HARP_COUNT_BOTH ? UINT32_MAX : 0;
    h->whole = param->waiting == HARP_MERGE_WARP;
    h->keep = param->depart == HARP_DEPART_FEW;
    h->spill = param->spill;
    h->ways = ways;
    h->sets = barriers / ways;
    uint32_t *pos = PAGES_NEW(pages, uint32_t, m->pool->cap);
    h->q = PAGES_NEW(pages, struct harp_sched, m->env.schedulers);
    for (uint32_t k = 0; k < m->env.schedulers; k++) {
        struct harp_sched *q = &h->q[k];
        q->timed = heap_new(pages, pos);
        q->lookup = PAGES_NEW(pages, struct harp_ready, h->cap_ready + 1);
        q->waiting = PAGES_NEW(pages, struct harp_waiting, h->cap_waiting + 1);
        harp_barriers_new(m, q);
    }
    return true;
}

/* Tables as the cycles before this one have left them. */
static inline void harp_catch_up(struct mech *m, struct harp_sched *q) {
    if (*m->env.now) harp_advance(m, q, *m->env.now - 1);
}

static void harp_start(struct mech *m, struct mech_split *s, uint32_t home) {
    (void)home;
    struct harp_sched *q = tables_of(m, s);
    harp_catch_up(m, q);
    harp_to_second(m, q, s, 0);
}

/* ---- issue ---- */

static bool global_access(const struct ir_insn *i) {
    switch (ir_ops[i->op].cls) {
    case IR_C_TEX: return true;
    case IR_C_ASYNC: return i->op == IR_CP_WAIT;
    case IR_C_LDST:
    case IR_C_ATOM: return i->space != IR_SP_SHARED && i->space != IR_SP_PARAM && i->space != IR_SP_CONST;
    default: return false;
    }
}

static void sample_one(uint64_t *sum, uint64_t *max, uint32_t used) {
    *sum += used;
    if (used > *max) *max = used;
}

/* How full the tables are, at every issue. */
static void harp_sample(struct harp_counts *c, const struct harp_sched *q) {
    c->samples++;
    sample_one(&c->first_sum, &c->first_max, q->first);
    sample_one(&c->second_sum, &c->second_max, q->second);
    sample_one(&c->ready_sum, &c->ready_max, q->nlookup);
    sample_one(&c->waiting_sum, &c->waiting_max, q->nwaiting);
    sample_one(&c->barriers_sum, &c->barriers_max, q->nbarriers);
}

static bool harp_select(struct mech *m, uint32_t sched, struct mech_packet *p) {
    struct harp *h = m->self;
    struct harp_sched *q = &h->q[sched];
    harp_advance(m, q, *m->env.now);
    if (!(q->first | q->ready.n)) return false;
    harp_fill_first(m, q);
    struct mech_split *s = order_pick(m->order, sched, *m->env.now);
    if (!s) return false;
    harp_sample(harp_counts(m), q);
    q->first--;
    s->own[HARP_WHERE] = HARP_NOWHERE;
    if (global_access(&m->env.module->code.v[s->pc])) harp_waiting_enter(m, q, s);
    split_issue(m, p, s);
    return true;
}

static uint64_t harp_next(const struct mech *m, uint32_t sched) {
    const struct harp *h = m->self;
    return harp_next_transition(m, &h->q[sched]);
}

/* ---- commit ---- */

/* To be called before anything else happens to the tables whenever a barrier may have become complete. Revived warps may be
 * at an outer barrier too: the place a function returns to, and then the caller's RPC. */
static void revive(struct mech *m, struct harp_sched *q) {
    for (struct mech_split *s; (s = harp_revive(m, q));)
        if ((s = harp_arrive(m, q, s, false))) harp_to_revived(m, q, s);
}

/* s goes on at its PC unless it has arrived somewhere. */
static void proceed(struct mech *m, struct harp_sched *q, struct mech_split *s, bool returned) {
    const struct harp *h = m->self;
    s = harp_arrive(m, q, s, returned);
    if (s) harp_to_second(m, q, s, *m->env.now + h->latency - 1);
    revive(m, q);
}

/* Gives s the PC and, behind a call or return, the depth it has now; true: it has returned. */
static bool harp_move(const struct mech *m, struct mech_split *s, const struct mech_outcome *o, uint32_t pc) {
    s->pc = pc;
    if (!o->depth_change) return false;
    const uint32_t was = s->own[HARP_DEPTH];
    const struct mech_piece at = s->set.p[0];
    s->own[HARP_DEPTH] = m->env.depth(m->env.sm, at.warp, (uint32_t)__builtin_ctz(at.mask));
    return s->own[HARP_DEPTH] < was;
}

/* Some thread is still where the branch was made, or deeper. */
static bool some_stay(const struct mech *m, const struct mech_split *s) {
    for (uint32_t k = 0; k < s->set.n; k++) FOR_LANES(l, s->set.p[k].mask)
    if (m->env.depth(m->env.sm, s->set.p[k].warp, l) >= s->own[HARP_DEPTH]) return true;
    return false;
}

/* A barrier where the sides meet: the RPC; without one, the return, unless all return by this very instruction. */
static void mech_harp_reserve(struct mech *m, struct harp_sched *q, const struct mech_split *s,
                              const struct mech_outcome *o) {
    const uint32_t rpc = o->insn->rpc, depth = s->own[HARP_DEPTH];
    if (rpc != IR_NOPC)
        harp_reserve(m, q, &s->set, harp_key(rpc, depth));
    else if (depth && some_stay(m, s))
        harp_reserve(m, q, &s->set, harp_key(IR_NOPC, depth - 1));
}

/* The last side keeps the split, with a new age: it is another warp. */
static void harp_diverge(struct mech *m, struct harp_sched *q, struct mech_split *s,
                         const struct mech_outcome *o) {
    split_diverged(m, o->nsides);
    mech_harp_reserve(m, q, s, o);
    for (uint32_t k = 0; k < o->nsides; k++) {
        struct mech_split *t = k + 1 < o->nsides ? split_divide(m, s, &o->side[k].set) : s;
        if (t == s) s->age = m->pool->stamp++;
        bool returned = harp_move(m, t, o, o->side[k].pc);
        if ((t = harp_arrive(m, q, t, returned))) harp_lookup_put(m, q, t);
        revive(m, q);
    }
}

static void harp_park(struct mech *m, struct mech_split *s, const struct mech_outcome *o) {
    struct mech_split *t = o->nsides ? split_divide(m, s, &o->waiting) : s;
    t->pc = o->pc + 1;
    t->own[HARP_WHERE] = HARP_PARKED;
}

/* The scheduler issues next: the host fetches the warps that go to and from First-Level then. */
static void harp_expect(const struct mech *m, const struct harp_sched *q, uint32_t sched) {
    __builtin_prefetch(q->ready.head);
    order_expect(m->order, sched);
}

/* What most commits are: all threads go on at a PC where no barrier is. */
static bool harp_goes_on(const struct harp_sched *q, const struct mech_split *s,
                         const struct mech_outcome *o) {
    return o->nsides == 1 && !(o->exited.n | o->waiting.n | o->depth_change | s->own[HARP_WAIT]) &&
           !harp_live(q, o->side[0].pc);
}

/* All data is back of a warp that was in that entry of Waiting-Lookup. */
static void harp_complete(struct mech *m, struct harp_sched *q, struct mech_split *s, uint32_t entry) {
    const struct harp *h = m->self;
    if (!h->keep) {
        proceed(m, q, s, false);
        return;
    }
    s = harp_arrive(m, q, s, false);
    if (s) harp_waiting_keep(m, q, entry, s);
    revive(m, q);
}

/* The access to memory that s made is back. */
static void come_back(struct mech *m, struct harp_sched *q, struct mech_split *s,
                      const struct mech_outcome *o, uint32_t entry) {
    struct harp_back b = {o->nsides == 1 ? s : NULL, &o->exited, o->pc, s->own[HARP_DEPTH], entry};
    for (struct mech_split *whole; (whole = harp_waiting_back(m, q, &b));)
        harp_complete(m, q, whole, b.entry - 1);
    if (b.s) proceed(m, q, b.s, false);
}

static void harp_commit(struct mech *m, struct mech_split *s, const struct mech_outcome *o) {
    const struct harp *h = m->self;
    struct harp_sched *q = tables_of(m, s);
    const uint32_t wait = s->own[HARP_WAIT];
    harp_catch_up(m, q);
    order_remove(m->order, s);
    if (harp_goes_on(q, s, o)) {
        s->pc = o->side[0].pc;
        harp_to_second(m, q, s, *m->env.now + h->latency - 1);
        harp_expect(m, q, s->sched);
        return;
    }
    s->own[HARP_WAIT] = 0;
    if (o->exited.n) {
        harp_leave(m, q, &o->exited);
        split_exit(m->pool, s, &o->exited);
        revive(m, q);
    }
    if (o->waiting.n) harp_park(m, s, o);
    bool returned = o->nsides == 1 && harp_move(m, s, o, o->side[0].pc);
    if (wait)
        come_back(m, q, s, o, wait - 1);
    else if (o->nsides == 1)
        proceed(m, q, s, returned);
    if (o->nsides > 1) harp_diverge(m, q, s, o);
    if (!o->nsides && !o->waiting.n) split_free(m, s);
}

static void harp_release(struct mech *m, const struct mech_set *set, uint32_t pc) {
    struct mech_set left;
    set_copy(&left, set);
    for (struct mech_split *s; (s = split_released(m, &left));) {
        struct harp_sched *q = tables_of(m, s);
        harp_catch_up(m, q);
        s->pc = pc;
        proceed(m, q, s, false);
    }
}

static void harp_wake(struct mech *m, struct mech_split *s, uint32_t warp, uint32_t mask) {
    (void)warp, (void)mask;
    struct harp_sched *q = tables_of(m, s);
    harp_catch_up(m, q);
    harp_woken(m, q, s);
}

static void harp_census(const struct mech *m, struct mech_census *c) {
    const struct harp *h = m->self;
    *c = (struct mech_census){.reconvergence = h->reached};
}

/* A warp has a thread for each lane of the SIMD group (HARP 4.2.4). */
static uint32_t harp_width(const void *params, uint32_t warp_size, uint32_t simd_width) {
    (void)params, (void)warp_size;
    return simd_width;
}

extern const struct mech_ops mech_harp;
const struct mech_ops mech_harp = {
    .name = "harp",
    .title = "HARP",
    .source = "HARP 4",
    .caps = MECH_ANY_CODE,
    .params = MECH_PARAM_ROWS(HARP_PARAMS),
    .counters = MECH_COUNTER_ROWS(HARP_COUNTERS),
    .self_bytes = sizeof(struct harp),
    .width = harp_width,
    .create = harp_create,
    .start = harp_start,
    .select = harp_select,
    .commit = harp_commit,
    .release = harp_release,
    .wake = harp_wake,
    .next = harp_next,
    .census = harp_census,
    .places = harp_places,
    .state = harp_state,
    .storage = harp_storage,
    .audit = harp_audit,
};
