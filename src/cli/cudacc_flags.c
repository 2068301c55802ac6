/* Flags for the compiler. People write them for nvcc; for clang the ones that change the code are translated and those that
 * concern only what comes after the PTX are dropped. Any other is handed on as it is. */
#include <string.h>

#include "cli/cudacc.h"
#include "cli/sidecar.h"

enum form {
    ALONE,  /* -flag */
    EQUALS, /* -flag=value or -flag value */
    JOINED  /* -Dvalue or -D value */
};

/* clang: what it is there, %s being the value; NULL: nothing. */
struct flag {
    const char *name;
    enum form form;
    const char *clang;
    bool own; /* a file may ask for it itself */
};
static const struct flag flags[] = {
    {"-D", JOINED, "-D%s", true},
    {"-U", JOINED, "-U%s", true},
    {"-I", JOINED, "-I%s", true},
    {"-O", JOINED, "-O%s", true},
    {"-std", EQUALS, "-std=%s", true},
    {"--std", EQUALS, "-std=%s", true},
    {"-fmad", EQUALS, "-ffp-contract=%s", true}, /* true and false: below */
    {"--fmad", EQUALS, "-ffp-contract=%s", true},
    {"-use_fast_math", ALONE, "-ffast-math -fgpu-approx-transcendentals -fgpu-flush-denormals-to-zero", true},
    {"--use_fast_math", ALONE, "-ffast-math -fgpu-approx-transcendentals -fgpu-flush-denormals-to-zero",
     true},
    {"-ftz", EQUALS, "-f%sgpu-flush-denormals-to-zero", true}, /* below */
    {"--ftz", EQUALS, "-f%sgpu-flush-denormals-to-zero", true},
    {"-arch", EQUALS, "--cuda-gpu-arch=%s", true},
    {"--gpu-architecture", EQUALS, "--cuda-gpu-arch=%s", true},
    {"-lineinfo", ALONE, NULL, true},
    {"--generate-line-info", ALONE, NULL, true},
    {"-maxrregcount", EQUALS, NULL, true},
    {"--maxrregcount", EQUALS, NULL, true},
    {"-Xptxas", EQUALS, NULL, false},
    {"--ptxas-options", EQUALS, NULL, false},
    {"-Xcompiler", EQUALS, NULL, false},
    {"--compiler-options", EQUALS, NULL, false},
    {"-ccbin", EQUALS, NULL, false},
    {"-prec-div", EQUALS, NULL, true},
    {"-prec-sqrt", EQUALS, NULL, true},
    {"-rdc", EQUALS, NULL, false},
    {"-cudart", EQUALS, NULL, false},
    {"-m64", ALONE, NULL, true},
    {"--expt-relaxed-constexpr", ALONE, NULL, true},
    {"-expt-relaxed-constexpr", ALONE, NULL, true},
    {"--extended-lambda", ALONE, NULL, true},
    {"-extended-lambda", ALONE, NULL, true},
    {"--expt-extended-lambda", ALONE, NULL, true},
};

/* The row of a word; *value: what the word itself holds of its value, NULL: it is the next word. */
static const struct flag *find(const char *word, const char **value) {
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        const struct flag *f = &flags[i];
        const size_t n = strlen(f->name);
        if (strncmp(word, f->name, n) != 0) continue;
        *value = f->form == ALONE ? "" : f->form == EQUALS && word[n] == '=' ? word + n + 1 : NULL;
        if (f->form == JOINED && word[n]) *value = word + n;
        if (!word[n] || (f->form == EQUALS && word[n] == '=') || f->form == JOINED) return f;
    }
    return NULL;
}

/* What clang calls nvcc's value. */
static const char *translate(const struct flag *f, const char *value, struct arena *mem) {
    const char *name = f->name + strspn(f->name, "-");
    const bool no = !strcmp(value, "false");
    if (!strcmp(name, "fmad")) return no ? "off" : "fast-honor-pragmas";
    if (!strcmp(name, "ftz")) return no ? "no-" : "";
    if (strncmp(value, "compute_", 8) != 0) return value;
    struct sb out = {0};
    sb_add(&out, "sm_%s", value + 8);
    return sb_keep(&out, mem);
}

static void add_clang(const struct flag *f, const char *value, struct cudacc_words *out, struct arena *mem) {
    const char *gap = f->clang ? strstr(f->clang, "%s") : NULL;
    struct sb one = {0};
    if (gap) {
        sb_add(&one, "%.*s%s%s", (int)(gap - f->clang), f->clang, translate(f, value, mem), gap + 2);
        VEC_PUSH(&out->v, sb_keep(&one, mem));
        return;
    }
    for (const char *p = f->clang ? f->clang : ""; *p; p += strspn(p, " ")) {
        size_t n = strcspn(p, " ");
        VEC_PUSH(&out->v, arena_strndup(mem, p, n));
        p += n;
    }
}

bool cudacc_flags(const char *text, bool own, bool nvcc, struct cudacc_words *out, struct arena *mem,
                  struct err *e) {
    struct sidecar_words words = {0};
    bool fine = !text || sidecar_words(text, strlen(text), &words, mem, e);
    for (size_t i = 0; i < words.v.n && fine; i++) {
        const char *word = words.v.v[i], *value = NULL;
        const struct flag *f = find(word, &value);
        const bool next = f && !value;
        if (own && (!f || !f->own))
            fine = err_set(e, ERR_INPUT, "--cuda-flags: a file may not ask for '%.60s' itself", word);
        else if (next && i + 1 == words.v.n)
            fine = err_set(e, ERR_INPUT, "--cuda-flags: %.60s needs a value", word);
        else if (f && !nvcc)
            add_clang(f, next ? words.v.v[++i] : value, out, mem);
        else
            VEC_PUSH(&out->v, word);
        if (fine && next && nvcc) VEC_PUSH(&out->v, words.v.v[++i]);
    }
    VEC_FREE(&words.v);
    return fine;
}
