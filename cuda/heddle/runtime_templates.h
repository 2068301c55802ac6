/* What the CUDA runtime has in C++ over the functions of cuda_runtime_api.h: pointers of any type, kernels and variables as they
 * are named in the program, occupancy, launches with attributes; and functions with the parameters of CUDA 12. */
#ifndef HEDDLE_CUDA_RUNTIME_TEMPLATES_H
#define HEDDLE_CUDA_RUNTIME_TEMPLATES_H

#include "../channel_descriptor.h"
#include "../cuda_runtime_api.h"
#include "../driver_functions.h"

/* ---- memory ---- */
template <class T> inline cudaError_t cudaMalloc(T **p, size_t bytes) { return cudaMalloc((void **)(void *)p, bytes); }
template <class T> inline cudaError_t cudaMallocHost(T **p, size_t bytes, unsigned flags = 0) {
    return cudaHostAlloc((void **)(void *)p, bytes, flags);
}
template <class T> inline cudaError_t cudaHostAlloc(T **p, size_t bytes, unsigned flags) {
    return cudaHostAlloc((void **)(void *)p, bytes, flags);
}
template <class T> inline cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned flags) {
    return cudaHostGetDevicePointer((void **)(void *)device, host, flags);
}
template <class T> inline cudaError_t cudaMallocManaged(T **p, size_t bytes, unsigned flags = cudaMemAttachGlobal) {
    return cudaMallocManaged((void **)(void *)p, bytes, flags);
}
template <class T> inline cudaError_t cudaMallocPitch(T **p, size_t *pitch, size_t width, size_t height) {
    return cudaMallocPitch((void **)(void *)p, pitch, width, height);
}
template <class T> inline cudaError_t cudaMallocAsync(T **p, size_t bytes, cudaStream_t s) {
    return cudaMallocAsync((void **)(void *)p, bytes, s);
}
template <class T> inline cudaError_t cudaMallocFromPoolAsync(T **p, size_t bytes, cudaMemPool_t pool, cudaStream_t s) {
    return cudaMallocFromPoolAsync((void **)(void *)p, bytes, pool, s);
}
template <class T> inline cudaError_t cudaMallocAsync(T **p, size_t bytes, cudaMemPool_t pool, cudaStream_t s) {
    return cudaMallocFromPoolAsync((void **)(void *)p, bytes, pool, s);
}
template <class T>
inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t s, T *p, size_t length = 0, unsigned flags = cudaMemAttachSingle) {
    return cudaStreamAttachMemAsync(s, (void *)p, length, flags);
}

/* ---- variables: the address of the host's copy of one stands for it ---- */
template <class T> inline const void *heddle_symbol(const T &symbol) { return __builtin_addressof(symbol); }
template <class T> inline cudaError_t cudaGetSymbolAddress(void **p, const T &symbol) {
    return cudaGetSymbolAddress(p, heddle_symbol(symbol));
}
/* Also with a pointer of the variable's type, which nvcc allows by a template of its own. */
template <class P, class T> inline cudaError_t cudaGetSymbolAddress(P **p, const T &symbol) {
    return cudaGetSymbolAddress((void **)(void *)p, heddle_symbol(symbol));
}
template <class T> inline cudaError_t cudaGetSymbolSize(size_t *size, const T &symbol) {
    return cudaGetSymbolSize(size, heddle_symbol(symbol));
}
template <class T>
inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes, size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    return cudaMemcpyToSymbol(heddle_symbol(symbol), from, bytes, offset, kind);
}
template <class T>
inline cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t bytes, size_t offset = 0,
                                           cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t s = 0) {
    return cudaMemcpyToSymbolAsync(heddle_symbol(symbol), from, bytes, offset, kind, s);
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                        cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
    return cudaMemcpyFromSymbol(to, heddle_symbol(symbol), bytes, offset, kind);
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t s = 0) {
    return cudaMemcpyFromSymbolAsync(to, heddle_symbol(symbol), bytes, offset, kind, s);
}

/* ---- kernels ---- */
template <class T>
inline cudaError_t cudaLaunchKernel(T *kernel, dim3 grid, dim3 block, void **args, size_t shared = 0, cudaStream_t s = 0) {
    return cudaLaunchKernel((const void *)kernel, grid, block, args, shared, s);
}
template <class T>
inline cudaError_t cudaLaunchCooperativeKernel(T *kernel, dim3 grid, dim3 block, void **args, size_t shared = 0,
                                               cudaStream_t s = 0) {
    return cudaLaunchCooperativeKernel((const void *)kernel, grid, block, args, shared, s);
}
template <class... Parameters, class... Arguments>
inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *how, void (*kernel)(Parameters...), Arguments &&...args) {
    return [&](Parameters... converted) {
        void *pointers[sizeof...(Parameters) + 1] = {(void *)__builtin_addressof(converted)...};
        return cudaLaunchKernelExC(how, (const void *)kernel, pointers);
    }(static_cast<Arguments &&>(args)...);
}
template <class T> inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *a, T *kernel) {
    return cudaFuncGetAttributes(a, (const void *)kernel);
}
template <class T> inline cudaError_t cudaFuncSetAttribute(T *kernel, cudaFuncAttribute what, int value) {
    return cudaFuncSetAttribute((const void *)kernel, what, value);
}
template <class T> inline cudaError_t cudaFuncSetCacheConfig(T *kernel, cudaFuncCache how) {
    return cudaFuncSetCacheConfig((const void *)kernel, how);
}
template <class T> inline cudaError_t cudaFuncSetSharedMemConfig(T *kernel, cudaSharedMemConfig how) {
    return cudaFuncSetSharedMemConfig((const void *)kernel, how);
}
template <class T> inline cudaError_t cudaFuncGetName(const char **name, T *kernel) {
    return cudaFuncGetName(name, (const void *)kernel);
}
template <class T> inline cudaError_t cudaGetFuncBySymbol(cudaFunction_t *f, T *kernel) {
    return cudaGetFuncBySymbol(f, (const void *)kernel);
}
template <class T> inline cudaError_t cudaGetKernel(cudaKernel_t *f, T *kernel) {
    return cudaGetKernel(f, (const void *)kernel);
}

/* ---- occupancy ---- */
template <class T>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T *kernel, int threads, size_t shared) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)kernel, threads, shared);
}
template <class T>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T *kernel, int threads, size_t shared,
                                                                          unsigned flags) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)kernel, threads, shared, flags);
}
template <class T>
inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, T *kernel, int blocks, int threads) {
    return cudaOccupancyAvailableDynamicSMemPerBlock(bytes, (const void *)kernel, blocks, threads);
}
/* The largest of the block sizes, in steps of a warp, with the most threads on an SM. */
template <class Of, class T>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int *grid, int *block, T *kernel, Of shared_of,
                                                                           int limit = 0, unsigned flags = 0) {
    int device = 0, sms = 0, warp = 0, most_of_sm = 0, best = 0;
    cudaFuncAttributes about;
    cudaError_t e = cudaGetDevice(&device);
    if (!e) e = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    if (!e) e = cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device);
    if (!e) e = cudaDeviceGetAttribute(&most_of_sm, cudaDevAttrMaxThreadsPerMultiProcessor, device);
    if (!e) e = cudaFuncGetAttributes(&about, (const void *)kernel);
    if (e) return e;
    int most = about.maxThreadsPerBlock;
    if (limit > 0 && limit < most) most = limit;
    *grid = *block = 0;
    for (int up = (most + warp - 1) / warp * warp; up > 0; up -= warp) {
        const int threads = up < most ? up : most;
        int blocks = 0;
        e = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, (const void *)kernel, threads,
                                                                   shared_of(threads), flags);
        if (e) return e;
        if (blocks * threads > best) best = blocks * threads, *block = threads, *grid = blocks * sms;
        if (best == most_of_sm) break;
    }
    return cudaSuccess;
}
template <class Of, class T>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block, T *kernel, Of shared_of, int limit = 0) {
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(grid, block, kernel, shared_of, limit, 0);
}
template <class T>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, T *kernel, size_t shared = 0,
                                                               int limit = 0, unsigned flags = 0) {
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
        grid, block, kernel, [shared](int) { return shared; }, limit, flags);
}
template <class T>
inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, T *kernel, size_t shared = 0, int limit = 0) {
    return cudaOccupancyMaxPotentialBlockSizeWithFlags(grid, block, kernel, shared, limit, 0);
}

/* ---- with the parameters of CUDA 12 ---- */
inline cudaError_t cudaEventCreate(cudaEvent_t *e, unsigned flags) { return cudaEventCreateWithFlags(e, flags); }
namespace heddle {
inline cudaMemLocation location(int device) {
    cudaMemLocation at = {device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice,
                          device == cudaCpuDeviceId ? 0 : device};
    return at;
}
} // namespace heddle
inline cudaError_t cudaMemPrefetchAsync(const void *p, size_t bytes, int device, cudaStream_t s = 0) {
    return cudaMemPrefetchAsync(p, bytes, heddle::location(device), 0u, s);
}
inline cudaError_t cudaMemAdvise(const void *p, size_t bytes, cudaMemoryAdvise advice, int device) {
    return cudaMemAdvise(p, bytes, advice, heddle::location(device));
}
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *to, cudaGraph_t graph, cudaGraphNode_t *wrong, char *, size_t) {
    if (wrong) *wrong = 0;
    return cudaGraphInstantiate(to, graph, 0ull);
}
inline cudaError_t cudaGraphAddDependencies(cudaGraph_t g, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t n) {
    return cudaGraphAddDependencies(g, from, to, (const cudaGraphEdgeData *)0, n);
}
inline cudaError_t cudaGraphRemoveDependencies(cudaGraph_t g, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t n) {
    return cudaGraphRemoveDependencies(g, from, to, (const cudaGraphEdgeData *)0, n);
}
inline cudaError_t cudaGraphGetEdges(cudaGraph_t g, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *n) {
    return cudaGraphGetEdges(g, from, to, (cudaGraphEdgeData *)0, n);
}
inline cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *of, size_t *n) {
    return cudaGraphNodeGetDependencies(node, of, (cudaGraphEdgeData *)0, n);
}
inline cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *of, size_t *n) {
    return cudaGraphNodeGetDependentNodes(node, of, (cudaGraphEdgeData *)0, n);
}
inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *wrong,
                                       cudaGraphExecUpdateResult *result) {
    cudaGraphExecUpdateResultInfo about = {};
    cudaError_t e = cudaGraphExecUpdate(exec, graph, &about);
    if (wrong) *wrong = about.errorNode;
    if (result) *result = about.result;
    return e;
}
inline cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t s, cudaStreamCaptureStatus *status, unsigned long long *id = 0,
                                               cudaGraph_t *graph = 0, const cudaGraphNode_t **dependencies = 0,
                                               size_t *n = 0) {
    return cudaStreamGetCaptureInfo(s, status, id, graph, dependencies, (const cudaGraphEdgeData **)0, n);
}
template <class T>
inline cudaError_t cudaCreateTextureObject(T *object, const cudaResourceDesc *of, const cudaTextureDesc *how) {
    return cudaCreateTextureObject(object, of, how, (const cudaResourceViewDesc *)0);
}

#endif
