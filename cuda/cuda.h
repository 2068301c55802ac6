/* The CUDA driver API, for C and C++: link with -lcuda. The calls are in the form of CUDA 12.5;
 * numbers and structures are in heddle/driver_enums.h and heddle/driver_structs.h. */
#ifndef HEDDLE_CUDA_H
#define HEDDLE_CUDA_H
#define __cuda_cuda_h__

#ifdef __CUDA__
#include "heddle/prelude.h"
#endif
#include "heddle/version.h"
#include "host_defines.h"

#include "heddle/driver_structs.h"

#define CU_STREAM_LEGACY     ((CUstream)0x1)
#define CU_STREAM_PER_THREAD ((CUstream)0x2)
#define CU_DEVICE_CPU        ((CUdevice)-1)
#define CU_DEVICE_INVALID    ((CUdevice)-2)
#define CU_MEMHOSTALLOC_PORTABLE      0x01
#define CU_MEMHOSTALLOC_DEVICEMAP     0x02
#define CU_MEMHOSTALLOC_WRITECOMBINED 0x04
#define CU_MEMHOSTREGISTER_PORTABLE   0x01
#define CU_MEMHOSTREGISTER_DEVICEMAP  0x02
#define CU_MEMHOSTREGISTER_IOMEMORY   0x04
#define CU_MEMHOSTREGISTER_READ_ONLY  0x08
#define CUDA_ARRAY3D_LAYERED        0x01
#define CUDA_ARRAY3D_2DARRAY        0x01
#define CUDA_ARRAY3D_SURFACE_LDST   0x02
#define CUDA_ARRAY3D_CUBEMAP        0x04
#define CUDA_ARRAY3D_TEXTURE_GATHER 0x08
#define CU_TRSA_OVERRIDE_FORMAT                    0x01
#define CU_TRSF_READ_AS_INTEGER                    0x01
#define CU_TRSF_NORMALIZED_COORDINATES             0x02
#define CU_TRSF_SRGB                               0x10
#define CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION     0x20
#define CU_TRSF_SEAMLESS_CUBEMAP                   0x40
#define CU_LAUNCH_PARAM_END_AS_INT                 0x00
#define CU_LAUNCH_PARAM_END                        ((void *)CU_LAUNCH_PARAM_END_AS_INT)
#define CU_LAUNCH_PARAM_BUFFER_POINTER_AS_INT      0x01
#define CU_LAUNCH_PARAM_BUFFER_POINTER             ((void *)CU_LAUNCH_PARAM_BUFFER_POINTER_AS_INT)
#define CU_LAUNCH_PARAM_BUFFER_SIZE_AS_INT         0x02
#define CU_LAUNCH_PARAM_BUFFER_SIZE                ((void *)CU_LAUNCH_PARAM_BUFFER_SIZE_AS_INT)
#define CU_PARAM_TR_DEFAULT                        -1
#define CU_KERNEL_NODE_ATTRIBUTE_ACCESS_POLICY_WINDOW CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW
#define CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE          CU_LAUNCH_ATTRIBUTE_COOPERATIVE
#define CU_KERNEL_NODE_ATTRIBUTE_PRIORITY             CU_LAUNCH_ATTRIBUTE_PRIORITY
#define CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW      CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW
#define CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY    CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY
#define CU_STREAM_ATTRIBUTE_PRIORITY                  CU_LAUNCH_ATTRIBUTE_PRIORITY

/* A program's cuMemAlloc is the library's cuMemAlloc_v2: names without a number are those of older interfaces. */
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM) && !defined(__CUDA_API_VERSION_INTERNAL)
#define HEDDLE_PTDS(name) name##_ptds
#define HEDDLE_PTSZ(name) name##_ptsz
#else
#define HEDDLE_PTDS(name) name
#define HEDDLE_PTSZ(name) name
#endif
#ifndef __CUDA_API_VERSION_INTERNAL
#define cuArray3DCreate                    cuArray3DCreate_v2
#define cuArray3DGetDescriptor             cuArray3DGetDescriptor_v2
#define cuArrayCreate                      cuArrayCreate_v2
#define cuArrayGetDescriptor               cuArrayGetDescriptor_v2
#define cuCtxCreate                        cuCtxCreate_v2
#define cuCtxDestroy                       cuCtxDestroy_v2
#define cuCtxPopCurrent                    cuCtxPopCurrent_v2
#define cuCtxPushCurrent                   cuCtxPushCurrent_v2
#define cuDevicePrimaryCtxRelease          cuDevicePrimaryCtxRelease_v2
#define cuDevicePrimaryCtxReset            cuDevicePrimaryCtxReset_v2
#define cuDevicePrimaryCtxSetFlags         cuDevicePrimaryCtxSetFlags_v2
#define cuDeviceTotalMem                   cuDeviceTotalMem_v2
#define cuEventDestroy                     cuEventDestroy_v2
#define cuGetProcAddress                   cuGetProcAddress_v2
#define cuGraphAddKernelNode               cuGraphAddKernelNode_v2
#define cuGraphExecKernelNodeSetParams     cuGraphExecKernelNodeSetParams_v2
#define cuGraphExecUpdate                  cuGraphExecUpdate_v2
#define cuGraphInstantiate                 cuGraphInstantiateWithFlags
#define cuGraphKernelNodeGetParams         cuGraphKernelNodeGetParams_v2
#define cuGraphKernelNodeSetParams         cuGraphKernelNodeSetParams_v2
#define cuLinkAddData                      cuLinkAddData_v2
#define cuLinkAddFile                      cuLinkAddFile_v2
#define cuLinkCreate                       cuLinkCreate_v2
#define cuMemAlloc                         cuMemAlloc_v2
#define cuMemAllocHost                     cuMemAllocHost_v2
#define cuMemAllocPitch                    cuMemAllocPitch_v2
#define cuMemFree                          cuMemFree_v2
#define cuMemGetAddressRange               cuMemGetAddressRange_v2
#define cuMemGetInfo                       cuMemGetInfo_v2
#define cuMemHostGetDevicePointer          cuMemHostGetDevicePointer_v2
#define cuMemHostRegister                  cuMemHostRegister_v2
#define cuModuleGetGlobal                  cuModuleGetGlobal_v2
#define cuStreamDestroy                    cuStreamDestroy_v2
#define cuTexRefGetAddress                 cuTexRefGetAddress_v2
#define cuTexRefSetAddress                 cuTexRefSetAddress_v2
#define cuTexRefSetAddress2D               cuTexRefSetAddress2D_v3
#define cuMemcpy2D                         HEDDLE_PTDS(cuMemcpy2D_v2)
#define cuMemcpy2DAsync                    HEDDLE_PTSZ(cuMemcpy2DAsync_v2)
#define cuMemcpy2DUnaligned                HEDDLE_PTDS(cuMemcpy2DUnaligned_v2)
#define cuMemcpy3D                         HEDDLE_PTDS(cuMemcpy3D_v2)
#define cuMemcpy3DAsync                    HEDDLE_PTSZ(cuMemcpy3DAsync_v2)
#define cuMemcpyAtoA                       HEDDLE_PTDS(cuMemcpyAtoA_v2)
#define cuMemcpyAtoD                       HEDDLE_PTDS(cuMemcpyAtoD_v2)
#define cuMemcpyAtoH                       HEDDLE_PTDS(cuMemcpyAtoH_v2)
#define cuMemcpyAtoHAsync                  HEDDLE_PTSZ(cuMemcpyAtoHAsync_v2)
#define cuMemcpyDtoA                       HEDDLE_PTDS(cuMemcpyDtoA_v2)
#define cuMemcpyDtoD                       HEDDLE_PTDS(cuMemcpyDtoD_v2)
#define cuMemcpyDtoDAsync                  HEDDLE_PTSZ(cuMemcpyDtoDAsync_v2)
#define cuMemcpyDtoH                       HEDDLE_PTDS(cuMemcpyDtoH_v2)
#define cuMemcpyDtoHAsync                  HEDDLE_PTSZ(cuMemcpyDtoHAsync_v2)
#define cuMemcpyHtoA                       HEDDLE_PTDS(cuMemcpyHtoA_v2)
#define cuMemcpyHtoAAsync                  HEDDLE_PTSZ(cuMemcpyHtoAAsync_v2)
#define cuMemcpyHtoD                       HEDDLE_PTDS(cuMemcpyHtoD_v2)
#define cuMemcpyHtoDAsync                  HEDDLE_PTSZ(cuMemcpyHtoDAsync_v2)
#define cuMemsetD16                        HEDDLE_PTDS(cuMemsetD16_v2)
#define cuMemsetD2D16                      HEDDLE_PTDS(cuMemsetD2D16_v2)
#define cuMemsetD2D32                      HEDDLE_PTDS(cuMemsetD2D32_v2)
#define cuMemsetD2D8                       HEDDLE_PTDS(cuMemsetD2D8_v2)
#define cuMemsetD32                        HEDDLE_PTDS(cuMemsetD32_v2)
#define cuMemsetD8                         HEDDLE_PTDS(cuMemsetD8_v2)
#define cuStreamBatchMemOp                 HEDDLE_PTSZ(cuStreamBatchMemOp_v2)
#define cuStreamBeginCapture               HEDDLE_PTSZ(cuStreamBeginCapture_v2)
#define cuStreamGetCaptureInfo             HEDDLE_PTSZ(cuStreamGetCaptureInfo_v2)
#define cuStreamWaitValue32                HEDDLE_PTSZ(cuStreamWaitValue32_v2)
#define cuStreamWaitValue64                HEDDLE_PTSZ(cuStreamWaitValue64_v2)
#define cuStreamWriteValue32               HEDDLE_PTSZ(cuStreamWriteValue32_v2)
#define cuStreamWriteValue64               HEDDLE_PTSZ(cuStreamWriteValue64_v2)
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#define cuEventRecord                      HEDDLE_PTSZ(cuEventRecord)
#define cuEventRecordWithFlags             HEDDLE_PTSZ(cuEventRecordWithFlags)
#define cuGraphInstantiateWithParams       HEDDLE_PTSZ(cuGraphInstantiateWithParams)
#define cuGraphLaunch                      HEDDLE_PTSZ(cuGraphLaunch)
#define cuGraphUpload                      HEDDLE_PTSZ(cuGraphUpload)
#define cuLaunchCooperativeKernel          HEDDLE_PTSZ(cuLaunchCooperativeKernel)
#define cuLaunchHostFunc                   HEDDLE_PTSZ(cuLaunchHostFunc)
#define cuLaunchKernel                     HEDDLE_PTSZ(cuLaunchKernel)
#define cuLaunchKernelEx                   HEDDLE_PTSZ(cuLaunchKernelEx)
#define cuMemAllocAsync                    HEDDLE_PTSZ(cuMemAllocAsync)
#define cuMemAllocFromPoolAsync            HEDDLE_PTSZ(cuMemAllocFromPoolAsync)
#define cuMemFreeAsync                     HEDDLE_PTSZ(cuMemFreeAsync)
#define cuMemPrefetchAsync                 HEDDLE_PTSZ(cuMemPrefetchAsync)
#define cuMemcpy                           HEDDLE_PTDS(cuMemcpy)
#define cuMemcpy3DPeer                     HEDDLE_PTDS(cuMemcpy3DPeer)
#define cuMemcpy3DPeerAsync                HEDDLE_PTSZ(cuMemcpy3DPeerAsync)
#define cuMemcpyAsync                      HEDDLE_PTSZ(cuMemcpyAsync)
#define cuMemcpyPeer                       HEDDLE_PTDS(cuMemcpyPeer)
#define cuMemcpyPeerAsync                  HEDDLE_PTSZ(cuMemcpyPeerAsync)
#define cuMemsetD16Async                   HEDDLE_PTSZ(cuMemsetD16Async)
#define cuMemsetD2D16Async                 HEDDLE_PTSZ(cuMemsetD2D16Async)
#define cuMemsetD2D32Async                 HEDDLE_PTSZ(cuMemsetD2D32Async)
#define cuMemsetD2D8Async                  HEDDLE_PTSZ(cuMemsetD2D8Async)
#define cuMemsetD32Async                   HEDDLE_PTSZ(cuMemsetD32Async)
#define cuMemsetD8Async                    HEDDLE_PTSZ(cuMemsetD8Async)
#define cuStreamAddCallback                HEDDLE_PTSZ(cuStreamAddCallback)
#define cuStreamAttachMemAsync             HEDDLE_PTSZ(cuStreamAttachMemAsync)
#define cuStreamBeginCaptureToGraph        HEDDLE_PTSZ(cuStreamBeginCaptureToGraph)
#define cuStreamCopyAttributes             HEDDLE_PTSZ(cuStreamCopyAttributes)
#define cuStreamEndCapture                 HEDDLE_PTSZ(cuStreamEndCapture)
#define cuStreamGetAttribute               HEDDLE_PTSZ(cuStreamGetAttribute)
#define cuStreamGetCtx                     HEDDLE_PTSZ(cuStreamGetCtx)
#define cuStreamGetDevice                  HEDDLE_PTSZ(cuStreamGetDevice)
#define cuStreamGetFlags                   HEDDLE_PTSZ(cuStreamGetFlags)
#define cuStreamGetId                      HEDDLE_PTSZ(cuStreamGetId)
#define cuStreamGetPriority                HEDDLE_PTSZ(cuStreamGetPriority)
#define cuStreamIsCapturing                HEDDLE_PTSZ(cuStreamIsCapturing)
#define cuStreamQuery                      HEDDLE_PTSZ(cuStreamQuery)
#define cuStreamSetAttribute               HEDDLE_PTSZ(cuStreamSetAttribute)
#define cuStreamSynchronize                HEDDLE_PTSZ(cuStreamSynchronize)
#define cuStreamUpdateCaptureDependencies  HEDDLE_PTSZ(cuStreamUpdateCaptureDependencies)
#define cuStreamWaitEvent                  HEDDLE_PTSZ(cuStreamWaitEvent)
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Start, versions, errors ---- */

CUresult cuDriverGetVersion(int *);
CUresult cuGetErrorName(CUresult, const char **);
CUresult cuGetErrorString(CUresult, const char **);
CUresult cuGetExportTable(const void **, const CUuuid *);
CUresult cuGetProcAddress_v2(const char *, void **, int, cuuint64_t, CUdriverProcAddressQueryResult *);
CUresult cuInit(unsigned);

/* ---- Devices ---- */

CUresult cuDeviceCanAccessPeer(int *, CUdevice, CUdevice);
CUresult cuDeviceComputeCapability(int *, int *, CUdevice);
CUresult cuDeviceGet(CUdevice *, int);
CUresult cuDeviceGetAttribute(int *, CUdevice_attribute, CUdevice);
CUresult cuDeviceGetByPCIBusId(CUdevice *, const char *);
CUresult cuDeviceGetCount(int *);
CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *, CUdevice);
CUresult cuDeviceGetGraphMemAttribute(CUdevice, CUgraphMem_attribute, void*);
CUresult cuDeviceGetMemPool(CUmemoryPool *, CUdevice);
CUresult cuDeviceGetName(char *, int, CUdevice);
CUresult cuDeviceGetP2PAttribute(int*, CUdevice_P2PAttribute, CUdevice, CUdevice);
CUresult cuDeviceGetPCIBusId(char *, int, CUdevice);
CUresult cuDeviceGetProperties(CUdevprop *, CUdevice);
CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *, CUarray_format, unsigned, CUdevice);
CUresult cuDeviceGetUuid(CUuuid *, CUdevice);
CUresult cuDeviceGetUuid_v2(CUuuid *, CUdevice);
CUresult cuDeviceGraphMemTrim(CUdevice);
CUresult cuDeviceSetGraphMemAttribute(CUdevice, CUgraphMem_attribute, void*);
CUresult cuDeviceSetMemPool(CUdevice, CUmemoryPool);
CUresult cuDeviceTotalMem_v2(size_t *, CUdevice);

/* ---- Contexts ---- */

CUresult cuCtxAttach(CUcontext *, unsigned);
CUresult cuCtxCreate_v2(CUcontext *, unsigned, CUdevice);
CUresult cuCtxCreate_v3(CUcontext *, CUexecAffinityParam *, int, unsigned, CUdevice);
CUresult cuCtxCreate_v4(CUcontext *, CUctxCreateParams *, unsigned, CUdevice);
CUresult cuCtxDestroy_v2(CUcontext);
CUresult cuCtxDetach(CUcontext);
CUresult cuCtxDisablePeerAccess(CUcontext);
CUresult cuCtxEnablePeerAccess(CUcontext, unsigned);
CUresult cuCtxGetApiVersion(CUcontext, unsigned *);
CUresult cuCtxGetCacheConfig(CUfunc_cache *);
CUresult cuCtxGetCurrent(CUcontext *);
CUresult cuCtxGetDevice(CUdevice *);
CUresult cuCtxGetDevice_v2(CUdevice *, CUcontext);
CUresult cuCtxGetFlags(unsigned *);
CUresult cuCtxGetId(CUcontext, unsigned long long *);
CUresult cuCtxGetLimit(size_t *, CUlimit);
CUresult cuCtxGetSharedMemConfig(CUsharedconfig *);
CUresult cuCtxGetStreamPriorityRange(int *, int *);
CUresult cuCtxPopCurrent_v2(CUcontext *);
CUresult cuCtxPushCurrent_v2(CUcontext);
CUresult cuCtxResetPersistingL2Cache(void);
CUresult cuCtxSetCacheConfig(CUfunc_cache);
CUresult cuCtxSetCurrent(CUcontext);
CUresult cuCtxSetFlags(unsigned);
CUresult cuCtxSetLimit(CUlimit, size_t);
CUresult cuCtxSetSharedMemConfig(CUsharedconfig);
CUresult cuCtxSynchronize(void);
CUresult cuCtxSynchronize_v2(CUcontext);
CUresult cuDevicePrimaryCtxGetState(CUdevice, unsigned *, int *);
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice);
CUresult cuDevicePrimaryCtxReset_v2(CUdevice);
CUresult cuDevicePrimaryCtxRetain(CUcontext *, CUdevice);
CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice, unsigned);

/* ---- Modules, libraries, linking ---- */

CUresult cuLibraryEnumerateKernels(CUkernel *, unsigned, CUlibrary);
CUresult cuLibraryGetGlobal(CUdeviceptr *, size_t *, CUlibrary, const char *);
CUresult cuLibraryGetKernel(CUkernel *, CUlibrary, const char *);
CUresult cuLibraryGetKernelCount(unsigned *, CUlibrary);
CUresult cuLibraryGetManaged(CUdeviceptr *, size_t *, CUlibrary, const char *);
CUresult cuLibraryGetModule(CUmodule *, CUlibrary);
CUresult cuLibraryLoadData(CUlibrary *, const void *, CUjit_option *, void **, unsigned, CUlibraryOption *, void**,
                           unsigned);
CUresult cuLibraryLoadFromFile(CUlibrary *, const char *, CUjit_option *, void **, unsigned, CUlibraryOption *,
                               void **, unsigned);
CUresult cuLibraryUnload(CUlibrary);
CUresult cuLinkAddData_v2(CUlinkState, CUjitInputType, void *, size_t, const char *, unsigned, CUjit_option *,
                          void **);
CUresult cuLinkAddFile_v2(CUlinkState, CUjitInputType, const char *, unsigned, CUjit_option *, void **);
CUresult cuLinkComplete(CUlinkState, void **, size_t *);
CUresult cuLinkCreate_v2(unsigned, CUjit_option *, void **, CUlinkState *);
CUresult cuLinkDestroy(CUlinkState);
CUresult cuModuleEnumerateFunctions(CUfunction *, unsigned, CUmodule);
CUresult cuModuleGetFunction(CUfunction *, CUmodule, const char *);
CUresult cuModuleGetFunctionCount(unsigned *, CUmodule);
CUresult cuModuleGetGlobal_v2(CUdeviceptr *, size_t *, CUmodule, const char *);
CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *);
CUresult cuModuleGetSurfRef(CUsurfref *, CUmodule, const char *);
CUresult cuModuleGetTexRef(CUtexref *, CUmodule, const char *);
CUresult cuModuleLoad(CUmodule *, const char *);
CUresult cuModuleLoadData(CUmodule *, const void *);
CUresult cuModuleLoadDataEx(CUmodule *, const void *, unsigned, CUjit_option *, void **);
CUresult cuModuleLoadFatBinary(CUmodule *, const void *);
CUresult cuModuleUnload(CUmodule);

/* ---- Functions and kernels ---- */

CUresult cuFuncGetAttribute(int *, CUfunction_attribute, CUfunction);
CUresult cuFuncGetModule(CUmodule *, CUfunction);
CUresult cuFuncGetName(const char **, CUfunction);
CUresult cuFuncGetParamInfo(CUfunction, size_t, size_t *, size_t *);
CUresult cuFuncIsLoaded(CUfunctionLoadingState *, CUfunction);
CUresult cuFuncLoad(CUfunction);
CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int);
CUresult cuFuncSetBlockShape(CUfunction, int, int, int);
CUresult cuFuncSetCacheConfig(CUfunction, CUfunc_cache);
CUresult cuFuncSetSharedMemConfig(CUfunction, CUsharedconfig);
CUresult cuFuncSetSharedSize(CUfunction, unsigned);
CUresult cuKernelGetAttribute(int *, CUfunction_attribute, CUkernel, CUdevice);
CUresult cuKernelGetFunction(CUfunction *, CUkernel);
CUresult cuKernelGetLibrary(CUlibrary *, CUkernel);
CUresult cuKernelGetName(const char **, CUkernel);
CUresult cuKernelGetParamInfo(CUkernel, size_t, size_t *, size_t *);
CUresult cuKernelSetAttribute(CUfunction_attribute, int, CUkernel, CUdevice);
CUresult cuKernelSetCacheConfig(CUkernel, CUfunc_cache, CUdevice);
CUresult cuLaunch(CUfunction);
CUresult cuLaunchCooperativeKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                   CUstream, void **);
CUresult cuLaunchGrid(CUfunction, int, int);
CUresult cuLaunchGridAsync(CUfunction, int, int, CUstream);
CUresult cuLaunchHostFunc(CUstream, CUhostFn, void *);
CUresult cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream,
                        void **, void **);
CUresult cuLaunchKernelEx(const CUlaunchConfig *, CUfunction, void **, void **);
CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *, CUfunction, int, int);
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *, CUfunction, int, size_t);
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *, CUfunction, int, size_t, unsigned);
CUresult cuOccupancyMaxActiveClusters(int *, CUfunction, const CUlaunchConfig *);
CUresult cuOccupancyMaxPotentialBlockSize(int *, int *, CUfunction, CUoccupancyB2DSize, size_t, int);
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *, int *, CUfunction, CUoccupancyB2DSize, size_t, int,
                                                   unsigned);
CUresult cuOccupancyMaxPotentialClusterSize(int *, CUfunction, const CUlaunchConfig *);
CUresult cuParamSetSize(CUfunction, unsigned);
CUresult cuParamSetTexRef(CUfunction, int, CUtexref);
CUresult cuParamSetf(CUfunction, int, float);
CUresult cuParamSeti(CUfunction, int, unsigned);
CUresult cuParamSetv(CUfunction, int, void *, unsigned);

/* ---- Memory ---- */

CUresult cuMemAdvise(CUdeviceptr, size_t, CUmem_advise, CUdevice);
CUresult cuMemAdvise_v2(CUdeviceptr, size_t, CUmem_advise, CUmemLocation);
CUresult cuMemAlloc_v2(CUdeviceptr *, size_t);
CUresult cuMemAllocAsync(CUdeviceptr *, size_t, CUstream);
CUresult cuMemAllocFromPoolAsync(CUdeviceptr *, size_t, CUmemoryPool, CUstream);
CUresult cuMemAllocHost_v2(void **, size_t);
CUresult cuMemAllocManaged(CUdeviceptr *, size_t, unsigned);
CUresult cuMemAllocPitch_v2(CUdeviceptr *, size_t *, size_t, size_t, unsigned);
CUresult cuMemFree_v2(CUdeviceptr);
CUresult cuMemFreeAsync(CUdeviceptr, CUstream);
CUresult cuMemFreeHost(void *);
CUresult cuMemGetAddressRange_v2(CUdeviceptr *, size_t *, CUdeviceptr);
CUresult cuMemGetInfo_v2(size_t *, size_t *);
CUresult cuMemHostAlloc(void **, size_t, unsigned);
CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *, void *, unsigned);
CUresult cuMemHostGetFlags(unsigned *, void *);
CUresult cuMemHostRegister_v2(void *, size_t, unsigned);
CUresult cuMemHostUnregister(void *);
CUresult cuMemPoolCreate(CUmemoryPool *, const CUmemPoolProps *);
CUresult cuMemPoolDestroy(CUmemoryPool);
CUresult cuMemPoolGetAccess(CUmemAccess_flags *, CUmemoryPool, CUmemLocation *);
CUresult cuMemPoolGetAttribute(CUmemoryPool, CUmemPool_attribute, void *);
CUresult cuMemPoolSetAccess(CUmemoryPool, const CUmemAccessDesc *, size_t);
CUresult cuMemPoolSetAttribute(CUmemoryPool, CUmemPool_attribute, void *);
CUresult cuMemPoolTrimTo(CUmemoryPool, size_t);
CUresult cuMemPrefetchAsync(CUdeviceptr, size_t, CUdevice, CUstream);
CUresult cuMemPrefetchAsync_v2(CUdeviceptr, size_t, CUmemLocation, unsigned, CUstream);
CUresult cuMemRangeGetAttribute(void *, size_t, CUmem_range_attribute, CUdeviceptr, size_t);
CUresult cuMemRangeGetAttributes(void **, size_t *, CUmem_range_attribute *, size_t, CUdeviceptr, size_t);
CUresult cuPointerGetAttribute(void *, CUpointer_attribute, CUdeviceptr);
CUresult cuPointerGetAttributes(unsigned, CUpointer_attribute *, void **, CUdeviceptr);
CUresult cuPointerSetAttribute(const void *, CUpointer_attribute, CUdeviceptr);
CUresult cuMemAddressFree(CUdeviceptr, size_t);
CUresult cuMemAddressReserve(CUdeviceptr *, size_t, size_t, CUdeviceptr, unsigned long long);
CUresult cuMemCreate(CUmemGenericAllocationHandle *, size_t, const CUmemAllocationProp *, unsigned long long);
CUresult cuMemGetAccess(unsigned long long *, const CUmemLocation *, CUdeviceptr);
CUresult cuMemGetAllocationGranularity(size_t *, const CUmemAllocationProp *, CUmemAllocationGranularity_flags);
CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *, CUmemGenericAllocationHandle);
CUresult cuMemMap(CUdeviceptr, size_t, size_t, CUmemGenericAllocationHandle, unsigned long long);
CUresult cuMemRelease(CUmemGenericAllocationHandle);
CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *, void *);
CUresult cuMemSetAccess(CUdeviceptr, size_t, const CUmemAccessDesc *, size_t);
CUresult cuMemUnmap(CUdeviceptr, size_t);

/* ---- Copies and fills ---- */

CUresult cuMemcpy(CUdeviceptr, CUdeviceptr, size_t);
CUresult HEDDLE_PTDS(cuMemcpy2D_v2)(const CUDA_MEMCPY2D *);
CUresult HEDDLE_PTSZ(cuMemcpy2DAsync_v2)(const CUDA_MEMCPY2D *, CUstream);
CUresult HEDDLE_PTDS(cuMemcpy2DUnaligned_v2)(const CUDA_MEMCPY2D *);
CUresult HEDDLE_PTDS(cuMemcpy3D_v2)(const CUDA_MEMCPY3D *);
CUresult HEDDLE_PTSZ(cuMemcpy3DAsync_v2)(const CUDA_MEMCPY3D *, CUstream);
CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *);
CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *, CUstream);
CUresult cuMemcpyAsync(CUdeviceptr, CUdeviceptr, size_t, CUstream);
CUresult HEDDLE_PTDS(cuMemcpyAtoA_v2)(CUarray, size_t, CUarray, size_t, size_t);
CUresult HEDDLE_PTDS(cuMemcpyAtoD_v2)(CUdeviceptr, CUarray, size_t, size_t);
CUresult HEDDLE_PTDS(cuMemcpyAtoH_v2)(void *, CUarray, size_t, size_t);
CUresult HEDDLE_PTSZ(cuMemcpyAtoHAsync_v2)(void *, CUarray, size_t, size_t, CUstream);
CUresult HEDDLE_PTDS(cuMemcpyDtoA_v2)(CUarray, size_t, CUdeviceptr, size_t);
CUresult HEDDLE_PTDS(cuMemcpyDtoD_v2)(CUdeviceptr, CUdeviceptr, size_t);
CUresult HEDDLE_PTSZ(cuMemcpyDtoDAsync_v2)(CUdeviceptr, CUdeviceptr, size_t, CUstream);
CUresult HEDDLE_PTDS(cuMemcpyDtoH_v2)(void *, CUdeviceptr, size_t);
CUresult HEDDLE_PTSZ(cuMemcpyDtoHAsync_v2)(void *, CUdeviceptr, size_t, CUstream);
CUresult HEDDLE_PTDS(cuMemcpyHtoA_v2)(CUarray, size_t, const void *, size_t);
CUresult HEDDLE_PTSZ(cuMemcpyHtoAAsync_v2)(CUarray, size_t, const void *, size_t, CUstream);
CUresult HEDDLE_PTDS(cuMemcpyHtoD_v2)(CUdeviceptr, const void *, size_t);
CUresult HEDDLE_PTSZ(cuMemcpyHtoDAsync_v2)(CUdeviceptr, const void *, size_t, CUstream);
CUresult cuMemcpyPeer(CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, size_t);
CUresult cuMemcpyPeerAsync(CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, size_t, CUstream);
CUresult HEDDLE_PTDS(cuMemsetD16_v2)(CUdeviceptr, unsigned short, size_t);
CUresult cuMemsetD16Async(CUdeviceptr, unsigned short, size_t, CUstream);
CUresult HEDDLE_PTDS(cuMemsetD2D16_v2)(CUdeviceptr, size_t, unsigned short, size_t, size_t);
CUresult cuMemsetD2D16Async(CUdeviceptr, size_t, unsigned short, size_t, size_t, CUstream);
CUresult HEDDLE_PTDS(cuMemsetD2D32_v2)(CUdeviceptr, size_t, unsigned, size_t, size_t);
CUresult cuMemsetD2D32Async(CUdeviceptr, size_t, unsigned, size_t, size_t, CUstream);
CUresult HEDDLE_PTDS(cuMemsetD2D8_v2)(CUdeviceptr, size_t, unsigned char, size_t, size_t);
CUresult cuMemsetD2D8Async(CUdeviceptr, size_t, unsigned char, size_t, size_t, CUstream);
CUresult HEDDLE_PTDS(cuMemsetD32_v2)(CUdeviceptr, unsigned, size_t);
CUresult cuMemsetD32Async(CUdeviceptr, unsigned, size_t, CUstream);
CUresult HEDDLE_PTDS(cuMemsetD8_v2)(CUdeviceptr, unsigned char, size_t);
CUresult cuMemsetD8Async(CUdeviceptr, unsigned char, size_t, CUstream);

/* ---- Arrays, textures, surfaces ---- */

CUresult cuArray3DCreate_v2(CUarray *, const CUDA_ARRAY3D_DESCRIPTOR *);
CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *, CUarray);
CUresult cuArrayCreate_v2(CUarray *, const CUDA_ARRAY_DESCRIPTOR *);
CUresult cuArrayDestroy(CUarray);
CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *, CUarray);
CUresult cuMipmappedArrayCreate(CUmipmappedArray *, const CUDA_ARRAY3D_DESCRIPTOR *, unsigned);
CUresult cuMipmappedArrayDestroy(CUmipmappedArray);
CUresult cuMipmappedArrayGetLevel(CUarray *, CUmipmappedArray, unsigned);
CUresult cuSurfObjectCreate(CUsurfObject *, const CUDA_RESOURCE_DESC *);
CUresult cuSurfObjectDestroy(CUsurfObject);
CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *, CUsurfObject);
CUresult cuSurfRefGetArray(CUarray *, CUsurfref);
CUresult cuSurfRefSetArray(CUsurfref, CUarray, unsigned);
CUresult cuTexObjectCreate(CUtexObject *, const CUDA_RESOURCE_DESC *, const CUDA_TEXTURE_DESC *,
                           const CUDA_RESOURCE_VIEW_DESC *);
CUresult cuTexObjectDestroy(CUtexObject);
CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *, CUtexObject);
CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *, CUtexObject);
CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *, CUtexObject);
CUresult cuTexRefCreate(CUtexref *);
CUresult cuTexRefDestroy(CUtexref);
CUresult cuTexRefGetAddress_v2(CUdeviceptr *, CUtexref);
CUresult cuTexRefGetAddressMode(CUaddress_mode *, CUtexref, int);
CUresult cuTexRefGetArray(CUarray *, CUtexref);
CUresult cuTexRefGetBorderColor(float *, CUtexref);
CUresult cuTexRefGetFilterMode(CUfilter_mode *, CUtexref);
CUresult cuTexRefGetFlags(unsigned *, CUtexref);
CUresult cuTexRefGetFormat(CUarray_format *, int *, CUtexref);
CUresult cuTexRefGetMaxAnisotropy(int *, CUtexref);
CUresult cuTexRefGetMipmapFilterMode(CUfilter_mode *, CUtexref);
CUresult cuTexRefGetMipmapLevelBias(float *, CUtexref);
CUresult cuTexRefGetMipmapLevelClamp(float *, float *, CUtexref);
CUresult cuTexRefGetMipmappedArray(CUmipmappedArray *, CUtexref);
CUresult cuTexRefSetAddress_v2(size_t *, CUtexref, CUdeviceptr, size_t);
CUresult cuTexRefSetAddress2D_v2(CUtexref, const CUDA_ARRAY_DESCRIPTOR *, CUdeviceptr, size_t);
CUresult cuTexRefSetAddress2D_v3(CUtexref, const CUDA_ARRAY_DESCRIPTOR *, CUdeviceptr, size_t);
CUresult cuTexRefSetAddressMode(CUtexref, int, CUaddress_mode);
CUresult cuTexRefSetArray(CUtexref, CUarray, unsigned);
CUresult cuTexRefSetBorderColor(CUtexref, float *);
CUresult cuTexRefSetFilterMode(CUtexref, CUfilter_mode);
CUresult cuTexRefSetFlags(CUtexref, unsigned);
CUresult cuTexRefSetFormat(CUtexref, CUarray_format, int);
CUresult cuTexRefSetMaxAnisotropy(CUtexref, unsigned);
CUresult cuTexRefSetMipmapFilterMode(CUtexref, CUfilter_mode);
CUresult cuTexRefSetMipmapLevelBias(CUtexref, float);
CUresult cuTexRefSetMipmapLevelClamp(CUtexref, float, float);
CUresult cuTexRefSetMipmappedArray(CUtexref, CUmipmappedArray, unsigned);

/* ---- Streams and events ---- */

CUresult cuEventCreate(CUevent *, unsigned);
CUresult cuEventDestroy_v2(CUevent);
CUresult cuEventElapsedTime(float *, CUevent, CUevent);
CUresult cuEventElapsedTime_v2(float *, CUevent, CUevent);
CUresult cuEventQuery(CUevent);
CUresult cuEventRecord(CUevent, CUstream);
CUresult cuEventRecordWithFlags(CUevent, CUstream, unsigned);
CUresult cuEventSynchronize(CUevent);
CUresult cuStreamAddCallback(CUstream, CUstreamCallback, void *, unsigned);
CUresult cuStreamAttachMemAsync(CUstream, CUdeviceptr, size_t, unsigned);
CUresult HEDDLE_PTSZ(cuStreamBatchMemOp_v2)(CUstream, unsigned, CUstreamBatchMemOpParams *, unsigned);
CUresult HEDDLE_PTSZ(cuStreamBeginCapture_v2)(CUstream, CUstreamCaptureMode);
CUresult cuStreamBeginCaptureToGraph(CUstream, CUgraph, const CUgraphNode *, const CUgraphEdgeData *, size_t,
                                     CUstreamCaptureMode);
CUresult cuStreamCopyAttributes(CUstream, CUstream);
CUresult cuStreamCreate(CUstream *, unsigned);
CUresult cuStreamCreateWithPriority(CUstream *, unsigned, int);
CUresult cuStreamDestroy_v2(CUstream);
CUresult cuStreamEndCapture(CUstream, CUgraph *);
CUresult cuStreamGetAttribute(CUstream, CUstreamAttrID, CUstreamAttrValue *);
CUresult HEDDLE_PTSZ(cuStreamGetCaptureInfo_v2)(CUstream, CUstreamCaptureStatus *, cuuint64_t *, CUgraph *, const CUgraphNode **,
                                   size_t *);
CUresult cuStreamGetCaptureInfo_v3(CUstream, CUstreamCaptureStatus *, cuuint64_t *, CUgraph *, const CUgraphNode **,
                                   const CUgraphEdgeData **, size_t *);
CUresult cuStreamGetCtx(CUstream, CUcontext *);
CUresult cuStreamGetCtx_v2(CUstream, CUcontext *, CUgreenCtx *);
CUresult cuStreamGetDevice(CUstream, CUdevice *);
CUresult cuStreamGetFlags(CUstream, unsigned *);
CUresult cuStreamGetId(CUstream, unsigned long long *);
CUresult cuStreamGetPriority(CUstream, int *);
CUresult cuStreamIsCapturing(CUstream, CUstreamCaptureStatus *);
CUresult cuStreamQuery(CUstream);
CUresult cuStreamSetAttribute(CUstream, CUstreamAttrID, const CUstreamAttrValue *);
CUresult cuStreamSynchronize(CUstream);
CUresult cuStreamUpdateCaptureDependencies(CUstream, CUgraphNode *, size_t, unsigned);
CUresult cuStreamUpdateCaptureDependencies_v2(CUstream, CUgraphNode *, const CUgraphEdgeData *, size_t, unsigned);
CUresult cuStreamWaitEvent(CUstream, CUevent, unsigned);
CUresult HEDDLE_PTSZ(cuStreamWaitValue32_v2)(CUstream, CUdeviceptr, cuuint32_t, unsigned);
CUresult HEDDLE_PTSZ(cuStreamWaitValue64_v2)(CUstream, CUdeviceptr, cuuint64_t, unsigned);
CUresult HEDDLE_PTSZ(cuStreamWriteValue32_v2)(CUstream, CUdeviceptr, cuuint32_t, unsigned);
CUresult HEDDLE_PTSZ(cuStreamWriteValue64_v2)(CUstream, CUdeviceptr, cuuint64_t, unsigned);
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *);

/* ---- Graphs ---- */

CUresult cuGraphAddChildGraphNode(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, CUgraph);
CUresult cuGraphAddDependencies(CUgraph, const CUgraphNode *, const CUgraphNode *, size_t);
CUresult cuGraphAddDependencies_v2(CUgraph, const CUgraphNode *, const CUgraphNode *, const CUgraphEdgeData *,
                                   size_t);
CUresult cuGraphAddEmptyNode(CUgraphNode *, CUgraph, const CUgraphNode *, size_t);
CUresult cuGraphAddEventRecordNode(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, CUevent);
CUresult cuGraphAddEventWaitNode(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, CUevent);
CUresult cuGraphAddHostNode(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, const CUDA_HOST_NODE_PARAMS *);
CUresult cuGraphAddKernelNode_v2(CUgraphNode *, CUgraph, const CUgraphNode *, size_t,
                                 const CUDA_KERNEL_NODE_PARAMS *);
CUresult cuGraphAddMemAllocNode(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, CUDA_MEM_ALLOC_NODE_PARAMS *);
CUresult cuGraphAddMemFreeNode(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, CUdeviceptr);
CUresult cuGraphAddMemcpyNode(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, const CUDA_MEMCPY3D *, CUcontext);
CUresult cuGraphAddMemsetNode(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, const CUDA_MEMSET_NODE_PARAMS *,
                              CUcontext);
CUresult cuGraphAddNode(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, CUgraphNodeParams *);
CUresult cuGraphAddNode_v2(CUgraphNode *, CUgraph, const CUgraphNode *, const CUgraphEdgeData *, size_t,
                           CUgraphNodeParams *);
CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode, CUgraph *);
CUresult cuGraphClone(CUgraph *, CUgraph);
CUresult cuGraphCreate(CUgraph *, unsigned);
CUresult cuGraphDebugDotPrint(CUgraph, const char *, unsigned);
CUresult cuGraphDestroy(CUgraph);
CUresult cuGraphDestroyNode(CUgraphNode);
CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode, CUevent *);
CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode, CUevent);
CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode, CUevent *);
CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode, CUevent);
CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec, CUgraphNode, CUgraph);
CUresult cuGraphExecDestroy(CUgraphExec);
CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec, CUgraphNode, CUevent);
CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec, CUgraphNode, CUevent);
CUresult cuGraphExecGetFlags(CUgraphExec, cuuint64_t *);
CUresult cuGraphExecHostNodeSetParams(CUgraphExec, CUgraphNode, const CUDA_HOST_NODE_PARAMS *);
CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec, CUgraphNode, const CUDA_KERNEL_NODE_PARAMS *);
CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec, CUgraphNode, const CUDA_MEMCPY3D *, CUcontext);
CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec, CUgraphNode, const CUDA_MEMSET_NODE_PARAMS *, CUcontext);
CUresult cuGraphExecNodeSetParams(CUgraphExec, CUgraphNode, CUgraphNodeParams *);
CUresult cuGraphExecUpdate_v2(CUgraphExec, CUgraph, CUgraphExecUpdateResultInfo *);
CUresult cuGraphGetEdges(CUgraph, CUgraphNode *, CUgraphNode *, size_t *);
CUresult cuGraphGetEdges_v2(CUgraph, CUgraphNode *, CUgraphNode *, CUgraphEdgeData *, size_t *);
CUresult cuGraphGetNodes(CUgraph, CUgraphNode *, size_t *);
CUresult cuGraphGetRootNodes(CUgraph, CUgraphNode *, size_t *);
CUresult cuGraphHostNodeGetParams(CUgraphNode, CUDA_HOST_NODE_PARAMS *);
CUresult cuGraphHostNodeSetParams(CUgraphNode, const CUDA_HOST_NODE_PARAMS *);
CUresult cuGraphInstantiate_v2(CUgraphExec *, CUgraph, CUgraphNode *, char *, size_t);
CUresult cuGraphInstantiateWithFlags(CUgraphExec *, CUgraph, unsigned long long);
CUresult cuGraphInstantiateWithParams(CUgraphExec *, CUgraph, CUDA_GRAPH_INSTANTIATE_PARAMS *);
CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode, CUgraphNode);
CUresult cuGraphKernelNodeGetAttribute(CUgraphNode, CUkernelNodeAttrID, CUkernelNodeAttrValue *);
CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode, CUDA_KERNEL_NODE_PARAMS *);
CUresult cuGraphKernelNodeSetAttribute(CUgraphNode, CUkernelNodeAttrID, const CUkernelNodeAttrValue *);
CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode, const CUDA_KERNEL_NODE_PARAMS *);
CUresult cuGraphLaunch(CUgraphExec, CUstream);
CUresult cuGraphMemAllocNodeGetParams(CUgraphNode, CUDA_MEM_ALLOC_NODE_PARAMS *);
CUresult cuGraphMemFreeNodeGetParams(CUgraphNode, CUdeviceptr *);
CUresult cuGraphMemcpyNodeGetParams(CUgraphNode, CUDA_MEMCPY3D *);
CUresult cuGraphMemcpyNodeSetParams(CUgraphNode, const CUDA_MEMCPY3D *);
CUresult cuGraphMemsetNodeGetParams(CUgraphNode, CUDA_MEMSET_NODE_PARAMS *);
CUresult cuGraphMemsetNodeSetParams(CUgraphNode, const CUDA_MEMSET_NODE_PARAMS *);
CUresult cuGraphNodeFindInClone(CUgraphNode *, CUgraphNode, CUgraph);
CUresult cuGraphNodeGetDependencies(CUgraphNode, CUgraphNode *, size_t *);
CUresult cuGraphNodeGetDependencies_v2(CUgraphNode, CUgraphNode *, CUgraphEdgeData *, size_t *);
CUresult cuGraphNodeGetDependentNodes(CUgraphNode, CUgraphNode *, size_t *);
CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode, CUgraphNode *, CUgraphEdgeData *, size_t *);
CUresult cuGraphNodeGetEnabled(CUgraphExec, CUgraphNode, unsigned *);
CUresult cuGraphNodeGetType(CUgraphNode, CUgraphNodeType *);
CUresult cuGraphNodeSetEnabled(CUgraphExec, CUgraphNode, unsigned);
CUresult cuGraphNodeSetParams(CUgraphNode, CUgraphNodeParams *);
CUresult cuGraphReleaseUserObject(CUgraph, CUuserObject, unsigned);
CUresult cuGraphRemoveDependencies(CUgraph, const CUgraphNode *, const CUgraphNode *, size_t);
CUresult cuGraphRemoveDependencies_v2(CUgraph, const CUgraphNode *, const CUgraphNode *, const CUgraphEdgeData *,
                                      size_t);
CUresult cuGraphRetainUserObject(CUgraph, CUuserObject, unsigned, unsigned);
CUresult cuGraphUpload(CUgraphExec, CUstream);
CUresult cuUserObjectCreate(CUuserObject *, void *, CUhostFn, unsigned, unsigned);
CUresult cuUserObjectRelease(CUuserObject, unsigned);
CUresult cuUserObjectRetain(CUuserObject, unsigned);

#ifdef __cplusplus
}
#endif
#endif
