/* Graphs: operations with dependencies, built by hand or recorded from streams, and run as a whole.
 *
 * A graph owns its nodes; a node owns its operation. An executable graph owns a deep copy of the graph it was made from, and its
 * order of execution. The process lock is held by every caller here. */
#ifndef CUDA_GRAPH_H
#define CUDA_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver_types.h"

#include "runtime/module/objects.h"
#include "runtime/runtime/error.h"
#include "runtime/runtime/op.h"

struct cu_edge {
    struct CUgraphNode_st *node; /* the other end */
    cudaGraphEdgeData data;
};

struct CUgraphNode_st {
    struct CUgraph_st *graph;
    uint64_t id; /* in order of creation within the graph; a clone keeps it */
    struct cu_op op;
    struct {
        struct cu_edge *v;
        size_t n, cap;
    } before, after;
    struct cudaMemcpy3DParms *shape; /* shape of a copy, as the program gave it; NULL: captured */
    void **arguments; /* arguments of a kernel, for cudaGraphKernelNodeGetParams; NULL: not asked for yet */
    bool disabled;    /* in an executable graph: skipped, its dependencies count */
    size_t mark;      /* scratch of walks */
    uint64_t done;    /* scratch of a launch: when it ended */
};

struct cu_user_ref { /* references to a cudaUserObject_t that a graph holds */
    struct CUuserObject_st *object;
    unsigned count;
};

struct CUgraph_st {
    struct {
        struct CUgraphNode_st **v;
        size_t n, cap;
    } nodes; /* in order of creation */
    struct {
        struct cu_user_ref *v;
        size_t n, cap;
    } objects;
    uint64_t next_id;
    uint64_t family;               /* shared by a graph and what was cloned from it */
    struct CUgraphNode_st *parent; /* the child-graph node that owns it; NULL: the program does */
    bool has_memory;               /* allocation or free nodes: cannot be cloned, nor become a child */
    struct CUgraphNode_st **order; /* order in which an executable graph runs */
};

struct CUgraphExec_st {
    struct CUgraph_st *graph; /* a private copy */
    unsigned long long flags;
};

bool cu_nodes_has(const struct cu_nodes *s, const struct CUgraphNode_st *node);
void cu_nodes_add(struct cu_nodes *s, struct CUgraphNode_st *node); /* once */
void cu_nodes_set(struct cu_nodes *s, struct CUgraphNode_st *const *v, size_t n);
void cu_nodes_free(struct cu_nodes *s);

struct CUgraph_st *cu_graph_new(struct cu_process *p);
void cu_graph_free(struct cu_process *p, struct CUgraph_st *g);
/* A deep copy, child graphs too. */
struct CUgraph_st *cu_graph_clone(struct cu_process *p, const struct CUgraph_st *g);
/* The node of that id; NULL: none. */
struct CUgraphNode_st *cu_graph_node(const struct CUgraph_st *g, uint64_t id);

/* Adds a node that owns *op from now on; on failure *op remains the caller's. A dependency of another graph, or one that is named
 * twice, is CU_InvalidValue. */
int cu_graph_add(struct cu_process *p, struct CUgraph_st *g, struct CUgraphNode_st *const *after,
                 const cudaGraphEdgeData *data, size_t n, struct cu_op *op, struct CUgraphNode_st **node);
void cu_node_free(struct cu_process *p, struct CUgraphNode_st *node); /* with all its edges */
int cu_node_link(struct cu_process *p, struct CUgraphNode_st *from, struct CUgraphNode_st *to,
                 const cudaGraphEdgeData *data);
int cu_node_unlink(struct cu_process *p, struct CUgraphNode_st *from, struct CUgraphNode_st *to);
size_t cu_graph_edges(const struct CUgraph_st *g);

/* The nodes so that each comes after what it depends on, otherwise as they were created; NULL when there is a cycle. The caller
 * frees it. */
struct CUgraphNode_st **cu_graph_order(const struct CUgraph_st *g);
/* Marks the nodes from which one of the roots can be reached, the roots too, with mark 1; all others 0. */
void cu_graph_ancestors(const struct CUgraph_st *g, const struct cu_nodes *roots);

int cu_exec_new(struct cu_process *p, struct CUgraph_st *g, unsigned long long flags,
                struct CUgraphExec_st **exec);
void cu_exec_free(struct cu_process *p, struct CUgraphExec_st *exec);
int cu_exec_launch(struct cu_process *p, struct CUgraphExec_st *exec, struct CUstream_st *stream);
/* Takes over all parameters of a graph of the same shape. */
int cu_exec_update(struct cu_process *p, struct CUgraphExec_st *exec, const struct CUgraph_st *g,
                   cudaGraphExecUpdateResultInfo *info);

/* Objects of the program that graphs keep alive. */
struct CUuserObject_st {
    void *value;
    void (*destroy)(void *);
    unsigned count;
};
void cu_object_retain(struct cu_process *p, struct CUuserObject_st *o, unsigned count);
void cu_object_release(struct cu_process *p, struct CUuserObject_st *o, unsigned count);

/* Gives a graph within an executable one, its whole or a child's, what the nodes of g now have. *info: why that fails. */
int cu_graph_take_over(struct cu_process *p, struct CUgraph_st *mine, const struct CUgraph_st *g,
                       cudaGraphExecUpdateResultInfo *info);
/* The node of an executable graph that a node of the graph it was made from stands for; NULL: none. */
struct CUgraphNode_st *cu_exec_node(struct cu_process *p, struct CUgraphExec_st *exec,
                                    const struct CUgraphNode_st *node);
/* Runs an ordered graph; *end becomes when the last node ends. */
int cu_graph_run(struct cu_process *p, struct CUstream_st *s, const struct CUgraph_st *g, uint64_t start,
                 uint64_t *end);
/* Puts an operation in the place of a node's own, which is freed. */
void cu_node_swap(struct cu_process *p, struct CUgraphNode_st *node, const struct cu_op *op);
void cu_node_shape(struct CUgraphNode_st *node, const struct cudaMemcpy3DParms *shape);
/* Gives a node a copy of the operation. */
void cu_node_set(struct cu_process *p, struct CUgraphNode_st *node, const struct cu_op *op);

bool cu_is_graph(struct cu_process *p, const struct CUgraph_st *g);
bool cu_is_node(struct cu_process *p, const struct CUgraphNode_st *n);
bool cu_is_exec(struct cu_process *p, const struct CUgraphExec_st *e);

#endif
