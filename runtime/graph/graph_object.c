/* User objects: resources of the program, counted, that graphs keep alive. The destructor runs when no reference to
 * the object is left, without the lock. */
#include <stdlib.h>

#include "runtime/graph/graph.h"
#include "runtime/runtime/api.h"

static bool is_object(struct cu_process *p, const struct CUuserObject_st *o) {
    return cu_is(p, o, CU_KIND_USER_OBJECT);
}

void cu_object_retain(struct cu_process *p, struct CUuserObject_st *o, unsigned count) {
    if (is_object(p, o)) o->count += count;
}

void cu_object_release(struct cu_process *p, struct CUuserObject_st *o, unsigned count) {
    if (!is_object(p, o)) return;
    o->count = o->count > count ? o->count - count : 0;
    if (o->count) return;
    cu_forget(p, o);
    cu_unlocked(p, o->destroy, o->value);
    free(o);
}

static int graph_object_create(struct cu_process *p, cudaUserObject_t *object, void *value,
                               void (*destroy)(void *), unsigned count, unsigned flags) {
    if (!object || !destroy || !count || flags != cudaUserObjectNoDestructorSync) return CU_InvalidValue;
    *object = cu_zalloc(sizeof **object);
    **object = (struct CUuserObject_st){value, destroy, count};
    cu_know(p, *object, CU_KIND_USER_OBJECT);
    return CU_Success;
}

CUDA_API int cudaUserObjectCreate(cudaUserObject_t *object, void *value, void (*destroy)(void *),
                                  unsigned count, unsigned flags) {
    CUDA_CALL(graph_object_create(p, object, value, destroy, count, flags));
}

static int graph_object_retain(struct cu_process *p, cudaUserObject_t object, unsigned count) {
    if (!is_object(p, object) || !count) return CU_InvalidValue;
    cu_object_retain(p, object, count);
    return CU_Success;
}

CUDA_API int cudaUserObjectRetain(cudaUserObject_t object, unsigned count) {
    CUDA_CALL(graph_object_retain(p, object, count));
}

static int graph_object_release(struct cu_process *p, cudaUserObject_t object, unsigned count) {
    if (!is_object(p, object) || !count || count > object->count) return CU_InvalidValue;
    cu_object_release(p, object, count);
    return CU_Success;
}

CUDA_API int cudaUserObjectRelease(cudaUserObject_t object, unsigned count) {
    CUDA_CALL(graph_object_release(p, object, count));
}

/* ---- references of graphs ---- */

static int graph_retain(struct cu_process *p, cudaGraph_t g, cudaUserObject_t object, unsigned count,
                        unsigned flags) {
    if (!cu_is_graph(p, g) || !is_object(p, object) || !count) return CU_InvalidValue;
    if (flags & ~(unsigned)cudaGraphUserObjectMove) return CU_InvalidValue;
    if (!(flags & cudaGraphUserObjectMove)) cu_object_retain(p, object, count);
    const struct cu_user_ref ref = {object, count};
    CU_PUSH(&g->objects, ref);
    return CU_Success;
}

CUDA_API int cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count,
                                       unsigned flags) {
    CUDA_CALL(graph_retain(p, graph, object, count, flags));
}

static int graph_release(struct cu_process *p, cudaGraph_t g, cudaUserObject_t object, unsigned count) {
    if (!cu_is_graph(p, g) || !is_object(p, object)) return CU_InvalidValue;
    for (size_t i = 0; i < g->objects.n; i++) {
        struct cu_user_ref *ref = &g->objects.v[i];
        if (ref->object != object || ref->count < count) continue;
        ref->count -= count;
        if (!ref->count) *ref = g->objects.v[--g->objects.n];
        cu_object_release(p, object, count);
        return CU_Success;
    }
    return CU_InvalidValue;
}

CUDA_API int cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count) {
    CUDA_CALL(graph_release(p, graph, object, count));
}
