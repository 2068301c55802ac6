/* A grid of one block of one thread: everything is latency. The CPU takes divisors by subtraction instead of division. */
#include "workloads/workload.h"

static uint32_t divisor(uint32_t a, uint32_t b) {
    while (a != b) {
        if (a > b)
            a -= b;
        else
            b -= a;
    }
    return a;
}

void work_one_thread(struct work *w) {
    uint32_t n = work_pick(w, 12, 48, 128), sum = 0;
    uint32_t *list = work_host(w, n, sizeof *list);
    for (uint32_t i = 0; i < n; i++) list[i] = 1 + work_below(w, 4000);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < i; j++) sum += divisor(list[i], list[j]);
    uint64_t in = work_input(w, "list", list, n * sizeof *list), out = work_buffer(w, "sum", sizeof sum);
    WORK_LAUNCH(w, "one_thread", WORK_SHAPE(.grid = {1}, .block = {1}), hd_arg_ptr(out), hd_arg_ptr(in),
                hd_arg_u32(n));
    work_check_u32(w, "sum", out, &sum, 1);
}
