/* Virtual memory: addresses and memory apart, mapped to each other. */
#include "check.h"

static const char kernels[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n"
    ".visible .entry number(.param .u64 p)\n{\n.reg .b32 %r<5>;\n.reg .b64 %d<3>;\nld.param.u64 %d1, [p];\n"
    "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\nmad.lo.u32 %r1, %r1, %r2, %r3;\n"
    "mul.wide.u32 %d2, %r1, 4;\nadd.u64 %d1, %d1, %d2;\nst.global.u32 [%d1], %r1;\nret;\n}\n";

static CUfunction number;
static size_t granule;
static CUmemAllocationProp prop;

static void set_up(void) {
    CUcontext c;
    CUmodule m;
    int can = 0;
    NEED(cuInit(0));
    NEED(cuCtxCreate(&c, 0, 0));
    NEED(cuModuleLoadData(&m, kernels));
    NEED(cuModuleGetFunction(&number, m, "number"));
    NEED(cuDeviceGetAttribute(&can, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0));
    CHECK(can);
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    NEED(cuMemGetAllocationGranularity(&granule, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    CHECK(granule > 0);
}

/* A kernel writes over the seam of two mappings. */
static void mapped_memory(void) {
    CUmemGenericAllocationHandle a, b, again;
    CUdeviceptr p;
    CUmemAccessDesc access = {prop.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    unsigned long long flags = 0;
    unsigned value = 0;
    NEED(cuMemAddressReserve(&p, 2 * granule, 0, 0, 0));
    CHECK(p % granule == 0);
    NEED(cuMemCreate(&a, granule, &prop, 0));
    NEED(cuMemCreate(&b, granule, &prop, 0));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemsetD32(p, 0, 1));
    NEED(cuMemMap(p, granule, 0, a, 0));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemMap(p, granule, 0, b, 0));
    NEED(cuMemMap(p + granule, granule, 0, b, 0));
    NEED(cuMemSetAccess(p, 2 * granule, &access, 1));
    NEED(cuMemGetAccess(&flags, &prop.location, p));
    CHECK(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    CUdeviceptr seam = p + granule - 128;
    void *args[] = {&seam};
    NEED(cuLaunchKernel(number, 1, 1, 1, 64, 1, 1, 0, NULL, args, NULL));
    NEED(cuMemcpyDtoH(&value, p + granule - 4, 4));
    CHECK(value == 31);
    NEED(cuMemcpyDtoH(&value, p + granule, 4));
    CHECK(value == 32);
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemFree(p));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemAddressFree(p, 2 * granule));
    NEED(cuMemRetainAllocationHandle(&again, (void *)(size_t)p));
    CHECK(again == a);
    NEED(cuMemRelease(again));
    /* the memory moves to another address with what it holds */
    NEED(cuMemUnmap(p, 2 * granule));
    NEED(cuMemMap(p, granule, 0, b, 0));
    NEED(cuMemSetAccess(p, granule, &access, 1));
    NEED(cuMemcpyDtoH(&value, p, 4));
    CHECK(value == 32);
    NEED(cuMemRelease(a));
    NEED(cuMemRelease(b));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemRelease(a));
    NEED(cuMemUnmap(p, granule));
    NEED(cuMemAddressFree(p, 2 * granule));
}

static void bad_requests(void) {
    CUmemGenericAllocationHandle a;
    CUdeviceptr p;
    CUmemAllocationProp host = prop;
    host.location.type = CU_MEM_LOCATION_TYPE_HOST;
    GIVES(CUDA_ERROR_NOT_SUPPORTED, cuMemCreate(&a, granule, &host, 0));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemCreate(&a, granule + 1, &prop, 0));
    GIVES(CUDA_ERROR_OUT_OF_MEMORY, cuMemCreate(&a, granule << 24, &prop, 0));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemAddressReserve(&p, 1, 0, 0, 0));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemUnmap(granule, granule));
}

int main(void) {
    RUN(set_up);
    RUN(mapped_memory);
    RUN(bad_requests);
    return failures != 0;
}
