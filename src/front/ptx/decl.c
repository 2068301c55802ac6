/* Declarations: registers, variables, parameters. Sizes come from the text and are checked before they are used: no
 * array beyond 2^40 bytes, no frame or parameter list beyond what their 32-bit offsets hold. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "front/ptx/parse.h"

#define MAX_VAR_BYTES ((uint64_t)1 << 40)
enum { MAX_DIMS = 16, MAX_ALIGN = 1 << 20, MAX_FRAME = 1 << 28, MAX_RANGE = 1 << 27 };

/* What stands before the names of a declaration. */
struct spec {
    uint8_t type; /* enum ir_type */
    uint8_t kind; /* enum ir_var_kind */
    uint32_t vec, align;
    bool ptr, typed, reg, local;
    bool wide; /* .b128: two of type */
    bool bits; /* .b8 to .b64 */
    const char *at;
};

static bool alignment(struct ptx *p, uint32_t *align) {
    const char *at = p->t.at;
    uint64_t n;
    if (p->t.kind != TOK_INT) return ptx_unexpected(p, "an alignment");
    n = p->t.u;
    ptx_next(p);
    if (!is_pow2(n) || n > MAX_ALIGN)
        return diag_error(&p->diag, at, "an alignment is a power of two up to %d", MAX_ALIGN);
    *align = (uint32_t)n;
    return true;
}

static bool decl_attribute(struct ptx *p) {
    if (!ptx_expect(p, '(', "after .attribute")) return false;
    while (p->t.kind != ')') {
        if (p->t.kind == TOK_END || p->t.kind == ';') return ptx_unexpected(p, "')' after the attributes");
        if (p->t.kind == '(') { /* .unified(n, n) */
            while (p->t.kind != ')' && p->t.kind != TOK_END && p->t.kind != ';') ptx_next(p);
        }
        ptx_next(p);
    }
    ptx_next(p);
    return true;
}

static bool opaque_kind(struct ptx *p, struct spec *s) {
    static const struct {
        const char *word;
        uint8_t kind;
    } kinds[] = {{"texref", IR_VAR_TEXREF}, {"samplerref", IR_VAR_SAMPLERREF}, {"surfref", IR_VAR_SURFREF}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (ptx_is_word(p, kinds[i].word)) {
            s->kind = kinds[i].kind;
            s->type = IR_T_U64;
            s->typed = true;
            return true;
        }
    return false;
}

static bool bits_only(unsigned mod) {
    return mod == MOD_B8 || mod == MOD_B16 || mod == MOD_B32 || mod == MOD_B64;
}

static bool one_specifier(struct ptx *p, struct spec *s) {
    if (ptx_accept_word(p, "align")) return alignment(p, &s->align);
    if (ptx_accept_word(p, "attribute")) return decl_attribute(p);
    const struct mod *m = ptx_find_mod(p, &p->t);
    if (ptx_is_word(p, "ptr"))
        s->ptr = true;
    else if (opaque_kind(p, s)) {
    } else if (m && (m->classes & MC_VEC) && m->value <= 4)
        s->vec = m->value;
    else if (m && (m->classes & MC_TYPE) && m->value < IR_NTYPES && !s->typed)
        s->type = m->value, s->typed = true, s->bits = bits_only(m->id);
    else if (m && m->id == MOD_B128 && !s->typed)
        s->type = IR_T_U64, s->typed = s->wide = true;
    else if (!(s->ptr && m && (m->classes & MC_SPACE)))
        return ptx_unexpected(p, "a type such as .b32");
    ptx_next(p);
    return true;
}

static bool specifiers(struct ptx *p, struct spec *s) {
    s->vec = 1;
    s->at = p->t.at;
    while (p->t.kind == TOK_DOT) {
        uint32_t before = s->align;
        if (!one_specifier(p, s)) return false;
        if (s->ptr) s->align = before; /* .align after .ptr is about what it points to */
    }
    if (!s->typed) return ptx_unexpected(p, "a type such as .b32");
    return true;
}

/* ---- registers ---- */

static bool redeclared(struct ptx *p, const struct tok *name) {
    return diag_error(&p->diag, name->at, "%.*s is declared twice in this scope", (int)name->len, name->s);
}

static bool reg_name(struct ptx *p, const struct spec *s) {
    struct tok name;
    bool is_new;
    uint64_t count = 0;
    if (!ptx_name(p, &name, "a register name")) return false;
    bool range = ptx_accept(p, '<');
    if (range) {
        const char *at = p->t.at;
        if (p->t.kind != TOK_INT) return ptx_unexpected(p, "the number of registers");
        count = p->t.u;
        if (count >= MAX_RANGE)
            return diag_error(&p->diag, at, "a range of registers has fewer than %d", MAX_RANGE);
        ptx_next(p);
        if (!ptx_expect(p, '>', "after the number of registers")) return false;
    }
    struct sym *sym = names_add(&p->names, &name, range, &is_new);
    if (!is_new) return redeclared(p, &name);
    unsigned bits = s->type == IR_T_P ? 1 : ir_type_bytes[s->type] * 8u;
    sym->kind = range ? SYM_RANGE : SYM_REG;
    if (s->wide && s->vec > 1) return diag_error(&p->diag, s->at, "there are no vectors of .b128 registers");
    sym->bits = (uint8_t)bits;
    sym->file = bits == 1 ? IR_FILE_P : bits == 64 ? IR_FILE_64 : IR_FILE_32;
    sym->nvec = (uint8_t)(s->wide ? 2 : s->vec);
    sym->count = (uint32_t)count;
    sym->id = p->nranges++;
    if (count && count <= p->map_budget) {
        p->map_budget -= count;
        sym->map = ARENA_NEW(&p->tmp, uint32_t, count);
    }
    return true;
}

bool ptx_reg_decl(struct ptx *p) {
    struct spec s = {0};
    if (!specifiers(p, &s)) return false;
    do
        if (!reg_name(p, &s)) return false;
    while (ptx_accept(p, ','));
    return ptx_expect(p, ';', "after the registers");
}

/* ---- arrays ---- */

struct shape {
    uint64_t dims[MAX_DIMS];
    unsigned n;
    bool open;      /* first dimension not given: [] */
    uint64_t bytes; /* with [] counted as 0 */
};

static bool decl_dimensions(struct ptx *p, struct shape *a, uint64_t element) {
    a->bytes = element;
    while (ptx_accept(p, '[')) {
        const char *at = p->t.at;
        if (a->n == MAX_DIMS) return diag_error(&p->diag, at, "an array has at most %d dimensions", MAX_DIMS);
        uint64_t n = 0;
        if (p->t.kind == ']') {
            if (a->n) return diag_error(&p->diag, at, "only the first dimension may be left open");
            a->open = true;
        } else if (!ptx_number(p, "an array size", MAX_VAR_BYTES, &n))
            return false;
        if (!ptx_expect(p, ']', "after the array size")) return false;
        a->dims[a->n++] = n;
        if (a->open && a->n == 1) continue;
        if (__builtin_mul_overflow(a->bytes, n, &a->bytes) || a->bytes > MAX_VAR_BYTES)
            return diag_error(&p->diag, at, "the variable is larger than 2^40 bytes");
    }
    return true;
}

/* ---- parameters ---- */

static uint32_t natural_align(const struct spec *s) {
    uint32_t own = ir_type_bytes[s->type] * s->vec;
    return s->align > own ? s->align : own ? own : 1;
}

uint32_t ptx_frame_alloc(struct ptx *p, uint32_t bytes, uint32_t align) {
    uint32_t at = (p->b.frame + align - 1) / align * align;
    p->b.frame = at + bytes;
    if (p->b.frame > p->b.frame_max) p->b.frame_max = p->b.frame;
    return at;
}

/* A .reg formal is passed through the frame like any other; func.c moves it, and binds the name once there is a body. */
static struct sym *formal_symbol(struct ptx *p, const struct tok *name, const struct spec *s, bool kernel,
                                 const struct ir_param *prm) {
    struct sym *sym = ARENA_NEW(&p->tmp, struct sym, 1);
    *sym = (struct sym){.name = name->s, .len = name->len, .hash = name->hash};
    sym->kind = s->reg ? SYM_REG : kernel ? SYM_KPARAM : SYM_FRAME;
    sym->bits = (uint8_t)(ir_type_bytes[s->type] * 8);
    sym->file = sym->bits == 64 ? IR_FILE_64 : IR_FILE_32;
    sym->nvec = 1;
    sym->offset = prm->offset;
    sym->bytes = prm->bytes;
    return sym;
}

static bool formal(struct ptx *p, bool kernel, uint32_t *bytes, struct ir_param *prm, struct sym **sym) {
    struct spec s = {.reg = ptx_is_word(p, "reg")};
    struct shape a = {0};
    struct tok name;
    const char *at = p->t.at;
    if (!ptx_accept_word(p, "param") && !(s.reg && !kernel && ptx_accept_word(p, "reg")))
        return ptx_unexpected(p, kernel ? ".param" : ".param or .reg");
    if (!specifiers(p, &s) || !ptx_name(p, &name, "the parameter's name")) return false;
    if (s.type == IR_T_P) return diag_error(&p->diag, at, "a parameter cannot be a predicate");
    if (!decl_dimensions(p, &a, (uint64_t)ir_type_bytes[s.type] * s.vec)) return false;
    if (a.open && a.n == 1) a.bytes = 0;
    *prm = (struct ir_param){.type = a.n || s.vec > 1 ? IR_T_NONE : s.type,
                             .pointer = s.ptr,
                             .bits = s.bits,
                             .align = natural_align(&s)};
    prm->name = arena_strndup(&p->m->mem, name.s, name.len);
    uint64_t offset = ((uint64_t)*bytes + prm->align - 1) / prm->align * prm->align;
    if (offset + a.bytes > MAX_FRAME)
        return diag_error(&p->diag, at, "the parameters take more than 2^28 bytes");
    prm->offset = (uint32_t)offset;
    prm->bytes = (uint32_t)a.bytes;
    *bytes = (uint32_t)(offset + a.bytes);
    *sym = name.len == 1 && *name.s == '_' ? NULL : formal_symbol(p, &name, &s, kernel, prm);
    return true;
}

/* At '(': up to and past ')'. Offsets go on from *bytes. */
bool ptx_params(struct ptx *p, bool kernel, uint32_t base, struct ir_param **params, struct sym ***syms,
                uint32_t *n, uint32_t *bytes) {
    VEC(struct ir_param) list = {0};
    VEC(struct sym *) names = {0};
    bool ok = true;
    *bytes = base;
    ptx_next(p);
    while (ok && p->t.kind != ')') {
        struct ir_param prm;
        struct sym *sym = NULL;
        if (list.n && !ptx_expect(p, ',', "between the parameters"))
            ok = false;
        else if (!formal(p, kernel, bytes, &prm, &sym))
            ok = false;
        else {
            VEC_PUSH(&list, prm);
            VEC_PUSH(&names, sym);
        }
    }
    if (ok) {
        ptx_next(p);
        *n = (uint32_t)list.n;
        *params = ARENA_NEW(&p->m->mem, struct ir_param, list.n);
        *syms = ARENA_NEW(&p->tmp, struct sym *, list.n);
        if (list.n)
            memcpy(*params, list.v, list.n * sizeof *list.v),
                memcpy(*syms, names.v, list.n * sizeof *names.v);
    }
    VEC_FREE(&list);
    VEC_FREE(&names);
    return ok;
}

/* ---- variables ---- */

static bool frame_var(struct ptx *p, const struct spec *s, const struct tok *name, const struct shape *a) {
    bool is_new;
    if (a->open) return diag_error(&p->diag, name->at, "%.*s needs a size", (int)name->len, name->s);
    if (a->bytes > MAX_FRAME || p->b.frame + a->bytes + MAX_ALIGN > MAX_FRAME)
        return diag_error(&p->diag, name->at, "the function's variables take more than 2^28 bytes");
    struct sym *sym = names_add(&p->names, name, false, &is_new);
    if (!is_new) return redeclared(p, name);
    sym->kind = SYM_FRAME;
    sym->bytes = (uint32_t)a->bytes;
    sym->offset = ptx_frame_alloc(p, sym->bytes, natural_align(s));
    p->b.keep_frame |= s->local;
    return true;
}

enum definition ptx_define(struct ptx *p, struct sym *sym, const struct tok *name, struct linkage link) {
    const bool yields = link.weak || link.common;
    char first[256];
    if (sym->defined && sym->weak && !yields) {
        sym->weak = false;
        sym->defined = name->at;
        return DEF_REPLACES;
    }
    if (sym->defined && yields) return DEF_YIELDS;
    if (sym->defined) {
        diag_where(&p->diag, sym->defined, first, sizeof first);
        diag_add(&p->diag, name->at, "%.*s is defined twice, the first time at %s", (int)name->len, name->s,
                 first);
        return DEF_ERROR;
    }
    sym->defined = name->at;
    sym->weak = yields;
    return DEF_FIRST;
}

/* Adds a variable without a name that can be looked up: the weaker of two definitions, which yields to the other. */
static uint32_t push_var(struct ptx *p, const struct ir_var *v) {
    VEC_PUSH(&p->m->vars, *v);
    return (uint32_t)p->m->vars.n - 1;
}

/* What a variable was initialised with goes to another one. */
static void move_initialiser(struct ptx *p, uint32_t from, uint32_t to) {
    for (size_t i = 0; i < p->m->relocs.n; i++) {
        struct ir_reloc *r = &p->m->relocs.v[i];
        if (r->constant == IR_NOPC && r->var == from) r->var = to;
    }
}

/* .extern x; and the definition are one variable, and so are definitions of which all but one yield. *var: what an initialiser
 * that follows belongs to. */
static bool merge_var(struct ptx *p, const struct tok *name, const struct ir_var *now, struct sym *sym,
                      struct linkage link, uint32_t *var) {
    if (sym->kind != SYM_VAR) return redeclared(p, name);
    struct ir_var *old = &p->m->vars.v[sym->index];
    const char *kept = old->name;
    *var = sym->index;
    if (old->space != now->space || old->kind != now->kind) return redeclared(p, name);
    if (now->external || (old->dynamic && now->dynamic)) return true;
    switch (ptx_define(p, sym, name, link)) {
    case DEF_ERROR: return false;
    case DEF_YIELDS: *var = push_var(p, now); return true;
    case DEF_REPLACES:
        move_initialiser(p, sym->index, push_var(p, old));
        old = &p->m->vars.v[sym->index];
        break;
    case DEF_FIRST: break;
    }
    *old = *now;
    old->name = kept;
    return true;
}

/* Skips the values of a .samplerref: its settings come with the texture. */
static bool named_values(struct ptx *p) {
    return p->t.kind == '{' && ptx_skip_braces(p);
}

static bool initialised(struct ptx *p, uint32_t var, const struct shape *a, uint64_t element,
                        const struct tok *name) {
    struct ir_var *v = &p->m->vars.v[var];
    if (!ptx_accept(p, '=')) {
        if (a->open && !v->external && !v->dynamic)
            return diag_error(&p->diag, name->at, "%.*s needs a size or an initialiser", (int)name->len,
                              name->s);
        return true;
    }
    if (v->kind != IR_VAR_DATA) return named_values(p);
    if (v->space == IR_SP_SHARED || v->external)
        return diag_error(&p->diag, name->at, "%.*s cannot have an initialiser", (int)name->len, name->s);
    return ptx_initialiser(p, var, element, a->dims, a->n, a->open);
}

static bool var_name(struct ptx *p, const struct spec *s, enum ir_space space, struct linkage link) {
    struct tok name;
    struct shape a = {0};
    bool is_new;
    if (!ptx_name(p, &name, "a variable name")) return false;
    if (!decl_dimensions(p, &a, (uint64_t)ir_type_bytes[s->type] * s->vec)) return false;
    if (a.open) a.bytes = 0;
    if (space == IR_SP_FRAME) return frame_var(p, s, &name, &a);
    struct ir_var v = {.kind = s->kind,
                       .space = (uint8_t)space,
                       .type = s->type,
                       .bytes = a.bytes,
                       .align = natural_align(s)};
    v.external = link.external && space != IR_SP_SHARED;
    v.dynamic = space == IR_SP_SHARED && (a.open || (link.external && !a.bytes));
    v.name = arena_strndup(&p->m->mem, name.s, name.len);
    struct sym *sym = names_add(&p->names, &name, false, &is_new);
    uint32_t var = 0;
    if (!is_new && !merge_var(p, &name, &v, sym, link, &var)) return false;
    if (is_new) {
        sym->kind = SYM_VAR;
        sym->index = var = push_var(p, &v);
        if (!v.external) ptx_define(p, sym, &name, link);
    }
    sym->linked |= ptx_links(link);
    if (v.external && p->t.kind != '=') return true; /* the size is that of the definition */
    if (v.external)
        return diag_error(&p->diag, name.at, "%.*s cannot have an initialiser", (int)name.len, name.s);
    return initialised(p, var, &a, (uint64_t)ir_type_bytes[s->type] * s->vec, &name);
}

static bool var_space(struct ptx *p, struct spec *s, enum ir_space *space) {
    bool in_function = p->b.open;
    if (ptx_accept_word(p, "global"))
        *space = IR_SP_GLOBAL;
    else if (ptx_accept_word(p, "const"))
        *space = IR_SP_CONST;
    else if (ptx_accept_word(p, "shared"))
        *space = IR_SP_SHARED;
    else if (in_function && (ptx_is_word(p, "local") || ptx_is_word(p, "param"))) {
        s->local = ptx_is_word(p, "local");
        *space = IR_SP_FRAME;
        ptx_next(p);
    } else if (ptx_accept_word(p, "tex")) {
        *space = IR_SP_GLOBAL;
        s->kind = IR_VAR_TEXREF;
    } else
        return ptx_unexpected(p, in_function ? "a declaration or an instruction"
                                             : "a directive such as .entry, .func or .global");
    return true;
}

bool ptx_var_decl(struct ptx *p, struct linkage link) {
    struct spec s = {0};
    enum ir_space space = IR_SP_GENERIC;
    if (!var_space(p, &s, &space) || !specifiers(p, &s)) return false;
    if (s.type == IR_T_P) return diag_error(&p->diag, s.at, "a variable cannot be a predicate");
    if (s.kind == IR_VAR_TEXREF) s.type = IR_T_U64; /* it holds a handle, whatever .tex was declared with */
    do
        if (!var_name(p, &s, space, link)) return false;
    while (ptx_accept(p, ','));
    return ptx_expect(p, ';', "after the declaration");
}
