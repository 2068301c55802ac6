/* The entry points that add nodes to graphs and change them, there and in executable graphs. Each makes a recipe of its parameters
 * (graph_params.h) and gives it to one of three functions: add, set, set in an executable graph. */
#include "runtime/graph/graph_params.h"
#include "runtime/runtime/api.h"

struct place { /* where a node is added */
    cudaGraphNode_t *node;
    cudaGraph_t graph;
    cudaGraphNode_t const *after;
    size_t n;
    const cudaGraphEdgeData *data;
};

/* All of these take the code of making the recipe, and free what it has when they fail. */
static int graph_nodes_add(struct cu_process *p, const struct place *at, int code, struct cu_recipe *r) {
    if (code) return code;
    code =
        at->node ? cu_graph_add(p, at->graph, at->after, at->data, at->n, &r->op, at->node) : CU_InvalidValue;
    if (code)
        cu_recipe_free(p, r);
    else if (r->has_shape)
        cu_node_shape(*at->node, &r->shape);
    return code;
}

static int graph_nodes_become(struct cu_process *p, struct CUgraphNode_st *node, int code,
                              struct cu_recipe *r) {
    if (code) return code;
    code = node ? cu_node_become(p, node, r) : CU_InvalidValue;
    if (code) cu_recipe_free(p, r);
    return code;
}

static int graph_nodes_set(struct cu_process *p, cudaGraphNode_t node, int code, struct cu_recipe *r) {
    return graph_nodes_become(p, cu_is_node(p, node) ? node : NULL, code, r);
}

static int set_exec(struct cu_process *p, cudaGraphExec_t exec, cudaGraphNode_t node, int code,
                    struct cu_recipe *r) {
    return graph_nodes_become(p, cu_exec_node(p, exec, node), code, r);
}

#define PLACE cudaGraphNode_t *node, cudaGraph_t graph, cudaGraphNode_t const *after, size_t n
#define AT    (&(struct place){node, graph, after, n, NULL})
/* `making` uses r, a recipe. */
#define ADD(making)           \
    struct cu_recipe r = {0}; \
    CUDA_CALL(graph_nodes_add(p, AT, making, &r))
#define SET(making)           \
    struct cu_recipe r = {0}; \
    CUDA_CALL(graph_nodes_set(p, node, making, &r))
#define EXEC(making)          \
    struct cu_recipe r = {0}; \
    CUDA_CALL(set_exec(p, exec, node, making, &r))

/* ---- kernels ---- */

CUDA_API int cudaGraphAddKernelNode(PLACE, const struct cudaKernelNodeParams *k) {
    ADD(cu_kernel_recipe(p, k, &r));
}

CUDA_API int cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams *k) {
    SET(cu_kernel_recipe(p, k, &r));
}

CUDA_API int cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                              const struct cudaKernelNodeParams *k) {
    EXEC(cu_kernel_recipe(p, k, &r));
}

/* ---- copies ---- */

CUDA_API int cudaGraphAddMemcpyNode(PLACE, const struct cudaMemcpy3DParms *m) {
    ADD(cu_copy_recipe(p, m, &r));
}

CUDA_API int cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const struct cudaMemcpy3DParms *m) {
    SET(cu_copy_recipe(p, m, &r));
}

CUDA_API int cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                              const struct cudaMemcpy3DParms *m) {
    EXEC(cu_copy_recipe(p, m, &r));
}

CUDA_API int cudaGraphAddMemcpyNode1D(PLACE, void *dst, const void *src, size_t bytes, int kind) {
    ADD(cu_row_recipe(p, dst, src, bytes, kind, &r));
}

CUDA_API int cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst, const void *src, size_t bytes,
                                            int kind) {
    SET(cu_row_recipe(p, dst, src, bytes, kind, &r));
}

CUDA_API int cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *dst,
                                                const void *src, size_t bytes, int kind) {
    EXEC(cu_row_recipe(p, dst, src, bytes, kind, &r));
}

CUDA_API int cudaGraphAddMemcpyNodeToSymbol(PLACE, const void *symbol, const void *src, size_t bytes,
                                            size_t offset, int kind) {
    ADD(cu_symbol_recipe(p, symbol, offset, src, bytes, kind, true, &r));
}

CUDA_API int cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol, const void *src,
                                                  size_t bytes, size_t offset, int kind) {
    SET(cu_symbol_recipe(p, symbol, offset, src, bytes, kind, true, &r));
}

CUDA_API int cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                      const void *symbol, const void *src, size_t bytes,
                                                      size_t offset, int kind) {
    EXEC(cu_symbol_recipe(p, symbol, offset, src, bytes, kind, true, &r));
}

CUDA_API int cudaGraphAddMemcpyNodeFromSymbol(PLACE, void *dst, const void *symbol, size_t bytes,
                                              size_t offset, int kind) {
    ADD(cu_symbol_recipe(p, symbol, offset, dst, bytes, kind, false, &r));
}

CUDA_API int cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst, const void *symbol,
                                                    size_t bytes, size_t offset, int kind) {
    SET(cu_symbol_recipe(p, symbol, offset, dst, bytes, kind, false, &r));
}

CUDA_API int cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, void *dst,
                                                        const void *symbol, size_t bytes, size_t offset,
                                                        int kind) {
    EXEC(cu_symbol_recipe(p, symbol, offset, dst, bytes, kind, false, &r));
}

/* ---- sets and host functions ---- */

CUDA_API int cudaGraphAddMemsetNode(PLACE, const struct cudaMemsetParams *m) {
    ADD(cu_set_recipe(p, m, &r));
}

CUDA_API int cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const struct cudaMemsetParams *m) {
    SET(cu_set_recipe(p, m, &r));
}

CUDA_API int cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                              const struct cudaMemsetParams *m) {
    EXEC(cu_set_recipe(p, m, &r));
}

CUDA_API int cudaGraphAddHostNode(PLACE, const struct cudaHostNodeParams *h) {
    ADD(cu_host_recipe(h, &r));
}

CUDA_API int cudaGraphHostNodeSetParams(cudaGraphNode_t node, const struct cudaHostNodeParams *h) {
    SET(cu_host_recipe(h, &r));
}

CUDA_API int cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                            const struct cudaHostNodeParams *h) {
    EXEC(cu_host_recipe(h, &r));
}

/* ---- events ---- */

CUDA_API int cudaGraphAddEventRecordNode(PLACE, cudaEvent_t event) {
    ADD(cu_event_recipe(p, event, CU_OP_RECORD, &r));
}

CUDA_API int cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
    SET(cu_event_recipe(p, event, CU_OP_RECORD, &r));
}

CUDA_API int cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                  cudaEvent_t event) {
    EXEC(cu_event_recipe(p, event, CU_OP_RECORD, &r));
}

CUDA_API int cudaGraphAddEventWaitNode(PLACE, cudaEvent_t event) {
    ADD(cu_event_recipe(p, event, CU_OP_WAIT, &r));
}

CUDA_API int cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
    SET(cu_event_recipe(p, event, CU_OP_WAIT, &r));
}

CUDA_API int cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                cudaEvent_t event) {
    EXEC(cu_event_recipe(p, event, CU_OP_WAIT, &r));
}

/* ---- children, memory, nothing, anything ---- */

CUDA_API int cudaGraphAddChildGraphNode(PLACE, cudaGraph_t child) {
    ADD(cu_child_recipe(p, child, false, &r));
}

static int set_child(struct cu_process *p, cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraph_t child) {
    struct CUgraphNode_st *mine = cu_exec_node(p, exec, node);
    if (!mine || mine->op.kind != CU_OP_GRAPH || !cu_is_graph(p, child)) return CU_InvalidValue;
    cudaGraphExecUpdateResultInfo info;
    return cu_graph_take_over(p, mine->op.u.graph, child, &info);
}

CUDA_API int cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                  cudaGraph_t child) {
    CUDA_CALL(set_child(p, exec, node, child));
}

CUDA_API int cudaGraphAddMemAllocNode(PLACE, struct cudaMemAllocNodeParams *a) {
    ADD(cu_alloc_recipe(p, a, &r));
}

CUDA_API int cudaGraphAddMemFreeNode(PLACE, void *ptr) {
    ADD(cu_free_recipe(p, ptr, &r));
}

CUDA_API int cudaGraphAddEmptyNode(PLACE) {
    ADD(CU_Success);
}

CUDA_API int add_node_12(PLACE, struct cudaGraphNodeParams *params) {
    ADD(cu_any_recipe(p, params, &r));
}

CUDA_API int add_node_13(cudaGraphNode_t *node, cudaGraph_t graph, cudaGraphNode_t const *after,
                         const cudaGraphEdgeData *data, size_t n, struct cudaGraphNodeParams *params) {
    struct cu_recipe r = {0};
    CUDA_CALL(
        graph_nodes_add(p, &(struct place){node, graph, after, n, data}, cu_any_recipe(p, params, &r), &r));
}

CUDA_ALIAS(cudaGraphAddNode_v2, add_node_13)
CUDA_VERSION(add_node_12, cudaGraphAddNode, "12")
CUDA_DEFAULT(add_node_13, cudaGraphAddNode)

CUDA_API int cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *params) {
    SET(cu_any_recipe(p, params, &r));
}

CUDA_API int cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                        struct cudaGraphNodeParams *params) {
    EXEC(cu_any_recipe(p, params, &r));
}
