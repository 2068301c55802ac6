/* The state of a grid, its blocks and warps, and the step: one instruction for some lanes of one warp.
 *
 * Who owns what. A scheduler (the functional engine, or a timed machine with any divergence mechanism) owns
 * the PC of every thread and decides which lanes run together. Everything else a thread has is here:
 * registers, call stack, frame, local memory, whether it has exited, and what it waits for. A step leaves its
 * outcome in struct exec_out; the scheduler moves the PCs accordingly:
 *   flow NEXT    every lane goes to pc + 1
 *   flow JUMP    lanes of `taken` go to `target`, of `exited` are gone, of `waiting` are blocked, the rest go to
 *                pc + 1
 *   flow EACH    the same, but lanes of `taken` go to pc[lane] each
 *   flow FAULT   nothing more may run; exec_fault_error turns it into words
 * A blocked lane (block barrier, warp synchronisation) keeps the PC of the instruction it waits at in wait_pc.
 * When what it waits for happens its bit moves from warp->blocked to warp->released; the scheduler takes
 * released lanes back at wait_pc + 1 and clears them. A lane that completes a barrier at once is never blocked.
 *
 * The call depth of a lane is warp->depth[lane]. Lanes of one step may have different depths. */
#ifndef HEDDLE_EXEC_WARP_H
#define HEDDLE_EXEC_WARP_H

#include "base/err.h"
#include "base/pages.h"
#include "exec/ctx.h"
#include "exec/exec.h"

/* Windows of the generic address space, all below 4 GiB so that 32-bit modules have them too. An address in
 * an explicit space (shared, local, const, param) is the offset in its window; a global address is the
 * generic one. */
enum {
    EXEC_NULL_BYTES = 0x10000, /* below: a null pointer with an offset */
    EXEC_WIN_SHARED = 0x01000000,
    EXEC_WIN_LOCAL = 0x02000000,
    EXEC_WIN_CONST = 0x0a000000,
    EXEC_WIN_PARAM = 0x0e000000,
    EXEC_WIN_FUNC = 0x0f000000, /* function f is at EXEC_WIN_FUNC + 16 f; never readable */
    EXEC_WIN_HEAP = 0x10000000,
    EXEC_MAX_SHARED = EXEC_WIN_LOCAL - EXEC_WIN_SHARED,
    EXEC_MAX_LOCAL = EXEC_WIN_CONST - EXEC_WIN_LOCAL,
    EXEC_MAX_CONST = EXEC_WIN_PARAM - EXEC_WIN_CONST,
    EXEC_MAX_PARAM = EXEC_WIN_FUNC - EXEC_WIN_PARAM,
    EXEC_MAX_FUNCS = (EXEC_WIN_HEAP - EXEC_WIN_FUNC) / 16,
    EXEC_MAX_THREADS = 1024,
    EXEC_BARRIERS = 16,
    EXEC_HITS = 64,
    EXEC_CLUSTER = EXEC_BARRIERS /* in bar_id: the barrier of the cluster */
};

/* Behind the last address that memory may be given. */
#define EXEC_MEM_END (UINT64_C(1) << 63)

/* Where each space begins among generic addresses. */
static inline uint64_t exec_window(enum ir_space space) {
    switch (space) {
    case IR_SP_SHARED: return EXEC_WIN_SHARED;
    case IR_SP_LOCAL:
    case IR_SP_FRAME: return EXEC_WIN_LOCAL;
    case IR_SP_CONST: return EXEC_WIN_CONST;
    case IR_SP_PARAM: return EXEC_WIN_PARAM;
    default: return 0;
    }
}

/* The one decoder: the space that an access of an instruction with this space goes to, never GENERIC, and in *addr the
 * address within it. Outside the windows everything is global, a null pointer and functions too. A constant address
 * beyond the bank is a buffer's: OpenCL compilers read a __constant pointer parameter with ld.const, and what the host
 * can pass there is device memory. */
static inline enum ir_space exec_decode(enum ir_space space, uint64_t *addr) {
    const uint64_t a = *addr;
    if (space == IR_SP_CONST) return a >= EXEC_WIN_HEAP ? IR_SP_GLOBAL : IR_SP_CONST;
    if (space != IR_SP_GENERIC) return space;
    if (a < EXEC_WIN_SHARED || a >= EXEC_WIN_FUNC) return IR_SP_GLOBAL;
    const enum ir_space in = a >= EXEC_WIN_PARAM   ? IR_SP_PARAM
                             : a >= EXEC_WIN_CONST ? IR_SP_CONST
                             : a >= EXEC_WIN_LOCAL ? IR_SP_LOCAL
                                                   : IR_SP_SHARED;
    *addr = a - exec_window(in);
    return in;
}

/* What went wrong, for which lane. kinds BOUNDS to READONLY describe an access; the others have their words
 * in grid->note. */
struct exec_fault {
    enum exec_fault_kind kind;
    uint32_t lane, pc;
    uint32_t bytes;
    enum ir_space space; /* as the instruction says, or which window a generic address is in */
    bool store;
    uint64_t addr; /* in that space */
};

enum exec_flow { EXEC_NEXT, EXEC_JUMP, EXEC_EACH, EXEC_FAULT };

struct exec_out {
    enum exec_flow flow;
    uint32_t taken, exited, waiting, target;
    bool woke; /* lanes of this block (any warp) were released */
    struct {   /* the access of the last memory instruction, for a coalescer; mask 0: none */
        uint32_t mask, bytes;
        /* the space that the instruction names; exec_decode finds where an address goes */
        enum ir_space space;
        enum ir_space found; /* the space to which all addresses went, if that is known; else GENERIC */
        bool store;
        uint64_t addr[EXEC_LANES];
    } access;
    uint32_t pc[EXEC_LANES];   /* flow EACH */
    uint8_t phase[EXEC_LANES]; /* MBAR: that it acted on; MBAR_WAIT that succeeds: the one that is over */
    struct exec_fault fault;
};

struct exec_frame { /* what a return needs */
    uint32_t ret;   /* PC to go on at */
    uint32_t ext;   /* the call's words */
    uint32_t func;  /* the function called */
    uint32_t base;  /* the caller's frame */
    uint32_t saved; /* height of the hidden stack before the call */
};

struct exec_stack { /* of one thread; grows, and is kept for the next block unless it is large */
    struct exec_frame *frame;
    uint32_t cap;
    uint32_t nsaved, saved_cap; /* hidden stack: the rows of recursive functions, bytes */
    uint8_t *saved;
};

struct exec_warp {
    _Alignas(64) struct exec_ctx x; /* one cache line, and what is asked of a warp most often in the next */
    struct exec_block *block;
    uint32_t index;             /* in the block */
    uint32_t live;              /* lanes that exist and have not exited */
    uint32_t blocked, released; /* see above */
    uint8_t nlive;              /* how many live are */
    bool spun;   /* did something a thread does that waits for another: the scheduler clears it */
    bool called; /* a thread of the block has */
    uint32_t depth[EXEC_LANES]; /* calls it is inside of */
    uint32_t frame[EXEC_LANES]; /* local address of its frame */
    uint32_t sp[EXEC_LANES];    /* end of its frame: local memory is valid below */
    uint32_t wait_pc[EXEC_LANES];
    const uint32_t (*tid)[EXEC_LANES]; /* [3]; the grid's */
    uint8_t *local;                    /* lane l's local memory begins at l * local_stride */
    uint32_t local_cap, local_stride;
    uint32_t local_low; /* machine code: where the lowest store to a lane's stack was since the warp began */
    uint32_t bar_wait;  /* lanes blocked at a block barrier; the other blocked lanes wait for their warp */
    uint8_t bar_id[EXEC_LANES];
    uint32_t arrives; /* lanes that have executed bar.arrive */
    /* by lane: incomplete barriers at which it has arrived so, one bit each */
    uint16_t arrived[EXEC_LANES];
    uint32_t cluster[2]; /* lanes that have arrived at the cluster's barrier; [1]: whose phase is over */
    uint32_t carry;
    uint32_t cp_group[2][EXEC_LANES]; /* groups of asynchronous copies committed, [1] of bulk copies */
    struct {                          /* what lanes bring to a warp-wide operation */
        uint64_t value[EXEC_LANES];
        uint32_t member[EXEC_LANES];
    } xchg;
    struct exec_stack stack[EXEC_LANES];
    void *regs; /* the one allocation behind x.r32, x.r64, x.pred */
};

struct exec_barrier {
    uint32_t arrived; /* threads */
    uint32_t left;    /* those of them that have exited since, after bar.arrive */
    uint32_t count;   /* threads it waits for; 0: all of the block */
    uint32_t warps;   /* that have a thread in it, one bit each */
    uint32_t popc;    /* bar.red: predicates that were true, and how many there were */
    uint32_t npred;
    bool only; /* some of the threads only arrive */
};

struct races_block;
struct exec_deferred;

struct exec_block {
    struct exec_grid *grid;
    struct races_block *races; /* of a launch that is watched for races, or NULL */
    uint64_t index;
    uint32_t ctaid[3];
    uint32_t sm;      /* it is on; 0 in functional runs */
    uint32_t live;    /* threads that have not exited */
    uint32_t blocked; /* threads whose bit is set in their warp's blocked */
    uint32_t nwarps;
    struct exec_warp *warps;
    uint8_t *shared;
    struct exec_barrier bar[EXEC_BARRIERS];
    void *tapes; /* of a launch that is recorded or replayed, or NULL */
};

struct exec_grid {
    struct exec_image *image;
    exec_fn *const *fn; /* of each operation: the image's, or those that look for races or handle tapes */
    struct exec_races *races; /* NULL: no race check */
    /* `races` while an instruction runs that may set threads free, else NULL. */
    struct exec_races *races_released;
    const struct ir_module *module;
    const struct ir_func *func;
    const struct exec_launch *launch;
    struct exec_failure *failure; /* the launch's, or of who tells it which of several came first */
    struct exec_mem *mem;
    uint32_t hit[EXEC_HITS]; /* the allocation that accesses of an instruction were in last */
    /* The log to which accesses of global memory are deferred (exec/deferred/deferred.h). NULL: they execute at once. */
    struct exec_deferred *deferred;
    /* Memory that lives as long as the grid: its blocks and the SMs or engine that run them. */
    struct pages *pages;
    uint32_t threads;        /* of a block */
    uint64_t blocks;         /* of the grid */
    uint32_t shared_bytes;   /* static and dynamic */
    uint32_t registers;      /* registers of a thread, for residency; 0: those that are counted */
    uint32_t registers_most; /* the most registers that a counted thread may have; 0: no bound */
    uint32_t stack_limit;
    uint64_t heap_limit;
    uint32_t (*tid)[3][EXEC_LANES]; /* of the threads of each warp of a block */
    uint8_t *params;
    uint32_t *k32; /* constant rows of this launch: the image's, unless .shared addresses are among them */
    uint64_t *k64;
    bool own_constants;
    uint64_t insts;     /* thread instructions executed so far */
    uint64_t most;      /* thread instructions that the launch may execute */
    uint64_t clock;     /* warp instructions (or cycles) before the one at run_start */
    uint32_t run_start; /* PC since which clock was not advanced */
    uint64_t barriers;  /* completed */
    bool lists_calls; /* functions that are called are written down in the image: for the functional engine */
    struct exec_out out;
    struct sb note;
};

/* Lanes whose threads neither have exited nor wait for others. */
static inline uint32_t exec_can_run(const struct exec_warp *w) {
    return w->live & ~w->blocked;
}

/* Threads of the grid; the largest grids have more than 64 bits count, and then it is the most they do. */
static inline uint64_t exec_grid_threads(const struct exec_grid *g) {
    uint64_t all;
    return __builtin_mul_overflow(g->blocks, g->threads, &all) ? UINT64_MAX : all;
}

/* Checks the launch (dimensions, limits, the kernel itself) and prepares what its blocks share. */
bool exec_grid_init(struct exec_grid *g, const struct exec_launch *l, struct err *e);
void exec_grid_free(struct exec_grid *g);

/* A block's storage, to be used for one block after another; its address must not change. Most of it is the grid's, and goes
 * with it. */
bool exec_block_alloc(struct exec_block *b, struct exec_grid *g, struct err *e);
void exec_block_start(struct exec_block *b, uint64_t index); /* all threads at func->entry, depth 0 */
void exec_block_end(struct exec_block *b); /* its threads have exited: what few blocks need goes back */
void exec_block_free(struct exec_block *b);
/* Where the row of a register begins in warp->regs, in bytes. */
uint32_t exec_row_at(const struct ir_func *f, ir_opnd o);
/* Host memory one block occupies, near enough to bound how many are kept. */
uint64_t exec_block_bytes(const struct exec_grid *g);

/* Executes the instruction at pc for the lanes of mask (live, not blocked, not 0); the guard is looked at
 * here. */
void exec_step(struct exec_warp *w, uint32_t pc, uint32_t mask);
/* Schedulers that run several instructions in a row call grid->fn themselves. They set out->flow to EXEC_NEXT and run_start
 * before, look at guards, and stop when flow is no longer NEXT. */
static inline uint32_t exec_guard(const struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    uint32_t p = x->pred[i->guard & IR_GUARD_INDEX];
    return mask & (i->guard & IR_GUARD_NEG ? ~p : p);
}

/* Returns those of the lanes for which the instruction accesses memory, if it loads or stores by an address in a
 * register. Its addresses, in the instruction's space, go to addr, and the bytes of each lane to *bytes. The registers
 * it needs must be there. Returns 0 for other instructions, or if a tape says where they access. */
uint32_t exec_where(const struct exec_warp *w, const struct ir_insn *i, uint32_t mask, uint64_t *addr,
                    uint32_t *bytes);
/* Tells the launch's `failure` what went wrong, at an instruction of a thread, or of none in particular: w NULL. */
void exec_failed(const struct exec_grid *g, enum exec_fault_kind kind, const struct exec_warp *w,
                 uint32_t lane, uint32_t pc);
/* The report of out->fault of a warp: kernel, block, thread, lines, call stack, address, allocation. Returns
 * false. */
bool exec_fault_error(const struct exec_warp *w, struct err *e);
/* The launch has executed more than it may: the instruction at pc, for lanes of that warp, was the one. Returns false. */
bool exec_limit_error(const struct exec_warp *w, uint32_t pc, struct err *e);
/* The text of an instruction's line. */
void exec_pc_text(const struct ir_module *m, uint32_t pc, struct sb *out);
/* "file.ptx:12: text of the line [source.cu:7]" */
void exec_describe_pc(const struct ir_module *m, uint32_t pc, struct sb *out);

#endif
