/* The Mandelbrot set around its main body, in tiles of 16 x 16. The CPU computes in single precision in the same order, so that
 * the counts are exact. */
#include "workloads/workload.h"

static const float left = -2.0f, top = -1.25f;

static uint32_t escape(float cr, float ci, uint32_t limit) {
    float r = 0, i = 0;
    uint32_t k = 0;
    for (; k < limit && r * r + i * i <= 4; k++) {
        float next = r * r - i * i + cr;
        i = 2 * r * i + ci;
        r = next;
    }
    return k;
}

void work_mandelbrot(struct work *w) {
    uint32_t side = work_pick(w, 32, 128, 512), limit = work_pick(w, 32, 256, 512);
    float pitch = 2.5f / (float)side;
    uint32_t *want = work_host(w, side * side, sizeof *want);
    for (uint32_t y = 0; y < side; y++)
        for (uint32_t x = 0; x < side; x++)
            want[y * side + x] = escape(left + (float)x * pitch, top + (float)y * pitch, limit);
    uint64_t out = work_buffer(w, "out", side * side * sizeof *want);
    WORK_LAUNCH(w, "mandelbrot", WORK_SHAPE(.grid = {side / 16, side / 16}, .block = {16, 16}),
                hd_arg_ptr(out), hd_arg_u32(side), hd_arg_f32(left), hd_arg_f32(top), hd_arg_f32(pitch),
                hd_arg_u32(limit));
    work_check_u32(w, "out", out, want, side * side);
}
