/* Stream-ordered memory.
 *
 * Operations run when they are submitted, so memory is given and taken back at once. What a pool would hold beside is accounted: it
 * reserves memory in pieces of 32 MB (as the driver does), keeps what is freed, and gives back what exceeds its release threshold
 * when the host waits for the device. */
#include "runtime/memory/pool.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/graph/capture.h"
#include "runtime/memory/memory.h"
#include "runtime/runtime/process.h"
#include "runtime/runtime/stream.h"

#define POOL_PIECE (UINT64_C(32) << 20)

bool cu_is_pool(struct cu_process *p, const struct CUmemPoolHandle_st *pool) {
    return cu_is(p, pool, CU_KIND_POOL) && !pool->ended;
}

static struct CUmemPoolHandle_st *cu_pool_add(struct cu_process *p, const struct cudaMemPoolProps *props) {
    struct CUmemPoolHandle_st *pool = cu_zalloc(sizeof *pool);
    pool->props = *props;
    for (int i = 0; i < 3; i++) pool->reuse[i] = 1;
    pool->next = p->objects.pools;
    p->objects.pools = pool;
    cu_know(p, pool, CU_KIND_POOL);
    return pool;
}

struct CUmemPoolHandle_st *cu_pool_default(struct cu_process *p) {
    const struct cudaMemPoolProps props = {.allocType = cudaMemAllocationTypePinned,
                                           .location = {cudaMemLocationTypeDevice, 0}};
    struct CUmemPoolHandle_st *pool = p->objects.pools;
    while (pool && pool->next) pool = pool->next;
    return pool ? pool : cu_pool_add(p, &props);
}

struct CUmemPoolHandle_st *cu_pool_current(struct cu_process *p) {
    return p->objects.pool ? p->objects.pool : cu_pool_default(p);
}

int cu_pool_new(struct cu_process *p, const struct cudaMemPoolProps *props,
                struct CUmemPoolHandle_st **pool) {
    if (!pool || !props) return CU_InvalidValue;
    if (props->allocType != cudaMemAllocationTypePinned || props->location.type != cudaMemLocationTypeDevice)
        return CU_InvalidValue;
    if (props->location.id != 0) return CU_InvalidDevice;
    if (props->handleTypes != cudaMemHandleTypeNone) return CU_NotSupported;
    cu_pool_default(p); /* stays the last */
    *pool = cu_pool_add(p, props);
    return CU_Success;
}

static void cu_pool_release(struct cu_process *p, struct CUmemPoolHandle_st *pool) {
    struct CUmemPoolHandle_st **at = &p->objects.pools;
    while (*at != pool) at = &(*at)->next;
    *at = pool->next;
    cu_forget(p, pool);
    free(pool);
}

int cu_pool_end(struct cu_process *p, struct CUmemPoolHandle_st *pool) {
    if (!cu_is_pool(p, pool)) return CU_InvalidValue;
    if (pool == cu_pool_default(p)) return CU_NotPermitted;
    if (p->objects.pool == pool) p->objects.pool = NULL;
    pool->ended = true;
    if (!pool->used) cu_pool_release(p, pool);
    return CU_Success;
}

void cu_pools_free(struct cu_process *p) {
    while (p->objects.pools) cu_pool_release(p, p->objects.pools);
    p->objects.pool = NULL;
}

/* ---- accounts ---- */

static void use(struct CUmemPoolHandle_st *pool, uint64_t bytes) {
    pool->used += bytes;
    if (pool->used > pool->used_high) pool->used_high = pool->used;
    if (pool->used <= pool->reserved) return;
    pool->reserved = (pool->used + POOL_PIECE - 1) / POOL_PIECE * POOL_PIECE;
    if (pool->reserved > pool->reserved_high) pool->reserved_high = pool->reserved;
}

void cu_pools_trim(struct cu_process *p) {
    for (struct CUmemPoolHandle_st *pool = p->objects.pools; pool; pool = pool->next)
        cu_pool_keep(pool, pool->threshold);
}

void cu_pool_keep(struct CUmemPoolHandle_st *pool, uint64_t bytes) {
    const uint64_t least = bytes > pool->used ? bytes : pool->used;
    const uint64_t pieces = least / POOL_PIECE + (least % POOL_PIECE != 0);
    if (pieces < pool->reserved / POOL_PIECE) pool->reserved = pieces * POOL_PIECE;
}

/* ---- allocations ---- */

static int cu_pool_allocate(struct cu_process *p, struct CUmemPoolHandle_st *pool, uint64_t bytes,
                            void **ptr) {
    if (pool->props.maxSize && pool->used + bytes > pool->props.maxSize) return CU_MemoryAllocation;
    uint64_t addr;
    const int code = cu_alloc_device(p, bytes, CU_MEMORY_DEVICE, &addr);
    if (code) return code;
    cu_alloc_find(p, addr)->owner = pool;
    use(pool, bytes);
    *ptr = (void *)(uintptr_t)addr;
    return CU_Success;
}

static int capture_alloc(struct cu_process *p, uint64_t bytes, struct CUstream_st *s, void **ptr) {
    struct cu_op op = {.kind = CU_OP_ALLOC, .u.memory.bytes = bytes};
    int code = cu_graph_memory_new(p, bytes, &op.u.memory.addr);
    if (code) return code;
    if ((code = cu_capture_op(p, s, &op))) {
        cu_graph_memory_release(p, op.u.memory.addr);
        return code;
    }
    *ptr = (void *)(uintptr_t)op.u.memory.addr;
    return CU_Success;
}

int cu_malloc_async(struct cu_process *p, struct CUmemPoolHandle_st *pool, uint64_t bytes,
                    struct CUstream_st *s, void **ptr) {
    if (!ptr || !cu_is_pool(p, pool)) return CU_InvalidValue;
    *ptr = NULL;
    if (!bytes) return CU_Success;
    return s->capture ? capture_alloc(p, bytes, s, ptr) : cu_pool_allocate(p, pool, bytes, ptr);
}

int cu_free_async(struct cu_process *p, void *ptr, struct CUstream_st *s) {
    if (!ptr) return CU_Success;
    const struct cu_alloc *a = cu_alloc_find(p, (uintptr_t)ptr);
    if (!a || a->addr != (uintptr_t)ptr || a->kind != CU_MEMORY_DEVICE) return CU_InvalidValue;
    const struct cu_op op = {.kind = CU_OP_FREE, .u.memory = {a->addr, a->bytes}};
    return cu_submit(p, s, &op);
}

int cu_free_owned(struct cu_process *p, struct cu_alloc *a) {
    if (cu_is(p, a->owner, CU_KIND_GRAPH_MEMORY)) {
        struct cu_graph_memory *m = a->owner;
        if (!m->live) return CU_InvalidValue;
        cu_graph_memory_live(p, m, false);
        return CU_Success;
    }
    struct CUmemPoolHandle_st *pool = cu_is(p, a->owner, CU_KIND_POOL) ? a->owner : NULL;
    if (pool) pool->used -= a->bytes;
    const int code = cu_alloc_free(p, a);
    if (pool && pool->ended && !pool->used) cu_pool_release(p, pool);
    return code;
}

/* ---- memory of graphs ---- */

struct cu_graph_memory *cu_graph_memory_find(struct cu_process *p, uint64_t addr) {
    struct cu_graph_memory *m = p->objects.graph_memory;
    while (m && m->addr != addr) m = m->next;
    return m;
}

int cu_graph_memory_new(struct cu_process *p, uint64_t bytes, uint64_t *addr) {
    const int code = cu_alloc_device(p, bytes, CU_MEMORY_DEVICE, addr);
    if (code) return code;
    struct cu_graph_memory *m = cu_zalloc(sizeof *m);
    *m = (struct cu_graph_memory){*addr, bytes, 1, false, p->objects.graph_memory};
    p->objects.graph_memory = m;
    cu_alloc_find(p, *addr)->owner = m;
    cu_know(p, m, CU_KIND_GRAPH_MEMORY);
    p->objects.graph_reserved += bytes;
    if (p->objects.graph_reserved > p->objects.graph_reserved_high)
        p->objects.graph_reserved_high = p->objects.graph_reserved;
    return CU_Success;
}

static void cu_pool_collect(struct cu_process *p, struct cu_graph_memory *m) {
    if (m->nodes || m->live) return;
    struct cu_graph_memory **at = &p->objects.graph_memory;
    while (*at != m) at = &(*at)->next;
    *at = m->next;
    p->objects.graph_reserved -= m->bytes;
    cu_alloc_free(p, cu_alloc_find(p, m->addr));
    cu_forget(p, m);
    free(m);
}

void cu_graph_memory_retain(struct cu_process *p, uint64_t addr) {
    cu_graph_memory_find(p, addr)->nodes++;
}

void cu_graph_memory_release(struct cu_process *p, uint64_t addr) {
    struct cu_graph_memory *m = cu_graph_memory_find(p, addr);
    m->nodes--;
    cu_pool_collect(p, m);
}

void cu_graph_memory_live(struct cu_process *p, struct cu_graph_memory *m, bool live) {
    if (m->live == live) return;
    m->live = live;
    p->objects.graph_used += live ? m->bytes : -m->bytes;
    if (p->objects.graph_used > p->objects.graph_used_high)
        p->objects.graph_used_high = p->objects.graph_used;
    cu_pool_collect(p, m);
}

void cu_graph_memory_free(struct cu_process *p) {
    for (struct cu_graph_memory *m = p->objects.graph_memory, *next; m; m = next) {
        next = m->next;
        m->nodes = 0;
        m->live = false;
        cu_pool_collect(p, m);
    }
    p->objects.graph_used = p->objects.graph_used_high = p->objects.graph_reserved_high = 0;
}
