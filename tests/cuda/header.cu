// Every row of header.def; the results as 64 bits each.
// heddle: --grid 4 --block 64 --arg 'buf:u64[2048]=rand(27)' --arg 'buf:u64[2048]' --arg 'buf:u64[131072]'
#include <cstring>
#include "intrinsics.h"

__constant__ float table[4] = {0, 1.5f, 3, 4.5f};

#define ARCH __CUDA_ARCH__
#ifndef __clang__ // the only one that nvcc has not
#define __nvvm_get_smem_pointer(p) __nv_cvta_generic_to_shared_impl(p)
#endif
#define BITS2(T) __device__ static inline ull bits(T##2 v) { return bits(v.x) + 3 * bits(v.y); }
#define BITS4(T) BITS2(T) __device__ static inline ull bits(T##4 v) { return bits(v.x) + 3 * bits(v.y) + 5 * bits(v.z) + 7 * bits(v.w); }
BITS4(char)
BITS4(uchar)
BITS4(short)
BITS4(ushort)
BITS4(int)
BITS4(uint)
BITS4(float)
BITS2(longlong)
BITS2(ulonglong)
BITS2(double)
#define SPACE(name, T, letter, size, space)                                                 \
    __device__ static inline T read_##name(size_t address) {                                \
        T value;                                                                            \
        asm volatile("ld." space "." size " %0, [%1];" : letter(value) : "l"(address) : "memory"); \
        return value;                                                                       \
    }                                                                                       \
    __device__ static inline size_t name##_address(const void *generic) {                   \
        size_t address;                                                                     \
        asm volatile("cvta.to." space ".u64 %0, %1;" : "=l"(address) : "l"(generic));       \
        return address;                                                                     \
    }
SPACE(shared, unsigned, "=r", "u32", "shared")
SPACE(global, unsigned, "=r", "u32", "global")
SPACE(local, unsigned, "=r", "u32", "local")
SPACE(constant, float, "=f", "f32", "const")
__device__ static inline void copies_done() { asm volatile("cp.async.wait_all;" ::: "memory"); }

extern "C" __global__ void header(const ull *cells, ull *sums, ull *out) {
    __shared__ unsigned shared[BLOCK];
    __shared__ __align__(16) unsigned char stage[BLOCK][16];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned at = threadIdx.x, lane = at % warpSize, part = 0x49249249u << lane % 3;
    const thread mine(i);
    const unsigned u = mine.u, v = mine.v;
    const int s = mine.s;
    const ull a = mine.a;
    const ll p = mine.p;
    const float f = mine.f, g = mine.g, h = mine.h;
    const double d = mine.d;
    volatile unsigned mine_too[4];
    int n = 0;
    const ull *cell = cells + i * 8;
    ull *sum = sums + i * 8;
#define I(device, host) out[i] = bits(device), out += THREADS;
#include "header.def"
#undef I
}
