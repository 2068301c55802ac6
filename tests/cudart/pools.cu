// Stream-ordered memory: allocations, pools, their attributes, and where they are refused.
#include "check.h"

__global__ void fill(int *v, int n, int by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] = i + by;
}

static unsigned long long figure(cudaMemPool_t pool, cudaMemPoolAttr attr) {
    unsigned long long value = 99;
    CALL(cudaMemPoolGetAttribute(pool, attr, &value));
    return value;
}

static void allocations() {
    const int n = 1000;
    int *v, host[1000];
    cudaStream_t s;
    CALL(cudaStreamCreate(&s));
    for (int round = 0; round < 3; round++) {
        CALL(cudaMallocAsync((void **)&v, n * sizeof *v, s));
        fill<<<4, 256, 0, s>>>(v, n, round);
        CALL(cudaMemcpyAsync(host, v, n * sizeof *v, cudaMemcpyDeviceToHost, s));
        CALL(cudaFreeAsync(v, s));
        CALL(cudaStreamSynchronize(s));
        for (int i = 0; i < n; i++) CHECK(host[i] == i + round);
    }
    FAILS(cudaErrorInvalidValue, cudaFreeAsync(v, s)); // freed
    FAILS(cudaErrorInvalidValue, cudaFreeAsync(host, s));
    CALL(cudaMallocAsync((void **)&v, 64, s));
    CALL(cudaFree(v)); // the other way of freeing it
    FAILS(cudaErrorInvalidValue, cudaMallocAsync(NULL, 64, s));
    FAILS(cudaErrorMemoryAllocation, cudaMallocAsync((void **)&v, (size_t)1 << 50, s));
    CALL(cudaStreamDestroy(s));
    ok("stream-ordered memory");
}

static void pools() {
    cudaMemPool_t first, pool, current;
    cudaMemPoolProps props = {};
    char *v, *w;
    unsigned long long threshold = 64 << 20, zero = 0;
    CALL(cudaDeviceGetDefaultMemPool(&first, 0));
    CALL(cudaDeviceGetMemPool(&current, 0));
    CHECK(first == current);
    FAILS(cudaErrorInvalidDevice, cudaDeviceGetDefaultMemPool(&first, 3));
    FAILS(cudaErrorNotPermitted, cudaMemPoolDestroy(first));
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    CALL(cudaMemPoolCreate(&pool, &props));
    CALL(cudaMallocFromPoolAsync((void **)&v, 1000, pool, 0));
    CHECK(figure(pool, cudaMemPoolAttrUsedMemCurrent) == 1000);
    CHECK(figure(pool, cudaMemPoolAttrReservedMemCurrent) >= 1000);
    CHECK(figure(first, cudaMemPoolAttrUsedMemCurrent) == 0);
    CALL(cudaMallocFromPoolAsync((void **)&w, 40 << 20, pool, 0));
    CHECK(figure(pool, cudaMemPoolAttrUsedMemHigh) == 1000 + (40u << 20));
    CALL(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    CALL(cudaFreeAsync(w, 0));
    CALL(cudaDeviceSynchronize()); // no more than the threshold is kept
    CHECK(figure(pool, cudaMemPoolAttrReservedMemCurrent) == 64 << 20);
    CALL(cudaMemPoolTrimTo(pool, 0));
    CHECK(figure(pool, cudaMemPoolAttrReservedMemCurrent) < 64 << 20);
    CALL(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &zero));
    CHECK(figure(pool, cudaMemPoolAttrUsedMemHigh) == 1000);
    FAILS(cudaErrorInvalidValue, cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &zero));
    CALL(cudaDeviceSetMemPool(0, pool));
    CALL(cudaMallocAsync((void **)&w, 500, 0));
    CHECK(figure(pool, cudaMemPoolAttrUsedMemCurrent) == 1500);
    CALL(cudaFreeAsync(w, 0));
    CALL(cudaMemPoolDestroy(pool)); // lives on until its memory is freed
    CALL(cudaDeviceGetMemPool(&current, 0));
    CHECK(current == first);
    CALL(cudaFreeAsync(v, 0));
    FAILS(cudaErrorInvalidValue, cudaMallocFromPoolAsync((void **)&v, 8, pool, 0));
    ok("memory pools");
}

static void refused() {
    cudaIpcMemHandle_t handle;
    cudaIpcEventHandle_t event_handle;
    cudaEvent_t e;
    void *v;
    CALL(cudaMalloc(&v, 64));
    CALL(cudaEventCreateWithFlags(&e, cudaEventDisableTiming | cudaEventInterprocess));
    FAILS(cudaErrorNotSupported, cudaIpcGetMemHandle(&handle, v));
    FAILS(cudaErrorNotSupported, cudaIpcOpenMemHandle(&v, handle, cudaIpcMemLazyEnablePeerAccess));
    FAILS(cudaErrorNotSupported, cudaIpcGetEventHandle(&event_handle, e));
    CALL(cudaEventDestroy(e));
    CALL(cudaFree(v));
    ok("what is not supported says so");
}

int main() {
    allocations();
    pools();
    refused();
    return 0;
}
