/* Rows of the tables and of the mechanisms become values (base/option.c reads and prints them).
 *
 * Defaults are text and go through the same reader: a default that its own row refuses is our fault and
 * panics at the first device opened, which every test does. */
#include "sim/options.h"

#include <inttypes.h>
#include <string.h>

#include "base/option_rows.h"
#include "exec/exec.h" /* EXEC_ISAS */

const struct option_row option_rows[OPTION_COUNT] = {
#define BEGIN(section, title)
#define OPT(section, name, kind, default_, limits, unit, help) \
    [OPT_##section##_##name] =                                 \
        OPTION_ROW(struct options, PART section.name, section, name, kind, default_, unit, help, limits),
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

/* ---- rows of mechanisms ---- */

static const char *initial_text(const struct mech_param *p, struct arena *mem) {
    struct sb text = {0};
    if (p->kind == OPTION_ENUM)
        sb_add(&text, "%s", option_word(p->choices, p->def));
    else if (p->kind == OPTION_BOOL)
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
                               .kind = p->kind,
                               .initial = initial_text(p, mem),
                               .low = p->low,
                               .high = p->high,
                               .choices = p->choices,
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

/* The key that was probably meant; NULL: none is near. */
static const char *near_key(const struct options *o, const char *key) {
    const char *names[OPTION_MOST + 1] = {0};
    for (size_t i = 0; i < o->nrows; i++) {
        names[i] = o->rows[i].key;
        if (!strcmp(key, names[i] + strlen(o->rows[i].section) + 1))
            return names[i]; /* only the section is missing */
    }
    return nearest_name(key, names);
}

/* Suggests the keys of the word's section whose last part begins as the word's does, or, with `anywhere`, those of any section
 * that have it in them; false: there are none. */
static bool suggest_keys(const struct options *o, const char *key, bool anywhere, struct err *e) {
    enum { MOST = 8 };
    const char *dot = strchr(key, '.'), *word = dot ? dot + 1 : key;
    const size_t section = (size_t)(word - key);
    struct sb list = {0};
    size_t n = 0;
    if (strlen(word) < 3 || (!dot && !anywhere)) return false;
    for (size_t i = 0; i < o->nrows && n <= MOST; i++) {
        const char *name = o->rows[i].key + strlen(o->rows[i].section) + 1;
        if (anywhere ? strstr(name, word) != NULL
                     : !strncmp(o->rows[i].key, key, section) && !strncmp(name, word, strlen(word)))
            sb_add(&list, "%s%s", n++ ? ", " : "", o->rows[i].key);
    }
    const bool some = n && n <= MOST;
    if (some)
        err_set(e, ERR_INPUT, "there is no option \"%s\"; did you mean %s%s?", key, n > 1 ? "one of " : "",
                list.text);
    sb_free(&list);
    return some;
}

size_t options_find(const struct options *o, const char *key, struct err *e) {
    for (size_t i = 0; i < o->nrows; i++)
        if (!strcmp(key, o->rows[i].key)) return i;
    if (suggest_keys(o, key, false, e)) return o->nrows;
    const char *near = near_key(o, key);
    if (near)
        err_set(e, ERR_INPUT, "there is no option \"%s\"; did you mean %s?", key, near);
    else if (!suggest_keys(o, key, true, e))
        err_set(e, ERR_INPUT, "there is no option \"%s\"", key);
    return o->nrows;
}

bool options_set_row(struct options *o, size_t row, const char *value, enum option_origin from,
                     struct err *e) {
    struct options checked = *o; /* a value that does not count is checked all the same */
    bool counts = from >= (enum option_origin)o->origin[row];
    if (!option_read(&o->rows[row], value, counts ? o : &checked, &o->text, e)) return false;
    if (counts) o->origin[row] = (uint8_t)from;
    return true;
}

bool options_set(struct options *o, const char *key, const char *value, enum option_origin from,
                 struct err *e) {
    size_t row = options_find(o, key, e);
    return row < o->nrows && options_set_row(o, row, value, from, e);
}

bool options_of_host(const struct option_row *r) {
    return !strcmp(r->key, "run.threads");
}

/* Keys that say nothing about a machine. */
static bool is_functional(const struct option_row *r) {
    return !strcmp(r->section, "exec") || !strcmp(r->section, "mem") || !strcmp(r->key, "run.mode") ||
           !strncmp(r->key, "run.races", 9) || !strcmp(r->key, "gpu.capability") ||
           !strcmp(r->key, "run.slack") || !strcmp(r->key, "run.seed") || !strcmp(r->key, "run.profile") ||
           options_of_host(r);
}

void options_settle(struct options *o, bool stand_in) {
    const uint8_t silent = stand_in ? OPTION_FILE : OPTION_DEFAULT;
    bool machine = false;
    for (size_t i = 0; i < o->nrows; i++) machine |= o->origin[i] > silent && !is_functional(&o->rows[i]);
    if (o->run.mode != RUN_AUTO) return;
    o->run.mode = machine && o->run.races == EXEC_RACES_OFF ? RUN_TIMED : RUN_FUNCTIONAL;
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
