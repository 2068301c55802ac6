/* The entry points of executable graphs. */
#include <string.h>

#include "runtime/graph/graph.h"
#include "runtime/runtime/api.h"
#include "runtime/runtime/stream.h"

/* ---- instantiation ---- */

CUDA_API int cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                           unsigned long long flags) {
    CUDA_CALL(cu_exec_new(p, graph, flags, exec));
}

CUDA_API int instantiate_12(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags) {
    CUDA_CALL(cu_exec_new(p, graph, flags, exec));
}

/* CUDA 11 tells the node that is wrong and why. */
CUDA_API int instantiate_11(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphNode_t *error, char *log,
                            size_t bytes) {
    if (error) *error = NULL;
    if (log && bytes) *log = 0;
    CUDA_CALL(cu_exec_new(p, graph, 0, exec));
}

CUDA_VERSION(instantiate_11, cudaGraphInstantiate, "11.0")
CUDA_VERSION(instantiate_12, cudaGraphInstantiate, "12")
CUDA_DEFAULT(instantiate_12, cudaGraphInstantiate)

static int with_params(struct cu_process *p, cudaGraphExec_t *exec, cudaGraph_t g,
                       cudaGraphInstantiateParams *params) {
    struct CUstream_st *s;
    if (!params) return CU_InvalidValue;
    int code = cu_stream_of(p, params->uploadStream, &s);
    if (!code) code = cu_exec_new(p, g, params->flags, exec);
    params->errNode_out = NULL;
    params->result_out = !code                     ? cudaGraphInstantiateSuccess
                         : code == CU_NotSupported ? cudaGraphInstantiateNodeOperationNotSupported
                         : cu_is_graph(p, g)       ? cudaGraphInstantiateInvalidStructure
                                                   : cudaGraphInstantiateError;
    return code;
}

CUDA_API int cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph,
                                            cudaGraphInstantiateParams *params) {
    CUDA_CALL(with_params(p, exec, graph, params));
}

static int get_flags(struct cu_process *p, cudaGraphExec_t exec, unsigned long long *flags) {
    if (!cu_is_exec(p, exec) || !flags) return CU_InvalidValue;
    *flags = exec->flags;
    return CU_Success;
}

CUDA_API int cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags) {
    CUDA_CALL(get_flags(p, exec, flags));
}

static int graph_launch_destroy(struct cu_process *p, cudaGraphExec_t exec) {
    if (!cu_is_exec(p, exec)) return CU_InvalidValue;
    cu_exec_free(p, exec);
    return CU_Success;
}

CUDA_API int cudaGraphExecDestroy(cudaGraphExec_t exec) {
    CUDA_CALL(graph_launch_destroy(p, exec));
}

/* ---- launching ---- */

static int graph_launch(struct cu_process *p, cudaGraphExec_t exec, cudaStream_t stream) {
    struct CUstream_st *s;
    const int code = cu_stream_of(p, stream, &s);
    return code ? code : cu_exec_launch(p, exec, s);
}

CUDA_API int cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
    CUDA_CALL(graph_launch(p, exec, stream));
}

/* There is nowhere else to bring it. */
static int upload(struct cu_process *p, cudaGraphExec_t exec, cudaStream_t stream) {
    struct CUstream_st *s;
    const int code = cu_stream_of(p, stream, &s);
    return code ? code : cu_is_exec(p, exec) ? CU_Success : CU_InvalidValue;
}

CUDA_API int cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
    CUDA_CALL(upload(p, exec, stream));
}

/* ---- changing ---- */

CUDA_API int update_12(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info) {
    CUDA_CALL(cu_exec_update(p, exec, graph, info));
}

static int graph_launch_update(struct cu_process *p, cudaGraphExec_t exec, cudaGraph_t graph,
                               cudaGraphNode_t *node, int *result) {
    cudaGraphExecUpdateResultInfo info;
    if (!node || !result) return CU_InvalidValue;
    const int code = cu_exec_update(p, exec, graph, &info);
    if (code && code != CU_GraphExecUpdateFailure) return code;
    *node = info.errorNode;
    *result = (int)info.result;
    return code;
}

CUDA_API int update_11(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *node, int *result) {
    CUDA_CALL(graph_launch_update(p, exec, graph, node, result));
}

CUDA_VERSION(update_11, cudaGraphExecUpdate, "11.0")
CUDA_VERSION(update_12, cudaGraphExecUpdate, "12")
CUDA_DEFAULT(update_12, cudaGraphExecUpdate)

/* Only these can be left out. */
static bool can_rest(const struct CUgraphNode_st *node) {
    return node &&
           (node->op.kind == CU_OP_KERNEL || node->op.kind == CU_OP_COPY || node->op.kind == CU_OP_SET);
}

static int set_enabled(struct cu_process *p, cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled) {
    struct CUgraphNode_st *mine = cu_exec_node(p, exec, node);
    if (!can_rest(mine)) return CU_InvalidValue;
    mine->disabled = !enabled;
    return CU_Success;
}

CUDA_API int cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled) {
    CUDA_CALL(set_enabled(p, exec, node, enabled));
}

static int get_enabled(struct cu_process *p, cudaGraphExec_t exec, cudaGraphNode_t node, unsigned *enabled) {
    const struct CUgraphNode_st *mine = cu_exec_node(p, exec, node);
    if (!can_rest(mine) || !enabled) return CU_InvalidValue;
    *enabled = !mine->disabled;
    return CU_Success;
}

CUDA_API int cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned *enabled) {
    CUDA_CALL(get_enabled(p, exec, node, enabled));
}
