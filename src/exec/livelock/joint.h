/* Do the threads of a block, followed together, go round loops that they will never leave? A proof, not a guess: see
 * joint.c. */
#ifndef HEDDLE_EXEC_LIVELOCK_JOINT_H
#define HEDDLE_EXEC_LIVELOCK_JOINT_H

#include "exec/livelock/loop.h"

/* Where the threads of a warp stand. */
struct exec_stand {
    uint32_t run; /* lanes that run: live, not blocked; those that were just released need not be named */
    uint32_t pc[EXEC_LANES];
};

/* Each search for loops follows a thread farther than the one before. Together, each thread of a block is followed for
 * a part of that. */
enum { EXEC_FOLLOW_FIRST = 1 << 10, EXEC_FOLLOW_MOST = 1 << 16, EXEC_FOLLOW_TOGETHER = 32 };

struct exec_joint;
struct exec_joint *exec_joint_new(const struct exec_grid *g);
void exec_joint_free(struct exec_joint *k);
/* Before the first of the blocks that are looked at together. */
void exec_joint_begin(struct exec_joint *k);
/* Follows the running threads of a block, and threads that they set free, for at most `most` instructions in all, and
 * then restores the state. at: one for each warp. LEAVES: nothing was proved. POLLS: the threads go on for as long as
 * no other thread changes memory, and no block looked at since exec_joint_begin changes any. ENDLESS: the threads go
 * on, whatever others do. */
enum exec_loop exec_joint_loops(struct exec_joint *k, struct exec_block *b, const struct exec_stand *at,
                                uint64_t most);
/* Instructions followed so far, and what it took to keep states, in the same unit: what the proofs have cost. */
uint64_t exec_joint_steps(const struct exec_joint *k);

#endif
