/* Entry points for variables of kernels, by the address of their shadow in the program. */
#include "runtime/memory/memory.h"
#include "runtime/module/module.h"
#include "runtime/runtime/api.h"
#include "runtime/runtime/stream.h"

static int symbol_address(struct cu_process *p, void **ptr, const void *symbol) {
    struct cu_variable *v;
    if (!ptr) return CU_InvalidValue;
    int code = cu_variable_of(p, symbol, &v);
    if (!code) *ptr = v->managed ? *v->managed : (void *)(uintptr_t)v->addr;
    return code;
}
CUDA_API int cudaGetSymbolAddress(void **ptr, const void *symbol) {
    CUDA_CALL(symbol_address(p, ptr, symbol));
}

static int symbol_size(struct cu_process *p, size_t *bytes, const void *symbol) {
    struct cu_variable *v;
    if (!bytes) return CU_InvalidValue;
    int code = cu_variable_of(p, symbol, &v);
    if (!code) *bytes = v->bytes;
    return code;
}
CUDA_API int cudaGetSymbolSize(size_t *bytes, const void *symbol) {
    CUDA_CALL(symbol_size(p, bytes, symbol));
}

/* A part of a variable and the other side of the copy. */
struct part {
    const void *symbol;
    size_t bytes, offset;
};

static int part_address(struct cu_process *p, const struct part *part, void **addr) {
    struct cu_variable *v;
    int code = cu_variable_of(p, part->symbol, &v);
    if (code) return code;
    if (part->offset > v->bytes || part->bytes > v->bytes - part->offset) return CU_InvalidValue;
    *addr = (void *)(uintptr_t)(v->addr + part->offset);
    return CU_Success;
}

static int to_symbol(struct cu_process *p, struct part part, const void *src, int direction,
                     struct CUstream_st *stream, int wait) {
    struct CUstream_st *s;
    void *dst;
    if (direction == CU_HOST_TO_HOST || direction == CU_DEVICE_TO_HOST) return CU_InvalidMemcpyDirection;
    int code = part_address(p, &part, &dst);
    if (!code) code = cu_stream_of(p, stream, &s);
    if (!code) code = cu_copy_row(p, s, dst, src, part.bytes, direction);
    return code || !wait ? code : cu_stream_wait(p, s);
}

static int from_symbol(struct cu_process *p, void *dst, struct part part, int direction,
                       struct CUstream_st *stream, int wait) {
    struct CUstream_st *s;
    void *src;
    if (direction == CU_HOST_TO_HOST || direction == CU_HOST_TO_DEVICE) return CU_InvalidMemcpyDirection;
    int code = part_address(p, &part, &src);
    if (!code) code = cu_stream_of(p, stream, &s);
    if (!code) code = cu_copy_row(p, s, dst, src, part.bytes, direction);
    return code || !wait ? code : cu_stream_wait(p, s);
}

CUDA_API int cudaMemcpyToSymbol(const void *symbol, const void *src, size_t bytes, size_t offset,
                                int direction) {
    CUDA_CALL(to_symbol(p, (struct part){symbol, bytes, offset}, src, direction, NULL, 1));
}
CUDA_API int cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t bytes, size_t offset,
                                     int direction, struct CUstream_st *stream) {
    CUDA_CALL(to_symbol(p, (struct part){symbol, bytes, offset}, src, direction, stream, 0));
}
CUDA_API int cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t bytes, size_t offset, int direction) {
    CUDA_CALL(from_symbol(p, dst, (struct part){symbol, bytes, offset}, direction, NULL, 1));
}
CUDA_API int cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t bytes, size_t offset,
                                       int direction, struct CUstream_st *stream) {
    CUDA_CALL(from_symbol(p, dst, (struct part){symbol, bytes, offset}, direction, stream, 0));
}
