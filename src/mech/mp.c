/* Multi-path execution (001): all sides of a branch can be scheduled, and still meet at the immediate post-dominator.
 *
 * Every home warp has a splits table (ST), one row {PC, RPC, mask} per schedulable split, and a reconvergence table (RT),
 * one entry {PC, RPC, mask, pending mask} per place at which threads will meet. An ST row is a split of the pool; its RPC,
 * like that of an RT entry, is kept as the number of the RT entry it leads to, so that the entries form a forest with the
 * splits as leaves. The invariant that audit checks: an entry's pending mask is the disjoint union of the masks of the
 * splits and entries that lead to it, and is never empty; what its mask has beyond that has arrived.
 *
 * As in mech/stack.c a place is a PC *and* a call depth, and sides that meet only at the function's end meet where it
 * returns to: such an entry is `open`, its PC known when the first thread returns.
 *
 * Opportunistic early reconvergence adds an entry inside a block for two splits that lead to the same place. It asks for
 * the call depth of the branch behind that place: only then do both have the same calls behind them.
 *
 * Choices where the slides are silent: who stops at a barrier gives up an early meeting (others may hold it there for
 * ever) but not a post-dominator; threads that have waited at a place for `patience` cycles go on without the others, so
 * that a lock that is released behind the loop that takes it is released; a row that does not fit is kept in memory and
 * takes turns with the others of its warp; an entry that does not fit is read back when it is complete. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "mech/order.h"
#include "mech/set.h"
#include "mech/split.h"

enum { WORDS = MECH_WIDEST / 32, NONE = UINT32_MAX };
enum { HOME, TO, DEPTH, STATUS };                    /* split.own; TO: the RT entry it leads to, or NONE */
enum status { NEW, ROW, WAITS, AWAY };               /* has a row, is at a barrier, is in memory */
enum { MAX_SPLITS, MAX_RT, PATIENCE, SPILL, EARLY }; /* parameters */
enum { IPDOM, OPPORTUNE, LET_GO, RT_SUM, RT_SAMPLES, RT_MAX, ST_MAX, ST_SPILLS, RT_SPILLS }; /* counters */

struct entry { /* of the RT */
    uint32_t pc;
    int32_t depth; /* of pc */
    uint32_t to;   /* RPC: the entry its threads lead to afterwards, or NONE */
    uint32_t mask[WORDS], pending[WORDS];
    uint32_t level;  /* call depth of the branch whose threads meet here */
    uint32_t branch; /* IR_NOPC: an early meeting */
    uint64_t since, age;
    uint64_t alarm; /* who has arrived waits until then; MECH_NEVER: nobody has */
    bool used, open, spilled;
};

struct home {
    uint32_t first; /* architectural slot of its first thread */
    uint32_t sched, n, cap, used;
    struct entry *rt; /* entries keep their number */
    uint32_t splits, rows, away;
    uint32_t *split; /* ids of its splits; room for W */
};

struct mp {
    uint32_t homes;
    struct home *home;
    uint64_t *due;  /* per split that is AWAY: cycle at which it is back */
    uint64_t alarm; /* nothing of due and entry.alarm is earlier */
    uint32_t max_splits, max_rt, patience, spill;
    bool early;
    uint32_t entries, arrived, away; /* RT entries; threads in them; threads of splits that are AWAY */
};

/* ---- masks ---- */

static bool any(const uint32_t *mask) {
    uint32_t bits = 0;
    for (uint32_t k = 0; k < WORDS; k++) bits |= mask[k];
    return bits;
}

static uint32_t count(const uint32_t *mask) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < WORDS; k++) n += (uint32_t)__builtin_popcount(mask[k]);
    return n;
}

static void put_in(const struct home *h, uint32_t *mask, const struct mech_set *set) {
    for (uint32_t k = 0; k < set->n; k++) mask[set->p[k].warp - h->first] |= set->p[k].mask;
}

static void take_out(const struct home *h, uint32_t *mask, const struct mech_set *set) {
    for (uint32_t k = 0; k < set->n; k++) mask[set->p[k].warp - h->first] &= ~set->p[k].mask;
}

static void to_set(const struct home *h, const uint32_t *mask, struct mech_set *out) {
    out->n = 0;
    for (uint32_t k = 0; k < WORDS; k++)
        if (mask[k]) set_add(out, h->first + k, mask[k]);
}

static void arrived_of(const struct entry *e, uint32_t *mask) {
    for (uint32_t k = 0; k < WORDS; k++) mask[k] = e->mask[k] & ~e->pending[k];
}

/* ---- the splits table ---- */

static struct home *home_of(const struct mech *m, const struct mech_split *s) {
    const struct mp *p = m->self;
    return &p->home[s->own[HOME]];
}

static void set_status(struct mech *m, struct mech_split *s, enum status now) {
    struct mp *p = m->self;
    struct home *h = home_of(m, s);
    h->rows -= s->own[STATUS] == ROW;
    h->rows += now == ROW;
    if (s->own[STATUS] == AWAY) h->away--, p->away -= s->threads;
    if (now == AWAY) h->away++, p->away += s->threads;
    s->own[STATUS] = now;
}

static void enlist(struct mech *m, const struct mech_split *s) {
    struct home *h = home_of(m, s);
    CHECK(h->splits < m->env.warp_size);
    h->split[h->splits++] = s->id;
    if (h->splits > m->stats.extra[ST_MAX]) m->stats.extra[ST_MAX] = h->splits;
}

static struct mech_split *split_add(struct mech *m, uint32_t home, const struct mech_set *set) {
    const struct mp *p = m->self;
    struct mech_split *s = split_new(m, p->home[home].sched, 0);
    s->own[HOME] = home;
    s->own[TO] = NONE;
    split_assign(m->pool, s, set);
    enlist(m, s);
    return s;
}

static struct mech_split *divide(struct mech *m, struct mech_split *s, const struct mech_set *part) {
    struct mech_split *t = split_divide(m, s, part);
    enlist(m, t);
    return t;
}

static void split_drop(struct mech *m, struct mech_split *s) {
    struct home *h = home_of(m, s);
    uint32_t k = 0;
    set_status(m, s, NEW);
    while (h->split[k] != s->id) k++;
    memmove(&h->split[k], &h->split[k + 1], (--h->splits - k) * sizeof *h->split);
    split_free(m, s);
}

/* ---- rows in memory ---- */

static void send_away(struct mech *m, struct mech_split *s) {
    struct mp *p = m->self;
    order_remove(m->order, s);
    set_status(m, s, AWAY);
    p->due[s->id] = *m->env.now + p->spill;
    if (p->due[s->id] < p->alarm) p->alarm = p->due[s->id];
}

static bool full(const struct mp *p, const struct home *h) {
    return p->max_splits && h->rows >= p->max_splits;
}

/* Of those that are back from memory the one that is longest; NULL: none. */
static struct mech_split *first_due(const struct mech *m, const struct home *h) {
    const struct mp *p = m->self;
    struct mech_split *best = NULL;
    for (uint32_t k = 0; k < h->splits; k++) {
        struct mech_split *s = split_at(m->pool, h->split[k]);
        if (s->own[STATUS] != AWAY || p->due[s->id] > *m->env.now) continue;
        if (!best || p->due[s->id] < p->due[best->id]) best = s;
    }
    return best;
}

static void come_back(struct mech *m, struct home *h) {
    while (h->away && !full(m->self, h)) {
        struct mech_split *s = first_due(m, h);
        if (!s) return;
        set_status(m, s, ROW);
        order_add(m->order, s);
    }
}

/* It may run. Without a free row it goes to memory; with a row, it makes room for one that is due. */
static void schedule(struct mech *m, struct mech_split *s) {
    struct mp *p = m->self;
    struct home *h = home_of(m, s);
    if (s->own[STATUS] == AWAY) return;
    struct mech_split *turn = s->own[STATUS] == ROW && h->away && full(p, h) ? first_due(m, h) : NULL;
    if (turn || (s->own[STATUS] != ROW && full(p, h))) {
        m->stats.extra[ST_SPILLS]++;
        send_away(m, s);
        s = turn;
    }
    if (!s) return;
    if (s->own[STATUS] != ROW) set_status(m, s, ROW);
    order_add(m->order, s);
}

/* ---- the reconvergence table ---- */

static uint32_t entry_add(struct mech *m, struct home *h, struct entry e) {
    struct mp *p = m->self;
    uint32_t i = 0;
    while (i < h->n && h->rt[i].used) i++;
    if (i == h->n) {
        if (h->n == h->cap) {
            h->cap = h->cap ? h->cap * 2 : 4;
            h->rt = xrealloc(h->rt, h->cap * sizeof *h->rt);
        }
        h->n++;
    }
    e.used = true;
    e.since = *m->env.now;
    e.alarm = MECH_NEVER;
    e.spilled = p->max_rt && h->used >= p->max_rt;
    memcpy(e.pending, e.mask, sizeof e.mask);
    h->rt[i] = e;
    h->used++;
    p->entries++;
    m->stats.extra[RT_SPILLS] += e.spilled;
    if (h->used > m->stats.extra[RT_MAX]) m->stats.extra[RT_MAX] = h->used;
    return i;
}

static void entry_drop(struct mech *m, struct home *h, uint32_t i) {
    struct mp *p = m->self;
    h->rt[i].used = false;
    h->used--;
    p->entries--;
    while (h->n && !h->rt[h->n - 1].used) h->n--;
}

/* Nobody is missing any more: the entry becomes a split. */
static struct mech_split *fire(struct mech *m, uint32_t home, uint32_t i) {
    struct mp *p = m->self;
    struct home *h = &p->home[home];
    const struct entry e = h->rt[i];
    struct mech_set set;
    to_set(h, e.mask, &set);
    entry_drop(m, h, i);
    p->arrived -= count(e.mask);
    m->stats.reconvergences++;
    m->stats.extra[e.branch == IR_NOPC ? OPPORTUNE : IPDOM]++;
    if (e.branch != IR_NOPC) m->env.reconverged(m->env.sm, e.branch, e.since);
    mech_event(m, "reconverge at %" PRIu32, e.pc);
    struct mech_split *s = split_add(m, home, &set);
    s->pc = e.pc;
    s->own[DEPTH] = (uint32_t)e.depth;
    s->own[TO] = e.to;
    s->age = e.age;
    if (e.spilled) send_away(m, s);
    return s;
}

static bool at_place(const struct entry *e, const struct mech_split *s) {
    return (int32_t)s->own[DEPTH] == e->depth && (e->open || e->pc == s->pc);
}

/* The split is where it was to meet others: it leaves the ST. The one that all of them become, or NULL. */
static struct mech_split *arrive(struct mech *m, struct mech_split *s) {
    struct mp *p = m->self;
    const uint32_t home = s->own[HOME], i = s->own[TO];
    struct home *h = &p->home[home];
    struct entry *e = &h->rt[i];
    CHECK(e->pc == IR_NOPC || e->pc == s->pc);
    e->pc = s->pc;
    take_out(h, e->pending, &s->set);
    p->arrived += s->threads;
    split_drop(m, s);
    if (!any(e->pending)) return fire(m, home, i);
    if (p->patience && e->alarm == MECH_NEVER) {
        e->alarm = *m->env.now + p->patience;
        if (e->alarm < p->alarm) p->alarm = e->alarm;
    }
    return NULL;
}

static struct mech_split *settle(struct mech *m, struct mech_split *s) {
    while (s && s->own[TO] != NONE && at_place(&home_of(m, s)->rt[s->own[TO]], s)) s = arrive(m, s);
    return s;
}

/* ---- early reconvergence ---- */

static bool is_early(const struct home *h, uint32_t i) {
    return i != NONE && h->rt[i].branch == IR_NOPC;
}

/* Where t is in the block of s, once what it has in flight is done; IR_NOPC: not there, or leading elsewhere. */
static uint32_t next_in_block(const struct mech *m, const struct mech_split *s, const struct mech_split *t) {
    const struct ir_insn *code = m->env.module->code.v, *at = &code[t->pc];
    if (t == s || t->own[STATUS] != ROW || t->own[TO] != s->own[TO] || t->own[DEPTH] != s->own[DEPTH] ||
        at->block != code[s->pc].block)
        return IR_NOPC;
    if (t->in_flight) return at->flags & IR_F_ENDS ? IR_NOPC : t->pc + 1;
    return t->pc;
}

/* The other split that is furthest in the block that s enters; NULL: none. */
static struct mech_split *leader_for(const struct mech *m, const struct mech_split *s, uint32_t *place) {
    const struct home *h = home_of(m, s);
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
static bool meet(struct mech *m, struct mech_split *s) {
    struct home *h = home_of(m, s);
    const uint32_t to = s->own[TO];
    uint32_t place;
    if (is_early(h, to) || s->own[STATUS] == AWAY || s->own[DEPTH] != (to == NONE ? 0 : h->rt[to].level))
        return false;
    struct mech_split *lead = leader_for(m, s, &place);
    if (!lead) return false;
    struct entry e = {.pc = place,
                      .depth = (int32_t)s->own[DEPTH],
                      .to = to,
                      .level = s->own[DEPTH],
                      .branch = IR_NOPC,
                      .age = s->age < lead->age ? s->age : lead->age};
    put_in(h, e.mask, &s->set);
    put_in(h, e.mask, &lead->set);
    s->own[TO] = lead->own[TO] = entry_add(m, h, e);
    mech_event(m, "to meet early at %" PRIu32, place);
    if (!lead->in_flight) arrive(m, lead);
    return true;
}

/* s goes on at its PC: it may be at a place, meet others (also mid-block when it comes `back` from a barrier), or run. */
static void go_on(struct mech *m, struct mech_split *s, bool back) {
    const struct mp *p = m->self;
    const struct ir_insn *code = m->env.module->code.v;
    do s = settle(m, s);
    while (s && p->early && home_of(m, s)->splits > 1 && (back || code[s->pc].flags & IR_F_LEADER) &&
           meet(m, s));
    if (s) schedule(m, s);
}

/* ---- leaving entries ---- */

/* Threads of entry i are no longer expected there, nor part of it. */
static void forgo(struct mech *m, uint32_t home, uint32_t i, const struct mech_set *set) {
    const struct mp *p = m->self;
    struct home *h = &p->home[home];
    struct entry *e = &h->rt[i];
    take_out(h, e->mask, set);
    take_out(h, e->pending, set);
    if (any(e->pending)) return;
    if (any(e->mask))
        go_on(m, fire(m, home, i), false);
    else
        entry_drop(m, h, i);
}

/* Threads exited. Further up they are still pending when an entry fires, so none of those fires before its turn. */
static void exit_from(struct mech *m, uint32_t home, uint32_t i, const struct mech_set *gone) {
    const struct mp *p = m->self;
    while (i != NONE) {
        uint32_t up = p->home[home].rt[i].to;
        forgo(m, home, i, gone);
        i = up;
    }
}

static void wait_at(struct mech *m, struct mech_split *s, uint32_t pc) {
    const struct home *h = home_of(m, s);
    s->pc = pc;
    order_remove(m->order, s);
    set_status(m, s, WAITS);
    while (is_early(h, s->own[TO])) {
        uint32_t i = s->own[TO];
        s->own[TO] = h->rt[i].to;
        forgo(m, s->own[HOME], i, &s->set);
    }
}

/* Who has waited long enough goes on to the place behind, without those that are missing. */
static void let_go(struct mech *m, uint32_t home, uint32_t i) {
    struct mp *p = m->self;
    struct home *h = &p->home[home];
    struct entry *e = &h->rt[i];
    uint32_t mask[WORDS];
    struct mech_set set;
    arrived_of(e, mask);
    to_set(h, mask, &set);
    memcpy(e->mask, e->pending, sizeof e->mask);
    e->alarm = MECH_NEVER;
    struct mech_split *s = split_add(m, home, &set);
    s->pc = e->pc;
    s->own[DEPTH] = (uint32_t)e->depth;
    s->own[TO] = e->to;
    p->arrived -= s->threads;
    m->stats.extra[LET_GO]++;
    mech_event(m, "%" PRIu32 " go on from %" PRIu32 " without the others", s->threads, s->pc);
    go_on(m, s, false);
}

/* ---- the clock ---- */

static void ring_home(struct mech *m, uint32_t home) {
    struct mp *p = m->self;
    struct home *h = &p->home[home];
    for (uint32_t i = 0; i < h->n; i++) {
        if (!h->rt[i].used) continue;
        if (h->rt[i].alarm <= *m->env.now)
            let_go(m, home, i);
        else if (h->rt[i].alarm < p->alarm)
            p->alarm = h->rt[i].alarm;
    }
    come_back(m, h);
    for (uint32_t k = 0; h->away && k < h->splits; k++) {
        const struct mech_split *s = split_at(m->pool, h->split[k]);
        uint64_t due = s->own[STATUS] == AWAY ? p->due[s->id] : MECH_NEVER;
        if (due > *m->env.now && due < p->alarm) p->alarm = due;
    }
}

static void ring(struct mech *m) {
    struct mp *p = m->self;
    p->alarm = MECH_NEVER;
    for (uint32_t k = 0; k < p->homes; k++)
        if (p->home[k].used || p->home[k].away) ring_home(m, k);
}

static uint64_t next(const struct mech *m, uint32_t sched) {
    (void)sched;
    return ((const struct mp *)m->self)->alarm;
}

static bool choose(struct mech *m, uint32_t sched, struct mech_packet *out) {
    struct mp *p = m->self;
    if (*m->env.now >= p->alarm) ring(m);
    struct mech_split *s = order_pick(m->order, sched, *m->env.now);
    if (!s) return false;
    m->stats.extra[RT_SUM] += p->entries;
    m->stats.extra[RT_SAMPLES]++;
    split_issue(m, out, s);
    return true;
}

/* ---- launch, commit, release ---- */

static bool create_with(struct mech *m, bool early) {
    struct mp *p = m->self = xcalloc(1, sizeof *p);
    p->homes = split_homes(&m->env);
    p->home = xcalloc(p->homes, sizeof *p->home);
    p->due = xcalloc(m->pool->cap, sizeof *p->due);
    p->alarm = MECH_NEVER;
    p->max_splits = (uint32_t)m->env.param[MAX_SPLITS];
    p->max_rt = (uint32_t)m->env.param[MAX_RT];
    p->patience = (uint32_t)m->env.param[PATIENCE];
    p->spill = (uint32_t)m->env.param[SPILL];
    p->early = early;
    return true;
}

static bool create(struct mech *m, struct err *e) {
    (void)e;
    return create_with(m, m->env.param[EARLY]);
}

static bool create_basic(struct mech *m, struct err *e) {
    (void)e;
    return create_with(m, false);
}

static void destroy(struct mech *m) {
    struct mp *p = m->self;
    for (uint32_t k = 0; k < p->homes; k++) {
        free(p->home[k].rt);
        free(p->home[k].split);
    }
    free(p->home);
    free(p->due);
    free(p);
}

static void launch(struct mech *m, const struct mech_block *b) {
    struct mp *p = m->self;
    struct split_home at;
    split_launch(m->pool, b);
    for (uint32_t k = 0; split_home_at(m->pool, b, k, &at); k++) {
        struct home *h = &p->home[at.id];
        CHECK(!h->splits && !h->used);
        if (!h->split) h->split = xcalloc(m->env.warp_size, sizeof *h->split);
        h->first = at.set.p[0].warp;
        h->sched = at.sched;
        struct mech_split *s = split_add(m, at.id, &at.set);
        s->pc = b->pc;
        schedule(m, s);
    }
}

/* Those of `left` at the call depth of its first thread. */
static uint32_t same_depth(const struct mech *m, const struct mech_set *left, struct mech_set *out) {
    const struct mech_piece *p = left->p;
    uint32_t depth = m->env.depth(m->env.sm, p[0].warp, (uint32_t)__builtin_ctz(p[0].mask));
    out->n = 0;
    for (uint32_t k = 0; k < left->n; k++) {
        uint32_t mask = 0;
        FOR_LANES(l, p[k].mask)
        mask |= (uint32_t)(m->env.depth(m->env.sm, p[k].warp, l) == depth) << l;
        if (mask) set_add(out, p[k].warp, mask);
    }
    return depth;
}

/* One split per next PC and call depth, highest PC first; the last, of the lowest PC, is s itself. */
static uint32_t part(struct mech *m, struct mech_split *s, const struct mech_outcome *o,
                     struct mech_split **out) {
    uint32_t n = 0, depth = s->own[DEPTH];
    for (uint32_t k = o->nsides; k-- > 0;) {
        struct mech_set left, some;
        set_copy(&left, &o->side[k].set);
        while (left.n) {
            if (o->depth_change)
                depth = same_depth(m, &left, &some);
            else
                set_copy(&some, &left);
            set_remove(&left, &some);
            CHECK(n < MECH_SIDES);
            out[n] = set_equal(&some, &s->set) ? s : divide(m, s, &some);
            out[n]->pc = o->side[k].pc;
            out[n++]->own[DEPTH] = depth;
        }
    }
    return n;
}

/* Does the branch join where its split is on the way to anyway? */
static bool same_place(const struct home *h, uint32_t to, uint32_t rpc, int32_t depth) {
    if (to == NONE) return rpc == IR_NOPC && depth < 0;
    const struct entry *e = &h->rt[to];
    return e->depth == depth && (rpc == IR_NOPC ? e->open : !e->open && e->pc == rpc);
}

/* The entry for a branch of these threads; what it leads to if that is the place already. */
static uint32_t join_for(struct mech *m, const struct mech_split *s, const struct mech_outcome *o) {
    struct home *h = home_of(m, s);
    const uint32_t rpc = o->insn->rpc;
    struct entry e = {.pc = rpc,
                      .depth = (int32_t)s->own[DEPTH] - (rpc == IR_NOPC),
                      .to = s->own[TO],
                      .level = s->own[DEPTH],
                      .branch = o->pc,
                      .age = s->age,
                      .open = rpc == IR_NOPC};
    if (same_place(h, e.to, rpc, e.depth)) return e.to;
    for (uint32_t k = 0; k < o->nsides; k++) put_in(h, e.mask, &o->side[k].set);
    return entry_add(m, h, e);
}

static void commit_sides(struct mech *m, struct mech_split *s, const struct mech_outcome *o) {
    struct mech_split *side[MECH_SIDES];
    const struct mech_split before = {.age = s->age,
                                      .own = {s->own[HOME], s->own[TO], s->own[DEPTH], s->own[STATUS]}};
    uint32_t n = part(m, s, o, side);
    if (n > 1) {
        uint32_t to = join_for(m, &before, o);
        for (uint32_t k = 0; k < n; k++) side[k]->own[TO] = to;
        m->stats.divergences++;
        m->stats.sides += n;
        mech_event(m, "diverge %" PRIu32 " ways", n);
    }
    while (n--) go_on(m, side[n], false);
}

/* While its threads are sorted out s has no row, so that no other split can be made to meet it where it was. */
static void commit_slow(struct mech *m, struct mech_split *s, const struct mech_outcome *o) {
    const uint32_t home = s->own[HOME], to = s->own[TO];
    set_status(m, s, NEW);
    split_exit(m->pool, s, &o->exited);
    if (!s->threads) {
        split_drop(m, s);
        exit_from(m, home, to, &o->exited);
        return;
    }
    if (o->exited.n) exit_from(m, home, to, &o->exited);
    if (o->waiting.n) wait_at(m, o->nsides ? divide(m, s, &o->waiting) : s, o->pc + 1);
    if (o->nsides) commit_sides(m, s, o);
}

static void commit(struct mech *m, struct mech_split *s, const struct mech_outcome *o) {
    struct home *h = home_of(m, s);
    if (o->nsides == 1 && !o->exited.n && !o->waiting.n && !o->depth_change) {
        s->pc = o->side[0].pc;
        go_on(m, s, false);
    } else {
        commit_slow(m, s, o);
    }
    if (h->away) come_back(m, h);
}

static void release(struct mech *m, const struct mech_set *set, uint32_t pc) {
    struct mech_set left, some;
    set_copy(&left, set);
    while (left.n) {
        struct mech_split *s = split_of(m->pool, left.p[0].warp, (uint32_t)__builtin_ctz(left.p[0].mask));
        CHECK(s && s->own[STATUS] == WAITS && s->pc == pc);
        struct home *h = home_of(m, s);
        set_copy(&some, &left);
        set_and(&some, &s->set);
        set_remove(&left, &some);
        if (!set_equal(&some, &s->set)) s = divide(m, s, &some);
        set_status(m, s, NEW);
        go_on(m, s, true);
        if (h->away) come_back(m, h);
    }
}

/* ---- for people ---- */

static void census(const struct mech *m, struct mech_census *c) {
    const struct mp *p = m->self;
    *c = (struct mech_census){.inactive_path = p->away, .reconvergence = p->arrived};
}

static void places(const struct mech *m, mech_place_fn *put, void *user) {
    const struct mp *p = m->self;
    for (const struct home *h = p->home; h < p->home + p->homes; h++)
        for (const struct entry *e = h->rt; e < h->rt + h->n; e++) {
            uint32_t mask[WORDS];
            arrived_of(e, mask);
            for (uint32_t k = 0; e->used && k < WORDS; k++)
                if (mask[k]) put(user, h->first + k, mask[k], e->pc);
        }
}

static void print_pc(struct sb *out, const char *name, uint32_t pc) {
    if (pc == IR_NOPC)
        sb_add(out, "%s - ", name);
    else
        sb_add(out, "%s %" PRIu32 " ", name, pc);
}

static void print_split(const struct mech *m, const struct home *h, const struct mech_split *s,
                        struct sb *out) {
    const uint32_t to = s->own[TO];
    print_pc(out, "  st pc", s->pc);
    print_pc(out, "rpc", to == NONE ? IR_NOPC : h->rt[to].pc);
    if (s->own[DEPTH]) sb_add(out, "depth %" PRIu32 " ", s->own[DEPTH]);
    set_print(&s->set, out);
    sb_add(out, " ");
    if (s->own[STATUS] == WAITS)
        sb_add(out, "waiting at a barrier");
    else if (s->own[STATUS] == AWAY)
        sb_add(out, "in memory");
    else
        order_describe(m->order, s, out);
    sb_add(out, "\n");
}

static void print_entry(const struct home *h, const struct entry *e, struct sb *out) {
    struct mech_set set;
    print_pc(out, "  rt pc", e->pc);
    print_pc(out, "rpc", e->to == NONE ? IR_NOPC : h->rt[e->to].pc);
    if (e->depth > 0) sb_add(out, "depth %" PRId32 " ", e->depth);
    to_set(h, e->mask, &set);
    set_print(&set, out);
    sb_add(out, " pending ");
    to_set(h, e->pending, &set);
    set_print(&set, out);
    sb_add(out, e->branch == IR_NOPC ? " early" : "");
    sb_add(out, e->spilled ? " in memory\n" : "\n");
}

static void state(const struct mech *m, struct sb *out) {
    const struct mp *p = m->self;
    for (uint32_t k = 0; k < p->homes; k++) {
        const struct home *h = &p->home[k];
        if (!h->splits) continue;
        sb_add(out, "warp %" PRIu32 "\n", k);
        for (uint32_t i = 0; i < h->splits; i++) print_split(m, h, split_at(m->pool, h->split[i]), out);
        for (uint32_t i = 0; i < h->n; i++)
            if (h->rt[i].used) print_entry(h, &h->rt[i], out);
    }
}

/* Unbounded tables are counted with a row per thread. */
static void storage(const struct mech *m, struct sb *out) {
    const struct mp *p = m->self;
    uint64_t w = m->env.warp_size, warps = ((uint64_t)m->env.warps * 32 + w - 1) / w;
    sb_add(out, "splits %" PRIu64 "\n", warps * (p->max_splits ? p->max_splits : w) * (32 + 32 + w));
    sb_add(out, "reconvergence %" PRIu64 "\n", warps * (p->max_rt ? p->max_rt : w) * (32 + 32 + 2 * w));
}

/* ---- audit ---- */

/* Who leads to entry `to`: in nobody else's mask, and together exactly those expected. */
static void expect(const struct home *h, uint32_t to, const uint32_t *mask, uint32_t (*seen)[WORDS]) {
    if (to == NONE) return;
    CHECK(to < h->n && h->rt[to].used);
    for (uint32_t k = 0; k < WORDS; k++) {
        CHECK(!(seen[to][k] & mask[k]));
        seen[to][k] |= mask[k];
    }
}

static uint32_t audit_rt(const struct home *h, uint32_t (*seen)[WORDS]) {
    uint32_t n = 0, waiting = 0;
    for (uint32_t i = 0; i < h->n; i++) {
        const struct entry *e = &h->rt[i];
        if (!e->used) continue;
        n++;
        CHECK(any(e->pending) && !memcmp(seen[i], e->pending, sizeof e->pending));
        for (uint32_t k = 0; k < WORDS; k++) CHECK(!(e->pending[k] & ~e->mask[k]));
        waiting += count(e->mask) - count(e->pending);
    }
    CHECK(n == h->used);
    return waiting;
}

/* Returns the threads that have arrived in its RT. */
static uint32_t audit_home(const struct mech *m, uint32_t home) {
    const struct mp *p = m->self;
    const struct home *h = &p->home[home];
    uint32_t(*seen)[WORDS] = xcalloc(h->n + 1, sizeof *seen), rows = 0, away = 0;
    for (uint32_t i = 0; i < h->splits; i++) {
        const struct mech_split *s = split_at(m->pool, h->split[i]);
        uint32_t mask[WORDS] = {0};
        CHECK(s && s->own[HOME] == home && s->threads && s->own[STATUS] != NEW);
        CHECK(s->own[TO] == NONE || s->in_flight || !at_place(&h->rt[s->own[TO]], s) ||
              s->own[STATUS] == WAITS);
        rows += s->own[STATUS] == ROW;
        away += s->own[STATUS] == AWAY;
        put_in(h, mask, &s->set);
        expect(h, s->own[TO], mask, seen);
    }
    for (uint32_t i = 0; i < h->n; i++)
        if (h->rt[i].used) expect(h, h->rt[i].to, h->rt[i].mask, seen);
    CHECK(rows == h->rows && away == h->away && (!p->max_splits || rows <= p->max_splits));
    uint32_t waiting = audit_rt(h, seen);
    free(seen);
    return waiting;
}

/* With the splits' sets disjoint, and each entry's pending mask that of its splits, a thread that is nowhere or in two places
 * shows in the sum. */
static void audit(const struct mech *m) {
    const struct mp *p = m->self;
    uint32_t splits = 0, waiting = 0, threads = 0, present = 0, entries = 0;
    split_audit(m, false);
    for (uint32_t k = 0; k < p->homes; k++) {
        waiting += audit_home(m, k);
        splits += p->home[k].splits;
        entries += p->home[k].used;
    }
    FOR_SPLITS(s, m->pool) threads += s->threads;
    for (uint32_t k = 0; k < m->pool->slots; k++)
        present += (uint32_t)__builtin_popcount(m->pool->present[k]);
    CHECK(splits == m->pool->alive && waiting == p->arrived && entries == p->entries);
    CHECK(threads + waiting == present);
}

/* ---- the tables of names ---- */

#define PARAMS                                                                                              \
    {.key = "max_splits",                                                                                   \
     .help = "Rows of a warp's splits table; further splits wait in memory for their turn. 0: as many as "  \
             "needed.",                                                                                     \
     .kind = 'i',                                                                                           \
     .high = MECH_WIDEST},                                                                                  \
        {.key = "max_rt",                                                                                   \
         .help = "Rows of a warp's reconvergence table; further entries are kept in memory. 0: as many as " \
                 "needed.",                                                                                 \
         .kind = 'i',                                                                                       \
         .high = MECH_WIDEST},                                                                              \
        {.key = "patience",                                                                                 \
         .help = "Cycles after which threads that wait for others at a reconvergence point go on without "  \
                 "them. 0: never.",                                                                         \
         .kind = 'i',                                                                                       \
         .def = 10000,                                                                                      \
         .high = INT32_MAX},                                                                                \
    {                                                                                                       \
        .key = "spill_cycles", .help = "Cycles until a row that was written to memory is back.",            \
        .kind = 'i', .def = 100, .high = INT32_MAX                                                          \
    }

static const struct mech_param params[] = {
    PARAMS,
    {.key = "opportunistic",
     .help = "Splits that meet in a basic block before their reconvergence point go on together.",
     .kind = 'b',
     .def = 1,
     .high = 1},
    {0}};
static const struct mech_param params_basic[] = {PARAMS, {0}};

static const struct mech_counter counters[] = {
    [IPDOM] = {"rejoined_ipdom", "times", "Reconvergences at immediate post-dominators."},
    [OPPORTUNE] = {"rejoined_early", "times", "Opportunistic reconvergences before them."},
    [LET_GO] = {"let_go", "times", "Threads went on from a reconvergence point after waiting too long."},
    [RT_SUM] = {"rt_sum", "entries", "Reconvergence entries in use, summed over issues."},
    [RT_SAMPLES] = {"rt_samples", "issues", "Issues at which rt_sum was sampled."},
    [RT_MAX] = {"rt_max", "entries", "Largest reconvergence table of a warp.", true},
    [ST_MAX] = {"st_max", "splits", "Most splits of a warp.", true},
    [ST_SPILLS] = {"st_spills", "times", "Splits written to memory because the splits table was full."},
    [RT_SPILLS] = {"rt_spills", "times",
                   "Entries written to memory because the reconvergence table was full."},
    {0}};

#define OPS                                                                                           \
    .source = "001 (MP, HPCA 2014)",                                                                  \
    .caps = MECH_RECURSION | MECH_INDIRECT | MECH_UNSTRUCTURED | MECH_PROGRESS, .counters = counters, \
    .destroy = destroy, .launch = launch, .select = choose, .commit = commit, .release = release,     \
    .next = next, .census = census, .places = places, .state = state, .storage = storage, .audit = audit

extern const struct mech_ops mech_mp, mech_mp_basic;
const struct mech_ops mech_mp = {
    .name = "mp", .title = "Multi-path, opportunistic", .params = params, .create = create, OPS};
const struct mech_ops mech_mp_basic = {
    .name = "mp-basic", .title = "Multi-path", .params = params_basic, .create = create_basic, OPS};
