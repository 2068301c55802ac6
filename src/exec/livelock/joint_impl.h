/* What the files of the joint proof share: joint.c follows, joint_step.c executes and notes what depends on what,
 * joint_state.c keeps and compares. */
#ifndef HEDDLE_EXEC_LIVELOCK_JOINT_IMPL_H
#define HEDDLE_EXEC_LIVELOCK_JOINT_IMPL_H

#include "exec/flow.h"
#include "exec/livelock/follow.h"
#include "exec/livelock/joint.h"

#define JOINT_MANY UINT32_MAX /* more than one thread, or block */

/* A byte of memory that was accessed. */
struct joint_cell {
    const uint8_t *at;
    uint32_t node, thread; /* thread: the one that accessed it, or JOINT_MANY */
    uint8_t held;          /* at the anchor */
    bool changed;          /* at any time, even if it was changed back */
    bool global;
};

/* A byte of global memory, as all blocks use it that were looked at: block numbers plus one, 0: none, JOINT_MANY. */
struct joint_use {
    uint32_t changes, depends;
};

struct joint_undo {
    uint8_t *at;
    uint8_t held;
};

struct joint_kept { /* a warp at some time */
    struct exec_warp w;
    uint8_t *regs;
    VEC(uint8_t) local;
    VEC(struct exec_frame) frames;
    struct exec_stand at;
};

struct joint_warp {
    struct exec_warp *w;
    struct exec_stand at;
    uint32_t stop[EXEC_LANES]; /* where a lane's turn ends */
    uint32_t *def, *def_then;  /* [row][lane]: node of the value it holds, held at the anchor */
    struct joint_kept before, anchor;
};

/* Nodes: a value computed at each PC; what each row, and the carry, held at first; what threads bring to warp-wide and
 * block-wide operations, by operation; and four of their own. Cells follow. */
struct joint_nodes {
    uint32_t row[3], carry, brought;
    uint32_t decides;    /* what decides where threads go and what they touch */
    uint32_t co_runners; /* who runs with whom */
    uint32_t clock;
    uint32_t all;
};

struct exec_joint {
    const struct exec_grid *g;
    struct joint_nodes node;
    uint32_t rows[3], nrows; /* of each file; in all, the carry included */
    size_t reg_bytes;
    struct exec_block *block;
    struct joint_warp *warp;
    uint32_t nwarps, room;
    struct exec_block block_before, block_anchor;
    struct flow flow;
    struct flow_table cell_of; /* by address: index plus one */
    VEC(struct joint_cell) cells;
    VEC(struct joint_undo) undo; /* what memory other than local held before */
    bool textures;               /* were read */
    struct flow_table use_of;    /* by address: index plus one */
    VEC(struct joint_use) uses;
    uint32_t looked; /* blocks since exec_joint_begin */
    uint64_t left;   /* steps */
    uint64_t steps;
};

static inline uint32_t joint_can_run(const struct joint_warp *m) {
    return m->at.run & exec_can_run(m->w);
}

/* joint_step.c: one instruction of one thread. False: it cannot be followed. */
bool joint_step(struct exec_joint *k, struct joint_warp *m, uint32_t lane);

/* joint_state.c */
void joint_keep(const struct exec_joint *k, const struct joint_warp *m, struct joint_kept *to);
void joint_put_back(const struct exec_joint *k, struct joint_warp *m);
bool joint_same(struct exec_joint *k); /* as at the anchor, in all that matters */

#endif
