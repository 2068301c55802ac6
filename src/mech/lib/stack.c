/* The reconvergence stack: Table 3.1 of the thesis, made safe for calls, exits and barriers.
 *
 * Where threads meet again is a PC *and* a call depth: in recursion threads of one warp are at the same PC in different
 * activations. A branch at depth d joins at {its RPC, d}. If its sides only meet at the function's end (RPC IR_NOPC) they
 * join where the function returns to, {IR_NOPC, d - 1}: the first thread that returns tells the join its PC. All threads
 * of an entry have the same calls behind them, because they were together when those were made, so the return PC is the
 * same for all. At depth 0 there is no such place: {IR_NOPC, -1} is never reached, and is what the bottom entry has.
 *
 * A branch whose join is that of the top entry (a loop's back edge, a chain of exits) replaces the top, as its threads are
 * in that join already. Every push that is not such a replacement leaves at least one thread out of each new entry, and
 * k > 1 sides leave k - 1, which bounds the stack by 2W - 1; the bound is checked.
 *
 * Sides of one join lie directly above it, side by side, and are the only entries with that {RPC, depth}: that is how a
 * join is found. */
#include "mech/lib/stack.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "mech/lib/set.h"
#include "mech/lib/split.h"

struct side {
    uint32_t pc;
    int32_t depth;
    uint32_t threads;
    uint32_t mask[STACK_WORDS];
};

/* ---- masks ---- */

static uint32_t *mask_of(const struct stack *s, uint32_t i) {
    return s->mask + (size_t)i * s->words;
}

static uint32_t stack_count(const uint32_t *mask, uint32_t words) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < words; k++) n += bits_count(mask[k]);
    return n;
}

static bool stack_any(const uint32_t *mask, uint32_t words) {
    uint32_t bits = 0;
    for (uint32_t k = 0; k < words; k++) bits |= mask[k];
    return bits;
}

/* Nearly always one word. */
static void stack_clear(uint32_t *mask, uint32_t words) {
    mask[0] = 0;
    if (words > 1) memset(mask, 0, words * sizeof *mask);
}

static void from_set(const struct stack *s, const struct mech_set *set, uint32_t *mask) {
    stack_clear(mask, s->words);
    for (uint32_t k = 0; k < set->n; k++) {
        uint32_t word = set->p[k].warp - s->first;
        CHECK(word < s->words);
        mask[word] = set->p[k].mask;
    }
}

/* ---- entries ---- */

static struct stack_entry *mech_stack_top(const struct stack *s) {
    return &s->e[s->n - 1];
}

static bool same_join(const struct stack_entry *a, const struct stack_entry *b) {
    return a->rpc == b->rpc && a->rdepth == b->rdepth;
}

static bool stack_at_join(const struct stack_entry *join, uint32_t pc, int32_t depth) {
    return depth == join->rdepth && (join->rpc == IR_NOPC || join->rpc == pc);
}

static void stack_push(struct mech *m, struct stack *s, struct stack_entry e, const uint32_t *mask) {
    CHECK(s->n < s->limit);
    if (s->n == s->cap) {
        const size_t row = s->words * sizeof *s->mask, cap = s->cap ? s->cap * 2 : 4;
        s->e = pages_more(m->env.pages, s->e, s->n * sizeof *s->e, cap * sizeof *s->e);
        s->mask = pages_more(m->env.pages, s->mask, s->n * row, cap * row);
        s->cap = (uint32_t)cap;
    }
    s->e[s->n] = e;
    memcpy(mask_of(s, s->n), mask, s->words * sizeof *mask);
    s->n++;
}

/* Threads with the join of `side`, whose siblings are the entries from n - 1 down, have arrived there. */
static void stack_arrive(struct stack *s, struct stack_entry side, uint32_t pc, int32_t depth) {
    uint32_t i = s->n;
    while (i && same_join(&s->e[i - 1], &side)) i--;
    CHECK(i);
    struct stack_entry *join = &s->e[i - 1];
    CHECK(join->pc == IR_NOPC || (join->pc == pc && join->depth == depth));
    join->pc = pc;
    join->depth = depth;
}

/* The sides above a join are gone: it has all its threads again. */
static void stack_rejoin(struct mech *m, struct stack_entry *join) {
    split_reconverged(m, join->pc);
    join->branch = IR_NOPC;
}

/* Pops what has arrived. */
static bool stack_settle(struct mech *m, struct stack *s) {
    const uint32_t before = s->n;
    while (s->n) {
        struct stack_entry t = *mech_stack_top(s);
        if (t.branch != IR_NOPC) stack_rejoin(m, mech_stack_top(s));
        CHECK(t.pc != IR_NOPC && t.depth >= t.rdepth);
        if (!stack_at_join(&t, t.pc, t.depth)) break;
        s->n--;
        stack_arrive(s, t, t.pc, t.depth);
    }
    return s->n != before;
}

/* Threads are gone: out of every entry, and entries without threads with them. */
static void stack_leave(struct stack *s, const struct mech_set *gone) {
    uint32_t mask[STACK_WORDS], n = 0;
    from_set(s, gone, mask);
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t *from = mask_of(s, i), *to = mask_of(s, n), left = 0;
        for (uint32_t k = 0; k < s->words; k++) left |= to[k] = from[k] & ~mask[k];
        s->e[n] = s->e[i];
        n += left != 0;
    }
    s->n = n;
}

/* Counts the threads below the top anew. From above, a thread counts in the entry where it shows first. */
static void stack_recount(struct stack *s) {
    uint32_t seen[STACK_WORDS];
    stack_clear(seen, s->words);
    s->inactive = s->joining = 0;
    for (uint32_t i = s->n; i-- > 0;) {
        uint32_t first_seen = 0;
        for (uint32_t k = 0; k < s->words; k++) {
            first_seen += bits_count(mask_of(s, i)[k] & ~seen[k]);
            seen[k] |= mask_of(s, i)[k];
        }
        if (i + 1 == s->n) continue;
        *(s->e[i].branch != IR_NOPC ? &s->joining : &s->inactive) += first_seen;
    }
}

/* ---- divergence ---- */

/* Threads of one PC by depth, behind the n sides there are. */
static uint32_t part_by_depth(const struct mech *m, const struct stack *s, const struct mech_side *from,
                              struct side *out, uint32_t n) {
    const uint32_t first = n;
    uint32_t mask[STACK_WORDS];
    from_set(s, &from->set, mask);
    for (uint32_t w = 0; w < s->words; w++) {
        FOR_LANES(l, mask[w]) {
            int32_t depth = (int32_t)m->env.depth(m->env.sm, s->first + w, l);
            uint32_t i = first;
            while (i < n && out[i].depth != depth) i++;
            CHECK(i < MECH_SIDES);
            if (i == n) out[n++] = (struct side){.pc = from->pc, .depth = depth};
            out[i].mask[w] |= 1u << l;
            out[i].threads++;
        }
    }
    return n;
}

/* The outcome's sides; after a call or return those of one PC are told apart by depth. */
static uint32_t stack_gather(const struct mech *m, const struct stack *s, const struct mech_outcome *o,
                             struct side *out) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < o->nsides; k++) {
        if (o->depth_change) {
            n = part_by_depth(m, s, &o->side[k], out, n);
            continue;
        }
        struct side *all = &out[n++];
        all->pc = o->side[k].pc;
        all->depth = mech_stack_top(s)->depth;
        from_set(s, &o->side[k].set, all->mask);
        all->threads = stack_count(all->mask, s->words);
    }
    return n;
}

static struct stack_way way_of(const struct mech *m, const struct side *s, uint32_t branch) {
    return stack_way(m, branch, s->pc, s->threads);
}

/* Pushes the sides, the one to run first last. There are few, so a plain selection. */
static void push_sides(struct mech *m, struct stack *s, const struct side *side, uint32_t n,
                       struct stack_entry like, enum stack_side first, uint32_t branch) {
    bool done[MECH_SIDES];
    for (uint32_t i = 0; i < n; i++) done[i] = false;
    for (uint32_t left = n; left--;) {
        uint32_t last = n;
        for (uint32_t i = 0; i < n; i++)
            if (!done[i] && (last == n || stack_runs_first(way_of(m, &side[last], branch),
                                                           way_of(m, &side[i], branch), first, branch + 1)))
                last = i;
        done[last] = true;
        if (stack_at_join(&like, side[last].pc, side[last].depth)) {
            stack_arrive(s, like, side[last].pc, side[last].depth);
            continue;
        }
        like.pc = side[last].pc;
        like.depth = side[last].depth;
        stack_push(m, s, like, side[last].mask);
    }
}

static void stack_diverge(struct mech *m, struct stack *s, const struct mech_outcome *o,
                          const struct side *side, uint32_t n, uint32_t rpc, enum stack_side first) {
    const int32_t depth = mech_stack_top(s)->depth;
    const struct stack_entry like = {
        .rpc = rpc, .rdepth = rpc == IR_NOPC ? depth - 1 : depth, .branch = IR_NOPC};
    split_diverged(m, n);
    if (same_join(mech_stack_top(s), &like)) {
        s->n--;
    } else {
        struct stack_entry *join = mech_stack_top(s);
        join->pc = rpc;
        join->depth = like.rdepth;
        join->branch = o->pc;
    }
    push_sides(m, s, side, n, like, first, o->pc);
    if (s->n > m->stats.stack_max) m->stats.stack_max = s->n;
}

/* ---- from outside ---- */

struct stack *stacks_new(struct pages *p, uint32_t n) {
    struct stack *s = pages_raw(p, n * sizeof *s);
    for (uint32_t k = 0; k < n; k++) {
        s[k].n = s[k].cap = s[k].inactive = s[k].joining = 0;
        s[k].e = NULL;
        s[k].mask = NULL;
    }
    return s;
}

void stack_start(struct mech *m, struct stack *s, uint32_t first, uint32_t words, uint32_t limit,
                 const struct mech_set *set, uint32_t pc) {
    uint32_t mask[STACK_WORDS];
    CHECK(words <= STACK_WORDS && (!s->cap || words == s->words));
    s->first = first;
    s->words = words;
    s->limit = limit;
    s->n = s->inactive = s->joining = 0;
    memset(s->waiting, 0, sizeof s->waiting);
    from_set(s, set, mask);
    stack_push(m, s,
               (struct stack_entry){.pc = pc, .rpc = IR_NOPC, .depth = 0, .rdepth = -1, .branch = IR_NOPC},
               mask);
}

static bool stack_commit_slow(struct mech *m, struct stack *s, const struct mech_outcome *o, uint32_t rpc,
                              enum stack_side first) {
    struct side side[MECH_SIDES];
    uint32_t n = stack_gather(m, s, o, side);
    const uint32_t before = s->n;
    if (o->exited.n) stack_leave(s, &o->exited);
    if (n > 1) {
        stack_diverge(m, s, o, side, n, rpc, first);
    } else if (n == 1) {
        mech_stack_top(s)->pc = side[0].pc;
        mech_stack_top(s)->depth = side[0].depth;
    }
    bool changed = stack_settle(m, s) || n > 1 || o->exited.n || s->n != before;
    if (changed) stack_recount(s);
    return changed;
}

bool stack_commit(struct mech *m, struct stack *s, const struct mech_outcome *o, uint32_t rpc,
                  enum stack_side first) {
    if (o->waiting
            .n) { /* threads that wait and those that do not go on behind this instruction once all may */
        CHECK(!o->exited.n && o->nsides <= 1 && (!o->nsides || o->side[0].pc == o->pc + 1));
        from_set(s, &o->waiting, s->waiting);
        mech_stack_top(s)->pc = o->pc + 1;
        return false;
    }
    if (o->nsides != 1 || o->exited.n || o->depth_change) return stack_commit_slow(m, s, o, rpc, first);
    mech_stack_top(s)->pc = o->side[0].pc;
    if (!stack_settle(m, s)) return false;
    stack_recount(s);
    return true;
}

bool stack_blocked(const struct stack *s) {
    return stack_any(s->waiting, s->words);
}

bool stack_release(struct mech *m, struct stack *s, uint32_t warp, uint32_t mask, bool *changed) {
    CHECK(warp - s->first < s->words && !(mask & ~s->waiting[warp - s->first]));
    s->waiting[warp - s->first] &= ~mask;
    if (stack_blocked(s)) return false;
    *changed = stack_settle(m, s);
    if (*changed) stack_recount(s);
    return true;
}

static void to_set(const struct stack *s, const uint32_t *mask, struct mech_set *out) {
    out->n = 0;
    for (uint32_t k = 0; k < s->words; k++) set_add(out, s->first + k, mask[k]);
}

void stack_top(const struct stack *s, struct mech_set *out) {
    to_set(s, mask_of(s, s->n - 1), out);
}

void stack_places(const struct stack *s, mech_place_fn *put, void *user) {
    for (uint32_t i = 0; i + 1 < s->n; i++)
        for (uint32_t k = 0; k < s->words; k++)
            if (mask_of(s, i)[k]) put(user, s->first + k, mask_of(s, i)[k], s->e[i].pc);
}

void stack_print(const struct stack *s, uint32_t pc, struct sb *out) {
    for (uint32_t i = 0; i < s->n; i++) {
        struct mech_set set;
        to_set(s, mask_of(s, i), &set);
        sb_add(out, "  ");
        split_print_pc(out, "pc", i + 1 == s->n ? pc : s->e[i].pc);
        split_print_pc(out, "rpc", s->e[i].rpc);
        if (s->e[i].depth > 0) sb_add(out, "depth %" PRId32 " ", s->e[i].depth);
        set_print(&set, out);
        sb_add(out, i + 1 == s->n ? " <- top\n" : "\n");
    }
    if (!stack_blocked(s)) return;
    struct mech_set set;
    to_set(s, s->waiting, &set);
    sb_add(out, "  waiting at a barrier ");
    set_print(&set, out);
    sb_add(out, "\n");
}

/* A side's threads are of no sibling and all of its join. */
static void audit_side(const struct stack *s, uint32_t i) {
    const struct stack_entry *e = &s->e[i];
    for (uint32_t j = i; j-- > 0;) {
        bool sibling = same_join(&s->e[j], e);
        for (uint32_t k = 0; k < s->words; k++) {
            uint32_t mine = mask_of(s, i)[k], its = mask_of(s, j)[k];
            CHECK(sibling ? !(mine & its) : !(mine & ~its));
        }
        if (!sibling) return;
    }
    CHECK(e->rdepth == -1 && e->rpc == IR_NOPC);
}

void stack_audit(const struct stack *s, const uint32_t *present) {
    uint32_t all[STACK_WORDS] = {0};
    CHECK(s->n <= s->limit);
    for (uint32_t i = 0; i < s->n; i++) {
        CHECK(stack_any(mask_of(s, i), s->words));
        CHECK((s->e[i].branch != IR_NOPC) <= (i + 1 < s->n));
        for (uint32_t k = 0; k < s->words; k++) all[k] |= mask_of(s, i)[k];
        audit_side(s, i);
    }
    for (uint32_t k = 0; k < s->words; k++) {
        CHECK(all[k] == present[k]);
        CHECK(!(s->waiting[k] & ~(s->n ? mask_of(s, s->n - 1)[k] : 0)));
    }
}
