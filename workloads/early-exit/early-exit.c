/* Early returns: at once, in any round of a loop, or at the end. */
#include "workloads/flow.h"

static uint32_t reference(uint32_t x, uint32_t thread) {
    (void)thread;
    uint32_t path = flow_step(0, 'A');
    if (x % 4 == 0) return flow_step(path, 'B');
    for (uint32_t k = 0; k < 6; k++) {
        path = flow_step(path, 'C');
        if ((x >> 2 * k) % 4 == 1) return flow_step(path, 'D') + k;
    }
    return flow_step(path, 'E');
}

void work_early_exit(struct work *w) {
    flow_run(w, "early_exit", 128, reference);
}
