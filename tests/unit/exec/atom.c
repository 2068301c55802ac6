/* Atomics of every operation and type against a plain reading of the manual, on modules built by hand: 32
 * lanes work on one location, in lane order, with random and with extreme operands. */
#include "rig.h"

#include <math.h>

#include "base/alloc.h"
#include "base/bits.h"

enum { LOC = 0, OPERANDS = 1024, THIRD = 2048, OLD = 4096, BYTES = 8192 };

static ir_opnd r64(uint32_t n) {
    return ir_reg(IR_FILE_64, n);
}
static ir_opnd r32(uint32_t n) {
    return ir_reg(IR_FILE_32, n);
}

static void emit(struct ir_module *m, struct ir_insn i, const ir_opnd *o) {
    for (int k = 0; k < i.nd + i.ns; k++) i.o[k] = o[k];
    VEC_PUSH(&m->code, i);
    VEC_PUSH(&m->src, (struct ir_srcloc){0});
}
#define EMIT(m, d, s, insn, ...)                        \
    do {                                                \
        struct ir_insn insn_ = insn;                    \
        insn_.nd = d;                                   \
        insn_.ns = s;                                   \
        emit(m, insn_, (const ir_opnd[]){__VA_ARGS__}); \
    } while (0)
#define INSN(...) ((struct ir_insn){__VA_ARGS__})

/* p + lane * 8 in r64(3); operands from there, old value back there. */
static struct ir_module *module(uint16_t op, uint8_t sub, uint8_t space, bool wide) {
    struct ir_module *m = ir_module_new("hand");
    ir_opnd b = wide ? r64(5) : r32(2), c = wide ? r64(6) : r32(3), old = wide ? r64(7) : r32(4);
    const uint16_t ld = wide ? IR_LD_U64 : IR_LD_U32, st = wide ? IR_ST_U64 : IR_ST_U32;
    VEC_PUSH(&m->k32, 8u);
    m->address_bits = 64;
    EMIT(m, 1, 1, INSN(.op = IR_LD_U64, .space = IR_SP_PARAM, .vec = 1), r64(1), IR_NONE);
    EMIT(m, 1, 0, INSN(.op = IR_SREG_U32, .sub = IR_SR_LANEID), r32(1));
    EMIT(m, 1, 2, INSN(.op = IR_MUL_WIDE_U32), r64(2), r32(1), ir_const(IR_FILE_32, 0));
    EMIT(m, 1, 2, INSN(.op = IR_ADD_U64), r64(3), r64(2), r64(1));
    EMIT(m, 1, 1, INSN(.op = ld, .space = IR_SP_GLOBAL, .vec = 1, .disp = OPERANDS), b, r64(3));
    EMIT(m, 1, 1, INSN(.op = ld, .space = IR_SP_GLOBAL, .vec = 1, .disp = THIRD), c, r64(3));
    if (space == IR_SP_SHARED) { /* the location travels through shared memory */
        EMIT(m, 1, 1, INSN(.op = ld, .space = IR_SP_GLOBAL, .vec = 1), old, r64(1));
        EMIT(m, 0, 2, INSN(.op = st, .space = IR_SP_SHARED, .vec = 1), IR_NONE, old);
    }
    EMIT(m, 1, 3, INSN(.op = op, .sub = sub, .space = space, .vec = 1), old,
         space == IR_SP_SHARED ? IR_NONE : r64(1), b, c);
    EMIT(m, 0, 2, INSN(.op = st, .space = IR_SP_GLOBAL, .vec = 1, .disp = OLD), r64(3), old);
    if (space == IR_SP_SHARED) {
        EMIT(m, 1, 1, INSN(.op = ld, .space = IR_SP_SHARED, .vec = 1), old, IR_NONE);
        EMIT(m, 0, 2, INSN(.op = st, .space = IR_SP_GLOBAL, .vec = 1), r64(1), old);
    }
    EMIT(m, 0, 0, INSN(.op = IR_RET), 0);
    VEC_PUSH(&m->funcs,
             (struct ir_func){
                 .name = "k", .kernel = true, .defined = true, .end = (uint32_t)m->code.n, .param_bytes = 8});
    m->funcs.v[0].nvirt[IR_FILE_32] = m->funcs.v[0].nvirt[IR_FILE_64] = 16;
    m->funcs.v[0].nvirt[IR_FILE_P] = 1;
    return m;
}

/* ---- the manual, once more ---- */

static double half(uint32_t h, bool bf) {
    int e = bf ? h >> 7 & 255 : h >> 10 & 31, f = bf ? h & 127 : h & 1023, bits = bf ? 7 : 10,
        bias = bf ? 127 : 15;
    double s = h & 0x8000 ? -1 : 1;
    if (e == (bf ? 255 : 31)) return f ? NAN : s * INFINITY;
    return s * (e ? ldexp(1 + ldexp(f, -bits), e - bias) : ldexp(f, 1 - bias - bits));
}

/* The half nearest to v, ties to even, by trying every one of them. */
static uint32_t nearest(double v, bool bf) {
    uint32_t infinity = bf ? 0x7f80 : 0x7c00, best = 0;
    if (isnan(v)) return 0x7fff;
    double limit =
        2 * half(infinity - 1, bf) - half(infinity - 2, bf); /* where the next finite one would be */
    for (uint32_t h = 0; h <= infinity; h++) {
        double d = fabs((h == infinity ? limit : half(h, bf)) - fabs(v)),
               was = fabs((best == infinity ? limit : half(best, bf)) - fabs(v));
        if (d < was || (d == was && !(h & 1))) best = h;
    }
    if (isinf(v)) best = infinity;
    return best | (signbit(v) ? 0x8000 : 0);
}

static uint64_t model(uint16_t op, uint8_t sub, bool shared, uint64_t old, uint64_t b, uint64_t c) {
    const enum ir_type t = (enum ir_type)ir_ops[op].type;
    const uint64_t ones = ir_type_bytes[t] == 8   ? UINT64_MAX
                          : ir_type_bytes[t] == 4 ? UINT32_MAX
                                                  : UINT16_MAX;
    const bool bf = t == IR_T_BF16 || t == IR_T_BF16X2;
    old &= ones, b &= ones, c &= ones;
    switch (t) {
    case IR_T_F64:
        return isnan(f64_from(old) + f64_from(b)) ? 0x7fffffffffffffff
                                                  : f64_bits(f64_from(old) + f64_from(b));
    case IR_T_F32: {
        float x = f32_from((uint32_t)old), y = f32_from((uint32_t)b);
        if (!shared && fabsf(x) < 0x1p-126f) x = copysignf(0, x);
        if (!shared && fabsf(y) < 0x1p-126f) y = copysignf(0, y);
        float s = x + y;
        if (!shared && fabsf(s) < 0x1p-126f) s = copysignf(0, s);
        return isnan(s) ? 0x7fffffff : f32_bits(s);
    }
    case IR_T_F16:
    case IR_T_BF16: return nearest(half((uint32_t)old, bf) + half((uint32_t)b, bf), bf);
    case IR_T_F16X2:
    case IR_T_BF16X2:
        return nearest(half(old & 0xffff, bf) + half(b & 0xffff, bf), bf) |
               nearest(half(old >> 16 & 0xffff, bf) + half(b >> 16 & 0xffff, bf), bf) << 16;
    default: break;
    }
    bool less = t == IR_T_S32   ? (int32_t)old < (int32_t)b
                : t == IR_T_S64 ? (int64_t)old < (int64_t)b
                                : old < b;
    switch (sub) {
    case IR_AT_ADD: return (old + b) & ones;
    case IR_AT_MIN: return less ? old : b;
    case IR_AT_MAX: return less ? b : old;
    case IR_AT_AND: return old & b;
    case IR_AT_OR: return old | b;
    case IR_AT_XOR: return old ^ b;
    case IR_AT_EXCH: return b;
    case IR_AT_CAS: return old == b ? c : old;
    case IR_AT_INC: return old >= b ? 0 : old + 1;
    default: return old == 0 || old > b ? b : old - 1;
    }
}

static uint64_t operand(struct rng *g, int round, uint64_t loc) {
    static const uint64_t extremes[] = {0,          1,          UINT64_MAX, INT64_MAX,  (uint64_t)1 << 63,
                                        0x80000000, 0x7fffffff, 0x00400000, 0x00800001, 0x7f800000,
                                        0xff7fffff, 0x7c00fc00, 0x00010002, 0x80000001};
    if (round == 0) return rng_below(g, 4);
    if (round == 1) return extremes[rng_below(g, sizeof extremes / sizeof *extremes)];
    return rng_below(g, 4) ? rng_next(g) : loc;
}

static void check(uint16_t op, uint8_t sub, uint8_t space) {
    const uint32_t bytes = ir_type_bytes[ir_ops[op].type];
    struct rig r = {.mem = exec_mem_new(1 << 20, 0), .m = module(op, sub, space, bytes == 8)};
    r.m->funcs.v[0].shared_bytes = space == IR_SP_SHARED ? 8 : 0;
    r.cfg = cfg_analyse(r.m, CFG_EXITS_MAIN, &r.err);
    r.m->funcs.v[0].shared_bytes = space == IR_SP_SHARED ? 8 : 0;
    r.im = r.cfg ? exec_image_new(r.mem, r.m, EXEC_ISA_AUTO, &r.err) : NULL;
    if (!r.im) fail_msg("%s", err_text(&r.err));
    uint64_t buf = rig_buf(&r, BYTES, "b");
    uint8_t *p = exec_mem_at(r.mem, buf, BYTES);
    struct rng g = {op * 16u + sub};
    for (int round = 0; round < 4; round++) {
        uint64_t loc = operand(&g, round, 0), b[32], c[32], want[32];
        memset(p, 0, BYTES);
        memcpy(p, &loc, bytes == 8 ? 8 : 4);
        for (int l = 0; l < 32; l++) {
            b[l] = operand(&g, round, loc);
            c[l] = operand(&g, round, loc);
            memcpy(p + OPERANDS + 8 * l, &b[l], 8);
            memcpy(p + THIRD + 8 * l, &c[l], 8);
        }
        rig_ok(&r, "k", 1, 32, &buf);
        uint64_t ones = bytes == 8 ? UINT64_MAX : bytes == 4 ? UINT32_MAX : UINT16_MAX, now = 0;
        for (int l = 0; l < 32; l++) {
            want[l] = loc & ones;
            loc = (loc & ~ones) | model(op, sub, space == IR_SP_SHARED, loc, b[l], c[l]);
            uint64_t got = 0;
            memcpy(&got, p + OLD + 8 * l, 8);
            if (got != want[l])
                fail_msg("%s sub %d lane %d: %llx, not %llx", ir_ops[op].id, sub, l, (unsigned long long)got,
                         (unsigned long long)want[l]);
        }
        memcpy(&now, p, bytes == 8 ? 8 : 4);
        assert_int_equal(now, bytes == 8 ? loc : loc & UINT32_MAX);
    }
    rig_free(&r);
}

static void integer_atomics(void **state) {
    (void)state;
    for (uint8_t sub = IR_AT_ADD; sub <= IR_AT_DEC; sub++)
        for (uint16_t op = IR_ATOM_U16; op <= IR_ATOM_S64; op++) {
            check(op, sub, IR_SP_GLOBAL);
            check(op, sub, IR_SP_GENERIC);
            check(op, sub, IR_SP_SHARED);
        }
}

static void floating_point_atomic_add(void **state) {
    (void)state;
    for (uint16_t op = IR_ATOM_F16; op <= IR_ATOM_F64; op++) {
        check(op, IR_AT_ADD, IR_SP_GLOBAL);
        check(op, IR_AT_ADD, IR_SP_SHARED);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integer_atomics),
        cmocka_unit_test(floating_point_atomic_add),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
