/* Memory: ld, ldu, st, atom, red, prefetch, fences and hints. Memory order and scope change nothing functionally; they
 * are kept for who asks which accesses are ordered (exec/race/races.h). */
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

static void lower_mem_set_access(struct ir_insn *i, const struct stmt *s, const struct addr *a,
                                 enum ir_cop plain) {
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
    if (s->ntypes == 1 && s->types[0] == PT_B128 && *vec == 1) {
        *t = IR_T_U64;
        *vec = 2;
        return true;
    }
    if (!lower_one_type(p, s, t)) return false;
    if (*t == IR_T_P || (*vec > 4 && ir_type_bytes[*t] != 4)) return lower_unsupported(p, s, "");
    if (*vec * ir_type_bytes[*t] > 32) return lower_unsupported(p, s, "an access has at most 32 bytes");
    return true;
}

/* The registers of a vector operand, or the one register of a scalar one. */
static bool lower_mem_elements(struct ptx *p, const struct opnd *o, unsigned vec, struct opnd *out) {
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
    lower_mem_set_access(i, s, a, IR_COP_CA);
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
    struct opnd d[8];
    struct addr a;
    if (!access_type(p, s, &t, &vec) || !count_with_hint(p, s, 2)) return false;
    if (!lower_mem_elements(p, &s->o[0], vec, d) || !lower_address(p, &s->o[1], space_of(s), &a))
        return false;
    for (unsigned i = 0; i < vec; i++)
        if (!ld_destination(p, &d[i], t)) return false;
    if (vec < 8) return ld_emit(p, s, t, vec, d, &a);
    struct addr upper = a; /* two halves: an instruction has room for half as many */
    upper.disp += 16;
    return ld_emit(p, s, t, 4, d, &a) && ld_emit(p, s, t, 4, d + 4, &upper);
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

static void st_emit(struct ptx *p, struct stmt *s, enum ir_type t, unsigned vec, const struct addr *a,
                    const ir_opnd *v) {
    ir_opnd o[5] = {a->base};
    for (unsigned i = 0; i < vec; i++) o[i + 1] = v[i];
    struct ir_insn *i = lower_emit(p, st_row(t));
    lower_opnds(i, 0, vec + 1, o);
    i->vec = (uint8_t)vec;
    lower_mem_set_access(i, s, a, IR_COP_WB);
}

/* st.async, red.async ... [a], b, [mbar]: the store, and bytes that the mbarrier counts. */
static bool count_bytes(struct ptx *p, struct stmt *s, unsigned bytes) {
    struct addr bar;
    if (!lower_address(p, &s->o[2], IR_SP_SHARED, &bar)) return false;
    struct ir_insn *i = lower_emit(p, IR_MBAR);
    lower_opnds(i, 1, 2, (ir_opnd[]){IR_NONE, bar.base, lower_const(p, IR_FILE_32, bytes)});
    i->sub = IR_MBAR_COMPLETE_TX;
    i->space = IR_SP_SHARED;
    i->disp = bar.disp;
    i->order = IR_RELEASE | IR_ORDER_CTA;
    return true;
}

static bool is_async(const struct stmt *s) {
    return lower_has_id(s, MOD_ASYNC) && lower_has_id(s, MOD_COMPLETE_TX_BYTES) &&
           space_of(s) == IR_SP_SHARED;
}

bool lower_st(struct ptx *p, struct stmt *s) {
    enum ir_type t;
    unsigned vec;
    struct opnd v[8];
    struct addr a;
    ir_opnd o[8];
    const bool async = is_async(s);
    if (lower_has(s, MC_WORD) && !async) return lower_unsupported(p, s, "");
    if (async && !lower_count(p, s, 3, 3)) return false;
    if (async) s->nops = 2;
    if (!access_type(p, s, &t, &vec) || !count_with_hint(p, s, 2)) return false;
    if (!lower_address(p, &s->o[0], space_of(s), &a) || !lower_mem_elements(p, &s->o[1], vec, v))
        return false;
    if (a.space == IR_SP_CONST || a.space == IR_SP_PARAM)
        return diag_error(&p->diag, s->o[0].at, "this memory cannot be written");
    for (unsigned i = 0; i < vec; i++)
        if (!lower_src_wide(p, &v[i], t, &o[i])) return false;
    st_emit(p, s, t, vec < 8 ? vec : 4, &a, o);
    a.disp += 16;
    if (vec == 8) st_emit(p, s, t, 4, &a, o + 4);
    return !async || count_bytes(p, s, vec * ir_type_bytes[t]);
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

/* One element: the k-th of vectors. */
static bool atom_emit(struct ptx *p, struct stmt *s, int op, const struct mod *m, const struct addr *a,
                      unsigned n, const ir_opnd *o) {
    struct ir_insn *i = lower_emit(p, op);
    lower_opnds(i, 1, n - 1, o);
    i->sub = m->value;
    lower_mem_set_access(i, s, a, IR_COP_CA);
    return true;
}

/* atom.exch.b128 d, [a], b;  atom.cas.b128 d, [a], b, c; */
static bool atom_128(struct ptx *p, struct stmt *s, const struct mod *m) {
    const bool cas = m && m->value == IR_AT_CAS;
    struct opnd part[2];
    struct addr a;
    ir_opnd o[7];
    if (!m || (!cas && m->value != IR_AT_EXCH) || s->form->nsrc == 1 || lower_has(s, MC_VEC))
        return lower_unsupported(p, s, "");
    if (!count_with_hint(p, s, 3u + cas) || !lower_address(p, &s->o[1], space_of(s), &a)) return false;
    o[2] = a.base;
    for (unsigned k = 0; k < 3u + cas; k++) {
        ir_opnd *to = k ? &o[2 * k - 1] : o;
        if (k == 1) continue; /* the address */
        if (!lower_mem_elements(p, &s->o[k], 2, part)) return false;
        for (unsigned h = 0; h < 2; h++)
            if (!(k ? lower_src : lower_dst)(p, &part[h], IR_T_U64, &to[h])) return false;
    }
    struct ir_insn *i = lower_emit(p, IR_ATOM_B128);
    lower_opnds(i, 2, 3u + 2u * cas, o);
    i->sub = m->value;
    i->vec = 2;
    lower_mem_set_access(i, s, &a, IR_COP_CA);
    return true;
}

static bool vector_allowed(enum ir_type t, enum ir_atom op, unsigned vec) {
    const bool half = ir_type_float(t) && (ir_type_bytes[t] == 2 || t == IR_T_F16X2 || t == IR_T_BF16X2);
    return vec * ir_type_bytes[t] <= 16 && (half ? op <= IR_AT_MAX : t == IR_T_F32 && op == IR_AT_ADD);
}

bool lower_atom(struct ptx *p, struct stmt *s) {
    const struct mod *m = lower_mod(s, MC_ATOM), *v = lower_mod(s, MC_VEC);
    const bool red = s->form->nsrc == 1, async = red && is_async(s);
    const unsigned first = red ? 0 : 1, vec = v ? v->value : 1; /* first: operand that is the address */
    enum ir_type t;
    struct addr a;
    struct opnd d[8], b[8];
    if (s->ntypes == 1 && s->types[0] == PT_B128) return atom_128(p, s, m);
    if (!lower_one_type(p, s, &t)) return false;
    int op = ptx_find_op(p, "atom", t);
    if (!m || op < 0 || lower_has(s, MC_COP) || (lower_has(s, MC_WORD) && !async) ||
        !(v ? vector_allowed(t, (enum ir_atom)m->value, vec) : atom_allowed((enum ir_atom)m->value, t)))
        return lower_unsupported(p, s, "");
    const bool cas = m->value == IR_AT_CAS;
    if (red && (cas || m->value == IR_AT_EXCH)) return lower_unsupported(p, s, "");
    if (async && !lower_count(p, s, 3, 3)) return false;
    if (async) s->nops = 2;
    if (!count_with_hint(p, s, first + 2 + cas) || !lower_address(p, &s->o[first], space_of(s), &a))
        return false;
    if (a.space != IR_SP_GENERIC && a.space != IR_SP_GLOBAL && a.space != IR_SP_SHARED)
        return diag_error(&p->diag, s->o[first].at, "atomics work on .global and .shared memory");
    const bool unused = red || s->o[0].kind == OPND_SINK;
    if ((!unused && !lower_mem_elements(p, &s->o[0], vec, d)) ||
        !lower_mem_elements(p, &s->o[first + 1], vec, b))
        return false;
    for (unsigned k = 0; k < vec; k++, a.disp += ir_type_bytes[t]) {
        ir_opnd o[4] = {IR_NONE, a.base};
        if (!lower_dst_or_none(p, unused ? NULL : &d[k], t, &o[0]) || !lower_src(p, &b[k], t, &o[2]) ||
            (cas && !lower_src(p, &s->o[first + 2], t, &o[3])))
            return false;
        atom_emit(p, s, op, m, &a, 3u + cas, o);
    }
    return !async || count_bytes(p, s, ir_type_bytes[t]);
}

/* ---- no functional effect ---- */

bool lower_prefetch(struct ptx *p, struct stmt *s) {
    struct addr a;
    if (!lower_count(p, s, 1, 1) || !lower_address(p, &s->o[0], space_of(s), &a)) return false;
    struct ir_insn *i = lower_emit(p, IR_PREFETCH);
    lower_opnds(i, 0, 1, &a.base);
    lower_mem_set_access(i, s, &a, IR_COP_CA);
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
