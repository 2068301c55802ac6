/* The driver interface: virtual memory. A program reserves addresses, makes memory, and maps the one to the other; kernels
 * and copies then find it like any other. The memory is the host's, of which the device is told at the mapped address. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/driver/drv.h"
#include "runtime/memory/memory.h"

enum { GRANULE = 2 << 20 }; /* bytes: what addresses and sizes are multiples of */

/* Memory without an address. */
struct drv_physical {
    struct drv_physical *next;
    CUmemAllocationProp prop;
    char *host;
    size_t bytes;
    unsigned users; /* the program's handles, and mappings */
};
/* Addresses, and the room around them that was needed to align them. */
struct drv_reserved {
    struct drv_reserved *next;
    uint64_t addr, bytes;
    void *room;
    size_t room_bytes;
};

/* ---- memory ---- */

static int check_prop(const CUmemAllocationProp *prop) {
    if (!prop || prop->type != CU_MEM_ALLOCATION_TYPE_PINNED) return CU_InvalidValue;
    if (prop->location.type != CU_MEM_LOCATION_TYPE_DEVICE) return CU_NotSupported;
    if (prop->requestedHandleTypes != CU_MEM_HANDLE_TYPE_NONE) return CU_NotSupported;
    return prop->location.id ? CU_InvalidDevice : CU_Success;
}

CUDA_API CUresult cuMemGetAllocationGranularity(size_t *bytes, const CUmemAllocationProp *prop,
                                                CUmemAllocationGranularity_flags option) {
    (void)option;
    DRV_ANY(!bytes ? CU_InvalidValue : (*bytes = GRANULE, check_prop(prop)));
}

static struct drv_physical *physical(struct cu_process *p, CUmemGenericAllocationHandle handle) {
    struct drv_physical *m = p->driver.physical;
    while (m && (uint64_t)(uintptr_t)m != handle) m = m->next;
    return m;
}

static int drv_virtual_create(struct cu_process *p, CUmemGenericAllocationHandle *handle, size_t bytes,
                              const CUmemAllocationProp *prop) {
    int code = check_prop(prop);
    if (code || !handle || !bytes || bytes % GRANULE) return code ? code : CU_InvalidValue;
    if (bytes > p->machine.global_bytes) return CU_MemoryAllocation;
    struct drv_physical *m = calloc(1, sizeof *m);
    char *host =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (!m || host == MAP_FAILED) {
        if (host != MAP_FAILED) munmap(host, bytes);
        free(m);
        return CU_MemoryAllocation;
    }
    *m = (struct drv_physical){p->driver.physical, *prop, host, bytes, 1};
    p->driver.physical = m;
    *handle = (uint64_t)(uintptr_t)m;
    return CU_Success;
}
CUDA_API CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes,
                              const CUmemAllocationProp *prop, unsigned long long flags) {
    DRV_ANY(flags ? CU_InvalidValue : drv_virtual_create(p, handle, bytes, prop));
}

static void drv_virtual_drop(struct cu_process *p, struct drv_physical *m) {
    if (--m->users) return;
    struct drv_physical **at = &p->driver.physical;
    while (*at != m) at = &(*at)->next;
    *at = m->next;
    munmap(m->host, m->bytes);
    free(m);
}
static int drv_virtual_release(struct cu_process *p, CUmemGenericAllocationHandle handle) {
    struct drv_physical *m = physical(p, handle);
    if (!m) return CU_InvalidValue;
    drv_virtual_drop(p, m);
    return CU_Success;
}
CUDA_API CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
    DRV_ANY(drv_virtual_release(p, handle));
}

static int drv_virtual_properties(struct cu_process *p, CUmemAllocationProp *prop,
                                  CUmemGenericAllocationHandle handle) {
    struct drv_physical *m = physical(p, handle);
    if (!m || !prop) return CU_InvalidValue;
    *prop = m->prop;
    return CU_Success;
}
CUDA_API CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop,
                                                         CUmemGenericAllocationHandle handle) {
    DRV_ANY(drv_virtual_properties(p, prop, handle));
}

/* ---- addresses ---- */

static int drv_virtual_reserve(struct cu_process *p, CUdeviceptr *ptr, size_t bytes, size_t align) {
    struct drv_reserved *r = calloc(1, sizeof *r);
    if (align < GRANULE) align = GRANULE;
    int wrong = !ptr || !bytes || bytes % GRANULE || align & (align - 1) || bytes > SIZE_MAX / 4 ||
                align > SIZE_MAX / 4;
    if (r && !wrong) r->room = cu_shared_map(p, bytes + align, &r->room_bytes);
    if (!r || wrong || !r->room) {
        free(r);
        return wrong ? CU_InvalidValue : CU_MemoryAllocation;
    }
    (void)mprotect(r->room, r->room_bytes, PROT_NONE); /* the host has no business there */
    r->addr = ((uint64_t)(uintptr_t)r->room + align - 1) & ~(uint64_t)(align - 1);
    r->bytes = bytes;
    r->next = p->driver.reserved;
    p->driver.reserved = r;
    *ptr = r->addr;
    return CU_Success;
}
CUDA_API CUresult cuMemAddressReserve(CUdeviceptr *ptr, size_t bytes, size_t align, CUdeviceptr wish,
                                      unsigned long long flags) {
    (void)wish; /* a hint */
    DRV_ANY(flags ? CU_InvalidValue : drv_virtual_reserve(p, ptr, bytes, align));
}

static struct drv_reserved **reservation(struct cu_process *p, uint64_t addr, uint64_t bytes) {
    struct drv_reserved **at = &p->driver.reserved;
    while (*at && (addr < (*at)->addr || addr - (*at)->addr > (*at)->bytes ||
                   bytes > (*at)->bytes - (addr - (*at)->addr)))
        at = &(*at)->next;
    return at;
}
static int unreserve(struct cu_process *p, CUdeviceptr ptr, size_t bytes) {
    struct drv_reserved **at = reservation(p, ptr, bytes), *r = *at;
    if (!r || r->addr != ptr || r->bytes != bytes) return CU_InvalidValue;
    for (uint64_t a = ptr; a < ptr + bytes; a += GRANULE)
        if (cu_alloc_find(p, a)) return CU_InvalidValue; /* still mapped */
    *at = r->next;
    munmap(r->room, r->room_bytes);
    free(r);
    return CU_Success;
}
CUDA_API CUresult cuMemAddressFree(CUdeviceptr ptr, size_t bytes) {
    DRV_ANY(unreserve(p, ptr, bytes));
}

/* ---- mapping ---- */

static int drv_virtual_map(struct cu_process *p, CUdeviceptr ptr, size_t bytes, size_t offset,
                           CUmemGenericAllocationHandle handle) {
    struct drv_physical *m = physical(p, handle);
    if (!m || !bytes || (ptr | bytes | offset) % GRANULE || !*reservation(p, ptr, bytes))
        return CU_InvalidValue;
    if (offset > m->bytes || bytes > m->bytes - offset) return CU_InvalidValue;
    uint64_t addr = ptr;
    if (hd_alloc_at(p->dev, bytes, m->host + offset, &addr)) return CU_InvalidValue; /* mapped already */
    struct cu_alloc a = {.addr = addr, .bytes = bytes, .kind = CU_MEMORY_MAPPED, .owner = m};
    int code = cu_alloc_note(p, &a);
    if (code)
        (void)hd_free(p->dev, addr);
    else
        m->users++;
    return code;
}
CUDA_API CUresult cuMemMap(CUdeviceptr ptr, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                           unsigned long long flags) {
    DRV_ANY(flags ? CU_InvalidValue : drv_virtual_map(p, ptr, bytes, offset, handle));
}

/* The mapping that begins at an address. */
static struct cu_alloc *mapping(struct cu_process *p, uint64_t addr) {
    struct cu_alloc *a = cu_alloc_find(p, addr);
    return a && a->kind == CU_MEMORY_MAPPED ? a : NULL;
}
static int unmap(struct cu_process *p, CUdeviceptr ptr, size_t bytes) {
    uint64_t end = ptr + bytes;
    if (!bytes || !mapping(p, ptr)) return CU_InvalidValue;
    for (struct cu_alloc *a; ptr < end && (a = mapping(p, ptr));) {
        struct drv_physical *m = a->owner;
        ptr = a->addr + a->bytes;
        (void)hd_free(p->dev, a->addr);
        cu_alloc_forget(p, a->addr);
        drv_virtual_drop(p, m);
    }
    return CU_Success;
}
CUDA_API CUresult cuMemUnmap(CUdeviceptr ptr, size_t bytes) {
    DRV_ANY(unmap(p, ptr, bytes));
}

/* What is mapped can be read and written; a program that asks for less gets more. */
static int drv_virtual_set_access(struct cu_process *p, CUdeviceptr ptr, size_t bytes,
                                  const CUmemAccessDesc *desc, size_t n) {
    if (!bytes || !desc || !n) return CU_InvalidValue;
    for (uint64_t a = ptr; a < ptr + bytes; a += GRANULE)
        if (!mapping(p, a)) return CU_InvalidValue;
    return CU_Success;
}
CUDA_API CUresult cuMemSetAccess(CUdeviceptr ptr, size_t bytes, const CUmemAccessDesc *desc, size_t n) {
    DRV_ANY(drv_virtual_set_access(p, ptr, bytes, desc, n));
}
CUDA_API CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *where, CUdeviceptr ptr) {
    DRV_ANY(flags && where && mapping(p, ptr) ? (*flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE, CU_Success)
                                              : CU_InvalidValue);
}
static int drv_virtual_retain(struct cu_process *p, CUmemGenericAllocationHandle *handle, void *at) {
    struct cu_alloc *a = mapping(p, (uint64_t)(uintptr_t)at);
    if (!a || !handle) return CU_InvalidValue;
    struct drv_physical *m = a->owner;
    m->users++;
    *handle = (uint64_t)(uintptr_t)m;
    return CU_Success;
}
CUDA_API CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *at) {
    DRV_ANY(drv_virtual_retain(p, handle, at));
}

void drv_reset(struct cu_process *p) {
    for (struct drv_physical *m = p->driver.physical, *next; m; m = next) {
        next = m->next;
        munmap(m->host, m->bytes);
        free(m);
    }
    for (struct drv_reserved *r = p->driver.reserved, *next; r; r = next) {
        next = r->next;
        munmap(r->room, r->room_bytes);
        free(r);
    }
    p->driver.physical = NULL;
    p->driver.reserved = NULL;
}
