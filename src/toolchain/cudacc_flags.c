/* Flags for the compiler of a file that heddle runs. People write them for nvcc; for clang the ones that change the code are
 * translated and those that concern only what comes after the PTX are dropped. Any other is handed on as it is. */
#include <string.h>

#include "toolchain/cudacc.h"
#include "toolchain/nvcc_flags.h"
#include "value/words.h"

static void add_clang(const struct nvcc_flag *f, const char *value, struct cudacc_words *out,
                      struct arena *mem) {
    const bool code = f->kind == NVCC_COMPILE || f->kind == NVCC_DEVICE || f->kind == NVCC_OPTIMIZE ||
                      f->kind == NVCC_TARGET;
    if (code) nvcc_flag_clang(f, value, out, mem);
}

bool cudacc_flags(const char *text, bool own, bool nvcc, struct cudacc_words *out, struct arena *mem,
                  struct err *e) {
    struct words words = {0};
    bool fine = !text || words_read(text, strlen(text), &words, mem, e);
    for (size_t i = 0; i < words.v.n && fine; i++) {
        const char *word = words.v.v[i], *value = NULL;
        const struct nvcc_flag *f = nvcc_flag_find(word, &value);
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
