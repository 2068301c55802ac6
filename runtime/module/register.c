/* Registration: what compilers put into programs to run before main. Nothing is loaded here, and the device is not opened. */
#include <stddef.h>
#include <stdlib.h>

#include "runtime/module/fatbin.h"
#include "runtime/module/module.h"
#include "runtime/runtime/api.h"
#include "runtime/runtime/log.h"

CUDA_API void **__cudaRegisterFatBinary(void *wrapper) {
    struct cu_process *p = cu_lock();
    const struct cu_wrapper *w = wrapper;
    struct CUmod_st *m = w && w->magic == CU_WRAPPER_MAGIC ? cu_module_register(p, w) : NULL;
    cu_unlock(p);
    return (void **)m;
}

/* Managed variables of clang's are the host's own, which may read them before it calls anything: their values come now. Of a
 * module in parts (-rdc) more may follow; those come at first use. */
static int wants_loading(const struct CUmod_st *m) {
    const struct cu_wrapper *w = m->image;
    int any = 0;
    for (struct cu_variable *v = m->variables; v; v = v->next) any |= v->in_place;
    return any && w && w->version < 2;
}

CUDA_API void __cudaRegisterFatBinaryEnd(void **handle) {
    struct cu_process *p = cu_lock();
    struct CUmod_st *m = (struct CUmod_st *)handle;
    int now = m && wants_loading(m);
    cu_unlock(p);
    if (!now) return;
    p = cu_enter();
    if (!p->failed) (void)cu_module_ready(p, m);
    cu_unlock(p);
}

CUDA_API void __cudaUnregisterFatBinary(void **handle) {
    struct cu_process *p = cu_lock_soon();
    struct CUmod_st *m = (struct CUmod_st *)handle;
    if (!p) return;
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

static int is_managed(const struct cu_process *p, const void *host) {
    for (size_t i = 0; i < p->nmanaged; i++)
        if ((const char *)host >= p->managed[i].start && (const char *)host < p->managed[i].end) return 1;
    return 0;
}

/* Where a program built by heddle nvcc keeps its managed variables (cuda/heddle/managed.h). */
CUDA_API void __heddleManaged(void *start, void *end) {
    struct cu_process *p = cu_enter();
    struct cu_range *grown =
        is_managed(p, start) ? NULL : realloc(p->managed, (p->nmanaged + 1) * sizeof *grown);
    if (grown) {
        p->managed = grown;
        p->managed[p->nmanaged++] = (struct cu_range){start, end};
    }
    for (struct CUmod_st *m = grown ? p->modules : NULL; m; m = m->next) {
        for (struct cu_variable *v = m->variables; v; v = v->next) v->in_place |= is_managed(p, v->host);
        if (!p->failed && wants_loading(m)) (void)cu_module_ready(p, m);
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
    (void)device, (void)external, (void)global;
    struct cu_process *p = cu_lock();
    struct cu_variable *v = add_variable(p, handle, host, name);
    if (v) v->constant = constant;
    if (v) v->host_bytes = bytes;
    if (v) v->in_place = is_managed(p, host);
    cu_unlock(p);
}

CUDA_API void __cudaRegisterManagedVar(void **handle, void **pointer, char *device, const char *name,
                                       int external, size_t bytes, int constant, int global) {
    (void)device, (void)external, (void)constant, (void)global;
    struct cu_process *p = cu_lock();
    struct cu_variable *v = add_variable(p, handle, pointer, name);
    if (v) v->host_bytes = bytes;
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
