// only clang: nvcc has bfloat16 arithmetic for sm_80 alone
// Floats of 16 and 8 bits: the device computes what the host does, and both what a double rounded once gives.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

enum { N = 256, RESULTS = 8 };

template <class T> __host__ __device__ unsigned short bits(T x) {
    unsigned short u;
    memcpy(&u, &x, sizeof u);
    return u;
}
template <class T> __host__ __device__ void compute(T a, T b, unsigned short *out) {
    out[0] = bits(a + b);
    out[1] = bits(a - b);
    out[2] = bits(a * b);
    out[3] = bits(__hfma(a, b, a));
    out[4] = bits(__hmax(a, b));
    out[5] = (unsigned short)((a < b) + 2 * (a == b) + 4 * __hisnan(a));
    out[6] = bits(-a);
    out[7] = (unsigned short)(int)__nv_fp8_e4m3((float)a).__x;
}
template <class T> __global__ void on_device(const T *in, unsigned short *out) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    compute(in[i], in[(i * 7 + 3) % N], out + i * RESULTS);
}
template <class T, class T2> __global__ void pairs(const T2 *in, T2 *out) {
    const T2 a = in[threadIdx.x], b = in[(threadIdx.x + 1) % (N / 2)];
    out[threadIdx.x] = __hadd2(__hmul2(a, b), __hfma2(a, b, __hneg2(b)));
}
template <class T> __global__ void add_up(T *sum, T by) { atomicAdd(sum, by); }

static bool fine = true;
static void check(const char *type, const char *what, bool is) {
    printf("%s %s: %s\n", is ? "ok" : "not ok", type, what);
    fine = fine && is;
}

template <class T, class T2> static void test(const char *type, T one) {
    static T in[N], doubled[N];
    static unsigned short out[N * RESULTS], want[RESULTS];
    bool same = true, exact = true, both = true;
    for (int i = 0; i < N; i++) in[i] = (T)((float)((i * 37 % 101) - 50) * ldexpf(1, i % 9 - 4));
    T *device, *sum;
    unsigned short *results;
    cudaMalloc(&device, 2 * sizeof in);
    cudaMalloc(&results, sizeof out);
    cudaMemcpy(device, in, sizeof in, cudaMemcpyHostToDevice);
    on_device<<<N / 64, 64>>>(device, results);
    cudaMemcpy(out, results, sizeof out, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++) {
        const T a = in[i], b = in[(i * 7 + 3) % N];
        compute(a, b, want);
        same &= !memcmp(want, out + i * RESULTS, sizeof want);
        exact &= want[2] == bits((T)((double)(float)a * (double)(float)b));
        exact &= want[0] == bits((T)((double)(float)a + (double)(float)b));
    }
    check(type, "the device's bits are the host's", same);
    check(type, "sums and products are rounded once", exact);
    pairs<T, T2><<<1, N / 2>>>((T2 *)device, (T2 *)(device + N));
    cudaMemcpy(doubled, device + N, sizeof doubled, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++) {
        const T a = in[i], b = in[(i + 2) % N];
        both &= bits(doubled[i]) == bits(a * b + __hfma(a, b, -b));
    }
    check(type, "pairs", both);
    cudaMalloc(&sum, 2 * sizeof *sum);
    cudaMemset(sum, 0, 2 * sizeof *sum);
    add_up<<<2, 64>>>(sum + 1, one);
    T total[2];
    cudaMemcpy(total, sum, sizeof total, cudaMemcpyDeviceToHost);
    check(type, "atomicAdd of the upper half of a word", (float)total[1] == 128 && (float)total[0] == 0);
}

int main() {
    test<__half, __half2>("half", __half(1.0f));
    test<__nv_bfloat16, __nv_bfloat162>("bfloat16", __nv_bfloat16(1.0f));
    check("half", "65519 rounds down, 65520 to infinity",
          bits(__half(65519.0f)) == 0x7bff && bits(__half(65520.0f)) == 0x7c00 && bits(__float2half_rz(1e9f)) == 0x7bff);
    check("half", "the smallest subnormal, and half of it", bits(__half(5.9604645e-8f)) == 1 && bits(__half(2.9802322e-8f)) == 0);
    check("fp8", "448 is the largest e4m3, 57344 the largest e5m2",
          (float)__nv_fp8_e4m3(1000.0f) == 448 && (float)__nv_fp8_e5m2(1e6f) == 57344 && (float)__nv_fp8_e4m3(0.3f) == 0.3125f);
    return !fine;
}
