/* The table of operations as data. */
#include "ir/insn.h"

#define TYPE(id, name, bytes) [IR_T_##id] = name,
const char *const ir_type_name[IR_NTYPES] = {IR_TYPES(TYPE)};
#undef TYPE
#define TYPE(id, name, bytes) [IR_T_##id] = bytes,
const uint8_t ir_type_bytes[IR_NTYPES] = {IR_TYPES(TYPE)};
#undef TYPE

const char *const ir_class_name[IR_NCLASSES] = {
#define CLASS(id, ...)  [IR_C_##id] = #id,
#define ACCESS(id, ...) [IR_C_##id] = #id,
#include "ir/classes.def"
};

#define SREG(id, name, bits) [IR_SR_##id] = name,
const char *const ir_sreg_name[IR_NSREGS] = {IR_SREGS(SREG)};
#undef SREG

const char *const ir_space_name[IR_NSPACES] = {"generic", "global", "shared", "local",
                                               "const",   "param",  "frame"};

const struct ir_mark_info ir_marks[IR_NMARKS] = {
    [IR_MK_NONE] = {"?", false},
#define STATE                            false
#define FLOW                             true
#define MARK(id, name, changes, meaning) [IR_MK_##id] = {name, changes},
#include "ir/marks.def"
};

/* clang-format off */
/* ops.def writes types in lower case and modifiers without prefix. */
enum {
    none = IR_T_NONE, p = IR_T_P, u8 = IR_T_U8, s8 = IR_T_S8, u16 = IR_T_U16, s16 = IR_T_S16, u32 = IR_T_U32,
    s32 = IR_T_S32, u64 = IR_T_U64, s64 = IR_T_S64, f16 = IR_T_F16, bf16 = IR_T_BF16, f16x2 = IR_T_F16X2,
    bf16x2 = IR_T_BF16X2, u16x2 = IR_T_U16X2, s16x2 = IR_T_S16X2, f32 = IR_T_F32, f64 = IR_T_F64
};
enum {
    RND = IR_M_RND, FTZ = IR_M_FTZ, SAT = IR_M_SAT, RELU = IR_M_RELU, NAN = IR_M_NAN, XSGN = IR_M_XSGN, CC = IR_M_CC,
    RINT = IR_M_RINT, SYNC = IR_M_SYNC
};

const struct ir_op_info ir_ops[IR_NOPS] = {
#define U(id, name, d, a, cls, mods, meaning)       [IR_##id] = {#id, name, d, a, none, none, IR_C_##cls, 'U', mods},
#define B(id, name, d, a, b, cls, mods, meaning)    [IR_##id] = {#id, name, d, a, b, none, IR_C_##cls, 'B', mods},
#define T(id, name, d, a, b, c, cls, mods, meaning) [IR_##id] = {#id, name, d, a, b, c, IR_C_##cls, 'T', mods},
#define A(id, name, d, t, cls, mods)                [IR_##id] = {#id, name, d, t, none, none, IR_C_##cls, 'A', mods},
#define M(id, name, d, t, cls, mods, executor)      [IR_##id] = {#id, name, d, t, none, none, IR_C_##cls, 'M', mods},
#include "ir/ops.def"
};

/* clang-format on */

const char *ir_insn_name(const struct ir_insn *i) {
    const bool mark = i->op == IR_MARK || (i->op == IR_BRA && i->sub);
    return mark && i->sub < IR_NMARKS ? ir_marks[i->sub].name : ir_ops[i->op].name;
}
