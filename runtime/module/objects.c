/* Handles and the memory behind them. */
#include "runtime/module/objects.h"

#include <stdlib.h>

#include "runtime/graph/graph.h"
#include "runtime/memory/array.h"
#include "runtime/memory/pool.h"
#include "runtime/memory/texture.h"
#include "runtime/runtime/event.h"
#include "runtime/runtime/process.h"
#include "runtime/runtime/stream.h"

static void *objects_need(void *at) {
    if (at) return at;
    cu_warn("the host has no more memory");
    abort();
}

void *cu_zalloc(size_t bytes) {
    return objects_need(calloc(1, bytes ? bytes : 1));
}

void *cu_grow(void *v, size_t n, size_t *cap, size_t each) {
    if (n < *cap) return v;
    *cap = *cap ? *cap * 2 : 4;
    return objects_need(realloc(v, *cap * each));
}

bool cu_is(struct cu_process *p, const void *handle, enum cu_kind kind) {
    return handle && (uintptr_t)cu_map_get(&p->objects.kinds, handle) == (uintptr_t)kind;
}

void cu_know(struct cu_process *p, const void *handle, enum cu_kind kind) {
    if (cu_map_put(&p->objects.kinds, handle, (void *)(uintptr_t)kind)) objects_need(NULL);
}

void cu_forget(struct cu_process *p, const void *handle) {
    cu_map_put(&p->objects.kinds, handle, NULL);
}

/* A handle of the kind, or NULL. */
static void *objects_any(const struct cu_process *p, enum cu_kind kind) {
    const struct cu_map *m = &p->objects.kinds;
    for (size_t i = 0; i < m->capacity; i++)
        if (m->entries[i].key && (uintptr_t)m->entries[i].value == (uintptr_t)kind)
            return (void *)(uintptr_t)m->entries[i].key;
    return NULL;
}

void cu_objects_reset(struct cu_process *p) {
    void *at;
    cu_streams_free(p); /* ends captures too */
    while ((at = objects_any(p, CU_KIND_EXEC))) cu_exec_free(p, at);
    while ((at = objects_any(p, CU_KIND_GRAPH))) {
        struct CUgraph_st *g = at;
        while (g->parent) g = g->parent->graph;
        cu_graph_free(p, g);
    }
    while ((at = objects_any(p, CU_KIND_EVENT))) cu_event_free(p, at);
    while ((at = objects_any(p, CU_KIND_ARRAY))) cu_array_free(p, at);
    cu_textures_free(p);
    cu_graph_memory_free(p);
    cu_pools_free(p);
}
