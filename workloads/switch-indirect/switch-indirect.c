/* A switch through a table of labels, four times a thread. */
#include "workloads/flow.h"

static uint32_t one(uint32_t path, uint32_t x, uint32_t k) {
    uint32_t way = x % 8;
    path = flow_step(path, (char)('A' + way));
    if (way == 3) path = flow_step(path, 'E');
    return way == 1               ? path ^ path >> 3
           : way == 2             ? path + k
           : way == 3 || way == 4 ? path * 3
           : way == 5             ? path - x
           : way == 6             ? path ^ x
                                  : path;
}

static uint32_t reference(uint32_t x, uint32_t thread) {
    (void)thread;
    uint32_t path = 0;
    for (uint32_t k = 0; k < 4; k++, x >>= 3) path = one(path, x, k);
    return path;
}

void work_switch_indirect(struct work *w) {
    flow_run(w, "switch_indirect", 128, reference);
}
