/* Haar wavelet transform in one dimension (SL Table 3, of the CUDA examples: 9366 warp instructions, which is no more than a block
 * or a few can run: ours at size paper is a signal of 1024 samples in one block of 512 threads, with 3045 of them, and so smaller
 * than small). Longer signals, as at the other sizes, take one more launch for the averages that the blocks leave, and so on; their
 * blocks have 64 threads, in which the last levels, those that split warps, weigh more. Within a launch half of the threads are
 * idle after each level. The CPU computes level by level over the whole signal, with the same operations: the check is exact. */
#include <string.h>

#include "workloads/workload.h"

static const float scale = 0x1.6a09e6p-1f;

/* Leaves the mean first, then the details of the levels, the finest last. */
static void decompose(struct work *w, float *v, uint32_t n) {
    float *t = work_host(w, n, sizeof *t);
    for (; n > 1; n /= 2) {
        for (uint32_t i = 0; i < n / 2; i++) {
            t[i] = (v[2 * i] + v[2 * i + 1]) * scale;
            t[n / 2 + i] = (v[2 * i] - v[2 * i + 1]) * scale;
        }
        memcpy(v, t, n * sizeof *v);
    }
}

void work_dwt(struct work *w) {
    const uint32_t n = work_pick(w, 1024, 65536, 1024), most = work_pick(w, 64, 64, 512);
    float *v = work_host(w, n, sizeof *v);
    for (uint32_t i = 0; i < n; i++) v[i] = work_uniform(w, -1, 1);
    uint64_t signal = work_input(w, "signal", v, n * sizeof *v);
    uint64_t averages = work_buffer(w, "averages", n * sizeof *v),
             coefficients = work_buffer(w, "coefficients", n * sizeof *v);
    for (uint32_t left = n; left > 1;) {
        const uint32_t block = left / 2 < most ? left / 2 : most, blocks = left / 2 / block;
        WORK_LAUNCH(w, "dwt", WORK_SHAPE(.grid = {blocks}, .block = {block}), hd_arg_ptr(coefficients),
                    hd_arg_ptr(averages), hd_arg_ptr(signal), hd_arg_u32(left));
        uint64_t used = signal;
        signal = averages;
        averages = used;
        left = blocks;
    }
    decompose(w, v, n);
    work_check_f32(w, "mean", signal, v, 1, 0, 0);
    work_check_f32(w, "details", coefficients + sizeof *v, v + 1, n - 1, 0, 0);
}
