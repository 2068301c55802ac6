/* Rows against liveness computed the slow way: bit sets per instruction, iterated until nothing changes. */
#include "front/ptx/ptx.h"
#include "unit/cfg/graphs.h"

#include <stdio.h>
#include <string.h>

enum { MAX_REGS = 192 };
struct regs {
    uint64_t bit[MAX_REGS / 64];
};

static bool has(const struct regs *s, uint32_t r) {
    return s->bit[r / 64] >> r % 64 & 1;
}
static void add(struct regs *s, uint32_t r) {
    s->bit[r / 64] |= (uint64_t)1 << r % 64;
}

/* One file's registers of one instruction: virtual numbers before, rows after. */
struct uses {
    uint32_t read[40], nread, written[10], nwritten;
    bool kills, early;
};

static void note(ir_opnd o, enum ir_file f, uint32_t *list, uint32_t *n) {
    if (!ir_is_const(o) && ir_file(o) == f && (f != IR_FILE_P || ir_index(o))) list[(*n)++] = ir_index(o);
}

static struct uses uses_of(const struct ir_module *m, const struct ir_insn *i, const uint32_t *ext,
                           enum ir_file f) {
    struct uses u = {.kills = !i->guard,
                     .early = i->nd > 1 || ir_ops[i->op].kind == 'A' || ir_ops[i->op].kind == 'M'};
    if (i->guard) note(ir_reg(IR_FILE_P, i->guard & IR_GUARD_INDEX), f, u.read, &u.nread);
    for (int k = i->nd; k < i->nd + i->ns; k++) note(i->o[k], f, u.read, &u.nread);
    uint32_t more;
    ir_more(m, i, &more);
    for (uint32_t k = 0; k < more; k++) note(ext[i->ext + IR_MORE + k], f, u.read, &u.nread);
    for (int k = 0; k < i->nd; k++) note(i->o[k], f, u.written, &u.nwritten);
    return u;
}

/* The program before and after, and the liveness of one file. */
struct check {
    const struct ir_module *m;
    const struct cfg *c;
    const struct ir_insn *before;
    const uint32_t *ext;
    enum ir_file f;
    struct regs *in, *out; /* per instruction */
    uint32_t row[MAX_REGS];
};

static void successors(const struct check *k, uint32_t pc, uint32_t *to, uint32_t *n) {
    const struct cfg_block *b = &k->c->blocks[k->m->code.v[pc].block];
    *n = 0;
    if (pc + 1 < b->end)
        to[(*n)++] = pc + 1;
    else
        for (uint32_t s = 0; s < b->nsucc; s++) to[(*n)++] = k->c->blocks[k->c->edges[b->succ + s]].first;
}

static bool update(struct check *k, uint32_t pc) {
    struct regs out = {0}, in;
    uint32_t to[8], n;
    successors(k, pc, to, &n);
    for (uint32_t s = 0; s < n; s++)
        for (int w = 0; w < MAX_REGS / 64; w++) out.bit[w] |= k->in[to[s]].bit[w];
    in = out;
    struct uses u = uses_of(k->m, &k->before[pc], k->ext, k->f);
    for (uint32_t r = 0; u.kills && r < u.nwritten; r++)
        in.bit[u.written[r] / 64] &= ~((uint64_t)1 << u.written[r] % 64);
    for (uint32_t r = 0; r < u.nread; r++) add(&in, u.read[r]);
    bool changed = memcmp(&in, &k->in[pc], sizeof in) || memcmp(&out, &k->out[pc], sizeof out);
    k->in[pc] = in;
    k->out[pc] = out;
    return changed;
}

/* Every register has one row wherever it occurs. */
static void find_rows(struct check *k) {
    for (int r = 0; r < MAX_REGS; r++) k->row[r] = CFG_NONE;
    for (uint32_t pc = 0; pc < k->m->code.n; pc++) {
        struct uses a = uses_of(k->m, &k->before[pc], k->ext, k->f);
        struct uses b = uses_of(k->m, &k->m->code.v[pc], k->m->ext.v, k->f);
        assert_int_equal(a.nread, b.nread);
        assert_int_equal(a.nwritten, b.nwritten);
        for (uint32_t j = 0; j < a.nread + a.nwritten; j++) {
            uint32_t reg = j < a.nread ? a.read[j] : a.written[j - a.nread];
            uint32_t row = j < a.nread ? b.read[j] : b.written[j - a.nread];
            assert_true(k->row[reg] == CFG_NONE || k->row[reg] == row);
            k->row[reg] = row;
            assert_in_range(row, k->f == IR_FILE_P, k->m->funcs.v[0].nrow[k->f] + (k->f == IR_FILE_P) - 1);
        }
    }
}

static uint32_t distinct_rows(const struct check *k, const struct regs *s) {
    bool taken[MAX_REGS + 1] = {0};
    uint32_t n = 0;
    for (uint32_t r = 0; r < MAX_REGS; r++) {
        if (!has(s, r)) continue;
        assert_false(taken[k->row[r]]);
        taken[k->row[r]] = true;
        n++;
    }
    return n;
}

/* What is alive after an instruction, what it writes, and for all but element-wise ones what it reads, lie in
 * rows of their own. Returns the most rows needed at once by this measure. */
static uint32_t check_file(struct check *k) {
    size_t n = k->m->code.n;
    uint32_t most = 0;
    k->in = xcalloc(n, sizeof *k->in);
    k->out = xcalloc(n, sizeof *k->out);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t pc = (uint32_t)n; pc-- > 0;) changed |= update(k, pc);
    }
    find_rows(k);
    for (uint32_t pc = 0; pc < n; pc++) {
        if (!k->c->blocks[k->m->code.v[pc].block].reachable) continue;
        struct uses u = uses_of(k->m, &k->before[pc], k->ext, k->f);
        struct regs after = k->out[pc], during;
        for (uint32_t r = 0; r < u.nwritten; r++) add(&after, u.written[r]);
        during = after;
        for (uint32_t r = 0; u.early && u.nwritten && r < u.nread; r++) add(&during, u.read[r]);
        uint32_t a = distinct_rows(k, &k->in[pc]), b = distinct_rows(k, &during);
        most = a > most ? a : most;
        most = b > most ? b : most;
    }
    free(k->in);
    free(k->out);
    return most;
}

struct totals {
    uint64_t rows, needed;
};

static void check_module(struct ir_module *m, struct totals *t) {
    struct ir_insn *before = xmalloc(m->code.n * sizeof *before);
    memcpy(before, m->code.v, m->code.n * sizeof *before);
    uint32_t *ext = xcalloc(m->ext.n, sizeof *ext);
    for (size_t k = 0; k < m->ext.n; k++) ext[k] = m->ext.v[k];
    struct cfg *c = analysed(m);
    uint32_t need[3];
    for (int f = 0; f < 3; f++) {
        struct check k = {.m = m, .c = c, .before = before, .ext = ext, .f = (enum ir_file)f};
        need[f] = check_file(&k);
        assert_true(m->funcs.v[0].nrow[f] >= need[f]);
        t->rows += m->funcs.v[0].nrow[f];
        t->needed += need[f];
    }
    assert_int_equal(m->funcs.v[0].regs, m->funcs.v[0].nrow[0] + 2 * m->funcs.v[0].nrow[1]);
    assert_true(c->funcs[0].max_live <= m->funcs.v[0].regs);
    cfg_free(c);
    free(before);
    free(ext);
}

static void check_graphs(uint64_t seed, int graphs, bool structured, struct totals *t) {
    struct rng r = {seed};
    for (int k = 0; k < graphs; k++) {
        struct shape s;
        if (structured)
            shape_structured(&s, &r, 1 + (uint32_t)rng_below(&r, 40));
        else
            shape_random(&s, &r, 1 + (uint32_t)rng_below(&r, 30));
        struct filling fill = {1 + (uint32_t)rng_below(&r, 12), {0, 0, 0}};
        for (int f = 0; f < 3; f++) fill.regs[f] = 2 + (uint32_t)rng_below(&r, k % 2 ? 8 : 100);
        struct ir_module *m = module_of(&s, &r, &fill);
        check_module(m, t);
        ir_module_free(m);
        shape_free(&s);
    }
}

static void no_two_live_registers_share_a_row(void **state) {
    (void)state;
    struct totals t = {0};
    check_graphs(11, 1500, false, &t);
    check_graphs(12, 1000, true, &t);
    print_message("rows used %llu, needed at least %llu\n", (unsigned long long)t.rows,
                  (unsigned long long)t.needed);
    assert_true(t.rows * 100 <= t.needed * 115);
}

static struct ir_module *straight(const struct ir_insn *code, size_t n, uint32_t regs) {
    struct ir_module *m = ir_module_new("test");
    for (size_t k = 0; k < n; k++) put(m, code[k]);
    put(m, (struct ir_insn){.op = IR_RET});
    VEC_PUSH(&m->funcs, (struct ir_func){.name = "f",
                                         .kernel = true,
                                         .defined = true,
                                         .end = (uint32_t)n + 1,
                                         .nvirt = {regs, regs, regs}});
    return m;
}

#define R(k)  ir_reg(IR_FILE_32, k)
#define RD(k) ir_reg(IR_FILE_64, k)

/* An addition may write over its operand; a load of two words may not write over its address, nor a shuffle
 * over what other lanes still read. */
static void only_elementwise_results_take_an_operands_row(void **state) {
    (void)state;
    struct ir_insn sum[] = {{.op = IR_MOV_U32, .nd = 1, .ns = 1, .o = {R(0), ir_const(IR_FILE_32, 0)}},
                            {.op = IR_ADD_U32, .nd = 1, .ns = 2, .o = {R(1), R(0), R(0)}},
                            {.op = IR_ST_U32, .vec = 1, .ns = 2, .o = {ir_const(IR_FILE_64, 0), R(1)}}};
    for (int shuffle = 0; shuffle < 2; shuffle++) {
        if (shuffle)
            sum[1] = (struct ir_insn){.op = IR_SHFL_U32, .nd = 2, .ns = 1, .o = {R(1), IR_NONE, R(0)}};
        struct ir_module *m = straight(sum, 3, 2);
        VEC_PUSH(&m->k32, 1);
        VEC_PUSH(&m->k64, 1);
        struct cfg *c = analysed(m);
        assert_int_equal(m->funcs.v[0].nrow[0], 1 + shuffle);
        cfg_free(c);
        ir_module_free(m);
    }
}

/* Texture operands sit in the instruction's extra words and are renamed there. */
static void texture_operands_get_rows_too(void **state) {
    (void)state;
    struct ir_insn code[] = {{.op = IR_MOV_U32, .nd = 1, .ns = 1, .o = {R(7), R(6)}},
                             {.op = IR_TEX, .nd = 4, .dtype = IR_T_F32, .o = {R(1), R(2), R(3), R(4)}}};
    struct ir_module *m = straight(code, 2, 9);
    const uint32_t words[] = {IR_TEX_2D, IR_T_F32, 3, RD(8), R(7), R(5)};
    for (int k = 0; k < 6; k++) VEC_PUSH(&m->ext, words[k]);
    struct totals t = {0};
    check_module(m, &t);
    assert_int_equal(m->funcs.v[0].nrow[0], 6);
    assert_int_equal(m->funcs.v[0].nrow[1], 1);
    assert_int_equal(ir_index(m->ext.v[IR_TEX_HANDLE]), 0);
    ir_module_free(m);
}

/* More virtual predicates than a guard's 15 bits can name, few alive at once. */
static void guards_beyond_15_bits_are_understood(void **state) {
    (void)state;
    enum { N = 70000 };
    struct ir_module *m = ir_module_new("test");
    for (uint32_t k = 1; k < N; k++) {
        put(m,
            (struct ir_insn){.op = IR_SETP_U32, .nd = 1, .ns = 2, .o = {ir_reg(IR_FILE_P, k), R(0), R(1)}});
        put(m, (struct ir_insn){.op = IR_ADD_U32,
                                .guard = (uint16_t)(k & 0x7fff) | IR_GUARD_NEG,
                                .guard_hi = (uint8_t)(k >> 15),
                                .nd = 1,
                                .ns = 2,
                                .o = {R(0), R(0), R(1)}});
    }
    put(m, (struct ir_insn){.op = IR_RET});
    VEC_PUSH(
        &m->funcs,
        (struct ir_func){
            .name = "f", .kernel = true, .defined = true, .end = (uint32_t)m->code.n, .nvirt = {2, 0, N}});
    struct cfg *c = analysed(m);
    assert_int_equal(m->funcs.v[0].nrow[IR_FILE_P], 1);
    assert_int_equal(m->funcs.v[0].total_rows[IR_FILE_P], 2);
    for (uint32_t k = 1; k < 2 * (N - 1); k += 2) assert_int_equal(m->code.v[k].guard, IR_GUARD_NEG | 1);
    cfg_free(c);
    ir_module_free(m);
}

/* Registers alive through so many blocks that liveness gives up counting: still one row for each. */
static void more_life_than_is_followed_is_safe(void **state) {
    (void)state;
    enum { REGS = 1500, BLOCKS = 3000 };
    struct ir_module *m = ir_module_new("test");
    for (uint32_t k = 0; k < REGS; k++)
        put(m, (struct ir_insn){.op = IR_MOV_U32, .nd = 1, .ns = 1, .o = {R(k), ir_const(IR_FILE_32, 0)}});
    for (uint32_t k = 0; k < BLOCKS; k++)
        put(m, (struct ir_insn){.op = IR_BRA, .target = (uint32_t)m->code.n + 1});
    for (uint32_t k = 0; k < REGS; k++)
        put(m, (struct ir_insn){.op = IR_ST_U32, .vec = 1, .ns = 2, .o = {ir_const(IR_FILE_64, 0), R(k)}});
    put(m, (struct ir_insn){.op = IR_RET});
    VEC_PUSH(
        &m->funcs,
        (struct ir_func){
            .name = "f", .kernel = true, .defined = true, .end = (uint32_t)m->code.n, .nvirt = {REGS, 0, 1}});
    struct cfg *c = analysed(m);
    assert_int_equal(m->funcs.v[0].nrow[0], REGS);
    bool taken[REGS] = {false};
    for (uint32_t k = 0; k < REGS; k++) {
        uint32_t row = ir_index(m->code.v[k].o[0]);
        assert_false(taken[row]);
        taken[row] = true;
        assert_int_equal(ir_index(m->code.v[REGS + BLOCKS + k].o[1]), row);
    }
    cfg_free(c);
    ir_module_free(m);
}

/* ---- what compiled code would have ---- */

/* Registers of machine code that the kernel needs, without the four that any has. */
static uint32_t compiled(const char *body) {
    struct sb t = {0};
    struct err e = {0};
    sb_add(
        &t,
        ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 n) {\n"
        ".reg .u32 %%r<9>; .reg .u64 %%d<9>; .reg .pred %%q;\n%s\nret;\n}\n",
        body);
    struct ir_module *m = ptx_load("k.ptx", t.text, t.len, &e);
    if (!m) fail_msg("%s", err_text(&e));
    struct cfg *c = cfg_analyse(m, CFG_EXITS_MAIN, &e);
    if (!c) fail_msg("%s", err_text(&e));
    const uint32_t n = m->funcs.v[0].total_compiled;
    cfg_free(c);
    ir_module_free(m);
    sb_free(&t);
    return n - 4;
}

static void constants_and_parameters_need_no_register_when_compiled(void **state) {
    (void)state;
    assert_int_equal(compiled(""), 0);
    /* a parameter, changed to global space, and a constant: both are operands of the store */
    assert_int_equal(compiled("ld.param.u64 %d0, [p]; cvta.to.global.u64 %d1, %d0; mov.u32 %r0, 7;\n"
                              "st.global.u32 [%d1], %r0;"),
                     0);
    /* written twice, or under a guard, or computed: a value like any other */
    assert_int_equal(compiled("ld.param.u64 %d0, [p]; mov.u32 %r0, 7; st.global.u32 [%d0], %r0;\n"
                              "mov.u32 %r0, 8; st.global.u32 [%d0], %r0;"),
                     1);
    assert_int_equal(compiled("ld.param.u64 %d0, [p]; mov.u32 %r0, %tid.x; setp.eq.u32 %q, %r0, 0;\n"
                              "@%q mov.u32 %r1, 7; st.global.u32 [%d0], %r1;"),
                     2);
    assert_int_equal(compiled("ld.param.u64 %d0, [p]; ld.param.u32 %r0, [n]; add.u32 %r1, %r0, 3;\n"
                              "st.global.u32 [%d0], %r1;"),
                     1);
}

/* 32- and 64-bit values that are never alive together share registers; their rows do not. */
static void words_share_one_file_when_compiled(void **state) {
    (void)state;
    assert_int_equal(
        compiled("mov.u32 %r0, %tid.x; mov.u32 %r1, %tid.y; mov.u32 %r2, %tid.z; add.u32 %r0, %r0, %r1;\n"
                 "add.u32 %r0, %r0, %r2; mul.wide.u32 %d0, %r0, 4; add.u64 %d0, %d0, %d0;\n"
                 "st.shared.u64 [0], %d0;"),
        3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_and_parameters_need_no_register_when_compiled),
        cmocka_unit_test(words_share_one_file_when_compiled),
        cmocka_unit_test(no_two_live_registers_share_a_row),
        cmocka_unit_test(only_elementwise_results_take_an_operands_row),
        cmocka_unit_test(texture_operands_get_rows_too),
        cmocka_unit_test(more_life_than_is_followed_is_safe),
        cmocka_unit_test(guards_beyond_15_bits_are_understood),
    };
    return cmocka_run_group_tests_name("cfg/colour", tests, NULL, NULL);
}
