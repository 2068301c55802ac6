/* Entry points for memory that host and device share: page-locked, registered, managed; and what an address is. */
#include <driver_types.h>

#include "runtime/memory/memory.h"
#include "runtime/runtime/api.h"
#include "runtime/runtime/stream.h"

enum { HOST_FLAGS = 0x07, REGISTER_FLAGS = 0x1f, INVALID_DEVICE = -2 };

static int host_alloc(struct cu_process *p, void **ptr, size_t bytes, unsigned flags) {
    if (!ptr || flags & ~(unsigned)HOST_FLAGS) return CU_InvalidValue;
    return cu_alloc_shared(p, bytes, CU_MEMORY_HOST, flags, ptr);
}
CUDA_API int cudaMallocHost(void **ptr, size_t bytes) {
    CUDA_CALL(host_alloc(p, ptr, bytes, cudaHostAllocMapped));
}
CUDA_API int cudaHostAlloc(void **ptr, size_t bytes, unsigned flags) {
    CUDA_CALL(host_alloc(p, ptr, bytes, flags));
}

/* The allocation that begins at an address and is of a kind. */
static struct cu_alloc *starting_at(struct cu_process *p, const void *ptr, enum cu_memory_kind kind) {
    struct cu_alloc *a = cu_alloc_find(p, (uint64_t)(uintptr_t)ptr);
    return a && a->host == ptr && a->kind == kind ? a : NULL;
}

static int cu_host_free(struct cu_process *p, void *ptr) {
    struct cu_alloc *a = starting_at(p, ptr, CU_MEMORY_HOST);
    if (!ptr) return CU_Success;
    return a ? cu_alloc_free(p, a) : CU_InvalidValue;
}
CUDA_API int cudaFreeHost(void *ptr) {
    CUDA_CALL(cu_host_free(p, ptr));
}

/* Kernels reach registered memory at its address in the host. */
static int host_register(struct cu_process *p, void *ptr, size_t bytes, unsigned flags) {
    uint64_t addr = (uint64_t)(uintptr_t)ptr;
    if (!ptr || !bytes || flags & ~(unsigned)REGISTER_FLAGS) return CU_InvalidValue;
    if (cu_alloc_find(p, addr) || cu_alloc_find(p, addr + bytes - 1)) return CU_HostMemoryAlreadyRegistered;
    int code = cu_status(hd_alloc_at(p->dev, bytes, ptr, &addr));
    struct cu_alloc a = {
        .addr = addr, .bytes = bytes, .kind = CU_MEMORY_REGISTERED, .flags = flags, .host = ptr};
    if (!code && (code = cu_alloc_note(p, &a))) (void)hd_free(p->dev, addr);
    return code;
}
static int host_unregister(struct cu_process *p, void *ptr) {
    struct cu_alloc *a = starting_at(p, ptr, CU_MEMORY_REGISTERED);
    if (!ptr) return CU_InvalidValue;
    return a ? cu_alloc_free(p, a) : CU_HostMemoryNotRegistered;
}
CUDA_API int cudaHostRegister(void *ptr, size_t bytes, unsigned flags) {
    CUDA_CALL(host_register(p, ptr, bytes, flags));
}
CUDA_API int cudaHostUnregister(void *ptr) {
    CUDA_CALL(host_unregister(p, ptr));
}

static struct cu_alloc *host_memory(struct cu_process *p, const void *ptr) {
    struct cu_alloc *a = cu_alloc_find(p, (uint64_t)(uintptr_t)ptr);
    return a && (a->kind == CU_MEMORY_HOST || a->kind == CU_MEMORY_REGISTERED) ? a : NULL;
}
static int device_pointer(struct cu_process *p, void **device, void *host, unsigned flags) {
    if (!device || !host || flags || !host_memory(p, host)) return CU_InvalidValue;
    *device = host;
    return CU_Success;
}
static int cu_host_flags(struct cu_process *p, unsigned *flags, void *host) {
    struct cu_alloc *a = host_memory(p, host);
    if (!flags || !a) return CU_InvalidValue;
    *flags = a->flags | cudaHostAllocMapped;
    return CU_Success;
}
CUDA_API int cudaHostGetDevicePointer(void **device, void *host, unsigned flags) {
    CUDA_CALL(device_pointer(p, device, host, flags));
}
CUDA_API int cudaHostGetFlags(unsigned *flags, void *host) {
    CUDA_CALL(cu_host_flags(p, flags, host));
}

/* ---- managed memory ---- */

static int managed(struct cu_process *p, void **ptr, size_t bytes, unsigned flags) {
    if (!ptr || !bytes || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
        return CU_InvalidValue;
    return cu_alloc_shared(p, bytes, CU_MEMORY_MANAGED, flags, ptr);
}
CUDA_API int cudaMallocManaged(void **ptr, size_t bytes, unsigned flags) {
    CUDA_CALL(managed(p, ptr, bytes, flags));
}

/* Where a program would like managed memory to be. It is in one place here, so it is kept for cudaMemRangeGetAttribute only,
 * for the allocation as a whole. */
static int managed_range(struct cu_process *p, const void *ptr, size_t bytes, int device,
                         struct cu_alloc **a) {
    uint64_t addr = (uint64_t)(uintptr_t)ptr;
    *a = cu_alloc_find(p, addr);
    if (!*a || (*a)->kind != CU_MEMORY_MANAGED || !bytes || bytes > (*a)->addr + (*a)->bytes - addr)
        return CU_InvalidValue;
    return device == cudaCpuDeviceId || device == 0 ? CU_Success : CU_InvalidDevice;
}
static int prefetch(struct cu_process *p, const void *ptr, size_t bytes, int device,
                    struct CUstream_st *stream) {
    struct cu_alloc *a;
    struct CUstream_st *s;
    int code = managed_range(p, ptr, bytes, device, &a);
    if (!code) code = cu_stream_of(p, stream, &s);
    if (!code) a->place.prefetched = device - INVALID_DEVICE;
    return code;
}
static int cu_host_advise(struct cu_process *p, const void *ptr, size_t bytes, int advice, int device) {
    struct cu_alloc *a;
    int code = managed_range(p, ptr, bytes, advice <= cudaMemAdviseUnsetReadMostly ? 0 : device, &a);
    if (code) return code;
    switch (advice) {
    case cudaMemAdviseSetReadMostly:
    case cudaMemAdviseUnsetReadMostly: a->place.read_mostly = advice == cudaMemAdviseSetReadMostly; break;
    case cudaMemAdviseSetPreferredLocation: a->place.preferred = device - INVALID_DEVICE; break;
    case cudaMemAdviseUnsetPreferredLocation: a->place.preferred = 0; break;
    case cudaMemAdviseSetAccessedBy: a->place.accessed = device - INVALID_DEVICE; break;
    case cudaMemAdviseUnsetAccessedBy: a->place.accessed = 0; break;
    default: code = CU_InvalidValue;
    }
    return code;
}

static int range_attribute(struct cu_process *p, void *data, size_t data_bytes, int attribute,
                           const void *ptr, size_t bytes) {
    struct cu_alloc *a;
    int code = managed_range(p, ptr, bytes, 0, &a), *out = data;
    if (code) return code;
    if (!data || data_bytes < sizeof *out || data_bytes % sizeof *out) return CU_InvalidValue;
    for (size_t i = 0; i < data_bytes / sizeof *out; i++) out[i] = INVALID_DEVICE;
    switch (attribute) {
    case cudaMemRangeAttributeReadMostly: out[0] = a->place.read_mostly; break;
    case cudaMemRangeAttributePreferredLocation: out[0] = a->place.preferred + INVALID_DEVICE; break;
    case cudaMemRangeAttributeAccessedBy: out[0] = a->place.accessed + INVALID_DEVICE; break;
    case cudaMemRangeAttributeLastPrefetchLocation: out[0] = a->place.prefetched + INVALID_DEVICE; break;
    default: code = CU_InvalidValue;
    }
    return code;
}
static int range_attributes(struct cu_process *p, void **data, size_t *data_bytes, int *attributes, size_t n,
                            const void *ptr, size_t bytes) {
    int code = data && data_bytes && attributes && n ? CU_Success : CU_InvalidValue;
    for (size_t i = 0; i < n && !code; i++)
        code = range_attribute(p, data[i], data_bytes[i], attributes[i], ptr, bytes);
    return code;
}
CUDA_API int cudaMemRangeGetAttribute(void *data, size_t data_bytes, int attribute, const void *ptr,
                                      size_t bytes) {
    CUDA_CALL(range_attribute(p, data, data_bytes, attribute, ptr, bytes));
}
CUDA_API int cudaMemRangeGetAttributes(void **data, size_t *data_bytes, int *attributes, size_t n,
                                       const void *ptr, size_t bytes) {
    CUDA_CALL(range_attributes(p, data, data_bytes, attributes, n, ptr, bytes));
}

/* A device as CUDA 13 gives it: a kind of place and a number. */
static int device_of(struct cudaMemLocation l) {
    return l.type == cudaMemLocationTypeDevice ? l.id : cudaCpuDeviceId;
}

CUDA_API int prefetch_11(const void *ptr, size_t bytes, int device, struct CUstream_st *stream) {
    CUDA_CALL(prefetch(p, ptr, bytes, device, stream));
}
CUDA_API int prefetch_13(const void *ptr, size_t bytes, struct cudaMemLocation where, unsigned flags,
                         struct CUstream_st *stream) {
    CUDA_CALL(flags ? CU_InvalidValue : prefetch(p, ptr, bytes, device_of(where), stream));
}
CUDA_API int advise_11(const void *ptr, size_t bytes, int advice, int device) {
    CUDA_CALL(cu_host_advise(p, ptr, bytes, advice, device));
}
CUDA_API int advise_13(const void *ptr, size_t bytes, int advice, struct cudaMemLocation where) {
    CUDA_CALL(cu_host_advise(p, ptr, bytes, advice, device_of(where)));
}
CUDA_ALIAS(cudaMemPrefetchAsync_v2, prefetch_13)
/* For programs whose threads have default streams of their own. */
static struct CUstream_st *cu_host_own(struct CUstream_st *stream) {
    return stream ? stream : CU_STREAM_PER_THREAD;
}
CUDA_API int prefetch_own_11(const void *ptr, size_t bytes, int device, struct CUstream_st *stream) {
    CUDA_CALL(prefetch(p, ptr, bytes, device, cu_host_own(stream)));
}
CUDA_API int prefetch_own_13(const void *ptr, size_t bytes, struct cudaMemLocation where, unsigned flags,
                             struct CUstream_st *stream) {
    CUDA_CALL(flags ? CU_InvalidValue : prefetch(p, ptr, bytes, device_of(where), cu_host_own(stream)));
}
CUDA_ALIAS(cudaMemPrefetchAsync_v2_ptsz, prefetch_own_13)
CUDA_BEFORE_13(prefetch_own_11, cudaMemPrefetchAsync_ptsz)
CUDA_DEFAULT(prefetch_own_13, cudaMemPrefetchAsync_ptsz)
CUDA_ALIAS(cudaMemAdvise_v2, advise_13)
CUDA_BEFORE_13(prefetch_11, cudaMemPrefetchAsync)
CUDA_DEFAULT(prefetch_13, cudaMemPrefetchAsync)
CUDA_BEFORE_13(advise_11, cudaMemAdvise)
CUDA_DEFAULT(advise_13, cudaMemAdvise)

/* ---- addresses ---- */

static int attributes_of(struct cu_process *p, struct cudaPointerAttributes *to, const void *ptr) {
    struct cu_alloc *a = cu_alloc_find(p, (uint64_t)(uintptr_t)ptr);
    void *any = (void *)(uintptr_t)ptr;
    if (!to) return CU_InvalidValue;
    to->type = cudaMemoryTypeUnregistered;
    to->device = INVALID_DEVICE;
    to->devicePointer = NULL;
    to->hostPointer = any;
    if (!a) return CU_Success;
    to->device = 0;
    to->devicePointer = any;
    if (!a->host) to->hostPointer = NULL;
    to->type = a->kind == CU_MEMORY_MANAGED ? cudaMemoryTypeManaged
               : a->host                    ? cudaMemoryTypeHost
                                            : cudaMemoryTypeDevice;
    return CU_Success;
}
CUDA_API int cudaPointerGetAttributes(struct cudaPointerAttributes *to, const void *ptr) {
    CUDA_CALL(attributes_of(p, to, ptr));
}

static int memory_info(struct cu_process *p, size_t *unused, size_t *total) {
    if (!unused || !total) return CU_InvalidValue;
    *total = p->machine.global_bytes;
    *unused = p->machine.global_bytes > p->device_bytes ? p->machine.global_bytes - p->device_bytes : 0;
    return CU_Success;
}
CUDA_API int cudaMemGetInfo(size_t *unused, size_t *total) {
    CUDA_CALL(memory_info(p, unused, total));
}
