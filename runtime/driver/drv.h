/* How an entry point of the driver interface is written:
 *
 *     CUDA_API CUresult cuMemFree_v2(CUdeviceptr ptr) { DRV_CALL(cu_free(p, (void *)ptr)); }
 *
 * The work is done by the files that serve the runtime interface; streams, events, arrays, graphs, pools, functions and
 * modules are one object for both. driver.def lists every name. */
#ifndef CUDA_DRV_H
#define CUDA_DRV_H

#include "runtime/driver/context.h"
#include "runtime/runtime/api.h"
#include "runtime/runtime/stream.h"

/* The public header has its own of these; with INTERNAL it leaves names as they are in the library. */
#undef CUDA_VERSION
#undef CU_STREAM_LEGACY
#undef CU_STREAM_PER_THREAD
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>

/* Forms of before 10.1, which the public header has no place for. */
CUresult cuStreamBeginCapture(CUstream stream);
CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id);

/* `p` is the process, locked. CALL needs a current context, ANY only cuInit. */
#define DRV_CALL(expression)           \
    struct cu_process *p = cu_enter(); \
    int unfit = drv_unfit(p);          \
    return drv_leave(p, unfit ? unfit : (expression))
#define DRV_ANY(expression)            \
    struct cu_process *p = cu_enter(); \
    int unfit = drv_not_ready(p);      \
    return drv_leave(p, unfit ? unfit : (expression))
/* An entry point that does what one of the runtime interface does, with arguments that lie the same way. It takes the lock
 * itself, and here the runtime's last error stays what it was. */
#define DRV_VIA(call)                \
    struct drv_via via;              \
    int unfit = drv_via_begin(&via); \
    return unfit ? drv_code(unfit) : drv_via_end(&via, (call))
#define DRV_RUNTIME(name, runtime, params, args) \
    int runtime params;                          \
    CUDA_API CUresult name params {              \
        DRV_VIA(runtime args);                   \
    }
struct drv_via {
    int last_error, runtime;
};
int drv_via_begin(struct drv_via *v);
CUresult drv_via_end(const struct drv_via *v, int code);

/* An entry point under another name, in the same file. */
#define DRV_SAME(name, function) \
    extern __typeof__(function) name __attribute__((alias(#function), visibility("default")))

/* CU_InitializationError before cuInit; a fault of a kernel. */
int drv_not_ready(struct cu_process *p);
/* Gives the lock back. A code that only the runtime has becomes the driver's. */
CUresult drv_leave(struct cu_process *p, int code);
/* The host waits for a stream given by its handle. */
int drv_wait(struct cu_process *p, CUstream stream);
/* The driver's code for one of the runtime. */
CUresult drv_code(int code);
#endif
