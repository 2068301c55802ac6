/* A spin lock around a counter: every thread must have been in the critical section, alone. Mechanisms that do not let diverged
 * threads progress never end it; the simulator says so. */
#include "workloads/flow.h"

void work_spin_lock(struct work *w) {
    uint32_t blocks = work_pick(w, 1, 4, 16), block = 64, n = blocks * block;
    uint32_t *path = work_host(w, n, sizeof *path);
    uint64_t lock = work_buffer(w, "lock", 4), count = work_buffer(w, "count", 4),
             out = work_buffer(w, "out", 4 * n);
    WORK_LAUNCH(w, "spin_lock", WORK_SHAPE(.grid = {blocks}, .block = {block}), hd_arg_ptr(lock),
                hd_arg_ptr(count), hd_arg_ptr(out));
    for (uint32_t i = 0; i < n; i++) path[i] = flow_step(flow_step(0, 'A'), 'B');
    work_check_u32(w, "count", count, &n, 1);
    work_check_u32(w, "out", out, path, n);
}
