/* Stream-ordered memory: pools, and the memory that graphs allocate. */
#ifndef CUDA_POOL_H
#define CUDA_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "driver_types.h"

struct cu_process;
struct cu_alloc;
struct CUstream_st;

struct CUmemPoolHandle_st {
    struct cudaMemPoolProps props;
    uint64_t used, used_high, reserved, reserved_high, threshold; /* bytes */
    int reuse[3];                                                 /* the attributes 1 to 3 */
    bool ended;                                                   /* destroyed, but memory of it is in use */
    struct CUmemPoolHandle_st *next;
};

/* The device's own pool, the last of the list. */
struct CUmemPoolHandle_st *cu_pool_default(struct cu_process *p);
struct CUmemPoolHandle_st *cu_pool_current(struct cu_process *p);
bool cu_is_pool(struct cu_process *p, const struct CUmemPoolHandle_st *pool);
int cu_pool_new(struct cu_process *p, const struct cudaMemPoolProps *props, struct CUmemPoolHandle_st **pool);
int cu_pool_end(struct cu_process *p, struct CUmemPoolHandle_st *pool);
/* Gives back what is reserved beyond so many bytes and beyond what is used. */
void cu_pool_keep(struct CUmemPoolHandle_st *pool, uint64_t bytes);
/* The host has waited for the device: pools keep no more than their thresholds. */
void cu_pools_trim(struct cu_process *p);
void cu_pools_free(struct cu_process *p);

/* cudaMallocAsync and cudaFreeAsync: at once, or as nodes of the graph that the stream captures. */
int cu_malloc_async(struct cu_process *p, struct CUmemPoolHandle_st *pool, uint64_t bytes,
                    struct CUstream_st *s, void **ptr);
int cu_free_async(struct cu_process *p, void *ptr, struct CUstream_st *s);
/* Frees memory that has an owner, a pool or a graph. */
int cu_free_owned(struct cu_process *p, struct cu_alloc *a);

/* The memory of an allocation node: its address is known when the node is made, and it stays until no graph has the node and
 * no allocation uses it. A launch makes it live, a free node or cudaFree ends that. */
struct cu_graph_memory {
    uint64_t addr, bytes;
    unsigned nodes;
    bool live;
    struct cu_graph_memory *next;
};
int cu_graph_memory_new(struct cu_process *p, uint64_t bytes, uint64_t *addr); /* one node has it */
void cu_graph_memory_retain(struct cu_process *p, uint64_t addr);
void cu_graph_memory_release(struct cu_process *p, uint64_t addr);
struct cu_graph_memory *cu_graph_memory_find(struct cu_process *p, uint64_t addr);
void cu_graph_memory_free(struct cu_process *p); /* all of it */
void cu_graph_memory_live(struct cu_process *p, struct cu_graph_memory *m, bool live);

#endif
