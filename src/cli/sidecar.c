/* The comment is found before the file is parsed: only lines that are blank or begin with "//" may stand above
 * it. Words are split as a shell would, blanks apart and quotes removed, but nothing is expanded. */
#include "cli/sidecar.h"

#include <stdlib.h>
#include <string.h>

#include "cli/demangle.h"

static const char marker[] = "heddle:";

struct cursor {
    const char *p, *end; /* the rest of the line */
};

static void skip_blanks(struct cursor *c) {
    while (c->p < c->end && strchr(" \t\r", *c->p)) c->p++;
}

static bool skip_word(struct cursor *c, const char *word) {
    size_t n = strlen(word);
    if ((size_t)(c->end - c->p) < n || memcmp(c->p, word, n) != 0) return false;
    c->p += n;
    return true;
}

/* One word; quotes of either kind may surround any part of it. */
static bool take_word(struct cursor *c, struct arena *mem, char **word, struct err *e) {
    struct sb out = {0};
    char quote = 0;
    for (; c->p < c->end && (quote || !strchr(" \t\r", *c->p)); c->p++) {
        if (quote ? *c->p == quote : *c->p == '\'' || *c->p == '"')
            quote = quote ? 0 : *c->p;
        else
            sb_addn(&out, c->p, 1);
    }
    *word = sb_keep(&out, mem);
    return !quote || err_set(e, ERR_INPUT, "a quote is not closed");
}

bool sidecar_words(const char *text, size_t n, struct sidecar_words *words, struct arena *mem,
                   struct err *e) {
    struct cursor c = {text, text + n};
    bool fine = true;
    for (skip_blanks(&c); c.p < c.end && fine; skip_blanks(&c)) {
        char *word;
        fine = take_word(&c, mem, &word, e);
        VEC_PUSH(&words->v, word);
    }
    return fine;
}

static bool parse_line(struct opts *o, struct cursor c, struct arena *mem, struct err *e) {
    struct sidecar_words words = {0};
    bool fine = sidecar_words(c.p, (size_t)(c.end - c.p), &words, mem, e) &&
                opts_parse(o, launch_options, (int)words.v.n, words.v.v, e);
    if (fine && o->operands.n)
        fine = err_set(e, ERR_INPUT, "'%.60s' is not an option of a launch", o->operands.v[0]);
    VEC_FREE(&words.v);
    return fine;
}

static bool fits(const struct opts *o, const char *kernel) {
    const char *named = opts_value(o, "kernel");
    return !kernel || !named || demangle_means(kernel, named) || demangle_means(named, kernel);
}

bool sidecar_read(struct opts *o, const char *file, const char *text, const char *kernel, struct arena *mem,
                  struct err *e) {
    *o = (struct opts){.table = launch_options};
    for (unsigned line = 1; *text; line++) {
        size_t n = strcspn(text, "\n");
        struct cursor c = {text, text + n};
        text += n + (text[n] == '\n');
        skip_blanks(&c);
        if (c.p == c.end) continue;
        if (!skip_word(&c, "//")) break;
        skip_blanks(&c);
        if (!skip_word(&c, marker)) continue;
        if (!parse_line(o, c, mem, e))
            return err_set(e, ERR_INPUT, "%s:%u: launch options: %s", file, line, err_text(e));
        if (fits(o, kernel)) return true;
        opts_free(o);
    }
    return true;
}
