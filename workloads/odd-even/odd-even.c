/* Odd and even threads in turns (DWF Figure 3.3); the two sides are equally long. */
#include "workloads/flow.h"

static uint32_t reference(uint32_t path, uint32_t thread) {
    for (uint32_t round = 0; round < 16; round++) {
        uint32_t odd = (round + thread) & 1, shift = odd ? 3 : 5, factor = odd ? 5 : 3, add = odd ? 1 : 7;
        path = flow_step(path, odd ? 'A' : 'B');
        for (uint32_t k = 0; k < 8; k++) path = (path ^ path >> shift) * factor + add;
    }
    return path;
}

void work_odd_even(struct work *w) {
    flow_run(w, "odd_even", 128, reference);
}
