/* What the execution tests share: PTX text in, buffers, a launch, the error text out. */
#ifndef TESTS_EXEC_RIG_H
#define TESTS_EXEC_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cfg/cfg.h"
#include "exec/exec.h"
#include "front/ptx/ptx.h"

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"

struct rig {
    struct exec_mem *mem;
    struct ir_module *m;
    struct cfg *cfg;
    struct exec_image *im;
    struct exec_launch launch; /* limits and callbacks a test sets before running */
    struct exec_stats stats;
    struct err err;
    struct sb printed;
};

static inline void rig_print(void *user, const char *text, size_t n) {
    struct rig *r = user;
    sb_addn(&r->printed, text, n);
}

static inline struct rig rig_load(const char *text) {
    struct rig r = {.mem = exec_mem_new(UINT64_C(1) << 30, 0)};
    r.m = ptx_load("t.ptx", text, strlen(text), &r.err);
    if (r.m) r.cfg = cfg_analyse(r.m, CFG_EXITS_MAIN, &r.err);
    if (r.cfg) r.im = exec_image_new(r.mem, r.m, EXEC_ISA_AUTO, &r.err);
    if (!r.im) fail_msg("%s", err_text(&r.err));
    return r;
}

static inline void rig_free(struct rig *r) {
    exec_image_free(r->im);
    cfg_free(r->cfg);
    ir_module_free(r->m);
    exec_mem_free_all(r->mem);
    err_free(&r->err);
    sb_free(&r->printed);
}

static inline uint64_t rig_buf(struct rig *r, uint64_t bytes, const char *label) {
    uint64_t addr;
    assert_true(exec_mem_alloc(r->mem, bytes, 256, label, &addr, &r->err));
    return addr;
}

/* What is to be launched. Parameters are 64-bit each. */
static inline void rig_aim(struct rig *r, const char *kernel, uint32_t grid, uint32_t block,
                           const uint64_t *params) {
    int f = ir_find_func(r->m, kernel);
    assert_true(f >= 0);
    r->launch.image = r->im;
    r->launch.func = (uint32_t)f;
    r->launch.params = params;
    for (int d = 0; d < 3; d++) {
        r->launch.grid[d] = d ? 1 : grid;
        r->launch.block[d] = d ? 1 : block;
    }
}

static inline bool rig_run(struct rig *r, const char *kernel, uint32_t grid, uint32_t block,
                           const uint64_t *params) {
    rig_aim(r, kernel, grid, block, params);
    r->launch.print = rig_print;
    r->launch.user = r;
    return exec_run(&r->launch, &r->stats, &r->err);
}

static inline void rig_ok(struct rig *r, const char *kernel, uint32_t grid, uint32_t block,
                          const uint64_t *params) {
    if (!rig_run(r, kernel, grid, block, params)) fail_msg("%s", err_text(&r->err));
}

static inline void rig_fails(struct rig *r, const char *kernel, uint32_t grid, uint32_t block,
                             const uint64_t *params, const char *text) {
    assert_false(rig_run(r, kernel, grid, block, params));
    assert_string_equal(err_text(&r->err), text);
}

static inline uint32_t *rig_u32(struct rig *r, uint64_t addr) {
    uint32_t *p = exec_mem_at(r->mem, addr, 4);
    assert_non_null(p);
    return p;
}

#endif
