/* The driver interface: streams, their capture, and events. They are the runtime's, and so is the work. */
#include "runtime/driver/drv.h"

/* ---- streams ---- */

DRV_RUNTIME(cuStreamCreate, cudaStreamCreateWithFlags, (CUstream * stream, unsigned flags), (stream, flags))
DRV_RUNTIME(cuStreamCreateWithPriority, cudaStreamCreateWithPriority,
            (CUstream * stream, unsigned flags, int priority), (stream, flags, priority))
DRV_RUNTIME(cuStreamDestroy_v2, cudaStreamDestroy, (CUstream stream), (stream))
DRV_SAME(cuStreamDestroy, cuStreamDestroy_v2);
DRV_RUNTIME(cuStreamQuery, cudaStreamQuery, (CUstream stream), (stream))
DRV_RUNTIME(cuStreamSynchronize, cudaStreamSynchronize, (CUstream stream), (stream))
DRV_RUNTIME(cuStreamWaitEvent, cudaStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags),
            (stream, event, flags))
DRV_RUNTIME(cuStreamAddCallback, cudaStreamAddCallback,
            (CUstream stream, CUstreamCallback fn, void *user, unsigned flags), (stream, fn, user, flags))
DRV_RUNTIME(cuStreamAttachMemAsync, cudaStreamAttachMemAsync,
            (CUstream stream, CUdeviceptr ptr, size_t bytes, unsigned flags), (stream, ptr, bytes, flags))

DRV_RUNTIME(cuStreamGetPriority, cudaStreamGetPriority, (CUstream stream, int *priority), (stream, priority))
DRV_RUNTIME(cuStreamGetFlags, cudaStreamGetFlags, (CUstream stream, unsigned *flags), (stream, flags))
DRV_RUNTIME(cuStreamGetId, cudaStreamGetId, (CUstream stream, unsigned long long *id), (stream, id))
DRV_RUNTIME(cuStreamGetDevice, cudaStreamGetDevice, (CUstream stream, CUdevice *device), (stream, device))
DRV_RUNTIME(cuCtxGetStreamPriorityRange, cudaDeviceGetStreamPriorityRange, (int *least, int *greatest),
            (least, greatest))

static int context_of(struct cu_process *p, CUstream stream, CUcontext *context) {
    struct CUstream_st *s;
    if (!context) return CU_InvalidValue;
    int code = cu_stream_of(p, stream, &s);
    if (!code) *context = p->context;
    return code;
}
CUDA_API CUresult cuStreamGetCtx(CUstream stream, CUcontext *context) {
    DRV_CALL(context_of(p, stream, context));
}
CUDA_API CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext *context, CUgreenCtx *green) {
    if (green) *green = NULL;
    DRV_CALL(context_of(p, stream, context));
}

DRV_RUNTIME(cuStreamGetAttribute, cudaStreamGetAttribute,
            (CUstream stream, CUstreamAttrID attribute, CUstreamAttrValue *value), (stream, attribute, value))
DRV_RUNTIME(cuStreamSetAttribute, cudaStreamSetAttribute,
            (CUstream stream, CUstreamAttrID attribute, const CUstreamAttrValue *value),
            (stream, attribute, value))
DRV_RUNTIME(cuStreamCopyAttributes, cudaStreamCopyAttributes, (CUstream dst, CUstream src), (dst, src))

/* ---- capture ---- */

DRV_RUNTIME(cuStreamBeginCapture_v2, cudaStreamBeginCapture, (CUstream stream, CUstreamCaptureMode mode),
            (stream, mode))
CUDA_API CUresult cuStreamBeginCapture(CUstream stream) {
    return cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}
DRV_RUNTIME(cuStreamBeginCaptureToGraph, cudaStreamBeginCaptureToGraph,
            (CUstream stream, CUgraph graph, const CUgraphNode *after, const CUgraphEdgeData *data, size_t n,
             CUstreamCaptureMode mode),
            (stream, graph, after, data, n, mode))
DRV_RUNTIME(cuStreamEndCapture, cudaStreamEndCapture, (CUstream stream, CUgraph *graph), (stream, graph))
DRV_RUNTIME(cuStreamIsCapturing, cudaStreamIsCapturing, (CUstream stream, CUstreamCaptureStatus *status),
            (stream, status))
DRV_RUNTIME(cuThreadExchangeStreamCaptureMode, cudaThreadExchangeStreamCaptureMode,
            (CUstreamCaptureMode * mode), (mode))
DRV_RUNTIME(cuStreamGetCaptureInfo_v2, cudaStreamGetCaptureInfo_v2,
            (CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
             const CUgraphNode **after, size_t *n),
            (stream, status, id, graph, after, n))
DRV_RUNTIME(cuStreamGetCaptureInfo_v3, cudaStreamGetCaptureInfo_v3,
            (CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
             const CUgraphNode **after, const CUgraphEdgeData **data, size_t *n),
            (stream, status, id, graph, after, data, n))
CUDA_API CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id) {
    return cuStreamGetCaptureInfo_v2(stream, status, id, NULL, NULL, NULL);
}
DRV_RUNTIME(cuStreamUpdateCaptureDependencies_v2, cudaStreamUpdateCaptureDependencies_v2,
            (CUstream stream, CUgraphNode *after, const CUgraphEdgeData *data, size_t n, unsigned flags),
            (stream, after, data, n, flags))

CUDA_API CUresult cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode *after, size_t n,
                                                    unsigned flags) {
    return cuStreamUpdateCaptureDependencies_v2(stream, after, NULL, n, flags);
}

/* ---- events ---- */

DRV_RUNTIME(cuEventCreate, cudaEventCreateWithFlags, (CUevent * event, unsigned flags), (event, flags))
DRV_RUNTIME(cuEventRecord, cudaEventRecord, (CUevent event, CUstream stream), (event, stream))
DRV_RUNTIME(cuEventRecordWithFlags, cudaEventRecordWithFlags,
            (CUevent event, CUstream stream, unsigned flags), (event, stream, flags))
DRV_RUNTIME(cuEventQuery, cudaEventQuery, (CUevent event), (event))
DRV_RUNTIME(cuEventSynchronize, cudaEventSynchronize, (CUevent event), (event))
DRV_RUNTIME(cuEventDestroy_v2, cudaEventDestroy, (CUevent event), (event))
DRV_SAME(cuEventDestroy, cuEventDestroy_v2);
DRV_RUNTIME(cuEventElapsedTime, cudaEventElapsedTime, (float *ms, CUevent start, CUevent end),
            (ms, start, end))
DRV_SAME(cuEventElapsedTime_v2, cuEventElapsedTime);
