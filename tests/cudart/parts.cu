// flags: $HERE/parts/host.cpp $HERE/parts/plain.c -I$HERE/parts
// C and C++ files beside a file in CUDA C++, complex numbers, copies to shared memory, marks for profilers.
#include <cuComplex.h>
#include <cuda_pipeline.h>
#include <cuda_profiler_api.h>
#include <cstdio>
#include <cuda_runtime.h>
#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#endif

extern "C" int plain_devices(void);
float from_host(float *device, int n);

__global__ void reverse(const float *in, float *out) {
    __shared__ float all[256];
    __pipeline_memcpy_async(&all[threadIdx.x], &in[threadIdx.x], sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[threadIdx.x] = all[255 - threadIdx.x];
}
__global__ void complex_numbers(cuFloatComplex *z) {
    const cuFloatComplex a = z[threadIdx.x], two = make_cuFloatComplex(2, 0);
    z[threadIdx.x] = cuCaddf(cuCmulf(a, cuConjf(a)), cuCdivf(a, two));
}

int main() {
    float in[256], out[256], *device, *other;
    cuFloatComplex z[32], *dz;
    int fine = 1, good = 1;
    cudaProfilerStart();
    for (int i = 0; i < 256; i++) in[i] = (float)i;
    cudaMalloc(&device, sizeof in);
    cudaMalloc(&other, sizeof in);
    cudaMemcpy(device, in, sizeof in, cudaMemcpyHostToDevice);
    reverse<<<1, 256>>>(device, other);
    cudaMemcpy(out, other, sizeof out, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 256; i++) fine &= out[i] == in[255 - i];
    printf("%s copies to shared memory\n", fine ? "ok" : "not ok");
    for (int i = 0; i < 32; i++) z[i] = make_cuFloatComplex((float)i, (float)(i - 7));
    cudaMalloc(&dz, sizeof z);
    cudaMemcpy(dz, z, sizeof z, cudaMemcpyHostToDevice);
    complex_numbers<<<1, 32>>>(dz);
    cudaMemcpy(z, dz, sizeof z, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++) {
        const float x = (float)i, y = (float)(i - 7);
        good &= fabsf(cuCrealf(z[i]) - (x * x + y * y + x / 2)) < 0.01f && fabsf(cuCimagf(z[i]) - y / 2) < 0.01f;
    }
    printf("%s complex numbers\n", good ? "ok" : "not ok");
    const float sum = from_host(device, 256);
    printf("%s a C++ file and a C file\n", sum == 255 * 128 && plain_devices() == 1 ? "ok" : "not ok");
    return !(fine && good && sum == 255 * 128);
}
