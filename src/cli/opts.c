/* Parser of option tables. No abbreviations: a script that works today must not become ambiguous when an
 * option is added; a near miss gets a suggestion instead. */
#include "cli/opts.h"

#include <stdlib.h>
#include <string.h>

const struct opt opts_help = {"help", 'h', false, NULL, "Show this help and exit."};

static const struct opt *opts_find(const struct opts *o, const char *name, size_t n) {
    for (const struct opt *t = o->table; t->name; t++)
        if (strlen(t->name) == n && !memcmp(t->name, name, n)) return t;
    return n == 4 && !memcmp(name, "help", 4) ? &opts_help : NULL;
}

static const struct opt *find_letter(const struct opts *o, char c) {
    for (const struct opt *t = o->table; t->name; t++)
        if (t->letter == c) return t;
    return c == opts_help.letter ? &opts_help : NULL;
}

static bool unknown_long(struct opts *o, const char *name, size_t n, struct err *e) {
    o->unknown = name;
    VEC(const char *) names = {0};
    for (const struct opt *t = o->table; t->name; t++) VEC_PUSH(&names, t->name);
    VEC_PUSH(&names, opts_help.name);
    VEC_PUSH(&names, NULL);
    char word[64] = "";
    if (n < sizeof word) memcpy(word, name, n);
    const char *near = *word ? nearest_name(word, names.v) : NULL;
    VEC_FREE(&names);
    int shown = n < 60 ? (int)n : 60;
    if (near) return err_set(e, ERR_INPUT, "unknown option --%.*s (did you mean --%s?)", shown, name, near);
    return err_set(e, ERR_INPUT, "unknown option --%.*s", shown, name);
}

bool opts_optional(const struct opt *t) {
    return t->value && !strncmp(t->value, "[=", 2);
}

void opts_text(const struct opt *t, struct sb *out) {
    sb_add(out, "%s%s", t->help, t->how & OPT_LIST ? " Given again, the option adds to its list." : "");
}

/* A list that is given in several parts is one list, in the order of the parts. */
static void opts_join(struct opts *o, const struct opt *t, const char *value) {
    for (size_t i = 0; i < o->given.n; i++) {
        struct opt_given *g = &o->given.v[i];
        struct sb all = {0};
        if (g->opt != t) continue;
        sb_add(&all, "%s,%s", g->value, value);
        g->value = sb_keep(&all, &o->mem);
    }
}

/* attached: the value that came in the same word, or NULL. *i is the word; it moves on when the value is the next. */
static bool opts_take(struct opts *o, const struct opt *t, const char *attached, int *i, int n,
                      char *const *words, struct err *e) {
    const char *value = attached;
    if (opts_optional(t) && !attached) value = "";
    if (!t->value && attached) return err_set(e, ERR_INPUT, "option --%s takes no value", t->name);
    if (t->value && !value) {
        if (*i + 1 >= n)
            return err_set(e, ERR_INPUT, "option --%s needs a value: --%s %s", t->name, t->name, t->value);
        value = words[++*i];
    }
    if (!(t->how & OPT_REPEAT) && t != &opts_help && opts_has(o, t->name)) {
        if (t->how & OPT_LIST) return opts_join(o, t, value), true;
        return err_set(e, ERR_INPUT, "option --%s is given twice", t->name);
    }
    VEC_PUSH(&o->given, (struct opt_given){t, value});
    return true;
}

static bool take_long(struct opts *o, int *i, int n, char *const *words, struct err *e) {
    const char *name = words[*i] + 2, *equals = strchr(name, '=');
    size_t len = equals ? (size_t)(equals - name) : strlen(name);
    const struct opt *t = opts_find(o, name, len);
    return t ? opts_take(o, t, equals ? equals + 1 : NULL, i, n, words, e) : unknown_long(o, name, len, e);
}

/* "-mech" would be the letter m with the value "ech", which is never meant. */
static bool one_dash(const struct opts *o, const char *word, struct err *e) {
    const size_t n = strcspn(word, "=");
    return n > 2 && opts_find(o, word + 1, n - 1) &&
           !err_set(e, ERR_INPUT, "unknown option %.*s (did you mean -%.*s?)", (int)n, word, (int)n, word);
}

static bool take_short(struct opts *o, int *i, int n, char *const *words, struct err *e) {
    const char *word = words[*i];
    const struct opt *t = find_letter(o, word[1]);
    if (one_dash(o, word, e)) return false;
    if (!t) return err_set(e, ERR_INPUT, "unknown option %.60s", word);
    return opts_take(o, t, word[2] ? word + 2 : NULL, i, n, words, e);
}

static bool cli_opts_parse(struct opts *o, int n, char *const *words, bool program, struct err *e) {
    bool options = true;
    for (int i = 0; i < n; i++) {
        const char *w = words[i];
        bool fine = true;
        if (program && o->operands.n) options = false;
        if (!options || w[0] != '-' || !w[1])
            VEC_PUSH(&o->operands, w);
        else if (!strcmp(w, "--"))
            options = false;
        else
            fine = w[1] == '-' ? take_long(o, &i, n, words, e) : take_short(o, &i, n, words, e);
        if (!fine) return false;
    }
    return true;
}

bool opts_parse(struct opts *o, const struct opt *table, int n, char *const *words, struct err *e) {
    *o = (struct opts){.table = table};
    return cli_opts_parse(o, n, words, false, e);
}

bool opts_parse_program(struct opts *o, const struct opt *table, int n, char *const *words, struct err *e) {
    *o = (struct opts){.table = table};
    return cli_opts_parse(o, n, words, true, e);
}

void opts_free(struct opts *o) {
    VEC_FREE(&o->given);
    VEC_FREE(&o->operands);
    arena_free(&o->mem);
}

bool opts_known(const struct opts *o, const char *name) {
    return opts_find(o, name, strlen(name)) != NULL;
}

size_t opts_count(const struct opts *o, const char *name) {
    CHECK(opts_find(o, name, strlen(name)));
    size_t n = 0;
    for (size_t i = 0; i < o->given.n; i++) n += !strcmp(o->given.v[i].opt->name, name);
    return n;
}

const char *opts_nth(const struct opts *o, const char *name, size_t n) {
    for (size_t i = 0; i < o->given.n; i++)
        if (!strcmp(o->given.v[i].opt->name, name) && !n--) return o->given.v[i].value;
    PANIC("option %s was not given that often", name);
}

bool opts_has(const struct opts *o, const char *name) {
    return opts_count(o, name) > 0;
}

const char *opts_value(const struct opts *o, const char *name) {
    return opts_has(o, name) ? opts_nth(o, name, 0) : NULL;
}
