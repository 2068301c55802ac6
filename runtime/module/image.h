/* Images: what a program gives to be loaded, and the PTX texts in them. An image is a text, a fat binary, what the linker made,
 * or, in the program's memory alone, a wrapper that points to fat binaries. */
#ifndef CUDA_IMAGE_H
#define CUDA_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/module/fatbin.h"

/* The length of an image that the program has in its memory and whose length it did not give. The image's own headers, or the
 * NUL behind a text, say how long it is; it is never read beyond what the process has mapped. */
#define CU_UNSIZED SIZE_MAX

struct cu_texts {
    struct cu_ptx *list;
    size_t count;
};

/* Adds the texts of an image for a machine of that compute capability (75). Nothing beyond its `bytes` bytes is read; only an
 * image of CU_UNSIZED bytes may be a wrapper, for a file's pointers mean nothing. CU_Success; CU_InvalidKernelImage: damaged,
 * or no image; CU_NoKernelImageForDevice: machine code only; CU_InvalidValue: NULL; CU_MemoryAllocation. */
int cu_image_texts(const void *image, size_t bytes, uint32_t capability, struct cu_texts *t);
/* One image of all texts, to be freed; NULL: no memory. */
char *cu_texts_pack(const struct cu_texts *t, size_t *bytes);
void cu_texts_free(struct cu_texts *t);
#endif
