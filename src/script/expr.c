/* Expressions of scripts, parsed by precedence, C's: || then && then comparisons, sums, products, signs. */
#include <string.h>

#include "script/parse.h"

static const struct level {
    const char *sign;
    enum script_op op;
    unsigned binds; /* 1 least */
} operators[] = {{"||", OP_OR, 1}, {"&&", OP_AND, 2}, {"==", OP_EQ, 3}, {"!=", OP_NE, 3}, {"<=", OP_LE, 3},
                 {">=", OP_GE, 3}, {"<", OP_LT, 3},   {">", OP_GT, 3},  {"+", OP_ADD, 4}, {"-", OP_SUB, 4},
                 {"*", OP_MUL, 5}, {"/", OP_DIV, 5},  {"%", OP_MOD, 5}};
enum { SUMS = 4 };

static struct script_expr *new_expr(struct parser *p, enum script_op op, struct script_at at) {
    struct script_expr *x = ARENA_NEW(&p->s->mem, struct script_expr, 1);
    x->op = op;
    x->at = at;
    return x;
}

static bool script_expr_call(struct parser *p, enum script_op op, const struct script_expr **out) {
    struct script_expr *x = new_expr(p, op, p->t->at);
    p->t++;
    *out = x;
    return parse_need(p, "(") && parse_expr(p, &x->a) && parse_need(p, ",") && parse_expr(p, &x->b) &&
           parse_need(p, ")");
}

static bool count_of(struct parser *p, const struct script_expr **out) {
    struct script_expr *x = new_expr(p, OP_COUNT, p->t->at);
    p->t++;
    *out = x;
    return parse_need(p, "(") && parse_buffer_name(p, &x->name) && parse_need(p, ")");
}

static bool find_number(const struct parser *p, size_t *number) {
    for (size_t i = 0; i < p->s->numbers.n; i++)
        if (parse_is_word(p, p->s->numbers.v[i])) return *number = i, true;
    return false;
}

/* NAME[E]; NAME alone where there is but one element is what is meant of a variable. */
static bool script_expr_element(struct parser *p, size_t buffer, const struct script_expr **out) {
    struct script_expr *x = new_expr(p, OP_ELEMENT, p->t->at);
    x->name = buffer;
    *out = x;
    p->t++;
    if (!parse_sign(p, "[")) return true;
    return parse_expr(p, &x->a) && parse_need(p, "]");
}

static bool script_expr_name(struct parser *p, const struct script_expr **out) {
    size_t buffer;
    struct script_expr *x = new_expr(p, OP_NAME, p->t->at);
    *out = x;
    if (parse_find_buffer(p, &buffer)) return script_expr_element(p, buffer, out);
    if (parse_is_word(p, "index"))
        x->op = OP_INDEX;
    else if (!find_number(p, &x->name))
        return script_error(p->s, p->t->at, p->e, "there is no number or buffer '%.*s'",
                            p->t->n < 60 ? (int)p->t->n : 60, p->t->text);
    p->t++;
    return true;
}

static bool script_expr_primary(struct parser *p, const struct script_expr **out) {
    const struct script_token *t = p->t;
    if (t->kind == TOKEN_INT || t->kind == TOKEN_REAL) {
        struct script_expr *x = new_expr(p, t->kind == TOKEN_INT ? OP_INT : OP_REAL, t->at);
        x->i = t->i;
        x->d = t->d;
        *out = x;
        p->t++;
        return true;
    }
    if (parse_sign(p, "(")) return parse_expr(p, out) && parse_need(p, ")");
    if (parse_is_word(p, "min")) return script_expr_call(p, OP_MIN, out);
    if (parse_is_word(p, "max")) return script_expr_call(p, OP_MAX, out);
    if (parse_is_word(p, "count")) return count_of(p, out);
    if (t->kind == TOKEN_WORD) return script_expr_name(p, out);
    return parse_wrong(p, "a number, a name or '('");
}

static bool script_expr_unary(struct parser *p, const struct script_expr **out) {
    const bool neg = parse_is_sign(p, "-"), not = parse_is_sign(p, "!");
    bool fine;
    if (p->depth++ > SCRIPT_DEEPEST || p->nodes++ > SCRIPT_LARGEST)
        return script_error(p->s, p->t->at, p->e, "the expression is too large or nested too deeply");
    if (neg || not ) {
        struct script_expr *x = new_expr(p, neg ? OP_NEG : OP_NOT, p->t->at);
        p->t++;
        *out = x;
        fine = script_expr_unary(p, &x->a);
    } else {
        fine = script_expr_primary(p, out);
    }
    p->depth--;
    return fine;
}

static const struct level *operator_at(const struct parser *p, unsigned least) {
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (operators[i].binds >= least && parse_is_sign(p, operators[i].sign)) return &operators[i];
    return NULL;
}

static bool script_expr_binary(struct parser *p, unsigned least, const struct script_expr **out) {
    const struct level *found;
    if (!script_expr_unary(p, out)) return false;
    while ((found = operator_at(p, least))) {
        struct script_expr *x = new_expr(p, found->op, p->t->at);
        p->t++;
        x->a = *out;
        *out = x;
        if (!script_expr_binary(p, found->binds + 1, &x->b)) return false;
    }
    return true;
}

bool parse_expr(struct parser *p, const struct script_expr **out) {
    if (!p->depth) p->nodes = 0;
    return script_expr_binary(p, 1, out);
}

bool parse_sum(struct parser *p, const struct script_expr **out) {
    if (!p->depth) p->nodes = 0;
    return script_expr_binary(p, SUMS, out);
}

bool parse_exprs(struct parser *p, struct script_exprs *out) {
    bool fine = true;
    do {
        const struct script_expr *x;
        if (!(fine = parse_expr(p, &x))) break;
        VEC_PUSH(&out->v, x);
    } while (parse_sign(p, ","));
    PARSE_KEEP(p, &out->v);
    return fine;
}
