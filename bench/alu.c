/* Nanoseconds per warp instruction of some arithmetic executors, both builds, all lanes and 8 of them.
 * make build/libheddle.a && cc -O2 -Iinclude -Isrc -o build/alu bench/alu.c build/libheddle.a -lm &&
 * build/alu */
#include <stdio.h>
#include <time.h>

#include "base/bits.h"
#include "exec/ctx.h"

enum { ROWS = 8, TIMES = 200000 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double time_one(exec_fn *f, struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    double best = 1e300;
    for (int round = 0; round < 5; round++) {
        double start = now();
        for (int n = 0; n < TIMES; n++) f(x, i, mask);
        double spent = (now() - start) / TIMES;
        best = spent < best ? spent : best;
    }
    return best;
}

struct subject {
    const char *name;
    uint16_t op, mods;
    uint8_t sub, nd;
};

static const struct subject subjects[] = {
    {"add.s32", IR_ADD_U32, 0, 0, 1},
    {"add.s64", IR_ADD_U64, 0, 0, 1},
    {"mad.lo.s32", IR_MAD_LO_U32, 0, 0, 1},
    {"mul.wide.s32", IR_MUL_WIDE_S32, 0, 0, 1},
    {"shl.b32", IR_SHL_U32, 0, 0, 1},
    {"lop3.b32", IR_LOP3_U32, 0, 0xe8, 1},
    {"div.s32", IR_DIV_S32, 0, 0, 1},
    {"div.s64", IR_DIV_S64, 0, 0, 1},
    {"add.f32", IR_ADD_F32, 0, 0, 1},
    {"fma.rn.f32", IR_FMA_F32, 0, 0, 1},
    {"fma.rm.f32", IR_FMA_F32, IR_RM, 0, 1},
    {"fma.rn.ftz.f32", IR_FMA_F32, IR_M_FTZ, 0, 1},
    {"mul.f64", IR_MUL_F64, 0, 0, 1},
    {"fma.f64", IR_FMA_F64, 0, 0, 1},
    {"div.rn.f32", IR_DIV_F32, 0, 0, 1},
    {"sqrt.rn.f64", IR_SQRT_F64, 0, 0, 1},
    {"fma.f16x2", IR_FMA_F16X2, 0, 0, 1},
    {"min.f32", IR_MIN_F32, 0, 0, 1},
    {"setp.lt.s32", IR_SETP_S32, 0, IR_LT, 1},
    {"setp.lt.f32", IR_SETP_F32, 0, IR_LT, 1},
    {"setp.lt.f64", IR_SETP_F64, 0, IR_LT, 1},
    {"selp.b32", IR_SELP_U32, 0, 0, 1},
    {"sin.approx.f32", IR_SIN_APPROX_F32, 0, 0, 1},
    {"ex2.approx.f32", IR_EX2_APPROX_F32, 0, 0, 1},
    {"lg2.approx.f32", IR_LG2_APPROX_F32, 0, 0, 1},
    {"cvt.rn.f32.s32", IR_CVT_F32_S32, 0, 0, 1},
    {"cvt.rzi.s32.f32", IR_CVT_S32_F32, IR_RZ, 0, 1},
    {"cvt.u64.u32", IR_CVT_U64_U32, 0, 0, 1},
    {"cvt.f64.f32", IR_CVT_F64_F32, 0, 0, 1},
    {"cvt.rn.f16.f32", IR_CVT_F16_F32, 0, 0, 1},
};

/* Destination in row 1, sources in rows 2, 3 and 4; a predicate wherever the operation wants one. */
static struct ir_insn operands(const struct subject *s) {
    const struct ir_op_info *o = &ir_ops[s->op];
    uint8_t types[] = {o->dtype, o->type, o->btype ? o->btype : o->type, o->ctype ? o->ctype : o->type};
    struct ir_insn i = {.op = s->op, .mods = s->mods, .sub = s->sub, .nd = s->nd, .ns = 3};
    for (uint32_t k = 0; k < 4; k++) {
        bool pred = types[k] == IR_T_P || (s->op == IR_SELP_U32 && k == 3);
        i.o[k] = ir_reg(pred ? IR_FILE_P : ir_type_bytes[types[k]] == 8 ? IR_FILE_64 : IR_FILE_32, k + 1);
    }
    return i;
}

int main(void) {
    static _Alignas(64) uint32_t r32[ROWS * EXEC_LANES], pred[ROWS], carry;
    static _Alignas(64) uint64_t r64[ROWS * EXEC_LANES];
    struct exec_ctx x = {.r32 = {r32, r32}, .r64 = {r64, r64}, .pred = pred, .carry = &carry};
    struct rng r = {1};
    for (int k = 0; k < ROWS * EXEC_LANES; k++) {
        r32[k] = 0x3f800000u + (uint32_t)rng_below(&r, 0x02000000u);
        r64[k] = 0x3ff0000000000000u + rng_below(&r, 0x0040000000000000u);
    }
    pred[4] = 0x0f0f0f0f;
    printf("%-16s %8s %8s %8s %8s   ns per warp instruction\n", "", "portable", "8 lanes", "avx2", "8 lanes");
    for (size_t k = 0; k < sizeof subjects / sizeof *subjects; k++) {
        struct ir_insn i = operands(&subjects[k]);
        exec_fn *portable = exec_alu_portable[i.op], *avx2 = portable;
#if defined(__x86_64__)
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) avx2 = exec_alu_avx2[i.op];
#endif
        printf("%-16s %8.1f %8.1f %8.1f %8.1f\n", subjects[k].name, time_one(portable, &x, &i, ~0u),
               time_one(portable, &x, &i, 0x00ff0000u), time_one(avx2, &x, &i, ~0u),
               time_one(avx2, &x, &i, 0x00ff0000u));
    }
    return 0;
}
