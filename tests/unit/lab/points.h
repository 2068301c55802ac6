/* Workloads made for tests: one that holds its check, one that does not, one that never ends, all with one short kernel. */
#ifndef HEDDLE_TESTS_LAB_POINTS_H
#define HEDDLE_TESTS_LAB_POINTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "lab/sweep/run.h"

/* out[i] = i; a lane of a warp waits for the next one when spin is not 0. */
static const char points_ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry k(.param .u64 out, .param .u32 spin) {\n"
    ".reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p<2>;\n"
    "ld.param.u64 %rd1, [out]; ld.param.u32 %r2, [spin]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4;\n"
    "add.u64 %rd3, %rd1, %rd2; setp.eq.u32 %p1, %r2, 0; @%p1 bra STORE;\n"
    "WAIT: ld.volatile.global.u32 %r3, [%rd1+256]; setp.eq.u32 %p1, %r3, 0; @%p1 bra WAIT;\n"
    "STORE: st.global.u32 [%rd3], %r1; ret; }\n";

static inline void points_run(struct work *w, uint32_t spin, uint32_t add) {
    uint32_t want[64];
    uint64_t out = work_buffer(w, "out", sizeof want + 4);
    for (uint32_t i = 0; i < 64; i++) want[i] = i + add;
    WORK_LAUNCH(w, "k", WORK_SHAPE(.grid = {1}, .block = {64}), hd_arg_ptr(out), hd_arg_u32(spin));
    work_check_u32(w, "out", out, want, 64);
}

static inline void points_good(struct work *w) {
    points_run(w, 0, 0);
}

static inline void points_wrong(struct work *w) {
    points_run(w, 0, 1);
}

static inline void points_endless(struct work *w) {
    points_run(w, 1, 0);
}

static const struct workload points_workloads[] = {
    {.name = "good", .code = points_ptx, .code_bytes = sizeof points_ptx - 1, .run = points_good},
    {.name = "wrong", .code = points_ptx, .code_bytes = sizeof points_ptx - 1, .run = points_wrong},
    {.name = "endless", .code = points_ptx, .code_bytes = sizeof points_ptx - 1, .run = points_endless},
};

/* A point of workload 0, 1 or 2 on the smallest machine. */
static inline struct lab_point points_at(size_t workload, const char *mech) {
    return (struct lab_point){
        .subject = {.workload = &points_workloads[workload]}, .config = "tiny", .mech = mech};
}

#endif
