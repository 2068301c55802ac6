/* Unstructured joins by goto: three bits of the input choose among A [B] [C] [D] E. */
#include "workloads/flow.h"

static uint32_t mix(uint32_t path, uint32_t rounds, uint32_t shift, uint32_t factor) {
    for (uint32_t k = 0; k < rounds; k++) path = (path ^ path >> shift) * factor + k;
    return path;
}

static uint32_t reference(uint32_t x, uint32_t thread) {
    (void)thread;
    bool b = !(x & 1), c = !b || !(x & 2), d = !c || !(x & 4);
    uint32_t path = flow_step(0, 'A');
    if (b) path = mix(flow_step(path, 'B'), 4, 3, 5);
    if (c) path = mix(flow_step(path, 'C'), 8, 5, 3);
    if (d) path = mix(flow_step(path, 'D'), 8, 7, 7);
    return flow_step(path, 'E');
}

void work_goto_join(struct work *w) {
    flow_run(w, "goto_join", 128, reference);
}
