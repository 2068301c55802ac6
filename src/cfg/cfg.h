/* Control-flow analysis of a module: blocks, dominators, post-dominators, loops, structure, priorities, thread
 * frontiers, liveness and register rows. Everything linear or nearly so: a kernel of 100,000 instructions is analysed
 * in well under a second. */
#ifndef HEDDLE_CFG_CFG_H
#define HEDDLE_CFG_CFG_H

#include "ir/program.h"

#define CFG_NONE 0xffffffffu

/* Blocks are numbered through the module in PC order; a function's are contiguous. */
struct cfg_block {
    uint32_t first, end;    /* PCs [first, end) */
    uint32_t func;          /* function index */
    uint32_t succ, nsucc;   /* edges[succ .. succ+nsucc): each successor once, fall-through first */
    uint32_t pred, npred;   /* edges[pred .. pred+npred) */
    uint32_t idom, ipdom;   /* block, or CFG_NONE: entry or unreachable; the function's (virtual) exit */
    uint32_t loop;          /* innermost loop, or CFG_NONE */
    uint32_t priority;      /* place in a topological order of the function without back edges, 0 first; barriers
                               respected: no thread may wait at one for a block that comes later */
    uint32_t frontier, nfrontier; /* edges[...]: thread frontier, in priority order: where threads that are not in this
                                     block may wait while it runs */
    bool reachable;
};

struct cfg_loop {
    uint32_t func, header, parent; /* parent loop or CFG_NONE */
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
    uint32_t why;            /* a block that shows it is not structured, or CFG_NONE */
    const char *why_text;    /* the reason in words, "" when structured */
    uint32_t max_live;       /* 32-bit registers live at once, at the worst place */
};

struct cfg {
    struct cfg_block *blocks;
    uint32_t nblocks;
    struct cfg_loop *loops;
    uint32_t nloops;
    struct cfg_func *funcs; /* parallel to the module's */
    uint32_t *edges;
    struct arena mem;
};

/* Analyses every function, fills in block, flags and rpc of each instruction, replaces virtual registers by rows and
 * links the module (ir_link). The module must be fresh from a front end. NULL on error. */
struct cfg *cfg_analyse(struct ir_module *m, struct err *e);
void cfg_free(struct cfg *c);

#endif
