/* Reconvergence regions: what lies between the branches that split threads up and the block where all of them meet, and where
 * instructions go that tell a mechanism that such a region begins. An analysis on demand (regions.c says what holds). */
#ifndef HEDDLE_CFG_REGIONS_H
#define HEDDLE_CFG_REGIONS_H

#include "cfg/cfg.h"

/* A place for an inserted instruction (rewrite.h): before pc, or, `to` not IR_NOPC, on the edge from pc to `to`; then pc
 * IR_NOPC is the entry of the function. */
struct cfg_mark {
    uint32_t pc, to;
};

struct cfg_region {
    uint32_t func, join; /* join: the block R where it ends, which is not part of it */
    /* The next larger region, or CFG_NONE; 1 outermost. A parent comes before its inner ones. */
    uint32_t parent, depth;
    uint32_t start;   /* block that dominates every mark; the nearest such */
    uint32_t nblocks; /* inner regions included */
    uint32_t loop; /* the loop it consists of if it is left to the join only, by branches of this region: PBK
                                    and BRK would do; or CFG_NONE */
    uint32_t branch, nbranches; /* branches[branch ..]: PCs of branches whose threads meet at join */
    uint32_t mark, nmarks;      /* marks[mark ..]: where it begins */
    uint32_t bare, nbare;       /* marks[bare ..]: edges to the join from elsewhere */
    bool widened;               /* begins earlier than its own branches need, to hold a region whole */
};

struct cfg_regions {
    struct cfg_region *v;
    uint32_t n;
    uint32_t *branches;
    struct cfg_mark *marks;
    uint32_t *of_block; /* block to the smallest region that holds its end, or CFG_NONE */
    struct arena mem;
};

/* varies: a byte per PC, not zero for the branches and calls at which threads may diverge (cfg_uniform, masked by scope). Those
 * whose threads meet only at the end of the function have no region. NULL when there would be more marks than limit, which
 * takes a graph that no compiler makes. */
struct cfg_regions *cfg_regions(const struct ir_module *m, const struct cfg *c, const uint8_t *varies,
                                size_t limit, struct err *e);
void cfg_regions_free(struct cfg_regions *r);
/* The place that exactly the threads going from the end of one block to another pass: on the edge, or before a jump
 * that goes nowhere else. */
struct cfg_mark cfg_edge_mark(const struct ir_module *m, const struct cfg_block *from,
                              const struct cfg_block *to);

#endif
