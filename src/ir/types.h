/* The value types of operations, and what a register of each type occupies.
 * .b types are the unsigned ones: nothing in an operation depends on the difference. */
#ifndef HEDDLE_IR_TYPES_H
#define HEDDLE_IR_TYPES_H

#include <stdbool.h>
#include <stdint.h>

/* clang-format off */
/* TYPE(id, name, bytes): F16X2 and BF16X2 are two halves in a 32-bit register. */
#define IR_TYPES(TYPE)                                                                                                 \
    TYPE(NONE, "none", 0)                                                                                              \
    TYPE(P, "pred", 0)                                                                                                 \
    TYPE(U8, "u8", 1)                                                                                                  \
    TYPE(S8, "s8", 1)                                                                                                  \
    TYPE(U16, "u16", 2)                                                                                                \
    TYPE(S16, "s16", 2)                                                                                                \
    TYPE(U32, "u32", 4)                                                                                                \
    TYPE(S32, "s32", 4)                                                                                                \
    TYPE(U64, "u64", 8)                                                                                                \
    TYPE(S64, "s64", 8)                                                                                                \
    TYPE(F16, "f16", 2)                                                                                                \
    TYPE(BF16, "bf16", 2)                                                                                              \
    TYPE(F16X2, "f16x2", 4)                                                                                            \
    TYPE(BF16X2, "bf16x2", 4)                                                                                          \
    TYPE(U16X2, "u16x2", 4)                                                                                            \
    TYPE(S16X2, "s16x2", 4)                                                                                            \
    TYPE(F32, "f32", 4)                                                                                                \
    TYPE(F64, "f64", 8)

/* clang-format on */

enum ir_type {
#define TYPE(id, name, bytes) IR_T_##id,
    IR_TYPES(TYPE)
#undef TYPE
        IR_NTYPES
};

extern const char *const ir_type_name[IR_NTYPES];
extern const uint8_t ir_type_bytes[IR_NTYPES];

static inline bool ir_type_signed(enum ir_type t) {
    return t == IR_T_S8 || t == IR_T_S16 || t == IR_T_S32 || t == IR_T_S64 || t == IR_T_S16X2;
}
static inline bool ir_type_float(enum ir_type t) {
    return t >= IR_T_F16 && t <= IR_T_F64 && t != IR_T_U16X2 && t != IR_T_S16X2;
}

#endif
