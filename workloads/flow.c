/* Runs a control-flow kernel over random inputs (flow.h). */
#include "workloads/flow.h"

void flow_run(struct work *w, const char *kernel, uint32_t block, flow_path *reference) {
    uint32_t blocks = work_pick(w, 2, 120, 1024), n = blocks * block;
    uint32_t *in = work_host(w, n, sizeof *in), *out = work_host(w, n, sizeof *out);
    for (uint32_t i = 0; i < n; i++) {
        in[i] = work_random(w);
        out[i] = reference(in[i], i % block);
    }
    uint64_t din = work_input(w, "in", in, n * sizeof *in), dout = work_buffer(w, "out", n * sizeof *out);
    WORK_LAUNCH(w, kernel, WORK_SHAPE(.grid = {blocks}, .block = {block}), hd_arg_ptr(dout), hd_arg_ptr(din));
    work_check_u32(w, "out", dout, out, n);
}
