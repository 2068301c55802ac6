/* The driver interface: nodes of graphs whose kind is part of their parameters (CUDA 12.2), by the calls for each kind. */
#include <string.h>

#include "runtime/driver/drv.h"

/* The parameters of before, as far as they go. */
static CUDA_KERNEL_NODE_PARAMS drv_anynode_kernel_of(const CUgraphNodeParams *n) {
    CUDA_KERNEL_NODE_PARAMS k;
    memcpy(&k, &n->kernel, sizeof k);
    return k;
}
static CUDA_MEMSET_NODE_PARAMS set_of(const CUgraphNodeParams *n) {
    CUDA_MEMSET_NODE_PARAMS m;
    memcpy(&m, &n->memset, sizeof m);
    return m;
}
static CUDA_HOST_NODE_PARAMS host_of(const CUgraphNodeParams *n) {
    return (CUDA_HOST_NODE_PARAMS){n->host.fn, n->host.userData};
}

static CUresult not_served(const char *call) {
    cu_warn("%s: a node of this kind is not supported", call);
    return CUDA_ERROR_NOT_SUPPORTED;
}

/* The address of the memory is a result. */
static CUresult add_memory(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t n,
                           CUgraphNodeParams *params) {
    CUDA_MEM_ALLOC_NODE_PARAMS a;
    memcpy(&a, &params->alloc, sizeof a);
    CUresult code = cuGraphAddMemAllocNode(node, graph, after, n, &a);
    params->alloc.dptr = a.dptr;
    return code;
}

CUDA_API CUresult cuGraphAddNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t n,
                                 CUgraphNodeParams *params) {
    if (!params) return CUDA_ERROR_INVALID_VALUE;
    CUDA_KERNEL_NODE_PARAMS k = drv_anynode_kernel_of(params);
    CUDA_MEMSET_NODE_PARAMS m = set_of(params);
    CUDA_HOST_NODE_PARAMS h = host_of(params);
    switch ((int)params->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: return cuGraphAddKernelNode_v2(node, graph, after, n, &k);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        return cuGraphAddMemcpyNode(node, graph, after, n, &params->memcpy.copyParams, NULL);
    case CU_GRAPH_NODE_TYPE_MEMSET: return cuGraphAddMemsetNode(node, graph, after, n, &m, NULL);
    case CU_GRAPH_NODE_TYPE_HOST: return cuGraphAddHostNode(node, graph, after, n, &h);
    case CU_GRAPH_NODE_TYPE_GRAPH:
        return cuGraphAddChildGraphNode(node, graph, after, n, params->graph.graph);
    case CU_GRAPH_NODE_TYPE_EMPTY: return cuGraphAddEmptyNode(node, graph, after, n);
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        return cuGraphAddEventWaitNode(node, graph, after, n, params->eventWait.event);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        return cuGraphAddEventRecordNode(node, graph, after, n, params->eventRecord.event);
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC: return add_memory(node, graph, after, n, params);
    case CU_GRAPH_NODE_TYPE_MEM_FREE: return cuGraphAddMemFreeNode(node, graph, after, n, params->free.dptr);
    default: return not_served("cuGraphAddNode");
    }
}

/* Edges with data other than the default's are of programmatic launches, which are hints. */
CUDA_API CUresult cuGraphAddNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                                    const CUgraphEdgeData *data, size_t n, CUgraphNodeParams *params) {
    (void)data;
    return cuGraphAddNode(node, graph, after, n, params);
}

CUDA_API CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams *params) {
    if (!params) return CUDA_ERROR_INVALID_VALUE;
    CUDA_KERNEL_NODE_PARAMS k = drv_anynode_kernel_of(params);
    CUDA_MEMSET_NODE_PARAMS m = set_of(params);
    CUDA_HOST_NODE_PARAMS h = host_of(params);
    switch ((int)params->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: return cuGraphKernelNodeSetParams_v2(node, &k);
    case CU_GRAPH_NODE_TYPE_MEMCPY: return cuGraphMemcpyNodeSetParams(node, &params->memcpy.copyParams);
    case CU_GRAPH_NODE_TYPE_MEMSET: return cuGraphMemsetNodeSetParams(node, &m);
    case CU_GRAPH_NODE_TYPE_HOST: return cuGraphHostNodeSetParams(node, &h);
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT: return cuGraphEventWaitNodeSetEvent(node, params->eventWait.event);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        return cuGraphEventRecordNodeSetEvent(node, params->eventRecord.event);
    default: return not_served("cuGraphNodeSetParams");
    }
}

CUDA_API CUresult cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraphNodeParams *params) {
    if (!params) return CUDA_ERROR_INVALID_VALUE;
    CUDA_KERNEL_NODE_PARAMS k = drv_anynode_kernel_of(params);
    CUDA_MEMSET_NODE_PARAMS m = set_of(params);
    CUDA_HOST_NODE_PARAMS h = host_of(params);
    switch ((int)params->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: return cuGraphExecKernelNodeSetParams_v2(exec, node, &k);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        return cuGraphExecMemcpyNodeSetParams(exec, node, &params->memcpy.copyParams, NULL);
    case CU_GRAPH_NODE_TYPE_MEMSET: return cuGraphExecMemsetNodeSetParams(exec, node, &m, NULL);
    case CU_GRAPH_NODE_TYPE_HOST: return cuGraphExecHostNodeSetParams(exec, node, &h);
    case CU_GRAPH_NODE_TYPE_GRAPH: return cuGraphExecChildGraphNodeSetParams(exec, node, params->graph.graph);
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        return cuGraphExecEventWaitNodeSetEvent(exec, node, params->eventWait.event);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        return cuGraphExecEventRecordNodeSetEvent(exec, node, params->eventRecord.event);
    default: return not_served("cuGraphExecNodeSetParams");
    }
}

/* These attributes of a kernel are kept. */
CUDA_API CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode dst, CUgraphNode src) {
    static const CUkernelNodeAttrID kept[] = {CU_LAUNCH_ATTRIBUTE_COOPERATIVE, CU_LAUNCH_ATTRIBUTE_PRIORITY};
    CUresult code = CUDA_SUCCESS;
    for (size_t i = 0; i < sizeof kept / sizeof *kept && !code; i++) {
        CUkernelNodeAttrValue value;
        code = cuGraphKernelNodeGetAttribute(src, kept[i], &value);
        if (!code) code = cuGraphKernelNodeSetAttribute(dst, kept[i], &value);
    }
    return code;
}
