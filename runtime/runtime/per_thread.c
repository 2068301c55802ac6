/* The runtime interface for programs compiled with a default stream for each thread: the default stream of these calls is the
 * thread's own. Calls that have no stream (_ptds) wait for what they do, so that it makes no difference to them.
 * Those of captures are in capture_api.c. */
#include <cuda_runtime_api.h>
#undef CUDA_VERSION /* the number; in this room it gives entry points versions */

#include "runtime/runtime/api.h"

static cudaStream_t per_thread_own(cudaStream_t stream) {
    return stream ? stream : cudaStreamPerThread;
}

#define PER_THREAD(name, of, params, args) \
    CUDA_API cudaError_t name params {     \
        return of args;                    \
    }
PER_THREAD(cudaEventRecordWithFlags_ptsz, cudaEventRecordWithFlags,
           (cudaEvent_t a0, cudaStream_t s, unsigned int a2), (a0, per_thread_own(s), a2))
PER_THREAD(cudaEventRecord_ptsz, cudaEventRecord, (cudaEvent_t a0, cudaStream_t s), (a0, per_thread_own(s)))
PER_THREAD(cudaFreeAsync_ptsz, cudaFreeAsync, (void *a0, cudaStream_t s), (a0, per_thread_own(s)))
PER_THREAD(cudaGraphInstantiateWithParams_ptsz, cudaGraphInstantiateWithParams,
           (cudaGraphExec_t * a0, cudaGraph_t a1, cudaGraphInstantiateParams *a2), (a0, a1, a2))
PER_THREAD(cudaGraphLaunch_ptsz, cudaGraphLaunch, (cudaGraphExec_t a0, cudaStream_t s),
           (a0, per_thread_own(s)))
PER_THREAD(cudaGraphUpload_ptsz, cudaGraphUpload, (cudaGraphExec_t a0, cudaStream_t s),
           (a0, per_thread_own(s)))
PER_THREAD(cudaLaunchCooperativeKernel_ptsz, cudaLaunchCooperativeKernel,
           (const void *a0, dim3 a1, dim3 a2, void **a3, size_t a4, cudaStream_t s),
           (a0, a1, a2, a3, a4, per_thread_own(s)))
PER_THREAD(cudaLaunchHostFunc_ptsz, cudaLaunchHostFunc, (cudaStream_t s, cudaHostFn_t a1, void *a2),
           (per_thread_own(s), a1, a2))
PER_THREAD(cudaLaunchKernel_ptsz, cudaLaunchKernel,
           (const void *a0, dim3 a1, dim3 a2, void **a3, size_t a4, cudaStream_t s),
           (a0, a1, a2, a3, a4, per_thread_own(s)))
PER_THREAD(cudaMallocAsync_ptsz, cudaMallocAsync, (void **a0, size_t a1, cudaStream_t s),
           (a0, a1, per_thread_own(s)))
PER_THREAD(cudaMallocFromPoolAsync_ptsz, cudaMallocFromPoolAsync,
           (void **a0, size_t a1, cudaMemPool_t a2, cudaStream_t s), (a0, a1, a2, per_thread_own(s)))
PER_THREAD(cudaMemcpy2DArrayToArray_ptds, cudaMemcpy2DArrayToArray,
           (cudaArray_t a0, size_t a1, size_t a2, cudaArray_const_t a3, size_t a4, size_t a5, size_t a6,
            size_t a7, enum cudaMemcpyKind a8),
           (a0, a1, a2, a3, a4, a5, a6, a7, a8))
PER_THREAD(cudaMemcpy2DAsync_ptsz, cudaMemcpy2DAsync,
           (void *a0, size_t a1, const void *a2, size_t a3, size_t a4, size_t a5, enum cudaMemcpyKind a6,
            cudaStream_t s),
           (a0, a1, a2, a3, a4, a5, a6, per_thread_own(s)))
PER_THREAD(cudaMemcpy2DFromArrayAsync_ptsz, cudaMemcpy2DFromArrayAsync,
           (void *a0, size_t a1, cudaArray_const_t a2, size_t a3, size_t a4, size_t a5, size_t a6,
            enum cudaMemcpyKind a7, cudaStream_t s),
           (a0, a1, a2, a3, a4, a5, a6, a7, per_thread_own(s)))
PER_THREAD(cudaMemcpy2DFromArray_ptds, cudaMemcpy2DFromArray,
           (void *a0, size_t a1, cudaArray_const_t a2, size_t a3, size_t a4, size_t a5, size_t a6,
            enum cudaMemcpyKind a7),
           (a0, a1, a2, a3, a4, a5, a6, a7))
PER_THREAD(cudaMemcpy2DToArrayAsync_ptsz, cudaMemcpy2DToArrayAsync,
           (cudaArray_t a0, size_t a1, size_t a2, const void *a3, size_t a4, size_t a5, size_t a6,
            enum cudaMemcpyKind a7, cudaStream_t s),
           (a0, a1, a2, a3, a4, a5, a6, a7, per_thread_own(s)))
PER_THREAD(cudaMemcpy2DToArray_ptds, cudaMemcpy2DToArray,
           (cudaArray_t a0, size_t a1, size_t a2, const void *a3, size_t a4, size_t a5, size_t a6,
            enum cudaMemcpyKind a7),
           (a0, a1, a2, a3, a4, a5, a6, a7))
PER_THREAD(cudaMemcpy2D_ptds, cudaMemcpy2D,
           (void *a0, size_t a1, const void *a2, size_t a3, size_t a4, size_t a5, enum cudaMemcpyKind a6),
           (a0, a1, a2, a3, a4, a5, a6))
PER_THREAD(cudaMemcpy3DAsync_ptsz, cudaMemcpy3DAsync, (const struct cudaMemcpy3DParms *a0, cudaStream_t s),
           (a0, per_thread_own(s)))
PER_THREAD(cudaMemcpy3DPeerAsync_ptsz, cudaMemcpy3DPeerAsync,
           (const struct cudaMemcpy3DPeerParms *a0, cudaStream_t s), (a0, per_thread_own(s)))
PER_THREAD(cudaMemcpy3DPeer_ptds, cudaMemcpy3DPeer, (const struct cudaMemcpy3DPeerParms *a0), (a0))
PER_THREAD(cudaMemcpy3D_ptds, cudaMemcpy3D, (const struct cudaMemcpy3DParms *a0), (a0))
PER_THREAD(cudaMemcpyArrayToArray_ptds, cudaMemcpyArrayToArray,
           (cudaArray_t a0, size_t a1, size_t a2, cudaArray_const_t a3, size_t a4, size_t a5, size_t a6,
            enum cudaMemcpyKind a7),
           (a0, a1, a2, a3, a4, a5, a6, a7))
PER_THREAD(cudaMemcpyAsync_ptsz, cudaMemcpyAsync,
           (void *a0, const void *a1, size_t a2, enum cudaMemcpyKind a3, cudaStream_t s),
           (a0, a1, a2, a3, per_thread_own(s)))
PER_THREAD(cudaMemcpyBatchAsync_ptsz, cudaMemcpyBatchAsync,
           (void *const *a0, const void *const *a1, const size_t *a2, size_t a3,
            struct cudaMemcpyAttributes *a4, size_t *a5, size_t a6, cudaStream_t s),
           (a0, a1, a2, a3, a4, a5, a6, per_thread_own(s)))
PER_THREAD(cudaMemcpyFromArrayAsync_ptsz, cudaMemcpyFromArrayAsync,
           (void *a0, cudaArray_const_t a1, size_t a2, size_t a3, size_t a4, enum cudaMemcpyKind a5,
            cudaStream_t s),
           (a0, a1, a2, a3, a4, a5, per_thread_own(s)))
PER_THREAD(cudaMemcpyFromArray_ptds, cudaMemcpyFromArray,
           (void *a0, cudaArray_const_t a1, size_t a2, size_t a3, size_t a4, enum cudaMemcpyKind a5),
           (a0, a1, a2, a3, a4, a5))
PER_THREAD(cudaMemcpyFromSymbolAsync_ptsz, cudaMemcpyFromSymbolAsync,
           (void *a0, const void *a1, size_t a2, size_t a3, enum cudaMemcpyKind a4, cudaStream_t s),
           (a0, a1, a2, a3, a4, per_thread_own(s)))
PER_THREAD(cudaMemcpyFromSymbol_ptds, cudaMemcpyFromSymbol,
           (void *a0, const void *a1, size_t a2, size_t a3, enum cudaMemcpyKind a4), (a0, a1, a2, a3, a4))
PER_THREAD(cudaMemcpyToArrayAsync_ptsz, cudaMemcpyToArrayAsync,
           (cudaArray_t a0, size_t a1, size_t a2, const void *a3, size_t a4, enum cudaMemcpyKind a5,
            cudaStream_t s),
           (a0, a1, a2, a3, a4, a5, per_thread_own(s)))
PER_THREAD(cudaMemcpyToArray_ptds, cudaMemcpyToArray,
           (cudaArray_t a0, size_t a1, size_t a2, const void *a3, size_t a4, enum cudaMemcpyKind a5),
           (a0, a1, a2, a3, a4, a5))
PER_THREAD(cudaMemcpyToSymbolAsync_ptsz, cudaMemcpyToSymbolAsync,
           (const void *a0, const void *a1, size_t a2, size_t a3, enum cudaMemcpyKind a4, cudaStream_t s),
           (a0, a1, a2, a3, a4, per_thread_own(s)))
PER_THREAD(cudaMemcpyToSymbol_ptds, cudaMemcpyToSymbol,
           (const void *a0, const void *a1, size_t a2, size_t a3, enum cudaMemcpyKind a4),
           (a0, a1, a2, a3, a4))
PER_THREAD(cudaMemcpy_ptds, cudaMemcpy, (void *a0, const void *a1, size_t a2, enum cudaMemcpyKind a3),
           (a0, a1, a2, a3))
PER_THREAD(cudaMemset2DAsync_ptsz, cudaMemset2DAsync,
           (void *a0, size_t a1, int a2, size_t a3, size_t a4, cudaStream_t s),
           (a0, a1, a2, a3, a4, per_thread_own(s)))
PER_THREAD(cudaMemset2D_ptds, cudaMemset2D, (void *a0, size_t a1, int a2, size_t a3, size_t a4),
           (a0, a1, a2, a3, a4))
PER_THREAD(cudaMemset3DAsync_ptsz, cudaMemset3DAsync,
           (struct cudaPitchedPtr a0, int a1, struct cudaExtent a2, cudaStream_t s),
           (a0, a1, a2, per_thread_own(s)))
PER_THREAD(cudaMemset3D_ptds, cudaMemset3D, (struct cudaPitchedPtr a0, int a1, struct cudaExtent a2),
           (a0, a1, a2))
PER_THREAD(cudaMemsetAsync_ptsz, cudaMemsetAsync, (void *a0, int a1, size_t a2, cudaStream_t s),
           (a0, a1, a2, per_thread_own(s)))
PER_THREAD(cudaMemset_ptds, cudaMemset, (void *a0, int a1, size_t a2), (a0, a1, a2))
PER_THREAD(cudaStreamAddCallback_ptsz, cudaStreamAddCallback,
           (cudaStream_t s, cudaStreamCallback_t a1, void *a2, unsigned int a3),
           (per_thread_own(s), a1, a2, a3))
PER_THREAD(cudaStreamAttachMemAsync_ptsz, cudaStreamAttachMemAsync,
           (cudaStream_t s, void *a1, size_t a2, unsigned int a3), (per_thread_own(s), a1, a2, a3))
PER_THREAD(cudaStreamBeginCaptureToGraph_ptsz, cudaStreamBeginCaptureToGraph,
           (cudaStream_t s, cudaGraph_t a1, const cudaGraphNode_t *a2, const cudaGraphEdgeData *a3, size_t a4,
            enum cudaStreamCaptureMode a5),
           (per_thread_own(s), a1, a2, a3, a4, a5))
PER_THREAD(cudaStreamBeginCapture_ptsz, cudaStreamBeginCapture,
           (cudaStream_t s, enum cudaStreamCaptureMode a1), (per_thread_own(s), a1))
PER_THREAD(cudaStreamEndCapture_ptsz, cudaStreamEndCapture, (cudaStream_t s, cudaGraph_t *a1),
           (per_thread_own(s), a1))
PER_THREAD(cudaStreamGetAttribute_ptsz, cudaStreamGetAttribute,
           (cudaStream_t s, cudaLaunchAttributeID a1, cudaLaunchAttributeValue *a2),
           (per_thread_own(s), a1, a2))
PER_THREAD(cudaStreamGetDevice_ptsz, cudaStreamGetDevice, (cudaStream_t s, int *a1), (per_thread_own(s), a1))
PER_THREAD(cudaStreamGetFlags_ptsz, cudaStreamGetFlags, (cudaStream_t s, unsigned int *a1),
           (per_thread_own(s), a1))
PER_THREAD(cudaStreamGetId_ptsz, cudaStreamGetId, (cudaStream_t s, unsigned long long *a1),
           (per_thread_own(s), a1))
PER_THREAD(cudaStreamGetPriority_ptsz, cudaStreamGetPriority, (cudaStream_t s, int *a1),
           (per_thread_own(s), a1))
PER_THREAD(cudaStreamIsCapturing_ptsz, cudaStreamIsCapturing,
           (cudaStream_t s, enum cudaStreamCaptureStatus *a1), (per_thread_own(s), a1))
PER_THREAD(cudaStreamQuery_ptsz, cudaStreamQuery, (cudaStream_t s), (per_thread_own(s)))
PER_THREAD(cudaStreamSetAttribute_ptsz, cudaStreamSetAttribute,
           (cudaStream_t s, cudaLaunchAttributeID a1, const cudaLaunchAttributeValue *a2),
           (per_thread_own(s), a1, a2))
PER_THREAD(cudaStreamSynchronize_ptsz, cudaStreamSynchronize, (cudaStream_t s), (per_thread_own(s)))
PER_THREAD(cudaStreamWaitEvent_ptsz, cudaStreamWaitEvent, (cudaStream_t s, cudaEvent_t a1, unsigned int a2),
           (per_thread_own(s), a1, a2))
PER_THREAD(cudaStreamCopyAttributes_ptsz, cudaStreamCopyAttributes, (cudaStream_t to, cudaStream_t from),
           (per_thread_own(to), per_thread_own(from)))

cudaError_t __cudaLaunchKernel(cudaKernel_t f, dim3 grid, dim3 block, void **args, size_t shared,
                               cudaStream_t stream);
PER_THREAD(__cudaLaunchKernel_ptsz, __cudaLaunchKernel,
           (cudaKernel_t a0, dim3 a1, dim3 a2, void **a3, size_t a4, cudaStream_t s),
           (a0, a1, a2, a3, a4, per_thread_own(s)))

CUDA_API cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *c, const void *function,
                                              void **args) {
    if (!c) return cudaLaunchKernelExC(c, function, args);
    cudaLaunchConfig_t config = *c;
    config.stream = per_thread_own(c->stream);
    return cudaLaunchKernelExC(&config, function, args);
}
