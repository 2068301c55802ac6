/* The driver interface for programs compiled with a default stream for each thread: the default stream of these calls is the
 * thread's own. Calls that have no stream (_ptds) wait for what they do, so that it makes no difference to them. */
#include "runtime/driver/drv.h"

static CUstream drv_perthread_own(CUstream stream) {
    return stream ? stream : CU_STREAM_PER_THREAD;
}

#define PER_THREAD(name, of, params, args) \
    CUDA_API CUresult name params {        \
        return of args;                    \
    }
PER_THREAD(cuEventRecordWithFlags_ptsz, cuEventRecordWithFlags, (CUevent a0, CUstream s, unsigned a2),
           (a0, drv_perthread_own(s), a2))
PER_THREAD(cuEventRecord_ptsz, cuEventRecord, (CUevent a0, CUstream s), (a0, drv_perthread_own(s)))
PER_THREAD(cuLaunchCooperativeKernel_ptsz, cuLaunchCooperativeKernel,
           (CUfunction a0, unsigned a1, unsigned a2, unsigned a3, unsigned a4, unsigned a5, unsigned a6,
            unsigned a7, CUstream s, void **a9),
           (a0, a1, a2, a3, a4, a5, a6, a7, drv_perthread_own(s), a9))
PER_THREAD(cuLaunchHostFunc_ptsz, cuLaunchHostFunc, (CUstream s, CUhostFn a1, void *a2),
           (drv_perthread_own(s), a1, a2))
PER_THREAD(cuLaunchKernel_ptsz, cuLaunchKernel,
           (CUfunction a0, unsigned a1, unsigned a2, unsigned a3, unsigned a4, unsigned a5, unsigned a6,
            unsigned a7, CUstream s, void **a9, void **a10),
           (a0, a1, a2, a3, a4, a5, a6, a7, drv_perthread_own(s), a9, a10))
PER_THREAD(cuMemAllocAsync_ptsz, cuMemAllocAsync, (CUdeviceptr * a0, size_t a1, CUstream s),
           (a0, a1, drv_perthread_own(s)))
PER_THREAD(cuMemAllocFromPoolAsync_ptsz, cuMemAllocFromPoolAsync,
           (CUdeviceptr * a0, size_t a1, CUmemoryPool a2, CUstream s), (a0, a1, a2, drv_perthread_own(s)))
PER_THREAD(cuMemFreeAsync_ptsz, cuMemFreeAsync, (CUdeviceptr a0, CUstream s), (a0, drv_perthread_own(s)))
PER_THREAD(cuMemPrefetchAsync_ptsz, cuMemPrefetchAsync, (CUdeviceptr a0, size_t a1, CUdevice a2, CUstream s),
           (a0, a1, a2, drv_perthread_own(s)))
PER_THREAD(cuMemPrefetchAsync_v2_ptsz, cuMemPrefetchAsync_v2,
           (CUdeviceptr a0, size_t a1, CUmemLocation a2, unsigned a3, CUstream s),
           (a0, a1, a2, a3, drv_perthread_own(s)))
PER_THREAD(cuMemcpy2DAsync_v2_ptsz, cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D *a0, CUstream s),
           (a0, drv_perthread_own(s)))
PER_THREAD(cuMemcpy2DUnaligned_v2_ptds, cuMemcpy2DUnaligned_v2, (const CUDA_MEMCPY2D *a0), (a0))
PER_THREAD(cuMemcpy2D_v2_ptds, cuMemcpy2D_v2, (const CUDA_MEMCPY2D *a0), (a0))
PER_THREAD(cuMemcpy3DAsync_v2_ptsz, cuMemcpy3DAsync_v2, (const CUDA_MEMCPY3D *a0, CUstream s),
           (a0, drv_perthread_own(s)))
PER_THREAD(cuMemcpy3DPeerAsync_ptsz, cuMemcpy3DPeerAsync, (const CUDA_MEMCPY3D_PEER *a0, CUstream s),
           (a0, drv_perthread_own(s)))
PER_THREAD(cuMemcpy3DPeer_ptds, cuMemcpy3DPeer, (const CUDA_MEMCPY3D_PEER *a0), (a0))
PER_THREAD(cuMemcpy3D_v2_ptds, cuMemcpy3D_v2, (const CUDA_MEMCPY3D *a0), (a0))
PER_THREAD(cuMemcpyAsync_ptsz, cuMemcpyAsync, (CUdeviceptr a0, CUdeviceptr a1, size_t a2, CUstream s),
           (a0, a1, a2, drv_perthread_own(s)))
PER_THREAD(cuMemcpyAtoA_v2_ptds, cuMemcpyAtoA_v2, (CUarray a0, size_t a1, CUarray a2, size_t a3, size_t a4),
           (a0, a1, a2, a3, a4))
PER_THREAD(cuMemcpyAtoD_v2_ptds, cuMemcpyAtoD_v2, (CUdeviceptr a0, CUarray a1, size_t a2, size_t a3),
           (a0, a1, a2, a3))
PER_THREAD(cuMemcpyAtoHAsync_v2_ptsz, cuMemcpyAtoHAsync_v2,
           (void *a0, CUarray a1, size_t a2, size_t a3, CUstream s), (a0, a1, a2, a3, drv_perthread_own(s)))
PER_THREAD(cuMemcpyAtoH_v2_ptds, cuMemcpyAtoH_v2, (void *a0, CUarray a1, size_t a2, size_t a3),
           (a0, a1, a2, a3))
PER_THREAD(cuMemcpyDtoA_v2_ptds, cuMemcpyDtoA_v2, (CUarray a0, size_t a1, CUdeviceptr a2, size_t a3),
           (a0, a1, a2, a3))
PER_THREAD(cuMemcpyDtoDAsync_v2_ptsz, cuMemcpyDtoDAsync_v2,
           (CUdeviceptr a0, CUdeviceptr a1, size_t a2, CUstream s), (a0, a1, a2, drv_perthread_own(s)))
PER_THREAD(cuMemcpyDtoD_v2_ptds, cuMemcpyDtoD_v2, (CUdeviceptr a0, CUdeviceptr a1, size_t a2), (a0, a1, a2))
PER_THREAD(cuMemcpyDtoHAsync_v2_ptsz, cuMemcpyDtoHAsync_v2, (void *a0, CUdeviceptr a1, size_t a2, CUstream s),
           (a0, a1, a2, drv_perthread_own(s)))
PER_THREAD(cuMemcpyDtoH_v2_ptds, cuMemcpyDtoH_v2, (void *a0, CUdeviceptr a1, size_t a2), (a0, a1, a2))
PER_THREAD(cuMemcpyHtoAAsync_v2_ptsz, cuMemcpyHtoAAsync_v2,
           (CUarray a0, size_t a1, const void *a2, size_t a3, CUstream s),
           (a0, a1, a2, a3, drv_perthread_own(s)))
PER_THREAD(cuMemcpyHtoA_v2_ptds, cuMemcpyHtoA_v2, (CUarray a0, size_t a1, const void *a2, size_t a3),
           (a0, a1, a2, a3))
PER_THREAD(cuMemcpyHtoDAsync_v2_ptsz, cuMemcpyHtoDAsync_v2,
           (CUdeviceptr a0, const void *a1, size_t a2, CUstream s), (a0, a1, a2, drv_perthread_own(s)))
PER_THREAD(cuMemcpyHtoD_v2_ptds, cuMemcpyHtoD_v2, (CUdeviceptr a0, const void *a1, size_t a2), (a0, a1, a2))
PER_THREAD(cuMemcpyPeerAsync_ptsz, cuMemcpyPeerAsync,
           (CUdeviceptr a0, CUcontext a1, CUdeviceptr a2, CUcontext a3, size_t a4, CUstream s),
           (a0, a1, a2, a3, a4, drv_perthread_own(s)))
PER_THREAD(cuMemcpyPeer_ptds, cuMemcpyPeer,
           (CUdeviceptr a0, CUcontext a1, CUdeviceptr a2, CUcontext a3, size_t a4), (a0, a1, a2, a3, a4))
PER_THREAD(cuMemcpy_ptds, cuMemcpy, (CUdeviceptr a0, CUdeviceptr a1, size_t a2), (a0, a1, a2))
PER_THREAD(cuMemsetD16Async_ptsz, cuMemsetD16Async,
           (CUdeviceptr a0, unsigned short a1, size_t a2, CUstream s), (a0, a1, a2, drv_perthread_own(s)))
PER_THREAD(cuMemsetD16_v2_ptds, cuMemsetD16_v2, (CUdeviceptr a0, unsigned short a1, size_t a2), (a0, a1, a2))
PER_THREAD(cuMemsetD2D16Async_ptsz, cuMemsetD2D16Async,
           (CUdeviceptr a0, size_t a1, unsigned short a2, size_t a3, size_t a4, CUstream s),
           (a0, a1, a2, a3, a4, drv_perthread_own(s)))
PER_THREAD(cuMemsetD2D16_v2_ptds, cuMemsetD2D16_v2,
           (CUdeviceptr a0, size_t a1, unsigned short a2, size_t a3, size_t a4), (a0, a1, a2, a3, a4))
PER_THREAD(cuMemsetD2D32Async_ptsz, cuMemsetD2D32Async,
           (CUdeviceptr a0, size_t a1, unsigned a2, size_t a3, size_t a4, CUstream s),
           (a0, a1, a2, a3, a4, drv_perthread_own(s)))
PER_THREAD(cuMemsetD2D32_v2_ptds, cuMemsetD2D32_v2,
           (CUdeviceptr a0, size_t a1, unsigned a2, size_t a3, size_t a4), (a0, a1, a2, a3, a4))
PER_THREAD(cuMemsetD2D8Async_ptsz, cuMemsetD2D8Async,
           (CUdeviceptr a0, size_t a1, unsigned char a2, size_t a3, size_t a4, CUstream s),
           (a0, a1, a2, a3, a4, drv_perthread_own(s)))
PER_THREAD(cuMemsetD2D8_v2_ptds, cuMemsetD2D8_v2,
           (CUdeviceptr a0, size_t a1, unsigned char a2, size_t a3, size_t a4), (a0, a1, a2, a3, a4))
PER_THREAD(cuMemsetD32Async_ptsz, cuMemsetD32Async, (CUdeviceptr a0, unsigned a1, size_t a2, CUstream s),
           (a0, a1, a2, drv_perthread_own(s)))
PER_THREAD(cuMemsetD32_v2_ptds, cuMemsetD32_v2, (CUdeviceptr a0, unsigned a1, size_t a2), (a0, a1, a2))
PER_THREAD(cuMemsetD8Async_ptsz, cuMemsetD8Async, (CUdeviceptr a0, unsigned char a1, size_t a2, CUstream s),
           (a0, a1, a2, drv_perthread_own(s)))
PER_THREAD(cuMemsetD8_v2_ptds, cuMemsetD8_v2, (CUdeviceptr a0, unsigned char a1, size_t a2), (a0, a1, a2))
PER_THREAD(cuStreamAddCallback_ptsz, cuStreamAddCallback,
           (CUstream s, CUstreamCallback a1, void *a2, unsigned a3), (drv_perthread_own(s), a1, a2, a3))
PER_THREAD(cuStreamAttachMemAsync_ptsz, cuStreamAttachMemAsync,
           (CUstream s, CUdeviceptr a1, size_t a2, unsigned a3), (drv_perthread_own(s), a1, a2, a3))
PER_THREAD(cuStreamBeginCaptureToGraph_ptsz, cuStreamBeginCaptureToGraph,
           (CUstream s, CUgraph a1, const CUgraphNode *a2, const CUgraphEdgeData *a3, size_t a4,
            CUstreamCaptureMode a5),
           (drv_perthread_own(s), a1, a2, a3, a4, a5))
PER_THREAD(cuStreamBeginCapture_ptsz, cuStreamBeginCapture, (CUstream s), (drv_perthread_own(s)))
PER_THREAD(cuStreamBeginCapture_v2_ptsz, cuStreamBeginCapture_v2, (CUstream s, CUstreamCaptureMode a1),
           (drv_perthread_own(s), a1))
PER_THREAD(cuStreamCopyAttributes_ptsz, cuStreamCopyAttributes, (CUstream a, CUstream b),
           (drv_perthread_own(a), drv_perthread_own(b)))
PER_THREAD(cuStreamEndCapture_ptsz, cuStreamEndCapture, (CUstream s, CUgraph *a1), (drv_perthread_own(s), a1))
PER_THREAD(cuStreamGetAttribute_ptsz, cuStreamGetAttribute,
           (CUstream s, CUstreamAttrID a1, CUstreamAttrValue *a2), (drv_perthread_own(s), a1, a2))
PER_THREAD(cuStreamGetCaptureInfo_ptsz, cuStreamGetCaptureInfo,
           (CUstream s, CUstreamCaptureStatus *a1, cuuint64_t *a2), (drv_perthread_own(s), a1, a2))
PER_THREAD(cuStreamGetCaptureInfo_v2_ptsz, cuStreamGetCaptureInfo_v2,
           (CUstream s, CUstreamCaptureStatus *a1, cuuint64_t *a2, CUgraph *a3, const CUgraphNode **a4,
            size_t *a5),
           (drv_perthread_own(s), a1, a2, a3, a4, a5))
PER_THREAD(cuStreamGetCaptureInfo_v3_ptsz, cuStreamGetCaptureInfo_v3,
           (CUstream s, CUstreamCaptureStatus *a1, cuuint64_t *a2, CUgraph *a3, const CUgraphNode **a4,
            const CUgraphEdgeData **a5, size_t *a6),
           (drv_perthread_own(s), a1, a2, a3, a4, a5, a6))
PER_THREAD(cuStreamGetCtx_ptsz, cuStreamGetCtx, (CUstream s, CUcontext *a1), (drv_perthread_own(s), a1))
PER_THREAD(cuStreamGetCtx_v2_ptsz, cuStreamGetCtx_v2, (CUstream s, CUcontext *a1, CUgreenCtx *a2),
           (drv_perthread_own(s), a1, a2))
PER_THREAD(cuStreamGetDevice_ptsz, cuStreamGetDevice, (CUstream s, CUdevice *a1), (drv_perthread_own(s), a1))
PER_THREAD(cuStreamGetFlags_ptsz, cuStreamGetFlags, (CUstream s, unsigned *a1), (drv_perthread_own(s), a1))
PER_THREAD(cuStreamGetId_ptsz, cuStreamGetId, (CUstream s, unsigned long long *a1),
           (drv_perthread_own(s), a1))
PER_THREAD(cuStreamGetPriority_ptsz, cuStreamGetPriority, (CUstream s, int *a1), (drv_perthread_own(s), a1))
PER_THREAD(cuStreamIsCapturing_ptsz, cuStreamIsCapturing, (CUstream s, CUstreamCaptureStatus *a1),
           (drv_perthread_own(s), a1))
PER_THREAD(cuStreamQuery_ptsz, cuStreamQuery, (CUstream s), (drv_perthread_own(s)))
PER_THREAD(cuStreamSetAttribute_ptsz, cuStreamSetAttribute,
           (CUstream s, CUstreamAttrID a1, const CUstreamAttrValue *a2), (drv_perthread_own(s), a1, a2))
PER_THREAD(cuStreamSynchronize_ptsz, cuStreamSynchronize, (CUstream s), (drv_perthread_own(s)))
PER_THREAD(cuStreamUpdateCaptureDependencies_ptsz, cuStreamUpdateCaptureDependencies,
           (CUstream s, CUgraphNode *a1, size_t a2, unsigned a3), (drv_perthread_own(s), a1, a2, a3))
PER_THREAD(cuStreamUpdateCaptureDependencies_v2_ptsz, cuStreamUpdateCaptureDependencies_v2,
           (CUstream s, CUgraphNode *a1, const CUgraphEdgeData *a2, size_t a3, unsigned a4),
           (drv_perthread_own(s), a1, a2, a3, a4))
PER_THREAD(cuStreamWaitEvent_ptsz, cuStreamWaitEvent, (CUstream s, CUevent a1, unsigned a2),
           (drv_perthread_own(s), a1, a2))
PER_THREAD(cuGraphLaunch_ptsz, cuGraphLaunch, (CUgraphExec a0, CUstream s), (a0, drv_perthread_own(s)))
PER_THREAD(cuGraphUpload_ptsz, cuGraphUpload, (CUgraphExec a0, CUstream s), (a0, drv_perthread_own(s)))

CUDA_API CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig *c, CUfunction f, void **args, void **extra) {
    if (!c) return CUDA_ERROR_INVALID_VALUE;
    CUlaunchConfig config = *c;
    config.hStream = drv_perthread_own(c->hStream);
    return cuLaunchKernelEx(&config, f, args, extra);
}

CUDA_API CUresult cuGraphInstantiateWithParams_ptsz(CUgraphExec *exec, CUgraph graph,
                                                    CUDA_GRAPH_INSTANTIATE_PARAMS *params) {
    if (params) params->hUploadStream = drv_perthread_own(params->hUploadStream);
    return cuGraphInstantiateWithParams(exec, graph, params);
}
