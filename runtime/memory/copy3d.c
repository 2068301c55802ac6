/* cudaMemcpy3D and its relatives: from their parameters to a box and back.
 *
 * Positions are in elements of an array or in bytes of a pointer; the extent is in elements as soon as an array takes part, else in
 * bytes. */
#include "runtime/memory/copy3d.h"

#include "runtime/memory/array.h"
#include "runtime/memory/memory.h"
#include "runtime/runtime/api.h"
#include "runtime/runtime/stream.h"

struct side {
    uint64_t addr, pitch, slice;
    const struct cudaArray *array;
};

static bool copy3d_within(const struct cudaArray *a, struct cudaPos at, struct cudaExtent e) {
    return at.x <= a->extent.width && e.width <= a->extent.width - at.x && at.y <= cu_array_rows(a) &&
           e.height <= cu_array_rows(a) - at.y && at.z <= cu_array_slices(a) &&
           e.depth <= cu_array_slices(a) - at.z;
}

static int side_of(struct cu_process *p, cudaArray_t array, struct cudaPitchedPtr ptr, struct cudaPos at,
                   struct cudaExtent e, struct side *side) {
    if ((array != NULL) == (ptr.ptr != NULL)) return CU_InvalidValue;
    if (!array) {
        *side = (struct side){(uintptr_t)ptr.ptr, ptr.pitch, ptr.pitch * ptr.ysize, NULL};
        side->addr += at.z * side->slice + at.y * ptr.pitch + at.x;
        return CU_Success;
    }
    if (!cu_is_array(p, array) || !copy3d_within(array, at, e)) return CU_InvalidValue;
    *side = (struct side){array->addr, array->row, array->slice, array};
    side->addr += at.z * array->slice + at.y * array->row + at.x * array->format.bytes;
    return CU_Success;
}

static bool right_direction(const struct side *dst, const struct side *src, int kind) {
    if (dst->array && (kind == CU_HOST_TO_HOST || kind == CU_DEVICE_TO_HOST)) return false;
    return !src->array || (kind != CU_HOST_TO_HOST && kind != CU_HOST_TO_DEVICE);
}

/* A pitch matters from the second row on; programs leave that of a single row 0. */
static bool pitch_fits(const struct side *s, uint64_t width, const struct cudaExtent *e) {
    return s->array || width <= s->pitch || (e->height <= 1 && e->depth <= 1);
}

int cu_box_of(struct cu_process *p, const struct cudaMemcpy3DParms *m, struct cu_copy_op *copy) {
    struct side dst, src;
    int code = side_of(p, m->srcArray, m->srcPtr, m->srcPos, m->extent, &src);
    if (code || (code = side_of(p, m->dstArray, m->dstPtr, m->dstPos, m->extent, &dst))) return code;
    if (!right_direction(&dst, &src, (int)m->kind)) return CU_InvalidMemcpyDirection;
    if (dst.array && src.array && dst.array->format.bytes != src.array->format.bytes) return CU_InvalidValue;
    const struct cudaArray *a = dst.array ? dst.array : src.array;
    const uint64_t width = m->extent.width * (a ? a->format.bytes : 1);
    if (!pitch_fits(&dst, width, &m->extent) || !pitch_fits(&src, width, &m->extent))
        return CU_InvalidPitchValue;
    *copy = (struct cu_copy_op){dst.addr,  src.addr, dst.pitch,        src.pitch,      dst.slice,
                                src.slice, width,    m->extent.height, m->extent.depth};
    return cu_check_copy(p, copy, (int)m->kind);
}

static int copy_3d(struct cu_process *p, const struct cudaMemcpy3DParms *m, cudaStream_t stream, bool wait) {
    struct cu_op op = {.kind = CU_OP_COPY};
    struct CUstream_st *s;
    int code = m ? cu_box_of(p, m, &op.u.copy) : CU_InvalidValue;
    if (code || (code = cu_stream_of(p, stream, &s))) return code;
    if (!op.u.copy.width || !op.u.copy.height || !op.u.copy.depth) return CU_Success;
    code = cu_submit(p, s, &op);
    return code || !wait ? code : cu_stream_wait(p, s);
}

CUDA_API int cudaMemcpy3D(const struct cudaMemcpy3DParms *m) {
    CUDA_CALL(copy_3d(p, m, NULL, true));
}

CUDA_API int cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *m, cudaStream_t stream) {
    CUDA_CALL(copy_3d(p, m, stream, false));
}

/* There is one device: a peer copy is a copy. */
static int copy3d_copy_peer(struct cu_process *p, const struct cudaMemcpy3DPeerParms *m,
                            cudaStream_t stream) {
    if (!m) return CU_InvalidValue;
    if (m->srcDevice || m->dstDevice) return CU_InvalidDevice;
    const struct cudaMemcpy3DParms plain = {m->srcArray, m->srcPos, m->srcPtr, m->dstArray,
                                            m->dstPos,   m->dstPtr, m->extent, cudaMemcpyDefault};
    return copy_3d(p, &plain, stream, false);
}

CUDA_API int cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *m) {
    CUDA_CALL(copy3d_copy_peer(p, m, NULL));
}

CUDA_API int cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *m, cudaStream_t stream) {
    CUDA_CALL(copy3d_copy_peer(p, m, stream));
}

/* ---- many at once ---- */

struct batch {
    void *const *dst;
    const void *const *src;
    const size_t *bytes;
    size_t n;
};

static int copy_batch(struct cu_process *p, const struct batch *b, size_t *failed, cudaStream_t stream) {
    struct CUstream_st *s;
    int code = cu_stream_of(p, stream, &s);
    if (code) return code;
    if (!b->n || !b->dst || !b->src || !b->bytes || s == cu_stream_legacy(p)) return CU_InvalidValue;
    size_t i = 0;
    while (!code && i < b->n) {
        code = cu_copy_row(p, s, b->dst[i], b->src[i], b->bytes[i], CU_DEFAULT);
        if (!code) i++;
    }
    if (code && failed) *failed = i;
    return code;
}

CUDA_API int cudaMemcpyBatchAsync_12(void *const *dst, const void *const *src, const size_t *bytes, size_t n,
                                     struct cudaMemcpyAttributes *attributes, size_t *which,
                                     size_t nattributes, size_t *failed, cudaStream_t stream) {
    (void)attributes, (void)which, (void)nattributes;
    CUDA_CALL(copy_batch(p, &(struct batch){dst, src, bytes, n}, failed, stream));
}

CUDA_API int cudaMemcpyBatchAsync_13(void *const *dst, const void *const *src, const size_t *bytes, size_t n,
                                     struct cudaMemcpyAttributes *attributes, size_t *which,
                                     size_t nattributes, cudaStream_t stream) {
    (void)attributes, (void)which, (void)nattributes;
    CUDA_CALL(copy_batch(p, &(struct batch){dst, src, bytes, n}, NULL, stream));
}

CUDA_VERSION(cudaMemcpyBatchAsync_12, cudaMemcpyBatchAsync, "12")
CUDA_DEFAULT(cudaMemcpyBatchAsync_13, cudaMemcpyBatchAsync)
