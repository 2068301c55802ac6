/* heddle nvcc: a command line of nvcc, and what is done for it. */
#ifndef HEDDLE_TOOLCHAIN_NVCC_H
#define HEDDLE_TOOLCHAIN_NVCC_H

#include "toolchain/cudacc.h"
#include "toolchain/nvcc_flags.h"
#include "toolchain/workdir.h"

enum nvcc_step {
    NVCC_TO_PROGRAM,
    NVCC_TO_OBJECTS,
    NVCC_TO_ARCHIVE,
    NVCC_TO_PTX,
    NVCC_TO_FATBIN,
    NVCC_TO_TEXT,   /* -E */
    NVCC_TO_RULE,   /* -M, -MM */
    NVCC_TO_NOTHING /* -dlink: an empty object */
};

enum nvcc_language {
    NVCC_BY_NAME,
    NVCC_CUDA,
    NVCC_C,
    NVCC_CXX,
    NVCC_LINKED /* objects, archives, libraries */
};

struct nvcc_input {
    const char *path;
    enum nvcc_language language;
    const char *object; /* what it becomes, once compiled */
};

/* In the order of the command line: a word, or, where it is NULL, the object of an input. */
struct nvcc_link {
    const char *word;
    size_t input;
};

struct nvcc {
    /* the command line */
    enum nvcc_step step;
    enum nvcc_language language; /* the language that -x names */
    const char *step_flag;       /* as it was given; NULL: none */
    const char *output, *outdir, *keepdir, *ccbin;
    bool rdc, verbose, dryrun, keep, forward, no_runtime, warn_host, ask_version, ask_help;
    unsigned target;                                  /* 75 of sm_75; 0: nothing said */
    struct cudacc_words common, device, host, depend; /* for clang: every compilation, kernels, host code */
    VEC(struct nvcc_link) link;
    VEC(struct nvcc_input) inputs;
    /* the work */
    struct workdir dir;
    struct cudacc cc;
    const char *lib;    /* directory of the runtime library */
    const char *cxx;    /* the host compiler */
    const char *libomp; /* directory of clang's OpenMP library; NULL: there is none */
    struct arena mem;
};

/* nvcc_parse.c: words[0..n) of the command line. */
bool nvcc_parse(struct nvcc *k, int n, char *const *words, struct err *e);

/* nvcc_fatbin.c: a fat binary of one PTX text. */
bool nvcc_wrap(const char *ptx, const char *fatbin, unsigned target, struct err *e);
/* Lets every assembly text that clang makes of relocatable code call the one function of cuda/heddle/linked.h. */
bool nvcc_unify_registration(const char *assembly, struct err *e);

bool nvcc_write(const char *path, const struct sb *text, struct err *e);
/* nvcc_ptx.c: names that only this text may see get a suffix. */
bool nvcc_localise(const char *ptx, const char *suffix, struct err *e);

/* nvcc_find.c: the directory of the runtime library, the host compiler. */
bool nvcc_find(struct nvcc *k, struct err *e);

/* nvcc_compile.c: makes inputs[i].object, or the file that the step asks for. */
bool nvcc_compile(struct nvcc *k, size_t i, struct err *e);

/* nvcc.c */
bool nvcc_run(struct nvcc *k, struct cudacc_words *words, const char *what, struct err *e);
const char *nvcc_named(struct nvcc *k, const char *input, const char *suffix);

enum cli_exit nvcc_main(struct cli *c, int n, char *const *words);

/* nvcc.c: checks what was asked for and builds it. */
bool nvcc_build(struct nvcc *k, struct err *e);
void nvcc_free(struct nvcc *k);

#endif
