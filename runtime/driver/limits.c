/* The driver interface: what a context is set to, and waiting for it. */
#include "runtime/driver/drv.h"

CUDA_API CUresult cuCtxGetDevice(CUdevice *device) {
    DRV_CALL(device ? (*device = 0, CU_Success) : CU_InvalidValue);
}
/* CUDA 13 gave these two a context. Bindings that guess names (numba) call them as they were before, without one: what is no
 * context is the current one, which is as good, since there is one device. */
CUDA_API CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext context) {
    (void)context;
    return cuCtxGetDevice(device);
}
CUDA_API CUresult cuCtxSynchronize_v2(CUcontext context) {
    (void)context;
    return cuCtxSynchronize();
}

CUDA_API CUresult cuCtxSynchronize(void) {
    DRV_CALL(cu_stream_wait(p, NULL));
}
CUDA_API CUresult cuCtxGetFlags(unsigned *flags) {
    DRV_CALL(flags ? (*flags = p->context->flags, CU_Success) : CU_InvalidValue);
}
CUDA_API CUresult cuCtxSetFlags(unsigned flags) {
    DRV_CALL(flags & ~(unsigned)CU_CTX_FLAGS_MASK ? CU_InvalidValue
                                                  : (p->context->flags = flags, CU_Success));
}

static int context_id(struct cu_process *p, struct CUctx_st *handle, unsigned long long *id) {
    struct CUctx_st *c;
    int code = drv_context_of(p, handle, &c);
    if (!code && !id) code = CU_InvalidValue;
    if (!code) *id = c->id;
    return code;
}
CUDA_API CUresult cuCtxGetId(CUcontext context, unsigned long long *id) {
    DRV_ANY(context_id(p, context, id));
}

static int api_version(struct cu_process *p, struct CUctx_st *handle, unsigned *version) {
    struct CUctx_st *c;
    int code = drv_context_of(p, handle, &c);
    if (!code && !version) code = CU_InvalidValue;
    if (!code) *version = c->api_version;
    return code;
}
CUDA_API CUresult cuCtxGetApiVersion(CUcontext context, unsigned *version) {
    DRV_ANY(api_version(p, context, version));
}

CUDA_API CUresult cuCtxGetCacheConfig(CUfunc_cache *config) {
    DRV_CALL(config ? (*config = (CUfunc_cache)p->context->cache_config, CU_Success) : CU_InvalidValue);
}
CUDA_API CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
    DRV_CALL((unsigned)config > CU_FUNC_CACHE_PREFER_EQUAL
                 ? CU_InvalidValue
                 : (p->context->cache_config = (int)config, CU_Success));
}
CUDA_API CUresult cuCtxGetSharedMemConfig(CUsharedconfig *config) {
    DRV_CALL(config ? (*config = (CUsharedconfig)p->context->shared_config, CU_Success) : CU_InvalidValue);
}
CUDA_API CUresult cuCtxSetSharedMemConfig(CUsharedconfig config) {
    DRV_CALL((unsigned)config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE
                 ? CU_InvalidValue
                 : (p->context->shared_config = (int)config, CU_Success));
}

CUDA_API CUresult cuCtxGetLimit(size_t *value, CUlimit limit) {
    DRV_CALL(value ? cu_get_limit(p, (int)limit, value) : CU_InvalidValue);
}
CUDA_API CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
    DRV_CALL(cu_set_limit(p, (int)limit, value));
}

CUDA_API CUresult cuCtxResetPersistingL2Cache(void) {
    DRV_CALL(CU_Success);
}

/* There is one device, so no context has a peer. */
CUDA_API CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
    struct CUctx_st *c;
    int code;
    DRV_CALL(flags                                  ? CU_InvalidValue
             : (code = drv_context_of(p, peer, &c)) ? code
             : c == p->context                      ? CU_DeviceUninitialized
                                                    : CU_PeerAccessUnsupported);
}
CUDA_API CUresult cuCtxDisablePeerAccess(CUcontext peer) {
    struct CUctx_st *c;
    int code;
    DRV_CALL((code = drv_context_of(p, peer, &c)) ? code : CU_PeerAccessNotEnabled);
}
