/* Stream capture, by the rules of the CUDA programming guide (4.2.4.2, Cross-stream Dependencies and Events) and of the calls'
 * reference.
 *
 * A capture has a graph and the streams that take part: the one that began it, and those that waited for an event of it. Each such
 * stream knows the nodes that its next operation depends on. An event recorded while capturing holds a copy of that set, and which
 * capture it belongs to; it is no event of the real time line until it is recorded outside. A call that a capture cannot hold
 * invalidates it: every later operation fails, and cudaStreamEndCapture says so. */
#include "runtime/graph/capture.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/runtime/event.h"
#include "runtime/runtime/process.h"
#include "runtime/runtime/stream.h"

static struct cu_capture *live(struct cu_process *p, uint64_t id) {
    struct cu_captures *all = &p->objects.captures;
    for (size_t i = 0; i < all->n; i++)
        if (all->v[i]->id == id) return all->v[i];
    return NULL;
}

static void take_part(struct cu_capture *c, struct CUstream_st *s) {
    s->capture = c;
    s->after.n = 0;
    CU_PUSH(&c->streams, s);
}

int cu_capture_begin(struct cu_process *p, struct CUstream_st *s, enum cudaStreamCaptureMode mode,
                     struct CUgraph_st *g, struct CUgraphNode_st *const *after, size_t n) {
    if ((unsigned)mode > cudaStreamCaptureModeRelaxed) return CU_InvalidValue;
    if (s == cu_stream_legacy(p)) return CU_StreamCaptureUnsupported;
    if (s->capture) return CU_IllegalState;
    struct cu_capture *c = cu_zalloc(sizeof *c);
    *c = (struct cu_capture){.id = ++p->objects.capture_ids,
                             .mode = mode,
                             .status = cudaStreamCaptureStatusActive,
                             .thread = pthread_self(),
                             .graph = g ? g : cu_graph_new(p),
                             .foreign = g != NULL,
                             .origin = s};
    CU_PUSH(&p->objects.captures, c);
    take_part(c, s);
    cu_nodes_set(&s->after, after, n);
    return CU_Success;
}

/* The streams forget it. */
static void cu_capture_finish(struct cu_process *p, struct cu_capture *c) {
    struct cu_captures *all = &p->objects.captures;
    for (size_t i = 0; i < c->streams.n; i++) {
        c->streams.v[i]->capture = NULL;
        cu_nodes_free(&c->streams.v[i]->after);
    }
    size_t at = 0;
    while (all->v[at] != c) at++;
    memmove(all->v + at, all->v + at + 1, (all->n - at - 1) * sizeof *all->v);
    all->n--;
    free(c->streams.v);
    cu_nodes_free(&c->left);
    free(c);
}

static bool all_marked(const struct cu_nodes *s) {
    for (size_t i = 0; i < s->n; i++)
        if (!s->v[i]->mark) return false;
    return true;
}

/* Whether all that the other streams did leads to what the origin ends with. */
static bool joined(const struct cu_capture *c) {
    cu_graph_ancestors(c->graph, &c->origin->after);
    bool good = all_marked(&c->left);
    for (size_t i = 1; good && i < c->streams.n; i++) good = all_marked(&c->streams.v[i]->after);
    return good;
}

static int cu_capture_verdict(const struct cu_capture *c) {
    if (c->status == cudaStreamCaptureStatusInvalidated) return CU_StreamCaptureInvalidated;
    return joined(c) ? CU_Success : CU_StreamCaptureUnjoined;
}

int cu_capture_end(struct cu_process *p, struct CUstream_st *s, struct CUgraph_st **g) {
    struct cu_capture *c = s->capture;
    if (!c) return CU_IllegalState;
    if (c->origin != s) return CU_StreamCaptureUnmatched;
    if (c->mode != cudaStreamCaptureModeRelaxed && !pthread_equal(c->thread, pthread_self()))
        return CU_StreamCaptureWrongThread;
    const int code = cu_capture_verdict(c);
    if (code && !c->foreign) cu_graph_free(p, c->graph);
    if (g) *g = code ? NULL : c->graph;
    cu_capture_finish(p, c);
    return code;
}

void cu_capture_invalidate(struct cu_capture *c) {
    c->status = cudaStreamCaptureStatusInvalidated;
}

void cu_capture_lose(struct cu_process *p, uint64_t id) {
    struct cu_capture *c = live(p, id);
    if (c) cu_capture_invalidate(c);
}

void cu_capture_leave(struct cu_process *p, struct CUstream_st *s) {
    struct cu_capture *c = s->capture;
    if (!c) return;
    if (c->origin == s) { /* no call can end it any more */
        if (!c->foreign) cu_graph_free(p, c->graph);
        cu_capture_finish(p, c);
        return;
    }
    for (size_t i = 0; i < s->after.n; i++) cu_nodes_add(&c->left, s->after.v[i]);
    size_t at = 0;
    while (c->streams.v[at] != s) at++;
    memmove(c->streams.v + at, c->streams.v + at + 1, (c->streams.n - at - 1) * sizeof *c->streams.v);
    c->streams.n--;
    s->capture = NULL;
    cu_nodes_free(&s->after);
}

/* ---- operations ---- */

static int record_event(struct CUstream_st *s, struct CUevent_st *e) {
    e->capture = s->capture->id;
    cu_nodes_set(&e->after, s->after.v, s->after.n);
    return CU_Success;
}

static int broken(struct cu_capture *c, int code) {
    cu_capture_invalidate(c);
    return code;
}

int cu_capture_join(struct cu_process *p, struct CUstream_st *s, struct CUevent_st *e) {
    struct cu_capture *from = e->capture ? live(p, e->capture) : NULL;
    if (!from) return s->capture ? broken(s->capture, CU_StreamCaptureIsolation) : CU_CapturedEvent;
    if (from->status == cudaStreamCaptureStatusInvalidated) return CU_StreamCaptureInvalidated;
    if (s->capture && s->capture != from) {
        cu_capture_invalidate(s->capture);
        return broken(from, CU_StreamCaptureMerge);
    }
    if (s == cu_stream_legacy(p)) return broken(from, CU_StreamCaptureImplicit);
    if (!s->capture) take_part(from, s);
    for (size_t i = 0; i < e->after.n; i++) cu_nodes_add(&s->after, e->after.v[i]);
    return CU_Success;
}

int cu_capture_op(struct cu_process *p, struct CUstream_st *s, struct cu_op *op) {
    struct cu_capture *c = s->capture;
    if (c->status == cudaStreamCaptureStatusInvalidated) return CU_StreamCaptureInvalidated;
    if (op->kind == CU_OP_RECORD && !op->u.event.external) return record_event(s, op->u.event.event);
    if (op->kind == CU_OP_WAIT && !op->u.event.external) return cu_capture_join(p, s, op->u.event.event);
    struct CUgraphNode_st *node;
    const int code = cu_graph_add(p, c->graph, s->after.v, NULL, s->after.n, op, &node);
    if (code) return broken(c, code);
    cu_nodes_set(&s->after, &node, 1);
    return CU_Success;
}

/* ---- what is not allowed meanwhile ---- */

static bool hampers(const struct cu_capture *c, int mode) {
    if (mode == cudaStreamCaptureModeRelaxed || c->mode == cudaStreamCaptureModeRelaxed) return false;
    if (pthread_equal(c->thread, pthread_self())) return true;
    return mode == cudaStreamCaptureModeGlobal && c->mode == cudaStreamCaptureModeGlobal;
}

int cu_capture_unsafe(struct cu_process *p) {
    const struct cu_captures *all = &p->objects.captures;
    int code = CU_Success;
    for (size_t i = 0; i < all->n; i++)
        if (hampers(all->v[i], cu_capture_mode(NULL))) code = broken(all->v[i], CU_StreamCaptureUnsupported);
    return code;
}

int cu_capture_legacy(struct cu_process *p) {
    const struct cu_captures *all = &p->objects.captures;
    int code = CU_Success;
    for (size_t i = 0; i < all->n; i++)
        if (!(all->v[i]->origin->flags & cudaStreamNonBlocking))
            code = broken(all->v[i], CU_StreamCaptureImplicit);
    return code;
}

bool cu_capture_blocking(struct cu_process *p) {
    const struct cu_captures *all = &p->objects.captures;
    for (size_t i = 0; i < all->n; i++)
        if (!(all->v[i]->origin->flags & cudaStreamNonBlocking)) return true;
    return false;
}

int cu_capture_forbid(struct CUstream_st *s) {
    return s->capture ? broken(s->capture, CU_StreamCaptureUnsupported) : CU_Success;
}
