/* The driver interface: how many blocks of a kernel fit. */
#include "runtime/driver/drv.h"
#include "runtime/module/function.h"
#include "runtime/module/module.h"
#include "runtime/runtime/device.h"

static int blocks_of(struct cu_process *p, int *blocks, struct CUfunc_st *f, int threads, size_t shared) {
    if (!blocks) return CU_InvalidValue;
    return cu_function_valid(p, f) ? cu_occupancy(p, f, threads, shared, blocks) : CU_InvalidResourceHandle;
}
CUDA_API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction f, int threads,
                                                              size_t shared) {
    DRV_CALL(blocks_of(p, blocks, f, threads, shared));
}
CUDA_API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction f, int threads,
                                                                       size_t shared, unsigned flags) {
    (void)flags; /* flags ask for caching that hardware before 5.0 had */
    DRV_CALL(blocks_of(p, blocks, f, threads, shared));
}

/* The shape of the search: whole warps from the largest block down. */
struct search {
    int most, warp, sms;
};
static int begin_search(struct cu_process *p, struct CUfunc_st *f, int limit, struct search *s) {
    int code = cu_function_valid(p, f) ? cu_function_ready(p, f) : CU_InvalidResourceHandle;
    if (code) return code;
    *s = (struct search){cu_function_threads(p, f), p->machine.warp, p->machine.sms};
    if (limit > 0 && limit < s->most) s->most = limit;
    return CU_Success;
}
static CUresult drv_occupancy_begin(CUfunction f, int limit, struct search *s) {
    DRV_CALL(begin_search(p, f, limit, s));
}

/* The block that keeps most threads on an SM, the largest of those that do. The program's function is asked without the lock. */
CUDA_API CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction f,
                                                   CUoccupancyB2DSize shared_of, size_t shared, int limit) {
    struct search s = {0, 1, 0};
    int best = 0;
    if (!grid || !block || limit < 0) return CUDA_ERROR_INVALID_VALUE;
    CUresult code = drv_occupancy_begin(f, limit, &s);
    for (int threads = s.most; !code && threads > 0; threads = (threads - 1) / s.warp * s.warp) {
        int blocks = 0;
        code = cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, threads,
                                                           shared_of ? shared_of(threads) : shared);
        if (blocks * threads <= best) continue;
        best = blocks * threads;
        *block = threads;
        *grid = blocks * s.sms;
    }
    return code;
}
CUDA_API CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction f,
                                                            CUoccupancyB2DSize shared_of, size_t shared,
                                                            int limit, unsigned flags) {
    (void)flags;
    return cuOccupancyMaxPotentialBlockSize(grid, block, f, shared_of, shared, limit);
}

DRV_RUNTIME(cuOccupancyAvailableDynamicSMemPerBlock, cudaOccupancyAvailableDynamicSMemPerBlock,
            (size_t * bytes, CUfunction f, int blocks, int threads), (bytes, f, blocks, threads))
