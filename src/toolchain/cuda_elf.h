/* What a program's file says before it is started: whether it can be, and where its CUDA runtime comes from. */
#ifndef HEDDLE_TOOLCHAIN_CUDA_ELF_H
#define HEDDLE_TOOLCHAIN_CUDA_ELF_H

#include "base/alloc.h"
#include "base/err.h"

/* The GPU code in a file. */
struct elf_gpu {
    size_t ptx, sass; /* images of either kind */
    unsigned arch;    /* the newest architecture, as in sm_75 */
};

/* A file in memory, and what was found in it. */
struct elf {
    const char *path;
    const unsigned char *data;
    size_t bytes;
    void *map;              /* where it is mapped; NULL: the bytes are the caller's */
    unsigned type, machine; /* e_type, e_machine */
    bool loader;            /* it names one (PT_INTERP): shared libraries can be loaded with it */
    bool dynamic;
    VEC(const char *) needed; /* names of libraries; strings are in the file */
    const char *rpath, *runpath;
};

enum { ELF_RELOCATABLE = 1, ELF_EXECUTABLE = 2, ELF_SHARED = 3 };

/* False without a message: it is no ELF file of 64 bits, little-endian. Release with elf_close in either case. */
bool elf_open(struct elf *f, const char *path);
/* Reads a program from bytes in memory; its libraries are looked for beside `path`. */
bool elf_read(struct elf *f, const char *path, const void *data, size_t bytes);
void elf_close(struct elf *f);
void elf_gpu(const struct elf *f, struct elf_gpu *gpu);
/* The CUDA runtime is part of the file itself, as nvcc links it unless told otherwise. */
bool elf_static_runtime(const struct elf *f);
/* It needs a library whose name begins so. */
bool elf_needs(const struct elf *f, const char *prefix);
/* Where a library it needs is, as the loader would find it, but for the loader's cache; NULL: elsewhere. */
const char *elf_library(const struct elf *f, const char *name, struct arena *mem);

#endif
