/* Textures: tex{.base|.level|.grad}.geom.v4.dtype.ctype d, [tex{, sampler}, coords]{, lod | dPdx, dPdy};
 *           tld4.comp.geom.v4.dtype.f32 d, [tex{, sampler}, coords];  txq.query.b32 d, [tex];
 * The sampler of independent mode is checked and left: filtering and addressing belong to the texture here. There is one
 * level of detail: gradients are checked and left too. */
#include "front/ptx/lower_tex.h"

const struct geometry lower_geometries[] = {
    [IR_TEX_1D] = {1, 1, false},   [IR_TEX_2D] = {2, 2, false}, [IR_TEX_3D] = {4, 3, false},
    [IR_TEX_CUBE] = {4, 3, false}, [IR_TEX_A1D] = {2, 2, true}, [IR_TEX_A2D] = {4, 3, true},
    [IR_TEX_ACUBE] = {4, 4, true},
};

bool lower_handle(struct ptx *p, const struct opnd *o, enum ir_var_kind kind, ir_opnd *out) {
    bool symbol = o->kind == OPND_SYM && o->sym->kind == SYM_VAR &&
                  p->m->vars.v[o->sym->index].kind == kind && !o->disp;
    if (symbol) return lower_symbol(p, o, IR_FILE_64, out);
    if (o->kind != OPND_REG)
        return diag_error(&p->diag, o->at, "expected a %s or a 64-bit register with its handle",
                          kind == IR_VAR_TEXREF    ? ".texref"
                          : kind == IR_VAR_SURFREF ? ".surfref"
                                                   : ".samplerref");
    return lower_src(p, o, IR_T_U64, out);
}

bool lower_coordinates(struct ptx *p, const struct opnd *o, const struct geometry *g, enum ir_type t,
                       ir_opnd *out) {
    struct opnd one[4];
    unsigned n = o->kind == OPND_VEC ? o->nelem : o->nvec;
    for (unsigned i = 0; i < n && i < 4; i++) {
        one[i] = o->kind == OPND_VEC ? o->elem[i] : *o;
        if (o->kind != OPND_VEC) one[i].reg += i, one[i].nvec = 1;
    }
    if (n < g->used || n > 4 || (n > g->used && n != g->given))
        return diag_error(&p->diag, o->at, "expected %u coordinates, found %u", g->given, n);
    for (unsigned i = 0; i < g->used; i++)
        if (!lower_src(p, &one[i], g->array && !i ? IR_T_U32 : t, &out[i])) return false;
    return true;
}

static bool lower_tex_results(struct ptx *p, const struct opnd *o, unsigned vec, enum ir_type t,
                              ir_opnd *out) {
    unsigned n = o->kind == OPND_VEC ? o->nelem : o->nvec;
    if (n != vec) return diag_error(&p->diag, o->at, "expected %u results, found %u", vec, n);
    for (unsigned i = 0; i < 4; i++) {
        out[i] = IR_NONE;
        if (i >= vec) continue;
        struct opnd one = o->kind == OPND_VEC ? o->elem[i] : *o;
        if (o->kind != OPND_VEC) one.reg += i, one.nvec = 1;
        if (!lower_dst_or_none(p, &one, t, &out[i])) return false;
    }
    return true;
}

void lower_coord_words(struct ptx *p, unsigned kind, enum ir_type coord, ir_opnd tex, unsigned n,
                       const ir_opnd *c) {
    VEC_PUSH(&p->m->ext, kind);
    VEC_PUSH(&p->m->ext, coord);
    VEC_PUSH(&p->m->ext, n + 1);
    VEC_PUSH(&p->m->ext, tex);
    for (unsigned i = 0; i < n; i++) VEC_PUSH(&p->m->ext, c[i]);
}

static bool tex_types(const struct stmt *s) {
    if (s->ntypes != 2) return false;
    unsigned d = s->types[0], c = s->types[1];
    return (d == IR_T_U32 || d == IR_T_S32 || d == IR_T_F32) && (c == IR_T_F32 || c == IR_T_S32);
}

/* [texture, coordinates] or [texture, sampler, coordinates] */
static bool lower_tex_place(struct ptx *p, const struct opnd *a, const struct geometry *g, enum ir_type c,
                            ir_opnd *tex, ir_opnd *coord) {
    ir_opnd sampler;
    if (a->kind != OPND_ADDR || a->nelem < 2 || a->nelem > 3)
        return diag_error(&p->diag, a->at,
                          "expected [texture, coordinates] or [texture, sampler, coordinates]");
    if (!lower_handle(p, &a->elem[0], IR_VAR_TEXREF, tex)) return false;
    if (a->nelem == 3 && !lower_handle(p, &a->elem[1], IR_VAR_SAMPLERREF, &sampler)) return false;
    return lower_coordinates(p, &a->elem[a->nelem - 1], g, c, coord);
}

/* dPdx and dPdy have the coordinates' dimensions, without the array index. */
static bool gradients(struct ptx *p, const struct stmt *s, const struct geometry *g) {
    const struct geometry d = {.given = g->given, .used = (uint8_t)(g->used - g->array)};
    ir_opnd unused[4];
    return lower_coordinates(p, &s->o[2], &d, IR_T_F32, unused) &&
           lower_coordinates(p, &s->o[3], &d, IR_T_F32, unused);
}

static void lower_tex_emit(struct ptx *p, unsigned vec, enum ir_type d, unsigned component,
                           const ir_opnd *o) {
    struct ir_insn *i = lower_emit(p, IR_TEX);
    i->vec = (uint8_t)vec;
    i->dtype = (uint8_t)d;
    i->sub = (uint8_t)component;
    i->ext = (uint32_t)p->m->ext.n;
    lower_opnds(i, 4, 0, o);
}

bool lower_tex(struct ptx *p, struct stmt *s) {
    const struct mod *geom = lower_mod(s, MC_GEOM), *v = lower_mod(s, MC_VEC);
    bool lod = lower_has_id(s, MOD_LEVEL), grad = lower_has_id(s, MOD_GRAD);
    unsigned vec = v ? v->value : 1, n = 2u + lod + 2u * grad;
    if (!geom || !tex_types(s) || vec > 4 || (grad && s->types[1] != IR_T_F32))
        return lower_unsupported(p, s, "");
    const struct geometry *g = &lower_geometries[geom->value];
    enum ir_type d = (enum ir_type)s->types[0], c = (enum ir_type)s->types[1];
    ir_opnd o[4], coord[5], tex;
    if (!lower_count(p, s, n, n)) return false;
    if (s->o[0].second) return lower_unsupported(p, s, "the residency predicate is not modelled");
    if (!lower_tex_place(p, &s->o[1], g, c, &tex, coord) || !lower_tex_results(p, &s->o[0], vec, d, o))
        return false;
    if (lod && !lower_src(p, &s->o[2], c, &coord[g->used])) return false;
    if (grad && !gradients(p, s, g)) return false;
    lower_tex_emit(p, vec, d, 0, o);
    lower_coord_words(p, geom->value | (lod ? IR_TEX_LEVEL : 0u), c, tex, g->used + lod, coord);
    return true;
}

/* Four texels, one component of each. */
bool lower_tld4(struct ptx *p, struct stmt *s) {
    static const enum mod_id component[] = {MOD_R, MOD_G, MOD_B, MOD_A};
    const struct mod *geom = lower_mod(s, MC_GEOM), *v = lower_mod(s, MC_VEC);
    unsigned c = 0;
    while (c < 4 && !lower_has_id(s, component[c])) c++;
    bool plane = geom && (geom->value == IR_TEX_2D || geom->value == IR_TEX_A2D ||
                          geom->value == IR_TEX_CUBE || geom->value == IR_TEX_ACUBE);
    if (c == 4 || !plane || !v || v->value != 4 || !tex_types(s) || s->types[1] != IR_T_F32)
        return lower_unsupported(p, s, "");
    ir_opnd o[4], coord[5], tex;
    const struct geometry *g = &lower_geometries[geom->value];
    if (!lower_count(p, s, 2, 2)) return false;
    if (s->o[0].second) return lower_unsupported(p, s, "the residency predicate is not modelled");
    enum ir_type d = (enum ir_type)s->types[0];
    if (!lower_tex_place(p, &s->o[1], g, IR_T_F32, &tex, coord) || !lower_tex_results(p, &s->o[0], 4, d, o))
        return false;
    lower_tex_emit(p, 4, d, c + 1, o);
    lower_coord_words(p, geom->value, IR_T_F32, tex, g->used, coord);
    return true;
}

/* txq and suq: nsrc says which. */
bool lower_query(struct ptx *p, struct stmt *s) {
    const struct mod *q = lower_mod(s, MC_QUERY);
    bool surface = s->form->nsrc;
    ir_opnd o[2];
    if (!q || s->ntypes != 1 || s->types[0] != IR_T_U32) return lower_unsupported(p, s, "");
    if (!lower_count(p, s, 2, 2) || !lower_dst(p, &s->o[0], IR_T_U32, &o[0])) return false;
    const struct opnd *a = &s->o[1];
    if (a->kind != OPND_ADDR || a->nelem != 1)
        return diag_error(&p->diag, a->at, "expected [%s]", surface ? "surface" : "texture");
    if (!lower_handle(p, &a->elem[0], surface ? IR_VAR_SURFREF : IR_VAR_TEXREF, &o[1])) return false;
    struct ir_insn *i = lower_emit(p, IR_TXQ);
    lower_opnds(i, 1, 1, o);
    i->sub = q->value;
    i->cop = surface;
    return true;
}
