/* Dyadic convolution by fast Walsh transforms. HARP Table 5: 6x(32) blocks of 256 threads, 3x(16) of 512, 1x(128) of 512. That
 * is three transforms (data, kernel, back) of 2^15 values: two radix-4 passes over global memory and one launch whose blocks
 * finish 2^11 values in shared memory, for each; and one product of the spectra, where half of the threads find no value left.
 * SL Table 3 has the same three kernels and more values. Small is the same as paper. Ours: random data, a kernel of 128 values.
 * The CPU convolves by the definition in double precision. Rounding in the transforms grows with the root of the spectrum's
 * energy, not with the single result, so that the tolerance is absolute: results are sums of 128 products of unit size. */
#include "workloads/workload.h"

enum { KERNEL_N = 128, MODULATE_BLOCK = 512, MODULATE_GRID = 128 };

struct shape {
    /* log2 of the array's size, and of the part that a block transforms in shared memory. */
    uint32_t bits, shared_bits;
    uint32_t block; /* threads of a block in the passes over global memory */
};

static void transform(struct work *w, const struct shape *s, uint64_t data) {
    uint32_t n = 1u << s->bits, part = 1u << s->shared_bits;
    for (uint32_t stride = n / 4; 4 * stride > part; stride /= 4)
        WORK_LAUNCH(w, "walsh_global", WORK_SHAPE(.grid = {n / 4 / s->block}, .block = {s->block}),
                    hd_arg_ptr(data), hd_arg_ptr(data), hd_arg_u32(stride));
    WORK_LAUNCH(w, "walsh_shared",
                WORK_SHAPE(.grid = {n / part}, .block = {part / 4}, .shared_bytes = part * sizeof(float)),
                hd_arg_ptr(data), hd_arg_ptr(data), hd_arg_u32(s->shared_bits));
}

/* want[i] = sum of data[j] * kernel[i ^ j] */
static void convolve(float *want, const float *data, const float *kernel, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        double sum = 0;
        for (uint32_t k = 0; k < KERNEL_N; k++) sum += (double)data[i ^ k] * (double)kernel[k];
        want[i] = (float)sum;
    }
}

void work_fwal(struct work *w) {
    struct shape s = {work_pick(w, 9, 15, 15), work_pick(w, 7, 11, 11), work_pick(w, 64, 256, 256)};
    uint32_t n = 1u << s.bits;
    uint32_t grid = work_pick(w, 4, MODULATE_GRID, MODULATE_GRID),
             block = work_pick(w, 64, MODULATE_BLOCK, MODULATE_BLOCK);
    float *data = work_host(w, n, sizeof *data), *kernel = work_host(w, n, sizeof *kernel);
    float *want = work_host(w, n, sizeof *want);
    for (uint32_t i = 0; i < n; i++) data[i] = work_uniform(w, -1, 1);
    for (uint32_t i = 0; i < KERNEL_N; i++) kernel[i] = work_uniform(w, -1, 1);
    uint64_t ddata = work_input(w, "data", data, n * sizeof *data);
    uint64_t dkernel = work_input(w, "kernel", kernel, n * sizeof *kernel);
    transform(w, &s, ddata);
    transform(w, &s, dkernel);
    WORK_LAUNCH(w, "modulate", WORK_SHAPE(.grid = {grid}, .block = {block}), hd_arg_ptr(ddata),
                hd_arg_ptr(dkernel), hd_arg_u32(n));
    transform(w, &s, ddata);
    convolve(want, data, kernel, n);
    work_check_f32(w, "data", ddata, want, n, 0, 1e-4);
}
