/* The parser of scripts, as its files share it: a cursor over tokens and the names declared so far. */
#ifndef HEDDLE_SCRIPT_PARSE_H
#define HEDDLE_SCRIPT_PARSE_H

#include <string.h>

#include "script/lex.h"

struct parser {
    struct script *s;
    const struct script_token *t; /* the next */
    unsigned depth;               /* brackets and signs within each other, in an expression */
    unsigned nodes;               /* nodes of the expression so far */
    unsigned blocks;              /* open blocks */
    struct err *e;
};

/* How deep expressions and blocks may be, and how large an expression: each level takes some of the host's stack. */
enum { SCRIPT_DEEPEST = 64, SCRIPT_LARGEST = 4096 };

bool parse_wrong(struct parser *p, const char *expected); /* "... expected, not ..." */
bool parse_sign(struct parser *p, const char *sign);      /* takes it, if it is next */
bool parse_word(struct parser *p, const char *word);
bool parse_is_sign(const struct parser *p, const char *sign);
bool parse_is_word(const struct parser *p, const char *word);
bool parse_need(struct parser *p, const char *sign);
bool parse_ends(const struct parser *p); /* the statement is over */
bool parse_buffer_name(struct parser *p, size_t *buffer);
bool parse_find_buffer(const struct parser *p, size_t *buffer); /* whether the next token is one */
bool parse_type(struct parser *p, enum ir_type *type);          /* takes it, if it is one */
bool parse_string(struct parser *p, const char **text);
/* Moves a vector that is complete to the tree's memory. */
#define PARSE_KEEP(p, vec)                                                     \
    do {                                                                       \
        const size_t kept_n = (vec)->n;                                        \
        void *kept = arena_alloc(&(p)->s->mem, kept_n * sizeof *(vec)->v + 1); \
        if (kept_n) memcpy(kept, (vec)->v, kept_n * sizeof *(vec)->v);         \
        VEC_FREE(vec);                                                         \
        (vec)->v = kept;                                                       \
        (vec)->n = (vec)->cap = kept_n;                                        \
    } while (0)

/* expr.c */
bool parse_expr(struct parser *p, const struct script_expr **out);
/* Parses an expression without comparisons and without what binds less. */
bool parse_sum(struct parser *p, const struct script_expr **out);
bool parse_exprs(struct parser *p, struct script_exprs *out); /* with commas between them */

/* contents.c */
/* expr: parse_expr, or parse_sum behind a '=='. */
bool parse_contents(struct parser *p, struct script_contents *out,
                    bool (*expr)(struct parser *p, const struct script_expr **out));
bool parse_target(struct parser *p, struct script_target *out);
bool parse_args(struct parser *p, struct script_args *out);

#endif
