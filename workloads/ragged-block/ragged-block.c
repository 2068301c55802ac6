/* Blocks of 77 threads: two full warps of 32 and one of 13. */
#include "workloads/flow.h"

enum { BLOCK = 77 };

void work_ragged_block(struct work *w) {
    uint32_t blocks = work_pick(w, 3, 240, 2048), n = blocks * BLOCK;
    uint32_t *in = work_host(w, n, sizeof *in), *out = work_host(w, n, sizeof *out);
    for (uint32_t i = 0; i < n; i++) in[i] = work_random(w);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t left = i % BLOCK ? in[i - 1] : 0, right = i % BLOCK < BLOCK - 1 ? in[i + 1] : 0;
        out[i] = left > right ? flow_step(in[i], 'A') + left : flow_step(in[i], 'B') ^ right;
    }
    uint64_t din = work_input(w, "in", in, n * sizeof *in), dout = work_buffer(w, "out", n * sizeof *out);
    WORK_LAUNCH(w, "ragged_block", WORK_SHAPE(.grid = {blocks}, .block = {BLOCK}), hd_arg_ptr(dout),
                hd_arg_ptr(din));
    work_check_u32(w, "out", dout, out, n);
}
