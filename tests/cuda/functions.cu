// Every elementary function of tests/cuda/math.def at N points: single precision, then double, as doubles.
// heddle: --kernel math --grid 4 --block 128 --arg 'buf:f64[52224]'
enum { N = 512 };

__device__ double point(int i, double from, double to) { return from + (to - from) * (i + 0.5) / N; }

// The overload for float is the function for float.
__device__ float same(float x, float y) { return x == y ? x : 1e30f; }
__device__ float same(float, double) { return 1e30f; }

extern "C" __global__ void math(double *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = i * 5 % N;
#define F1(name, from, to, single, two)                         \
    out[i] = same(name##f((float)point(i, from, to)), name((float)point(i, from, to))), out += N; \
    out[i] = name(point(i, from, to)), out += N;
#define F2(name, from, to, single, two)                                                     \
    out[i] = same(name##f((float)point(i, from, to), (float)point(k, from, to)),            \
                  name((float)point(i, from, to), (float)point(k, from, to))),              \
    out += N;                                                                               \
    out[i] = name(point(i, from, to), point(k, from, to)), out += N;
#include "math.def"
}
