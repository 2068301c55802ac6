/* A generated kernel as a module: loaded and analysed, and run without time, in a form of it. */
#ifndef HEDDLE_TESTS_UNIT_DIFF_PROGRAM_H
#define HEDDLE_TESTS_UNIT_DIFF_PROGRAM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cfg/cfg.h"
#include "diff/check.h"
#include "exec/exec.h"
#include "front/ptx/ptx.h"

struct program {
    struct ir_module *m;
    struct cfg *c;
};

static inline struct program load(const char *text, size_t n) {
    struct err e = {0};
    struct program p = {.m = ptx_load("generated.ptx", text, n, &e)};
    if (p.m) p.c = cfg_analyse(p.m, CFG_EXITS_MAIN, &e);
    if (!p.c) fail_msg("%s", err_text(&e));
    return p;
}

static inline void unload(struct program *p) {
    cfg_free(p->c);
    ir_module_free(p->m);
}

/* Memory must be what the CPU computed. What it counted. */
static inline struct exec_stats run_on(const struct diff_case *c, const struct ir_module *m,
                                       const struct ir_module *form) {
    struct err e = {0};
    struct exec_mem *mem = exec_mem_new(UINT64_C(1) << 30, 0);
    const struct gen_memory *w = &c->want;
    const size_t bytes[] = {sizeof w->input, 4 * (size_t)w->threads, 4 * (size_t)w->threads * GEN_SLOTS,
                            sizeof w->cells};
    const void *want[] = {w->input, w->out, w->slots, w->cells};
    uint64_t addr[4 + GEN_WORDS / 2];
    for (uint32_t k = 0; k < GEN_WORDS / 2; k++)
        addr[4 + k] = gen_param(&c->kernel, 2 * k) | (uint64_t)gen_param(&c->kernel, 2 * k + 1) << 32;
    for (int k = 0; k < 4; k++) assert_true(exec_mem_alloc(mem, bytes[k], 256, "buffer", &addr[k], &e));
    memcpy(exec_mem_at(mem, addr[0], bytes[0]), want[0], bytes[0]);
    struct exec_image *im = exec_image_new(mem, m, EXEC_ISA_AUTO, &e);
    if (!im) fail_msg("%s", err_text(&e));
    struct exec_stats stats = {0};
    struct exec_launch l = {.image = im,
                            .form = form,
                            .func = (uint32_t)ir_find_func(m, "generated"),
                            .grid = {c->kernel.grid, 1, 1},
                            .block = {c->kernel.block, 1, 1},
                            .params = addr,
                            .max_insts = 1 << 27};
    if (!exec_run(&l, &stats, &e))
        fail_msg("seed %llu: %s", (unsigned long long)c->kernel.seed, err_text(&e));
    for (int k = 0; k < 4; k++) assert_memory_equal(exec_mem_at(mem, addr[k], bytes[k]), want[k], bytes[k]);
    exec_image_free(im);
    exec_mem_free_all(mem);
    return stats;
}

#endif
