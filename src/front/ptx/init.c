/* Initial values of variables: numbers, nested braces, addresses of symbols, generic(symbol), mask(symbol).
 *
 * Values go into a buffer that grows as they are read, so its size follows the text; the only way to skip ahead is a
 * short inner list, and what all of those may skip together is bounded as well (init_budget). */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "front/ptx/parse.h"

struct init {
    uint32_t var;
    unsigned size; /* bytes of an element */
    uint8_t type;
    const uint64_t *dims;
    unsigned ndims;
    bool open;
    uint64_t at;    /* bytes written */
    uint64_t limit; /* bytes of the variable */
    VEC(uint8_t) out;
};

static bool reserve_to(struct ptx *p, struct init *in, uint64_t end, const char *where) {
    if (end > in->limit) return diag_error(&p->diag, where, "more values than the variable holds");
    if (end <= in->out.n) return true;
    uint64_t more = end - in->out.n;
    if (more > p->init_budget) return diag_error(&p->diag, where, "the initialiser skips too many elements");
    p->init_budget -= more;
    VEC_RESERVE(&in->out, end);
    memset(in->out.v + in->out.n, 0, more);
    in->out.n = end;
    return true;
}

static bool write_value(struct ptx *p, struct init *in, const struct value *v, const char *where) {
    uint64_t bits = v->u;
    if (in->type == IR_T_F32) {
        if (v->kind == VAL_F64)
            bits = f32_bits((float)f64_from(v->u));
        else if (v->kind == VAL_INT)
            bits = f32_bits(v->uns ? (float)v->u : (float)(int64_t)v->u);
    } else if (in->type == IR_T_F64) {
        if (v->kind == VAL_F32)
            bits = f64_bits((double)f32_from((uint32_t)v->u));
        else if (v->kind == VAL_INT)
            bits = f64_bits(v->uns ? (double)v->u : (double)(int64_t)v->u);
    } else if (v->kind != VAL_INT && in->size != (v->kind == VAL_F32 ? 4u : 8u))
        return diag_error(&p->diag, where, "expected an integer to initialise this variable");
    if (!reserve_to(p, in, in->at + in->size, where)) return false;
    memcpy(in->out.v + in->at, &bits, in->size);
    in->at += in->size;
    return true;
}

/* symbol, symbol + n, symbol - n; the token is at the name. */
static bool ptx_init_address(struct ptx *p, struct init *in, struct ir_reloc r) {
    struct tok name;
    uint32_t element;
    if (!ptx_name(p, &name, "a variable or function")) return false;
    const struct sym *sym = names_find(&p->names, &name, &element);
    if (sym && sym->kind == SYM_REFUSED) return false;
    if (!sym || (sym->kind != SYM_VAR && sym->kind != SYM_FUNC))
        return diag_error(&p->diag, name.at, "%.*s is no variable or function declared so far", (int)name.len,
                          name.s);
    r.kind = sym->kind == SYM_FUNC ? IR_RELOC_FUNC : IR_RELOC_VAR;
    r.symbol = sym->index;
    if (sym->kind == SYM_FUNC) {
        p->m->funcs.v[sym->index].address_taken = true;
        VEC_PUSH(&p->funcrefs, (struct funcref){sym->index, name.at});
    }
    r.constant = IR_NOPC;
    r.var = in->var;
    r.offset = in->at;
    if (!reserve_to(p, in, in->at + in->size, name.at)) return false;
    in->at += in->size;
    VEC_PUSH(&p->m->relocs, r);
    return true;
}

static bool addend(struct ptx *p, struct ir_reloc *r) {
    while (p->t.kind == '+' || p->t.kind == '-') {
        bool minus = p->t.kind == '-';
        struct value v;
        ptx_next(p);
        const char *at = p->t.at;
        if (!ptx_expr(p, &v)) return false;
        if (v.kind != VAL_INT) return diag_error(&p->diag, at, "an address offset must be an integer");
        r->addend = (int64_t)((uint64_t)r->addend + (minus ? 0 - v.u : v.u));
    }
    return true;
}

static bool is_generic(const struct ptx *p) {
    return p->t.kind == TOK_ID && p->t.len == 7 && !memcmp(p->t.s, "generic", 7);
}

/* The address part: sym [+n], generic(sym) [+n], generic(sym [+n]). shift and width come from a mask. */
static bool address_value(struct ptx *p, struct init *in, unsigned shift, bool masked) {
    struct ir_reloc r = {.bytes = (uint8_t)in->size, .shift = (uint8_t)shift};
    const char *at = p->t.at;
    if (!masked && in->size < 4) return diag_error(&p->diag, at, "an address needs 4 or 8 bytes here");
    bool generic = is_generic(p);
    if (generic) {
        ptx_next(p);
        if (!ptx_expect(p, '(', "after generic")) return false;
    }
    if (!ptx_init_address(p, in, r)) return false;
    struct ir_reloc *last = &p->m->relocs.v[p->m->relocs.n - 1];
    last->generic = generic;
    if (!addend(p, last)) return false;
    if (generic && !ptx_expect(p, ')', "after the symbol")) return false;
    return !generic || addend(p, last);
}

/* mask(symbol): the part of the address the mask selects, such as 0xff00(sym) for the second byte. */
static bool masked_value(struct ptx *p, struct init *in, const struct value *mask, const char *where) {
    unsigned shift = mask->u ? (unsigned)__builtin_ctzll(mask->u) : 0;
    uint64_t ones = mask->u ? mask->u >> shift : 0;
    uint64_t whole = in->size == 8 ? UINT64_MAX : ((uint64_t)1 << in->size * 8) - 1;
    if (mask->kind != VAL_INT || ones != whole || shift % 8)
        return diag_error(&p->diag, where, "the mask must select as many bytes as an element has");
    ptx_next(p);
    return address_value(p, in, shift, true) && ptx_expect(p, ')', "after the symbol");
}

static bool ptx_init_scalar(struct ptx *p, struct init *in) {
    const char *where = p->t.at;
    if (p->t.kind == TOK_ID && !(p->t.len == 7 && !memcmp(p->t.s, "WARP_SZ", 7)))
        return address_value(p, in, 0, false);
    struct value v;
    if (!ptx_expr(p, &v)) return false;
    return p->t.kind == '(' ? masked_value(p, in, &v, where) : write_value(p, in, &v, where);
}

/* Bytes of one element of a list at that depth of braces. */
static uint64_t stride(const struct init *in, unsigned depth, uint64_t element) {
    for (unsigned i = depth + 1; i < in->ndims; i++) element *= in->dims[i];
    return element;
}

static bool braces(struct ptx *p, struct init *in, unsigned depth, uint64_t element) {
    const char *where = p->t.at;
    uint64_t begin = in->at, step = stride(in, depth, element);
    if (depth > in->ndims + (element > in->size))
        return diag_error(&p->diag, where, "more braces than the variable has dimensions");
    ptx_next(p);
    for (uint64_t k = 0; p->t.kind != '}'; k++) {
        if (k && !ptx_expect(p, ',', "or '}' in the initialiser")) return false;
        if (k && p->t.kind == '}') break;
        if (p->t.kind != '{') {
            if (!ptx_init_scalar(p, in)) return false;
            continue;
        }
        uint64_t done = in->at - begin;
        in->at = begin + (step ? (done + step - 1) / step * step : 0);
        if (!braces(p, in, depth + 1, element)) return false;
    }
    ptx_next(p);
    if (depth && depth <= in->ndims) {
        uint64_t end = begin + stride(in, depth - 1, element);
        if (in->at > end) return diag_error(&p->diag, where, "more values than this row holds");
        if (end > in->limit) return diag_error(&p->diag, where, "more rows than the variable holds");
        in->at = end;
    }
    return true;
}

bool ptx_initialiser(struct ptx *p, uint32_t var, uint64_t element, const uint64_t *dims, unsigned ndims,
                     bool open) {
    struct ir_var *v = &p->m->vars.v[var];
    struct init in = {.var = var,
                      .size = ir_type_bytes[v->type],
                      .type = v->type,
                      .dims = dims,
                      .ndims = ndims,
                      .open = open};
    in.limit = open ? (uint64_t)1 << 40 : v->bytes;
    uint64_t row = 0;
    bool ok = p->t.kind == '{' ? braces(p, &in, 0, element) : ptx_init_scalar(p, &in);
    v = &p->m->vars.v[var];
    if (ok && open) {
        row = stride(&in, 0, element);
        uint64_t n = in.at > in.out.n ? in.at : in.out.n;
        v->bytes = row ? (n + row - 1) / row * row : 0;
    }
    if (ok && in.out.n) {
        v->init = arena_alloc(&p->m->mem, in.out.n);
        memcpy(v->init, in.out.v, in.out.n);
        v->ninit = in.out.n;
    }
    VEC_FREE(&in.out);
    return ok;
}
