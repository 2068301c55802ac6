/* A log of accesses to global memory that are executed later than they are issued.
 *
 * A timed machine may let one SM run several cycles before another SM runs the same cycles. While exec_grid.deferred is set,
 * loads, stores and atomics still compute their addresses, report their faults and say what they access when they issue. But
 * lanes that access global memory move no data yet: the log records their access. When the logs of all SMs are run in the
 * order of cycle, SM, and time within the SM, the accesses happen as if none had been deferred.
 *
 * The code that set a log must run it, up to the cycle in which a load was issued, before the load's registers may be read or
 * written again (exec_deferred_next). This can be sooner than a cache's latency: a load from a line that is already on its
 * way gets its data when the line comes.
 *
 * Memory of a block or a thread (shared, local, parameters) is always accessed at once, and so is everything that ld.const
 * reads, since the constant cache is faster than the others. A store to a .const variable by its address in global memory, or
 * to a buffer that is also read as constant, is deferred, and ld.const does not see it before the log is run. CUDA and OpenCL
 * forbid both. In a kernel that can read nothing but buffers as constants, nothing is deferred (EXEC_UNDEFERRABLE_CONSTANT). */
#ifndef HEDDLE_EXEC_DEFERRED_DEFERRED_H
#define HEDDLE_EXEC_DEFERRED_DEFERRED_H

#include "exec/warp.h"

struct exec_deferred;
struct exec_deferred *exec_deferred_new(void);
void exec_deferred_free(struct exec_deferred *log);
/* Whether the log holds accesses not run yet, and whether some of them store (atomics do). */
bool exec_deferred_waiting(const struct exec_deferred *log);
bool exec_deferred_stores(const struct exec_deferred *log);
/* The cycle of the first access not run yet, UINT64_MAX if there is none: rows of loads issued from then on are not filled. */
uint64_t exec_deferred_next(const struct exec_deferred *log);
/* Empties the log and keeps its memory. */
void exec_deferred_reset(struct exec_deferred *log);

/* Performs the accesses issued before that cycle, in order; UINT64_MAX: all. An atomic that changes nothing sets its warp's
 * `spun` here. A warp whose block has ended meanwhile keeps its registers: they are another block's. */
void exec_deferred_run(struct exec_deferred *log, uint64_t before);
/* Runs the logs of SMs 0 to n - 1 in the order of cycle and SM. The last accesses run are those of SM `sm` in cycle `cycle`, or
 * those of all SMs in that cycle if sm >= n. */
void exec_deferred_run_all(struct exec_deferred *const *logs, uint32_t n, uint64_t cycle, uint32_t sm);

/* Computes the signature of the lines that a log's accesses touch. exec_deferred_conflict does it for logs that have none yet;
 * host threads may do it before, each for logs of its own. */
void exec_deferred_sign(struct exec_deferred *log);
/* True if one log may store what another one loads or stores. If not, the logs may be run in any order and in parallel. */
bool exec_deferred_conflict(struct exec_deferred *const *logs, uint32_t n);

/* The reasons why the accesses of a kernel cannot be deferred: it has instructions that read or write global memory when
 * they issue, or that read registers which a deferred load may not have filled yet. */
#define EXEC_UNDEFERRABLES(REASON)                                                                         \
    REASON(NONE, "")                                                                                       \
    REASON(SYSTEM, "it calls printf, malloc, free or assert")                                              \
    REASON(COPY, "it copies asynchronously")                                                               \
    REASON(TEXTURE, "it reads textures and stores to memory that may be theirs")                           \
    REASON(CONSTANT, "it reads buffers as constants and stores to memory that may be theirs")              \
    REASON(SURFACE, "it accesses surfaces")                                                                \
    REASON(MATRIX, "it loads or stores matrices by addresses that are not known to be in shared memory")   \
    REASON(RECURSION, "it may call a function recursively, which saves registers that loads are to reach") \
    REASON(RESERVE, "it loads with reservations")                                                          \
    REASON(RACES, "it is watched for races")
enum exec_undeferrable {
#define REASON(id, text) EXEC_UNDEFERRABLE_##id,
    EXEC_UNDEFERRABLES(REASON)
#undef REASON
        EXEC_UNDEFERRABLE_KINDS
};
extern const char *const exec_undeferrable_text[EXEC_UNDEFERRABLE_KINDS];

/* Properties of the grid's kernel and of all functions that it may call. */
struct exec_reach {
    /* The first reason that some instruction gives; EXEC_UNDEFERRABLE_NONE: none does. */
    enum exec_undeferrable why;
    /* The kernel has atomics on global memory. Whether one changed memory is known only when it runs, so a scheduler that
     * reads exec_warp.spun would learn it late. */
    bool has_global_atomics;
    bool textures, constants; /* it reads textures; memory that may be constant */
    uint32_t *func, nfuncs;   /* the functions it may call, itself first; incomplete if there is a reason */
};
void exec_reach(const struct exec_grid *g, struct exec_reach *x);
void exec_reach_free(struct exec_reach *x);

#endif
