/* Entry points about the device. */
#include "cuda/api.h"
#include "cuda/capture.h"
#include "cuda/stream.h"

static int synchronize(struct cu_process *p) {
    const int code = cu_capture_unsafe(p);
    return code ? code : cu_stream_wait(p, NULL);
}

CUDA_API int cudaDeviceSynchronize(void) {
    CUDA_CALL(synchronize(p));
}

CUDA_API int cudaDeviceReset(void) {
    struct cu_process *p = cu_enter();
    return cu_leave(p, cu_reset(p));
}

/* The runtime's version is that of the library the program was linked with. */
static int version(int *to, int number) {
    if (to) *to = number;
    cu_set_last_error(to ? CU_Success : CU_InvalidValue);
    return to ? CU_Success : CU_InvalidValue;
}
CUDA_API int runtime_version_11(int *v) {
    return version(v, 11080);
}
CUDA_API int runtime_version_12(int *v) {
    return version(v, 12090);
}
CUDA_API int runtime_version_13(int *v) {
    return version(v, 13000);
}
CUDA_VERSION(runtime_version_11, cudaRuntimeGetVersion, "11.0")
CUDA_VERSION(runtime_version_12, cudaRuntimeGetVersion, "12")
CUDA_DEFAULT(runtime_version_13, cudaRuntimeGetVersion)
CUDA_API int cudaDriverGetVersion(int *v) {
    return version(v, 13000);
}
