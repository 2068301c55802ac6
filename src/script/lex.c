/* Lexer of scripts: words, numbers, texts in double quotes, signs; # and // begin comments. */
#include "script/lex.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NUMBER = 63 };

struct lexer {
    struct script *s;
    const char *p, *end, *line_start;
    uint32_t line;
    struct script_tokens *out;
    struct err *e;
};

static struct script_at here(const struct lexer *l) {
    return (struct script_at){l->line, (uint32_t)(l->p - l->line_start) + 1};
}

static char script_lex_peek(const struct lexer *l, size_t k) {
    return (size_t)(l->end - l->p) > k ? l->p[k] : '\0';
}

static void script_lex_add(struct lexer *l, enum script_token_kind kind, size_t n) {
    VEC_PUSH(&l->out->v, (struct script_token){.kind = kind, .at = here(l), .text = l->p, .n = n});
    l->p += n;
}

static struct script_token *last(const struct lexer *l) {
    return l->out->v.n ? &l->out->v.v[l->out->v.n - 1] : NULL;
}

static bool script_lex_goes_on(const struct lexer *l) {
    const struct script_token *t = last(l);
    return !t || t->kind == TOKEN_LINE ||
           (t->kind == TOKEN_SIGN &&
            !strchr(")]}", t->text[0])); /* no sign but a closing one ends a statement */
}

static void end_line(struct lexer *l) {
    if (!script_lex_goes_on(l)) {
        script_lex_add(l, TOKEN_LINE, 0);
    }
    l->p++;
    l->line++;
    l->line_start = l->p;
}

static bool script_lex_word(struct lexer *l) {
    size_t n = 0;
    while (isalnum((unsigned char)script_lex_peek(l, n)) ||
           (script_lex_peek(l, n) && strchr("_$", script_lex_peek(l, n))))
        n++;
    script_lex_add(l, TOKEN_WORD, n);
    return true;
}

/* 12, 0x1f, 1.5, 1e-3 */
static bool script_lex_number(struct lexer *l) {
    char s[LONGEST_NUMBER + 1], *end;
    bool hex = script_lex_peek(l, 0) == '0' && tolower((unsigned char)script_lex_peek(l, 1)) == 'x',
         real = false;
    size_t n = hex ? 2 : 0;
    for (;; n++) {
        char c = script_lex_peek(l, n), before = n ? script_lex_peek(l, n - 1) : 0;
        bool exponent = !hex && (c == '+' || c == '-') && tolower((unsigned char)before) == 'e';
        if (!isalnum((unsigned char)c) && c != '.' && c != '_' && !exponent) break;
        real |= !hex && (c == '.' || tolower((unsigned char)c) == 'e');
        if (n == LONGEST_NUMBER) return script_error(l->s, here(l), l->e, "the number is too long");
    }
    memcpy(s, l->p, n);
    s[n] = '\0';
    struct script_token t = {.at = here(l), .kind = real ? TOKEN_REAL : TOKEN_INT, .text = l->p, .n = n};
    errno = 0;
    if (real)
        t.d = strtod(s, &end);
    else
        t.i = strtoll(s, &end, hex ? 16 : 10);
    if (*end || end == s) return script_error(l->s, t.at, l->e, "'%s' is not a number", s);
    if (errno == ERANGE && (!real || t.d > 1 || t.d < -1))
        return script_error(l->s, t.at, l->e, "the number %s is too large", s);
    VEC_PUSH(&l->out->v, t);
    l->p += n;
    return true;
}

static bool script_lex_text(struct lexer *l) {
    const struct script_at at = here(l);
    size_t n = 0;
    l->p++;
    while (script_lex_peek(l, n) && script_lex_peek(l, n) != '"' && script_lex_peek(l, n) != '\n') n++;
    if (script_lex_peek(l, n) != '"') return script_error(l->s, at, l->e, "the text lacks its closing '\"'");
    script_lex_add(l, TOKEN_TEXT, n);
    last(l)->at = at;
    l->p++;
    return true;
}

static bool sign(struct lexer *l) {
    static const char *const two[] = {"==", "!=", "<=", ">=", "&&", "||"};
    for (size_t i = 0; i < sizeof two / sizeof *two; i++)
        if (script_lex_peek(l, 0) == two[i][0] && script_lex_peek(l, 1) == two[i][1])
            return script_lex_add(l, TOKEN_SIGN, 2), true;
    if (strchr("+-*/%()[]{}<>=!,:&", script_lex_peek(l, 0))) return script_lex_add(l, TOKEN_SIGN, 1), true;
    unsigned char c = (unsigned char)script_lex_peek(l, 0);
    if (isprint(c)) return script_error(l->s, here(l), l->e, "'%c' means nothing here", c);
    return script_error(l->s, here(l), l->e, "a byte 0x%02x means nothing here", c);
}

static bool script_lex_next(struct lexer *l) {
    char c = script_lex_peek(l, 0);
    if (c == ' ' || c == '\t' || c == '\r') return l->p++, true;
    if (c == '\n') return end_line(l), true;
    if (c == '#' || (c == '/' && script_lex_peek(l, 1) == '/')) {
        while (l->p < l->end && *l->p != '\n') l->p++;
        return true;
    }
    if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)script_lex_peek(l, 1))))
        return script_lex_number(l);
    if (isalpha((unsigned char)c) || c == '_') return script_lex_word(l);
    return c == '"' ? script_lex_text(l) : sign(l);
}

bool script_lex(struct script *s, const char *source, size_t n, struct script_tokens *out, struct err *e) {
    struct lexer l = {
        .s = s, .p = source, .end = source + n, .line_start = source, .line = 1, .out = out, .e = e};
    while (l.p < l.end)
        if (!script_lex_next(&l)) return false;
    script_lex_add(&l, TOKEN_LINE, 0);
    script_lex_add(&l, TOKEN_END, 0);
    return true;
}
