/* What `heddle explain` tells: the steps of some threads of one block and the mechanism's tables after them. */
#ifndef HEDDLE_CLI_EXPLAIN_H
#define HEDDLE_CLI_EXPLAIN_H

#include "base/alloc.h"
#include "cli/term.h"
#include "sm/sm.h"

enum { EXPLAIN_WORDS = 32 }; /* architectural warps of a block: 1024 threads */

/* Threads of the block that is explained; only those that are explained, the others are counted. */
struct explain_lanes {
    uint32_t word[EXPLAIN_WORDS];
    uint32_t others;
};

/* Consecutive instructions of one block of code by the same threads, nothing having happened to them. */
struct explain_group {
    struct explain_lanes lanes;
    uint32_t first, last; /* PCs */
    uint32_t to;          /* where they go on */
    uint64_t issued, committed;
};

struct explain_view {
    const struct term *term;
    const struct ir_module *ir;      /* that runs */
    const struct ir_module *program; /* as it was loaded */
    const struct rewrite *form;      /* of it, that runs; NULL: none */
    uint64_t block;                  /* of the grid */
    uint32_t first, count;           /* threads of the block that are explained */
    uint32_t width;                  /* of a warp of the machine */
    bool every;                      /* no instructions are gathered */
    bool tables;                     /* shown after every step, not only when they changed */
    uint64_t most;                   /* steps */
    /* so far */
    uint64_t steps;
    bool more;     /* than `most` */
    uint32_t base; /* architectural warp slot of the SM where the block begins */
    VEC(struct explain_group) groups;
    struct sb key; /* the threads in each line of the tables as last shown */
    struct sb out;
};

/* explain_steps.c: a listener to commits; then what is still to be told. */
void explain_commit(void *view, const struct sm_commit *c);
void explain_end(struct explain_view *v);
void explain_free(struct explain_view *v);

/* explain_lanes.c */
void lanes_add(const struct explain_view *v, struct explain_lanes *l, uint32_t slot, uint32_t mask);
bool lanes_any(const struct explain_lanes *l);
bool lanes_meet(const struct explain_lanes *a, const struct explain_lanes *b);
bool lanes_equal(const struct explain_lanes *a, const struct explain_lanes *b);
/* "##..": lane 0 first. Of several warps, those that have some, by number: "1:##.. 3:...#". */
void lanes_draw(const struct explain_view *v, const struct explain_lanes *l, struct sb *out);

/* The program's PC of an instruction that runs. */
static inline uint32_t explain_old_pc(const struct explain_view *v, uint32_t pc) {
    return v->form && pc < v->ir->code.n ? v->form->old_pc[pc] : pc;
}

/* explain_tables.c: the tables as the mechanism prints them, of all its entries those that concern the threads explained;
 * masks are drawn and PCs get their block. key: who is together in them, and nothing else. */
void explain_tables(const struct explain_view *v, const struct mech *m, struct sb *text, struct sb *key);
/* "20 (B3)"; of a mark the place and the block of the instruction it stands before: "20 (B3) sync" */
void explain_pc(const struct explain_view *v, uint32_t pc, struct sb *out);

#endif
