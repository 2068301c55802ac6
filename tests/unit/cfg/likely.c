/* Likely-convergence points, joins and whether priorities follow PCs: by hand, and on random graphs against the
 * definitions applied by brute force. */
#include "unit/cfg/graphs.h"

#include <string.h>

#include "cfg/likely.h"
#include "front/ptx/ptx.h"

enum { MOST = 60 };
typedef uint64_t set;
#define BIT(v) ((set)1 << (v))

/* ---- by hand ---- */

static void expect_with(const char *text, enum cfg_exits exits, uint32_t branch, uint32_t rpc,
                        uint32_t point) {
    struct err e = {0};
    struct ir_module *m = ptx_load("t.ptx", text, strlen(text), &e);
    if (!m) fail_msg("%s", err_text(&e));
    struct cfg *c = analysed_with(m, exits);
    uint32_t *likely = cfg_likely(m, c);
    assert_int_equal(m->code.v[branch].rpc, rpc);
    assert_int_equal(likely[branch], point);
    free(likely);
    cfg_free(c);
    ir_module_free(m);
}

static void expect(const char *text, uint32_t branch, uint32_t rpc, uint32_t point) {
    expect_with(text, CFG_EXITS_MAIN, branch, rpc, point);
}

#define KERNEL(body)                                                                                      \
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() {\n.reg .pred %p<4>;\n.reg .b32 " \
    "%r<4>;\n" body "exit;\n}\n"

/* A loop with a break inside an if: threads of the if meet behind the loop for certain, at the end of the if most likely. */
static void a_break_is_unlikely(void **state) {
    (void)state;
    expect(KERNEL("mov.u32 %r1, 0;\n"
                  "L: @%p1 bra A;\n"          /* 1: the if */
                  "mov.u32 %r2, 1;\n"         /* 2 */
                  "@%p2 bra E;\n"             /* 3: break */
                  "A: add.u32 %r1, %r1, 1;\n" /* 4 */
                  "@%p3 bra L;\n"             /* 5: the loop's own way out */
                  "E: mov.u32 %r3, 2;\n"),    /* 6 */
           1, 6, 4);
}

/* A loop that is left by breaks only: they are no exception there. */
static void the_only_ways_out_of_a_loop_are_likely(void **state) {
    (void)state;
    expect(KERNEL("mov.u32 %r1, 0;\n"
                  "L: @%p1 bra A;\n"          /* 1 */
                  "mov.u32 %r2, 1;\n"         /* 2 */
                  "@%p2 bra E;\n"             /* 3 */
                  "bra.uni C;\n"              /* 4 */
                  "A: mov.u32 %r2, 2;\n"      /* 5 */
                  "@%p3 bra E;\n"             /* 6 */
                  "C: add.u32 %r1, %r1, 1;\n" /* 7 */
                  "bra.uni L;\n"              /* 8 */
                  "E: mov.u32 %r3, 2;\n"),    /* 9 */
           1, 9, IR_NOPC);
}

/* With an edge from every exit to the end the point is where the others meet; without it they meet there for certain. */
static void ending_in_mid_air_is_unlikely(void **state) {
    (void)state;
    const char *text = KERNEL("@%p1 bra A;\n"     /* 0 */
                              "mov.u32 %r1, 1;\n" /* 1 */
                              "@%p2 exit;\n"      /* 2 */
                              "A: mov.u32 %r1, 2;\n");
    expect_with(text, CFG_EXITS_EDGES, 0, IR_NOPC, 3);
    expect_with(text, CFG_EXITS_MAIN, 0, 3, IR_NOPC);
}

static void an_if_meets_where_it_must(void **state) {
    (void)state;
    expect(KERNEL("@%p1 bra A;\nmov.u32 %r1, 1;\nA: mov.u32 %r1, 2;\n"), 0, 2, IR_NOPC);
}

/* ---- brute force ---- */

struct naive {
    const struct ir_module *m;
    const struct cfg *c;
    uint32_t n;
    set succ[MOST], kept[MOST],
        thin[MOST]; /* all edges, those that count for post-dominators, the likely ones */
    bool exits[MOST], thin_exits[MOST];
    uint32_t post[MOST], npost;
};

static set reach(const set *succ, uint32_t n, uint32_t v, set without) {
    set seen = without & BIT(v) ? 0 : BIT(v);
    for (bool more = true; more;) {
        set next = seen;
        for (uint32_t u = 0; u < n; u++)
            if (seen & BIT(u)) next |= succ[u] & ~without;
        more = next != seen;
        seen = next;
    }
    return seen;
}

static bool loop_has(const struct cfg *c, uint32_t loop, uint32_t v) {
    uint32_t l = c->blocks[v].loop;
    while (l != CFG_NONE && l != loop) l = c->loops[l].parent;
    return l == loop;
}

static bool leaves(const struct cfg *c, uint32_t loop, uint32_t u, uint32_t v) {
    return loop_has(c, loop, u) && !loop_has(c, loop, v);
}

static bool turns(const struct naive *x, uint32_t loop, uint32_t u) {
    return u == x->c->loops[loop].header || x->succ[u] & BIT(x->c->loops[loop].header);
}

/* Every way from u to the end passes v. */
static bool after(const set *succ, const bool *exits, uint32_t n, uint32_t u, uint32_t v) {
    set seen = reach(succ, n, u, BIT(v));
    for (uint32_t w = 0; w < n; w++)
        if (seen & BIT(w) && exits[w]) return false;
    return true;
}

static bool drops(const struct naive *x, uint32_t u, uint32_t v) {
    const struct cfg_block *b = &x->c->blocks[v];
    const struct ir_insn *last = &x->m->code.v[b->end - 1];
    bool ends = (last->op == IR_RET || last->op == IR_EXIT) && !last->guard && b->end - b->first == 1;
    if (!(x->kept[u] & BIT(v))) return true;
    if (ends && !after(x->kept, x->exits, x->n, u, v)) return true;
    for (uint32_t l = 0; l < x->c->nloops; l++) {
        bool plain = false;
        for (uint32_t s = 0; s < x->n; s++)
            for (uint32_t t = 0; t < x->n; t++)
                if (x->succ[s] & BIT(t) && leaves(x->c, l, s, t) && turns(x, l, s)) plain = true;
        if (plain && leaves(x->c, l, u, v) && !turns(x, l, u)) return true;
    }
    return false;
}

static void postorder(struct naive *x, uint32_t v, set *seen) {
    const struct cfg_block *b = &x->c->blocks[v];
    *seen |= BIT(v);
    for (uint32_t k = b->nsucc; k-- > 0;) {
        uint32_t s = x->c->edges[b->succ + k];
        if (!(*seen & BIT(s))) postorder(x, s, seen);
    }
    x->post[x->npost++] = v;
}

/* As pdom.c: parts that nothing leaves end at their last block in reverse postorder. */
static void connect_endless(const struct naive *x, const set *succ, bool *exits) {
    bool add[MOST] = {false};
    for (uint32_t k = 0; k < x->npost; k++) {
        uint32_t v = x->post[k];
        set below = reach(succ, x->n, v, 0), component = 0;
        bool ends = false, first = true;
        for (uint32_t w = 0; w < x->n; w++) {
            if (!(below & BIT(w))) continue;
            ends |= exits[w];
            if (reach(succ, x->n, w, 0) & BIT(v)) component |= BIT(w);
        }
        for (uint32_t j = 0; j < k; j++) first &= !(component & BIT(x->post[j]));
        if (component == below && !ends && first) add[v] = true;
    }
    for (uint32_t v = 0; v < x->n; v++) exits[v] |= add[v];
}

static uint32_t naive_ipdom(const set *succ, const bool *exits, uint32_t n, uint32_t u) {
    for (uint32_t v = 0; v < n; v++) {
        if (v == u || !after(succ, exits, n, u, v)) continue;
        bool nearest = true;
        for (uint32_t w = 0; w < n && nearest; w++)
            if (w != u && w != v && after(succ, exits, n, u, w) && !after(succ, exits, n, v, w))
                nearest = false;
        if (nearest) return v;
    }
    return CFG_NONE;
}

static void naive_graphs(struct naive *x) {
    set seen = 0;
    postorder(x, 0, &seen);
    for (uint32_t v = 0; v < x->n; v++) {
        const struct cfg_block *b = &x->c->blocks[v];
        for (uint32_t k = 0; b->reachable && k < b->nsucc; k++) x->succ[v] |= BIT(x->c->edges[b->succ + k]);
        uint16_t op = x->m->code.v[b->end - 1].op;
        x->exits[v] = b->reachable && (op == IR_RET || op == IR_EXIT);
        x->thin_exits[v] = x->exits[v] && !x->succ[v];
    }
    connect_endless(x, x->succ, x->exits);
    for (uint32_t u = 0; u < x->n; u++) {
        const uint32_t exit = x->c->blocks[u].exit;
        x->exits[u] &= exit == u || exit == CFG_NONE;
        for (uint32_t v = 0; v < x->n; v++)
            if (x->succ[u] & BIT(v) && x->c->blocks[v].exit == exit) x->kept[u] |= BIT(v);
    }
    for (uint32_t u = 0; u < x->n; u++) {
        for (uint32_t v = 0; v < x->n; v++)
            if (x->succ[u] & BIT(v) && !drops(x, u, v)) x->thin[u] |= BIT(v);
        if (!x->thin[u]) x->thin[u] = x->succ[u];
    }
    connect_endless(x, x->thin, x->thin_exits);
}

static uint32_t check_likely(struct naive *x) {
    uint32_t *likely = cfg_likely(x->m, x->c), found = 0;
    naive_graphs(x);
    for (uint32_t v = 0; v < x->n; v++) {
        uint32_t want = IR_NOPC, point = CFG_NONE, r = x->c->blocks[v].ipdom;
        if (x->c->blocks[v].reachable && __builtin_popcountll(x->thin[v]) > 1)
            point = naive_ipdom(x->thin, x->thin_exits, x->n, v);
        if (point != CFG_NONE && point != r && (r == CFG_NONE || after(x->kept, x->exits, x->n, point, r)))
            want = x->c->blocks[point].first;
        assert_int_equal(likely[x->c->blocks[v].end - 1], want);
        found += want != IR_NOPC;
    }
    free(likely);
    return found;
}

static void check_order(const struct naive *x) {
    bool same = true;
    for (uint32_t v = 0; v < x->n; v++) {
        uint32_t in = v == 0;
        for (uint32_t u = 0; u < x->n; u++) {
            in += (uint32_t)(x->succ[u] >> v & 1);
            bool both = x->c->blocks[u].reachable && x->c->blocks[v].reachable;
            if (both && u < v && x->c->blocks[u].priority > x->c->blocks[v].priority) same = false;
        }
        assert_int_equal(cfg_block_joins(x->m, x->c, v), x->c->blocks[v].reachable && in > 1);
    }
    assert_int_equal(cfg_priority_is_pc_order(x->c, 0), same);
}

static void random_graphs_as_by_brute_force(void **state) {
    (void)state;
    uint32_t found = 0, ordered = 0;
    for (uint64_t seed = 0; seed < 4000; seed++) {
        struct rng r = {seed};
        struct shape s;
        const struct filling f = {1 + (uint32_t)rng_below(&r, 2), {4, 2, 4}};
        if (seed % 3)
            shape_random(&s, &r, 2 + (uint32_t)rng_below(&r, 28));
        else
            shape_structured(&s, &r, 2 + (uint32_t)rng_below(&r, 18));
        if (s.n <= MOST) {
            struct ir_module *m = module_of(&s, &r, &f);
            struct cfg *c = analysed_with(m, seed % 4 ? CFG_EXITS_MAIN : CFG_EXITS_EDGES);
            struct naive x = {.m = m, .c = c, .n = c->nblocks};
            if (c->nblocks <= MOST) {
                found += check_likely(&x);
                check_order(&x);
                ordered += cfg_priority_is_pc_order(c, 0);
            }
            cfg_free(c);
            ir_module_free(m);
        }
        shape_free(&s);
    }
    print_message("%u points, %u graphs in the order of their PCs\n", found, ordered);
    assert_true(found > 500 && ordered > 500 && ordered < 3500);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_break_is_unlikely),
        cmocka_unit_test(the_only_ways_out_of_a_loop_are_likely),
        cmocka_unit_test(ending_in_mid_air_is_unlikely),
        cmocka_unit_test(an_if_meets_where_it_must),
        cmocka_unit_test(random_graphs_as_by_brute_force),
    };
    return cmocka_run_group_tests_name("cfg/likely", tests, NULL, NULL);
}
