/* The entry points that tell what a node is. */
#include <stdlib.h>
#include <string.h>

#include "runtime/graph/graph_params.h"
#include "runtime/module/module.h"
#include "runtime/runtime/api.h"

/* The node, if it is one of that kind and there is a place for the answer. */
static bool is_kind(struct cu_process *p, cudaGraphNode_t node, enum cu_op_kind kind, const void *out) {
    return out && cu_is_node(p, node) && node->op.kind == kind;
}

static int get_type(struct cu_process *p, cudaGraphNode_t node, int *type) {
    if (!type || !cu_is_node(p, node)) return CU_InvalidValue;
    *type = (int)cu_node_type(node);
    return CU_Success;
}

CUDA_API int cudaGraphNodeGetType(cudaGraphNode_t node, int *type) {
    CUDA_CALL(get_type(p, node, type));
}

/* Where each argument lies in the node's packed ones; the node owns the list. */
static void **arguments(struct CUgraphNode_st *node) {
    const struct cu_kernel_op *k = &node->op.u.kernel;
    const hd_kernel_info *info = &k->function->info;
    if (!node->arguments && info->nparams) {
        node->arguments = cu_zalloc(info->nparams * sizeof *node->arguments);
        for (size_t i = 0; i < info->nparams; i++)
            node->arguments[i] = (char *)k->params + info->params[i].offset;
    }
    return node->arguments;
}

static int graph_node_get_kernel(struct cu_process *p, cudaGraphNode_t node,
                                 struct cudaKernelNodeParams *out) {
    if (!is_kind(p, node, CU_OP_KERNEL, out)) return CU_InvalidValue;
    const struct cu_kernel_op *k = &node->op.u.kernel;
    const void *host = k->function->host ? k->function->host : k->function;
    *out = (struct cudaKernelNodeParams){.func = (void *)(uintptr_t)host,
                                         .gridDim = {k->grid[0], k->grid[1], k->grid[2]},
                                         .blockDim = {k->block[0], k->block[1], k->block[2]},
                                         .sharedMemBytes = (unsigned)k->shared,
                                         .kernelParams = arguments(node)};
    return CU_Success;
}

CUDA_API int cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *out) {
    CUDA_CALL(graph_node_get_kernel(p, node, out));
}

/* ---- attributes of kernels: of those only cooperation changes what is simulated ---- */

static int graph_node_get_attribute(struct cu_process *p, cudaGraphNode_t node, int id,
                                    cudaLaunchAttributeValue *out) {
    if (!is_kind(p, node, CU_OP_KERNEL, out)) return CU_InvalidValue;
    memset(out, 0, sizeof *out);
    if (id == cudaLaunchAttributeCooperative) out->cooperative = node->op.u.kernel.cooperative;
    return CU_Success;
}

CUDA_API int cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, int id, cudaLaunchAttributeValue *out) {
    CUDA_CALL(graph_node_get_attribute(p, node, id, out));
}

static int graph_node_set_attribute(struct cu_process *p, cudaGraphNode_t node, int id,
                                    const cudaLaunchAttributeValue *value) {
    if (!is_kind(p, node, CU_OP_KERNEL, value)) return CU_InvalidValue;
    if (id == cudaLaunchAttributeCooperative) node->op.u.kernel.cooperative = value->cooperative != 0;
    return CU_Success;
}

CUDA_API int cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, int id,
                                             const cudaLaunchAttributeValue *value) {
    CUDA_CALL(graph_node_set_attribute(p, node, id, value));
}

static int copy_attributes(struct cu_process *p, cudaGraphNode_t dst, cudaGraphNode_t src) {
    if (!is_kind(p, dst, CU_OP_KERNEL, dst) || !is_kind(p, src, CU_OP_KERNEL, src)) return CU_InvalidValue;
    dst->op.u.kernel.cooperative = src->op.u.kernel.cooperative;
    return CU_Success;
}

CUDA_API int cudaGraphKernelNodeCopyAttributes_13(cudaGraphNode_t dst, cudaGraphNode_t src) {
    CUDA_CALL(copy_attributes(p, dst, src));
}

/* CUDA 11 and 12 name the source first. */
CUDA_API int cudaGraphKernelNodeCopyAttributes_12(cudaGraphNode_t src, cudaGraphNode_t dst) {
    CUDA_CALL(copy_attributes(p, dst, src));
}

CUDA_BEFORE_13(cudaGraphKernelNodeCopyAttributes_12, cudaGraphKernelNodeCopyAttributes)
CUDA_DEFAULT(cudaGraphKernelNodeCopyAttributes_13, cudaGraphKernelNodeCopyAttributes)

/* ---- the other kinds ---- */

static struct cudaMemcpy3DParms shape_of(const struct cu_copy_op *c) {
    const size_t drows = c->dst_pitch ? c->dst_slice / c->dst_pitch : 1;
    const size_t srows = c->src_pitch ? c->src_slice / c->src_pitch : 1;
    return (struct cudaMemcpy3DParms){.srcPtr = {(void *)(uintptr_t)c->src, c->src_pitch, c->width, srows},
                                      .dstPtr = {(void *)(uintptr_t)c->dst, c->dst_pitch, c->width, drows},
                                      .extent = {c->width, c->height, c->depth},
                                      .kind = cudaMemcpyDefault};
}

static int get_copy(struct cu_process *p, cudaGraphNode_t node, struct cudaMemcpy3DParms *out) {
    if (!is_kind(p, node, CU_OP_COPY, out)) return CU_InvalidValue;
    *out = node->shape ? *node->shape : shape_of(&node->op.u.copy);
    return CU_Success;
}

CUDA_API int cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *out) {
    CUDA_CALL(get_copy(p, node, out));
}

static int get_set(struct cu_process *p, cudaGraphNode_t node, struct cudaMemsetParams *out) {
    if (!is_kind(p, node, CU_OP_SET, out)) return CU_InvalidValue;
    const struct cu_set_op *s = &node->op.u.set;
    *out = (struct cudaMemsetParams){
        (void *)(uintptr_t)s->dst, s->pitch, s->value, s->element, s->width, s->height};
    return CU_Success;
}

CUDA_API int cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *out) {
    CUDA_CALL(get_set(p, node, out));
}

static int get_host(struct cu_process *p, cudaGraphNode_t node, struct cudaHostNodeParams *out) {
    if (!is_kind(p, node, CU_OP_HOST, out)) return CU_InvalidValue;
    *out = (struct cudaHostNodeParams){node->op.u.host.fn, node->op.u.host.user};
    return CU_Success;
}

CUDA_API int cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *out) {
    CUDA_CALL(get_host(p, node, out));
}

static int get_event(struct cu_process *p, cudaGraphNode_t node, enum cu_op_kind kind, cudaEvent_t *out) {
    if (!is_kind(p, node, kind, out)) return CU_InvalidValue;
    *out = node->op.u.event.event;
    return CU_Success;
}

CUDA_API int cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *out) {
    CUDA_CALL(get_event(p, node, CU_OP_RECORD, out));
}

CUDA_API int cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *out) {
    CUDA_CALL(get_event(p, node, CU_OP_WAIT, out));
}

static int get_child(struct cu_process *p, cudaGraphNode_t node, cudaGraph_t *out) {
    if (!is_kind(p, node, CU_OP_GRAPH, out)) return CU_InvalidValue;
    *out = node->op.u.graph;
    return CU_Success;
}

CUDA_API int cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *out) {
    CUDA_CALL(get_child(p, node, out));
}

static int get_alloc(struct cu_process *p, cudaGraphNode_t node, struct cudaMemAllocNodeParams *out) {
    if (!is_kind(p, node, CU_OP_ALLOC, out)) return CU_InvalidValue;
    *out = (struct cudaMemAllocNodeParams){
        .poolProps = {.allocType = cudaMemAllocationTypePinned, .location = {cudaMemLocationTypeDevice, 0}},
        .bytesize = node->op.u.memory.bytes,
        .dptr = (void *)(uintptr_t)node->op.u.memory.addr};
    return CU_Success;
}

CUDA_API int cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, struct cudaMemAllocNodeParams *out) {
    CUDA_CALL(get_alloc(p, node, out));
}

static int get_free(struct cu_process *p, cudaGraphNode_t node, void *out) {
    if (!is_kind(p, node, CU_OP_FREE, out)) return CU_InvalidValue;
    *(void **)out = (void *)(uintptr_t)node->op.u.memory.addr;
    return CU_Success;
}

CUDA_API int cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *out) {
    CUDA_CALL(get_free(p, node, out));
}
