/* The command line of nvcc. What a flag means is its row's kind (nvcc.def); words that are no flags are inputs. */
#include <string.h>

#include "sim/file.h"
#include "toolchain/nvcc.h"
#include "value/words.h"

enum { MOST_NESTED_FILES = 8 };

static bool parse_words(struct nvcc *k, size_t n, char *const *words, int depth, struct err *e);

static bool parse_file(struct nvcc *k, const char *path, int depth, struct err *e) {
    struct sb text = {0};
    struct words words = {0};
    bool fine = depth < MOST_NESTED_FILES
                    ? file_read(path, &text, e)
                    : err_set(e, ERR_INPUT, "%s: files of options include each other", path);
    for (size_t i = 0; i < text.len; i++)
        if (text.text[i] == '\n' || text.text[i] == '\r') text.text[i] = ' ';
    fine = fine && words_read(text.len ? text.text : "", text.len, &words, &k->mem, e) &&
           parse_words(k, words.v.n, words.v.v, depth + 1, e);
    VEC_FREE(&words.v);
    sb_free(&text);
    return fine;
}

/* ---- inputs ---- */

static enum nvcc_language language_of(const struct nvcc *k, const char *path) {
    static const struct {
        const char *suffix;
        enum nvcc_language is;
    } known[] = {{".cu", NVCC_CUDA}, {".c", NVCC_C},   {".cpp", NVCC_CXX}, {".cc", NVCC_CXX},
                 {".cxx", NVCC_CXX}, {".C", NVCC_CXX}, {".c++", NVCC_CXX}};
    const char *dot = strrchr(path, '.');
    if (dot && (!strcmp(dot, ".o") || !strcmp(dot, ".a") || !strncmp(dot, ".so", 3))) return NVCC_LINKED;
    if (k->language != NVCC_BY_NAME) return k->language;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (dot && !strcmp(dot, known[i].suffix)) return known[i].is;
    return NVCC_LINKED;
}

static bool add_input(struct nvcc *k, const char *path, struct err *e) {
    static const char *const refused[] = {".ptx", ".cubin", ".fatbin"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; i < 3; i++)
        if (dot && !strcmp(dot, refused[i]))
            return err_set(e, ERR_INPUT, "%s: %s files are no input of this command; 'heddle run' takes PTX",
                           path, refused[i]);
    VEC_PUSH(&k->link, (struct nvcc_link){.input = k->inputs.n});
    VEC_PUSH(&k->inputs, (struct nvcc_input){.path = path});
    return true;
}

/* ---- flags of their own ---- */

static bool set_step(struct nvcc *k, const struct nvcc_flag *f, const char *word, struct err *e) {
    static const struct {
        const char *name;
        enum nvcc_step step;
    } steps[] = {{"c", NVCC_TO_OBJECTS},    {"dc", NVCC_TO_OBJECTS},    {"dw", NVCC_TO_OBJECTS},
                 {"ptx", NVCC_TO_PTX},      {"fatbin", NVCC_TO_FATBIN}, {"E", NVCC_TO_TEXT},
                 {"M", NVCC_TO_RULE},       {"MM", NVCC_TO_RULE},       {"lib", NVCC_TO_ARCHIVE},
                 {"dlink", NVCC_TO_NOTHING}};
    if (k->step_flag && strcmp(k->step_flag, word) != 0)
        return err_set(e, ERR_INPUT, "%s and %s: one of them", k->step_flag, word);
    k->step_flag = word;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (nvcc_flag_is(f, steps[i].name)) k->step = steps[i].step;
    if (nvcc_flag_is(f, "dc")) k->rdc = true;
    if (nvcc_flag_is(f, "dw")) k->rdc = false;
    return true;
}

static bool set_language(struct nvcc *k, const char *value, struct err *e) {
    k->language = !strcmp(value, "cu")    ? NVCC_CUDA
                  : !strcmp(value, "c")   ? NVCC_C
                  : !strcmp(value, "c++") ? NVCC_CXX
                                          : NVCC_BY_NAME;
    return k->language != NVCC_BY_NAME || err_set(e, ERR_INPUT, "-x %s: it is cu, c or c++", value);
}

static bool yes_or_no(const char *word, const char *value, bool *is, struct err *e) {
    *is = !strcmp(value, "true");
    return *is || !strcmp(value, "false") ||
           err_set(e, ERR_INPUT, "%s: %s is neither true nor false", word, value);
}

static bool set_cudart(struct nvcc *k, const char *value, struct err *e) {
    k->no_runtime = !strcmp(value, "none");
    if (k->no_runtime || !strcmp(value, "shared")) return true;
    return err_set(e, ERR_INPUT,
                   "-cudart %s: the runtime is a shared library here (-cudart shared, the default)", value);
}

/* Libraries of NVIDIA's: those that are one with the runtime are there, others do not exist here. */
static bool nvcc_parse_add_library(struct nvcc *k, const struct nvcc_flag *f, const char *value,
                                   struct err *e) {
    static const char *const runtime[] = {"cudart", "cudart_static", "cudadevrt", "nvToolsExt", "culibos"};
    static const char *const missing[] = {"cublas", "cublasLt", "cufft", "curand", "cusparse", "cusolver",
                                          "cudnn",  "npp",      "nvrtc", "nvjpeg", "nccl",     "cupti"};
    for (size_t i = 0; i < sizeof runtime / sizeof *runtime; i++)
        if (!strcmp(value, runtime[i])) return true;
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        if (!strncmp(value, missing[i], strlen(missing[i])))
            return err_set(e, ERR_INPUT,
                           "-l%s: heddle has the runtime and the driver, not this library of NVIDIA's",
                           value);
    struct cudacc_words words = {0};
    nvcc_flag_clang(f, value, &words, &k->mem);
    VEC_PUSH(&k->link, (struct nvcc_link){.word = words.v.v[0]});
    VEC_FREE(&words.v);
    return true;
}

/* The parts of "-Wall,-O3", each with what stands before it. */
static void nvcc_parse_split(struct nvcc *k, const char *value,
                             void (*each)(struct nvcc *k, const char *part)) {
    for (const char *p = value;; p++) {
        const size_t n = strcspn(p, ",");
        if (n) each(k, arena_strndup(&k->mem, p, n));
        p += n;
        if (!*p) return;
    }
}

static void add_host_flag(struct nvcc *k, const char *part) {
    for (const char *p = part; *p; p += strspn(p, " ")) { /* -Xcompiler "-Wall -O3" */
        const size_t n = strcspn(p, " ");
        const char *one = arena_strndup(&k->mem, p, n);
        if (n) VEC_PUSH(&k->host.v, one);
        if (!strncmp(one, "-W", 2)) k->warn_host = true;
        p += n;
    }
}

static void add_linker_flag(struct nvcc *k, const char *part) {
    VEC_PUSH(&k->link, (struct nvcc_link){.word = "-Xlinker"});
    VEC_PUSH(&k->link, (struct nvcc_link){.word = part});
}

static void add_link(struct nvcc *k, const struct nvcc_flag *f, const char *value) {
    struct cudacc_words words = {0};
    if (nvcc_flag_is(f, "Xlinker")) {
        nvcc_parse_split(k, value, add_linker_flag);
        return;
    }
    nvcc_flag_clang(f, value, &words, &k->mem);
    for (size_t i = 0; i < words.v.n; i++) VEC_PUSH(&k->link, (struct nvcc_link){.word = words.v.v[i]});
    VEC_FREE(&words.v);
}

/* ---- any flag ---- */

static bool set_own(struct nvcc *k, const struct nvcc_flag *f, const char *word, const char *value, int depth,
                    struct err *e) {
    switch (f->kind) {
    case NVCC_CCBIN: return k->ccbin = value, true;
    case NVCC_CUDART: return set_cudart(k, value, e);
    case NVCC_DRYRUN: return k->dryrun = true;
    case NVCC_FORWARD: return k->forward = true;
    case NVCC_HELP: return k->ask_help = true;
    case NVCC_KEEP: return k->keep = true;
    case NVCC_KEEPDIR: return k->keepdir = value, true;
    case NVCC_LANGUAGE: return set_language(k, value, e);
    case NVCC_LIBRARY: return nvcc_parse_add_library(k, f, value, e);
    case NVCC_OPTIONS: return parse_file(k, value, depth, e);
    case NVCC_OUTDIR: return k->outdir = value, true;
    case NVCC_OUTPUT: return k->output = value, true;
    case NVCC_RDC: return yes_or_no(word, value, &k->rdc, e);
    case NVCC_STEP: return set_step(k, f, word, e);
    case NVCC_TARGET: return nvcc_target(value, &k->target), true;
    case NVCC_VERBOSE: return k->verbose = true;
    case NVCC_VERSION: return k->ask_version = true;
    default: return true;
    }
}

static bool set_machine(const char *value, struct err *e) {
    return !strcmp(value, "64") || err_set(e, ERR_INPUT, "-m %s: programs have 64 bits", value);
}

static bool set_stream(struct nvcc *k, const char *value) {
    if (strcmp(value, "per-thread")) return true;
    VEC_PUSH(&k->common.v, "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
    VEC_PUSH(&k->common.v, "-Xclang"); /* the driver takes it for HIP alone */
    VEC_PUSH(&k->common.v, "-fgpu-default-stream=per-thread");
    return true;
}

static bool nvcc_parse_set(struct nvcc *k, const struct nvcc_flag *f, const char *word, const char *value,
                           int depth, struct err *e) {
    switch (f->kind) {
    case NVCC_COMPILE:
    case NVCC_WERROR: return nvcc_flag_clang(f, value, &k->common, &k->mem), true;
    case NVCC_DEVICE: return nvcc_flag_clang(f, value, &k->device, &k->mem), true;
    case NVCC_HOST:
    case NVCC_OPTIMIZE: return nvcc_flag_clang(f, value, &k->host, &k->mem), true;
    case NVCC_DEPEND: return nvcc_flag_clang(f, value, &k->depend, &k->mem), true;
    case NVCC_LINK: return add_link(k, f, value), true;
    case NVCC_XCOMPILER: return nvcc_parse_split(k, value, add_host_flag), true;
    case NVCC_MACHINE: return set_machine(value, e);
    case NVCC_STREAM: return set_stream(k, value);
    case NVCC_REFUSED: return err_set(e, ERR_INPUT, "%s: %s", word, f->clang);
    default: return set_own(k, f, word, value, depth, e);
    }
}

static bool parse_unknown(struct nvcc *k, const char *word, struct err *e) {
    if (!strncmp(word, "-Wl,", 4)) {
        VEC_PUSH(&k->link, (struct nvcc_link){.word = word});
        return true;
    }
    if (!k->forward)
        return err_set(e, ERR_INPUT,
                       "unknown flag %.100s: what is meant for the host compiler follows -Xcompiler, or "
                       "-forward-unknown-to-host-compiler comes first",
                       word);
    add_host_flag(k, word);
    return true;
}

static bool parse_words(struct nvcc *k, size_t n, char *const *words, int depth, struct err *e) {
    for (size_t i = 0; i < n; i++) {
        const char *word = words[i], *value = NULL;
        if (*word == '@' ? !parse_file(k, word + 1, depth, e)
                         : (*word != '-' || !word[1]) && !add_input(k, word, e))
            return false;
        if (*word != '-' || !word[1]) continue;
        const struct nvcc_flag *f = nvcc_flag_find(word, &value);
        if (!f && !parse_unknown(k, word, e)) return false;
        if (!f) continue;
        if (!value && i + 1 == n) return err_set(e, ERR_INPUT, "%.60s needs a value", word);
        if (!nvcc_parse_set(k, f, word, value ? value : words[++i], depth, e)) return false;
    }
    return true;
}

/* -forward-unknown-to-host-compiler counts wherever it stands, as does -x. */
bool nvcc_parse(struct nvcc *k, int n, char *const *words, struct err *e) {
    for (int i = 0; i < n; i++) {
        const char *value;
        const struct nvcc_flag *f = nvcc_flag_find(words[i], &value);
        if (f && f->kind == NVCC_FORWARD) k->forward = true;
    }
    if (!parse_words(k, (size_t)n, words, 0, e)) return false;
    for (size_t i = 0; i < k->inputs.n; i++) {
        struct nvcc_input *in = &k->inputs.v[i];
        in->language = language_of(k, in->path);
        if (in->language == NVCC_LINKED) in->object = in->path;
    }
    return true;
}
