/* Comparison and selection: setp, set, selp, slct. */
#include "front/ptx/lower.h"

/* The comparison, checked against the type; lo, ls, hi, hs compare as unsigned. */
static bool comparison(struct ptx *p, struct stmt *s, unsigned *type, uint8_t *cmp) {
    const struct mod *m = lower_mod(s, MC_CMP);
    if (!m || *type >= IR_NTYPES) return lower_unsupported(p, s, "");
    bool is_float = ir_type_float((enum ir_type) * type);
    bool unsigned_only = m->id == MOD_LO || m->id == MOD_LS || m->id == MOD_HI || m->id == MOD_HS;
    if (m->value > IR_GE && !is_float)
        return lower_unsupported(p, s, "this comparison is for floating-point types");
    if (unsigned_only && (is_float || ir_type_signed((enum ir_type) * type)))
        return lower_unsupported(p, s, "this comparison is for unsigned types");
    *cmp = m->value;
    return true;
}

/* The optional predicate it is combined with, operand k. */
static bool combined(struct ptx *p, struct stmt *s, unsigned k, ir_opnd *c, uint8_t *bop) {
    const struct mod *m = lower_mod(s, MC_BOOL);
    *c = IR_PT;
    *bop = IR_BOP_NONE;
    if (!lower_count(p, s, m ? k + 1 : k, m ? k + 1 : k)) return false;
    if (!m) return true;
    *bop = m->id == MOD_AND ? IR_BOP_AND : m->id == MOD_OR ? IR_BOP_OR : IR_BOP_XOR;
    return lower_pred(p, &s->o[k], c);
}

bool lower_setp(struct ptx *p, struct stmt *s) {
    ir_opnd o[5];
    uint8_t cmp, bop;
    if (s->ntypes != 1) return lower_unsupported(p, s, "");
    unsigned t = s->types[0];
    if (!comparison(p, s, &t, &cmp)) return false;
    int op = ptx_find_op(p, "setp", (enum ir_type)t);
    if (op < 0) return lower_unsupported(p, s, "");
    if (!combined(p, s, 3, &o[4], &bop)) return false;
    if (!lower_dst_or_none(p, &s->o[0], IR_T_P, &o[0]) ||
        !lower_dst_or_none(p, s->o[0].second, IR_T_P, &o[1]))
        return false;
    if (!lower_src(p, &s->o[1], (enum ir_type)t, &o[2]) || !lower_src(p, &s->o[2], (enum ir_type)t, &o[3]))
        return false;
    struct ir_insn *i = lower_emit(p, op);
    lower_opnds(i, 2, 3, o);
    i->sub = cmp;
    i->bop = bop;
    if (lower_has(s, MC_FTZ)) i->mods = IR_M_FTZ;
    return true;
}

/* set.cmp{.bop}{.ftz}.dtype.stype d, a, b{, c}; */
bool lower_set(struct ptx *p, struct stmt *s) {
    ir_opnd o[4];
    uint8_t cmp, bop;
    if (s->ntypes != 2 || s->types[0] >= IR_NTYPES) return lower_unsupported(p, s, "");
    unsigned t = s->types[1];
    enum ir_type d = (enum ir_type)s->types[0];
    if (!comparison(p, s, &t, &cmp)) return false;
    int op = ptx_find_op(p, "set", (enum ir_type)t);
    if (op < 0 || lower_file(d) != IR_FILE_32 || ir_type_bytes[d] < 2) return lower_unsupported(p, s, "");
    if (!combined(p, s, 3, &o[3], &bop)) return false;
    if (!lower_src(p, &s->o[1], (enum ir_type)t, &o[1]) || !lower_src(p, &s->o[2], (enum ir_type)t, &o[2]))
        return false;
    if (!lower_dst(p, &s->o[0], d, &o[0])) return false;
    struct ir_insn *i = lower_emit(p, op);
    lower_opnds(i, 1, 3, o);
    i->sub = cmp;
    i->bop = bop;
    i->dtype = (uint8_t)d;
    if (lower_has(s, MC_FTZ)) i->mods = IR_M_FTZ;
    return true;
}

bool lower_selp(struct ptx *p, struct stmt *s) {
    enum ir_type t;
    ir_opnd o[4];
    if (!lower_one_type(p, s, &t)) return false;
    if (t == IR_T_P || ir_type_bytes[t] < 2) return lower_unsupported(p, s, "");
    if (!lower_count(p, s, 4, 4) || !lower_dst(p, &s->o[0], t, &o[0])) return false;
    if (!lower_src(p, &s->o[1], t, &o[1]) || !lower_src(p, &s->o[2], t, &o[2]) ||
        !lower_pred(p, &s->o[3], &o[3]))
        return false;
    lower_opnds(lower_emit(p, lower_file(t) == IR_FILE_64 ? IR_SELP_U64 : IR_SELP_U32), 1, 3, o);
    return true;
}

/* slct.dtype.ctype d, a, b, c; */
bool lower_slct(struct ptx *p, struct stmt *s) {
    ir_opnd o[4];
    if (s->ntypes != 2 || s->types[0] >= IR_NTYPES) return lower_unsupported(p, s, "");
    enum ir_type t = (enum ir_type)s->types[0];
    bool f = s->types[1] == IR_T_F32, wide = lower_file(t) == IR_FILE_64;
    if ((!f && s->types[1] != IR_T_S32) || t == IR_T_P || ir_type_bytes[t] < 2)
        return lower_unsupported(p, s, "");
    if (lower_has(s, MC_FTZ) && !f) return lower_unsupported(p, s, "");
    if (!lower_count(p, s, 4, 4) || !lower_dst(p, &s->o[0], t, &o[0])) return false;
    if (!lower_src(p, &s->o[1], t, &o[1]) || !lower_src(p, &s->o[2], t, &o[2])) return false;
    if (!lower_src(p, &s->o[3], f ? IR_T_F32 : IR_T_S32, &o[3])) return false;
    struct ir_insn *i = lower_emit(p, f ? (wide ? IR_SLCT_U64_F32 : IR_SLCT_U32_F32)
                                        : (wide ? IR_SLCT_U64_S32 : IR_SLCT_U32_S32));
    lower_opnds(i, 1, 3, o);
    if (lower_has(s, MC_FTZ)) i->mods = IR_M_FTZ;
    return true;
}
