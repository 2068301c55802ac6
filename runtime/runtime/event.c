/* Events. Recording one notes when its stream is ready; elapsed times are differences of these, in simulated time. */
#include "runtime/runtime/event.h"

#include <stdlib.h>

#include "runtime/graph/capture.h"
#include "runtime/runtime/process.h"
#include "runtime/runtime/stream.h"

bool cu_is_event(struct cu_process *p, const struct CUevent_st *e) {
    return cu_is(p, e, CU_KIND_EVENT);
}

int cu_event_new(struct cu_process *p, unsigned flags, struct CUevent_st **e) {
    const unsigned known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    if (!e || (flags & ~known)) return CU_InvalidValue;
    if ((flags & cudaEventInterprocess) && !(flags & cudaEventDisableTiming)) return CU_InvalidValue;
    *e = cu_zalloc(sizeof **e);
    (*e)->flags = flags;
    cu_know(p, *e, CU_KIND_EVENT);
    return CU_Success;
}

void cu_event_free(struct cu_process *p, struct CUevent_st *e) {
    cu_forget(p, e);
    cu_nodes_free(&e->after);
    free(e);
}

void cu_event_set(struct CUevent_st *e, uint64_t time) {
    e->recorded = true;
    e->time = time;
    e->capture = 0;
    e->after.n = 0;
}

int cu_event_record(struct cu_process *p, struct CUevent_st *e, struct CUstream_st *s, unsigned flags) {
    if (!cu_is_event(p, e)) return CU_InvalidResourceHandle;
    if (flags & ~(unsigned)cudaEventRecordExternal) return CU_InvalidValue;
    if (flags && !s->capture) return CU_IllegalState;
    const struct cu_op op = {.kind = CU_OP_RECORD, .u.event = {e, flags != 0}};
    return cu_submit(p, s, &op);
}

int cu_event_wait(struct cu_process *p, struct CUstream_st *s, struct CUevent_st *e, unsigned flags) {
    if (!cu_is_event(p, e)) return CU_InvalidResourceHandle;
    if (flags & ~(unsigned)cudaEventWaitExternal) return CU_InvalidValue;
    if (flags && !s->capture) return CU_IllegalState;
    if (!flags && (e->capture || s->capture)) return cu_capture_join(p, s, e);
    const struct cu_op op = {.kind = CU_OP_WAIT, .u.event = {e, flags != 0}};
    return cu_submit(p, s, &op);
}

/* An event of a capture has no time; asking for it ends the capture it is of. */
static int captured(struct cu_process *p, struct CUevent_st *e) {
    if (!cu_is_event(p, e)) return CU_InvalidResourceHandle;
    if (!e->capture) return CU_Success;
    cu_capture_lose(p, e->capture);
    return CU_CapturedEvent;
}

int cu_event_query(struct cu_process *p, struct CUevent_st *e) {
    return captured(p, e);
}

int cu_event_sync(struct cu_process *p, struct CUevent_st *e) {
    const int code = captured(p, e);
    if (code) return code;
    if (e->recorded && p->clock < e->time) p->clock = e->time;
    cu_flush_prints(p);
    return CU_Success;
}

int cu_event_elapsed(struct cu_process *p, float *ms, struct CUevent_st *start, struct CUevent_st *end) {
    if (!ms) return CU_InvalidValue;
    if (!cu_is_event(p, start) || !cu_is_event(p, end)) return CU_InvalidResourceHandle;
    if (start->capture || end->capture) return CU_CapturedEvent;
    if (!start->recorded || !end->recorded || ((start->flags | end->flags) & cudaEventDisableTiming))
        return CU_InvalidResourceHandle;
    *ms = (float)(((double)end->time - (double)start->time) / 1e9);
    return CU_Success;
}
