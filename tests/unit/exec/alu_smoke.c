/* Every arithmetic operation under every modifier it understands, on edge cases and random bits: the portable
 * and the AVX2 build must agree in every bit, lanes outside the mask must keep every register, a destination
 * that is also a source must change nothing, and the host must be left rounding to nearest. */
#include <fenv.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/bits.h"
#include "exec/ctx.h"

enum { ROWS = 8, PREDS = 8, MAX_MODS = 512 };

struct machine {
    uint32_t r32[ROWS * EXEC_LANES], pred[PREDS], carry;
    uint64_t r64[ROWS * EXEC_LANES];
};

static const uint32_t edges32[] = {
    0,          1,          0x7f,       0x80,       0xff,       0x7fff,     0x8000,     0xffff,
    0x3c00,     0x7c00,     0x7c01,     0xfc00,     0x0400,     0x03ff,     0x7fffffff, 0x80000000,
    0xffffffff, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7f800001, 0x7fc00000, 0x00800000,
    0x007fffff, 0x80000001, 0x4f000000, 0xcf000000, 0x5f000000, 0x3f000000, 0x33000000, 0x477fefff,
    0x47800000, 0x7e800001, 31,         32,         33,         0x3c003c00, 0x80008000, 0x7e00fc01};
static const uint64_t edges64[] = {0,
                                   1,
                                   0x7fffffffffffffff,
                                   0x8000000000000000,
                                   0xffffffffffffffff,
                                   0x3ff0000000000000,
                                   0xbff0000000000000,
                                   0x7ff0000000000000,
                                   0xfff0000000000000,
                                   0x7ff0000000000001,
                                   0x7ff8000000000000,
                                   0x0010000000000000,
                                   0x000fffffffffffff,
                                   0x8000000000000001,
                                   0x41dfffffffc00000,
                                   0x41e0000000000000,
                                   0xc1e0000000200000,
                                   0x43e0000000000000,
                                   0x43f0000000000000,
                                   0x3fe0000000000000,
                                   0x36a0000000000000,
                                   0x47efffffe0000000,
                                   0x47effffff0000000,
                                   0x380fffffffffffff,
                                   0x40effc0000000000,
                                   63,
                                   64,
                                   65};

static void fill(struct machine *m, struct rng *r) {
    for (int k = 0; k < ROWS * EXEC_LANES; k++) {
        uint64_t pick = rng_next(r), bits = rng_next(r);
        m->r32[k] = pick & 1 ? edges32[rng_below(r, sizeof edges32 / sizeof *edges32)] : (uint32_t)bits;
        m->r64[k] = pick & 2 ? edges64[rng_below(r, sizeof edges64 / sizeof *edges64)] : bits;
        if ((pick & 12) == 12) m->r32[k] &= 0xff; /* shift amounts, lengths */
        if ((pick & 12) == 8) m->r32[k] = 0x3e000000u + (uint32_t)bits % 0x03000000u; /* ordinary floats */
        if ((pick & 12) == 4) m->r64[k] = 0x3e00000000000000u + bits % 0x0400000000000000u;
    }
    for (int k = 1; k < PREDS; k++) m->pred[k] = (uint32_t)rng_next(r);
    m->pred[0] = ~0u;
    m->carry = (uint32_t)rng_next(r);
}

static void run(exec_fn *f, struct machine *m, const struct ir_insn *i, uint32_t mask) {
    struct exec_ctx x = {
        .r32 = {m->r32, m->r32}, .r64 = {m->r64, m->r64}, .pred = m->pred, .carry = &m->carry};
    f(&x, i, mask);
}

static enum ir_file file_of(enum ir_type t) {
    return t == IR_T_P ? IR_FILE_P : ir_type_bytes[t] == 8 ? IR_FILE_64 : IR_FILE_32;
}

/* Destinations in rows 1 and 2, sources in rows 4 to 7; predicates likewise. */
static void add_dest(struct ir_insn *i, enum ir_type t) {
    i->o[i->nd] = ir_reg(file_of(t), 1u + i->nd);
    i->nd++;
}
static void add_source(struct ir_insn *i, enum ir_type t) {
    i->o[i->nd + i->ns] = ir_reg(file_of(t), 4u + i->ns % 4u);
    i->ns++;
}

static bool is(int op, int first, int last) {
    return op >= first && op <= last;
}

/* Operands of an 'A' row, which the table does not give. */
static void shape_written_out(struct ir_insn *i, const struct ir_op_info *o, struct rng *r) {
    int op = i->op;
    enum ir_type d = (enum ir_type)o->dtype, t = (enum ir_type)o->type;
    static const uint8_t set_types[] = {IR_T_U32, IR_T_S32, IR_T_F32, IR_T_F16, IR_T_BF16, IR_T_U16};
    static const uint8_t pack_types[] = {IR_T_U8, IR_T_S8, IR_T_U16, IR_T_S16};
    unsigned nd = op == IR_UNPACK_2X16 || op == IR_UNPACK_2X32  ? 2
                  : op == IR_UNPACK_4X8 || op == IR_UNPACK_4X16 ? 4
                                                                : 1;
    for (unsigned k = 0; k < nd; k++) i->o[i->nd] = ir_reg(file_of(d), k), i->nd++;
    if (nd == 1) i->o[0] = ir_reg(file_of(d), 1);
    if (op == IR_LOP3_P_U32 || is(op, IR_SETP_U16, IR_SETP_F64)) add_dest(i, IR_T_P);
    unsigned two = op == IR_MOV_P || op == IR_NOT_P || nd > 1 || is(op, IR_TESTP_F32, IR_TESTP_F64) ||
                   is(op, IR_ABS_F32, IR_NEG_BF16X2) || is(op, IR_CVT_U8_U8, IR_CVT_F64_F64) ||
                   op == IR_CVT_TF32_F32;
    for (unsigned k = 0; k < (two ? 1u : 2u); k++) add_source(i, t);
    if (is(op, IR_MADC_LO_U32, IR_MADC_HI_S64) || is(op, IR_LOP3_U32, IR_LOP3_P_U32)) add_source(i, t);
    if (is(op, IR_VIDEO, IR_VIDEO4) || is(op, IR_SLCT_U32_F32, IR_SLCT_U64_F32)) add_source(i, IR_T_U32);
    if (op == IR_CVT_PACK && rng_next(r) & 1) add_source(i, IR_T_U32);
    if (is(op, IR_BFI_U32, IR_BFI_U64) || is(op, IR_PACK_4X8, IR_PACK_4X16)) {
        add_source(i, IR_T_U32);
        add_source(i, IR_T_U32);
    }
    if (op == IR_LOP3_P_U32 || is(op, IR_SETP_U16, IR_SET_F64) || is(op, IR_SELP_U32, IR_SELP_U64))
        add_source(i, IR_T_P);
    i->sub =
        (uint8_t)(is(op, IR_SETP_U16, IR_SET_F64) ? rng_below(r, ir_type_float(t) ? IR_NAN + 1 : IR_GE + 1)
                  : is(op, IR_TESTP_F32, IR_TESTP_F64) ? rng_below(r, IR_TP_SUBNORMAL + 1)
                  : is(op, IR_VIDEO, IR_VIDEO4)        ? rng_below(r, IR_V_AVRG + 1)
                                                       : rng_next(r));
    i->bop = (uint8_t)(is(op, IR_VIDEO, IR_VIDEO4) ? rng_below(r, IR_VC_MERGE + 1)
                       : op == IR_LOP3_P_U32       ? 1 + rng_below(r, 2)
                                                   : rng_below(r, IR_BOP_XOR + 1));
    i->dtype = op == IR_CVT_PACK ? pack_types[rng_below(r, 4)] : set_types[rng_below(r, 6)];
    i->cop = (uint8_t)rng_below(r, 8);
    i->imm = (uint32_t)rng_next(r);
    if (op == IR_VIDEO)
        i->imm = (i->imm & ~0xfu << 13 & ~0x1ffu) | 7u << 13 |
                 (uint32_t)(rng_below(r, 7) | rng_below(r, 7) << 3 | rng_below(r, 7) << 6);
}

static struct ir_insn shape(int op, unsigned mods, struct rng *r) {
    const struct ir_op_info *o = &ir_ops[op];
    struct ir_insn i = {.op = (uint16_t)op, .mods = (uint16_t)mods};
    for (int k = 0; k < 8; k++) i.o[k] = IR_NONE;
    if (o->kind == 'A') {
        shape_written_out(&i, o, r);
        return i;
    }
    i.sub = (uint8_t)rng_below(r, op == IR_PRMT_U32 ? IR_PRMT_RC16 + 1 : 2);
    add_dest(&i, (enum ir_type)o->dtype);
    add_source(&i, (enum ir_type)o->type);
    if (o->btype != IR_T_NONE) add_source(&i, (enum ir_type)o->btype);
    if (o->ctype != IR_T_NONE) add_source(&i, (enum ir_type)o->ctype);
    return i;
}

/* Every subset of the modifiers an operation takes, with every rounding mode. */
static unsigned modifiers(unsigned allowed, unsigned out[MAX_MODS]) {
    unsigned n = 0, flags = allowed & ~(unsigned)IR_M_RND;
    for (unsigned m = flags;; m = (m - 1) & flags) {
        for (unsigned mode = IR_RN; mode <= (allowed & IR_M_RND ? IR_RP : IR_RN); mode++) out[n++] = m | mode;
        if (!m) return n;
    }
}

static void assert_outside_kept(const struct machine *before, const struct machine *after, uint32_t mask,
                                const char *id) {
    for (unsigned k = 0; k < ROWS * EXEC_LANES; k++) {
        if (mask >> k % EXEC_LANES & 1) continue;
        if (before->r32[k] != after->r32[k] || before->r64[k] != after->r64[k])
            fail_msg("%s: lane %u", id, k % EXEC_LANES);
    }
    for (unsigned k = 0; k < PREDS; k++)
        if ((before->pred[k] ^ after->pred[k]) & ~mask) fail_msg("%s: predicate %u", id, k);
    if ((before->carry ^ after->carry) & ~mask) fail_msg("%s: carry", id);
}

static void assert_same(const struct machine *a, const struct machine *b, const struct ir_insn *i) {
    const char *id = ir_ops[i->op].id;
    for (unsigned k = 0; k < ROWS * EXEC_LANES; k++) {
        if (a->r32[k] != b->r32[k])
            fail_msg("%s mods %#x sub %u lane %u: %#x, %#x", id, i->mods, i->sub, k % EXEC_LANES, a->r32[k],
                     b->r32[k]);
        if (a->r64[k] != b->r64[k])
            fail_msg("%s mods %#x sub %u lane %u: %#lx, %#lx", id, i->mods, i->sub, k % EXEC_LANES,
                     (unsigned long)a->r64[k], (unsigned long)b->r64[k]);
    }
    for (unsigned k = 0; k < PREDS; k++)
        if (a->pred[k] != b->pred[k])
            fail_msg("%s mods %#x sub %u: %#x, %#x", id, i->mods, i->sub, a->pred[k], b->pred[k]);
    if (a->carry != b->carry) fail_msg("%s mods %#x: carry %#x, %#x", id, i->mods, a->carry, b->carry);
}

#if defined(__x86_64__)
static exec_fn *const *other_build(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? exec_alu_avx2
                                                                           : exec_alu_portable;
}
#else
static exec_fn *const *other_build(void) {
    return exec_alu_portable;
}
#endif

static void check_one(int op, unsigned mods, struct rng *r) {
    static const uint32_t masks[] = {~0u, 0x80000001u, 0x00ff00ffu};
    struct machine start, plain, other;
    struct ir_insn i = shape(op, mods, r);
    uint32_t mask = rng_next(r) & 1 ? (uint32_t)rng_next(r) | 1 : masks[rng_below(r, 3)];
    fill(&start, r);
    plain = other = start;
    run(exec_alu_portable[op], &plain, &i, mask);
    run(other_build()[op], &other, &i, mask);
    assert_same(&plain, &other, &i);
    assert_outside_kept(&start, &plain, mask, ir_ops[op].id);
    assert_int_equal(fegetround(), FE_TONEAREST);
}

static void builds_agree_and_masks_hold(void **state) {
    (void)state;
    struct rng r = {1};
    unsigned mods[MAX_MODS];
    for (int op = 0; op < IR_NOPS; op++) {
        if (is(op, IR_RV_FP32, IR_RV_FBITS64)) continue; /* ops_rv.c compares them */
        if (ir_ops[op].kind == 'M') {
            assert_null(exec_alu_portable[op]);
            continue;
        }
        unsigned n = modifiers(ir_ops[op].mods, mods);
        for (unsigned k = 0; k < n; k++)
            for (int round = 0; round < (n > 16 ? 10 : 40); round++) check_one(op, mods[k], &r);
    }
}

/* d = a op b with d in a's, b's or c's row gives what it gives in a row of its own. */
static void destination_may_be_a_source(void **state) {
    (void)state;
    struct rng r = {2};
    for (int op = 0; op < IR_NOPS; op++) {
        if (ir_ops[op].kind == 'M' || ir_ops[op].kind == 'A') continue;
        struct ir_insn i = shape(op, 0, &r);
        for (unsigned k = 0; k < i.ns; k++) {
            if (ir_file(i.o[1 + k]) != ir_file(i.o[0])) continue;
            struct machine apart, same;
            struct ir_insn onto = i;
            onto.o[0] = i.o[1 + k];
            fill(&apart, &r);
            same = apart;
            uint32_t mask = rng_next(&r) & 1 ? ~0u : (uint32_t)rng_next(&r) | 1;
            run(other_build()[op], &apart, &i, mask);
            run(other_build()[op], &same, &onto, mask);
            uint32_t from = ir_index(i.o[0]) * EXEC_LANES, to = ir_index(onto.o[0]) * EXEC_LANES;
            FOR_LANES(l, mask) {
                assert_int_equal(apart.r32[from + l] * (ir_file(i.o[0]) == IR_FILE_32),
                                 same.r32[to + l] * (ir_file(i.o[0]) == IR_FILE_32));
                assert_int_equal(apart.r64[from + l] * (ir_file(i.o[0]) == IR_FILE_64),
                                 same.r64[to + l] * (ir_file(i.o[0]) == IR_FILE_64));
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(builds_agree_and_masks_hold),
        cmocka_unit_test(destination_may_be_a_source),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
