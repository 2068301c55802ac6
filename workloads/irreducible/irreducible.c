/* A loop entered at two places: letters B and C alternate from either. */
#include "workloads/flow.h"

static uint32_t reference(uint32_t x, uint32_t thread) {
    (void)thread;
    uint32_t path = flow_step(0, 'A'), count = 2 + (x >> 1) % 7;
    for (uint32_t k = 0; k < count; k++) path = flow_step(path, (k + (x & 1)) % 2 ? 'C' : 'B');
    return flow_step(path, 'D');
}

void work_irreducible(struct work *w) {
    flow_run(w, "irreducible", 128, reference);
}
