/* Addresses: of memory operands, and of symbols as values. A symbol's address is a constant that ir_reloc fills in when
 * the program is placed; a frame variable's is computed, since every activation has its own. */
#include "front/ptx/lower.h"

/* id remembers the function that has it in its list already. */
static void use_shared(struct ptx *p, struct sym *s) {
    if (s->id == p->b.func + 1) return;
    s->id = p->b.func + 1;
    VEC_PUSH(&p->b.shared, s->index);
}

/* One constant per symbol, addend and file. The key is mixed from all of them; should two mix to the same key, the
 * entry is checked against the relocation itself and the second simply gets constants of its own. */
ir_opnd lower_reloc(struct ptx *p, enum ir_reloc_kind kind, uint32_t symbol, int64_t addend, enum ir_file f) {
    struct ir_module *m = p->m;
    uint8_t bytes = f == IR_FILE_64 ? 8 : 4;
    uint64_t key = (uint64_t)symbol << 8 | (uint64_t)kind << 4 | bytes;
    bool is_new;
    key ^= (uint64_t)addend * 0x9e3779b97f4a7c15u;
    uint32_t *slot = map64_at(&p->krel, key, &is_new);
    if (!is_new) {
        const struct ir_reloc *r = &m->relocs.v[*slot];
        if (r->kind == kind && r->symbol == symbol && r->addend == addend && r->bytes == bytes)
            return ir_const(f, r->constant);
    }
    struct ir_reloc r = {.kind = (uint8_t)kind, .bytes = bytes, .symbol = symbol, .addend = addend};
    r.constant = (uint32_t)(f == IR_FILE_64 ? m->k64.n : m->k32.n);
    if (f == IR_FILE_64)
        VEC_PUSH(&m->k64, 0);
    else
        VEC_PUSH(&m->k32, 0);
    *slot = (uint32_t)m->relocs.n;
    VEC_PUSH(&m->relocs, r);
    return ir_const(f, r.constant);
}

static bool is_disp(int64_t disp) {
    return disp >= INT32_MIN && disp <= INT32_MAX - ADDR_ROOM;
}

bool lower_offset(const struct opnd *o, int32_t *out) {
    int64_t at;
    if (__builtin_add_overflow(o->disp, (int64_t)o->sym->offset, &at) || !is_disp(at)) return false;
    *out = (int32_t)at;
    return true;
}

static bool lower_addr_too_large(struct ptx *p, const struct opnd *o) {
    return diag_error(&p->diag, o->at, "the offset %lld from %.*s is too large", (long long)o->disp,
                      (int)o->sym->len, o->sym->name);
}

static bool frame_address(struct ptx *p, const struct opnd *o, enum ir_file f, ir_opnd *out) {
    int32_t at;
    if (!lower_offset(o, &at)) return lower_addr_too_large(p, o);
    *out = lower_temp(p, f);
    struct ir_insn *i = lower_emit_always(p, f == IR_FILE_64 ? IR_FRAME_U64 : IR_FRAME_U32);
    i->disp = at;
    lower_opnds(i, 1, 0, out);
    return true;
}

bool lower_symbol(struct ptx *p, const struct opnd *o, enum ir_file f, ir_opnd *out) {
    const struct sym *s = o->sym;
    switch (s->kind) {
    case SYM_VAR:
        if (p->m->vars.v[s->index].space == IR_SP_SHARED) use_shared(p, o->sym);
        *out = lower_reloc(p, IR_RELOC_VAR, s->index, o->disp, f);
        return true;
    case SYM_FUNC:
        p->m->funcs.v[s->index].address_taken = true;
        VEC_PUSH(&p->funcrefs, (struct funcref){s->index, o->at});
        *out = lower_reloc(p, IR_RELOC_FUNC, s->index, o->disp, f);
        return true;
    case SYM_KPARAM: *out = lower_const(p, f, s->offset + (uint64_t)o->disp); return true;
    case SYM_FRAME: return frame_address(p, o, f, out);
    default: return diag_error(&p->diag, o->at, "%.*s has no address", (int)s->len, s->name);
    }
}

static const char *space_word(unsigned space) {
    return space == IR_SP_FRAME ? "local or .param" : ir_space_name[space];
}

/* The space a symbol lives in must be the one written; a generic access takes the symbol's own. */
static bool check_space(struct ptx *p, const struct opnd *o, enum ir_space own, enum ir_space written) {
    bool frame = own == IR_SP_FRAME && (written == IR_SP_LOCAL || written == IR_SP_PARAM);
    if (written == IR_SP_GENERIC || written == own || frame) return true;
    return diag_error(&p->diag, o->at, "%.*s is a .%s variable, the access is to .%s", (int)o->sym->len,
                      o->sym->name, space_word(own), ir_space_name[written]);
}

static bool symbol_address(struct ptx *p, const struct opnd *o, enum ir_space space, struct addr *out) {
    const struct sym *s = o->sym;
    if (s->kind == SYM_FRAME) {
        out->space = IR_SP_FRAME;
        out->base = IR_NONE;
        return check_space(p, o, IR_SP_FRAME, space) &&
               (lower_offset(o, &out->disp) || lower_addr_too_large(p, o));
    }
    if (s->kind == SYM_KPARAM) {
        out->space = IR_SP_PARAM;
        out->base = lower_const(p, lower_addr_file(p), 0);
        return check_space(p, o, IR_SP_PARAM, space) &&
               (lower_offset(o, &out->disp) || lower_addr_too_large(p, o));
    }
    if (s->kind != SYM_VAR) return diag_error(&p->diag, o->at, "%.*s is no variable", (int)s->len, s->name);
    out->space = (enum ir_space)p->m->vars.v[s->index].space;
    if (!check_space(p, o, out->space, space)) return false;
    if (out->space == IR_SP_SHARED) use_shared(p, o->sym);
    const bool small = is_disp(o->disp);
    out->disp = small ? (int32_t)o->disp : 0;
    out->base = lower_reloc(p, IR_RELOC_VAR, s->index, small ? 0 : o->disp, lower_addr_file(p));
    return true;
}

/* Addresses in .global and generic space have the module's size; the others may be 32 bits wide in any module. */
static bool register_address(struct ptx *p, const struct opnd *o, enum ir_space space, struct addr *out) {
    if (!lower_reg(p, o)) return false;
    bool fits = o->bits == p->m->address_bits ||
                (o->bits == 32 && space != IR_SP_GENERIC && space != IR_SP_GLOBAL) ||
                (o->bits == 64 && p->m->address_bits == 32);
    if (ir_file(o->reg) == IR_FILE_P || !fits)
        return diag_error(&p->diag, o->at, "expected a %u-bit register as address", p->m->address_bits);
    out->base = o->reg;
    out->space = space;
    /* In a function .param variables are frame variables, so a pointer to one is a local address. */
    if (space == IR_SP_PARAM && !p->b.kernel) out->space = IR_SP_LOCAL;
    if (is_disp(o->disp)) {
        out->disp = (int32_t)o->disp;
        return true;
    }
    bool wide = o->bits == 64;
    out->base = lower_temp(p, wide ? IR_FILE_64 : IR_FILE_32);
    out->disp = 0;
    ir_opnd k = lower_const(p, wide ? IR_FILE_64 : IR_FILE_32, (uint64_t)o->disp);
    lower_opnds(lower_emit_always(p, wide ? IR_ADD_U64 : IR_ADD_U32), 1, 2,
                (ir_opnd[]){out->base, o->reg, k});
    return true;
}

bool lower_address(struct ptx *p, const struct opnd *o, enum ir_space space, struct addr *out) {
    if (o->kind != OPND_ADDR) return diag_error(&p->diag, o->at, "expected an address in [ ]");
    if (o->nelem != 1)
        return diag_error(&p->diag, o->at, "expected one address in [ ], found %u parts", o->nelem);
    const struct opnd *base = &o->elem[0];
    switch (base->kind) {
    case OPND_REG: return register_address(p, base, space, out);
    case OPND_SYM: return symbol_address(p, base, space, out);
    case OPND_IMM:
        if (base->v.kind != VAL_INT) return diag_error(&p->diag, base->at, "an address must be an integer");
        *out = (struct addr){lower_const(p, lower_addr_file(p), base->v.u), 0, space};
        if (space == IR_SP_PARAM && !p->b.kernel) out->space = IR_SP_LOCAL;
        return true;
    case OPND_NAME:
        return diag_error(&p->diag, base->at, "%.*s is not declared", base->len < 60 ? (int)base->len : 60,
                          base->at);
    default: return diag_error(&p->diag, base->at, "expected a register, variable or number as address");
    }
}
