/* Allocations, in one array ordered by address.
 *
 * Host memory that kernels reach (page-locked and managed) is mapped at addresses from SHARED_BASE up, where neither the host's
 * loader nor the simulated device puts anything of its own, and given to the device at the same address: pointers to it mean
 * the same on both sides, and are the same from run to run. */
#include "runtime/memory/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/graph/capture.h"
#include "runtime/memory/pool.h"
#include "runtime/runtime/error.h"
#include "runtime/runtime/process.h"

#define SHARED_BASE ((uint64_t)0x200000000000)
#define SHARED_END  ((uint64_t)0x300000000000)

/* The first allocation that ends behind an address. */
static size_t first_behind(const struct cu_process *p, uint64_t addr) {
    size_t low = 0, high = p->nallocs;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (p->allocs[mid].addr + p->allocs[mid].bytes <= addr)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

struct cu_alloc *cu_alloc_find(struct cu_process *p, uint64_t addr) {
    size_t i = first_behind(p, addr);
    return i < p->nallocs && p->allocs[i].addr <= addr ? &p->allocs[i] : NULL;
}

int cu_alloc_note(struct cu_process *p, const struct cu_alloc *a) {
    if (p->nallocs == p->allocs_capacity) {
        size_t capacity = p->allocs_capacity ? 2 * p->allocs_capacity : 64;
        struct cu_alloc *grown = realloc(p->allocs, capacity * sizeof *grown);
        if (!grown) return CU_MemoryAllocation;
        p->allocs = grown;
        p->allocs_capacity = capacity;
    }
    size_t i = first_behind(p, a->addr);
    memmove(p->allocs + i + 1, p->allocs + i, (p->nallocs - i) * sizeof *p->allocs);
    p->allocs[i] = *a;
    p->allocs[i].id = ++p->allocations;
    p->allocs[i].context = p->context;
    p->nallocs++;
    if (!a->host) p->device_bytes += a->bytes;
    return CU_Success;
}

void cu_alloc_forget(struct cu_process *p, uint64_t addr) {
    size_t i = first_behind(p, addr);
    if (i == p->nallocs || p->allocs[i].addr != addr) return;
    if (!p->allocs[i].host) p->device_bytes -= p->allocs[i].bytes;
    memmove(p->allocs + i, p->allocs + i + 1, (p->nallocs - i - 1) * sizeof *p->allocs);
    p->nallocs--;
}

int cu_alloc_device(struct cu_process *p, uint64_t bytes, enum cu_memory_kind kind, uint64_t *addr) {
    *addr = 0;
    if (!bytes) return CU_Success;
    int code = cu_status(hd_alloc(p->dev, bytes, addr));
    struct cu_alloc a = {.addr = *addr, .bytes = bytes, .kind = kind};
    if (!code && (code = cu_alloc_note(p, &a))) (void)hd_free(p->dev, *addr);
    return code;
}

/* Address space that is free on the host, the lowest first. */
static void *map_shared(struct cu_process *p, size_t bytes) {
    uint64_t at = p->shared_next ? p->shared_next : SHARED_BASE;
    while (at + bytes <= SHARED_END) {
        void *want = (void *)(uintptr_t)at;
        void *got = mmap(want, bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        if (got == want) {
            p->shared_next = at + bytes + (uint64_t)sysconf(_SC_PAGESIZE);
            return got;
        }
        if (got != MAP_FAILED) munmap(got, bytes);
        if (got == MAP_FAILED && errno != EEXIST) return NULL;
        at += bytes;
    }
    return NULL;
}

void *cu_shared_map(struct cu_process *p, uint64_t bytes, size_t *mapped) {
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), whole = (bytes + page - 1) / page * page;
    *mapped = (size_t)whole;
    return bytes <= SHARED_END - SHARED_BASE ? map_shared(p, (size_t)whole) : NULL;
}

int cu_alloc_shared(struct cu_process *p, uint64_t bytes, enum cu_memory_kind kind, unsigned flags,
                    void **ptr) {
    size_t whole;
    *ptr = NULL;
    if (!bytes) return CU_Success;
    void *host = cu_shared_map(p, bytes, &whole);
    if (!host) return CU_MemoryAllocation;
    uint64_t addr = (uint64_t)(uintptr_t)host;
    int code = cu_status(hd_alloc_at(p->dev, bytes, host, &addr));
    struct cu_alloc a = {
        .addr = addr, .bytes = bytes, .kind = kind, .flags = flags, .host = host, .mapped = whole};
    if (!code && (code = cu_alloc_note(p, &a))) (void)hd_free(p->dev, addr);
    if (code)
        munmap(host, whole);
    else
        *ptr = host;
    return code;
}

int cu_alloc_free(struct cu_process *p, struct cu_alloc *a) {
    struct cu_alloc gone = *a;
    cu_alloc_forget(p, gone.addr);
    int code = cu_status(hd_free(p->dev, gone.addr));
    if (gone.mapped) munmap(gone.host, gone.mapped);
    return code;
}

void cu_alloc_free_all(struct cu_process *p) {
    for (size_t i = 0; i < p->nallocs; i++)
        if (p->allocs[i].mapped) munmap(p->allocs[i].host, p->allocs[i].mapped);
    p->nallocs = 0;
    p->device_bytes = 0;
    p->shared_next = 0;
}

int cu_malloc(struct cu_process *p, void **ptr, uint64_t bytes) {
    uint64_t addr;
    if (!ptr) return CU_InvalidValue;
    int code = cu_capture_unsafe(p);
    if (!code) code = cu_alloc_device(p, bytes, CU_MEMORY_DEVICE, &addr);
    if (!code) *ptr = (void *)(uintptr_t)addr;
    return code;
}

int cu_free(struct cu_process *p, void *ptr) {
    uint64_t addr = (uint64_t)(uintptr_t)ptr;
    if (!ptr) return CU_Success;
    struct cu_alloc *a = cu_alloc_find(p, addr);
    if (!a || a->addr != addr || (a->kind != CU_MEMORY_DEVICE && a->kind != CU_MEMORY_MANAGED))
        return CU_InvalidValue;
    if (a->kind == CU_MEMORY_MANAGED && a->owner) return CU_InvalidValue; /* a variable */
    int code = cu_capture_unsafe(p);
    if (code) return code;
    return a->owner ? cu_free_owned(p, a) : cu_alloc_free(p, a);
}
