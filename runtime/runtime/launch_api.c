/* Entry points that launch kernels. */
#include <driver_types.h>

#include "runtime/module/module.h"
#include "runtime/runtime/api.h"
#include "runtime/runtime/launch.h"
#include "runtime/runtime/stream.h"

/* What <<<...>>> says, until the kernel's stub takes it: nested, because arguments may launch kernels too. */
enum { CALLS = 32 };
struct call_configuration {
    dim3 grid, block;
    size_t shared;
    struct CUstream_st *stream;
};
static _Thread_local struct call_configuration calls[CALLS];
static _Thread_local unsigned ncalls;

CUDA_API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
                                              struct CUstream_st *stream) {
    if (ncalls == CALLS) return 1;
    calls[ncalls++] = (struct call_configuration){grid, block, shared, stream};
    return 0;
}

CUDA_API int __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream) {
    if (!ncalls) return CU_MissingConfiguration;
    struct call_configuration *c = &calls[--ncalls];
    *grid = c->grid;
    *block = c->block;
    *shared = c->shared;
    *(struct CUstream_st **)stream = c->stream;
    return CU_Success;
}

static int cu_launch_launch(struct cu_process *p, const void *function, struct cu_geometry g, void **args,
                            struct CUstream_st *stream) {
    struct CUfunc_st *f;
    struct CUstream_st *s;
    int code = cu_function_of(p, function, &f);
    if (!code) code = cu_stream_of(p, stream, &s);
    return code ? code : cu_launch(p, f, &g, args, s);
}

static struct cu_geometry cu_launch_geometry(dim3 grid, dim3 block, size_t shared, int cooperative) {
    return (struct cu_geometry){{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, shared, cooperative};
}

CUDA_API int cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared,
                              struct CUstream_st *stream) {
    CUDA_CALL(cu_launch_launch(p, function, cu_launch_geometry(grid, block, shared, 0), args, stream));
}

CUDA_API int cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **args,
                                         size_t shared, struct CUstream_st *stream) {
    CUDA_CALL(cu_launch_launch(p, function, cu_launch_geometry(grid, block, shared, 1), args, stream));
}

/* The attributes that change what runs; the others (priority, scheduling) have no counterpart. */
static int launch_ex(struct cu_process *p, const cudaLaunchConfig_t *c, const void *function, void **args) {
    if (!c || (c->numAttrs && !c->attrs)) return CU_InvalidValue;
    struct cu_geometry g = {{c->gridDim.x, c->gridDim.y, c->gridDim.z},
                            {c->blockDim.x, c->blockDim.y, c->blockDim.z},
                            c->dynamicSmemBytes,
                            0};
    for (unsigned i = 0; i < c->numAttrs; i++) {
        const cudaLaunchAttribute *a = &c->attrs[i];
        if (a->id == cudaLaunchAttributeCooperative) g.cooperative = a->val.cooperative != 0;
        if (a->id == cudaLaunchAttributeClusterDimension &&
            a->val.clusterDim.x * a->val.clusterDim.y * a->val.clusterDim.z > 1)
            return CU_InvalidClusterSize;
    }
    return cu_launch_launch(p, function, g, args, c->stream);
}
CUDA_API int cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **args) {
    CUDA_CALL(launch_ex(p, config, function, args));
}

static int cu_launch_get_kernel(struct cu_process *p, struct CUfunc_st **f, const void *host) {
    return f ? cu_function_of(p, host, f) : CU_InvalidValue;
}

/* The stubs of nvcc 13 look their kernel up once and launch by handle. */
CUDA_API int __cudaGetKernel(struct CUfunc_st **f, const void *host) {
    struct cu_process *p = cu_lock();
    return cu_leave(p, cu_launch_get_kernel(p, f, host));
}
CUDA_API int cudaGetKernel(struct CUfunc_st **f, const void *host) {
    CUDA_CALL(cu_launch_get_kernel(p, f, host));
}
CUDA_API int cudaGetFuncBySymbol(struct CUfunc_st **f, const void *host) {
    CUDA_CALL(cu_launch_get_kernel(p, f, host));
}

CUDA_API int __cudaLaunchKernel(struct CUfunc_st *f, dim3 grid, dim3 block, void **args, size_t shared,
                                struct CUstream_st *stream) {
    return cudaLaunchKernel(f, grid, block, args, shared, stream);
}
