/* The entry points of texture and surface objects, and of channel descriptors.
 *
 * The descriptors have grown: cudaResourceDesc and cudaResourceViewDesc in CUDA 13, cudaTextureDesc in CUDA 12. Their first members
 * are the same, so that reading is one case; what is written is cut to the size that the program's version has. */
#include <string.h>

#include "runtime/memory/texture.h"
#include "runtime/runtime/api.h"

/* Sizes by version of the runtime. */
#define RESOURCE_12 (offsetof(struct cudaResourceDesc, res) + 56)
#define VIEW_12     offsetof(struct cudaResourceViewDesc, reserved)
#define TEXTURE_11  offsetof(struct cudaTextureDesc, seamlessCubemap)
_Static_assert(RESOURCE_12 == 64 && VIEW_12 == 48 && TEXTURE_11 == 68, "sizes of CUDA 12 and 11");

static int cu_texture_create(struct cu_process *p, unsigned long long *object, const void *resource,
                             const void *texture, size_t texture_bytes, const void *view) {
    struct cudaResourceDesc r = {0};
    struct cudaTextureDesc d = {0};
    struct cudaResourceViewDesc v = {0};
    struct cu_texture *t;
    if (!object || !resource || !texture) return CU_InvalidValue;
    memcpy(&r, resource, RESOURCE_12);
    memcpy(&d, texture, texture_bytes);
    if (view) memcpy(&v, view, VIEW_12);
    const int code = cu_texture_new(p, &r, &d, view ? &v : NULL, &t);
    if (!code) *object = t->handle;
    return code;
}

CUDA_API int cudaCreateTextureObject_11(unsigned long long *object, const void *resource, const void *texture,
                                        const void *view) {
    CUDA_CALL(cu_texture_create(p, object, resource, texture, TEXTURE_11, view));
}

CUDA_API int create_texture_12(unsigned long long *object, const void *resource, const void *texture,
                               const void *view) {
    CUDA_CALL(cu_texture_create(p, object, resource, texture, sizeof(struct cudaTextureDesc), view));
}

CUDA_VERSION(cudaCreateTextureObject_11, cudaCreateTextureObject, "11.0")
CUDA_ALIAS(cudaCreateTextureObject_v2, create_texture_12)
CUDA_VERSION(create_texture_12, cudaCreateTextureObject, "12")
CUDA_DEFAULT(create_texture_12, cudaCreateTextureObject)

static int cu_texture_destroy(struct cu_process *p, unsigned long long object, bool surface) {
    struct cu_texture *t = cu_texture_find(p, object, surface);
    if (!object) return CU_Success;
    if (!t) return CU_InvalidValue;
    cu_texture_free(p, t);
    return CU_Success;
}

CUDA_API int cudaDestroyTextureObject(unsigned long long object) {
    CUDA_CALL(cu_texture_destroy(p, object, false));
}

/* ---- what an object was made of ---- */

static int get_resource(struct cu_process *p, void *out, unsigned long long object, size_t bytes,
                        bool surface) {
    const struct cu_texture *t = cu_texture_find(p, object, surface);
    if (!t || !out) return CU_InvalidValue;
    memcpy(out, &t->resource, bytes);
    return CU_Success;
}

CUDA_API int cudaGetTextureObjectResourceDesc_12(void *out, unsigned long long object) {
    CUDA_CALL(get_resource(p, out, object, RESOURCE_12, false));
}

CUDA_API int cudaGetTextureObjectResourceDesc_13(void *out, unsigned long long object) {
    CUDA_CALL(get_resource(p, out, object, sizeof(struct cudaResourceDesc), false));
}

CUDA_BEFORE_13(cudaGetTextureObjectResourceDesc_12, cudaGetTextureObjectResourceDesc)
CUDA_DEFAULT(cudaGetTextureObjectResourceDesc_13, cudaGetTextureObjectResourceDesc)

CUDA_API int cudaGetSurfaceObjectResourceDesc_12(void *out, unsigned long long object) {
    CUDA_CALL(get_resource(p, out, object, RESOURCE_12, true));
}

CUDA_API int cudaGetSurfaceObjectResourceDesc_13(void *out, unsigned long long object) {
    CUDA_CALL(get_resource(p, out, object, sizeof(struct cudaResourceDesc), true));
}

CUDA_BEFORE_13(cudaGetSurfaceObjectResourceDesc_12, cudaGetSurfaceObjectResourceDesc)
CUDA_DEFAULT(cudaGetSurfaceObjectResourceDesc_13, cudaGetSurfaceObjectResourceDesc)

static int get_texture(struct cu_process *p, void *out, unsigned long long object, size_t bytes) {
    const struct cu_texture *t = cu_texture_find(p, object, false);
    if (!t || !out) return CU_InvalidValue;
    memcpy(out, &t->texture, bytes);
    return CU_Success;
}

CUDA_API int cudaGetTextureObjectTextureDesc_11(void *out, unsigned long long object) {
    CUDA_CALL(get_texture(p, out, object, TEXTURE_11));
}

CUDA_API int texture_desc_12(void *out, unsigned long long object) {
    CUDA_CALL(get_texture(p, out, object, sizeof(struct cudaTextureDesc)));
}

CUDA_VERSION(cudaGetTextureObjectTextureDesc_11, cudaGetTextureObjectTextureDesc, "11.0")
CUDA_ALIAS(cudaGetTextureObjectTextureDesc_v2, texture_desc_12)
CUDA_VERSION(texture_desc_12, cudaGetTextureObjectTextureDesc, "12")
CUDA_DEFAULT(texture_desc_12, cudaGetTextureObjectTextureDesc)

static int get_view(struct cu_process *p, void *out, unsigned long long object, size_t bytes) {
    const struct cu_texture *t = cu_texture_find(p, object, false);
    if (!t || !out || !t->has_view) return CU_InvalidValue;
    memcpy(out, &t->view, bytes);
    return CU_Success;
}

CUDA_API int cudaGetTextureObjectResourceViewDesc_12(void *out, unsigned long long object) {
    CUDA_CALL(get_view(p, out, object, VIEW_12));
}

CUDA_API int cudaGetTextureObjectResourceViewDesc_13(void *out, unsigned long long object) {
    CUDA_CALL(get_view(p, out, object, sizeof(struct cudaResourceViewDesc)));
}

CUDA_BEFORE_13(cudaGetTextureObjectResourceViewDesc_12, cudaGetTextureObjectResourceViewDesc)
CUDA_DEFAULT(cudaGetTextureObjectResourceViewDesc_13, cudaGetTextureObjectResourceViewDesc)

/* ---- surfaces ---- */

static int create_surface(struct cu_process *p, unsigned long long *object, const void *resource) {
    struct cudaResourceDesc r = {0};
    struct cu_texture *t;
    if (!object || !resource) return CU_InvalidValue;
    memcpy(&r, resource, RESOURCE_12);
    const int code = cu_surface_new(p, &r, &t);
    if (!code) *object = t->handle;
    return code;
}

CUDA_API int cudaCreateSurfaceObject(unsigned long long *object, const void *resource) {
    CUDA_CALL(create_surface(p, object, resource));
}

CUDA_API int cudaDestroySurfaceObject(unsigned long long object) {
    CUDA_CALL(cu_texture_destroy(p, object, true));
}

/* ---- descriptors ---- */

CUDA_API struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, int kind) {
    return (struct cudaChannelFormatDesc){x, y, z, w, (enum cudaChannelFormatKind)kind};
}

static int get_channels(struct cu_process *p, struct cudaChannelFormatDesc *desc, cudaArray_const_t array) {
    if (!desc || !cu_is_array(p, array)) return CU_InvalidValue;
    *desc = array->desc;
    return CU_Success;
}

CUDA_API int cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array) {
    CUDA_CALL(get_channels(p, desc, array));
}

static int linear_width(size_t *width, const struct cudaChannelFormatDesc *desc) {
    struct cu_format f;
    const int code = width && desc ? cu_format_of(desc, &f) : CU_InvalidValue;
    if (!code) *width = (size_t)1 << 28;
    return code;
}

CUDA_API int cudaDeviceGetTexture1DLinearMaxWidth(size_t *width, const struct cudaChannelFormatDesc *desc,
                                                  int device) {
    CUDA_CALL(device ? CU_InvalidDevice : linear_width(width, desc));
}
