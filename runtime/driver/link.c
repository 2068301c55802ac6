/* The driver interface: the linker. It takes PTX and fat binaries that hold PTX; the image that it makes holds
 * their texts, and cuModuleLoadData takes it. */
#include <stdlib.h>
#include <string.h>

#include "runtime/driver/drv.h"
#include "runtime/driver/jit.h"
#include "runtime/driver/module.h"
#include "runtime/module/module.h"

struct CUlinkState_st {
    struct drv_jit jit;
    struct cu_image *images; /* copies */
    size_t n;
    char *linked;
};

static int link_create(unsigned n, CUjit_option *options, void **values, CUlinkState *state) {
    if (!state) return CU_InvalidValue;
    struct CUlinkState_st *s = calloc(1, sizeof *s);
    if (!s) return CU_MemoryAllocation;
    int code = drv_jit_read(&s->jit, n, options, values);
    if (code)
        free(s);
    else
        *state = s;
    return code;
}
CUDA_API CUresult cuLinkCreate_v2(unsigned n, CUjit_option *options, void **values, CUlinkState *state) {
    DRV_CALL(link_create(n, options, values, state));
}
DRV_SAME(cuLinkCreate, cuLinkCreate_v2);

/* Takes the data over. */
static int drv_link_add(struct CUlinkState_st *s, char *data, size_t bytes) {
    struct cu_image *grown = realloc(s->images, (s->n + 1) * sizeof *grown);
    if (!grown) {
        free(data);
        return CU_MemoryAllocation;
    }
    s->images = grown;
    s->images[s->n++] = (struct cu_image){data, bytes};
    return CU_Success;
}

/* Machine code cannot be run. A library (cudadevrt, as a rule) may not be needed: what it lacks will be missed at the end. */
static int drv_link_check_kind(CUjitInputType kind, const char *name) {
    switch ((int)kind) {
    case CU_JIT_INPUT_PTX:
    case CU_JIT_INPUT_FATBINARY: return CU_Success;
    case CU_JIT_INPUT_CUBIN:
    case CU_JIT_INPUT_OBJECT:
    case CU_JIT_INPUT_LIBRARY:
        cu_warn("cuLinkAdd: %s is machine code, which cannot be linked: give PTX", name ? name : "an input");
        return CU_NoKernelImageForDevice;
    default: return CU_InvalidValue;
    }
}

static int drv_link_add_data(struct CUlinkState_st *s, CUjitInputType kind, const void *data, size_t bytes,
                             const char *name) {
    if (!s || !data || !bytes) return CU_InvalidValue;
    int code = drv_link_check_kind(kind, name);
    if (code) return code;
    char *copy = malloc(bytes + 1);
    if (!copy) return CU_MemoryAllocation;
    memcpy(copy, data, bytes);
    copy[bytes] = 0;
    return drv_link_add(s, copy, bytes);
}
CUDA_API CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType kind, void *data, size_t bytes,
                                   const char *name, unsigned n, CUjit_option *options, void **values) {
    struct drv_jit ignored;
    DRV_CALL(drv_jit_read(&ignored, n, options, values) ? CU_InvalidValue
                                                        : drv_link_add_data(state, kind, data, bytes, name));
}
DRV_SAME(cuLinkAddData, cuLinkAddData_v2);

static int drv_link_add_file(struct CUlinkState_st *s, CUjitInputType kind, const char *path) {
    char *data;
    size_t bytes;
    if (!s || !path) return CU_InvalidValue;
    int code = drv_read_file(path, &data, &bytes);
    if (!code && (code = drv_link_check_kind(kind, path))) free(data);
    return code ? code : drv_link_add(s, data, bytes);
}
CUDA_API CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType kind, const char *path, unsigned n,
                                   CUjit_option *options, void **values) {
    struct drv_jit ignored;
    DRV_CALL(drv_jit_read(&ignored, n, options, values) ? CU_InvalidValue
                                                        : drv_link_add_file(state, kind, path));
}
DRV_SAME(cuLinkAddFile, cuLinkAddFile_v2);

/* What does not load as a module does not link: the errors are those of loading. */
static int drv_link_complete(struct cu_process *p, struct CUlinkState_st *s, void **image, size_t *bytes) {
    struct CUmod_st *trial;
    size_t n;
    if (!s || !image || !s->n || s->linked) return CU_InvalidValue;
    int code = cu_images_link(p, s->images, s->n, &s->linked, &n);
    if (code) return code;
    code = drv_module_load(p, s->linked, n, &s->jit, &trial);
    if (code) return code;
    cu_module_unload(p, trial);
    *image = s->linked;
    if (bytes) *bytes = n;
    return CU_Success;
}
CUDA_API CUresult cuLinkComplete(CUlinkState state, void **image, size_t *bytes) {
    DRV_CALL(drv_link_complete(p, state, image, bytes));
}

static int link_destroy(struct CUlinkState_st *s) {
    if (!s) return CU_InvalidValue;
    for (size_t i = 0; i < s->n; i++) free(s->images[i].data);
    free(s->images);
    free(s->linked);
    free(s);
    return CU_Success;
}
CUDA_API CUresult cuLinkDestroy(CUlinkState state) {
    DRV_ANY(link_destroy(state));
}
