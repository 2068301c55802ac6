/* The driver interface: start, versions, error names, the look-up of entry points, and what a profiler would be told. */
#include <string.h>

#include "runtime/driver/drv.h"
#include "runtime/driver/table.h"

CUDA_API CUresult cuInit(unsigned flags) {
    if (flags) return CUDA_ERROR_INVALID_VALUE;
    struct cu_process *p = cu_enter();
    if (!p->failed) p->driver.ready = 1;
    return drv_leave(p, p->failed);
}

CUDA_API CUresult cuDriverGetVersion(int *version) {
    if (!version) return CUDA_ERROR_INVALID_VALUE;
    *version = 13000;
    return CUDA_SUCCESS;
}

CUDA_API CUresult cuGetErrorName(CUresult code, const char **name) {
    if (!name) return CUDA_ERROR_INVALID_VALUE;
    const struct cu_error *e = cu_error_of((int)code);
    *name = e ? e->driver : NULL;
    return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUDA_API CUresult cuGetErrorString(CUresult code, const char **text) {
    if (!text) return CUDA_ERROR_INVALID_VALUE;
    const struct cu_error *e = cu_error_of((int)code);
    *text = e && e->driver ? e->text : NULL;
    return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult drv_init_look_up(const char *name, void **function, int version, cuuint64_t flags,
                                 enum drv_found *found) {
    if (!name || !function || flags > CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM)
        return CUDA_ERROR_INVALID_VALUE;
    *found = drv_find(name, version, flags == CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, function);
    return CUDA_SUCCESS;
}

CUDA_API CUresult cuGetProcAddress(const char *name, void **function, int version, cuuint64_t flags) {
    enum drv_found found = DRV_UNKNOWN;
    CUresult code = drv_init_look_up(name, function, version, flags, &found);
    return code ? code : found == DRV_FOUND ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

/* A name that is not found is told by the status, and is an error only for those who do not ask for it. */
CUDA_API CUresult cuGetProcAddress_v2(const char *name, void **function, int version, cuuint64_t flags,
                                      CUdriverProcAddressQueryResult *status) {
    enum drv_found found = DRV_UNKNOWN;
    CUresult code = drv_init_look_up(name, function, version, flags, &found);
    if (code) return code;
    if (status) *status = (CUdriverProcAddressQueryResult)found;
    return found == DRV_FOUND || status ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

/* Private tables of functions, by which a runtime inside the program itself goes to the driver. */
CUDA_API CUresult cuGetExportTable(const void **table, const CUuuid *id) {
    if (!table || !id) return CUDA_ERROR_INVALID_VALUE;
    *table = NULL;
    struct cu_process *p = cu_lock();
    if (!p->driver.told_static++)
        cu_warn("this program has NVIDIA's runtime linked into it, which needs NVIDIA's driver: link it "
                "again with "
                "nvcc -cudart shared");
    cu_unlock(p);
    return CUDA_ERROR_NOT_FOUND;
}

CUDA_API CUresult cuProfilerStart(void) {
    DRV_CALL(CU_Success);
}
CUDA_API CUresult cuProfilerStop(void) {
    DRV_CALL(CU_Success);
}
