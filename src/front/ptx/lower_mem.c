/* Memory: ld, ldu, st, atom, red, prefetch, fences and hints. Memory order and scope change nothing functionally; they
 * are kept for who asks which accesses are ordered (exec/races.h). */
#include "front/ptx/lower.h"

static enum ir_space space_of(const struct stmt *s) {
    const struct mod *m = lower_mod(s, MC_SPACE);
    return m ? (enum ir_space)m->value : IR_SP_GENERIC;
}

static uint8_t cop_of(const struct stmt *s, enum ir_cop plain) {
    const struct mod *cop = lower_mod(s, MC_COP), *sem = lower_mod(s, MC_SEM);
    if (lower_has(s, MC_NC)) return IR_COP_NC;
    if (cop) return cop->value;
    if (lower_has(s, MC_MMIO) || (sem && sem->id != MOD_WEAK && sem->id != MOD_VOLATILE))
        return IR_COP_ORDERED;
    return (uint8_t)plain;
}

static uint8_t order_of(const struct stmt *s) {
    static const struct {
        enum mod_id id;
        enum ir_order order;
    } known[] = {{MOD_RELAXED, IR_RELAXED},
                 {MOD_ACQUIRE, IR_ACQUIRE},
                 {MOD_RELEASE, IR_RELEASE},
                 {MOD_ACQ_REL, IR_ACQ_REL},
                 {MOD_SC, IR_ACQ_REL}};
    unsigned order = IR_WEAK;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (lower_has_id(s, known[k].id)) order = known[k].order;
    if (order == IR_WEAK && lower_has(s, MC_MMIO)) order = IR_RELAXED;
    return (uint8_t)(order | (lower_has_id(s, MOD_CTA) ? IR_ORDER_CTA : 0));
}

static void set_access(struct ir_insn *i, const struct stmt *s, const struct addr *a, enum ir_cop plain) {
    i->space = (uint8_t)a->space;
    i->disp = a->disp;
    i->cop = cop_of(s, plain);
    i->order = order_of(s);
    if (lower_has_id(s, MOD_VOLATILE)) i->mods |= IR_M_VOLATILE;
}

/* The cache hint is one operand more, which means nothing here. */
static bool count_with_hint(struct ptx *p, struct stmt *s, unsigned n) {
    bool hint = lower_has(s, MC_HINT);
    if (!lower_count(p, s, n + hint, n + hint)) return false;
    ir_opnd policy;
    return !hint || lower_src(p, &s->o[n], IR_T_U64, &policy);
}

static bool access_type(struct ptx *p, struct stmt *s, enum ir_type *t, unsigned *vec) {
    const struct mod *v = lower_mod(s, MC_VEC);
    *vec = v ? v->value : 1;
    if (!lower_one_type(p, s, t)) return false;
    if (*vec > 4 || *t == IR_T_P) return lower_unsupported(p, s, "");
    if (*vec * ir_type_bytes[*t] > 16) return lower_unsupported(p, s, "an access has at most 16 bytes");
    return true;
}

/* The registers of a vector operand, or the one register of a scalar one. */
static bool elements(struct ptx *p, const struct opnd *o, unsigned vec, struct opnd *out) {
    unsigned n = o->kind == OPND_VEC ? o->nelem : o->nvec;
    if (vec == 1 && o->kind == OPND_VEC && n != 1)
        return diag_error(&p->diag, o->at, "expected one register, found a vector");
    if (n != vec) return diag_error(&p->diag, o->at, "expected a vector of %u elements, found %u", vec, n);
    for (unsigned i = 0; i < n; i++) {
        out[i] = o->kind == OPND_VEC ? o->elem[i] : *o;
        if (o->kind != OPND_VEC) out[i].reg += i, out[i].nvec = 1;
    }
    return true;
}

/* ---- ld ---- */

static int ld_row(enum ir_type t, unsigned reg_bits) {
    switch (ir_type_bytes[t]) {
    case 1: return t == IR_T_S8 ? IR_LD_S8 : IR_LD_U8;
    /* Into a 16-bit register there is nothing to extend, and it must stay zero-extended. */
    case 2: return t == IR_T_S16 && reg_bits > 16 ? IR_LD_S16 : IR_LD_U16;
    case 4: return t == IR_T_S32 && reg_bits == 64 ? IR_LD_S32 : IR_LD_U32;
    default: return IR_LD_U64;
    }
}

static bool ld_destination(struct ptx *p, const struct opnd *d, enum ir_type t) {
    if (d->kind == OPND_SINK) return true;
    if (!lower_reg(p, d)) return false;
    unsigned bits = ir_type_bytes[t] * 8u;
    if (ir_file(d->reg) == IR_FILE_P || d->bits < bits)
        return diag_error(&p->diag, d->at, "expected a register of at least %u bits, %.*s is %s", bits,
                          (int)d->len, d->at, ir_file(d->reg) == IR_FILE_P ? "a predicate" : "narrower");
    return true;
}

/* The widest register decides the file of all; elements declared narrower are cut to size afterwards. */
static bool ld_emit(struct ptx *p, struct stmt *s, enum ir_type t, unsigned vec, const struct opnd *d,
                    const struct addr *a) {
    ir_opnd o[5];
    unsigned widest = ir_type_bytes[t] == 8 ? 64 : 0;
    bool fix[4] = {false};
    for (unsigned i = 0; i < vec; i++)
        if (d[i].kind == OPND_REG && d[i].bits > widest) widest = d[i].bits;
    enum ir_file f = widest == 64 ? IR_FILE_64 : IR_FILE_32;
    for (unsigned i = 0; i < vec; i++) {
        bool reg = d[i].kind == OPND_REG, same = reg && ir_file(d[i].reg) == f;
        o[i] = same ? d[i].reg : lower_temp(p, f);
        /* A sign-extended value in a narrow register of a wide file, or in another file. */
        fix[i] = reg && (!same || (ir_type_signed(t) && d[i].bits < 32 && widest > d[i].bits) ||
                         (t == IR_T_S8 && d[i].bits == 16));
    }
    o[vec] = a->base;
    struct ir_insn *i = lower_emit(p, ld_row(t, widest));
    lower_opnds(i, vec, 1, o);
    i->vec = (uint8_t)vec;
    set_access(i, s, a, IR_COP_CA);
    for (unsigned k = 0; k < vec; k++) {
        if (!fix[k]) continue;
        enum ir_type to = d[k].bits == 16 ? IR_T_U16 : d[k].bits == 8 ? IR_T_U8 : IR_T_U32;
        lower_opnds(lower_emit(p, p->cvt[to][f == IR_FILE_64 ? IR_T_U64 : IR_T_U32]), 1, 1,
                    (ir_opnd[]){d[k].reg, o[k]});
    }
    return true;
}

bool lower_ld(struct ptx *p, struct stmt *s) {
    enum ir_type t;
    unsigned vec;
    struct opnd d[4];
    struct addr a;
    if (!access_type(p, s, &t, &vec) || !count_with_hint(p, s, 2)) return false;
    if (!elements(p, &s->o[0], vec, d) || !lower_address(p, &s->o[1], space_of(s), &a)) return false;
    for (unsigned i = 0; i < vec; i++)
        if (!ld_destination(p, &d[i], t)) return false;
    return ld_emit(p, s, t, vec, d, &a);
}

/* ---- st ---- */

static int st_row(enum ir_type t) {
    switch (ir_type_bytes[t]) {
    case 1: return IR_ST_U8;
    case 2: return IR_ST_U16;
    case 4: return IR_ST_U32;
    default: return IR_ST_U64;
    }
}

bool lower_st(struct ptx *p, struct stmt *s) {
    enum ir_type t;
    unsigned vec;
    struct opnd v[4];
    struct addr a;
    ir_opnd o[5];
    if (!access_type(p, s, &t, &vec) || !count_with_hint(p, s, 2)) return false;
    if (!lower_address(p, &s->o[0], space_of(s), &a) || !elements(p, &s->o[1], vec, v)) return false;
    if (a.space == IR_SP_CONST || a.space == IR_SP_PARAM)
        return diag_error(&p->diag, s->o[0].at, "this memory cannot be written");
    o[0] = a.base;
    for (unsigned i = 0; i < vec; i++)
        if (!lower_src_wide(p, &v[i], t, &o[i + 1])) return false;
    struct ir_insn *i = lower_emit(p, st_row(t));
    lower_opnds(i, 0, vec + 1, o);
    i->vec = (uint8_t)vec;
    set_access(i, s, &a, IR_COP_WB);
    return true;
}

/* ---- atom, red ---- */

static bool atom_allowed(enum ir_atom op, enum ir_type t) {
    bool f = ir_type_float(t), word = !f && ir_type_bytes[t] >= 4;
    switch (op) {
    case IR_AT_ADD: return f || word;
    case IR_AT_MIN:
    case IR_AT_MAX: return word;
    case IR_AT_AND:
    case IR_AT_OR:
    case IR_AT_XOR: return word && !ir_type_signed(t);
    case IR_AT_EXCH: return word;
    case IR_AT_CAS: return word || t == IR_T_U16;
    case IR_AT_INC:
    case IR_AT_DEC: return t == IR_T_U32;
    }
    return false;
}

bool lower_atom(struct ptx *p, struct stmt *s) {
    const struct mod *m = lower_mod(s, MC_ATOM);
    bool red = s->form->nsrc == 1;
    unsigned first = red ? 0 : 1; /* operand that is the address */
    enum ir_type t;
    struct addr a;
    ir_opnd o[4];
    if (!lower_one_type(p, s, &t)) return false;
    int op = ptx_find_op(p, "atom", t);
    if (!m || op < 0 || lower_has(s, MC_VEC | MC_COP) || !atom_allowed((enum ir_atom)m->value, t))
        return lower_unsupported(p, s, "");
    bool cas = m->value == IR_AT_CAS;
    if (red && (cas || m->value == IR_AT_EXCH)) return lower_unsupported(p, s, "");
    if (!count_with_hint(p, s, first + 2 + cas)) return false;
    if (!lower_dst_or_none(p, red ? NULL : &s->o[0], t, &o[0]) ||
        !lower_address(p, &s->o[first], space_of(s), &a))
        return false;
    if (a.space != IR_SP_GENERIC && a.space != IR_SP_GLOBAL && a.space != IR_SP_SHARED)
        return diag_error(&p->diag, s->o[first].at, "atomics work on .global and .shared memory");
    o[1] = a.base;
    for (unsigned i = 0; i < 1u + cas; i++)
        if (!lower_src(p, &s->o[first + 1 + i], t, &o[2 + i])) return false;
    struct ir_insn *i = lower_emit(p, op);
    lower_opnds(i, 1, 2 + cas, o);
    i->sub = m->value;
    set_access(i, s, &a, IR_COP_CA);
    return true;
}

/* ---- no functional effect ---- */

bool lower_prefetch(struct ptx *p, struct stmt *s) {
    struct addr a;
    if (!lower_count(p, s, 1, 1) || !lower_address(p, &s->o[0], space_of(s), &a)) return false;
    struct ir_insn *i = lower_emit(p, IR_PREFETCH);
    lower_opnds(i, 0, 1, &a.base);
    set_access(i, s, &a, IR_COP_CA);
    return true;
}

static bool nop(struct ptx *p, enum ir_nop which) {
    lower_emit(p, IR_NOP)->sub = (uint8_t)which;
    return true;
}

/* discard.global.L2 [a], 128; applypriority... [a], 128; */
bool lower_hint(struct ptx *p, struct stmt *s) {
    struct addr a;
    uint64_t size;
    if (!lower_count(p, s, 2, 2) || !lower_address(p, &s->o[0], space_of(s), &a) ||
        !lower_imm(p, &s->o[1], 128, &size))
        return false;
    return nop(p, IR_NOP_HINT);
}

bool lower_membar(struct ptx *p, struct stmt *s) {
    if (s->nops) return lower_unsupported(p, s, "");
    lower_emit(p, IR_MEMBAR)->order = lower_has_id(s, MOD_CTA) ? IR_ORDER_CTA : 0;
    return true;
}

bool lower_nanosleep(struct ptx *p, struct stmt *s) {
    ir_opnd t;
    return lower_count(p, s, 1, 1) && lower_src(p, &s->o[0], IR_T_U32, &t) && nop(p, IR_NOP_NANOSLEEP);
}

bool lower_pmevent(struct ptx *p, struct stmt *s) {
    uint64_t which;
    return lower_count(p, s, 1, 1) && lower_imm(p, &s->o[0], 0xffff, &which) && nop(p, IR_NOP_PMEVENT);
}
