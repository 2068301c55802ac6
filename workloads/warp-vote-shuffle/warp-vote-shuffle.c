/* Votes and shuffles within the halves of a warp that a branch made: each thread reads from the next one of its own side. */
#include "workloads/flow.h"

enum { WARP = 32, BLOCK = 128 };

static uint32_t thread(const uint32_t *x, uint32_t lane) {
    uint32_t side = x[lane] & 1, next = lane, members = 0;
    bool all = true, any = false;
    do next = (next + 1) % WARP;
    while ((x[next] & 1) != side);
    for (uint32_t l = 0; l < WARP; l++) {
        if ((x[l] & 1) != side) continue;
        members++;
        all = all && x[l] & 2;
        any = any || (x[l] & 6) == 6;
    }
    uint32_t path = flow_step(0, side ? 'A' : 'C') + (side ? x[next] : x[next] >> 4);
    if (side ? all : any) path = flow_step(path, side ? 'B' : 'D');
    return flow_step(path, 'E') + members;
}

/* Half of the warps have bit 1 set in all inputs, so that both answers of the votes occur. */
void work_warp_vote_shuffle(struct work *w) {
    uint32_t blocks = work_pick(w, 2, 120, 1024), n = blocks * BLOCK;
    uint32_t *in = work_host(w, n, sizeof *in), *out = work_host(w, n, sizeof *out);
    for (uint32_t i = 0; i < n; i++) in[i] = work_random(w) | (i / WARP % 2 ? 2 : 0);
    for (uint32_t i = 0; i < n; i++) out[i] = thread(in + i / WARP * WARP, i % WARP);
    uint64_t din = work_input(w, "in", in, n * sizeof *in), dout = work_buffer(w, "out", n * sizeof *out);
    WORK_LAUNCH(w, "warp_vote_shuffle", WORK_SHAPE(.grid = {blocks}, .block = {BLOCK}), hd_arg_ptr(dout),
                hd_arg_ptr(din));
    work_check_u32(w, "out", dout, out, n);
}
