/* Options: rows of options.def become values. One reader per kind; every check that a row states is made
 * here, and the message always says what would have been accepted, so that nobody has to look up a table to
 * mend a value.
 *
 * Defaults are text and go through the same reader: a default that its own row refuses is our fault and
 * panics at the first device opened, which every test does. */
#include "sim/options.h"

#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define RANGE(l, h) .low = (l), .high = (h)
#define SPAN(l, h)  .rlow = (l), .rhigh = (h)
#define CHOICES(c)  .choices = (c)
#define ANY         .choices = NULL

const struct option_row option_rows[OPTION_COUNT] = {
#define BEGIN(section, title)
#define OPT(section_, name_, kind_, default_, limits_, unit_, help_) \
    [OPT_##section_##_##name_] = {.key = #section_ "." #name_,       \
                                  .section = #section_,              \
                                  .kind = OPTION_##kind_,            \
                                  .initial = default_,               \
                                  limits_,                           \
                                  .unit = unit_,                     \
                                  .help = help_,                     \
                                  .offset = offsetof(struct options, PART section_.name_)},
#define END(section)
#include "sim/options.def"
};

const struct option_section option_sections[] = {
#define BEGIN(section, title) {#section, title},
#define OPT(section, name, ...)
#define END(section)
#include "sim/options.def"
    {NULL, NULL},
};

const char *const option_origin_name[] = {
    [OPTION_DEFAULT] = "default", [OPTION_FILE] = "configuration file", [OPTION_GIVEN] = "given"};

/* ---- words of "a|b|c" ---- */

/* Place of word in choices, or -1. */
static int choice_find(const char *choices, const char *word) {
    size_t n = strlen(word);
    int place = 0;
    for (const char *c = choices;; place++) {
        size_t len = strcspn(c, "|");
        if (len == n && !memcmp(c, word, n)) return place;
        if (!c[len]) return -1;
        c += len + 1;
    }
}

static void choice_print(const char *choices, int place, struct sb *out) {
    const char *c = choices;
    while (place--) c += strcspn(c, "|") + 1;
    sb_addn(out, c, strcspn(c, "|"));
}

static void choice_list(const char *choices, struct sb *out) {
    for (const char *c = choices;;) {
        size_t len = strcspn(c, "|");
        sb_addn(out, c, len);
        if (!c[len]) return;
        c += len + 1;
        sb_add(out, strchr(c, '|') ? ", " : " or ");
    }
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
    case OPTION_ENUM: choice_print(row->choices, (int)option_whole(row, base), out); break;
    case OPTION_TEXT: sb_add(out, "%s", *(const option_TEXT *)field); break;
    }
}

static bool refuse(const struct option_row *row, const char *text, enum number why, struct err *e) {
    struct sb accepts = {0};
    option_accepts(row, &accepts);
    err_set(e, ERR_INPUT, "%s: \"%s\" is %s: expected %s", row->key, text,
            why == NUMBER_RANGE ? "out of range" : "not a value of this option", accepts.text);
    sb_free(&accepts);
    return false;
}

struct value {
    int64_t whole; /* place in the list for BOOL and ENUM */
    double real;
};

static void store(const struct option_row *row, const char *text, struct value v, void *field,
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

bool option_read(const struct option_row *row, const char *text, void *base, struct arena *mem,
                 struct err *e) {
    enum number got = NUMBER_GOOD;
    struct value v = {0};
    switch (row->kind) {
    case OPTION_INT: got = read_whole(text, false, row->low, row->high, &v.whole); break;
    case OPTION_SIZE: got = read_whole(text, true, row->low, row->high, &v.whole); break;
    case OPTION_REAL: got = read_real(text, row->rlow, row->rhigh, &v.real); break;
    case OPTION_BOOL: v.whole = read_bool(text); break;
    case OPTION_ENUM: v.whole = choice_find(row->choices, text); break;
    case OPTION_TEXT: break;
    }
    bool no_word = (row->kind == OPTION_BOOL || row->kind == OPTION_ENUM) && v.whole < 0;
    if (got != NUMBER_GOOD || no_word) return refuse(row, text, got, e);
    store(row, text, v, (char *)base + row->offset, mem);
    return true;
}

/* ---- rows of mechanisms ---- */

static const char *initial_text(const struct mech_param *p, struct arena *mem) {
    struct sb text = {0};
    if (p->kind == 'e')
        choice_print(p->choices, (int)p->def, &text);
    else if (p->kind == 'b')
        sb_add(&text, p->def ? "true" : "false");
    else
        sb_add(&text, "%" PRId64, p->def);
    return sb_keep(&text, mem);
}

static struct option_row param_row(const struct mech_ops *m, const struct mech_param *p, struct arena *mem) {
    struct sb key = {0};
    sb_add(&key, "%s.%s", m->name, p->key);
    return (struct option_row){.key = sb_keep(&key, mem),
                               .section = m->name,
                               .kind = p->kind == 'e'   ? OPTION_ENUM
                                       : p->kind == 'b' ? OPTION_BOOL
                                                        : OPTION_INT,
                               .initial = initial_text(p, mem),
                               .low = p->low,
                               .high = p->high,
                               .choices = p->kind == 'e' ? p->choices : NULL,
                               .unit = "",
                               .help = p->help,
                               .wide = true};
}

static size_t param_count(const struct mech_ops *m) {
    size_t n = 0;
    while (m->params && m->params[n].key) n++;
    return n;
}

/* The tables' rows, and behind them those of every mechanism. */
static void make_rows(struct options *o) {
    struct option_row *rows = ARENA_NEW(&o->text, struct option_row, OPTION_MOST);
    memcpy(rows, option_rows, sizeof option_rows);
    o->nrows = OPTION_COUNT;
    for (const struct mech_ops *const *m = mech_list; *m; m++)
        for (size_t k = 0; k < param_count(*m); k++) {
            CHECK(o->nrows < OPTION_MOST);
            rows[o->nrows] = param_row(*m, &(*m)->params[k], &o->text);
            rows[o->nrows].offset =
                offsetof(struct options, param) + (o->nrows - OPTION_COUNT) * sizeof *o->param;
            o->nrows++;
        }
    o->rows = rows;
}

const struct mech_ops *options_mech(const struct options *o, const int64_t **param) {
    const int64_t *at = o->param;
    for (const struct mech_ops *const *m = mech_list; *m; at += param_count(*m), m++)
        if (!strcmp((*m)->name, o->run.mech)) {
            if (param) *param = at;
            return *m;
        }
    return NULL;
}

/* ---- the machine's options ---- */

void options_init(struct options *o) {
    struct err e = {0};
    memset(o, 0, sizeof *o);
    o->file = "";
    make_rows(o);
    for (size_t i = 0; i < o->nrows; i++)
        if (!option_read(&o->rows[i], o->rows[i].initial, o, &o->text, &e)) PANIC("%s", err_text(&e));
}

void options_free(struct options *o) {
    arena_free(&o->text);
}

size_t options_find(const struct options *o, const char *key, struct err *e) {
    const char *names[OPTION_MOST + 1] = {0};
    const char *near = NULL;
    for (size_t i = 0; i < o->nrows; i++) {
        names[i] = o->rows[i].key;
        if (!strcmp(key, names[i])) return i;
        if (!near && !strcmp(key, names[i] + strlen(o->rows[i].section) + 1))
            near = names[i]; /* only the section is missing */
    }
    if (!near) near = nearest_name(key, names);
    if (near)
        err_set(e, ERR_INPUT, "there is no option \"%s\"; did you mean %s?", key, near);
    else
        err_set(e, ERR_INPUT, "there is no option \"%s\"", key);
    return o->nrows;
}

bool options_set(struct options *o, const char *key, const char *value, enum option_origin from,
                 struct err *e) {
    size_t id = options_find(o, key, e);
    if (id == o->nrows) return false;
    struct options checked = *o; /* a value that does not count is checked all the same */
    bool counts = from >= (enum option_origin)o->origin[id];
    if (!option_read(&o->rows[id], value, counts ? o : &checked, &o->text, e)) return false;
    if (counts) o->origin[id] = (uint8_t)from;
    return true;
}

const char *options_origin(const struct options *o, size_t row) {
    enum option_origin from = (enum option_origin)o->origin[row];
    return from == OPTION_FILE && *o->file ? o->file : option_origin_name[from];
}

void options_section_title(const char *section, struct sb *out) {
    for (const struct option_section *s = option_sections; s->name; s++)
        if (!strcmp(section, s->name)) {
            sb_add(out, "%s", s->title);
            return;
        }
    const struct mech_ops *m = mech_find(section);
    if (m) sb_add(out, "Mechanism %s: %s (%s)", m->name, m->title, m->source);
}
