/* The driver interface: launches as they were before CUDA 4.0. A function remembers the shape of its blocks and its
 * parameters, set piece by piece, until it is launched. */
#include <stdlib.h>
#include <string.h>

#include "runtime/driver/drv.h"
#include "runtime/driver/launch.h"
#include "runtime/driver/module.h"
#include "runtime/module/module.h"
#include "runtime/runtime/launch.h"

enum { PARAM_BYTES = 4096 };

struct drv_old_launch {
    struct CUfunc_st *function;
    struct drv_old_launch *next;
    uint32_t block[3];
    unsigned shared, bytes;
    unsigned char params[PARAM_BYTES];
};

/* What a function was set to; made when it is first set. */
static int of(struct cu_process *p, struct CUfunc_st *f, struct drv_old_launch **o) {
    if (!cu_function_valid(p, f)) return CU_InvalidResourceHandle;
    for (*o = p->driver.old; *o; *o = (*o)->next)
        if ((*o)->function == f) return CU_Success;
    *o = calloc(1, sizeof **o);
    if (!*o) return CU_MemoryAllocation;
    **o = (struct drv_old_launch){.function = f, .next = p->driver.old, .block = {1, 1, 1}};
    p->driver.old = *o;
    return CU_Success;
}

void drv_old_end(struct cu_process *p, const struct CUmod_st *m) {
    for (struct drv_old_launch **at = &p->driver.old; *at;) {
        struct drv_old_launch *o = *at;
        if (o->function->module == m) {
            *at = o->next;
            free(o);
        } else
            at = &o->next;
    }
}

static int set_shape(struct cu_process *p, struct CUfunc_st *f, int x, int y, int z) {
    struct drv_old_launch *o;
    if (x <= 0 || y <= 0 || z <= 0) return CU_InvalidValue;
    int code = of(p, f, &o);
    if (code) return code;
    o->block[0] = (uint32_t)x, o->block[1] = (uint32_t)y, o->block[2] = (uint32_t)z;
    return CU_Success;
}
CUDA_API CUresult cuFuncSetBlockShape(CUfunction f, int x, int y, int z) {
    DRV_CALL(set_shape(p, f, x, y, z));
}

static int set_shared(struct cu_process *p, struct CUfunc_st *f, unsigned bytes) {
    struct drv_old_launch *o;
    int code = of(p, f, &o);
    if (!code) o->shared = bytes;
    return code;
}
CUDA_API CUresult cuFuncSetSharedSize(CUfunction f, unsigned bytes) {
    DRV_CALL(set_shared(p, f, bytes));
}

static int set_size(struct cu_process *p, struct CUfunc_st *f, unsigned bytes) {
    struct drv_old_launch *o;
    int code = bytes > PARAM_BYTES ? CU_InvalidValue : of(p, f, &o);
    if (!code) o->bytes = bytes;
    return code;
}
CUDA_API CUresult cuParamSetSize(CUfunction f, unsigned bytes) {
    DRV_CALL(set_size(p, f, bytes));
}

static int set_param(struct cu_process *p, struct CUfunc_st *f, int at, const void *value, unsigned bytes) {
    struct drv_old_launch *o;
    if (at < 0 || at > PARAM_BYTES || bytes > PARAM_BYTES - (unsigned)at || !value) return CU_InvalidValue;
    int code = of(p, f, &o);
    if (!code) memcpy(o->params + at, value, bytes);
    return code;
}
CUDA_API CUresult cuParamSetv(CUfunction f, int at, void *value, unsigned bytes) {
    DRV_CALL(set_param(p, f, at, value, bytes));
}
CUDA_API CUresult cuParamSeti(CUfunction f, int at, unsigned value) {
    DRV_CALL(set_param(p, f, at, &value, sizeof value));
}
CUDA_API CUresult cuParamSetf(CUfunction f, int at, float value) {
    DRV_CALL(set_param(p, f, at, &value, sizeof value));
}

/* Texture references are found by name (cuModuleGetTexRef): there is nothing to pass. */
CUDA_API CUresult cuParamSetTexRef(CUfunction f, int unit, CUtexref texref) {
    DRV_CALL(unit != CU_PARAM_TR_DEFAULT || !texref ? CU_InvalidValue
             : cu_function_valid(p, f)              ? CU_Success
                                                    : CU_InvalidResourceHandle);
}

static int launch(struct cu_process *p, struct CUfunc_st *f, int width, int height, CUstream s) {
    struct drv_old_launch *o;
    if (width <= 0 || height <= 0) return CU_InvalidValue;
    int code = of(p, f, &o);
    if (code) return code;
    struct cu_geometry g = {
        {(uint32_t)width, (uint32_t)height, 1}, {o->block[0], o->block[1], o->block[2]}, o->shared, 0};
    size_t bytes = o->bytes;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, o->params, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    return drv_launch(p, f, &g, s, NULL, extra);
}
CUDA_API CUresult cuLaunch(CUfunction f) {
    DRV_CALL(launch(p, f, 1, 1, NULL));
}
CUDA_API CUresult cuLaunchGrid(CUfunction f, int width, int height) {
    DRV_CALL(launch(p, f, width, height, NULL));
}
CUDA_API CUresult cuLaunchGridAsync(CUfunction f, int width, int height, CUstream s) {
    DRV_CALL(launch(p, f, width, height, s));
}
