/* The driver interface: texture and surface references, by which modules of before CUDA 12 name what they read. A reference
 * is set piece by piece; as soon as it has texels, every change binds the name to a new texture. Settings that do not go
 * together (yet) leave it unbound, and a kernel that reads it then faults. */
#include <stdlib.h>
#include <string.h>

#include "runtime/driver/array.h"
#include "runtime/driver/module.h"
#include "runtime/module/module.h"

struct CUtexref_st {
    struct CUtexref_st *next;
    struct CUmod_st *module; /* NULL: made by cuTexRefCreate, and bound to no name */
    char *name;
    bool surface, has_texels;
    CUarray_format format;
    unsigned channels, flags;
    struct cudaResourceDesc resource;
    struct cudaTextureDesc texture;
    uint64_t bound; /* the object; 0: none */
};

static int drv_texref_known(struct cu_process *p, const struct CUtexref_st *t, bool surface) {
    for (const struct CUtexref_st *i = p->driver.references; i; i = i->next)
        if (i == t) return t->surface == surface;
    return 0;
}

static void set_channels(struct CUtexref_st *t, const struct cudaChannelFormatDesc *desc) {
    if (t->resource.resType == cudaResourceTypeLinear) t->resource.res.linear.desc = *desc;
    if (t->resource.resType == cudaResourceTypePitch2D) t->resource.res.pitch2D.desc = *desc;
}

static void drv_texref_release(struct cu_process *p, struct CUtexref_st *t) {
    struct cu_texture *object = t->bound ? cu_texture_find(p, t->bound, t->surface) : NULL;
    if (object) cu_texture_free(p, object);
    t->bound = 0;
}

static int drv_texref_bind(struct cu_process *p, struct CUtexref_st *t) {
    struct cudaChannelFormatDesc desc;
    struct cu_texture *made = NULL;
    if (!t->has_texels) return CU_Success;
    int code = drv_channels(t->format, t->channels, &desc);
    if (code) return code;
    set_channels(t, &desc);
    drv_reading(&desc, t->flags, &t->texture);
    code = t->surface ? cu_surface_new(p, &t->resource, &made)
                      : cu_texture_new(p, &t->resource, &t->texture, NULL, &made);
    drv_texref_release(p, t);
    t->bound = code ? 0 : made->handle;
    if (t->module)
        (void)(t->surface ? hd_surface_bind(t->module->hd, t->name, t->bound)
                          : hd_texture_bind(t->module->hd, t->name, t->bound));
    return CU_Success;
}

/* ---- making and finding ---- */

static struct CUtexref_st *new_reference(struct cu_process *p, struct CUmod_st *m, const char *name,
                                         bool surface) {
    struct CUtexref_st *t = calloc(1, sizeof *t);
    if (!t || (name && !(t->name = strdup(name)))) {
        free(t);
        return NULL;
    }
    t->module = m;
    t->surface = surface;
    t->format = CU_AD_FORMAT_FLOAT;
    t->channels = 1;
    for (int i = 0; i < 3; i++) t->texture.addressMode[i] = cudaAddressModeClamp;
    t->next = p->driver.references;
    p->driver.references = t;
    return t;
}

/* Binding a name to nothing tells whether the module has it. */
static int drv_texref_find(struct cu_process *p, struct CUtexref_st **t, struct CUmod_st *m, const char *name,
                           bool surface) {
    if (!t || !name) return CU_InvalidValue;
    int code = cu_module_valid(p, m) ? cu_module_ready(p, m) : CU_InvalidResourceHandle;
    if (code) return code;
    for (*t = p->driver.references; *t; *t = (*t)->next)
        if ((*t)->module == m && (*t)->surface == surface && !strcmp((*t)->name, name)) return CU_Success;
    if (surface ? hd_surface_bind(m->hd, name, 0) : hd_texture_bind(m->hd, name, 0)) return CU_SymbolNotFound;
    *t = new_reference(p, m, name, surface);
    return *t ? CU_Success : CU_MemoryAllocation;
}
CUDA_API CUresult cuModuleGetTexRef(CUtexref *t, CUmodule module, const char *name) {
    DRV_CALL(drv_texref_find(p, t, module, name, false));
}
CUDA_API CUresult cuModuleGetSurfRef(CUsurfref *t, CUmodule module, const char *name) {
    DRV_CALL(drv_texref_find(p, (CUtexref *)t, module, name, true));
}

static void free_reference(struct cu_process *p, struct CUtexref_st *t) {
    struct CUtexref_st **at = &p->driver.references;
    while (*at != t) at = &(*at)->next;
    *at = t->next;
    drv_texref_release(p, t);
    free(t->name);
    free(t);
}

void drv_references_end(struct cu_process *p, const struct CUmod_st *m) {
    for (struct CUtexref_st *t = p->driver.references, *next; t; t = next) {
        next = t->next;
        if (t->module == m) free_reference(p, t);
    }
}

CUDA_API CUresult cuTexRefCreate(CUtexref *t) {
    DRV_CALL(!t                                           ? CU_InvalidValue
             : (*t = new_reference(p, NULL, NULL, false)) ? CU_Success
                                                          : CU_MemoryAllocation);
}
static int drv_texref_destroy(struct cu_process *p, struct CUtexref_st *t) {
    if (!drv_texref_known(p, t, false) || t->module) return CU_InvalidResourceHandle;
    free_reference(p, t);
    return CU_Success;
}
CUDA_API CUresult cuTexRefDestroy(CUtexref t) {
    DRV_CALL(drv_texref_destroy(p, t));
}

/* ---- what it reads ---- */

static int set_array(struct cu_process *p, struct CUtexref_st *t, CUarray array, unsigned flags,
                     bool surface) {
    const struct cudaArray *a = drv_array(array);
    if (!drv_texref_known(p, t, surface) || !cu_is_array(p, a)) return CU_InvalidResourceHandle;
    if (flags != (surface ? 0u : CU_TRSA_OVERRIDE_FORMAT)) return CU_InvalidValue;
    t->resource = (struct cudaResourceDesc){.resType = cudaResourceTypeArray};
    t->resource.res.array.array = drv_array(array);
    drv_format(&a->desc, &t->format, &t->channels);
    t->has_texels = true;
    return drv_texref_bind(p, t);
}
CUDA_API CUresult cuTexRefSetArray(CUtexref t, CUarray array, unsigned flags) {
    DRV_CALL(set_array(p, t, array, flags, false));
}
CUDA_API CUresult cuSurfRefSetArray(CUsurfref t, CUarray array, unsigned flags) {
    DRV_CALL(set_array(p, (CUtexref)t, array, flags, true));
}

static int set_address(struct cu_process *p, size_t *offset, struct CUtexref_st *t, CUdeviceptr ptr,
                       size_t bytes) {
    if (!drv_texref_known(p, t, false)) return CU_InvalidResourceHandle;
    if (offset) *offset = 0;
    t->has_texels = ptr != 0;
    t->resource = (struct cudaResourceDesc){.resType = cudaResourceTypeLinear};
    t->resource.res.linear.devPtr = (void *)(uintptr_t)ptr;
    t->resource.res.linear.sizeInBytes = bytes;
    return drv_texref_bind(p, t);
}
CUDA_API CUresult cuTexRefSetAddress_v2(size_t *offset, CUtexref t, CUdeviceptr ptr, size_t bytes) {
    DRV_CALL(set_address(p, offset, t, ptr, bytes));
}

static int set_address2d(struct cu_process *p, struct CUtexref_st *t, const CUDA_ARRAY_DESCRIPTOR *d,
                         CUdeviceptr ptr, size_t pitch) {
    if (!drv_texref_known(p, t, false)) return CU_InvalidResourceHandle;
    if (!d || !ptr) return CU_InvalidValue;
    t->resource = (struct cudaResourceDesc){.resType = cudaResourceTypePitch2D};
    t->resource.res.pitch2D.devPtr = (void *)(uintptr_t)ptr;
    t->resource.res.pitch2D.width = d->Width;
    t->resource.res.pitch2D.height = d->Height;
    t->resource.res.pitch2D.pitchInBytes = pitch;
    t->format = d->Format;
    t->channels = d->NumChannels;
    t->has_texels = true;
    return drv_texref_bind(p, t);
}
CUDA_API CUresult cuTexRefSetAddress2D_v3(CUtexref t, const CUDA_ARRAY_DESCRIPTOR *d, CUdeviceptr ptr,
                                          size_t pitch) {
    DRV_CALL(set_address2d(p, t, d, ptr, pitch));
}
DRV_SAME(cuTexRefSetAddress2D_v2, cuTexRefSetAddress2D_v3);

/* ---- how it reads ---- */

/* Sets one member and binds again. */
#define SET(condition, assignment)                                     \
    struct CUtexref_st *t = reference;                                 \
    DRV_CALL(!drv_texref_known(p, t, false) ? CU_InvalidResourceHandle \
             : !(condition)                 ? CU_InvalidValue          \
                                            : ((assignment), drv_texref_bind(p, t)))

CUDA_API CUresult cuTexRefSetFormat(CUtexref reference, CUarray_format format, int n) {
    SET(n == 1 || n == 2 || n == 4, (t->format = format, t->channels = (unsigned)n));
}
CUDA_API CUresult cuTexRefSetAddressMode(CUtexref reference, int dim, CUaddress_mode mode) {
    SET(dim >= 0 && dim < 3 && (unsigned)mode <= CU_TR_ADDRESS_MODE_BORDER,
        t->texture.addressMode[dim] = (enum cudaTextureAddressMode)mode);
}
CUDA_API CUresult cuTexRefSetFilterMode(CUtexref reference, CUfilter_mode mode) {
    SET((unsigned)mode <= CU_TR_FILTER_MODE_LINEAR, t->texture.filterMode = (enum cudaTextureFilterMode)mode);
}
CUDA_API CUresult cuTexRefSetFlags(CUtexref reference, unsigned flags) {
    SET(flags < 0x80, t->flags = flags);
}
CUDA_API CUresult cuTexRefSetBorderColor(CUtexref reference, float *color) {
    SET(color, memcpy(t->texture.borderColor, color, sizeof t->texture.borderColor));
}
CUDA_API CUresult cuTexRefSetMaxAnisotropy(CUtexref reference, unsigned most) {
    SET(most <= 16, t->texture.maxAnisotropy = most);
}

/* ---- asking ---- */

#define GET(condition, assignment)                                     \
    struct CUtexref_st *t = reference;                                 \
    DRV_CALL(!drv_texref_known(p, t, false) ? CU_InvalidResourceHandle \
             : !(condition)                 ? CU_InvalidValue          \
                                            : ((assignment), CU_Success))

CUDA_API CUresult cuTexRefGetArray(CUarray *array, CUtexref reference) {
    GET(array && t->has_texels && t->resource.resType == cudaResourceTypeArray,
        *array = (CUarray)t->resource.res.array.array);
}
CUDA_API CUresult cuTexRefGetAddress_v2(CUdeviceptr *ptr, CUtexref reference) {
    GET(ptr && t->has_texels && t->resource.resType != cudaResourceTypeArray,
        *ptr = (CUdeviceptr)(uintptr_t)t->resource.res.linear.devPtr);
}
CUDA_API CUresult cuTexRefGetAddressMode(CUaddress_mode *mode, CUtexref reference, int dim) {
    GET(mode && dim >= 0 && dim < 3, *mode = (CUaddress_mode)t->texture.addressMode[dim]);
}
CUDA_API CUresult cuTexRefGetFilterMode(CUfilter_mode *mode, CUtexref reference) {
    GET(mode, *mode = (CUfilter_mode)t->texture.filterMode);
}
CUDA_API CUresult cuTexRefGetFormat(CUarray_format *format, int *n, CUtexref reference) {
    GET(format && n, (*format = t->format, *n = (int)t->channels));
}
CUDA_API CUresult cuTexRefGetFlags(unsigned *flags, CUtexref reference) {
    GET(flags, *flags = t->flags);
}
CUDA_API CUresult cuTexRefGetBorderColor(float *color, CUtexref reference) {
    GET(color, memcpy(color, t->texture.borderColor, sizeof t->texture.borderColor));
}
CUDA_API CUresult cuTexRefGetMaxAnisotropy(int *most, CUtexref reference) {
    GET(most, *most = (int)t->texture.maxAnisotropy);
}
static int surface_array(struct cu_process *p, CUarray *array, struct CUtexref_st *t) {
    if (!drv_texref_known(p, t, true)) return CU_InvalidResourceHandle;
    if (!array || !t->has_texels) return CU_InvalidValue;
    *array = (CUarray)t->resource.res.array.array;
    return CU_Success;
}
CUDA_API CUresult cuSurfRefGetArray(CUarray *array, CUsurfref t) {
    DRV_CALL(surface_array(p, array, (CUtexref)t));
}
