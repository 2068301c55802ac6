/* A kernel without an effect: what a launch costs when nothing is done. */
#include "workloads/workload.h"

void work_empty_kernel(struct work *w) {
    uint32_t blocks = work_pick(w, 4, 240, 4096), marker = 0x5eed;
    uint64_t untouched = work_input(w, "untouched", &marker, sizeof marker);
    WORK_LAUNCH(w, "empty_kernel", WORK_SHAPE(.grid = {blocks}, .block = {256}), hd_arg_ptr(untouched));
    work_check_u32(w, "untouched", untouched, &marker, 1);
}
