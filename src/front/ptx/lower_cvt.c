/* Conversions: cvt in all its forms, mov with pack and unpack, cvta, isspacep.
 *
 * cvt lets registers be wider than its types. A wider source is cut off by the operation itself; into a wider
 * destination the result is extended by its own sign, which takes a second conversion in place. */
#include "front/ptx/lower.h"

static bool is_float(unsigned t) {
    return t < IR_NTYPES && ir_type_float((enum ir_type)t);
}

/* Rounding bits, or an error when they do not go with the types. */
static bool cvt_rounding(struct ptx *p, struct stmt *s, enum ir_type d, enum ir_type a, uint16_t *mods) {
    const struct mod *rnd = lower_mod(s, MC_RND), *rint = lower_mod(s, MC_RNDI);
    bool fd = is_float(d), fa = is_float(a), narrows = fd && fa && ir_type_bytes[d] < ir_type_bytes[a];
    bool half_to_half = fd && fa && d != a && ir_type_bytes[d] == 2 && ir_type_bytes[a] == 2;
    if (lower_has(s, MC_RNA)) return lower_unsupported(p, s, "");
    if (rnd && rint) return lower_unsupported(p, s, "it has two rounding modes");
    if (rint && !fa) return lower_unsupported(p, s, "");
    if (fa && !fd && !rint) return lower_unsupported(p, s, "it needs .rni, .rzi, .rmi or .rpi");
    if (((fd && !fa) || narrows || half_to_half) && !rnd)
        return lower_unsupported(p, s, "it needs .rn, .rz, .rm or .rp");
    if (rint && fd && d != a) return lower_unsupported(p, s, "");
    if (rnd && !fd) return lower_unsupported(p, s, "");
    *mods |= rnd ? rnd->value : rint ? rint->value : 0;
    if (rint && fd) *mods |= IR_M_RINT;
    return true;
}

/* The value has type d in o; the register it goes to is declared wider. */
static void extend_into(struct ptx *p, const struct opnd *dst, enum ir_type d, ir_opnd o) {
    enum ir_type to = ir_type_signed(d) ? (dst->bits == 64   ? IR_T_S64
                                           : dst->bits == 32 ? IR_T_S32
                                                             : IR_T_S16)
                                        : (dst->bits == 64 ? IR_T_U64 : IR_T_U32);
    enum ir_type from = d;
    if (is_float(d)) from = ir_type_bytes[d] == 2 ? IR_T_U16 : IR_T_U32;
    lower_opnds(lower_emit(p, p->cvt[to][from]), 1, 1, (ir_opnd[]){dst->reg, o});
}

static bool cvt_emit(struct ptx *p, struct stmt *s, int op, enum ir_type d, enum ir_type a, uint16_t mods) {
    const struct opnd *dst = &s->o[0];
    unsigned bits = ir_type_bytes[d] * 8u;
    ir_opnd o[2];
    if (!lower_src_wide(p, &s->o[1], a, &o[1])) return false;
    bool wider =
        dst->kind == OPND_REG && ir_file(dst->reg) != IR_FILE_P && dst->bits > bits && dst->nvec == 1;
    if (!wider) {
        if (!lower_dst(p, dst, d, &o[0])) return false;
        struct ir_insn *i = lower_emit(p, op);
        i->mods = mods;
        lower_opnds(i, 1, 1, o);
        return true;
    }
    if (!lower_reg(p, dst)) return false;
    bool same_file = dst->bits < 64;
    o[0] = same_file ? dst->reg : lower_temp(p, IR_FILE_32);
    struct ir_insn *i = same_file ? lower_emit(p, op) : lower_emit_always(p, op);
    i->mods = mods;
    lower_opnds(i, 1, 1, o);
    /* Narrow results are zero-extended in 32-bit registers already. */
    if (!same_file || ir_type_signed(d)) extend_into(p, dst, d, o[0]);
    return true;
}

/* cvt.pack.sat.convertType.abType d, a, b;  cvt.pack.sat.convertType.abType.cType d, a, b, c; */
static bool cvt_pack(struct ptx *p, struct stmt *s) {
    ir_opnd o[4];
    bool has_c = s->ntypes == 3;
    bool types = (s->ntypes == 2 || has_c) && s->types[1] == IR_T_S32 && (!has_c || s->types[2] == IR_T_U32);
    bool half = s->types[0] == IR_T_U16 || s->types[0] == IR_T_S16,
         byte = s->types[0] == IR_T_U8 || s->types[0] == IR_T_S8;
    if (!types || !lower_has(s, MC_SAT) || !(has_c ? byte : half)) return lower_unsupported(p, s, "");
    if (!lower_count(p, s, has_c ? 4 : 3, has_c ? 4 : 3) || !lower_dst(p, &s->o[0], IR_T_U32, &o[0]))
        return false;
    if (!lower_src(p, &s->o[1], IR_T_S32, &o[1]) || !lower_src(p, &s->o[2], IR_T_S32, &o[2])) return false;
    o[3] = lower_const(p, IR_FILE_32, 0);
    if (has_c && !lower_src(p, &s->o[3], IR_T_U32, &o[3])) return false;
    struct ir_insn *i = lower_emit(p, IR_CVT_PACK);
    i->dtype = s->types[0];
    i->mods = IR_M_SAT;
    lower_opnds(i, 1, 3, o);
    return true;
}

/* cvt.rn.f16x2.f32 d, a, b; and bf16x2 */
static bool cvt_two(struct ptx *p, struct stmt *s) {
    const struct mod *rnd = lower_mod(s, MC_RND);
    ir_opnd o[3];
    bool known = s->ntypes == 2 && s->types[1] == IR_T_F32 && rnd && rnd->value <= IR_RZ;
    if (!known || lower_has(s, MC_SAT | MC_SATFINITE | MC_FTZ | MC_RNDI | MC_RNA))
        return lower_unsupported(p, s, "");
    if (!lower_count(p, s, 3, 3) || !lower_dst(p, &s->o[0], IR_T_F16X2, &o[0])) return false;
    if (!lower_src(p, &s->o[1], IR_T_F32, &o[1]) || !lower_src(p, &s->o[2], IR_T_F32, &o[2])) return false;
    struct ir_insn *i = lower_emit(p, s->types[0] == IR_T_F16X2 ? IR_CVT_F16X2_F32 : IR_CVT_BF16X2_F32);
    i->mods = (uint16_t)(rnd->value | (lower_has(s, MC_RELU) ? IR_M_RELU : 0));
    lower_opnds(i, 1, 2, o);
    return true;
}

static bool cvt_tf32(struct ptx *p, struct stmt *s) {
    const struct mod *rnd = lower_mod(s, MC_RND | MC_RNA);
    ir_opnd o[2];
    bool known =
        s->ntypes == 2 && s->types[1] == IR_T_F32 && rnd && rnd->value != IR_RM && rnd->value != IR_RP;
    if (!known || lower_has(s, MC_SAT | MC_FTZ | MC_RNDI)) return lower_unsupported(p, s, "");
    if (!lower_count(p, s, 2, 2) || !lower_dst(p, &s->o[0], IR_T_U32, &o[0]) ||
        !lower_src(p, &s->o[1], IR_T_F32, &o[1]))
        return false;
    struct ir_insn *i = lower_emit(p, IR_CVT_TF32_F32);
    i->mods = (uint16_t)(rnd->value | (lower_has(s, MC_RELU) ? IR_M_RELU : 0));
    lower_opnds(i, 1, 1, o);
    return true;
}

static bool is_narrow(unsigned t) {
    return t >= PT_E4M3X2 && t <= PT_E3M2X2;
}

/* cvt.rn.satfinite{.relu}.NARROW.f32 d, a, b;  cvt.rn.satfinite{.relu}.NARROW.f16x2|.bf16x2 d, a;
 * cvt.rn{.relu}.f16x2.NARROW d, a;  A pair of e2m1 is in a register of 8 bits, others in one of 16. */
static bool cvt_narrow(struct ptx *p, struct stmt *s) {
    const bool widens = is_narrow(s->types[1]), two = !widens && s->types[1] == IR_T_F32;
    const unsigned narrow = s->types[widens], other = s->types[!widens];
    const enum ir_type pair = narrow == PT_E2M1X2 ? IR_T_U8 : IR_T_U16;
    const struct mod *rnd = lower_mod(s, MC_RND);
    const bool known = widens ? other == IR_T_F16X2 : two || other == IR_T_F16X2 || other == IR_T_BF16X2;
    ir_opnd o[3];
    if (!known || !rnd || rnd->value != IR_RN || lower_has(s, MC_SAT | MC_FTZ | MC_RNDI | MC_RNA) ||
        widens == lower_has(s, MC_SATFINITE))
        return lower_unsupported(p, s, "");
    if (!lower_count(p, s, 2u + two, 2u + two) || !lower_dst(p, &s->o[0], widens ? IR_T_U32 : pair, &o[0]))
        return false;
    for (unsigned k = 1; k < s->nops; k++)
        if (!lower_src(p, &s->o[k], widens ? pair : two ? IR_T_F32 : IR_T_U32, &o[k])) return false;
    struct ir_insn *i = lower_emit(p, widens                ? IR_CVT_F16X2_NARROW
                                      : two                 ? IR_CVT_NARROW_F32
                                      : other == IR_T_F16X2 ? IR_CVT_NARROW_F16X2
                                                            : IR_CVT_NARROW_BF16X2);
    i->sub = (uint8_t)(narrow - PT_E4M3X2 + IR_E4M3 + (lower_has(s, MC_RELU) ? IR_NARROW_RELU : 0));
    lower_opnds(i, 1, s->nops - 1u, o);
    return true;
}

bool lower_cvt(struct ptx *p, struct stmt *s) {
    if (lower_has(s, MC_PACK)) return cvt_pack(p, s);
    if (s->ntypes != 2) return lower_unsupported(p, s, "");
    if (is_narrow(s->types[0]) || is_narrow(s->types[1])) return cvt_narrow(p, s);
    if (s->types[0] == IR_T_F16X2 || s->types[0] == IR_T_BF16X2) return cvt_two(p, s);
    if (s->types[0] == PT_TF32) return cvt_tf32(p, s);
    if (s->types[0] >= IR_NTYPES || s->types[1] >= IR_NTYPES || lower_has(s, MC_SATFINITE))
        return lower_unsupported(p, s, "");
    enum ir_type d = (enum ir_type)s->types[0], a = (enum ir_type)s->types[1];
    int op = p->cvt[d][a];
    uint16_t mods = 0;
    if (op < 0) return lower_unsupported(p, s, "");
    if (!cvt_rounding(p, s, d, a, &mods)) return false;
    if (lower_has(s, MC_FTZ)) mods |= IR_M_FTZ;
    if (lower_has(s, MC_SAT)) mods |= IR_M_SAT;
    if (lower_has(s, MC_RELU)) mods |= IR_M_RELU;
    /* .ftz on a pair without f32 has nothing to flush; old compilers write it. */
    if (d != IR_T_F32 && a != IR_T_F32) mods &= (uint16_t)~IR_M_FTZ;
    if (mods & ~(ir_ops[op].mods | IR_M_RND)) return lower_unsupported(p, s, "");
    return lower_count(p, s, 2, 2) && cvt_emit(p, s, op, d, a, mods);
}

/* ---- addresses ---- */

/* Param space of a function is its frame. */
static enum ir_space real_space(const struct ptx *p, enum ir_space sp) {
    return sp == IR_SP_PARAM && !p->b.kernel ? IR_SP_LOCAL : sp;
}

bool lower_cvta(struct ptx *p, struct stmt *s) {
    const struct mod *space = lower_mod(s, MC_SPACE);
    enum ir_type t;
    ir_opnd o[2];
    if (!space || space->value == IR_SP_GENERIC) return lower_unsupported(p, s, "it needs a state space");
    if (!lower_one_type(p, s, &t)) return false;
    if (t != IR_T_U32 && t != IR_T_U64) return lower_unsupported(p, s, "");
    if (!lower_count(p, s, 2, 2) || !lower_dst(p, &s->o[0], t, &o[0]) || !lower_src(p, &s->o[1], t, &o[1]))
        return false;
    struct ir_insn *i = lower_emit(p, t == IR_T_U64 ? IR_CVTA_U64 : IR_CVTA_U32);
    i->space = (uint8_t)real_space(p, (enum ir_space)space->value);
    i->sub = lower_has(s, MC_TO);
    lower_opnds(i, 1, 1, o);
    return true;
}

bool lower_isspacep(struct ptx *p, struct stmt *s) {
    const struct mod *space = lower_mod(s, MC_SPACE);
    ir_opnd o[2];
    if (!space || space->value == IR_SP_GENERIC) return lower_unsupported(p, s, "it needs a state space");
    if (!lower_count(p, s, 2, 2) || !lower_dst(p, &s->o[0], IR_T_P, &o[0])) return false;
    bool wide = s->o[1].kind == OPND_REG ? s->o[1].bits == 64 : p->m->address_bits == 64;
    if (!lower_src(p, &s->o[1], wide ? IR_T_U64 : IR_T_U32, &o[1])) return false;
    struct ir_insn *i = lower_emit(p, wide ? IR_ISSPACEP_U64 : IR_ISSPACEP_U32);
    i->space = (uint8_t)real_space(p, (enum ir_space)space->value);
    lower_opnds(i, 1, 1, o);
    return true;
}
