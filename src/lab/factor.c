/* Factors as users write them. They are checked one by one against the options of the machine, so that what is wrong with one
 * is told in its own words; what does not go together is found later, machine by machine (experiment_plan). */
#include "lab/factor.h"

#include <string.h>

#include "sim/config.h"

/* ---- reading ---- */

static size_t count_of(const char *text, size_t n, char c) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++) count += text[i] == c;
    return count;
}

/* "KEY=VALUE,VALUE" of n characters. */
static bool read_option(const char *text, size_t n, struct arena *mem, struct factor *f, struct err *e) {
    const char *equals = memchr(text, '=', n), *end = text + n;
    if (!equals || equals == text)
        return err_set(e, ERR_INPUT, "'%.*s' is not KEY=VALUE,VALUE", (int)n, text);
    size_t levels = count_of(equals, (size_t)(end - equals), ',') + 1, level = 0;
    struct factor_option o = {.key = arena_strndup(mem, text, (size_t)(equals - text)),
                              .value = ARENA_NEW(mem, const char *, levels)};
    for (const char *p = equals + 1; level < levels; level++) {
        const char *comma = memchr(p, ',', (size_t)(end - p)), *to = comma ? comma : end;
        if (to == p) return err_set(e, ERR_INPUT, "%s: an empty value in the list", o.key);
        o.value[level] = arena_strndup(mem, p, (size_t)(to - p));
        p = to + 1;
    }
    if (levels < 2)
        return err_set(e, ERR_INPUT, "%s has one value; two are needed at least, as in %s=A,B", o.key, o.key);
    if (f->noptions && levels != f->levels)
        return err_set(e, ERR_INPUT, "%s has %zu values and %s has %zu", f->options[0].key, f->levels, o.key,
                       levels);
    f->levels = levels;
    f->options[f->noptions++] = o;
    return true;
}

static const char *keys_of(const struct factor *f, struct arena *mem) {
    struct sb name = {0};
    for (size_t i = 0; i < f->noptions; i++) sb_add(&name, "%s%s", i ? ":" : "", f->options[i].key);
    return sb_keep(&name, mem);
}

bool factor_read(const char *text, struct arena *mem, struct factor *out, struct err *e) {
    size_t part = strcspn(text, ":");
    *out = (struct factor){.options =
                               ARENA_NEW(mem, struct factor_option, count_of(text, strlen(text), ':') + 1)};
    bool named = text[part] && part && !memchr(text, '=', part);
    const char *p = named ? text + part + 1 : text;
    for (;; p += part + 1) {
        part = strcspn(p, ":");
        if (!read_option(p, part, mem, out, e)) return false;
        if (!p[part]) break;
    }
    out->name = named ? arena_strndup(mem, text, strcspn(text, ":")) : keys_of(out, mem);
    return true;
}

/* ---- checks ---- */

/* Whether "NAME:KEY=VALUE:..." is that mechanism and leaves its parameter open. */
static bool leaves_open(const char *mech, const char *section, const char *parameter) {
    size_t n = strcspn(mech, ":"), length = strlen(parameter);
    if (strlen(section) != n || strncmp(mech, section, n) != 0) return false;
    while ((mech = strchr(mech, ':')))
        if (!strncmp(++mech, parameter, length) && mech[length] == '=') return false;
    return true;
}

/* A mechanism's parameter must be one that runs. */
static bool check_parameter(const struct experiment *x, const struct option_row *row, struct err *e) {
    const char *parameter = row->key + strlen(row->section) + 1;
    const struct response *r = &x->response;
    if (leaves_open(r->mech, row->section, parameter) ||
        (r->relative_to && leaves_open(r->relative_to, row->section, parameter)))
        return true;
    return err_set(e, ERR_INPUT,
                   "%s is a parameter of %s, which does not run, or runs with a value of its own", row->key,
                   row->section);
}

static bool set_by_experiment(const struct experiment *x, const char *key) {
    bool set = !strcmp(key, "run.mech") || !strcmp(key, "run.mode");
    for (size_t i = 0; i < x->nsettings; i++) set |= !strcmp(x->settings[i].key, key);
    return set;
}

/* Sets each value in turn; what it prints as takes its place. */
static bool check_values(struct options *o, size_t row, struct factor_option *f, size_t levels,
                         struct arena *mem, struct err *e) {
    for (size_t i = 0; i < levels; i++) {
        struct sb text = {0};
        if (!options_set_row(o, row, f->value[i], OPTION_GIVEN, e)) return false;
        option_print(&o->rows[row], o, &text);
        f->value[i] = sb_keep(&text, mem);
        for (size_t k = 0; k < i; k++)
            if (!strcmp(f->value[k], f->value[i]))
                return err_set(e, ERR_INPUT, "%s is %s twice", f->key, f->value[i]);
    }
    return true;
}

static bool check_option(struct options *o, const struct experiment *x, struct factor_option *f,
                         size_t levels, struct arena *mem, struct err *e) {
    size_t row = options_find(o, f->key, e);
    if (row == o->nrows) return false;
    if (set_by_experiment(x, f->key))
        return err_set(e, ERR_INPUT, "%s is set for the whole experiment", f->key);
    if (row >= OPTION_COUNT && !check_parameter(x, &o->rows[row], e)) return false;
    return check_values(o, row, f, levels, mem, e);
}

/* Whether an option before this one has its key. */
static bool given_before(const struct factor *list, size_t factor, size_t option) {
    const char *key = list[factor].options[option].key;
    for (size_t f = 0; f <= factor; f++)
        for (size_t i = 0; i < (f < factor ? list[f].noptions : option); i++)
            if (!strcmp(list[f].options[i].key, key)) return true;
    return false;
}

bool factors_check(struct factor *list, size_t n, const struct experiment *x, struct arena *mem,
                   struct err *e) {
    struct options o;
    options_init(&o);
    bool fine = config_read(&o, x->config ? x->config : CONFIG_DEFAULT, e);
    for (size_t f = 0; f < n; f++)
        for (size_t i = 0; i < list[f].noptions && fine; i++) {
            struct factor_option *option = &list[f].options[i];
            fine = given_before(list, f, i) ? err_set(e, ERR_INPUT, "%s is given twice", option->key)
                                            : check_option(&o, x, option, list[f].levels, mem, e);
        }
    options_free(&o);
    return fine;
}

/* ---- machines ---- */

struct experiment_machine factors_machine(const struct factor *list, size_t n, const size_t *level,
                                          struct arena *mem) {
    size_t most = 0, k = 0;
    for (size_t f = 0; f < n; f++) most += list[f].noptions;
    hd_option *settings = ARENA_NEW(mem, hd_option, most + 1);
    for (size_t f = 0; f < n; f++)
        for (size_t i = 0; i < list[f].noptions; i++)
            settings[k++] = (hd_option){list[f].options[i].key, list[f].options[i].value[level[f]]};
    return (struct experiment_machine){.settings = settings, .nsettings = k};
}

void factor_level(const struct factor *f, size_t level, struct sb *out) {
    for (size_t i = 0; i < f->noptions; i++) sb_add(out, "%s%s", i ? ", " : "", f->options[i].value[level]);
}
