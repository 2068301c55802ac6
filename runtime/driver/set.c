/* The driver interface: fills of elements of 1, 2 or 4 bytes, in a row or in rows. */
#include "runtime/driver/drv.h"
#include "runtime/memory/memory.h"
#include "runtime/runtime/op.h"

static int set_rows(struct cu_process *p, CUdeviceptr dst, size_t pitch, uint32_t value, uint32_t element,
                    size_t width, size_t height, CUstream stream) {
    struct cu_op op = {.kind = CU_OP_SET,
                       .u.set = {.dst = dst,
                                 .pitch = pitch,
                                 .value = value,
                                 .element = element,
                                 .width = width,
                                 .height = height,
                                 .depth = 1}};
    struct CUstream_st *s;
    int code = cu_stream_of(p, stream, &s);
    if (code || !width || !height) return code;
    if (dst % element || width > INT32_MAX * (uint64_t)4096 || height > INT32_MAX) return CU_InvalidValue;
    if (height > 1 && (pitch < width * element || pitch % element)) return CU_InvalidValue;
    code = cu_check_range(p, dst, (height - 1) * pitch + width * element, 1);
    return code ? code : cu_submit(p, s, &op);
}

#define SET(name, type, bytes)                                                                   \
    CUDA_API CUresult cuMemset##name##_v2(CUdeviceptr dst, type value, size_t n) {               \
        DRV_CALL(set_rows(p, dst, 0, value, bytes, n, 1, NULL));                                 \
    }                                                                                            \
    CUDA_API CUresult cuMemset##name##Async(CUdeviceptr dst, type value, size_t n, CUstream s) { \
        DRV_CALL(set_rows(p, dst, 0, value, bytes, n, 1, s));                                    \
    }
SET(D8, unsigned char, 1)
SET(D16, unsigned short, 2)
SET(D32, unsigned, 4)

#define SET_ROWS(name, type, bytes)                                                                  \
    CUDA_API CUresult cuMemset##name##_v2(CUdeviceptr dst, size_t pitch, type value, size_t width,   \
                                          size_t height) {                                           \
        DRV_CALL(set_rows(p, dst, pitch, value, bytes, width, height, NULL));                        \
    }                                                                                                \
    CUDA_API CUresult cuMemset##name##Async(CUdeviceptr dst, size_t pitch, type value, size_t width, \
                                            size_t height, CUstream s) {                             \
        DRV_CALL(set_rows(p, dst, pitch, value, bytes, width, height, s));                           \
    }
SET_ROWS(D2D8, unsigned char, 1)
SET_ROWS(D2D16, unsigned short, 2)
SET_ROWS(D2D32, unsigned, 4)
