/* The entry points of stream capture. cudaStreamGetCaptureInfo and cudaStreamUpdateCaptureDependencies have grown parameters: each
 * version of the runtime has its own. */
#include "runtime/graph/capture.h"
#include "runtime/runtime/api.h"
#include "runtime/runtime/stream.h"

static bool all_of(struct cu_process *p, const struct CUgraph_st *g, cudaGraphNode_t const *v, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!cu_is_node(p, v[i]) || v[i]->graph != g) return false;
    return true;
}

static int cu_capture_api_begin(struct cu_process *p, cudaStream_t stream, int mode) {
    struct CUstream_st *s;
    const int code = cu_stream_of(p, stream, &s);
    return code ? code : cu_capture_begin(p, s, (enum cudaStreamCaptureMode)mode, NULL, NULL, 0);
}

CUDA_API int cudaStreamBeginCapture(cudaStream_t stream, int mode) {
    CUDA_CALL(cu_capture_api_begin(p, stream, mode));
}

static int begin_to(struct cu_process *p, cudaStream_t stream, cudaGraph_t g, cudaGraphNode_t const *after,
                    size_t n, int mode) {
    struct CUstream_st *s;
    const int code = cu_stream_of(p, stream, &s);
    if (code) return code;
    if (!cu_is_graph(p, g) || (n && !after) || !all_of(p, g, after, n)) return CU_InvalidValue;
    return cu_capture_begin(p, s, (enum cudaStreamCaptureMode)mode, g, after, n);
}

CUDA_API int cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                           cudaGraphNode_t const *after, const cudaGraphEdgeData *data,
                                           size_t n, int mode) {
    (void)data;
    CUDA_CALL(begin_to(p, stream, graph, after, n, mode));
}

static int cu_capture_api_end(struct cu_process *p, cudaStream_t stream, cudaGraph_t *graph) {
    struct CUstream_st *s;
    const int code = cu_stream_of(p, stream, &s);
    if (code || !graph) return code ? code : CU_InvalidValue;
    return cu_capture_end(p, s, graph);
}

CUDA_API int cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
    CUDA_CALL(cu_capture_api_end(p, stream, graph));
}

static int exchange(int *mode) {
    if (!mode || (unsigned)*mode > cudaStreamCaptureModeRelaxed) return CU_InvalidValue;
    cu_capture_mode(mode);
    return CU_Success;
}

CUDA_API int cudaThreadExchangeStreamCaptureMode(int *mode) {
    CUDA_CALL(exchange(mode));
}

/* ---- asking ---- */

struct info { /* where the answers go; NULL: not wanted */
    int *status;
    unsigned long long *id;
    cudaGraph_t *graph;
    cudaGraphNode_t const **after;
    const cudaGraphEdgeData **data;
    size_t *n;
};

static void cu_capture_tell(const struct CUstream_st *s, const struct info *i) {
    const struct cu_capture *c = s->capture;
    *i->status = c ? (int)c->status : cudaStreamCaptureStatusNone;
    if (!c || c->status != cudaStreamCaptureStatusActive) return;
    if (i->id) *i->id = c->id;
    if (i->graph) *i->graph = c->graph;
    if (i->after) *i->after = s->after.v;
    if (i->data) *i->data = NULL; /* every edge is an ordinary one */
    if (i->n) *i->n = s->after.n;
}

static int cu_capture_ask(struct cu_process *p, cudaStream_t stream, const struct info *i) {
    struct CUstream_st *s;
    const int code = cu_stream_of(p, stream, &s);
    if (code || !i->status) return code ? code : CU_InvalidValue;
    if (s == cu_stream_legacy(p) && cu_capture_blocking(p)) return CU_StreamCaptureImplicit;
    cu_capture_tell(s, i);
    return CU_Success;
}

CUDA_API int cudaStreamIsCapturing(cudaStream_t stream, int *status) {
    CUDA_CALL(cu_capture_ask(p, stream, &(struct info){.status = status}));
}

CUDA_API int cudaStreamGetCaptureInfo_v1(cudaStream_t stream, int *status, unsigned long long *id) {
    CUDA_CALL(cu_capture_ask(p, stream, &(struct info){.status = status, .id = id}));
}

CUDA_API int cudaStreamGetCaptureInfo_v2(cudaStream_t stream, int *status, unsigned long long *id,
                                         cudaGraph_t *graph, cudaGraphNode_t const **after, size_t *n) {
    CUDA_CALL(cu_capture_ask(p, stream, &(struct info){status, id, graph, after, NULL, n}));
}

CUDA_API int capture_info_13(cudaStream_t stream, int *status, unsigned long long *id, cudaGraph_t *graph,
                             cudaGraphNode_t const **after, const cudaGraphEdgeData **data, size_t *n) {
    CUDA_CALL(cu_capture_ask(p, stream, &(struct info){status, id, graph, after, data, n}));
}

static int cu_capture_update(struct cu_process *p, cudaStream_t stream, cudaGraphNode_t const *after,
                             size_t n, unsigned flags) {
    struct CUstream_st *s;
    const int code = cu_stream_of(p, stream, &s);
    if (code) return code;
    if (!s->capture) return CU_IllegalState;
    if (flags > cudaStreamSetCaptureDependencies || (n && !after) || !all_of(p, s->capture->graph, after, n))
        return CU_InvalidValue;
    if (flags == cudaStreamSetCaptureDependencies)
        cu_nodes_set(&s->after, after, n);
    else
        for (size_t i = 0; i < n; i++) cu_nodes_add(&s->after, after[i]);
    return CU_Success;
}

CUDA_API int cudaStreamUpdateCaptureDependencies_v1(cudaStream_t stream, cudaGraphNode_t const *after,
                                                    size_t n, unsigned flags) {
    CUDA_CALL(cu_capture_update(p, stream, after, n, flags));
}

CUDA_API int update_dependencies_13(cudaStream_t stream, cudaGraphNode_t const *after,
                                    const cudaGraphEdgeData *data, size_t n, unsigned flags) {
    (void)data;
    CUDA_CALL(cu_capture_update(p, stream, after, n, flags));
}

CUDA_BEFORE_13(cudaStreamGetCaptureInfo_v1, cudaStreamGetCaptureInfo)
CUDA_ALIAS(cudaStreamGetCaptureInfo_v3, capture_info_13)
CUDA_DEFAULT(capture_info_13, cudaStreamGetCaptureInfo)
CUDA_BEFORE_13(cudaStreamUpdateCaptureDependencies_v1, cudaStreamUpdateCaptureDependencies)
CUDA_ALIAS(cudaStreamUpdateCaptureDependencies_v2, update_dependencies_13)
CUDA_DEFAULT(update_dependencies_13, cudaStreamUpdateCaptureDependencies)

/* ---- for programs with a default stream for each thread ---- */

static cudaStream_t cu_capture_own(cudaStream_t stream) {
    return stream ? stream : CU_STREAM_PER_THREAD;
}

CUDA_API int cudaStreamGetCaptureInfo_v2_ptsz(cudaStream_t stream, int *status, unsigned long long *id,
                                              cudaGraph_t *graph, cudaGraphNode_t const **after, size_t *n) {
    return cudaStreamGetCaptureInfo_v2(cu_capture_own(stream), status, id, graph, after, n);
}

CUDA_API int cudaStreamGetCaptureInfo_v3_ptsz(cudaStream_t stream, int *status, unsigned long long *id,
                                              cudaGraph_t *graph, cudaGraphNode_t const **after,
                                              const cudaGraphEdgeData **data, size_t *n) {
    return cudaStreamGetCaptureInfo_v3(cu_capture_own(stream), status, id, graph, after, data, n);
}

CUDA_API int cudaStreamUpdateCaptureDependencies_v2_ptsz(cudaStream_t stream, cudaGraphNode_t const *after,
                                                         const cudaGraphEdgeData *data, size_t n,
                                                         unsigned flags) {
    return cudaStreamUpdateCaptureDependencies_v2(cu_capture_own(stream), after, data, n, flags);
}

CUDA_ALIAS(cudaStreamGetCaptureInfo_ptsz, cudaStreamGetCaptureInfo_v3_ptsz)
CUDA_ALIAS(cudaStreamUpdateCaptureDependencies_ptsz, cudaStreamUpdateCaptureDependencies_v2_ptsz)
