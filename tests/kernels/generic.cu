/* Generic addressing: one pointer that is shared, local, global or constant by thread; globals that hold addresses. */
#include "cuda.h"

__device__ int cells[4] = {100, 200, 300, 400};
__device__ int *const cell_pointers[4] = {&cells[3], &cells[2], &cells[1], &cells[0]};
__constant__ int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
__constant__ float offset = 0.5f;
__device__ int counter = 5;
__device__ const char words[] = "warp and weft";

__device__ __noinline int read(const int *p) { return *p; }
__device__ __noinline void bump(int *p, int by) { *p += by; }

KERNEL mixed(int *out, int *scratch) {
    __shared__ int s[64];
    int local[4];
    uint i = threadIdx.x;
    for (int k = 0; k < 4; k++) local[k] = (int)i + k;
    s[i] = (int)i * 10;
    scratch[i] = (int)i * 1000;
    __syncthreads();
    int *p = i % 3 == 0 ? &s[i] : i % 3 == 1 ? &local[i % 4] : &scratch[i];
    bump(p, 1);
    int kind = (__nvvm_isspacep_shared(p) ? 1 : 0) | (__nvvm_isspacep_local(p) ? 2 : 0) |
               (__nvvm_isspacep_global(p) ? 4 : 0) | (__nvvm_isspacep_const(p) ? 8 : 0);
    __syncthreads();
    out[i] = read(p) * 16 + kind;
    bump(&s[i], local[i % 4]);
    out[i + 64] = s[i] + read(&primes[i % 8]) + scratch[i];
}

KERNEL symbols(int *out) {
    uint i = threadIdx.x;
    out[i] = *cell_pointers[i % 4] + primes[i % 8] + (int)(offset * 4) + words[i % 13];
    if (i == 0) counter *= 3;
}

/* parameters: a struct by value, indexed where the compiler cannot know; narrow types */
struct box {
    char tag;
    short shorts[3];
    double d;
    uchar bytes[5];
    float2 pair;
};
KERNEL params(double *out, box b, signed char c, ushort u, bool flag, s64 wide) {
    uint i = threadIdx.x;
    double v = b.tag + b.shorts[i % 3] + b.d + b.bytes[i % 5] + b.pair.x * b.pair.y;
    out[i] = v + c + u + (flag ? 0.25 : 0) + (double)wide;
}

KERNEL vectors(float4 *out, const float4 *in, const uint4 *u, const double2 *d) {
    uint i = global_id();
    float4 v = in[i];
    uint4 w = u[i];
    double2 e = d[i];
    out[i] = {v.w + (float)w.x, v.z + (float)w.y, v.y + (float)(w.z ^ w.w), v.x + (float)(e.x - e.y)};
}

/* every access happens, in order */
KERNEL volatiles(volatile int *p, int *out) {
    uint i = global_id();
    p[i] = 1;
    p[i] += (int)i;
    int a = p[i];
    p[i] = a * 2;
    out[i] = a + p[i];
}
