/* The command line: what its subcommands share. Only this room prints to the terminal or decides the exit status. */
#ifndef HEDDLE_CLI_CLI_H
#define HEDDLE_CLI_CLI_H

#include <heddle.h>
#include <stdatomic.h>

#include "cli/opts.h"
#include "cli/term.h"

enum cli_exit {
    CLI_OK = 0,
    CLI_FAILED = 1, /* the simulated program failed */
    CLI_USAGE = 2   /* bad usage or input, or an output that could not be written */
};

struct outfiles;
struct store;
struct cli {
    struct term term;
    const struct command *command; /* the one that runs, for messages */
    struct outfiles *writing;      /* files under way, removed when memory runs out */
    /* The store that is open, or NULL: it is closed when memory runs out. */
    struct store **store;
    atomic_flag out_of_memory; /* a thread is at that already */
};

/* A term and what is to be said about it: an element of a list in the help. term NULL ends the list. */
struct help_entry {
    const char *term, *text;
};
struct help_section {
    const char *title; /* NULL ends the list */
    const char *text;  /* paragraph before the entries, or "" */
    const struct help_entry *entries;
};

struct command {
    const char *name;
    const char *operands; /* "FILE.ptx", for the synopsis */
    size_t min_operands, max_operands;
    bool runs_program;   /* its first operand; the words behind that are the program's, options or not */
    const char *summary; /* one line, no full stop */
    const char *text;    /* paragraphs, parted by a newline */
    const struct opt *options;
    const struct help_section *sections; /* what the options alone do not say */
    const struct help_entry *examples;   /* command line, what it does */
    /* Options of other commands that it cannot have, and why not; or NULL. */
    const struct help_entry *refused;
    enum cli_exit (*run)(struct cli *c, const struct opts *o);
    /* instead of run: reads its words itself, options is empty, and --help is its own */
    enum cli_exit (*raw)(struct cli *c, int n, char *const *words);
};

/* Prints the error with the command's name and where to read more; returns CLI_USAGE. */
enum cli_exit cli_usage(const struct cli *c, const struct err *e);

/* Prints an error that the help says nothing about; returns the status that fits its code. */
enum cli_exit cli_fail(const struct cli *c, const struct err *e);

/* A whole number from a value of an option, decimal or hexadecimal, at most `most`. */
bool cli_number(const char *option, const char *text, uint64_t most, uint64_t *value, struct err *e);

/* A blank and the word, in quotes where a shell needs them. */
void cli_add_word(struct sb *out, const char *word);

/* Whether a word is what run takes: a workload, a file that is there, or a name as only such a file has. */
bool cli_names_program(const char *word);

/* --jobs: host threads; 0 where it is not given. */
bool cli_jobs(const struct opts *o, unsigned *jobs, struct err *e);

struct cli_output {
    const char *path; /* NULL: not asked for */
    const struct sb *text;
};
/* Writes all of them or none. */
bool cli_write_all(struct cli *c, const struct cli_output *outputs, size_t n, struct err *e);
bool cli_write(struct cli *c, const char *json, const struct sb *json_text, const char *csv,
               const struct sb *csv_text, struct err *e);

/* What a command leaves, of its own struct: files, and text for the terminal. */
struct cli_report {
    const char *json, *csv, *html; /* where they go; NULL: not asked for */
    bool silent;                   /* no text */
    bool (*add_json)(const void *of, struct sb *out, struct err *e);
    void (*add_csv)(const void *of, struct sb *out);
    void (*add_html)(const void *of, struct sb *out);
    void (*add_text)(const void *of, struct sb *out);
};
/* Writes the files, all or none; then prints the text. */
bool cli_report(struct cli *c, const struct cli_report *r, const void *of, struct err *e);

/* Prints an error about an operand that is one of names: "unknown topic 'stat' (did you mean 'stats'?)", or with
 * all of them where none is near; returns CLI_USAGE. */
enum cli_exit cli_unknown(const struct cli *c, const char *what, const char *word, const char *const *names,
                          const char *all);

#endif
