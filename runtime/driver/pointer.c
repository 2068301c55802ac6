/* The driver interface: what an address is, and where managed memory would like to be. */
#include "runtime/driver/drv.h"
#include "runtime/memory/memory.h"

#define PUT(type, value) (*(type *)data = (type)(value), CU_Success)

/* One attribute of an address in an allocation. What the device can do with other devices it does not have is no. */
static int attribute_of(struct cu_process *p, const struct cu_alloc *a, uint64_t at,
                        CUpointer_attribute attribute, void *data) {
    switch ((int)attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: return PUT(CUcontext, a->context ? a->context : p->context);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        return PUT(unsigned,
                   a->host && a->kind != CU_MEMORY_MANAGED ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: return PUT(CUdeviceptr, at);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        return a->host ? PUT(uintptr_t, (uintptr_t)a->host + (at - a->addr)) : CU_InvalidValue;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE: return PUT(unsigned, 0);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID: return PUT(unsigned long long, a->id);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: return PUT(unsigned, a->kind == CU_MEMORY_MANAGED);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: return PUT(int, 0);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: return PUT(CUdeviceptr, a->addr);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: return PUT(size_t, a->bytes);
    case CU_POINTER_ATTRIBUTE_MAPPED: return PUT(unsigned, 1);
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES: return PUT(unsigned long long, 0);
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS: return PUT(unsigned, CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE);
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: return PUT(void *, 0);
    default: return CU_InvalidValue;
    }
}

static int drv_pointer_get_attribute(struct cu_process *p, void *data, CUpointer_attribute attribute,
                                     CUdeviceptr at) {
    struct cu_alloc *a = cu_alloc_find(p, at);
    return a && data ? attribute_of(p, a, at, attribute, data) : CU_InvalidValue;
}
CUDA_API CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr at) {
    DRV_CALL(drv_pointer_get_attribute(p, data, attribute, at));
}

/* An address that is not the device's has every attribute as 0, which is no error here. */
static int nothing(CUpointer_attribute attribute, void *data) {
    switch ((int)attribute) {
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: return PUT(int, -2);
    case CU_POINTER_ATTRIBUTE_CONTEXT:
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: return PUT(uint64_t, 0);
    default: return PUT(unsigned, 0);
    }
}
static int get_attributes(struct cu_process *p, unsigned n, const CUpointer_attribute *attributes,
                          void **data, CUdeviceptr at) {
    const struct cu_alloc *a = cu_alloc_find(p, at);
    if (!n || !attributes || !data) return CU_InvalidValue;
    for (unsigned i = 0; i < n; i++) {
        if (!data[i]) return CU_InvalidValue;
        if (!a || attribute_of(p, a, at, attributes[i], data[i])) (void)nothing(attributes[i], data[i]);
    }
    return CU_Success;
}
CUDA_API CUresult cuPointerGetAttributes(unsigned n, CUpointer_attribute *attributes, void **data,
                                         CUdeviceptr at) {
    DRV_CALL(get_attributes(p, n, attributes, data, at));
}

/* Copies of such memory shall wait: those that do not say otherwise do. */
CUDA_API CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr at) {
    DRV_CALL(value && attribute == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS && cu_alloc_find(p, at)
                 ? CU_Success
                 : CU_InvalidValue);
}

/* ---- managed and registered memory ---- */

DRV_RUNTIME(cuMemAdvise_v2, cudaMemAdvise_v2,
            (CUdeviceptr at, size_t bytes, CUmem_advise advice, CUmemLocation where),
            (at, bytes, advice, where))
DRV_RUNTIME(cuMemPrefetchAsync_v2, cudaMemPrefetchAsync_v2,
            (CUdeviceptr at, size_t bytes, CUmemLocation where, unsigned flags, CUstream stream),
            (at, bytes, where, flags, stream))
DRV_RUNTIME(cuMemRangeGetAttribute, cudaMemRangeGetAttribute,
            (void *data, size_t data_bytes, CUmem_range_attribute attribute, CUdeviceptr at, size_t bytes),
            (data, data_bytes, attribute, at, bytes))
DRV_RUNTIME(cuMemRangeGetAttributes, cudaMemRangeGetAttributes,
            (void **data, size_t *data_bytes, CUmem_range_attribute *attributes, size_t n, CUdeviceptr at,
             size_t bytes),
            (data, data_bytes, attributes, n, at, bytes))
DRV_RUNTIME(cuMemHostRegister_v2, cudaHostRegister, (void *ptr, size_t bytes, unsigned flags),
            (ptr, bytes, flags))
DRV_SAME(cuMemHostRegister, cuMemHostRegister_v2);
DRV_RUNTIME(cuMemHostUnregister, cudaHostUnregister, (void *ptr), (ptr))

static CUmemLocation drv_pointer_place(CUdevice device) {
    CUmemLocation where = {device == CU_DEVICE_CPU ? CU_MEM_LOCATION_TYPE_HOST : CU_MEM_LOCATION_TYPE_DEVICE,
                           device};
    return where;
}
CUDA_API CUresult cuMemAdvise(CUdeviceptr at, size_t bytes, CUmem_advise advice, CUdevice device) {
    return cuMemAdvise_v2(at, bytes, advice, drv_pointer_place(device));
}
CUDA_API CUresult cuMemPrefetchAsync(CUdeviceptr at, size_t bytes, CUdevice device, CUstream stream) {
    return cuMemPrefetchAsync_v2(at, bytes, drv_pointer_place(device), 0, stream);
}
