/* Where the structuriser puts each block of a function, and which of them need a guard. Private to cfg/.
 *
 * Every node has a place below another one. It is either *inline*, where the one branch that leads to it stands, or a
 * *slot* of its owner: code that follows all that the owner's branch leads to, in a fixed order. A header's slots are of
 * two kinds, those within its loop and those behind it. Threads get to a slot by running on to it, so they come past all
 * slots between: a slot that some come past is guarded. */
#ifndef HEDDLE_CFG_PLAN_H
#define HEDDLE_CFG_PLAN_H

#include "cfg/graph.h"

enum plan_end { PLAN_ENDS, PLAN_GOES, PLAN_BRANCHES };
enum { PLAN_WITHIN, PLAN_BEHIND }; /* kinds of slots */

/* A block; the end of the function, which all its returns lead to; or a test of an indirect branch's index. */
struct plan_node {
    enum plan_end end;
    uint32_t to[2];     /* [0] where the guard holds, or the only way; [1] where it does not */
    uint32_t first, on; /* PCs [first, on) are copied */
    uint32_t control;   /* PC of the jump, branch or return behind them, or IR_NOPC */
    uint16_t guard;     /* guard of the branch */
    bool tests;         /* the guard is whether `index` is below `bound`; IR_GUARD_NEG in `guard`: is not */
    ir_opnd index;
    uint32_t bound;
    /* Innermost loop that holds it, loop it is the header of; by place after f->loop, or CFG_NONE. */
    uint32_t loop, heads;
    bool slot, guarded;
    uint32_t owner;             /* the node that a slot belongs to */
    uint32_t slots[2], last[2]; /* its own slots of each kind: the first, the last; CFG_NONE */
    uint32_t next;              /* the slot after this one, same owner and kind */
    uint32_t pre;               /* place in the layout */
};

struct plan_loop {
    uint32_t parent, header;
    /* Who leaves it as the outermost of the loops he leaves stays in the one around it, or begins that one's next round;
     * or he leaves that one too. */
    bool stays, conts, leaves;
    uint32_t far; /* the last place where one who stays goes */
};

struct plan {
    struct work w;
    struct plan_node *v;
    uint32_t n;
    struct plan_loop *loop;
    uint32_t nloops;
    uint32_t *within; /* by block: the innermost loop that it is laid out in, or CFG_NONE */
    struct forest nest;
    uint32_t end; /* the node that is the end of the function, or CFG_NONE: there is no return */
    uint32_t ret; /* PC of the last return */
    bool ret_new; /* it does not stand there, as it is guarded or one of several */
};

/* The function must be reducible and have blocks. */
void plan_make(struct plan *p, const struct ir_module *m, const struct cfg *c, uint32_t func);
void plan_free(struct plan *p);

/* The loop, or one inside it. */
static inline bool plan_in_loop(const struct plan *p, uint32_t loop, uint32_t outer) {
    return loop != CFG_NONE && forest_under(&p->nest, loop, outer);
}
/* The edge begins the next round of a loop. */
static inline bool plan_retreats(const struct plan *p, uint32_t u, uint32_t v) {
    return p->v[v].heads != CFG_NONE && plan_in_loop(p, p->v[u].loop, p->v[v].heads);
}
static inline bool plan_inline(const struct plan *p, uint32_t u, uint32_t v) {
    return !p->v[v].slot && !plan_retreats(p, u, v);
}
/* The innermost loop that holds both; v is entered from u, or dominated by it. */
uint32_t plan_common(const struct plan *p, uint32_t u, uint32_t v);

#endif
