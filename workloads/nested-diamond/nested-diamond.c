/* An if-else inside one side of an if-else (DWF Figure 3.1). */
#include "workloads/flow.h"

static uint32_t reference(uint32_t x, uint32_t thread) {
    (void)thread;
    const char *way = x % 4 == 0 ? "AFG" : x & 16 ? "ABCEG" : "ABDEG";
    uint32_t path = 0;
    while (*way) path = flow_step(path, *way++);
    return path;
}

void work_nested_diamond(struct work *w) {
    flow_run(w, "nested_diamond", 128, reference);
}
