/* Captured launches. The file is a zstd stream behind a frame that zstd skips and that says what it is, so that `zstd
 * -dc` shows the first line of it: a description as JSON with the size of every part. The parts follow in that order:
 * arguments, PTX, the module's variables, all other device memory by address. It gets its name when it is whole.
 *
 * Not in it: textures and surfaces, whose handles mean nothing to another device, and what malloc of kernels keeps
 * beside its memory. */
#include "runtime/runtime/snapshot.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "runtime/module/fatbin.h"
#include "runtime/module/module.h"
#include "runtime/runtime/log.h"
#include "runtime/runtime/op.h"
#include "runtime/runtime/process.h"

static const char mark[] = "\x50\x2a\x4d\x18\x11\0\0\0heddle capture 1\n"; /* magic number, length, words */

struct writer {
    FILE *f;
    ZSTD_CCtx *context;
    char *out;
    size_t room;
    int failed; /* errno, or EIO */
};

static void snapshot_put(struct writer *w, const void *data, size_t bytes, ZSTD_EndDirective how) {
    ZSTD_inBuffer in = {data, bytes, 0};
    for (size_t left = 1; !w->failed && (in.pos < in.size || (how == ZSTD_e_end && left));) {
        ZSTD_outBuffer to = {w->out, w->room, 0};
        left = ZSTD_compressStream2(w->context, &to, &in, how);
        if (ZSTD_isError(left))
            w->failed = EIO;
        else if (fwrite(w->out, 1, to.pos, w->f) != to.pos)
            w->failed = errno ? errno : EIO;
    }
}

static int snapshot_begin(struct writer *w, const char *path) {
    *w = (struct writer){.f = fopen(path, "wb"), .room = ZSTD_CStreamOutSize()};
    if (!w->f) return w->failed = errno;
    w->context = ZSTD_createCCtx();
    w->out = malloc(w->room);
    if (!w->context || !w->out) return w->failed = ENOMEM;
    if (fwrite(mark, 1, sizeof mark - 1, w->f) != sizeof mark - 1) w->failed = EIO;
    return w->failed;
}

static int snapshot_end(struct writer *w) {
    if (!w->failed) snapshot_put(w, NULL, 0, ZSTD_e_end);
    ZSTD_freeCCtx(w->context);
    free(w->out);
    if (w->f && fclose(w->f) && !w->failed) w->failed = errno;
    return w->failed;
}

/* ---- texts ---- */

/* Linked texts become one: those behind the first go without their headers. It says what they say, unless two of them
 * have something of their own by one name; then it does not load. */
static const char *after_header(const char *text) {
    for (;;) {
        const char *line = text + strspn(text, " \t\r\n");
        if (!strncmp(line, "//", 2) || !strncmp(line, ".version", 8) || !strncmp(line, ".target", 7) ||
            !strncmp(line, ".address_size", 13))
            text = line + strcspn(line, "\n");
        else
            return text;
    }
}

static char *snapshot_join(const struct cu_ptx *texts, size_t n) {
    size_t total = 1;
    for (size_t i = 0; i < n; i++) total += texts[i].bytes + 1;
    char *joined = malloc(total), *at = joined;
    for (size_t i = 0; joined && i < n; i++) {
        at = stpcpy(at, i ? after_header(texts[i].text) : texts[i].text);
        if (i + 1 < n) *at++ = '\n', *at = 0;
    }
    return joined;
}

void cu_snapshot_keep(struct cu_process *p, const hd_module *mod, const struct cu_ptx *texts, size_t n) {
    if (!p->settings.capture_file) return;
    free(cu_map_get(&p->texts, mod)); /* text of a module that was unloaded, and had this place */
    char *joined = snapshot_join(texts, n);
    if (cu_map_put(&p->texts, mod, joined)) free(joined);
}

static const char *snapshot_text_of(struct cu_process *p, const struct CUfunc_st *f) {
    return cu_map_get(&p->texts, f->module->hd);
}

/* ---- the description ---- */

static void extent(FILE *f, const char *name, const uint32_t d[3]) {
    fprintf(f, ",\"%s\":[%u,%u,%u]", name, d[0], d[1], d[2]);
}

static void describe_launch(struct cu_process *p, FILE *f, const struct cu_kernel_op *op) {
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    path[n > 0 ? n : 0] = 0;
    fputs("{\"program\":", f);
    cu_log_string(f, path);
    fputs(",\"kernel\":", f);
    cu_log_string(f, op->function->name);
    fprintf(f, ",\"launch\":%" PRIu64 ",\"process_launch\":%" PRIu64, op->function->launches, p->launches);
    extent(f, "grid", op->grid);
    extent(f, "block", op->block);
    fprintf(f, ",\"shared\":%" PRIu64 ",\"cooperative\":%s", op->shared, op->cooperative ? "true" : "false");
}

static void describe_params(FILE *f, const struct CUfunc_st *k, const char *text) {
    fputs(",\"params\":[", f);
    for (size_t i = 0; i < k->info.nparams; i++) fprintf(f, "%s%u", i ? "," : "", k->info.params[i].bytes);
    fprintf(f, "],\"ptx\":%zu", strlen(text));
}

/* A variable's address counts for .global ones alone: constants have a space of their own. */
static void describe_variables(FILE *f, const struct CUmod_st *m) {
    hd_symbol_info s;
    const char *comma = "";
    fputs(",\"variables\":[", f);
    for (size_t i = 0; !hd_module_symbol_at(m->hd, i, &s); i++) {
        fprintf(f, "%s{\"name\":", comma);
        cu_log_string(f, s.name);
        fprintf(f, ",\"bytes\":%" PRIu64 ",\"addr\":%" PRIu64 "}", s.bytes, s.constant ? 0 : s.addr);
        comma = ",";
    }
    fputc(']', f);
}

/* The module's own variables are written by name. */
static int is_own(const struct CUmod_st *m, const hd_memory *a) {
    hd_symbol_info s;
    for (size_t i = 0; a->kind == HD_MEMORY_VARIABLE && !hd_module_symbol_at(m->hd, i, &s); i++)
        if (s.addr == a->addr) return 1;
    return 0;
}

static void describe_memory(struct cu_process *p, FILE *f, const struct CUmod_st *m) {
    hd_memory a;
    const char *comma = "";
    fputs(",\"memory\":[", f);
    for (uint64_t at = 0; !hd_find_next(p->dev, at, &a); at = a.addr + a.bytes) {
        if (is_own(m, &a)) continue;
        fprintf(f, "%s{\"addr\":%" PRIu64 ",\"bytes\":%" PRIu64 "}", comma, a.addr, a.bytes);
        comma = ",";
    }
    fputs("]}\n", f);
}

static void put_description(struct cu_process *p, struct writer *w, const struct cu_kernel_op *op) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);
    if (!f) {
        w->failed = ENOMEM;
        return;
    }
    describe_launch(p, f, op);
    describe_params(f, op->function, snapshot_text_of(p, op->function));
    describe_variables(f, op->function->module);
    describe_memory(p, f, op->function->module);
    if (fclose(f)) w->failed = ENOMEM;
    snapshot_put(w, text, bytes, ZSTD_e_continue);
    free(text);
}

/* ---- the bytes ---- */

static void put_variables(struct cu_process *p, struct writer *w, const struct CUmod_st *m) {
    hd_symbol_info s;
    for (size_t i = 0; !hd_module_symbol_at(m->hd, i, &s) && !w->failed; i++) {
        void *copy = malloc(s.bytes + 1);
        if (!copy || (s.bytes && hd_copy_out(p->dev, copy, s.addr, s.bytes)))
            w->failed = ENOMEM;
        else
            snapshot_put(w, copy, s.bytes, ZSTD_e_continue);
        free(copy);
    }
}

static void put_bytes(struct cu_process *p, struct writer *w, const struct cu_kernel_op *op) {
    const struct CUfunc_st *k = op->function;
    hd_memory a;
    for (size_t i = 0; i < k->info.nparams; i++)
        snapshot_put(w, (const char *)op->params + k->info.params[i].offset, k->info.params[i].bytes,
                     ZSTD_e_continue);
    snapshot_put(w, snapshot_text_of(p, k), strlen(snapshot_text_of(p, k)), ZSTD_e_continue);
    put_variables(p, w, k->module);
    for (uint64_t at = 0; !hd_find_next(p->dev, at, &a); at = a.addr + a.bytes)
        if (!is_own(k->module, &a)) snapshot_put(w, a.host, a.bytes, ZSTD_e_continue);
}

/* ---- the file ---- */

static int write_file(struct cu_process *p, const struct cu_kernel_op *op, const char *path) {
    struct writer w;
    if (!snapshot_begin(&w, path)) {
        put_description(p, &w, op);
        put_bytes(p, &w, op);
    }
    return snapshot_end(&w);
}

void cu_snapshot(struct cu_process *p, const struct cu_kernel_op *op) {
    const struct cu_settings *s = &p->settings;
    char temporary[4096];
    if (!s->capture_file || p->captured || !snapshot_text_of(p, op->function) ||
        op->function->launches != s->capture.nth || !cu_settings_means(&s->capture, op->function->name))
        return;
    p->captured = 1;
    int why =
        snprintf(temporary, sizeof temporary, "%s.%d", s->capture_file, (int)getpid()) < (int)sizeof temporary
            ? write_file(p, op, temporary)
            : ENAMETOOLONG;
    if (!why && rename(temporary, s->capture_file)) why = errno;
    if (!why) return;
    cu_warn("HEDDLE_CAPTURE=%s: %s", s->capture_file, strerror(why));
    unlink(temporary);
}
