/* Expressions over the axes of a sweep: conditions of --skip-where, and sizes that are computed from others. Parsing and
 * evaluation are pure functions of the text and of what the caller says names stand for. */
#ifndef HEDDLE_VALUE_EXPR_H
#define HEDDLE_VALUE_EXPR_H

#include "value/list.h"

struct sweep_expr;

/* Text goes into mem. The message has the column. */
bool sweep_expr_parse(const char *text, struct arena *mem, const struct sweep_expr **out, struct err *e);

enum sweep_kind {
    SWEEP_ABSENT, /* the axis says nothing about this point; comparisons with it do not hold */
    SWEEP_NUMBER,
    SWEEP_TEXT
};
struct sweep_value {
    enum sweep_kind kind;
    struct sweep_number number;
    const char *text;
};

/* What names stand for. value NULL: known, but absent at this point. False: there is no such axis. */
struct sweep_scope {
    bool (*find)(const void *user, const char *name, const char **value);
    const void *user;
};
/* False: a word that cannot be computed with, a division by zero, a number that is too large. */
bool sweep_expr_value(const struct sweep_expr *x, const struct sweep_scope *s, struct sweep_value *out,
                      struct err *e);
/* As a condition: a number other than 0. */
bool sweep_expr_true(const struct sweep_expr *x, const struct sweep_scope *s, bool *out, struct err *e);

/* Calls `name` with every word of the expression that may be an axis; the other side of a comparison for equality, where that
 * is such a word too, else NULL. False ends it. */
struct sweep_visit {
    bool (*name)(void *user, const char *word, const char *other, struct err *e);
    void *user;
};
bool sweep_expr_visit(const struct sweep_expr *x, const struct sweep_visit *v, struct err *e);

#endif
