/* Words of a script. */
#ifndef HEDDLE_SCRIPT_LEX_H
#define HEDDLE_SCRIPT_LEX_H

#include "script/script.h"

enum script_token_kind { TOKEN_END, TOKEN_LINE, TOKEN_WORD, TOKEN_INT, TOKEN_REAL, TOKEN_TEXT, TOKEN_SIGN };

struct script_token {
    enum script_token_kind kind;
    struct script_at at;
    const char *text; /* text of words and signs; the text between the quotes of a TOKEN_TEXT */
    size_t n;
    int64_t i;
    double d;
};
struct script_tokens {
    VEC(struct script_token) v;
};

/* The last token is TOKEN_END. A line end is a token unless the line cannot be over: after a comma, an operator or an
 * opening bracket. */
bool script_lex(struct script *s, const char *text, size_t n, struct script_tokens *out, struct err *e);

#endif
