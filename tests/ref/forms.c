/* The instructions tried for each row: all combinations of modifiers and choices that PTX allows for it. */
#include "ref.h"

#include "base/bits.h"

static struct ir_insn plain(const struct ref_row *row) {
    return (struct ir_insn){.op = row->op,
                            .nd = (uint8_t)ref_count(row->d),
                            .ns = (uint8_t)ref_count(row->s),
                            .dtype = row->d[0]};
}
static void push(struct ref_forms *l, struct ir_insn i) {
    VEC_PUSH(l, i);
}

/* Every subset of the modifiers in mods, times the rounding modes; .sat and .relu exclude each other. */
static void with_mods(struct ref_forms *l, struct ir_insn i, unsigned mods) {
    unsigned flags = mods & ~(unsigned)IR_M_RND, subset = 0;
    unsigned modes = mods & IR_M_RND ? 4 : 1;
    do {
        if ((subset & (IR_M_SAT | IR_M_RELU)) != (IR_M_SAT | IR_M_RELU))
            for (unsigned r = 0; r < modes; r++) {
                i.mods = (uint16_t)(subset | r);
                push(l, i);
            }
        subset = (subset - flags) & flags; /* the next subset, 0 after the last */
    } while (subset);
}

void forms_mods(const struct ref_row *row, struct ref_forms *l) {
    with_mods(l, plain(row), ir_ops[row->op].mods);
}
/* PTX has only the .ftz form of this one. */
void forms_ftz(const struct ref_row *row, struct ref_forms *l) {
    struct ir_insn i = plain(row);
    i.mods = IR_M_FTZ;
    push(l, i);
}

static void with_subs(const struct ref_row *row, struct ref_forms *l, unsigned n) {
    struct ir_insn i = plain(row);
    for (unsigned sub = 0; sub < n; sub++) {
        i.sub = (uint8_t)sub;
        push(l, i);
    }
}
void forms_half(const struct ref_row *row, struct ref_forms *l) {
    with_subs(row, l, 2);
}
/* Five formats, without and with .relu. */
void forms_narrow(const struct ref_row *row, struct ref_forms *l) {
    struct ir_insn i = plain(row);
    for (unsigned sub = 0; sub < 2 * (IR_E3M2 + 1); sub++) {
        i.sub = (uint8_t)(sub / 2 + (sub & 1 ? IR_NARROW_RELU : 0));
        push(l, i);
    }
}
void forms_prmt(const struct ref_row *row, struct ref_forms *l) {
    with_subs(row, l, IR_PRMT_RC16 + 1);
}
void forms_lop3(const struct ref_row *row, struct ref_forms *l) {
    with_subs(row, l, 256);
}
void forms_testp(const struct ref_row *row, struct ref_forms *l) {
    with_subs(row, l, IR_TP_SUBNORMAL + 1);
}
void forms_lop3_p(const struct ref_row *row, struct ref_forms *l) {
    struct ir_insn i = plain(row);
    for (unsigned table = 0; table < 256; table++)
        for (unsigned bop = IR_BOP_OR; bop <= IR_BOP_AND; bop++) {
            i.sub = (uint8_t)table;
            i.bop = (uint8_t)bop;
            push(l, i);
        }
}

/* Integers have six comparisons and no .ftz; bf16 and f64 have no .ftz either. Without a boolean operator
 * there is no third source. */
static void with_comparisons(const struct ref_row *row, struct ref_forms *l, enum ir_type dtype) {
    const struct soft_fmt *f = ref_fmt(row->s[0]);
    struct ir_insn i = plain(row);
    i.dtype = (uint8_t)dtype;
    for (unsigned cmp = IR_EQ; cmp <= (f ? IR_NAN : IR_GE); cmp++)
        for (unsigned bop = IR_BOP_NONE; bop <= IR_BOP_XOR; bop++) {
            i.sub = (uint8_t)cmp;
            i.bop = (uint8_t)bop;
            i.ns = bop == IR_BOP_NONE ? 2 : 3;
            i.o[i.nd + 2] = IR_PT;
            with_mods(l, i, f == &soft_f32 || f == &soft_f16 ? IR_M_FTZ : 0);
        }
}
void forms_setp(const struct ref_row *row, struct ref_forms *l) {
    with_comparisons(row, l, IR_T_P);
}
void forms_set(const struct ref_row *row, struct ref_forms *l) {
    with_comparisons(row, l, IR_T_U32);
    with_comparisons(row, l, IR_T_S32);
    if (row->s[0] == IR_T_F16X2 || row->s[0] == IR_T_BF16X2) {
        with_comparisons(row, l, (enum ir_type)row->s[0]);
        return;
    }
    with_comparisons(row, l, IR_T_F32);
    with_comparisons(row, l, IR_T_F16);
    with_comparisons(row, l, IR_T_BF16);
    if (row->s[0] == IR_T_F16 || row->s[0] == IR_T_BF16) {
        with_comparisons(row, l, IR_T_U16);
        with_comparisons(row, l, IR_T_S16);
    }
}

/* ---- video ---- */
static void with_signs(struct ref_forms *l, struct ir_insn i, unsigned signs, unsigned mods) {
    unsigned subset = 0;
    do {
        i.cop = (uint8_t)subset;
        with_mods(l, i, mods);
        subset = (subset - signs) & signs;
    } while (subset);
}

/* No c; c through a second operation; c merged with every part. */
static void with_third(struct ref_forms *l, struct ir_insn i, unsigned signs, unsigned mods) {
    uint32_t imm = i.imm;
    for (unsigned bop = IR_VC_NONE; bop <= IR_VC_MERGE; bop++) {
        i.bop = (uint8_t)bop;
        i.ns = bop == IR_VC_NONE ? 2 : 3;
        unsigned first = bop == IR_VC_MERGE ? 0 : 6, last = bop == IR_VC_MERGE ? 5 : 6;
        for (unsigned dsel = first; dsel <= last; dsel++) {
            i.imm = imm | dsel << 6;
            with_signs(l, i, signs, mods);
        }
    }
}

static void vmad(struct ref_forms *l, struct ir_insn i) {
    static const uint32_t shifts[] = {0, 7, 15}, extras[] = {0, 1u << 17, 1u << 18, 1u << 19};
    uint32_t imm = i.imm;
    i.ns = 3;
    for (unsigned s = 0; s < 3; s++)
        for (unsigned x = 0; x < 4; x++) {
            i.imm = imm | 6u << 6 | shifts[s] << 13 | extras[x];
            with_signs(l, i, IR_V_A_SIGNED | IR_V_B_SIGNED, IR_M_SAT);
        }
}

static void video(struct ref_forms *l, struct ir_insn i) {
    const unsigned all = IR_V_A_SIGNED | IR_V_B_SIGNED | IR_V_D_SIGNED;
    uint32_t imm = i.imm;
    switch (i.sub) {
    case IR_V_MAD: vmad(l, i); break;
    case IR_V_SET: /* the result is unsigned, and no .sat */
        for (uint32_t cmp = IR_EQ; cmp <= IR_GE; cmp++) {
            i.imm = imm | cmp << 9;
            with_third(l, i, IR_V_A_SIGNED | IR_V_B_SIGNED, 0);
        }
        break;
    case IR_V_SHL:
    case IR_V_SHR: /* b is always unsigned */
        with_third(l, i, IR_V_A_SIGNED | IR_V_D_SIGNED, IR_M_SAT);
        i.imm = imm | 1u << 20;
        with_third(l, i, IR_V_A_SIGNED | IR_V_D_SIGNED, IR_M_SAT);
        break;
    default: with_third(l, i, all, IR_M_SAT); break;
    }
}
void forms_video(const struct ref_row *row, struct ref_forms *l) {
    for (unsigned op = IR_V_ADD; op <= IR_V_SET; op++)
        for (uint32_t sel = 0; sel < 49; sel++) {
            struct ir_insn i = plain(row);
            i.sub = (uint8_t)op;
            i.imm = sel % 7 | sel / 7 << 3;
            video(l, i);
        }
}

/* Every operation, sign, mask, accumulation; the default selectors and seeded random ones. */
static void parts(const struct ref_row *row, struct ref_forms *l, unsigned n, uint32_t selectors) {
    static const uint8_t ops[] = {IR_V_ADD, IR_V_SUB, IR_V_ABSDIFF, IR_V_MIN, IR_V_MAX, IR_V_AVRG, IR_V_SET};
    const unsigned all = IR_V_A_SIGNED | IR_V_B_SIGNED | IR_V_D_SIGNED;
    for (unsigned k = 0; k < sizeof ops; k++)
        for (uint32_t mask = 1; mask < 1u << n; mask++)
            for (uint32_t cmp = IR_EQ; cmp <= (ops[k] == IR_V_SET ? IR_GE : IR_EQ); cmp++)
                for (unsigned acc = 0; acc < 2; acc++) {
                    struct ir_insn i = plain(row);
                    i.sub = ops[k];
                    i.imm = selectors | mask << 24 | cmp << 28;
                    i.bop = acc ? IR_VC_ADD : IR_VC_NONE;
                    i.ns =
                        acc || mask + 1 < 1u << n ? 3 : 2; /* c need not be there when nothing shows of it */
                    with_signs(l, i, ops[k] == IR_V_SET ? all & ~(unsigned)IR_V_D_SIGNED : all,
                               ops[k] == IR_V_SET ? 0 : IR_M_SAT);
                }
}
static void with_selectors(const struct ref_row *row, struct ref_forms *l, unsigned n) {
    struct rng rng = {n};
    uint32_t usual = 0;
    for (uint32_t k = 0; k < n; k++) usual |= k << (3 * k) | (k + n) << (12 + 3 * k);
    parts(row, l, n, usual);
    for (int t = 0; t < 12; t++) {
        uint32_t selectors = 0;
        for (uint32_t k = 0; k < n; k++) {
            selectors |= (uint32_t)rng_below(&rng, 2 * n) << (3 * k);
            selectors |= (uint32_t)rng_below(&rng, 2 * n) << (12 + 3 * k);
        }
        parts(row, l, n, selectors);
    }
}
void forms_video2(const struct ref_row *row, struct ref_forms *l) {
    with_selectors(row, l, 2);
}
void forms_video4(const struct ref_row *row, struct ref_forms *l) {
    with_selectors(row, l, 4);
}

/* ---- conversions: .ftz needs an f32, .rint one type on both sides, .relu narrows f32 ---- */
void forms_cvt(const struct ref_row *row, struct ref_forms *l) {
    uint8_t d = row->d[0], s = row->s[0];
    unsigned mods = ir_ops[row->op].mods & ~(unsigned)(IR_M_RINT | IR_M_FTZ | IR_M_RELU);
    bool exact = ref_fmt(s) && d == s;
    if (d == IR_T_F32 || s == IR_T_F32) mods |= ir_ops[row->op].mods & IR_M_FTZ;
    if (s == IR_T_F32 && (d == IR_T_F16 || d == IR_T_BF16)) mods |= IR_M_RELU;
    with_mods(l, plain(row), exact ? mods & ~(unsigned)IR_M_RND : mods);
    if (!exact) return;
    size_t from = l->n;
    with_mods(l, plain(row), mods);
    for (size_t k = from; k < l->n; k++) l->v[k].mods |= IR_M_RINT;
}
void forms_cvt_x2(const struct ref_row *row, struct ref_forms *l) {
    with_mods(l, plain(row), IR_M_RELU);
    size_t from = l->n;
    with_mods(l, plain(row), IR_M_RELU);
    for (size_t k = from; k < l->n; k++) l->v[k].mods |= IR_RZ;
}
void forms_tf32(const struct ref_row *row, struct ref_forms *l) {
    static const uint16_t mods[] = {IR_RNA, IR_RN, IR_RZ, IR_RN | IR_M_RELU, IR_RZ | IR_M_RELU};
    for (size_t k = 0; k < sizeof mods / sizeof *mods; k++) {
        struct ir_insn i = plain(row);
        i.mods = mods[k];
        push(l, i);
    }
}
void forms_cvt_pack(const struct ref_row *row, struct ref_forms *l) {
    static const uint8_t types[] = {IR_T_U16, IR_T_S16, IR_T_U8, IR_T_S8};
    for (size_t k = 0; k < sizeof types; k++) {
        struct ir_insn i = plain(row);
        i.mods = IR_M_SAT;
        i.dtype = types[k];
        push(l, i);
    }
}

/* The immediate of an instruction of RISC-V. */
void forms_disp(const struct ref_row *row, struct ref_forms *l) {
    static const int32_t disp[] = {0, 1, -1, 5, 31, 32, 63, 2047, -2048, 0x7ffff000, INT32_MIN};
    struct ir_insn i = plain(row);
    for (size_t k = 0; k < sizeof disp / sizeof *disp; k++) {
        i.disp = disp[k];
        push(l, i);
    }
}
