/* Time grows with the program, not with its square: twice the size may take at most three times as long. Each
 * time is the least of several, so that a busy machine does not decide. The times themselves are only printed. */
#include "unit/cfg/graphs.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cfg/form.h"
#include "cfg/likely.h"
#include "cfg/regions.h"
#include "cfg/uniform.h"

#ifdef __SANITIZE_ADDRESS__
enum { REPEAT = 1 }; /* it takes five times as long, and what it finds it finds at once */
#else
enum { REPEAT = 2 };
#endif
enum { TIMES = 4, MOST = 9 };
typedef void shape_fn(struct shape *s, uint32_t n);

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* What is timed: the analysis at load, or one made on demand after it. */
typedef void demand_fn(const struct ir_module *m, const struct cfg *c);

static void demand_uniform(const struct ir_module *m, const struct cfg *c) {
    free(cfg_uniform(m, c));
}
/* Beyond so many marks they are refused: the ladder would have a quadratic number. */
static void demand_regions(const struct ir_module *m, const struct cfg *c) {
    struct err e = {0};
    uint8_t *varies = xcalloc(m->code.n, 1);
    memset(varies, 1, m->code.n);
    cfg_regions_free(cfg_regions(m, c, varies, 16 * (size_t)c->nblocks, &e));
    err_free(&e);
    free(varies);
}
static void demand_likely(const struct ir_module *m, const struct cfg *c) {
    free(cfg_likely(m, c));
}
static void demand_rewrite(const struct ir_module *m, const struct cfg *c) {
    struct err e = {0};
    struct rewrite_insert *in = xcalloc(c->nblocks, sizeof *in);
    for (uint32_t v = 0; v < c->nblocks; v++)
        in[v] = (struct rewrite_insert){.pc = c->blocks[v].first, .insn = {.op = IR_NOP}};
    cfg_rewrite_free(cfg_rewrite(m, c, in, c->nblocks, &e));
    free(in);
}

static void demand_structured(const struct ir_module *m, const struct cfg *c) {
    struct err e = {0};
    cfg_rewrite_free(cfg_make_partial_form(m, c, CFG_FORM_STRUCTURED, &e));
    err_free(&e);
}

static void demand_barriers(const struct ir_module *m, const struct cfg *c) {
    struct err e = {0};
    cfg_rewrite_free(cfg_make_form(m, c, CFG_FORM_VOLTA_MERGE, &e));
    err_free(&e);
}

static double analysis_time(shape_fn *make, uint32_t n, const struct filling *fill, demand_fn *demand) {
    double best = 1e9;
    for (int k = 0; k < REPEAT; k++) {
        struct shape s;
        struct rng r = {7};
        make(&s, n);
        struct ir_module *m = module_of(&s, &r, fill);
        double start = now();
        struct cfg *c = analysed(m);
        if (demand) {
            start = now();
            demand(m, c);
        }
        double took = now() - start;
        best = took < best ? took : best;
        cfg_free(c);
        ir_module_free(m);
        shape_free(&s);
    }
    return best;
}

static void expect_linear(const char *name, shape_fn *make, uint32_t n, const struct filling *fill,
                          demand_fn *demand) {
    double one = analysis_time(make, n, fill, demand), two = analysis_time(make, TIMES * n, fill, demand);
    print_message("%-28s %7u blocks %7.1f ms, %7u blocks %7.1f ms: x %.2f\n", name, n, 1e3 * one, TIMES * n,
                  1e3 * two, two / one);
    assert_true(two < MOST * one);
}

static void chain(struct shape *s, uint32_t n) {
    shape_new(s, n);
    for (uint32_t b = 0; b + 1 < n; b++) shape_edge(s, b, b + 1);
    for (uint32_t b = 0; b + 2 < n; b++) shape_edge(s, b, b + 2);
}

/* n / 2 loops, each within the one before: headers down, latches back up. */
static void nested_loops(struct shape *s, uint32_t n) {
    shape_new(s, n);
    for (uint32_t b = 0; b + 1 < n; b++) shape_edge(s, b, b + 1);
    for (uint32_t b = n / 2; b + 1 < n; b++) shape_edge(s, b, n - 1 - b);
}

/* Nested loops, and every latch leaves all of them. */
static void nested_breaks(struct shape *s, uint32_t n) {
    nested_loops(s, n);
    for (uint32_t b = n / 2; b + 2 < n; b++) shape_edge(s, b, n - 1);
}

/* A chain down with edges back up that makes iterative dominators quadratic: every level is entered past the last. */
static void ladder(struct shape *s, uint32_t n) {
    uint32_t half = n / 2;
    shape_new(s, n);
    for (uint32_t b = 0; b + 1 < half; b++) shape_edge(s, b, b + 1);
    for (uint32_t b = 0; b < half; b++) shape_edge(s, b, n - 1 - b);
    for (uint32_t b = half; b + 1 < n; b++) shape_edge(s, b, b + 1);
    for (uint32_t b = half; b + 1 < n; b++) shape_edge(s, b + 1, b);
}

static void anything(struct shape *s, uint32_t n) {
    struct rng r = {9};
    shape_random(s, &r, n);
}

static void statements(struct shape *s, uint32_t n) {
    struct rng r = {10};
    shape_structured(s, &r, n);
}

static void analysis_is_near_linear(void **state) {
    (void)state;
    const struct filling few = {1, {40, 40, 40}}, many = {20, {400, 400, 40}};
    expect_linear("chain with short cuts", chain, 25000, &few, NULL);
    expect_linear("nested loops", nested_loops, 25000, &few, NULL);
    expect_linear("nested loops with breaks", nested_breaks, 25000, &few, NULL);
    expect_linear("irreducible ladder", ladder, 25000, &few, NULL);
    expect_linear("random edges", anything, 25000, &few, NULL);
    expect_linear("statements", statements, 2500, &many, NULL);
}

static void what_is_made_on_demand_is_near_linear(void **state) {
    (void)state;
    static const struct {
        const char *name;
        demand_fn *fn;
    } made[] = {{"uniform", demand_uniform},       {"regions", demand_regions},
                {"likely", demand_likely},         {"rewrite", demand_rewrite},
                {"structured", demand_structured}, {"barriers", demand_barriers}};
    static const struct {
        const char *name;
        shape_fn *make;
        uint32_t n;
    } shapes[] = {{"chain", chain, 5000},
                  {"nested loops", nested_loops, 5000},
                  {"nested breaks", nested_breaks, 5000},
                  {"ladder", ladder, 5000},
                  {"random edges", anything, 5000},
                  {"statements", statements, 2500}};
    const struct filling few = {1, {40, 40, 40}};
    /* A structured way out of k loops has k - 1 instructions. */
    for (size_t k = 0; k < sizeof made / sizeof *made; k++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            char name[64];
            if (made[k].fn == demand_structured && shapes[s].make == nested_breaks) continue;
            snprintf(name, sizeof name, "%s: %s", made[k].name, shapes[s].name);
            expect_linear(name, shapes[s].make, shapes[s].n, &few, made[k].fn);
        }
}

/* Straight code. near: each instruction has a result of its own and reads recent ones, as compilers write it;
 * far: any register anywhere, so that nearly all of them are alive throughout. */
static double straight_time(uint32_t n, bool near) {
    double best = 1e9;
    for (int k = 0; k < REPEAT; k++) {
        struct rng r = {7};
        struct filling far = {1, {n / 4, n / 4, n < 120000 ? n / 4 : 30000}};
        struct ir_module *m = ir_module_new("test");
        for (uint32_t i = 0; i < n; i++) {
            uint32_t a = i - (uint32_t)rng_below(&r, i < 60 ? i + 1 : 60),
                     b = i - (uint32_t)rng_below(&r, i < 9 ? i + 1 : 9);
            ir_opnd o[] = {ir_reg(IR_FILE_32, i), ir_reg(IR_FILE_32, a), ir_reg(IR_FILE_32, b)};
            put(m, near ? (struct ir_insn){.op = IR_ADD_U32, .nd = 1, .ns = 2, .o = {o[0], o[1], o[2]}}
                        : any_insn(&r, &far));
        }
        put(m, (struct ir_insn){.op = IR_RET});
        VEC_PUSH(&m->funcs, (struct ir_func){.name = "f",
                                             .kernel = true,
                                             .defined = true,
                                             .end = n + 1,
                                             .nvirt = {n, n, near ? 1 : 32000}});
        double start = now();
        struct cfg *c = analysed(m);
        double took = now() - start;
        best = took < best ? took : best;
        if (near) assert_in_range(m->funcs.v[0].regs, c->funcs[0].max_live, c->funcs[0].max_live + 4);
        cfg_free(c);
        ir_module_free(m);
    }
    return best;
}

static void straight_code_is_near_linear(void **state) {
    (void)state;
    for (int near = 0; near < 2; near++) {
        double one = straight_time(25000, near), two = straight_time(100000, near);
        print_message("%s registers, 25,000 instructions %.1f ms, 100,000 instructions %.1f ms: x %.2f\n",
                      near ? "few" : "many", 1e3 * one, 1e3 * two, two / one);
        assert_true(two < MOST * one);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(analysis_is_near_linear),
        cmocka_unit_test(what_is_made_on_demand_is_near_linear),
        cmocka_unit_test(straight_code_is_near_linear),
    };
    return cmocka_run_group_tests_name("cfg/speed", tests, NULL, NULL);
}
