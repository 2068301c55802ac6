/* Dual-path execution (DPE): a reconvergence stack whose entries hold both sides of a branch, and both can be scheduled.
 *
 * After Rhu and Erez, "The Dual-Path Execution Model for Efficient GPU Control Flow" (HPCA 2013), as HARP 2.3 and 5
 * describe it and MP compares with it (its "DPS"). A warp has a stack of entries {RPC; left path; right path}, a path being
 * {PC, mask}. The paths of the top entry run interleaved, everything below is held. A path that diverges becomes a *join*:
 * it waits at the branch's post-dominator R for the entry {R; taken side; fall-through} that is pushed for its threads. A
 * path that comes to the RPC of its entry is gone; an entry without paths is popped, and the join that it leads to runs
 * on. So threads meet where they would under pdom, and lanes are used as under pdom.
 *
 * As in mech/lib/stack.c a place is a PC and a call depth, and sides that meet only at the function's end meet where it returns
 * to: the PC of such a join is known when the first thread returns. A path is one stream: a thread of it that waits at a
 * barrier holds the others of the path, but not the other path.
 *
 * The choices that follow are ours; HARP and MP do not speak of them.
 * - A branch whose RPC is that of its entry takes the places of the entry if the other path is gone (loops). If it is not,
 *   an entry is pushed as for any branch, and the join arrives as soon as it is complete.
 * - A side that leads to an early exit runs alone: as an entry is held while there is another above it, others might else
 *   wait at a barrier, above, for threads to be gone that are held.
 * - More than two sides: two to an entry, those with most threads on top, all leading to one join.
 * - A path may be in flight when the other one diverges. If it then diverges too, its sides are pushed on top of the
 *   stack, so an entry's join is not always in the entry below. (It is the nearest path below whose mask has the entry's
 *   threads: hardware needs no pointer to it.)
 * - Both paths are as old as their warp for orders by age.
 * - A stack that is full writes its lowest entry to memory. It is back `spill_cycles` after it has become the top again.
 * Dependencies are per thread in the SM, so paths never wait for each other's registers; the paper needs a second
 * scoreboard for that. */
#include "mech/dpe/dpe.h"

#include "base/alloc.h"
#include "mech/lib/order.h"
#include "mech/lib/stack.h"

/* ---- splits of paths ---- */

static void set_status(struct mech *m, struct mech_split *s, enum dpe_status now) {
    struct dpe *d = m->self;
    if (s->own[DPE_STATUS] != DPE_HELD && now != DPE_HELD) {
        s->own[DPE_STATUS] = now;
        return;
    }
    dpe_counts(m)->held += d->held * (*m->env.now - d->counted);
    d->counted = *m->env.now;
    if (s->own[DPE_STATUS] == DPE_HELD) d->held -= s->threads;
    if (now == DPE_HELD) d->held += s->threads;
    s->own[DPE_STATUS] = now;
}

/* s, in no order or just committed, runs if its path may and the entry is there. */
static void dpe_go(struct mech *m, const struct dpe_home *h, struct mech_split *s) {
    if (dpe_may_run(m, h, s->own[DPE_PATH]) && *m->env.now >= h->due) {
        set_status(m, s, DPE_RUNS);
        order_add(m->order, s);
    } else {
        order_remove(m->order, s);
        set_status(m, s, DPE_HELD);
    }
}

/* So that a commit that leads nowhere else need not look at the entry. */
static void aim(const struct dpe_home *h, struct mech_split *s) {
    const struct dpe_entry *e = &h->e[s->own[DPE_PATH] / 2];
    s->own[DPE_JOIN] = (int32_t)s->own[DPE_DEPTH] == e->rdepth ? e->rpc : IR_NOPC;
}

static void become_path(struct dpe_home *h, struct mech_split *s, uint32_t path) {
    *dpe_path(h, path) = (struct dpe_path){.kind = DPE_SPLIT, .split = s->id};
    s->own[DPE_PATH] = path;
    s->age = h->age;
    aim(h, s);
}

/* s, in no path, is where the join is that it leads to. */
static void arrive_at(struct mech *m, struct dpe_home *h, struct mech_split *s, uint32_t to) {
    struct dpe *d = m->self;
    struct dpe_path *join = dpe_path(h, to);
    CHECK(join->kind == DPE_JOINS && (join->pc == IR_NOPC || join->pc == s->pc));
    join->pc = s->pc;
    d->joining += s->threads;
    set_status(m, s, DPE_RUNS);
    split_free(m, s);
}

/* The path of s is at its RPC if that is so. */
static bool dpe_arrive(struct mech *m, struct dpe_home *h, struct mech_split *s) {
    const uint32_t path = s->own[DPE_PATH];
    if (!dpe_at_rpc(&h->e[path / 2], s)) return false;
    dpe_path(h, path)->kind = DPE_GONE;
    arrive_at(m, h, s, h->e[path / 2].to);
    return true;
}

/* ---- the stack ---- */

static void dpe_push(struct mech *m, struct dpe_home *h, struct dpe_entry e) {
    const uint32_t most = dpe_params(m)->entries;
    for (uint32_t k = 0; k < 2; k++) { /* the top is held from now on; who is in flight, when it commits */
        const struct dpe_path *p = &h->e[h->n - 1].path[k];
        struct mech_split *s = p->kind == DPE_SPLIT ? split_at(m->pool, p->split) : NULL;
        if (!s || s->in_flight || s->own[DPE_STATUS] != DPE_RUNS) continue;
        order_remove(m->order, s);
        set_status(m, s, DPE_HELD);
    }
    CHECK(h->n < m->env.warp_size);
    PAGES_GROW(m->env.pages, h->e, h->n, h->cap);
    h->e[h->n++] = e;
    if (e.to != DPE_NONE) dpe_path(h, e.to)->entries++;
    h->due = 0;
    dpe_counts(m)->pushes++;
    if (h->n > m->stats.stack_max) m->stats.stack_max = h->n;
    if (!most || h->n - h->spilled <= most) return;
    h->spilled++;
    dpe_counts(m)->spills++;
}

/* A join is complete: its path runs on, once it is on top. */
static void dpe_resume(struct mech *m, struct dpe_home *h, uint32_t path) {
    struct dpe *d = m->self;
    const struct dpe_path join = *dpe_path(h, path);
    struct mech_set set;
    dpe_path(h, path)->kind = DPE_GONE;
    mask_set(&join.mask, h->first, &set);
    if (!set.n) return; /* all exited */
    split_reconverged(m, join.pc);
    struct mech_split *s = split_new(m, h->sched, join.pc);
    split_assign(m->pool, s, &set);
    d->joining -= s->threads;
    s->own[DPE_HOME] = (uint32_t)(h - d->home);
    s->own[DPE_DEPTH] = (uint32_t)join.depth;
    become_path(h, s, path);
    if (!dpe_arrive(m, h, s)) set_status(m, s, DPE_HELD);
}

/* The top was not the top, or its left path held back the right one. */
static void show_top(struct mech *m, struct dpe_home *h) {
    struct dpe *d = m->self;
    if (h->n <= h->spilled) {
        h->spilled = h->n - 1;
        h->due = *m->env.now + dpe_params(m)->spill_cycles;
        if (h->due < d->alarm) d->alarm = h->due;
    }
    for (uint32_t k = 0; k < 2; k++) {
        const struct dpe_path *p = &h->e[h->n - 1].path[k];
        struct mech_split *s = p->kind == DPE_SPLIT ? split_at(m->pool, p->split) : NULL;
        if (s && s->own[DPE_STATUS] == DPE_HELD) dpe_go(m, h, s);
    }
}

/* Pops what has no paths any more, and lets run what waited for that, or for a path that left. */
static void dpe_settle(struct mech *m, struct dpe_home *h) {
    const uint32_t before = h->n;
    while (h->n && h->e[h->n - 1].path[0].kind == DPE_GONE && h->e[h->n - 1].path[1].kind == DPE_GONE) {
        const uint32_t to = h->e[--h->n].to;
        if (to != DPE_NONE && !--dpe_path(h, to)->entries) dpe_resume(m, h, to);
    }
    if (h->n && (h->n != before || h->e[h->n - 1].leaves)) show_top(m, h);
}

/* ---- divergence ---- */

/* Is a entered before b? Sides that leave are on top; of two the taken side is the left one; of more, those with most threads
 * are on top. */
static bool comes_first(const struct mech *m, const struct mech_split *a, const struct mech_split *b,
                        uint32_t n, uint32_t branch) {
    const struct stack_way x = stack_way(m, branch, a->pc, a->threads),
                           y = stack_way(m, branch, b->pc, b->threads);
    if (x.pc == y.pc && (n <= 2 || x.threads == y.threads)) return a->own[DPE_DEPTH] < b->own[DPE_DEPTH];
    return stack_runs_first(x, y, n > 2 ? STACK_MOST : STACK_TAKEN, branch + 1);
}

static void sort(const struct mech *m, struct mech_split **side, uint32_t n, uint32_t branch) {
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t k = i; k && comes_first(m, side[k], side[k - 1], n, branch); k--) {
            struct mech_split *t = side[k];
            side[k] = side[k - 1];
            side[k - 1] = t;
        }
}

/* Sides that are at the join arrive; how many are left. */
static uint32_t enter_join(struct mech *m, struct dpe_home *h, const struct dpe_entry *e,
                           struct mech_split **side, uint32_t n) {
    uint32_t left = 0;
    for (uint32_t k = 0; k < n; k++) {
        if (dpe_at_rpc(e, side[k]))
            arrive_at(m, h, side[k], e->to);
        else
            side[left++] = side[k];
    }
    return left;
}

/* Two to an entry, the first pair on top; the last pair takes the places of entry `reuse`, unless that is DPE_NONE. */
static void dpe_enter(struct mech *m, struct dpe_home *h, struct dpe_entry like, struct mech_split **side,
                      uint32_t n, uint32_t branch, uint32_t reuse) {
    for (uint32_t pair = (n + 1) / 2; pair-- > 0; reuse = DPE_NONE) {
        const uint32_t k = 2 * pair;
        if (reuse == DPE_NONE) dpe_push(m, h, like);
        const uint32_t at = reuse == DPE_NONE ? h->n - 1 : reuse;
        become_path(h, side[k], 2 * at);
        h->e[at].leaves = false;
        if (k + 1 == n) continue;
        become_path(h, side[k + 1], 2 * at + 1);
        h->e[at].leaves = stack_leaves(m, branch, side[k]->pc) && !stack_leaves(m, branch, side[k + 1]->pc);
    }
    for (uint32_t k = 0; k < n; k++) dpe_go(m, h, side[k]);
}

/* The path went different ways at a branch of call depth `depth`. */
static void dpe_diverge(struct mech *m, struct dpe_home *h, uint32_t path, const struct mech_outcome *o,
                        struct mech_split **side, uint32_t n, int32_t depth) {
    const uint32_t rpc = o->insn->rpc;
    const struct dpe_entry *own = &h->e[path / 2];
    struct dpe_entry like = {.rpc = rpc, .rdepth = rpc == IR_NOPC ? depth - 1 : depth, .to = path};
    const bool same =
        own->rpc == rpc && own->rdepth == like.rdepth && own->path[!(path % 2)].kind == DPE_GONE;
    split_diverged(m, n);
    if (same) {
        like.to = own->to;
        dpe_path(h, path)->kind = DPE_GONE;
    } else {
        struct dpe_path *join = dpe_path(h, path);
        *join = (struct dpe_path){.kind = DPE_JOINS, .pc = rpc, .depth = like.rdepth};
        for (uint32_t k = 0; k < n; k++) mask_put(&join->mask, h->first, &side[k]->set);
    }
    n = enter_join(m, h, &like, side, n);
    sort(m, side, n, o->pc);
    dpe_enter(m, h, like, side, n, o->pc, same ? path / 2 : DPE_NONE);
}

/* ---- launch, issue, commit, release ---- */

static bool dpe_create(struct mech *m, struct err *e) {
    (void)e;
    struct dpe *d = m->self;
    d->homes = split_homes(&m->env);
    d->home = PAGES_NEW(m->env.pages, struct dpe_home, d->homes);
    d->alarm = MECH_NEVER;
    return true;
}

static void dpe_start(struct mech *m, struct mech_split *s, uint32_t home) {
    struct dpe *d = m->self;
    struct dpe_home *h = &d->home[home];
    CHECK(!h->n);
    PAGES_GROW(m->env.pages, h->e, h->n, h->cap);
    h->first = s->set.p[0].warp;
    h->sched = s->sched;
    h->age = s->age;
    h->spilled = 0;
    h->due = 0;
    h->n = 1;
    h->e[0] = (struct dpe_entry){.rpc = IR_NOPC, .rdepth = -1, .to = DPE_NONE};
    s->own[DPE_HOME] = home;
    become_path(h, s, 0);
    dpe_go(m, h, s);
}

/* Entries that are back from memory. */
static void dpe_ring(struct mech *m) {
    struct dpe *d = m->self;
    d->alarm = MECH_NEVER;
    for (struct dpe_home *h = d->home; h < d->home + d->homes; h++) {
        if (!h->due || !h->n) continue;
        if (h->due <= *m->env.now) {
            h->due = 0;
            show_top(m, h);
        } else if (h->due < d->alarm) {
            d->alarm = h->due;
        }
    }
}

static uint64_t dpe_next(const struct mech *m, uint32_t sched) {
    (void)sched;
    return ((const struct dpe *)m->self)->alarm;
}

static bool dpe_select(struct mech *m, uint32_t sched, struct mech_packet *out) {
    const struct dpe *d = m->self;
    if (*m->env.now >= d->alarm) dpe_ring(m);
    struct mech_split *s = order_pick(m->order, sched, *m->env.now);
    if (!s) return false;
    const struct dpe_path *other = dpe_path(dpe_home_of(m, s), s->own[DPE_PATH] ^ 1);
    if (other->kind == DPE_SPLIT) {
        const struct mech_split *t = split_known(m->pool, other->split);
        dpe_counts(m)->both_ready += order_holds(t) && t->wake <= *m->env.now;
    }
    split_issue(m, out, s);
    return true;
}

/* Threads exited: they leave every join they would have come to. */
static void dpe_leave(struct dpe_home *h, uint32_t to, const struct mech_set *gone) {
    for (; to != DPE_NONE; to = h->e[to / 2].to) mask_take(&dpe_path(h, to)->mask, h->first, gone);
}

static void dpe_commit_sides(struct mech *m, struct dpe_home *h, struct mech_split *s,
                             const struct mech_outcome *o) {
    struct mech_split *side[MECH_SIDES];
    const uint32_t path = s->own[DPE_PATH], depth = s->own[DPE_DEPTH],
                   n = split_sides(m, s, o, DPE_DEPTH, side);
    if (n > 1) {
        dpe_diverge(m, h, path, o, side, n, (int32_t)depth);
    } else if (!dpe_arrive(m, h, s)) {
        aim(h, s);
        dpe_go(m, h, s);
    }
}

static void dpe_commit_slow(struct mech *m, struct dpe_home *h, struct mech_split *s,
                            const struct mech_outcome *o) {
    const uint32_t path = s->own[DPE_PATH];
    if (o->exited.n) {
        split_exit(m->pool, s, &o->exited);
        dpe_leave(h, h->e[path / 2].to, &o->exited);
    }
    if (!s->threads) {
        dpe_path(h, path)->kind = DPE_GONE;
        split_free(m, s);
    } else if (
        o->waiting
            .n) { /* threads that wait and those that do not go on behind this instruction once all may */
        CHECK(!o->exited.n && o->nsides <= 1 && (!o->nsides || o->side[0].pc == o->pc + 1));
        mask_put(&dpe_path(h, path)->mask, h->first, &o->waiting);
        s->pc = o->pc + 1;
        order_remove(m->order, s);
        set_status(m, s, DPE_WAITS);
    } else {
        dpe_commit_sides(m, h, s, o);
    }
    dpe_settle(m, h);
}

static bool dpe_advance(struct mech *m, struct mech_split *s, uint32_t to) {
    if (to == s->own[DPE_JOIN]) return false;
    s->pc = to;
    dpe_go(m, dpe_home_of(m, s), s);
    return true;
}

static void dpe_commit(struct mech *m, struct mech_split *s, const struct mech_outcome *o) {
    const bool together = o->nsides == 1 && !o->exited.n && !o->waiting.n && !o->depth_change;
    if (!together || !dpe_advance(m, s, o->side[0].pc)) dpe_commit_slow(m, dpe_home_of(m, s), s, o);
}

static void dpe_release(struct mech *m, const struct mech_set *set, uint32_t pc) {
    struct mech_set left, some;
    set_copy(&left, set);
    while (left.n) {
        struct mech_split *s = split_first_of(m->pool, &left, &some);
        CHECK(s->own[DPE_STATUS] == DPE_WAITS && s->pc == pc);
        struct dpe_home *h = dpe_home_of(m, s);
        struct dpe_path *p = dpe_path(h, s->own[DPE_PATH]);
        mask_take(&p->mask, h->first, &some);
        if (mask_any(&p->mask)) continue;
        if (!dpe_arrive(m, h, s)) dpe_go(m, h, s);
        dpe_settle(m, h);
    }
}

/* The top of its warp's stack is on the way back from memory. */
static bool dpe_clocked(const struct mech *m, uint32_t warp, uint32_t lane) {
    const struct mech_split *s = split_of(m->pool, warp, lane);
    return s && dpe_home_of(m, s)->due > *m->env.now;
}

extern const struct mech_ops mech_dpe;
const struct mech_ops mech_dpe = {
    .name = "dpe",
    .title = "Dual-path execution",
    .source = "HARP 5; MP; HPCA 2013",
    .caps = MECH_ANY_CODE | MECH_AT_HOME,
    .params = MECH_PARAM_ROWS(DPE_PARAMS),
    .counters = MECH_COUNTER_ROWS(DPE_COUNTERS),
    .self_bytes = sizeof(struct dpe),
    .create = dpe_create,
    .start = dpe_start,
    .select = dpe_select,
    .commit = dpe_commit,
    .advance = dpe_advance,
    .release = dpe_release,
    .next = dpe_next,
    .clocked = dpe_clocked,
    .census = dpe_census,
    .places = dpe_places,
    .state = dpe_state,
    .storage = dpe_storage,
    .audit = dpe_audit,
};
