/* Reconvergence regions: examples of the papers' shapes with their marks written out, and on random graphs, with branches that
 * vary at random, the sets by brute force and what the marks are for: along every path the open regions are a stack. */
#include "unit/cfg/graphs.h"

#include <stdio.h>
#include <string.h>

#include "cfg/regions.h"
#include "front/ptx/ptx.h"

enum { MOST = 60, DEEP = 64 };
typedef uint64_t set;
#define BIT(v) ((set)1 << (v))

struct subject {
    struct ir_module *m;
    struct cfg *c;
    uint8_t *varies;
    struct cfg_regions *r;
};

static void find(struct subject *x) {
    struct err e = {0};
    x->r = cfg_regions(x->m, x->c, x->varies, 1 << 20, &e);
    if (!x->r) fail_msg("%s", err_text(&e));
}

static void subject_free(struct subject *x) {
    cfg_regions_free(x->r);
    free(x->varies);
    cfg_free(x->c);
    ir_module_free(x->m);
}

static const struct ir_insn *last_of(const struct subject *x, uint32_t v) {
    return &x->m->code.v[x->c->blocks[v].end - 1];
}

static bool splits(const struct subject *x, uint32_t v) {
    const struct cfg_block *b = &x->c->blocks[v];
    return b->reachable && b->ipdom != CFG_NONE && b->ways > 1 && x->varies[b->end - 1];
}

/* A thread that takes the edge leaves by the exit of those that stay (exits.c). */
static bool counts(const struct subject *x, uint32_t u, uint32_t v) {
    return x->c->blocks[u].exit == x->c->blocks[v].exit;
}

/* ---- the sets by brute force ---- */

static set reached(const struct subject *x, uint32_t v, uint32_t stop) {
    set seen = 0, todo = BIT(v);
    bool first = true;
    while (todo) {
        uint32_t u = (uint32_t)__builtin_ctzll(todo);
        todo &= todo - 1;
        if (!first) seen |= BIT(u);
        first = false;
        for (uint32_t k = 0; k < x->c->blocks[u].nsucc; k++) {
            uint32_t s = x->c->edges[x->c->blocks[u].succ + k];
            if (s != stop && counts(x, u, s) && !(seen & BIT(s))) todo |= BIT(s);
        }
    }
    return seen;
}

struct sets {
    set start[MOST], end[MOST]; /* by join: blocks whose start, whose end is in the region */
    bool there[MOST], widened[MOST];
};

/* From the definition, then regions that have another's join in them take that one in, until nothing changes. */
static void naive_sets(const struct subject *x, struct sets *s) {
    uint32_t n = x->c->nblocks;
    memset(s, 0, sizeof *s);
    for (uint32_t b = 0; b < n; b++) {
        if (!splits(x, b)) continue;
        uint32_t r = x->c->blocks[b].ipdom;
        s->there[r] = true;
        s->end[r] |= BIT(b) | reached(x, b, r);
        s->start[r] |= reached(x, b, r);
    }
    for (bool more = true; more;) {
        more = false;
        for (uint32_t r = 0; r < n; r++)
            for (uint32_t q = 0; q < n; q++) {
                if (q == r || !s->there[q] || !(s->start[r] & BIT(q))) continue;
                if (!(s->end[q] & ~s->end[r]) && !(s->start[q] & ~s->start[r])) continue;
                s->end[r] |= s->end[q];
                s->start[r] |= s->start[q];
                more = true;
            }
    }
}

static const struct cfg_region *region_at(const struct subject *x, uint32_t join) {
    for (uint32_t k = 0; k < x->r->n; k++)
        if (x->r->v[k].join == join) return &x->r->v[k];
    return NULL;
}

static bool in_region(const struct subject *x, uint32_t v, const struct cfg_region *r) {
    uint32_t q = x->r->of_block[v];
    while (q != CFG_NONE && &x->r->v[q] != r) q = x->r->v[q].parent;
    return q != CFG_NONE;
}

static void check_sets(const struct subject *x) {
    struct sets s;
    naive_sets(x, &s);
    for (uint32_t join = 0; join < x->c->nblocks; join++) {
        const struct cfg_region *r = region_at(x, join);
        assert_int_equal(r != NULL, s.there[join]);
        if (!r) continue;
        assert_int_equal(r->nblocks, __builtin_popcountll(s.end[join]));
        uint32_t branches = 0;
        for (uint32_t v = 0; v < x->c->nblocks; v++) {
            assert_int_equal(in_region(x, v, r), (s.end[join] >> v) & 1);
            branches += splits(x, v) && x->c->blocks[v].ipdom == join;
        }
        assert_int_equal(r->nbranches, branches);
        for (uint32_t k = 0; k < r->nbranches; k++) {
            uint32_t v = x->m->code.v[x->r->branches[r->branch + k]].block;
            assert_true(splits(x, v) && x->c->blocks[v].ipdom == join);
        }
        for (uint32_t other = 0; other < x->c->nblocks; other++) { /* nested or apart */
            set a = s.end[join], b = s.end[other];
            if (s.there[other]) assert_true(!(a & b) || !(a & ~b) || !(b & ~a));
        }
        if (r->parent != CFG_NONE) assert_true(s.start[x->r->v[r->parent].join] & BIT(join));
    }
}

/* ---- along every path ---- */

struct stack {
    bool known;
    uint32_t n, v[DEEP];
};

static void push(struct stack *s, uint32_t r) {
    for (uint32_t k = 0; k < s->n; k++)
        assert_true(s->v[k] != r); /* a mark is not passed again before its join */
    assert_true(s->n < DEEP);
    s->v[s->n++] = r;
}

/* Marks at a place, in the order of the regions: outer ones first. */
static void pass_marks(const struct subject *x, struct stack *s, uint32_t pc, uint32_t to) {
    for (uint32_t r = 0; r < x->r->n; r++)
        for (uint32_t k = 0; k < x->r->v[r].nmarks; k++) {
            const struct cfg_mark *at = &x->r->marks[x->r->v[r].mark + k];
            if (at->pc == pc && at->to == to) push(s, r);
        }
}

static bool is_bare(const struct subject *x, const struct cfg_region *r, uint32_t u, uint32_t v) {
    uint32_t pc = u == CFG_NONE ? IR_NOPC : x->c->blocks[u].end - 1;
    for (uint32_t k = 0; k < r->nbare; k++) {
        const struct cfg_mark *at = &x->r->marks[r->bare + k];
        if (at->pc == pc && (at->to == x->c->blocks[v].first || at->to == IR_NOPC)) return true;
    }
    return false;
}

/* From u's end to v's start. A join closes its region, which must be the innermost; no thread comes to it that is not
 * in it, but over the edges listed for that. Who goes to another exit has left all regions for good. */
static void arrive(const struct subject *x, struct stack s, uint32_t u, uint32_t v, struct stack *at) {
    if (u != CFG_NONE && !counts(x, u, v)) s.n = 0;
    pass_marks(x, &s, u == CFG_NONE ? IR_NOPC : x->c->blocks[u].end - 1, x->c->blocks[v].first);
    const struct cfg_region *r = region_at(x, v);
    bool open = r && s.n && &x->r->v[s.v[s.n - 1]] == r;
    if (r) assert_int_equal(!open, is_bare(x, r, u, v));
    if (open) s.n--;
    for (uint32_t k = 0; r && k < s.n; k++) assert_true(&x->r->v[s.v[k]] != r);
    if (at[v].known) {
        assert_int_equal(at[v].n, s.n);
        assert_memory_equal(at[v].v, s.v, s.n * sizeof *s.v);
        return;
    }
    at[v] = s;
    at[v].known = true;
}

/* Through block v; false when it was seen. */
static void leave(const struct subject *x, uint32_t v, struct stack *at) {
    struct stack s = at[v];
    const struct ir_insn *last = last_of(x, v);
    pass_marks(x, &s, x->c->blocks[v].end - 1, IR_NOPC);
    if (splits(x, v)) { /* the innermost open region is that of the branch */
        assert_true(s.n);
        assert_int_equal(x->r->v[s.v[s.n - 1]].join, x->c->blocks[v].ipdom);
    }
    const uint32_t exit = x->c->blocks[v].exit;
    if ((last->op == IR_RET || last->op == IR_EXIT) && (exit == v || exit == CFG_NONE))
        assert_int_equal(s.n, 0); /* every path to an exit that counts leads over the join */
    for (uint32_t k = 0; k < x->c->blocks[v].nsucc; k++)
        arrive(x, s, v, x->c->edges[x->c->blocks[v].succ + k], at);
}

static void check_paths(const struct subject *x) {
    struct stack *at = xcalloc(x->c->nblocks, sizeof *at);
    bool *done = xcalloc(x->c->nblocks, sizeof *done);
    arrive(x, (struct stack){0}, CFG_NONE, 0, at);
    for (bool more = true; more;) {
        more = false;
        for (uint32_t v = 0; v < x->c->nblocks; v++) {
            if (!at[v].known || done[v]) continue;
            done[v] = more = true;
            leave(x, v, at);
        }
    }
    free(done);
    free(at);
}

/* ---- start, loop ---- */

static bool dominates(const struct cfg *c, uint32_t a, uint32_t b) {
    while (b != a && b != CFG_NONE) b = c->blocks[b].idom;
    return b == a;
}

static bool loop_holds(const struct cfg *c, uint32_t loop, uint32_t v) {
    uint32_t l = c->blocks[v].loop;
    while (l != CFG_NONE && l != loop) l = c->loops[l].parent;
    return l == loop;
}

static bool naive_loop(const struct subject *x, const struct cfg_region *r, uint32_t loop) {
    const struct cfg *c = x->c;
    for (uint32_t v = 0; v < c->nblocks; v++) {
        if (!c->blocks[v].reachable) continue;
        if (loop_holds(c, loop, v) != in_region(x, v, r)) return false;
        bool leaves = false;
        for (uint32_t k = 0; k < c->blocks[v].nsucc; k++) {
            uint32_t s = c->edges[c->blocks[v].succ + k];
            if (!counts(x, v, s)) continue;
            if (loop_holds(c, loop, v) && !loop_holds(c, loop, s) && s != r->join) return false;
            leaves |= s == r->join;
        }
        if (splits(x, v) && c->blocks[v].ipdom == r->join && !leaves) return false;
    }
    return true;
}

static void check_rest(const struct subject *x) {
    const struct cfg *c = x->c;
    for (uint32_t k = 0; k < x->r->n; k++) {
        const struct cfg_region *r = &x->r->v[k];
        uint32_t loop = CFG_NONE;
        for (uint32_t l = 0; l < c->nloops; l++)
            if (naive_loop(x, r, l)) loop = l;
        assert_int_equal(r->loop, loop);
        assert_true(r->nmarks > 0);
        bool nearest = false; /* no block below start dominates every mark */
        for (uint32_t i = 0; i < r->nmarks; i++) {
            uint32_t pc = x->r->marks[r->mark + i].pc, v = pc == IR_NOPC ? 0 : x->m->code.v[pc].block, up = v;
            assert_true(dominates(c, r->start, v));
            while (up != r->start && c->blocks[up].idom != r->start) up = c->blocks[up].idom;
            bool all = up != r->start;
            for (uint32_t j = 0; all && j < r->nmarks; j++) {
                uint32_t other = x->r->marks[r->mark + j].pc;
                all = dominates(c, up, other == IR_NOPC ? 0 : x->m->code.v[other].block);
            }
            nearest |= all;
        }
        assert_false(nearest);
        assert_int_equal(r->depth, r->parent == CFG_NONE ? 1 : x->r->v[r->parent].depth + 1);
        assert_true(r->parent == CFG_NONE || r->parent < k);
    }
}

struct seen {
    uint32_t regions, widened, loops, nested;
};

static void check_seed(uint64_t seed, struct seen *seen) {
    struct rng r = {seed};
    struct shape s;
    const struct filling f = {2, {4, 2, 4}};
    if (seed % 3)
        shape_random(&s, &r, 2 + (uint32_t)rng_below(&r, 38));
    else
        shape_structured(&s, &r, 2 + (uint32_t)rng_below(&r, 18));
    if (s.n <= MOST) {
        struct subject x = {.m = module_of(&s, &r, &f)};
        add_barriers_and_traps(x.m, &r);
        x.c = analysed_with(x.m, seed % 4 ? CFG_EXITS_MAIN : CFG_EXITS_EDGES);
        x.varies = xcalloc(x.m->code.n, 1);
        uint64_t share = 1 + rng_below(&r, 4);
        for (uint32_t v = 0; v < x.c->nblocks; v++)
            if (x.c->blocks[v].nsucc > 1) x.varies[x.c->blocks[v].end - 1] = rng_below(&r, share) == 0;
        find(&x);
        check_sets(&x);
        check_paths(&x);
        check_rest(&x);
        seen->regions += x.r->n;
        for (uint32_t k = 0; k < x.r->n; k++) {
            seen->widened += x.r->v[k].widened;
            seen->loops += x.r->v[k].loop != CFG_NONE;
            seen->nested += x.r->v[k].depth > 1;
        }
        subject_free(&x);
    }
    shape_free(&s);
}

static void random_graphs_keep_what_marks_are_for(void **state) {
    (void)state;
    struct seen seen = {0};
    for (uint64_t seed = 0; seed < 8000; seed++) check_seed(seed, &seen);
    print_message("%u regions, %u nested, %u loops, %u widened\n", seen.regions, seen.nested, seen.loops,
                  seen.widened);
    assert_true(seen.widened > 10 && seen.loops > 100 && seen.nested > 1000);
}

/* ---- by hand ---- */

#define KERNEL(body)                                                                                      \
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() {\n.reg .pred %p<4>;\n.reg .b32 " \
    "%r<4>;\n" body "exit;\n}\n"

/* "join: marks | branches", one line a region: a mark is a PC, or from>to; * a loop, + widened, !bare edges. */
static void expect(const char *text, const char *want) {
    struct err e = {0};
    struct subject x = {.m = ptx_load("t.ptx", text, strlen(text), &e)};
    if (!x.m) fail_msg("%s", err_text(&e));
    x.c = analysed(x.m);
    x.varies = xcalloc(x.m->code.n, 1);
    for (size_t pc = 0; pc < x.m->code.n; pc++)
        x.varies[pc] = x.m->code.v[pc].guard && !(x.m->code.v[pc].mods & IR_M_UNI);
    find(&x);
    struct sb got = {0};
    for (uint32_t k = 0; k < x.r->n; k++) {
        const struct cfg_region *r = &x.r->v[k];
        sb_add(&got, "%u:", x.c->blocks[r->join].first);
        for (uint32_t i = 0; i < r->nmarks + r->nbare; i++) {
            const struct cfg_mark *m = &x.r->marks[i < r->nmarks ? r->mark + i : r->bare + i - r->nmarks];
            sb_add(&got, " %s%d", i < r->nmarks ? "" : "!", (int)m->pc);
            if (m->to != IR_NOPC) sb_add(&got, ">%u", m->to);
        }
        sb_add(&got, " |");
        for (uint32_t i = 0; i < r->nbranches; i++) sb_add(&got, " %u", x.r->branches[r->branch + i]);
        sb_add(&got, "%s%s\n", r->loop == CFG_NONE ? "" : " *", r->widened ? " +" : "");
    }
    assert_string_equal(got.text ? got.text : "", want);
    sb_free(&got);
    check_paths(&x);
    subject_free(&x);
}

static void one_region_after_another(void **state) {
    (void)state; /* two ifs in a row, the second one's branch in the block the first ends with */
    expect(KERNEL("@%p1 bra A;\nmov.u32 %r1, 1;\nA: mov.u32 %r1, 2;\n@%p2 bra B;\nmov.u32 %r1, 3;\nB: "
                  "mov.u32 %r1, 4;\n"),
           "5: 3 | 3\n2: 0 | 0\n");
}

static void a_loop_is_marked_before_it(void **state) {
    (void)state;
    expect(KERNEL("mov.u32 %r1, 1;\nL: add.u32 %r1, %r1, 1;\n@%p1 bra L;\nmov.u32 %r1, 4;\n"),
           "3: 0>1 | 2 *\n");
    /* a while loop with a break and an if inside: both exits are one region, before the loop */
    expect(
        KERNEL(
            "mov.u32 %r1, 1;\nL: @%p1 bra E;\n@%p2 bra A;\nmov.u32 %r1, 2;\nA: mov.u32 %r1, 3;\n@%p3 bra E;\n"
            "bra L;\nE: mov.u32 %r1, 4;\n"),
        "7: 0>1 | 1 5 *\n4: 2 | 2\n");
    /* the loop is the kernel's first block: the mark is on entering */
    expect(KERNEL("L: add.u32 %r1, %r1, 1;\n@%p1 bra L;\nmov.u32 %r1, 4;\n"), "2: -1>0 | 1 *\n");
}

static void short_circuits_share_one_mark(void **state) {
    (void)state; /* if (a || b) X: 0 to 2 or 1, 1 to 2 or 3 */
    expect(KERNEL("@%p1 bra X;\n@!%p2 bra E;\nX: mov.u32 %r1, 1;\nE: mov.u32 %r1, 2;\n"), "3: 0 | 0 1\n");
}

static void who_comes_to_a_join_without_a_mark_is_listed(void **state) {
    (void)state; /* a uniform if around a varying one, with the same end */
    expect(KERNEL("@%p1 bra.uni E;\nmov.u32 %r1, 1;\n@%p2 bra E;\nmov.u32 %r1, 1;\nE: mov.u32 %r1, 2;\n"),
           "4: 2 !0>4 | 2\n");
}

/* 0 goes to 2 (then 4) or on; 1: a varying if that also ends at 4, reached from outside; from 4 on to the end of 0's if. */
static void a_region_takes_another_in_whole(void **state) {
    (void)state;
    expect(KERNEL("@%p1 bra.uni O;\n"      /* 0: uniform, to 4 */
                  "@%p2 bra J;\n"          /* 1: varies, to 8 */
                  "mov.u32 %r1, 1;\n"      /* 2 */
                  "bra.uni J;\n"           /* 3 */
                  "O: @%p3 bra.uni P;\n"   /* 4: uniform, to 7 */
                  "@%p3 bra E;\n"          /* 5: varies; to the end, or over J to it */
                  "bra.uni J;\n"           /* 6 */
                  "P: bra.uni E;\n"        /* 7 */
                  "J: mov.u32 %r1, 2;\n"   /* 8: where 1's meet */
                  "E: mov.u32 %r1, 3;\n"), /* 9: where 5's meet */
           "9: 1 5 !7 | 5 +\n8: 1 !6 | 1\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_region_after_another),
        cmocka_unit_test(a_loop_is_marked_before_it),
        cmocka_unit_test(short_circuits_share_one_mark),
        cmocka_unit_test(who_comes_to_a_join_without_a_mark_is_listed),
        cmocka_unit_test(a_region_takes_another_in_whole),
        cmocka_unit_test(random_graphs_keep_what_marks_are_for),
    };
    return cmocka_run_group_tests_name("cfg/regions", tests, NULL, NULL);
}
