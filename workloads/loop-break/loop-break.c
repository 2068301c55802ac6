/* The loop with a break of the multi-path slides. A digit of the input in base 8 decides each round. */
#include "workloads/flow.h"

static uint32_t reference(uint32_t x, uint32_t thread) {
    (void)thread;
    uint32_t path = 0;
    for (uint32_t k = 0; k < 10; k++) {
        path = flow_step(path, 'A');
        if (x % 8 == 0) {
            path = flow_step(path, 'B');
            for (uint32_t j = 0; j < 8; j++) path = (path ^ path >> 3) * 5 + j;
            break;
        }
        path = flow_step(path, 'C');
        x = x >> 3 | x << 29;
    }
    return flow_step(path, 'D');
}

void work_loop_break(struct work *w) {
    flow_run(w, "loop_break", 128, reference);
}
