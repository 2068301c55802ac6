/* Streams: an order of operations and a simulated time each. */
#ifndef CUDA_STREAM_H
#define CUDA_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/module/objects.h"

struct cu_process;
struct cu_op;

/* The handles that mean the default stream: NULL, cudaStreamLegacy, cudaStreamPerThread. */
#define CU_STREAM_LEGACY     ((struct CUstream_st *)1)
#define CU_STREAM_PER_THREAD ((struct CUstream_st *)2)

struct CUstream_st {
    uint64_t id;    /* in the log; 0: the default stream */
    uint64_t ready; /* picoseconds: when all that was submitted is done */
    unsigned flags;
    int priority;
    struct CUstream_st *next; /* p->streams */

    struct cu_capture *capture;       /* NULL: operations run */
    struct cu_nodes after;            /* while capturing: what the next operation depends on */
    struct cu_attributes *attributes; /* NULL: none was set; stream_api.c */
};

/* The stream of a handle. CU_InvalidResourceHandle when it is none. */
int cu_stream_of(struct cu_process *p, struct CUstream_st *handle, struct CUstream_st **s);
/* The host waits for a stream, or for all (NULL): its clock moves, what kernels printed appears. */
int cu_stream_wait(struct cu_process *p, struct CUstream_st *s);
void cu_streams_free(struct cu_process *p);

int cu_stream_new(struct cu_process *p, unsigned flags, int priority, struct CUstream_st **s);
int cu_stream_end(struct cu_process *p, struct CUstream_st *s);
struct CUstream_st *cu_stream_legacy(struct cu_process *p);
/* The flag of cudaStreamNonBlocking. */
enum { CU_NON_BLOCKING = 1 };
/* The range of priorities; a lower number is a higher priority. */
enum { CU_PRIORITY_LEAST = 0, CU_PRIORITY_GREATEST = -5 };

/* When the next operation of a stream can begin: after what it holds, and by the rules of the legacy default stream. */
uint64_t cu_stream_start(struct cu_process *p, const struct CUstream_st *s);
/* Takes the units an operation needs, from `start` on when they are free, for `time`. Returns when it ends. */
uint64_t cu_engine_take(struct cu_process *p, const struct cu_op *op, uint64_t start, uint64_t time);

/* Runs an operation that may begin at `start`; *end becomes when it ends. */
int cu_stream_perform(struct cu_process *p, struct CUstream_st *s, const struct cu_op *op, uint64_t start,
                      uint64_t *end);

/* The calling thread's capture mode; another one when mode is not NULL, which then becomes the old one. */
int cu_capture_mode(int *mode);

#endif
