/* nvcc's flags (nvcc.def): which row a word is of, and what clang calls it. */
#ifndef HEDDLE_TOOLCHAIN_NVCC_FLAGS_H
#define HEDDLE_TOOLCHAIN_NVCC_FLAGS_H

#include "toolchain/cudacc.h"

enum nvcc_form { NVCC_ALONE, NVCC_VALUE, NVCC_JOINED };
enum nvcc_kind {
    NVCC_STEP,     /* what is made */
    NVCC_COMPILE,  /* for every compilation */
    NVCC_DEVICE,   /* for kernels */
    NVCC_HOST,     /* for host code */
    NVCC_OPTIMIZE, /* for host code; when kernels are all there is, for them */
    NVCC_LINK,
    NVCC_NOTHING, /* accepted, without effect */
    NVCC_REFUSED, /* the words for clang are the reason */
    /* one flag each: */
    NVCC_CCBIN,
    NVCC_CUDART,
    NVCC_DEPEND,
    NVCC_DRYRUN,
    NVCC_FORWARD,
    NVCC_HELP,
    NVCC_KEEP,
    NVCC_KEEPDIR,
    NVCC_LANGUAGE,
    NVCC_LIBRARY,
    NVCC_MACHINE,
    NVCC_OPTIONS,
    NVCC_OUTDIR,
    NVCC_OUTPUT,
    NVCC_RDC,
    NVCC_STREAM,
    NVCC_TARGET,
    NVCC_VERBOSE,
    NVCC_VERSION,
    NVCC_WERROR,
    NVCC_XCOMPILER
};

struct nvcc_flag {
    const char *names;
    enum nvcc_form form;
    enum nvcc_kind kind;
    const char *clang;
    bool own;
};

/* The row of a word, or NULL. *value: what the word itself holds of its value, "" for a flag without; NULL: it is the next
 * word. */
const struct nvcc_flag *nvcc_flag_find(const char *word, const char **value);
/* One of the names of a row. */
bool nvcc_flag_is(const struct nvcc_flag *f, const char *name);
/* Adds the words that clang has for it. */
void nvcc_flag_clang(const struct nvcc_flag *f, const char *value, struct cudacc_words *out,
                     struct arena *mem);

/* "sm_70,compute_80", "arch=compute_70,code=sm_70": the architecture of all so far that kernels are compiled for, as a number;
 * *best is 0 at first. */
void nvcc_target(const char *value, unsigned *best);

#endif
