/* Ranges and marks for NVIDIA's profilers: nothing happens. */
#ifndef HEDDLE_NVTOOLSEXT_H
#define HEDDLE_NVTOOLSEXT_H

#include <stddef.h>
#include <stdint.h>

#define NVTX_VERSION            3
#define NVTX_COLOR_UNKNOWN      0
#define NVTX_COLOR_ARGB         1
#define NVTX_MESSAGE_UNKNOWN    0
#define NVTX_MESSAGE_TYPE_ASCII 1
#define NVTX_MESSAGE_TYPE_UNICODE 2
#define NVTX_PAYLOAD_UNKNOWN    0

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st *nvtxDomainHandle_t;
typedef union {
    const char *ascii;
    const wchar_t *unicode;
} nvtxMessageValue_t;
typedef struct {
    uint16_t version, size;
    uint32_t category;
    int32_t colorType;
    uint32_t color;
    int32_t payloadType, reserved0;
    union {
        uint64_t ullValue;
        int64_t llValue;
        double dValue;
    } payload;
    int32_t messageType;
    nvtxMessageValue_t message;
} nvtxEventAttributes_t;
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))

static __inline__ void nvtxMarkA(const char *name) { (void)name; }
static __inline__ int nvtxRangePushA(const char *name) { return (void)name, 0; }
static __inline__ int nvtxRangePushEx(const nvtxEventAttributes_t *what) { return (void)what, 0; }
static __inline__ int nvtxRangePop(void) { return 0; }
static __inline__ nvtxRangeId_t nvtxRangeStartA(const char *name) { return (void)name, 0; }
static __inline__ nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t *what) { return (void)what, 0; }
static __inline__ void nvtxRangeEnd(nvtxRangeId_t id) { (void)id; }
static __inline__ void nvtxNameOsThreadA(uint32_t id, const char *name) { (void)id, (void)name; }
static __inline__ void nvtxNameCategoryA(uint32_t id, const char *name) { (void)id, (void)name; }
static __inline__ nvtxDomainHandle_t nvtxDomainCreateA(const char *name) { return (void)name, (nvtxDomainHandle_t)0; }
static __inline__ int nvtxDomainRangePushEx(nvtxDomainHandle_t d, const nvtxEventAttributes_t *what) {
    return (void)d, (void)what, 0;
}
static __inline__ int nvtxDomainRangePop(nvtxDomainHandle_t d) { return (void)d, 0; }
#define nvtxMark       nvtxMarkA
#define nvtxRangePush  nvtxRangePushA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxNameOsThread nvtxNameOsThreadA
#define nvtxNameCategory nvtxNameCategoryA
#define nvtxDomainCreate nvtxDomainCreateA

#endif
