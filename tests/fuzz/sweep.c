/* Fuzzes what a sweep is written in: values, conditions, files of points and options of launches. The first byte chooses; any text is either
 * refused with a message, or gives values, a tree that can be
 * evaluated, rows of as many cells as the heading has, options without names. */
#include <stdint.h>
#include <string.h>

#include "lab/sweep/table.h"
#include "value/expr.h"
#include "value/params.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A name stands for itself, and one that begins with x for nothing. */
static bool find(const void *user, const char *name, const char **value) {
    (void)user;
    *value = *name == 'x' ? NULL : *name == 'n' ? "1024" : name;
    return *name != 'u';
}

static bool note(void *user, const char *word, const char *other, struct err *e) {
    (void)e;
    *(size_t *)user += strlen(word) + (other ? strlen(other) : 0);
    return true;
}

static bool values(const char *text, struct arena *mem, struct err *e) {
    struct sweep_words out = {0};
    const bool fine = sweep_values(text, mem, &out, e);
    CHECK(!fine || (out.v.n > 0 && out.v.n <= SWEEP_MOST));
    VEC_FREE(&out.v);
    return fine;
}

static bool condition(const char *text, struct arena *mem, struct err *e) {
    const struct sweep_expr *x;
    const struct sweep_scope scope = {find, NULL};
    size_t letters = 0;
    bool is;
    if (!sweep_expr_parse(text, mem, &x, e)) return false;
    CHECK(sweep_expr_visit(x, &(struct sweep_visit){note, &letters}, e) && letters <= strlen(text));
    return sweep_expr_true(x, &scope, &is, e);
}

static bool table(const char *text, struct arena *mem, struct err *e) {
    struct sweep_table t;
    const bool fine = sweep_table_parse("f", text, mem, &t, e);
    CHECK(!fine || t.cells.n == t.keys.v.n * t.lines.n);
    sweep_table_free(&t);
    return fine;
}

/* What has no brace in it comes out as it is. */
static bool launch(const char *text, struct arena *mem, struct err *e) {
    static const hd_option given[] = {{"n", "1024"}, {"fill", "iota"}};
    bool used[2] = {0};
    struct params p = {.given = given, .n = 2, .used = used};
    const char *out;
    params_assume(&p, text, mem);
    const bool fine = params_fill(&p, text, mem, &out, e);
    CHECK(!fine || strchr(text, '{') || !strcmp(text, out));
    params_free(&p);
    return fine;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena mem = {0};
    struct err e = {0};
    if (!size) return 0;
    const char *text = arena_strndup(&mem, (const char *)data + 1, size - 1);
    const bool fine = *data == 'v'   ? values(text, &mem, &e)
                      : *data == 'w' ? condition(text, &mem, &e)
                      : *data == 'l' ? launch(text, &mem, &e)
                                     : table(text, &mem, &e);
    CHECK(fine || e.text.len > 0);
    err_free(&e);
    arena_free(&mem);
    return 0;
}
