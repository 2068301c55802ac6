/* A directory for the files of compilers, and programs that run with it as their TMPDIR: whatever they leave there goes with it.
 *
 * Signals that would end the process are held back meanwhile. One that comes ends the program that runs, the directory is
 * removed, and then the process dies of the signal after all. */
#ifndef HEDDLE_TOOLCHAIN_WORKDIR_H
#define HEDDLE_TOOLCHAIN_WORKDIR_H

#include <signal.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/err.h"

struct workdir {
    struct arena *mem;
    FILE *err; /* written to before programs run, whose diagnostics come after */
    const char *path;
    sigset_t held; /* signals that would end the process */
    int signal;    /* the first of these signals that came; 0: none */
};

/* Makes the directory, calls work, and removes the directory, also when there is no memory for the work. */
bool workdir_with(struct workdir *w, bool (*work)(void *user, struct err *e), void *user, struct err *e);

const char *workdir_file(const struct workdir *w, const char *name);

enum { WORKDIR_TO_ERR = -1 };
/* Runs words[0], a path, with the words, which end with NULL; its standard output goes to the descriptor, or with
 * WORKDIR_TO_ERR where its errors go. *status: its exit status, or 128 and a signal. False: it could not be started. */
bool workdir_run(struct workdir *w, const char *const *words, int output, int *status, struct err *e);

#endif
