/* Events: a point of a stream's simulated time. */
#ifndef CUDA_EVENT_H
#define CUDA_EVENT_H

#include "runtime/graph/graph.h"

struct CUevent_st {
    unsigned flags;
    bool recorded;
    uint64_t time;         /* picoseconds */
    uint64_t capture;      /* id of the capture it was last recorded in; 0: none */
    struct cu_nodes after; /* then: what a stream that waits for it depends on */
};

int cu_event_new(struct cu_process *p, unsigned flags, struct CUevent_st **e);
void cu_event_free(struct cu_process *p, struct CUevent_st *e);
bool cu_is_event(struct cu_process *p, const struct CUevent_st *e);
int cu_event_record(struct cu_process *p, struct CUevent_st *e, struct CUstream_st *s, unsigned flags);
int cu_event_wait(struct cu_process *p, struct CUstream_st *s, struct CUevent_st *e, unsigned flags);
/* Whether it has happened: always, since operations run when they are submitted. */
int cu_event_query(struct cu_process *p, struct CUevent_st *e);
int cu_event_sync(struct cu_process *p, struct CUevent_st *e);
int cu_event_elapsed(struct cu_process *p, float *ms, struct CUevent_st *start, struct CUevent_st *end);
/* The streams' part: what submitting such an operation does when it is not captured. */
void cu_event_set(struct CUevent_st *e, uint64_t time);

#endif
