/* Entry points about kernels: attributes, preferences, occupancy. */
#include <driver_types.h>
#include <string.h>

#include "runtime/module/function.h"
#include "runtime/module/module.h"
#include "runtime/runtime/api.h"

enum { FUNCTION_CACHES = 4, ATTRIBUTES_11 = offsetof(struct cudaFuncAttributes, clusterDimMustBeSet) };

static int cu_function_get(struct cu_process *p, struct CUfunc_st *f, int attribute) {
    int value = 0;
    (void)cu_function_attribute(p, f, attribute, &value);
    return value;
}

static int cu_function_attributes(struct cu_process *p, struct cudaFuncAttributes *to, const void *function,
                                  size_t bytes) {
    struct CUfunc_st *f;
    if (!to) return CU_InvalidValue;
    int code = cu_function_of(p, function, &f);
    if (!code) code = cu_function_ready(p, f);
    if (code) return code;
    struct cudaFuncAttributes a = {.maxThreadsPerBlock = cu_function_get(p, f, 0),
                                   .sharedSizeBytes = (size_t)cu_function_get(p, f, 1),
                                   .constSizeBytes = (size_t)cu_function_get(p, f, 2),
                                   .localSizeBytes = (size_t)cu_function_get(p, f, 3),
                                   .numRegs = cu_function_get(p, f, 4),
                                   .ptxVersion = cu_function_get(p, f, 5),
                                   .binaryVersion = cu_function_get(p, f, 6),
                                   .maxDynamicSharedSizeBytes = cu_function_get(p, f, 8),
                                   .preferredShmemCarveout = cu_function_get(p, f, 9)};
    memcpy(to, &a, bytes);
    return CU_Success;
}
CUDA_API int func_attributes_11(struct cudaFuncAttributes *to, const void *function) {
    CUDA_CALL(cu_function_attributes(p, to, function, ATTRIBUTES_11));
}
CUDA_API int func_attributes_12(struct cudaFuncAttributes *to, const void *function) {
    CUDA_CALL(cu_function_attributes(p, to, function, offsetof(struct cudaFuncAttributes, reserved)));
}
CUDA_VERSION(func_attributes_11, cudaFuncGetAttributes, "11.0")
CUDA_VERSION(func_attributes_12, cudaFuncGetAttributes, "12")
CUDA_API int func_attributes_13(struct cudaFuncAttributes *to, const void *function) {
    return func_attributes_12(to, function);
}
CUDA_DEFAULT(func_attributes_13, cudaFuncGetAttributes)

static int cu_function_set_attribute(struct cu_process *p, const void *function, int attribute, int value) {
    struct CUfunc_st *f;
    int code = cu_function_of(p, function, &f);
    return code ? code : cu_function_set(p, f, attribute, value);
}
CUDA_API int cudaFuncSetAttribute(const void *function, int attribute, int value) {
    CUDA_CALL(cu_function_set_attribute(p, function, attribute, value));
}
CUDA_API int cudaKernelSetAttributeForDevice(struct CUfunc_st *f, int attribute, int value, int device) {
    CUDA_CALL(device ? CU_InvalidDevice : cu_function_set_attribute(p, f, attribute, value));
}

/* Preferences have no effect: the machine's shared memory is what its configuration says. */
static int prefer(struct cu_process *p, const void *function, int config, int configs) {
    struct CUfunc_st *f;
    int code = cu_function_of(p, function, &f);
    if (!code && (config < 0 || config >= configs)) code = CU_InvalidValue;
    if (!code && configs == FUNCTION_CACHES) f->cache_config = config;
    return code;
}
CUDA_API int cudaFuncSetCacheConfig(const void *function, int config) {
    CUDA_CALL(prefer(p, function, config, FUNCTION_CACHES));
}
CUDA_API int cudaFuncSetSharedMemConfig(const void *function, int config) {
    CUDA_CALL(prefer(p, function, config, 3));
}

static int name_of(struct cu_process *p, const char **name, const void *function) {
    struct CUfunc_st *f;
    if (!name) return CU_InvalidValue;
    int code = cu_function_of(p, function, &f);
    if (!code) *name = f->name;
    return code;
}
CUDA_API int cudaFuncGetName(const char **name, const void *function) {
    CUDA_CALL(name_of(p, name, function));
}

static int param_info(struct cu_process *p, const void *function, size_t index, size_t *offset,
                      size_t *bytes) {
    struct CUfunc_st *f;
    if (!offset) return CU_InvalidValue;
    int code = cu_function_of(p, function, &f);
    if (!code) code = cu_function_ready(p, f);
    if (!code && index >= f->info.nparams) code = CU_InvalidValue;
    if (code) return code;
    *offset = f->info.params[index].offset;
    if (bytes) *bytes = f->info.params[index].bytes;
    return code;
}
CUDA_API int cudaFuncGetParamInfo(const void *function, size_t index, size_t *offset, size_t *bytes) {
    CUDA_CALL(param_info(p, function, index, offset, bytes));
}

/* ---- occupancy ---- */

static int active_blocks(struct cu_process *p, int *blocks, const void *function, int threads,
                         size_t shared) {
    struct CUfunc_st *f;
    if (!blocks) return CU_InvalidValue;
    int code = cu_function_of(p, function, &f);
    return code ? code : cu_occupancy(p, f, threads, shared, blocks);
}
CUDA_API int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int threads,
                                                           size_t shared) {
    CUDA_CALL(active_blocks(p, blocks, function, threads, shared));
}
CUDA_API int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function,
                                                                    int threads, size_t shared,
                                                                    unsigned flags) {
    CUDA_CALL(flags > 1 ? CU_InvalidValue : active_blocks(p, blocks, function, threads, shared));
}

/* The most dynamic shared memory with which so many blocks still fit an SM. */
static int available_shared(struct cu_process *p, size_t *bytes, const void *function, int blocks,
                            int threads) {
    int fit = 0;
    if (!bytes || blocks <= 0) return CU_InvalidValue;
    int code = active_blocks(p, &fit, function, threads, 0);
    if (code) return code;
    if (fit < blocks) return CU_InvalidValue;
    size_t low = 0, high = (size_t)p->machine.shared_optin; /* low fits */
    while (low < high && !code) {
        size_t mid = low + (high - low + 1) / 2;
        code = active_blocks(p, &fit, function, threads, mid);
        if (fit >= blocks)
            low = mid;
        else
            high = mid - 1;
    }
    *bytes = low;
    return code;
}
CUDA_API int cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *function, int blocks,
                                                       int threads) {
    CUDA_CALL(available_shared(p, bytes, function, blocks, threads));
}
