/* Texture and surface references: textures of programs older than CUDA 12, which name a variable where newer ones pass an object.
 *
 * Registration notes which variable of which module a host variable stands for. Binding makes an object of what the host variable
 * says at that moment and gives it to the module. Addresses need no alignment here, so that offsets are 0. */
#include <limits.h>
#include <string.h>

#include "runtime/memory/memory.h"
#include "runtime/memory/texture.h"
#include "runtime/module/module.h"
#include "runtime/runtime/api.h"

/* The host's variable, as compilers lay it out. */
struct texture_reference {
    int normalized;
    enum cudaTextureFilterMode filter;
    enum cudaTextureAddressMode address[3];
    struct cudaChannelFormatDesc desc;
    int srgb;
    unsigned anisotropy;
    enum cudaTextureFilterMode mipmap_filter;
    float mipmap_bias, mipmap_least, mipmap_most;
    int reserved[15];
};
_Static_assert(sizeof(struct texture_reference) == 124, "the size of struct textureReference");

struct cu_texref {
    const void *host;
    struct CUmod_st *module;
    const char *name;
    int normalized_read;
    struct cu_texture *bound; /* NULL: nothing is */
};

static struct cu_texref *cu_texref_find(struct cu_process *p, const void *host) {
    return cu_map_get(&p->objects.texrefs, host);
}

static void cu_texref_enter(void **handle, const void *host, const char *name, int normalized_read) {
    struct cu_process *p = cu_lock();
    struct cu_texref *r = cu_zalloc(sizeof *r);
    *r = (struct cu_texref){host, (struct CUmod_st *)handle, name, normalized_read, NULL};
    if (handle) (void)cu_map_put(&p->objects.texrefs, host, r);
    cu_unlock(p);
}

CUDA_API void __cudaRegisterTexture(void **handle, const void *host, const void **device, const char *name,
                                    int dim, int normalized, int external) {
    (void)device, (void)dim, (void)external;
    cu_texref_enter(handle, host, name, normalized);
}

CUDA_API void __cudaRegisterSurface(void **handle, const void *host, const void **device, const char *name,
                                    int dim, int external) {
    (void)device, (void)dim, (void)external;
    cu_texref_enter(handle, host, name, 0);
}

/* ---- binding ---- */

static void cu_texref_release(struct cu_process *p, struct cu_texref *r) {
    if (r->bound && cu_texture_find(p, r->bound->handle, r->bound->surface) == r->bound)
        cu_texture_free(p, r->bound);
    r->bound = NULL;
}

static int cu_texref_bind(struct cu_process *p, const void *host, const struct cudaResourceDesc *resource) {
    const struct texture_reference *t = host;
    struct cu_texref *r = cu_texref_find(p, host);
    if (!r) return CU_InvalidTexture;
    struct cudaTextureDesc d = {.addressMode = {t->address[0], t->address[1], t->address[2]},
                                .filterMode = t->filter,
                                .readMode = r->normalized_read ? cudaReadModeNormalizedFloat
                                                               : cudaReadModeElementType,
                                .normalizedCoords = t->normalized};
    int code = cu_module_ready(p, r->module);
    if (code) return code;
    cu_texref_release(p, r);
    if ((code = cu_texture_new(p, resource, &d, NULL, &r->bound))) return code;
    return cu_status(hd_texture_bind(r->module->hd, r->name, r->bound->handle));
}

/* A size that programs leave out is UINT_MAX: all there is. */
static size_t bytes_at(struct cu_process *p, const void *ptr, size_t bytes) {
    const struct cu_alloc *a = cu_alloc_find(p, (uintptr_t)ptr);
    const uint64_t left = a ? a->addr + a->bytes - (uintptr_t)ptr : 0;
    return bytes == UINT_MAX && left < bytes ? left : bytes;
}

static int bind_linear(struct cu_process *p, size_t *offset, const void *host, const void *ptr,
                       const struct cudaChannelFormatDesc *desc, size_t bytes) {
    if (!host || !ptr || !desc) return CU_InvalidValue;
    struct cudaResourceDesc r = {.resType = cudaResourceTypeLinear};
    r.res.linear.devPtr = (void *)(uintptr_t)ptr;
    r.res.linear.desc = *desc;
    r.res.linear.sizeInBytes = bytes_at(p, ptr, bytes);
    if (offset) *offset = 0;
    return cu_texref_bind(p, host, &r);
}

CUDA_API int cudaBindTexture(size_t *offset, const void *texref, const void *ptr,
                             const struct cudaChannelFormatDesc *desc, size_t bytes) {
    CUDA_CALL(bind_linear(p, offset, texref, ptr, desc, bytes));
}

static int bind_pitched(struct cu_process *p, size_t *offset, const void *host, const void *ptr,
                        const struct cudaChannelFormatDesc *desc, size_t width, size_t height, size_t pitch) {
    if (!host || !ptr || !desc) return CU_InvalidValue;
    struct cudaResourceDesc r = {.resType = cudaResourceTypePitch2D};
    r.res.pitch2D.devPtr = (void *)(uintptr_t)ptr;
    r.res.pitch2D.desc = *desc;
    r.res.pitch2D.width = width;
    r.res.pitch2D.height = height;
    r.res.pitch2D.pitchInBytes = pitch;
    if (offset) *offset = 0;
    return cu_texref_bind(p, host, &r);
}

CUDA_API int cudaBindTexture2D(size_t *offset, const void *texref, const void *ptr,
                               const struct cudaChannelFormatDesc *desc, size_t width, size_t height,
                               size_t pitch) {
    CUDA_CALL(bind_pitched(p, offset, texref, ptr, desc, width, height, pitch));
}

static int bind_array(struct cu_process *p, const void *host, cudaArray_const_t array) {
    if (!host || !cu_is_array(p, array)) return CU_InvalidValue;
    struct cudaResourceDesc r = {.resType = cudaResourceTypeArray};
    r.res.array.array = (cudaArray_t)(uintptr_t)array;
    return cu_texref_bind(p, host, &r);
}

CUDA_API int cudaBindTextureToArray(const void *texref, cudaArray_const_t array,
                                    const struct cudaChannelFormatDesc *desc) {
    (void)desc;
    CUDA_CALL(bind_array(p, texref, array));
}

static int unbind(struct cu_process *p, const void *host) {
    struct cu_texref *r = cu_texref_find(p, host);
    if (!r) return CU_InvalidTexture;
    cu_texref_release(p, r);
    return CU_Success;
}

CUDA_API int cudaUnbindTexture(const void *texref) {
    CUDA_CALL(unbind(p, texref));
}

static int bind_surface(struct cu_process *p, const void *host, cudaArray_const_t array) {
    struct cu_texref *r = cu_texref_find(p, host);
    if (!r) return CU_InvalidSurface;
    struct cudaResourceDesc resource = {.resType = cudaResourceTypeArray};
    resource.res.array.array = (cudaArray_t)(uintptr_t)array;
    int code = cu_module_ready(p, r->module);
    if (code) return code;
    cu_texref_release(p, r);
    if ((code = cu_surface_new(p, &resource, &r->bound))) return code;
    return cu_status(hd_surface_bind(r->module->hd, r->name, r->bound->handle));
}

CUDA_API int cudaBindSurfaceToArray(const void *surfref, cudaArray_const_t array,
                                    const struct cudaChannelFormatDesc *desc) {
    (void)desc;
    CUDA_CALL(bind_surface(p, surfref, array));
}

/* ---- asking ---- */

static int reference_of(struct cu_process *p, const void **texref, const void *symbol, int code) {
    if (!texref) return CU_InvalidValue;
    if (!cu_texref_find(p, symbol)) return code;
    *texref = symbol; /* the host's variable is the reference */
    return CU_Success;
}

CUDA_API int cudaGetTextureReference(const void **texref, const void *symbol) {
    CUDA_CALL(reference_of(p, texref, symbol, CU_InvalidTexture));
}

CUDA_API int cudaGetSurfaceReference(const void **surfref, const void *symbol) {
    CUDA_CALL(reference_of(p, surfref, symbol, CU_InvalidSurface));
}

static int offset_of(struct cu_process *p, size_t *offset, const void *host) {
    const struct cu_texref *r = cu_texref_find(p, host);
    if (!r || !offset) return CU_InvalidTexture;
    if (!r->bound) return CU_InvalidTextureBinding;
    *offset = 0;
    return CU_Success;
}

CUDA_API int cudaGetTextureAlignmentOffset(size_t *offset, const void *texref) {
    CUDA_CALL(offset_of(p, offset, texref));
}
