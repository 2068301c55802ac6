/* Surfaces: suld.b.geom{.cop}{.vec}.type.clamp d, [surface, coords];  sust.b|.p ... [surface, coords], v;
 *           sured.b|.p.op.geom.type.clamp [surface, coords], v; */
#include "front/ptx/lower_tex.h"

struct surface {
    const struct geometry *g;
    unsigned kind, vec;
    enum ir_type t;
    uint8_t clamp;
    ir_opnd handle, coord[4];
};

static bool clamp_of(const struct stmt *s, uint8_t *clamp) {
    const bool trap = lower_has_id(s, MOD_TRAP), zero = lower_has_id(s, MOD_ZERO);
    *clamp = trap ? IR_CLAMP_TRAP : zero ? IR_CLAMP_ZERO : IR_CLAMP_CLAMP;
    return trap + zero + lower_has_id(s, MOD_CLAMP) == 1;
}

/* Modifiers, and the operand that names the place. */
static bool lower_surf_surface(struct ptx *p, struct stmt *s, const struct opnd *a, struct surface *to) {
    const struct mod *geom = lower_mod(s, MC_GEOM), *v = lower_mod(s, MC_VEC);
    const bool texels = lower_has_id(s, MOD_P);
    to->vec = v ? v->value : 1;
    if (!geom || geom->value == IR_TEX_CUBE || geom->value == IR_TEX_ACUBE || to->vec > 4 ||
        texels == lower_has_id(s, MOD_B) || !clamp_of(s, &to->clamp))
        return lower_unsupported(p, s, "");
    if (!lower_one_type(p, s, &to->t)) return false;
    if (to->t == IR_T_P || to->vec * ir_type_bytes[to->t] > 16) return lower_unsupported(p, s, "");
    if (a->kind != OPND_ADDR || a->nelem != 2)
        return diag_error(&p->diag, a->at, "expected [surface, coordinates]");
    to->g = &lower_geometries[geom->value];
    to->kind = geom->value | (texels ? IR_TEX_FORMATTED : 0u);
    return lower_handle(p, &a->elem[0], IR_VAR_SURFREF, &to->handle) &&
           lower_coordinates(p, &a->elem[1], to->g, IR_T_U32, to->coord);
}

static struct ir_insn *lower_surf_emit(struct ptx *p, int op, const struct surface *f, unsigned nd,
                                       unsigned ns, const ir_opnd *o) {
    struct ir_insn *i = lower_emit(p, op);
    i->vec = (uint8_t)f->vec;
    i->dtype = (uint8_t)f->t;
    i->cop = f->clamp;
    i->ext = (uint32_t)p->m->ext.n;
    lower_opnds(i, nd, ns, o);
    lower_coord_words(p, f->kind, IR_T_S32, f->handle, f->g->used, f->coord);
    return i;
}

static bool lower_surf_element(struct ptx *p, const struct opnd *o, unsigned k, unsigned vec,
                               struct opnd *out) {
    const unsigned n = o->kind == OPND_VEC ? o->nelem : o->nvec;
    if (n != vec) return diag_error(&p->diag, o->at, "expected %u elements, found %u", vec, n);
    *out = o->kind == OPND_VEC ? o->elem[k] : *o;
    if (o->kind != OPND_VEC) out->reg += k, out->nvec = 1;
    return true;
}

bool lower_suld(struct ptx *p, struct stmt *s) {
    struct surface f;
    ir_opnd o[4];
    if (lower_has_id(s, MOD_P)) return lower_unsupported(p, s, "");
    if (!lower_count(p, s, 2, 2) || !lower_surf_surface(p, s, &s->o[1], &f)) return false;
    for (unsigned k = 0; k < f.vec; k++) {
        struct opnd d;
        if (!lower_surf_element(p, &s->o[0], k, f.vec, &d)) return false;
        o[k] = IR_NONE;
        if (d.kind == OPND_SINK) continue;
        if (!lower_reg(p, &d)) return false;
        if (ir_file(d.reg) == IR_FILE_P || d.bits < ir_type_bytes[f.t] * 8u)
            return diag_error(&p->diag, d.at, "expected a register of at least %u bits",
                              ir_type_bytes[f.t] * 8u);
        o[k] = d.reg;
    }
    lower_surf_emit(p, IR_SULD, &f, f.vec, 0, o);
    return true;
}

bool lower_sust(struct ptx *p, struct stmt *s) {
    struct surface f;
    ir_opnd o[4];
    if (!lower_count(p, s, 2, 2) || !lower_surf_surface(p, s, &s->o[0], &f)) return false;
    if (f.kind & IR_TEX_FORMATTED && ir_type_bytes[f.t] != 4) return lower_unsupported(p, s, "");
    for (unsigned k = 0; k < f.vec; k++) {
        struct opnd v;
        if (!lower_surf_element(p, &s->o[1], k, f.vec, &v) || !lower_src_wide(p, &v, f.t, &o[k]))
            return false;
    }
    lower_surf_emit(p, IR_SUST, &f, 0, f.vec, o);
    return true;
}

bool lower_sured(struct ptx *p, struct stmt *s) {
    const struct mod *op = lower_mod(s, MC_ATOM);
    struct surface f;
    ir_opnd v;
    if (!op || op->value > IR_AT_OR) return lower_unsupported(p, s, "");
    if (!lower_count(p, s, 2, 2) || !lower_surf_surface(p, s, &s->o[0], &f)) return false;
    if (ir_type_float(f.t) || ir_type_bytes[f.t] < 4 || f.vec > 1) return lower_unsupported(p, s, "");
    if (!lower_src(p, &s->o[1], f.t, &v)) return false;
    lower_surf_emit(p, IR_SURED, &f, 0, 1, &v)->sub = op->value;
    return true;
}
