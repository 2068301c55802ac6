/* The driver interface: memory that is allocated in the order of a stream, and the pools it comes from. */
#include "runtime/driver/drv.h"

DRV_RUNTIME(cuMemAllocAsync, cudaMallocAsync, (CUdeviceptr * ptr, size_t bytes, CUstream stream),
            (ptr, bytes, stream))
DRV_RUNTIME(cuMemAllocFromPoolAsync, cudaMallocFromPoolAsync,
            (CUdeviceptr * ptr, size_t bytes, CUmemoryPool pool, CUstream stream), (ptr, bytes, pool, stream))
DRV_RUNTIME(cuMemFreeAsync, cudaFreeAsync, (CUdeviceptr ptr, CUstream stream), (ptr, stream))

DRV_RUNTIME(cuMemPoolCreate, cudaMemPoolCreate, (CUmemoryPool * pool, const CUmemPoolProps *props),
            (pool, props))
DRV_RUNTIME(cuMemPoolDestroy, cudaMemPoolDestroy, (CUmemoryPool pool), (pool))
DRV_RUNTIME(cuMemPoolTrimTo, cudaMemPoolTrimTo, (CUmemoryPool pool, size_t keep), (pool, keep))
DRV_RUNTIME(cuMemPoolGetAttribute, cudaMemPoolGetAttribute,
            (CUmemoryPool pool, CUmemPool_attribute attribute, void *value), (pool, attribute, value))
DRV_RUNTIME(cuMemPoolSetAttribute, cudaMemPoolSetAttribute,
            (CUmemoryPool pool, CUmemPool_attribute attribute, void *value), (pool, attribute, value))
DRV_RUNTIME(cuMemPoolSetAccess, cudaMemPoolSetAccess,
            (CUmemoryPool pool, const CUmemAccessDesc *list, size_t n), (pool, list, n))
DRV_RUNTIME(cuMemPoolGetAccess, cudaMemPoolGetAccess,
            (CUmemAccess_flags * flags, CUmemoryPool pool, CUmemLocation *location), (flags, pool, location))

DRV_RUNTIME(cuDeviceGetDefaultMemPool, cudaDeviceGetDefaultMemPool, (CUmemoryPool * pool, CUdevice device),
            (pool, device))
DRV_RUNTIME(cuDeviceGetMemPool, cudaDeviceGetMemPool, (CUmemoryPool * pool, CUdevice device), (pool, device))
DRV_RUNTIME(cuDeviceSetMemPool, cudaDeviceSetMemPool, (CUdevice device, CUmemoryPool pool), (device, pool))
DRV_RUNTIME(cuDeviceGetGraphMemAttribute, cudaDeviceGetGraphMemAttribute,
            (CUdevice device, CUgraphMem_attribute attribute, void *value), (device, attribute, value))
DRV_RUNTIME(cuDeviceSetGraphMemAttribute, cudaDeviceSetGraphMemAttribute,
            (CUdevice device, CUgraphMem_attribute attribute, void *value), (device, attribute, value))
DRV_RUNTIME(cuDeviceGraphMemTrim, cudaDeviceGraphMemTrim, (CUdevice device), (device))
