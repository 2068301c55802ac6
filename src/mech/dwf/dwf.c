/* DWF: dynamic warp formation (the thesis's chapter 4). At every commit threads leave their warp and are grouped by next PC with
 * threads of other warps of the same scheduler.
 *
 * A warp that commits is in the warp update registers, one for each next PC. The PC-warp LUT knows, for a PC, the warp of
 * the pool that is being formed for it (IDX) and its lanes taken (OCC). Threads whose lanes are free join it; if others are
 * left, they found a new warp and IDX moves on to that: the old one gets no more threads. An evicted LUT entry leaves its
 * warp in the pool, where it issues as it is. A warp that issues gives its pool entry and its LUT entry back.
 *
 * Threads of different blocks, and at different call depths, may share a warp: registers and frames are the thread's own.
 *
 * Deviations and choices: an indirect branch with more PCs than update registers holds the scheduler for the extra cycles
 * (DWF note 12); any other commit in a cycle is free. Threads that wait at a barrier are in no pool entry: a block's
 * barrier knows its threads, not the warps they came in, and so releases them by their numbers, as they were first
 * created, a home warp after the other; each arrives like a committing warp. With issue = scoreboard a warp may wait in
 * the pool for operands: it can still be joined, but is in the scheduler's heap only while it could issue. A set of
 * threads has at most MECH_PIECES architectural warps; where an SM has more, a merge that might exceed that is not
 * made. */
#include "mech/dwf/dwf.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "mech/lib/set.h"

/* ---- forming warps ---- */

/* Whether a warp with threads that have passed so many post-dominators ranks as a, not as b. */
static bool ranks_below(const struct mech *m, uint32_t a, uint32_t b) {
    return dwf_params(m)->rank == DWF_LEAST ? a < b : a > b;
}

/* Threads of s join `into` where they fit. True: all of them, s is gone. */
static bool dwf_join(struct mech *m, struct mech_split *into, struct mech_split *s) {
    struct dwf *d = m->self;
    struct mech_set fit;
    if (into->threads == d->width) return false;
    dwf_fitting(m, into, s, &fit);
    const uint32_t n = set_count(&fit);
    const bool all = n == s->threads;
    if (!all) dwf_counts(m)->lane_conflicts++;
    if (!n) return false;
    mech_event(m, "%" PRIu32 " join warp %" PRIu32, n, into->id);
    dwf_counts(m)->merges++;
    dwf_counts(m)->merged_threads += n;
    m->stats.reconvergences++;
    if (ranks_below(m, d->w[s->id].passed, d->w[into->id].passed)) d->w[into->id].passed = d->w[s->id].passed;
    if (all) {
        d->w[into->id].stale |= d->w[s->id].stale;
        split_merge(m, into, s);
    } else {
        d->w[s->id].stale = d->w[into->id].stale = true;
        set_remove(&s->set, &fit);
        s->threads -= n;
        split_bind(m->pool, into, &fit);
        set_union(&into->set, &fit);
        into->threads += n;
    }
    dwf_update(m, into);
    dwf_changed(m, into);
    return all;
}

void dwf_close(struct mech *m, const struct mech_split *s) {
    struct dwf *d = m->self;
    if (d->w[s->id].lut == DWF_NONE) return;
    lookup_drop(&d->q[s->sched].lut, d->w[s->id].lut);
    d->w[s->id].lut = DWF_NONE;
}

/* IDX of its PC is s from here on; e was the PC's entry, and may have gone when a warp was spilled. */
static void dwf_publish(struct mech *m, struct mech_split *s, uint32_t e) {
    struct dwf *d = m->self;
    struct lookup *l = &d->q[s->sched].lut;
    uint32_t old;
    if (e != LOOKUP_NONE && l->e[e].used) {
        old = l->e[e].value;
        l->e[e].value = s->id;
    } else {
        e = lookup_put(l, s->pc, s->id, &old);
        if (old != LOOKUP_NONE) dwf_counts(m)->lut_evictions++;
    }
    if (old != LOOKUP_NONE) d->w[old].lut = DWF_NONE;
    d->w[s->id].lut = e;
}

/* What its threads have passed when they arrive at s->pc, and of these what it ranks by; nothing new, mostly. */
static void dwf_pass(struct mech *m, const struct mech_split *s) {
    struct dwf *d = m->self;
    struct dwf_warp *w = &d->w[s->id];
    const uint32_t more = d->is_pdom[s->pc];
    uint32_t rank = dwf_params(m)->rank == DWF_LEAST ? UINT32_MAX : 0;
    if (!more && !w->stale) return;
    for (uint32_t k = 0; k < s->set.n; k++) {
        uint32_t *passed = d->passed + s->set.p[k].warp * 32;
        FOR_LANES(l, s->set.p[k].mask) {
            passed[l] += more;
            if (ranks_below(m, passed[l], rank)) rank = passed[l];
        }
    }
    w->passed = rank;
    w->stale = false;
}

static struct mech_split *dwf_divide(struct mech *m, struct mech_split *s, const struct mech_set *part) {
    struct dwf *d = m->self;
    struct mech_split *t = split_divide(m, s, part);
    d->w[s->id].stale = d->w[t->id].stale = true;
    return t;
}

/* The threads of s, which is in no place, go on at pc. */
static void dwf_arrive(struct mech *m, struct mech_split *s, uint32_t pc) {
    struct dwf *d = m->self;
    struct lookup *l = &d->q[s->sched].lut;
    s->pc = pc;
    s->in_flight = false;
    d->w[s->id].lut = DWF_NONE;
    if (d->policy == DWF_DPDPRI) dwf_pass(m, s);
    const uint32_t e = lookup_find(l, pc);
    dwf_counts(m)->lut_lookups++;
    if (e == LOOKUP_NONE)
        dwf_counts(m)->lut_misses++;
    else if (dwf_join(m, split_at(m->pool, l->e[e].value), s))
        return;
    if (dwf_enter(m, s)) dwf_publish(m, s, e);
}

/* Enters threads that a barrier released, with barrier = first: they join no warp and no thread joins them. */
static void arrive_first(struct mech *m, struct mech_split *s, uint32_t pc) {
    struct dwf *d = m->self;
    s->pc = pc;
    s->in_flight = false;
    d->w[s->id].lut = DWF_NONE;
    d->w[s->id].first = true;
    if (d->policy == DWF_DPDPRI) dwf_pass(m, s);
    dwf_enter(m, s);
}

/* ---- the interface ---- */

static bool dwf_limits(struct mech *m, struct err *e) {
    struct dwf *d = m->self;
    d->policy = dwf_params(m)->policy;
    d->lanes = dwf_params(m)->lanes;
    d->grouped = d->policy == DWF_DMAJ || d->policy == DWF_DMIN;
    d->real_heap = d->policy == DWF_DMAJ && dwf_params(m)->majority != DWF_IDEAL;
    d->pipelined = dwf_params(m)->majority == DWF_PIPELINED;
    d->one_port = dwf_params(m)->pool_layout == DWF_ARRAY;
    d->width = m->env.warp_size;
    d->words = d->width > 32 ? d->width / 32 : 1;
    d->beats = (d->width + m->env.simd_width - 1) / m->env.simd_width;
    d->banks = m->env.simd_width < d->width ? m->env.simd_width : d->width;
    d->slots = d->width / d->banks;
    d->pool = dwf_params(m)->pool ? dwf_params(m)->pool : m->pool->cap;
    d->q = PAGES_NEW(m->env.pages, struct dwf_sched, m->env.schedulers);
    for (uint32_t k = 0; k < m->env.schedulers; k++)
        if (!lookup_init(&d->q[k].lut, m->env.pages, "dwf.lut_entries", dwf_params(m)->lut_entries,
                         dwf_params(m)->lut_ways, e))
            return false;
    return true;
}

static void dwf_make_tables(struct mech *m) {
    struct dwf *d = m->self;
    const struct ir_module *code = m->env.module;
    const uint32_t cap = m->pool->cap;
    struct pages *pages = m->env.pages;
    d->w = PAGES_NEW(pages, struct dwf_warp, cap);
    d->pos = PAGES_NEW(pages, uint32_t, cap);
    dwf_homes_init(m);
    for (uint32_t k = 0; k < m->env.schedulers; k++) {
        struct dwf_sched *q = &d->q[k];
        q->timed = heap_new(pages, d->pos);
        q->ready = heap_new(pages, d->pos);
    }
    if (d->policy != DWF_DPDPRI) return;
    d->passed = PAGES_NEW(pages, uint32_t, cap);
    d->is_pdom = PAGES_NEW(pages, bool, code->code.n + 1);
    for (size_t pc = 0; pc < code->code.n; pc++) {
        const struct ir_insn *i = &code->code.v[pc];
        const bool branch = (i->op == IR_BRA && ir_is_conditional(i)) || i->op == IR_BRX;
        if (branch && i->rpc < code->code.n) d->is_pdom[i->rpc] = true;
    }
}

static bool dwf_create(struct mech *m, struct err *e) {
    if (!dwf_limits(m, e) || !dwf_groups_init(m, e)) return false;
    dwf_make_tables(m);
    return true;
}

static void dwf_start(struct mech *m, struct mech_split *s, uint32_t home) {
    struct dwf *d = m->self;
    dwf_homes_give(m, &s->set, home);
    for (uint32_t k = 0; d->passed && k < s->set.n; k++)
        FOR_LANES(l, s->set.p[k].mask) d->passed[s->set.p[k].warp * 32 + l] = 0;
    d->w[s->id].stale = true;
    dwf_arrive(m, s, s->pc);
}

static bool dwf_select(struct mech *m, uint32_t sched, struct mech_packet *p) {
    const struct dwf *d = m->self;
    struct mech_split *s = dwf_pick(m, sched);
    if (!s) return false;
    split_issue(m, p, s);
    if (d->lanes >= DWF_CONFLICT) p->register_stall = dwf_register_stall(m, s);
    return true;
}

static void dwf_park(struct mech *m, struct mech_split *s, uint32_t pc) {
    struct dwf *d = m->self;
    s->pc = pc;
    s->in_flight = false;
    d->w[s->id].state = DWF_PARKED;
    d->w[s->id].lut = DWF_NONE;
}

/* The update registers take so many next PCs a cycle. */
static void dwf_diverge(struct mech *m, const struct mech_split *s, uint32_t sides) {
    struct dwf *d = m->self;
    const uint32_t regs = dwf_params(m)->update, extra = (sides + regs - 1) / regs - 1;
    uint64_t *until = &d->q[s->sched].update_until;
    split_diverged(m, sides);
    if (!extra) return;
    if (*until < *m->env.now) *until = *m->env.now;
    *until += extra;
    dwf_counts(m)->update_stalls += extra;
}

static void dwf_commit(struct mech *m, struct mech_split *s, const struct mech_outcome *o) {
    struct dwf *d = m->self;
    const uint32_t sched = s->sched;
    if (o->exited.n) {
        split_exit(m->pool, s, &o->exited);
        d->w[s->id].stale = true;
    }
    if (o->nsides > 1) dwf_diverge(m, s, o->nsides);
    if (!s->threads) {
        split_free(m, s);
    } else if (!o->nsides) {
        dwf_park(m, s, o->pc + 1);
    } else {
        if (o->waiting.n) dwf_park(m, dwf_divide(m, s, &o->waiting), o->pc + 1);
        for (uint32_t k = 1; k < o->nsides; k++)
            dwf_arrive(m, dwf_divide(m, s, &o->side[k].set), o->side[k].pc);
        dwf_arrive(m, s, o->side[0].pc);
    }
    dwf_refill(m, sched);
}

static bool mech_dwf_memory(struct mech *m, struct mech_split *s, const struct mech_set *ready) {
    if (dwf_params(m)->memory == DWF_BY_WARP || set_empty(ready) || set_equal(ready, &s->set)) return false;
    dwf_arrive(m, dwf_divide(m, s, ready), s->pc + 1);
    dwf_refill(m, s->sched);
    return true;
}

static void dwf_release(struct mech *m, const struct mech_set *set, uint32_t pc) {
    struct dwf *d = m->self;
    struct mech_set left;
    set_copy(&left, set);
    while (left.n) {
        struct mech_split *s = split_gather_home(m, &left);
        const uint32_t sched = s->sched;
        d->w[s->id].stale = true;
        (dwf_params(m)->barrier == DWF_FIRST ? arrive_first : dwf_arrive)(m, s, pc);
        dwf_refill(m, sched);
    }
}

static void dwf_wake(struct mech *m, struct mech_split *s, uint32_t warp, uint32_t mask) {
    const struct dwf *d = m->self;
    (void)warp, (void)mask; /* a warp waits for all of its threads */
    const enum dwf_state at = d->w[s->id].state;
    if (at == DWF_TIMED || at == DWF_EVENT) dwf_changed(m, s);
}

static void dwf_census(const struct mech *m, struct mech_census *c) {
    const struct dwf *d = m->self;
    *c = (struct mech_census){.inactive_path = d->spilled};
}

/* True for a warp in memory or on its way there or back: the one that has been there longest returns next. */
static bool dwf_clocked(const struct mech *m, uint32_t warp, uint32_t lane) {
    const struct dwf *d = m->self;
    const struct mech_split *s = split_of(m->pool, warp, lane);
    return s && (d->w[s->id].state == DWF_SPILLED || d->w[s->id].refill);
}

extern const struct mech_ops mech_dwf;
const struct mech_ops mech_dwf = {
    .name = "dwf",
    .title = "Dynamic warp formation",
    .source = "DWF 4",
    .caps = MECH_ANY_CODE,
    .params = MECH_PARAM_ROWS(DWF_PARAMS),
    .counters = MECH_COUNTER_ROWS(DWF_COUNTERS),
    .self_bytes = sizeof(struct dwf),
    .create = dwf_create,
    .start = dwf_start,
    .select = dwf_select,
    .commit = dwf_commit,
    .memory = mech_dwf_memory,
    .release = dwf_release,
    .wake = dwf_wake,
    .clocked = dwf_clocked,
    .next = dwf_next,
    .census = dwf_census,
    .state = dwf_state,
    .storage = dwf_storage,
    .audit = dwf_audit,
};
