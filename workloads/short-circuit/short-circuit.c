/* Short-circuit evaluation whose parts have effects. */
#include "workloads/flow.h"

static uint32_t flow_letters(const char *way) {
    uint32_t path = 0;
    while (*way) path = flow_step(path, *way++);
    return path;
}

static uint32_t reference(uint32_t x, uint32_t thread) {
    /* by bits d c b a of the input */
    static const char *const way[16] = {"ACNZ", "ABCNZ", "ACNZ", "ABYZ", "ACDNZ", "ABCDNZ", "ACDNZ", "ABYZ",
                                        "ACNZ", "ABCNZ", "ACNZ", "ABYZ", "ACDYZ", "ABCDYZ", "ACDYZ", "ABYZ"};
    (void)thread;
    return flow_letters(way[x % 16]) + (way[x % 16][0] && ((x & 3) == 3 || (x & 12) == 12));
}

void work_short_circuit(struct work *w) {
    flow_run(w, "short_circuit", 128, reference);
}
