/* Does a thread go round a loop that it cannot leave by itself? A proof, not a guess: see loop.c. */
#ifndef HEDDLE_EXEC_LIVELOCK_LOOP_H
#define HEDDLE_EXEC_LIVELOCK_LOOP_H

#include "exec/warp.h"

enum exec_loop {
    EXEC_LEAVES, /* it exits, calls the system or fails */
    EXEC_MEETS, /* nothing is proved: it changes memory, meets other threads, or was not followed for long enough */
    EXEC_POLLS,  /* it loops for as long as no thread changes memory */
    EXEC_ENDLESS /* it loops whatever the other threads do */
};

struct exec_looper;
struct exec_looper *exec_looper_new(const struct exec_grid *g);
void exec_looper_free(struct exec_looper *k);
/* Follows one live thread that is not blocked, alone, from pc on for at most so many instructions. Afterwards everything is
 * as it was before. */
enum exec_loop exec_loops(struct exec_looper *k, struct exec_warp *w, uint32_t lane, uint32_t pc,
                          uint64_t most);
/* Instructions followed so far, of all threads: what the proofs have cost. */
uint64_t exec_loop_steps(const struct exec_looper *k);

#endif
