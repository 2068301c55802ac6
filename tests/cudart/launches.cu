// Launches in all forms, what is refused before a kernel starts, and what kernels print and allocate.
#include <cooperative_groups.h>

#include "check.h"

__global__ void place(int *out, int value) {
    if (threadIdx.x == 0) out[blockIdx.x] = value + blockIdx.x;
}
struct pair {
    double a;
    char b;
};
__global__ void mixed(char c, pair p, short s, int *out) { *out = c + (int)p.a + p.b + s; }
__global__ void __launch_bounds__(64) bounded(int *out) { out[threadIdx.x] = 1; }
__global__ void dynamic(int *out, int n) {
    extern __shared__ int mine[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) mine[i] = i;
    __syncthreads();
    if (threadIdx.x == 0) *out = mine[n - 1];
}
// A sum over all blocks, in steps that wait for one another.
__global__ void sum(int *data, int *out) {
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int width = gridDim.x * blockDim.x / 2; width; width /= 2) {
        if (i < width) data[i] += data[i + width];
        grid.sync();
    }
    if (i == 0) *out = data[0];
}
__global__ void prints(int i) { printf("device says %d %s %.2f\n", i, "and", 1.5); }
__global__ void allocates(int **where) {
    *where = (int *)malloc(64);
    (*where)[3] = 7;
}
__global__ void frees(int **where, int *out) {
    *out = (*where)[3];
    free(*where);
}

static int *out;
static int got(int i = 0) {
    int v;
    CALL(cudaMemcpy(&v, out + i, 4, cudaMemcpyDeviceToHost));
    return v;
}

static void forms() {
    int value = 20;
    void *args[] = {&out, &value};
    place<<<4, 32>>>(out, 10);
    CHECK(got() == 10 && got(3) == 13);
    CALL(cudaLaunchKernel((const void *)place, dim3(4), dim3(32), args, 0, 0));
    CHECK(got(2) == 22);
    value = 30;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(2);
    config.blockDim = dim3(32);
    CALL(cudaLaunchKernelExC(&config, (const void *)place, args));
    CHECK(got(1) == 31 && got(2) == 22);
    mixed<<<1, 1>>>('a', pair{3.0, 4}, -5, out);
    CHECK(got() == 'a' + 3 + 4 - 5);
    ok("forms of launches");
}

static void shared_memory() {
    enum { MORE = 56 << 10 };
    int limit;
    dynamic<<<1, 32, 4000>>>(out, 1000);
    CHECK(got() == 999);
    dynamic<<<1, 32, MORE>>>(out, MORE / 4);
    FAILS(cudaErrorInvalidValue, cudaGetLastError());
    CALL(cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    if (limit >= MORE) {
        CALL(cudaFuncSetAttribute((const void *)dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, MORE));
        dynamic<<<1, 32, MORE>>>(out, MORE / 4);
        CALL(cudaGetLastError());
        CHECK(got() == MORE / 4 - 1);
    }
    FAILS(cudaErrorInvalidValue,
          cudaFuncSetAttribute((const void *)dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, limit + 1));
    ok("dynamic shared memory");
}

static void refused() {
    cudaFuncAttributes a;
    place<<<0, 32>>>(out, 1);
    FAILS(cudaErrorInvalidConfiguration, cudaGetLastError());
    place<<<1, 1025>>>(out, 1);
    FAILS(cudaErrorInvalidConfiguration, cudaGetLastError());
    place<<<dim3(1, 65536), 1>>>(out, 1);
    FAILS(cudaErrorInvalidConfiguration, cudaGetLastError());
    place<<<1, dim3(1, 1, 65)>>>(out, 1);
    FAILS(cudaErrorInvalidConfiguration, cudaGetLastError());
    bounded<<<1, 65>>>(out);
    FAILS(cudaErrorLaunchOutOfResources, cudaGetLastError());
    CALL(cudaFuncGetAttributes(&a, (const void *)bounded));
    CHECK(a.maxThreadsPerBlock == 64 && a.numRegs > 0 && a.sharedSizeBytes == 0);
    FAILS(cudaErrorInvalidDeviceFunction, cudaLaunchKernel((const void *)&a, dim3(1), dim3(1), nullptr, 0, 0));
    ok("launches that are refused");
}

static void cooperative() {
    enum { BLOCKS = 4, THREADS = 64, N = BLOCKS * THREADS };
    int host[N], *data;
    CALL(cudaMalloc(&data, sizeof host));
    for (int i = 0; i < N; i++) host[i] = i;
    void *args[] = {&data, &out};
    CALL(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
    CALL(cudaLaunchCooperativeKernel((const void *)sum, dim3(BLOCKS), dim3(THREADS), args, 0, 0));
    CHECK(got() == N * (N - 1) / 2);
    FAILS(cudaErrorCooperativeLaunchTooLarge,
          cudaLaunchCooperativeKernel((const void *)sum, dim3(1 << 20), dim3(THREADS), args, 0, 0));
    CALL(cudaFree(data));
    ok("cooperative launches");
}

// What kernels print appears when the host waits, not before.
static void printing() {
    prints<<<1, 1>>>(3);
    printf("host says 1\n");
    CALL(cudaDeviceSynchronize());
    printf("host says 2\n");
    ok("printing");
}

static void allocation() {
    int **where;
    CALL(cudaMalloc(&where, sizeof *where));
    CALL(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20));
    allocates<<<1, 1>>>(where);
    frees<<<1, 1>>>(where, out);
    CHECK(got() == 7);
    CALL(cudaFree(where));
    ok("malloc in kernels");
}

int main() {
    CALL(cudaMalloc(&out, 4096));
    forms();
    shared_memory();
    refused();
    cooperative();
    printing();
    allocation();
    CALL(cudaFree(out));
    return 0;
}
