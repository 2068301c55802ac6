/* Memory of all kinds, found by address: device memory, page-locked and registered host memory, managed memory and variables.
 * Whatever a program passes as an address is looked up here; what is not found is ordinary host memory. */
#ifndef CUDA_MEMORY_H
#define CUDA_MEMORY_H

#include <stddef.h>
#include <stdint.h>

struct cu_process;
struct CUstream_st;
struct cu_copy_op;
struct cu_set_op;

enum cu_memory_kind {
    CU_MEMORY_DEVICE,   /* cudaMalloc */
    CU_MEMORY_ARRAY,    /* behind a cudaArray: only copies through the array may touch it */
    CU_MEMORY_VARIABLE, /* variable of a module; never freed by address */
    CU_MEMORY_HOST, /* cudaMallocHost, cudaHostAlloc: host memory that kernels reach at the same address */
    CU_MEMORY_REGISTERED, /* cudaHostRegister */
    CU_MEMORY_MANAGED,    /* cudaMallocManaged, __managed__ variables: the same address on both sides */
    CU_MEMORY_MAPPED      /* cuMemMap: device memory, freed by cuMemUnmap alone */
};

struct cu_alloc {
    uint64_t addr, bytes;
    enum cu_memory_kind kind;
    unsigned flags;           /* as given to cudaHostAlloc, cudaHostRegister, cudaMallocManaged */
    void *host;               /* where the host finds it, NULL for device memory */
    size_t mapped;            /* bytes mapped at host, when it is ours to unmap */
    uint64_t id;              /* counts from 1 */
    struct CUctx_st *context; /* context of the driver interface: the allocation ends with it */
    void *owner;              /* the pool, array or variable that owns it; for their files */
    /* What cudaMemAdvise and cudaMemPrefetchAsync said of managed memory; devices count from 2, 0: none. */
    struct cu_place {
        int read_mostly, preferred, accessed, prefetched;
    } place;
};

/* The allocation an address is in, NULL: none. One past the end is not in it. */
struct cu_alloc *cu_alloc_find(struct cu_process *p, uint64_t addr);
/* Device memory of a kind, and its end. Of 0 bytes: address 0. */
int cu_alloc_device(struct cu_process *p, uint64_t bytes, enum cu_memory_kind kind, uint64_t *addr);
/* Memory for host and device at one address. */
int cu_alloc_shared(struct cu_process *p, uint64_t bytes, enum cu_memory_kind kind, unsigned flags,
                    void **ptr);
/* The host's side of such memory alone; *mapped is what munmap wants. NULL when there is none. */
void *cu_shared_map(struct cu_process *p, uint64_t bytes, size_t *mapped);
int cu_alloc_free(struct cu_process *p, struct cu_alloc *a);
/* Enters memory that was made elsewhere (a module's variable) so that cu_alloc_find knows it; cu_alloc_forget takes it
 * out. */
int cu_alloc_note(struct cu_process *p, const struct cu_alloc *a);
void cu_alloc_forget(struct cu_process *p, uint64_t addr);
void cu_alloc_free_all(struct cu_process *p);

int cu_malloc(struct cu_process *p, void **ptr, uint64_t bytes);
int cu_free(struct cu_process *p, void *ptr);

/* The direction of a copy as programs give it (enum cudaMemcpyKind). */
enum cu_direction { CU_HOST_TO_HOST, CU_HOST_TO_DEVICE, CU_DEVICE_TO_HOST, CU_DEVICE_TO_DEVICE, CU_DEFAULT };
/* Whether [addr, addr + bytes) may be one side of a copy: in one allocation, or host memory. `device`: 1 must be reachable as
 * device memory, 0 must be host memory, -1 either. CU_OK or CU_InvalidValue. */
int cu_check_range(struct cu_process *p, uint64_t addr, uint64_t bytes, int device);
/* A box is checked by its first and last byte. CU_InvalidMemcpyDirection for a direction that is none. */
int cu_check_copy(struct cu_process *p, const struct cu_copy_op *copy, int direction);
/* A row of bytes, checked and submitted. */
int cu_copy_row(struct cu_process *p, struct CUstream_st *s, void *dst, const void *src, uint64_t bytes,
                int direction);
int cu_set_row(struct cu_process *p, struct CUstream_st *s, uint64_t dst, uint32_t value, uint32_t element,
               uint64_t count);
/* What the operations do, now; *time is their simulated time. */
int cu_copy_run(struct cu_process *p, const struct cu_copy_op *copy, uint64_t *time);
int cu_set_run(struct cu_process *p, const struct cu_set_op *set, uint64_t *time);
#endif
