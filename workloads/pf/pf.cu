// The resampling step of a particle filter: each particle's parent, by a linear search in the distribution (HARP: Particle Filter).
#include "cuda.h"

struct particles {
    double *x, *y;
};

// The first particle up to which the shares sum to the draw; the last if none does.
DEVICE int choose_parent(const double *cdf, int count, double draw) {
    int parent = -1;
#pragma unroll 1
    for (int i = 0; i < count; i++) {
        if (cdf[i] >= draw) {
            parent = i;
            break;
        }
    }
    return parent < 0 ? count - 1 : parent;
}

KERNEL pf(particles now, particles before, const double *cdf, const double *draws, int count) {
    int i = global_id();
    if (i >= count) return;
    int parent = choose_parent(cdf, count, draws[i]);
    now.x[i] = before.x[parent];
    now.y[i] = before.y[parent];
}
