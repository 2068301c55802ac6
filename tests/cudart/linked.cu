// flags: -rdc=true $HERE/parts/linked.cu
// with calls
// Device code in two files: functions, variables and kernels of the other one, static ones of the same name in both.
#include <cstdio>
#include <cuda_runtime.h>

extern __device__ int twice(int x);
extern __device__ int total;
static __device__ volatile int mine = 5;
void add_there(int *data);

__global__ void here(int *data) {
    data[threadIdx.x] = twice(data[threadIdx.x]) + mine;
    atomicAdd(&total, 1);
}

int main() {
    int host[32], *device, sum = 0;
    for (int i = 0; i < 32; i++) host[i] = i;
    cudaMalloc(&device, sizeof host);
    cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
    here<<<1, 32>>>(device);
    add_there(device);
    cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++) sum += host[i] == 2 * i + 5 + 7 + 132;
    printf("%s device code of two files\n", sum == 32 ? "ok" : "not ok");
    return sum != 32;
}
