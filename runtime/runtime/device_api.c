/* Entry points about the device. There is one; it has no peers and cannot be shared between processes. */
#include <stdio.h>
#include <string.h>

#include "runtime/graph/capture.h"
#include "runtime/module/module.h"
#include "runtime/runtime/api.h"
#include "runtime/runtime/stream.h"

static int cu_device_synchronize(struct cu_process *p) {
    const int code = cu_capture_unsafe(p);
    return code ? code : cu_stream_wait(p, NULL);
}

CUDA_API int cudaDeviceSynchronize(void) {
    CUDA_CALL(cu_device_synchronize(p));
}
CUDA_ALIAS(cudaThreadSynchronize, cudaDeviceSynchronize)

CUDA_API int cudaDeviceReset(void) {
    struct cu_process *p = cu_enter();
    return cu_leave(p, cu_reset(p));
}
CUDA_ALIAS(cudaThreadExit, cudaDeviceReset)

/* ---- versions ---- */

/* The runtime's version is that of the library the program was linked with. */
static int cu_device_version(int *to, int number) {
    if (to) *to = number;
    cu_set_last_error(to ? CU_Success : CU_InvalidValue);
    return to ? CU_Success : CU_InvalidValue;
}
CUDA_API int runtime_version_11(int *v) {
    return cu_device_version(v, 11080);
}
CUDA_API int runtime_version_12(int *v) {
    return cu_device_version(v, 12090);
}
CUDA_API int runtime_version_13(int *v) {
    return cu_device_version(v, 13000);
}
CUDA_VERSION(runtime_version_11, cudaRuntimeGetVersion, "11.0")
CUDA_VERSION(runtime_version_12, cudaRuntimeGetVersion, "12")
CUDA_DEFAULT(runtime_version_13, cudaRuntimeGetVersion)
CUDA_API int cudaDriverGetVersion(int *v) {
    return cu_device_version(v, 13000);
}

/* ---- which device ---- */

static int cu_device_give(int *to, int value) {
    if (!to) return CU_InvalidValue;
    *to = value;
    return CU_Success;
}
static int only(int device) {
    return device ? CU_InvalidDevice : CU_Success;
}

CUDA_API int cudaGetDeviceCount(int *count) {
    CUDA_CALL(cu_device_give(count, 1));
}
CUDA_API int cudaGetDevice(int *device) {
    CUDA_CALL(cu_device_give(device, 0));
}
CUDA_API int cudaSetDevice(int device) {
    CUDA_CALL(only(device));
}
CUDA_API int cudaInitDevice(int device, unsigned flags, unsigned more) {
    (void)flags, (void)more;
    CUDA_CALL(only(device));
}
CUDA_API int cudaSetValidDevices(int *devices, int n) {
    CUDA_CALL(n && (!devices || devices[0]) ? CU_InvalidDevice : CU_Success);
}
CUDA_API int cudaChooseDevice(int *device, const void *wanted) {
    CUDA_CALL(wanted ? cu_device_give(device, 0) : CU_InvalidValue);
}

enum { DEVICE_FLAGS = 0xff, DEVICE_MAP_HOST = 8 };
static int set_flags(struct cu_process *p, unsigned flags) {
    if (flags & ~(unsigned)DEVICE_FLAGS) return CU_InvalidValue;
    p->device_flags = flags;
    return CU_Success;
}
CUDA_API int cudaSetDeviceFlags(unsigned flags) {
    CUDA_CALL(set_flags(p, flags));
}
CUDA_API int cudaGetDeviceFlags(unsigned *flags) {
    CUDA_CALL(cu_device_give((int *)flags, (int)(p->device_flags | DEVICE_MAP_HOST)));
}

/* ---- properties ---- */

static int properties_11(struct cu_process *p, void *to, int device) {
    struct cu_properties_12 v;
    if (!to) return CU_InvalidValue;
    if (device) return CU_InvalidDevice;
    cu_properties_12(&p->machine, &v);
    memcpy(to, &v, CU_PROPERTIES_11);
    return CU_Success;
}
static int properties_12(struct cu_process *p, struct cu_properties_12 *to, int device) {
    if (to && !device) cu_properties_12(&p->machine, to);
    return to ? only(device) : CU_InvalidValue;
}
static int properties_13(struct cu_process *p, struct cu_properties_13 *to, int device) {
    if (to && !device) cu_properties_13(&p->machine, to);
    return to ? only(device) : CU_InvalidValue;
}
CUDA_API int get_properties_11(void *to, int device) {
    CUDA_CALL(properties_11(p, to, device));
}
CUDA_API int get_properties_13(struct cu_properties_13 *to, int device) {
    CUDA_CALL(properties_13(p, to, device));
}
CUDA_API int cudaGetDeviceProperties_v2(struct cu_properties_12 *to, int device) {
    CUDA_CALL(properties_12(p, to, device));
}
CUDA_BEFORE_13(get_properties_11, cudaGetDeviceProperties)
CUDA_DEFAULT(get_properties_13, cudaGetDeviceProperties)

CUDA_API int cudaDeviceGetAttribute(int *value, int attribute, int device) {
    CUDA_CALL(device  ? CU_InvalidDevice
              : value ? cu_attribute(&p->machine, attribute, value)
                      : CU_InvalidValue);
}

static int bus_id(char *text, int bytes, int device) {
    if (!text || bytes <= 0) return CU_InvalidValue;
    if (device) return CU_InvalidDevice;
    snprintf(text, (size_t)bytes, "0000:01:00.0");
    return CU_Success;
}
CUDA_API int cudaDeviceGetPCIBusId(char *text, int bytes, int device) {
    CUDA_CALL(bus_id(text, bytes, device));
}
static int by_bus_id(int *device, const char *text) {
    unsigned domain = 0, bus, slot;
    if (!device || !text) return CU_InvalidValue;
    if (sscanf(text, "%x:%x:%x", &domain, &bus, &slot) != 3 &&
        (domain = 0, sscanf(text, "%x:%x", &bus, &slot) != 2))
        return CU_InvalidValue;
    if (domain || bus != 1 || slot) return CU_InvalidDevice;
    *device = 0;
    return CU_Success;
}
CUDA_API int cudaDeviceGetByPCIBusId(int *device, const char *text) {
    CUDA_CALL(by_bus_id(device, text));
}

/* ---- limits and preferences ---- */

CUDA_API int cudaDeviceGetLimit(size_t *value, int limit) {
    CUDA_CALL(value ? cu_get_limit(p, limit, value) : CU_InvalidValue);
}
CUDA_API int cudaDeviceSetLimit(int limit, size_t value) {
    CUDA_CALL(cu_set_limit(p, limit, value));
}
CUDA_ALIAS(cudaThreadGetLimit, cudaDeviceGetLimit)
CUDA_ALIAS(cudaThreadSetLimit, cudaDeviceSetLimit)

enum { CACHE_CONFIGS = 4, BANK_CONFIGS = 3, BANKS_FOUR_BYTES = 1 };
static int set_cache(struct cu_process *p, int config) {
    if (config < 0 || config >= CACHE_CONFIGS) return CU_InvalidValue;
    p->cache_config = config;
    return CU_Success;
}
CUDA_API int cudaDeviceGetCacheConfig(int *config) {
    CUDA_CALL(cu_device_give(config, p->cache_config));
}
CUDA_API int cudaDeviceSetCacheConfig(int config) {
    CUDA_CALL(set_cache(p, config));
}
CUDA_ALIAS(cudaThreadGetCacheConfig, cudaDeviceGetCacheConfig)
CUDA_ALIAS(cudaThreadSetCacheConfig, cudaDeviceSetCacheConfig)
CUDA_API int cudaDeviceGetSharedMemConfig(int *config) {
    CUDA_CALL(cu_device_give(config, BANKS_FOUR_BYTES));
}
CUDA_API int cudaDeviceSetSharedMemConfig(int config) {
    CUDA_CALL(config < 0 || config >= BANK_CONFIGS ? CU_InvalidValue : CU_Success);
}
CUDA_API int cudaCtxResetPersistingL2Cache(void) {
    CUDA_CALL(CU_Success);
}

/* ---- peers ---- */

CUDA_API int cudaDeviceCanAccessPeer(int *can, int device, int peer) {
    CUDA_CALL(device || peer ? CU_InvalidDevice : cu_device_give(can, 0));
}
CUDA_API int cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
    (void)flags;
    (void)peer;
    CUDA_CALL(CU_InvalidDevice); /* the current device is no peer of itself */
}
CUDA_API int cudaDeviceDisablePeerAccess(int peer) {
    CUDA_CALL(peer ? CU_InvalidDevice : CU_PeerAccessNotEnabled);
}
CUDA_API int cudaDeviceGetP2PAttribute(int *value, int attribute, int from, int to) {
    (void)value, (void)attribute;
    CUDA_CALL(from || to ? CU_InvalidDevice : CU_InvalidValue);
}

/* Profilers have nothing to attach to; heddle's own are always there. */
CUDA_API int cudaProfilerStart(void) {
    CUDA_CALL(CU_Success);
}
CUDA_API int cudaProfilerStop(void) {
    CUDA_CALL(CU_Success);
}
