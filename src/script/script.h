/* Scripts: buffers, launches in order, loops, what to print, write and check (docs/scripts.md). script_parse is a pure function
 * of the text; the tree it gives is not changed by runs, of which several may go on at once. */
#ifndef HEDDLE_SCRIPT_SCRIPT_H
#define HEDDLE_SCRIPT_SCRIPT_H

#include "base/alloc.h"
#include "base/err.h"
#include "ir/types.h"
#include "lab/run/subject.h"
#include "value/params.h"
#include "value/vars.h"

struct script_at {
    uint32_t line, column;
};

/* ---- expressions ---- */

enum script_op {
    OP_INT,
    OP_REAL,
    OP_NAME,    /* a number of the script */
    OP_INDEX,   /* index of the element that is computed or checked */
    OP_ELEMENT, /* the element of buffer `name` at index a */
    OP_COUNT,   /* number of elements of buffer `name` */
    OP_NEG,
    OP_NOT,
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_DIV,
    OP_MOD,
    OP_EQ,
    OP_NE,
    OP_LT,
    OP_LE,
    OP_GT,
    OP_GE,
    OP_AND,
    OP_OR,
    OP_MIN,
    OP_MAX
};
struct script_expr {
    enum script_op op;
    struct script_at at;
    int64_t i;
    double d;
    size_t name; /* number or buffer, by its place among the declared */
    const struct script_expr *a, *b;
};

/* ---- contents and targets ---- */

enum script_fill { FILL_ZERO, FILL_IOTA, FILL_RAND, FILL_FILE, FILL_LIST, FILL_BUFFER, FILL_EXPR };
struct script_exprs {
    VEC(const struct script_expr *) v;
};
struct script_contents {
    enum script_fill kind;
    struct script_at at;
    struct script_exprs list;       /* FILL_LIST; FILL_RAND: SEED [, LO, HI] */
    const struct script_expr *expr; /* FILL_EXPR */
    size_t buffer;                  /* FILL_BUFFER */
    const char *path;               /* FILL_FILE */
};

/* NAME, NAME[I], NAME[LO:HI] */
struct script_target {
    struct script_at at;
    size_t buffer;
    bool part;                         /* else all of it */
    const struct script_expr *lo, *hi; /* hi NULL: one element */
};

/* ---- arguments ---- */

enum script_arg_kind { SARG_EXPR, SARG_TYPED, SARG_POINTER, SARG_STRUCT };
struct script_field {
    uint64_t offset;
    enum ir_type type;
    const struct script_expr *expr; /* NULL: the address of an element of a buffer */
    size_t buffer;
    const struct script_expr *element; /* NULL: the first */
};
struct script_arg {
    enum script_arg_kind kind;
    struct script_at at;
    struct script_field value;       /* not for structs */
    VEC(struct script_field) fields; /* fields of a struct, the structs within it included */
    uint64_t bytes;
};

/* ---- statements ---- */

enum script_kind {
    DO_LET,
    DO_BUFFER,
    DO_SET,
    DO_LAUNCH,
    DO_REPEAT,
    DO_IF,
    DO_SWAP,
    DO_PRINT,
    DO_WRITE,
    DO_CHECK
};

/* One item of print: a text, a target, or else an expression. */
struct script_item {
    const char *text;
    bool is_target;
    struct script_target target;
    const struct script_expr *expr;
};
struct script_items {
    VEC(struct script_item) v;
};
struct script_args {
    VEC(struct script_arg) v;
};

struct script_statement;
struct script_block {
    VEC(struct script_statement) v;
};

struct script_statement {
    enum script_kind kind;
    struct script_at at;
    size_t name, other;             /* number or buffer; swap: both */
    const struct script_expr *expr; /* let; count of a buffer; repeat: how often; if and check: condition */
    const struct script_expr *when; /* repeat: while */
    bool has_name, has_contents;    /* repeat ... as NAME; buffer ... = CONTENTS */
    struct script_target target;    /* set, write, check */
    struct script_contents contents;
    bool range;                                  /* check ... from LO to HI: */
    const struct script_expr *lo, *hi;           /* */
    const struct script_expr *within, *relative; /* check: tolerances, or NULL */
    const char *text;                            /* launch: kernel; write: path */
    struct script_exprs grid, block;
    const struct script_expr *shared;
    struct script_args args;
    struct script_items items;
    struct script_block body, otherwise;
};

/* A name as declared. */
struct script_buffer {
    const char *name;
    bool variable; /* a variable of the module */
    bool typed;    /* always of a buffer; of a variable, where it is said */
    enum ir_type type;
};

struct script {
    const char *file; /* for messages and as the place that paths are relative to; "-" is standard input */
    struct script_block body;
    VEC(const char *) numbers;
    VEC(struct script_buffer) buffers;
    struct arena mem; /* all of the tree */
};

/* On false, e has "FILE:LINE:COLUMN: reason". Release with script_free in either case. */
bool script_parse(struct script *s, const char *file, const char *text, size_t n, struct err *e);
void script_free(struct script *s);
bool script_error(const struct script *s, struct script_at at, struct err *e, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* define.c: numbers of the script (let, outside of blocks) get the values of names that are given. */
bool script_define(struct script *s, struct params *n, struct err *e);
/* Adds to a hash the numbers it begins with and the contents of the files it reads. */
bool script_hash_inputs(const struct script *s, uint64_t *h, struct err *e);

/* try.c: kernels, their parameters, variables and files that are read, on a device where nothing runs. */
bool script_try(const struct script *s, hd_device *dev, hd_module *mod, struct err *e);
/* The type of a variable's elements, said or declared. */
bool script_variable_type(const struct script_buffer *b, const hd_symbol_info *info, enum ir_type *type,
                          struct err *e);
/* Files it writes, as far as their names are known. */
bool script_try_writes(const struct script *s, struct err *e);

/* run.c: as lab_script.run; the user is a struct script_job. */
struct script_job {
    const struct script *script;
    const struct lab_program *program; /* its vars are set first; it has no buffers */
    int width;                         /* width of printed lines */
};
bool script_run(const void *job, struct lab_stage *stage, struct err *e);

#endif
