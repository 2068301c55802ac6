/* SympA'13: implicit reconvergence by stacks, without annotations in the program (Collange, Daumas, Defour & Parello, SympA 2009;
 * SL 2.2 and 5.1). SL gives its outlines, the rules are those of Barra, the simulator of SL's measurements.
 *
 * The lowest PC runs first, as in min(SP:PC), but there is one PC for the warp, and stacks say who waits where: masks, join
 * addresses and loop addresses. A forward branch that diverges pushes the active mask and its target, and those run who do not take
 * it. A backward branch that diverges pushes the active mask and its own address, unless that is the top already, and those run who
 * take it; when no thread takes it any more, both are popped. After every instruction, with the next PC n:
 *   n is the join on top: it is popped with its mask, whose threads go on. That costs an issue without threads, the join's.
 *   n is behind the join on top: those who wait there run, and the others wait at n.
 * The policy is min(SP:PC)'s, as SL 5.1 says, but threads meet only at addresses on the stack. A side that jumps over several
 * joins is met late, and code behind them may run for it and then again for others.
 *
 * Functions are not supported (SL 5.2: FFT fails), nor indirect branches (Table 1): both are refused before the launch.
 *
 * Ours:
 * - Each mask knows whether it is a join's or a loop's: one stack here. In Barra's three a branch out of a loop can pop a mask of
 *   the other kind, which structured programs do not show.
 * - A loop's entry is one of the place behind its branch: threads that come there some other way meet those who wait,
 *   at no cost as where no thread takes the branch; threads that jump over it make it a join.
 * - Exit: threads leave all masks. When no thread is left active, those of the top mask go on where they wait, without
 *   an issue (Barra ends the warp).
 * - Barriers and .sync: who runs beside those who wait waits with them, but others of the warp may run: they change places, as if
 *   they had jumped over the join. Else a warp whose join lies before its paths, as compilers may put it, would wait for itself.
 *   Threads that come to the same barrier meet the others there, at no cost; at another one the warp stands. */
#include <inttypes.h>

#include "base/alloc.h"
#include "mech/lib/declare.h"
#include "mech/lib/order.h"
#include "mech/lib/single.h"

#define COUNTERS(SUM, MAX)                                                                            \
    SUM(merges, "issues", "Joins at which threads met: an issue without threads each.")               \
    SUM(jumps_over, "events", "Paths that went past the join on top, for which the others then ran.") \
    SUM(loops, "events", "Loops whose threads did not all leave at once.")                            \
    MAX(depth_max, "masks", "Most masks of a warp.")
MECH_COUNTS(sympa13, COUNTERS)

struct entry {
    struct mask mask; /* who meets at pc; of them those who are in no mask above and do not run are there */
    uint32_t pc;
    bool loop;    /* a place behind a loop: threads meet at no cost */
    bool arrived; /* who is there has been past its branch, and waits for others */
    bool barred;  /* they wait at a barrier, and no other thread joins them */
};

struct home {
    struct single base;
    bool held; /* the active threads wait at a barrier, and no other thread can run */
    struct entry *v;
    uint32_t n, cap;
};

struct sympa13 {
    struct home *home;
    struct single_sums sums;
};

enum {
    NEAR = SINGLE_HOME + 1
}; /* split.own: the PC of the top, or IR_NOPC: what lies before it is not looked at */

static struct home *sympa13_home_of(struct mech *m, const struct mech_split *s) {
    return &((struct sympa13 *)m->self)->home[s->own[SINGLE_HOME]];
}

/* ---- the stack ---- */

static void sympa13_push(struct mech *m, struct home *h, const struct mech_split *s,
                         const struct mech_outcome *o, bool loop) {
    CHECK(h->n < m->env.warp_size); /* every mask has a thread that is in none above it */
    PAGES_GROW(m->env.pages, h->v, h->n, h->cap);
    struct entry *e = &h->v[h->n++];
    *e = (struct entry){.pc = o->side[1].pc, .loop = loop, .arrived = loop};
    mask_put(&e->mask, h->base.first, &s->set);
    sympa13_counts(m)->loops += loop;
    if (h->n > sympa13_counts(m)->depth_max) sympa13_counts(m)->depth_max = h->n;
    if (h->n > m->stats.stack_max) m->stats.stack_max = h->n;
}

/* All of the top go on. */
static void sympa13_pop(struct mech *m, struct home *h, struct mech_split *s) {
    const struct entry *e = &h->v[--h->n];
    single_run(&h->base, s, &e->mask);
    split_reconverged(m, e->pc);
}

static void sympa13_leave(struct home *h, const struct mech_set *gone) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < h->n; i++) {
        struct entry e = h->v[i];
        mask_take(&e.mask, h->base.first, gone);
        if (mask_any(&e.mask)) h->v[n++] = e;
    }
    h->n = n;
}

/* The threads at an entry: those of its mask that are in no mask above it and do not run. */
static struct mask at_entry(const struct home *h, const struct mech_split *s, uint32_t i) {
    struct mask at = h->v[i].mask;
    if (i + 1 == h->n) mask_take(&at, h->base.first, &s->set);
    for (uint32_t k = 0; i + 1 < h->n && k < MASK_WORDS; k++) at.w[k] &= ~h->v[i + 1].mask.w[k];
    return at;
}

static void sympa13_recount(struct home *h, const struct mech_split *s) {
    h->base.inactive = h->base.barred = 0;
    for (uint32_t i = 0; i < h->n; i++) {
        const uint32_t above = i + 1 < h->n ? mask_count(&h->v[i + 1].mask) : s->threads;
        const uint32_t at = mask_count(&h->v[i].mask) - above;
        if (h->v[i].barred)
            h->base.barred += at;
        else if (!h->v[i].arrived)
            h->base.inactive += at;
    }
}

/* ---- where the warp goes ---- */

/* The active threads are past the top: its others run, and they wait. */
static void change_over(struct mech *m, struct home *h, struct mech_split *s) {
    struct entry *e = &h->v[h->n - 1];
    struct mask others = e->mask;
    const uint32_t pc = e->pc;
    mask_take(&others, h->base.first, &s->set);
    CHECK(mask_any(&others));
    e->pc = s->pc;
    e->loop = false;
    e->arrived = true;
    single_run(&h->base, s, &others);
    s->pc = pc;
    sympa13_counts(m)->jumps_over++;
}

static void sympa13_go(struct mech *m, struct home *h, struct mech_split *s) {
    s->own[NEAR] = h->n ? h->v[h->n - 1].pc : IR_NOPC;
    sympa13_recount(h, s);
    if (h->held)
        order_remove(m->order, s);
    else
        order_add(m->order, s);
}

/* The active threads wait at a barrier and will go on at s->pc. Others run meanwhile. */
static void sympa13_stand(struct mech *m, struct home *h, struct mech_split *s) {
    while (h->n && h->v[h->n - 1].barred && h->v[h->n - 1].pc == s->pc) sympa13_pop(m, h, s);
    h->held = !h->n || h->v[h->n - 1].barred;
    if (!h->held) {
        change_over(m, h, s);
        h->v[h->n - 1].barred = true;
    }
    sympa13_go(m, h, s);
}

/* The active threads come to s->pc. */
static void sympa13_settle(struct mech *m, struct home *h, struct mech_split *s) {
    h->held = false;
    while (h->n && h->v[h->n - 1].loop && h->v[h->n - 1].pc == s->pc) sympa13_pop(m, h, s);
    const struct entry *top = h->n && !h->v[h->n - 1].barred ? &h->v[h->n - 1] : NULL;
    if (top && top->pc == s->pc) {
        mech_event(m, "merge at %" PRIu32, s->pc);
        single_run(&h->base, s, &(struct mask){0});
    } else if (top && top->pc < s->pc) {
        change_over(m, h, s);
    }
    sympa13_go(m, h, s);
}

/* Continues when no thread is active any more. */
static void sympa13_resume(struct mech *m, struct home *h, struct mech_split *s) {
    if (!h->n) {
        split_free(m, s);
        return;
    }
    const struct entry top = h->v[h->n - 1];
    s->pc = top.pc;
    sympa13_pop(m, h, s);
    if (top.barred)
        sympa13_stand(m, h, s);
    else
        sympa13_settle(m, h, s);
}

/* ---- commit ---- */

static void sympa13_commit_sides(struct mech *m, struct home *h, struct mech_split *s,
                                 const struct mech_outcome *o) {
    CHECK(o->nsides <= 2);
    if (o->nsides == 2) {
        const bool loop = o->insn->target <= o->pc;
        const struct entry *top = h->n ? &h->v[h->n - 1] : NULL;
        split_diverged(m, 2);
        if (!loop || !top || !top->loop || top->pc != o->side[1].pc) sympa13_push(m, h, s, o, loop);
        set_copy(&s->set, &o->side[0].set);
        s->threads = set_count(&s->set);
    }
    s->pc = o->side[0].pc;
    sympa13_settle(m, h, s);
}

static void sympa13_commit_slow(struct mech *m, struct home *h, struct mech_split *s,
                                const struct mech_outcome *o) {
    struct sympa13 *t = m->self;
    const bool merge = !s->threads;
    single_uncount(&t->sums, &h->base, s);
    if (o->exited.n) {
        single_exit(m, &h->base, s, &o->exited);
        sympa13_leave(h, &o->exited);
    }
    if (merge) {
        sympa13_counts(m)->merges++;
        sympa13_pop(m, h, s);
        sympa13_settle(m, h, s);
    } else if (o->waiting.n) {
        single_wait(m, &h->base, s, o);
        sympa13_stand(m, h, s);
    } else if (!o->nsides) {
        sympa13_resume(m, h, s);
    } else {
        sympa13_commit_sides(m, h, s, o);
    }
    if (h->base.threads) single_count(&t->sums, &h->base, s);
}

static bool sympa13_advance(struct mech *m, struct mech_split *s, uint32_t to) {
    if (to >= s->own[NEAR]) return false;
    s->pc = to;
    order_add(m->order, s);
    return true;
}

static void sympa13_commit(struct mech *m, struct mech_split *s, const struct mech_outcome *o) {
    const bool together = o->nsides == 1 && !o->exited.n && !o->waiting.n;
    if (together && sympa13_advance(m, s, o->side[0].pc)) return;
    sympa13_commit_slow(m, sympa13_home_of(m, s), s, o);
}

/* ---- launch, release ---- */

static bool sympa13_create(struct mech *m, struct err *e) {
    (void)e;
    ((struct sympa13 *)m->self)->home = PAGES_NEW(m->env.pages, struct home, split_homes(&m->env));
    return true;
}

static void sympa13_start(struct mech *m, struct mech_split *s, uint32_t home) {
    struct home *h = &((struct sympa13 *)m->self)->home[home];
    CHECK(!h->n);
    single_start(&h->base, s, home);
    sympa13_settle(m, h, s);
}

static bool sympa13_waits(const struct home *h, const struct mask *mask) {
    for (uint32_t k = 0; k < MASK_WORDS; k++)
        if (h->base.waiting.w[k] & mask->w[k]) return true;
    return false;
}

/* Some threads wait no more: those at an entry none of whom does may be met again, and run if their PC is lower. */
static void sympa13_released(struct mech *m, struct home *h, struct mech_split *s) {
    struct mask run = {0};
    mask_put(&run, h->base.first, &s->set);
    for (uint32_t i = 0; i < h->n; i++) {
        const struct mask at = at_entry(h, s, i);
        if (h->v[i].barred) h->v[i].barred = sympa13_waits(h, &at);
    }
    sympa13_recount(h, s);
    if (s->in_flight || !s->threads) return;
    order_remove(m->order, s);
    if (sympa13_waits(h, &run))
        sympa13_stand(m, h, s);
    else
        sympa13_settle(m, h, s);
}

/* All of a warp wait no more before it looks who can run. */
static void sympa13_release(struct mech *m, const struct mech_set *set, uint32_t pc) {
    struct sympa13 *t = m->self;
    (void)pc; /* where they wait */
    for (uint32_t k = 0; k < set->n; k++) {
        for (uint32_t left = set->p[k].mask; left; split_next_part(m->pool, &left)) {
            struct home *h =
                sympa13_home_of(m, split_of(m->pool, set->p[k].warp, (uint32_t)__builtin_ctz(left)));
            h->base.waiting.w[set->p[k].warp - h->base.first] &= ~set->p[k].mask;
        }
    }
    for (uint32_t k = 0; k < set->n; k++)
        for (uint32_t left = set->p[k].mask; left; split_next_part(m->pool, &left)) {
            struct mech_split *s = split_of(m->pool, set->p[k].warp, (uint32_t)__builtin_ctz(left));
            struct home *h = sympa13_home_of(m, s);
            single_uncount(&t->sums, &h->base, s);
            sympa13_released(m, h, s);
            single_count(&t->sums, &h->base, s);
        }
}

/* ---- for people ---- */

static void sympa13_census(const struct mech *m, struct mech_census *c) {
    const struct sympa13 *t = m->self;
    *c = (struct mech_census){.inactive_path = t->sums.inactive, .reconvergence = t->sums.joining};
}

static void sympa13_places(const struct mech *m, mech_place_fn *put, void *user) {
    const struct sympa13 *t = m->self;
    FOR_SPLITS(s, m->pool) {
        const struct home *h = &t->home[s->own[SINGLE_HOME]];
        for (uint32_t i = 0; i < h->n; i++) single_places(&h->base, &h->v[i].mask, h->v[i].pc, put, user);
    }
}

static void sympa13_state(const struct mech *m, struct sb *out) {
    const struct sympa13 *t = m->self;
    FOR_SPLITS(s, m->pool) {
        const struct home *h = &t->home[s->own[SINGLE_HOME]];
        single_print(&h->base, s, out);
        for (uint32_t i = 0; i < h->n; i++) {
            sb_add(out, "  %s pc %" PRIu32 " ", h->v[i].loop ? "loop" : "join", h->v[i].pc);
            single_print_mask(&h->base, &h->v[i].mask, out);
            sb_add(out, h->v[i].barred ? " barred\n" : "\n");
        }
    }
}

/* W masks suffice, and so do W addresses of either kind. */
static void sympa13_storage(const struct mech *m, struct mech_storage *out) {
    const uint64_t w = m->env.warp_size, warps = ((uint64_t)m->env.warps * 32 + w - 1) / w;
    storage_add(out, (struct mech_array){.name = "masks", .entries = warps * w, .bits = w});
    storage_add(out, (struct mech_array){.name = "joins", .entries = warps * w, .bits = 32});
    storage_add(out, (struct mech_array){.name = "loops", .entries = warps * w, .bits = 32});
    storage_add(out, (struct mech_array){.name = "pc_and_mask", .entries = warps, .bits = 32 + w});
}

/* Checks that each mask contains the next one and the active threads, and at least one thread more. */
static void sympa13_audit_home(const struct mech *m, const struct home *h, const struct mech_split *s) {
    struct mask inner = {0};
    mask_put(&inner, h->base.first, &s->set);
    for (uint32_t i = h->n; i-- > 0;) {
        const struct mask *mask = &h->v[i].mask;
        for (uint32_t k = 0; k < MASK_WORDS; k++) CHECK(!(inner.w[k] & ~mask->w[k]));
        CHECK(mask_count(mask) > mask_count(&inner));
        inner = *mask;
    }
    single_audit(m, &h->base, s, &inner);
    for (uint32_t i = 0; i < h->n; i++) {
        const struct mask at = at_entry(h, s, i);
        CHECK(!s->threads || h->v[i].barred == sympa13_waits(h, &at));
    }
    CHECK(h->held == order_parked(s) || s->in_flight);
    if (s->in_flight || h->held || (h->n && h->v[h->n - 1].barred)) return;
    CHECK(s->own[NEAR] == (h->n ? h->v[h->n - 1].pc : IR_NOPC));
    CHECK(s->threads ? s->pc < s->own[NEAR] : s->pc == s->own[NEAR]);
}

static void sympa13_audit(const struct mech *m) {
    const struct sympa13 *t = m->self;
    struct single_sums sums = {0};
    split_audit(m, false);
    FOR_SPLITS(s, m->pool) {
        sympa13_audit_home(m, &t->home[s->own[SINGLE_HOME]], s);
        single_count(&sums, &t->home[s->own[SINGLE_HOME]].base, s);
    }
    CHECK(sums.inactive == t->sums.inactive && sums.joining == t->sums.joining);
}

extern const struct mech_ops mech_sympa13;
const struct mech_ops mech_sympa13 = {
    .name = "sympa13",
    .title = "Implicit stacks of SympA'13",
    .source = "Collange, Daumas, Defour & Parello 2009; SL 2.2, 5.1",
    .caps = MECH_UNSTRUCTURED | MECH_IRREDUCIBLE | MECH_AT_HOME | MECH_STEADY,
    .counters = MECH_COUNTER_ROWS(COUNTERS),
    .self_bytes = sizeof(struct sympa13),
    .create = sympa13_create,
    .start = sympa13_start,
    .commit = sympa13_commit,
    .advance = sympa13_advance,
    .release = sympa13_release,
    .census = sympa13_census,
    .places = sympa13_places,
    .state = sympa13_state,
    .storage = sympa13_storage,
    .audit = sympa13_audit,
};
