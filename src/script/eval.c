/* Values of expressions. Whole numbers have 64 bits and what overflows them is an error, as is a division by zero: a script that
 * computes the shape of a launch must not wrap around. Numbers with a point are doubles. */
#include <math.h>
#include <stdlib.h>

#include "base/bits.h"
#include "script/state.h"

#define FAIL(x, ...) script_error(st->s, (x)->at, st->e, __VA_ARGS__)

static struct script_value eval_whole(int64_t i) {
    return (struct script_value){.known = true, .i = i};
}

static struct script_value real(double d) {
    return (struct script_value){.known = true, .real = true, .d = d};
}

static double as_real(const struct script_value *v) {
    return v->real ? v->d : (double)v->i;
}

static bool is_true(const struct script_value *v) {
    return v->real ? v->d != 0 : v->i != 0;
}

double script_real(enum ir_type type, uint64_t bits) {
    if (ir_type_float(type))
        return type == IR_T_F16   ? arg_from_half((uint16_t)bits)
               : type == IR_T_F32 ? (double)f32_from((uint32_t)bits)
                                  : f64_from(bits);
    unsigned unused = 64 - 8u * ir_type_bytes[type];
    return ir_type_signed(type) ? (double)((int64_t)(bits << unused) >> unused) : (double)bits;
}

void script_value_text(const struct script_value *v, struct sb *out) {
    arg_format(out, v->real ? IR_T_F64 : IR_T_S64, v->real ? f64_bits(v->d) : (uint64_t)v->i);
}

bool script_device(struct script_state *st, struct script_at at, hd_status status) {
    struct err e = {0};
    bool fine = lab_check(st->stage->dev, status, &e);
    if (!fine) {
        script_error(st->s, at, st->e, "%s", err_text(&e));
        st->e->code = e.code;
    }
    err_free(&e);
    return fine;
}

bool script_go_on(struct script_state *st, struct script_at at) {
    const struct lab_hooks *h = st->stage->hooks;
    if (++st->steps % 256 || !h->stop || !h->stop(h->user)) return true;
    script_error(st->s, at, st->e, "interrupted");
    st->e->code = ERR_LIMIT;
    return false;
}

/* ---- operations ---- */

static bool whole_op(struct script_state *st, const struct script_expr *x, int64_t a, int64_t b,
                     struct script_value *out) {
    bool over = false;
    *out = eval_whole(0);
    switch (x->op) {
    case OP_ADD: over = __builtin_add_overflow(a, b, &out->i); break;
    case OP_SUB: over = __builtin_sub_overflow(a, b, &out->i); break;
    case OP_MUL: over = __builtin_mul_overflow(a, b, &out->i); break;
    case OP_DIV:
    case OP_MOD:
        if (!b) return FAIL(x, "a division by zero");
        over = a == INT64_MIN && b == -1;
        if (!over) out->i = x->op == OP_DIV ? a / b : a % b;
        break;
    case OP_EQ: out->i = a == b; break;
    case OP_NE: out->i = a != b; break;
    case OP_LT: out->i = a < b; break;
    case OP_LE: out->i = a <= b; break;
    case OP_GT: out->i = a > b; break;
    case OP_GE: out->i = a >= b; break;
    case OP_MIN: out->i = a < b ? a : b; break;
    default: out->i = a > b ? a : b; break; /* OP_MAX */
    }
    return !over || FAIL(x, "a whole number of more than 64 bits");
}

static bool real_op(struct script_state *st, const struct script_expr *x, double a, double b,
                    struct script_value *out) {
    switch (x->op) {
    case OP_ADD: *out = real(a + b); break;
    case OP_SUB: *out = real(a - b); break;
    case OP_MUL: *out = real(a * b); break;
    case OP_DIV: *out = real(a / b); break;
    case OP_MOD: return FAIL(x, "'%%' is for whole numbers");
    case OP_EQ: *out = eval_whole(a == b); break;
    case OP_NE: *out = eval_whole(a != b); break;
    case OP_LT: *out = eval_whole(a < b); break;
    case OP_LE: *out = eval_whole(a <= b); break;
    case OP_GT: *out = eval_whole(a > b); break;
    case OP_GE: *out = eval_whole(a >= b); break;
    case OP_MIN: *out = real(fmin(a, b)); break;
    default: *out = real(fmax(a, b)); break; /* OP_MAX */
    }
    return true;
}

static bool eval_binary(struct script_state *st, const struct script_expr *x, struct script_value *out) {
    struct script_value a, b;
    if (!eval(st, x->a, &a)) return false;
    if (x->op == OP_AND || x->op == OP_OR) { /* the second is not asked where the first decides */
        if (is_true(&a) == (x->op == OP_OR)) return *out = eval_whole(x->op == OP_OR), true;
        if (!eval(st, x->b, &b)) return false;
        return *out = eval_whole(is_true(&b)), true;
    }
    if (!eval(st, x->b, &b)) return false;
    if (a.real || b.real) return real_op(st, x, as_real(&a), as_real(&b), out);
    return whole_op(st, x, a.i, b.i, out);
}

static bool negate(struct script_state *st, const struct script_expr *x, struct script_value *out) {
    if (!eval(st, x->a, out)) return false;
    if (out->real) return *out = real(-out->d), true;
    return !__builtin_sub_overflow((int64_t)0, out->i, &out->i) ||
           FAIL(x, "a whole number of more than 64 bits");
}

/* ---- buffers ---- */

static bool eval_element(struct script_state *st, const struct script_expr *x, struct script_value *out) {
    const struct script_memory *m = &st->buffers[x->name];
    const char *name = st->s->buffers.v[x->name].name;
    const size_t width = ir_type_bytes[m->type];
    int64_t at = 0;
    uint8_t bytes[8] = {0};
    if (!x->a && m->count != 1)
        return FAIL(x, "%s has %llu elements: say which, as in %s[0]", name, (unsigned long long)m->count,
                    name);
    if (x->a && !eval_int(st, x->a, "index", 0, (int64_t)m->count - 1, &at)) return false;
    if (!script_device(st, x->at, hd_copy_out(st->stage->dev, bytes, m->addr + (uint64_t)at * width, width)))
        return false;
    uint64_t bits = array_element(bytes, 0, width);
    if (ir_type_float(m->type)) return *out = real(script_real(m->type, bits)), true;
    unsigned unused = 64 - 8 * (unsigned)width;
    *out = eval_whole(ir_type_signed(m->type) ? (int64_t)(bits << unused) >> unused : (int64_t)bits);
    return m->type != IR_T_U64 || bits <= INT64_MAX ||
           FAIL(x, "%s[%lld] is more than 63 bits", name, (long long)at);
}

bool eval(struct script_state *st, const struct script_expr *x, struct script_value *out) {
    switch (x->op) {
    case OP_INT: return *out = eval_whole(x->i), true;
    case OP_REAL: return *out = real(x->d), true;
    case OP_NAME:
        *out = st->numbers[x->name];
        return out->known || FAIL(x, "%s has no value yet", st->s->numbers.v[x->name]);
    case OP_INDEX:
        *out = eval_whole((int64_t)st->index);
        return st->has_index || FAIL(x, "'index' is for the elements that are set or checked");
    case OP_ELEMENT: return eval_element(st, x, out);
    case OP_COUNT: return *out = eval_whole((int64_t)st->buffers[x->name].count), true;
    case OP_NEG: return negate(st, x, out);
    case OP_NOT:
        if (!eval(st, x->a, out)) return false;
        return *out = eval_whole(!is_true(out)), true;
    default: return eval_binary(st, x, out);
    }
}

/* ---- as something ---- */

bool eval_int(struct script_state *st, const struct script_expr *x, const char *what, int64_t least,
              int64_t most, int64_t *out) {
    struct script_value v;
    if (!eval(st, x, &v)) return false;
    if (v.real) return FAIL(x, "%s is not a whole number", what);
    *out = v.i;
    return (v.i >= least && v.i <= most) || FAIL(x, "%s %lld is not from %lld to %lld", what, (long long)v.i,
                                                 (long long)least, (long long)most);
}

bool eval_true(struct script_state *st, const struct script_expr *x, bool *out) {
    struct script_value v;
    if (!eval(st, x, &v)) return false;
    return *out = is_true(&v), true;
}

bool eval_real(struct script_state *st, const struct script_expr *x, double *out) {
    struct script_value v;
    if (!eval(st, x, &v)) return false;
    return *out = as_real(&v), true;
}

/* By way of its text, so that what a type can hold and how it is rounded is said in one place (value/args.c). */
bool eval_bits(struct script_state *st, const struct script_expr *x, enum ir_type type, uint64_t *bits) {
    struct script_value v;
    if (!eval(st, x, &v)) return false;
    if (type == IR_T_F64) return *bits = f64_bits(as_real(&v)), true;
    if (type == IR_T_F32 && v.real && isfinite(v.d) && fabs(v.d) < 0x1p127)
        return *bits = f32_bits((float)v.d), true;
    struct sb text = {0};
    struct err e = {0};
    if (v.real && !ir_type_float(type) && v.d == floor(v.d) && fabs(v.d) < 0x1p63)
        v = eval_whole((int64_t)v.d);
    script_value_text(&v, &text);
    bool fine = arg_number(text.text, text.len, type, "value", bits, &e);
    if (!fine) FAIL(x, "%s", err_text(&e));
    sb_free(&text);
    err_free(&e);
    return fine;
}
