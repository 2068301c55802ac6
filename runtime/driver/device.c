/* The driver interface: the device. There is one, number 0. */
#include "runtime/runtime/device.h"

#include <stdio.h>
#include <string.h>

#include "runtime/driver/drv.h"

#define PCI_BUS_ID "0000:01:00.0"

CUDA_API CUresult cuDeviceGetCount(int *count) {
    DRV_ANY(count ? (*count = 1, CU_Success) : CU_InvalidValue);
}
CUDA_API CUresult cuDeviceGet(CUdevice *device, int ordinal) {
    DRV_ANY(!device ? CU_InvalidValue : ordinal ? CU_InvalidDevice : (*device = 0, CU_Success));
}

static int drv_device_name(struct cu_process *p, char *text, int bytes, CUdevice device) {
    if (!text || bytes <= 0) return CU_InvalidValue;
    if (device) return CU_InvalidDevice;
    snprintf(text, (size_t)bytes, "%s", p->machine.name);
    return CU_Success;
}
CUDA_API CUresult cuDeviceGetName(char *text, int bytes, CUdevice device) {
    DRV_ANY(drv_device_name(p, text, bytes, device));
}

static int total(struct cu_process *p, size_t *bytes, CUdevice device) {
    if (!bytes) return CU_InvalidValue;
    if (device) return CU_InvalidDevice;
    *bytes = p->machine.global_bytes;
    return CU_Success;
}
CUDA_API CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
    DRV_ANY(total(p, bytes, device));
}

/* One number for all machines: programs compare it to tell devices apart, and there is one. */
static int uuid(CUuuid *id, CUdevice device) {
    if (!id) return CU_InvalidValue;
    if (device) return CU_InvalidDevice;
    memcpy(id->bytes, "heddle simulated", sizeof id->bytes);
    return CU_Success;
}
CUDA_API CUresult cuDeviceGetUuid_v2(CUuuid *id, CUdevice device) {
    DRV_ANY(uuid(id, device));
}
DRV_SAME(cuDeviceGetUuid, cuDeviceGetUuid_v2);

static int capability(struct cu_process *p, int *major, int *minor, CUdevice device) {
    if (!major || !minor) return CU_InvalidValue;
    if (device) return CU_InvalidDevice;
    *major = p->machine.major;
    *minor = p->machine.minor;
    return CU_Success;
}
CUDA_API CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device) {
    DRV_ANY(capability(p, major, minor, device));
}

static int pci_bus_id(char *text, int bytes, CUdevice device) {
    if (!text || bytes <= 0) return CU_InvalidValue;
    if (device) return CU_InvalidDevice;
    snprintf(text, (size_t)bytes, "%s", PCI_BUS_ID);
    return CU_Success;
}
CUDA_API CUresult cuDeviceGetPCIBusId(char *text, int bytes, CUdevice device) {
    DRV_ANY(pci_bus_id(text, bytes, device));
}
/* With or without the domain and the function. */
static int by_pci_bus_id(CUdevice *device, const char *text) {
    if (!device || !text) return CU_InvalidValue;
    if (strcmp(text, PCI_BUS_ID) && strcmp(text, "0000:01:00") && strcmp(text, "01:00.0") &&
        strcmp(text, "01:00"))
        return CU_InvalidDevice;
    *device = 0;
    return CU_Success;
}
CUDA_API CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *text) {
    DRV_ANY(by_pci_bus_id(device, text));
}

static int drv_device_attribute(struct cu_process *p, int *value, CUdevice_attribute number,
                                CUdevice device) {
    if (!value) return CU_InvalidValue;
    return device ? CU_InvalidDevice : cu_attribute(&p->machine, (int)number, value);
}
CUDA_API CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute number, CUdevice device) {
    DRV_ANY(drv_device_attribute(p, value, number, device));
}

static int drv_device_properties(struct cu_process *p, CUdevprop *to, CUdevice device) {
    struct cu_properties_12 v;
    if (!to) return CU_InvalidValue;
    if (device) return CU_InvalidDevice;
    cu_properties_12(&p->machine, &v);
    *to = (CUdevprop){.maxThreadsPerBlock = v.maxThreadsPerBlock,
                      .sharedMemPerBlock = (int)v.sharedMemPerBlock,
                      .totalConstantMemory = (int)v.totalConstMem,
                      .SIMDWidth = v.warpSize,
                      .memPitch = (int)v.memPitch,
                      .regsPerBlock = v.regsPerBlock,
                      .clockRate = v.clockRate,
                      .textureAlign = (int)v.textureAlignment};
    memcpy(to->maxThreadsDim, v.maxThreadsDim, sizeof to->maxThreadsDim);
    memcpy(to->maxGridSize, v.maxGridSize, sizeof to->maxGridSize);
    return CU_Success;
}
CUDA_API CUresult cuDeviceGetProperties(CUdevprop *to, CUdevice device) {
    DRV_ANY(drv_device_properties(p, to, device));
}

CUDA_API CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) {
    DRV_ANY(!can ? CU_InvalidValue : device || peer ? CU_InvalidDevice : (*can = 0, CU_Success));
}
CUDA_API CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attribute, CUdevice from,
                                          CUdevice to) {
    (void)attribute, (void)from, (void)to; /* these calls are about two different devices, and there is one */
    DRV_ANY(value ? CU_InvalidDevice : CU_InvalidValue);
}
