/* One streaming multiprocessor: issues packets the mechanism selects, executes them (exec), charges pipeline, units,
 * register banks and memory, keeps block barriers and residency. It never asks which mechanism runs. */
#ifndef HEDDLE_SM_SM_H
#define HEDDLE_SM_SM_H

#include "exec/warp.h"
#include "mech/mech.h"
#include "mem/mem.h"
#include "sm/account.h"
#include "sm/options.h"
#include "sm/stats.h"

#define SM_NEVER UINT64_MAX

struct sm;

/* A split that has been handed back to the mechanism. */
struct sm_commit {
    struct sm *sm;
    uint64_t issued, cycle; /* cycle: of the commit */
    const struct mech_outcome *outcome;
    const char *event; /* what the mechanism said meanwhile; "" if nothing */
};

/* Listeners, any of them NULL. They cost nothing when absent. */
struct sm_observer {
    void *user;
    bool quiet; /* the event text is not wanted: it is always "" */
    /* One issue slot: cycle, SM, scheduler, the packet (its splits still as issued), what the mechanism said. */
    void (*issue)(void *user, uint64_t cycle, uint32_t sm, uint32_t sched, const struct mech_packet *p,
                  const char *event);
    void (*block)(void *user, uint64_t cycle, uint32_t sm, uint64_t block, bool begins);
    /* The mechanism's tables are those after it, threads it released included; blocks it ended are still in their slots. */
    void (*commit)(void *user, const struct sm_commit *c);
};

struct sm_branch {              /* per PC: every instruction issued, and what those that diverge cost */
    uint64_t executions, lanes; /* issues with threads, and threads they ran for */
    uint64_t divergences, sides;
    uint64_t reconvergences, reconvergence_cycles;
};
static inline void sm_branch_add(struct sm_branch *to, const struct sm_branch *b) {
    to->executions += b->executions;
    to->lanes += b->lanes;
    to->divergences += b->divergences;
    to->sides += b->sides;
    to->reconvergences += b->reconvergences;
    to->reconvergence_cycles += b->reconvergence_cycles;
}

/* What the SMs of a launch share: what they know and count of its instructions, and room to work in. Kept from launch to
 * launch, so that one costs what it runs and not what its module holds. */
struct sm_common;
struct sm_common *sm_common_new(void);
void sm_common_free(struct sm_common *c);
/* A launch of this program: there are no SMs yet. Its counters by PC, all 0, good until the end. */
struct sm_branch *sm_common_begin(struct sm_common *c, const struct ir_module *m);
/* The PCs that an SM has come to, in the order in which that was. All others' counters are 0. */
const uint32_t *sm_common_met(const struct sm_common *c, size_t *n);
/* After the last tick: what the SMs have counted with another one is added. */
void sm_common_join(struct sm_common *to, struct sm_common *from);
void sm_common_end(struct sm_common *c); /* after the last SM */

struct sm_env {
    uint32_t index, sms;              /* which of how many */
    uint64_t watchdog;                /* cycles: gpu.watchdog */
    const struct sm_options *options; /* sm_options_check took them */
    const struct mem_options *mem_options;
    struct mem *mem;
    struct exec_grid *grid;
    const struct ir_module *module;
    const struct rewrite *form; /* that the module is; NULL: the program as it was loaded */
    const struct cfg *cfg;
    const struct mech_ops *mech;
    const int64_t *mech_params;
    const void *mech_tables; /* of mech_prepare */
    struct sm_common *common;
    struct sm_branch *branch;           /* by PC, shared by all SMs; NULL: not wanted */
    struct sm_account *account;         /* what lines cost, shared by all SMs; NULL: not wanted */
    const uint32_t *account_pc;         /* of each PC: the one the account has it by; NULL: the same */
    uint64_t *thread_insts;             /* by global thread number, for time series; NULL: not wanted */
    const struct sm_observer *observer; /* NULL: no observer */
    bool audit; /* the mechanism checks itself after every commit, and so do requests: slow, for tests */
};

/* False, with the reason, when not even one block of a launch fits on an SM. */
bool sm_fits(const struct sm_options *o, const struct exec_grid *g, struct err *e);
/* What limits how many do; SM_BY_GRID: nothing on the SM, the grid has no more. */
enum sm_limiter { SM_BY_THREADS, SM_BY_BLOCKS, SM_BY_REGISTERS, SM_BY_SHARED, SM_BY_GRID, SM_LIMITERS };
/* How many fit, and which of the first four limits them. */
uint32_t sm_residency(const struct sm_options *o, const struct exec_grid *g, enum sm_limiter *limiter);
/* What a block needs of what an SM has, and how many blocks that leaves room for; UINT64_MAX: none of it is needed. */
struct sm_limit {
    enum sm_limiter by;
    const char *unit, *key; /* key: of the option that says how much there is */
    uint64_t need, have, blocks;
};
enum { SM_LIMITS = SM_BY_GRID };
void sm_limits(const struct sm_options *o, const struct exec_grid *g, struct sm_limit l[SM_LIMITS]);
/* Threads that a scheduler holds at once: of the blocks that fit there, or of its share of the grid, rounded down to whole
 * blocks but at least one, if that is less. resident: sm_residency's. */
uint64_t sm_scheduler_threads(const struct sm_options *o, const struct exec_grid *g, uint32_t resident,
                              uint32_t sms);

struct sm *sm_new(const struct sm_env *env, struct err *e);
void sm_free(struct sm *s);
/* Another thread of the host runs it from now on, with what the SMs that it runs share. */
void sm_use(struct sm *s, struct sm_common *c, struct sm_branch *branch);
bool sm_room(const struct sm *s); /* can take a block now */
void sm_start(struct sm *s, uint64_t block, uint64_t now);
bool sm_busy(const struct sm *s); /* has a block or something under way */
/* Ticks it in core cycle `from`, to which memory has been advanced, and in those after it and before `until` in which it has
 * something to do by itself, until memory has something for it, a block ends or it has none. Returns the next cycle in which
 * it has; SM_NEVER: only memory can wake it; SM_FAULT: a simulated fault in the last one, the report is in e. Blocks that
 * ended are added to *ended. A cycle is ticked at most once; the SM accounts for those slept through as if each had been. */
#define SM_FAULT UINT64_C(0)
uint64_t sm_run(struct sm *s, uint64_t from, uint64_t until, uint32_t *ended, struct err *e);
uint64_t sm_ticked(const struct sm *s); /* the last cycle in which it was */
uint64_t sm_next(struct sm *s); /* what sm_run returned last, or when a block that came since is to begin */
/* Counts the cycles before now that it has slept through; makes no difference to the totals. */
void sm_account(struct sm *s, uint64_t now);
void sm_get_stats(const struct sm *s, struct sm_stats *out, struct mech_stats *mech);
uint64_t sm_exited(const struct sm *s); /* threads whose exit is committed */
/* What every waiting thread waits for, and the mechanism's tables: for the watchdog. */
void sm_describe(const struct sm *s, struct sb *out);
struct mech *sm_mech(struct sm *s);
/* Architectural warp slots, and the warp in one (NULL: no block there). */
uint32_t sm_warps(const struct sm *s);
struct exec_warp *sm_warp(const struct sm *s, uint32_t slot);
/* Where every thread goes on that is not blocked: pc[slot * EXEC_LANES + lane], IR_NOPC where there is none. */
void sm_places(const struct sm *s, uint32_t *pc);
/* Lanes of the warp in a slot that have issued since sm_forget. */
uint32_t sm_ran(const struct sm *s, uint32_t slot);
/* Lanes of the warp that have an instruction, an operand or a fetch under way, or that a clock of the mechanism will let go on. */
uint32_t sm_under_way(const struct sm *s, uint32_t slot);
void sm_forget(struct sm *s);
/* Cycles in which each thread of a full SM would have had the slowest unit once, of those an instruction of these classes
 * (one bit each) uses. */
uint64_t sm_turn(const struct sm *s, uint32_t classes);
/* For sm_describe: these lanes go round a loop that only another thread can end. */
void sm_loops(struct sm *s, uint32_t slot, uint32_t lanes);

#endif
