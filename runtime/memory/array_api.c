/* The entry points of arrays and of pitched memory. */
#include "runtime/graph/capture.h"
#include "runtime/memory/array.h"
#include "runtime/memory/memory.h"
#include "runtime/runtime/api.h"

enum { PITCH = 512 }; /* rows of pitched memory begin at multiples of this, as on real devices */

static int malloc_array(struct cu_process *p, cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                        struct cudaExtent extent, unsigned flags) {
    if (!array || !desc) return CU_InvalidValue;
    const int code = cu_capture_unsafe(p);
    return code ? code : cu_array_new(p, desc, extent, flags, array);
}

CUDA_API int cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, size_t width,
                             size_t height, unsigned flags) {
    CUDA_CALL(malloc_array(p, array, desc, (struct cudaExtent){width, height, 0}, flags));
}

CUDA_API int cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                               struct cudaExtent extent, unsigned flags) {
    CUDA_CALL(malloc_array(p, array, desc, extent, flags));
}

static int free_array(struct cu_process *p, cudaArray_t array) {
    if (!array) return CU_Success;
    if (!cu_is_array(p, array)) return CU_InvalidResourceHandle;
    const int code = cu_capture_unsafe(p);
    if (!code) cu_array_free(p, array);
    return code;
}

CUDA_API int cudaFreeArray(cudaArray_t array) {
    CUDA_CALL(free_array(p, array));
}

static int get_info(struct cu_process *p, struct cudaChannelFormatDesc *desc, struct cudaExtent *extent,
                    unsigned *flags, cudaArray_t array) {
    if (!cu_is_array(p, array)) return CU_InvalidResourceHandle;
    if (desc) *desc = array->desc;
    if (extent) *extent = array->extent;
    if (flags) *flags = array->flags;
    return CU_Success;
}

CUDA_API int cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent, unsigned *flags,
                              cudaArray_t array) {
    CUDA_CALL(get_info(p, desc, extent, flags, array));
}

/* ---- pitched memory ---- */

static int malloc_pitched(struct cu_process *p, void **ptr, size_t *pitch, struct cudaExtent e) {
    if (!ptr || !pitch) return CU_InvalidValue;
    if (e.width > SIZE_MAX - PITCH) return CU_MemoryAllocation;
    *pitch = (e.width + PITCH - 1) / PITCH * PITCH;
    *ptr = NULL;
    if (!e.width || !e.height || !e.depth) return CU_Success;
    if (e.height > INT64_MAX / *pitch / e.depth) return CU_MemoryAllocation;
    return cu_malloc(p, ptr, *pitch * e.height * e.depth);
}

CUDA_API int cudaMallocPitch(void **ptr, size_t *pitch, size_t width, size_t height) {
    CUDA_CALL(malloc_pitched(p, ptr, pitch, (struct cudaExtent){width, height, 1}));
}

static int malloc_3d(struct cu_process *p, struct cudaPitchedPtr *ptr, struct cudaExtent extent) {
    if (!ptr) return CU_InvalidValue;
    ptr->xsize = extent.width;
    ptr->ysize = extent.height;
    return malloc_pitched(p, &ptr->ptr, &ptr->pitch, extent);
}

CUDA_API int cudaMalloc3D(struct cudaPitchedPtr *ptr, struct cudaExtent extent) {
    CUDA_CALL(malloc_3d(p, ptr, extent));
}
