/* Arrays and textures of the driver interface, for its own files. */
#ifndef CUDA_DRV_ARRAY_H
#define CUDA_DRV_ARRAY_H

#include "runtime/driver/drv.h"
#include "runtime/memory/array.h"
#include "runtime/memory/texture.h"

/* The runtime's array is the driver's under another name. */
static inline struct cudaArray *drv_array(CUarray array) {
    return (struct cudaArray *)array;
}

/* Texels of a format and a number of channels, and back. CU_InvalidValue: there are none such. */
int drv_channels(CUarray_format format, unsigned n, struct cudaChannelFormatDesc *desc);
void drv_format(const struct cudaChannelFormatDesc *desc, CUarray_format *format, unsigned *n);

/* How a texture with such texels and flags (CU_TRSF_*) is read. */
void drv_reading(const struct cudaChannelFormatDesc *desc, unsigned flags, struct cudaTextureDesc *t);

struct cu_copy_op;
/* The operation that a copy is, checked. */
int drv_box(struct cu_process *p, const CUDA_MEMCPY3D *c, struct cu_copy_op *op);
/* A row, checked and submitted. */
int drv_copy_row(struct cu_process *p, CUstream stream, uint64_t dst, uint64_t src, size_t bytes,
                 int direction);
#endif
