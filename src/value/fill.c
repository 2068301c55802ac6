/* From a parsed SPEC to bytes: generated contents, hex digits, files; and values back to text.
 *
 * Random contents come from the project's one generator seeded with SEED, one draw per element, so that a
 * command line means the same bytes on every machine. Integers: the low bits of a draw, or LO + draw mod the
 * range. Floats: as many high bits of a draw as the significand has, over [0, 1), then scaled to [LO, HI) in
 * double precision. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "sim/file.h"
#include "value/args.h"
#include "value/arrays.h"

/* With exp the exponent of the leading bit (at least that of the smallest normal), q counts units of the last
 * place: 1024..2048 for normals, below for subnormals, so that adding it to the exponent field also carries correctly. */
uint16_t arg_half(double v) {
    uint16_t sign = signbit(v) ? 0x8000 : 0;
    double a = fabs(v);
    if (isnan(v)) return sign | 0x7e00;
    if (a >= 65520) return sign | 0x7c00;
    int exp;
    frexp(a, &exp);
    exp = a < 0x1p-14 ? -14 : exp - 1; /* frexp calls the exponent of 0 zero */
    long q = lrint(ldexp(a, 10 - exp));
    return (uint16_t)(sign | (((exp + 14) << 10) + q));
}

double arg_from_half(uint16_t bits) {
    int exp = bits >> 10 & 31, frac = bits & 1023;
    double a = exp == 31 ? (frac ? NAN : INFINITY) : exp ? ldexp(frac + 1024, exp - 25) : ldexp(frac, -24);
    return bits & 0x8000 ? -a : a;
}

static double to_double(enum ir_type t, uint64_t bits) {
    return t == IR_T_F16   ? arg_from_half((uint16_t)bits)
           : t == IR_T_F32 ? (double)f32_from((uint32_t)bits)
                           : f64_from(bits);
}

static uint64_t from_double(enum ir_type t, double v) {
    return t == IR_T_F16 ? arg_half(v) : t == IR_T_F32 ? f32_bits((float)v) : f64_bits(v);
}

static uint64_t random_float(const struct arg_spec *a, struct rng *r) {
    unsigned significand = a->type == IR_T_F16 ? 11 : a->type == IR_T_F32 ? 24 : 53;
    double unit = ldexp((double)(rng_next(r) >> (64 - significand)), -(int)significand);
    if (!a->ranged) return from_double(a->type, unit);
    double lo = to_double(a->type, a->lo), hi = to_double(a->type, a->hi);
    uint64_t bits = from_double(a->type, lo + unit * (hi - lo));
    return to_double(a->type, bits) < hi ? bits : a->lo; /* rounding may reach HI, which is outside */
}

static uint64_t random_integer(const struct arg_spec *a, struct rng *r) {
    if (!a->ranged) return rng_next(r);
    unsigned unused = 64 - 8u * ir_type_bytes[a->type];
    uint64_t span = ((a->hi - a->lo) << unused >> unused) + 1; /* 0: all 2^64 values */
    return a->lo + (span ? rng_below(r, span) : rng_next(r));
}

static uint64_t fill_element(const struct arg_spec *a, uint64_t i, struct rng *r) {
    switch (a->fill) {
    case ARG_IOTA: return ir_type_float(a->type) ? from_double(a->type, (double)i) : i;
    case ARG_RAND: return ir_type_float(a->type) ? random_float(a, r) : random_integer(a, r);
    case ARG_VALUE: return a->value;
    case ARG_ZERO:
    case ARG_FILE: break;
    }
    return 0;
}

void arg_fill(const struct arg_spec *a, uint64_t count, uint8_t *out) {
    struct rng r = {a->seed};
    size_t n = ir_type_bytes[a->type];
    for (uint64_t i = 0; i < count; i++, out += n) {
        array_set(out, 0, n, fill_element(a, i, &r));
    }
}

static unsigned hex_digit(char c) {
    return (unsigned)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
}

void arg_decode(const struct arg_spec *a, uint8_t *out, struct arg_links *links) {
    if (a->kind == ARG_STRUCT) {
        arg_fields_decode(a->text, out, links);
        return;
    }
    for (uint64_t i = 0; i < a->count; i++)
        out[i] = (uint8_t)(hex_digit(a->text[2 * i]) << 4 | hex_digit(a->text[2 * i + 1]));
}

/* ---- files ---- */

static bool check_size(struct arg_spec *a, uint64_t size, struct err *e) {
    uint64_t element_bytes = ir_type_bytes[a->type], want = a->count * element_bytes;
    if (a->count && size != want)
        return err_set(e, ERR_INPUT, "%s has %llu bytes, %s[%llu] takes %llu", a->text,
                       (unsigned long long)size, ir_type_name[a->type], (unsigned long long)a->count,
                       (unsigned long long)want);
    if (!size || size % element_bytes || size > ARG_MAX_BYTES)
        return err_set(e, ERR_INPUT, "%s has %llu bytes, which is not a number of %s elements", a->text,
                       (unsigned long long)size, ir_type_name[a->type]);
    a->count = size / element_bytes;
    return true;
}

static bool read_open(struct arg_spec *a, FILE *f, uint8_t **data, struct err *e) {
    struct stat st;
    if (fstat(fileno(f), &st)) return err_set(e, ERR_INPUT, "%s: %s", a->text, strerror(errno));
    if (!S_ISREG(st.st_mode)) return err_set(e, ERR_INPUT, "%s is not a regular file", a->text);
    if (!check_size(a, (uint64_t)st.st_size, e)) return false;
    size_t n = (size_t)st.st_size;
    if (!(*data = try_alloc(n)))
        return err_set(e, ERR_MEMORY, "no memory for the %zu bytes of %s", n, a->text);
    if (fread(*data, 1, n, f) == n) return true;
    free(*data);
    *data = NULL;
    return err_set(e, ERR_INPUT, "%s: could not be read to its end", a->text);
}

/* Formats other than raw bytes: the whole file first, then what it says. */
static bool read_formatted(struct arg_spec *a, enum array_format format, uint8_t **data, struct err *e) {
    struct sb text = {0};
    bool fine = file_read(a->text, &text, e);
    if (fine && !array_decode(format, a->type, (const uint8_t *)text.text, text.len, &a->count, data, e))
        fine = err_set(e, e->code, "%s: %s", a->text, err_text(e));
    sb_free(&text);
    return fine;
}

bool arg_read_file(struct arg_spec *a, uint8_t **data, struct err *e) {
    enum array_format format = array_format_of(a->text);
    if (format != ARRAY_RAW) return read_formatted(a, format, data, e);
    FILE *f = fopen(a->text, "rb");
    if (!f) return err_set(e, ERR_INPUT, "%s: %s", a->text, strerror(errno));
    bool fine = read_open(a, f, data, e);
    fclose(f);
    return fine;
}

const char *arg_beside(struct arena *mem, const char *file, const char *path) {
    const char *slash = strrchr(file, '/');
    struct sb out = {0};
    if (*path == '/' || !slash) return path;
    sb_addn(&out, file, (size_t)(slash - file) + 1);
    sb_add(&out, "%s", path);
    return sb_keep(&out, mem);
}

/* ---- values to text ---- */

/* Whole numbers of up to so many digits have no exponent: a double tells all of them apart. */
enum { WRITTEN_OUT = 16 };

static void format_float(struct sb *out, enum ir_type t, uint64_t bits) {
    double v = to_double(t, bits);
    char s[40];
    if (isnan(v)) {
        sb_add(out, signbit(v) ? "-nan" : "nan");
        return;
    }
    int digits = 1;
    for (; digits <= 17; digits++) {
        snprintf(s, sizeof s, "%.*g", digits, v);
        double back = t == IR_T_F32 ? (double)strtof(s, NULL) : strtod(s, NULL);
        if (from_double(t, back) == bits) break;
    }
    /* %g writes 60 with one digit as 6e+01: a whole number of that size is written out */
    const char *exponent = strstr(s, "e+");
    if (exponent && atoi(exponent + 2) < WRITTEN_OUT) snprintf(s, sizeof s, "%.0f", v);
    sb_add(out, "%s", s);
}

void arg_format(struct sb *out, enum ir_type type, uint64_t bits) {
    unsigned unused = 64 - 8u * ir_type_bytes[type];
    if (ir_type_float(type))
        format_float(out, type, bits);
    else if (ir_type_signed(type))
        sb_add(out, "%lld", (long long)((int64_t)(bits << unused) >> unused));
    else
        sb_add(out, "%llu", (unsigned long long)(bits << unused >> unused));
}
