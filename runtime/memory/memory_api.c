/* Entry points for memory and for copies in a row. */
#include "runtime/memory/memory.h"
#include "runtime/runtime/api.h"
#include "runtime/runtime/stream.h"

CUDA_API int cudaMalloc(void **ptr, size_t bytes) {
    CUDA_CALL(cu_malloc(p, ptr, bytes));
}
CUDA_API int cudaFree(void *ptr) {
    CUDA_CALL(cu_free(p, ptr));
}

static int cu_memory_copy(struct cu_process *p, void *dst, const void *src, size_t bytes, int direction,
                          struct CUstream_st *stream, int wait) {
    struct CUstream_st *s;
    int code = cu_stream_of(p, stream, &s);
    if (!code) code = cu_copy_row(p, s, dst, src, bytes, direction);
    return code || !wait ? code : cu_stream_wait(p, s);
}

CUDA_API int cudaMemcpy(void *dst, const void *src, size_t bytes, int direction) {
    CUDA_CALL(cu_memory_copy(p, dst, src, bytes, direction, NULL, 1));
}
CUDA_API int cudaMemcpyAsync(void *dst, const void *src, size_t bytes, int direction,
                             struct CUstream_st *stream) {
    CUDA_CALL(cu_memory_copy(p, dst, src, bytes, direction, stream, 0));
}

static int cu_memory_set(struct cu_process *p, void *dst, int value, size_t bytes,
                         struct CUstream_st *stream) {
    struct CUstream_st *s;
    int code = cu_stream_of(p, stream, &s);
    return code ? code : cu_set_row(p, s, (uint64_t)(uintptr_t)dst, (uint8_t)value, 1, bytes);
}

CUDA_API int cudaMemset(void *dst, int value, size_t bytes) {
    CUDA_CALL(cu_memory_set(p, dst, value, bytes, NULL));
}
CUDA_API int cudaMemsetAsync(void *dst, int value, size_t bytes, struct CUstream_st *stream) {
    CUDA_CALL(cu_memory_set(p, dst, value, bytes, stream));
}

/* There is one device, so that a copy between two of them is a copy within it. */
static int cu_memory_copy_peer(struct cu_process *p, void *dst, int dst_device, const void *src,
                               int src_device, size_t bytes, struct CUstream_st *stream) {
    if (dst_device || src_device) return CU_InvalidDevice;
    return cu_memory_copy(p, dst, src, bytes, CU_DEVICE_TO_DEVICE, stream, 0);
}
CUDA_API int cudaMemcpyPeer(void *dst, int dst_device, const void *src, int src_device, size_t bytes) {
    CUDA_CALL(cu_memory_copy_peer(p, dst, dst_device, src, src_device, bytes, NULL));
}
CUDA_API int cudaMemcpyPeerAsync(void *dst, int dst_device, const void *src, int src_device, size_t bytes,
                                 struct CUstream_st *stream) {
    CUDA_CALL(cu_memory_copy_peer(p, dst, dst_device, src, src_device, bytes, stream));
}
