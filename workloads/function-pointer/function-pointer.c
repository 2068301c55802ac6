/* Calls through a table of functions: three of them, three times. */
#include "workloads/flow.h"

static uint32_t call(uint32_t which, uint32_t path) {
    uint32_t rounds = which == 1   ? 8
                      : which == 2 ? 4
                                   : 0,
             shift = which == 1 ? 3 : 5, factor = which == 1 ? 5 : 3;
    path = flow_step(path, (char)('A' + which));
    for (uint32_t k = 0; k < rounds; k++) path = (path ^ path >> shift) * factor + k;
    return path;
}

static uint32_t reference(uint32_t x, uint32_t thread) {
    (void)thread;
    uint32_t path = 0;
    for (uint32_t k = 0; k < 3; k++, x >>= 4) path = flow_step(call(x % 3, path), 'Z');
    return path;
}

void work_function_pointer(struct work *w) {
    flow_run(w, "function_pointer", 128, reference);
}
