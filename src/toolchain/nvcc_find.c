/* What heddle nvcc needs of the host: the runtime library, which comes with heddle, and a compiler that links C++. */
#include <glob.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "toolchain/nvcc.h"

/* Beside the command in the build directory, in lib when it is installed. */
static const char *find_library(struct arena *mem) {
    static const char *const places[] = {"cuda/lib", "../lib/heddle/cuda", "../lib64/heddle/cuda"};
    const char *given = getenv("HEDDLE_CUDA_LIB");
    char self[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (given && *given) return given;
    if (n <= 0) return NULL;
    self[n] = 0;
    *strrchr(self, '/') = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct sb path = {0};
        sb_add(&path, "%s/%s/libcudart.so", self, places[i]);
        char *file = sb_keep(&path, mem);
        if (access(file, R_OK)) continue;
        *strrchr(file, '/') = 0;
        char *real = realpath(file, NULL);
        const char *found = arena_strdup(mem, real ? real : file);
        free(real);
        return found;
    }
    return NULL;
}

/* -ccbin names a program, or the directory of g++. */
static const char *find_host(struct nvcc *k) {
    struct sb there = {0};
    if (k->ccbin) {
        sb_add(&there, "%s/g++", k->ccbin);
        const char *in = sb_keep(&there, &k->mem);
        if (!access(in, X_OK)) return in;
        return strchr(k->ccbin, '/') ? k->ccbin : cudacc_on_path(k->ccbin, &k->mem);
    }
    const char *gxx = cudacc_on_path("g++", &k->mem);
    return gxx ? gxx : k->cc.path;
}

/* The directory of the last file that fits, or NULL. */
static const char *directory_of(const char *pattern, struct arena *mem) {
    glob_t found;
    const char *dir = NULL;
    if (glob(pattern, 0, NULL, &found)) return NULL;
    if (found.gl_pathc) {
        const char *path = found.gl_pathv[found.gl_pathc - 1];
        dir = arena_strndup(mem, path, (size_t)(strrchr(path, '/') - path));
    }
    globfree(&found);
    return dir;
}

/* In the lib beside the bin that clang really is in. */
static const char *find_libomp(struct nvcc *k) {
    char *real = realpath(k->cc.path, NULL);
    struct sb path = {0};
    sb_add(&path, "%s/../lib/libomp.so", real ? dirname(real) : "");
    const char *dir = directory_of(path.text, &k->mem);
    sb_free(&path);
    free(real);
    return dir;
}

bool nvcc_find(struct nvcc *k, struct err *e) {
    if (!cudacc_find("clang", "", &k->cc, &k->mem, e)) return false;
    k->lib = find_library(&k->mem);
    k->cxx = find_host(k);
    k->libomp = find_libomp(k);
    return k->cxx || err_set(e, ERR_INPUT, "-ccbin %s: there is no such program", k->ccbin);
}
