/* Error values, growing text, and "did you mean". */
#include "base/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static void err_reserve(struct sb *s, size_t more) {
    if (s->cap - s->len > more) return;
    s->cap = (s->cap + more + 64) * 2;
    s->text = xrealloc(s->text, s->cap);
}

void sb_addn(struct sb *s, const char *text, size_t n) {
    err_reserve(s, n + 1);
    if (n) memcpy(s->text + s->len, text, n);
    s->len += n;
    s->text[s->len] = '\0';
}

/* Most texts are short: they are formatted once, into room that is there. */
void sb_addv(struct sb *s, const char *fmt, va_list ap) {
    va_list again;
    va_copy(again, ap);
    err_reserve(s, 64);
    const size_t room = s->cap - s->len;
    const int n = vsnprintf(s->text + s->len, room, fmt, ap);
    CHECK(n >= 0);
    if ((size_t)n >= room) {
        err_reserve(s, (size_t)n + 1);
        vsnprintf(s->text + s->len, (size_t)n + 1, fmt, again);
    }
    s->len += (size_t)n;
    va_end(again);
}

void sb_add(struct sb *s, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    sb_addv(s, fmt, ap);
    va_end(ap);
}

void sb_free(struct sb *s) {
    xfree(s->text);
    *s = (struct sb){0};
}

char *sb_keep(struct sb *s, struct arena *mem) {
    char *kept = arena_strndup(mem, s->text ? s->text : "", s->len);
    sb_free(s);
    return kept;
}

bool err_set(struct err *e, enum err_code code, const char *fmt, ...) {
    struct sb text = {0}; /* built apart: an argument may point into the old text */
    va_list ap;
    va_start(ap, fmt);
    sb_addv(&text, fmt, ap);
    va_end(ap);
    sb_free(&e->text);
    e->text = text;
    e->code = code;
    return false;
}

const char *err_text(const struct err *e) {
    return e->text.text ? e->text.text : "";
}

void err_free(struct err *e) {
    sb_free(&e->text);
    e->code = ERR_OK;
}

static size_t err_least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* The number of insertions, deletions, replacements and swaps of neighbours that turn a into b. Words are cut off at 63
 * characters: longer ones are no typing errors. */
static size_t err_distance(const char *a, const char *b) {
    size_t na = strlen(a), nb = strlen(b), rows[3][64];
    size_t *before = rows[0], *above = rows[1], *row = rows[2];
    if (na > 63 || nb > 63) return 64;
    for (size_t j = 0; j <= nb; j++) row[j] = j;
    for (size_t i = 1; i <= na; i++) {
        size_t *oldest = before;
        before = above, above = row, row = oldest;
        row[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            row[j] = err_least(above[j - 1] + (a[i - 1] != b[j - 1]), err_least(above[j], row[j - 1]) + 1);
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) row[j] = err_least(row[j], before[j - 2] + 1);
        }
    }
    return row[nb];
}

const char *nearest_name(const char *word, const char *const *names) {
    const char *best = NULL;
    size_t limit = strlen(word) / 3 + 2;
    for (; *names; names++) {
        size_t d = err_distance(word, *names);
        if (d < limit) {
            limit = d;
            best = *names;
        }
    }
    return best;
}

bool err_no_such(struct err *e, const char *what, const char *word, const char *const *names) {
    const char *near = nearest_name(word, names);
    return err_set(e, ERR_INPUT, "there is no %s '%.60s'%s%s%s", what, word, near ? " (did you mean '" : "",
                   near ? near : "", near ? "'?)" : "");
}
