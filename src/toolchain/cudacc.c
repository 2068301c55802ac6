/* CUDA C++ to PTX by the compiler that there is, as a child in a directory of its own (workdir.h). */
#include "toolchain/cudacc.h"

#include <errno.h>
#include <string.h>

#include "cli/outfile.h"
#include "sim/file.h"
#include "toolchain/workdir.h"

struct compilation {
    const char *file; /* as the user calls it */
    const struct cudacc_options *options;
    struct sb *text; /* text of the file; then the PTX */
    struct cudacc cc;
    struct cudacc_words words; /* words of the command line */
    const char *input, *output;
    struct arena mem;
    struct workdir dir;
};

void cudacc_options(struct cudacc_options *a, const struct opts *o) {
    a->compiler = opts_value(o, "cuda-compiler");
    a->flags = opts_value(o, "cuda-flags");
}

/* Standard input goes to a file, under its own name in messages. */
static bool make_input(struct compilation *k, struct err *e) {
    const struct sb *text = k->text;
    k->input = k->file;
    if (strcmp(k->file, infile_name("-")) != 0) return true;
    k->input = workdir_file(&k->dir, "stdin.cu");
    FILE *f = fopen(k->input, "wb");
    bool fine =
        f && fprintf(f, "#line 1 \"%s\"\n", k->file) > 0 && fwrite(text->text, 1, text->len, f) == text->len;
    if (f && fclose(f)) fine = false;
    return fine || err_set(e, ERR_INPUT, "cannot write %s: %s", k->input, strerror(errno));
}

/* ---- the command ---- */

static bool names_target(const struct cudacc_words *w) {
    static const char *const flags[] = {"--cuda-gpu-arch=", "-arch", "--gpu-architecture", "-gencode",
                                        "--generate-code"};
    for (size_t i = 0; i < w->v.n; i++)
        for (size_t k = 0; k < sizeof flags / sizeof *flags; k++)
            if (!strncmp(w->v.v[i], flags[k], strlen(flags[k]))) return true;
    return false;
}

static bool make_command(struct compilation *k, const struct cudacc_options *a, struct err *e) {
    VEC_PUSH(&k->words.v, k->cc.path);
    if (k->cc.nvcc)
        cudacc_add(&k->words, (const char *const[]){"-x", "cu", "-ptx", "-lineinfo", NULL});
    else
        cudacc_device_words(&k->cc, &k->words);
    if (!cudacc_flags(a->own_flags, true, k->cc.nvcc, &k->words, &k->mem, e) ||
        !cudacc_flags(a->flags, false, k->cc.nvcc, &k->words, &k->mem, e))
        return false;
    if (!names_target(&k->words)) VEC_PUSH(&k->words.v, k->cc.nvcc ? "-arch=sm_75" : "--cuda-gpu-arch=sm_75");
    if (k->input != k->file) VEC_PUSH(&k->words.v, "-I.");
    cudacc_add(&k->words, (const char *const[]){"-o", k->output, k->input, NULL});
    VEC_PUSH(&k->words.v, NULL);
    return true;
}

/* ---- all of it ---- */

static bool toolchain_cudacc_compile(void *user, struct err *e) {
    struct compilation *k = user;
    int status = 0;
    k->output = workdir_file(&k->dir, "kernel.ptx");
    if (!make_input(k, e) || !make_command(k, k->options, e) ||
        !workdir_run(&k->dir, k->words.v.v, WORKDIR_TO_ERR, &status, e))
        return false;
    if (status)
        return err_set(e, ERR_INPUT, "%s did not compile: %s ended with status %d", k->file, k->cc.path,
                       status);
    k->text->len = 0;
    return file_read(k->output, k->text, e);
}

bool cudacc_compile(const struct cli *c, const char *file, const struct cudacc_options *a, struct sb *text,
                    struct err *e) {
    struct compilation k = {.file = file, .options = a, .text = text};
    k.dir = (struct workdir){.mem = &k.mem, .err = c->term.err};
    const bool fine = cudacc_find(a->compiler, file, &k.cc, &k.mem, e) &&
                      workdir_with(&k.dir, toolchain_cudacc_compile, &k, e);
    if (fine) fprintf(c->term.err, "heddle %s: %s compiled by %s\n", c->command->name, file, k.cc.path);
    VEC_FREE(&k.words.v);
    arena_free(&k.mem);
    return fine;
}
