/* The driver interface: arrays, and copies of rows of them. */
#include "runtime/driver/array.h"

#include "runtime/memory/memory.h"

/* ---- formats ---- */

static const struct format {
    CUarray_format format;
    int bits;
    enum cudaChannelFormatKind kind;
} formats[] = {{CU_AD_FORMAT_UNSIGNED_INT8, 8, cudaChannelFormatKindUnsigned},
               {CU_AD_FORMAT_UNSIGNED_INT16, 16, cudaChannelFormatKindUnsigned},
               {CU_AD_FORMAT_UNSIGNED_INT32, 32, cudaChannelFormatKindUnsigned},
               {CU_AD_FORMAT_SIGNED_INT8, 8, cudaChannelFormatKindSigned},
               {CU_AD_FORMAT_SIGNED_INT16, 16, cudaChannelFormatKindSigned},
               {CU_AD_FORMAT_SIGNED_INT32, 32, cudaChannelFormatKindSigned},
               {CU_AD_FORMAT_HALF, 16, cudaChannelFormatKindFloat},
               {CU_AD_FORMAT_FLOAT, 32, cudaChannelFormatKindFloat}};

int drv_channels(CUarray_format format, unsigned n, struct cudaChannelFormatDesc *desc) {
    if (n != 1 && n != 2 && n != 4) return CU_InvalidValue;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (formats[i].format != format) continue;
        int b = formats[i].bits;
        *desc =
            (struct cudaChannelFormatDesc){b, n > 1 ? b : 0, n > 2 ? b : 0, n > 2 ? b : 0, formats[i].kind};
        return CU_Success;
    }
    return CU_InvalidValue;
}

void drv_format(const struct cudaChannelFormatDesc *desc, CUarray_format *format, unsigned *n) {
    *n = desc->z ? 4 : desc->y ? 2 : 1;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].bits == desc->x && formats[i].kind == desc->f) *format = formats[i].format;
}

/* ---- arrays ---- */

static int drv_array_create(struct cu_process *p, CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *d) {
    struct cudaChannelFormatDesc desc;
    struct cudaArray *a;
    if (!array || !d) return CU_InvalidValue;
    int code = drv_channels(d->Format, d->NumChannels, &desc);
    struct cudaExtent extent = {d->Width, d->Height, d->Depth};
    if (!code) code = cu_array_new(p, &desc, extent, d->Flags, &a);
    if (!code) *array = (CUarray)a;
    return code;
}
CUDA_API CUresult cuArray3DCreate_v2(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *d) {
    DRV_CALL(drv_array_create(p, array, d));
}

static int create_plain(struct cu_process *p, CUarray *array, const CUDA_ARRAY_DESCRIPTOR *d) {
    if (!d) return CU_InvalidValue;
    CUDA_ARRAY3D_DESCRIPTOR all = {
        .Width = d->Width, .Height = d->Height, .Format = d->Format, .NumChannels = d->NumChannels};
    return drv_array_create(p, array, &all);
}
CUDA_API CUresult cuArrayCreate_v2(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *d) {
    DRV_CALL(create_plain(p, array, d));
}

static int drv_array_destroy(struct cu_process *p, CUarray array) {
    if (!cu_is_array(p, drv_array(array))) return CU_InvalidResourceHandle;
    cu_array_free(p, drv_array(array));
    return CU_Success;
}
CUDA_API CUresult cuArrayDestroy(CUarray array) {
    DRV_CALL(drv_array_destroy(p, array));
}

static int drv_array_describe(struct cu_process *p, CUDA_ARRAY3D_DESCRIPTOR *d, CUarray array) {
    const struct cudaArray *a = drv_array(array);
    if (!d) return CU_InvalidValue;
    if (!cu_is_array(p, a)) return CU_InvalidResourceHandle;
    *d = (CUDA_ARRAY3D_DESCRIPTOR){
        .Width = a->extent.width, .Height = a->extent.height, .Depth = a->extent.depth, .Flags = a->flags};
    drv_format(&a->desc, &d->Format, &d->NumChannels);
    return CU_Success;
}
CUDA_API CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *d, CUarray array) {
    DRV_CALL(drv_array_describe(p, d, array));
}

static int describe_plain(struct cu_process *p, CUDA_ARRAY_DESCRIPTOR *d, CUarray array) {
    CUDA_ARRAY3D_DESCRIPTOR all;
    int code = d ? drv_array_describe(p, &all, array) : CU_InvalidValue;
    if (!code)
        *d = (CUDA_ARRAY_DESCRIPTOR){
            .Width = all.Width, .Height = all.Height, .Format = all.Format, .NumChannels = all.NumChannels};
    return code;
}
CUDA_API CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *d, CUarray array) {
    DRV_CALL(describe_plain(p, d, array));
}

/* ---- rows: what lies at an offset of the array's bytes ---- */

#define AT(pointer) ((uint64_t)(uintptr_t)(pointer))

static int in_array(struct cu_process *p, CUarray array, size_t at, size_t bytes, uint64_t *addr) {
    const struct cudaArray *a = drv_array(array);
    if (!cu_is_array(p, a)) return CU_InvalidResourceHandle;
    uint64_t all = a->slice * cu_array_slices(a);
    *addr = a->addr + at;
    return at > all || bytes > all - at ? CU_InvalidValue : CU_Success;
}

static int to_array(struct cu_process *p, CUarray array, size_t at, uint64_t src, size_t bytes, CUstream s,
                    int way) {
    uint64_t addr;
    int code = in_array(p, array, at, bytes, &addr);
    return code ? code : drv_copy_row(p, s, addr, src, bytes, way);
}
static int from_array(struct cu_process *p, uint64_t dst, CUarray array, size_t at, size_t bytes, CUstream s,
                      int way) {
    uint64_t addr;
    int code = in_array(p, array, at, bytes, &addr);
    return code ? code : drv_copy_row(p, s, dst, addr, bytes, way);
}
static int array_to_array(struct cu_process *p, CUarray dst, size_t at, CUarray src, size_t from,
                          size_t bytes) {
    uint64_t addr;
    int code = in_array(p, src, from, bytes, &addr);
    return code ? code : to_array(p, dst, at, addr, bytes, NULL, CU_DEVICE_TO_DEVICE);
}

CUDA_API CUresult cuMemcpyHtoA_v2(CUarray dst, size_t at, const void *src, size_t bytes) {
    DRV_CALL(to_array(p, dst, at, AT(src), bytes, NULL, CU_HOST_TO_DEVICE));
}
CUDA_API CUresult cuMemcpyHtoAAsync_v2(CUarray dst, size_t at, const void *src, size_t bytes, CUstream s) {
    DRV_CALL(to_array(p, dst, at, AT(src), bytes, s, CU_HOST_TO_DEVICE));
}
CUDA_API CUresult cuMemcpyDtoA_v2(CUarray dst, size_t at, CUdeviceptr src, size_t bytes) {
    DRV_CALL(to_array(p, dst, at, src, bytes, NULL, CU_DEVICE_TO_DEVICE));
}
CUDA_API CUresult cuMemcpyAtoH_v2(void *dst, CUarray src, size_t at, size_t bytes) {
    DRV_CALL(from_array(p, AT(dst), src, at, bytes, NULL, CU_DEVICE_TO_HOST));
}
CUDA_API CUresult cuMemcpyAtoHAsync_v2(void *dst, CUarray src, size_t at, size_t bytes, CUstream s) {
    DRV_CALL(from_array(p, AT(dst), src, at, bytes, s, CU_DEVICE_TO_HOST));
}
CUDA_API CUresult cuMemcpyAtoD_v2(CUdeviceptr dst, CUarray src, size_t at, size_t bytes) {
    DRV_CALL(from_array(p, dst, src, at, bytes, NULL, CU_DEVICE_TO_DEVICE));
}
CUDA_API CUresult cuMemcpyAtoA_v2(CUarray dst, size_t at, CUarray src, size_t from, size_t bytes) {
    DRV_CALL(array_to_array(p, dst, at, src, from, bytes));
}
