/* Matrix transpose, naive and tiled (SL Table 3, of the CUDA examples: 1835008 and 2752512 warp instructions). 28 and 42
 * instructions of 32768 warps, twice, are those numbers: a million elements, 256 by 4096, in blocks of 16 x 16, and a launch
 * to warm up that is left out here. Values are only moved: the check is exact. */
#include "workloads/workload.h"

enum { TILE = 16 };

void work_transpose(struct work *w) {
    const uint32_t width = work_pick(w, 32, 128, 256), height = work_pick(w, 48, 512, 4096),
                   n = width * height;
    float *from = work_host(w, n, sizeof *from), *to = work_host(w, n, sizeof *to);
    for (uint32_t i = 0; i < n; i++) from[i] = work_uniform(w, -1, 1);
    uint64_t source = work_input(w, "matrix", from, n * sizeof *from);
    uint64_t naive = work_buffer(w, "naive", n * sizeof *to), tiled = work_buffer(w, "tiled", n * sizeof *to);
    WORK_LAUNCH(w, "transpose_naive",
                WORK_SHAPE(.grid = {width / TILE, height / TILE}, .block = {TILE, TILE}), hd_arg_ptr(naive),
                hd_arg_ptr(source), hd_arg_u32(width), hd_arg_u32(height));
    WORK_LAUNCH(w, "transpose_tiled",
                WORK_SHAPE(.grid = {width / TILE, height / TILE}, .block = {TILE, TILE}), hd_arg_ptr(tiled),
                hd_arg_ptr(source), hd_arg_u32(width), hd_arg_u32(height));
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) to[x * height + y] = from[y * width + x];
    work_check_f32(w, "naive", naive, to, n, 0, 0);
    work_check_f32(w, "tiled", tiled, to, n, 0, 0);
}
