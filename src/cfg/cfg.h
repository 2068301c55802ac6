/* Control-flow analysis of a module: blocks, dominators, post-dominators, loops, structure, priorities,
 * liveness and register rows at once; thread frontiers, text and Graphviz on demand. Everything linear or
 * nearly so: a kernel of 100,000 instructions is analysed in well under a second. */
#ifndef HEDDLE_CFG_CFG_H
#define HEDDLE_CFG_CFG_H

#include "ir/program.h"

#define CFG_NONE 0xffffffffu

/* Blocks are numbered function by function, in PC order within one; a function's are contiguous. Blocks
 * nothing leads to are kept, with their edges, but no analysis of the others sees them. */
struct cfg_block {
    uint32_t first, end;  /* PCs [first, end) */
    uint32_t func;        /* function index */
    uint32_t succ, nsucc; /* edges[succ .. succ+nsucc): each successor once, fall-through first */
    uint32_t pred, npred; /* edges[pred .. pred+npred) */
    uint32_t idom, ipdom; /* block, or CFG_NONE: entry or unreachable; the function's (virtual) exit */
    /* The block by which threads here are taken to leave (exits.c); CFG_NONE: the function's end. */
    uint32_t exit;
    uint32_t ways;     /* successors with the same `exit`, and one more if threads may leave here */
    uint32_t loop;     /* innermost loop, or CFG_NONE */
    uint32_t priority; /* place in a topological order without back edges, 0 first (order.c says more);
                             unreachable blocks come last */
    bool reachable;
    /* On the way from here to `exit` threads may come to a barrier: those of blocks and warps, calls, whose callee may have one,
     * and the end of a function, whose caller may. */
    bool waits;
};

struct cfg_loop {
    uint32_t func, header, parent; /* parent loop or CFG_NONE; a parent comes before its inner loops */
    uint32_t depth;                /* 1 outermost */
    uint32_t nblocks;              /* inner loops included */
    uint32_t nexits;               /* edges that leave it */
    bool breaks;                   /* leaves from more than one block, or to more than one place */
    bool infinite;                 /* no way out */
};

enum cfg_structure {
    CFG_STRUCTURED,   /* nested if, if-else, switch, while, do-while */
    CFG_BREAKS,       /* structured but for loops left from several places */
    CFG_UNSTRUCTURED, /* reducible, with jumps into or across arms */
    CFG_IRREDUCIBLE   /* a loop with two entries */
};

struct cfg_func {
    uint32_t block, nblocks; /* its blocks */
    uint32_t loop, nloops;
    enum cfg_structure structure;
    uint32_t why;         /* a block that shows it is not structured, or CFG_NONE */
    const char *why_text; /* the reason in words, "" when structured */
    uint32_t max_live;    /* 32-bit registers live at once, at the worst place */
};

/* The exits that count when post-dominators are computed (exits.c, docs/reconvergence.md): only the main one of
 * those that a block leads to, or all of them. */
#define CFG_EXITS(CHOICE) CHOICE(main, CFG_EXITS_MAIN) CHOICE(edges, CFG_EXITS_EDGES)
enum cfg_exits { CFG_EXITS_MAIN, CFG_EXITS_EDGES };

struct cfg {
    enum cfg_exits exits;
    /* Warps of the machine have more than 32 threads: where architectural warps differ, they diverge. The caller of
     * the analysis sets it. */
    bool wide_warps;
    struct cfg_block *blocks;
    uint32_t nblocks;
    struct cfg_loop *loops;
    uint32_t nloops;
    struct cfg_func *funcs; /* parallel to the module's */
    uint32_t *edges;
    struct arena mem;
};

/* Analyses every function, fills in block, flags and rpc of each instruction, replaces virtual registers by
 * rows and links the module (ir_link). The module must be fresh from a front end. rpc is set on every
 * instruction that ends a block by itself (branches, calls, returns), guarded or not: to its block's ipdom, or, if all ways but
 * one lead to other exits, to the join of the smallest region that the block is in. NULL on error. */
struct cfg *cfg_analyse(struct ir_module *m, enum cfg_exits exits, struct err *e);
void cfg_free(struct cfg *c);

/* Thread frontiers of one function. The frontier of a block: where threads may wait while the block runs,
 * when of all blocks that hold threads the one of highest priority (smallest number) always runs. In all they
 * can be quadratic in the number of blocks, so they are made on demand, and refused beyond limit entries. */
struct cfg_frontiers {
    /* nblocks + 1: the frontier of the function's k-th block is block[first[k] .. first[k + 1]). */
    uint32_t *first;
    uint32_t *block; /* module-wide block numbers, in priority order */
};
bool cfg_frontiers(const struct cfg *c, uint32_t func, size_t limit, struct cfg_frontiers *out,
                   struct err *e);
void cfg_frontiers_free(struct cfg_frontiers *f);

/* Threads can come to the block in more than one way: over several edges, over an edge besides the function's entry, or by
 * a return. */
bool cfg_block_joins(const struct ir_module *m, const struct cfg *c, uint32_t block);
/* The function's blocks have their priorities in the order of their PCs: going by PC is going by priority. */
bool cfg_priority_is_pc_order(const struct cfg *c, uint32_t func);

/* One function as text: header, then its blocks with edges, post-dominator and loop, and the instructions. */
void cfg_print(struct sb *out, const struct ir_module *m, const struct cfg *c, uint32_t func);
/* One function as a Graphviz digraph: back edges dashed, post-dominators dotted. full: every instruction, else the
 * last. */
void cfg_dot(struct sb *out, const struct ir_module *m, const struct cfg *c, uint32_t func, bool full);
const char *cfg_structure_name(enum cfg_structure s);

#endif
