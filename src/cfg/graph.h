/* One function's control-flow graph as the analyses see it, and what each leaves for the next. Private to
 * cfg/. Nodes are the function's blocks by local number; unreachable ones are there but have no edges. */
#ifndef HEDDLE_CFG_GRAPH_H
#define HEDDLE_CFG_GRAPH_H

#include "cfg/cfg.h"

/* Edges in compressed rows, both ways. */
struct graph {
    uint32_t n, root;
    uint32_t *sfirst, *succ; /* successors of v: succ[sfirst[v] .. sfirst[v + 1]) */
    uint32_t *pfirst, *pred;
};

/* A forest over [0, n) numbered so that a subtree is an interval. */
struct forest {
    uint32_t *pre, *size;
};

/* The blocks that the edges out of a loop start from and lead to: the lowest and the highest. */
struct loop_exits {
    uint32_t from[2], to[2]; /* to == n: the end of the function */
};

/* The analysis of one function under way. Everything here but m, c and what they own lives in mem. */
struct work {
    struct ir_module *m;
    struct cfg *c;
    uint32_t func;
    struct ir_func *fn;
    struct cfg_func *f;
    struct cfg_block *b; /* the function's blocks: b[local number] */
    uint32_t n;
    struct graph g;
    bool *leaves;     /* the block can end the function: RET, EXIT or TRAP, perhaps guarded */
    uint32_t *rpo;    /* reachable blocks in reverse postorder, nrpo of them */
    uint32_t *number; /* place in rpo, CFG_NONE when unreachable */
    uint32_t *last;   /* depth-first tree: highest preorder number below the block */
    uint32_t *enter;  /* depth-first preorder */
    uint32_t nrpo;
    uint32_t *idom, *ipdom; /* local numbers; ipdom n: the virtual exit */
    struct forest dom;
    struct forest nest;       /* nesting of this function's loops, by place in c->loops after f->loop */
    struct loop_exits *exits; /* exits of these loops; meaningless for a loop without exits */
    struct arena mem;
};

static inline bool forest_under(const struct forest *f, uint32_t v, uint32_t ancestor) {
    return f->pre[v] - f->pre[ancestor] < f->size[ancestor];
}
/* The edge u -> v closes a cycle of the depth-first walk. */
static inline bool edge_retreats(const struct work *w, uint32_t u, uint32_t v) {
    return w->enter[v] <= w->enter[u] && w->enter[u] <= w->last[v];
}
static inline bool block_dominates(const struct work *w, uint32_t a, uint32_t b) {
    return forest_under(&w->dom, b, a);
}

/* The edge counts for reconvergence: threads that take it leave by the same exit as those that stay (exits.c). */
static inline bool edge_counts(const struct work *w, uint32_t u, uint32_t v) {
    return w->b[u].exit == w->b[v].exit;
}

/* The edge leads to an early exit, and threads that stay may have to wait until those who take it are gone. */
static inline bool edge_hurries(const struct work *w, uint32_t u, uint32_t v) {
    return !edge_counts(w, u, v) && w->b[u].waits;
}

/* The innermost loop that holds the block, as a place after f->loop, or CFG_NONE. */
static inline uint32_t loop_of(const struct work *w, uint32_t v) {
    return w->b[v].loop == CFG_NONE ? CFG_NONE : w->b[v].loop - w->f->loop;
}
static inline struct cfg_loop *loop_at(const struct work *w, uint32_t loop) {
    return &w->c->loops[w->f->loop + loop];
}

/* blocks.c: blocks and edges of the whole module; then the graph of one function. */
bool blocks_build(struct ir_module *m, struct cfg *c, struct err *e);
void blocks_graph(struct work *w);
bool insn_guarded(const struct ir_insn *i);
bool insn_conditional(const struct ir_insn *i); /* guarded, or it compares registers itself */
bool insn_ends_block(const struct ir_insn *i);  /* transfers control: nothing after it is in its block */
bool insn_waits(const struct ir_insn *i);       /* at a barrier of the block or the warp, or in a .sync */
/* Control may go on to the next PC, from a call by return. */
bool insn_falls_through(const struct ir_insn *i);
/* The targets of a branch, *n of them, repeated as in a brx's table; none of other instructions. */
const uint32_t *branch_targets(const struct ir_module *m, const struct ir_insn *i, uint32_t *n);
/* cfg.c: the work of a function analysed before, for analyses on demand: graph, orders, dominators, post-dominators
 * (those of unreachable blocks mean nothing). Free its mem. */
void work_reopen(struct work *w, const struct ir_module *m, const struct cfg *c, uint32_t func);
/* cfg.c: everything but registers and the link, for a module that was analysed as `was` says before its code was
 * moved; what depends on registers is taken over. */
struct cfg *cfg_analyse_again(struct ir_module *m, const struct cfg *was, struct err *e);

/* dom.c: immediate dominators of the nodes reachable from g->root into idom (CFG_NONE: the root, or
 * unreachable). */
void dom_tree(const struct graph *g, uint32_t *idom, struct arena *mem);
/* order lists a node before its children; parent CFG_NONE for roots; nodes not in order are not numbered. */
struct forest forest_number(uint32_t n, const uint32_t *parent, const uint32_t *order, uint32_t norder,
                            struct arena *mem);
void dom_analyse(struct work *w);

/* blocks.c: a copy of the graph without the edges that `keeps` refuses. */
typedef bool graph_keeps_fn(const void *user, uint32_t u, uint32_t v);
struct graph graph_part(const struct graph *g, graph_keeps_fn *keeps, const void *user, struct arena *mem);

/* exits.c: the exit and the ways of every block. exits: blocks that may end the function or the thread, or close an endless
 * loop; on return those of them that count. False: all of them and all edges do. */
bool exits_analyse(struct work *w, bool *exits);

/* grow.c: the regions of the branches that end the blocks in `branch`, where their threads meet at the immediate
 * post-dominator, which must be a block. Inner regions come before those around them. Free v, top and todo. */
struct grown {
    uint32_t join, parent; /* local block; region or CFG_NONE */
    uint32_t nblocks;      /* inner regions included */
};
struct growth {
    struct work *w;
    const bool *branch; /* by local block */
    VEC(struct grown) v;
    /* Local block to the smallest region that holds its end, and its start: a branch from which a region begins is in it
     * only with its end. CFG_NONE: none. */
    uint32_t *of_end, *of_start;
    uint32_t *at_join; /* local block to the region it ends, or CFG_NONE */
    VEC(uint32_t) top; /* region towards the largest finished one around it: union-find */
    VEC(uint32_t) todo;
};
void grow_regions(struct growth *k);
void growth_free(struct growth *k);

/* pdom.c: immediate post-dominators in a graph over the function's blocks, w's or part of it, into ipdom[0 ..
 * n] (n, the virtual exit, also as a value; CFG_NONE: no edges). exits: who leads to the exit; endless parts
 * are added to it. */
void pdom_tree(struct work *w, const struct graph *g, bool *exits, uint32_t *ipdom);
void pdom_analyse(struct work *w);                  /* pdom.c */
void loops_analyse(struct work *w);                 /* loops.c: appends to c->loops */
void structure_analyse(struct work *w);             /* structure.c */
void order_analyse(struct work *w);                 /* order.c */
bool colour_analyse(struct work *w, struct err *e); /* colour.c: rows of every register */

#endif
