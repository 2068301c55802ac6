/* The reconvergence stack (DWF 3.2, Table 3.1) that pdom, and whatever else serialises the sides of a branch, is built on.
 *
 * One stack serves the threads of one home warp (or block): those of `words` consecutive architectural warp slots. The top
 * entry's threads run; an entry below either waits for its turn (the other side of a branch) or for the entries above it to
 * arrive (a join). */
#ifndef HEDDLE_MECH_LIB_STACK_H
#define HEDDLE_MECH_LIB_STACK_H

#include "mech/mech.h"

enum { STACK_WORDS = 32 }; /* 1024 threads */

struct stack_entry {
    uint32_t pc, rpc;      /* pc IR_NOPC: a join at a return, known when the first thread returns */
    int32_t depth, rdepth; /* call depth of pc and of rpc; rdepth -1: the end of the thread, never reached */
    uint32_t branch;       /* a join: the branch whose sides are above; IR_NOPC: a side, or running */
};

struct stack {
    uint32_t first, words; /* architectural warp slots */
    uint32_t n, cap, limit;
    struct stack_entry *e;         /* e[n - 1] is the top */
    uint32_t *mask;                /* of entry i: mask[i * words ...] */
    uint32_t waiting[STACK_WORDS]; /* threads of the top at a barrier */
    uint32_t inactive, joining;    /* threads below the top: on another side; arrived at a join */
};

/* The rules for which side of a branch runs first. */
#define STACK_SIDE(CHOICE) \
    CHOICE(taken, STACK_TAKEN) CHOICE(fallthrough, STACK_FALLTHROUGH) CHOICE(most, STACK_MOST)
enum stack_side { STACK_SIDE(OPTION_ENUMERATOR) };
struct stack_way { /* of a branch */
    uint32_t pc, threads;
    bool leaves;
};
/* Threads at `to`, a side of the branch at `from`, leave by another exit than those who stay (cfg/exits.c), and those who stay
 * may come to a barrier, where they would wait for the others to be gone. */
static inline bool stack_leaves(const struct mech *m, uint32_t from, uint32_t to) {
    const struct ir_insn *code = m->env.module->code.v;
    const struct cfg_block *b = m->env.cfg->blocks, *x = &b[code[from].block], *y = &b[code[to].block];
    return x->waits && x->func == y->func && x->exit != y->exit;
}
static inline struct stack_way stack_way(const struct mech *m, uint32_t branch, uint32_t pc,
                                         uint32_t threads) {
    return (struct stack_way){pc, threads, stack_leaves(m, branch, pc)};
}
/* Does a run before b? A side that leaves does, whatever the policy; else the fall-through is at `next`, and ties go to the
 * taken side, then to the lower PC. */
static inline bool stack_runs_first(struct stack_way a, struct stack_way b, enum stack_side first,
                                    uint32_t next) {
    if (a.leaves != b.leaves) return a.leaves;
    if (first == STACK_MOST && a.threads != b.threads) return a.threads > b.threads;
    if ((a.pc == next) != (b.pc == next)) return (a.pc == next) == (first == STACK_FALLTHROUGH);
    return a.pc < b.pc;
}

/* Makes n stacks without entries; stack_start fills in the rest. */
struct stack *stacks_new(struct pages *p, uint32_t n);
/* One entry: these threads at pc. At most `limit` entries ever, or it is a fault of ours. Its memory is from m's pages. */
void stack_start(struct mech *m, struct stack *s, uint32_t first, uint32_t words, uint32_t limit,
                 const struct mech_set *set, uint32_t pc);
/* The top's threads, whatever PC it says, did what the outcome says; if they go different ways they join at rpc: the
 * instruction's own, or another at which they all arrive (IR_NOPC: where the function returns to). True: the top's threads
 * are not the ones they were. */
bool stack_commit(struct mech *m, struct stack *s, const struct mech_outcome *o, uint32_t rpc,
                  enum stack_side first);
/* Some threads of the top no longer wait. True: none does any more, the top may run; `changed` as stack_commit. */
bool stack_release(struct mech *m, struct stack *s, uint32_t warp, uint32_t mask, bool *changed);
bool stack_blocked(const struct stack *s); /* a thread of the top waits, the others are held with it */
void stack_top(const struct stack *s, struct mech_set *out);
/* Where the threads of each entry go on, bottom first; of the top only its owner knows. */
void stack_places(const struct stack *s, mech_place_fn *put, void *user);
/* One line per entry, bottom first: "pc 5 rpc 9 w0:0000000e", the top, which is at `pc`, marked. */
void stack_print(const struct stack *s, uint32_t pc, struct sb *out);
/* Panics unless entries are not empty, sides disjoint and inside their join, and all threads those of `present`. */
void stack_audit(const struct stack *s, const uint32_t *present);

#endif
