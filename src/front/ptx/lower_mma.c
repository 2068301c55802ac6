/* mma and wmma.mma: D = A B + C.
 *   mma.sync.aligned.SHAPE.row.col{.satfinite}.DTYPE.ATYPE.BTYPE.CTYPE{.xor.popc} d, a, b, c;
 *   wmma.mma.sync.aligned.ALAYOUT.BLAYOUT.SHAPE.TYPES{.satfinite} d, a, b, c;  (f16: only DTYPE.CTYPE)
 * Both become one instruction, whose words say what was written: the layout of the fragments is the same (ir/mma.h). */
#include "front/ptx/lower_mma.h"

#include <stdio.h>
#include <string.h>

static const struct {
    enum mma_instruction instruction;
    uint16_t m, n, k;
    enum mma_family family;
} shapes[] = {
#define SHAPE(instruction, m, n, k, family) {instruction, m, n, k, family},
#include "front/ptx/shapes.def"
};

bool mma_shape(const struct stmt *s, enum mma_instruction of, enum mma_family f, struct ir_mma *to) {
    const struct mod *shape = lower_mod(s, MC_SHAPE);
    char text[24];
    for (size_t j = 0; shape && j < sizeof shapes / sizeof *shapes; j++) {
        snprintf(text, sizeof text, "m%un%uk%u", shapes[j].m, shapes[j].n, shapes[j].k);
        if (shapes[j].instruction != of || shapes[j].family != f || strcmp(text, shape->text) != 0) continue;
        to->m = shapes[j].m, to->n = shapes[j].n, to->k = shapes[j].k;
        return true;
    }
    return false;
}

static enum ir_mma_type type_of(enum mod_id id) {
    switch (id) {
    case MOD_F16: return IR_MT_F16;
    case MOD_BF16: return IR_MT_BF16;
    case MOD_TF32: return IR_MT_TF32;
    case MOD_F32: return IR_MT_F32;
    case MOD_F64: return IR_MT_F64;
    case MOD_E4M3: return IR_MT_E4M3;
    case MOD_E5M2: return IR_MT_E5M2;
    case MOD_S8: return IR_MT_S8;
    case MOD_U8: return IR_MT_U8;
    case MOD_S4: return IR_MT_S4;
    case MOD_U4: return IR_MT_U4;
    case MOD_B1: return IR_MT_B1;
    case MOD_S32: return IR_MT_S32;
    default: return IR_MT_COUNT;
    }
}

enum ir_mma_type mma_type(const struct stmt *s, unsigned n) {
    for (unsigned j = 0; j < s->nmods; j++)
        if (s->mods[j]->classes & MC_TYPE && !n--) return type_of((enum mod_id)s->mods[j]->id);
    return IR_MT_COUNT;
}

bool mma_family_of(enum ir_mma_type t, enum mma_family *f) {
    switch (t) {
    case IR_MT_F16: *f = HALF; return true;
    case IR_MT_BF16: *f = BF16; return true;
    case IR_MT_TF32: *f = TF32; return true;
    case IR_MT_E4M3:
    case IR_MT_E5M2: *f = FP8; return true;
    case IR_MT_F64: *f = F64; return true;
    case IR_MT_S8:
    case IR_MT_U8: *f = INT8; return true;
    case IR_MT_S4:
    case IR_MT_U4: *f = INT4; return true;
    case IR_MT_B1: *f = BITS; return true;
    default: return false;
    }
}

bool mma_major(const struct stmt *s, unsigned n, bool *column) {
    for (unsigned j = 0; j < s->nmods; j++)
        if (s->mods[j]->classes & MC_MAJOR && !n--) return *column = s->mods[j]->value, true;
    return false;
}

bool mma_registers(struct ptx *p, const struct opnd *o, unsigned n, enum ir_mma_type t, bool to,
                   ir_opnd *out) {
    const unsigned found = o->kind == OPND_VEC ? o->nelem : o->nvec;
    const enum ir_type type = t == IR_MT_F64 ? IR_T_F64 : t == IR_MT_F32 ? IR_T_F32 : IR_T_U32;
    if (found != n) return diag_error(&p->diag, o->at, "expected %u registers, found %u", n, found);
    for (unsigned j = 0; j < n; j++) {
        struct opnd one = o->kind == OPND_VEC ? o->elem[j] : *o;
        if (o->kind != OPND_VEC) one.reg += j, one.nvec = 1;
        if (!(to ? lower_dst : lower_src)(p, &one, type, &out[j])) return false;
    }
    return true;
}

unsigned mma_written(const struct ir_frag *f, enum ir_mma_type t) {
    return t == IR_MT_F16 ? MMA_REGS : ir_frag_regs(f);
}

/* ---- what was written ---- */

/* D, A, B and C; wmma of halves says D and C alone. */
static bool read_types(const struct stmt *s, enum mma_instruction of, struct ir_mma *to) {
    const bool two = of == WMMA && s->ntypes == 2;
    if (s->ntypes != 4 && !two) return false;
    to->d = mma_type(s, 0);
    to->a = two ? IR_MT_F16 : mma_type(s, 1);
    to->b = two ? IR_MT_F16 : mma_type(s, 2);
    to->c = mma_type(s, two ? 1 : 3);
    return true;
}

static bool is_acc(enum ir_mma_type t, enum mma_family f) {
    switch (f) {
    case HALF:
    case FP8: return t == IR_MT_F16 || t == IR_MT_F32;
    case BF16:
    case TF32: return t == IR_MT_F32;
    case F64: return t == IR_MT_F64;
    default: return t == IR_MT_S32;
    }
}

/* .satfinite where the manual has it, rounding for f64 alone, .xor.popc or .and.popc for bits alone. */
static bool extras_fit(const struct stmt *s, enum mma_instruction of, enum mma_family f) {
    const bool sat = lower_has(s, MC_SATFINITE), bits = lower_has(s, MC_BOOL) && lower_has(s, MC_POPC);
    if (sat && f != INT8 && f != INT4 && !(of == WMMA && f == HALF)) return false;
    if (lower_has(s, MC_RND) && f != F64) return false;
    return f == BITS ? bits && !lower_has_id(s, MOD_OR) : !lower_has(s, MC_BOOL | MC_POPC);
}

/* Rows of A and columns of B where the shape leaves no choice. */
static bool read_layouts(const struct stmt *s, enum mma_instruction of, enum mma_family f,
                         struct ir_mma *to) {
    bool a, b;
    if (!mma_major(s, 0, &a) || !mma_major(s, 1, &b)) return false;
    const bool quads = of == MMA && f == HALF && to->m == 8;
    const bool any = quads || (of == WMMA && f != INT4 && f != BITS);
    if (!any && (a || !b)) return false;
    to->flags = (a ? IR_MMA_A_COL : 0u) | (b ? 0u : IR_MMA_B_ROW) | (quads ? IR_MMA_QUADS : 0u);
    if (lower_has_id(s, MOD_AND)) to->flags |= IR_MMA_AND;
    return true;
}

static bool read_product(struct stmt *s, enum mma_instruction of, struct ir_mma *to) {
    enum mma_family f, other;
    if (!lower_has(s, MC_SYNC) || !lower_has(s, MC_ALIGNED) || !read_types(s, of, to)) return false;
    if (!mma_family_of(to->a, &f) || !mma_family_of(to->b, &other) || f != other) return false;
    if (!is_acc(to->c, f) || !is_acc(to->d, f) || !extras_fit(s, of, f)) return false;
    return mma_shape(s, of, f, to) && read_layouts(s, of, f, to);
}

/* ---- operands ---- */

static bool fragment(struct ptx *p, const struct opnd *o, const struct ir_frag *f, enum mma_instruction of,
                     enum ir_mma_type t, ir_opnd *to, unsigned *n) {
    ir_opnd all[MMA_REGS];
    const unsigned written = of == WMMA ? mma_written(f, t) : ir_frag_regs(f);
    if (!mma_registers(p, o, written, t, false, all)) return false;
    for (unsigned j = 0; j < ir_frag_regs(f); j++) to[(*n)++] = all[j];
    return true;
}

static int operation(const struct ir_mma *s) {
    return s->d == IR_MT_F64   ? IR_MMA_F64
           : s->d == IR_MT_S32 ? IR_MMA_INT
           : s->d == IR_MT_F16 ? IR_MMA_F16
                               : IR_MMA_F32;
}

static void lower_mma_emit(struct ptx *p, struct stmt *s, const struct ir_mma *m, unsigned nd,
                           const ir_opnd *d, unsigned n, const ir_opnd *from) {
    const struct mod *round = lower_mod(s, MC_RND);
    struct ir_insn *i = lower_emit(p, operation(m));
    lower_opnds(i, nd, 0, d);
    i->sub = (uint8_t)m->flags;
    i->mods = (uint16_t)((round ? round->value : 0u) | (lower_has(s, MC_SATFINITE) ? IR_M_SAT : 0u));
    i->ext = (uint32_t)p->m->ext.n;
    VEC_PUSH(&p->m->ext, m->m | m->n << 8 | m->k << 16);
    VEC_PUSH(&p->m->ext, (uint32_t)m->a | (uint32_t)m->b << 8 | (uint32_t)m->c << 16 | (uint32_t)m->d << 24);
    VEC_PUSH(&p->m->ext, n);
    for (unsigned j = 0; j < n; j++) VEC_PUSH(&p->m->ext, from[j]);
}

static bool lower_mma_multiply(struct ptx *p, struct stmt *s, enum mma_instruction of) {
    struct ir_mma m;
    ir_opnd d[MMA_REGS], from[3 * MMA_REGS];
    unsigned n = 0;
    if (!read_product(s, of, &m)) return lower_unsupported(p, s, "no such shape, layout and types together");
    if (!lower_count(p, s, 4, 4)) return false;
    struct ir_frag a = ir_frag_a(&m), b = ir_frag_b(&m);
    if (m.flags & IR_MMA_QUADS) a = b = (struct ir_frag){.passes = 1, .groups = 2};
    const unsigned nd = ir_mma_acc_regs(&m, m.d), nc = ir_mma_acc_regs(&m, m.c);
    if (!mma_registers(p, &s->o[0], nd, m.d, true, d)) return false;
    if (!fragment(p, &s->o[1], &a, of, m.a, from, &n) || !fragment(p, &s->o[2], &b, of, m.b, from, &n))
        return false;
    if (!mma_registers(p, &s->o[3], nc, m.c, false, from + n)) return false;
    lower_mma_emit(p, s, &m, nd, d, n + nc, from);
    return true;
}

bool lower_mma(struct ptx *p, struct stmt *s) {
    return lower_mma_multiply(p, s, MMA);
}

bool lower_wmma(struct ptx *p, struct stmt *s) {
    if (lower_has_id(s, MOD_WMMA_LOAD)) return lower_wmma_load(p, s);
    if (lower_has_id(s, MOD_WMMA_STORE)) return lower_wmma_store(p, s);
    if (!lower_has_id(s, MOD_WMMA_MMA)) return lower_unsupported(p, s, "");
    return lower_mma_multiply(p, s, WMMA);
}
