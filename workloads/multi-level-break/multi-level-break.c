/* Leaving two loops at once: a linear congruential sequence decides where. */
#include "workloads/flow.h"

static uint32_t reference(uint32_t x, uint32_t thread) {
    (void)thread;
    uint32_t path = 0;
    bool found = false;
    for (uint32_t row = 0; row < 4 && !found; row++) {
        bool cut = false;
        for (uint32_t column = 0; column < 4 && !found && !cut; column++) {
            path = flow_step(path, 'A');
            found = x % 8 == 0;
            cut = x % 8 == 1;
            x = x * 1664525u + 1013904223u;
            x ^= x >> 16;
            if (!found && !cut) path = flow_step(path, 'B');
        }
        if (!found) path = flow_step(path, 'C');
    }
    return flow_step(flow_step(path, found ? 'F' : 'N'), 'Z');
}

void work_multi_level_break(struct work *w) {
    flow_run(w, "multi_level_break", 128, reference);
}
