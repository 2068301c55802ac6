/* CUDA arrays: texels in rows, slices or layers, for textures and surfaces. Programs see them through copies only, so that their
 * layout is ours: row by row without gaps, slice by slice. */
#ifndef CUDA_ARRAY_H
#define CUDA_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver_types.h"
#include "heddle.h"

#include "runtime/runtime/error.h"

/* What a channel descriptor means: texels of 1, 2 or 4 channels of one type. */
struct cu_format {
    hd_texel texel;
    uint32_t channels, bytes; /* bytes of one texel */
    bool normalized;          /* read as floats whatever the texture says */
};
/* CU_InvalidChannelDescriptor when there is no such texel. */
int cu_format_of(const struct cudaChannelFormatDesc *desc, struct cu_format *f);

struct cu_process;

struct cudaArray {
    struct cudaChannelFormatDesc desc;
    struct cu_format format;
    /* As given: 0 for a dimension it does not have; depth: slices, layers or faces. */
    struct cudaExtent extent;
    unsigned flags;
    uint64_t addr;
    uint64_t row, slice; /* bytes from one to the next */
};

int cu_array_new(struct cu_process *p, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
                 unsigned flags, struct cudaArray **array);
void cu_array_free(struct cu_process *p, struct cudaArray *a);
bool cu_is_array(struct cu_process *p, const struct cudaArray *a);
static inline size_t cu_array_rows(const struct cudaArray *a) {
    return a->extent.height ? a->extent.height : 1;
}
static inline size_t cu_array_slices(const struct cudaArray *a) {
    return a->extent.depth ? a->extent.depth : 1;
}

#endif
