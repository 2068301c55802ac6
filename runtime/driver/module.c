/* The driver interface: modules, from memory or from a file, and what is in them. */
#include "runtime/module/module.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "runtime/driver/drv.h"
#include "runtime/driver/jit.h"
#include "runtime/driver/module.h"

/* ---- loading ---- */

int drv_module_load(struct cu_process *p, const void *image, size_t bytes, struct drv_jit *jit,
                    struct CUmod_st **mod) {
    char *why = NULL;
    int code = cu_module_load_told(p, image, bytes, jit && jit->error.text ? &why : NULL, mod);
    if (!code) (*mod)->context = p->context;
    if (jit) drv_jit_write(jit, why ? why : "");
    free(why);
    return code;
}

/* The whole file and a NUL behind it, to be freed. Of a directory and of what is no file there is nothing to read. */
int drv_read_file(const char *path, char **data, size_t *bytes) {
    if (!path) return CU_InvalidValue;
    FILE *f = fopen(path, "rb");
    if (!f) return errno == ENOMEM ? CU_MemoryAllocation : CU_FileNotFound;
    struct stat s;
    int code = CU_Success;
    long end = fstat(fileno(f), &s) || !S_ISREG(s.st_mode) || fseek(f, 0, SEEK_END) ? -1 : ftell(f);
    *bytes = end < 0 ? 0 : (size_t)end;
    *data = malloc(*bytes + 1);
    if (!*data) code = CU_MemoryAllocation;
    if (!code && (end < 0 || fseek(f, 0, SEEK_SET) || fread(*data, 1, *bytes, f) != *bytes))
        code = CU_FileNotFound;
    fclose(f);
    if (code)
        free(*data);
    else
        (*data)[*bytes] = 0;
    return code;
}

static int drv_module_load_file(struct cu_process *p, CUmodule *module, const char *path,
                                struct drv_jit *jit) {
    char *data;
    size_t bytes;
    int code = module ? drv_read_file(path, &data, &bytes) : CU_InvalidValue;
    if (code) return code;
    code = drv_module_load(p, data, bytes, jit, module);
    free(data);
    return code;
}

static int load_data(struct cu_process *p, CUmodule *module, const void *image, unsigned n,
                     CUjit_option *options, void **values) {
    struct drv_jit jit;
    if (!module || !image) return CU_InvalidValue;
    int code = drv_jit_read(&jit, n, options, values);
    return code ? code : drv_module_load(p, image, CU_UNSIZED, &jit, module);
}

CUDA_API CUresult cuModuleLoad(CUmodule *module, const char *path) {
    DRV_CALL(drv_module_load_file(p, module, path, NULL));
}
CUDA_API CUresult cuModuleLoadData(CUmodule *module, const void *image) {
    DRV_CALL(load_data(p, module, image, 0, NULL, NULL));
}
CUDA_API CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned n, CUjit_option *options,
                                     void **values) {
    DRV_CALL(load_data(p, module, image, n, options, values));
}
CUDA_API CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image) {
    DRV_CALL(load_data(p, module, image, 0, NULL, NULL));
}

void drv_module_end(struct cu_process *p, const struct CUmod_st *m) {
    drv_references_end(p, m);
    drv_old_end(p, m);
}

static int drv_module_unload(struct cu_process *p, struct CUmod_st *m) {
    if (!cu_module_valid(p, m) || m->image) return CU_InvalidResourceHandle;
    cu_module_unload(p, m);
    return CU_Success;
}
CUDA_API CUresult cuModuleUnload(CUmodule module) {
    DRV_CALL(drv_module_unload(p, module));
}
CUDA_API CUresult cuLibraryUnload(CUlibrary library) {
    DRV_ANY(drv_module_unload(p, drv_module_of(library)));
}

CUDA_API CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode) {
    DRV_ANY(mode ? (*mode = CU_MODULE_EAGER_LOADING, CU_Success) : CU_InvalidValue);
}

/* ---- what is in them ---- */

static int get_function(struct cu_process *p, CUfunction *f, struct CUmod_st *m, const char *name) {
    struct CUfunc_st *found;
    if (!f || !name) return CU_InvalidValue;
    int code = cu_module_valid(p, m) ? cu_module_function(p, m, name, &found) : CU_InvalidResourceHandle;
    if (!code) *f = found;
    return code;
}
CUDA_API CUresult cuModuleGetFunction(CUfunction *f, CUmodule module, const char *name) {
    DRV_CALL(get_function(p, f, module, name));
}

static int get_global(struct cu_process *p, CUdeviceptr *addr, size_t *bytes, struct CUmod_st *m,
                      const char *name) {
    struct cu_variable *v;
    if (!name || (!addr && !bytes)) return CU_InvalidValue;
    int code = cu_module_valid(p, m) ? cu_module_variable(p, m, name, &v) : CU_InvalidResourceHandle;
    if (code) return code;
    if (addr) *addr = v->addr;
    if (bytes) *bytes = v->bytes;
    return CU_Success;
}
CUDA_API CUresult cuModuleGetGlobal_v2(CUdeviceptr *addr, size_t *bytes, CUmodule module, const char *name) {
    DRV_CALL(get_global(p, addr, bytes, module, name));
}

static int drv_module_count(struct cu_process *p, struct CUmod_st *m, unsigned *n) {
    if (!n) return CU_InvalidValue;
    int code = cu_module_valid(p, m) ? cu_module_ready(p, m) : CU_InvalidResourceHandle;
    if (!code) *n = (unsigned)hd_module_kernel_count(m->hd);
    return code;
}
CUDA_API CUresult cuModuleGetFunctionCount(unsigned *n, CUmodule module) {
    DRV_CALL(drv_module_count(p, module, n));
}
CUDA_API CUresult cuLibraryGetKernelCount(unsigned *n, CUlibrary library) {
    DRV_ANY(drv_module_count(p, drv_module_of(library), n));
}

static int enumerate(struct cu_process *p, struct CUmod_st *m, struct CUfunc_st **list, unsigned n) {
    unsigned all;
    int code = list ? drv_module_count(p, m, &all) : CU_InvalidValue;
    for (unsigned i = 0; !code && i < n && i < all; i++) {
        hd_kernel_info info;
        hd_kernel_get_info(hd_module_kernel_at(m->hd, i), &info);
        code = cu_module_function(p, m, info.name, &list[i]);
    }
    return code;
}
CUDA_API CUresult cuModuleEnumerateFunctions(CUfunction *list, unsigned n, CUmodule module) {
    DRV_CALL(enumerate(p, module, list, n));
}
CUDA_API CUresult cuLibraryEnumerateKernels(CUkernel *list, unsigned n, CUlibrary library) {
    DRV_ANY(enumerate(p, drv_module_of(library), (struct CUfunc_st **)list, n));
}

/* ---- libraries: modules that belong to no context ---- */

static int load_library(struct cu_process *p, CUlibrary *library, const void *image, const char *path,
                        struct drv_jit *jit) {
    struct CUmod_st *m;
    if (!library || (!image && !path)) return CU_InvalidValue;
    int code = path ? drv_module_load_file(p, &m, path, jit) : drv_module_load(p, image, CU_UNSIZED, jit, &m);
    if (code) return code;
    m->context = NULL;
    *library = (CUlibrary)m;
    return CU_Success;
}

CUDA_API CUresult cuLibraryLoadData(CUlibrary *library, const void *image, CUjit_option *options,
                                    void **values, unsigned n, CUlibraryOption *kinds, void **settings,
                                    unsigned nsettings) {
    struct drv_jit jit;
    int code = drv_jit_read(&jit, n, options, values);
    (void)kinds, (void)settings, (void)nsettings; /* how to keep the image: it is copied */
    DRV_ANY(code ? code : load_library(p, library, image, NULL, &jit));
}
CUDA_API CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *path, CUjit_option *options,
                                        void **values, unsigned n, CUlibraryOption *kinds, void **settings,
                                        unsigned nsettings) {
    struct drv_jit jit;
    int code = drv_jit_read(&jit, n, options, values);
    (void)kinds, (void)settings, (void)nsettings;
    DRV_ANY(code ? code : load_library(p, library, NULL, path ? path : "", &jit));
}
CUDA_API CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name) {
    DRV_ANY(get_function(p, (CUfunction *)kernel, drv_module_of(library), name));
}
CUDA_API CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library) {
    DRV_CALL(!module                                      ? CU_InvalidValue
             : cu_module_valid(p, drv_module_of(library)) ? (*module = drv_module_of(library), CU_Success)
                                                          : CU_InvalidResourceHandle);
}
CUDA_API CUresult cuLibraryGetGlobal(CUdeviceptr *addr, size_t *bytes, CUlibrary library, const char *name) {
    DRV_CALL(get_global(p, addr, bytes, drv_module_of(library), name));
}
CUDA_API CUresult cuLibraryGetManaged(CUdeviceptr *addr, size_t *bytes, CUlibrary library, const char *name) {
    DRV_CALL(get_global(p, addr, bytes, drv_module_of(library), name));
}
