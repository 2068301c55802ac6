/* Operations from the parameters of graph nodes. Everything that adds or changes a node makes a recipe first, so that a wrong
 * parameter leaves the graph as it was. */
#include "runtime/graph/graph_params.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/memory/copy3d.h"
#include "runtime/memory/memory.h"
#include "runtime/memory/pool.h"
#include "runtime/module/module.h"
#include "runtime/runtime/event.h"
#include "runtime/runtime/launch.h"
#include "runtime/runtime/process.h"

void cu_recipe_free(struct cu_process *p, struct cu_recipe *r) {
    if (r->op.kind == CU_OP_GRAPH) cu_graph_free(p, r->op.u.graph);
    if (r->op.kind == CU_OP_ALLOC) cu_graph_memory_release(p, r->op.u.memory.addr);
    cu_op_free(&r->op);
}

/* ---- kernels ---- */

/* The list of names and values that stands for kernelParams: 1 a packed buffer, 2 its size, 0 the end. */
static int take_extra(void **extra, const void **buffer, size_t *bytes) {
    for (; extra && *extra; extra += 2) {
        if (*extra == (void *)1)
            *buffer = extra[1];
        else if (*extra == (void *)2)
            *bytes = *(size_t *)extra[1];
        else
            return CU_InvalidValue;
    }
    return CU_Success;
}

static int graph_params_pack(const struct CUfunc_st *f, const struct cudaKernelNodeParams *k,
                             struct cu_kernel_op *op) {
    const void *buffer = NULL;
    size_t bytes = 0;
    const int code = take_extra(k->extra, &buffer, &bytes);
    if (code || (k->kernelParams && buffer)) return CU_InvalidValue;
    if (f->info.nparams && !k->kernelParams && (!buffer || bytes < f->info.param_bytes))
        return CU_InvalidValue;
    op->param_bytes = f->info.param_bytes;
    if (!op->param_bytes) return CU_Success;
    op->params = cu_zalloc(op->param_bytes);
    if (k->kernelParams)
        cu_pack_args(f, k->kernelParams, op->params);
    else
        memcpy(op->params, buffer, op->param_bytes);
    return CU_Success;
}

int cu_kernel_recipe(struct cu_process *p, const struct cudaKernelNodeParams *k, struct cu_recipe *r) {
    struct CUfunc_st *f;
    if (!k) return CU_InvalidValue;
    const struct cu_geometry g = {.grid = {k->gridDim.x, k->gridDim.y, k->gridDim.z},
                                  .block = {k->blockDim.x, k->blockDim.y, k->blockDim.z},
                                  .shared = k->sharedMemBytes};
    int code = cu_function_of(p, k->func, &f);
    if (code || (code = cu_check_launch(p, f, &g))) return code;
    *r = (struct cu_recipe){.op = {.kind = CU_OP_KERNEL, .u.kernel = {.function = f, .shared = g.shared}}};
    memcpy(r->op.u.kernel.grid, g.grid, sizeof g.grid);
    memcpy(r->op.u.kernel.block, g.block, sizeof g.block);
    return graph_params_pack(f, k, &r->op.u.kernel);
}

/* ---- copies and sets ---- */

int cu_copy_recipe(struct cu_process *p, const struct cudaMemcpy3DParms *m, struct cu_recipe *r) {
    if (!m) return CU_InvalidValue;
    *r = (struct cu_recipe){.op = {.kind = CU_OP_COPY}, .shape = *m, .has_shape = true};
    return cu_box_of(p, m, &r->op.u.copy);
}

int cu_row_recipe(struct cu_process *p, void *dst, const void *src, size_t bytes, int kind,
                  struct cu_recipe *r) {
    const struct cudaMemcpy3DParms m = {.srcPtr = {(void *)(uintptr_t)src, bytes, bytes, 1},
                                        .dstPtr = {dst, bytes, bytes, 1},
                                        .extent = {bytes, 1, 1},
                                        .kind = (enum cudaMemcpyKind)kind};
    if ((unsigned)kind > cudaMemcpyDefault) return CU_InvalidMemcpyDirection;
    return dst && src ? cu_copy_recipe(p, &m, r) : CU_InvalidValue;
}

int cu_symbol_recipe(struct cu_process *p, const void *symbol, size_t offset, const void *other, size_t bytes,
                     int kind, bool to_symbol, struct cu_recipe *r) {
    struct cu_variable *v;
    const int code = cu_variable_of(p, symbol, &v);
    if (code) return code;
    if (offset > v->bytes || bytes > v->bytes - offset) return CU_InvalidValue;
    void *at = (void *)(uintptr_t)(v->addr + offset);
    return to_symbol ? cu_row_recipe(p, at, other, bytes, kind, r)
                     : cu_row_recipe(p, (void *)(uintptr_t)other, at, bytes, kind, r);
}

int cu_set_recipe(struct cu_process *p, const struct cudaMemsetParams *m, struct cu_recipe *r) {
    if (!m || (m->elementSize != 1 && m->elementSize != 2 && m->elementSize != 4)) return CU_InvalidValue;
    if (!m->width || !m->height) return CU_InvalidValue;
    *r = (struct cu_recipe){.op = {.kind = CU_OP_SET,
                                   .u.set = {.dst = (uintptr_t)m->dst,
                                             .pitch = m->pitch,
                                             .value = m->value,
                                             .element = m->elementSize,
                                             .width = m->width,
                                             .height = m->height,
                                             .depth = 1}}};
    return cu_check_set(p, &r->op.u.set);
}

/* ---- the rest ---- */

int cu_host_recipe(const struct cudaHostNodeParams *h, struct cu_recipe *r) {
    if (!h || !h->fn) return CU_InvalidValue;
    *r = (struct cu_recipe){.op = {.kind = CU_OP_HOST, .u.host = {.fn = h->fn, .user = h->userData}}};
    return CU_Success;
}

int cu_event_recipe(struct cu_process *p, struct CUevent_st *e, enum cu_op_kind kind, struct cu_recipe *r) {
    if (!cu_is_event(p, e)) return CU_InvalidValue;
    *r = (struct cu_recipe){.op = {.kind = kind, .u.event = {e, 1}}};
    return CU_Success;
}

int cu_child_recipe(struct cu_process *p, struct CUgraph_st *child, bool move, struct cu_recipe *r) {
    if (!cu_is_graph(p, child) || child->parent || (child->has_memory && !move)) return CU_InvalidValue;
    *r = (struct cu_recipe){.op = {.kind = CU_OP_GRAPH, .u.graph = move ? child : cu_graph_clone(p, child)}};
    return CU_Success;
}

int cu_alloc_recipe(struct cu_process *p, struct cudaMemAllocNodeParams *a, struct cu_recipe *r) {
    if (!a || !a->bytesize || a->poolProps.location.type != cudaMemLocationTypeDevice) return CU_InvalidValue;
    if (a->poolProps.allocType != cudaMemAllocationTypePinned) return CU_InvalidValue;
    if (a->poolProps.location.id) return CU_InvalidDevice;
    *r = (struct cu_recipe){.op = {.kind = CU_OP_ALLOC, .u.memory.bytes = a->bytesize}};
    const int code = cu_graph_memory_new(p, a->bytesize, &r->op.u.memory.addr);
    if (!code) a->dptr = (void *)(uintptr_t)r->op.u.memory.addr;
    return code;
}

int cu_free_recipe(struct cu_process *p, void *ptr, struct cu_recipe *r) {
    const struct cu_graph_memory *m = cu_graph_memory_find(p, (uintptr_t)ptr);
    if (!m) return CU_InvalidValue;
    *r = (struct cu_recipe){.op = {.kind = CU_OP_FREE, .u.memory = {m->addr, m->bytes}}};
    return CU_Success;
}

int cu_any_recipe(struct cu_process *p, struct cudaGraphNodeParams *n, struct cu_recipe *r) {
    if (!n) return CU_InvalidValue;
    switch (n->type) {
    case cudaGraphNodeTypeKernel: {
        const struct cudaKernelNodeParams k = {n->kernel.func,         n->kernel.gridDim,
                                               n->kernel.blockDim,     n->kernel.sharedMemBytes,
                                               n->kernel.kernelParams, n->kernel.extra};
        return cu_kernel_recipe(p, &k, r);
    }
    case cudaGraphNodeTypeMemcpy: return cu_copy_recipe(p, &n->memcpy.copyParams, r);
    case cudaGraphNodeTypeMemset: {
        const struct cudaMemsetParams m = {n->memset.dst,         n->memset.pitch, n->memset.value,
                                           n->memset.elementSize, n->memset.width, n->memset.height};
        return cu_set_recipe(p, &m, r);
    }
    case cudaGraphNodeTypeHost:
        return cu_host_recipe(&(struct cudaHostNodeParams){n->host.fn, n->host.userData}, r);
    case cudaGraphNodeTypeGraph:
        return cu_child_recipe(p, n->graph.graph, n->graph.ownership == cudaGraphChildGraphOwnershipMove, r);
    case cudaGraphNodeTypeEmpty: *r = (struct cu_recipe){.op = {.kind = CU_OP_EMPTY}}; return CU_Success;
    case cudaGraphNodeTypeWaitEvent: return cu_event_recipe(p, n->eventWait.event, CU_OP_WAIT, r);
    case cudaGraphNodeTypeEventRecord: return cu_event_recipe(p, n->eventRecord.event, CU_OP_RECORD, r);
    case cudaGraphNodeTypeMemAlloc: return cu_alloc_recipe(p, (struct cudaMemAllocNodeParams *)&n->alloc, r);
    case cudaGraphNodeTypeMemFree: return cu_free_recipe(p, n->free.dptr, r);
    default: return CU_NotSupported;
    }
}

/* ---- nodes ---- */

enum cudaGraphNodeType cu_node_type(const struct CUgraphNode_st *node) {
    switch (node->op.kind) {
    case CU_OP_KERNEL: return cudaGraphNodeTypeKernel;
    case CU_OP_COPY: return cudaGraphNodeTypeMemcpy;
    case CU_OP_SET: return cudaGraphNodeTypeMemset;
    case CU_OP_HOST: return cudaGraphNodeTypeHost;
    case CU_OP_RECORD: return cudaGraphNodeTypeEventRecord;
    case CU_OP_WAIT: return cudaGraphNodeTypeWaitEvent;
    case CU_OP_ALLOC: return cudaGraphNodeTypeMemAlloc;
    case CU_OP_FREE: return cudaGraphNodeTypeMemFree;
    case CU_OP_GRAPH: return cudaGraphNodeTypeGraph;
    default: return cudaGraphNodeTypeEmpty;
    }
}

int cu_node_become(struct cu_process *p, struct CUgraphNode_st *node, struct cu_recipe *r) {
    const bool changes = r->op.kind != CU_OP_ALLOC && r->op.kind != CU_OP_FREE && r->op.kind != CU_OP_EMPTY;
    if (!changes || node->op.kind != r->op.kind) return CU_InvalidValue;
    if (r->op.kind == CU_OP_KERNEL) r->op.u.kernel.cooperative = node->op.u.kernel.cooperative;
    cu_node_shape(node, r->has_shape ? &r->shape : NULL);
    cu_node_swap(p, node, &r->op);
    return CU_Success;
}
