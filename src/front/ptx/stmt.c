/* Instructions as written: guard, name, modifiers, operands. What they mean is the handlers' business; here names are
 * resolved, because that is what tells an operand's kind. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "front/ptx/lower.h"

enum { MAX_NESTING = 4 };

static bool stmt_operand(struct ptx *p, struct stmt *s, struct opnd *o, unsigned depth);

static struct opnd *pool_alloc(struct ptx *p, struct stmt *s, unsigned n) {
    if (s->npool + n > STMT_POOL) {
        diag_add(&p->diag, p->t.at, "the instruction has too many operands");
        return NULL;
    }
    struct opnd *o = &s->pool[s->npool];
    s->npool = (uint8_t)(s->npool + n);
    memset(o, 0, n * sizeof *o);
    return o;
}

/* A comma-separated list up to its closing character. Elements are read into a local array first, because their own
 * parts come from the same pool and an operand's elements must lie together. */
static bool stmt_list(struct ptx *p, struct stmt *s, struct opnd *o, int close, unsigned depth) {
    enum { MOST = 64 };
    struct opnd elem[MOST];
    unsigned n = 0;
    ptx_next(p);
    if (depth > MAX_NESTING) return diag_error(&p->diag, o->at, "operands are nested too deeply");
    while (p->t.kind != close) {
        if (n == MOST) return diag_error(&p->diag, p->t.at, "more than %d elements in one operand", MOST);
        if (n && !ptx_expect(p, ',', "between the elements")) return false;
        memset(&elem[n], 0, sizeof elem[n]);
        if (!stmt_operand(p, s, &elem[n++], depth + 1)) return false;
    }
    ptx_next(p);
    o->nelem = (uint8_t)n;
    o->elem = pool_alloc(p, s, n);
    if (o->elem && n) memcpy(o->elem, elem, n * sizeof *elem);
    return o->elem;
}

/* + constant or - constant after an address, as often as written. */
static bool displacement(struct ptx *p, int64_t *disp) {
    while (p->t.kind == '+' || p->t.kind == '-') {
        bool minus = p->t.kind == '-';
        const char *at = p->t.at;
        struct value v;
        ptx_next(p);
        if (!ptx_expr(p, &v)) return false;
        if (v.kind != VAL_INT) return diag_error(&p->diag, at, "an address offset must be an integer");
        *disp = (int64_t)((uint64_t)*disp + (minus ? 0 - v.u : v.u));
    }
    return true;
}

/* ---- special registers ---- */

struct special {
    const char *name;
    uint8_t sreg, bits;
};

/* Special registers that the machine does not have read as 0, or as 1 where they count something there is one of. A
 * cluster is one block, so that it has the block's number, and the grid as many clusters as blocks. */
static bool odd_special(const char *name, struct special *out) {
    static const struct {
        const char *prefix;
        uint8_t sreg, bits;
    } odd[] = {{"%envreg", IR_SR_ZERO, 32},
               {"%pm", IR_SR_ZERO, 32},
               {"%clusterid.x", IR_SR_CTAID_X, 32},
               {"%clusterid.y", IR_SR_CTAID_Y, 32},
               {"%clusterid.z", IR_SR_CTAID_Z, 32},
               {"%clusterid.w", IR_SR_ZERO, 32},
               {"%nclusterid.x", IR_SR_NCTAID_X, 32},
               {"%nclusterid.y", IR_SR_NCTAID_Y, 32},
               {"%nclusterid.z", IR_SR_NCTAID_Z, 32},
               {"%nclusterid.w", IR_SR_ONE, 32},
               {"%cluster_ctaid.", IR_SR_ZERO, 32},
               {"%cluster_nctaid.", IR_SR_ONE, 32},
               {"%cluster_ctarank", IR_SR_ZERO, 32},
               {"%cluster_nctarank", IR_SR_ONE, 32},
               {"%is_explicit_cluster", IR_SR_ZERO, 1},
               {"%current_graph_exec", IR_SR_ZERO, 64},
               {"%reserved_smem_offset", IR_SR_ZERO, 32},
               {"%tid.w", IR_SR_ZERO, 32},
               {"%ctaid.w", IR_SR_ZERO, 32},
               {"%ntid.w", IR_SR_ONE, 32},
               {"%nctaid.w", IR_SR_ONE, 32}};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        if (strncmp(name, odd[i].prefix, strlen(odd[i].prefix))) continue;
        *out = (struct special){odd[i].prefix, odd[i].sreg, odd[i].bits};
        if (strstr(name, "_64")) out->bits = 64;
        return true;
    }
    return false;
}

static bool find_special(const char *name, struct special *out) {
    static const uint8_t bits[IR_NSREGS] = {
#define SREG(id, name, bits) bits,
        IR_SREGS(SREG)
#undef SREG
    };
    for (unsigned i = 0; i < IR_SR_ZERO; i++)
        if (!strcmp(name, ir_sreg_name[i])) {
            *out = (struct special){ir_sreg_name[i], (uint8_t)i, bits[i]};
            return true;
        }
    return odd_special(name, out);
}

/* At the token after the name. */
static bool special_register(struct ptx *p, const struct tok *t, struct opnd *o) {
    char name[48];
    struct special sp;
    bool component =
        p->t.kind == TOK_DOT && p->t.len == 1 && p->t.at == t->s + t->len && strchr("xyzw", *p->t.s);
    if (t->len > 40) return false;
    snprintf(name, sizeof name, "%.*s%s%.1s", (int)t->len, t->s, component ? "." : "",
             component ? p->t.s : "");
    if (!find_special(name, &sp)) return false;
    if (component) ptx_next(p);
    o->kind = OPND_SREG;
    o->sreg = sp.sreg;
    o->bits = sp.bits;
    return true;
}

/* ---- registers ---- */

static bool virtual_number(struct ptx *p, const struct sym *sym, uint32_t *place, const char *at) {
    if (*place) return true;
    uint32_t limit = sym->file == IR_FILE_P ? MAX_PREDICATES : 1u << 27;
    if (p->b.nvirt[sym->file] + sym->nvec > limit)
        return diag_error(&p->diag, at, "the function uses more than %u %s", limit,
                          sym->file == IR_FILE_P ? "predicates" : "registers");
    *place = p->b.nvirt[sym->file] + 1;
    p->b.nvirt[sym->file] += sym->nvec;
    return true;
}

static bool register_operand(struct ptx *p, struct opnd *o, struct sym *sym, uint32_t element) {
    uint32_t *place = &sym->index;
    if (sym->kind == SYM_RANGE && sym->map)
        place = &sym->map[element];
    else if (sym->kind == SYM_RANGE) {
        bool is_new;
        place = map64_at(&p->b.elements, (uint64_t)sym->id << 32 | element, &is_new);
        if (is_new) *place = 0;
    }
    if (!virtual_number(p, sym, place, o->at)) return false;
    o->kind = OPND_REG;
    o->bits = sym->bits;
    o->nvec = sym->nvec;
    o->reg = ir_reg((enum ir_file)sym->file, *place - 1);
    return true;
}

/* .x of a vector register, .b0 of a video operand. */
static bool selector(struct ptx *p, struct opnd *o) {
    static const char letters[] = "xyzwrgba";
    const char *l = p->t.len == 1 ? strchr(letters, *p->t.s) : NULL;
    if (o->nvec > 1 && l) {
        uint32_t k = (uint32_t)(l - letters) & 3;
        if (k >= o->nvec) return diag_error(&p->diag, p->t.at, "the vector has only %u elements", o->nvec);
        o->reg += k;
        o->nvec = 1;
    } else {
        o->sel = p->t.s;
        o->sel_len = p->t.len;
    }
    ptx_next(p);
    return true;
}

static bool undeclared(struct ptx *p, const struct tok *t) {
    char near[64], quoted[96] = "";
    if (names_suggest(&p->names, t, near, sizeof near))
        snprintf(quoted, sizeof quoted, " (did you mean %s?)", near);
    int n = t->len < 60 ? (int)t->len : 60;
    return diag_error(&p->diag, t->at, "undeclared register %.*s%s", n, t->s, quoted);
}

static bool name_operand(struct ptx *p, struct opnd *o) {
    struct tok t = p->t;
    uint32_t element = 0;
    struct sym *sym = names_find(&p->names, &t, &element);
    o->len = t.len;
    o->hash = t.hash;
    if (t.len == 1 && *t.s == '_' && !sym) {
        o->kind = OPND_SINK;
        ptx_next(p);
        return true;
    }
    if (!sym && t.len == 7 && !memcmp(t.s, "WARP_SZ", 7)) {
        o->kind = OPND_IMM;
        return ptx_expr(p, &o->v);
    }
    ptx_next(p);
    o->sym = sym;
    if (sym && sym->kind == SYM_REFUSED) return false;
    if (!sym && *t.s == '%') return special_register(p, &t, o) || undeclared(p, &t);
    if (!sym || sym->kind == SYM_LABEL) {
        o->kind = OPND_NAME;
        return true;
    }
    if (sym->kind > SYM_RANGE) {
        o->kind = OPND_SYM;
        return displacement(p, &o->disp);
    }
    if (!register_operand(p, o, sym, element)) return false;
    return p->t.kind != TOK_DOT || selector(p, o);
}

/* [base], [base + n], [n], and the lists of tex. */
static bool address_operand(struct ptx *p, struct stmt *s, struct opnd *o, unsigned depth) {
    o->kind = OPND_ADDR;
    if (!stmt_list(p, s, o, ']', depth)) return false;
    if (!o->nelem) return diag_error(&p->diag, o->at, "expected an address between '[' and ']'");
    o->disp = o->elem[0].disp;
    return true;
}

static bool constant_operand(struct ptx *p, struct opnd *o) {
    int k = p->t.kind;
    bool starts = k == TOK_INT || k == TOK_F32 || k == TOK_F64 || k == '+' || k == '-' || k == '~' ||
                  k == '!' || k == '(';
    if (!starts) return ptx_unexpected(p, "an operand");
    o->kind = OPND_IMM;
    return ptx_expr(p, &o->v);
}

/* After ! or -: a name makes it an operand with a sign, anything else is an expression. */
static bool name_follows(const struct ptx *p) {
    struct lexer ahead = p->lex;
    struct tok next;
    lex_next(&ahead, &next);
    return next.kind == TOK_ID && !(next.len == 7 && !memcmp(next.s, "WARP_SZ", 7));
}

/* Everything but the second destination. */
static bool first_operand(struct ptx *p, struct stmt *s, struct opnd *o, unsigned depth) {
    const struct form *f = s->form;
    switch (p->t.kind) {
    case TOK_ID:
        if (!name_operand(p, o)) return false;
        /* A register's offset is only meaningful inside an address: the address handler checks. */
        return o->kind != OPND_REG || !depth || displacement(p, &o->disp);
    case '{': o->kind = OPND_VEC; return stmt_list(p, s, o, '}', depth);
    case '[': return address_operand(p, s, o, depth);
    case '(':
        if (f->lower != lower_call) return constant_operand(p, o);
        o->kind = OPND_LIST;
        return stmt_list(p, s, o, ')', depth);
    case '!':
        if (!name_follows(p)) return constant_operand(p, o);
        ptx_next(p);
        o->neg = true;
        return name_operand(p, o);
    case '-':
        if (f->lower != lower_video || !name_follows(p)) return constant_operand(p, o);
        ptx_next(p);
        o->minus = true;
        return name_operand(p, o);
    default: return constant_operand(p, o);
    }
}

static bool stmt_operand(struct ptx *p, struct stmt *s, struct opnd *o, unsigned depth) {
    o->at = p->t.at;
    o->nvec = 1;
    if (!first_operand(p, s, o, depth)) return false;
    if (p->t.kind != '|') return true;
    ptx_next(p);
    o->second = pool_alloc(p, s, 1);
    return o->second && stmt_operand(p, s, o->second, depth + 1);
}

static bool stmt_operands(struct ptx *p, struct stmt *s) {
    if (p->t.kind == ';') return true;
    do {
        if (s->nops == STMT_OPNDS)
            return diag_error(&p->diag, p->t.at, "an instruction has at most %d operands", STMT_OPNDS);
        struct opnd *o = &s->o[s->nops++];
        memset(o, 0, sizeof *o);
        if (!stmt_operand(p, s, o, 0)) return false;
        if (o->kind == OPND_REG && (p->t.kind == '+' || p->t.kind == '-'))
            return diag_error(&p->diag, p->t.at, "an offset is only allowed inside [ ]");
    } while (ptx_accept(p, ','));
    return true;
}

/* ---- name and modifiers ---- */

static bool modifiers(struct ptx *p, struct stmt *s) {
    const char *end = p->lex.p;
    for (ptx_next(p); p->t.kind == TOK_DOT; ptx_next(p)) {
        const struct mod *m = ptx_find_mod(p, &p->t);
        end = p->t.s + p->t.len;
        s->len = (uint32_t)(end - s->at);
        if (!m) {
            s->unknown_mod = true;
            continue;
        }
        if (s->nmods == STMT_MODS)
            return diag_error(&p->diag, p->t.at, "the instruction has too many modifiers");
        s->mods[s->nmods++] = m;
        s->classes |= m->classes;
        if (!(m->classes & MC_TYPE)) continue;
        if (s->ntypes < 4)
            s->types[s->ntypes++] = m->value;
        else
            s->unknown_mod = true;
    }
    return true;
}

static bool modifiers_allowed(const struct stmt *s) {
    if (s->form->classes & MC_ANY) return true;
    if (s->unknown_mod) return false;
    for (unsigned i = 0; i < s->nmods; i++)
        if (!(s->mods[i]->classes & s->form->classes)) return false;
    return true;
}

static bool stmt_guard(struct ptx *p, struct stmt *s) {
    ptx_next(p);
    bool neg = ptx_accept(p, '!');
    struct opnd o = {.at = p->t.at, .nvec = 1};
    if (p->t.kind != TOK_ID) return ptx_unexpected(p, "a predicate after '@'");
    if (!name_operand(p, &o)) return false;
    if (o.kind != OPND_REG || ir_file(o.reg) != IR_FILE_P)
        return diag_error(&p->diag, o.at, "expected a predicate as guard, %.*s is none", (int)o.len, o.at);
    s->guard = ir_index(o.reg) | (neg ? GUARD_NEG : 0);
    return true;
}

static bool unknown_instruction(struct ptx *p, struct stmt *s) {
    if (s->len == s->base_len && p->t.kind != ';' && p->t.kind != TOK_ID && p->t.kind != '[' &&
        p->t.kind != '{')
        return ptx_unexpected(p, "an instruction");
    return lower_unsupported(p, s, "there is no such instruction");
}

static bool body_of(struct ptx *p, struct stmt *s) {
    if (p->t.kind == '@' && !stmt_guard(p, s)) return false;
    if (p->t.kind != TOK_ID) return ptx_unexpected(p, "an instruction");
    s->at = p->t.at;
    s->line = p->t.line;
    s->len = s->base_len = p->t.len;
    s->form = ptx_find_form(p, &p->t);
    if (!modifiers(p, s)) return false;
    if (!s->form) return unknown_instruction(p, s);
    if (s->form->lower == lower_refuse) return lower_refuse(p, s);
    if (!modifiers_allowed(s)) return lower_unsupported(p, s, "");
    if (!stmt_operands(p, s)) return false;
    if (p->t.kind != ';') return ptx_unexpected(p, "',' or ';' after the operand");
    p->b.guard = s->guard;
    p->b.line = s->line;
    return s->form->lower(p, s);
}

bool ptx_statement(struct ptx *p) {
    struct stmt *s = &p->s;
    memset(s, 0, offsetof(struct stmt, mods));
    if (!body_of(p, s)) return false;
    return ptx_expect(p, ';', "after the instruction");
}
