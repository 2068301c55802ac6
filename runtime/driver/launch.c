/* The driver interface: launches. Arguments come as an array of pointers to them, or packed as the kernel's parameters lie
 * (CU_LAUNCH_PARAM_BUFFER_POINTER in `extra`). */
#include "runtime/driver/launch.h"

#include "runtime/module/module.h"
#include "runtime/runtime/op.h"

/* The buffer in a list of names and values that ends in CU_LAUNCH_PARAM_END. */
static int buffer_of(void **extra, const void **params, size_t *bytes) {
    *params = NULL;
    *bytes = 0;
    for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
        if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER)
            *params = extra[1];
        else if (extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE)
            *bytes = *(const size_t *)extra[1];
        else
            return CU_InvalidValue;
    }
    return *params ? CU_Success : CU_InvalidValue;
}

int drv_launch(struct cu_process *p, struct CUfunc_st *f, const struct cu_geometry *g, CUstream stream,
               void **args, void **extra) {
    struct CUstream_st *s;
    const void *params;
    size_t bytes;
    if (!cu_function_valid(p, f)) return CU_InvalidResourceHandle;
    int code = cu_stream_of(p, stream, &s);
    if (!code && extra && args) code = CU_InvalidValue;
    if (code || !extra) return code ? code : cu_launch(p, f, g, args, s);
    code = buffer_of(extra, &params, &bytes);
    return code ? code : cu_launch_packed(p, f, g, params, bytes, s);
}

static struct cu_geometry drv_launch_geometry(unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                              unsigned bz, unsigned shared, int cooperative) {
    return (struct cu_geometry){{gx, gy, gz}, {bx, by, bz}, shared, cooperative};
}

CUDA_API CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                 unsigned by, unsigned bz, unsigned shared, CUstream s, void **args,
                                 void **extra) {
    struct cu_geometry g = drv_launch_geometry(gx, gy, gz, bx, by, bz, shared, 0);
    DRV_CALL(drv_launch(p, f, &g, s, args, extra));
}
CUDA_API CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                            unsigned by, unsigned bz, unsigned shared, CUstream s,
                                            void **args) {
    struct cu_geometry g = drv_launch_geometry(gx, gy, gz, bx, by, bz, shared, 1);
    DRV_CALL(drv_launch(p, f, &g, s, args, NULL));
}

/* Clusters of one block are blocks; what else an attribute may ask for is a hint. */
static int drv_launch_attributes(const CUlaunchConfig *c, struct cu_geometry *g) {
    for (unsigned i = 0; i < c->numAttrs; i++) {
        const CUlaunchAttributeValue *v = &c->attrs[i].value;
        if (c->attrs[i].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) g->cooperative = v->cooperative != 0;
        if (c->attrs[i].id != CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) continue;
        if (v->clusterDim.x * v->clusterDim.y * v->clusterDim.z <= 1) continue;
        cu_warn("cuLaunchKernelEx: clusters of blocks are not supported");
        return CU_NotSupported;
    }
    return CU_Success;
}

static int launch_ex(struct cu_process *p, const CUlaunchConfig *c, struct CUfunc_st *f, void **args,
                     void **extra) {
    if (!c || (c->numAttrs && !c->attrs)) return CU_InvalidValue;
    struct cu_geometry g = drv_launch_geometry(c->gridDimX, c->gridDimY, c->gridDimZ, c->blockDimX,
                                               c->blockDimY, c->blockDimZ, c->sharedMemBytes, 0);
    int code = drv_launch_attributes(c, &g);
    return code ? code : drv_launch(p, f, &g, c->hStream, args, extra);
}
CUDA_API CUresult cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction f, void **args, void **extra) {
    DRV_CALL(launch_ex(p, c, f, args, extra));
}

static int launch_host(struct cu_process *p, CUstream stream, CUhostFn fn, void *user) {
    struct cu_op op = {.kind = CU_OP_HOST, .u.host = {.fn = fn, .user = user}};
    struct CUstream_st *s;
    if (!fn) return CU_InvalidValue;
    int code = cu_stream_of(p, stream, &s);
    return code ? code : cu_submit(p, s, &op);
}
CUDA_API CUresult cuLaunchHostFunc(CUstream s, CUhostFn fn, void *user) {
    DRV_CALL(launch_host(p, s, fn, user));
}
