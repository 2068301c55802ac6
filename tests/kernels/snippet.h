/* Runs a few lines of PTX: a kernel is written around them; every thread has 64 bytes of input and 64 of
 * output. Inside the lines these are set:
 * - %ti, %lane: number of the thread in its block, in its warp
 * - %in, %out: addresses of its input and output, in global memory; %ain, %aout: of the first thread's
 * - blob: a 64-byte parameter, the first thread's input
 *
 * and %r %d %h %f %g %p (b32, b64, b16, f32, f64, pred; 40 each) are free to use. */
#ifndef HEDDLE_TESTS_KERNELS_SNIPPET_H
#define HEDDLE_TESTS_KERNELS_SNIPPET_H

#include "base/err.h"
#include "kernels/harness.h"

enum { SLOT = 64, SNIPPET_THREADS = 96 };

struct snippet {
    struct sb decls; /* at module scope */
    struct sb code;
    uint32_t grid, block; /* 0: one block of one warp */
};

static inline void snippet_text(const struct snippet *s, struct sb *t) {
    sb_add(t, ".version 8.0\n.target sm_90\n.address_size 64\n%s\n", s->decls.text ? s->decls.text : "");
    sb_add(t, ".visible .entry k(.param .u64 pin, .param .u64 pout, .param .align 16 .b8 blob[64])\n{\n");
    sb_add(t, ".reg .b32 %%r<40>, %%ti, %%lane;\n.reg .b64 %%d<40>, %%in, %%out, %%ain, %%aout, %%slot;\n");
    sb_add(t, ".reg .b16 %%h<40>;\n.reg .f32 %%f<40>;\n.reg .f64 %%g<40>;\n.reg .pred %%p<40>;\n");
    sb_add(t, "ld.param.u64 %%ain, [pin];\nld.param.u64 %%aout, [pout];\n");
    sb_add(t, "mov.u32 %%r0, %%ctaid.x;\nmov.u32 %%r1, %%ntid.x;\nmov.u32 %%ti, %%tid.x;\n");
    sb_add(t,
           "mov.u32 %%lane, %%laneid;\nmad.lo.u32 %%r0, %%r0, %%r1, %%ti;\nmul.wide.u32 %%slot, %%r0, 64;\n");
    sb_add(t, "add.u64 %%in, %%ain, %%slot;\nadd.u64 %%out, %%aout, %%slot;\n%s\nret;\n}\n", s->code.text);
}

/* Loads the text and runs it with in (grid * block slots) into out; releases the snippet's text. */
static inline void snippet_run(struct snippet *s, const void *in, void *out) {
    struct rig r;
    struct sb text = {0};
    uint32_t grid = s->grid ? s->grid : 1, block = s->block ? s->block : 32;
    size_t bytes = (size_t)grid * block * SLOT;
    snippet_text(s, &text);
    rig_device(&r);
    if (hd_module_load(r.dev, "snippet.ptx", text.text, 0, &r.mod))
        fail_msg("%s\n%s", hd_error(r.dev), text.text);
    uint64_t din = rig_in(&r, in, bytes), dout = rig_zero(&r, bytes);
    hd_status st = rig_launch(&r, "k", LAUNCH(.grid = {grid}, .block = {block}),
                              ARGS(PTR(din), PTR(dout), hd_arg_bytes(in, SLOT)));
    if (st) fail_msg("%s\n%s", hd_error(r.dev), text.text);
    rig_out(&r, dout, out, bytes);
    rig_close(&r);
    sb_free(&text);
    sb_free(&s->code);
    sb_free(&s->decls);
}

/* Every row of ops.def must have its test: a file names, for each latency class, whether it tests the class. */
#define SKIP(id)
#define TEST(id) CHOOSE(ELSEWHERE_##id, CASE)(id)
#define CASE(id) cmocka_unit_test(test_##id),
/* Rows that have their tests in another file: */
#define ELSEWHERE_TXQ            ~, SKIP /* tests/unit/exec/surf.c */
#define ELSEWHERE_SULD           ~, SKIP
#define ELSEWHERE_SUST           ~, SKIP
#define ELSEWHERE_SURED          ~, SKIP
#define ELSEWHERE_MBAR           ~, SKIP /* tests/unit/exec/async.c */
#define ELSEWHERE_MBAR_WAIT      ~, SKIP
#define ELSEWHERE_CP_COMMIT      ~, SKIP
#define ELSEWHERE_REDUX_F32      ~, SKIP /* tests/unit/exec/wide.c */
#define ELSEWHERE_CLUSTER_ARRIVE ~, SKIP
#define ELSEWHERE_CLUSTER_WAIT   ~, SKIP
#define ELSEWHERE_ATOM_B128      ~, SKIP
#define CHOOSE(...)              SECOND(__VA_ARGS__, )
#define SECOND(a, b, ...)        b
#define U(...)
#define B(...)
#define T(...)
#define A(...)
#define M(id, name, d, t, cls, mods, executor) ROWS_##cls(id)
#define ROWS_ASYNC(id)                         /* tests/unit/exec/async.c */
#define ROWS_MARK(id)                          /* not in PTX: tests/unit/sm/marks.c */
#define ROWS_MMA_F16(id)                       /* every shape: tests/unit/sim/mma.c */
#define ROWS_MMA_F32(id)
#define ROWS_MMA_INT(id)
#define ROWS_MMA_F64(id)

#endif
