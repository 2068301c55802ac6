/* Executable graphs.
 *
 * Instantiation copies the graph and fixes an order in which every node comes after what it depends on. A launch runs the nodes in
 * that order. In simulated time a node begins when the graph may begin and all it depends on have ended; branches overlap as
 * operations of different streams do. Nodes of the original name nodes of the copy by graph family and number (graph.h). */
#include <stdlib.h>

#include "runtime/graph/capture.h"
#include "runtime/memory/pool.h"
#include "runtime/runtime/process.h"
#include "runtime/runtime/stream.h"

/* Orders a graph and its children; CU_InvalidValue when one has a cycle. */
static int set_order(struct CUgraph_st *g) {
    free(g->order);
    g->order = cu_graph_order(g);
    int code = g->order ? CU_Success : CU_InvalidValue;
    for (size_t i = 0; !code && i < g->nodes.n; i++)
        if (g->nodes.v[i]->op.kind == CU_OP_GRAPH) code = set_order(g->nodes.v[i]->op.u.graph);
    return code;
}

int cu_exec_new(struct cu_process *p, struct CUgraph_st *g, unsigned long long flags,
                struct CUgraphExec_st **exec) {
    const unsigned long long known = cudaGraphInstantiateFlagAutoFreeOnLaunch |
                                     cudaGraphInstantiateFlagUpload | cudaGraphInstantiateFlagUseNodePriority;
    if (!exec || !cu_is_graph(p, g)) return CU_InvalidValue;
    if (flags & cudaGraphInstantiateFlagDeviceLaunch) return CU_NotSupported;
    if (flags & ~known) return CU_InvalidValue;
    struct CUgraph_st *copy = cu_graph_clone(p, g);
    const int code = set_order(copy);
    if (code) {
        cu_graph_free(p, copy);
        return code;
    }
    *exec = cu_zalloc(sizeof **exec);
    **exec = (struct CUgraphExec_st){copy, flags};
    cu_know(p, *exec, CU_KIND_EXEC);
    return CU_Success;
}

void cu_exec_free(struct cu_process *p, struct CUgraphExec_st *exec) {
    cu_forget(p, exec);
    cu_graph_free(p, exec->graph);
    free(exec);
}

/* ---- launching ---- */

/* Memory that an earlier launch allocated and that was not freed: an error, or freed now. */
static int free_unfreed(struct cu_process *p, struct CUgraphExec_st *exec) {
    const struct CUgraph_st *g = exec->graph;
    for (size_t i = 0; g->has_memory && i < g->nodes.n; i++) {
        if (g->nodes.v[i]->op.kind != CU_OP_ALLOC) continue;
        struct cu_graph_memory *m = cu_graph_memory_find(p, g->nodes.v[i]->op.u.memory.addr);
        if (!m->live) continue;
        if (!(exec->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch)) return CU_InvalidValue;
        cu_graph_memory_live(p, m, false);
    }
    return CU_Success;
}

int cu_graph_run(struct cu_process *p, struct CUstream_st *s, const struct CUgraph_st *g, uint64_t start,
                 uint64_t *end) {
    int code = CU_Success;
    *end = start;
    for (size_t i = 0; !code && i < g->nodes.n; i++) {
        struct CUgraphNode_st *node = g->order[i];
        uint64_t from = start;
        for (size_t k = 0; k < node->before.n; k++)
            if (node->before.v[k].node->done > from) from = node->before.v[k].node->done;
        node->done = from;
        if (!node->disabled) code = cu_stream_perform(p, s, &node->op, from, &node->done);
        if (node->done > *end) *end = node->done;
    }
    return code;
}

int cu_exec_launch(struct cu_process *p, struct CUgraphExec_st *exec, struct CUstream_st *s) {
    if (!cu_is_exec(p, exec)) return CU_InvalidValue;
    if (s->capture) { /* becomes a child */
        struct cu_op op = {.kind = CU_OP_GRAPH, .u.graph = cu_graph_clone(p, exec->graph)};
        const int code = cu_capture_op(p, s, &op);
        if (code) cu_graph_free(p, op.u.graph);
        return code;
    }
    const int code = free_unfreed(p, exec);
    const struct cu_op op = {.kind = CU_OP_GRAPH, .u.graph = exec->graph};
    return code ? code : cu_submit(p, s, &op);
}

/* ---- updating ---- */

static int graph_exec_fail(cudaGraphExecUpdateResultInfo *info, enum cudaGraphExecUpdateResult why,
                           struct CUgraphNode_st *node) {
    *info = (cudaGraphExecUpdateResultInfo){why, node, NULL};
    return CU_GraphExecUpdateFailure;
}

static size_t index_of(const struct CUgraph_st *g, const struct CUgraphNode_st *node) {
    size_t i = 0;
    while (g->nodes.v[i] != node) i++;
    return i;
}

static bool same_edges(const struct CUgraphNode_st *a, const struct CUgraphNode_st *b) {
    if (a->before.n != b->before.n) return false;
    for (size_t i = 0; i < a->before.n; i++) {
        const struct CUgraphNode_st *from = a->graph->nodes.v[index_of(b->graph, b->before.v[i].node)];
        size_t k = 0;
        while (k < a->before.n && a->before.v[k].node != from) k++;
        if (k == a->before.n) return false;
    }
    return true;
}

/* What of a node may not change; nodes are paired in the order of their creation. */
static int graph_exec_compare(const struct CUgraph_st *mine, const struct CUgraph_st *g,
                              cudaGraphExecUpdateResultInfo *info) {
    if (mine->nodes.n != g->nodes.n)
        return graph_exec_fail(info, cudaGraphExecUpdateErrorTopologyChanged, NULL);
    for (size_t i = 0; i < g->nodes.n; i++) {
        struct CUgraphNode_st *a = mine->nodes.v[i], *b = g->nodes.v[i];
        if (a->op.kind != b->op.kind)
            return graph_exec_fail(info, cudaGraphExecUpdateErrorNodeTypeChanged, b);
        if (!same_edges(a, b)) return graph_exec_fail(info, cudaGraphExecUpdateErrorTopologyChanged, b);
        if (a->op.kind == CU_OP_ALLOC || a->op.kind == CU_OP_FREE)
            return graph_exec_fail(info, cudaGraphExecUpdateErrorNotSupported, b);
        if (a->op.kind == CU_OP_KERNEL && a->op.u.kernel.cooperative != b->op.u.kernel.cooperative)
            return graph_exec_fail(info, cudaGraphExecUpdateErrorAttributesChanged, b);
        if (a->op.kind != CU_OP_GRAPH) continue;
        const int code = graph_exec_compare(a->op.u.graph, b->op.u.graph, info);
        if (code) return code;
    }
    return CU_Success;
}

static void take_over(struct cu_process *p, struct CUgraph_st *mine, const struct CUgraph_st *g) {
    for (size_t i = 0; i < g->nodes.n; i++) {
        struct CUgraphNode_st *a = mine->nodes.v[i], *b = g->nodes.v[i];
        if (a->op.kind == CU_OP_GRAPH) {
            take_over(p, a->op.u.graph, b->op.u.graph);
        } else {
            cu_node_set(p, a, &b->op);
            cu_node_shape(a, b->shape);
        }
        a->id = b->id; /* nodes of the new graph name those of the executable one from now on */
    }
    mine->family = g->family;
}

int cu_graph_take_over(struct cu_process *p, struct CUgraph_st *mine, const struct CUgraph_st *g,
                       cudaGraphExecUpdateResultInfo *info) {
    const int code = graph_exec_compare(mine, g, info);
    if (!code) take_over(p, mine, g);
    return code;
}

int cu_exec_update(struct cu_process *p, struct CUgraphExec_st *exec, const struct CUgraph_st *g,
                   cudaGraphExecUpdateResultInfo *info) {
    if (!info || !cu_is_exec(p, exec) || !cu_is_graph(p, g)) return CU_InvalidValue;
    *info = (cudaGraphExecUpdateResultInfo){cudaGraphExecUpdateSuccess, NULL, NULL};
    return cu_graph_take_over(p, exec->graph, g, info);
}

/* The family of the executable graph or of one of its children. */
static struct CUgraphNode_st *graph_exec_find(const struct CUgraph_st *g, const struct CUgraphNode_st *node) {
    if (g->family == node->graph->family) return cu_graph_node(g, node->id);
    struct CUgraphNode_st *found = NULL;
    for (size_t i = 0; !found && i < g->nodes.n; i++)
        if (g->nodes.v[i]->op.kind == CU_OP_GRAPH) found = graph_exec_find(g->nodes.v[i]->op.u.graph, node);
    return found;
}

struct CUgraphNode_st *cu_exec_node(struct cu_process *p, struct CUgraphExec_st *exec,
                                    const struct CUgraphNode_st *node) {
    return cu_is_exec(p, exec) && cu_is_node(p, node) ? graph_exec_find(exec->graph, node) : NULL;
}
