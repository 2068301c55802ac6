/* One input. CUDA C++ takes three steps: kernels to PTX by clang, the PTX in a fat binary, host code to an object by clang, which
 * puts the fat binary in it and writes the constructor that registers it. Relocatable device code (-rdc=true) takes assembly
 * text instead of the object, in which the registration's name is changed. C and C++ go to the host compiler. */
#include <string.h>

#include "toolchain/nvcc.h"

static void nvcc_compile_add_all(struct cudacc_words *out, const struct cudacc_words *from) {
    for (size_t i = 0; i < from->v.n; i++) VEC_PUSH(&out->v, from->v.v[i]);
}

static unsigned target_of(const struct nvcc *k) {
    enum { DEFAULT_TARGET = 75 };
    return k->target ? k->target : DEFAULT_TARGET;
}

/* Clang finds constructs bad that nvcc and g++ let pass. Of two compilations of a file one warns. */
static void add_dialect(struct nvcc *k, struct cudacc_words *out, bool warn) {
    struct sb arch = {0};
    sb_add(&arch, "--cuda-gpu-arch=sm_%u", target_of(k));
    VEC_PUSH(&out->v, sb_keep(&arch, &k->mem));
    cudacc_add(out, (const char *const[]){"-Wno-c++11-narrowing", "-Wno-pass-failed",
                                          "-Wno-missing-template-arg-list-after-template-kw",
                                          "-Wno-unknown-pragmas", "-D__NVCC__", "-Xclang",
                                          "-fcuda-allow-variadic-functions", NULL});
    if (!warn) VEC_PUSH(&out->v, "-w");
    if (k->rdc) VEC_PUSH(&out->v, "-fgpu-rdc");
    struct sb omp = {0};
    sb_add(&omp, "-idirafter%s/omp", k->cc.headers); /* its functions, for directives that are left alone */
    if (!k->libomp) VEC_PUSH(&out->v, sb_keep(&omp, &k->mem));
    sb_free(&omp);
}

/* A name that is equal in both compilations of a file and differs between files: it becomes part of the names of
 * static variables. */
static const char *unit_of(struct nvcc *k, const char *path) {
    uint64_t hash = 1469598103934665603u;
    struct sb word = {0};
    for (const char *p = path; *p; p++) hash = (hash ^ (unsigned char)*p) * 1099511628211u;
    sb_add(&word, "-cuid=%016llx", (unsigned long long)hash);
    return sb_keep(&word, &k->mem);
}

static bool make_local(struct nvcc *k, const char *path, const char *ptx, struct err *e) {
    struct sb suffix = {0};
    sb_add(&suffix, "__static_%s", unit_of(k, path) + strlen("-cuid="));
    const bool fine = nvcc_localise(ptx, suffix.text, e);
    sb_free(&suffix);
    return fine;
}

static bool to_ptx(struct nvcc *k, const char *path, const char *ptx, struct err *e) {
    struct cudacc_words w = {0};
    VEC_PUSH(&w.v, k->cc.path);
    cudacc_device_words(&k->cc, &w);
    add_dialect(k, &w, true);
    if (k->rdc) cudacc_add(&w, (const char *const[]){"-fuse-cuid=none", "-Xclang", unit_of(k, path), NULL});
    nvcc_compile_add_all(&w, &k->common);
    nvcc_compile_add_all(&w, &k->device);
    cudacc_add(&w, (const char *const[]){"-o", ptx, path, NULL});
    return nvcc_run(k, &w, path, e) && (!k->rdc || k->dryrun || make_local(k, path, ptx, e));
}

/* Without clang's OpenMP library its directives are left alone: a legal way to run them, by one thread. */
static void add_host(struct nvcc *k, struct cudacc_words *out) {
    for (size_t i = 0; i < k->host.v.n; i++)
        if (k->libomp || strcmp(k->host.v.v[i], "-fopenmp") != 0) VEC_PUSH(&out->v, k->host.v.v[i]);
}

/* The host's half, with the words that say what to make of it. */
static bool host_half(struct nvcc *k, const char *path, const char *const *how, struct err *e) {
    struct cudacc_words w = {0};
    VEC_PUSH(&w.v, k->cc.path);
    cudacc_host_words(&k->cc, &w);
    add_dialect(k, &w, k->warn_host);
    if (k->rdc) cudacc_add(&w, (const char *const[]){"-fuse-cuid=none", "-Xclang", unit_of(k, path), NULL});
    nvcc_compile_add_all(&w, &k->common);
    add_host(k, &w);
    cudacc_add(&w, how);
    cudacc_add(&w, (const char *const[]){path, NULL});
    return nvcc_run(k, &w, path, e);
}

static void add_depend(struct nvcc *k, const char *object, struct cudacc_words *out) {
    if (!k->depend.v.n) return;
    nvcc_compile_add_all(out, &k->depend);
    for (size_t i = 0; i < k->depend.v.n; i++)
        if (!strcmp(k->depend.v.v[i], "-MT")) return;
    cudacc_add(out, (const char *const[]){"-MT", object, NULL});
}

static bool assemble(struct nvcc *k, const char *text, const char *object, struct err *e) {
    struct cudacc_words w = {0};
    if (!k->dryrun && !nvcc_unify_registration(text, e)) return false;
    cudacc_add(&w, (const char *const[]){k->cc.path, "-c", "-o", object, text, NULL});
    return nvcc_run(k, &w, text, e);
}

static bool cuda_to_object(struct nvcc *k, const char *path, const char *fatbin, const char *object,
                           struct err *e) {
    const char *text = workdir_file(&k->dir, "host.s");
    struct cudacc_words how = {0};
    cudacc_add(&how, (const char *const[]){"-Xclang", "-fcuda-include-gpubinary", "-Xclang", fatbin, "-o",
                                           k->rdc ? text : object, k->rdc ? "-S" : "-c", NULL});
    add_depend(k, object, &how);
    VEC_PUSH(&how.v, NULL);
    const bool fine = host_half(k, path, how.v.v, e) && (!k->rdc || assemble(k, text, object, e));
    VEC_FREE(&how.v);
    return fine;
}

/* Where the files between go: a directory that is removed, or with -keep the current one. */
static const char *nvcc_compile_between(struct nvcc *k, const char *path, const char *suffix) {
    const char *base = strrchr(path, '/'), *outdir = k->outdir;
    base = base ? base + 1 : path;
    if (!k->keep) return workdir_file(&k->dir, nvcc_named(k, base, suffix));
    k->outdir = k->keepdir;
    const char *name = nvcc_named(k, base, suffix);
    k->outdir = outdir;
    return name;
}

static bool compile_cuda(struct nvcc *k, const char *path, const char *output, struct err *e) {
    const char *ptx = k->step == NVCC_TO_PTX ? output : nvcc_compile_between(k, path, ".ptx");
    const char *fatbin = k->step == NVCC_TO_FATBIN ? output : nvcc_compile_between(k, path, ".fatbin");
    if (k->step == NVCC_TO_TEXT || k->step == NVCC_TO_RULE) {
        const char *how = k->step == NVCC_TO_TEXT ? "-E" : k->step_flag + strspn(k->step_flag, "-") - 1;
        return host_half(
            k, path,
            k->output ? (const char *const[]){how, "-o", output, NULL} : (const char *const[]){how, NULL}, e);
    }
    if (!to_ptx(k, path, ptx, e)) return false;
    if (k->step == NVCC_TO_PTX) return true;
    if (!k->dryrun && !nvcc_wrap(ptx, fatbin, target_of(k), e)) return false;
    return k->step == NVCC_TO_FATBIN || cuda_to_object(k, path, fatbin, output, e);
}

static bool compile_host(struct nvcc *k, const struct nvcc_input *in, const char *output, struct err *e) {
    struct cudacc_words w = {0};
    VEC_PUSH(&w.v, k->cxx);
    cudacc_add(&w, (const char *const[]){"-x", in->language == NVCC_C ? "c" : "c++", NULL});
    for (size_t i = 0; i < k->common.v.n; i++) /* a C++ standard is none of C */
        if (in->language != NVCC_C || strncmp(k->common.v.v[i], "-std=c++", 8) != 0)
            VEC_PUSH(&w.v, k->common.v.v[i]);
    nvcc_compile_add_all(&w, &k->host);
    cudacc_add(&w, (const char *const[]){"-isystem", k->cc.headers, NULL});
    if (k->step == NVCC_TO_TEXT || k->step == NVCC_TO_RULE)
        VEC_PUSH(&w.v, k->step == NVCC_TO_TEXT ? "-E" : k->step_flag + strspn(k->step_flag, "-") - 1);
    else
        VEC_PUSH(&w.v, "-c");
    if (k->output || k->step < NVCC_TO_TEXT) cudacc_add(&w, (const char *const[]){"-o", output, NULL});
    add_depend(k, output, &w);
    VEC_PUSH(&w.v, in->path);
    return nvcc_run(k, &w, in->path, e);
}

static const char *output_of(struct nvcc *k, size_t i) {
    static const char *const suffix[] = {[NVCC_TO_OBJECTS] = ".o",
                                         [NVCC_TO_PTX] = ".ptx",
                                         [NVCC_TO_FATBIN] = ".fatbin",
                                         [NVCC_TO_TEXT] = ".ii",
                                         [NVCC_TO_RULE] = ".d"};
    const struct nvcc_input *in = &k->inputs.v[i];
    if (k->step == NVCC_TO_PROGRAM || k->step == NVCC_TO_ARCHIVE) {
        struct sb name = {0};
        const char *base = strrchr(in->path, '/');
        base = base ? base + 1 : in->path;
        sb_add(&name, "%zu/%.*s.o", i, (int)strcspn(base, "."), base);
        return workdir_file(&k->dir, sb_keep(&name, &k->mem));
    }
    return k->output ? k->output : nvcc_named(k, in->path, suffix[k->step]);
}

bool nvcc_compile(struct nvcc *k, size_t i, struct err *e) {
    struct nvcc_input *in = &k->inputs.v[i];
    if (in->language == NVCC_LINKED) return true;
    const bool kernels = k->step == NVCC_TO_PTX || k->step == NVCC_TO_FATBIN;
    if (kernels && in->language != NVCC_CUDA)
        return err_set(e, ERR_INPUT, "%s: %s is not CUDA C++ (-x cu says that it is)", k->step_flag,
                       in->path);
    in->object = output_of(k, i);
    return in->language == NVCC_CUDA ? compile_cuda(k, in->path, in->object, e)
                                     : compile_host(k, in, in->object, e);
}
