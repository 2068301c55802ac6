/* Arrays of the driver interface, for its own files. */
#ifndef CUDA_DRV_ARRAY_H
#define CUDA_DRV_ARRAY_H

#include "cuda/drv.h"

/* The device memory behind an array: rows of bytes, slices of rows. */
struct drv_texels {
    uint64_t addr, row, slice; /* bytes from one to the next */
    uint64_t rows, slices;
};
int drv_texels_of(struct cu_process *p, CUarray array, struct drv_texels *t);

struct cu_copy_op;
/* The operation that a copy is, checked. */
int drv_box(struct cu_process *p, const CUDA_MEMCPY3D *c, struct cu_copy_op *op);
#endif
