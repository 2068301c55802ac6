/* Barriers inside branches that are the same for the whole block; odd and even blocks take different ones. The illegal kernel of
 * the same file never ends, and is for the test that wants to see it diagnosed. */
#include "workloads/flow.h"

enum { BLOCK = 128 };

static void exchange(uint32_t *path, uint32_t distance) {
    uint32_t turn[BLOCK];
    for (uint32_t t = 0; t < BLOCK; t++) turn[t] = path[t];
    for (uint32_t t = 0; t < BLOCK; t++) path[t] += turn[(t + distance) % BLOCK];
}

static void reference(uint32_t *path, uint32_t block) {
    for (uint32_t round = 0; round < (block & 1 ? 1 : 3); round++) {
        for (uint32_t t = 0; t < BLOCK; t++)
            path[t] = flow_step(path[t], block & 1 ? 'A' : path[t] >> round & 1 ? 'B' : 'C');
        exchange(path, block & 1 ? 1 : 33);
    }
    for (uint32_t t = 0; t < BLOCK; t++) path[t] = flow_step(path[t], 'D');
}

void work_barrier_in_branch(struct work *w) {
    uint32_t blocks = work_pick(w, 2, 120, 1024), n = blocks * BLOCK;
    uint32_t *path = work_host(w, n, sizeof *path);
    for (uint32_t i = 0; i < n; i++) path[i] = work_random(w);
    uint64_t in = work_input(w, "in", path, n * sizeof *path), out = work_buffer(w, "out", n * sizeof *path);
    WORK_LAUNCH(w, "barrier_legal", WORK_SHAPE(.grid = {blocks}, .block = {BLOCK}), hd_arg_ptr(out),
                hd_arg_ptr(in));
    for (uint32_t b = 0; b < blocks; b++) reference(path + b * BLOCK, b);
    work_check_u32(w, "out", out, path, n);
}
