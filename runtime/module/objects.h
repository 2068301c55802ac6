/* What programs hold handles of: streams, events, graphs, arrays, pools, textures. A handle that was destroyed, or never was, has to
 * give an error and not a crash, so every one is looked up before it is followed. */
#ifndef CUDA_OBJECTS_H
#define CUDA_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/memory/map.h"

struct cu_process;

enum cu_kind {
    CU_KIND_NONE,
    CU_KIND_STREAM,
    CU_KIND_EVENT,
    CU_KIND_GRAPH,
    CU_KIND_NODE,
    CU_KIND_EXEC,
    CU_KIND_ARRAY,
    CU_KIND_POOL,
    CU_KIND_GRAPH_MEMORY,
    CU_KIND_USER_OBJECT
};

/* Operations that cannot overlap wait for each other here: the two copy engines and the SMs. Picoseconds. */
struct cu_engines {
    uint64_t copy_in, copy_out;
    uint64_t *sm; /* by SM: when it is free */
    uint32_t sms;
};

/* A set of nodes of a graph, in the order they came; graph.h. */
struct cu_nodes {
    struct CUgraphNode_st **v;
    size_t n, cap;
};

struct cu_objects {
    struct cu_map kinds; /* handle -> enum cu_kind */
    struct cu_captures {
        struct cu_capture **v;
        size_t n, cap;
    } captures; /* under way */
    struct cu_engines engines;
    uint64_t stream_ids, capture_ids, graphs; /* counters */
    uint64_t generation;                      /* generation of streams: cudaDeviceReset ends all of them */
    uint64_t orphans; /* when the last operation of streams that were destroyed ends */
    struct {
        struct cu_texture **v;
        size_t n, cap;
    } textures;                           /* texture and surface objects, bound texture references */
    struct cu_map texrefs;                /* texture references of the host -> struct cu_texref */
    struct cu_graph_memory *graph_memory; /* pool.h */
    uint64_t graph_used, graph_used_high, graph_reserved, graph_reserved_high; /* bytes */
    struct CUmemPoolHandle_st *pools, *pool; /* all, the default one last; the one of cudaMallocAsync */
};

/* Never NULL: the process ends with a line on standard error when the host has no more memory. */
void *cu_zalloc(size_t bytes);
void *cu_grow(void *v, size_t n, size_t *cap, size_t each);
/* Appends to a struct of v, n and cap. */
#define CU_PUSH(vec, value)                                                 \
    ((vec)->v = cu_grow((vec)->v, (vec)->n, &(vec)->cap, sizeof *(vec)->v), \
     (void)((vec)->v[(vec)->n++] = (value)))

bool cu_is(struct cu_process *p, const void *handle, enum cu_kind kind);
void cu_know(struct cu_process *p, const void *handle, enum cu_kind kind);
void cu_forget(struct cu_process *p, const void *handle);
/* cudaDeviceReset: every object is gone. */
void cu_objects_reset(struct cu_process *p);

#endif
