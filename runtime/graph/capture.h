/* Stream capture: operations given to a stream become nodes of a graph and do not run. */
#ifndef CUDA_CAPTURE_H
#define CUDA_CAPTURE_H

#include <pthread.h>

#include "runtime/graph/graph.h"

struct cu_capture {
    uint64_t id; /* never given twice */
    enum cudaStreamCaptureMode mode;
    enum cudaStreamCaptureStatus status;
    pthread_t thread; /* thread that began it */
    struct CUgraph_st *graph;
    bool foreign; /* the graph is the program's: cudaStreamBeginCaptureToGraph */
    struct CUstream_st *origin;
    struct {
        struct CUstream_st **v;
        size_t n, cap;
    } streams;            /* the origin, then those that joined it, in that order */
    struct cu_nodes left; /* what streams that were destroyed meanwhile ended with */
};

int cu_capture_begin(struct cu_process *p, struct CUstream_st *s, enum cudaStreamCaptureMode mode,
                     struct CUgraph_st *g, struct CUgraphNode_st *const *after, size_t n);
int cu_capture_end(struct cu_process *p, struct CUstream_st *s, struct CUgraph_st **g);

/* Records the operation in the stream's capture. The node owns what *op owns from now on. */
int cu_capture_op(struct cu_process *p, struct CUstream_st *s, struct cu_op *op);
/* A stream that may or may not capture waits for an event that was last recorded in a capture: it joins it. */
int cu_capture_join(struct cu_process *p, struct CUstream_st *s, struct CUevent_st *e);

/* Nothing that would wait, allocate or use the legacy stream may happen while this thread, or under the global mode any thread,
 * captures: the code to fail with, the captures being lost; CU_Success when there is none. */
int cu_capture_unsafe(struct cu_process *p);
/* Fails for the legacy stream while blocking streams capture, for which it would have to wait. */
int cu_capture_legacy(struct cu_process *p);
bool cu_capture_blocking(struct cu_process *p); /* whether there is such a stream */
/* A call that has no place in a capture was made on this stream: the capture is lost if there is one. */
int cu_capture_forbid(struct CUstream_st *s);
/* A stream goes away. */
void cu_capture_leave(struct cu_process *p, struct CUstream_st *s);
/* The capture of that id, if it is under way, is lost. */
void cu_capture_lose(struct cu_process *p, uint64_t id);
void cu_capture_invalidate(struct cu_capture *c);

#endif
