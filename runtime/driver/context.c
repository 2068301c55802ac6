/* Contexts of the driver interface: each thread has a stack of them, the top being the current one.
 *
 * A context does not separate anything: there is one device and one address space, as on hardware that shares addresses
 * between contexts. Modules and allocations remember the context they were made under, and end with it. A kernel's fault
 * spoils all contexts; destroying the current one, or resetting the primary one, clears it. */
#include "runtime/driver/context.h"

#include <stdlib.h>

#include "runtime/driver/drv.h"
#include "runtime/memory/memory.h"
#include "runtime/module/module.h"

enum { DEEPEST = 64 };
/* By number too: a context may be made where another one was. */
static _Thread_local struct {
    struct CUctx_st *at[DEEPEST];
    uint64_t id[DEEPEST];
    int n;
} stack;

static int exists(struct cu_process *p, const struct CUctx_st *c) {
    if (c == &p->driver.primary) return 1;
    for (const struct CUctx_st *i = p->driver.contexts; i; i = i->next)
        if (i == c) return 1;
    return 0;
}

/* The top of the stack, without what other threads have destroyed. */
static struct CUctx_st *drv_context_top(struct cu_process *p) {
    for (; stack.n; stack.n--) {
        struct CUctx_st *c = stack.at[stack.n - 1];
        if (exists(p, c) && c->id == stack.id[stack.n - 1]) return c;
    }
    return NULL;
}

struct CUctx_st *drv_current(struct cu_process *p) {
    struct CUctx_st *c = drv_context_top(p);
    return c ? c : p->runtime ? &p->driver.primary : NULL;
}

int drv_context_of(struct cu_process *p, struct CUctx_st *handle, struct CUctx_st **c) {
    *c = handle ? handle : drv_current(p);
    return *c && exists(p, *c) ? CU_Success : CU_DeviceUninitialized;
}

int drv_not_ready(struct cu_process *p) {
    if (p->failed) return p->failed;
    return p->driver.ready || p->runtime ? CU_Success : CU_InitializationError;
}

int drv_unfit(struct cu_process *p) {
    int code = drv_not_ready(p);
    if (code) return code;
    p->context = drv_current(p);
    if (!p->context) return CU_DeviceUninitialized;
    int released = p->context == &p->driver.primary && !p->context->users && !p->runtime;
    return released ? CU_ContextIsDestroyed : CU_Success;
}

CUresult drv_code(int code) {
    const struct cu_error *e = cu_error_of(code);
    return (CUresult)(e && !e->driver ? CU_InvalidValue : code);
}

CUresult drv_leave(struct cu_process *p, int code) {
    p->context = NULL;
    return drv_code(cu_leave_driver(p, code));
}

int drv_via_begin(struct drv_via *v) {
    struct cu_process *p = cu_enter();
    *v = (struct drv_via){cu_last_error(0), p->runtime};
    int code = drv_unfit(p);
    drv_leave(p, code);
    return code;
}

CUresult drv_via_end(const struct drv_via *v, int code) {
    struct cu_process *p = cu_lock();
    p->runtime = v->runtime;
    cu_last_error(1);
    cu_set_last_error(v->last_error);
    cu_unlock(p);
    return drv_code(code);
}

int drv_wait(struct cu_process *p, CUstream stream) {
    struct CUstream_st *s;
    int code = cu_stream_of(p, stream, &s);
    return code ? code : cu_stream_wait(p, s);
}

static int drv_context_push(struct CUctx_st *c) {
    if (stack.n == DEEPEST) return CU_InvalidValue;
    stack.at[stack.n] = c;
    stack.id[stack.n++] = c->id;
    return CU_Success;
}

static int drv_context_create(struct cu_process *p, CUcontext *context, unsigned flags, CUdevice device) {
    if (!context || (flags & ~(unsigned)CU_CTX_FLAGS_MASK)) return CU_InvalidValue;
    if (device) return CU_InvalidDevice;
    struct CUctx_st *c = calloc(1, sizeof *c);
    if (!c) return CU_MemoryAllocation;
    c->id = ++p->driver.ids;
    int code = drv_context_push(c);
    if (code) {
        free(c);
        return code;
    }
    c->flags = flags;
    c->users = 1;
    c->api_version = 3020;
    c->next = p->driver.contexts;
    p->driver.contexts = c;
    *context = c;
    return CU_Success;
}

CUDA_API CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device) {
    DRV_ANY(drv_context_create(p, context, flags, device));
}
DRV_SAME(cuCtxCreate, cuCtxCreate_v2);
CUDA_API CUresult cuCtxCreate_v3(CUcontext *context, CUexecAffinityParam *affinity, int n, unsigned flags,
                                 CUdevice device) {
    (void)affinity;
    DRV_ANY(n > 0 ? CU_NotSupported : drv_context_create(p, context, flags, device));
}
CUDA_API CUresult cuCtxCreate_v4(CUcontext *context, CUctxCreateParams *params, unsigned flags,
                                 CUdevice device) {
    DRV_ANY(params && (params->numExecAffinityParams || params->cigParams)
                ? CU_NotSupported
                : drv_context_create(p, context, flags, device));
}

/* Memory of a kind that only its owner may free, an array or a pool, say, stays. */
static int ends_with_context(const struct cu_alloc *a, const struct CUctx_st *c) {
    if (a->context != c || a->owner) return 0;
    return a->kind == CU_MEMORY_DEVICE || a->kind == CU_MEMORY_HOST || a->kind == CU_MEMORY_REGISTERED ||
           a->kind == CU_MEMORY_MANAGED;
}

/* Modules and memory that were made under the context. */
static void empty_context(struct cu_process *p, struct CUctx_st *c) {
    for (struct CUmod_st *m = p->modules, *next; m; m = next) {
        next = m->next;
        if (m->context == c) cu_module_unload(p, m);
    }
    for (size_t i = p->nallocs; i-- > 0;)
        if (ends_with_context(&p->allocs[i], c)) cu_alloc_free(p, &p->allocs[i]);
}

static int drv_context_destroy(struct cu_process *p, struct CUctx_st *c) {
    struct CUctx_st **at = &p->driver.contexts;
    while (*at && *at != c) at = &(*at)->next;
    if (!*at) return CU_DeviceUninitialized;
    if (p->failed && !p->forked) cu_reset(p);
    cu_stream_wait(p, NULL);
    empty_context(p, c);
    *at = c->next;
    if (stack.n && stack.at[stack.n - 1] == c) stack.n--;
    free(c);
    return CU_Success;
}

static CUresult destroy_context(CUcontext c) {
    struct cu_process *p = cu_enter();
    return drv_leave(p, p->driver.ready ? drv_context_destroy(p, c) : CU_InitializationError);
}
CUDA_API CUresult cuCtxDestroy_v2(CUcontext c) {
    return destroy_context(c);
}
DRV_SAME(cuCtxDestroy, cuCtxDestroy_v2);

static int drv_context_attach(struct cu_process *p, CUcontext *context, unsigned flags) {
    struct CUctx_st *c = drv_current(p);
    if (!context || flags) return CU_InvalidValue;
    if (!c) return CU_DeviceUninitialized;
    c->users++;
    *context = c;
    return CU_Success;
}
CUDA_API CUresult cuCtxAttach(CUcontext *context, unsigned flags) {
    DRV_ANY(drv_context_attach(p, context, flags));
}
CUDA_API CUresult cuCtxDetach(CUcontext c) {
    DRV_ANY(!c || !exists(p, c) ? CU_DeviceUninitialized
            : --c->users > 0    ? CU_Success
                                : drv_context_destroy(p, c));
}

static int drv_context_pop(struct cu_process *p, CUcontext *context) {
    struct CUctx_st *c = drv_current(p);
    if (!c) return CU_DeviceUninitialized;
    if (stack.n) stack.n--;
    if (context) *context = c;
    return CU_Success;
}
CUDA_API CUresult cuCtxPopCurrent_v2(CUcontext *context) {
    DRV_ANY(drv_context_pop(p, context));
}
DRV_SAME(cuCtxPopCurrent, cuCtxPopCurrent_v2);
CUDA_API CUresult cuCtxPushCurrent_v2(CUcontext c) {
    DRV_ANY(!c ? CU_InvalidValue : !exists(p, c) ? CU_DeviceUninitialized : drv_context_push(c));
}
DRV_SAME(cuCtxPushCurrent, cuCtxPushCurrent_v2);

/* Replaces the top of the stack; NULL takes it away. */
static int set_current(struct cu_process *p, struct CUctx_st *c) {
    if (c && !exists(p, c)) return CU_DeviceUninitialized;
    drv_current(p);
    if (stack.n) stack.n--;
    return c ? drv_context_push(c) : CU_Success;
}
CUDA_API CUresult cuCtxSetCurrent(CUcontext c) {
    DRV_ANY(set_current(p, c));
}

CUDA_API CUresult cuCtxGetCurrent(CUcontext *context) {
    DRV_ANY(context ? (*context = drv_current(p), CU_Success) : CU_InvalidValue);
}

/* ---- the primary context ---- */

static int drv_context_retain(struct cu_process *p, CUcontext *context, CUdevice device) {
    if (!context) return CU_InvalidValue;
    if (device) return CU_InvalidDevice;
    struct CUctx_st *c = &p->driver.primary;
    if (!c->id) c->id = ++p->driver.ids;
    c->api_version = 3020;
    c->users++;
    *context = c;
    return CU_Success;
}
CUDA_API CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
    DRV_ANY(drv_context_retain(p, context, device));
}

static int drv_context_release(struct cu_process *p, CUdevice device) {
    struct CUctx_st *c = &p->driver.primary;
    if (device) return CU_InvalidDevice;
    if (!c->users) return CU_DeviceUninitialized;
    if (--c->users == 0 && !p->runtime) empty_context(p, c);
    return CU_Success;
}
CUDA_API CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
    DRV_ANY(drv_context_release(p, device));
}
DRV_SAME(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2);

static CUresult reset_primary(CUdevice device) {
    struct cu_process *p = cu_enter();
    if (!p->driver.ready && !p->runtime) return drv_leave(p, CU_InitializationError);
    return drv_leave(p, device ? CU_InvalidDevice : cu_reset(p));
}
CUDA_API CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
    return reset_primary(device);
}
DRV_SAME(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2);

static int set_primary_flags(struct cu_process *p, CUdevice device, unsigned flags) {
    if (device) return CU_InvalidDevice;
    if (flags & ~(unsigned)CU_CTX_FLAGS_MASK) return CU_InvalidValue;
    p->driver.primary.flags = flags;
    return CU_Success;
}
CUDA_API CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags) {
    DRV_ANY(set_primary_flags(p, device, flags));
}
DRV_SAME(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2);

static int primary_state(struct cu_process *p, CUdevice device, unsigned *flags, int *active) {
    if (device) return CU_InvalidDevice;
    if (!flags || !active) return CU_InvalidValue;
    *flags = p->driver.primary.flags;
    *active = p->driver.primary.users > 0 || p->runtime;
    return CU_Success;
}
CUDA_API CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active) {
    DRV_ANY(primary_state(p, device, flags, active));
}
