/* Kernels that launch kernels: declared for libraries that mention it, an error where a kernel would do it. */
#ifndef HEDDLE_CUDA_DEVICE_RUNTIME_API_H
#define HEDDLE_CUDA_DEVICE_RUNTIME_API_H

#include "cuda_runtime_api.h"

#ifdef __CUDA__
#define HEDDLE_NESTED __device__ __attribute__((error("heddle nvcc compiles no kernels that launch kernels")))
extern "C" {
HEDDLE_NESTED void *cudaGetParameterBuffer(size_t alignment, size_t bytes);
HEDDLE_NESTED void *cudaGetParameterBufferV2(void *kernel, dim3 grid, dim3 block, unsigned shared);
HEDDLE_NESTED cudaError_t cudaLaunchDevice(void *kernel, void *parameters, dim3 grid, dim3 block, unsigned shared,
                                           cudaStream_t s);
HEDDLE_NESTED cudaError_t cudaLaunchDeviceV2(void *parameters, cudaStream_t s);
HEDDLE_NESTED cudaError_t __cudaDeviceSynchronizeDeprecationAvoidance(void);
}
#undef HEDDLE_NESTED
#endif

#endif
