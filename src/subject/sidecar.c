/* The comment is found before the file is parsed: only lines that are blank or begin with "//" may stand above
 * it. */
#include "subject/sidecar.h"

#include <stdlib.h>
#include <string.h>

#include "subject/rows.h"
#include "value/demangle.h"
#include "value/words.h"

const struct opt launch_options[] = {LAUNCH_ROWS, {0}};

static const char marker[] = "heddle:";

struct cursor {
    const char *p, *end; /* the rest of the line */
};

static void sidecar_skip_blanks(struct cursor *c) {
    while (c->p < c->end && strchr(" \t\r", *c->p)) c->p++;
}

static bool skip_word(struct cursor *c, const char *word) {
    size_t n = strlen(word);
    if ((size_t)(c->end - c->p) < n || memcmp(c->p, word, n) != 0) return false;
    c->p += n;
    return true;
}

static bool parse_line(struct opts *o, struct cursor c, struct arena *mem, struct err *e) {
    struct words words = {0};
    bool fine = words_read(c.p, (size_t)(c.end - c.p), &words, mem, e) &&
                opts_parse(o, launch_options, (int)words.v.n, words.v.v, e);
    if (fine && o->operands.n)
        fine = err_set(e, ERR_INPUT, "'%.60s' is not an option of a launch", o->operands.v[0]);
    VEC_FREE(&words.v);
    return fine;
}

static bool sidecar_fits(const struct opts *o, const char *kernel) {
    const char *named = opts_value(o, "kernel");
    return !kernel || !named || demangle_means(kernel, named) || demangle_means(named, kernel);
}

bool sidecar_fill(struct params *n, struct opts *o, struct arena *mem, struct err *e) {
    for (size_t i = 0; i < o->given.n; i++)
        if (o->given.v[i].value) params_assume(n, o->given.v[i].value, mem);
    for (size_t i = 0; i < o->given.n; i++) {
        struct opt_given *g = &o->given.v[i];
        if (g->value && strchr(g->value, '{') && !params_fill(n, g->value, mem, &g->value, e))
            return err_set(e, ERR_INPUT, "--%s %s", g->opt->name, err_text(e));
    }
    return true;
}

bool sidecar_read(struct opts *o, const char *file, const char *text, const char *kernel, struct arena *mem,
                  struct err *e) {
    *o = (struct opts){.table = launch_options};
    for (unsigned line = 1; *text; line++) {
        size_t n = strcspn(text, "\n");
        struct cursor c = {text, text + n};
        text += n + (text[n] == '\n');
        sidecar_skip_blanks(&c);
        if (c.p == c.end) continue;
        if (!skip_word(&c, "//")) break;
        sidecar_skip_blanks(&c);
        if (!skip_word(&c, marker)) continue;
        if (!parse_line(o, c, mem, e))
            return err_set(e, ERR_INPUT, "%s:%u: launch options: %s", file, line, err_text(e));
        if (sidecar_fits(o, kernel)) return true;
        opts_free(o);
    }
    return true;
}
