/* Lists and ranges.
 *
 *     LIST  = ITEM {"," ITEM}
 *     ITEM  = TEXT | FIRST ".." LAST [":" STEP | "*" FACTOR]
 *
 * A range goes from FIRST towards LAST, up or down, and never past it; LAST itself is a value when a step ends there. Whole
 * numbers stay whole: 100..10*3 is refused rather than rounded. With a decimal point anywhere the values are computed from
 * FIRST, not by adding up, so that 0.1..0.5:0.1 ends with 0.5. What does not begin with a number and two points is text:
 * ../file is a value. */
#include "value/list.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers ---- */

static bool value_list_digit(char c) {
    return c >= '0' && c <= '9';
}

static unsigned suffix_shift(char c) {
    const char *at = c ? strchr("KMGT", c) : NULL;
    return at ? (unsigned)(10 * (at - "KMGT" + 1)) : 0;
}

/* Where the digits of a number end; *point: it has a decimal point or an exponent. */
static const char *skip_digits(const char *p, bool *point) {
    while (value_list_digit(*p)) p++;
    if (*p == '.' && value_list_digit(p[1]))
        for (*point = true, p++; value_list_digit(*p);) p++;
    if (*p == 'e' || *p == 'E') {
        const char *sign = p + 1 + (p[1] == '-' || p[1] == '+');
        if (value_list_digit(*sign))
            for (*point = true, p = sign; value_list_digit(*p);) p++;
    }
    return p;
}

static enum sweep_scan read_point(const char *text, size_t n, struct sweep_number *out) {
    char copy[64];
    if (n >= sizeof copy) return SCAN_TOO_LARGE;
    memcpy(copy, text, n);
    copy[n] = 0;
    locale_t c = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (!c) PANIC("no C locale");
    out->d = strtod_l(copy, NULL, c);
    freelocale(c);
    return isfinite(out->d) ? SCAN_NUMBER : SCAN_TOO_LARGE;
}

static enum sweep_scan read_whole(const char *digits, const char *end, bool negative, unsigned shift,
                                  struct sweep_number *out) {
    out->whole = true;
    out->i = 0;
    for (const char *p = digits; p < end; p++)
        if (__builtin_mul_overflow(out->i, 10, &out->i) || __builtin_add_overflow(out->i, *p - '0', &out->i))
            return SCAN_TOO_LARGE;
    if (__builtin_mul_overflow(out->i, (int64_t)(UINT64_C(1) << shift), &out->i)) return SCAN_TOO_LARGE;
    if (negative) out->i = -out->i;
    out->d = (double)out->i;
    return SCAN_NUMBER;
}

enum sweep_scan sweep_scan_number(const char **text, struct sweep_number *out) {
    const char *start = *text, *digits = start + (*start == '-' || *start == '+');
    bool point = false;
    *out = (struct sweep_number){0};
    if (!value_list_digit(*digits)) return SCAN_NOT;
    const char *end = skip_digits(digits, &point);
    *text = end;
    if (point) return read_point(start, (size_t)(end - start), out);
    const unsigned shift = suffix_shift(*end);
    *text += shift > 0;
    return read_whole(digits, end, *start == '-', shift, out);
}

bool sweep_is_number(const char *text, struct sweep_number *out) {
    return sweep_scan_number(&text, out) == SCAN_NUMBER && !*text;
}

/* ---- ranges ---- */

struct range {
    const char *text; /* for messages */
    struct sweep_number first, last, by;
    bool times; /* by is a factor */
    struct arena *mem;
    struct sweep_words *out;
};

static bool value_list_push(struct range *r, struct err *e, bool whole, int64_t i, double d) {
    struct sb value = {0};
    if (whole)
        sb_add(&value, "%" PRId64, i);
    else
        sb_add(&value, "%.12g", d);
    VEC_PUSH(&r->out->v, sb_keep(&value, r->mem));
    return r->out->v.n <= SWEEP_MOST ||
           err_set(e, ERR_INPUT, "'%.60s': more than %d values", r->text, SWEEP_MOST);
}

/* Differences are taken unsigned: that of the ends of int64_t fits there. */
static bool add_steps(struct range *r, struct err *e) {
    const bool up = r->first.i <= r->last.i;
    const uint64_t step = (uint64_t)r->by.i;
    uint64_t v = (uint64_t)r->first.i, last = (uint64_t)r->last.i;
    while (value_list_push(r, e, true, (int64_t)v, 0)) {
        if ((up ? last - v : v - last) < step) return true;
        v += up ? step : 0 - step;
    }
    return false;
}

static bool value_list_multiply(struct range *r, struct err *e) {
    int64_t v = r->first.i, f = r->by.i, last = r->last.i;
    const bool up = v <= last;
    if (v < 1 || last < 1) return err_set(e, ERR_INPUT, "'%.60s': a range by factors is above 0", r->text);
    while (value_list_push(r, e, true, v, 0)) {
        if (up ? v > last / f : v / f < last) return true;
        if (!up && v % f)
            return err_set(e, ERR_INPUT, "'%.60s': %" PRId64 " cannot be divided by %" PRId64, r->text, v, f);
        v = up ? v * f : v / f;
    }
    return false;
}

/* As many as fit, with room for the error of one rounding. */
static bool value_list_add_points(struct range *r, struct err *e) {
    const double a = r->first.d, b = r->last.d, by = r->by.d;
    if (r->times && !(a > 0 && b > 0))
        return err_set(e, ERR_INPUT, "'%.60s': a range by factors is above 0", r->text);
    const double steps = r->times ? fabs(log(b / a)) / log(by) : fabs(b - a) / by;
    if (!(steps < SWEEP_MOST))
        return err_set(e, ERR_INPUT, "'%.60s': more than %d values", r->text, SWEEP_MOST);
    const size_t n = (size_t)floor(steps * (1 + 1e-12) + 1e-9);
    for (size_t i = 0; i <= n; i++) {
        const double k = a <= b ? (double)i : -(double)i;
        if (!value_list_push(r, e, false, 0, r->times ? a * pow(by, k) : a + k * by)) return false;
    }
    return true;
}

static bool value_list_expand(struct range *r, struct err *e) {
    if (r->times ? !(r->by.d > 1) : !(r->by.d > 0))
        return err_set(e, ERR_INPUT, "'%.60s': a %s", r->text,
                       r->times ? "factor is above 1"
                                : "step is above 0; a range goes down when it ends below");
    if (!r->first.whole || !r->last.whole || !r->by.whole) return value_list_add_points(r, e);
    return r->times ? value_list_multiply(r, e) : add_steps(r, e);
}

static bool value_list_number(const struct range *r, const char **p, const char *what,
                              struct sweep_number *out, struct err *e) {
    const enum sweep_scan found = sweep_scan_number(p, out);
    if (found == SCAN_NUMBER) return true;
    return err_set(e, ERR_INPUT,
                   found == SCAN_NOT ? "'%.60s': the range lacks its %s" : "'%.60s': its %s is too large",
                   r->text, what);
}

/* p: behind the two points. */
static bool read_range(struct range *r, const char *p, struct err *e) {
    r->by = (struct sweep_number){.whole = true, .i = 1, .d = 1};
    if (!value_list_number(r, &p, "end", &r->last, e)) return false;
    const char sign = *p;
    r->times = sign == '*';
    if ((sign == ':' || sign == '*') &&
        (p++, !value_list_number(r, &p, sign == ':' ? "step" : "factor", &r->by, e)))
        return false;
    if (*p) return err_set(e, ERR_INPUT, "'%.60s' is not a range: A..B, A..B:STEP or A..B*FACTOR", r->text);
    return value_list_expand(r, e);
}

/* ---- lists ---- */

/* Up to the next comma that is not within brackets. */
static size_t item_length(const char *text) {
    size_t depth = 0, n = 0;
    for (; text[n] && (text[n] != ',' || depth); n++) {
        if (strchr("([{", text[n])) depth++;
        if (depth && strchr(")]}", text[n])) depth--;
    }
    return n;
}

static bool add_item(const char *item, struct arena *mem, struct sweep_words *out, struct err *e) {
    struct range r = {.text = item, .mem = mem, .out = out};
    const char *p = item;
    const enum sweep_scan found = sweep_scan_number(&p, &r.first);
    if (found != SCAN_NOT && !strncmp(p, "..", 2)) {
        if (found == SCAN_TOO_LARGE) return err_set(e, ERR_INPUT, "'%.60s': its begin is too large", item);
        return read_range(&r, p + 2, e);
    }
    VEC_PUSH(&out->v, item);
    return out->v.n <= SWEEP_MOST || err_set(e, ERR_INPUT, "more than %d values", SWEEP_MOST);
}

bool sweep_values(const char *text, struct arena *mem, struct sweep_words *out, struct err *e) {
    for (;;) {
        const size_t n = item_length(text);
        if (!n) return err_set(e, ERR_INPUT, "an empty value in the list");
        if (!add_item(arena_strndup(mem, text, n), mem, out, e)) return false;
        if (!text[n]) return true;
        text += n + 1;
    }
}
