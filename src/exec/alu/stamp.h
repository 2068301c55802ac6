/* Executors of the U, B and T rows of ir/ops.def, stamped from their meaning. The including file has defined
 * ROWS_<class>(...) for every class: as its arguments for the classes it builds, as nothing for the others.
 *
 * A row becomes a function of values (NAME_is), a loop over lanes (NAME_loop) and the executor, which runs
 * that loop straight when no modifier asks for more. */
#ifndef HEDDLE_EXEC_ALU_STAMP_H
#define HEDDLE_EXEC_ALU_STAMP_H

#include "exec/alu/fn.h"
#include "exec/alu/row.h"
#include "exec/approx.h"

/* The lanes to compute, by class: all 32 at once where that is cheap, else only groups in which a lane is
 * active. 64-bit integer division is scalar, so its groups are lanes. */
#define EACH_ALU(t, l, mask)    ALU_EACH(l)
#define EACH_IMUL(t, l, mask)   ALU_EACH(l)
#define EACH_FP32(t, l, mask)   ALU_EACH(l)
#define EACH_FP64(t, l, mask)   ALU_EACH(l)
#define EACH_HALF(t, l, mask)   ALU_EACH(l)
#define EACH_FDIV32(t, l, mask) ALU_GROUPS(l, 8, mask)
#define EACH_FDIV64(t, l, mask) ALU_GROUPS(l, 8, mask)
#define EACH_SFU(t, l, mask)    ALU_GROUPS(l, 8, mask)
#define EACH_IDIV(t, l, mask)   ALU_GROUPS(l, (sizeof(REG_##t) == 8 ? 1 : 8), mask)

/* z: .ftz of f32 alone, so common that it is worth a loop of its own. A subnormal r becomes zero. */
#define FLUSH(t, r, z) (TYPE_##t == IR_T_F32 && (z) && !((r)&0x7f800000u) ? (r)&0x80000000u : (r))

/* The value of source t in row r, half k of a pair. */
#define IN(t, r, k) GET_##t(FLUSH(t, r[l], z), k)

#define STAMP_LOOP(id, td, cls, bind, first, second)                                                 \
    static inline __attribute__((always_inline)) void id##_lanes(                                    \
        void *vd, const void *const s[3], const struct ir_insn *i, uint32_t mask, bool z) {          \
        REG_##td *d = vd;                                                                            \
        (void)i, (void)mask, (void)z;                                                                \
        bind EACH_##cls(td, l, mask) {                                                               \
            REG_##td r = (REG_##td)PUT_##td(first, second);                                          \
            d[l] = (REG_##td)FLUSH(td, r, z);                                                        \
        }                                                                                            \
    }                                                                                                \
    static void id##_loop(void *d, const void *const s[3], const struct ir_insn *i, uint32_t mask) { \
        id##_lanes(d, s, i, mask, false);                                                            \
    }
#define STAMP_EXEC(id, td, allow, ns, ...)                                                 \
    void ALU_NAME(alu_##id)(struct exec_ctx * x, const struct ir_insn *i, uint32_t mask) { \
        _Alignas(32) REG_##td aside[EXEC_LANES];                                           \
        REG_##td *row = ROW_##td(x, i->o[0]), *d = ALU_DEST(row, aside, mask);             \
        const void *const s[3] = {__VA_ARGS__};                                            \
        unsigned mods = i->mods & (allow);                                                 \
        if (!(allow) || !mods) {                                                           \
            id##_loop(d, s, i, mask);                                                      \
        } else if (TYPE_##td == IR_T_F32 && mods == FTZ) {                                 \
            id##_lanes(d, s, i, mask, true);                                               \
        } else {                                                                           \
            d = aside;                                                                     \
            ALU_NAME(alu_modified)(TYPE_##td, allow, id##_loop, d, s, ns, i, mask);        \
        }                                                                                  \
        ALU_MERGE(row, d, mask);                                                           \
    }

#define STAMP_U(id, td, ta, cls, allow, meaning)                                                           \
    static inline VAL_##td id##_is(VAL_##ta a, const struct ir_insn *i) {                                  \
        (void)i;                                                                                           \
        return (VAL_##td)(meaning);                                                                        \
    }                                                                                                      \
    STAMP_LOOP(id, td, cls, const REG_##ta *a = s[0];, id##_is(IN(ta, a, 0), i), id##_is(IN(ta, a, 1), i)) \
    STAMP_EXEC(id, td, allow, 1, ROW_##ta(x, i->o[1]))

#define STAMP_B(id, td, ta, tb, cls, allow, meaning)                                             \
    static inline VAL_##td id##_is(VAL_##ta a, VAL_##tb b, const struct ir_insn *i) {            \
        (void)i;                                                                                 \
        return (VAL_##td)(meaning);                                                              \
    }                                                                                            \
    STAMP_LOOP(id, td, cls, const REG_##ta *a = s[0]; const REG_##tb *b = s[1];                  \
               , id##_is(IN(ta, a, 0), IN(tb, b, 0), i), id##_is(IN(ta, a, 1), IN(tb, b, 1), i)) \
    STAMP_EXEC(id, td, allow, 2, ROW_##ta(x, i->o[1]), ROW_##tb(x, i->o[2]))

#define STAMP_T(id, td, ta, tb, tc, cls, allow, meaning)                                                  \
    static inline VAL_##td id##_is(VAL_##ta a, VAL_##tb b, VAL_##tc c, const struct ir_insn *i) {         \
        (void)i;                                                                                          \
        return (VAL_##td)(meaning);                                                                       \
    }                                                                                                     \
    STAMP_LOOP(id, td, cls, const REG_##ta *a = s[0]; const REG_##tb *b = s[1]; const REG_##tc *c = s[2]; \
               , id##_is(IN(ta, a, 0), IN(tb, b, 0), IN(tc, c, 0), i),                                    \
               id##_is(IN(ta, a, 1), IN(tb, b, 1), IN(tc, c, 1), i))                                      \
    STAMP_EXEC(id, td, allow, 3, ROW_##ta(x, i->o[1]), ROW_##tb(x, i->o[2]), ROW_##tc(x, i->o[3]))

/* Types as enum ir_type. */
#define TYPE_u16    IR_T_U16
#define TYPE_s16    IR_T_S16
#define TYPE_u32    IR_T_U32
#define TYPE_s32    IR_T_S32
#define TYPE_u64    IR_T_U64
#define TYPE_s64    IR_T_S64
#define TYPE_u16x2  IR_T_U16X2
#define TYPE_s16x2  IR_T_S16X2
#define TYPE_f16    IR_T_F16
#define TYPE_bf16   IR_T_BF16
#define TYPE_f16x2  IR_T_F16X2
#define TYPE_bf16x2 IR_T_BF16X2
#define TYPE_f32    IR_T_F32
#define TYPE_f64    IR_T_F64

#define U(id, name, d, a, cls, allow, meaning)       ROWS_##cls(STAMP_U(id, d, a, cls, allow, meaning))
#define B(id, name, d, a, b, cls, allow, meaning)    ROWS_##cls(STAMP_B(id, d, a, b, cls, allow, meaning))
#define T(id, name, d, a, b, c, cls, allow, meaning) ROWS_##cls(STAMP_T(id, d, a, b, c, cls, allow, meaning))
#define A(id, ...)
#define M(id, ...)
#include "ir/ops.def"

#endif
