/* Accesses of global memory that are executed later than they are issued.
 *
 * A timed machine may let one SM run some cycles before another one runs the same cycles. While exec_grid.log is set, loads,
 * stores and atomics still find their bytes, report their faults and say what they access when they are issued, but those
 * of their lanes that are in global memory move no data: the log takes them down. Run in the order of cycle, SM, and time
 * within the SM, the accesses of all SMs happen as if none had been put off.
 *
 * Whoever set the log runs it, up to the cycle in which a load was issued, before its rows are free to be read or written
 * again (exec_log_next). That may be sooner than a cache's latency: a load of a line that is on its way has its data when
 * the line comes.
 *
 * Memory of a block or a thread (shared, local, parameters) is accessed at once, as ever, and so is whatever ld.const reads:
 * the constant cache is faster than the others. A store to a .const variable by its address in global memory, or to a
 * buffer that is also read as constant, is put off like any other, and ld.const does not see it before the log is run. CUDA
 * and OpenCL forbid both; where buffers are all that a kernel can read so, it is not put off at all
 * (EXEC_PROMPT_CONSTANT). */
#ifndef HEDDLE_EXEC_DEFERRED_LOG_H
#define HEDDLE_EXEC_DEFERRED_LOG_H

#include "exec/warp.h"

struct exec_log;
struct exec_log *exec_log_new(void);
void exec_log_free(struct exec_log *log);
/* Accesses not run yet, and whether some of them store (atomics do). */
bool exec_log_waiting(const struct exec_log *log);
bool exec_log_stores(const struct exec_log *log);
/* The cycle of the first access not run yet, UINT64_MAX if there is none: rows of loads issued from then on are not filled. */
uint64_t exec_log_next(const struct exec_log *log);
/* Forgets everything, run or not; the memory stays. */
void exec_log_reset(struct exec_log *log);

/* Performs the accesses issued before that cycle, in order; UINT64_MAX: all. An atomic that changes nothing sets its warp's
 * `spun` here. A warp whose block has ended meanwhile keeps its registers: they are another block's. */
void exec_log_run(struct exec_log *log, uint64_t before);
/* The same for the logs of SMs 0 to n - 1, in the order of cycle and SM, up to and with those of SM `sm` in cycle `cycle`.
 * UINT64_MAX, or any sm from n on: all of that cycle. */
void exec_logs_run(struct exec_log *const *logs, uint32_t n, uint64_t cycle, uint32_t sm);

/* Writes down which lines a log's accesses touch. exec_logs_conflict does it for those of which it is not known yet;
 * threads that each have a log may do it before, each for its own. */
void exec_log_sign(struct exec_log *log);
/* May one log store what another one loads or stores? If not they can be run in any order, and at the same time. */
bool exec_logs_conflict(struct exec_log *const *logs, uint32_t n);

/* What keeps the accesses of a kernel from being put off: instructions that read or write global memory when they are
 * issued, or registers that a load may not have reached yet. */
#define EXEC_PROMPTS(PROMPT)                                                                               \
    PROMPT(NONE, "")                                                                                       \
    PROMPT(SYSTEM, "it calls printf, malloc, free or assert")                                              \
    PROMPT(COPY, "it copies asynchronously")                                                               \
    PROMPT(TEXTURE, "it reads textures and stores to memory that may be theirs")                           \
    PROMPT(CONSTANT, "it reads buffers as constants and stores to memory that may be theirs")              \
    PROMPT(SURFACE, "it accesses surfaces")                                                                \
    PROMPT(MATRIX, "it loads or stores matrices by addresses that are not known to be in shared memory")   \
    PROMPT(RECURSION, "it may call a function recursively, which saves registers that loads are to reach") \
    PROMPT(RESERVE, "it loads with reservations")                                                          \
    PROMPT(RACES, "it is watched for races")
enum exec_prompt {
#define PROMPT(id, text) EXEC_PROMPT_##id,
    EXEC_PROMPTS(PROMPT)
#undef PROMPT
        EXEC_PROMPT_KINDS
};
extern const char *const exec_prompt_text[EXEC_PROMPT_KINDS];

/* What the grid's kernel, with all it may call, does. */
struct exec_reach {
    enum exec_prompt why; /* the first reason that some instruction gives; EXEC_PROMPT_NONE: none does */
    bool
        tells; /* it has atomics on global memory, of which only the run says whether they changed anything: a
                             scheduler that asks for exec_warp.spun would hear of them late */
    bool textures, constants; /* it reads textures; memory that may be constant */
    uint32_t *func, nfuncs;   /* what it may call, itself first; incomplete if there is a reason */
};
void exec_reach(const struct exec_grid *g, struct exec_reach *x);
void exec_reach_free(struct exec_reach *x);

#endif
