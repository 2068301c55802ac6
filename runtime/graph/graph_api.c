/* The entry points of graphs as such: nodes, edges, copies, instantiation, launches. Those of single nodes are in graph_nodes.c.
 *
 * Edges have had data since CUDA 12.3; calls that know of it are the _v2 forms of CUDA 12 and the plain names of CUDA 13. */
#include <stdlib.h>
#include <string.h>

#include "runtime/graph/graph.h"
#include "runtime/runtime/api.h"
#include "runtime/runtime/stream.h"

/* ---- graphs ---- */

static int cu_graph_create(struct cu_process *p, cudaGraph_t *graph, unsigned flags) {
    if (!graph || flags) return CU_InvalidValue;
    *graph = cu_graph_new(p);
    return CU_Success;
}

CUDA_API int cudaGraphCreate(cudaGraph_t *graph, unsigned flags) {
    CUDA_CALL(cu_graph_create(p, graph, flags));
}

static int cu_graph_destroy(struct cu_process *p, cudaGraph_t graph) {
    if (!cu_is_graph(p, graph) || graph->parent) return CU_InvalidValue;
    cu_graph_free(p, graph);
    return CU_Success;
}

CUDA_API int cudaGraphDestroy(cudaGraph_t graph) {
    CUDA_CALL(cu_graph_destroy(p, graph));
}

static int copy_graph(struct cu_process *p, cudaGraph_t *to, cudaGraph_t from) {
    if (!to || !cu_is_graph(p, from)) return CU_InvalidValue;
    if (from->has_memory) return CU_NotSupported; /* two graphs would own one allocation */
    *to = cu_graph_clone(p, from);
    return CU_Success;
}

CUDA_API int cudaGraphClone(cudaGraph_t *to, cudaGraph_t from) {
    CUDA_CALL(copy_graph(p, to, from));
}

static int find_in_clone(struct cu_process *p, cudaGraphNode_t *node, cudaGraphNode_t original,
                         cudaGraph_t g) {
    if (!node || !cu_is_node(p, original) || !cu_is_graph(p, g) || g->family != original->graph->family)
        return CU_InvalidValue;
    *node = cu_graph_node(g, original->id);
    return *node ? CU_Success : CU_InvalidValue;
}

CUDA_API int cudaGraphNodeFindInClone(cudaGraphNode_t *node, cudaGraphNode_t original, cudaGraph_t clone_of) {
    CUDA_CALL(find_in_clone(p, node, original, clone_of));
}

/* ---- lists: with no room for them the number is told; with more than there are, the rest is NULL ---- */

static void cu_graph_put(cudaGraphNode_t *out, size_t room, size_t *n, cudaGraphNode_t node) {
    if (out && *n < room) out[*n] = node;
    ++*n;
}

static void cu_graph_finish(cudaGraphNode_t *out, size_t n, size_t *room) {
    for (size_t i = n; out && i < *room; i++) out[i] = NULL;
    if (!out || n < *room) *room = n;
}

static int list_nodes(struct cu_process *p, cudaGraph_t g, cudaGraphNode_t *out, size_t *room, bool roots) {
    size_t n = 0;
    if (!cu_is_graph(p, g) || !room) return CU_InvalidValue;
    for (size_t i = 0; i < g->nodes.n; i++)
        if (!roots || !g->nodes.v[i]->before.n) cu_graph_put(out, *room, &n, g->nodes.v[i]);
    cu_graph_finish(out, n, room);
    return CU_Success;
}

CUDA_API int cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n) {
    CUDA_CALL(list_nodes(p, graph, nodes, n, false));
}

CUDA_API int cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n) {
    CUDA_CALL(list_nodes(p, graph, nodes, n, true));
}

static int list_edges(struct cu_process *p, cudaGraph_t g, cudaGraphNode_t *from, cudaGraphNode_t *to,
                      cudaGraphEdgeData *data, size_t *room) {
    size_t n = 0;
    if (!cu_is_graph(p, g) || !room || (!from != !to)) return CU_InvalidValue;
    for (size_t i = 0; i < g->nodes.n; i++)
        for (size_t k = 0; k < g->nodes.v[i]->after.n; k++) {
            size_t same = n;
            if (data && n < *room) data[n] = g->nodes.v[i]->after.v[k].data;
            cu_graph_put(from, *room, &same, g->nodes.v[i]);
            cu_graph_put(to, *room, &n, g->nodes.v[i]->after.v[k].node);
        }
    size_t left = from ? *room : 0; /* who only asks for the number need not set it */
    cu_graph_finish(from, n, &left);
    cu_graph_finish(to, n, room);
    return CU_Success;
}

CUDA_API int cudaGraphGetEdges_v1(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *n) {
    CUDA_CALL(list_edges(p, graph, from, to, NULL, n));
}

CUDA_API int edges_13(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *data,
                      size_t *n) {
    CUDA_CALL(list_edges(p, graph, from, to, data, n));
}

static int list_neighbours(struct cu_process *p, cudaGraphNode_t node, cudaGraphNode_t *out,
                           cudaGraphEdgeData *data, size_t *room, bool after) {
    size_t n = 0;
    if (!cu_is_node(p, node) || !room) return CU_InvalidValue;
    const struct cu_edge *v = after ? node->after.v : node->before.v;
    const size_t count = after ? node->after.n : node->before.n;
    for (size_t i = 0; i < count; i++) {
        if (data && i < *room) data[i] = v[i].data;
        cu_graph_put(out, *room, &n, v[i].node);
    }
    cu_graph_finish(out, n, room);
    return CU_Success;
}

CUDA_API int cudaGraphNodeGetDependencies_v1(cudaGraphNode_t node, cudaGraphNode_t *out, size_t *n) {
    CUDA_CALL(list_neighbours(p, node, out, NULL, n, false));
}

CUDA_API int dependencies_13(cudaGraphNode_t node, cudaGraphNode_t *out, cudaGraphEdgeData *data, size_t *n) {
    CUDA_CALL(list_neighbours(p, node, out, data, n, false));
}

CUDA_API int cudaGraphNodeGetDependentNodes_v1(cudaGraphNode_t node, cudaGraphNode_t *out, size_t *n) {
    CUDA_CALL(list_neighbours(p, node, out, NULL, n, true));
}

CUDA_API int dependents_13(cudaGraphNode_t node, cudaGraphNode_t *out, cudaGraphEdgeData *data, size_t *n) {
    CUDA_CALL(list_neighbours(p, node, out, data, n, true));
}

/* ---- edges ---- */

/* All or none. */
static int link_all(struct cu_process *p, cudaGraph_t g, cudaGraphNode_t const *from,
                    cudaGraphNode_t const *to, const cudaGraphEdgeData *data, size_t n) {
    if (!cu_is_graph(p, g) || (n && (!from || !to))) return CU_InvalidValue;
    for (size_t i = 0; i < n; i++) {
        const bool ours = cu_is_node(p, from[i]) && from[i]->graph == g;
        if (ours && !cu_node_link(p, from[i], to[i], data ? &data[i] : NULL)) continue;
        while (i-- > 0) cu_node_unlink(p, from[i], to[i]);
        return CU_InvalidValue;
    }
    return CU_Success;
}

CUDA_API int cudaGraphAddDependencies_v1(cudaGraph_t graph, cudaGraphNode_t const *from,
                                         cudaGraphNode_t const *to, size_t n) {
    CUDA_CALL(link_all(p, graph, from, to, NULL, n));
}

CUDA_API int add_dependencies_13(cudaGraph_t graph, cudaGraphNode_t const *from, cudaGraphNode_t const *to,
                                 const cudaGraphEdgeData *data, size_t n) {
    CUDA_CALL(link_all(p, graph, from, to, data, n));
}

static int unlink_all(struct cu_process *p, cudaGraph_t g, cudaGraphNode_t const *from,
                      cudaGraphNode_t const *to, size_t n) {
    if (!cu_is_graph(p, g) || (n && (!from || !to))) return CU_InvalidValue;
    for (size_t i = 0; i < n; i++) {
        const int code = cu_node_unlink(p, from[i], to[i]);
        if (code) return code;
    }
    return CU_Success;
}

CUDA_API int cudaGraphRemoveDependencies_v1(cudaGraph_t graph, cudaGraphNode_t const *from,
                                            cudaGraphNode_t const *to, size_t n) {
    CUDA_CALL(unlink_all(p, graph, from, to, n));
}

CUDA_API int remove_dependencies_13(cudaGraph_t graph, cudaGraphNode_t const *from, cudaGraphNode_t const *to,
                                    const cudaGraphEdgeData *data, size_t n) {
    (void)data;
    CUDA_CALL(unlink_all(p, graph, from, to, n));
}

static int destroy_node(struct cu_process *p, cudaGraphNode_t node) {
    if (!cu_is_node(p, node)) return CU_InvalidValue;
    if (node->op.kind == CU_OP_ALLOC || node->op.kind == CU_OP_FREE) return CU_NotSupported;
    cu_node_free(p, node);
    return CU_Success;
}

CUDA_API int cudaGraphDestroyNode(cudaGraphNode_t node) {
    CUDA_CALL(destroy_node(p, node));
}

#define GREW(name, old, new)   \
    CUDA_ALIAS(name##_v2, new) \
    CUDA_BEFORE_13(old, name)  \
    CUDA_DEFAULT(new, name)
GREW(cudaGraphGetEdges, cudaGraphGetEdges_v1, edges_13)
GREW(cudaGraphNodeGetDependencies, cudaGraphNodeGetDependencies_v1, dependencies_13)
GREW(cudaGraphNodeGetDependentNodes, cudaGraphNodeGetDependentNodes_v1, dependents_13)
GREW(cudaGraphAddDependencies, cudaGraphAddDependencies_v1, add_dependencies_13)
GREW(cudaGraphRemoveDependencies, cudaGraphRemoveDependencies_v1, remove_dependencies_13)
