/* Command-line options from a table: the same rows parse the words, print --help and make the man page. */
#ifndef HEDDLE_CLI_OPTS_H
#define HEDDLE_CLI_OPTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/alloc.h"
#include "base/err.h"

/* How an option may be given, and what a value that names a file is for. */
enum {
    OPT_ONCE = 0,
    OPT_REPEAT = 1,  /* more than once */
    OPT_WRITES = 2,  /* a file that is written: outputs.c tries it before the command runs */
    OPT_UPDATES = 4, /* a database or checkpoint that the command itself opens, and makes if need be */
    OPT_READS = 8,   /* a file that is only read */
    OPT_LIST =
        16 /* values with commas between them; given again, it adds to the list, as its help then says */
};

struct opt {
    const char *name;  /* without the dashes */
    char letter;       /* short form, or 0 */
    unsigned char how; /* OPT_ bits; false and true are OPT_ONCE and OPT_REPEAT */
    /* What it takes, for the help ("X[,Y[,Z]]"); NULL: a flag; "[=X]": nothing, or X after '='. */
    const char *value;
    const char *help; /* sentences, without line breaks */
};

struct opt_given {
    const struct opt *opt;
    const char *value; /* NULL for a flag, "" for a value that may be missing and is */
};

/* The words of one command line, sorted. Strings point into argv. */
struct opts {
    const struct opt *table; /* ends with a NULL name */
    VEC(struct opt_given) given;
    VEC(const char *) operands;
    /* Where the name of an option begins that is not in the table; NULL: none was found. */
    const char *unknown;
    struct arena mem; /* lists that were given in several parts */
};

/* Reads words[0..n): "--name value", "--name=value", "-n value", flags, operands in any order; "--" ends the
 * options.
 * "--help" and "-h" are known to every command. On false the message names the word and, where one is near,
 * the option that was meant. Release with opts_free in either case. */
bool opts_parse(struct opts *o, const struct opt *table, int n, char *const *words, struct err *e);
/* As opts_parse, where the first operand is a program and all words behind it are its own. */
bool opts_parse_program(struct opts *o, const struct opt *table, int n, char *const *words, struct err *e);
void opts_free(struct opts *o);

bool opts_optional(const struct opt *t);
/* What the manual says about the option: its help, and of a list that it may be repeated. */
void opts_text(const struct opt *t, struct sb *out);
bool opts_known(const struct opts *o, const char *name); /* the command has such an option */
bool opts_has(const struct opts *o, const char *name);
const char *opts_value(const struct opts *o, const char *name); /* NULL when not given */
size_t opts_count(const struct opts *o, const char *name);
const char *opts_nth(const struct opts *o, const char *name, size_t n); /* n < opts_count */

extern const struct opt opts_help; /* the row of --help */

#endif
