/* Entry points for modules that a program loads itself (cudaLibrary), and for the driver's entry points by name. */
#include <driver_types.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/driver/module.h"
#include "runtime/driver/table.h"
#include "runtime/module/module.h"
#include "runtime/runtime/api.h"

static struct CUmod_st *module_of(cudaLibrary_t library) {
    return (struct CUmod_st *)library;
}

static int load_data(struct cu_process *p, cudaLibrary_t *library, const void *image, size_t bytes) {
    struct CUmod_st *m;
    if (!library || !image) return CU_InvalidValue;
    int code = cu_module_load(p, image, bytes, &m);
    if (!code) *library = (cudaLibrary_t)m;
    return code;
}

static int library_load_file(struct cu_process *p, cudaLibrary_t *library, const char *path) {
    size_t bytes;
    char *data;
    int code = library && path ? drv_read_file(path, &data, &bytes) : CU_InvalidValue;
    if (code) return code;
    code = load_data(p, library, data, bytes);
    free(data);
    return code;
}

/* Options of the just-in-time compiler have nothing to act on. */
CUDA_API int cudaLibraryLoadData(cudaLibrary_t *library, const void *image, enum cudaJitOption *jit,
                                 void **jit_values, unsigned njit, enum cudaLibraryOption *options,
                                 void **values, unsigned n) {
    (void)jit, (void)jit_values, (void)njit, (void)options, (void)values, (void)n;
    CUDA_CALL(load_data(p, library, image, CU_UNSIZED));
}
CUDA_API int cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *path, enum cudaJitOption *jit,
                                     void **jit_values, unsigned njit, enum cudaLibraryOption *options,
                                     void **values, unsigned n) {
    (void)jit, (void)jit_values, (void)njit, (void)options, (void)values, (void)n;
    CUDA_CALL(library_load_file(p, library, path));
}

static int library_valid(struct cu_process *p, cudaLibrary_t library) {
    return cu_module_valid(p, module_of(library)) && !module_of(library)->image ? CU_Success
                                                                                : CU_InvalidResourceHandle;
}

static int library_unload(struct cu_process *p, cudaLibrary_t library) {
    int code = library_valid(p, library);
    if (!code) cu_module_unload(p, module_of(library));
    return code;
}
CUDA_API int cudaLibraryUnload(cudaLibrary_t library) {
    CUDA_CALL(library_unload(p, library));
}

static int library_get_kernel(struct cu_process *p, cudaKernel_t *kernel, cudaLibrary_t library,
                              const char *name) {
    struct CUfunc_st *f;
    if (!kernel || !name) return CU_InvalidValue;
    int code = library_valid(p, library);
    if (!code) code = cu_module_function(p, module_of(library), name, &f);
    if (!code) *kernel = (cudaKernel_t)f;
    return code;
}
CUDA_API int cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name) {
    CUDA_CALL(library_get_kernel(p, kernel, library, name));
}

static int get_global(struct cu_process *p, void **ptr, size_t *bytes, cudaLibrary_t library,
                      const char *name) {
    struct cu_variable *v;
    if (!name) return CU_InvalidValue;
    int code = library_valid(p, library);
    if (!code) code = cu_module_variable(p, module_of(library), name, &v);
    if (code) return code;
    if (ptr) *ptr = (void *)(uintptr_t)v->addr;
    if (bytes) *bytes = v->bytes;
    return CU_Success;
}
CUDA_API int cudaLibraryGetGlobal(void **ptr, size_t *bytes, cudaLibrary_t library, const char *name) {
    CUDA_CALL(get_global(p, ptr, bytes, library, name));
}

static int kernel_count(struct cu_process *p, unsigned *n, cudaLibrary_t library) {
    int code = n ? library_valid(p, library) : CU_InvalidValue;
    if (!code) *n = (unsigned)hd_module_kernel_count(module_of(library)->hd);
    return code;
}
CUDA_API int cudaLibraryGetKernelCount(unsigned *n, cudaLibrary_t library) {
    CUDA_CALL(kernel_count(p, n, library));
}

static int kernels(struct cu_process *p, cudaKernel_t *list, unsigned n, cudaLibrary_t library) {
    int code = list || !n ? library_valid(p, library) : CU_InvalidValue;
    for (unsigned i = 0; i < n && !code; i++) {
        hd_kernel_info info;
        hd_kernel *k = hd_module_kernel_at(module_of(library)->hd, i);
        if (!k || hd_kernel_get_info(k, &info)) break;
        code = library_get_kernel(p, &list[i], library, info.name);
    }
    return code;
}
CUDA_API int cudaLibraryEnumerateKernels(cudaKernel_t *list, unsigned n, cudaLibrary_t library) {
    CUDA_CALL(kernels(p, list, n, library));
}

/* ---- the driver by name ---- */

static int entry_point(const char *name, void **function, int version, unsigned long long flags,
                       enum cudaDriverEntryPointQueryResult *found) {
    if (!name || !function || flags > cudaEnablePerThreadDefaultStream) return CU_InvalidValue;
    enum drv_found how = drv_find(name, version, flags == cudaEnablePerThreadDefaultStream, function);
    if (found) *found = (enum cudaDriverEntryPointQueryResult)how;
    return found || how == DRV_FOUND ? CU_Success : CU_SymbolNotFound;
}
enum { RUNTIME_VERSION = 13000 };
CUDA_API int cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags,
                                     enum cudaDriverEntryPointQueryResult *found) {
    CUDA_CALL(entry_point(name, function, RUNTIME_VERSION, flags, found));
}
CUDA_API int cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version,
                                              unsigned long long flags,
                                              enum cudaDriverEntryPointQueryResult *found) {
    CUDA_CALL(entry_point(name, function, (int)version, flags, found));
}
/* A program whose threads have default streams of their own gets the driver's entry points for that. */
static unsigned long long library_own(unsigned long long flags) {
    return flags ? flags : cudaEnablePerThreadDefaultStream;
}
CUDA_API int cudaGetDriverEntryPoint_ptsz(const char *name, void **function, unsigned long long flags,
                                          enum cudaDriverEntryPointQueryResult *found) {
    return cudaGetDriverEntryPoint(name, function, library_own(flags), found);
}
CUDA_API int cudaGetDriverEntryPointByVersion_ptsz(const char *name, void **function, unsigned version,
                                                   unsigned long long flags,
                                                   enum cudaDriverEntryPointQueryResult *found) {
    return cudaGetDriverEntryPointByVersion(name, function, version, library_own(flags), found);
}
