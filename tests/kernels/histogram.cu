/* Histograms: private counts in shared memory, merged by global atomics; and straight into global memory. */
#include "cuda.h"

enum { BINS = 64 };

KERNEL histogram_shared(uint *bins, const uchar *in, uint n) {
    __shared__ uint local[BINS];
    for (uint b = threadIdx.x; b < BINS; b += blockDim.x) local[b] = 0;
    __syncthreads();
    for (uint i = global_id(); i < n; i += gridDim.x * blockDim.x) atomic_add(&local[in[i] % BINS], 1u);
    __syncthreads();
    for (uint b = threadIdx.x; b < BINS; b += blockDim.x) atomic_add(&bins[b], local[b]);
}

KERNEL histogram_global(u64 *bins, const uchar *in, uint n) {
    for (uint i = global_id(); i < n; i += gridDim.x * blockDim.x) atomic_add(&bins[in[i] % BINS], (u64)in[i]);
}

/* Every atomic on one cell per operation; each result does not depend on the order. */
KERNEL atomics(uint *cell, u64 *wide, float *f, double *d) {
    uint i = global_id();
    atomic_add(&cell[0], i);
    atomic_min(&cell[1], 1000 - i);
    atomic_max(&cell[2], i * 3);
    atomic_min((int *)&cell[3], 100 - (int)i);
    atomic_max((int *)&cell[4], (int)i - 1000);
    atomic_and(&cell[5], ~(1u << (i & 15)));
    atomic_or(&cell[6], 1u << (i & 31));
    atomic_xor(&cell[7], i * 0x01010101u);
    atomic_inc(&cell[8], 9);
    atomic_dec(&cell[9], 6);
    atomic_add(&wide[0], (u64)i << 32);
    atomic_max(&wide[1], (u64)i * i);
    atomic_min((s64 *)&wide[2], -(s64)i << 33);
    atomic_add(f, (float)i);
    atomic_add(d, 0.25);
    /* add by compare-and-swap: every thread must succeed exactly once */
    for (int old = (int)cell[10];;) {
        int seen = atomic_cas((int *)&cell[10], old, old + 2);
        if (seen == old) break;
        old = seen;
    }
    for (u64 old = wide[3];;) {
        u64 seen = atomic_cas(&wide[3], old, old * 3 + 1);
        if (seen == old) break;
        old = seen;
    }
    if (atomic_exch((int *)&cell[11], 1) == 0) atomic_add(&cell[12], 1u);
}
