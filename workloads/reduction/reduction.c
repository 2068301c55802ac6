/* Sum of an array (SL Table 3: kernels reduce6, 318 M instructions, and reduce5, 3900). The first pass leaves one sum for each of
 * its 64 blocks, to which a thread brings elements from all over the array; the second, one block of one warp, adds those. The
 * paper gives no launch: from its counts the second kernel ran with one warp, 100 times over, and the first on about 2^24
 * elements; ours run once. Integers, which wrap around: the check is exact. */
#include "workloads/workload.h"

void work_reduction(struct work *w) {
    uint32_t n = work_pick(w, 10000, 1u << 19, 1u << 24), blocks = work_pick(w, 16, 64, 64),
             threads = work_pick(w, 64, 256, 256);
    uint32_t *in = work_host(w, n, sizeof *in), *partial = work_host(w, blocks, sizeof *partial), sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        in[i] = work_random(w);
        partial[i / (2 * threads) % blocks] += in[i];
        sum += in[i];
    }
    uint64_t d_in = work_input(w, "in", in, n * sizeof *in);
    uint64_t d_partial = work_buffer(w, "partial", blocks * sizeof *partial);
    uint64_t d_sum = work_buffer(w, "sum", sizeof sum);
    WORK_LAUNCH(w, "reduce_many", WORK_SHAPE(.grid = {blocks}, .block = {threads}), hd_arg_ptr(d_partial),
                hd_arg_ptr(d_in), hd_arg_u32(n));
    WORK_LAUNCH(w, "reduce_two", WORK_SHAPE(.grid = {1}, .block = {32}), hd_arg_ptr(d_sum),
                hd_arg_ptr(d_partial), hd_arg_u32(blocks));
    work_check_u32(w, "partial", d_partial, partial, blocks);
    work_check_u32(w, "sum", d_sum, &sum, 1);
}
