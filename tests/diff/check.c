/* See check.h. A failure is reported so that it can be had again: HEDDLE_DIFF_SEED=n and the name of the test program, or
 * the kernel's text with the command line. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OPTIONS = 32 };

struct run {
    hd_device *dev;
    hd_kernel *kernel;
    uint64_t input, out, slots, cells;
};

void diff_make(struct diff_case *c, uint64_t seed) {
    *c = (struct diff_case){0};
    gen_make(&c->kernel, seed);
    gen_emit(&c->kernel, &c->text);
    gen_memory_init(&c->want, &c->kernel);
    gen_run(&c->kernel, &c->want);
}
void diff_free(struct diff_case *c) {
    gen_memory_free(&c->want);
    sb_free(&c->text);
    gen_free(&c->kernel);
}

static size_t gather(hd_option *out, size_t n, const char *const *pairs) {
    for (; pairs && pairs[0] && n < MOST_OPTIONS; pairs += 2) out[n++] = (hd_option){pairs[0], pairs[1]};
    return n;
}

static hd_status open_run(const struct diff_case *c, const hd_option *options, size_t n, struct run *r) {
    hd_module *mod = NULL;
    hd_status st = hd_device_open(&(hd_config){.options = options, .noptions = n}, &r->dev);
    size_t threads = c->want.threads;
    if (!st) st = hd_module_load(r->dev, "generated.ptx", c->text.text, c->text.len, &mod);
    if (!st) st = hd_module_kernel(mod, "generated", &r->kernel);
    if (!st) st = hd_alloc(r->dev, sizeof c->want.input, &r->input);
    if (!st) st = hd_copy_in(r->dev, r->input, c->want.input, sizeof c->want.input);
    if (!st) st = hd_alloc(r->dev, 4 * threads, &r->out);
    if (!st) st = hd_alloc(r->dev, 4 * threads * GEN_SLOTS, &r->slots);
    if (!st) st = hd_alloc(r->dev, sizeof c->want.cells, &r->cells);
    return st;
}

static hd_status launch(const struct diff_case *c, struct run *r) {
    hd_launch l = {.grid = {c->kernel.grid}, .block = {c->kernel.block}, .max_insts = 1 << 26};
    hd_arg args[] = {hd_arg_ptr(r->input), hd_arg_ptr(r->out), hd_arg_ptr(r->slots), hd_arg_ptr(r->cells)};
    return hd_run(r->kernel, &l, args, 4);
}

/* True when the device has these words. */
static bool same(const struct run *r, const char *what, uint64_t addr, const uint32_t *want, size_t n,
                 struct sb *why) {
    uint32_t *got = xcalloc(n, sizeof *got);
    hd_status st = hd_copy_out(r->dev, got, addr, n * sizeof *got);
    size_t i = 0;
    while (i < n && got[i] == want[i]) i++;
    if (st)
        sb_add(why, "%s: %s", what, hd_error(r->dev));
    else if (i < n)
        sb_add(why, "%s[%zu] is 0x%x, want 0x%x", what, i, got[i], want[i]);
    free(got);
    return !st && i == n;
}

static bool compare(const struct diff_case *c, const struct run *r, struct sb *why) {
    const struct gen_memory *w = &c->want;
    return same(r, "out", r->out, w->out, w->threads, why) &&
           same(r, "slots", r->slots, w->slots, (size_t)w->threads * GEN_SLOTS, why) &&
           same(r, "cells", r->cells, w->cells, GEN_CELLS + 1, why) &&
           same(r, "input", r->input, w->input, GEN_INPUT, why);
}

static void explain(const struct diff_case *c, const hd_option *options, size_t n, struct sb *why) {
    struct sb path = {0};
    const char *build = getenv("BUILD");
    sb_add(&path, "%s/diff-%llu.ptx", build ? build : "build", (unsigned long long)c->kernel.seed);
    FILE *f = fopen(path.text, "w");
    if (f) {
        fputs(c->text.text, f);
        fclose(f);
    }
    sb_add(why, "\n  seed %llu, grid %u, block %u, %s; %s\n ", (unsigned long long)c->kernel.seed,
           c->kernel.grid, c->kernel.block, c->kernel.unstructured ? "unstructured" : "structured",
           f ? path.text : "(not written)");
    for (size_t i = 0; i < n; i++) sb_add(why, " --set %s=%s", options[i].key, options[i].value);
    sb_add(why, "\n");
    sb_free(&path);
}

bool diff_run(const struct diff_case *c, const struct diff_machine *m, const char *const *more,
              struct sb *why) {
    hd_option options[MOST_OPTIONS];
    size_t n = gather(options, gather(options, 0, m->option), more);
    struct run r = {0};
    struct sb reason = {0};
    hd_status st = open_run(c, options, n, &r);
    if (!st) st = launch(c, &r);
    if (st) sb_add(&reason, "%s: %s", hd_status_name(st), r.dev ? hd_error(r.dev) : "no memory");
    bool good = !st && compare(c, &r, &reason);
    if (!good) {
        sb_add(why, "%s: %s", m->name, reason.text);
        explain(c, options, n, why);
    }
    sb_free(&reason);
    hd_device_close(r.dev);
    return good;
}

static bool number(const char *name, uint64_t *v) {
    const char *text = getenv(name);
    char *end;
    if (!text || !*text) return false;
    *v = strtoull(text, &end, 10);
    return !*end;
}

struct diff_range diff_range(uint64_t count) {
    struct diff_range r = {0, count};
    bool seed = number("HEDDLE_DIFF_SEED", &r.first);
    if (!number("HEDDLE_DIFF_COUNT", &r.count) && seed) r.count = 1;
    return r;
}
