/* The driver interface: memory of all kinds, and what an address is. */
#include "runtime/memory/memory.h"

#include <string.h>

#include "runtime/driver/drv.h"

enum { PITCH_ALIGN = 512 }; /* bytes, as cudaMallocPitch has it */

/* ---- device memory ---- */

static int mem_info(struct cu_process *p, size_t *free_bytes, size_t *total) {
    if (!free_bytes || !total) return CU_InvalidValue;
    *total = p->machine.global_bytes;
    *free_bytes = p->device_bytes < *total ? *total - p->device_bytes : 0;
    return CU_Success;
}
CUDA_API CUresult cuMemGetInfo_v2(size_t *free_bytes, size_t *total) {
    DRV_CALL(mem_info(p, free_bytes, total));
}

static int mem_alloc(struct cu_process *p, CUdeviceptr *ptr, uint64_t bytes) {
    uint64_t addr;
    if (!ptr || !bytes) return CU_InvalidValue;
    int code = cu_alloc_device(p, bytes, CU_MEMORY_DEVICE, &addr);
    if (!code) *ptr = addr;
    return code;
}
CUDA_API CUresult cuMemAlloc_v2(CUdeviceptr *ptr, size_t bytes) {
    DRV_CALL(mem_alloc(p, ptr, bytes));
}

static int mem_alloc_pitch(struct cu_process *p, CUdeviceptr *ptr, size_t *pitch, size_t width, size_t height,
                           unsigned element) {
    if (!pitch || !width || !height || (element != 4 && element != 8 && element != 16))
        return CU_InvalidValue;
    if (width > SIZE_MAX / 2 / height) return CU_MemoryAllocation;
    *pitch = (width + PITCH_ALIGN - 1) / PITCH_ALIGN * PITCH_ALIGN;
    return mem_alloc(p, ptr, *pitch * height);
}
CUDA_API CUresult cuMemAllocPitch_v2(CUdeviceptr *ptr, size_t *pitch, size_t width, size_t height,
                                     unsigned element) {
    DRV_CALL(mem_alloc_pitch(p, ptr, pitch, width, height, element));
}

CUDA_API CUresult cuMemFree_v2(CUdeviceptr ptr) {
    DRV_CALL(ptr ? cu_free(p, (void *)(uintptr_t)ptr) : CU_InvalidValue);
}

static int address_range(struct cu_process *p, CUdeviceptr *base, size_t *bytes, CUdeviceptr ptr) {
    struct cu_alloc *a = cu_alloc_find(p, ptr);
    if (!a) return CU_SymbolNotFound;
    if (base) *base = a->addr;
    if (bytes) *bytes = a->bytes;
    return CU_Success;
}
CUDA_API CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes, CUdeviceptr ptr) {
    DRV_CALL(address_range(p, base, bytes, ptr));
}

/* ---- memory of the host that kernels reach ---- */

static int host_alloc(struct cu_process *p, void **ptr, size_t bytes, unsigned flags) {
    if (!ptr || !bytes || flags > 7) return CU_InvalidValue;
    return cu_alloc_shared(p, bytes, CU_MEMORY_HOST, flags, ptr);
}
CUDA_API CUresult cuMemAllocHost_v2(void **ptr, size_t bytes) {
    DRV_CALL(host_alloc(p, ptr, bytes, 0));
}
CUDA_API CUresult cuMemHostAlloc(void **ptr, size_t bytes, unsigned flags) {
    DRV_CALL(host_alloc(p, ptr, bytes, flags));
}

static int managed_alloc(struct cu_process *p, CUdeviceptr *ptr, size_t bytes, unsigned flags) {
    void *at;
    if (!ptr || !bytes || (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST))
        return CU_InvalidValue;
    int code = cu_alloc_shared(p, bytes, CU_MEMORY_MANAGED, flags, &at);
    if (!code) *ptr = (CUdeviceptr)(uintptr_t)at;
    return code;
}
CUDA_API CUresult cuMemAllocManaged(CUdeviceptr *ptr, size_t bytes, unsigned flags) {
    DRV_CALL(managed_alloc(p, ptr, bytes, flags));
}

/* The allocation of the host at or around an address; NULL: none. */
static struct cu_alloc *host_memory(struct cu_process *p, const void *ptr) {
    struct cu_alloc *a = cu_alloc_find(p, (uint64_t)(uintptr_t)ptr);
    return a && (a->kind == CU_MEMORY_HOST || a->kind == CU_MEMORY_REGISTERED) ? a : NULL;
}

static int drv_memory_host_free(struct cu_process *p, void *ptr) {
    struct cu_alloc *a = host_memory(p, ptr);
    return a && a->host == ptr && a->kind == CU_MEMORY_HOST ? cu_alloc_free(p, a) : CU_InvalidValue;
}
CUDA_API CUresult cuMemFreeHost(void *ptr) {
    DRV_CALL(drv_memory_host_free(p, ptr));
}

static int host_device_pointer(struct cu_process *p, CUdeviceptr *at, void *ptr, unsigned flags) {
    struct cu_alloc *a = host_memory(p, ptr);
    if (!at || flags || !a) return CU_InvalidValue;
    *at = a->addr + (uint64_t)((char *)ptr - (char *)a->host);
    return CU_Success;
}
CUDA_API CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *at, void *ptr, unsigned flags) {
    DRV_CALL(host_device_pointer(p, at, ptr, flags));
}

static int drv_memory_host_flags(struct cu_process *p, unsigned *flags, void *ptr) {
    struct cu_alloc *a = host_memory(p, ptr);
    if (!flags || !a || a->kind != CU_MEMORY_HOST) return CU_InvalidValue;
    *flags = a->flags | CU_MEMHOSTALLOC_DEVICEMAP;
    return CU_Success;
}
CUDA_API CUresult cuMemHostGetFlags(unsigned *flags, void *ptr) {
    DRV_CALL(drv_memory_host_flags(p, flags, ptr));
}
