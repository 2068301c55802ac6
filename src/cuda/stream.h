/* Streams: an order of operations and a simulated time each. */
#ifndef CUDA_STREAM_H
#define CUDA_STREAM_H

#include <stdint.h>

struct cu_process;

/* The handles that mean the default stream: NULL, cudaStreamLegacy, cudaStreamPerThread. */
#define CU_STREAM_LEGACY     ((struct CUstream_st *)1)
#define CU_STREAM_PER_THREAD ((struct CUstream_st *)2)

struct CUstream_st {
    uint64_t id;    /* in the log; 0: the default stream */
    uint64_t ready; /* picoseconds: when all that was submitted is done */
    unsigned flags;
    int priority;
    struct CUstream_st *next; /* p->streams */
};

/* The stream of a handle. CU_InvalidResourceHandle when it is none. */
int cu_stream_of(struct cu_process *p, struct CUstream_st *handle, struct CUstream_st **s);
/* The host waits for a stream, or for all (NULL): its clock moves, what kernels printed appears. */
int cu_stream_wait(struct cu_process *p, struct CUstream_st *s);
void cu_streams_free(struct cu_process *p);
#endif
