/* Common ground of the handlers: emitting, temporaries, constants, operands of a given type. See lower.h for what the
 * emitted instructions promise. */
#include "front/ptx/lower.h"

#include <stdio.h>
#include <string.h>

#include "base/bits.h"

static struct ir_insn *ptx_lower_emit(struct ptx *p, int op, uint32_t guard) {
    struct ir_module *m = p->m;
    VEC_PUSH(&m->code, (struct ir_insn){.op = (uint16_t)op, .vec = 1, .line = p->b.line, .rpc = IR_NOPC});
    VEC_PUSH(&m->src, p->b.loc);
    struct ir_insn *i = &m->code.v[m->code.n - 1];
    i->guard = (uint16_t)((guard & IR_GUARD_INDEX) | (guard & GUARD_NEG ? IR_GUARD_NEG : 0));
    i->guard_hi = (uint8_t)((guard & ~GUARD_NEG) >> 15);
    for (int k = 0; k < 8; k++) i->o[k] = IR_NONE;
    return i;
}

struct ir_insn *lower_emit(struct ptx *p, int op) {
    return ptx_lower_emit(p, op, p->b.guard);
}
struct ir_insn *lower_emit_always(struct ptx *p, int op) {
    return ptx_lower_emit(p, op, 0);
}

void lower_opnds(struct ir_insn *i, unsigned nd, unsigned ns, const ir_opnd *o) {
    i->nd = (uint8_t)nd;
    i->ns = (uint8_t)ns;
    memcpy(i->o, o, (nd + ns) * sizeof *o);
}

ir_opnd lower_temp(struct ptx *p, enum ir_file f) {
    return ir_reg(f, p->b.nvirt[f]++);
}

ir_opnd lower_const(struct ptx *p, enum ir_file f, uint64_t v) {
    bool is_new;
    if (f == IR_FILE_32) v = (uint32_t)v;
    uint32_t *k = map64_at(f == IR_FILE_64 ? &p->k64 : &p->k32, v, &is_new);
    if (is_new && f == IR_FILE_64) {
        *k = (uint32_t)p->m->k64.n;
        VEC_PUSH(&p->m->k64, v);
    } else if (is_new) {
        *k = (uint32_t)p->m->k32.n;
        VEC_PUSH(&p->m->k32, (uint32_t)v);
    }
    return ir_const(f, *k);
}

enum ir_file lower_file(unsigned type) {
    return type == IR_T_P ? IR_FILE_P : ir_type_bytes[type] == 8 ? IR_FILE_64 : IR_FILE_32;
}
enum ir_file lower_addr_file(const struct ptx *p) {
    return p->m->address_bits == 64 ? IR_FILE_64 : IR_FILE_32;
}
enum ir_type lower_addr_type(const struct ptx *p) {
    return p->m->address_bits == 64 ? IR_T_U64 : IR_T_U32;
}

/* ---- the statement ---- */

/* A trap stands for the instruction, so that the rest of the function keeps its shape. */
bool lower_unsupported(struct ptx *p, struct stmt *s, const char *why) {
    p->b.guard = s->guard;
    p->b.line = s->line;
    lower_emit(p, IR_TRAP);
    return diag_refuse(&p->diag, p->b.func, s->at, s->len, why);
}

bool lower_refuse(struct ptx *p, struct stmt *s) {
    return lower_unsupported(p, s, "");
}

bool lower_count(struct ptx *p, struct stmt *s, unsigned min, unsigned max) {
    if (s->nops >= min && s->nops <= max) return true;
    char want[32];
    snprintf(want, sizeof want, min == max ? "%u" : "%u to %u", min, max);
    return diag_error(&p->diag, s->at, "%.*s takes %s operand%s, found %u", (int)s->base_len, s->at, want,
                      max == 1 ? "" : "s", s->nops);
}

const struct mod *lower_mod(const struct stmt *s, uint64_t cls) {
    if (!(s->classes & cls)) return NULL;
    for (unsigned i = 0; i < s->nmods; i++)
        if (s->mods[i]->classes & cls) return s->mods[i];
    return NULL;
}

bool lower_has_id(const struct stmt *s, enum mod_id id) {
    for (unsigned i = 0; i < s->nmods; i++)
        if (s->mods[i]->id == id) return true;
    return false;
}

bool lower_one_type(struct ptx *p, struct stmt *s, enum ir_type *t) {
    if (!s->ntypes) return lower_unsupported(p, s, "it has no type");
    if (s->ntypes != 1 || s->types[0] >= IR_NTYPES) return lower_unsupported(p, s, "");
    *t = (enum ir_type)s->types[0];
    return true;
}

/* ---- operands ---- */

static unsigned bits_of(unsigned type) {
    return type == IR_T_P ? 1 : ir_type_bytes[type] * 8u;
}

static const char *kind_name(const struct opnd *o) {
    static const char *const names[] = {"a register",
                                        "a constant",
                                        "an address",
                                        "a name that is not declared",
                                        "a special register",
                                        "a vector",
                                        "an address",
                                        "a list",
                                        "_"};
    return names[o->kind];
}

static bool wrong_width(struct ptx *p, const struct opnd *o, unsigned bits) {
    const char *is = ir_file(o->reg) == IR_FILE_P ? "a predicate"
                     : o->bits == 16              ? "a 16-bit register"
                     : o->bits == 32              ? "a 32-bit register"
                     : o->bits == 64              ? "a 64-bit register"
                                                  : "an 8-bit register";
    if (bits == 1)
        return diag_error(&p->diag, o->at, "expected a predicate, %.*s is %s", (int)o->len, o->at, is);
    return diag_error(&p->diag, o->at, "expected a %u-bit register, %.*s is %s", bits, (int)o->len, o->at,
                      is);
}

static bool plain_reg(struct ptx *p, const struct opnd *o) {
    if (o->kind != OPND_REG)
        return diag_error(&p->diag, o->at, "expected a register, found %s", kind_name(o));
    if (o->nvec > 1)
        return diag_error(&p->diag, o->at, "%.*s is a vector: select an element", (int)o->len, o->at);
    if (o->sel) return diag_error(&p->diag, o->sel - 1, "this instruction takes no selector");
    return true;
}

bool lower_reg(struct ptx *p, const struct opnd *o) {
    return plain_reg(p, o);
}

static bool lower_constant(struct ptx *p, const struct opnd *o, enum ir_type t, ir_opnd *out) {
    const struct value *v = &o->v;
    uint64_t bits = v->u;
    unsigned width = bits_of(t);
    if (t == IR_T_P) {
        *out = v->u ? IR_PT : IR_PT | IR_O_NEG;
        return v->kind == VAL_INT || diag_error(&p->diag, o->at, "expected a predicate, found a number");
    }
    if (v->kind == VAL_INT && t == IR_T_F32)
        bits = f32_bits(v->uns ? (float)v->u : (float)(int64_t)v->u);
    else if (v->kind == VAL_INT && t == IR_T_F64)
        bits = f64_bits(v->uns ? (double)v->u : (double)(int64_t)v->u);
    else if (v->kind == VAL_F64 && t == IR_T_F32)
        bits = f32_bits((float)f64_from(v->u));
    else if (v->kind == VAL_F32 && t == IR_T_F64)
        bits = f64_bits((double)f32_from((uint32_t)v->u));
    else if (v->kind != VAL_INT && width != (v->kind == VAL_F32 ? 32u : 64u))
        return diag_error(&p->diag, o->at, "expected an integer constant for a %u-bit operand", width);
    else if (v->kind != VAL_INT && !ir_type_float(t) && ir_type_signed(t))
        return diag_error(&p->diag, o->at, "expected an integer constant");
    if (width < 32) bits &= (1u << width) - 1;
    *out = lower_const(p, lower_file(t), bits);
    return true;
}

/* A value of one file for a type of another width: zero-extends or cuts off. */
static ir_opnd resized(struct ptx *p, ir_opnd from, enum ir_type from_type, enum ir_type to) {
    ir_opnd d = lower_temp(p, lower_file(to));
    lower_opnds(lower_emit_always(p, p->cvt[to][from_type]), 1, 1, (ir_opnd[]){d, from});
    return d;
}

static enum ir_type plain_type(unsigned bits) {
    return bits == 8 ? IR_T_U8 : bits == 16 ? IR_T_U16 : bits == 32 ? IR_T_U32 : IR_T_U64;
}

static bool lower_special(struct ptx *p, const struct opnd *o, enum ir_type t, ir_opnd *out) {
    unsigned want = bits_of(t);
    if (want == 1 || o->bits == 1) {
        if (want != o->bits) return diag_error(&p->diag, o->at, "this special register is a predicate");
        *out = IR_PT | IR_O_NEG; /* the only such register asks for an explicit cluster: there is none */
        return true;
    }
    bool wide = o->bits == 64;
    *out = lower_temp(p, wide ? IR_FILE_64 : IR_FILE_32);
    struct ir_insn *i = lower_emit_always(p, wide ? IR_SREG_U64 : IR_SREG_U32);
    i->sub = o->sreg;
    lower_opnds(i, 1, 0, out);
    if (want != o->bits) *out = resized(p, *out, wide ? IR_T_U64 : IR_T_U32, plain_type(want));
    return true;
}

static bool lower_source(struct ptx *p, const struct opnd *o, enum ir_type t, bool wide, ir_opnd *out) {
    unsigned want = bits_of(t);
    if (o->neg && t != IR_T_P) return diag_error(&p->diag, o->at, "'!' is for predicates");
    switch (o->kind) {
    case OPND_IMM: return lower_constant(p, o, t, out);
    case OPND_SREG: return lower_special(p, o, t, out);
    case OPND_SYM:
        if (want < 32) return diag_error(&p->diag, o->at, "an address does not fit in %u bits", want);
        return lower_symbol(p, o, lower_file(t), out);
    case OPND_REG: break;
    case OPND_NAME:
        return diag_error(&p->diag, o->at, "%.*s is not declared", o->len < 60 ? (int)o->len : 60, o->at);
    default: return diag_error(&p->diag, o->at, "expected a register or constant, found %s", kind_name(o));
    }
    if (!plain_reg(p, o)) return false;
    bool pred = ir_file(o->reg) == IR_FILE_P;
    if (pred != (want == 1) || (o->bits != want && !(wide && o->bits > want))) return wrong_width(p, o, want);
    *out = o->reg | (o->neg ? IR_O_NEG : 0);
    if (o->bits == 64 && want < 64) *out = resized(p, o->reg, IR_T_U64, plain_type(want));
    return true;
}

bool lower_src(struct ptx *p, const struct opnd *o, enum ir_type t, ir_opnd *out) {
    return lower_source(p, o, t, false, out);
}
bool lower_src_wide(struct ptx *p, const struct opnd *o, enum ir_type t, ir_opnd *out) {
    return lower_source(p, o, t, true, out);
}

bool lower_pred(struct ptx *p, const struct opnd *o, ir_opnd *out) {
    return lower_source(p, o, IR_T_P, false, out);
}

bool lower_dst(struct ptx *p, const struct opnd *o, enum ir_type t, ir_opnd *out) {
    if (o->kind == OPND_SINK) {
        *out = lower_temp(p, lower_file(t));
        return true;
    }
    if (!plain_reg(p, o)) return false;
    if (o->neg) return diag_error(&p->diag, o->at, "a destination cannot be negated");
    if ((ir_file(o->reg) == IR_FILE_P) != (t == IR_T_P) || o->bits != bits_of(t))
        return wrong_width(p, o, bits_of(t));
    *out = o->reg;
    return true;
}

bool lower_dst_or_none(struct ptx *p, const struct opnd *o, enum ir_type t, ir_opnd *out) {
    *out = IR_NONE;
    return !o || o->kind == OPND_SINK || lower_dst(p, o, t, out);
}

bool lower_imm(struct ptx *p, const struct opnd *o, uint64_t max, uint64_t *out) {
    if (o->kind != OPND_IMM || o->v.kind != VAL_INT)
        return diag_error(&p->diag, o->at, "expected an integer constant");
    if (o->v.u > max)
        return diag_error(&p->diag, o->at, "the constant must be between 0 and %llu",
                          (unsigned long long)max);
    *out = o->v.u;
    return true;
}
