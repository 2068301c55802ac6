// Coulomb potential of point charges on one plane of a lattice, two points a thread (HARP Table 5).
#include "cuda.h"

#define ATOMS 256

__constant__ float4 atoms[ATOMS]; // x, y, distance from the plane squared, charge

KERNEL cp(float *energy, uint columns, uint count, float spacing) {
    uint x = blockIdx.x * (2 * blockDim.x) + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float px = spacing * (float)x, py = spacing * (float)y, apart = spacing * (float)blockDim.x;
    float first = 0, second = 0;
    for (uint i = 0; i < count; i++) {
        float4 a = atoms[i];
        float dy = py - a.y, rest = dy * dy + a.z, dx = px - a.x, dx2 = dx + apart;
        first += a.w * rsqrt_approx(dx * dx + rest);
        second += a.w * rsqrt_approx(dx2 * dx2 + rest);
    }
    float *at = energy + y * columns + x;
    at[0] += first;
    at[blockDim.x] += second;
}
