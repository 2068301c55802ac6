/* Words are split as a shell would, blanks apart and quotes removed, but nothing is expanded. */
#include "value/words.h"

#include <string.h>

struct cursor {
    const char *p, *end;
};

static void words_skip_blanks(struct cursor *c) {
    while (c->p < c->end && strchr(" \t\r", *c->p)) c->p++;
}

/* One word; quotes of either kind may surround any part of it. */
static bool words_take(struct cursor *c, struct arena *mem, char **word, struct err *e) {
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

bool words_read(const char *text, size_t n, struct words *words, struct arena *mem, struct err *e) {
    struct cursor c = {text, text + n};
    bool fine = true;
    for (words_skip_blanks(&c); c.p < c.end && fine; words_skip_blanks(&c)) {
        char *word;
        fine = words_take(&c, mem, &word, e);
        VEC_PUSH(&words->v, word);
    }
    return fine;
}
