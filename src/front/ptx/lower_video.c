/* Video instructions: scalar (vadd ...), two halves (vadd2 ...), four bytes (vadd4 ...). insn.h says how selectors, types
 * and second operations are packed. */

#include "front/ptx/lower.h"

static uint8_t signs(const struct stmt *s, bool has_d) {
    unsigned k = 0;
    uint8_t cop = 0;
    if (has_d && s->types[k++] == IR_T_S32) cop |= IR_V_D_SIGNED;
    if (s->types[k++] == IR_T_S32) cop |= IR_V_A_SIGNED;
    if (s->types[k] == IR_T_S32) cop |= IR_V_B_SIGNED;
    return cop;
}

/* vset has no type for its result. */
static bool video_types(const struct stmt *s) {
    unsigned n = s->form->nsrc == IR_V_SET ? 2 : 3;
    if (s->ntypes != n) return false;
    for (unsigned i = 0; i < n; i++)
        if (s->types[i] != IR_T_U32 && s->types[i] != IR_T_S32) return false;
    return (s->form->nsrc == IR_V_SET) == lower_has(s, MC_CMP);
}

/* .b0 - .b3, .h0, .h1; 6 when nothing was written. */
static bool lower_video_part(struct ptx *p, const struct opnd *o, uint32_t *sel) {
    *sel = 6;
    if (!o->sel) return true;
    if (o->sel_len == 2 && o->sel[0] == 'b' && o->sel[1] >= '0' && o->sel[1] <= '3')
        *sel = (uint32_t)(o->sel[1] - '0');
    else if (o->sel_len == 2 && o->sel[0] == 'h' && (o->sel[1] == '0' || o->sel[1] == '1'))
        *sel = (uint32_t)(o->sel[1] - '0') + 4;
    else
        return diag_error(&p->diag, o->sel - 1, "expected .b0 to .b3, .h0 or .h1");
    return true;
}

/* A source with its selector taken off. */
static bool video_src(struct ptx *p, const struct opnd *o, ir_opnd *out) {
    struct opnd plain = *o;
    plain.sel = NULL;
    return lower_src(p, &plain, IR_T_U32, out);
}

static bool second_op(struct ptx *p, struct stmt *s, uint32_t dsel, uint8_t *what) {
    const struct mod *m = lower_mod(s, MC_ATOM);
    *what = IR_VC_NONE;
    if (s->form->nsrc == IR_V_MAD) return !m && dsel == 6 ? true : lower_unsupported(p, s, "");
    if (m && (m->value > IR_AT_MAX || dsel != 6)) return lower_unsupported(p, s, "");
    if (m)
        *what = m->value == IR_AT_ADD ? IR_VC_ADD : m->value == IR_AT_MIN ? IR_VC_MIN : IR_VC_MAX;
    else if (dsel != 6)
        *what = IR_VC_MERGE;
    return true;
}

/* What vmad, vset, vshl and vshr add to imm. */
static bool video_extras(struct ptx *p, struct stmt *s, uint32_t *imm) {
    const struct mod *cmp = lower_mod(s, MC_CMP), *scale = lower_mod(s, MC_VMAD),
                     *wrap = lower_mod(s, MC_WRAP);
    bool mad = s->form->nsrc == IR_V_MAD, shift = s->form->nsrc == IR_V_SHL || s->form->nsrc == IR_V_SHR;
    if (cmp && cmp->value > IR_GE) return lower_unsupported(p, s, "");
    if (shift && !wrap) return lower_unsupported(p, s, "it needs .clamp or .wrap");
    if (cmp) *imm |= (uint32_t)cmp->value << 9;
    if (scale) *imm |= (uint32_t)scale->value << 13;
    if (wrap && wrap->value) *imm |= 1u << 20;
    bool minus = s->o[1].minus || s->o[2].minus || (s->nops > 3 && s->o[3].minus);
    if (minus && (!mad || lower_has(s, MC_PO) || (s->o[1].minus && s->o[2].minus)))
        return diag_error(&p->diag, s->at, "these operands cannot be negated");
    if (s->o[1].minus || s->o[2].minus) *imm |= 1u << 17;
    if (s->nops > 3 && s->o[3].minus) *imm |= 1u << 18;
    if (lower_has(s, MC_PO)) *imm |= 1u << 19;
    return true;
}

bool lower_video(struct ptx *p, struct stmt *s) {
    uint32_t asel, bsel, dsel, imm;
    uint8_t what;
    ir_opnd o[4];
    if (!video_types(s)) return lower_unsupported(p, s, "");
    if (!lower_count(p, s, 3, 4)) return false;
    if (!lower_video_part(p, &s->o[0], &dsel) || !lower_video_part(p, &s->o[1], &asel) ||
        !lower_video_part(p, &s->o[2], &bsel))
        return false;
    if (!second_op(p, s, dsel, &what)) return false;
    unsigned nops = what != IR_VC_NONE || s->form->nsrc == IR_V_MAD ? 4 : 3;
    if (!lower_count(p, s, nops, nops)) return false;
    imm = asel | bsel << 3 | dsel << 6;
    if (!video_extras(p, s, &imm)) return false;
    struct opnd d = s->o[0];
    d.sel = NULL;
    if (!lower_dst(p, &d, IR_T_U32, &o[0])) return false;
    for (unsigned i = 1; i < nops; i++)
        if (!video_src(p, &s->o[i], &o[i])) return false;
    struct ir_insn *i = lower_emit(p, IR_VIDEO);
    lower_opnds(i, 1, nops - 1, o);
    i->sub = s->form->nsrc;
    i->bop = what;
    i->cop = signs(s, s->form->nsrc != IR_V_SET);
    i->imm = imm;
    if (lower_has(s, MC_SAT)) i->mods |= IR_M_SAT;
    return true;
}

/* .hXY or .bWXYZ: the leftmost digit is the highest place. Without one, the operand's own parts in order. */
static bool lower_video_lanes(struct ptx *p, const struct opnd *o, unsigned n, unsigned first,
                              uint32_t *sel) {
    *sel = 0;
    for (unsigned i = 0; i < n; i++) *sel |= (first + i) << 3 * i;
    if (!o->sel) return true;
    bool ok = o->sel_len == n + 1 && o->sel[0] == (n == 2 ? 'h' : 'b');
    *sel = 0;
    for (unsigned i = 0; ok && i < n; i++) {
        unsigned digit = (unsigned)(o->sel[n - i] - '0');
        ok = digit < 2 * n;
        *sel |= (digit & 7) << 3 * i;
    }
    return ok ||
           diag_error(&p->diag, o->sel - 1, "expected a selector of %u digits from 0 to %u", n, 2 * n - 1);
}

static bool write_mask(struct ptx *p, const struct opnd *o, unsigned n, uint32_t *mask) {
    *mask = (1u << n) - 1;
    if (!o->sel) return true;
    bool ok = o->sel_len >= 2 && o->sel_len <= n + 1 && o->sel[0] == (n == 2 ? 'h' : 'b');
    *mask = 0;
    for (unsigned i = 1; ok && i < o->sel_len; i++) {
        unsigned digit = (unsigned)(o->sel[i] - '0');
        ok = digit < n && !(*mask >> digit & 1);
        *mask |= ok ? 1u << digit : 0;
    }
    return ok || diag_error(&p->diag, o->sel - 1, "expected a mask of digits from 0 to %u", n - 1);
}

/* v*2, v*4 d{.mask}, a{.asel}, b{.bsel}, c; */
static bool lower_video_simd(struct ptx *p, struct stmt *s, unsigned n) {
    const struct mod *acc = lower_mod(s, MC_ATOM), *cmp = lower_mod(s, MC_CMP);
    uint32_t asel, bsel, mask;
    ir_opnd o[4];
    if (!video_types(s) || (acc && acc->value != IR_AT_ADD) || (cmp && cmp->value > IR_GE))
        return lower_unsupported(p, s, "");
    if (!lower_count(p, s, 4, 4)) return false;
    if (!write_mask(p, &s->o[0], n, &mask) || !lower_video_lanes(p, &s->o[1], n, 0, &asel) ||
        !lower_video_lanes(p, &s->o[2], n, n, &bsel))
        return false;
    struct opnd d = s->o[0];
    d.sel = NULL;
    if (!lower_dst(p, &d, IR_T_U32, &o[0])) return false;
    for (unsigned i = 1; i < 4; i++)
        if (!video_src(p, &s->o[i], &o[i])) return false;
    struct ir_insn *i = lower_emit(p, n == 2 ? IR_VIDEO2 : IR_VIDEO4);
    lower_opnds(i, 1, 3, o);
    i->sub = s->form->nsrc;
    i->bop = acc ? IR_VC_ADD : IR_VC_NONE;
    i->cop = signs(s, s->form->nsrc != IR_V_SET);
    i->imm = asel | bsel << 12 | mask << 24 | (cmp ? (uint32_t)cmp->value << 28 : 0);
    if (lower_has(s, MC_SAT)) i->mods |= IR_M_SAT;
    return true;
}

bool lower_video2(struct ptx *p, struct stmt *s) {
    return lower_video_simd(p, s, 2);
}
bool lower_video4(struct ptx *p, struct stmt *s) {
    return lower_video_simd(p, s, 4);
}
