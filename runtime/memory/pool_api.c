/* The entry points of stream-ordered memory and pools. */
#include <string.h>

#include "runtime/memory/memory.h"
#include "runtime/memory/pool.h"
#include "runtime/runtime/api.h"
#include "runtime/runtime/stream.h"

static int malloc_async(struct cu_process *p, void **ptr, size_t bytes, cudaMemPool_t pool,
                        cudaStream_t stream) {
    struct CUstream_st *s;
    const int code = cu_stream_of(p, stream, &s);
    return code ? code : cu_malloc_async(p, pool, bytes, s, ptr);
}

CUDA_API int cudaMallocAsync(void **ptr, size_t bytes, cudaStream_t stream) {
    CUDA_CALL(malloc_async(p, ptr, bytes, cu_pool_current(p), stream));
}

CUDA_API int cudaMallocFromPoolAsync(void **ptr, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
    CUDA_CALL(malloc_async(p, ptr, bytes, pool, stream));
}

static int free_async(struct cu_process *p, void *ptr, cudaStream_t stream) {
    struct CUstream_st *s;
    const int code = cu_stream_of(p, stream, &s);
    return code ? code : cu_free_async(p, ptr, s);
}

CUDA_API int cudaFreeAsync(void *ptr, cudaStream_t stream) {
    CUDA_CALL(free_async(p, ptr, stream));
}

/* ---- pools ---- */

CUDA_API int cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *props) {
    CUDA_CALL(cu_pool_new(p, props, pool));
}

CUDA_API int cudaMemPoolDestroy(cudaMemPool_t pool) {
    CUDA_CALL(cu_pool_end(p, pool));
}

static int cu_pool_give(cudaMemPool_t *to, cudaMemPool_t pool, int device) {
    if (device) return CU_InvalidDevice;
    if (!to) return CU_InvalidValue;
    *to = pool;
    return CU_Success;
}

CUDA_API int cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
    CUDA_CALL(cu_pool_give(pool, cu_pool_default(p), device));
}

CUDA_API int cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) {
    CUDA_CALL(cu_pool_give(pool, cu_pool_current(p), device));
}

static int cu_pool_choose(struct cu_process *p, int device, cudaMemPool_t pool) {
    if (device) return CU_InvalidDevice;
    if (!cu_is_pool(p, pool)) return CU_InvalidValue;
    p->objects.pool = pool;
    return CU_Success;
}

CUDA_API int cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
    CUDA_CALL(cu_pool_choose(p, device, pool));
}

/* Takes a place by location and type, since CUDA 13. */
static int at_device(const struct cudaMemLocation *l, int type) {
    if (!l || l->type != cudaMemLocationTypeDevice || type != cudaMemAllocationTypePinned)
        return CU_InvalidValue;
    return l->id ? CU_InvalidDevice : CU_Success;
}

static int give_at(cudaMemPool_t *to, cudaMemPool_t pool, const struct cudaMemLocation *l, int type) {
    const int code = at_device(l, type);
    return code ? code : cu_pool_give(to, pool, 0);
}

CUDA_API int cudaMemGetDefaultMemPool(cudaMemPool_t *pool, struct cudaMemLocation *location, int type) {
    CUDA_CALL(give_at(pool, cu_pool_default(p), location, type));
}

CUDA_API int cudaMemGetMemPool(cudaMemPool_t *pool, struct cudaMemLocation *location, int type) {
    CUDA_CALL(give_at(pool, cu_pool_current(p), location, type));
}

static int choose_at(struct cu_process *p, const struct cudaMemLocation *l, int type, cudaMemPool_t pool) {
    const int code = at_device(l, type);
    return code ? code : cu_pool_choose(p, 0, pool);
}

CUDA_API int cudaMemSetMemPool(struct cudaMemLocation *location, int type, cudaMemPool_t pool) {
    CUDA_CALL(choose_at(p, location, type, pool));
}

static int cu_pool_trim(struct cu_process *p, cudaMemPool_t pool, size_t keep) {
    if (!cu_is_pool(p, pool)) return CU_InvalidValue;
    cu_pool_keep(pool, keep);
    return CU_Success;
}

CUDA_API int cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep) {
    CUDA_CALL(cu_pool_trim(p, pool, keep));
}

/* ---- attributes ---- */

static uint64_t *figure(cudaMemPool_t pool, int attr) {
    switch (attr) {
    case cudaMemPoolAttrReleaseThreshold: return &pool->threshold;
    case cudaMemPoolAttrReservedMemCurrent: return &pool->reserved;
    case cudaMemPoolAttrReservedMemHigh: return &pool->reserved_high;
    case cudaMemPoolAttrUsedMemCurrent: return &pool->used;
    case cudaMemPoolAttrUsedMemHigh: return &pool->used_high;
    default: return NULL;
    }
}

static bool is_reuse(int attr) {
    return attr >= cudaMemPoolReuseFollowEventDependencies &&
           attr <= cudaMemPoolReuseAllowInternalDependencies;
}

static int cu_pool_get_attribute(struct cu_process *p, cudaMemPool_t pool, int attr, void *value) {
    if (!cu_is_pool(p, pool) || !value) return CU_InvalidValue;
    const uint64_t *f = figure(pool, attr);
    if (f)
        memcpy(value, f, sizeof *f);
    else if (is_reuse(attr))
        memcpy(value, &pool->reuse[attr - 1], sizeof *pool->reuse);
    else
        return CU_InvalidValue;
    return CU_Success;
}

CUDA_API int cudaMemPoolGetAttribute(cudaMemPool_t pool, int attr, void *value) {
    CUDA_CALL(cu_pool_get_attribute(p, pool, attr, value));
}

/* High-water marks can only be reset, to what is there now. */
static int cu_pool_set_attribute(struct cu_process *p, cudaMemPool_t pool, int attr, const void *value) {
    if (!cu_is_pool(p, pool) || !value) return CU_InvalidValue;
    uint64_t number = 0;
    if (is_reuse(attr)) {
        memcpy(&pool->reuse[attr - 1], value, sizeof *pool->reuse);
        return CU_Success;
    }
    memcpy(&number, value, sizeof number);
    if (attr == cudaMemPoolAttrReleaseThreshold)
        pool->threshold = number;
    else if (attr == cudaMemPoolAttrReservedMemHigh && !number)
        pool->reserved_high = pool->reserved;
    else if (attr == cudaMemPoolAttrUsedMemHigh && !number)
        pool->used_high = pool->used;
    else
        return CU_InvalidValue;
    return CU_Success;
}

CUDA_API int cudaMemPoolSetAttribute(cudaMemPool_t pool, int attr, void *value) {
    CUDA_CALL(cu_pool_set_attribute(p, pool, attr, value));
}

static int cu_pool_set_access(struct cu_process *p, cudaMemPool_t pool, const struct cudaMemAccessDesc *list,
                              size_t n) {
    if (!cu_is_pool(p, pool) || (n && !list)) return CU_InvalidValue;
    for (size_t i = 0; i < n; i++) {
        if (list[i].location.type != cudaMemLocationTypeDevice) return CU_InvalidValue;
        if (list[i].location.id) return CU_InvalidDevice;
        if (list[i].flags != cudaMemAccessFlagsProtReadWrite) return CU_InvalidDevice; /* its own device's */
    }
    return CU_Success;
}

CUDA_API int cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *list, size_t n) {
    CUDA_CALL(cu_pool_set_access(p, pool, list, n));
}

static int get_access(struct cu_process *p, int *flags, cudaMemPool_t pool, const struct cudaMemLocation *l) {
    if (!cu_is_pool(p, pool) || !flags || !l || l->type != cudaMemLocationTypeDevice || l->id)
        return CU_InvalidValue;
    *flags = cudaMemAccessFlagsProtReadWrite;
    return CU_Success;
}

CUDA_API int cudaMemPoolGetAccess(int *flags, cudaMemPool_t pool, struct cudaMemLocation *location) {
    CUDA_CALL(get_access(p, flags, pool, location));
}

/* ---- memory of graphs ---- */

static uint64_t *graph_figure(struct cu_process *p, int attr) {
    switch (attr) {
    case cudaGraphMemAttrUsedMemCurrent: return &p->objects.graph_used;
    case cudaGraphMemAttrUsedMemHigh: return &p->objects.graph_used_high;
    case cudaGraphMemAttrReservedMemCurrent: return &p->objects.graph_reserved;
    case cudaGraphMemAttrReservedMemHigh: return &p->objects.graph_reserved_high;
    default: return NULL;
    }
}

static int get_graph_figure(struct cu_process *p, int device, int attr, void *value) {
    const uint64_t *f = graph_figure(p, attr);
    if (device) return CU_InvalidDevice;
    if (!f || !value) return CU_InvalidValue;
    memcpy(value, f, sizeof *f);
    return CU_Success;
}

CUDA_API int cudaDeviceGetGraphMemAttribute(int device, int attr, void *value) {
    CUDA_CALL(get_graph_figure(p, device, attr, value));
}

static int set_graph_figure(struct cu_process *p, int device, int attr, const void *value) {
    uint64_t number = 1;
    if (device) return CU_InvalidDevice;
    if (value) memcpy(&number, value, sizeof number);
    if (number || (attr != cudaGraphMemAttrUsedMemHigh && attr != cudaGraphMemAttrReservedMemHigh))
        return CU_InvalidValue;
    *graph_figure(p, attr) = *graph_figure(p, attr - 1); /* the current one */
    return CU_Success;
}

CUDA_API int cudaDeviceSetGraphMemAttribute(int device, int attr, void *value) {
    CUDA_CALL(set_graph_figure(p, device, attr, value));
}

/* Nothing is reserved beyond what graphs refer to. */
CUDA_API int cudaDeviceGraphMemTrim(int device) {
    CUDA_CALL(device ? CU_InvalidDevice : CU_Success);
}
