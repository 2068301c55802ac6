/* Parser of --arg SPEC.
 *
 *     SPEC   = TYPE ":" NUMBER | "buf:" TYPE "[" [COUNT] "]" ["=" FILL] | "sym:" NAME | "ptr:" NAME | "bytes:" HEX |
 *              STRUCT (fields.c)
 *     FILL   = "zero" | "iota" | "rand(" SEED ["," LO "," HI] ")" | "value(" NUMBER ")" | "file:" PATH
 *     TYPE   = u8 s8 u16 s16 u32 s32 u64 s64 f16 f32 f64
 *     NUMBER = decimal, 0x hexadecimal; for floats also 1e-3, inf, nan and PTX's exact 0fXXXXXXXX,
 * 0dXXXXXXXXXXXXXXXX
 *
 * Recursive descent over a cursor. The spec is hand-written on a command line, so every message repeats the
 * part it is about and says what would have been right. */
#include "value/args.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

/* A cut of the spec, so that messages can quote it with %.*s. */
struct cut {
    const char *p;
    size_t n;
};
#define CUT(c) (int)((c).n < 60 ? (c).n : 60), (c).p

enum { NUMBER_MAX = 79 }; /* characters of a number: strto* want a NUL after it */

static const struct {
    const char *name;
    enum ir_type type;
} value_types[] = {
    {"u8", IR_T_U8},   {"s8", IR_T_S8},   {"u16", IR_T_U16}, {"s16", IR_T_S16},
    {"u32", IR_T_U32}, {"s32", IR_T_S32}, {"u64", IR_T_U64}, {"s64", IR_T_S64},
    {"f16", IR_T_F16}, {"f32", IR_T_F32}, {"f64", IR_T_F64},
};
#define TYPE_NAMES "u8 s8 u16 s16 u32 s32 u64 s64 f16 f32 f64"

static bool cut_is(struct cut c, const char *word) {
    return c.n == strlen(word) && !memcmp(c.p, word, c.n);
}

/* Takes a leading word off c. */
static bool cut_skip(struct cut *c, const char *word) {
    size_t n = strlen(word);
    if (c->n < n || memcmp(c->p, word, n) != 0) return false;
    c->p += n;
    c->n -= n;
    return true;
}

/* Cuts off what stands before the first `end`; without one, *head is untouched. */
static bool cut_until(struct cut *c, char end, struct cut *head) {
    const char *at = memchr(c->p, end, c->n);
    if (!at) return false;
    *head = (struct cut){c->p, (size_t)(at - c->p)};
    c->n -= head->n + 1;
    c->p = at + 1;
    return true;
}

bool arg_type_by_name(const char *name, size_t len, enum ir_type *type) {
    for (size_t i = 0; i < sizeof value_types / sizeof *value_types; i++)
        if (cut_is((struct cut){name, len}, value_types[i].name)) {
            *type = value_types[i].type;
            return true;
        }
    return false;
}

/* ---- numbers ---- */

static uint64_t type_mask(enum ir_type t) {
    return ir_type_bytes[t] == 8 ? UINT64_MAX : ((uint64_t)1 << (8 * ir_type_bytes[t])) - 1;
}

static bool parse_integer(const char *s, struct cut shown, enum ir_type t, const char *what, uint64_t *bits,
                          struct err *e) {
    bool negative = *s == '-';
    const char *digits = s + (*s == '-' || *s == '+');
    bool hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    if (hex ? !isxdigit((unsigned char)digits[2]) : !isdigit((unsigned char)digits[0]))
        return err_set(e, ERR_INPUT, "%s '%.*s' is not a whole number", what, CUT(shown));
    char *end;
    errno = 0;
    uint64_t v = strtoull(digits, &end, hex ? 16 : 10);
    if (*end)
        return err_set(e, ERR_INPUT, "%s '%.*s' is not a whole number%s", what, CUT(shown),
                       strchr(".eE", *end) ? " (the type is an integer)" : "");
    uint64_t mask = type_mask(t), most = ir_type_signed(t) ? (mask >> 1) + negative : negative ? 0 : mask;
    if (errno == ERANGE || v > most) {
        if (ir_type_signed(t))
            return err_set(e, ERR_INPUT, "%s %.*s is out of range of %s (-%llu to %llu)", what, CUT(shown),
                           ir_type_name[t], (unsigned long long)(mask >> 1) + 1,
                           (unsigned long long)(mask >> 1));
        return err_set(e, ERR_INPUT, "%s %.*s is out of range of %s (0 to %llu)", what, CUT(shown),
                       ir_type_name[t], (unsigned long long)mask);
    }
    *bits = (negative ? 0 - v : v) & mask;
    return true;
}

/* PTX's exact floats: 0f and 8 hex digits, 0d and 16. */
static bool exact_float(const char *s, enum ir_type t, uint64_t *bits) {
    char letter = t == IR_T_F32 ? 'f' : 'd';
    size_t digits = t == IR_T_F32 ? 8 : 16;
    if (t == IR_T_F16 || s[0] != '0' || tolower((unsigned char)s[1]) != letter || strlen(s) != digits + 2)
        return false;
    if (strspn(s + 2, "0123456789abcdefABCDEF") != digits) return false;
    *bits = strtoull(s + 2, NULL, 16);
    return true;
}

static bool parse_float(const char *s, struct cut shown, enum ir_type t, const char *what, uint64_t *bits,
                        struct err *e) {
    if (exact_float(s, t, bits)) return true;
    char *end = NULL;
    double v = 0;
    if (*s && !isspace((unsigned char)*s)) v = t == IR_T_F32 ? (double)strtof(s, &end) : strtod(s, &end);
    if (!end || end == s || *end) return err_set(e, ERR_INPUT, "%s '%.*s' is not a number", what, CUT(shown));
    /* "inf" is asked for by name, and the only word with an n before an f; any other infinity came of
     * rounding */
    bool infinite = isinf(v) || (t == IR_T_F16 && fabs(v) >= 65520);
    if (infinite && !strpbrk(s, "nN"))
        return err_set(e, ERR_INPUT, "%s %.*s is out of range of %s", what, CUT(shown), ir_type_name[t]);
    *bits = t == IR_T_F16 ? arg_half(v) : t == IR_T_F32 ? f32_bits((float)v) : f64_bits(v);
    return true;
}

bool arg_number(const char *text, size_t len, enum ir_type type, const char *what, uint64_t *bits,
                struct err *e) {
    struct cut shown = {text, len};
    char s[NUMBER_MAX + 1];
    if (!len) return err_set(e, ERR_INPUT, "%s is missing", what);
    if (len > NUMBER_MAX)
        return err_set(e, ERR_INPUT, "%s '%.*s...' is too long for a number", what, CUT(shown));
    memcpy(s, text, len);
    s[len] = '\0';
    return ir_type_float(type) ? parse_float(s, shown, type, what, bits, e)
                               : parse_integer(s, shown, type, what, bits, e);
}

/* ---- buffers ---- */

static double float_of(enum ir_type t, uint64_t bits) {
    return t == IR_T_F16   ? arg_from_half((uint16_t)bits)
           : t == IR_T_F32 ? (double)f32_from((uint32_t)bits)
                           : f64_from(bits);
}

static int64_t signed_of(enum ir_type t, uint64_t bits) {
    unsigned unused = 64 - 8u * ir_type_bytes[t];
    return (int64_t)(bits << unused) >> unused;
}

static bool check_range(const struct arg_spec *a, struct err *e) {
    if (ir_type_float(a->type)) {
        double lo = float_of(a->type, a->lo), hi = float_of(a->type, a->hi);
        if (!isfinite(lo) || !isfinite(hi) || !isfinite(hi - lo))
            return err_set(e, ERR_INPUT, "rand: LO, HI and their distance must be finite");
        if (!(lo < hi)) return err_set(e, ERR_INPUT, "rand: LO must be below HI");
        return true;
    }
    bool ordered =
        ir_type_signed(a->type) ? signed_of(a->type, a->lo) <= signed_of(a->type, a->hi) : a->lo <= a->hi;
    return ordered || err_set(e, ERR_INPUT, "rand: LO must not be above HI");
}

/* c is what stands between the parentheses of rand(...) */
static bool parse_rand(struct cut c, struct arg_spec *a, struct err *e) {
    struct cut seed = c, lo = {0};
    a->fill = ARG_RAND;
    a->ranged = cut_until(&c, ',', &seed);
    if (!arg_number(seed.p, seed.n, IR_T_U64, "rand: SEED", &a->seed, e)) return false;
    if (!a->ranged) return true;
    if (!cut_until(&c, ',', &lo)) return err_set(e, ERR_INPUT, "rand takes (SEED) or (SEED,LO,HI)");
    return arg_number(lo.p, lo.n, a->type, "rand: LO", &a->lo, e) &&
           arg_number(c.p, c.n, a->type, "rand: HI", &a->hi, e) && check_range(a, e);
}

static bool parse_fill(struct cut c, struct arg_spec *a, struct err *e) {
    struct cut whole = c;
    if (cut_is(c, "zero")) return a->fill = ARG_ZERO, true;
    if (cut_is(c, "iota")) return a->fill = ARG_IOTA, true;
    if (cut_skip(&c, "file:")) {
        if (!c.n) return err_set(e, ERR_INPUT, "file: needs a path");
        return a->fill = ARG_FILE, a->text = c.p, true;
    }
    bool random = cut_skip(&c, "rand(");
    if (!random && !cut_skip(&c, "value("))
        return err_set(
            e, ERR_INPUT,
            "unknown contents '%.*s' (zero, iota, rand(SEED), rand(SEED,LO,HI), value(V) or file:PATH)",
            CUT(whole));
    if (!c.n || c.p[c.n - 1] != ')') return err_set(e, ERR_INPUT, "'%.*s' lacks its closing ')'", CUT(whole));
    c.n--;
    if (random) return parse_rand(c, a, e);
    a->fill = ARG_VALUE;
    return arg_number(c.p, c.n, a->type, "value", &a->value, e);
}

static bool parse_count(struct cut c, struct arg_spec *a, struct err *e) {
    if (!arg_number(c.p, c.n, IR_T_U64, "element count", &a->count, e)) return false;
    if (!a->count) return err_set(e, ERR_INPUT, "a buffer has at least 1 element");
    if (a->count > ARG_MAX_BYTES / ir_type_bytes[a->type])
        return err_set(e, ERR_INPUT, "%llu elements of %s are more than 1 TiB", (unsigned long long)a->count,
                       ir_type_name[a->type]);
    return true;
}

static bool parse_buffer(struct cut c, struct arg_spec *a, struct err *e) {
    struct cut type, count;
    a->kind = ARG_BUFFER;
    if (!cut_until(&c, '[', &type))
        return err_set(e, ERR_INPUT, "buf:%.*s lacks its [COUNT], as in buf:f32[1024]", CUT(c));
    if (!arg_type_by_name(type.p, type.n, &a->type))
        return err_set(e, ERR_INPUT, "unknown element type '%.*s' (%s)", CUT(type), TYPE_NAMES);
    if (!cut_until(&c, ']', &count)) return err_set(e, ERR_INPUT, "the count '%.*s' lacks its ']'", CUT(c));
    if (count.n && !parse_count(count, a, e)) return false;
    if (c.n && !cut_skip(&c, "="))
        return err_set(e, ERR_INPUT, "'=' expected before '%.*s', as in buf:f32[1024]=iota", CUT(c));
    else if (c.n || c.p[-1] == '=') {
        if (!parse_fill(c, a, e)) return false;
    }
    if (!a->count && a->fill != ARG_FILE)
        return err_set(e, ERR_INPUT, "the count may be left out only with file:PATH");
    return true;
}

/* ---- the rest ---- */

static bool parse_bytes(struct cut c, struct arg_spec *a, struct err *e) {
    a->kind = ARG_BYTES;
    a->text = c.p;
    a->count = c.n / 2;
    if (!c.n) return err_set(e, ERR_INPUT, "bytes: needs hexadecimal digits, two for each byte");
    for (size_t i = 0; i < c.n; i++)
        if (!isxdigit((unsigned char)c.p[i]))
            return err_set(e, ERR_INPUT, "bytes: '%c' at place %zu is not a hexadecimal digit",
                           isprint((unsigned char)c.p[i]) ? c.p[i] : '?', i + 1);
    if (c.n % 2) return err_set(e, ERR_INPUT, "bytes: an odd number of digits (%zu); two make a byte", c.n);
    if (a->count > ARG_MAX_STRUCT)
        return err_set(e, ERR_INPUT, "bytes: %llu bytes are more than a kernel can take (%d)",
                       (unsigned long long)a->count, ARG_MAX_STRUCT);
    return true;
}

bool arg_parse_buffer(const char *text, struct arg_spec *out, struct err *e) {
    *out = (struct arg_spec){.type = IR_T_U64, .text = ""};
    return parse_buffer((struct cut){text, strlen(text)}, out, e);
}

bool arg_parse_fill(const char *text, struct arg_spec *out, struct err *e) {
    out->kind = ARG_BUFFER;
    return parse_fill((struct cut){text, strlen(text)}, out, e);
}

bool arg_is_fill(const char *text) {
    struct cut c = {text, strlen(text)};
    return cut_is(c, "zero") || cut_is(c, "iota") || cut_skip(&c, "rand(") || cut_skip(&c, "value(") ||
           cut_skip(&c, "file:");
}

static bool parse_name(struct cut c, enum arg_kind kind, const char *what, struct arg_spec *a,
                       struct err *e) {
    a->kind = kind;
    a->text = c.p;
    return c.n || err_set(e, ERR_INPUT, "%s", what);
}

bool arg_parse(const char *text, struct arg_spec *out, struct err *e) {
    struct cut c = {text, strlen(text)}, head;
    uint32_t align;
    *out = (struct arg_spec){.type = IR_T_U64, .text = ""};
    if (*text == '{') {
        out->kind = ARG_STRUCT;
        out->text = text;
        return arg_fields_measure(text, &out->count, &align, e);
    }
    if (!cut_until(&c, ':', &head))
        return err_set(e, ERR_INPUT,
                       "'%.*s' is not TYPE:VALUE, buf:TYPE[COUNT]=..., ptr:NAME, sym:NAME, {FIELD, ...} or "
                       "bytes:HEX",
                       CUT(c));
    if (cut_is(head, "buf")) return parse_buffer(c, out, e);
    if (cut_is(head, "bytes")) return parse_bytes(c, out, e);
    if (cut_is(head, "sym")) return parse_name(c, ARG_SYMBOL, "sym: needs the name of a variable", out, e);
    if (cut_is(head, "ptr")) return parse_name(c, ARG_POINTER, "ptr: needs the name of a buffer", out, e);
    if (!arg_type_by_name(head.p, head.n, &out->type))
        return err_set(e, ERR_INPUT, "unknown type '%.*s' (%s, or buf, ptr, sym, bytes)", CUT(head),
                       TYPE_NAMES);
    out->kind = ARG_SCALAR;
    return arg_number(c.p, c.n, out->type, "value", &out->value, e);
}

uint64_t arg_bytes(const struct arg_spec *a) {
    return a->kind == ARG_BYTES || a->kind == ARG_STRUCT ? a->count : ir_type_bytes[a->type];
}
