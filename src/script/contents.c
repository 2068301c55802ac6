/* What stands for the elements of a buffer, which part of one is meant, and the arguments of a launch. */
#include "script/parse.h"

/* ---- contents ---- */

static bool parse_rand(struct parser *p, struct script_contents *out) {
    out->kind = FILL_RAND;
    if (!parse_need(p, "(") || !parse_exprs(p, &out->list) || !parse_need(p, ")")) return false;
    return out->list.v.n == 1 || out->list.v.n == 3 ||
           script_error(p->s, out->at, p->e, "rand takes (SEED) or (SEED, LO, HI)");
}

/* A buffer's name alone is a copy of it; otherwise an expression begins with it. */
static bool is_copy(struct parser *p, size_t *buffer) {
    return parse_find_buffer(p, buffer) && !(p->t[1].kind == TOKEN_SIGN && p->t[1].text[0] != '}');
}

bool parse_contents(struct parser *p, struct script_contents *out,
                    bool (*expr)(struct parser *p, const struct script_expr **out)) {
    *out = (struct script_contents){.at = p->t->at};
    if (parse_word(p, "zero")) return out->kind = FILL_ZERO, true;
    if (parse_word(p, "iota")) return out->kind = FILL_IOTA, true;
    if (parse_word(p, "rand")) return parse_rand(p, out);
    if (parse_word(p, "file")) return out->kind = FILL_FILE, parse_string(p, &out->path);
    if (is_copy(p, &out->buffer)) return out->kind = FILL_BUFFER, p->t++, true;
    if (parse_sign(p, "{")) return out->kind = FILL_LIST, parse_exprs(p, &out->list) && parse_need(p, "}");
    out->kind = FILL_EXPR;
    return expr(p, &out->expr);
}

bool parse_target(struct parser *p, struct script_target *out) {
    *out = (struct script_target){.at = p->t->at};
    if (!parse_buffer_name(p, &out->buffer)) return false;
    if (!parse_sign(p, "[")) return true;
    out->part = true;
    if (!parse_expr(p, &out->lo) || (parse_sign(p, ":") && !parse_expr(p, &out->hi))) return false;
    return parse_need(p, "]");
}

/* ---- structs ---- */

struct fields {
    VEC(struct script_field) v;
    uint64_t at;
    uint32_t align;
};

static bool contents_too_large(struct parser *p) {
    return script_error(p->s, p->t->at, p->e, "a struct of more than %d bytes is more than a kernel can take",
                        ARG_MAX_STRUCT);
}

/* The layout of C: see value/fields.c. */
static bool contents_place(struct parser *p, struct fields *f, struct script_field field, uint64_t bytes,
                           uint32_t align) {
    f->at = (f->at + align - 1) / align * align;
    field.offset = f->at;
    f->at += bytes;
    if (align > f->align) f->align = align;
    VEC_PUSH(&f->v, field);
    return f->at <= ARG_MAX_STRUCT || contents_too_large(p);
}

static bool array_size(struct parser *p, int64_t *count) {
    *count = 0;
    if (!parse_sign(p, "[")) return true;
    if (p->t->kind != TOKEN_INT || p->t->i < 1 || p->t->i > ARG_MAX_STRUCT)
        return parse_wrong(p, "the size of an array");
    *count = p->t++->i;
    return parse_need(p, "]");
}

static bool typed_field(struct parser *p, struct fields *f, enum ir_type type) {
    const struct script_at at = p->t->at;
    struct script_exprs list = {0};
    const uint32_t bytes = ir_type_bytes[type];
    int64_t count;
    if (!array_size(p, &count) || !parse_need(p, ":")) return false;
    if (parse_sign(p, "{")) {
        if (!parse_exprs(p, &list) || !parse_need(p, "}")) return false;
        if (count && (uint64_t)count != list.v.n)
            return script_error(p->s, at, p->e, "%s[%lld] has %zu values", ir_type_name[type],
                                (long long)count, list.v.n);
        for (size_t i = 0; i < list.v.n; i++)
            if (!contents_place(p, f, (struct script_field){.type = type, .expr = list.v.v[i]}, bytes, bytes))
                return false;
        return true;
    }
    struct script_field field = {.type = type};
    if (!parse_expr(p, &field.expr)) return false;
    for (int64_t i = 0; i < (count ? count : 1); i++)
        if (!contents_place(p, f, field, bytes, bytes)) return false;
    return true;
}

static bool pointer(struct parser *p, struct script_field *out) {
    *out = (struct script_field){.type = IR_T_U64};
    if (!parse_buffer_name(p, &out->buffer)) return false;
    return !parse_sign(p, "[") || (parse_expr(p, &out->element) && parse_need(p, "]"));
}

static bool all_fields(struct parser *p, struct fields *f);

static bool contents_nested(struct parser *p, struct fields *f) {
    struct fields inner = {.align = 1};
    bool fine = ++p->blocks <= SCRIPT_DEEPEST
                    ? all_fields(p, &inner)
                    : script_error(p->s, p->t->at, p->e, "structs are nested too deeply");
    p->blocks--;
    uint64_t base = (f->at + inner.align - 1) / inner.align * inner.align;
    for (size_t i = 0; i < inner.v.n && fine; i++) {
        inner.v.v[i].offset += base;
        VEC_PUSH(&f->v, inner.v.v[i]);
    }
    f->at = base + inner.at;
    if (inner.align > f->align) f->align = inner.align;
    VEC_FREE(&inner.v);
    return fine && (f->at <= ARG_MAX_STRUCT || contents_too_large(p));
}

static bool contents_field(struct parser *p, struct fields *f) {
    enum ir_type type;
    struct script_field address;
    if (parse_sign(p, "{")) return contents_nested(p, f);
    if (parse_type(p, &type)) return typed_field(p, f, type);
    if (!parse_word(p, "ptr")) return parse_wrong(p, "TYPE:VALUE, ptr:BUFFER or '{'");
    return parse_need(p, ":") && pointer(p, &address) && contents_place(p, f, address, 8, 8);
}

/* Behind the opening brace. */
static bool all_fields(struct parser *p, struct fields *f) {
    do {
        if (!contents_field(p, f)) return false;
    } while (parse_sign(p, ","));
    f->at = (f->at + f->align - 1) / f->align * f->align;
    return parse_need(p, "}");
}

/* ---- arguments ---- */

static bool parse_struct(struct parser *p, struct script_arg *out) {
    struct fields f = {.align = 1};
    bool fine = all_fields(p, &f);
    out->kind = SARG_STRUCT;
    out->bytes = f.at;
    for (size_t i = 0; i < f.v.n; i++) VEC_PUSH(&out->fields, f.v.v[i]);
    VEC_FREE(&f.v);
    PARSE_KEEP(p, &out->fields);
    return fine;
}

static bool parse_arg(struct parser *p, struct script_arg *out) {
    size_t buffer;
    *out = (struct script_arg){.at = p->t->at, .kind = SARG_POINTER};
    if (parse_sign(p, "{")) return parse_struct(p, out);
    if (parse_sign(p, "&")) return pointer(p, &out->value);
    if (parse_find_buffer(p, &buffer) && !(p->t[1].kind == TOKEN_SIGN && !strchr(",}", p->t[1].text[0])))
        return pointer(p, &out->value);
    if (p->t->kind == TOKEN_WORD && p->t[1].kind == TOKEN_SIGN && p->t[1].text[0] == ':') {
        if (!parse_type(p, &out->value.type)) return parse_wrong(p, "a type");
        out->kind = SARG_TYPED;
        p->t++;
    } else {
        out->kind = SARG_EXPR;
    }
    return parse_expr(p, &out->value.expr);
}

bool parse_args(struct parser *p, struct script_args *out) {
    bool fine = true;
    do {
        struct script_arg a;
        fine = parse_arg(p, &a);
        VEC_PUSH(&out->v, a);
    } while (fine && parse_sign(p, ","));
    PARSE_KEEP(p, &out->v);
    return fine;
}
