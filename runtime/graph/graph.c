/* The structure of graphs: nodes, edges, copies, orders. What the entry points of the API do with it is in graph_api.c and
 * graph_nodes.c; how a graph runs, in graph_exec.c.
 *
 * Nodes keep both ends of an edge, each in the order in which edges were added, which is also the order in which
 * cudaGraphNodeGetDependencies and its relatives report them. Sizes are those of programs (up to some thousand nodes); searches
 * are linear in the degree of a node. */
#include "runtime/graph/graph.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/memory/pool.h"
#include "runtime/runtime/process.h"

/* ---- sets of nodes ---- */

bool cu_nodes_has(const struct cu_nodes *s, const struct CUgraphNode_st *node) {
    for (size_t i = 0; i < s->n; i++)
        if (s->v[i] == node) return true;
    return false;
}

void cu_nodes_add(struct cu_nodes *s, struct CUgraphNode_st *node) {
    if (!cu_nodes_has(s, node)) CU_PUSH(s, node);
}

void cu_nodes_set(struct cu_nodes *s, struct CUgraphNode_st *const *v, size_t n) {
    s->n = 0;
    for (size_t i = 0; i < n; i++) cu_nodes_add(s, v[i]);
}

void cu_nodes_free(struct cu_nodes *s) {
    free(s->v);
    *s = (struct cu_nodes){0};
}

/* ---- graphs ---- */

bool cu_is_graph(struct cu_process *p, const struct CUgraph_st *g) {
    return cu_is(p, g, CU_KIND_GRAPH);
}

bool cu_is_node(struct cu_process *p, const struct CUgraphNode_st *n) {
    return cu_is(p, n, CU_KIND_NODE);
}

bool cu_is_exec(struct cu_process *p, const struct CUgraphExec_st *e) {
    return cu_is(p, e, CU_KIND_EXEC);
}

struct CUgraph_st *cu_graph_new(struct cu_process *p) {
    struct CUgraph_st *g = cu_zalloc(sizeof *g);
    g->family = ++p->objects.graphs;
    cu_know(p, g, CU_KIND_GRAPH);
    return g;
}

/* An operation's copy: what the graph's own kinds refer to is copied or shared too. */
static void copy_op(struct cu_process *p, struct cu_op *to, const struct cu_op *from) {
    if (cu_op_copy(to, from)) cu_zalloc(SIZE_MAX); /* says that there is no more memory */
    if (to->kind == CU_OP_GRAPH) to->u.graph = cu_graph_clone(p, from->u.graph);
    if (to->kind == CU_OP_ALLOC) cu_graph_memory_retain(p, to->u.memory.addr);
}

static void free_op(struct cu_process *p, struct cu_op *op) {
    if (op->kind == CU_OP_GRAPH) cu_graph_free(p, op->u.graph);
    if (op->kind == CU_OP_ALLOC) cu_graph_memory_release(p, op->u.memory.addr);
    cu_op_free(op);
}

void cu_node_swap(struct cu_process *p, struct CUgraphNode_st *node, const struct cu_op *op) {
    free_op(p, &node->op);
    free(node->arguments);
    node->arguments = NULL;
    node->op = *op;
    if (op->kind == CU_OP_GRAPH) op->u.graph->parent = node;
}

void cu_node_set(struct cu_process *p, struct CUgraphNode_st *node, const struct cu_op *op) {
    struct cu_op copy;
    copy_op(p, &copy, op);
    cu_node_swap(p, node, &copy);
}

void cu_node_shape(struct CUgraphNode_st *node, const struct cudaMemcpy3DParms *shape) {
    free(node->shape);
    node->shape = NULL;
    if (!shape) return;
    node->shape = cu_zalloc(sizeof *shape);
    *node->shape = *shape;
}

static void release_node(struct cu_process *p, struct CUgraphNode_st *node) {
    cu_forget(p, node);
    free_op(p, &node->op);
    free(node->before.v);
    free(node->after.v);
    free(node->shape);
    free(node->arguments);
    free(node);
}

void cu_graph_free(struct cu_process *p, struct CUgraph_st *g) {
    if (!g) return;
    cu_forget(p, g);
    for (size_t i = 0; i < g->nodes.n; i++) release_node(p, g->nodes.v[i]);
    for (size_t i = 0; i < g->objects.n; i++)
        cu_object_release(p, g->objects.v[i].object, g->objects.v[i].count);
    free(g->nodes.v);
    free(g->objects.v);
    free(g->order);
    free(g);
}

struct CUgraphNode_st *cu_graph_node(const struct CUgraph_st *g, uint64_t id) {
    size_t low = 0, high = g->nodes.n; /* ids ascend */
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (g->nodes.v[mid]->id < id)
            low = mid + 1;
        else
            high = mid;
    }
    return low < g->nodes.n && g->nodes.v[low]->id == id ? g->nodes.v[low] : NULL;
}

/* ---- nodes and edges ---- */

static struct CUgraphNode_st *cu_graph_append(struct cu_process *p, struct CUgraph_st *g, uint64_t id) {
    struct CUgraphNode_st *node = cu_zalloc(sizeof *node);
    node->graph = g;
    node->id = id;
    CU_PUSH(&g->nodes, node);
    cu_know(p, node, CU_KIND_NODE);
    return node;
}

static bool usable(struct cu_process *p, const struct CUgraph_st *g, struct CUgraphNode_st *const *after,
                   size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (!cu_is_node(p, after[i]) || after[i]->graph != g) return false;
        for (size_t k = 0; k < i; k++)
            if (after[k] == after[i]) return false;
    }
    return true;
}

int cu_graph_add(struct cu_process *p, struct CUgraph_st *g, struct CUgraphNode_st *const *after,
                 const cudaGraphEdgeData *data, size_t n, struct cu_op *op, struct CUgraphNode_st **node) {
    if (!cu_is_graph(p, g) || (n && !after) || !usable(p, g, after, n)) return CU_InvalidValue;
    struct CUgraphNode_st *added = cu_graph_append(p, g, g->next_id++);
    added->op = *op;
    if (op->kind == CU_OP_GRAPH) op->u.graph->parent = added;
    if (op->kind == CU_OP_ALLOC || op->kind == CU_OP_FREE) g->has_memory = true;
    for (size_t i = 0; i < n; i++) cu_node_link(p, after[i], added, data ? &data[i] : NULL);
    *node = added;
    return CU_Success;
}

static size_t edge_to(const struct cu_edge *v, size_t n, const struct CUgraphNode_st *node) {
    size_t i = 0;
    while (i < n && v[i].node != node) i++;
    return i;
}

int cu_node_link(struct cu_process *p, struct CUgraphNode_st *from, struct CUgraphNode_st *to,
                 const cudaGraphEdgeData *data) {
    if (!cu_is_node(p, from) || !cu_is_node(p, to) || from->graph != to->graph || from == to)
        return CU_InvalidValue;
    if (edge_to(from->after.v, from->after.n, to) < from->after.n) return CU_InvalidValue;
    const cudaGraphEdgeData d = data ? *data : (cudaGraphEdgeData){0};
    const struct cu_edge out = {to, d}, in = {from, d};
    CU_PUSH(&from->after, out);
    CU_PUSH(&to->before, in);
    return CU_Success;
}

static void cu_graph_drop(struct cu_edge *v, size_t *n, const struct CUgraphNode_st *node) {
    const size_t i = edge_to(v, *n, node);
    if (i == *n) return;
    memmove(v + i, v + i + 1, (*n - i - 1) * sizeof *v);
    --*n;
}

int cu_node_unlink(struct cu_process *p, struct CUgraphNode_st *from, struct CUgraphNode_st *to) {
    if (!cu_is_node(p, from) || !cu_is_node(p, to)) return CU_InvalidValue;
    if (edge_to(from->after.v, from->after.n, to) == from->after.n) return CU_InvalidValue;
    cu_graph_drop(from->after.v, &from->after.n, to);
    cu_graph_drop(to->before.v, &to->before.n, from);
    return CU_Success;
}

void cu_node_free(struct cu_process *p, struct CUgraphNode_st *node) {
    struct CUgraph_st *g = node->graph;
    for (size_t i = 0; i < node->before.n; i++)
        cu_graph_drop(node->before.v[i].node->after.v, &node->before.v[i].node->after.n, node);
    for (size_t i = 0; i < node->after.n; i++)
        cu_graph_drop(node->after.v[i].node->before.v, &node->after.v[i].node->before.n, node);
    size_t at = 0;
    while (g->nodes.v[at] != node) at++;
    memmove(g->nodes.v + at, g->nodes.v + at + 1, (g->nodes.n - at - 1) * sizeof *g->nodes.v);
    g->nodes.n--;
    release_node(p, node);
}

size_t cu_graph_edges(const struct CUgraph_st *g) {
    size_t n = 0;
    for (size_t i = 0; i < g->nodes.n; i++) n += g->nodes.v[i]->after.n;
    return n;
}

/* ---- copies ---- */

static void copy_edges(struct CUgraph_st *to, const struct CUgraphNode_st *from) {
    struct CUgraphNode_st *node = cu_graph_node(to, from->id);
    for (size_t i = 0; i < from->before.n; i++) {
        const struct cu_edge e = {cu_graph_node(to, from->before.v[i].node->id), from->before.v[i].data};
        CU_PUSH(&node->before, e);
    }
    for (size_t i = 0; i < from->after.n; i++) {
        const struct cu_edge e = {cu_graph_node(to, from->after.v[i].node->id), from->after.v[i].data};
        CU_PUSH(&node->after, e);
    }
}

struct CUgraph_st *cu_graph_clone(struct cu_process *p, const struct CUgraph_st *g) {
    struct CUgraph_st *to = cu_graph_new(p);
    to->family = g->family;
    to->next_id = g->next_id;
    to->has_memory = g->has_memory;
    for (size_t i = 0; i < g->nodes.n; i++) {
        struct CUgraphNode_st *node = cu_graph_append(p, to, g->nodes.v[i]->id);
        copy_op(p, &node->op, &g->nodes.v[i]->op);
        cu_node_shape(node, g->nodes.v[i]->shape);
        if (node->op.kind == CU_OP_GRAPH) node->op.u.graph->parent = node;
    }
    for (size_t i = 0; i < g->nodes.n; i++) copy_edges(to, g->nodes.v[i]);
    for (size_t i = 0; i < g->objects.n; i++) {
        cu_object_retain(p, g->objects.v[i].object, g->objects.v[i].count);
        CU_PUSH(&to->objects, g->objects.v[i]);
    }
    return to;
}

/* ---- orders ---- */

/* Kahn's algorithm over the list of creation: a node is taken as soon as all before it are, the earliest first within a pass. */
struct CUgraphNode_st **cu_graph_order(const struct CUgraph_st *g) {
    struct CUgraphNode_st **order = cu_zalloc((g->nodes.n + 1) * sizeof *order);
    size_t n = 0;
    for (size_t i = 0; i < g->nodes.n; i++) g->nodes.v[i]->mark = g->nodes.v[i]->before.n;
    for (size_t i = 0; i < g->nodes.n; i++)
        if (!g->nodes.v[i]->mark) order[n++] = g->nodes.v[i];
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < order[i]->after.n; k++)
            if (!--order[i]->after.v[k].node->mark) order[n++] = order[i]->after.v[k].node;
    if (n == g->nodes.n) return order;
    free(order);
    return NULL;
}

void cu_graph_ancestors(const struct CUgraph_st *g, const struct cu_nodes *roots) {
    struct cu_nodes todo = {0};
    for (size_t i = 0; i < g->nodes.n; i++) g->nodes.v[i]->mark = 0;
    for (size_t i = 0; i < roots->n; i++) {
        roots->v[i]->mark = 1;
        CU_PUSH(&todo, roots->v[i]);
    }
    while (todo.n) {
        const struct CUgraphNode_st *node = todo.v[--todo.n];
        for (size_t i = 0; i < node->before.n; i++) {
            struct CUgraphNode_st *earlier = node->before.v[i].node;
            if (earlier->mark) continue;
            earlier->mark = 1;
            CU_PUSH(&todo, earlier);
        }
    }
    cu_nodes_free(&todo);
}
