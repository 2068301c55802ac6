/* Every arithmetic operation of ir/ops.def against its reference (tests/ref), one test per row, named by its
 * id.
 *
 * For each form of a row (modifiers, comparison, selectors ...) the operands are the cross product of the
 * operand kinds' edge cases, then seeded random values. 32 of them make a batch; a batch runs on every build
 * of the executors with a full or partial mask, with a constant operand, with the destination in a source's
 * row, with garbage above narrow operands of cvt (PTX allows wider registers there), with negated predicates
 * and with destinations left out. After each run the whole register file is compared: nothing but the
 * destination's masked lanes may have changed, and all builds must agree to the bit even where PTX leaves the
 * answer open. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "exec/ctx.h"
#include "ref/ref.h"

enum { LANES = EXEC_LANES, ROWS = 8, SRC_ROW = 4, PRED_DST = 1, PRED_SRC = 5, PRED_ROWS = 10 };
enum { CROSS_BUDGET = 500000, RANDOM_BUDGET = 24000, FEWEST_EDGES = 8, MAX_REPORTS = 5 };

struct regs {
    _Alignas(64) uint32_t r32[2][ROWS * LANES];
    _Alignas(64) uint64_t r64[2][ROWS * LANES];
    uint32_t pred[PRED_ROWS];
    uint32_t carry;
};

struct isa {
    const char *name;
    exec_fn *const *table;
};

struct result { /* what a row's test leaves for the summary */
    const struct ref_row *row;
    double worst; /* largest error of an .approx result, as a fraction of what PTX allows */
};

struct place {
    int constant; /* source in the constants, the same for every lane; -1: none */
    int in_place; /* source whose row the destination shares; -1: none */
    int missing;  /* destination left out; -1: none */
    uint32_t mask;
};

struct bench {
    struct result *result;
    const struct ref_row *row;
    const struct ir_insn *form;
    struct isa isa[2];
    int nisa;
    struct rng rng;
    size_t wrong, batches;
    uint64_t edges[4][REF_MAX_EDGES];
    size_t total_edges[4], nedges[4]; /* all of them, and how many are in use */
    /* one batch */
    uint64_t s[4][LANES];
    int filled;
    struct place place;
    struct ref_out want[LANES];
    struct regs before, after[2];
};

/* ---- operands and registers ---- */
static enum ir_file file_of(uint8_t operand) {
    if (operand == IR_T_P) return IR_FILE_P;
    return ir_type_bytes[ref_type(operand)] == 8 ? IR_FILE_64 : IR_FILE_32;
}

static uint64_t get(const struct regs *r, ir_opnd o, int lane) {
    size_t at = (size_t)ir_index(o) * LANES + (size_t)lane;
    switch (ir_file(o)) {
    case IR_FILE_P: return r->pred[ir_index(o)] >> lane & 1;
    case IR_FILE_64: return r->r64[ir_is_const(o)][at];
    default: return r->r32[ir_is_const(o)][at];
    }
}

static void set(struct regs *r, ir_opnd o, int lane, uint64_t v) {
    size_t at = (size_t)ir_index(o) * LANES + (size_t)lane;
    switch (ir_file(o)) {
    case IR_FILE_P:
        r->pred[ir_index(o)] = (r->pred[ir_index(o)] & ~(1u << lane)) | (uint32_t)v << lane;
        break;
    case IR_FILE_64: r->r64[ir_is_const(o)][at] = v; break;
    default: r->r32[ir_is_const(o)][at] = (uint32_t)v; break;
    }
}

static bool same_regs(const struct regs *a, const struct regs *b) {
    return !memcmp(a->r32, b->r32, sizeof a->r32) && !memcmp(a->r64, b->r64, sizeof a->r64) &&
           !memcmp(a->pred, b->pred, sizeof a->pred) && a->carry == b->carry;
}

/* ---- reports ---- */
static void form_name(char *s, size_t n, const struct ir_insn *i) {
    static const char *const rounds[] = {"", ".rz", ".rm", ".rp", ".rna", "", "", ""};
    snprintf(s, n, "%s%s%s%s%s%s%s%s%s%s sub %u bop %u dtype %s imm %08x cop %u", ir_ops[i->op].id,
             rounds[i->mods & IR_M_RND], i->mods & IR_M_FTZ ? ".ftz" : "", i->mods & IR_M_SAT ? ".sat" : "",
             i->mods & IR_M_RELU ? ".relu" : "", i->mods & IR_M_NAN ? ".NaN" : "",
             i->mods & IR_M_XSGN ? ".xorsign.abs" : "", i->mods & IR_M_RINT ? ".rint" : "",
             i->mods & IR_M_CC_IN ? ".cc-in" : "", i->mods & IR_M_CC_OUT ? ".cc-out" : "", i->sub, i->bop,
             ir_type_name[i->dtype], i->imm, i->cop);
}

static void mismatch(struct bench *b, int lane, const char *isa, const char *what, uint64_t got,
                     uint64_t want) {
    char name[256];
    if (b->wrong++ >= MAX_REPORTS) return;
    form_name(name, sizeof name, b->form);
    print_error("%s (%s, lane %d of mask %08x, constant %d, in place of %d, missing %d):", name, isa, lane,
                b->place.mask, b->place.constant, b->place.in_place, b->place.missing);
    for (int k = 0; k < b->form->ns; k++) print_error(" %c %llx", 'a' + k, (unsigned long long)b->s[k][lane]);
    print_error(" cf %u: %s is %llx, expected %llx\n", b->before.carry >> lane & 1, what,
                (unsigned long long)got, (unsigned long long)want);
}

/* ---- checking one destination (or half) of one lane ---- */
/* A narrow float leaves the rest of its register zero. */
static bool fits(const struct soft_fmt *f, uint64_t got) {
    return soft_bits(f) == 64 || got >> soft_bits(f) == 0;
}
static bool near_enough(struct bench *b, const struct ref_want *w, uint64_t got) {
    struct soft v = soft_decode(w->fmt, got);
    if (v.cls == SOFT_NAN || v.cls == SOFT_INF || got & w->zeros || !fits(w->fmt, got)) return false;
    double error = fabs(soft_double(v) - w->value) / w->tol;
    if (error <= 1 && error > b->result->worst && !w->bound) b->result->worst = error;
    return error <= 1;
}
static bool acceptable(struct bench *b, const struct ref_want *w, uint64_t got) {
    switch (w->kind) {
    case REF_BITS: return got == w->bits || got == w->alt;
    case REF_NAN: return fits(w->fmt, got) && soft_decode(w->fmt, got).cls == SOFT_NAN;
    case REF_NEAR: return near_enough(b, w, got) || got == w->alt;
    default: return true;
    }
}

static void check_lane(struct bench *b, const struct ir_insn *i, int isa, int lane) {
    static const char *const names[] = {"d", "d1", "d2", "d3"}, *const halves[] = {"d.lo", "d.hi"};
    const struct ref_out *want = &b->want[lane];
    for (int k = 0; k < i->nd; k++) {
        if (i->o[k] == IR_NONE) continue;
        uint64_t got = get(&b->after[isa], i->o[k], lane);
        if (!want->split) {
            if (!acceptable(b, &want->w[k], got))
                mismatch(b, lane, b->isa[isa].name, names[k], got, want->w[k].bits);
            continue;
        }
        for (int half = 0; half < 2; half++)
            if (!acceptable(b, &want->w[half], got >> (16 * half) & 0xffff))
                mismatch(b, lane, b->isa[isa].name, halves[half], got >> (16 * half) & 0xffff,
                         want->w[half].bits);
    }
    if ((b->after[isa].carry >> lane & 1) != want->cf)
        mismatch(b, lane, b->isa[isa].name, "carry", !want->cf, want->cf);
}

/* Everything but the masked destination lanes (and carries) must be as before. */
static void check_rest(struct bench *b, const struct ir_insn *i, int isa, uint32_t mask) {
    struct regs expect = b->before;
    FOR_LANES(lane, mask) {
        for (int k = 0; k < i->nd; k++)
            if (i->o[k] != IR_NONE) set(&expect, i->o[k], (int)lane, get(&b->after[isa], i->o[k], (int)lane));
    }
    expect.carry = (expect.carry & ~mask) | (b->after[isa].carry & mask);
    if (!same_regs(&expect, &b->after[isa]))
        mismatch(b, 0, b->isa[isa].name, "something besides the destination's masked lanes", 1, 0);
}

static uint64_t differing(const struct bench *b, const struct ir_insn *i) {
    uint64_t n = 0;
    for (int lane = 0; lane < LANES; lane++)
        for (int k = 0; k < i->nd; k++)
            if (i->o[k] != IR_NONE) n += get(&b->after[0], i->o[k], lane) != get(&b->after[1], i->o[k], lane);
    return n;
}

static void execute(struct bench *b, const struct ir_insn *i, uint32_t mask) {
    for (int isa = 0; isa < b->nisa; isa++) {
        struct regs *r = &b->after[isa];
        *r = b->before;
        struct exec_ctx x = {.r32 = {r->r32[0], r->r32[1]},
                             .r64 = {r->r64[0], r->r64[1]},
                             .pred = r->pred,
                             .carry = &r->carry};
        b->isa[isa].table[i->op](&x, i, mask);
        FOR_LANES(lane, mask) {
            check_lane(b, i, isa, (int)lane);
        }
        check_rest(b, i, isa, mask);
    }
    if (b->nisa == 2 && !same_regs(&b->after[0], &b->after[1]))
        mismatch(b, 0, "all builds", "the number of lanes that differ", differing(b, i), 0);
}

/* ---- placing a batch ---- */
static struct place choose_place(struct bench *b) {
    struct place p = {-1, -1, -1, ~0u};
    int ns = b->form->ns, nd = b->form->nd, k = (int)rng_below(&b->rng, (uint64_t)ns);
    size_t turn = b->batches++;
    if (turn & 1) p.mask = (uint32_t)(rng_next(&b->rng) & (turn & 2 ? ~(uint64_t)0 : rng_next(&b->rng)));
    if (p.mask == 0) p.mask = 1u << 13;
    if (turn % 5 == 4) p.in_place = k;
    if (nd > 1 && turn % 3 == 2) p.missing = (int)rng_below(&b->rng, (uint64_t)nd);
    return p;
}

static void place_operands(struct bench *b, const struct place *p, struct ir_insn *i) {
    *i = *b->form;
    for (int k = 0; k < i->nd; k++) {
        enum ir_file f = file_of(b->row->d[k]);
        i->o[k] = ir_reg(f, (uint32_t)(f == IR_FILE_P ? PRED_DST + k : k));
    }
    for (int k = 0; k < i->ns; k++) {
        enum ir_file f = file_of(b->row->s[k]);
        ir_opnd o = ir_reg(f, (uint32_t)(f == IR_FILE_P ? PRED_SRC + k : SRC_ROW + k));
        if (f == IR_FILE_P && rng_next(&b->rng) & 1) o |= IR_O_NEG;
        if (f != IR_FILE_P && k == p->constant) o = ir_const(f, (uint32_t)(SRC_ROW + k));
        i->o[i->nd + k] = o;
        if (k == p->in_place && k != p->constant)
            for (int d = 0; d < i->nd; d++)
                if (ir_file(i->o[d]) == f) {
                    i->o[d] = o & ~IR_O_NEG;
                    break;
                }
    }
    if (p->missing >= 0) i->o[p->missing] = IR_NONE;
}

static void fill_registers(struct bench *b, const struct ir_insn *i) {
    bool cvt = ir_ops[i->op].cls == IR_C_CVT;
    for (int k = 0; k < i->nd; k++)
        for (int lane = 0; lane < LANES && i->o[k] != IR_NONE; lane++)
            set(&b->before, i->o[k], lane,
                ir_file(i->o[k]) == IR_FILE_P ? rng_next(&b->rng) & 1 : rng_next(&b->rng));
    for (int k = 0; k < i->ns; k++) {
        ir_opnd o = i->o[i->nd + k];
        int width = ref_two_parts(b->row->s[k]) ? 32 : ref_width(b->row->s[k]);
        for (int lane = 0; lane < LANES; lane++) {
            uint64_t v = b->s[k][lane];
            if (cvt && width < 32 && lane & 1) v |= (rng_next(&b->rng) << width) & 0xffffffffu;
            set(&b->before, o, lane, o & IR_O_NEG ? !v : v);
        }
    }
    b->before.carry = (uint32_t)rng_next(&b->rng);
}

static void compute_references(struct bench *b, uint32_t mask) {
    FOR_LANES(lane, mask) {
        struct ref_in in = {.row = b->row, .i = b->form, .cf = b->before.carry >> lane & 1};
        for (int k = 0; k < b->form->ns; k++) in.s[k] = b->s[k][lane];
        b->want[lane] = (struct ref_out){.cf = in.cf};
        b->row->fn(&in, &b->want[lane]);
    }
}

static void run_placed(struct bench *b, const struct place *p) {
    struct ir_insn i;
    b->place = *p;
    place_operands(b, p, &i);
    fill_registers(b, &i);
    compute_references(b, p->mask);
    execute(b, &i, p->mask);
}

/* Runs the tuples gathered so far; now and then again with one operand a constant. */
static void run_batch(struct bench *b) {
    for (int k = 0; k < 4; k++)
        for (int lane = b->filled; lane < LANES; lane++) b->s[k][lane] = b->s[k][0];
    struct place p = choose_place(b);
    run_placed(b, &p);
    if (b->batches % 7 == 0) {
        int k = p.constant = (int)rng_below(&b->rng, b->form->ns);
        for (int lane = 1; lane < LANES; lane++) b->s[k][lane] = b->s[k][0];
        run_placed(b, &p);
    }
    b->filled = 0;
}

static void add_tuple(struct bench *b, const uint64_t *v) {
    for (int k = 0; k < 4; k++) b->s[k][b->filled] = v[k];
    if (++b->filled == LANES) run_batch(b);
}

/* ---- choosing operand values ---- */
/* Both halves of a two-part operand walk through the edges, out of step. */
static uint64_t edge(const struct bench *b, int k, uint64_t index) {
    uint64_t n = b->nedges[k], v = b->edges[k][index % n];
    if (!ref_two_parts(b->row->s[k])) return v;
    return v | b->edges[k][(index * 7 + index / n + 3) % n] << 16;
}

static uint64_t random_exponent(struct bench *b, const struct soft_fmt *f, int k, const uint64_t *earlier) {
    uint64_t all = ((uint64_t)1 << f->ebits) - 1,
             near_by = rng_below(&b->rng, rng_next(&b->rng) & 1 ? 4 : 2 * (uint64_t)f->p);
    uint64_t base = rng_below(&b->rng, all);
    if (k == 1) base = rng_next(&b->rng) & 1 ? earlier[0] : all / 2;
    if (k == 2) base = earlier[0] + earlier[1] - all / 2;
    if (k > 0) base = rng_next(&b->rng) & 1 ? base + near_by : base - near_by;
    return base & all;
}

/* Random bits; or exponents near each other (or near a product's) with significands of random length, so that
 * sums cancel and results lie halfway between numbers. */
static uint64_t random_float(struct bench *b, const struct soft_fmt *f, int k, uint64_t *exponents) {
    uint64_t bits = rng_next(&b->rng), sign = soft_zero(f, true), all = sign | soft_nan(f);
    exponents[k] = random_exponent(b, f, k, exponents);
    if (rng_below(&b->rng, 4) == 0) return bits & all;
    uint64_t fraction = ((uint64_t)1 << (f->p - 1)) - 1;
    fraction &= ~(uint64_t)0 << rng_below(&b->rng, (uint64_t)f->p);
    if (rng_below(&b->rng, 8) == 0)
        exponents[k] = (((uint64_t)1 << f->ebits) / 2 - 3 + rng_below(&b->rng, 16)) & (all >> (f->p));
    return (bits & (fraction | sign)) | exponents[k] << (f->p - 1);
}

static uint64_t random_int(struct bench *b, int width) {
    uint64_t v = rng_next(&b->rng) >> rng_below(&b->rng, 64);
    if (rng_next(&b->rng) & 1) v = ~v;
    return width == 64 ? v : v & (((uint64_t)1 << width) - 1);
}

static void random_tuple(struct bench *b, uint64_t *v) {
    uint64_t exponents[2][4] = {{0}, {0}};
    for (int k = 0; k < b->form->ns; k++) {
        uint8_t t = b->row->s[k];
        const struct soft_fmt *f = ref_fmt(t);
        bool plain = t < IR_NTYPES && t != IR_T_P;
        if (!plain || rng_below(&b->rng, 4) == 0)
            v[k] = edge(b, k, rng_next(&b->rng) >> 8);
        else if (f && ref_two_parts(t))
            v[k] = random_float(b, f, k, exponents[0]) | random_float(b, f, k, exponents[1]) << 16;
        else
            v[k] = f ? random_float(b, f, k, exponents[0]) : random_int(b, 8 * ir_type_bytes[t]);
    }
}

/* Cuts each operand's list of edges to at most that many; returns the size of the cross product. */
static size_t limit_edges(struct bench *b, size_t most) {
    size_t cross = 1;
    for (int k = 0; k < b->form->ns; k++) {
        b->nedges[k] = b->total_edges[k] < most ? b->total_edges[k] : most;
        cross *= b->nedges[k];
    }
    return cross;
}

/* The cross product of the longest lists that the budget allows, none if they would be too short to tell. */
static size_t choose_cross(struct bench *b, size_t nforms) {
    for (size_t most = REF_MAX_EDGES; most >= FEWEST_EDGES; most -= most / 4) {
        size_t cross = limit_edges(b, most);
        if (cross * nforms <= CROSS_BUDGET) return cross;
    }
    return 0;
}

static void run_form(struct bench *b, size_t nforms) {
    size_t cross = choose_cross(b, nforms), randoms = RANDOM_BUDGET / nforms;
    for (size_t t = 0; t < cross; t++) {
        uint64_t v[4] = {0}, rest = t;
        for (int k = 0; k < b->form->ns; k++) {
            v[k] = edge(b, k, rest);
            rest /= b->nedges[k];
        }
        add_tuple(b, v);
    }
    limit_edges(b, REF_MAX_EDGES);
    for (size_t t = 0; t < (randoms < 2 * LANES ? 2 * LANES : randoms); t++) {
        uint64_t v[4] = {0};
        random_tuple(b, v);
        add_tuple(b, v);
    }
    if (b->filled) run_batch(b);
}

/* ---- one test per row ---- */
static void test_row(void **state) {
    struct result *result = *state;
    struct bench *b = xaligned(64, sizeof *b);
    struct ref_forms forms = {0};
    b->result = result;
    b->row = result->row;
    b->rng.state = result->row->op;
    b->isa[b->nisa++] = (struct isa){"portable", exec_alu_portable};
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
        b->isa[b->nisa++] = (struct isa){"avx2", exec_alu_avx2};
#endif
    b->before.pred[0] = ~0u;
    for (int isa = 0; isa < b->nisa; isa++) assert_non_null(b->isa[isa].table[b->row->op]);
    for (int k = 0; k < ref_count(b->row->s); k++)
        b->total_edges[k] = ref_edges(b->row->s[k], b->edges[k], REF_MAX_EDGES);
    b->row->forms(b->row, &forms);
    assert_true(forms.n > 0);
    for (size_t k = 0; k < forms.n; k++) {
        b->form = &forms.v[k];
        run_form(b, forms.n);
    }
    size_t wrong = b->wrong;
    VEC_FREE(&forms);
    free(b);
    if (wrong) fail_msg("%s: %zu wrong results", result->row->id, wrong);
}

static void print_errors(const struct result *results) {
    print_message("largest error of approximate results, of what the PTX ISA allows:\n");
    for (size_t k = 0; k < ref_nrows; k++)
        if (results[k].worst > 0)
            print_message("  %-20s %5.1f %%\n", results[k].row->id, 100 * results[k].worst);
}

int main(int argc, char **argv) {
    struct result *results = xcalloc(ref_nrows, sizeof *results);
    struct CMUnitTest *tests = xcalloc(ref_nrows, sizeof *tests);
    for (size_t k = 0; k < ref_nrows; k++) {
        results[k].row = &ref_rows[k];
        tests[k] =
            (struct CMUnitTest){.name = ref_rows[k].id, .test_func = test_row, .initial_state = &results[k]};
    }
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    int failed = _cmocka_run_group_tests("operations", tests, ref_nrows, NULL, NULL);
    print_errors(results);
    free(tests);
    free(results);
    return failed;
}
