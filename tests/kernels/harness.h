/* What every whole-kernel test needs: a device with a module loaded, buffers, a launch, and checks that name
 * the first difference. Tests run from the repository root; HEDDLE_KERNELS names another place for the PTX files. */
#ifndef HEDDLE_TESTS_KERNELS_HARNESS_H
#define HEDDLE_TESTS_KERNELS_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "heddle.h"
#include "kernels/uniform.h"

#ifndef KERNEL_DIR
#define KERNEL_DIR "tests/kernels"
#endif

struct rig {
    hd_device *dev;
    hd_module *mod;
    char printed[4096]; /* what the kernels printed, cut at the end */
    size_t nprinted;
};

static inline void rig_print(void *user, const char *text, size_t n) {
    struct rig *r = user;
    size_t room = sizeof r->printed - 1 - r->nprinted;
    if (n > room) n = room;
    memcpy(r->printed + r->nprinted, text, n);
    r->nprinted += n;
    r->printed[r->nprinted] = '\0';
}

#define MUST(r, call)                                                                        \
    do {                                                                                     \
        hd_status must_ = (call);                                                            \
        if (must_) fail_msg("%s: %s: %s", #call, hd_status_name(must_), hd_error((r)->dev)); \
    } while (0)

/* HEDDLE_TEST_OPTIONS="exec.quantum=1 exec.isa=portable": the same tests on another machine; config=FILE reads that first. */
static inline hd_status rig_options(hd_device **dev) {
    enum { MOST = 32 };
    const char *env = getenv("HEDDLE_TEST_OPTIONS"), *file = NULL;
    hd_option option[MOST];
    size_t n = 0;
    char text[1024], *rest = NULL;
    snprintf(text, sizeof text, "%s", env ? env : "");
    for (char *w = strtok_r(text, " ", &rest); w && n < MOST; w = strtok_r(NULL, " ", &rest)) {
        char *equals = strchr(w, '=');
        if (!equals) fail_msg("HEDDLE_TEST_OPTIONS: \"%s\" is not key=value", w);
        *equals = '\0';
        if (!strcmp(w, "config"))
            file = equals + 1;
        else
            option[n++] = (hd_option){w, equals + 1};
    }
    return hd_device_open(&(hd_config){.options = option, .noptions = n, .file = file}, dev);
}

static inline void rig_device(struct rig *r) {
    memset(r, 0, sizeof *r);
    if (rig_options(&r->dev)) fail_msg("no device: %s", r->dev ? hd_error(r->dev) : "no memory");
    hd_set_print(r->dev, rig_print, r);
}

/* A device with one of the committed PTX files. */
static inline void rig_open(struct rig *r, const char *file) {
    const char *dir = getenv("HEDDLE_KERNELS");
    char path[512];
    snprintf(path, sizeof path, "%s/%s", dir ? dir : KERNEL_DIR, file);
    rig_device(r);
    MUST(r, hd_module_load_file(r->dev, path, &r->mod));
}

/* A device with PTX text of the test itself. */
static inline void rig_text(struct rig *r, const char *name, const char *text) {
    rig_device(r);
    MUST(r, hd_module_load(r->dev, name, text, 0, &r->mod));
}

/* Whatever a test ran on a timed machine is one more look at what was said of its branches. */
static inline void rig_close(struct rig *r) {
    struct uniform_count n = {0};
    struct sb why = {0};
    bool good = uniform_check(r->dev, &n, &why);
    hd_device_close(r->dev);
    if (!good) fail_msg("%s", why.text);
    sb_free(&why);
}

/* A buffer of zeros, or with a copy of host data. */
static inline uint64_t rig_zero(struct rig *r, size_t bytes) {
    uint64_t addr = 0;
    MUST(r, hd_alloc(r->dev, bytes, &addr));
    return addr;
}
static inline uint64_t rig_in(struct rig *r, const void *data, size_t bytes) {
    uint64_t addr = rig_zero(r, bytes);
    MUST(r, hd_copy_in(r->dev, addr, data, bytes));
    return addr;
}
static inline void rig_out(struct rig *r, uint64_t addr, void *data, size_t bytes) {
    MUST(r, hd_copy_out(r->dev, data, addr, bytes));
}

static inline hd_status rig_launch(struct rig *r, const char *kernel, const hd_launch *l, const hd_arg *args,
                                   size_t n) {
    hd_kernel *k = NULL;
    MUST(r, hd_module_kernel(r->mod, kernel, &k));
    const hd_status s = hd_run(k, l, args, n);
    if (s == HD_REFUSED && getenv("HEDDLE_TEST_OPTIONS")) { /* its mechanism does not run this kernel */
        hd_device_close(r->dev);
        skip();
    }
    return s;
}

/* LAUNCH(.grid = {4}, .block = {256}): dimensions not given are 1. */
#define LAUNCH(...)                 (&(hd_launch){__VA_ARGS__})
#define ARGS(...)                   ((const hd_arg[]){__VA_ARGS__}), sizeof((const hd_arg[]){__VA_ARGS__}) / sizeof(hd_arg)
#define RUN(r, kernel, launch, ...) MUST(r, rig_launch(r, kernel, launch, ARGS(__VA_ARGS__)))
#define PTR(addr)                   hd_arg_ptr(addr)

/* Runs a kernel that must fail with this status, and with each of the texts (NULL-terminated) in the report. */
static inline void rig_fails(struct rig *r, const char *kernel, const hd_launch *l, const hd_arg *args,
                             size_t n, hd_status status, const char *const *texts) {
    hd_status got = rig_launch(r, kernel, l, args, n);
    if (got != status)
        fail_msg("%s: %s instead of %s: %s", kernel, hd_status_name(got), hd_status_name(status),
                 hd_error(r->dev));
    for (; *texts; texts++)
        if (!strstr(hd_error(r->dev), *texts))
            fail_msg("%s: the report lacks \"%s\":\n%s", kernel, *texts, hd_error(r->dev));
}
#define TEXTS(...) ((const char *const[]){__VA_ARGS__, NULL})

static inline double rig_stat(struct rig *r, const char *name) {
    double v = 0;
    MUST(r, hd_stat(r->dev, 0, name, &v));
    return v;
}

/* Bitwise comparison of arrays; the first difference is shown. */
static inline void same_u32(const char *what, const void *got, const void *want, size_t n) {
    for (size_t i = 0; i < n; i++) {
        uint32_t g, w;
        memcpy(&g, (const char *)got + 4 * i, 4);
        memcpy(&w, (const char *)want + 4 * i, 4);
        if (g != w) fail_msg("%s[%zu]: got 0x%x (%d), want 0x%x (%d)", what, i, g, (int)g, w, (int)w);
    }
}
static inline void same_u64(const char *what, const void *got, const void *want, size_t n) {
    for (size_t i = 0; i < n; i++) {
        uint64_t g, w;
        memcpy(&g, (const char *)got + 8 * i, 8);
        memcpy(&w, (const char *)want + 8 * i, 8);
        if (g != w)
            fail_msg("%s[%zu]: got 0x%llx, want 0x%llx", what, i, (unsigned long long)g,
                     (unsigned long long)w);
    }
}
/* Within an absolute plus a relative error. */
static inline void near_f32(const char *what, const float *got, const double *want, size_t n, double abs,
                            double rel) {
    for (size_t i = 0; i < n; i++) {
        double d = (double)got[i] - want[i], w = want[i] < 0 ? -want[i] : want[i];
        if (!((d < 0 ? -d : d) <= abs + rel * w))
            fail_msg("%s[%zu]: got %.9g, want %.9g", what, i, (double)got[i], want[i]);
    }
}

#endif
