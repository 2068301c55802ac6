/* The stack of a block: what happens at a branch that may diverge, at reconvergence points and at likely-convergence points
 * (Fung & Aamodt 2011, sections 4.1 to 4.3).
 *
 * Every warp of a side that commits the branch is counted in. When the last one has been, its threads and those of the
 * others leave the side: to a join at the branch's reconvergence point and to a side above it for each next PC, or, if the
 * side itself ends at that point, to sides beside it, which keeps loops from stacking up. Threads that are at the join
 * already are not pushed. If no thread of the side diverged, its warps go on as they are. Where threads meet is a PC and a
 * call depth, as in stack.c; sides of a branch that only meet at the function's end meet where it returns to.
 *
 * A branch with a likely-convergence point pushes an entry for it below its sides, without threads (4.3: LPC and LPos).
 * Warps that come there leave their side for that entry, which has its turn when the sides above it are done, and runs on to
 * the reconvergence point with all of them. If it stays empty it is popped.
 *
 * Beyond the paper: an indirect branch has an entry for each target. The analysis of which branches can diverge assumes that
 * threads met in lockstep; if warps of a side come to different branches all the same, they are counted in at each, and the
 * branches are passed one after the other. Threads that return to another place than those they run with go on in the side
 * below their join.
 *
 * Under CAPRI a warp may pass alone. Its threads leave the side as those of all warps would, and while others may still come
 * to the branch its entries are open: they take more threads, and are not done even if they have none. */
#include "base/alloc.h"
#include "mech/tbc/tbc.h"

/* ---- where threads meet ---- */

static bool tbc_branch_at_join(const struct tbc_join *j, uint32_t pc, int32_t depth) {
    if (depth != j->rdepth) return false;
    return j->rpc == pc || (j->rpc == IR_NOPC && (j->pc == IR_NOPC || j->pc == pc));
}

/* Not at the join, and no way leads there any more: back from the function, to another place than the others. */
static bool beyond(const struct tbc_join *j, int32_t depth) {
    return depth < j->rdepth || (depth == j->rdepth && j->rpc == IR_NOPC);
}

static bool at_likely(const struct tbc_side *n, uint32_t pc, int32_t depth) {
    return n->likely && pc == n->lpc && depth == n->ldepth;
}

static void tbc_branch_arrive(struct tbc *t, struct tbc_join *j, uint32_t threads, uint32_t warps,
                              uint32_t pc) {
    j->pc = pc;
    j->arrived += threads;
    j->brought += warps;
    t->joining += threads;
}

static void tbc_branch_collect(struct mech *m, struct tbc_side *to, const uint32_t *mask, uint32_t threads,
                               uint32_t warps) {
    struct tbc *t = m->self;
    tbc_or(to->mask, mask, t->row);
    to->threads += threads;
    to->brought += warps;
    t->joining += threads;
    tbc_counts(m)->lcp_merges += warps;
}

static void tbc_branch_move(const struct tbc *t, struct tbc_side *from, uint32_t *to, const uint32_t *mask,
                            uint32_t threads) {
    tbc_without(from->mask, mask, t->row);
    from->threads -= threads;
    if (to) tbc_or(to, mask, t->row);
}

struct tbc_side *tbc_place(struct mech *m, struct tbc_side *n, const uint32_t *mask, uint32_t threads,
                           uint32_t pc, int32_t depth) {
    struct tbc *t = m->self;
    for (;;) {
        struct tbc_join *j = n->join;
        if (tbc_branch_at_join(j, pc, depth)) {
            tbc_branch_move(t, n, NULL, mask, threads);
            tbc_branch_arrive(t, j, threads, 1, pc);
            return NULL;
        }
        if (at_likely(n, pc, depth)) {
            tbc_branch_move(t, n, NULL, mask, threads);
            tbc_branch_collect(m, n->likely, mask, threads, 1);
            return NULL;
        }
        if (!beyond(j, depth)) return n;
        tbc_without(j->mask, mask, t->row);
        tbc_branch_move(t, n, j->side->mask, mask, threads);
        n = j->side;
        n->threads += threads;
    }
}

/* ---- divergence ---- */

/* The join of the branch's sides, on top of side n. If n ends there too, and all of it is at the branch, they replace it. If
 * only some of it is, they must not: what is left of n would have to wait for them, or they for it. */
static struct tbc_join *tbc_branch_join_of(struct mech *m, struct tbc_block *b, struct tbc_side *n,
                                           const struct tbc_gather *g) {
    const int32_t rdepth = g->rpc == IR_NOPC ? g->depth - 1 : g->depth;
    uint32_t threads = 0;
    for (uint32_t k = 0; k < g->narms; k++) threads += g->arm[k].threads;
    const bool whole = threads == n->threads && !n->joins && !n->fed;
    if (whole && n->rpc == g->rpc && n->rdepth == rdepth) return n->join;
    struct tbc_join *j = tbc_join_new(m, b);
    j->side = n;
    j->pc = j->rpc = g->rpc;
    j->rdepth = rdepth;
    j->backs = g->backs + (g->rpc <= g->pc);
    n->joins++;
    return j;
}

/* What sides of the branch have as likely-convergence point: its own, with an entry for it, or that of the side they
 * replace. `like` is told. */
static void find_likely(struct mech *m, const struct tbc_side *n, struct tbc_join *j,
                        const struct tbc_gather *g, struct tbc_side *like) {
    const struct tbc *t = m->self;
    const uint32_t lpc = tbc_params(m)->likely ? t->code->likely[g->pc] : IR_NOPC;
    like->lpc = IR_NOPC;
    like->likely = NULL;
    if (j == n->join) {
        like->lpc = n->lpc;
        like->ldepth = n->ldepth;
        like->likely = n->likely;
    }
    if (lpc == IR_NOPC || lpc == like->lpc) return;
    struct tbc_side *to = tbc_side_new(m, j, lpc, g->depth);
    to->lpc = like->lpc;
    to->ldepth = like->ldepth;
    to->likely = like->likely;
    to->collects = true;
    to->below = j->top;
    j->top = to;
    like->lpc = lpc;
    like->ldepth = g->depth;
    like->likely = to;
}

static struct stack_way way_of(const struct mech *m, const struct tbc_gather *g, uint32_t arm) {
    const struct tbc_arm *a = &g->arm[arm];
    return stack_way(m, g->pc, a->pc, a->threads);
}

static void note_depth(struct mech *m, const struct tbc_block *b) {
    uint32_t n = b->njoins - 1;
    for (uint32_t k = 0; k < b->njoins; k++)
        for (const struct tbc_side *s = b->join[k]->top; s; s = s->below) n += s->threads != 0;
    if (n > m->stats.stack_max) m->stats.stack_max = n;
}

/* Threads of side n that took an arm of its branch leave it, for join j. True: they are on a side of their own, and `at` is
 * where that is put into the list. */
static bool leave_by(struct mech *m, struct tbc_block *b, struct tbc_side *n, struct tbc_join *j,
                     struct tbc_arm *a, const struct tbc_side *like) {
    struct tbc *t = m->self;
    tbc_branch_move(t, n, j == n->join ? NULL : j->mask, a->mask, a->threads);
    if (tbc_branch_at_join(j, a->pc, a->depth)) {
        tbc_branch_arrive(t, j, a->threads, a->warps, a->pc);
        return false;
    }
    if (at_likely(like, a->pc, a->depth)) {
        tbc_branch_collect(m, like->likely, a->mask, a->threads, a->warps);
        return false;
    }
    if (!beyond(j, a->depth)) return true;
    struct tbc_side *to = j->side;
    tbc_without(j->mask, a->mask, t->row);
    tbc_or(to->mask, a->mask, t->row);
    to->threads += a->threads;
    to = tbc_place(m, to, a->mask, a->threads, a->pc, a->depth);
    if (to) tbc_compact(m, b, to, a->mask, a->warps, a->pc, a->depth, 0);
    return false;
}

static void tbc_branch_push(struct mech *m, struct tbc_join *j, struct tbc_arm *a,
                            const struct tbc_side *like, struct tbc_side **at) {
    struct tbc *t = m->self;
    struct tbc_side *s = tbc_side_new(m, j, a->pc, a->depth);
    tbc_or(s->mask, a->mask, t->row);
    s->threads = a->threads;
    s->brought = a->warps;
    s->lpc = like->lpc;
    s->ldepth = like->ldepth;
    s->likely = like->likely;
    s->below = *at;
    *at = s;
    a->side = s;
    t->inactive += a->threads;
}

/* The arms of g become entries, the one to run first last; the first gets its turn from tbc_turn. */
static void tbc_branch_diverge(struct mech *m, struct tbc_block *b, struct tbc_side *n,
                               struct tbc_gather *g) {
    struct tbc_side like = {0};
    struct tbc_join *j = g->join = tbc_branch_join_of(m, b, n, g);
    bool done[MECH_SIDES] = {false};
    split_diverged(m, g->narms);
    find_likely(m, n, j, g, &like);
    g->lpc = like.lpc;
    g->ldepth = like.ldepth;
    g->likely = like.likely;
    for (uint32_t left = g->narms; left--;) {
        uint32_t last = g->narms;
        for (uint32_t i = 0; i < g->narms; i++)
            if (!done[i] &&
                (last == g->narms || stack_runs_first(way_of(m, g, last), way_of(m, g, i),
                                                      (enum stack_side)tbc_params(m)->side, g->pc + 1)))
                last = i;
        done[last] = true;
        if (leave_by(m, b, n, j, &g->arm[last], &like)) tbc_branch_push(m, j, &g->arm[last], &like, &j->top);
    }
    note_depth(m, b);
}

/* ---- a warp that waits ---- */

static struct tbc_gather *gather_at(const struct tbc_side *n, uint32_t pc, const struct tbc_warp *w) {
    struct tbc_gather *g = n->gather;
    while (g && (g->pc != pc || g->depth != w->depth || g->backs != w->backs)) g = g->next;
    return g;
}

static void add_ways(struct mech *m, const struct tbc_block *b, struct tbc_gather *g, uint32_t ways) {
    const struct tbc *t = m->self;
    for (uint32_t k = 0; k < ways; k++) {
        struct tbc_arm *a = tbc_arm_of(m, g, t->way[k].pc, t->way[k].depth);
        tbc_put(a->mask, b->first, t->way[k].set);
        a->threads += set_count(t->way[k].set);
        a->warps++;
    }
}

/* s is counted in. If it did not diverge it may go on as it is later. */
static void wait_for_others(struct mech *m, struct tbc_block *b, struct mech_split *s, struct tbc_gather *g,
                            uint32_t ways) {
    struct tbc *t = m->self;
    struct tbc_warp *w = &t->w[s->id];
    add_ways(m, b, g, ways);
    g->warps++;
    g->threads += s->threads;
    t->joining += s->threads;
    tbc_warp_leave(m, s);
    if (ways > 1) {
        tbc_warp_retire(m, b, s);
        return;
    }
    s->pc = t->way[0].pc;
    w->depth = t->way[0].depth;
    w->backs += s->pc <= g->pc;
    w->next = SPLIT_NONE;
    *(g->last == SPLIT_NONE ? &g->parked : &t->w[g->last].next) = s->id;
    g->last = s->id;
}

/* ---- a warp that passes without waiting (CAPRI) ---- */

/* The entries of g may get more threads. */
static void tbc_branch_feed(const struct tbc_side *n, struct tbc_gather *g, struct tbc_gather *by) {
    for (uint32_t k = 0; k < g->narms; k++)
        if (g->arm[k].side) g->arm[k].side->fed = by;
    if (g->likely && g->likely != n->likely) g->likely->fed = by;
}

/* The first to pass: the entries are those of its own sides. The side that runs, if one does. */
static struct tbc_side *pass_first(struct mech *m, struct tbc_block *b, struct tbc_side *n,
                                   struct tbc_gather *g) {
    struct tbc *t = m->self;
    g->open = true;
    tbc_branch_diverge(m, b, n, g);
    for (uint32_t k = 0; k < g->narms && !g->live; k++)
        if (g->arm[k].side && g->arm[k].side == g->join->top) g->live = g->arm[k].side;
    if (!g->live) return NULL;
    g->live->live = true;
    t->inactive -= g->live->threads;
    return g->live;
}

/* A later one: its threads that go this way. The side, if it runs. */
static struct tbc_side *pass_later(struct mech *m, struct tbc_block *b, struct tbc_side *n,
                                   struct tbc_gather *g, const struct tbc_way *way) {
    struct tbc *t = m->self;
    uint32_t mask[STACK_WORDS] = {0};
    const struct tbc_side like = {.lpc = g->lpc, .ldepth = g->ldepth, .likely = g->likely};
    struct tbc_arm part = {.pc = way->pc, .depth = way->depth, .warps = 1, .mask = mask}, *a;
    tbc_put(mask, b->first, way->set);
    part.threads = set_count(way->set);
    a = tbc_arm_of(m, g, way->pc, way->depth);
    tbc_or(a->mask, mask, t->row);
    a->threads += part.threads;
    a->warps++;
    if (!leave_by(m, b, n, g->join, &part, &like)) return NULL;
    if (!a->side) {
        tbc_branch_push(m, g->join, &part, &like, g->live ? &g->live->below : &g->join->top);
        a->side = part.side;
        if (!g->live) {
            g->live = a->side;
            a->side->live = true;
            t->inactive -= part.threads;
        }
    } else {
        tbc_or(a->side->mask, mask, t->row);
        a->side->threads += part.threads;
        a->side->brought++;
        if (!a->side->live) t->inactive += part.threads;
    }
    return a->side->live ? a->side : NULL;
}

/* s goes on with those of its threads that are on side `to`, which runs; the others wait there where they are now. */
static void run_part(struct mech *m, struct tbc_block *b, struct mech_split *s, struct tbc_side *to) {
    struct tbc *t = m->self;
    tbc_warp_leave(m, s);
    if (!to) {
        tbc_warp_retire(m, b, s);
        return;
    }
    const struct tbc_way *way = t->way;
    while (way->pc != to->pc || way->depth != to->depth) way++;
    split_unbind(m->pool, &s->set);
    split_assign(m->pool, s, way->set);
    s->pc = way->pc;
    t->w[s->id].depth = way->depth;
    t->w[s->id].backs = 0;
    tbc_warp_enter(m, s, to);
    order_add(m->order, s);
}

static void tbc_branch_pass(struct mech *m, struct tbc_block *b, struct mech_split *s, struct tbc_gather *g,
                            uint32_t ways) {
    struct tbc *t = m->self;
    struct tbc_side *n = t->w[s->id].side, *to = NULL;
    ++*t->bypassed;
    g->warps++;
    if (!g->open) {
        add_ways(m, b, g, ways);
        to = pass_first(m, b, n, g);
    } else {
        split_diverged(m, ways);
        for (uint32_t k = 0; k < ways; k++) {
            struct tbc_side *runs = pass_later(m, b, n, g, &t->way[k]);
            if (runs) to = runs;
        }
        note_depth(m, b);
    }
    tbc_branch_feed(n, g, g);
    run_part(m, b, s, to);
}

/* ---- a warp at a branch ---- */

/* The first warp that diverges in this round decides for the others. */
static bool must_wait(struct mech *m, const struct tbc_gather *g, uint32_t pc) {
    const struct tbc *t = m->self;
    if (g) return !g->open;
    return !t->is_adequate || t->is_adequate(m, pc);
}

void tbc_branch(struct mech *m, struct tbc_block *b, struct mech_split *s, const struct mech_outcome *o,
                uint32_t ways) {
    struct tbc *t = m->self;
    struct tbc_warp *w = &t->w[s->id];
    struct tbc_gather *g = gather_at(w->side, o->pc, w);
    const bool waits = !(t->free_uniform && ways == 1) && must_wait(m, g, o->pc);
    if (!waits && ways == 1) {
        w->backs += t->way[0].pc <= o->pc;
        tbc_go(m, b, s, t->way[0].pc, t->way[0].depth);
        return;
    }
    if (!g) g = tbc_gather_new(m, w->side, o, w);
    if (waits)
        wait_for_others(m, b, s, g, ways);
    else
        tbc_branch_pass(m, b, s, g, ways);
}

/* ---- a branch that all have come to ---- */

/* A warp of the side at this place has yet to come to the branch, as far as places tell: it has jumped back fewer times, or
 * as often and is at a lower PC; one in a deeper call may come, one that has returned will not. */
static bool is_behind(const struct tbc_gather *g, uint32_t pc, int32_t depth, uint32_t backs) {
    if (depth != g->depth) return depth > g->depth;
    return backs != g->backs ? backs < g->backs : pc <= g->pc;
}

bool tbc_passed(const struct mech *m, const struct mech_split *s, uint32_t before, uint32_t backs) {
    const struct tbc *t = m->self;
    const struct tbc_warp *w = &t->w[s->id];
    for (const struct tbc_gather *g = w->side->gather; g; g = g->next)
        if (is_behind(g, before, w->depth, backs) && !is_behind(g, s->pc, w->depth, w->backs)) return true;
    return false;
}

/* Has every warp of the side that will come to the branch done so? By place, one that waits at a barrier will not. Otherwise
 * all do; if the analysis was wrong and warps are at several branches, some may wait at a barrier for the others. */
static bool is_ready(const struct mech *m, const struct tbc_side *n, const struct tbc_gather *g) {
    const struct tbc *t = m->self;
    if (n->fed) return false;
    if (!t->by_place) return !n->warps || (n->warps == n->blocked && (n->gather->next || n->joins));
    for (uint32_t id = n->first; id != SPLIT_NONE; id = t->w[id].next) {
        const struct tbc_warp *w = &t->w[id];
        if (!w->waits && is_behind(g, split_known(m->pool, id)->pc, w->depth, w->backs)) return false;
    }
    return true;
}

/* No warp diverged: all go on. */
static void tbc_branch_go_on(struct mech *m, struct tbc_block *b, struct tbc_side *n, struct tbc_gather *g) {
    struct tbc *t = m->self;
    tbc_counts(m)->uniform_waits += g->warps - 1;
    for (uint32_t id = g->parked, next; id != SPLIT_NONE; id = next) {
        struct mech_split *s = split_known(m->pool, id);
        next = t->w[id].next;
        tbc_warp_enter(m, s, n);
        tbc_go(m, b, s, s->pc, t->w[id].depth);
    }
}

static void tbc_branch_resolve(struct mech *m, struct tbc_block *b, struct tbc_side *n,
                               struct tbc_gather *g) {
    struct tbc *t = m->self;
    tbc_gather_take(n, g);
    if (t->learn) t->learn(m, b, g);
    t->joining -= g->threads;
    tbc_counts(m)->branch_waits += g->warps - 1;
    if (g->narms == 1) {
        tbc_branch_go_on(m, b, n, g);
    } else {
        for (uint32_t id = g->parked; id != SPLIT_NONE; id = t->w[id].next)
            tbc_warp_retire(m, b, split_known(m->pool, id));
        tbc_branch_diverge(m, b, n, g);
    }
    tbc_gather_free(t, g);
}

/* All have passed: its entries are complete. */
static void close(struct mech *m, struct tbc_block *b, struct tbc_side *n, struct tbc_gather *g) {
    struct tbc *t = m->self;
    tbc_gather_take(n, g);
    t->learn(m, b, g);
    tbc_branch_feed(n, g, NULL);
    tbc_gather_free(t, g);
}

static bool tbc_branch_settle(struct mech *m, struct tbc_block *b, struct tbc_side *n) {
    struct tbc_gather *g = n->gather;
    while (g && !is_ready(m, n, g)) g = g->next;
    if (!g) return false;
    if (g->open)
        close(m, b, n, g);
    else
        tbc_branch_resolve(m, b, n, g);
    return true;
}

/* ---- turns ---- */

static bool is_done(const struct tbc_side *n) {
    return !n->threads && !n->joins && !n->gather && !n->fed;
}

/* All sides are done: the join's threads go on in the side below. */
static void tbc_branch_rejoin(struct mech *m, struct tbc_block *b, struct tbc_join *j) {
    struct tbc *t = m->self;
    struct tbc_side *n = j->side;
    const uint32_t threads = j->arrived;
    if (!n) {
        tbc_join_free(t, b, j);
        tbc_block_end(m, b);
        return;
    }
    n->joins--;
    t->joining -= threads;
    if (threads) {
        split_reconverged(m, j->pc);
        tbc_or(n->mask, j->mask, t->row);
        n->threads += threads;
        struct tbc_side *to = tbc_place(m, n, j->mask, threads, j->pc, j->rdepth);
        if (to) {
            to->pc = j->pc;
            to->depth = j->rdepth;
            tbc_compact(m, b, to, j->mask, j->brought, j->pc, j->rdepth, j->backs);
        }
    }
    tbc_join_free(t, b, j);
}

static void tbc_branch_begin(struct mech *m, struct tbc_block *b, struct tbc_side *n) {
    struct tbc *t = m->self;
    n->live = true;
    *(n->collects ? &t->joining : &t->inactive) -= n->threads;
    tbc_compact(m, b, n, n->mask, n->brought, n->pc, n->depth, 0);
}

/* One thing that can happen at a join or its sides; false: nothing can. */
static bool tbc_branch_step(struct mech *m, struct tbc_block *b, struct tbc_join *j) {
    struct tbc *t = m->self;
    for (struct tbc_side **at = &j->top; *at;) {
        struct tbc_side *n = *at;
        if (tbc_branch_settle(m, b, n)) return true;
        if (is_done(n) && (n->live || at == &j->top)) {
            *at = n->below;
            tbc_side_free(t, n);
        } else {
            at = &n->below;
        }
    }
    if (j->top && (j->top->live || j->top->fed)) return false;
    if (j->top)
        tbc_branch_begin(m, b, j->top);
    else
        tbc_branch_rejoin(m, b, j);
    return true;
}

void tbc_turn(struct mech *m, struct tbc_block *b) {
    for (bool more = true; more && b->njoins;) {
        more = false;
        for (uint32_t k = b->njoins; k-- > 0 && !more;) more = tbc_branch_step(m, b, b->join[k]);
    }
}
