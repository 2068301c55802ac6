/* One reader for each kind of option. Every check that a row states is made here, and the message always says what
 * would have been accepted, so that a value can be corrected without looking it up. */
#include "base/option.h"

#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- words ---- */

static const struct option_choice *choice_find(const struct option_choice *choices, const char *word) {
    const struct option_choice *c = choices;
    while (c->name && strcmp(c->name, word) != 0) c++;
    return c->name ? c : NULL;
}

const char *option_word(const struct option_choice *choices, int64_t value) {
    const struct option_choice *c = choices;
    while (c->name && c->value != value) c++;
    return c->name;
}

static void choice_list(const struct option_choice *choices, struct sb *out) {
    for (const struct option_choice *c = choices; c->name; c++)
        sb_add(out, "%s%s", c == choices ? "" : c[1].name ? ", " : " or ", c->name);
}

/* ---- numbers ---- */

static const char suffixes[] = "KMGT";

static void size_print(uint64_t v, struct sb *out) {
    int s = -1;
    while (v && !(v & 1023) && s < 3) v >>= 10, s++;
    sb_add(out, "%" PRIu64, v);
    if (s >= 0) sb_addn(out, &suffixes[s], 1);
}

/* How far a suffix shifts, moving past it. */
static unsigned size_suffix(const char **end) {
    for (unsigned s = 0; s < 4; s++)
        if (**end && strncasecmp(*end, &suffixes[s], 1) == 0) return ++*end, 10 * (s + 1);
    return 0;
}

enum number { NUMBER_GOOD, NUMBER_NOT, NUMBER_RANGE };

/* The whole of text as a number of [low, high], decimal or 0x; suffixed: K, M, G, T may follow. */
static enum number read_whole(const char *text, bool suffixed, int64_t low, int64_t high, int64_t *out) {
    const char *digits = text + (*text == '-' || *text == '+');
    bool hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    if (!strchr("0123456789", *digits) || !*digits) return NUMBER_NOT;
    char *after;
    errno = 0;
    long long v = strtoll(text, &after, hex ? 16 : 10);
    const char *end = after;
    unsigned shift = suffixed ? size_suffix(&end) : 0;
    if (*end) return NUMBER_NOT;
    if (errno == ERANGE || v > INT64_MAX >> shift || v < INT64_MIN >> shift) return NUMBER_RANGE;
    *out = (int64_t)v * (int64_t)(UINT64_C(1) << shift);
    return *out >= low && *out <= high ? NUMBER_GOOD : NUMBER_RANGE;
}

/* The decimal point is a point whatever the locale of the program we are part of. */
static enum number read_real(const char *text, double low, double high, double *out) {
    if (!strchr("0123456789.-+", *text) || !*text) return NUMBER_NOT;
    locale_t c = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (!c) PANIC("no C locale");
    char *end;
    *out = strtod_l(text, &end, c);
    freelocale(c);
    if (*end || isnan(*out)) return NUMBER_NOT;
    return *out >= low && *out <= high ? NUMBER_GOOD : NUMBER_RANGE;
}

static int read_bool(const char *text) {
    static const char *const words[] = {"false", "true", "off", "on", "no", "yes", "0", "1"};
    for (int i = 0; i < 8; i++)
        if (!strcasecmp(text, words[i])) return i & 1;
    return -1;
}

/* ---- rows ---- */

void option_accepts(const struct option_row *row, struct sb *out) {
    switch (row->kind) {
    case OPTION_INT: sb_add(out, "a whole number from %" PRId64 " to %" PRId64, row->low, row->high); break;
    case OPTION_SIZE:
        sb_add(out, "a size in bytes (K, M, G, T may follow) from ");
        size_print((uint64_t)row->low, out);
        sb_add(out, " to ");
        size_print((uint64_t)row->high, out);
        break;
    case OPTION_REAL: sb_add(out, "a number from %g to %g", row->rlow, row->rhigh); break;
    case OPTION_BOOL: sb_add(out, "true or false"); break;
    case OPTION_ENUM: choice_list(row->choices, out); break;
    case OPTION_TEXT: sb_add(out, "any text"); break;
    }
}

int64_t option_whole(const struct option_row *row, const void *base) {
    const void *field = (const char *)base + row->offset;
    if (row->wide) return *(const int64_t *)field;
    switch (row->kind) {
    case OPTION_INT: return *(const option_INT *)field;
    case OPTION_SIZE: return (int64_t) * (const option_SIZE *)field;
    case OPTION_BOOL: return *(const option_BOOL *)field;
    case OPTION_ENUM: return *(const option_ENUM *)field;
    default: PANIC("%s is not a whole number", row->key);
    }
}

void option_print(const struct option_row *row, const void *base, struct sb *out) {
    const void *field = (const char *)base + row->offset;
    switch (row->kind) {
    case OPTION_INT: sb_add(out, "%" PRId64, option_whole(row, base)); break;
    case OPTION_SIZE: size_print((uint64_t)option_whole(row, base), out); break;
    case OPTION_REAL: sb_add(out, "%.17g", *(const option_REAL *)field); break;
    case OPTION_BOOL: sb_add(out, option_whole(row, base) ? "true" : "false"); break;
    case OPTION_ENUM: sb_add(out, "%s", option_word(row->choices, option_whole(row, base))); break;
    case OPTION_TEXT: sb_add(out, "%s", *(const option_TEXT *)field); break;
    }
}

static bool option_refuse(const struct option_row *row, const char *text, enum number why, struct err *e) {
    struct sb accepts = {0};
    option_accepts(row, &accepts);
    err_set(e, ERR_INPUT, "%s: \"%s\" is %s: expected %s", row->key, text,
            why == NUMBER_RANGE ? "out of range" : "not a value of this option", accepts.text);
    sb_free(&accepts);
    return false;
}

struct value {
    int64_t whole; /* 0 or 1 for BOOL; the word's value for ENUM */
    double real;
};

static void option_store(const struct option_row *row, const char *text, struct value v, void *field,
                         struct arena *mem) {
    if (row->wide) {
        *(int64_t *)field = v.whole;
        return;
    }
    switch (row->kind) {
    case OPTION_INT: *(option_INT *)field = v.whole; break;
    case OPTION_SIZE: *(option_SIZE *)field = (uint64_t)v.whole; break;
    case OPTION_REAL: *(option_REAL *)field = v.real; break;
    case OPTION_BOOL: *(option_BOOL *)field = v.whole; break;
    case OPTION_ENUM: *(option_ENUM *)field = (int)v.whole; break;
    case OPTION_TEXT: *(option_TEXT *)field = arena_strdup(mem, text); break;
    }
}

/* The word a BOOL or an ENUM is given as. */
static bool read_word(const struct option_row *row, const char *text, int64_t *out) {
    if (row->kind == OPTION_BOOL) return (*out = read_bool(text)) >= 0;
    const struct option_choice *c = choice_find(row->choices, text);
    if (c) *out = c->value;
    return c;
}

bool option_read(const struct option_row *row, const char *text, void *base, struct arena *mem,
                 struct err *e) {
    enum number got = NUMBER_GOOD;
    struct value v = {0};
    switch (row->kind) {
    case OPTION_INT: got = read_whole(text, false, row->low, row->high, &v.whole); break;
    case OPTION_SIZE: got = read_whole(text, true, row->low, row->high, &v.whole); break;
    case OPTION_REAL: got = read_real(text, row->rlow, row->rhigh, &v.real); break;
    case OPTION_BOOL:
    case OPTION_ENUM: got = read_word(row, text, &v.whole) ? NUMBER_GOOD : NUMBER_NOT; break;
    case OPTION_TEXT: break;
    }
    if (got != NUMBER_GOOD) return option_refuse(row, text, got, e);
    option_store(row, text, v, (char *)base + row->offset, mem);
    return true;
}
