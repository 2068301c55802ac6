/* What the tests of the timed machine share: a device of a configuration with some keys changed, kernels made of repeated
 * lines, and slopes: the cycles one more repetition costs, which leaves out starting and ending. */
#ifndef HEDDLE_TESTS_KERNELS_TIMED_H
#define HEDDLE_TESTS_KERNELS_TIMED_H

#include "base/err.h"
#include "kernels/harness.h"

struct timed_machine {
    const char *config;     /* "tiny": configs/tiny.ini */
    const char *mech;       /* NULL: pdom */
    const char *option[24]; /* key, value, ..., NULL */
};

static inline void timed_device(struct rig *r, const struct timed_machine *m) {
    hd_option o[16] = {{"run.mode", "timed"}, {"run.mech", m->mech ? m->mech : "pdom"}};
    size_t n = 2;
    char file[256];
    for (const char *const *p = m->option; p[0] && n < 16; p += 2) o[n++] = (hd_option){p[0], p[1]};
    snprintf(file, sizeof file, "configs/%s.ini", m->config);
    memset(r, 0, sizeof *r);
    if (hd_device_open(&(hd_config){.options = o, .noptions = n, .file = file}, &r->dev))
        fail_msg("%s: %s", m->config, r->dev ? hd_error(r->dev) : "no memory");
    hd_set_print(r->dev, rig_print, r);
}

static inline void timed_open(struct rig *r, const struct timed_machine *m, const char *file) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", KERNEL_DIR, file);
    timed_device(r, m);
    MUST(r, hd_module_load_file(r->dev, path, &r->mod));
}

/* One kernel: `before`, then `line` so many times. %a (u64) holds its argument, %x and %y (f32) and %i (u32) numbers; %z0 to
 * %z7 are sums that live to the end; there is a shared array of 8 KB, words. */
static inline void timed_text(struct rig *r, const char *before, const char *line, unsigned times) {
    struct sb t = {0};
    sb_add(&t, ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n");
    sb_add(&t, "\t.reg .b64 %%a;\n\t.reg .f32 %%x, %%y, %%z<8>;\n\t.reg .b32 %%i, %%t;\n");
    sb_add(&t, "\t.shared .align 4 .b8 words[8192];\n\tld.param.u64 %%a, [a];\n\tmov.u32 %%t, %%tid.x;\n");
    sb_add(&t, "\tmov.f32 %%x, 0f3f800000;\n\tmov.f32 %%y, 0f3f000000;\n\tmov.u32 %%i, %%t;\n%s\n", before);
    for (int k = 0; k < 8; k++) sb_add(&t, "\tmov.f32 %%z%d, %%y;\n", k);
    for (unsigned k = 0; k < times; k++) sb_add(&t, "\t%s\n", line);
    for (int k = 0; k < 8; k++) sb_add(&t, "\tadd.f32 %%x, %%x, %%z%d;\n", k);
    sb_add(&t, "\tst.shared.f32 [words], %%x;\n\tret;\n}\n");
    if (hd_module_load(r->dev, "repeated.ptx", t.text, t.len, &r->mod)) fail_msg("%s", hd_error(r->dev));
    sb_free(&t);
}

/* Cycles of such a kernel; fill (may be NULL) puts data where %a will point. */
struct timed_case {
    struct timed_machine machine;
    const char *before, *line;
    uint32_t grid, block; /* 0: one */
    size_t bytes;         /* bytes of the buffer, 0: none */
    void (*fill)(struct rig *r, uint64_t addr, size_t bytes);
};
static inline double timed_cycles(const struct timed_case *c, unsigned times) {
    struct rig r;
    timed_device(&r, &c->machine);
    timed_text(&r, c->before ? c->before : "", c->line, times);
    uint64_t a = c->bytes ? rig_zero(&r, c->bytes) : 0;
    if (c->fill) c->fill(&r, a, c->bytes);
    RUN(&r, "k", LAUNCH(.grid = {c->grid}, .block = {c->block}), PTR(a));
    double cycles = rig_stat(&r, "gpu.cycles");
    rig_close(&r);
    return cycles;
}

/* Cycles of one more line, between so many lines and three times as many. */
static inline double timed_slope(const struct timed_case *c, unsigned times) {
    return (timed_cycles(c, 3 * times) - timed_cycles(c, times)) / (2.0 * times);
}

static inline void near_value(const char *what, double got, double want, double margin) {
    double d = got - want;
    if (!((d < 0 ? -d : d) <= margin)) fail_msg("%s: %g, want %g within %g", what, got, want, margin);
}

#endif
