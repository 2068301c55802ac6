/* The driver interface: graphs as a whole. They are the runtime's. */
#include "runtime/graph/graph.h"
#include "runtime/driver/drv.h"

DRV_RUNTIME(cuGraphCreate, cudaGraphCreate, (CUgraph * graph, unsigned flags), (graph, flags))
DRV_RUNTIME(cuGraphDestroy, cudaGraphDestroy, (CUgraph graph), (graph))
DRV_RUNTIME(cuGraphClone, cudaGraphClone, (CUgraph * clone, CUgraph graph), (clone, graph))
DRV_RUNTIME(cuGraphNodeFindInClone, cudaGraphNodeFindInClone,
            (CUgraphNode * node, CUgraphNode original, CUgraph clone), (node, original, clone))
DRV_RUNTIME(cuGraphDebugDotPrint, cudaGraphDebugDotPrint, (CUgraph graph, const char *path, unsigned flags),
            (graph, path, flags))

/* ---- nodes and edges ---- */

DRV_RUNTIME(cuGraphGetNodes, cudaGraphGetNodes, (CUgraph graph, CUgraphNode *nodes, size_t *n),
            (graph, nodes, n))
DRV_RUNTIME(cuGraphGetRootNodes, cudaGraphGetRootNodes, (CUgraph graph, CUgraphNode *nodes, size_t *n),
            (graph, nodes, n))
DRV_RUNTIME(cuGraphNodeGetType, cudaGraphNodeGetType, (CUgraphNode node, CUgraphNodeType *type), (node, type))
DRV_RUNTIME(cuGraphDestroyNode, cudaGraphDestroyNode, (CUgraphNode node), (node))
DRV_RUNTIME(cuGraphGetEdges_v2, cudaGraphGetEdges_v2,
            (CUgraph graph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *data, size_t *n),
            (graph, from, to, data, n))
DRV_RUNTIME(cuGraphNodeGetDependencies_v2, cudaGraphNodeGetDependencies_v2,
            (CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *data, size_t *n), (node, nodes, data, n))
DRV_RUNTIME(cuGraphNodeGetDependentNodes_v2, cudaGraphNodeGetDependentNodes_v2,
            (CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *data, size_t *n), (node, nodes, data, n))
DRV_RUNTIME(cuGraphAddDependencies_v2, cudaGraphAddDependencies_v2,
            (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, const CUgraphEdgeData *data,
             size_t n),
            (graph, from, to, data, n))
DRV_RUNTIME(cuGraphRemoveDependencies_v2, cudaGraphRemoveDependencies_v2,
            (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, const CUgraphEdgeData *data,
             size_t n),
            (graph, from, to, data, n))

/* Before CUDA 12.3 an edge had no data. */
CUDA_API CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *n) {
    return cuGraphGetEdges_v2(graph, from, to, NULL, n);
}
CUDA_API CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *nodes, size_t *n) {
    return cuGraphNodeGetDependencies_v2(node, nodes, NULL, n);
}
CUDA_API CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *nodes, size_t *n) {
    return cuGraphNodeGetDependentNodes_v2(node, nodes, NULL, n);
}
CUDA_API CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                         size_t n) {
    return cuGraphAddDependencies_v2(graph, from, to, NULL, n);
}
CUDA_API CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                            size_t n) {
    return cuGraphRemoveDependencies_v2(graph, from, to, NULL, n);
}

/* ---- executable graphs ---- */

DRV_RUNTIME(cuGraphInstantiateWithFlags, cudaGraphInstantiateWithFlags,
            (CUgraphExec * exec, CUgraph graph, unsigned long long flags), (exec, graph, flags))
DRV_RUNTIME(cuGraphInstantiateWithParams, cudaGraphInstantiateWithParams,
            (CUgraphExec * exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *params), (exec, graph, params))
CUDA_API CUresult cuGraphInstantiate_v2(CUgraphExec *exec, CUgraph graph, CUgraphNode *node, char *log,
                                        size_t bytes) {
    if (node) *node = NULL;
    if (log && bytes) *log = 0;
    return cuGraphInstantiateWithFlags(exec, graph, 0);
}
DRV_SAME(cuGraphInstantiate, cuGraphInstantiate_v2);
DRV_RUNTIME(cuGraphExecGetFlags, cudaGraphExecGetFlags, (CUgraphExec exec, cuuint64_t *flags), (exec, flags))
DRV_RUNTIME(cuGraphExecDestroy, cudaGraphExecDestroy, (CUgraphExec exec), (exec))
DRV_RUNTIME(cuGraphLaunch, cudaGraphLaunch, (CUgraphExec exec, CUstream stream), (exec, stream))
DRV_RUNTIME(cuGraphUpload, cudaGraphUpload, (CUgraphExec exec, CUstream stream), (exec, stream))
DRV_RUNTIME(cuGraphNodeSetEnabled, cudaGraphNodeSetEnabled,
            (CUgraphExec exec, CUgraphNode node, unsigned enabled), (exec, node, enabled))
DRV_RUNTIME(cuGraphNodeGetEnabled, cudaGraphNodeGetEnabled,
            (CUgraphExec exec, CUgraphNode node, unsigned *enabled), (exec, node, enabled))

static int drv_graph_update(struct cu_process *p, CUgraphExec exec, CUgraph graph,
                            CUgraphExecUpdateResultInfo *info) {
    cudaGraphExecUpdateResultInfo result;
    if (!cu_is_exec(p, exec) || !cu_is_graph(p, graph) || !info) return CU_InvalidValue;
    int code = cu_exec_update(p, exec, graph, &result);
    *info = (CUgraphExecUpdateResultInfo){(CUgraphExecUpdateResult)result.result, result.errorNode,
                                          result.errorFromNode};
    return code;
}
CUDA_API CUresult cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *info) {
    DRV_CALL(drv_graph_update(p, exec, graph, info));
}
static int update_old(struct cu_process *p, CUgraphExec exec, CUgraph graph, CUgraphNode *node,
                      CUgraphExecUpdateResult *result) {
    CUgraphExecUpdateResultInfo info = {CU_GRAPH_EXEC_UPDATE_ERROR, NULL, NULL};
    int code = drv_graph_update(p, exec, graph, &info);
    if (node) *node = info.errorNode;
    if (result) *result = info.result;
    return code;
}
CUDA_API CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphNode *node,
                                    CUgraphExecUpdateResult *result) {
    DRV_CALL(update_old(p, exec, graph, node, result));
}

/* ---- objects of the program that a graph keeps ---- */

DRV_RUNTIME(cuUserObjectCreate, cudaUserObjectCreate,
            (CUuserObject * object, void *value, CUhostFn destroy, unsigned count, unsigned flags),
            (object, value, destroy, count, flags))
DRV_RUNTIME(cuUserObjectRetain, cudaUserObjectRetain, (CUuserObject object, unsigned count), (object, count))
DRV_RUNTIME(cuUserObjectRelease, cudaUserObjectRelease, (CUuserObject object, unsigned count),
            (object, count))
DRV_RUNTIME(cuGraphRetainUserObject, cudaGraphRetainUserObject,
            (CUgraph graph, CUuserObject object, unsigned count, unsigned flags),
            (graph, object, count, flags))
DRV_RUNTIME(cuGraphReleaseUserObject, cudaGraphReleaseUserObject,
            (CUgraph graph, CUuserObject object, unsigned count), (graph, object, count))
