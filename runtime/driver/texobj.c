/* The driver interface: texture and surface objects. They are the runtime's; what describes them has other names here. */
#include <string.h>

#include "runtime/driver/array.h"

/* ---- descriptions, there and back ---- */

/* Integers of 8 and 16 bits are read as fractions unless the flags say otherwise; nothing else can be. */
void drv_reading(const struct cudaChannelFormatDesc *desc, unsigned flags, struct cudaTextureDesc *t) {
    int fraction =
        desc->f != cudaChannelFormatKindFloat && desc->x < 32 && !(flags & CU_TRSF_READ_AS_INTEGER);
    t->readMode = fraction ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    t->normalizedCoords = (flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
    t->sRGB = (flags & CU_TRSF_SRGB) != 0;
}

static int resource_in(const CUDA_RESOURCE_DESC *in, struct cudaResourceDesc *out) {
    memset(out, 0, sizeof *out);
    out->resType = (enum cudaResourceType)in->resType;
    switch ((int)in->resType) {
    case CU_RESOURCE_TYPE_ARRAY: out->res.array.array = drv_array(in->res.array.hArray); return CU_Success;
    case CU_RESOURCE_TYPE_LINEAR:
        out->res.linear.devPtr = (void *)(uintptr_t)in->res.linear.devPtr;
        out->res.linear.sizeInBytes = in->res.linear.sizeInBytes;
        return drv_channels(in->res.linear.format, in->res.linear.numChannels, &out->res.linear.desc);
    case CU_RESOURCE_TYPE_PITCH2D:
        out->res.pitch2D.devPtr = (void *)(uintptr_t)in->res.pitch2D.devPtr;
        out->res.pitch2D.width = in->res.pitch2D.width;
        out->res.pitch2D.height = in->res.pitch2D.height;
        out->res.pitch2D.pitchInBytes = in->res.pitch2D.pitchInBytes;
        return drv_channels(in->res.pitch2D.format, in->res.pitch2D.numChannels, &out->res.pitch2D.desc);
    default: return CU_NotSupported; /* arrays of several resolutions */
    }
}

static void resource_out(const struct cudaResourceDesc *in, CUDA_RESOURCE_DESC *out) {
    memset(out, 0, sizeof *out);
    out->resType = (CUresourcetype)in->resType;
    switch (in->resType) {
    case cudaResourceTypeLinear:
        out->res.linear.devPtr = (CUdeviceptr)(uintptr_t)in->res.linear.devPtr;
        out->res.linear.sizeInBytes = in->res.linear.sizeInBytes;
        drv_format(&in->res.linear.desc, &out->res.linear.format, &out->res.linear.numChannels);
        break;
    case cudaResourceTypePitch2D:
        out->res.pitch2D.devPtr = (CUdeviceptr)(uintptr_t)in->res.pitch2D.devPtr;
        out->res.pitch2D.width = in->res.pitch2D.width;
        out->res.pitch2D.height = in->res.pitch2D.height;
        out->res.pitch2D.pitchInBytes = in->res.pitch2D.pitchInBytes;
        drv_format(&in->res.pitch2D.desc, &out->res.pitch2D.format, &out->res.pitch2D.numChannels);
        break;
    default: out->res.array.hArray = (CUarray)in->res.array.array;
    }
}

static struct cudaChannelFormatDesc texels(struct cu_process *p, const struct cudaResourceDesc *r) {
    if (r->resType == cudaResourceTypeLinear) return r->res.linear.desc;
    if (r->resType == cudaResourceTypePitch2D) return r->res.pitch2D.desc;
    struct cudaChannelFormatDesc none = {0, 0, 0, 0, cudaChannelFormatKindFloat};
    return cu_is_array(p, r->res.array.array) ? r->res.array.array->desc : none;
}

static struct cudaTextureDesc texture_in(const CUDA_TEXTURE_DESC *in,
                                         const struct cudaChannelFormatDesc *desc) {
    struct cudaTextureDesc t = {.filterMode = (enum cudaTextureFilterMode)in->filterMode,
                                .maxAnisotropy = in->maxAnisotropy,
                                .mipmapFilterMode = (enum cudaTextureFilterMode)in->mipmapFilterMode,
                                .mipmapLevelBias = in->mipmapLevelBias,
                                .minMipmapLevelClamp = in->minMipmapLevelClamp,
                                .maxMipmapLevelClamp = in->maxMipmapLevelClamp};
    for (int i = 0; i < 3; i++) t.addressMode[i] = (enum cudaTextureAddressMode)in->addressMode[i];
    memcpy(t.borderColor, in->borderColor, sizeof t.borderColor);
    drv_reading(desc, in->flags, &t);
    return t;
}

static CUDA_TEXTURE_DESC texture_out(const struct cudaTextureDesc *in) {
    CUDA_TEXTURE_DESC t = {.filterMode = (CUfilter_mode)in->filterMode,
                           .maxAnisotropy = in->maxAnisotropy,
                           .mipmapFilterMode = (CUfilter_mode)in->mipmapFilterMode,
                           .mipmapLevelBias = in->mipmapLevelBias,
                           .minMipmapLevelClamp = in->minMipmapLevelClamp,
                           .maxMipmapLevelClamp = in->maxMipmapLevelClamp};
    for (int i = 0; i < 3; i++) t.addressMode[i] = (CUaddress_mode)in->addressMode[i];
    memcpy(t.borderColor, in->borderColor, sizeof t.borderColor);
    if (in->readMode == cudaReadModeElementType) t.flags |= CU_TRSF_READ_AS_INTEGER;
    if (in->normalizedCoords) t.flags |= CU_TRSF_NORMALIZED_COORDINATES;
    if (in->sRGB) t.flags |= CU_TRSF_SRGB;
    return t;
}

/* ---- objects ---- */

/* A view, another format for the same texels, is the same structure for both interfaces but for its unused end. */
static int texture_create(struct cu_process *p, CUtexObject *object, const CUDA_RESOURCE_DESC *resource,
                          const CUDA_TEXTURE_DESC *texture, const CUDA_RESOURCE_VIEW_DESC *view) {
    struct cudaResourceDesc r;
    struct cu_texture *t;
    struct cudaResourceViewDesc v;
    if (!object || !resource || !texture) return CU_InvalidValue;
    int code = resource_in(resource, &r);
    if (code) return code;
    struct cudaChannelFormatDesc desc = texels(p, &r);
    struct cudaTextureDesc how = texture_in(texture, &desc);
    if (view) memcpy(&v, view, sizeof v < sizeof *view ? sizeof v : sizeof *view);
    code = cu_texture_new(p, &r, &how, view ? &v : NULL, &t);
    if (!code) *object = t->handle;
    return code;
}
CUDA_API CUresult cuTexObjectCreate(CUtexObject *object, const CUDA_RESOURCE_DESC *resource,
                                    const CUDA_TEXTURE_DESC *texture, const CUDA_RESOURCE_VIEW_DESC *view) {
    DRV_CALL(texture_create(p, object, resource, texture, view));
}

static int drv_texobj_destroy(struct cu_process *p, uint64_t object, bool surface) {
    struct cu_texture *t = cu_texture_find(p, object, surface);
    if (!t) return CU_InvalidValue;
    cu_texture_free(p, t);
    return CU_Success;
}
CUDA_API CUresult cuTexObjectDestroy(CUtexObject object) {
    DRV_CALL(drv_texobj_destroy(p, object, false));
}
CUDA_API CUresult cuSurfObjectDestroy(CUsurfObject object) {
    DRV_CALL(drv_texobj_destroy(p, object, true));
}

static int get_resource(struct cu_process *p, CUDA_RESOURCE_DESC *resource, uint64_t object, bool surface) {
    struct cu_texture *t = cu_texture_find(p, object, surface);
    if (!t || !resource) return CU_InvalidValue;
    resource_out(&t->resource, resource);
    return CU_Success;
}
CUDA_API CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUtexObject object) {
    DRV_CALL(get_resource(p, resource, object, false));
}
CUDA_API CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUsurfObject object) {
    DRV_CALL(get_resource(p, resource, object, true));
}

static int get_texture(struct cu_process *p, CUDA_TEXTURE_DESC *texture, uint64_t object) {
    struct cu_texture *t = cu_texture_find(p, object, false);
    if (!t || !texture) return CU_InvalidValue;
    *texture = texture_out(&t->texture);
    return CU_Success;
}
CUDA_API CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *texture, CUtexObject object) {
    DRV_CALL(get_texture(p, texture, object));
}

static int get_view(struct cu_process *p, CUDA_RESOURCE_VIEW_DESC *view, uint64_t object) {
    struct cu_texture *t = cu_texture_find(p, object, false);
    if (!t || !view || !t->has_view) return CU_InvalidValue;
    memset(view, 0, sizeof *view);
    memcpy(view, &t->view, sizeof t->view < sizeof *view ? sizeof t->view : sizeof *view);
    return CU_Success;
}
CUDA_API CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *view, CUtexObject object) {
    DRV_CALL(get_view(p, view, object));
}

static int surface_create(struct cu_process *p, CUsurfObject *object, const CUDA_RESOURCE_DESC *resource) {
    struct cudaResourceDesc r;
    struct cu_texture *t;
    if (!object || !resource || resource->resType != CU_RESOURCE_TYPE_ARRAY) return CU_InvalidValue;
    int code = resource_in(resource, &r);
    if (!code) code = cu_surface_new(p, &r, &t);
    if (!code) *object = t->handle;
    return code;
}
CUDA_API CUresult cuSurfObjectCreate(CUsurfObject *object, const CUDA_RESOURCE_DESC *resource) {
    DRV_CALL(surface_create(p, object, resource));
}
