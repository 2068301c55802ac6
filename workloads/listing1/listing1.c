/* A call inside a divergent if (SL Listing 1): half of the threads call. */
#include "workloads/flow.h"

static uint32_t reference(uint32_t in, uint32_t thread) {
    (void)thread;
    uint32_t path = flow_step(in, 'A');
    if (in & 1) {
        path = flow_step(path, 'F');
        for (uint32_t k = 0; k < 8; k++) path = (path ^ path >> 5) * 3 + k;
    }
    path = flow_step(path, 'D');
    for (uint32_t k = 0; k < 16; k++) path = (path ^ path >> 3) * 5 + k;
    return path;
}

void work_listing1(struct work *w) {
    flow_run(w, "listing1", 128, reference);
}
