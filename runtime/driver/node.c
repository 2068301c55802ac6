/* The driver interface: nodes of graphs. Most parameters lie as those of the runtime do; a kernel's has more at its end, a
 * copy's is another structure, and a context comes with it, which does not matter. */
#include <driver_types.h>
#include <string.h>

#include "runtime/driver/array.h"

/* Where a new node goes. */
#define PLACE  CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t n
#define PLACED node, graph, after, n

/* ---- kernels ---- */

int cudaGraphAddKernelNode(PLACE, const CUDA_KERNEL_NODE_PARAMS_v1 *k);
int cudaGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v1 *k);
int cudaGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1 *k);
int cudaGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1 *k);

/* The function may be given as a kernel. */
static const CUDA_KERNEL_NODE_PARAMS_v1 *old_form(const CUDA_KERNEL_NODE_PARAMS *k,
                                                  CUDA_KERNEL_NODE_PARAMS_v1 *to) {
    if (!k) return NULL;
    memcpy(to, k, sizeof *to);
    if (!to->func) to->func = (CUfunction)k->kern;
    return to;
}

CUDA_API CUresult cuGraphAddKernelNode(PLACE, const CUDA_KERNEL_NODE_PARAMS_v1 *k) {
    DRV_VIA(cudaGraphAddKernelNode(PLACED, k));
}
CUDA_API CUresult cuGraphAddKernelNode_v2(PLACE, const CUDA_KERNEL_NODE_PARAMS *k) {
    CUDA_KERNEL_NODE_PARAMS_v1 old;
    DRV_VIA(cudaGraphAddKernelNode(PLACED, old_form(k, &old)));
}
CUDA_API CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v1 *k) {
    DRV_VIA(cudaGraphKernelNodeGetParams(node, k));
}
CUDA_API CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *k) {
    CUDA_KERNEL_NODE_PARAMS_v1 old;
    CUresult code = k ? cuGraphKernelNodeGetParams(node, &old) : CUDA_ERROR_INVALID_VALUE;
    if (code) return code;
    memset(k, 0, sizeof *k);
    memcpy(k, &old, sizeof old);
    return code;
}
CUDA_API CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1 *k) {
    DRV_VIA(cudaGraphKernelNodeSetParams(node, k));
}
CUDA_API CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *k) {
    CUDA_KERNEL_NODE_PARAMS_v1 old;
    DRV_VIA(cudaGraphKernelNodeSetParams(node, old_form(k, &old)));
}
CUDA_API CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                 const CUDA_KERNEL_NODE_PARAMS_v1 *k) {
    DRV_VIA(cudaGraphExecKernelNodeSetParams(exec, node, k));
}
CUDA_API CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node,
                                                    const CUDA_KERNEL_NODE_PARAMS *k) {
    CUDA_KERNEL_NODE_PARAMS_v1 old;
    DRV_VIA(cudaGraphExecKernelNodeSetParams(exec, node, old_form(k, &old)));
}
DRV_RUNTIME(cuGraphKernelNodeGetAttribute, cudaGraphKernelNodeGetAttribute,
            (CUgraphNode node, CUkernelNodeAttrID attribute, CUkernelNodeAttrValue *value),
            (node, attribute, value))
DRV_RUNTIME(cuGraphKernelNodeSetAttribute, cudaGraphKernelNodeSetAttribute,
            (CUgraphNode node, CUkernelNodeAttrID attribute, const CUkernelNodeAttrValue *value),
            (node, attribute, value))

/* ---- copies ---- */

int cudaGraphAddMemcpyNode(PLACE, const struct cudaMemcpy3DParms *m);
int cudaGraphMemcpyNodeSetParams(CUgraphNode node, const struct cudaMemcpy3DParms *m);
int cudaGraphMemcpyNodeGetParams(CUgraphNode node, struct cudaMemcpy3DParms *m);
int cudaGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node, const struct cudaMemcpy3DParms *m);

/* The runtime counts in elements of the array where there is one. */
static size_t texel_bytes(CUarray array) {
    return array && drv_array(array)->format.bytes ? drv_array(array)->format.bytes : 1;
}

/* Memory that is no array begins where the copy does. */
static struct cudaPitchedPtr memory_side(const CUDA_MEMCPY3D *c, uint64_t at, size_t pitch, size_t rows,
                                         size_t x, size_t y, size_t z) {
    if (!pitch) pitch = x + c->WidthInBytes;
    if (!rows) rows = y + c->Height;
    return (struct cudaPitchedPtr){(void *)(uintptr_t)(at + (z * rows + y) * pitch + x), pitch,
                                   c->WidthInBytes, rows};
}

static int copy_in(struct cu_process *p, const CUDA_MEMCPY3D *c, struct cudaMemcpy3DParms *m) {
    if (!c) return CU_InvalidValue;
    CUarray from = c->srcMemoryType == CU_MEMORYTYPE_ARRAY ? c->srcArray : NULL;
    CUarray to = c->dstMemoryType == CU_MEMORYTYPE_ARRAY ? c->dstArray : NULL;
    if ((from && !cu_is_array(p, drv_array(from))) || (to && !cu_is_array(p, drv_array(to))))
        return CU_InvalidValue;
    size_t in = texel_bytes(from), out = texel_bytes(to);
    *m = (struct cudaMemcpy3DParms){
        .srcArray = drv_array(from), .dstArray = drv_array(to), .kind = cudaMemcpyDefault};
    m->extent = (struct cudaExtent){c->WidthInBytes / (from ? in : out), c->Height, c->Depth};
    uint64_t src = c->srcMemoryType == CU_MEMORYTYPE_HOST ? (uint64_t)(uintptr_t)c->srcHost : c->srcDevice;
    uint64_t dst = c->dstMemoryType == CU_MEMORYTYPE_HOST ? (uint64_t)(uintptr_t)c->dstHost : c->dstDevice;
    if (from)
        m->srcPos = (struct cudaPos){c->srcXInBytes / in, c->srcY, c->srcZ};
    else
        m->srcPtr = memory_side(c, src, c->srcPitch, c->srcHeight, c->srcXInBytes, c->srcY, c->srcZ);
    if (to)
        m->dstPos = (struct cudaPos){c->dstXInBytes / out, c->dstY, c->dstZ};
    else
        m->dstPtr = memory_side(c, dst, c->dstPitch, c->dstHeight, c->dstXInBytes, c->dstY, c->dstZ);
    return CU_Success;
}
static int checked_copy(const CUDA_MEMCPY3D *c, struct cudaMemcpy3DParms *m) {
    struct cu_process *p = cu_enter();
    int code = copy_in(p, c, m);
    cu_unlock(p);
    return code;
}

static void copy_out(const struct cudaMemcpy3DParms *m, CUDA_MEMCPY3D *c) {
    size_t in = texel_bytes((CUarray)m->srcArray), out = texel_bytes((CUarray)m->dstArray);
    *c = (CUDA_MEMCPY3D){.srcXInBytes = m->srcPos.x * in,
                         .srcY = m->srcPos.y,
                         .srcZ = m->srcPos.z,
                         .srcMemoryType = m->srcArray ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_UNIFIED,
                         .srcDevice = (CUdeviceptr)(uintptr_t)m->srcPtr.ptr,
                         .srcArray = (CUarray)m->srcArray,
                         .srcPitch = m->srcPtr.pitch,
                         .srcHeight = m->srcPtr.ysize,
                         .dstXInBytes = m->dstPos.x * out,
                         .dstY = m->dstPos.y,
                         .dstZ = m->dstPos.z,
                         .dstMemoryType = m->dstArray ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_UNIFIED,
                         .dstDevice = (CUdeviceptr)(uintptr_t)m->dstPtr.ptr,
                         .dstArray = (CUarray)m->dstArray,
                         .dstPitch = m->dstPtr.pitch,
                         .dstHeight = m->dstPtr.ysize,
                         .WidthInBytes = m->extent.width * (m->srcArray ? in : out),
                         .Height = m->extent.height,
                         .Depth = m->extent.depth};
}

CUDA_API CUresult cuGraphAddMemcpyNode(PLACE, const CUDA_MEMCPY3D *c, CUcontext context) {
    struct cudaMemcpy3DParms m;
    int code = checked_copy(c, &m);
    (void)context;
    DRV_VIA(code ? code : cudaGraphAddMemcpyNode(PLACED, &m));
}
CUDA_API CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D *c) {
    struct cudaMemcpy3DParms m;
    int code = checked_copy(c, &m);
    DRV_VIA(code ? code : cudaGraphMemcpyNodeSetParams(node, &m));
}
CUDA_API CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D *c,
                                                 CUcontext context) {
    struct cudaMemcpy3DParms m;
    int code = checked_copy(c, &m);
    (void)context;
    DRV_VIA(code ? code : cudaGraphExecMemcpyNodeSetParams(exec, node, &m));
}
static CUresult get_copy(CUgraphNode node, struct cudaMemcpy3DParms *m) {
    DRV_VIA(cudaGraphMemcpyNodeGetParams(node, m));
}
CUDA_API CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D *c) {
    struct cudaMemcpy3DParms m;
    CUresult code = c ? get_copy(node, &m) : CUDA_ERROR_INVALID_VALUE;
    if (!code) copy_out(&m, c);
    return code;
}

/* ---- fills ---- */

int cudaGraphAddMemsetNode(PLACE, const CUDA_MEMSET_NODE_PARAMS *m);
int cudaGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *m);

CUDA_API CUresult cuGraphAddMemsetNode(PLACE, const CUDA_MEMSET_NODE_PARAMS *m, CUcontext context) {
    (void)context;
    DRV_VIA(cudaGraphAddMemsetNode(PLACED, m));
}
CUDA_API CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                 const CUDA_MEMSET_NODE_PARAMS *m, CUcontext context) {
    (void)context;
    DRV_VIA(cudaGraphExecMemsetNodeSetParams(exec, node, m));
}
DRV_RUNTIME(cuGraphMemsetNodeSetParams, cudaGraphMemsetNodeSetParams,
            (CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *m), (node, m))
DRV_RUNTIME(cuGraphMemsetNodeGetParams, cudaGraphMemsetNodeGetParams,
            (CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *m), (node, m))

/* ---- host functions, events, graphs, memory ---- */

DRV_RUNTIME(cuGraphAddHostNode, cudaGraphAddHostNode, (PLACE, const CUDA_HOST_NODE_PARAMS *h), (PLACED, h))
DRV_RUNTIME(cuGraphHostNodeGetParams, cudaGraphHostNodeGetParams,
            (CUgraphNode node, CUDA_HOST_NODE_PARAMS *h), (node, h))
DRV_RUNTIME(cuGraphHostNodeSetParams, cudaGraphHostNodeSetParams,
            (CUgraphNode node, const CUDA_HOST_NODE_PARAMS *h), (node, h))
DRV_RUNTIME(cuGraphExecHostNodeSetParams, cudaGraphExecHostNodeSetParams,
            (CUgraphExec exec, CUgraphNode node, const CUDA_HOST_NODE_PARAMS *h), (exec, node, h))

DRV_RUNTIME(cuGraphAddEventRecordNode, cudaGraphAddEventRecordNode, (PLACE, CUevent event), (PLACED, event))
DRV_RUNTIME(cuGraphEventRecordNodeGetEvent, cudaGraphEventRecordNodeGetEvent,
            (CUgraphNode node, CUevent *event), (node, event))
DRV_RUNTIME(cuGraphEventRecordNodeSetEvent, cudaGraphEventRecordNodeSetEvent,
            (CUgraphNode node, CUevent event), (node, event))
DRV_RUNTIME(cuGraphExecEventRecordNodeSetEvent, cudaGraphExecEventRecordNodeSetEvent,
            (CUgraphExec exec, CUgraphNode node, CUevent event), (exec, node, event))
DRV_RUNTIME(cuGraphAddEventWaitNode, cudaGraphAddEventWaitNode, (PLACE, CUevent event), (PLACED, event))
DRV_RUNTIME(cuGraphEventWaitNodeGetEvent, cudaGraphEventWaitNodeGetEvent, (CUgraphNode node, CUevent *event),
            (node, event))
DRV_RUNTIME(cuGraphEventWaitNodeSetEvent, cudaGraphEventWaitNodeSetEvent, (CUgraphNode node, CUevent event),
            (node, event))
DRV_RUNTIME(cuGraphExecEventWaitNodeSetEvent, cudaGraphExecEventWaitNodeSetEvent,
            (CUgraphExec exec, CUgraphNode node, CUevent event), (exec, node, event))

DRV_RUNTIME(cuGraphAddChildGraphNode, cudaGraphAddChildGraphNode, (PLACE, CUgraph child), (PLACED, child))
DRV_RUNTIME(cuGraphChildGraphNodeGetGraph, cudaGraphChildGraphNodeGetGraph,
            (CUgraphNode node, CUgraph *child), (node, child))
DRV_RUNTIME(cuGraphExecChildGraphNodeSetParams, cudaGraphExecChildGraphNodeSetParams,
            (CUgraphExec exec, CUgraphNode node, CUgraph child), (exec, node, child))
DRV_RUNTIME(cuGraphAddEmptyNode, cudaGraphAddEmptyNode, (PLACE), (PLACED))

DRV_RUNTIME(cuGraphAddMemAllocNode, cudaGraphAddMemAllocNode, (PLACE, CUDA_MEM_ALLOC_NODE_PARAMS *a),
            (PLACED, a))
DRV_RUNTIME(cuGraphMemAllocNodeGetParams, cudaGraphMemAllocNodeGetParams,
            (CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS *a), (node, a))
DRV_RUNTIME(cuGraphAddMemFreeNode, cudaGraphAddMemFreeNode, (PLACE, CUdeviceptr ptr), (PLACED, ptr))
DRV_RUNTIME(cuGraphMemFreeNodeGetParams, cudaGraphMemFreeNodeGetParams, (CUgraphNode node, CUdeviceptr *ptr),
            (node, ptr))
