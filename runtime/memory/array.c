/* CUDA arrays: what a channel descriptor means, which extents there are, and the calls that make and describe arrays.
 *
 * The limits are those of devices of compute capability 7.5 (CUDA programming guide, table of technical specifications). */
#include "runtime/memory/array.h"

#include <stdlib.h>

#include "runtime/memory/memory.h"
#include "runtime/runtime/process.h"

/* ---- formats ---- */

enum { MAX_1D = 131072, MAX_2D = 131072, MAX_2D_ROWS = 65536, MAX_3D = 16384, MAX_LAYERS = 2048 };
enum { MAX_LAYERED = 32768, MAX_CUBE = 32768, MAX_CUBE_LAYERS = 2046 };

static bool texel_of(enum cudaChannelFormatKind kind, int bits, hd_texel *texel) {
    const bool is_signed = kind == cudaChannelFormatKindSigned;
    if (kind == cudaChannelFormatKindFloat) {
        *texel = bits == 16 ? HD_TEXEL_F16 : HD_TEXEL_F32;
        return bits == 16 || bits == 32;
    }
    switch (bits) {
    case 8: *texel = is_signed ? HD_TEXEL_S8 : HD_TEXEL_U8; return true;
    case 16: *texel = is_signed ? HD_TEXEL_S16 : HD_TEXEL_U16; return true;
    case 32: *texel = is_signed ? HD_TEXEL_S32 : HD_TEXEL_U32; return true;
    default: return false;
    }
}

/* The normalised kinds say bits and channels in their names; they come in threes: 1, 2 and 4 channels. */
static enum cudaChannelFormatKind plain_kind(enum cudaChannelFormatKind kind, bool *normalized) {
    *normalized = kind >= cudaChannelFormatKindUnsignedNormalized8X1 &&
                  kind <= cudaChannelFormatKindSignedNormalized16X4;
    if (!*normalized) return kind;
    return kind < cudaChannelFormatKindSignedNormalized8X1 ? cudaChannelFormatKindUnsigned
                                                           : cudaChannelFormatKindSigned;
}

int cu_format_of(const struct cudaChannelFormatDesc *desc, struct cu_format *f) {
    const int bits[4] = {desc->x, desc->y, desc->z, desc->w};
    const enum cudaChannelFormatKind kind = plain_kind(desc->f, &f->normalized);
    if ((unsigned)kind > cudaChannelFormatKindFloat || !texel_of(kind, bits[0], &f->texel))
        return CU_InvalidChannelDescriptor;
    uint32_t n = 1;
    while (n < 4 && bits[n] == bits[0]) n++;
    for (uint32_t i = n; i < 4; i++)
        if (bits[i]) return CU_InvalidChannelDescriptor;
    if (n == 3) return CU_InvalidChannelDescriptor;
    f->channels = n;
    f->bytes = n * (uint32_t)bits[0] / 8;
    return CU_Success;
}

/* ---- making them ---- */

static bool cube_extent(struct cudaExtent e, bool layered) {
    if (e.width != e.height || e.width > MAX_CUBE || !e.depth || e.depth % 6) return false;
    return layered ? e.depth <= MAX_CUBE_LAYERS : e.depth == 6;
}

static bool good_extent(struct cudaExtent e, unsigned flags) {
    const bool layered = flags & cudaArrayLayered;
    if (!e.width) return false;
    if (flags & cudaArrayCubemap) return cube_extent(e, layered);
    if (layered) return e.depth && e.depth <= MAX_LAYERS && e.width <= MAX_LAYERED && e.height <= MAX_LAYERED;
    if (e.depth) return e.height && e.width <= MAX_3D && e.height <= MAX_3D && e.depth <= MAX_3D;
    return e.height ? e.width <= MAX_2D && e.height <= MAX_2D_ROWS : e.width <= MAX_1D;
}

static const unsigned known_flags =
    cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather;

bool cu_is_array(struct cu_process *p, const struct cudaArray *a) {
    return cu_is(p, a, CU_KIND_ARRAY);
}

int cu_array_new(struct cu_process *p, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
                 unsigned flags, struct cudaArray **array) {
    struct cu_format f;
    int code = cu_format_of(desc, &f);
    if (code) return code;
    if (!good_extent(extent, flags) || (flags & ~known_flags)) return CU_InvalidValue;
    struct cudaArray a = {*desc, f, extent, flags, 0, extent.width * f.bytes, 0};
    a.slice = a.row * cu_array_rows(&a);
    if ((code = cu_alloc_device(p, a.slice * cu_array_slices(&a), CU_MEMORY_ARRAY, &a.addr))) return code;
    *array = cu_zalloc(sizeof a);
    **array = a;
    cu_know(p, *array, CU_KIND_ARRAY);
    return CU_Success;
}

void cu_array_free(struct cu_process *p, struct cudaArray *a) {
    cu_alloc_free(p, cu_alloc_find(p, a->addr));
    cu_forget(p, a);
    free(a);
}
