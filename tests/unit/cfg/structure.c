/* What counts as structured, with the reason given; and the linear reduction against one that applies the
 * same rules in random order on an adjacency matrix. */
#include "unit/cfg/graphs.h"

#include <stdio.h>
#include <string.h>

static struct cfg *analyse_shape(const struct shape *s, struct ir_module **m, uint64_t seed) {
    struct rng r = {seed};
    struct filling fill = {2, {3, 3, 3}};
    *m = module_of(s, &r, &fill);
    return analysed(*m);
}

/* "ab ac": edges by letter. Blocks have other instructions than their jump, so none merely ends the thread. */
static void expect(uint32_t n, const char *edges, enum cfg_structure structure, uint32_t why,
                   const char *text) {
    struct shape s;
    struct ir_module *m;
    shape_new(&s, n);
    for (const char *x = edges; *x; x += x[2] ? 3 : 2)
        shape_edge(&s, (uint32_t)(x[0] - 'a'), (uint32_t)(x[1] - 'a'));
    struct cfg *c = analyse_shape(&s, &m, 5);
    assert_string_equal(c->funcs[0].why_text, text);
    assert_string_equal(cfg_structure_name(c->funcs[0].structure), cfg_structure_name(structure));
    assert_int_equal(c->funcs[0].why, why);
    cfg_free(c);
    ir_module_free(m);
    shape_free(&s);
}

static void the_usual_statements_are_structured(void **state) {
    (void)state;
    expect(1, "", CFG_STRUCTURED, CFG_NONE, "");
    expect(3, "ab bc", CFG_STRUCTURED, CFG_NONE, "");
    expect(3, "ab ac bc", CFG_STRUCTURED, CFG_NONE, "");                   /* if */
    expect(4, "ab ac bd cd", CFG_STRUCTURED, CFG_NONE, "");                /* if-else */
    expect(6, "ab ac ad ae bf cf df ef", CFG_STRUCTURED, CFG_NONE, "");    /* switch */
    expect(3, "ab ac ba", CFG_STRUCTURED, CFG_NONE, "");                   /* while */
    expect(4, "ab bc cd cb", CFG_STRUCTURED, CFG_NONE, "");                /* do-while */
    expect(2, "ab ba", CFG_STRUCTURED, CFG_NONE, "");                      /* for ever */
    expect(7, "ab ag bc bf cd ce dc ef fa", CFG_STRUCTURED, CFG_NONE, ""); /* loops in if in loop */
}

/* if (x) { if (y) return; } else z: the return leaves from inside. */
static void an_early_return_is_structured(void **state) {
    (void)state;
    expect(6, "ab ae bc bd df ef", CFG_STRUCTURED, CFG_NONE, "");
}

static void loops_with_breaks_are_named(void **state) {
    (void)state;
    /* while (a) { if (b) break; c }  d */
    expect(4, "ab ad bc bd ca", CFG_BREAKS, 0, "the loop at B0 is left from B0 and from B1");
    /* while (a) { if (b) break; c } d, with code on the way out: e is no part of the loop */
    expect(5, "ab ad bc be ca ed", CFG_BREAKS, 0, "the loop at B0 is left from B0 and from B1");
    /* a return in the middle (e ends there), two breaks to d */
    expect(5, "ab ad bc be ca cd", CFG_BREAKS, 0, "the loop at B0 is left from B0 and from B2");
}

static void jumps_into_arms_are_unstructured(void **state) {
    (void)state;
    /* b and c are arms of a; b also jumps into the arm c */
    expect(5, "ab ac bc bd cd ce de", CFG_UNSTRUCTURED, 2,
           "B2 is entered from B0 and from B1, but does not join all arms of the branch in B0");
    /* short-circuit: a && b share the else part d */
    expect(5, "ab ad bc bd ce de", CFG_UNSTRUCTURED, 3,
           "B3 is entered from B0 and from B1, but does not join all arms of the branch in B0");
}

static void loops_with_two_entries_are_irreducible(void **state) {
    (void)state;
    expect(3, "ab ac bc cb", CFG_IRREDUCIBLE, 2,
           "the loop closed by the jump from B1 to B2 is also entered past B2");
}

static void generated_statements_are_structured(void **state) {
    (void)state;
    struct rng r = {21};
    for (int k = 0; k < 2000; k++) {
        struct shape s;
        struct ir_module *m;
        shape_structured(&s, &r, 1 + (uint32_t)rng_below(&r, 200));
        struct cfg *c = analyse_shape(&s, &m, r.state);
        assert_string_equal(c->funcs[0].why_text, "");
        assert_int_equal(c->funcs[0].structure, CFG_STRUCTURED);
        cfg_free(c);
        ir_module_free(m);
        shape_free(&s);
    }
}

/* Loops get a second way out to where the first leads, from just inside: a break, perhaps of two loops at once. */
static void generated_breaks_are_breaks(void **state) {
    (void)state;
    struct rng r = {23};
    uint32_t tried = 0;
    for (int k = 0; k < 2000; k++) {
        struct shape s;
        struct ir_module *m;
        bool any = false;
        shape_structured(&s, &r, 1 + (uint32_t)rng_below(&r, 100));
        for (uint32_t v = 0; v < s.n;
             v++) { /* a while's latch goes back to its header, which leaves past the latch */
            uint32_t h = s.node[v].succ[0];
            if (s.node[v].nsucc != 1 || h >= v || !shape_has(&s, h, v + 1) || rng_below(&r, 2)) continue;
            if (h + 1 == v || s.node[h + 1].nsucc == 0) continue;
            shape_edge(&s, h + 1, v + 1);
            any = true;
        }
        struct cfg *c = analyse_shape(&s, &m, r.state);
        assert_string_equal(cfg_structure_name(c->funcs[0].structure), any ? "breaks" : "structured");
        tried += any;
        cfg_free(c);
        ir_module_free(m);
        shape_free(&s);
    }
    assert_true(tried > 200);
}

/* ---- the same rules in any order ---- */

enum { MAX_N = 24 };
struct matrix {
    uint32_t n;
    bool edge[MAX_N][MAX_N], dead[MAX_N];
};

static uint32_t degree(const struct matrix *g, uint32_t v, bool in, uint32_t *other) {
    uint32_t n = 0;
    for (uint32_t w = 0; w < g->n; w++)
        if (in ? g->edge[w][v] : g->edge[v][w]) *other = w, n++;
    return n + (in && v == 0);
}

static bool try_rules(struct matrix *g, uint32_t v) {
    uint32_t from = 0, to = 0, onward = 0;
    if (g->dead[v]) return false;
    if (g->edge[v][v]) return g->edge[v][v] = false, true;
    uint32_t in = degree(g, v, true, &from), out = degree(g, v, false, &to);
    if (v == 0 || in != 1) return false;
    bool only = degree(g, from, false, &onward) == 1;
    if (out > 1 && !only) return false;
    g->edge[from][v] = false;
    for (uint32_t w = 0; w < g->n; w++) {
        if (g->edge[v][w]) g->edge[from][w] = true;
        g->edge[v][w] = false;
    }
    return g->dead[v] = true;
}

static bool naive_shrinks(struct matrix *g, struct rng *r) {
    for (int idle = 0; idle < 400;) idle = try_rules(g, (uint32_t)rng_below(r, g->n)) ? 0 : idle + 1;
    uint32_t alive = 0;
    for (uint32_t v = 0; v < g->n; v++) alive += !g->dead[v];
    return alive == 1;
}

static struct matrix matrix_of(const struct shape *s, const struct cfg *c) {
    struct matrix g = {.n = s->n};
    for (uint32_t v = 0; v < s->n; v++) {
        g.dead[v] = !c->blocks[v].reachable;
        for (uint32_t k = 0; !g.dead[v] && k < s->node[v].nsucc; k++) g.edge[v][s->node[v].succ[k]] = true;
    }
    return g;
}

/* Forward edges only: no loop, hardly ever structured. */
static void shape_forward(struct shape *s, struct rng *r, uint32_t n) {
    shape_new(s, n);
    for (uint32_t b = 0; b + 1 < n; b++) {
        shape_edge(s, b, b + 1);
        if (!rng_below(r, 3)) shape_edge(s, b, b + 1 + (uint32_t)rng_below(r, n - b - 1));
    }
}

/* On graphs without breaks the verdict is that of the rules, whatever the order they are applied in. */
static void the_order_of_the_rules_does_not_matter(void **state) {
    (void)state;
    struct rng r = {22};
    int seen[2] = {0};
    for (int k = 0; k < 3000; k++) {
        struct shape s;
        struct ir_module *m;
        uint32_t n = 1 + (uint32_t)rng_below(&r, k % 3 ? 8 : MAX_N);
        if (k % 2)
            shape_random(&s, &r, n);
        else
            shape_forward(&s, &r, n);
        struct cfg *c = analyse_shape(&s, &m, r.state);
        bool plain = c->funcs[0].structure != CFG_IRREDUCIBLE;
        for (uint32_t l = 0; l < c->nloops; l++) plain &= !c->loops[l].breaks;
        struct matrix g = matrix_of(&s, c);
        if (plain) {
            bool shrinks = naive_shrinks(&g, &r);
            assert_int_equal(c->funcs[0].structure, shrinks ? CFG_STRUCTURED : CFG_UNSTRUCTURED);
            seen[shrinks]++;
        }
        cfg_free(c);
        ir_module_free(m);
        shape_free(&s);
    }
    print_message("%d shrink, %d do not\n", seen[1], seen[0]);
    assert_true(seen[0] > 100 && seen[1] > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_usual_statements_are_structured),
        cmocka_unit_test(an_early_return_is_structured),
        cmocka_unit_test(loops_with_breaks_are_named),
        cmocka_unit_test(jumps_into_arms_are_unstructured),
        cmocka_unit_test(loops_with_two_entries_are_irreducible),
        cmocka_unit_test(generated_statements_are_structured),
        cmocka_unit_test(generated_breaks_are_breaks),
        cmocka_unit_test(the_order_of_the_rules_does_not_matter),
    };
    return cmocka_run_group_tests_name("cfg/structure", tests, NULL, NULL);
}
