/* Everything that goes into a stream. An operation runs when it is submitted, or is recorded when its stream is being
 * captured into a graph (stream.c), which then runs it as often as it is launched.
 *
 * Operations are checked when they are made (the functions of launch.h and memory.h do that), not when they run. */
#ifndef CUDA_OP_H
#define CUDA_OP_H

#include <stddef.h>
#include <stdint.h>

struct cu_process;
struct CUstream_st;
struct CUevent_st;
struct CUfunc_st;
struct CUgraphExec_st;

enum cu_op_kind {
    CU_OP_EMPTY,
    CU_OP_KERNEL,
    CU_OP_COPY,
    CU_OP_SET,
    CU_OP_HOST,
    CU_OP_RECORD,
    CU_OP_WAIT,
    CU_OP_ALLOC,
    CU_OP_FREE,
    CU_OP_GRAPH
};

struct cu_kernel_op {
    struct CUfunc_st *function;
    uint32_t grid[3], block[3];
    uint64_t shared; /* bytes, dynamic */
    int cooperative;
    void *params; /* packed as the kernel's parameters lie */
    size_t param_bytes;
};

/* A box of bytes; heights and depths of 1 make it a row. Addresses are of the host or of the device, which is told by their
 * value; an array is the device memory behind it. A pitch or slice is the distance of rows or of planes in bytes. */
struct cu_copy_op {
    uint64_t dst, src;
    uint64_t dst_pitch, src_pitch, dst_slice, src_slice;
    uint64_t width, height, depth; /* bytes, rows, planes */
};

struct cu_set_op {
    uint64_t dst, pitch, slice;
    uint32_t value, element;       /* 1, 2 or 4 bytes of value */
    uint64_t width, height, depth; /* elements, rows, planes */
};

struct cu_host_op {
    void (*fn)(void *user); /* cudaLaunchHostFunc */
    /* cudaStreamAddCallback; one of the two. */
    void (*callback)(struct CUstream_st *stream, int code, void *user);
    void *user;
};

/* External: while capturing it becomes a node, and no dependency within the graph. */
struct cu_event_op {
    struct CUevent_st *event;
    int external;
};

struct cu_op {
    enum cu_op_kind kind;
    union {
        struct cu_kernel_op kernel;
        struct cu_copy_op copy;
        struct cu_set_op set;
        struct cu_host_op host;
        struct cu_event_op event; /* CU_OP_RECORD, CU_OP_WAIT */
        struct {
            uint64_t addr, bytes;
        } memory;                 /* CU_OP_ALLOC, CU_OP_FREE: of memory.h's async allocations */
        struct CUgraph_st *graph; /* CU_OP_GRAPH: the child */
    } u;
};

/* Runs the operation, or records it. The operation is copied when it is recorded (cu_op_copy). */
int cu_submit(struct cu_process *p, struct CUstream_st *stream, const struct cu_op *op);
/* Runs it now: kernels, copies, sets and host functions; *time becomes its simulated time in picoseconds. Events and
 * allocations are the stream's to run. */
int cu_op_run(struct cu_process *p, struct CUstream_st *stream, const struct cu_op *op, uint64_t *time);

/* A copy with parameters of its own, and its end. CU_OK or CU_MemoryAllocation. */
int cu_op_copy(struct cu_op *to, const struct cu_op *from);
void cu_op_free(struct cu_op *op);
#endif
