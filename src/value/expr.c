/* By recursive descent into a tree that is evaluated for each point.
 *
 *     OR    = AND {("or" | "||") AND}              SUM    = TERM {("+" | "-") TERM}
 *     AND   = NOT {("and" | "&&") NOT}             TERM   = FACTOR {("*" | "/" | "%") FACTOR}
 *     NOT   = ("not" | "!") NOT | TEST             FACTOR = "-" FACTOR | NUMBER | NAME | 'TEXT' | "(" OR ")"
 *     TEST  = SUM [("==" | "!=" | "<" | "<=" | ">" | ">=") SUM]
 *
 * A name is an axis, or else the word itself, so that mech == pdom needs no quotes; texts with other signs than letters,
 * digits, _ and . do. Whole numbers are exact and a division of two drops the remainder, as in scripts. */
#include "value/expr.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum op {
    X_NUMBER,
    X_TEXT,
    X_NAME,
    X_NEG,
    X_NOT,
    X_ADD,
    X_SUB,
    X_MUL,
    X_DIV,
    X_MOD,
    X_EQ,
    X_NE,
    X_LT,
    X_LE,
    X_GT,
    X_GE,
    X_AND,
    X_OR
};

struct sweep_expr {
    enum op op;
    struct sweep_number number;
    const char *text;
    const struct sweep_expr *a, *b;
};

struct parser {
    const char *start, *p;
    unsigned depth;
    struct arena *mem;
    struct err *e;
};

static bool parse_or(struct parser *p, const struct sweep_expr **out);

/* ---- reading ---- */

static bool value_expr_wrong(struct parser *p, const char *what) {
    if (!*p->p) return err_set(p->e, ERR_INPUT, "%s expected at the end", what);
    return err_set(p->e, ERR_INPUT, "column %zu: %s expected, not '%.20s'", (size_t)(p->p - p->start) + 1,
                   what, p->p);
}

static void value_expr_skip_blanks(struct parser *p) {
    while (isspace((unsigned char)*p->p)) p->p++;
}

static bool name_sign(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* A sign, or a word that ends there. */
static bool value_expr_take(struct parser *p, const char *sign) {
    const size_t n = strlen(sign);
    value_expr_skip_blanks(p);
    if (strncmp(p->p, sign, n) != 0 || (isalpha((unsigned char)*sign) && name_sign(p->p[n]))) return false;
    p->p += n;
    return true;
}

static const struct sweep_expr *node(struct parser *p, enum op op, const struct sweep_expr *a,
                                     const struct sweep_expr *b) {
    struct sweep_expr *x = ARENA_NEW(p->mem, struct sweep_expr, 1);
    *x = (struct sweep_expr){.op = op, .a = a, .b = b};
    return x;
}

static const struct sweep_expr *value_expr_word(struct parser *p, enum op op, const char *text, size_t n) {
    struct sweep_expr *x = ARENA_NEW(p->mem, struct sweep_expr, 1);
    *x = (struct sweep_expr){.op = op, .text = arena_strndup(p->mem, text, n)};
    return x;
}

static bool parse_number(struct parser *p, const struct sweep_expr **out) {
    struct sweep_expr *x = ARENA_NEW(p->mem, struct sweep_expr, 1);
    const char *from = p->p;
    const enum sweep_scan found = sweep_scan_number(&p->p, &x->number);
    *out = x;
    if (found == SCAN_NUMBER && !name_sign(*p->p)) return true;
    p->p = from;
    if (found == SCAN_NUMBER) return value_expr_wrong(p, "a number");
    return err_set(p->e, ERR_INPUT, "column %zu: the number '%.20s' is too large",
                   (size_t)(from - p->start) + 1, from);
}

static bool parse_text(struct parser *p, const struct sweep_expr **out) {
    const char quote = *p->p++;
    const size_t n = strcspn(p->p, quote == '"' ? "\"" : "'");
    if (!p->p[n])
        return err_set(p->e, ERR_INPUT, "column %zu: a quote is not closed", (size_t)(p->p - p->start));
    *out = value_expr_word(p, X_TEXT, p->p, n);
    p->p += n + 1;
    return true;
}

static bool parse_factor(struct parser *p, const struct sweep_expr **out) {
    enum { DEEPEST = 200 };
    size_t n = 0;
    if (++p->depth > DEEPEST) return err_set(p->e, ERR_INPUT, "more than %d levels", DEEPEST);
    bool fine = true;
    value_expr_skip_blanks(p);
    if (value_expr_take(p, "-")) {
        fine = parse_factor(p, out);
        *out = fine ? node(p, X_NEG, *out, NULL) : NULL;
    } else if (value_expr_take(p, "(")) {
        fine = parse_or(p, out) && (value_expr_take(p, ")") || value_expr_wrong(p, "')'"));
    } else if (*p->p == '\'' || *p->p == '"') {
        fine = parse_text(p, out);
    } else if (isdigit((unsigned char)*p->p)) {
        fine = parse_number(p, out);
    } else {
        while (name_sign(p->p[n])) n++;
        if (!n || *p->p == '.') return value_expr_wrong(p, "an axis, a number or a text");
        *out = value_expr_word(p, X_NAME, p->p, n);
        p->p += n;
    }
    p->depth--;
    return fine;
}

/* One level of operators that are taken from the left. */
struct level {
    const char *sign;
    enum op op;
};
static bool parse_left(struct parser *p, const struct level *l,
                       bool (*below)(struct parser *, const struct sweep_expr **),
                       const struct sweep_expr **out) {
    if (!below(p, out)) return false;
    for (const struct level *at = l; at->sign;) {
        const struct sweep_expr *right;
        if (!value_expr_take(p, at->sign)) {
            at++;
            continue;
        }
        if (!below(p, &right)) return false;
        *out = node(p, at->op, *out, right);
        at = l;
    }
    return true;
}

static bool parse_term(struct parser *p, const struct sweep_expr **out) {
    static const struct level level[] = {{"*", X_MUL}, {"/", X_DIV}, {"%", X_MOD}, {NULL, X_NUMBER}};
    return parse_left(p, level, parse_factor, out);
}

static bool parse_sum(struct parser *p, const struct sweep_expr **out) {
    static const struct level level[] = {{"+", X_ADD}, {"-", X_SUB}, {NULL, X_NUMBER}};
    return parse_left(p, level, parse_term, out);
}

static bool parse_test(struct parser *p, const struct sweep_expr **out) {
    static const struct level tests[] = {{"==", X_EQ}, {"!=", X_NE}, {"<=", X_LE},
                                         {">=", X_GE}, {"<", X_LT},  {">", X_GT}};
    const struct sweep_expr *right;
    if (!parse_sum(p, out)) return false;
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        if (value_expr_take(p, tests[i].sign)) {
            if (!parse_sum(p, &right)) return false;
            *out = node(p, tests[i].op, *out, right);
            return true;
        }
    value_expr_skip_blanks(p);
    return *p->p != '=' || value_expr_wrong(p, "'=='");
}

static bool parse_not(struct parser *p, const struct sweep_expr **out) {
    enum { DEEPEST = 200 };
    if (!value_expr_take(p, "not") &&
        !(value_expr_skip_blanks(p), p->p[0] == '!' && p->p[1] != '=' && p->p++))
        return parse_test(p, out);
    if (++p->depth > DEEPEST) return err_set(p->e, ERR_INPUT, "more than %d levels", DEEPEST);
    if (!parse_not(p, out)) return false;
    p->depth--;
    *out = node(p, X_NOT, *out, NULL);
    return true;
}

static bool parse_and(struct parser *p, const struct sweep_expr **out) {
    static const struct level level[] = {{"and", X_AND}, {"&&", X_AND}, {NULL, X_NUMBER}};
    return parse_left(p, level, parse_not, out);
}

static bool parse_or(struct parser *p, const struct sweep_expr **out) {
    static const struct level level[] = {{"or", X_OR}, {"||", X_OR}, {NULL, X_NUMBER}};
    return parse_left(p, level, parse_and, out);
}

bool sweep_expr_parse(const char *text, struct arena *mem, const struct sweep_expr **out, struct err *e) {
    enum { LONGEST = 4000 }; /* which bounds the tree's depth */
    struct parser p = {.start = text, .p = text, .mem = mem, .e = e};
    if (strlen(text) > LONGEST) return err_set(e, ERR_INPUT, "it is longer than %d characters", LONGEST);
    if (!parse_or(&p, out)) return false;
    value_expr_skip_blanks(&p);
    return !*p.p || value_expr_wrong(&p, "and, or, or the end");
}

/* ---- values ---- */

static struct sweep_value value_expr_whole(int64_t i) {
    return (struct sweep_value){.kind = SWEEP_NUMBER, .number = {.whole = true, .i = i, .d = (double)i}};
}

/* A text that is a number is one. */
static struct sweep_value from_text(const char *text) {
    struct sweep_value v = {.kind = SWEEP_TEXT, .text = text};
    if (!text) v.kind = SWEEP_ABSENT;
    if (text && sweep_is_number(text, &v.number)) v.kind = SWEEP_NUMBER;
    return v;
}

static bool overflow(struct err *e) {
    return err_set(e, ERR_INPUT, "a number in it becomes too large");
}

static bool compute_whole(enum op op, int64_t a, int64_t b, struct sweep_value *out, struct err *e) {
    int64_t v = 0;
    bool over = false;
    if ((op == X_DIV || op == X_MOD) && !b) return err_set(e, ERR_INPUT, "a division by zero");
    switch (op) {
    case X_ADD: over = __builtin_add_overflow(a, b, &v); break;
    case X_SUB: over = __builtin_sub_overflow(a, b, &v); break;
    case X_MUL: over = __builtin_mul_overflow(a, b, &v); break;
    case X_DIV:
        over = a == INT64_MIN && b == -1;
        v = over ? 0 : a / b;
        break;
    default: v = b == -1 ? 0 : a % b; break;
    }
    *out = value_expr_whole(v);
    return !over || overflow(e);
}

static bool value_expr_compute(enum op op, const struct sweep_value *a, const struct sweep_value *b,
                               struct sweep_value *out, struct err *e) {
    const double x = a->number.d, y = b->number.d;
    if (a->number.whole && b->number.whole) return compute_whole(op, a->number.i, b->number.i, out, e);
    if ((op == X_DIV || op == X_MOD) && y == 0) return err_set(e, ERR_INPUT, "a division by zero");
    *out = (struct sweep_value){.kind = SWEEP_NUMBER};
    out->number.d = op == X_ADD   ? x + y
                    : op == X_SUB ? x - y
                    : op == X_MUL ? x * y
                    : op == X_DIV ? x / y
                                  : fmod(x, y);
    return isfinite(out->number.d) || overflow(e);
}

static int order(const struct sweep_value *a, const struct sweep_value *b) {
    if (a->number.whole && b->number.whole) return (a->number.i > b->number.i) - (a->number.i < b->number.i);
    return (a->number.d > b->number.d) - (a->number.d < b->number.d);
}

static bool value_expr_holds(enum op op, int sign) {
    switch (op) {
    case X_EQ: return sign == 0;
    case X_NE: return sign != 0;
    case X_LT: return sign < 0;
    case X_LE: return sign <= 0;
    case X_GT: return sign > 0;
    default: return sign >= 0;
    }
}

static bool needs_number(const struct sweep_value *v, struct err *e) {
    return v->kind == SWEEP_NUMBER || err_set(e, ERR_INPUT, "'%.60s' is not a number", v->text);
}

static const char *value_expr_text_of(const struct sweep_value *v) {
    return v->text ? v->text : "";
}

/* Texts are equal or not; only numbers are larger or smaller. What is absent is neither. */
static bool value_expr_compare(enum op op, const struct sweep_value *a, const struct sweep_value *b,
                               struct sweep_value *out, struct err *e) {
    *out = value_expr_whole(0);
    if (a->kind == SWEEP_ABSENT || b->kind == SWEEP_ABSENT) return true;
    if (a->kind == SWEEP_NUMBER && b->kind == SWEEP_NUMBER)
        *out = value_expr_whole(value_expr_holds(op, order(a, b)));
    else if (op == X_EQ || op == X_NE)
        *out = value_expr_whole((strcmp(value_expr_text_of(a), value_expr_text_of(b)) == 0) == (op == X_EQ));
    else
        return needs_number(a, e) && needs_number(b, e);
    return true;
}

static bool value_expr_combine(const struct sweep_expr *x, const struct sweep_scope *s,
                               struct sweep_value *out, struct err *e) {
    struct sweep_value a, b;
    if (!sweep_expr_value(x->a, s, &a, e) || !sweep_expr_value(x->b, s, &b, e)) return false;
    if (x->op >= X_EQ) return value_expr_compare(x->op, &a, &b, out, e);
    *out = (struct sweep_value){.kind = SWEEP_ABSENT};
    if (a.kind == SWEEP_ABSENT || b.kind == SWEEP_ABSENT) return true;
    return needs_number(&a, e) && needs_number(&b, e) && value_expr_compute(x->op, &a, &b, out, e);
}

static bool value_expr_decide(const struct sweep_expr *x, const struct sweep_scope *s,
                              struct sweep_value *out, struct err *e) {
    bool a = false, b = false;
    if (!sweep_expr_true(x->a, s, &a, e) || (x->b && !sweep_expr_true(x->b, s, &b, e))) return false;
    *out = value_expr_whole(x->op == X_NOT ? !a : x->op == X_AND ? a && b : a || b);
    return true;
}

bool sweep_expr_value(const struct sweep_expr *x, const struct sweep_scope *s, struct sweep_value *out,
                      struct err *e) {
    const char *value;
    struct sweep_value a;
    switch (x->op) {
    case X_NUMBER: *out = (struct sweep_value){.kind = SWEEP_NUMBER, .number = x->number}; return true;
    case X_TEXT: *out = (struct sweep_value){.kind = SWEEP_TEXT, .text = x->text}; return true;
    case X_NAME:
        *out = s->find(s->user, x->text, &value) ? from_text(value)
                                                 : (struct sweep_value){.kind = SWEEP_TEXT, .text = x->text};
        return true;
    case X_NEG:
        if (!sweep_expr_value(x->a, s, &a, e)) return false;
        *out = a;
        if (a.kind == SWEEP_ABSENT) return true;
        *out = value_expr_whole(0);
        return needs_number(&a, e) && value_expr_compute(X_SUB, out, &a, out, e);
    case X_NOT:
    case X_AND:
    case X_OR: return value_expr_decide(x, s, out, e);
    default: return value_expr_combine(x, s, out, e);
    }
}

bool sweep_expr_true(const struct sweep_expr *x, const struct sweep_scope *s, bool *out, struct err *e) {
    struct sweep_value v;
    *out = false;
    if (!sweep_expr_value(x, s, &v, e)) return false;
    if (v.kind != SWEEP_ABSENT && !needs_number(&v, e)) return false;
    *out = v.kind == SWEEP_NUMBER && v.number.d != 0;
    return true;
}

/* ---- words ---- */

static const char *word_of(const struct sweep_expr *x) {
    return x->op == X_NAME || x->op == X_TEXT ? x->text : NULL;
}

bool sweep_expr_visit(const struct sweep_expr *x, const struct sweep_visit *v, struct err *e) {
    if (x->op == X_NAME) return v->name(v->user, x->text, NULL, e);
    if ((x->op == X_EQ || x->op == X_NE) && word_of(x->a) && word_of(x->b)) {
        if (x->a->op == X_NAME) return v->name(v->user, x->a->text, x->b->text, e);
        if (x->b->op == X_NAME) return v->name(v->user, x->b->text, x->a->text, e);
    }
    return (!x->a || sweep_expr_visit(x->a, v, e)) && (!x->b || sweep_expr_visit(x->b, v, e));
}
