/* Operations from the parameters of graph nodes, and back. */
#ifndef CUDA_GRAPH_PARAMS_H
#define CUDA_GRAPH_PARAMS_H

#include "runtime/graph/graph.h"

/* What a node is made of, whichever call says it: the operation, which the caller owns, and for a copy the parameters as given. */
struct cu_recipe {
    struct cu_op op;
    struct cudaMemcpy3DParms shape;
    bool has_shape;
};
void cu_recipe_free(struct cu_process *p, struct cu_recipe *r);

int cu_kernel_recipe(struct cu_process *p, const struct cudaKernelNodeParams *k, struct cu_recipe *r);
int cu_copy_recipe(struct cu_process *p, const struct cudaMemcpy3DParms *m, struct cu_recipe *r);
/* One row. */
int cu_row_recipe(struct cu_process *p, void *dst, const void *src, size_t bytes, int kind,
                  struct cu_recipe *r);
/* One row to a variable (to is its symbol, other the source) or from one. */
int cu_symbol_recipe(struct cu_process *p, const void *symbol, size_t offset, const void *other, size_t bytes,
                     int kind, bool to_symbol, struct cu_recipe *r);
int cu_set_recipe(struct cu_process *p, const struct cudaMemsetParams *m, struct cu_recipe *r);
int cu_host_recipe(const struct cudaHostNodeParams *h, struct cu_recipe *r);
int cu_event_recipe(struct cu_process *p, struct CUevent_st *e, enum cu_op_kind kind, struct cu_recipe *r);
/* A copy of the graph becomes the child, or the graph itself when it moves. */
int cu_child_recipe(struct cu_process *p, struct CUgraph_st *child, bool move, struct cu_recipe *r);
int cu_alloc_recipe(struct cu_process *p, struct cudaMemAllocNodeParams *a, struct cu_recipe *r);
int cu_free_recipe(struct cu_process *p, void *ptr, struct cu_recipe *r);
/* Any of them. */
int cu_any_recipe(struct cu_process *p, struct cudaGraphNodeParams *n, struct cu_recipe *r);

/* Gives a node of the same type what the recipe says, and the recipe loses it. CU_InvalidValue for another type. */
int cu_node_become(struct cu_process *p, struct CUgraphNode_st *node, struct cu_recipe *r);

enum cudaGraphNodeType cu_node_type(const struct CUgraphNode_st *node);

#endif
