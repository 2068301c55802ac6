/* Textures: tex{.level}.geom.v4.dtype.ctype d, [tex{, sampler}, coords]{, lod};
 * The sampler of independent mode is checked and left: filtering and addressing belong to the texture here. */
#include "front/ptx/lower.h"

struct geometry {
    uint8_t given; /* elements the coordinate vector is written with */
    uint8_t used;  /* of those, how many mean something, the array index included */
    bool array;
};
static const struct geometry geometries[] = {
    [IR_TEX_1D] = {1, 1, false},   [IR_TEX_2D] = {2, 2, false}, [IR_TEX_3D] = {4, 3, false},
    [IR_TEX_CUBE] = {4, 3, false}, [IR_TEX_A1D] = {2, 2, true}, [IR_TEX_A2D] = {4, 3, true},
    [IR_TEX_ACUBE] = {4, 4, true},
};

static bool handle(struct ptx *p, const struct opnd *o, enum ir_var_kind kind, ir_opnd *out) {
    bool symbol = o->kind == OPND_SYM && o->sym->kind == SYM_VAR &&
                  p->m->vars.v[o->sym->index].kind == kind && !o->disp;
    if (symbol) return lower_symbol(p, o, IR_FILE_64, out);
    if (o->kind != OPND_REG)
        return diag_error(&p->diag, o->at, "expected a %s or a 64-bit register with its handle",
                          kind == IR_VAR_TEXREF ? ".texref" : ".samplerref");
    return lower_src(p, o, IR_T_U64, out);
}

/* Coordinates as the operation wants them: {x} or x, the vector's padding left out. */
static bool coordinates(struct ptx *p, const struct opnd *o, const struct geometry *g, enum ir_type t,
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

static bool results(struct ptx *p, const struct opnd *o, unsigned vec, enum ir_type t, ir_opnd *out) {
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

static void tex_words(struct ptx *p, unsigned kind, enum ir_type coord, ir_opnd tex, unsigned n,
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

bool lower_tex(struct ptx *p, struct stmt *s) {
    const struct mod *geom = lower_mod(s, MC_GEOM), *v = lower_mod(s, MC_VEC);
    bool lod = lower_has(s, MC_LOD);
    unsigned vec = v ? v->value : 1;
    if (!geom || !tex_types(s) || vec > 4) return lower_unsupported(p, s, "");
    const struct geometry *g = &geometries[geom->value];
    enum ir_type d = (enum ir_type)s->types[0], c = (enum ir_type)s->types[1];
    const struct opnd *a = &s->o[1];
    ir_opnd o[4], coord[5], tex, sampler;
    if (!lower_count(p, s, lod ? 3 : 2, lod ? 3 : 2)) return false;
    if (s->o[0].second) return lower_unsupported(p, s, "the residency predicate is not modelled");
    if (a->kind != OPND_ADDR || a->nelem < 2 || a->nelem > 3)
        return diag_error(&p->diag, a->at,
                          "expected [texture, coordinates] or [texture, sampler, coordinates]");
    if (!handle(p, &a->elem[0], IR_VAR_TEXREF, &tex)) return false;
    if (a->nelem == 3 && !handle(p, &a->elem[1], IR_VAR_SAMPLERREF, &sampler)) return false;
    if (!coordinates(p, &a->elem[a->nelem - 1], g, c, coord) || !results(p, &s->o[0], vec, d, o))
        return false;
    if (lod && !lower_src(p, &s->o[2], c, &coord[g->used])) return false;
    struct ir_insn *i = lower_emit(p, IR_TEX);
    i->vec = (uint8_t)vec;
    i->dtype = (uint8_t)d;
    i->ext = (uint32_t)p->m->ext.n;
    lower_opnds(i, 4, 0, o);
    tex_words(p, geom->value | (lod ? IR_TEX_LEVEL : 0u), c, tex, g->used + lod, coord);
    return true;
}
