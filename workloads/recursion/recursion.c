/* A tree walked by recursion, here with a stack of its own: what is pushed last is walked first. */
#include "workloads/flow.h"

struct visit {
    uint32_t x, depth;
    char letter; /* from the parent; 0: the root */
};

static uint32_t reference(uint32_t x, uint32_t thread) {
    (void)thread;
    struct visit stack[16] = {{x, 4, 0}};
    uint32_t path = 0;
    for (int n = 1; n > 0;) {
        struct visit v = stack[--n];
        if (v.letter) path = flow_step(path, v.letter);
        path = flow_step(path, 'A');
        if (v.depth && v.x & 2) stack[n++] = (struct visit){v.x >> 5, v.depth - 1, 'R'};
        if (v.depth && v.x & 1) stack[n++] = (struct visit){v.x >> 2, v.depth - 1, 'L'};
    }
    return flow_step(path, 'Z');
}

void work_recursion(struct work *w) {
    flow_run(w, "recursion", 64, reference);
}
