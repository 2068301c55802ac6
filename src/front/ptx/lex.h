/* PTX tokens, one at a time, straight from the text: nothing is copied or allocated. */
#ifndef HEDDLE_FRONT_PTX_LEX_H
#define HEDDLE_FRONT_PTX_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A punctuation character is its own kind; the rest start above them. */
enum tok_kind {
    TOK_END = 128,
    TOK_ID,  /* a name: letters, digits, _ $, perhaps with % in front */
    TOK_DOT, /* .word: s and len are without the dot */
    TOK_INT, /* u; uns when written with U, or too large for a signed 64-bit value */
    TOK_F32, /* 0f........: u is the bits */
    TOK_F64, /* 0d or a decimal fraction: u is the bits of the double */
    TOK_STR, /* s and len are what is between the quotes */
    TOK_SHL,
    TOK_SHR,
    TOK_LE,
    TOK_GE,
    TOK_EQ,
    TOK_NE,
    TOK_ANDAND,
    TOK_OROR,
    TOK_BAD /* why says what is wrong */
};

struct tok {
    uint8_t kind;
    bool uns;
    uint32_t len, line;
    uint32_t hash;      /* names and words */
    uint32_t stem_hash; /* names: of the part before the digits at the end */
    uint32_t stem;      /* names: length of that part */
    const char *s;      /* text of the token */
    const char *at;     /* where it begins, for messages */
    const char *why;
    uint64_t u;
};

struct lexer {
    const char *p, *end; /* *end is NUL */
    uint32_t line;
};

enum { LEX_HASH_SEED = 0x811c9dc5 };
static inline uint32_t lex_hash(uint32_t h, char c) {
    return (h ^ (unsigned char)c) * 16777619u;
}
uint32_t lex_hash_name(const char *s, size_t n);

/* text[len] must be NUL. */
void lex_init(struct lexer *x, const char *text, size_t len);
void lex_next(struct lexer *x, struct tok *t);
/* Whether the next character that is neither space nor comment starts a label's colon. */
bool lex_at_colon(const struct lexer *x);

#endif
