/* The one interface that matters: a mechanism owns *which threads run together next*; the SM owns *when* and *what it
 * costs*. One instance of a mechanism serves one SM.
 *
 * Threads are named by architectural warp (32 lanes, a slot of the SM: struct exec_warp) and lane bit. The machine's own
 * warp may be narrower or wider (4 to 256 threads) and a mechanism may mix threads of any warps, so what runs together, a
 * split, is a set of (warp, mask) pieces with one PC.
 *
 * The life of a split. The mechanism makes one (launch, commit, release) and hands it to its scheduler's order
 * (mech/lib/order.h) as schedulable; select picks a schedulable split whose operands the SM says are there and puts it into a
 * packet: it is now in flight and belongs to the SM. The SM executes it, charges what it costs, and gives it back with
 * commit: the outcome says where each of its threads goes. The mechanism then reuses it, breaks it up, merges it or frees
 * it. Under `issue = scoreboard` commit follows at once for instructions that cannot diverge (their results may still be
 * on the way: env.when holds back threads that need them); under `issue = barrel` it follows at write-back. A mechanism
 * does not see the difference.
 *
 * A split may be without threads: a walker's issue where no thread is (Takahashi, Sandy Bridge), or one that is lost
 * (Tesla's joins). It is scheduled, fetched, charged for and committed like any other, executes nothing, waits for no
 * operand, and its outcome has no sides. A mechanism never has more splits than the SM has threads, those included.
 *
 * Threads that wait at a block barrier or a warp-level .sync instruction are in outcome->waiting. They come back through
 * release, in one call per set of threads released together (and one per PC they waited at), at outcome.pc + 1 of that
 * instruction, never before the commit that said they wait. */
#ifndef HEDDLE_MECH_MECH_H
#define HEDDLE_MECH_MECH_H

#include <stddef.h>

#include "base/err.h"
#include "base/option.h"
#include "base/pages.h"
#include "cfg/cfg.h"
#include "cfg/form.h"
#include "ir/program.h"
#include "mech/lib/storage.h"
#include "mech/stats.h"

enum { MECH_PIECES = 64, MECH_WIDEST = 256, MECH_SIDES = 256, MECH_PARAMETERS = 32 };
#define MECH_NEVER UINT64_MAX

struct mech_piece {
    uint32_t warp; /* architectural warp slot of the SM */
    uint32_t mask; /* its lanes, never 0 */
};

/* Pieces are sorted by warp, each warp at most once. */
struct mech_set {
    uint32_t n;
    struct mech_piece p[MECH_PIECES];
};

struct mech_split {
    _Alignas(64) uint32_t id; /* slot in the pool; it never changes */
    uint32_t pc;
    uint16_t sched; /* number of its scheduler */
    bool in_flight;
    uint8_t order;    /* its state in order.c */
    uint32_t threads; /* number of threads in set */
    uint64_t age;     /* stamp of creation: lower is older */
    /* Cycle from which it may issue; MECH_NEVER: not until something wakes it. order.c keeps it. */
    uint64_t wake;
    uint32_t own[5]; /* for the mechanism: home warp, stack entry, table index ... */
    /* The set comes last: most splits have one piece, and then a split's used part is one cache line. */
    struct mech_set set;
};
_Static_assert(offsetof(struct mech_split, set.p[1]) == 64, "a split of one piece is a cache line");

/* What issues in one slot: one split, or several on disjoint lanes (SBI, MIMD). The SM clears the rest before select. */
struct mech_packet {
    uint32_t n;              /* at least 1 */
    uint32_t beats;          /* cycles it takes to issue, on simd_width lanes each; 0: those of a warp */
    uint32_t register_stall; /* extra cycles in register read, for bank conflicts of mixed warps */
    bool last_beat;          /* results are counted from the last beat on, not from the first */
    /* For a packet of one split: the threads that issue in each beat, as `beats` disjoint sets. Memory takes the
     * threads of a beat together, beat after beat. NULL: all issue at once. The sets must stay until the packet has
     * issued. */
    const struct mech_set *beat;
    struct mech_split *split[MECH_WIDEST];
};

/* Where the threads of one committed split go. sides are sorted by PC; a thread is in exactly one of sides, exited,
 * waiting. */
struct mech_side {
    uint32_t pc;
    struct mech_set set;
};
struct mech_outcome {
    const struct ir_insn *insn;
    uint32_t pc; /* the PC of insn */
    uint32_t nsides;
    const struct mech_side *side;
    struct mech_set exited, waiting;
    /* For a MARK: the threads for which its guard holds, or all if it has no guard. */
    struct mech_set marked;
    uint32_t depth_change; /* 1: call, 2: return (sides may be deeper or shallower than before) */
};

/* A block that arrives: its warps are the slots [first, first + warps), all threads live, at pc. */
struct mech_block {
    uint32_t slot, first, warps, threads, pc;
};

/* Threads that cannot issue, by reason (HARP Figure 5). The SM adds dependency and barrier. */
struct mech_census {
    uint32_t inactive_path, reconvergence;
};

/* What the SM and the machine offer a mechanism. */
struct mech_env {
    struct pages *pages; /* memory that lives as long as the mechanism */
    const struct ir_module *module;
    const struct cfg *cfg;
    /* The machine's warp size; in m->env what the mechanism's `width` makes of it. warp_size is a power of two from 4
     * to 256 and simd_width a power of two up to it; the code that makes an env must ensure this. */
    uint32_t warp_size;
    uint32_t simd_width;
    /* Threads of home warp h belong to scheduler h % schedulers, unless whole_blocks. */
    uint32_t schedulers;
    bool whole_blocks;      /* threads of block slot b belong to scheduler b % schedulers */
    uint32_t warps;         /* architectural warp slots of the SM */
    uint32_t order;         /* enum order_policy for order.c */
    uint32_t order_groups;  /* size of the active set of the two-level scheduler */
    uint32_t order_timeout; /* issues after which an active split makes room for a waiting one; 0: never */
    /* The tables that its `prepare` made. NULL if it has none, or if only its storage is asked for. */
    const void *tables;
    /* Values of the mechanism's parameters, in the order of its list; enums as index, bools 0/1. */
    const int64_t *param;
    const uint64_t *now; /* current core cycle */
    void *sm;
    /* Earliest cycle at which the split's next instruction may issue as far as the SM knows: operands, fetched, not in
     * flight; MECH_NEVER when that depends on an event (a load, a fetch) that will end in mech_wake. */
    uint64_t (*when)(void *sm, const struct mech_split *s);
    /* Asks again about a split of one piece that has not changed since `when` gave a cycle that has come: other splits
     * may only have taken its unit. NULL in m->env of a mechanism that is not MECH_STEADY. */
    uint64_t (*recheck)(void *sm, const struct mech_split *s);
    /* Live lanes of a warp slot: exited threads are gone from it. */
    uint32_t (*live)(void *sm, uint32_t warp);
    uint32_t (*depth)(void *sm, uint32_t warp, uint32_t lane); /* call depth of a thread */
    /* Gives the threads of s, an in-flight load, that have their data while others wait for theirs: a mechanism may
     * take any proper subset of them at any time (see `memory`). The set is empty if s is no load, or if none or all
     * have their data. */
    void (*ready)(void *sm, const struct mech_split *s, struct mech_set *out);
    /* Gives the threads of s that the first-level data cache's port serves at once. s is an access whose operands are
     * there. Served are the threads in the line that the first of them asks for, or, in shared memory, those whose
     * banks are free or give the same word. All threads are served by other instructions and paths, and in recorded
     * traces. Not to be called before s may issue. */
    void (*served)(void *sm, const struct mech_split *s, struct mech_set *out);
    /* Cycles from the issue of an access until a thread that the port has refused may issue again. */
    uint32_t refusal;
    /* Lanes whose last instruction was one of a thread that waits for others: a poll, a sleep, a failed atomic. */
    uint32_t (*spinning)(void *sm, uint32_t warp);
    /* Called when a split has been taken apart, for profiles. NULL: not wanted. */
    void (*divided)(void *sm, const struct mech_split *rest, const struct mech_split *part);
    void (*event)(void *sm, const char *text); /* shown in the trace beside the next issue */
    bool tracing;
    bool audit; /* `audit` is called after every commit, so the mechanism keeps what it compares with */
};

/* One parameter of a mechanism, "NAME.key" in options: INT, BOOL or ENUM, its value a whole number of 32 bits. Made by
 * mech/lib/declare.h. */
struct mech_param {
    const char *key, *help;
    enum option_kind kind;
    int64_t def, low, high;
    const struct option_choice *choices; /* for ENUM: the words, whose values count from 0 */
};

enum {
    MECH_RECURSION = 1, /* runs calls that recurse */
    MECH_INDIRECT = 2,  /* runs indirect branches and calls */
    MECH_UNSTRUCTURED = 4,
    MECH_PROGRESS = 8,     /* every runnable thread is eventually run: spin locks within a warp end */
    MECH_CALLS = 16,       /* runs calls of functions at all */
    MECH_AT_HOME = 32,     /* no split has threads of two machine warps: a split is small */
    MECH_IRREDUCIBLE = 64, /* runs loops with several entries */
    MECH_STEADY = 128, /* a schedulable split keeps its threads and its PC until it is picked or removed */
    MECH_ANY_CODE = MECH_CALLS | MECH_RECURSION | MECH_INDIRECT | MECH_UNSTRUCTURED | MECH_IRREDUCIBLE
};

/* What tables that do not depend on the SM may know of a launch. */
struct mech_program {
    const struct ir_module *module; /* in the form the mechanism asked for */
    const struct cfg *cfg;
    uint32_t func;                  /* the kernel */
    const void *params;             /* the mechanism's struct of parameters */
    uint32_t warp_size, simd_width; /* as in m->env */
};

/* Says that these threads go on at pc. */
typedef void mech_place_fn(void *user, uint32_t warp, uint32_t mask, uint32_t pc);

struct mech;
/* A mechanism: a table of functions. "Left out" says what happens without one. Required are name, title, source, commit and
 * storage. selects, advance and refuses only save the host time. */
struct mech_ops {
    const char *name, *title, *source; /* "pdom", "Post-dominator stack", "DWF 3.2, Table 3.1" */
    unsigned caps;
    bool asks_spinning; /* it calls env.spinning */
    /* Form of the program that it runs; marks are committed to it like any instruction. */
    enum cfg_form form;
    /* The form chosen by parameters. Left out: `form`. */
    enum cfg_form (*form_by)(const void *params);
    /* `params` and `counters` end with key NULL; left out: it has none of its own. */
    const struct mech_param *params;
    const struct mech_counter *counters;
    /* Size of m->self, which is zeroed and, like all memory of a mechanism, comes from env.pages and goes with them. */
    size_t self_bytes;
    /* The width of its warps, a power of two up to MECH_WIDEST, by its parameters (mech/lib/declare.h's struct) and the
     * machine's widths. Left out: the machine's. */
    uint32_t (*width)(const void *params, uint32_t warp_size, uint32_t simd_width);
    /* Optional. Tables that are made once for a launch, in `mem`, and that all SMs read as env.tables. NULL: it cannot run
     * this, and e has the place and the reason. */
    const void *(*prepare)(const struct mech_program *p, struct arena *mem, struct err *e);
    /* Makes the rest of its tables; m->env, m->params and m->self are set. Left out: there are none. */
    bool (*create)(struct mech *m, struct err *e);
    /* A block arrives. Left out: every home warp becomes a split, which `start` is given. */
    void (*launch)(struct mech *m, const struct mech_block *b);
    /* s, new and in no order, holds the threads of a home warp (mech/lib/split.h). Left out: it is schedulable. */
    void (*start)(struct mech *m, struct mech_split *s, uint32_t home);
    /* Selects what scheduler `sched` issues now; false: nothing can. Called when its issue port is free. Left out: the
     * packet is what its order picks. */
    bool (*select)(struct mech *m, uint32_t sched, struct mech_packet *p);
    /* Optional. Whether `select` is needed with these parameters; without it what the order picks is issued. */
    bool (*selects)(const void *params);
    void (*commit)(struct mech *m, struct mech_split *s, const struct mech_outcome *o); /* required */
    /* Optional. All threads of s go on at `to`; its instruction is no call, return or IR_MARK. What commit does then, without
     * an outcome, if it is no more than to let s go on. False: it is more, and nothing was done. */
    bool (*advance)(struct mech *m, struct mech_split *s, uint32_t to);
    /* Where advance does no more than refuse one PC, and otherwise set it and hand s to its order: 1 + the element of own with
     * the PC that it refuses. Then the SM may do that itself. 0: it does more. */
    uint8_t refuses;
    /* Optional. Some threads of an in-flight load have their data, others wait. True: the mechanism took the ready ones
     * (they go on at pc + 1 in a split of their own: split_divide); the SM commits the rest when it is back. It may also
     * take them later, as long as s is in flight: env.ready says who has data then. */
    bool (*memory)(struct mech *m, struct mech_split *s, const struct mech_set *ready);
    /* These threads go on at pc. Left out: splits of just these threads, parked by commit, become schedulable there. */
    void (*release)(struct mech *m, const struct mech_set *set, uint32_t pc);
    /* Operands of some threads of s (lanes `mask` of slot `warp`) arrived; s may be in flight. Left out: the order looks at
     * s again (order_wake). For mechanisms that let those threads go on without the others. */
    void (*wake)(struct mech *m, struct mech_split *s, uint32_t warp, uint32_t mask);
    /* Optional. Earliest cycle at which select may succeed for a reason of the mechanism's own (a table that is busy),
     * whatever the order says; MECH_NEVER: none. */
    uint64_t (*next)(const struct mech *m, uint32_t sched);
    /* Optional. True if the mechanism holds back a thread that is not in flight and will let it go on by a clock of its
     * own, whatever other threads do: a row that is read back from memory, patience that runs out. The watchdog waits
     * for such threads. */
    bool (*clocked)(const struct mech *m, uint32_t warp, uint32_t lane);
    /* Optional. Returns a mask x: thread l of the home warp has lane l ^ x for life (SWI's shuffles). Left out: lane l. */
    uint32_t (*shuffle)(const struct mech *m, uint32_t home);
    /* Counts threads that the mechanism holds back. Left out: none are. */
    void (*census)(const struct mech *m, struct mech_census *c);
    /* Optional. Reports where threads go on that are in no split's set; of several calls for a thread the last one
     * holds. */
    void (*places)(const struct mech *m, mech_place_fn *put, void *user);
    /* Prints its tables as text, one line per entry. Left out: a line for each split. */
    void (*state)(const struct mech *m, struct sb *out);
    void (*storage)(const struct mech *m,
                    struct mech_storage *out); /* required: storage_add for each structure of an SM */
    /* Debug builds: panics on a broken invariant. Left out: every thread is in exactly one split. */
    void (*audit)(const struct mech *m);
};

struct mech {
    const struct mech_ops *ops; /* the table of functions, with defaults filled in for those left out */
    struct split_pool *pool;    /* mech/lib/split.h */
    struct order *order;        /* mech/lib/order.h, one for all schedulers */
    /* By scheduler: select finds nothing before that cycle, and need not be called. NULL: the mechanism selects itself. */
    const uint64_t *wakes;
    void *self;
    const void *params; /* the mechanism's struct of parameters (mech/lib/declare.h) */
    struct mech_env env;
    struct mech_stats stats;
};

/* All mechanisms, from mech.def; ends with NULL. */
extern const struct mech_ops *const mech_list[];
const struct mech_ops *mech_find(const char *name); /* NULL: no such */
const char *mech_near(const char *name);            /* the name that was probably meant; NULL: none is near */

/* Lives as long as env->pages. */
struct mech *mech_new(const struct mech_ops *ops, const struct mech_env *env, struct err *e);
/* Threads of a warp whose dependencies changed (a load returned, a fetch arrived): splits holding them are looked at again. */
void mech_wake(struct mech *m, uint32_t warp, uint32_t mask);
/* Wakes split `id`, which is in no warp, if it has no threads. */
void mech_wake_empty(struct mech *m, uint32_t id);
/* Earliest cycle at which select might succeed for a scheduler, MECH_NEVER if only an event can help. */
uint64_t mech_next(const struct mech *m, uint32_t sched);
/* For mechanisms: shown in the trace beside the next issue; formats nothing unless someone traces. Here and in `state` a
 * number after "pc", "rpc", "at", "from" or "ahead of" is a PC of the form that runs: readers see the original's. */
void mech_event(struct mech *m, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Where every thread goes on that is not in flight, as above. */
void mech_places(const struct mech *m, mech_place_fn *put, void *user);
/* The width of its warps, by the values of its options. */
uint32_t mech_width(const struct mech_ops *ops, const int64_t *param, uint32_t warp_size,
                    uint32_t simd_width);
/* The form of the program that it runs, by the values of its options. */
enum cfg_form mech_form(const struct mech_ops *ops, const int64_t *param);
/* Makes a mechanism's tables for a launch in `mem`; p->params, warp_size and simd_width are the machine's, as options
 * have them. False: the mechanism refuses. *tables is NULL if it makes none. */
bool mech_prepare(const struct mech_ops *ops, const int64_t *param, struct mech_program p, struct arena *mem,
                  const void **tables, struct err *e);
/* Refuses before a launch what the mechanism cannot run, saying why (kernel `func` of the module). */
bool mech_can_run(const struct mech_ops *ops, const struct ir_module *m, const struct cfg *c, uint32_t func,
                  struct err *e);

#endif
