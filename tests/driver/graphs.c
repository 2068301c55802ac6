/* Graphs of the driver interface: built node by node, captured, changed, updated. */
#include "check.h"

/* *p = *p * a + b by one thread */
static const char kernels[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n"
    ".visible .entry step(.param .u64 p, .param .u32 a, .param .u32 b)\n{\n.reg .b32 %r<5>;\n.reg .b64 "
    "%d<2>;\n"
    "ld.param.u64 %d1, [p];\nld.param.u32 %r1, [a];\nld.param.u32 %r2, [b];\nld.global.u32 %r3, [%d1];\n"
    "mad.lo.u32 %r3, %r3, %r1, %r2;\nst.global.u32 [%d1], %r3;\nret;\n}\n";

static CUfunction step;
static CUdeviceptr cell;
static unsigned result, a = 3, b = 4, seen;
static void *args[] = {&cell, &a, &b};

static void set_up(void) {
    CUcontext c;
    CUmodule m;
    NEED(cuInit(0));
    NEED(cuCtxCreate(&c, 0, 0));
    NEED(cuModuleLoadData(&m, kernels));
    NEED(cuModuleGetFunction(&step, m, "step"));
    NEED(cuMemAlloc(&cell, 4));
}

static CUDA_KERNEL_NODE_PARAMS kernel(void) {
    CUDA_KERNEL_NODE_PARAMS k = {.func = step,
                                 .gridDimX = 1,
                                 .gridDimY = 1,
                                 .gridDimZ = 1,
                                 .blockDimX = 1,
                                 .blockDimY = 1,
                                 .blockDimZ = 1,
                                 .kernelParams = args};
    return k;
}
static CUDA_MEMCPY3D copy_out(void) {
    CUDA_MEMCPY3D c = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                       .srcDevice = cell,
                       .dstMemoryType = CU_MEMORYTYPE_HOST,
                       .dstHost = &result,
                       .WidthInBytes = 4,
                       .Height = 1,
                       .Depth = 1};
    return c;
}
static void look(void *user) {
    (void)user;
    seen = result;
}

/* fill 5, times 3 plus 4, copy, host function: 19 */
static void by_hand(void) {
    CUgraph g, clone;
    CUgraphNode set, run, copy, host, nodes[8], found;
    CUgraphExec exec;
    CUgraphNodeType type;
    size_t n = 8;
    CUDA_MEMSET_NODE_PARAMS five = {.dst = cell, .value = 5, .elementSize = 4, .width = 1, .height = 1}, m;
    CUDA_KERNEL_NODE_PARAMS k = kernel(), got;
    CUDA_MEMCPY3D c = copy_out(), c2;
    CUDA_HOST_NODE_PARAMS h = {look, NULL};
    NEED(cuGraphCreate(&g, 0));
    NEED(cuGraphAddMemsetNode(&set, g, NULL, 0, &five, NULL));
    NEED(cuGraphAddKernelNode(&run, g, &set, 1, &k));
    NEED(cuGraphAddMemcpyNode(&copy, g, &run, 1, &c, NULL));
    NEED(cuGraphAddHostNode(&host, g, &copy, 1, &h));
    NEED(cuGraphGetNodes(g, nodes, &n));
    CHECK(n == 4);
    NEED(cuGraphNodeGetType(copy, &type));
    CHECK(type == CU_GRAPH_NODE_TYPE_MEMCPY);
    NEED(cuGraphKernelNodeGetParams(run, &got));
    CHECK(got.func == step && got.blockDimX == 1);
    NEED(cuGraphMemsetNodeGetParams(set, &m));
    CHECK(m.dst == cell && m.value == 5);
    NEED(cuGraphMemcpyNodeGetParams(copy, &c2));
    CHECK(c2.srcDevice == cell && c2.WidthInBytes == 4);
    n = 8;
    NEED(cuGraphNodeGetDependencies(copy, nodes, &n));
    CHECK(n == 1 && nodes[0] == run);
    NEED(cuGraphClone(&clone, g));
    NEED(cuGraphNodeFindInClone(&found, run, clone));
    NEED(cuGraphDestroy(clone));
    NEED(cuGraphInstantiate(&exec, g, 0));
    NEED(cuGraphLaunch(exec, NULL));
    NEED(cuStreamSynchronize(NULL));
    CHECK(seen == 19);
    /* other arguments for the same executable graph */
    a = 10, b = 1;
    NEED(cuGraphExecKernelNodeSetParams(exec, run, &k));
    five.value = 7;
    NEED(cuGraphExecMemsetNodeSetParams(exec, set, &five, NULL));
    NEED(cuGraphLaunch(exec, NULL));
    NEED(cuCtxSynchronize());
    CHECK(seen == 71);
    /* the whole graph again, with what it has now */
    CUgraphExecUpdateResultInfo info;
    a = 2, b = 0;
    NEED(cuGraphKernelNodeSetParams(run, &k));
    NEED(cuGraphExecUpdate(exec, g, &info));
    CHECK(info.result == CU_GRAPH_EXEC_UPDATE_SUCCESS);
    NEED(cuGraphLaunch(exec, NULL));
    NEED(cuCtxSynchronize());
    CHECK(seen == 10);
    NEED(cuGraphDestroyNode(host));
    GIVES(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, cuGraphExecUpdate(exec, g, &info));
    NEED(cuGraphExecDestroy(exec));
    NEED(cuGraphDestroy(g));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuGraphDestroy(g));
}

static void captured(void) {
    CUstream s;
    CUgraph g;
    CUgraphExec exec;
    CUstreamCaptureStatus status;
    a = 3, b = 1;
    NEED(cuMemsetD32(cell, 1, 1));
    NEED(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    NEED(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
    NEED(cuStreamIsCapturing(s, &status));
    CHECK(status == CU_STREAM_CAPTURE_STATUS_ACTIVE);
    NEED(cuLaunchKernel(step, 1, 1, 1, 1, 1, 1, 0, s, args, NULL));
    NEED(cuLaunchKernel(step, 1, 1, 1, 1, 1, 1, 0, s, args, NULL));
    NEED(cuMemcpyDtoHAsync(&result, cell, 4, s));
    NEED(cuLaunchHostFunc(s, look, NULL));
    NEED(cuStreamEndCapture(s, &g));
    NEED(cuMemcpyDtoH(&result, cell, 4));
    CHECK(result == 1); /* nothing has run */
    NEED(cuGraphInstantiate(&exec, g, 0));
    NEED(cuGraphLaunch(exec, s));
    NEED(cuGraphLaunch(exec, s));
    NEED(cuStreamSynchronize(s));
    CHECK(seen == 121); /* 1, 4, 13, 40, 121 */
    NEED(cuGraphExecDestroy(exec));
    NEED(cuGraphDestroy(g));
    NEED(cuStreamDestroy(s));
}

/* Makes nodes by the call whose parameters say their kind. */
static void by_kind(void) {
    CUgraph g;
    CUgraphNode set, run, copy;
    CUgraphExec exec;
    CUDA_KERNEL_NODE_PARAMS k = kernel();
    CUgraphNodeParams n;
    a = 6, b = 7;
    NEED(cuGraphCreate(&g, 0));
    memset(&n, 0, sizeof n);
    n.type = CU_GRAPH_NODE_TYPE_MEMSET;
    n.memset.dst = cell, n.memset.value = 2, n.memset.elementSize = 4, n.memset.width = n.memset.height = 1;
    NEED(cuGraphAddNode(&set, g, NULL, 0, &n));
    memset(&n, 0, sizeof n);
    n.type = CU_GRAPH_NODE_TYPE_KERNEL;
    memcpy(&n.kernel, &k, sizeof k);
    NEED(cuGraphAddNode(&run, g, &set, 1, &n));
    memset(&n, 0, sizeof n);
    n.type = CU_GRAPH_NODE_TYPE_MEMCPY;
    n.memcpy.copyParams = copy_out();
    NEED(cuGraphAddNode(&copy, g, &run, 1, &n));
    NEED(cuGraphKernelNodeCopyAttributes(run, run));
    NEED(cuGraphInstantiate(&exec, g, 0));
    NEED(cuGraphLaunch(exec, NULL));
    NEED(cuCtxSynchronize());
    CHECK(result == 19);
    memset(&n, 0, sizeof n);
    n.type = CU_GRAPH_NODE_TYPE_MEMSET;
    n.memset.dst = cell, n.memset.value = 3, n.memset.elementSize = 4, n.memset.width = n.memset.height = 1;
    NEED(cuGraphExecNodeSetParams(exec, set, &n));
    NEED(cuGraphLaunch(exec, NULL));
    NEED(cuCtxSynchronize());
    CHECK(result == 25);
    n.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    GIVES(CUDA_ERROR_NOT_SUPPORTED, cuGraphAddNode(&copy, g, NULL, 0, &n));
    NEED(cuGraphExecDestroy(exec));
    NEED(cuGraphDestroy(g));
}

/* A copy from an array through a graph: texels counted as bytes here and as elements by the runtime. */
static void array_copies(void) {
    CUarray array;
    CUgraph g;
    CUgraphNode node;
    CUgraphExec exec;
    float in[4] = {1, 2, 3, 4}, out[4] = {0};
    CUDA_ARRAY_DESCRIPTOR d = {.Width = 4, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};
    NEED(cuArrayCreate(&array, &d));
    NEED(cuMemcpyHtoA(array, 0, in, sizeof in));
    CUDA_MEMCPY3D c = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                       .srcArray = array,
                       .srcXInBytes = 4,
                       .dstMemoryType = CU_MEMORYTYPE_HOST,
                       .dstHost = out,
                       .WidthInBytes = 12,
                       .Height = 1,
                       .Depth = 1};
    NEED(cuGraphCreate(&g, 0));
    NEED(cuGraphAddMemcpyNode(&node, g, NULL, 0, &c, NULL));
    NEED(cuGraphInstantiate(&exec, g, 0));
    NEED(cuGraphLaunch(exec, NULL));
    NEED(cuCtxSynchronize());
    CHECK(out[0] == 2 && out[2] == 4 && out[3] == 0);
    NEED(cuGraphExecDestroy(exec));
    NEED(cuGraphDestroy(g));
    NEED(cuArrayDestroy(array));
}

int main(void) {
    RUN(set_up);
    RUN(by_hand);
    RUN(captured);
    RUN(by_kind);
    RUN(array_copies);
    return failures != 0;
}
