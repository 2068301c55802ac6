/* Streams. An operation starts when its stream and the host have come to it; the default stream is one among them here. */
#include "cuda/stream.h"

#include <stdlib.h>

#include "cuda/error.h"
#include "cuda/op.h"
#include "cuda/process.h"

static struct CUstream_st *default_stream(struct cu_process *p) {
    if (!p->streams) p->streams = calloc(1, sizeof *p->streams);
    return p->streams;
}

int cu_stream_of(struct cu_process *p, struct CUstream_st *handle, struct CUstream_st **s) {
    *s = default_stream(p);
    if (!*s) return CU_MemoryAllocation;
    if (!handle || handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD) return CU_Success;
    for (*s = (*s)->next; *s; *s = (*s)->next)
        if (*s == handle) return CU_Success;
    return CU_InvalidResourceHandle;
}

int cu_submit(struct cu_process *p, struct CUstream_st *s, const struct cu_op *op) {
    uint64_t time, start = s->ready > p->clock ? s->ready : p->clock;
    int code = cu_op_run(p, s, op, &time);
    s->ready = start + time;
    return code;
}

int cu_stream_wait(struct cu_process *p, struct CUstream_st *s) {
    for (struct CUstream_st *each = p->streams; each; each = each->next)
        if ((!s || each == s) && each->ready > p->clock) p->clock = each->ready;
    cu_flush_prints(p);
    return CU_Success;
}

void cu_streams_free(struct cu_process *p) {
    for (struct CUstream_st *s = p->streams, *next; s; s = next) {
        next = s->next;
        free(s);
    }
    p->streams = NULL;
}
