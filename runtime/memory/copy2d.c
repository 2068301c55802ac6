/* Copies and sets of rectangles and boxes, to and from arrays, with all their entry points.
 *
 * Every shape becomes one struct cu_copy_op, a box with two pitches. An array's memory has no gaps (array.h), so that copies of a
 * number of bytes that wrap from row to row (cudaMemcpyToArray) are rows of bytes. Host and device pointers may be mixed as the
 * direction allows. */
#include "runtime/memory/array.h"
#include "runtime/memory/copy3d.h"
#include "runtime/memory/memory.h"
#include "runtime/runtime/api.h"
#include "runtime/runtime/op.h"
#include "runtime/runtime/stream.h"

/* ---- submitting ---- */

static int copy2d_submit(struct cu_process *p, const struct cu_op *op, cudaStream_t stream, bool wait) {
    struct CUstream_st *s;
    int code = cu_stream_of(p, stream, &s);
    if (!code) code = cu_submit(p, s, op);
    return code || !wait ? code : cu_stream_wait(p, s);
}

static int copy_box(struct cu_process *p, const struct cu_copy_op *copy, int kind, cudaStream_t stream,
                    bool wait) {
    const struct cu_op op = {.kind = CU_OP_COPY, .u.copy = *copy};
    const int code = cu_check_copy(p, copy, kind);
    if (code || !copy->width || !copy->height || !copy->depth) return code;
    return copy2d_submit(p, &op, stream, wait);
}

/* ---- rectangles ---- */

static int copy_2d(struct cu_process *p, void *dst, size_t dpitch, const void *src, size_t spitch,
                   size_t width, size_t height, int kind, cudaStream_t stream, bool wait) {
    if (width > dpitch || width > spitch) return CU_InvalidPitchValue;
    const struct cu_copy_op copy = {(uintptr_t)dst, (uintptr_t)src, dpitch, spitch, 0, 0, width, height, 1};
    return copy_box(p, &copy, kind, stream, wait);
}

CUDA_API int cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                          size_t height, int kind) {
    CUDA_CALL(copy_2d(p, dst, dpitch, src, spitch, width, height, kind, NULL, true));
}

CUDA_API int cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                               size_t height, int kind, cudaStream_t stream) {
    CUDA_CALL(copy_2d(p, dst, dpitch, src, spitch, width, height, kind, stream, false));
}

/* ---- rectangles of arrays; offsets and widths in bytes ---- */

static bool inside(struct cu_process *p, const struct cudaArray *a, size_t x, size_t y, size_t width,
                   size_t height) {
    if (!cu_is_array(p, a)) return false;
    return x <= a->row && width <= a->row - x && y <= cu_array_rows(a) && height <= cu_array_rows(a) - y;
}

static uint64_t array_at(const struct cudaArray *a, size_t x, size_t y) {
    return a->addr + y * a->row + x;
}

static bool goes_to_device(int kind) {
    return kind == CU_HOST_TO_DEVICE || kind == CU_DEVICE_TO_DEVICE || kind == CU_DEFAULT;
}

static bool comes_from_device(int kind) {
    return kind == CU_DEVICE_TO_HOST || kind == CU_DEVICE_TO_DEVICE || kind == CU_DEFAULT;
}

static int to_array(struct cu_process *p, cudaArray_t dst, size_t x, size_t y, const void *src, size_t spitch,
                    size_t width, size_t height, int kind, cudaStream_t stream, bool wait) {
    if (!goes_to_device(kind)) return CU_InvalidMemcpyDirection;
    if (!inside(p, dst, x, y, width, height)) return CU_InvalidValue;
    if (width > spitch && height > 1) return CU_InvalidPitchValue;
    const struct cu_copy_op copy = {
        array_at(dst, x, y), (uintptr_t)src, dst->row, spitch, 0, 0, width, height, 1};
    return copy_box(p, &copy, kind, stream, wait);
}

CUDA_API int cudaMemcpy2DToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t spitch,
                                 size_t width, size_t height, int kind) {
    CUDA_CALL(to_array(p, dst, x, y, src, spitch, width, height, kind, NULL, true));
}

CUDA_API int cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src, size_t spitch,
                                      size_t width, size_t height, int kind, cudaStream_t stream) {
    CUDA_CALL(to_array(p, dst, x, y, src, spitch, width, height, kind, stream, false));
}

static int from_array(struct cu_process *p, void *dst, size_t dpitch, cudaArray_const_t src, size_t x,
                      size_t y, size_t width, size_t height, int kind, cudaStream_t stream, bool wait) {
    if (!comes_from_device(kind)) return CU_InvalidMemcpyDirection;
    if (!inside(p, src, x, y, width, height)) return CU_InvalidValue;
    if (width > dpitch && height > 1) return CU_InvalidPitchValue;
    const struct cu_copy_op copy = {
        (uintptr_t)dst, array_at(src, x, y), dpitch, src->row, 0, 0, width, height, 1};
    return copy_box(p, &copy, kind, stream, wait);
}

CUDA_API int cudaMemcpy2DFromArray(void *dst, size_t dpitch, cudaArray_const_t src, size_t x, size_t y,
                                   size_t width, size_t height, int kind) {
    CUDA_CALL(from_array(p, dst, dpitch, src, x, y, width, height, kind, NULL, true));
}

CUDA_API int cudaMemcpy2DFromArrayAsync(void *dst, size_t dpitch, cudaArray_const_t src, size_t x, size_t y,
                                        size_t width, size_t height, int kind, cudaStream_t stream) {
    CUDA_CALL(from_array(p, dst, dpitch, src, x, y, width, height, kind, stream, false));
}

static int between_arrays(struct cu_process *p, cudaArray_t dst, size_t dx, size_t dy, cudaArray_const_t src,
                          size_t sx, size_t sy, size_t width, size_t height, int kind) {
    if (kind != CU_DEVICE_TO_DEVICE && kind != CU_DEFAULT) return CU_InvalidMemcpyDirection;
    if (!inside(p, dst, dx, dy, width, height) || !inside(p, src, sx, sy, width, height))
        return CU_InvalidValue;
    const struct cu_copy_op copy = {
        array_at(dst, dx, dy), array_at(src, sx, sy), dst->row, src->row, 0, 0, width, height, 1};
    return copy_box(p, &copy, kind, NULL, false);
}

CUDA_API int cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t dx, size_t dy, cudaArray_const_t src, size_t sx,
                                      size_t sy, size_t width, size_t height, int kind) {
    CUDA_CALL(between_arrays(p, dst, dx, dy, src, sx, sy, width, height, kind));
}

/* ---- a number of bytes, from row to row ---- */

static bool copy2d_holds(struct cu_process *p, const struct cudaArray *a, size_t x, size_t y, size_t count) {
    if (!inside(p, a, x, y, 0, 0)) return false;
    return count <= a->slice - (y * a->row + x);
}

static int bytes_to_array(struct cu_process *p, cudaArray_t dst, size_t x, size_t y, const void *src,
                          size_t count, int kind, cudaStream_t stream, bool wait) {
    if (!goes_to_device(kind)) return CU_InvalidMemcpyDirection;
    if (!copy2d_holds(p, dst, x, y, count)) return CU_InvalidValue;
    const struct cu_copy_op copy = {array_at(dst, x, y), (uintptr_t)src, 0, 0, 0, 0, count, 1, 1};
    return copy_box(p, &copy, kind, stream, wait);
}

CUDA_API int cudaMemcpyToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t count, int kind) {
    CUDA_CALL(bytes_to_array(p, dst, x, y, src, count, kind, NULL, true));
}

CUDA_API int cudaMemcpyToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src, size_t count,
                                    int kind, cudaStream_t stream) {
    CUDA_CALL(bytes_to_array(p, dst, x, y, src, count, kind, stream, false));
}

static int bytes_from_array(struct cu_process *p, void *dst, cudaArray_const_t src, size_t x, size_t y,
                            size_t count, int kind, cudaStream_t stream, bool wait) {
    if (!comes_from_device(kind)) return CU_InvalidMemcpyDirection;
    if (!copy2d_holds(p, src, x, y, count)) return CU_InvalidValue;
    const struct cu_copy_op copy = {(uintptr_t)dst, array_at(src, x, y), 0, 0, 0, 0, count, 1, 1};
    return copy_box(p, &copy, kind, stream, wait);
}

CUDA_API int cudaMemcpyFromArray(void *dst, cudaArray_const_t src, size_t x, size_t y, size_t count,
                                 int kind) {
    CUDA_CALL(bytes_from_array(p, dst, src, x, y, count, kind, NULL, true));
}

CUDA_API int cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src, size_t x, size_t y, size_t count,
                                      int kind, cudaStream_t stream) {
    CUDA_CALL(bytes_from_array(p, dst, src, x, y, count, kind, stream, false));
}

static int bytes_between(struct cu_process *p, cudaArray_t dst, size_t dx, size_t dy, cudaArray_const_t src,
                         size_t sx, size_t sy, size_t count, int kind) {
    if (kind != CU_DEVICE_TO_DEVICE && kind != CU_DEFAULT) return CU_InvalidMemcpyDirection;
    if (!copy2d_holds(p, dst, dx, dy, count) || !copy2d_holds(p, src, sx, sy, count)) return CU_InvalidValue;
    const struct cu_copy_op copy = {array_at(dst, dx, dy), array_at(src, sx, sy), 0, 0, 0, 0, count, 1, 1};
    return copy_box(p, &copy, kind, NULL, false);
}

CUDA_API int cudaMemcpyArrayToArray(cudaArray_t dst, size_t dx, size_t dy, cudaArray_const_t src, size_t sx,
                                    size_t sy, size_t count, int kind) {
    CUDA_CALL(bytes_between(p, dst, dx, dy, src, sx, sy, count, kind));
}

/* ---- sets ---- */

int cu_check_set(struct cu_process *p, const struct cu_set_op *set) {
    if (!set->width || !set->height || !set->depth) return CU_Success;
    if (set->width > INT64_MAX / 4 || set->height > INT64_MAX || set->depth > INT64_MAX)
        return CU_InvalidValue;
    const uint64_t row = set->width * set->element;
    if (row > set->pitch && set->height * set->depth > 1) return CU_InvalidValue;
    return cu_check_range(p, set->dst, (set->depth - 1) * set->slice + (set->height - 1) * set->pitch + row,
                          1);
}

static int set_box(struct cu_process *p, const struct cu_set_op *set, cudaStream_t stream) {
    const struct cu_op op = {.kind = CU_OP_SET, .u.set = *set};
    const int code = cu_check_set(p, set);
    if (code || !set->width || !set->height || !set->depth) return code;
    return copy2d_submit(p, &op, stream, false);
}

static int set_2d(struct cu_process *p, void *dst, size_t pitch, int value, size_t width, size_t height,
                  cudaStream_t stream) {
    const struct cu_set_op set = {(uintptr_t)dst, pitch, 0, (uint8_t)value, 1, width, height, 1};
    return set_box(p, &set, stream);
}

CUDA_API int cudaMemset2D(void *dst, size_t pitch, int value, size_t width, size_t height) {
    CUDA_CALL(set_2d(p, dst, pitch, value, width, height, NULL));
}

CUDA_API int cudaMemset2DAsync(void *dst, size_t pitch, int value, size_t width, size_t height,
                               cudaStream_t stream) {
    CUDA_CALL(set_2d(p, dst, pitch, value, width, height, stream));
}

static int set_3d(struct cu_process *p, struct cudaPitchedPtr dst, int value, struct cudaExtent e,
                  cudaStream_t stream) {
    if (e.height > dst.ysize && e.depth > 1) return CU_InvalidValue;
    const struct cu_set_op set = {
        (uintptr_t)dst.ptr, dst.pitch, dst.pitch * dst.ysize, (uint8_t)value, 1, e.width, e.height, e.depth};
    return set_box(p, &set, stream);
}

CUDA_API int cudaMemset3D(struct cudaPitchedPtr dst, int value, struct cudaExtent extent) {
    CUDA_CALL(set_3d(p, dst, value, extent, NULL));
}

CUDA_API int cudaMemset3DAsync(struct cudaPitchedPtr dst, int value, struct cudaExtent extent,
                               cudaStream_t stream) {
    CUDA_CALL(set_3d(p, dst, value, extent, stream));
}
