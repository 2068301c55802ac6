/* Registration: what compilers put into programs to run before main. Nothing is loaded here, and the device is not opened. */
#include <stddef.h>

#include "cuda/api.h"
#include "cuda/fatbin.h"
#include "cuda/log.h"
#include "cuda/module.h"

CUDA_API void **__cudaRegisterFatBinary(void *wrapper) {
    struct cu_process *p = cu_lock();
    const struct cu_wrapper *w = wrapper;
    struct CUmod_st *m = w && w->magic == CU_WRAPPER_MAGIC ? cu_module_register(p, w) : NULL;
    cu_unlock(p);
    return (void **)m;
}

CUDA_API void __cudaRegisterFatBinaryEnd(void **handle) {
    (void)handle;
}

CUDA_API void __cudaUnregisterFatBinary(void **handle) {
    struct cu_process *p = cu_lock();
    struct CUmod_st *m = (struct CUmod_st *)handle;
    cu_flush_prints(p);
    if (m && cu_module_valid(p, m)) cu_module_unload(p, m);
    cu_unlock(p);
}

CUDA_API void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                                     int limit, void *tid, void *bid, void *block, void *grid, int *warp) {
    (void)device, (void)limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
    struct cu_process *p = cu_lock();
    struct CUfunc_st *f = handle ? cu_function_add(p, (struct CUmod_st *)handle, name) : NULL;
    if (f) {
        f->host = host;
        (void)cu_map_put(&p->functions, host, f);
    }
    cu_unlock(p);
}

static struct cu_variable *add_variable(struct cu_process *p, void **handle, const void *host,
                                        const char *name) {
    struct cu_variable *v = handle ? cu_variable_add((struct CUmod_st *)handle, name) : NULL;
    if (!v) return NULL;
    v->host = host;
    (void)cu_map_put(&p->variables, host, v);
    return v;
}

CUDA_API void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external,
                                size_t bytes, int constant, int global) {
    (void)device, (void)external, (void)bytes, (void)global;
    struct cu_process *p = cu_lock();
    struct cu_variable *v = add_variable(p, handle, host, name);
    if (v) v->constant = constant;
    cu_unlock(p);
}

CUDA_API void __cudaRegisterManagedVar(void **handle, void **pointer, char *device, const char *name,
                                       int external, size_t bytes, int constant, int global) {
    (void)device, (void)external, (void)bytes, (void)constant, (void)global;
    struct cu_process *p = cu_lock();
    struct cu_variable *v = add_variable(p, handle, pointer, name);
    if (v) v->managed = pointer;
    cu_unlock(p);
}

/* nvcc's code for a managed variable calls this before it reads the variable's pointer the first time. */
CUDA_API char __cudaInitModule(void **handle) {
    struct cu_process *p = cu_enter();
    int code = p->failed;
    if (!code && handle) code = cu_module_ready(p, (struct CUmod_st *)handle);
    return (char)(cu_leave(p, code) == CU_Success);
}

/* The end of the process: what kernels printed and the log's last line. A thread that is in a call keeps the lock; then
 * there is nothing to wait for. */
__attribute__((destructor)) static void leave_process(void) {
    cu_end();
}
