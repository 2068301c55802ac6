/* cudaGraphDebugDotPrint: a graph as text for Graphviz. */
#include <inttypes.h>
#include <stdio.h>

#include "runtime/graph/graph_params.h"
#include "runtime/module/module.h"
#include "runtime/runtime/api.h"

static const char *const type_names[] = {"KERNEL", "MEMCPY",       "MEMSET", "HOST", "GRAPH", "EMPTY",
                                         "WAIT",   "EVENT_RECORD", "",       "",     "ALLOC", "FREE"};

static void print_node(FILE *f, const struct CUgraphNode_st *n, unsigned graph, unsigned flags) {
    const struct cu_op *op = &n->op;
    const bool all = flags & cudaGraphDebugDotFlagsVerbose;
    fprintf(f, "\"graph_%u_node_%" PRIu64 "\" [shape=record label=\"{%s | {ID | %" PRIu64 "}", graph, n->id,
            type_names[cu_node_type(n)], n->id);
    if (op->kind == CU_OP_KERNEL) {
        const struct cu_kernel_op *k = &op->u.kernel;
        fprintf(f, " | %s", k->function->name);
        if (all || (flags & cudaGraphDebugDotFlagsKernelNodeParams))
            fprintf(f, "\\<\\<\\<(%u,%u,%u),(%u,%u,%u),%" PRIu64 "\\>\\>\\>", k->grid[0], k->grid[1],
                    k->grid[2], k->block[0], k->block[1], k->block[2], k->shared);
    }
    if (op->kind == CU_OP_COPY && (all || (flags & cudaGraphDebugDotFlagsMemcpyNodeParams)))
        fprintf(f, " | %" PRIu64 " x %" PRIu64 " x %" PRIu64 " bytes", op->u.copy.width, op->u.copy.height,
                op->u.copy.depth);
    if (op->kind == CU_OP_SET && (all || (flags & cudaGraphDebugDotFlagsMemsetNodeParams)))
        fprintf(f, " | 0x%x, %" PRIu64 " x %" PRIu64, op->u.set.value, op->u.set.width, op->u.set.height);
    fprintf(f, "}\"];\n");
}

/* Children are clusters of their own, numbered in the order they are met. */
static void print_graph(FILE *f, const struct CUgraph_st *g, unsigned *graphs, unsigned flags) {
    const unsigned id = (*graphs)++;
    fprintf(f, "subgraph cluster_%u {\nlabel=\"graph_%u\" graph[style=\"dashed\"];\n", id, id);
    for (size_t i = 0; i < g->nodes.n; i++) print_node(f, g->nodes.v[i], id, flags);
    for (size_t i = 0; i < g->nodes.n; i++)
        for (size_t k = 0; k < g->nodes.v[i]->after.n; k++)
            fprintf(f, "\"graph_%u_node_%" PRIu64 "\" -> \"graph_%u_node_%" PRIu64 "\";\n", id,
                    g->nodes.v[i]->id, id, g->nodes.v[i]->after.v[k].node->id);
    fprintf(f, "}\n");
    for (size_t i = 0; i < g->nodes.n; i++)
        if (g->nodes.v[i]->op.kind == CU_OP_GRAPH) print_graph(f, g->nodes.v[i]->op.u.graph, graphs, flags);
}

static int graph_dot_print(struct cu_process *p, cudaGraph_t g, const char *path, unsigned flags) {
    unsigned graphs = 1;
    if (!cu_is_graph(p, g) || !path) return CU_InvalidValue;
    FILE *f = fopen(path, "w");
    if (!f) return CU_OperatingSystem;
    fprintf(f, "digraph dot {\n");
    print_graph(f, g, &graphs, flags);
    fprintf(f, "}\n");
    return fclose(f) ? CU_OperatingSystem : CU_Success;
}

CUDA_API int cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned flags) {
    CUDA_CALL(graph_dot_print(p, graph, path, flags));
}
