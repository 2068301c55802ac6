/* Streams and their simulated time.
 *
 * Operations run when they are submitted, which is one of the orders that a program with streams allows. When they would have run on
 * a machine is kept beside it: a stream is ready when its last operation ends, and an operation begins when its stream is ready and
 * what it needs is free. Copies to the device and copies to the host have an engine each. A kernel needs as many SMs as it has
 * blocks, or all of them: kernels that fill the machine follow each other, small ones of several streams run side by side. The
 * legacy default stream waits for every stream that was not made non-blocking, and those wait for it. */
#include "runtime/runtime/stream.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/graph/capture.h"
#include "runtime/memory/memory.h"
#include "runtime/memory/pool.h"
#include "runtime/runtime/event.h"
#include "runtime/runtime/op.h"
#include "runtime/runtime/process.h"

/* ---- this thread ---- */

static _Thread_local struct {
    int mode;                   /* enum cudaStreamCaptureMode */
    struct CUstream_st *stream; /* its default stream (cudaStreamPerThread); NULL: not used yet */
    uint64_t generation;        /* it was made in; cudaDeviceReset begins another */
} self;

int cu_capture_mode(int *mode) {
    const int old = self.mode;
    if (mode) {
        self.mode = *mode;
        *mode = old;
    }
    return old;
}

/* ---- making and finding ---- */

struct CUstream_st *cu_stream_legacy(struct cu_process *p) {
    if (!p->streams) p->streams = cu_zalloc(sizeof *p->streams);
    return p->streams;
}

static struct CUstream_st *cu_stream_add(struct cu_process *p, unsigned flags, int priority) {
    struct CUstream_st *first = cu_stream_legacy(p), *s = cu_zalloc(sizeof *s);
    s->id = ++p->objects.stream_ids;
    s->flags = flags;
    s->priority = priority;
    s->next = first->next;
    first->next = s;
    cu_know(p, s, CU_KIND_STREAM);
    return s;
}

static struct CUstream_st *per_thread(struct cu_process *p) {
    if (!self.stream || self.generation != p->objects.generation) {
        self.stream = cu_stream_add(p, 0, 0);
        self.generation = p->objects.generation;
    }
    return self.stream;
}

int cu_stream_of(struct cu_process *p, struct CUstream_st *handle, struct CUstream_st **s) {
    if (!handle || handle == CU_STREAM_LEGACY) {
        *s = cu_stream_legacy(p);
        return CU_Success;
    }
    if (handle == CU_STREAM_PER_THREAD) {
        *s = per_thread(p);
        return CU_Success;
    }
    *s = handle;
    return cu_is(p, handle, CU_KIND_STREAM) ? CU_Success : CU_InvalidResourceHandle;
}

int cu_stream_new(struct cu_process *p, unsigned flags, int priority, struct CUstream_st **s) {
    if (!s || (flags & ~(unsigned)CU_NON_BLOCKING)) return CU_InvalidValue;
    if (priority < CU_PRIORITY_GREATEST) priority = CU_PRIORITY_GREATEST;
    if (priority > CU_PRIORITY_LEAST) priority = CU_PRIORITY_LEAST;
    *s = cu_stream_add(p, flags, priority);
    return CU_Success;
}

static void cu_stream_release(struct cu_process *p, struct CUstream_st *s) {
    cu_capture_leave(p, s);
    cu_nodes_free(&s->after);
    free(s->attributes);
    cu_forget(p, s);
    free(s);
}

int cu_stream_end(struct cu_process *p, struct CUstream_st *s) {
    if (!cu_is(p, s, CU_KIND_STREAM)) return CU_InvalidResourceHandle;
    struct CUstream_st **at = &p->streams;
    while (*at != s) at = &(*at)->next;
    *at = s->next;
    /* What it holds still ends when it would have: only the legacy stream and a wait for the device can ask for it. */
    struct CUstream_st *legacy = cu_stream_legacy(p);
    if (!(s->flags & CU_NON_BLOCKING) && legacy->ready < s->ready) legacy->ready = s->ready;
    if (p->objects.orphans < s->ready) p->objects.orphans = s->ready;
    cu_stream_release(p, s);
    return CU_Success;
}

void cu_streams_free(struct cu_process *p) {
    while (p->streams) {
        struct CUstream_st *s = p->streams;
        p->streams = s->next;
        cu_stream_release(p, s);
    }
    p->objects.generation++;
    p->objects.orphans = 0;
    free(p->objects.engines.sm);
    p->objects.engines = (struct cu_engines){0};
}

/* ---- time ---- */

static uint64_t cu_stream_later(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

uint64_t cu_stream_start(struct cu_process *p, const struct CUstream_st *s) {
    const struct CUstream_st *legacy = cu_stream_legacy(p);
    uint64_t start = cu_stream_later(p->clock, s->ready);
    if (s->flags & CU_NON_BLOCKING) return start;
    if (s != legacy) return cu_stream_later(start, legacy->ready);
    for (const struct CUstream_st *t = p->streams; t; t = t->next)
        if (!(t->flags & CU_NON_BLOCKING)) start = cu_stream_later(start, t->ready);
    return start;
}

int cu_stream_wait(struct cu_process *p, struct CUstream_st *s) {
    if (s) {
        p->clock = cu_stream_later(p->clock, s == cu_stream_legacy(p) ? cu_stream_start(p, s) : s->ready);
    } else {
        for (const struct CUstream_st *t = p->streams; t; t = t->next)
            p->clock = cu_stream_later(p->clock, t->ready);
        p->clock = cu_stream_later(p->clock, p->objects.orphans);
    }
    cu_pools_trim(p);
    cu_flush_prints(p);
    return CU_Success;
}

static int cu_stream_ascending(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The SMs that are free first; their order is kept ascending, which SM is which does not matter. */
static uint64_t take_sms(struct cu_process *p, const struct cu_kernel_op *k, uint64_t start, uint64_t time) {
    struct cu_engines *e = &p->objects.engines;
    if (!e->sm) {
        e->sms = p->machine.sms > 0 ? (uint32_t)p->machine.sms : 1;
        e->sm = cu_zalloc(e->sms * sizeof *e->sm);
    }
    const uint64_t blocks = (uint64_t)k->grid[0] * k->grid[1] * k->grid[2];
    const uint32_t n = blocks < e->sms ? (uint32_t)blocks : e->sms;
    const uint64_t end = cu_stream_later(start, n ? e->sm[n - 1] : 0) + time;
    for (uint32_t i = 0; i < n; i++) e->sm[i] = end;
    if (n < e->sms) qsort(e->sm, e->sms, sizeof *e->sm, cu_stream_ascending);
    return end;
}

static uint64_t take_copy(uint64_t *engine, uint64_t start, uint64_t time) {
    *engine = cu_stream_later(*engine, start) + time;
    return *engine;
}

uint64_t cu_engine_take(struct cu_process *p, const struct cu_op *op, uint64_t start, uint64_t time) {
    struct cu_engines *e = &p->objects.engines;
    if (op->kind == CU_OP_KERNEL) return take_sms(p, &op->u.kernel, start, time);
    if (op->kind != CU_OP_COPY) return start + time;
    const bool to_device = cu_alloc_find(p, op->u.copy.dst), to_host = !to_device;
    if (to_host) return take_copy(&e->copy_out, start, time);
    if (!cu_alloc_find(p, op->u.copy.src)) return take_copy(&e->copy_in, start, time);
    return start + time;
}

/* ---- operations ---- */

static int free_memory(struct cu_process *p, uint64_t addr) {
    struct cu_alloc *a = cu_alloc_find(p, addr);
    return a ? cu_free_owned(p, a) : CU_InvalidValue;
}

/* A graph may outlive the events it names. */
static int pass_event(struct cu_process *p, const struct cu_op *op, uint64_t start, uint64_t *end) {
    struct CUevent_st *e = op->u.event.event;
    if (!cu_is_event(p, e)) return CU_InvalidResourceHandle;
    if (op->kind == CU_OP_RECORD)
        cu_event_set(e, start);
    else
        *end = cu_stream_later(start, e->time);
    return CU_Success;
}

int cu_stream_perform(struct cu_process *p, struct CUstream_st *s, const struct cu_op *op, uint64_t start,
                      uint64_t *end) {
    uint64_t time = 0;
    int code = CU_Success;
    *end = start;
    switch (op->kind) {
    case CU_OP_EMPTY: break;
    case CU_OP_RECORD:
    case CU_OP_WAIT: code = pass_event(p, op, start, end); break;
    case CU_OP_ALLOC: cu_graph_memory_live(p, cu_graph_memory_find(p, op->u.memory.addr), true); break;
    case CU_OP_FREE: code = free_memory(p, op->u.memory.addr); break;
    case CU_OP_GRAPH: code = cu_graph_run(p, s, op->u.graph, start, end); break;
    default: code = cu_op_run(p, s, op, &time); *end = cu_engine_take(p, op, start, time);
    }
    return code;
}

/* What waits for the whole device would need the streams that capture. */
static int cu_record(struct cu_process *p, struct CUstream_st *s, const struct cu_op *op) {
    struct cu_op copy;
    int code = cu_op_copy(&copy, op);
    if (code) return code;
    const bool event = op->kind == CU_OP_RECORD || op->kind == CU_OP_WAIT;
    code = cu_capture_op(p, s, &copy);
    if (code || (event && !op->u.event.external)) cu_op_free(&copy);
    return code;
}

int cu_submit(struct cu_process *p, struct CUstream_st *s, const struct cu_op *op) {
    if (s->capture) return cu_record(p, s, op);
    const int code = s == cu_stream_legacy(p) ? cu_capture_legacy(p) : CU_Success;
    return code ? code : cu_stream_perform(p, s, op, cu_stream_start(p, s), &s->ready);
}
