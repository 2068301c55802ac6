// The device as a program sees it: properties, attributes, limits, occupancy. What they say must agree with each other and with
// what launches allow, whatever the machine.
#include <string.h>

#include "check.h"

__global__ void small(int *p) { p[threadIdx.x] = 1; }
__global__ void large(int *p) {
    __shared__ int mine[8192];
    mine[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = mine[blockDim.x - 1 - threadIdx.x];
}

static int attribute(cudaDeviceAttr a) {
    int value;
    CALL(cudaDeviceGetAttribute(&value, a, 0));
    return value;
}

static void properties() {
    cudaDeviceProp p;
    CALL(cudaGetDeviceProperties(&p, 0));
    CHECK(!strncmp(p.name, "heddle ", 7));
    CHECK(p.multiProcessorCount == attribute(cudaDevAttrMultiProcessorCount) && p.multiProcessorCount > 0);
    CHECK(p.warpSize == 32 && attribute(cudaDevAttrWarpSize) == 32);
    CHECK(p.maxThreadsPerBlock == attribute(cudaDevAttrMaxThreadsPerBlock));
    CHECK((int)p.sharedMemPerBlock == attribute(cudaDevAttrMaxSharedMemoryPerBlock));
    CHECK(p.maxThreadsPerMultiProcessor == attribute(cudaDevAttrMaxThreadsPerMultiProcessor));
    CHECK(p.major == attribute(cudaDevAttrComputeCapabilityMajor));
    CHECK(p.memoryBusWidth == attribute(cudaDevAttrGlobalMemoryBusWidth));
    CHECK(p.totalConstMem == 65536 && attribute(cudaDevAttrTotalConstantMemory) == 65536);
    CHECK(p.maxGridSize[0] == 2147483647 && p.maxThreadsDim[2] == 64);
    CHECK(p.unifiedAddressing && p.managedMemory && p.canMapHostMemory && p.cooperativeLaunch);
    FAILS(cudaErrorInvalidDevice, cudaGetDeviceProperties(&p, 1));
    FAILS(cudaErrorInvalidValue, cudaDeviceGetAttribute(&p.major, (cudaDeviceAttr)100000, 0));
    ok("properties and attributes");
}

static void one_device() {
    int n, can;
    char id[32];
    CALL(cudaGetDeviceCount(&n));
    CHECK(n == 1);
    CALL(cudaSetDevice(0));
    FAILS(cudaErrorInvalidDevice, cudaSetDevice(1));
    CALL(cudaGetDevice(&n));
    CHECK(n == 0);
    CALL(cudaDeviceCanAccessPeer(&can, 0, 0));
    CHECK(!can);
    CALL(cudaDeviceGetPCIBusId(id, sizeof id, 0));
    CALL(cudaDeviceGetByPCIBusId(&n, id));
    CHECK(n == 0);
    CALL(cudaDriverGetVersion(&n));
    CHECK(n >= 12000);
    ok("one device");
}

static void limits() {
    size_t heap;
    CALL(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 32 << 20));
    CALL(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
    CHECK(heap == 32 << 20);
    FAILS(cudaErrorUnsupportedLimit, cudaDeviceGetLimit(&heap, (cudaLimit)77));
    ok("limits");
}

// More threads, or more shared memory, never let more blocks fit.
static void occupancy() {
    int most = 1 << 30, blocks, grid, block, sms = attribute(cudaDevAttrMultiProcessorCount);
    int threads = attribute(cudaDevAttrMaxThreadsPerMultiProcessor), shared = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
    size_t left;
    for (int n = 32; n <= 1024; n += 32) {
        CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, small, n, 0));
        CHECK(blocks <= most && blocks * n <= threads);
        most = blocks;
    }
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, large, 64, 0));
    CHECK(blocks >= 1 && blocks <= shared / (8192 * 4));
    CALL(cudaOccupancyMaxPotentialBlockSize(&grid, &block, small, 0, 0));
    CHECK(block % 32 == 0 && grid >= sms);
    CALL(cudaOccupancyAvailableDynamicSMemPerBlock(&left, (const void *)small, 1, 32));
    CHECK(left > 0 && (int)left <= shared);
    FAILS(cudaErrorInvalidValue, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, small, 0, 0));
    ok("occupancy");
}

static void errors() {
    CHECK(!strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue"));
    CHECK(!strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory"));
    CHECK(!strcmp(cudaGetErrorString((cudaError_t)12345), "unrecognized error code"));
    ok("names of errors");
}

int main() {
    properties();
    one_device();
    limits();
    occupancy();
    errors();
    return 0;
}
