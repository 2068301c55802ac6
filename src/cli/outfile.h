/* Output files that appear whole or not at all: everything is written under temporary names first, and
 * renamed only when all of it is safely on disk. "-" is standard output. */
#ifndef HEDDLE_CLI_OUTFILE_H
#define HEDDLE_CLI_OUTFILE_H

#include <stdio.h>

#include "base/alloc.h"
#include "base/err.h"

struct outfile;
struct outfiles {
    VEC(struct outfile) files;
    struct outfiles **list, *next; /* all lists of files that are being written, for outfile_abandon */
};

/* Standard output has one name: "-" for "/dev/stdout", which may be a file that the shell opened and is not to be replaced;
 * any other path is itself. */
const char *outfile_name(const char *path);
/* What a file that is read is called in messages: "-" is standard input. */
const char *infile_name(const char *operand);
/* Whether path can be written, before there is anything to write: makes and removes a temporary file beside it; a pipe or
 * a device is not opened. What is there stays as it is. */
bool outfile_try(const char *path, struct err *e);

/* Puts o, all zero, on a list. */
void outfile_begin(struct outfiles *o, struct outfiles **list);

/* Writes the bytes, for now under a temporary name beside path. */
bool outfile_write(struct outfiles *o, const char *path, const void *data, size_t bytes, struct err *e);
/* Opens a file to be written bit by bit: under a temporary name too, or "-", a pipe or a device at once. The
 * stream is closed by outfile_commit and outfile_free; what could not be written the former reports. */
struct outstream;
bool outfile_open(struct outfiles *o, const char *path, FILE *out, struct outstream **stream, struct err *e);
void outfile_put(struct outstream *s, const char *text, size_t n);
/* Gives all files their names, and sends what is for "-" to out. */
bool outfile_commit(struct outfiles *o, FILE *out, struct err *e);
/* As outfile_commit, and the files and their names outlast the host's fall; none of them is "-". */
bool outfile_sync(struct outfiles *o, struct err *e);
void outfile_free(struct outfiles *o); /* removes what was not committed */
/* Removes the files of a whole list and nothing else, without memory and from any thread. */
void outfile_abandon(const struct outfiles *list);

#endif
