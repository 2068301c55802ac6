// A whole program: host code that a kernel's file may have, two kernels of one name, a template, printf, assert, malloc.
#include <assert.h>
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>
#include <vector>

namespace outer {
template <class T> __global__ void fill(T *out, T value) { out[threadIdx.x] = value; }
__global__ void scale(float *out, float by) { out[threadIdx.x] *= by; }
} // namespace outer
__global__ void scale(float *out, int by) { out[threadIdx.x] *= (float)by; }

__global__ void talk(int *out, int n) {
    assert(n > 0);
    int *mine = (int *)malloc(sizeof *mine);
    *mine = n;
    if (threadIdx.x == 0) printf("%d of %d, %.2f %s\n", *mine, blockDim.x, 0.5, "words");
    out[threadIdx.x] = *mine;
    free(mine);
}

int main() {
    std::vector<float> host(64, 1.0f);
    float *device;
    cudaDeviceProp about;
    if (cudaGetDeviceProperties(&about, 0) == cudaSuccess) printf("%s, %d SMs\n", about.name, about.multiProcessorCount);
    if (cudaMalloc(&device, host.size() * sizeof(float)) != cudaSuccess) return 1;
    outer::fill<<<1, 64>>>(device, 2.0f);
    outer::fill<int><<<1, 64>>>((int *)device, 2);
    scale<<<dim3(1), dim3(64)>>>(device, 3);
    outer::scale<<<1, 64, 0>>>(device, 3.0f);
    cudaMemcpy(host.data(), device, host.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return std::max(0, (int)host[0] - 18);
}
