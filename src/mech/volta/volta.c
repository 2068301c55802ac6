/* Convergence barriers with independent thread scheduling, as NVIDIA's hardware has them since Volta.
 *
 * The program says where threads are to meet (cfg/form_volta.c): BSSY b,R makes the threads that run the members of barrier b,
 * and at BSYNC b, first in R, a member waits until all others are there too, have left by BREAK, or are at their end. Diverged
 * threads are *paths*, splits of the pool, each of which can be scheduled; paths.c has which one is. Nothing else holds them
 * together, so a path may run however long another waits.
 *
 * Yielding (US 10067768, claim 1: a barrier is cleared when each of its threads is blocked there or has yielded): a member that
 * has executed YIELD since others wait at the barrier does not hold them any longer; they go on, the barrier is gone, and he
 * passes its BSYNC later. That is what lets a lock be released behind the loop that takes it.
 *
 * Sources: US 10067768 (Diamos et al.) for barriers and yielding; Shoushtary, Tubella & González, "Control flow
 * management in modern GPUs" (2024), for what Turing's instructions do; Damani et al., "GPU subwarp interleaving" (HPCA 2022),
 * for `interleave = stall`. NVIDIA documents the instructions by name only.
 *
 * Choices, where these are silent:
 *   - a register has a set of members for each path that has set it. If it had one, a path that sets the register its sibling
 *     uses in the other arm would forget the sibling's threads, or wait for them. Where paths with barriers for the same
 *     end run together again, these become one: a BSSY on the way to a join is executed by each path that comes there;
 *   - barriers belong to a call: each call depth has registers of its own, as if every function saved what it uses. BMOVs are in
 *     the program and cost issues; a return leaves the barriers of the call that have not been left;
 *   - YIELD counts for a barrier from its execution until the barrier is cleared, not until the thread runs next: with several
 *     paths that take turns there would not always be a moment at which all of them have just yielded;
 *   - threads that a block barrier or a .sync instruction releases together, at one PC and call depth, go on as one path;
 *   - who waits there holds up the barriers it is a member of for `patience` cycles: those at the BSYNC may be who it waits
 *     for. */
#include "mech/volta/volta.h"

#include "mech/lib/order.h"
#include "mech/lib/set.h"

static enum cfg_form form_by(const void *params) {
    const struct volta_params *p = params;
    return p->place == VOLTA_MERGE ? CFG_FORM_VOLTA_MERGE : CFG_FORM_VOLTA;
}

static bool volta_create(struct mech *m, struct err *e) {
    (void)e;
    struct volta *v = m->self;
    v->homes = split_homes(&m->env);
    v->home = PAGES_NEW(m->env.pages, struct volta_home, v->homes);
    v->interleave = (enum volta_interleave)volta_params(m)->interleave;
    v->at_pc = volta_params(m)->merge == VOLTA_AT_PC;
    v->pending = PAGES_NEW(m->env.pages, uint32_t, v->homes);
    v->look = v->ring = MECH_NEVER;
    for (uint32_t k = 0; k < v->homes; k++) v->home[k].current = SPLIT_NONE;
    return true;
}

static void volta_start(struct mech *m, struct mech_split *s, uint32_t home) {
    struct volta *v = m->self;
    struct volta_home *h = &v->home[home];
    CHECK(!h->splits && !h->n);
    if (!h->list) h->list = PAGES_NEW(m->env.pages, uint32_t, m->env.warp_size);
    h->first = m->pool->first[s->set.p[0].warp];
    h->due = UINT64_MAX;
    h->issues = 0;
    h->splits = 1;
    s->own[VOLTA_HOME] = home;
    s->own[VOLTA_STATUS] = VOLTA_WAITS;
    volta_ready(m, s, false);
    volta_settle(m, h);
}

/* ---- commit ---- */

static void count_splits(struct mech *m, struct volta_home *h, uint32_t more) {
    h->splits += more;
    if (h->splits > volta_counts(m)->splits) volta_counts(m)->splits = h->splits;
}

/* Ready in the order in which they are to run: the first is put in front of the others last. */
static void order_sides(struct mech *m, const struct mech_outcome *o, struct mech_split **side, uint32_t n) {
    const enum stack_side first = (enum stack_side)volta_params(m)->first;
    for (uint32_t k = 1; k < n; k++) {
        struct mech_split *s = side[k];
        uint32_t i = k;
        for (;
             i && stack_runs_first((struct stack_way){.pc = s->pc, .threads = s->threads},
                                   (struct stack_way){.pc = side[i - 1]->pc, .threads = side[i - 1]->threads},
                                   first, o->pc + 1);
             i--)
            side[i] = side[i - 1];
        side[i] = s;
    }
}

static void volta_commit_sides(struct mech *m, struct mech_split *s, const struct mech_outcome *o) {
    struct volta_home *h = volta_home_of(m, s);
    struct mech_split *side[MECH_SIDES];
    const uint64_t age = s->age;
    if (o->nsides > 1) volta_note(h, &s->set, o->pc);
    const uint32_t n = split_sides(m, s, o, VOLTA_DEPTH, side);
    count_splits(m, h, n - 1);
    if (n > 1) split_diverged(m, n);
    order_sides(m, o, side, n);
    for (uint32_t k = n; k--;) {
        side[k]->age = age;
        if (o->depth_change && h->n) volta_leave(m, h, &side[k]->set, (int32_t)side[k]->own[VOLTA_DEPTH]);
        volta_ready(m, side[k], false);
    }
}

/* While its threads are sorted out s neither runs nor stands anywhere. */
static void volta_commit_slow(struct mech *m, struct mech_split *s, const struct mech_outcome *o) {
    struct volta_home *h = volta_home_of(m, s);
    volta_set_status(m, s, VOLTA_WAITS);
    if (o->exited.n) {
        split_exit(m->pool, s, &o->exited);
        volta_leave(m, h, &o->exited, -1);
    }
    if (!s->threads) {
        h->splits--;
        split_free(m, s);
    } else if (!o->nsides) {
        s->pc = o->pc + 1;
    } else {
        if (o->waiting.n) {
            struct mech_split *t = split_divide(m, s, &o->waiting);
            t->pc = o->pc + 1;
            t->age = s->age;
            count_splits(m, h, 1);
        }
        volta_commit_sides(m, s, o);
    }
    volta_settle(m, h);
}

static void commit_bsync(struct mech *m, struct mech_split *s, const struct mech_outcome *o) {
    struct volta_home *h = volta_home_of(m, s);
    volta_set_status(m, s, VOLTA_WAITS);
    s->pc = o->side[0].pc;
    s = volta_bsync(m, s, o->insn->reg, o->pc);
    if (s) volta_ready(m, s, false);
    volta_settle(m, h);
}

static void commit_yield(struct mech *m, struct mech_split *s, const struct mech_outcome *o) {
    struct volta *v = m->self;
    struct volta_home *h = volta_home_of(m, s);
    s->pc = o->side[0].pc;
    if (!volta_params(m)->yield || !o->marked.n) {
        volta_go_on(m, s);
        return;
    }
    volta_yield(m, s, &o->marked);
    if (v->interleave == VOLTA_ANY) {
        volta_go_on(m, s);
        return;
    }
    volta_ready(m, s, true);
    volta_settle(m, h);
}

static void commit_mark(struct mech *m, struct mech_split *s, const struct mech_outcome *o) {
    switch ((enum ir_mark)o->insn->sub) {
    case IR_MK_BSYNC: commit_bsync(m, s, o); return;
    case IR_MK_YIELD: commit_yield(m, s, o); return;
    case IR_MK_BSSY: volta_bssy(m, s, o->insn->reg, o->insn->target); break;
    case IR_MK_BREAK: volta_break(m, s, o->insn->reg, &o->marked); break;
    case IR_MK_BMOV: volta_counts(m)->bmov += o->marked.n != 0; break;
    default: break; /* a form for another mechanism */
    }
    s->pc = o->side[0].pc;
    volta_go_on(m, s);
}

static bool volta_advance(struct mech *m, struct mech_split *s, uint32_t to) {
    volta_home_of(m, s)->issues++;
    s->pc = to;
    volta_go_on(m, s);
    return true;
}

static void volta_commit(struct mech *m, struct mech_split *s, const struct mech_outcome *o) {
    const bool together = o->nsides == 1 && !o->exited.n && !o->waiting.n && !o->depth_change;
    if (together && o->insn->op != IR_MARK) {
        volta_advance(m, s, o->side[0].pc);
        return;
    }
    volta_home_of(m, s)->issues++;
    if (together)
        commit_mark(m, s, o);
    else
        volta_commit_slow(m, s, o);
}

/* ---- release ---- */

/* s goes on as part of one of its warp that was released with it. */
static bool joins(struct mech *m, struct mech_split **made, uint32_t n, struct mech_split *s) {
    for (uint32_t k = 0; k < n; k++) {
        if (made[k]->own[VOLTA_DEPTH] != s->own[VOLTA_DEPTH]) continue;
        volta_join(m, made[k], s);
        return true;
    }
    return false;
}

static void release_home(struct mech *m, struct volta_home *h, struct mech_split **made, uint32_t n) {
    for (uint32_t k = 0; k < n; k++) {
        volta_unify(m, h, &made[k]->set);
        volta_ready(m, made[k], false);
    }
    volta_settle(m, h);
}

static void volta_release(struct mech *m, const struct mech_set *set, uint32_t pc) {
    struct volta *v = m->self;
    struct mech_split *made[MECH_WIDEST];
    struct mech_set left, some;
    uint32_t n = 0, home = 0;
    set_copy(&left, set);
    while (left.n) {
        struct mech_split *s = split_first_of(m->pool, &left, &some);
        CHECK(s->own[VOLTA_STATUS] == VOLTA_WAITS && s->pc == pc);
        if (n && s->own[VOLTA_HOME] != home) {
            release_home(m, &v->home[home], made, n);
            n = 0;
        }
        home = s->own[VOLTA_HOME];
        if (!set_equal(&some, &s->set)) {
            const uint64_t age = s->age;
            s = split_divide(m, s, &some);
            s->age = age;
            count_splits(m, &v->home[home], 1);
        }
        if (!joins(m, made, n, s)) made[n++] = s;
    }
    if (n) release_home(m, &v->home[home], made, n);
}

extern const struct mech_ops mech_volta;
const struct mech_ops mech_volta = {
    .name = "volta",
    .title = "Convergence barriers",
    .source = "US 10067768",
    .caps = MECH_ANY_CODE | MECH_PROGRESS | MECH_AT_HOME,
    .form_by = form_by,
    .params = MECH_PARAM_ROWS(VOLTA_PARAMS),
    .counters = MECH_COUNTER_ROWS(VOLTA_COUNTERS),
    .self_bytes = sizeof(struct volta),
    .create = volta_create,
    .start = volta_start,
    .select = volta_select,
    .commit = volta_commit,
    .advance = volta_advance,
    .release = volta_release,
    .wake = volta_wake,
    .next = volta_next,
    .clocked = volta_clocked,
    .census = volta_census,
    .state = volta_state,
    .storage = volta_storage,
    .audit = volta_audit,
};
