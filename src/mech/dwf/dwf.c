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
 * (DWF note 12), whoever else commits in a cycle does so for free. Threads that wait at a barrier are in no pool entry: a
 * block's barrier knows its threads, not the warps they came in, and so releases them by their numbers, as they were first
 * created, a home warp after the other; each arrives like a committing warp. With issue = scoreboard a warp may wait in the pool for operands: it can
 * still be joined, but is in the scheduler's heap only while it could issue. A set of threads has at most MECH_PIECES
 * architectural warps; where an SM has more, a merge that might exceed that is not made. */
#include "mech/dwf/dwf.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "mech/set.h"

/* ---- home lanes ---- */

void dwf_occupied(const struct mech *m, const struct mech_split *s, uint32_t *occ) {
    const struct dwf *d = m->self;
    occ[0] = 0;
    if (d->words > 1) memset(occ, 0, d->words * sizeof *occ);
    for (uint32_t k = 0; k < s->set.n; k++) {
        const struct mech_piece p = s->set.p[k];
        occ[dwf_word(m, p.warp)] |= dwf_fold(d, dwf_lanes_of(m, p.warp, p.mask));
    }
}

/* ---- forming warps ---- */

static void fit_lanes(struct mech *m, const struct mech_split *into, const struct mech_set *set,
                      struct mech_set *fit) {
    uint32_t occ[MECH_WIDEST / 32];
    dwf_occupied(m, into, occ);
    for (uint32_t k = 0; k < set->n; k++) {
        const struct mech_piece p = set->p[k];
        const uint32_t lanes = dwf_lanes_of(m, p.warp, p.mask);
        const uint32_t free = lanes & ~dwf_spread(m->self, occ[dwf_word(m, p.warp)]);
        if (free) fit->p[fit->n++] = (struct mech_piece){p.warp, dwf_lanes_of(m, p.warp, free)};
    }
}

static void fit_room(uint32_t room, const struct mech_set *set, struct mech_set *fit) {
    for (uint32_t k = 0; room && k < set->n; k++) {
        uint32_t mask = set->p[k].mask, over = mask;
        for (; room && over; room--) over &= over - 1;
        fit->p[fit->n++] = (struct mech_piece){set->p[k].warp, mask & ~over};
    }
}

/* Threads of s that `into` has lanes for: in the figure's words REQ without CNF. */
static void fitting(struct mech *m, const struct mech_split *into, const struct mech_split *s,
                    struct mech_set *fit) {
    const struct dwf *d = m->self;
    fit->n = 0;
    if (m->env.warps > MECH_PIECES && into->set.n + s->set.n > MECH_PIECES) return;
    if (d->lanes == DWF_AWARE)
        fit_lanes(m, into, &s->set, fit);
    else
        fit_room(d->width - into->threads, &s->set, fit);
}

/* Threads of s join `into` where they fit. True: all of them, s is gone. */
static bool join(struct mech *m, struct mech_split *into, struct mech_split *s) {
    struct dwf *d = m->self;
    struct mech_set fit;
    if (into->threads == d->width) return false;
    fitting(m, into, s, &fit);
    const uint32_t n = set_count(&fit);
    const bool all = n == s->threads;
    if (!all) ++*dwf_count(m, DWF_C_CONFLICTS);
    if (!n) return false;
    mech_event(m, "%" PRIu32 " join warp %" PRIu32, n, into->id);
    ++*dwf_count(m, DWF_C_MERGES);
    *dwf_count(m, DWF_C_MERGED_THREADS) += n;
    m->stats.reconvergences++;
    if (d->w[s->id].passed < d->w[into->id].passed) d->w[into->id].passed = d->w[s->id].passed;
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
static void publish(struct mech *m, struct mech_split *s, uint32_t e) {
    struct dwf *d = m->self;
    struct lookup *l = &d->q[s->sched].lut;
    uint32_t old;
    if (e != LOOKUP_NONE && l->e[e].used) {
        old = l->e[e].value;
        l->e[e].value = s->id;
    } else {
        e = lookup_put(l, s->pc, s->id, &old);
        if (old != LOOKUP_NONE) ++*dwf_count(m, DWF_C_LUT_EVICTIONS);
    }
    if (old != LOOKUP_NONE) d->w[old].lut = DWF_NONE;
    d->w[s->id].lut = e;
}

/* What its threads have passed when they arrive at s->pc, and of these the least; nothing new, mostly. */
static void pass(struct mech *m, const struct mech_split *s) {
    struct dwf *d = m->self;
    struct dwf_warp *w = &d->w[s->id];
    uint32_t least = UINT32_MAX, more = d->is_pdom[s->pc];
    if (!more && !w->stale) return;
    for (uint32_t k = 0; k < s->set.n; k++) {
        uint32_t *passed = d->passed + s->set.p[k].warp * 32;
        FOR_LANES(l, s->set.p[k].mask) {
            passed[l] += more;
            if (passed[l] < least) least = passed[l];
        }
    }
    w->passed = least;
    w->stale = false;
}

static struct mech_split *divide(struct mech *m, struct mech_split *s, const struct mech_set *part) {
    struct dwf *d = m->self;
    struct mech_split *t = split_divide(m, s, part);
    d->w[s->id].stale = d->w[t->id].stale = true;
    return t;
}

/* The threads of s, which is in no place, go on at pc. */
static void arrive(struct mech *m, struct mech_split *s, uint32_t pc) {
    struct dwf *d = m->self;
    struct lookup *l = &d->q[s->sched].lut;
    s->pc = pc;
    s->in_flight = false;
    d->w[s->id].lut = DWF_NONE;
    if (d->policy == DWF_DPDPRI) pass(m, s);
    const uint32_t e = lookup_find(l, pc);
    ++*dwf_count(m, DWF_C_LUT_LOOKUPS);
    if (e == LOOKUP_NONE)
        ++*dwf_count(m, DWF_C_LUT_MISSES);
    else if (join(m, split_at(m->pool, l->e[e].value), s))
        return;
    if (dwf_enter(m, s)) publish(m, s, e);
}

/* ---- the interface ---- */

static bool limits(struct mech *m, struct err *e) {
    struct dwf *d = m->self;
    memcpy(d->param, m->env.param, sizeof d->param);
    d->policy = (enum dwf_policy)d->param[DWF_P_POLICY];
    d->lanes = (enum dwf_lanes)d->param[DWF_P_LANES];
    d->grouped = d->policy == DWF_DMAJ || d->policy == DWF_DMIN;
    d->real_heap = d->policy == DWF_DMAJ && !d->param[DWF_P_MAJORITY];
    d->width = m->env.warp_size;
    d->words = d->width > 32 ? d->width / 32 : 1;
    d->beats = (d->width + m->env.simd_width - 1) / m->env.simd_width;
    d->pool = d->param[DWF_P_POOL] ? (uint32_t)d->param[DWF_P_POOL] : m->pool->cap;
    d->q = xcalloc(m->env.schedulers, sizeof *d->q);
    for (uint32_t k = 0; k < m->env.schedulers; k++)
        if (!lookup_init(&d->q[k].lut, "dwf.lut_entries", (uint32_t)d->param[DWF_P_LUT_ENTRIES],
                         (uint32_t)d->param[DWF_P_LUT_WAYS], e))
            return false;
    return true;
}

static void destroy(struct mech *m) {
    struct dwf *d = m->self;
    for (uint32_t k = 0; k < m->env.schedulers; k++) {
        lookup_free(&d->q[k].lut);
        free(d->q[k].timed.v);
        free(d->q[k].ready.v);
    }
    dwf_groups_free(m);
    free(d->q);
    free(d->pos);
    free(d->passed);
    free(d->is_pdom);
    free(d->per_lane);
    free(d->swapped);
    free(d);
}

static void make_tables(struct mech *m) {
    struct dwf *d = m->self;
    const struct ir_module *code = m->env.module;
    const uint32_t cap = m->pool->cap;
    d->w = PAGES_NEW(m->env.pages, struct dwf_warp, cap);
    d->pos = xcalloc(cap, sizeof *d->pos);
    d->per_lane = xcalloc(d->width, sizeof *d->per_lane);
    d->swapped = xcalloc(m->env.warps, sizeof *d->swapped);
    for (uint32_t k = 0; k < m->env.schedulers; k++) {
        struct dwf_sched *q = &d->q[k];
        q->timed = (struct heap){.v = xcalloc(cap, sizeof(struct heap_item)), .pos = d->pos};
        q->ready = (struct heap){.v = xcalloc(d->grouped ? 1 : cap, sizeof(struct heap_item)), .pos = d->pos};
        q->spilled = q->unspill = DWF_NONE;
    }
    if (d->policy != DWF_DPDPRI) return;
    d->passed = xcalloc(cap, sizeof *d->passed);
    d->is_pdom = xcalloc(code->code.n + 1, sizeof *d->is_pdom);
    for (size_t pc = 0; pc < code->code.n; pc++) {
        const struct ir_insn *i = &code->code.v[pc];
        const bool branch = (i->op == IR_BRA && i->guard) || i->op == IR_BRX;
        if (branch && i->rpc < code->code.n) d->is_pdom[i->rpc] = true;
    }
}

static bool create(struct mech *m, struct err *e) {
    m->self = xcalloc(1, sizeof(struct dwf));
    if (limits(m, e) && dwf_groups_init(m, e)) {
        make_tables(m);
        return true;
    }
    destroy(m);
    return false;
}

/* 4.1's swizzling: of the warps of one scheduler, which alone exchange threads, every other one. */
static void swizzle(struct mech *m, const struct split_home *home) {
    struct dwf *d = m->self;
    if (!d->param[DWF_P_SWIZZLE] || split_rank(m->pool, home->id) % 2 == 0) return;
    for (uint32_t k = 0; k < home->set.n; k++) {
        const uint32_t mask = home->set.p[k].mask; /* of a pair both, though one may not exist */
        d->swapped[home->set.p[k].warp] |= mask | (mask & 0x55555555) << 1 | (mask >> 1 & 0x55555555);
    }
}

static void launch(struct mech *m, const struct mech_block *b) {
    struct dwf *d = m->self;
    struct split_home home;
    split_launch(m->pool, b);
    memset(d->swapped + b->first, 0, b->warps * sizeof *d->swapped);
    if (d->passed) memset(d->passed + b->first * 32, 0, b->warps * 32 * sizeof *d->passed);
    for (uint32_t k = 0; split_home_at(m->pool, b, k, &home); k++) {
        struct mech_split *s = split_new(m, home.sched, b->pc);
        swizzle(m, &home);
        split_assign(m->pool, s, &home.set);
        d->w[s->id].stale = true;
        arrive(m, s, b->pc);
    }
}

/* Threads beyond one that share a home lane read their registers one after the other. */
static uint32_t bank_stall(struct mech *m, const struct mech_split *s) {
    struct dwf *d = m->self;
    uint32_t most = 1;
    memset(d->per_lane, 0, d->width * sizeof *d->per_lane);
    for (uint32_t k = 0; k < s->set.n; k++) {
        const uint32_t warp = s->set.p[k].warp, base = dwf_word(m, warp) * 32;
        FOR_LANES(l, dwf_lanes_of(m, warp, s->set.p[k].mask)) {
            const uint32_t n = ++d->per_lane[(base + l) & (d->width - 1)];
            if (n > most) most = n;
        }
    }
    *dwf_count(m, DWF_C_BANK_STALLS) += most - 1;
    return most - 1;
}

static bool choose(struct mech *m, uint32_t sched, struct mech_packet *p) {
    const struct dwf *d = m->self;
    struct mech_split *s = dwf_pick(m, sched);
    if (!s) return false;
    split_issue(m, p, s);
    if (d->lanes == DWF_CONFLICT) p->register_stall = bank_stall(m, s);
    return true;
}

static void park(struct mech *m, struct mech_split *s, uint32_t pc) {
    struct dwf *d = m->self;
    s->pc = pc;
    s->in_flight = false;
    d->w[s->id].state = DWF_PARKED;
    d->w[s->id].lut = DWF_NONE;
}

/* The update registers take so many next PCs a cycle. */
static void diverge(struct mech *m, const struct mech_split *s, uint32_t sides) {
    struct dwf *d = m->self;
    const uint32_t regs = (uint32_t)d->param[DWF_P_UPDATE], extra = (sides + regs - 1) / regs - 1;
    uint64_t *until = &d->q[s->sched].update_until;
    m->stats.divergences++;
    m->stats.sides += sides;
    mech_event(m, "diverge %" PRIu32 " ways", sides);
    if (!extra) return;
    if (*until < *m->env.now) *until = *m->env.now;
    *until += extra;
    *dwf_count(m, DWF_C_UPDATE_STALLS) += extra;
}

static void commit(struct mech *m, struct mech_split *s, const struct mech_outcome *o) {
    struct dwf *d = m->self;
    const uint32_t sched = s->sched;
    if (o->exited.n) {
        split_exit(m->pool, s, &o->exited);
        d->w[s->id].stale = true;
    }
    if (o->nsides > 1) diverge(m, s, o->nsides);
    if (!s->threads) {
        split_free(m, s);
    } else if (!o->nsides) {
        park(m, s, o->pc + 1);
    } else {
        if (o->waiting.n) park(m, divide(m, s, &o->waiting), o->pc + 1);
        for (uint32_t k = 1; k < o->nsides; k++) arrive(m, divide(m, s, &o->side[k].set), o->side[k].pc);
        arrive(m, s, o->side[0].pc);
    }
    dwf_refill(m, sched);
}

static bool memory(struct mech *m, struct mech_split *s, const struct mech_set *ready) {
    const struct dwf *d = m->self;
    if (!d->param[DWF_P_MEMORY] || set_empty(ready) || set_equal(ready, &s->set)) return false;
    arrive(m, divide(m, s, ready), s->pc + 1);
    dwf_refill(m, s->sched);
    return true;
}

/* Takes the threads of left's first home warp out of it, wherever they are parked, as one warp. */
static struct mech_split *gather_home(struct mech *m, struct mech_set *left) {
    const struct split_pool *p = m->pool;
    const uint32_t warp = left->p[0].warp,
                   part = lanes_beside((uint32_t)__builtin_ctz(left->p[0].mask), m->env.warp_size);
    struct mech_set home = {0};
    for (uint32_t k = 0; k < left->n && p->first[left->p[k].warp] == p->first[warp]; k++)
        if (left->p[k].mask & part) set_add(&home, left->p[k].warp, left->p[k].mask & part);
    set_remove(left, &home);
    struct mech_split *whole = split_released(m, &home);
    for (struct mech_split *s; (s = split_released(m, &home));) split_merge(m, whole, s);
    return whole;
}

static void release(struct mech *m, const struct mech_set *set, uint32_t pc) {
    struct dwf *d = m->self;
    struct mech_set left;
    set_copy(&left, set);
    while (left.n) {
        struct mech_split *s = gather_home(m, &left);
        const uint32_t sched = s->sched;
        d->w[s->id].stale = true;
        arrive(m, s, pc);
        dwf_refill(m, sched);
    }
}

static void wake(struct mech *m, struct mech_split *s, uint32_t warp, uint32_t mask) {
    const struct dwf *d = m->self;
    (void)warp, (void)mask; /* a warp waits for all of its threads */
    const enum dwf_state at = d->w[s->id].state;
    if (at == DWF_TIMED || at == DWF_EVENT) dwf_changed(m, s);
}

static void census(const struct mech *m, struct mech_census *c) {
    const struct dwf *d = m->self;
    *c = (struct mech_census){.inactive_path = d->spilled};
}

#define INT(name, low_, high_, def_, text) \
    { .key = name, .help = text, .kind = 'i', .def = def_, .low = low_, .high = high_ }
#define ENUM(name, choices_, high_, text) \
    { .key = name, .help = text, .kind = 'e', .def = 0, .low = 0, .high = high_, .choices = choices_ }

static const struct mech_param params[DWF_PARAMS + 1] = {
    [DWF_P_POLICY] = ENUM("policy", "dmaj|dmin|dtime|dpc|dpdpri", DWF_DPDPRI,
                          "Which warp issues first: of the commonest PC, the rarest PC, the earliest, the "
                          "lowest PC, or the one that has passed fewest post-dominators."),
    [DWF_P_LANES] = ENUM("lanes", "aware|free|conflict", DWF_CONFLICT,
                         "Threads keep their home lane; any lane for free; or any lane, threads that share a "
                         "home lane reading their registers one after the other."),
    [DWF_P_SWIZZLE] = {.key = "swizzle",
                       .help = "Swap even and odd home lanes in every other warp of a scheduler.",
                       .kind = 'b',
                       .def = 1,
                       .low = 0,
                       .high = 1},
    [DWF_P_UPDATE] = INT("update", 1, 256, 2, "Next PCs the warp update registers take in a cycle."),
    [DWF_P_LUT_ENTRIES] = INT("lut_entries", 1, 65536, 64, "Entries of the PC-warp LUT of a scheduler."),
    [DWF_P_LUT_WAYS] = INT("lut_ways", 1, 65536, 4, "Ways of the PC-warp LUT."),
    [DWF_P_POOL] = INT("pool", 0, 65536, 128,
                       "Entries of the warp pool of a scheduler; 0: one for every thread. Warps beyond are "
                       "spilled to memory."),
    [DWF_P_SPILL_CYCLES] = INT("spill_cycles", 0, 1000000, 100,
                               "Cycles to write a spilled warp to memory, and as many to read it back."),
    [DWF_P_MEMORY] = ENUM("memory", "warp|thread", 1,
                          "Threads of a load go on when all of them have their data, or each when it has."),
    [DWF_P_MAJORITY] = ENUM("majority", "heap|ideal", 1,
                            "The majority policy with its max-heap and MHeap LUT, or without limits."),
    [DWF_P_HEAP] = INT("heap", 1, 65536, 64, "Entries of the max-heap of a scheduler."),
    [DWF_P_HEAP_LUT] = INT("heap_lut", 1, 65536, 128, "Entries of the MHeap LUT of a scheduler."),
    [DWF_P_HEAP_LUT_WAYS] = INT("heap_lut_ways", 1, 65536, 8, "Ways of the MHeap LUT."),
    [DWF_P_HEAP_PORTS] =
        INT("heap_ports", 1, DWF_PORTS, 2,
            "Read and write ports of the max-heap and the MHeap LUT: warps it can swap up or "
            "down at once, one place a cycle."),
};

static const struct mech_counter counters[DWF_COUNTERS + 1] = {
    [DWF_C_MERGES] = {"merges", "merges", "Times threads joined a warp that was being formed.", false},
    [DWF_C_MERGED_THREADS] = {"merged_threads", "threads", "Threads that joined one.", false},
    [DWF_C_CONFLICTS] = {"lane_conflicts", "merges",
                         "Times a warp with room could not take all threads of its PC and a new one began.",
                         false},
    [DWF_C_LUT_LOOKUPS] = {"lut_lookups", "lookups", "Lookups in the PC-warp LUT.", false},
    [DWF_C_LUT_MISSES] = {"lut_misses", "lookups", "Lookups that found no warp being formed.", false},
    [DWF_C_LUT_EVICTIONS] = {"lut_evictions", "entries",
                             "LUT entries evicted: warps that nobody can join any more.", false},
    [DWF_C_POOL_SUM] = {"pool_sum", "warps", "Warps in the pool, summed over the samples.", false},
    [DWF_C_POOL_SAMPLES] = {"pool_samples", "issues", "Samples of the pool: one for every warp issued.",
                            false},
    [DWF_C_POOL_MAX] = {"pool_max", "warps", "Most warps in the pool of a scheduler.", true},
    [DWF_C_POOL_16] = {"pool_within_16", "issues", "Samples with at most 16 warps in the pool.", false},
    [DWF_C_POOL_32] = {"pool_within_32", "issues", "Samples with at most 32 warps in the pool.", false},
    [DWF_C_POOL_64] = {"pool_within_64", "issues", "Samples with at most 64 warps in the pool.", false},
    [DWF_C_POOL_128] = {"pool_within_128", "issues", "Samples with at most 128 warps in the pool.", false},
    [DWF_C_POOL_SPILLS] = {"pool_spills", "warps", "Warps spilled to memory because the pool was full.",
                           false},
    [DWF_C_HEAP_SPILLS] = {"heap_spills", "warps", "Warps spilled to memory because the max-heap was full.",
                           false},
    [DWF_C_HEAP_MAX] = {"heap_max", "entries", "Most PCs in the heap of a scheduler.", true},
    [DWF_C_HEAP_LUT_MISSES] = {"heap_lut_misses", "lookups", "Lookups in the MHeap LUT that found no entry.",
                               false},
    [DWF_C_HEAP_LUT_EVICTIONS] = {"heap_lut_evictions", "entries",
                                  "MHeap LUT entries evicted: heap entries that get no more warps.", false},
    [DWF_C_HEAP_SWAPS] = {"heap_swaps", "swaps", "Swaps of max-heap entries.", false},
    [DWF_C_HEAP_STALLS] = {"heap_stalls", "cycles", "Cycles without issue while the max-heap is rebalanced.",
                           false},
    [DWF_C_UPDATE_STALLS] = {"update_stalls", "cycles",
                             "Cycles without issue while a branch with more next PCs than update registers "
                             "commits.",
                             false},
    [DWF_C_BANK_STALLS] = {"bank_stalls", "cycles",
                           "Cycles of register read lost to threads that share a home lane.", false},
};

extern const struct mech_ops mech_dwf;
const struct mech_ops mech_dwf = {
    .name = "dwf",
    .title = "Dynamic warp formation",
    .source = "DWF 4",
    .caps = MECH_RECURSION | MECH_INDIRECT | MECH_UNSTRUCTURED,
    .params = params,
    .counters = counters,
    .create = create,
    .destroy = destroy,
    .launch = launch,
    .select = choose,
    .commit = commit,
    .memory = memory,
    .release = release,
    .wake = wake,
    .next = dwf_next,
    .census = census,
    .state = dwf_state,
    .storage = dwf_storage,
    .audit = dwf_audit,
};
