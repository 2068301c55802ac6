/* A brace is looked at from the inside: what a name or an expression can be, a struct's field cannot, since every field has a
 * colon behind its type. */
#include "value/params.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "value/expr.h"

bool params_valid(const char *name) {
    if (!isalpha((unsigned char)*name) && *name != '_') return false;
    while (isalnum((unsigned char)*name) || *name == '_') name++;
    return !*name;
}

const char *params_value(struct params *n, const char *name) {
    for (size_t i = 0; i < n->n; i++)
        if (!strcmp(n->given[i].key, name)) {
            if (n->used) n->used[i] = true;
            if (n->given[i].value) return n->given[i].value;
        }
    for (size_t i = 0; i < n->assumed.n; i++)
        if (!strcmp(n->assumed.v[i].key, name)) return n->assumed.v[i].value;
    return NULL;
}

/* ---- braces ---- */

/* The text within the next pair of braces that has no other pair in it; NULL: there is none. */
static const char *next_brace(const char *text, const char **end) {
    const char *open = NULL;
    for (; *text; text++) {
        if (*text == '{') open = text;
        if (*text == '}' && open) return *end = text, open;
    }
    return NULL;
}

static bool is_field(const char *inside) {
    return strpbrk(inside, ":,") != NULL;
}

/* NAME=VALUE: where the sign is; NULL: it is no such thing. */
static const char *assumption(const char *inside, struct arena *mem, const char **name) {
    const char *sign = strchr(inside, '=');
    if (!sign || sign[1] == '=') return NULL;
    *name = arena_strndup(mem, inside, (size_t)(sign - inside));
    return params_valid(*name) ? sign : NULL;
}

void params_assume(struct params *n, const char *text, struct arena *mem) {
    const char *end, *name;
    for (const char *open; (open = next_brace(text, &end)); text = end + 1) {
        const char *inside = arena_strndup(mem, open + 1, (size_t)(end - open - 1));
        const char *sign = assumption(inside, mem, &name);
        if (sign) VEC_PUSH(&n->assumed, (hd_option){name, sign + 1});
    }
}

/* ---- values ---- */

static bool params_find(const void *user, const char *name, const char **value) {
    struct params *const *n = user;
    *value = params_value(*n, name);
    return *value != NULL;
}

struct words {
    struct params *names;
    size_t n;
    const char *unknown; /* the first */
};

static bool params_note(void *user, const char *word, const char *other, struct err *e) {
    struct words *w = user;
    (void)other, (void)e;
    w->n++;
    if (!params_value(w->names, word) && !w->unknown) w->unknown = word;
    return true;
}

static bool params_unknown_name(const struct params *n, const char *inside, const char *name, struct err *e) {
    struct sb all = {0};
    for (size_t i = 0; i < n->n; i++) sb_add(&all, "%s%s", i ? ", " : "; there are ", n->given[i].key);
    err_set(e, ERR_INPUT, "{%.60s}: %.60s has no value%.200s", inside, name, all.text ? all.text : "");
    sb_free(&all);
    return false;
}

static void print_value(const struct sweep_value *v, struct sb *out) {
    if (v->kind == SWEEP_NUMBER && v->number.whole)
        sb_add(out, "%" PRId64, v->number.i);
    else if (v->text)
        sb_add(out, "%s", v->text);
    else
        sb_add(out, "%.17g", v->number.d);
}

/* What stands for the braces around this; *is false: they stay. */
static bool evaluate(struct params *n, const char *inside, struct arena *mem, struct sb *out, bool *is,
                     struct err *e) {
    const struct sweep_scope scope = {params_find, &n};
    const struct sweep_expr *x;
    struct words words = {.names = n};
    struct sweep_value v;
    struct err syntax = {0};
    const char *name;
    *is = !is_field(inside);
    if (*is && assumption(inside, mem, &name)) inside = name;
    *is = *is && sweep_expr_parse(inside, mem, &x, &syntax) &&
          sweep_expr_visit(x, &(struct sweep_visit){params_note, &words}, &syntax) && words.n;
    err_free(&syntax);
    if (!*is) return true;
    if (words.unknown) return params_unknown_name(n, inside, words.unknown, e);
    if (!sweep_expr_value(x, &scope, &v, e)) return err_set(e, ERR_INPUT, "{%.60s}: %s", inside, err_text(e));
    print_value(&v, out);
    return true;
}

bool params_fill(struct params *n, const char *text, struct arena *mem, const char **out, struct err *e) {
    struct sb all = {0};
    const char *end;
    bool fine = true;
    for (const char *open; fine && (open = next_brace(text, &end)); text = end + 1) {
        const char *inside = arena_strndup(mem, open + 1, (size_t)(end - open - 1));
        bool is;
        sb_addn(&all, text, (size_t)(open - text));
        fine = evaluate(n, inside, mem, &all, &is, e);
        if (!is) sb_addn(&all, open, (size_t)(end + 1 - open));
    }
    sb_add(&all, "%s", text);
    *out = sb_keep(&all, mem);
    return fine;
}

void params_free(struct params *n) {
    VEC_FREE(&n->assumed);
}
