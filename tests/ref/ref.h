/* Independent references for the arithmetic of ir/ops.def: what PTX says one lane of each operation computes.
 *
 * Written from the PTX ISA, never from the executors or the table's "meaning" column, and in another style:
 * one lane, wide integers, exact soft floating point (soft.h), loops over bits. rows.def names every row of
 * ops.def that is not memory or control; a row missing there does not compile (rows.c). */
#ifndef HEDDLE_TESTS_REF_H
#define HEDDLE_TESTS_REF_H

#include "base/alloc.h"
#include "ir/insn.h"
#include "soft.h"

/* Operand kinds beyond the types: 32-bit operands whose interesting values are not those of a number. */
enum { REF_AMOUNT = IR_NTYPES, REF_LANE, REF_OFFSET };

struct ref_row;
struct ref_in {
    const struct ref_row *row;
    const struct ir_insn *i;
    uint64_t s[4]; /* a predicate is 0 or 1, negation applied */
    bool cf;
};

enum ref_kind {
    REF_BITS, /* bits, or alt where the ISA leaves two answers open */
    REF_NAN,  /* any NaN */
    REF_NEAR, /* within tol of value, or exactly alt */
    REF_ANY   /* PTX says undefined */
};
struct ref_want {
    enum ref_kind kind;
    uint64_t bits, alt;
    uint64_t zeros;             /* NEAR: result bits that must be 0 */
    const struct soft_fmt *fmt; /* NEAR, NAN */
    double value, tol;
    bool bound; /* NEAR: tol is a bound on the result, not an error worth reporting */
};
struct ref_out {
    struct ref_want w[4]; /* one per destination, or per half of destination 0 when split */
    bool split;
    bool cf;
};
typedef void ref_fn(const struct ref_in *in, struct ref_out *out);

/* The instructions to try for a row: every choice of modifiers, comparison, selector... that PTX allows. */
struct ref_forms {
    struct ir_insn *v;
    size_t n, cap;
};
typedef void ref_forms_fn(const struct ref_row *row, struct ref_forms *l);

struct ref_row {
    const char *id;
    uint16_t op;
    ref_fn *fn;
    ref_forms_fn *forms;
    uint8_t d[4], s[4]; /* types or REF_ kinds, NONE-terminated */
};
extern const struct ref_row ref_rows[];
extern const size_t ref_nrows;

enum ir_type ref_type(uint8_t operand); /* the register type of an operand kind */
int ref_width(uint8_t operand);         /* bits; of one half for the two-part types */
bool ref_two_parts(uint8_t operand);
const struct soft_fmt *ref_fmt(uint8_t operand); /* NULL: not a float type */
int ref_count(const uint8_t *operands);          /* entries before the terminating NONE */

/* Source k of a row, extended by its type. */
i128 ref_value(const struct ref_in *in, int k);
/* Destination k, cut to its type's width. */
void ref_put(const struct ref_in *in, struct ref_out *out, int k, u128 v);

struct ref_want ref_bits(uint64_t bits);
struct ref_want ref_either(uint64_t bits, uint64_t alt);
struct ref_want ref_any_nan(const struct soft_fmt *f);

/* Source k (or its half) as a number; with .ftz a subnormal is a zero of its sign. */
struct soft ref_float(const struct ref_in *in, int k, int half);
/* Rounds, flushes, saturates, clamps as the instruction's modifiers say. */
struct ref_want ref_finish(const struct ref_in *in, const struct soft_fmt *f, struct soft v);

/* Edge cases of an operand kind, the most telling first; returns how many (at most max). */
size_t ref_edges(uint8_t operand, uint64_t *v, size_t max);
enum { REF_MAX_EDGES = 160 };

/* int.c */
ref_fn ref_add, ref_sub, ref_add_sat, ref_sub_sat, ref_mul_lo, ref_mul_hi, ref_mul_wide, ref_mad_lo,
    ref_mad_hi;
ref_fn ref_mad_hi_sat, ref_mad_wide, ref_mul24_lo, ref_mul24_hi, ref_mad24_lo, ref_mad24_hi, ref_mad24_hi_sat,
    ref_sad;
ref_fn ref_div, ref_rem, ref_abs, ref_neg, ref_min, ref_max, ref_min_relu, ref_max_relu, ref_add_2, ref_min_2,
    ref_max_2;
ref_fn ref_addc, ref_subc, ref_madc_lo, ref_madc_hi, ref_dp4a, ref_dp2a;
/* bits.c */
ref_fn ref_narrow, ref_widen;
ref_fn ref_popc, ref_mbar_pending, ref_clz, ref_brev, ref_bfind, ref_bfe, ref_bfi, ref_bmsk_clamp,
    ref_bmsk_wrap, ref_szext_clamp;
ref_fn ref_szext_wrap, ref_fns, ref_and, ref_or, ref_xor, ref_not, ref_cnot, ref_shl, ref_shr,
    ref_shf_l_clamp;
ref_fn ref_shf_l_wrap, ref_shf_r_clamp, ref_shf_r_wrap, ref_lop3, ref_lop3_p, ref_prmt;
/* video.c */
ref_fn ref_video, ref_video2, ref_video4;
/* float.c */
ref_fn ref_fadd, ref_fsub, ref_fmul, ref_fma, ref_fdiv, ref_frcp, ref_fsqrt, ref_fabs, ref_fneg, ref_copysign;
ref_fn ref_fmin, ref_fmax, ref_testp;
/* approx.c */
ref_fn ref_div_full, ref_div_approx, ref_rcp_approx, ref_rcp_approx_f64, ref_sqrt_approx, ref_rsqrt_approx;
ref_fn ref_rsqrt_approx_f64, ref_sin, ref_cos, ref_lg2, ref_ex2, ref_tanh;
/* select.c: comparison, selection, moves */
ref_fn ref_setp, ref_set, ref_selp, ref_slct, ref_mov, ref_pack, ref_unpack;
/* convert.c */
ref_fn ref_cvt, ref_cvt_x2, ref_cvt_tf32, ref_cvt_pack;

/* rv.c: RISC-V */
ref_fn ref_rv_addi, ref_rv_slti, ref_rv_xori, ref_rv_ori, ref_rv_andi, ref_rv_slli, ref_rv_srli;
ref_fn ref_rv_addiw, ref_rv_slliw, ref_rv_srliw, ref_rv_sraiw, ref_rv_sll, ref_rv_srl, ref_rv_slt;
ref_fn ref_rv_addw, ref_rv_subw, ref_rv_sllw, ref_rv_srlw, ref_rv_sraw, ref_rv_mulhsu, ref_rv_mulw;
ref_fn ref_rv_divw, ref_rv_divuw, ref_rv_remw, ref_rv_remuw;

/* forms.c */
ref_forms_fn forms_disp;
ref_forms_fn forms_mods, forms_narrow, forms_half, forms_prmt, forms_lop3, forms_lop3_p, forms_testp,
    forms_setp, forms_set;
ref_forms_fn forms_video, forms_video2, forms_video4, forms_cvt, forms_cvt_x2, forms_tf32, forms_cvt_pack,
    forms_ftz;

#endif
