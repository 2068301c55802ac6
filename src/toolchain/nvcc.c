/* heddle nvcc: builds programs from CUDA C++ with clang and the headers of cuda/, linked with heddle's own runtime library. Takes
 * nvcc's flags, so that a Makefile written for it works with NVCC="heddle nvcc". */
#include "toolchain/nvcc.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* FILE.suffix in the directory of the output, or of the current one. */
const char *nvcc_named(struct nvcc *k, const char *input, const char *suffix) {
    const char *base = strrchr(input, '/'), *dot;
    struct sb out = {0};
    base = base ? base + 1 : input;
    dot = strrchr(base, '.');
    if (k->outdir) sb_add(&out, "%s/", k->outdir);
    sb_add(&out, "%.*s%s", (int)(dot ? dot - base : (ptrdiff_t)strlen(base)), base, suffix);
    return sb_keep(&out, &k->mem);
}

static void nvcc_show(struct nvcc *k, const struct cudacc_words *words) {
    fputs("#$", k->dir.err);
    for (size_t i = 0; i + 1 < words->v.n; i++)
        fprintf(k->dir.err, strpbrk(words->v.v[i], " \"$\\") ? " '%s'" : " %s", words->v.v[i]);
    fputc('\n', k->dir.err);
}

/* Frees the words. */
bool nvcc_run(struct nvcc *k, struct cudacc_words *words, const char *what, struct err *e) {
    int status = 0;
    const bool prints =
        k->step == NVCC_TO_TEXT || k->step == NVCC_TO_RULE || (k->output && !strcmp(k->output, "-"));
    VEC_PUSH(&words->v, NULL);
    if (k->verbose || k->dryrun) nvcc_show(k, words);
    const bool started =
        k->dryrun || workdir_run(&k->dir, words->v.v, prints ? STDOUT_FILENO : WORKDIR_TO_ERR, &status, e);
    const char *program = arena_strdup(&k->mem, words->v.v[0]);
    VEC_FREE(&words->v);
    if (!started) return false;
    return !status || err_set(e, ERR_INPUT, "%s: %s ended with status %d", what, program, status);
}

/* ---- what follows the compilations ---- */

static void add_objects(struct nvcc *k, struct cudacc_words *out, bool words) {
    for (size_t i = 0; i < k->link.n; i++) {
        const struct nvcc_link *l = &k->link.v[i];
        if (!l->word || words) VEC_PUSH(&out->v, l->word ? l->word : k->inputs.v[l->input].object);
    }
}

/* The program finds the library where it is now; LD_LIBRARY_PATH, which heddle cuda sets, comes before. */
static bool add_runtime(struct nvcc *k, struct cudacc_words *w, struct err *e) {
    struct sb path = {0}, found = {0};
    if (k->no_runtime) return true;
    if (!k->lib)
        return err_set(e, ERR_INPUT,
                       "the runtime library (lib/heddle/cuda of the installation) is not there; "
                       "HEDDLE_CUDA_LIB names another directory");
    sb_add(&path, "-L%s", k->lib);
    sb_add(&found, "-Wl,-rpath,%s", k->lib);
    cudacc_add(w, (const char *const[]){sb_keep(&path, &k->mem), sb_keep(&found, &k->mem), "-lcudart", NULL});
    return true;
}

/* -pg, -flto and others. clang's OpenMP library also has what g++ needs of its own. */
static void add_host_flags(struct nvcc *k, struct cudacc_words *out) {
    for (size_t i = 0; i < k->host.v.n; i++) {
        struct sb path = {0}, found = {0};
        if (!k->libomp || strcmp(k->host.v.v[i], "-fopenmp") != 0) {
            VEC_PUSH(&out->v, k->host.v.v[i]);
            continue;
        }
        sb_add(&path, "-L%s", k->libomp);
        sb_add(&found, "-Wl,-rpath,%s", k->libomp);
        cudacc_add(out, (const char *const[]){sb_keep(&path, &k->mem), sb_keep(&found, &k->mem),
                                              "-Wl,--no-as-needed", "-lomp", NULL});
    }
}

static bool link_program(struct nvcc *k, struct err *e) {
    struct cudacc_words w = {0};
    VEC_PUSH(&w.v, k->cxx);
    if (k->cxx == k->cc.path) VEC_PUSH(&w.v, "--driver-mode=g++");
    add_host_flags(k, &w);
    cudacc_add(&w, (const char *const[]){"-o", k->output ? k->output : "a.out", NULL});
    struct cudacc_words runtime = {0};
    const bool fine = add_runtime(k, &runtime, e);
    for (size_t i = 0; i + 2 < runtime.v.n; i++) VEC_PUSH(&w.v, runtime.v.v[i]); /* -L before -lcuda */
    add_objects(k, &w, true);
    for (size_t i = 0; i < runtime.v.n; i++) VEC_PUSH(&w.v, runtime.v.v[i]);
    VEC_FREE(&runtime.v);
    if (fine) return nvcc_run(k, &w, k->output ? k->output : "a.out", e);
    VEC_FREE(&w.v);
    return false;
}

static bool make_archive(struct nvcc *k, struct err *e) {
    const char *ar = cudacc_on_path("ar", &k->mem), *output = k->output ? k->output : "a.a";
    struct cudacc_words w = {0};
    if (!ar) return err_set(e, ERR_INPUT, "-lib: there is no program ar");
    if (!k->dryrun) remove(output);
    cudacc_add(&w, (const char *const[]){ar, "rcs", output, NULL});
    add_objects(k, &w, false);
    return nvcc_run(k, &w, output, e);
}

/* -dlink: what it makes is linked beside the objects themselves, which register everything when they start. */
static bool make_nothing(struct nvcc *k, struct err *e) {
    const char *output = k->output ? k->output : "a_dlink.o";
    struct cudacc_words w = {0};
    cudacc_add(&w, (const char *const[]){k->cc.path, "-x", "c", "-c", "/dev/null", "-o", output, NULL});
    return nvcc_run(k, &w, output, e);
}

/* ---- all of it ---- */

/* Objects that are linked at once are in directories of their own: two inputs may have the same name. */
static bool make_directories(struct nvcc *k, struct err *e) {
    for (size_t i = 0; i < k->inputs.n; i++) {
        struct sb name = {0};
        sb_add(&name, "%zu", i);
        const char *dir = workdir_file(&k->dir, sb_keep(&name, &k->mem));
        if (mkdir(dir, 0777))
            return err_set(e, ERR_INPUT, "cannot make a directory %s: %s", dir, strerror(errno));
    }
    return true;
}

static bool toolchain_nvcc_build(void *user, struct err *e) {
    struct nvcc *k = user;
    if (!make_directories(k, e)) return false;
    if (k->step == NVCC_TO_NOTHING) return make_nothing(k, e);
    for (size_t i = 0; i < k->inputs.n; i++)
        if (!nvcc_compile(k, i, e)) return false;
    if (k->step == NVCC_TO_ARCHIVE) return make_archive(k, e);
    return k->step != NVCC_TO_PROGRAM || link_program(k, e);
}

static bool nvcc_check(const struct nvcc *k, struct err *e) {
    size_t compiled = 0;
    for (size_t i = 0; i < k->inputs.n; i++) {
        const char *path = k->inputs.v[i].path;
        compiled += k->inputs.v[i].language != NVCC_LINKED;
        if (access(path, R_OK)) return err_set(e, ERR_INPUT, "cannot read %s: %s", path, strerror(errno));
        if (k->output && !strcmp(path, k->output))
            return err_set(e, ERR_INPUT, "-o %s would overwrite an input", path);
    }
    if (!k->inputs.n) return err_set(e, ERR_INPUT, "no input files");
    const bool each = k->step != NVCC_TO_PROGRAM && k->step != NVCC_TO_ARCHIVE && k->step != NVCC_TO_NOTHING;
    if (each && k->output && compiled > 1)
        return err_set(e, ERR_INPUT, "%s with -o takes one file", k->step_flag);
    return true;
}

bool nvcc_build(struct nvcc *k, struct err *e) {
    return nvcc_check(k, e) && nvcc_find(k, e) && workdir_with(&k->dir, toolchain_nvcc_build, k, e);
}

void nvcc_free(struct nvcc *k) {
    VEC_FREE(&k->common.v);
    VEC_FREE(&k->device.v);
    VEC_FREE(&k->host.v);
    VEC_FREE(&k->depend.v);
    VEC_FREE(&k->link);
    VEC_FREE(&k->inputs);
    arena_free(&k->mem);
}
