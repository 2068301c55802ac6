/* The driver interface: functions and kernels, which are the same object, and how many blocks of them fit. */
#include "runtime/driver/drv.h"
#include "runtime/driver/module.h"
#include "runtime/module/function.h"
#include "runtime/module/module.h"

/* ---- attributes ---- */

static int drv_func_get_attribute(struct cu_process *p, int *value, CUfunction_attribute attribute,
                                  struct CUfunc_st *f) {
    if (!value) return CU_InvalidValue;
    if (!cu_function_valid(p, f)) return CU_InvalidResourceHandle;
    return cu_function_attribute(p, f, (int)attribute, value);
}
static int drv_func_set_attribute(struct cu_process *p, CUfunction_attribute attribute, int value,
                                  struct CUfunc_st *f) {
    if (!cu_function_valid(p, f)) return CU_InvalidResourceHandle;
    return cu_function_set(p, f, (int)attribute, value);
}
static int set_cache(struct cu_process *p, struct CUfunc_st *f, CUfunc_cache config) {
    if (!cu_function_valid(p, f)) return CU_InvalidResourceHandle;
    if ((unsigned)config > CU_FUNC_CACHE_PREFER_EQUAL) return CU_InvalidValue;
    f->cache_config = (int)config;
    return CU_Success;
}

CUDA_API CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction f) {
    DRV_CALL(drv_func_get_attribute(p, value, attribute, f));
}
CUDA_API CUresult cuFuncSetAttribute(CUfunction f, CUfunction_attribute attribute, int value) {
    DRV_CALL(drv_func_set_attribute(p, attribute, value, f));
}
CUDA_API CUresult cuFuncSetCacheConfig(CUfunction f, CUfunc_cache config) {
    DRV_CALL(set_cache(p, f, config));
}
CUDA_API CUresult cuFuncSetSharedMemConfig(CUfunction f, CUsharedconfig config) {
    DRV_CALL((unsigned)config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE ? CU_InvalidValue
             : cu_function_valid(p, f)                                    ? CU_Success
                                                                          : CU_InvalidResourceHandle);
}
CUDA_API CUresult cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel k,
                                       CUdevice device) {
    DRV_ANY(device ? CU_InvalidDevice : drv_func_get_attribute(p, value, attribute, drv_function_of(k)));
}
CUDA_API CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel k,
                                       CUdevice device) {
    DRV_ANY(device ? CU_InvalidDevice : drv_func_set_attribute(p, attribute, value, drv_function_of(k)));
}
CUDA_API CUresult cuKernelSetCacheConfig(CUkernel k, CUfunc_cache config, CUdevice device) {
    DRV_ANY(device ? CU_InvalidDevice : set_cache(p, drv_function_of(k), config));
}

/* ---- what it is ---- */

static int get_module(struct cu_process *p, struct CUmod_st **m, struct CUfunc_st *f) {
    if (!m) return CU_InvalidValue;
    if (!cu_function_valid(p, f)) return CU_InvalidResourceHandle;
    *m = f->module;
    return CU_Success;
}
CUDA_API CUresult cuFuncGetModule(CUmodule *module, CUfunction f) {
    DRV_CALL(get_module(p, module, f));
}
CUDA_API CUresult cuKernelGetLibrary(CUlibrary *library, CUkernel k) {
    DRV_ANY(get_module(p, (CUmodule *)library, drv_function_of(k)));
}
CUDA_API CUresult cuKernelGetFunction(CUfunction *f, CUkernel k) {
    DRV_CALL(!f                                         ? CU_InvalidValue
             : cu_function_valid(p, drv_function_of(k)) ? (*f = drv_function_of(k), CU_Success)
                                                        : CU_InvalidResourceHandle);
}

static int get_name(struct cu_process *p, const char **name, struct CUfunc_st *f) {
    if (!name) return CU_InvalidValue;
    if (!cu_function_valid(p, f)) return CU_InvalidResourceHandle;
    *name = f->name;
    return CU_Success;
}
CUDA_API CUresult cuFuncGetName(const char **name, CUfunction f) {
    DRV_ANY(get_name(p, name, f));
}
CUDA_API CUresult cuKernelGetName(const char **name, CUkernel k) {
    DRV_ANY(get_name(p, name, drv_function_of(k)));
}

static int param_info(struct cu_process *p, struct CUfunc_st *f, size_t index, size_t *offset,
                      size_t *bytes) {
    if (!offset) return CU_InvalidValue;
    int code = cu_function_valid(p, f) ? cu_function_ready(p, f) : CU_InvalidResourceHandle;
    if (code) return code;
    if (index >= f->info.nparams) return CU_InvalidValue;
    *offset = f->info.params[index].offset;
    if (bytes) *bytes = f->info.params[index].bytes;
    return CU_Success;
}
CUDA_API CUresult cuFuncGetParamInfo(CUfunction f, size_t index, size_t *offset, size_t *bytes) {
    DRV_ANY(param_info(p, f, index, offset, bytes));
}
CUDA_API CUresult cuKernelGetParamInfo(CUkernel k, size_t index, size_t *offset, size_t *bytes) {
    DRV_ANY(param_info(p, drv_function_of(k), index, offset, bytes));
}

CUDA_API CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction f) {
    DRV_ANY(!state                    ? CU_InvalidValue
            : cu_function_valid(p, f) ? (*state = CU_FUNCTION_LOADING_STATE_LOADED, CU_Success)
                                      : CU_InvalidResourceHandle);
}
CUDA_API CUresult cuFuncLoad(CUfunction f) {
    DRV_CALL(cu_function_valid(p, f) ? cu_function_ready(p, f) : CU_InvalidResourceHandle);
}
