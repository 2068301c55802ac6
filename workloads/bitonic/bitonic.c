/* Bitonic sort (DWF Table 5.3: the CUDA example, extended to large arrays by not using shared memory; high divergence). Stages
 * that fit into a block run in one launch with a barrier after each step ("frequent barrier synchronizations that ensure loop
 * iterations execute in lock-step", 3.3); each step of a later stage is a launch of its own.
 *
 * At each step one thread of a pair works and the other does not: at distance 1 the even and the odd ones, the dependence
 * that thread swizzling is for (4.1). The thesis gives the number of threads (12288) but not the array. Ours: three arrays
 * of random numbers, because 12288 is three times a power of two; one element a thread. Fitted to Tables 6.1 to 6.3 under
 * PDOM (DRAM busy for 50.9 %, misses 21.3 % with and 3.9 % without hits on lines that are on their way; ours 58.7, 21.6 and
 * 3.3 on 4 SMs and 2 channels, 50.9, 21.6 and 3.3 on the whole machine): 64-bit numbers, as the 5.5 accesses to a line that
 * is missed suggest; blocks of a warp, and a launch for each step of later stages, because caches are empty after a launch
 * (2.2). In the last stage the bit of the index that says up or down is that of the array's number: odd arrays end up
 * descending. Integers: the check is exact. */
#include <stdlib.h>

#include "workloads/workload.h"

static int ascending(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void sort(uint64_t *v, uint32_t n, bool up) {
    qsort(v, n, sizeof *v, ascending);
    for (uint32_t i = 0; !up && i < n / 2; i++) {
        uint64_t t = v[i];
        v[i] = v[n - 1 - i];
        v[n - 1 - i] = t;
    }
}

void work_bitonic(struct work *w) {
    const uint32_t arrays = work_pick(w, 2, 3, 3), length = work_pick(w, 128, 4096, 4096),
                   block = work_pick(w, 32, 32, 32), n = arrays * length, blocks = n / block;
    uint64_t *v = work_host(w, n, sizeof *v);
    for (uint32_t i = 0; i < n; i++) v[i] = (uint64_t)work_random(w) << 32 | work_random(w);
    uint64_t dv = work_input(w, "array", v, n * sizeof *v);
    WORK_LAUNCH(w, "sort_blocks", WORK_SHAPE(.grid = {blocks}, .block = {block}), hd_arg_ptr(dv));
    for (uint32_t stage = 2 * block; stage <= length; stage *= 2)
        for (uint32_t distance = stage / 2; distance > 0; distance /= 2)
            WORK_LAUNCH(w, "step", WORK_SHAPE(.grid = {blocks}, .block = {block}), hd_arg_ptr(dv),
                        hd_arg_u32(stage), hd_arg_u32(distance));
    for (uint32_t a = 0; a < arrays; a++) sort(v + a * length, length, a % 2 == 0);
    work_check_u64(w, "array", dv, v, n);
}
