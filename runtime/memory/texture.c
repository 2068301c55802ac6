/* Texture and surface objects: from the descriptors of the CUDA interface to those of the simulator.
 *
 * What the simulator's texture unit does not have is refused by name: mipmaps, sRGB. A resource view may choose layers and another
 * format of the same size. Codes are those of the real runtime: linear filtering needs values that read as floats
 * (cudaErrorInvalidFilterSetting), and only integers of 8 and 16 bits can be normalised (cudaErrorInvalidNormSetting). */
#include "runtime/memory/texture.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/memory/memory.h"
#include "runtime/runtime/process.h"

enum { MAX_LINEAR = 1 << 28, TEXTURE_ALIGN = 512, PITCH_ALIGN = 32 };

/* ---- resources ---- */

struct texels { /* where they are and how they lie */
    uint64_t addr, pitch;
    size_t width, height, depth;
    struct cu_format format;
};

static int of_linear(struct cu_process *p, const struct cudaResourceDesc *r, struct texels *t) {
    int code = cu_format_of(&r->res.linear.desc, &t->format);
    if (code) return code;
    t->addr = (uintptr_t)r->res.linear.devPtr;
    t->width = r->res.linear.sizeInBytes / t->format.bytes;
    if (!t->width || t->width > MAX_LINEAR || t->addr % t->format.bytes) return CU_InvalidValue;
    return cu_check_range(p, t->addr, t->width * t->format.bytes, 1);
}

static int of_pitch(struct cu_process *p, const struct cudaResourceDesc *r, struct texels *t) {
    int code = cu_format_of(&r->res.pitch2D.desc, &t->format);
    if (code) return code;
    t->addr = (uintptr_t)r->res.pitch2D.devPtr;
    t->width = r->res.pitch2D.width;
    t->height = r->res.pitch2D.height;
    t->pitch = r->res.pitch2D.pitchInBytes;
    if (!t->width || !t->height || t->width > MAX_LINEAR || t->height > MAX_LINEAR) return CU_InvalidValue;
    if (t->pitch < t->width * t->format.bytes || t->pitch % PITCH_ALIGN) return CU_InvalidValue;
    return cu_check_range(p, t->addr, (t->height - 1) * t->pitch + t->width * t->format.bytes, 1);
}

static int of_array(struct cu_process *p, const struct cudaArray *a, struct texels *t) {
    if (!cu_is_array(p, a)) return CU_InvalidResourceHandle;
    *t = (struct texels){a->addr, a->row, a->extent.width, a->extent.height, a->extent.depth, a->format};
    return CU_Success;
}

static int texels_of(struct cu_process *p, const struct cudaResourceDesc *r, struct texels *t) {
    *t = (struct texels){0};
    switch (r->resType) {
    case cudaResourceTypeArray: return of_array(p, r->res.array.array, t);
    case cudaResourceTypeLinear: return of_linear(p, r, t);
    case cudaResourceTypePitch2D: return of_pitch(p, r, t);
    case cudaResourceTypeMipmappedArray:
        cu_warn("cudaCreateTextureObject: mipmapped arrays are not supported");
        return CU_NotSupported;
    default: return CU_InvalidValue;
    }
}

/* ---- views ---- */

static int view_format(enum cudaResourceViewFormat format, struct cu_format *f) {
    static const hd_texel texels[] = {HD_TEXEL_U8,  HD_TEXEL_S8,  HD_TEXEL_U16, HD_TEXEL_S16,
                                      HD_TEXEL_U32, HD_TEXEL_S32, HD_TEXEL_F16, HD_TEXEL_F32};
    static const uint32_t bytes[] = {1, 1, 2, 2, 4, 4, 2, 4}, channels[] = {1, 2, 4};
    if (format == cudaResViewFormatNone) return CU_Success;
    const unsigned k = (unsigned)format - 1; /* three numbers of channels for each type */
    if (k / 3 >= sizeof texels / sizeof *texels) return CU_NotSupported;
    const struct cu_format seen = {texels[k / 3], channels[k % 3], bytes[k / 3] * channels[k % 3],
                                   f->normalized};
    if (seen.bytes != f->bytes) return CU_InvalidValue;
    *f = seen;
    return CU_Success;
}

static int apply_view(const struct cudaResourceViewDesc *v, const struct cudaArray *a, struct texels *t) {
    if (v->width != t->width || v->height != t->height) return CU_InvalidValue;
    if (v->firstMipmapLevel || v->lastMipmapLevel) return CU_InvalidValue;
    const int code = view_format(v->format, &t->format);
    if (code || !(a->flags & (cudaArrayLayered | cudaArrayCubemap))) return code;
    if (v->firstLayer > v->lastLayer || v->lastLayer >= t->depth) return CU_InvalidValue;
    t->addr += v->firstLayer * a->slice;
    t->depth = v->lastLayer - v->firstLayer + 1;
    return CU_Success;
}

/* ---- textures ---- */

static bool is_integer(const struct cu_format *f) {
    return f->texel < HD_TEXEL_F16;
}

static int check_sampling(const struct cudaTextureDesc *d, const struct cu_format *f, bool linear_memory) {
    for (int i = 0; i < 3; i++)
        if ((unsigned)d->addressMode[i] > cudaAddressModeBorder) return CU_InvalidValue;
    if ((unsigned)d->filterMode > cudaFilterModeLinear || (unsigned)d->readMode > cudaReadModeNormalizedFloat)
        return CU_InvalidValue;
    const bool normalized = d->readMode == cudaReadModeNormalizedFloat || f->normalized;
    if (normalized && (f->texel == HD_TEXEL_U32 || f->texel == HD_TEXEL_S32)) return CU_InvalidNormSetting;
    if (d->filterMode == cudaFilterModeLinear && is_integer(f) && !normalized && !linear_memory)
        return CU_InvalidFilterSetting;
    if (d->sRGB) {
        cu_warn("cudaCreateTextureObject: sRGB is not supported");
        return CU_NotSupported;
    }
    return CU_Success;
}

static hd_texture sampler(const struct cudaTextureDesc *d, const struct texels *t, bool linear_memory) {
    static const hd_address_mode modes[] = {HD_WRAP, HD_CLAMP, HD_MIRROR, HD_BORDER};
    hd_texture x = {.addr = t->addr,
                    .width = (uint32_t)t->width,
                    .height = (uint32_t)t->height,
                    .depth = (uint32_t)t->depth,
                    .pitch = t->pitch,
                    .texel = t->format.texel,
                    .channels = t->format.channels,
                    .linear = d->filterMode == cudaFilterModeLinear && !linear_memory,
                    .normalized = d->normalizedCoords && !linear_memory,
                    .normalized_read = d->readMode == cudaReadModeNormalizedFloat || t->format.normalized};
    for (int i = 0; i < 3; i++) x.mode[i] = modes[d->addressMode[i]];
    memcpy(x.border, d->borderColor, sizeof x.border);
    return x;
}

static struct cu_texture *cu_texture_keep(struct cu_process *p, uint64_t handle,
                                          const struct cudaResourceDesc *resource) {
    struct cu_texture *t = cu_zalloc(sizeof *t);
    t->handle = handle;
    t->resource = *resource;
    CU_PUSH(&p->objects.textures, t);
    return t;
}

int cu_texture_new(struct cu_process *p, const struct cudaResourceDesc *resource,
                   const struct cudaTextureDesc *texture, const struct cudaResourceViewDesc *view,
                   struct cu_texture **t) {
    const bool linear_memory = resource->resType == cudaResourceTypeLinear;
    struct texels x;
    uint64_t handle;
    int code = texels_of(p, resource, &x);
    if (!code && view) {
        if (resource->resType != cudaResourceTypeArray) return CU_InvalidValue;
        code = apply_view(view, resource->res.array.array, &x);
    }
    if (code || (code = check_sampling(texture, &x.format, linear_memory))) return code;
    const hd_texture sampled = sampler(texture, &x, linear_memory);
    if ((code = cu_status(hd_texture_new(p->dev, &sampled, &handle)))) return code;
    *t = cu_texture_keep(p, handle, resource);
    (*t)->texture = *texture;
    (*t)->has_view = view != NULL;
    if (view) (*t)->view = *view;
    return CU_Success;
}

int cu_surface_new(struct cu_process *p, const struct cudaResourceDesc *resource, struct cu_texture **t) {
    if (resource->resType != cudaResourceTypeArray) return CU_InvalidValue;
    const struct cudaArray *a = resource->res.array.array;
    struct texels x;
    uint64_t handle;
    int code = of_array(p, a, &x);
    if (code) return code;
    if (!(a->flags & cudaArraySurfaceLoadStore)) return CU_InvalidValue;
    const hd_surface s = {x.addr,  (uint32_t)x.width, (uint32_t)x.height, (uint32_t)x.depth,
                          x.pitch, x.format.texel,    x.format.channels};
    if ((code = cu_status(hd_surface_new(p->dev, &s, &handle)))) return code;
    *t = cu_texture_keep(p, handle, resource);
    (*t)->surface = true;
    return CU_Success;
}

struct cu_texture *cu_texture_find(struct cu_process *p, uint64_t handle, bool surface) {
    for (size_t i = p->objects.textures.n; i-- > 0;)
        if (p->objects.textures.v[i]->handle == handle && p->objects.textures.v[i]->surface == surface)
            return p->objects.textures.v[i];
    return NULL;
}

void cu_texture_free(struct cu_process *p, struct cu_texture *t) {
    size_t i = 0;
    while (p->objects.textures.v[i] != t) i++;
    p->objects.textures.v[i] = p->objects.textures.v[--p->objects.textures.n];
    if (t->surface)
        (void)hd_surface_free(p->dev, t->handle);
    else
        (void)hd_texture_free(p->dev, t->handle);
    free(t);
}

void cu_textures_free(struct cu_process *p) {
    for (size_t i = 0; i < p->objects.textures.n; i++) free(p->objects.textures.v[i]);
    free(p->objects.textures.v);
    p->objects.textures.v = NULL;
    p->objects.textures.n = p->objects.textures.cap = 0;
}
