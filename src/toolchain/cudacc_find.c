/* Finds the compiler that there is, and for clang its headers and library. Nothing is asked of programs: clang's
 * version is in its name, or in that of the file behind it. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "toolchain/cudacc.h"

enum { OLDEST_CLANG = 19, NEWEST_CLANG = 40 };

static bool executable(const char *path) {
    return access(path, X_OK) == 0;
}

static const char *cudacc_find_join(struct arena *mem, const char *dir, size_t n, const char *rest) {
    struct sb out = {0};
    sb_addn(&out, dir, n);
    sb_add(&out, "/%s", rest);
    return sb_keep(&out, mem);
}

const char *cudacc_on_path(const char *name, struct arena *mem) {
    const char *path = getenv("PATH");
    for (const char *p = path ? path : "/usr/bin:/bin"; *p;) {
        size_t n = strcspn(p, ":");
        const char *found = n ? cudacc_find_join(mem, p, n, name) : name;
        if (executable(found)) return found;
        p += n + (p[n] == ':');
    }
    return NULL;
}

static const char *find_nvcc(struct arena *mem) {
    static const char *const homes[] = {"CUDA_HOME", "CUDA_PATH"};
    const char *found = cudacc_on_path("nvcc", mem);
    for (size_t i = 0; i < 2 && !found; i++) {
        const char *home = getenv(homes[i]);
        if (!home || !*home) continue;
        const char *there = cudacc_find_join(mem, home, strlen(home), "bin/nvcc");
        if (executable(there)) found = there;
    }
    if (!found && executable("/usr/local/cuda/bin/nvcc")) found = "/usr/local/cuda/bin/nvcc";
    return found;
}

/* "clang-19" or ".../llvm-19/bin/clang": the number; 0 where there is none. */
static int version_in(const char *path) {
    static const char *const marks[] = {"llvm-", "clang-"};
    for (size_t i = 0; i < 2; i++) {
        const char *at = strstr(path, marks[i]);
        if (at && atoi(at + strlen(marks[i]))) return atoi(at + strlen(marks[i]));
    }
    return 0;
}

static const char *find_clang(struct arena *mem) {
    char real[PATH_MAX];
    for (int v = OLDEST_CLANG; v <= NEWEST_CLANG; v++) {
        struct sb name = {0};
        sb_add(&name, "clang-%d", v);
        const char *found = cudacc_on_path(sb_keep(&name, mem), mem);
        if (found) return found;
    }
    const char *plain = cudacc_on_path("clang", mem);
    if (!plain || !realpath(plain, real)) return NULL;
    const int version = version_in(real);
    return version && version < OLDEST_CLANG ? NULL : plain; /* without a number: perhaps it is new enough */
}

/* ---- what clang needs ---- */

/* Installed beside the program (bin/heddle, share/heddle/cuda), or in the build directory, where both are. */
static const char *cudacc_find_headers(struct arena *mem, struct err *e) {
    static const char *const places[] = {"../share/heddle/cuda", "cuda"};
    const char *given = getenv("HEDDLE_CUDA_DIR");
    char self[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (given && *given) return given;
    if (n > 0) {
        self[n] = 0;
        const size_t dir = (size_t)(strrchr(self, '/') - self);
        for (size_t i = 0; i < 2; i++) {
            const char *there = cudacc_find_join(mem, self, dir, places[i]);
            char *real = realpath(cudacc_find_join(mem, there, strlen(there), "heddle/prelude.h"), NULL);
            if (!real) continue;
            const char *found = arena_strndup(mem, real, strlen(real) - strlen("/heddle/prelude.h"));
            free(real);
            return found;
        }
    }
    err_set(e, ERR_INPUT,
            "the headers that clang needs for CUDA (share/heddle/cuda of the installation) are not there; "
            "HEDDLE_CUDA_DIR names another directory");
    return NULL;
}

static const char *find_libclc(void) {
    static const char *const places[] = {
        "/usr/lib/clc/nvptx64--nvidiacl.bc", "/usr/share/clc/nvptx64--nvidiacl.bc",
        "/usr/lib64/clc/nvptx64--nvidiacl.bc", "/usr/local/share/clc/nvptx64--nvidiacl.bc"};
    const char *given = getenv("HEDDLE_LIBCLC");
    if (given && *given) return given;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (!access(places[i], R_OK)) return places[i];
    return NULL;
}

/* ---- the choice ---- */

static bool cudacc_find_choose(struct cudacc *cc, const char *path, bool nvcc, struct arena *mem,
                               struct err *e) {
    *cc = (struct cudacc){.nvcc = nvcc, .path = path};
    if (nvcc) return true;
    cc->libclc = find_libclc();
    return (cc->headers = cudacc_find_headers(mem, e)) != NULL;
}

/* nvcc, clang, or the name of a program, whose kind is in it. */
static bool find_asked(const char *asked, struct cudacc *cc, struct arena *mem, struct err *e) {
    const char *slash = strrchr(asked, '/'), *base = slash ? slash + 1 : asked;
    const bool nvcc = strstr(base, "nvcc") != NULL;
    if (!nvcc && !strstr(base, "clang"))
        return err_set(e, ERR_INPUT, "the CUDA compiler '%.200s' is neither nvcc nor clang by its name",
                       asked);
    const char *found = !strcmp(asked, "nvcc")    ? find_nvcc(mem)
                        : !strcmp(asked, "clang") ? find_clang(mem)
                        : slash                   ? (executable(asked) ? asked : NULL)
                                                  : cudacc_on_path(asked, mem);
    if (!found && !strcmp(asked, "clang"))
        return err_set(e, ERR_INPUT,
                       "there is no clang-%d or newer; Debian's packages are clang-%d and libclc-%d",
                       OLDEST_CLANG, OLDEST_CLANG, OLDEST_CLANG);
    if (!found) return err_set(e, ERR_INPUT, "there is no CUDA compiler %.200s", asked);
    return cudacc_find_choose(cc, found, nvcc, mem, e);
}

bool cudacc_find(const char *asked, const char *file, struct cudacc *cc, struct arena *mem, struct err *e) {
    const char *preset = getenv("HEDDLE_CUDACC");
    if (!asked && preset && *preset) asked = preset;
    if (asked) return find_asked(asked, cc, mem, e);
    const char *nvcc = find_nvcc(mem), *clang = nvcc ? NULL : find_clang(mem);
    if (nvcc || clang) return cudacc_find_choose(cc, nvcc ? nvcc : clang, nvcc != NULL, mem, e);
    return err_set(
        e, ERR_INPUT,
        "%s is CUDA C++, and there is no compiler for it: install Debian's clang-%d and libclc-%d "
        "('apt-get install clang-%d libclc-%d') or NVIDIA's CUDA toolkit (nvcc); --cuda-compiler names "
        "one that is elsewhere",
        file, OLDEST_CLANG, OLDEST_CLANG, OLDEST_CLANG, OLDEST_CLANG);
}
