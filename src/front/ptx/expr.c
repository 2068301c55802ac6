/* Constant expressions: C's operators and precedence over signed and unsigned 64-bit integers (unsigned wins) and
 * doubles. Precedence climbing; the depth is bounded because the text is not trusted. 0f constants keep their bits as
 * long as nothing is computed with them. */
#include <string.h>

#include "base/bits.h"
#include "front/ptx/parse.h"

enum { MAX_DEPTH = 64 };

static bool ternary(struct ptx *p, struct value *v, unsigned depth);

static bool ptx_expr_fail(struct ptx *p, const char *at, const char *why) {
    return diag_error(&p->diag, at, "%s", why);
}

static double as_double(const struct value *v) {
    if (v->kind == VAL_F64) return f64_from(v->u);
    if (v->kind == VAL_F32) return (double)f32_from((uint32_t)v->u);
    return v->uns ? (double)v->u : (double)(int64_t)v->u;
}

static struct value of_int(uint64_t u, bool uns) {
    return (struct value){VAL_INT, uns, u};
}
static struct value of_double(double d) {
    return (struct value){VAL_F64, false, f64_bits(d)};
}
static bool truth(const struct value *v) {
    return v->kind == VAL_INT ? v->u != 0 : as_double(v) != 0;
}

static bool cast(struct ptx *p, struct value *v, unsigned depth);

static bool ptx_expr_primary(struct ptx *p, struct value *v, unsigned depth) {
    const struct tok *t = &p->t;
    switch (t->kind) {
    case TOK_INT: *v = of_int(t->u, t->uns); break;
    case TOK_F32: *v = (struct value){VAL_F32, false, t->u}; break;
    case TOK_F64: *v = (struct value){VAL_F64, false, t->u}; break;
    case TOK_ID:
        if (t->len != 7 || memcmp(t->s, "WARP_SZ", 7)) return ptx_unexpected(p, "a constant");
        *v = of_int(32, false);
        break;
    case '(':
        ptx_next(p);
        if (p->t.kind == TOK_DOT) return cast(p, v, depth);
        return ternary(p, v, depth + 1) && ptx_expect(p, ')', "after the expression");
    default: return ptx_unexpected(p, "a constant");
    }
    ptx_next(p);
    return true;
}

static bool ptx_expr_unary(struct ptx *p, struct value *v, unsigned depth) {
    if (depth > MAX_DEPTH) return ptx_expr_fail(p, p->t.at, "the expression is nested too deeply");
    int op = p->t.kind;
    const char *at = p->t.at;
    if (op != '-' && op != '+' && op != '!' && op != '~') return ptx_expr_primary(p, v, depth);
    ptx_next(p);
    if (!ptx_expr_unary(p, v, depth + 1)) return false;
    if (op == '!')
        *v = of_int(!truth(v), false);
    else if (op == '~' && v->kind != VAL_INT)
        return ptx_expr_fail(p, at, "'~' needs an integer");
    else if (op == '~')
        v->u = ~v->u;
    else if (op == '-' && v->kind == VAL_INT)
        v->u = 0 - v->u;
    else if (op == '-' && v->kind == VAL_F32)
        v->u ^= 0x80000000u;
    else if (op == '-')
        v->u ^= (uint64_t)1 << 63;
    return true;
}

/* After '(' at .s64 or .u64. */
static bool cast(struct ptx *p, struct value *v, unsigned depth) {
    bool uns = ptx_is_word(p, "u64");
    if (!uns && !ptx_is_word(p, "s64")) return ptx_unexpected(p, ".s64 or .u64");
    ptx_next(p);
    const char *at = p->t.at;
    if (!ptx_expect(p, ')', "after the type") || !ptx_expr_unary(p, v, depth + 1)) return false;
    if (v->kind != VAL_INT) return ptx_expr_fail(p, at, "only integers can be cast");
    v->uns = uns;
    return true;
}

static int precedence(int op) {
    switch (op) {
    case '*':
    case '/':
    case '%': return 10;
    case '+':
    case '-': return 9;
    case TOK_SHL:
    case TOK_SHR: return 8;
    case '<':
    case '>':
    case TOK_LE:
    case TOK_GE: return 7;
    case TOK_EQ:
    case TOK_NE: return 6;
    case '&': return 5;
    case '^': return 4;
    case '|': return 3;
    case TOK_ANDAND: return 2;
    case TOK_OROR: return 1;
    default: return 0;
    }
}

static bool float_op(struct ptx *p, int op, const char *at, struct value *l, const struct value *r) {
    double a = as_double(l), b = as_double(r);
    switch (op) {
    case '+': *l = of_double(a + b); return true;
    case '-': *l = of_double(a - b); return true;
    case '*': *l = of_double(a * b); return true;
    case '/':
        if (b == 0) return ptx_expr_fail(p, at, "division by zero in a constant expression");
        *l = of_double(a / b);
        return true;
    case '<': *l = of_int(a < b, false); return true;
    case '>': *l = of_int(a > b, false); return true;
    case TOK_LE: *l = of_int(a <= b, false); return true;
    case TOK_GE: *l = of_int(a >= b, false); return true;
    case TOK_EQ: *l = of_int(a == b, false); return true;
    case TOK_NE: *l = of_int(a != b, false); return true;
    case TOK_ANDAND: *l = of_int(truth(l) && truth(r), false); return true;
    case TOK_OROR: *l = of_int(truth(l) || truth(r), false); return true;
    default: return ptx_expr_fail(p, at, "this operator needs integers");
    }
}

static bool ptx_expr_divide(struct ptx *p, int op, const char *at, struct value *l, const struct value *r) {
    bool uns = l->uns || r->uns;
    if (!r->u) return ptx_expr_fail(p, at, "division by zero in a constant expression");
    uint64_t q, m;
    if (uns)
        q = l->u / r->u, m = l->u % r->u;
    else if (r->u == UINT64_MAX)
        q = 0 - l->u, m = 0; /* by -1: the one case that overflows */
    else
        q = (uint64_t)((int64_t)l->u / (int64_t)r->u), m = (uint64_t)((int64_t)l->u % (int64_t)r->u);
    *l = of_int(op == '/' ? q : m, uns);
    return true;
}

static uint64_t ptx_expr_shift(int op, const struct value *l, const struct value *r) {
    bool over = r->u > 63;
    if (op == TOK_SHL) return over ? 0 : l->u << r->u;
    if (l->uns) return over ? 0 : l->u >> r->u;
    return (uint64_t)((int64_t)l->u >> (over ? 63 : r->u));
}

static bool int_op(struct ptx *p, int op, const char *at, struct value *l, const struct value *r) {
    bool uns = l->uns || r->uns;
    uint64_t a = l->u, b = r->u;
    bool less = uns ? a < b : (int64_t)a < (int64_t)b;
    switch (op) {
    case '*': *l = of_int(a * b, uns); return true;
    case '/':
    case '%': return ptx_expr_divide(p, op, at, l, r);
    case '+': *l = of_int(a + b, uns); return true;
    case '-': *l = of_int(a - b, uns); return true;
    case TOK_SHL:
    case TOK_SHR: *l = of_int(ptx_expr_shift(op, l, r), l->uns); return true;
    case '<': *l = of_int(less, false); return true;
    case '>': *l = of_int(!less && a != b, false); return true;
    case TOK_LE: *l = of_int(less || a == b, false); return true;
    case TOK_GE: *l = of_int(!less, false); return true;
    case TOK_EQ: *l = of_int(a == b, false); return true;
    case TOK_NE: *l = of_int(a != b, false); return true;
    case '&': *l = of_int(a & b, uns); return true;
    case '^': *l = of_int(a ^ b, uns); return true;
    case '|': *l = of_int(a | b, uns); return true;
    case TOK_ANDAND: *l = of_int(a && b, false); return true;
    default: *l = of_int(a || b, false); return true;
    }
}

static bool ptx_expr_binary(struct ptx *p, struct value *v, int least, unsigned depth) {
    if (!ptx_expr_unary(p, v, depth)) return false;
    for (int prec; (prec = precedence(p->t.kind)) >= least && prec;) {
        int op = p->t.kind;
        const char *at = p->t.at;
        struct value r;
        ptx_next(p);
        if (!ptx_expr_binary(p, &r, prec + 1, depth + 1)) return false;
        bool floats = v->kind != VAL_INT || r.kind != VAL_INT;
        if (!(floats ? float_op : int_op)(p, op, at, v, &r)) return false;
    }
    return true;
}

static bool ternary(struct ptx *p, struct value *v, unsigned depth) {
    if (!ptx_expr_binary(p, v, 1, depth)) return false;
    if (!ptx_accept(p, '?')) return true;
    struct value yes, no;
    if (!ternary(p, &yes, depth + 1) || !ptx_expect(p, ':', "of the conditional") ||
        !ternary(p, &no, depth + 1))
        return false;
    *v = truth(v) ? yes : no;
    return true;
}

bool ptx_expr(struct ptx *p, struct value *v) {
    return ternary(p, v, 0);
}
