// Graphs: built by hand and captured, instantiated, launched, updated, cloned; and what capture forbids.
#include "check.h"
#include <string.h>

// The forms of CUDA 12, for compilers whose headers have those of CUDA 13.
#if CUDART_VERSION >= 13000
#define EDGES(g, from, to, n) cudaGraphGetEdges(g, from, to, NULL, n)
#define DEPENDENCIES(node, out, n) cudaGraphNodeGetDependencies(node, out, NULL, n)
#define LINK(g, from, to, n) cudaGraphAddDependencies(g, from, to, NULL, n)
#define UNLINK(g, from, to, n) cudaGraphRemoveDependencies(g, from, to, NULL, n)
#define INFO(s, status, id, g) cudaStreamGetCaptureInfo(s, status, id, g, NULL, NULL, NULL)
#else
#define EDGES cudaGraphGetEdges
#define DEPENDENCIES cudaGraphNodeGetDependencies
#define LINK cudaGraphAddDependencies
#define UNLINK cudaGraphRemoveDependencies
#define INFO(s, status, id, g) cudaStreamGetCaptureInfo_v2(s, status, id, g, NULL, NULL)
#endif

enum { N = 256 };
__device__ int counter[4];

__global__ void add(int *v, int by) { v[threadIdx.x] += by; }
__global__ void scale(int *v, int by) { v[threadIdx.x] *= by; }
__global__ void sum(int *out, const int *a, const int *b) { out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x]; }

static int *fresh(int value) {
    int host[N], *v;
    for (int i = 0; i < N; i++) host[i] = value;
    CALL(cudaMalloc(&v, sizeof host));
    CALL(cudaMemcpy(v, host, sizeof host, cudaMemcpyHostToDevice));
    return v;
}

static bool all_are(const int *device, int value) {
    int host[N];
    CALL(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        if (host[i] != value) return false;
    return true;
}

static int host_calls;
static void count(void *user) { host_calls += *(int *)user; }

static void by_hand() {
    int *v = fresh(1), *w = fresh(0), by = 5, step = 3, got[N];
    cudaGraph_t g;
    cudaGraphNode_t set, kernel, copy, host, empty, all[8];
    cudaGraphExec_t exec;
    size_t n = 0;
    CALL(cudaGraphCreate(&g, 0));
    void *args[] = {&v, &by};
    cudaKernelNodeParams k = {};
    k.func = (void *)add, k.gridDim = dim3(1), k.blockDim = dim3(N), k.kernelParams = args;
    CALL(cudaGraphAddKernelNode(&kernel, g, NULL, 0, &k));
    by = 1000; // the node has its own copy
    cudaMemsetParams m = {};
    m.dst = w, m.elementSize = 4, m.value = 7, m.width = N, m.height = 1, m.pitch = N * 4;
    CALL(cudaGraphAddMemsetNode(&set, g, NULL, 0, &m));
    cudaGraphNode_t both[] = {kernel, set};
    CALL(cudaGraphAddEmptyNode(&empty, g, both, 2));
    CALL(cudaGraphAddMemcpyNode1D(&copy, g, &empty, 1, got, v, sizeof got, cudaMemcpyDeviceToHost));
    cudaHostNodeParams h = {count, &step};
    CALL(cudaGraphAddHostNode(&host, g, &copy, 1, &h));
    CALL(cudaGraphGetNodes(g, NULL, &n));
    CHECK(n == 5);
    n = 8;
    CALL(cudaGraphGetRootNodes(g, all, &n));
    CHECK(n == 2 && all[0] == kernel && all[1] == set && all[2] == NULL);
    CALL(EDGES(g, NULL, NULL, &n));
    CHECK(n == 4);
    CALL(DEPENDENCIES(empty, NULL, &n));
    CHECK(n == 2);
    cudaGraphNodeType type;
    CALL(cudaGraphNodeGetType(host, &type));
    CHECK(type == cudaGraphNodeTypeHost);
    cudaKernelNodeParams back;
    CALL(cudaGraphKernelNodeGetParams(kernel, &back));
    CHECK(back.func == (void *)add && back.blockDim.x == N && *(int *)back.kernelParams[1] == 5);
    FAILS(cudaErrorInvalidValue, cudaGraphHostNodeGetParams(kernel, &h));
    CALL(cudaGraphInstantiate(&exec, g, 0));
    CALL(cudaGraphLaunch(exec, 0));
    CALL(cudaDeviceSynchronize());
    CHECK(got[0] == 6 && got[N - 1] == 6 && host_calls == 3 && all_are(w, 7));
    // three launches with other parameters each
    for (int i = 1; i <= 3; i++) {
        by = 10 * i;
        CALL(cudaGraphExecKernelNodeSetParams(exec, kernel, &k));
        m.value = (unsigned)i;
        CALL(cudaGraphExecMemsetNodeSetParams(exec, set, &m));
        CALL(cudaGraphLaunch(exec, cudaStreamPerThread));
        CALL(cudaStreamSynchronize(cudaStreamPerThread));
        CHECK(all_are(w, i));
    }
    CHECK(all_are(v, 66) && got[17] == 66 && host_calls == 12);
    CALL(cudaGraphNodeSetEnabled(exec, kernel, 0));
    CALL(cudaGraphLaunch(exec, 0));
    CHECK(all_are(v, 66));
    FAILS(cudaErrorInvalidValue, cudaGraphNodeSetEnabled(exec, host, 0));
    CALL(cudaGraphExecDestroy(exec));
    FAILS(cudaErrorInvalidValue, cudaGraphLaunch(exec, 0));
    CALL(cudaGraphDestroy(g));
    CALL(cudaFree(v));
    CALL(cudaFree(w));
    ok("graph by hand");
}

static void structure() {
    cudaGraph_t g, other, copy;
    cudaGraphNode_t a, b, c, found;
    cudaGraphExec_t exec;
    size_t n;
    CALL(cudaGraphCreate(&g, 0));
    CALL(cudaGraphCreate(&other, 0));
    FAILS(cudaErrorInvalidValue, cudaGraphCreate(&g, 1));
    CALL(cudaGraphAddEmptyNode(&a, g, NULL, 0));
    CALL(cudaGraphAddEmptyNode(&b, g, &a, 1));
    FAILS(cudaErrorInvalidValue, cudaGraphAddEmptyNode(&c, other, &a, 1)); // a node of another graph
    cudaGraphNode_t twice[] = {a, a};
    FAILS(cudaErrorInvalidValue, cudaGraphAddEmptyNode(&c, g, twice, 2));
    FAILS(cudaErrorInvalidValue, LINK(g, &a, &b, 1)); // is there already
    FAILS(cudaErrorInvalidValue, LINK(g, &a, &a, 1));
    CALL(cudaGraphClone(&copy, g));
    CALL(cudaGraphNodeFindInClone(&found, b, copy));
    CHECK(found != b);
    CALL(DEPENDENCIES(found, NULL, &n));
    CHECK(n == 1);
    CALL(UNLINK(g, &a, &b, 1));
    FAILS(cudaErrorInvalidValue, UNLINK(g, &a, &b, 1));
    CALL(DEPENDENCIES(b, NULL, &n));
    CHECK(n == 0);
    CALL(LINK(g, &a, &b, 1));
    CALL(LINK(g, &b, &a, 1)); // a cycle, found at instantiation
    FAILS(cudaErrorInvalidValue, cudaGraphInstantiate(&exec, g, 0));
    CALL(cudaGraphDestroyNode(a));
    CALL(cudaGraphInstantiate(&exec, g, 0));
    CALL(cudaGraphExecDestroy(exec));
    CALL(cudaGraphDestroy(copy));
    CALL(cudaGraphDestroy(other));
    CALL(cudaGraphDestroy(g));
    FAILS(cudaErrorInvalidValue, cudaGraphDestroy(g));
    ok("graph structure");
}

// Two streams fork from one and join it again.
static cudaGraph_t captured(int *a, int *b, int *out, int by) {
    cudaStream_t s, t;
    cudaEvent_t fork, join;
    cudaGraph_t g;
    CALL(cudaStreamCreate(&s));
    CALL(cudaStreamCreate(&t));
    CALL(cudaEventCreate(&fork));
    CALL(cudaEventCreate(&join));
    CALL(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    add<<<1, N, 0, s>>>(a, by);
    CALL(cudaEventRecord(fork, s));
    CALL(cudaStreamWaitEvent(t, fork, 0));
    scale<<<1, N, 0, t>>>(b, by);
    scale<<<1, N, 0, s>>>(a, 2);
    CALL(cudaEventRecord(join, t));
    CALL(cudaStreamWaitEvent(s, join, 0));
    CALL(cudaStreamDestroy(t)); // it has joined: nothing is lost
    sum<<<1, N, 0, s>>>(out, a, b);
    CALL(cudaStreamEndCapture(s, &g));
    CALL(cudaEventDestroy(fork));
    CALL(cudaEventDestroy(join));
    CALL(cudaStreamDestroy(s));
    return g;
}

static void capture() {
    int *a = fresh(1), *b = fresh(2), *out = fresh(0);
    cudaGraphExec_t exec;
    size_t nodes, edges;
    cudaGraph_t g = captured(a, b, out, 3);
    CHECK(all_are(a, 1) && all_are(out, 0)); // nothing has run
    CALL(cudaGraphGetNodes(g, NULL, &nodes));
    CALL(EDGES(g, NULL, NULL, &edges));
    CHECK(nodes == 4 && edges == 4);
    CALL(cudaGraphInstantiate(&exec, g, 0));
    CALL(cudaGraphDestroy(g));
    CALL(cudaGraphLaunch(exec, 0)); // a = (1+3)*2 = 8, b = 6
    CHECK(all_are(out, 14));
    CALL(cudaGraphLaunch(exec, 0)); // a = 22, b = 18
    CHECK(all_are(out, 40));
    g = captured(a, b, out, 1);
    cudaGraphExecUpdateResultInfo info;
    CALL(cudaGraphExecUpdate(exec, g, &info));
    CHECK(info.result == cudaGraphExecUpdateSuccess);
    CALL(cudaGraphLaunch(exec, 0)); // a = 46, b = 18
    CHECK(all_are(out, 64));
    CALL(cudaGraphDestroy(g));
    CALL(cudaGraphCreate(&g, 0));
    FAILS(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(exec, g, &info));
    CHECK(info.result == cudaGraphExecUpdateErrorTopologyChanged);
    CALL(cudaGraphDestroy(g));
    CALL(cudaGraphExecDestroy(exec));
    CALL(cudaFree(a));
    CALL(cudaFree(b));
    CALL(cudaFree(out));
    ok("capture with fork and join");
}

static void children() {
    int *v = fresh(0), by = 2;
    cudaGraph_t g, child, inside;
    cudaGraphNode_t first, second, k;
    cudaGraphExec_t exec;
    void *args[] = {&v, &by};
    cudaKernelNodeParams params = {};
    params.func = (void *)add, params.gridDim = dim3(1), params.blockDim = dim3(N), params.kernelParams = args;
    CALL(cudaGraphCreate(&child, 0));
    CALL(cudaGraphAddKernelNode(&k, child, NULL, 0, &params));
    CALL(cudaGraphCreate(&g, 0));
    CALL(cudaGraphAddChildGraphNode(&first, g, NULL, 0, child));
    CALL(cudaGraphAddChildGraphNode(&second, g, &first, 1, child));
    CALL(cudaGraphChildGraphNodeGetGraph(second, &inside));
    CHECK(inside != child);
    FAILS(cudaErrorInvalidValue, cudaGraphDestroy(inside)); // belongs to its node
    CALL(cudaGraphDestroy(child));
    CALL(cudaGraphInstantiate(&exec, g, 0));
    CALL(cudaGraphLaunch(exec, 0));
    CHECK(all_are(v, 4));
    CALL(cudaGraphExecDestroy(exec));
    CALL(cudaGraphDestroy(g));
    CALL(cudaFree(v));
    ok("child graphs");
}

static void copies_and_symbols() {
    int *v = fresh(9), in[4] = {1, 2, 3, 4}, out[4] = {0};
    cudaGraph_t g;
    cudaGraphNode_t to, from;
    cudaGraphExec_t exec;
    CALL(cudaGraphCreate(&g, 0));
    CALL(cudaGraphAddMemcpyNodeToSymbol(&to, g, NULL, 0, counter, in, sizeof in, 0, cudaMemcpyHostToDevice));
    CALL(cudaGraphAddMemcpyNodeFromSymbol(&from, g, &to, 1, out, counter, 8, 8, cudaMemcpyDeviceToHost));
    FAILS(cudaErrorInvalidValue,
          cudaGraphAddMemcpyNodeFromSymbol(&from, g, &to, 1, out, counter, 16, 8, cudaMemcpyDeviceToHost));
    CALL(cudaGraphInstantiate(&exec, g, 0));
    CALL(cudaGraphLaunch(exec, 0));
    CALL(cudaDeviceSynchronize());
    CHECK(out[0] == 3 && out[1] == 4 && out[2] == 0);
    in[2] = 33;
    CALL(cudaGraphLaunch(exec, 0));
    CALL(cudaDeviceSynchronize());
    CHECK(out[0] == 33);
    CALL(cudaGraphExecMemcpyNodeSetParams1D(exec, from, out, v, 4, cudaMemcpyDeviceToHost));
    CALL(cudaGraphLaunch(exec, 0));
    CALL(cudaDeviceSynchronize());
    CHECK(out[0] == 9);
    CALL(cudaGraphExecDestroy(exec));
    CALL(cudaGraphDestroy(g));
    CALL(cudaFree(v));
    ok("graph copies and symbols");
}

static void events_in_graphs() {
    int *v = fresh(0);
    cudaStream_t s;
    cudaEvent_t start, stop;
    cudaGraph_t g;
    cudaGraphExec_t exec;
    float ms = -1;
    CALL(cudaStreamCreate(&s));
    CALL(cudaEventCreate(&start));
    CALL(cudaEventCreate(&stop));
    CALL(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    CALL(cudaEventRecordWithFlags(start, s, cudaEventRecordExternal));
    for (int i = 0; i < 4; i++) add<<<1, N, 0, s>>>(v, 1);
    CALL(cudaEventRecordWithFlags(stop, s, cudaEventRecordExternal));
    CALL(cudaStreamEndCapture(s, &g));
    CALL(cudaGraphInstantiate(&exec, g, 0));
    CALL(cudaGraphLaunch(exec, s));
    CALL(cudaEventSynchronize(stop));
    CALL(cudaEventElapsedTime(&ms, start, stop));
    CHECK(ms > 0 && all_are(v, 4));
    FAILS(cudaErrorIllegalState, cudaEventRecordWithFlags(stop, s, cudaEventRecordExternal));
    CALL(cudaGraphExecDestroy(exec));
    CALL(cudaGraphDestroy(g));
    CALL(cudaEventDestroy(start));
    CALL(cudaEventDestroy(stop));
    CALL(cudaStreamDestroy(s));
    CALL(cudaFree(v));
    ok("events in graphs");
}

static void status(cudaStream_t s, cudaStreamCaptureStatus want) {
    cudaStreamCaptureStatus got;
    CALL(cudaStreamIsCapturing(s, &got));
    CHECK(got == want);
}

static void capture_errors() {
    int *v = fresh(0), *w;
    cudaStream_t s, t;
    cudaEvent_t e, outside;
    cudaGraph_t g = (cudaGraph_t)1;
    unsigned long long id = 0;
    cudaStreamCaptureStatus st;
    CALL(cudaStreamCreate(&s));
    CALL(cudaStreamCreate(&t));
    CALL(cudaEventCreate(&e));
    CALL(cudaEventCreate(&outside));
    CALL(cudaEventRecord(outside, t));
    FAILS(cudaErrorIllegalState, cudaStreamEndCapture(s, &g));
    FAILS(cudaErrorStreamCaptureUnsupported, cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal));
    // a fork that is not joined
    CALL(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    FAILS(cudaErrorIllegalState, cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CALL(INFO(s, &st, &id, &g));
    CHECK(st == cudaStreamCaptureStatusActive && id && g);
    CALL(cudaEventRecord(e, s));
    CALL(cudaStreamWaitEvent(t, e, 0));
    status(t, cudaStreamCaptureStatusActive);
    add<<<1, N, 0, t>>>(v, 1);
    FAILS(cudaErrorStreamCaptureUnmatched, cudaStreamEndCapture(t, &g));
    FAILS(cudaErrorStreamCaptureUnjoined, cudaStreamEndCapture(s, &g));
    CHECK(g == NULL);
    status(s, cudaStreamCaptureStatusNone);
    status(t, cudaStreamCaptureStatusNone);
    // waiting for a stream that captures
    CALL(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    FAILS(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(s));
    status(s, cudaStreamCaptureStatusInvalidated);
    add<<<1, N, 0, s>>>(v, 1);
    FAILS(cudaErrorStreamCaptureInvalidated, cudaGetLastError());
    FAILS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(s, &g));
    // the legacy stream
    CALL(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    add<<<1, N>>>(v, 1);
    FAILS(cudaErrorStreamCaptureImplicit, cudaGetLastError());
    FAILS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(s, &g));
    // allocation, unless relaxed
    CALL(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    FAILS(cudaErrorStreamCaptureUnsupported, cudaMalloc(&w, 4));
    FAILS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(s, &g));
    CALL(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    CALL(cudaMalloc(&w, 4));
    CALL(cudaStreamEndCapture(s, &g));
    CALL(cudaGraphDestroy(g));
    // an event from outside, and one of a capture
    CALL(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    FAILS(cudaErrorStreamCaptureIsolation, cudaStreamWaitEvent(s, outside, 0));
    FAILS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(s, &g));
    CALL(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CALL(cudaEventRecord(e, s));
    FAILS(cudaErrorCapturedEvent, cudaEventQuery(e));
    FAILS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(s, &g));
    CHECK(all_are(v, 0));
    CALL(cudaStreamDestroy(s));
    CALL(cudaStreamDestroy(t));
    CALL(cudaEventDestroy(e));
    CALL(cudaEventDestroy(outside));
    CALL(cudaFree(v));
    CALL(cudaFree(w));
    ok("capture errors");
}

static void memory_nodes() {
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphExec_t exec;
    cudaGraphNode_t node, release;
    cudaMemAllocNodeParams a = {};
    unsigned long long used = 1;
    int *v, *out = fresh(0);
    CALL(cudaStreamCreate(&s));
    CALL(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CALL(cudaMallocAsync((void **)&v, N * sizeof *v, s));
    CALL(cudaMemsetAsync(v, 0, N * sizeof *v, s));
    add<<<1, N, 0, s>>>(v, 3);
    CALL(cudaMemcpyAsync(out, v, N * sizeof *v, cudaMemcpyDeviceToDevice, s));
    CALL(cudaFreeAsync(v, s));
    CALL(cudaStreamEndCapture(s, &g));
    CALL(cudaGraphInstantiate(&exec, g, 0));
    for (int i = 0; i < 3; i++) CALL(cudaGraphLaunch(exec, s));
    CHECK(all_are(out, 3));
    CALL(cudaGraphExecDestroy(exec));
    CALL(cudaGraphDestroy(g));
    // allocated in the graph, freed outside
    CALL(cudaGraphCreate(&g, 0));
    a.poolProps.allocType = cudaMemAllocationTypePinned;
    a.poolProps.location.type = cudaMemLocationTypeDevice;
    a.bytesize = N * sizeof *v;
    CALL(cudaGraphAddMemAllocNode(&node, g, NULL, 0, &a));
    CHECK(a.dptr != NULL);
    CALL(cudaGraphInstantiate(&exec, g, 0));
    CALL(cudaGraphLaunch(exec, s));
    CALL(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
    CHECK(used == N * sizeof *v);
    FAILS(cudaErrorInvalidValue, cudaGraphLaunch(exec, s)); // what it allocated was not freed
    CALL(cudaMemset(a.dptr, 0, a.bytesize));
    CALL(cudaFreeAsync(a.dptr, s));
    CALL(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
    CHECK(used == 0);
    CALL(cudaGraphLaunch(exec, s));
    CALL(cudaFree(a.dptr));
    FAILS(cudaErrorInvalidValue, cudaGraphAddMemFreeNode(&release, g, &node, 1, out));
    CALL(cudaGraphExecDestroy(exec));
    CALL(cudaGraphDestroy(g));
    CALL(cudaStreamDestroy(s));
    CALL(cudaFree(out));
    ok("graph memory");
}

static void dot() {
    cudaGraph_t g;
    cudaGraphNode_t a, b;
    char line[256];
    int arrows = 0;
    const char *path = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    char file[512];
    snprintf(file, sizeof file, "%s/cudart-graph.%p.dot", path, (void *)&g);
    CALL(cudaGraphCreate(&g, 0));
    CALL(cudaGraphAddEmptyNode(&a, g, NULL, 0));
    CALL(cudaGraphAddEmptyNode(&b, g, &a, 1));
    CALL(cudaGraphDebugDotPrint(g, file, cudaGraphDebugDotFlagsVerbose));
    FILE *f = fopen(file, "r");
    CHECK(f != NULL);
    while (fgets(line, sizeof line, f)) arrows += strstr(line, "->") != NULL;
    fclose(f);
    remove(file);
    CHECK(arrows == 1);
    FAILS(cudaErrorOperatingSystem, cudaGraphDebugDotPrint(g, "/nonexistent/graph.dot", 0));
    CALL(cudaGraphDestroy(g));
    ok("graph as text");
}

static int destroyed;
static void destroy_object(void *user) { destroyed += *(int *)user; }

static void user_objects() {
    int value = 1;
    cudaUserObject_t object;
    cudaGraph_t g;
    cudaGraphExec_t exec;
    CALL(cudaUserObjectCreate(&object, &value, destroy_object, 1, cudaUserObjectNoDestructorSync));
    CALL(cudaGraphCreate(&g, 0));
    CALL(cudaGraphRetainUserObject(g, object, 1, cudaGraphUserObjectMove));
    CALL(cudaGraphInstantiate(&exec, g, 0));
    CALL(cudaGraphDestroy(g));
    CHECK(destroyed == 0);
    CALL(cudaGraphExecDestroy(exec));
    CHECK(destroyed == 1);
    ok("user objects");
}

int main() {
    by_hand();
    structure();
    capture();
    children();
    copies_and_symbols();
    events_in_graphs();
    capture_errors();
    memory_nodes();
    dot();
    user_objects();
    CALL(cudaDeviceReset());
    return 0;
}
