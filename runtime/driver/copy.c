/* The driver interface: copies. Rows and boxes become the operations that the runtime's copies are; an array is the device
 * memory behind it. A copy without a stream goes through the default one, and the host waits for it. */
#include "runtime/driver/array.h"
#include "runtime/driver/drv.h"
#include "runtime/memory/memory.h"
#include "runtime/runtime/op.h"

/* ---- rows ---- */

int drv_copy_row(struct cu_process *p, CUstream stream, uint64_t dst, uint64_t src, size_t bytes,
                 int direction) {
    struct CUstream_st *s;
    int code = cu_stream_of(p, stream, &s);
    return code ? code
                : cu_copy_row(p, s, (void *)(uintptr_t)dst, (const void *)(uintptr_t)src, bytes, direction);
}

static int copy_row_now(struct cu_process *p, uint64_t dst, uint64_t src, size_t bytes, int direction) {
    int code = drv_copy_row(p, NULL, dst, src, bytes, direction);
    return code ? code : drv_wait(p, NULL);
}

#define AT(pointer) ((uint64_t)(uintptr_t)(pointer))

CUDA_API CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t bytes) {
    DRV_CALL(copy_row_now(p, dst, src, bytes, CU_DEFAULT));
}
CUDA_API CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream s) {
    DRV_CALL(drv_copy_row(p, s, dst, src, bytes, CU_DEFAULT));
}
CUDA_API CUresult cuMemcpyHtoD_v2(CUdeviceptr dst, const void *src, size_t bytes) {
    DRV_CALL(copy_row_now(p, dst, AT(src), bytes, CU_HOST_TO_DEVICE));
}
CUDA_API CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dst, const void *src, size_t bytes, CUstream s) {
    DRV_CALL(drv_copy_row(p, s, dst, AT(src), bytes, CU_HOST_TO_DEVICE));
}
CUDA_API CUresult cuMemcpyDtoH_v2(void *dst, CUdeviceptr src, size_t bytes) {
    DRV_CALL(copy_row_now(p, AT(dst), src, bytes, CU_DEVICE_TO_HOST));
}
CUDA_API CUresult cuMemcpyDtoHAsync_v2(void *dst, CUdeviceptr src, size_t bytes, CUstream s) {
    DRV_CALL(drv_copy_row(p, s, AT(dst), src, bytes, CU_DEVICE_TO_HOST));
}
CUDA_API CUresult cuMemcpyDtoD_v2(CUdeviceptr dst, CUdeviceptr src, size_t bytes) {
    DRV_CALL(drv_copy_row(p, NULL, dst, src, bytes, CU_DEVICE_TO_DEVICE));
}
CUDA_API CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream s) {
    DRV_CALL(drv_copy_row(p, s, dst, src, bytes, CU_DEVICE_TO_DEVICE));
}

static int drv_copy_peer(struct cu_process *p, CUdeviceptr dst, CUcontext to, CUdeviceptr src, CUcontext from,
                         size_t bytes, CUstream s) {
    struct CUctx_st *c;
    int code = drv_context_of(p, to, &c);
    if (!code) code = drv_context_of(p, from, &c);
    return code ? code : drv_copy_row(p, s, dst, src, bytes, CU_DEVICE_TO_DEVICE);
}
CUDA_API CUresult cuMemcpyPeer(CUdeviceptr dst, CUcontext to, CUdeviceptr src, CUcontext from, size_t bytes) {
    DRV_CALL(drv_copy_peer(p, dst, to, src, from, bytes, NULL));
}
CUDA_API CUresult cuMemcpyPeerAsync(CUdeviceptr dst, CUcontext to, CUdeviceptr src, CUcontext from,
                                    size_t bytes, CUstream s) {
    DRV_CALL(drv_copy_peer(p, dst, to, src, from, bytes, s));
}

/* ---- boxes ---- */

/* One side of a copy: an address, and the distances of rows and planes. */
struct side {
    uint64_t at, pitch, slice;
};

static int array_side(struct cu_process *p, CUarray array, size_t x, size_t y, size_t z,
                      const CUDA_MEMCPY3D *c, struct side *s) {
    const struct cudaArray *a = drv_array(array);
    if (!cu_is_array(p, a)) return CU_InvalidResourceHandle;
    if (x + c->WidthInBytes > a->row || y + c->Height > cu_array_rows(a) || z + c->Depth > cu_array_slices(a))
        return CU_InvalidValue;
    *s = (struct side){a->addr + z * a->slice + y * a->row + x, a->row, a->slice};
    return CU_Success;
}

/* Rows that are given no pitch lie one behind the other. */
static int plain_side(uint64_t at, size_t x, size_t y, size_t z, size_t pitch, size_t rows,
                      const CUDA_MEMCPY3D *c, struct side *s) {
    if (!pitch) pitch = x + c->WidthInBytes;
    if (!rows) rows = y + c->Height;
    if (!at || pitch < x + c->WidthInBytes || rows < y + c->Height) return CU_InvalidValue;
    *s = (struct side){at + z * pitch * rows + y * pitch + x, pitch, pitch * rows};
    return CU_Success;
}

static int drv_copy_source(struct cu_process *p, const CUDA_MEMCPY3D *c, struct side *s) {
    size_t x = c->srcXInBytes, y = c->srcY, z = c->srcZ;
    switch ((int)c->srcMemoryType) {
    case CU_MEMORYTYPE_ARRAY: return array_side(p, c->srcArray, x, y, z, c, s);
    case CU_MEMORYTYPE_HOST: return plain_side(AT(c->srcHost), x, y, z, c->srcPitch, c->srcHeight, c, s);
    case CU_MEMORYTYPE_DEVICE:
    case CU_MEMORYTYPE_UNIFIED: return plain_side(c->srcDevice, x, y, z, c->srcPitch, c->srcHeight, c, s);
    default: return CU_InvalidValue;
    }
}

static int drv_copy_destination(struct cu_process *p, const CUDA_MEMCPY3D *c, struct side *s) {
    size_t x = c->dstXInBytes, y = c->dstY, z = c->dstZ;
    switch ((int)c->dstMemoryType) {
    case CU_MEMORYTYPE_ARRAY: return array_side(p, c->dstArray, x, y, z, c, s);
    case CU_MEMORYTYPE_HOST: return plain_side(AT(c->dstHost), x, y, z, c->dstPitch, c->dstHeight, c, s);
    case CU_MEMORYTYPE_DEVICE:
    case CU_MEMORYTYPE_UNIFIED: return plain_side(c->dstDevice, x, y, z, c->dstPitch, c->dstHeight, c, s);
    default: return CU_InvalidValue;
    }
}

static int drv_copy_direction(const CUDA_MEMCPY3D *c) {
    if (c->srcMemoryType == CU_MEMORYTYPE_UNIFIED || c->dstMemoryType == CU_MEMORYTYPE_UNIFIED)
        return CU_DEFAULT;
    int from = c->srcMemoryType == CU_MEMORYTYPE_HOST, to = c->dstMemoryType == CU_MEMORYTYPE_HOST;
    if (from) return to ? CU_HOST_TO_HOST : CU_HOST_TO_DEVICE;
    return to ? CU_DEVICE_TO_HOST : CU_DEVICE_TO_DEVICE;
}

int drv_box(struct cu_process *p, const CUDA_MEMCPY3D *c, struct cu_copy_op *op) {
    struct side to, from;
    if (!c || c->srcLOD || c->dstLOD) return CU_InvalidValue;
    int code = drv_copy_source(p, c, &from);
    if (!code) code = drv_copy_destination(p, c, &to);
    if (code) return code;
    *op = (struct cu_copy_op){.dst = to.at,
                              .src = from.at,
                              .dst_pitch = to.pitch,
                              .src_pitch = from.pitch,
                              .dst_slice = to.slice,
                              .src_slice = from.slice,
                              .width = c->WidthInBytes,
                              .height = c->Height,
                              .depth = c->Depth};
    return cu_check_copy(p, op, drv_copy_direction(c));
}

static int copy_box(struct cu_process *p, CUstream stream, const CUDA_MEMCPY3D *c) {
    struct cu_op op = {.kind = CU_OP_COPY};
    struct CUstream_st *s;
    int code = cu_stream_of(p, stream, &s);
    if (!code) code = drv_box(p, c, &op.u.copy);
    return code || !c->WidthInBytes || !c->Height || !c->Depth ? code : cu_submit(p, s, &op);
}

static int copy_box_now(struct cu_process *p, const CUDA_MEMCPY3D *c) {
    int code = copy_box(p, NULL, c);
    return code ? code : drv_wait(p, NULL);
}

static const CUDA_MEMCPY3D *as_box(const CUDA_MEMCPY2D *c, CUDA_MEMCPY3D *box) {
    if (!c) return NULL;
    *box = (CUDA_MEMCPY3D){.srcXInBytes = c->srcXInBytes,
                           .srcY = c->srcY,
                           .srcMemoryType = c->srcMemoryType,
                           .srcHost = c->srcHost,
                           .srcDevice = c->srcDevice,
                           .srcArray = c->srcArray,
                           .srcPitch = c->srcPitch,
                           .dstXInBytes = c->dstXInBytes,
                           .dstY = c->dstY,
                           .dstMemoryType = c->dstMemoryType,
                           .dstHost = c->dstHost,
                           .dstDevice = c->dstDevice,
                           .dstArray = c->dstArray,
                           .dstPitch = c->dstPitch,
                           .WidthInBytes = c->WidthInBytes,
                           .Height = c->Height,
                           .Depth = 1};
    return box;
}

CUDA_API CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *c) {
    CUDA_MEMCPY3D box;
    DRV_CALL(copy_box_now(p, as_box(c, &box)));
}
CUDA_API CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *c) {
    CUDA_MEMCPY3D box;
    DRV_CALL(copy_box_now(p, as_box(c, &box)));
}
CUDA_API CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *c, CUstream s) {
    CUDA_MEMCPY3D box;
    DRV_CALL(copy_box(p, s, as_box(c, &box)));
}
CUDA_API CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *c) {
    DRV_CALL(copy_box_now(p, c));
}
CUDA_API CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *c, CUstream s) {
    DRV_CALL(copy_box(p, s, c));
}

/* The contexts stand where the other structure has room that is not used. */
CUDA_API CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *c) {
    DRV_CALL(copy_box_now(p, (const CUDA_MEMCPY3D *)c));
}
CUDA_API CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *c, CUstream s) {
    DRV_CALL(copy_box(p, s, (const CUDA_MEMCPY3D *)c));
}
