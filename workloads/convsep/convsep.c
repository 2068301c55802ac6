/* Separable convolution (SL Table 3, of the CUDA examples: 39260160 and 42946560 warp instructions of the row and the column
 * kernel). Those are five runs of 213 and 233 instructions over 36864 warps: an image of 3072 x 3072 with eight results a
 * thread, as here, in one run. Blocks of 16 x 4 threads for rows, 16 x 8 for columns, a radius of 8. Halos are uniform for 16
 * threads; warps diverge only where the image ends within a block, as it does at the other sizes. The CPU adds in the
 * kernel's order: the check is exact. */
#include "workloads/workload.h"

enum { RADIUS = 8, TAPS = 2 * RADIUS + 1, RESULTS = 8 };

/* Along x for a step of 1, along y for one of the width. */
static float weigh(const float *taps, const float *pixel, uint32_t at, uint32_t size, uint32_t step) {
    float sum = 0;
    for (uint32_t t = 0; t < TAPS; t++)
        if (at + t >= RADIUS && at + t < size + RADIUS)
            sum += taps[t] * pixel[((int64_t)t - RADIUS) * (int64_t)step];
    return sum;
}

static void convolve(float *to, float *between, const float *from, const float *taps, uint32_t width,
                     uint32_t height) {
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            between[y * width + x] = weigh(taps, from + y * width + x, x, width, 1);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            to[y * width + x] = weigh(taps, between + y * width + x, y, height, width);
}

static uint32_t blocks(uint32_t size, uint32_t each) {
    return (size + each - 1) / each;
}

void work_convsep(struct work *w) {
    const uint32_t width = work_pick(w, 44, 250, 3072), height = work_pick(w, 34, 126, 3072),
                   n = width * height;
    float taps[TAPS], *from = work_host(w, n, sizeof *from), *between = work_host(w, n, sizeof *between),
                      *to = work_host(w, n, sizeof *to);
    for (uint32_t t = 0; t < TAPS; t++) taps[t] = work_uniform(w, 0, 1.0f / TAPS);
    for (uint32_t i = 0; i < n; i++) from[i] = work_uniform(w, 0, 256);
    const uint64_t bytes = n * sizeof *from;
    uint64_t image = work_input(w, "image", from, bytes), rows = work_buffer(w, "rows", bytes),
             result = work_buffer(w, "result", bytes);
    work_write(w, work_symbol(w, "taps"), taps, sizeof taps);
    WORK_LAUNCH(w, "convolve_rows",
                WORK_SHAPE(.grid = {blocks(width, 16 * RESULTS), blocks(height, 4)}, .block = {16, 4}),
                hd_arg_ptr(rows), hd_arg_ptr(image), hd_arg_u32(width), hd_arg_u32(height));
    WORK_LAUNCH(w, "convolve_columns",
                WORK_SHAPE(.grid = {blocks(width, 16), blocks(height, 8 * RESULTS)}, .block = {16, 8}),
                hd_arg_ptr(result), hd_arg_ptr(rows), hd_arg_u32(width), hd_arg_u32(height));
    convolve(to, between, from, taps, width, height);
    work_check_f32(w, "rows", rows, between, n, 0, 0);
    work_check_f32(w, "result", result, to, n, 0, 0);
}
