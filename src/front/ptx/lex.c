/* The lexer. The text ends in a NUL that is no part of it, so a scan needs no bound: every class of character that
 * continues a token excludes NUL. Names are hashed while they are scanned, and so is the part before trailing digits,
 * because %r123 is usually element 123 of the range %r<...>. */
#include "front/ptx/lex.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

enum { C_NAME = 1, C_DIGIT = 2, C_HEX = 4, C_SPACE = 8 };

static const uint8_t class_of[256] = {
    ['\t'] = C_SPACE,
    ['\r'] = C_SPACE,
    ['\v'] = C_SPACE,
    ['\f'] = C_SPACE,
    [' '] = C_SPACE,
    ['0' ... '9'] = C_NAME | C_DIGIT | C_HEX,
    ['A' ... 'F'] = C_NAME | C_HEX,
    ['a' ... 'f'] = C_NAME | C_HEX,
    ['G' ... 'Z'] = C_NAME,
    ['g' ... 'z'] = C_NAME,
    ['_'] = C_NAME,
    ['$'] = C_NAME,
};

static inline bool lex_is(char c, unsigned cls) {
    return class_of[(unsigned char)c] & cls;
}

uint32_t lex_hash_name(const char *s, size_t n) {
    uint32_t h = LEX_HASH_SEED;
    for (size_t i = 0; i < n; i++) h = lex_hash(h, s[i]);
    return h;
}

void lex_init(struct lexer *x, const char *text, size_t len) {
    *x = (struct lexer){.p = text, .end = text + len, .line = 1};
}

/* Behind the block comment that begins at p, its lines added; NULL: it has no end. */
static const char *behind_comment(const char *p, const char *end, uint32_t *line) {
    uint32_t lines = 0;
    for (p += 2; p < end && !(*p == '*' && p[1] == '/'); p++) lines += *p == '\n';
    if (p == end) return NULL;
    *line += lines;
    return p + 2;
}

/* Past spaces and comments, up to a block comment that does not end. */
static void skip_space(struct lexer *x) {
    const char *p = x->p, *behind;
    for (;;) {
        if (lex_is(*p, C_SPACE))
            p++;
        else if (*p == '\n')
            p++, x->line++;
        else if (*p == '/' && p[1] == '/') {
            p = memchr(p, '\n', (size_t)(x->end - p));
            if (!p) p = x->end;
        } else if (*p == '/' && p[1] == '*' && (behind = behind_comment(p, x->end, &x->line)))
            p = behind;
        else
            break;
    }
    x->p = p;
}

bool lex_at_colon(const struct lexer *x) {
    if (*x->p == ':') return x->p[1] != ':';
    struct lexer ahead = *x;
    skip_space(&ahead);
    return *ahead.p == ':';
}

static void lex_bad(struct tok *t, const char *why) {
    t->kind = TOK_BAD;
    t->why = why;
}

static void scan_name(struct lexer *x, struct tok *t) {
    const char *p = x->p;
    uint32_t h = LEX_HASH_SEED, stem_hash = h;
    const char *stem = NULL;
    if (*p == '%') h = lex_hash(h, *p++);
    for (; lex_is(*p, C_NAME); p++) {
        if (!lex_is(*p, C_DIGIT))
            stem = NULL;
        else if (!stem)
            stem = p, stem_hash = h;
        h = lex_hash(h, *p);
    }
    t->kind = TOK_ID;
    t->len = (uint32_t)(p - x->p);
    t->hash = h;
    t->stem = stem ? (uint32_t)(stem - x->p) : t->len;
    t->stem_hash = stem_hash;
    x->p = p;
}

/* .word, .word::word; the scan stops at the next dot. */
static void scan_dot(struct lexer *x, struct tok *t) {
    const char *p = x->p + 1;
    uint32_t h = LEX_HASH_SEED;
    t->s = p;
    while (lex_is(*p, C_NAME) || (*p == ':' && p[1] == ':') || (*p == ':' && p[-1] == ':'))
        h = lex_hash(h, *p++);
    t->kind = TOK_DOT;
    t->len = (uint32_t)(p - t->s);
    t->hash = h;
    x->p = p;
    if (!t->len) lex_bad(t, "a stray '.'");
}

static uint64_t hex_value(char c) {
    return (uint64_t)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
}

/* 0fXXXXXXXX and 0dXXXXXXXXXXXXXXXX: exactly that many digits. */
static void scan_float_bits(struct lexer *x, struct tok *t, unsigned digits, uint8_t kind) {
    const char *p = x->p + 2;
    unsigned n = 0;
    for (; lex_is(*p, C_HEX) && n < digits; n++) t->u = t->u << 4 | hex_value(*p++);
    t->kind = kind;
    if (n < digits || lex_is(*p, C_NAME))
        lex_bad(t, digits == 8 ? "a 0f constant that has not 8 hexadecimal digits"
                               : "a 0d constant that has not 16 hexadecimal digits");
    while (lex_is(*p, C_NAME)) p++;
    x->p = p;
}

static void scan_decimal_float(struct lexer *x, struct tok *t) {
    char copy[64];
    const char *p = x->p;
    while (lex_is(*p, C_DIGIT)) p++;
    if (*p == '.')
        for (p++; lex_is(*p, C_DIGIT);) p++;
    if ((*p | 32) == 'e') {
        p += p[1] == '+' || p[1] == '-' ? 2 : 1;
        while (lex_is(*p, C_DIGIT)) p++;
    }
    size_t n = (size_t)(p - x->p);
    t->kind = TOK_F64;
    if (n >= sizeof copy || lex_is(*p, C_NAME)) {
        lex_bad(t, "a malformed floating-point number");
        while (lex_is(*p, C_NAME)) p++;
    } else {
        memcpy(copy, x->p, n);
        copy[n] = '\0';
        t->u = f64_bits(strtod(copy, NULL));
    }
    x->p = p;
}

static unsigned radix_of(const char *p, const char **digits) {
    *digits = p;
    if (*p != '0') return 10;
    if ((p[1] | 32) == 'x') return *digits = p + 2, 16;
    if ((p[1] | 32) == 'b') return *digits = p + 2, 2;
    return 8;
}

static void scan_int(struct lexer *x, struct tok *t) {
    const char *p;
    unsigned radix = radix_of(x->p, &p);
    bool overflow = false, wrong = !lex_is(*p, C_HEX);
    for (; lex_is(*p, C_HEX); p++) {
        uint64_t d = hex_value(*p);
        wrong |= d >= radix;
        overflow |=
            __builtin_mul_overflow(t->u, (uint64_t)radix, &t->u) || __builtin_add_overflow(t->u, d, &t->u);
    }
    t->kind = TOK_INT;
    t->uns = t->u >> 63;
    if (*p == 'U' || *p == 'u') t->uns = true, p++;
    wrong |= lex_is(*p, C_NAME);
    while (lex_is(*p, C_NAME)) p++;
    x->p = p;
    if (wrong)
        lex_bad(t, "a malformed number");
    else if (overflow)
        lex_bad(t, "a number that does not fit in 64 bits");
}

static void scan_number(struct lexer *x, struct tok *t) {
    const char *p = x->p;
    if (*p == '0' && (p[1] | 32) == 'f') return scan_float_bits(x, t, 8, TOK_F32);
    if (*p == '0' && (p[1] | 32) == 'd') return scan_float_bits(x, t, 16, TOK_F64);
    if (!(*p == '0' && (p[1] | 32) == 'x'))
        while (lex_is(*p, C_DIGIT)) p++;
    bool fraction = *p == '.' && !(lex_is(p[1], C_NAME) && !lex_is(p[1], C_DIGIT) && (p[1] | 32) != 'e');
    bool exponent = (*p | 32) == 'e' && (lex_is(p[1], C_DIGIT) || p[1] == '+' || p[1] == '-');
    if (p > x->p && (fraction || exponent))
        scan_decimal_float(x, t);
    else
        scan_int(x, t);
}

static void scan_string(struct lexer *x, struct tok *t) {
    const char *p = ++x->p;
    while (p < x->end && *p != '"' && *p != '\n') p += *p == '\\' && p + 1 < x->end && p[1] != '\n' ? 2 : 1;
    t->kind = TOK_STR;
    t->s = x->p;
    t->len = (uint32_t)(p - x->p);
    x->p = *p == '"' && p < x->end ? p + 1 : p;
    if (x->p == p) lex_bad(t, "a string without closing quote");
}

/* A block comment that skip_space did not get past: the rest of the text is in it. */
static void scan_comment(struct lexer *x, struct tok *t) {
    t->len = 2;
    x->p = x->end;
    lex_bad(t, "a comment without an end");
}

static void scan_punct(struct lexer *x, struct tok *t) {
    static const struct {
        char a, b;
        uint8_t kind;
    } pairs[] = {{'<', '<', TOK_SHL}, {'>', '>', TOK_SHR}, {'<', '=', TOK_LE},     {'>', '=', TOK_GE},
                 {'=', '=', TOK_EQ},  {'!', '=', TOK_NE},  {'&', '&', TOK_ANDAND}, {'|', '|', TOK_OROR}};
    char c = *x->p;
    t->len = 1;
    t->kind = (uint8_t)c;
    if (c == '<' || c == '>' || c == '=' || c == '!' || c == '&' || c == '|')
        for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
            if (pairs[i].a == c && pairs[i].b == x->p[1]) t->kind = pairs[i].kind, t->len = 2;
    x->p += t->len;
    if (c < 33 || c > 126 || !strchr(";,{}[]()<>:=|!@+-*/%~&^?", c))
        lex_bad(t, "a character that has no meaning in PTX");
}

/* A dot is a fraction only before digits that no word continues: .5 and .5e3, but .2d and .16x64b are words. */
static bool dot_is_number(const char *p) {
    if (!lex_is(p[1], C_DIGIT)) return false;
    for (p++; lex_is(*p, C_DIGIT);) p++;
    return !lex_is(*p, C_NAME) || ((*p | 32) == 'e' && (lex_is(p[1], C_DIGIT) || p[1] == '-' || p[1] == '+'));
}

void lex_next(struct lexer *x, struct tok *t) {
    skip_space(x);
    char c = *x->p;
    t->s = t->at = x->p;
    t->line = x->line;
    t->u = 0;
    if (lex_is(c, C_DIGIT))
        scan_number(x, t);
    else if (lex_is(c, C_NAME) || (c == '%' && lex_is(x->p[1], C_NAME) && !lex_is(x->p[1], C_DIGIT)))
        scan_name(x, t);
    else if (c == '.' && dot_is_number(x->p))
        scan_decimal_float(x, t);
    else if (c == '.')
        scan_dot(x, t);
    else if (c == '"')
        scan_string(x, t);
    else if (c == '/' && x->p[1] == '*')
        scan_comment(x, t);
    else if (c || x->p < x->end)
        scan_punct(x, t);
    else
        t->kind = TOK_END;
}
