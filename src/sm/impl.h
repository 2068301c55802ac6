/* Private to src/sm: the body of an SM, and how an instruction travels through it.
 *
 * select -> execute (functional, at issue) -> an op -> commit. An op is one split's instruction from issue until its
 * threads' next PCs have been handed to the mechanism and its data is back. Memory instructions of a packet make one
 * entry of the load/store unit: a list of requests (a cache line, a shared-memory access, a parameter read), each with
 * the threads it serves. All of these come from pools sized when the SM is made. */
#ifndef HEDDLE_SM_IMPL_H
#define HEDDLE_SM_IMPL_H

#include "base/alloc.h"
#include "base/bits.h"
#include "base/heap.h"
#include "base/queue.h"
#include "mech/lib/order_body.h"
#include "mem/lanes.h"
#include "sm/local.h"
#include "sm/sm.h"

#define SM_NONE    0xffffffffu /* no node, op, request, entry */
#define SM_EXITED  0xfffffffeu /* in sm_node.pc: no next PC, the threads are gone */
#define SM_BLOCKED 0xfffffffdu /* they wait at a barrier or a .sync instruction */
#define SM_MARKED  0xfffffffcu /* they go to the next PC, and the mark they come from is for them */

#define SM_CONST_SEGMENT (UINT64_C(1) << 46) /* where constants lie for the caches */

enum {
    SM_LANES = EXEC_LANES,
    SM_HOME_WORDS = MECH_WIDEST / SM_LANES,
    SM_MOST_BANKS = 32,          /* banks that operand rows may be spread over, at most */
    SM_TURN = 1000,              /* parts of a cycle in which the cost of a bank conflict is counted */
    SM_REQUESTS = 4096,          /* requests an SM keeps track of beyond those of one packet */
    SM_PACKET = 8 * MECH_WIDEST, /* most requests of one packet: a 32-byte local access is eight words */
    SM_HOST_LINE = 64,           /* bytes of a cache line of the host */
    /* Lines of the host's cache in which an instruction's operands are expected, at most. */
    SM_ROW_LINES = 12,
    SM_FEW_LINES = 6,     /* how many of these lines are fetched without counting them */
    SM_WORD = LOCAL_WORD, /* bytes: an access of local memory is cut into them */
    SM_INSN_BYTES = 8,    /* bytes of an instruction in memory, for the instruction cache */
    SM_UNITS = 32,        /* room for one unit per class, a power of two */
    SM_FEW_SCORES = 8,    /* entries up to which a warp's list is not searched for entries that are done */
    /* Results under way with which a warp is held back: a packet may add one per lane to them. */
    SM_SCORES = 64,
    SM_FIRST_SCORES = 8 /* room for entries at first, which is what most warps ever have */
};

/* An instruction as the SM sees it. Rows (registers, predicates, the carry flag) are a bit each: an instruction waits for
 * another only if they have a bit in common. Where a kernel has too many rows for that, bits are shared, and a common one
 * only says that it may have to (code.c). */
struct sm_code {
    _Alignas(SM_HOST_LINE) uint64_t used; /* rows that the instruction reads or writes */
    uint64_t written;                     /* rows that it writes */
    exec_fn *fn;                          /* the executor of the operation */
    uint32_t result;      /* cycles from its start until it writes back, if its beats are over by then */
    uint32_t busy;        /* cycles that a warp's instruction keeps its unit */
    uint32_t line;        /* line of code, for the instruction cache */
    uint16_t slots;       /* slots taken of the scheduler's issue port: 1, or those of a sequence */
    uint8_t cls;          /* enum ir_class */
    uint8_t unit;         /* enum ir_class: the class whose unit runs it, mostly cls */
    uint8_t depth_change; /* as in mech_outcome */
    uint8_t steps;        /* steps of its unit: a matrix multiplication has several */
    uint8_t turns;        /* turns beyond the first for reading operands, because of bank conflicts */
    /* No thread's next PC depends on it: under scoreboard it commits at issue, unless a thread waits at a barrier. */
    bool early;
    bool moves; /* it is no call, return or mark, so its outcome is only where its threads go */
    /* It does arithmetic: no access, fault, wait or jump. It belongs to the program and was not added by a form. */
    bool simple;
    bool plain; /* it is any instruction of the program that async.c does not handle */
    bool known; /* the other fields are filled in */
    /* It is a branch, an access or simple: if all threads go on, none of them starts or stops waiting, or exits. */
    bool stays;
    uint8_t nlines;
    /* The lines of the host's cache, within the warp's registers, that it will touch: bytes from the first register. */
    uint32_t lines[SM_ROW_LINES];
};
_Static_assert(sizeof(struct sm_code) == 2 * SM_HOST_LINE, "what to fetch ahead is all of the second line");
_Static_assert((uint32_t)IR_NCLASSES <= SM_UNITS, "each class has a unit");
_Static_assert((int)SM_FIRST_SCORES >= (int)SM_FEW_SCORES, "a short list has room");

/* Threads of one warp, in a list that belongs to an op or to a request. */
struct sm_node {
    union {
        uint32_t pc; /* in a list of an op: where the threads go, or SM_EXITED, SM_BLOCKED, SM_MARKED */
        uint32_t op; /* in a list of a request: the op of the threads */
    };
    uint32_t warp, mask, next;
};

struct sm_op {
    /* NULL: the op is committed, but data is still under way. */
    _Alignas(SM_HOST_LINE) struct mech_split *split;
    uint32_t pc, sched;
    uint32_t place; /* place in the account, if there is one */
    uint32_t sides; /* list of nodes: where the threads go; SM_NONE: all go to `to` */
    /* List of nodes: threads of other splits that the op set free; pc is where they go on. */
    uint32_t freed;
    uint32_t unanswered; /* requests without an answer yet */
    uint32_t next;       /* free list */
    uint32_t async;      /* the op's record in async.c, or 0 */
    uint64_t ready;      /* first cycle in which it may write back */
    uint64_t issued;
    uint32_t to; /* where all its threads go, if they stay together */
    bool memory; /* the op has requests */
    bool lines;  /* some requests go to the memory system */
    /* A thread is served by more than one request of the op, or (because of a guard or a texture border) by none. */
    bool overlap;
    bool held; /* the op waits for requests of other ops (async.c) */
};
_Static_assert(sizeof(struct sm_op) == SM_HOST_LINE, "an op is one line of the host's cache");

/* An asynchronous operation under way, or a thread that waits for one (async.c). */
struct sm_async {
    uint8_t kind, phase;
    bool bulk;
    uint32_t warp, mask, group; /* copies: their threads and the group of the kind they are in */
    uint32_t bar;     /* shared address of the mbarrier that the copy counts for, in `phase`; SM_NONE: none */
    uint32_t left;    /* copies that this record waits for */
    uint32_t of_op;   /* for a copy the next record of its op; for a sleeper its op */
    uint32_t request; /* for a sleeper: the request that ends its sleep */
    uint32_t links;   /* list of records and ops that wait for this one */
    uint32_t block, next; /* the block whose list it is in; SM_NONE: the block has ended */
};
struct sm_link {
    uint32_t waiter, next; /* waiter: an op or a record */
};

/* The kinds of requests; the first are those of enum mem_path. */
enum { SM_SHARED = MEM_NPATHS, SM_PARAM, SM_FETCH };
struct sm_request {
    union {
        struct mem_request ask; /* what memory is asked for: a line or sector */
        struct {
            union {
                uint64_t addr;
                uint32_t held; /* SM_SHARED: cycles for which the unit is held */
                struct {
                    uint32_t split, line; /* the split, and the line of code */
                } fetch;                  /* SM_FETCH */
            };
            uint32_t bytes;
            uint8_t path, kind; /* as in ask */
            uint16_t group;     /* group of the packet's lanes that the request is for */
        };
    };
    uint32_t nodes, next; /* nodes: list of the threads that the request serves */
    uint32_t threads;     /* number of these threads, for a line */
};
_Static_assert(offsetof(struct sm_request, path) == offsetof(struct mem_request, path) &&
                   offsetof(struct sm_request, kind) == offsetof(struct mem_request, kind) &&
                   offsetof(struct sm_request, group) >= offsetof(struct mem_request, kind) + 1,
               "a request is what memory is asked");

struct sm_entry {         /* an entry of the load/store unit: the memory instructions of one packet */
    uint32_t first, last; /* requests; first is SM_NONE when there are none */
    uint32_t next;
    uint64_t arrival; /* cycle in which it reaches the memory stage */
};

struct sm_score {     /* registers of some lanes that have not been written yet */
    uint64_t ready;   /* SM_NEVER: they wait for a load */
    uint64_t written; /* signature of the rows */
    uint32_t mask, pc, op;
};

struct sm_warp {
    _Alignas(SM_HOST_LINE) struct exec_warp *w; /* NULL: no block in this slot */
    const uint8_t *regs;                        /* the registers of w */
    uint32_t block;
    uint32_t waiting; /* lanes that wait and whose wait has been committed */
    uint32_t due;     /* lanes to be released as soon as their wait is committed */
    uint32_t ran;     /* lanes that issued since the watchdog looked last */
    uint32_t loops;   /* lanes that the watchdog found in a loop */
    uint32_t spin;    /* lanes whose last instruction was one of a thread that waits */
    uint64_t rows;    /* rows written by any entry of score; it may have rows of entries that are done */
    uint16_t nscore;
    uint8_t score_cap;      /* room in score: grows up to SM_SCORES + SM_LANES; 0 under issue = barrel */
    uint8_t absent;         /* number of lanes that never had a thread */
    uint32_t exist;         /* lanes that have a thread, exited ones included */
    struct sm_score *score; /* nscore entries */
};

struct sm_block {
    _Alignas(SM_HOST_LINE) uint64_t begun;
    uint32_t threads; /* threads whose exit has not been committed; 0: the slot is free */
    bool allocated;
    struct exec_block b; /* its counters are in the same line */
    uint32_t asyncs;     /* list of its records in async.c; 0: none */
};
_Static_assert(offsetof(struct sm_block, b.blocked) < SM_HOST_LINE, "a census reads a line of each block");

struct sm_sched {
    _Alignas(SM_HOST_LINE) uint64_t port; /* cycle from which it may issue */
    /* First cycle that is not in the statistics yet; all from it on are in the scheduler's present class. */
    uint64_t counted;
    uint32_t loads;    /* ops that wait for the memory system */
    uint32_t turns;    /* cost of bank conflicts beyond whole cycles, in parts of SM_TURN */
    uint32_t returned; /* sm.writeback: threads from memory that write back in cycle return_at */
    uint64_t return_at;
    struct queue pipe; /* memory instructions between issue and the memory stage */
    bool stalled;      /* it stalled in the last tick */
};

/* An event names an op, or a request with the top bit set. Near ones lie in a wheel of lists, by cycle, chained by the
 * next of what they name; far ones in a heap, ordered by cycle, then age. */
#define SM_EVENT_REQUEST 0x80000000u
struct sm_slot {
    uint32_t first, last;
};

struct sm_fetched { /* the line of code that a split has fetched */
    uint32_t line;
    uint64_t ready; /* SM_NEVER: it has been asked for */
};

struct sm_ahead { /* lines of code to be prefetched */
    uint32_t line, left;
    uint64_t from; /* cycle */
};

/* Lanes of one warp that take one memory path. Their addresses follow one another in the gather buffer, lowest lane
 * first. */
struct sm_part {
    uint32_t warp, mask, first;
    uint16_t path;
    /* Number of the group that memory takes together: a beat of the packet, or a part of the warp; else 0. */
    uint16_t group;
};

struct sm_gather {  /* the memory instructions of the packet that is being issued */
    uint32_t entry; /* its entry in the load/store unit; SM_NONE: none yet */
    /* The request to shared memory of the packet, or of the beat if it goes by beats; SM_NONE: none yet. */
    uint32_t shared;
    uint32_t group;     /* the group being gathered or built */
    uint32_t paths;     /* memory paths that the current op takes, one bit each */
    uint32_t nparts, n; /* parts of the current op, and addresses of all its parts */
    uint32_t bytes, lanes;
    uint32_t nshared, shared_bytes; /* totals of all ops, or of the beat */
    bool shared_atomic, words;
    bool plain;          /* the op has one piece, and its addresses are still where its step left them */
    uint32_t plain_warp; /* the warp of that piece */
    struct sm_part part[SM_PACKET];
    uint64_t addr[SM_PACKET];
    /* Addresses of one path; addresses of all ops in shared memory. */
    uint64_t path_addr[MECH_WIDEST], shared_addr[MECH_WIDEST];
    uint16_t shared_group[MECH_WIDEST]; /* group of each address in shared memory */
    struct mem_served served[MEM_LANES];
    struct mem_line line[2 * MECH_WIDEST];
    uint32_t mask[2 * MECH_WIDEST]; /* lanes of one part, by line */
    uint32_t request[2 * MECH_WIDEST];
};

/* The place of a machine warp's threads: slot and lane of the first one, and the number of slots. */
struct sm_home {
    uint32_t warp, shift, words;
};

/* Scratch memory that all SMs of a launch share. Only what is indexed by PC outlives the issue or commit it is used in.
 * One copy stays in the host's caches, where one for each SM would not. */
struct sm_common {
    struct sm_code *code;     /* by PC; between launches no element is known */
    struct sm_branch *branch; /* by PC; between launches all elements are 0 */
    size_t cap;               /* elements of both */
    void *code_memory;
    VEC(uint32_t) met; /* PCs whose code is known */
    struct mech_packet packet;
    struct mech_outcome outcome;        /* the outcome being committed */
    struct mech_side sides[MECH_SIDES]; /* its sides */
    struct mech_set freed, ready;
    struct sm_gather gather;
};

/* Numbers of threads by what they wait for, as in the statistics idle.*. */
struct sm_census {
    uint32_t dependency, barrier, inactive_path, reconvergence;
};

/* The state of an SM. Fields that every tick reads come first and lie together. */
struct sm {
    struct sm_common *common;
    struct sm_warp *warps;
    /* By warp: the last cycle in which one of its `spin` lanes issued as a waiting thread does. */
    uint64_t *spun_at;
    struct sm_sched *sched;
    /* By scheduler and unit: the cycle from which the unit takes an instruction. */
    uint64_t (*unit)[SM_UNITS];
    struct mech *mech;
    struct order *order; /* the mechanism's */
    /* The mechanism's: first cycle in which its order may have a split, by scheduler. */
    const uint64_t *wakes;
    struct sm_charge *charge; /* charge.c; NULL: there is no account */
    struct sm_apart *apart;   /* apart.c; NULL: there is no account */
    struct sm_paths *paths;   /* paths.c; NULL: there is no account */
    struct sm_waits *waits;   /* waits.c; NULL: there is no account */
    uint64_t now;
    /* First cycle that is not in stats.sm.cycles yet (only cycles with a resident block are). */
    uint64_t counted;
    uint64_t busy_until;   /* until this cycle a packet holds some scheduler's port */
    uint64_t arrival_tick; /* a block has arrived and needs a tick in this cycle; SM_NEVER: none has */
    uint64_t issue_at;     /* first cycle in which some scheduler may issue, unless order.moved */

    uint32_t schedulers, active; /* active: blocks that run */
    uint32_t refuses;            /* as in mech_ops */
    uint32_t ended;              /* blocks that ended in this tick */
    uint32_t nstalled;           /* schedulers that are stalled */
    bool ticked;                 /* it has been ticked in cycle `now` */
    bool scoreboard;             /* sm.issue = scoreboard */
    bool exact_rows;             /* every row has a bit of its own */
    bool plain_rows;             /* exact_rows, and there is a scoreboard */
    bool shared_fp64;            /* all schedulers share one unit for double precision */
    bool sequences;              /* some operations take more than one slot */
    bool plain_slots;            /* for slots.c: warps have 32 threads, and there is no account */
    bool unobserved;             /* no observer, account or audit looks at single instructions */
    bool fast_issue;             /* simple instructions may take the fast path of issue.c */
    bool order_selects;          /* fast_issue, and the mechanism leaves select to its order */
    bool recheck;                /* the order may use sm_recheck for splits that were ready */
    bool halves;                 /* warps of 32 threads issue in two beats */
    bool census_known, residents_known;
    /* The load/store unit's queue was full when instructions arrived, so some may not have been taken. */
    bool jammed;
    bool stuck; /* memory refuses the request at the head of the queue until it calls the SM */
    struct sm_census census;
    uint64_t waited; /* cycles of that census that are not in the statistics yet */
    struct {
        uint32_t live, blocked;
    } residents;       /* threads of all blocks, valid while residents_known */
    uint32_t beats;    /* cycles for which a packet holds the issue port, unless the packet says otherwise */
    uint32_t coalesce; /* lanes of a warp that are coalesced together; 0: all */
    uint32_t shared_lanes; /* lanes of a warp that access shared memory together; 0: all */
    uint32_t far_serial;   /* number of the next far event */
    struct queue queue;    /* queue of the load/store unit */
    uint32_t lsu_waiting;  /* memory instructions in the queue or on their way to it */
    uint32_t pipes;        /* schedulers with memory instructions on their way to that queue, one bit each */

    uint64_t lsu_busy; /* shared memory is busy until this cycle */
    /* Cycle in which the next instruction on its way to the load/store unit arrives. */
    uint64_t pipe_at;
    struct sm_port *sm_port; /* the SM's side of the memory system */
    const struct mem_calls *calls;
    uint64_t refusals_counted; /* with `stuck`: refusals up to this cycle are counted */
    uint64_t wheel_used;       /* slots of the wheel that hold an event, a bit each */
    uint64_t wheel_at;         /* events before this cycle have been handled */
    uint64_t event_at;         /* cycle of the earliest event, or SM_NEVER */
    struct heap far;           /* events beyond the wheel */
    POOL(struct sm_op) ops;
    POOL(struct sm_node) nodes;
    POOL(struct sm_request) requests;
    POOL(struct sm_entry) entries;
    POOL(struct sm_async) asyncs;
    POOL(struct sm_link) links;
    uint32_t reserve_nodes; /* issue is held back when fewer nodes are left */

    const struct sm_options *o;
    exec_fn *const *fn; /* executor of each operation */
    const struct mem_lanes *lanes;
    struct sm_fetched *fetched; /* by split; NULL: ideal fetch */
    uint64_t *prefetched; /* lines that were prefetched and that no split has reached since, one bit each */
    struct sm_ahead ahead;
    uint32_t prefetch; /* lines to prefetch; 0: none */
    struct sm_env env;
    uint64_t exited; /* threads whose exit is committed */
    struct sm_stats stats;
    struct sm_slot wheel[64];

    uint32_t latency[IR_NCLASSES], interval[IR_NCLASSES];
    uint8_t unit_of[IR_NCLASSES]; /* by class: the class whose unit runs it */
    uint32_t turn_cost; /* cost of an extra turn for a bank conflict, per beat, in cycles / SM_TURN */
    uint32_t line[MEM_NPATHS], sector[MEM_NPATHS], ports[MEM_NPATHS];
    bool one_port; /* no memory path has more than one port */
    /* Shared memory has a power of two of banks, 64 at most, with words of a power of two bytes. */
    bool plain_banks;
    uint32_t file[3]; /* exact_rows: first bit of each register file */

    uint32_t nblocks, block_warps, nwarps; /* slots for blocks; warps of a block; slots for warps */
    struct local_layout local;             /* where the local memory of the resident warps lies */
    struct sm_block *blocks;
    struct err failed; /* a block that could not be allocated: reported by the next tick */
    struct sb event;   /* what the mechanism said since the last issue */
};

static inline const struct ir_insn *sm_insn(const struct sm *s, uint32_t pc) {
    return &s->env.module->code.v[pc];
}

/* code.c */
void code_init(struct sm *s);
void code_read(const struct sm *s, uint32_t pc, struct sm_code *c);
bool code_depends(const struct sm *s, uint32_t pc, uint32_t writer); /* row by row */
static inline const struct sm_code *sm_code(const struct sm *s, uint32_t pc) {
    struct sm_code *c = &s->common->code[pc];
    if (!c->known) code_read(s, pc, c);
    return c;
}
/* The warp will run that instruction soon: the host may fetch its registers. The first few lines without counting
 * them, for three rows of 32 bits is what most instructions touch; those there are not are the first. */
static inline void sm_look_ahead(const struct sm *s, uint32_t warp, const struct sm_code *c) {
    const struct sm_warp *w = &s->warps[warp];
    __builtin_prefetch(w->w);
#pragma GCC unroll 8
    for (uint32_t k = 0; k < SM_FEW_LINES; k++) __builtin_prefetch(w->regs + c->lines[k]);
    for (uint32_t k = SM_FEW_LINES; k < c->nlines; k++) __builtin_prefetch(w->regs + c->lines[k]);
}

/* pool.c: storage. A take never fails: issue is held back while a pool could run out. */
void pool_init(struct sm *s);
void pool_free(struct sm *s);
static inline void op_give(struct sm *s, uint32_t op) {
    s->ops.v[op].split = NULL; /* for those who look through all */
    POOL_GIVE(&s->ops, op);
}
static inline uint32_t node_take(struct sm *s, uint32_t pc_or_op, uint32_t warp, uint32_t mask,
                                 uint32_t next) {
    const uint32_t k = POOL_TAKE_SIZED(&s->nodes);
    s->nodes.v[k] = (struct sm_node){{pc_or_op}, warp, mask, next};
    return k;
}
void nodes_give(struct sm *s, uint32_t first);
/* A request's own node, which is of its number. It counts like any other. */
static inline uint32_t node_own(struct sm *s, uint32_t r, uint32_t op, uint32_t warp, uint32_t mask) {
    s->nodes.pool.left--;
    s->nodes.v[r] = (struct sm_node){{op}, warp, mask, SM_NONE};
    return r;
}
uint32_t request_take(struct sm *s);
static inline void request_give_own(struct sm *s, uint32_t r) { /* its node is its own */
    s->nodes.pool.left++;
    s->requests.v[r].nodes = SM_NONE; /* for those who look through all */
    POOL_GIVE(&s->requests, r);
}
static inline void request_give(struct sm *s, uint32_t r) {
    if (s->requests.v[r].nodes == r) {
        request_give_own(s, r);
        return;
    }
    nodes_give(s, s->requests.v[r].nodes);
    s->requests.v[r].nodes = SM_NONE;
    POOL_GIVE(&s->requests, r);
}
static inline uint32_t entry_take(struct sm *s) {
    const uint32_t e = POOL_TAKE_SIZED(&s->entries);
    s->entries.v[e].first = SM_NONE;
    return e;
}
/* Something for that cycle: first, and what is chained behind it by event_link up to last. */
void event_push(struct sm *s, uint64_t when, uint32_t first, uint32_t last);
/* Earliest cycle in the wheel, which is not empty; the earliest of those beyond it, if it is due. */
static inline uint64_t event_in_wheel(const struct sm *s) {
    const uint32_t turn = (uint32_t)(s->wheel_at % 64);
    const uint64_t from_here = s->wheel_used >> turn | s->wheel_used << (-turn % 64);
    return s->wheel_at + (uint64_t)__builtin_ctzll(from_here);
}
uint32_t event_far(struct sm *s);
/* Events that are due, oldest first, chained by event_link; SM_NONE: none is, and event_at is that of the next. More may be
 * due after them. */
static inline uint32_t event_due(struct sm *s) {
    s->event_at = SM_NEVER;
    if (s->wheel_used) {
        const uint64_t at = s->event_at = event_in_wheel(s);
        if (at <= s->now) {
            s->wheel_used &= ~(UINT64_C(1) << (at % 64));
            s->wheel_at = at;
            return s->wheel[at % 64].first;
        }
    }
    s->wheel_at = s->now;
    return s->far.n ? event_far(s) : SM_NONE;
}
static inline uint32_t *event_link(const struct sm *s, uint32_t what) {
    return what & SM_EVENT_REQUEST ? &s->requests.v[what & ~SM_EVENT_REQUEST].next : &s->ops.v[what].next;
}

/* units.c: what an instruction costs apart from memory. */
void units_init(struct sm *s);
/* Turns that reading its operands takes beyond the first, by bank conflicts. */
uint8_t unit_register_turns(const struct sm *s, const struct ir_insn *i);
/* Issue slots that an operation takes. */
uint16_t unit_slots(const struct sm_options *o, uint32_t op);
/* Steps of its unit that it is: more than one for matrix multiplications. */
uint8_t unit_steps(const struct sm *s, const struct ir_insn *i);
/* Cycles from the start of an instruction of that class until it writes back, if it is issued by then. */
uint32_t unit_result(const struct sm *s, uint8_t cls, uint32_t slots, uint32_t steps);
/* Reserves a unit until it is free. */
static inline void unit_keep(struct sm *s, uint32_t sched, uint32_t unit, uint64_t free) {
    s->unit[sched][unit] = free;
    if (unit == IR_C_FP64 && s->shared_fp64)
        for (uint32_t k = 0; k < s->schedulers; k++) s->unit[k][unit] = free;
}
/* Reserves the unit that runs a class from cycle start on, for so many beats. */
static inline void unit_start(struct sm *s, uint32_t sched, uint32_t unit, uint32_t cls, uint64_t start,
                              uint32_t beats) {
    unit_keep(s, sched, unit, start + (uint64_t)s->interval[cls] * beats);
}

/* score.c: registers under way. */
/* Drops entries that are done; one more fits then. */
void score_room(const struct sm *s, struct sm_warp *w);
/* The rows that the instruction at pc writes for these threads, `written`, are under way until `ready`, or (SM_NEVER)
 * until the op's data is back. */
static inline void score_add(struct sm *s, struct mech_piece p, uint32_t pc, uint64_t written, uint32_t op,
                             uint64_t ready) {
    struct sm_warp *w = &s->warps[p.warp];
    if (!written) return;
    if (w->nscore >= SM_FEW_SCORES) score_room(s, w);
    w->score[w->nscore++] = (struct sm_score){ready, written, p.mask, pc, op};
    w->rows |= written;
}
void score_clear(struct sm *s, uint32_t warp, uint32_t mask, uint32_t op);
void score_clear_op(struct sm *s, uint32_t op);
uint64_t score_first_end(const struct sm_warp *w); /* of any entry: a full list takes another then */
static inline bool score_done(const struct sm_score *e, uint64_t now) {
    return e->ready <= now || !e->mask;
}
/* When those lanes of w may run the instruction at pc, which uses these rows; on the way entries that are done are dropped. */
static inline uint64_t score_piece_when(struct sm *s, struct sm_warp *w, uint32_t mask, uint32_t pc,
                                        uint64_t used) {
    uint64_t when = 0, rows = 0;
    uint32_t n = w->nscore;
    for (uint32_t k = 0; k < n;) {
        const struct sm_score *e = &w->score[k];
        if (score_done(e, s->now)) {
            w->score[k] = w->score[--n];
            continue;
        }
        k++;
        rows |= e->written;
        if (!(e->mask & mask) || !(e->written & used) || e->ready <= when) continue;
        if (s->exact_rows || code_depends(s, pc, e->pc)) when = e->ready;
    }
    w->nscore = (uint16_t)n;
    w->rows = rows;
    return n < SM_SCORES ? when : score_first_end(w);
}
uint64_t score_pieces_when(struct sm *s, const struct mech_split *split, const struct sm_code *c);
/* When these threads may run the instruction at pc, which uses these rows; SM_NEVER: a load must come first. */
static inline uint64_t score_piece(struct sm *s, struct mech_piece p, uint32_t pc, uint64_t used) {
    struct sm_warp *w = &s->warps[p.warp];
    if (!(w->rows & used) && w->nscore < SM_FEW_SCORES) return 0;
    return score_piece_when(s, w, p.mask, pc, used);
}
static inline uint64_t score_when(struct sm *s, const struct mech_split *split, const struct sm_code *c) {
    return split->set.n == 1 ? score_piece(s, split->set.p[0], split->pc, c->used)
                             : score_pieces_when(s, split, c);
}

/* fetch.c: instructions through the instruction cache. */
void fetch_init(struct sm *s);
uint64_t fetch_ask(struct sm *s, const struct mech_split *split, uint32_t line);
/* When the split has its next instruction; asks for it if need be. */
static inline uint64_t fetch_when(struct sm *s, const struct mech_split *split, const struct sm_code *c) {
    const struct sm_fetched *f = &s->fetched[split->id];
    return f->line == c->line ? f->ready : fetch_ask(s, split, c->line);
}
void fetch_arrived(struct sm *s, const struct sm_request *r);
void fetch_ahead(struct sm *s); /* at the end of a tick, while ahead.left */

/* What the mechanism and its order ask: from which cycle on a split may issue its next instruction. */
uint64_t when_any(struct sm *s, const struct mech_split *split); /* sm.c: of any split */
/* Gives what when_any gives, inlined for a split of one piece. */
static inline uint64_t sm_when(void *sm, const struct mech_split *split) {
    struct sm *s = sm;
    const struct sm_code *c = &s->common->code[split->pc];
    if (!c->known || split->set.n != 1 || !s->plain_rows) return when_any(s, split);
    uint64_t when = s->unit[split->sched][c->unit], t;
    if (s->fetched) {
        const struct sm_fetched *f = &s->fetched[split->id];
        if (f->line != c->line) return when_any(s, split);
        if (f->ready > when) when = f->ready;
    }
    t = score_piece(s, split->set.p[0], split->pc, c->used);
    return t > when ? t : when;
}
/* Asks again about a split of one piece whose operands and instruction were there when it was last asked; only its unit
 * can have become busy since. This holds unless its warp is held back for the number of results that it awaits, because
 * no other instruction writes rows of its lanes. */
static inline uint64_t sm_recheck(struct sm *s, const struct mech_split *split) {
    const struct sm_code *c = &s->common->code[split->pc];
    if (!c->known || (s->fetched && s->fetched[split->id].line != c->line)) return when_any(s, split);
    if (s->warps[split->set.p[0].warp].nscore >= SM_FEW_SCORES) return when_any(s, split);
    return s->unit[split->sched][c->unit];
}

/* issue.c */
bool issue_all(struct sm *s, struct err *e);
/* What a packet may take at most must be free before one is selected; three nodes per thread are for outcomes, two ops for
 * an asynchronous copy. */
static inline bool issue_may_run_out(const struct sm *s) {
    return s->ops.pool.left < 2 * MECH_WIDEST || s->requests.pool.left <= SM_PACKET ||
           s->nodes.pool.left < s->reserve_nodes;
}
/* True if no scheduler is held up, and none was in the tick before. */
static inline bool issue_moves(const struct sm *s) {
    return !s->nstalled && !s->jammed && !issue_may_run_out(s);
}
/* When a scheduler may have something to issue, where its order alone says so; noted in issue_at. */
static inline uint64_t issue_soonest(struct sm *s) {
    const uint64_t *wake = s->wakes;
    uint64_t next = SM_NEVER;
    for (const struct sm_sched *c = s->sched, *end = c + s->schedulers; c < end; c++, wake++) {
        const uint64_t t = *wake > c->port ? *wake : c->port;
        if (t < next) next = t;
    }
    s->order->moved = false;
    return s->issue_at = next;
}
/* True if, in addition, no scheduler can issue: the tick before found none that could, and nothing has changed since. */
static inline bool issue_none(const struct sm *s) {
    return s->issue_at > s->now && !s->order->moved && issue_moves(s);
}
bool issue_held(const struct sm *s,
                uint32_t sched); /* the scheduler may not select now: its cycle is a stall */

/* outcome.c: from the results of a step to what the mechanism is told. */
/* Lets the host fetch what the split needs next, after the mechanism got it back (and may have made another split of
 * it). */
static inline void outcome_look_ahead(const struct sm *s, const struct mech_split *split) {
    enum { THREADS = 16 }; /* of a split, from which looking ahead costs less than it saves */
    if (split->set.n && split->threads >= THREADS)
        sm_look_ahead(s, split->set.p[0].warp, sm_code(s, split->pc));
}
/* Notes the result of the split's piece k, unless this piece, and all before it, simply go on. */
void outcome_note(struct sm *s, struct sm_op *op, uint32_t k);
/* called after the last piece, if threads were set free */
void outcome_settle(struct sm *s, struct sm_op *op);
/* gives the split back to the mechanism; the op stays */
void outcome_commit(struct sm *s, struct sm_op *op);
/* Tells the mechanism that all threads of the split, of which there is at least one, go on at `to`. Its instruction
 * `moves`, and the SM is unobserved. */
void outcome_tell(struct sm *s, struct mech_split *split, uint32_t to);
static inline void outcome_move(struct sm *s, struct mech_split *split, uint32_t to) {
    s->census_known = false; /* the next census sees barriers reached since the last one */
    if (!s->refuses || to == split->own[s->refuses - 1]) {
        outcome_tell(s, split, to);
        return;
    }
    split->pc = to;
    order_return(s->order, split, sm_when, s);
    outcome_look_ahead(s, split);
}
void outcome_offer(struct sm *s, struct sm_op *op,
                   uint32_t nodes); /* these threads have their data, others wait */

/* lines.c: from the addresses of a packet's instructions to requests. */
void lines_begin(struct sm *s);
void lines_gather(struct sm *s, uint32_t warp, bool texture); /* after the step of one piece */
void lines_build(struct sm *s, uint32_t op, bool merge);      /* after an op's last piece */
uint32_t lines_end(struct sm *s);                             /* the entry, or SM_NONE */
/* Does all of this for the access of a packet of one piece. */
uint32_t lines_of_piece(struct sm *s, uint32_t op, struct mech_piece p);
/* Cycles that the banks of shared memory need for lanes that go together; one at least. */
uint32_t lines_bank_cycles(const struct sm *s, const uint64_t *addr, uint32_t lanes, uint32_t bytes,
                           bool atomic);
/* What one request of a path may bring for accesses of so many bytes: a line of so many bytes, in sectors of so many. */
struct sm_unit {
    uint32_t line, sector;
};
struct sm_unit lines_unit(const struct sm *s, uint32_t path, uint32_t size);
/* Where each lane's address of local memory, which is within a word, lies in the machine's memory. */
void lines_local(const struct sm *s, uint32_t warp, uint32_t mask, const uint64_t *addr, uint64_t *to);
/* plain.c: the requests of a plain access; false: it is none after all, and there are none. */
bool plain_build(struct sm *s, uint32_t op, uint8_t kind);

/* port.c: finds the threads of an access that are served at once; env.served. */
void port_served(void *sm, const struct mech_split *split, struct mech_set *out);

/* async.c: asynchronous copies and what waits for them. */
static inline bool async_concerns(uint16_t op) {
    return op >= IR_MBAR && op <= IR_CP_WAIT;
}
/* After the step of one piece, and after the op's requests have been made. */
void async_ran(struct sm *s, uint32_t op, const struct ir_insn *i, uint32_t warp, uint32_t mask);
void async_built(struct sm *s, uint32_t op);
/* An op with a record has all its answers. True: it was a copy, and is no more. */
bool async_ended(struct sm *s, uint32_t op);
void async_forget(struct sm *s, uint32_t block); /* another takes its slot */

/* lsu.c: the load/store unit. */
void lsu_issue(struct sm *s, uint32_t entry, uint32_t sched, uint64_t arrival);
/* True if the memory stage cannot take what this scheduler has sent. */
static inline bool lsu_blocked(const struct sm *s, uint32_t sched) {
    const struct queue *f = &s->sched[sched].pipe;
    return f->n && s->entries.v[f->head].arrival <= s->now;
}
void lsu_complete(struct sm *s, uint32_t op); /* the op has all its answers */
void lsu_cycle(struct sm *s);
/* Counts, for sm.writeback, the threads of a request that memory has answered; called before lsu_answered. */
void lsu_returned(struct sm *s, uint32_t request);
void lsu_answered(struct sm *s, uint32_t request);
uint64_t lsu_next(const struct sm *s);
/* True if the unit has something to send in the next cycle. */
static inline bool lsu_sends(const struct sm *s) {
    return s->queue.n && !s->stuck && s->lsu_busy <= s->now;
}
/* counts the refusals in cycles before `until` in which it was stuck */
void lsu_account(struct sm *s, uint64_t until);

/* idle.c: puts every cycle into one class. */
void idle_account_all(struct sm *s,
                      uint64_t until);           /* the cycles of the SM and of its schedulers up to there */
void idle_classes(struct sm *s, uint64_t until); /* those of its schedulers */
void idle_census(struct sm *s);                  /* what threads wait for now */
void idle_waits(const struct sm *s, struct sm_idle_stats *out); /* adds what is not in the statistics yet */
/* Accounts for the SM's cycles before `until`. order_selects: there is no account by lines. */
static inline void idle_account(struct sm *s, uint64_t until, const bool order_selects) {
    const uint64_t from = s->counted > s->busy_until ? s->counted : s->busy_until;
    if (!s->active || until <= s->counted) return;
    if (!order_selects && s->charge) idle_classes(s, until);
    s->stats.sm.cycles += until - s->counted;
    s->counted = until;
    if (s->nstalled || from >= until) return; /* some scheduler works */
    if (!s->census_known) idle_census(s);
    s->waited += until - from;
}
/* The scheduler's cycles before `until` are of the class it is in. */
static inline void idle_count(struct sm *s, struct sm_sched *c, uint64_t until) {
    *(c->stalled ? &s->stats.warp.stall
      : c->loads ? &s->stats.warp.w0_mem
                 : &s->stats.warp.w0_idle) += until - c->counted;
    c->counted = until;
}
/* Before its class changes. */
static inline void idle_class(struct sm *s, struct sm_sched *c) {
    if (c->counted < s->now && s->active) idle_count(s, c, s->now);
}
static inline void idle_stalled(struct sm *s, struct sm_sched *c, bool stalled) {
    if (c->stalled == stalled) return;
    idle_class(s, c);
    c->stalled = stalled;
    s->nstalled += stalled ? 1u : ~0u;
}
/* One op more that waits for the memory system, and one less. */
static inline void idle_load(struct sm *s, struct sm_sched *c) {
    if (!c->loads) idle_class(s, c);
    c->loads++;
}
static inline void idle_loaded(struct sm *s, struct sm_sched *c) {
    if (c->loads == 1) idle_class(s, c);
    c->loads--;
}
/* A packet, or what holds it up, keeps the port until then, and is in a class of its own. */
static inline void idle_until(struct sm *s, struct sm_sched *c, uint64_t port) {
    idle_class(s, c);
    c->port = c->counted = port;
    if (port > s->busy_until) s->busy_until = port;
}
void idle_check(const struct sm *s); /* panics unless the classes add up */

/* slots.c: puts every lane slot of an issue into one kind. The packet has been executed, has threads, and leaves n
 * slots idle. place: that of its first instruction, if there is an account. */
void slots_count(struct sm *s, uint32_t n, uint32_t place);
/* Counts the idle lanes of a packet of one piece where warps have 32 threads: its lanes are at home. Threads of the
 * piece itself may have exited just now. */
static inline void slots_idle_piece(struct sm *s, uint32_t n, struct mech_piece p) {
    const struct sm_warp *w = &s->warps[p.warp];
    const uint32_t exited = p.mask & ~w->w->live ? bits_count(w->exist & ~(w->w->live | p.mask))
                                                 : (uint32_t)SM_LANES - w->absent - w->w->nlive;
    s->stats.lane.absent += w->absent;
    s->stats.lane.exited += exited;
    s->stats.lane.parted += n - w->absent - exited;
}
/* Counts the idle lanes of a packet; most have one piece. */
static inline void slots_idle(struct sm *s, uint32_t n, uint32_t place) {
    const struct mech_packet *p = &s->common->packet;
    const struct mech_set *set = &p->split[0]->set;
    if (!s->plain_slots || p->n > 1 || set->n > 1 || p->beats) {
        slots_count(s, n, place);
        return;
    }
    slots_idle_piece(s, n, set->p[0]);
}
static inline uint32_t lanes_below(uint32_t n) {
    return n < 32 ? (1u << n) - 1 : ~0u;
}
/* Returns those of these lanes of a slot that lie in part k of their machine warps, in parts of `width` lanes. */
uint32_t slots_part(const struct sm *s, uint32_t warp, uint32_t mask, uint32_t width, uint32_t k);
/* Beats of the packet in which no lane of the SIMD group has a thread. */
uint32_t slots_vacant(const struct sm *s, uint32_t threads);
/* Whether a word of the home warp is there: a wide warp may be cut off by the end of its block. */
static inline bool home_has(const struct sm *s, const struct sm_home *h, uint32_t word) {
    return !word || h->warp + word < (s->warps[h->warp].block + 1) * s->block_warps;
}

/* charge.c, with an account: charges idle lanes to the place where their threads parted from those that run. */
struct sm_charged {
    uint32_t place; /* ACCOUNT_NONE: they never parted */
    uint32_t parted, exited;
};
void charge_init(struct sm *s);                              /* the mechanism is there */
void charge_block(struct sm *s, const struct mech_block *b); /* it arrives */
uint32_t charge_pc(const struct sm *s, uint32_t pc);         /* the place of pc outside of any call */
uint32_t charge_place(const struct sm *s, uint32_t warp, uint32_t lane, uint32_t pc);
uint32_t charge_split_place(const struct sm *s, const struct mech_split *split); /* of its next instruction */
uint32_t charge_issued(struct sm *s, const struct mech_split *split); /* the same; it is about to run */
/* Threads of different sets part there. */
void charge_parted(struct sm *s, uint32_t place, const struct mech_set *const *sets, uint32_t n);
/* Notes that lanes of one word of a home warp part from other lanes of it. parting: what charge_outcome made of the
 * place. */
void charge_lanes_parted(struct sm *s, uint32_t home, uint32_t word, uint32_t lanes, const uint32_t *others,
                         uint64_t parting);
void charge_outcome(struct sm *s, uint32_t place);                           /* the one just committed */
void charge_released(struct sm *s, const struct mech_set *set, uint32_t pc); /* to go on at pc */
/* What the idle lanes of a home warp are charged to, given who runs; live: which of them live. */
const struct sm_charged *charge_lanes(const struct sm *s, const struct sm_home *h, const uint32_t *running,
                                      const uint32_t *idle, const uint32_t *live, uint32_t *n);
static inline struct sm_cost *sm_cost(const struct sm *s, uint32_t place) {
    return &s->env.account->costs.v[place];
}

/* paths.c, with an account: where threads part that do not run together. */
void paths_init(struct sm *s);
void paths_block(struct sm *s, const struct mech_block *b);
void paths_arrive(struct sm *s, const struct mech_set *set, uint32_t pc); /* they go on there */
void paths_commit(struct sm *s,
                  uint64_t parting); /* the outcome just committed; parting: if threads part by it */

/* Where the first of these lanes last saw others go another way, else where it first decided; ACCOUNT_NONE: nowhere yet. */
uint32_t paths_decided(const struct sm *s, const struct sm_home *h, const uint32_t *running);

/* apart.c, with an account: how long threads that parted at a branch stay apart. */
void apart_init(struct sm *s);
void apart_block(struct sm *s, const struct mech_block *b);
void apart_diverged(struct sm *s); /* by the outcome just committed, if it has several sides */
void apart_issued(struct sm *s, const struct mech_set *set); /* threads of a split that is about to run */

/* waits.c, with an account: charges cycles without an issue to what the threads wait for. */
void waits_init(struct sm *s);
void waits_changed(struct sm *s); /* what threads wait for may have changed */
void waits_ticked(struct sm *s);  /* at the end of a tick */
void waits_count(struct sm *s, uint32_t sched, uint64_t cycles);
void waits_stalled(struct sm *s, uint32_t sched, uint64_t cycles);
void waits_issued(struct sm *s, uint32_t sched, uint32_t place, uint32_t beats, uint32_t extra);

/* places.c: as sm_places, but only threads with no instruction under way: those that are with the mechanism. */
void places_held(const struct sm *s, uint32_t *pc);

/* sm.c: these threads' exit is committed. */
void sm_threads_ended(struct sm *s, const struct mech_set *exited);

/* Whether each block of the launch is one scheduler's. */
bool sm_whole_blocks(const struct opt_sm *o, const struct exec_grid *g);

#endif
