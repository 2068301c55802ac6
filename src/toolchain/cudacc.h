/* CUDA C++ to PTX, by a compiler of the host: nvcc, or clang with the headers of cuda/ and libclc. */
#ifndef HEDDLE_TOOLCHAIN_CUDACC_H
#define HEDDLE_TOOLCHAIN_CUDACC_H

#include "cli/cli.h"

struct cudacc {
    bool nvcc;        /* else clang */
    const char *path; /* path of the compiler */
    /* Clang's headers. */
    const char *headers; /* directory */
    const char *libclc;  /* bitcode; NULL: there is none, and elementary functions are errors */
};

/* What the command line and the file say about compiling; NULL: nothing. */
struct cudacc_options {
    const char *compiler;  /* nvcc, clang, or a program */
    const char *flags;     /* more words for the compiler, as in a shell */
    const char *own_flags; /* as `flags`, in the file itself, which may only name some */
};
void cudacc_options(struct cudacc_options *a, const struct opts *o);

struct cudacc_words {
    VEC(const char *) v; /* ends with NULL where it is handed to a program */
};

/* Adds words, up to a NULL that ends them. */
void cudacc_add(struct cudacc_words *out, const char *const *words);

/* cudacc_clang.c: what clang is given to compile kernels to PTX, and host code to anything. */
void cudacc_device_words(const struct cudacc *cc, struct cudacc_words *out);
void cudacc_host_words(const struct cudacc *cc, struct cudacc_words *out);

/* A program of $PATH, or NULL. */
const char *cudacc_on_path(const char *name, struct arena *mem);
/* cudacc_find.c: the one that is asked for, else that of HEDDLE_CUDACC, else nvcc, else clang. Strings are in mem. */
bool cudacc_find(const char *asked, const char *file, struct cudacc *cc, struct arena *mem, struct err *e);
/* cudacc_flags.c: adds the words of flags, nvcc's as clang has them. own: only what changes the code that is made. */
bool cudacc_flags(const char *flags, bool own, bool nvcc, struct cudacc_words *out, struct arena *mem,
                  struct err *e);

/* Compiles the text of a file to PTX, which replaces it; says on standard error by what. Diagnostics of the compiler go there
 * too. Files it needs are in a directory of their own that is gone afterwards, also when a signal ends the process. */
bool cudacc_compile(const struct cli *c, const char *file, const struct cudacc_options *a, struct sb *text,
                    struct err *e);

#endif
