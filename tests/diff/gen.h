/* Random kernels as trees: made from a seed (gen.c), printed as PTX (emit.c) and run on the CPU one thread at a time
 * (interp.c), so that generator, executor and every mechanism are checked against something that shares no code.
 *
 * A kernel is race-free and ends by construction: loops count down a trip count and a per-thread fuel, recursion a depth;
 * threads meet only in uniform code, at barriers and warp operations, or through atomics whose order does not show. */
#ifndef HEDDLE_TESTS_DIFF_GEN_H
#define HEDDLE_TESTS_DIFF_GEN_H

#include "base/alloc.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    GEN_VARS = 6,      /* registers of the kernel a thread computes with */
    GEN_FUNC_VARS = 3, /* registers of a function a thread computes with */
    GEN_LOCALS = 4,    /* words of local array, in the kernel and in each function */
    GEN_SLOTS = 4,     /* words of global memory a thread has to itself */
    GEN_CELLS = 4,     /* words of global and of shared memory that take atomics: add, or, max, xor */
    GEN_INPUT = 256,   /* words every thread may read */
    GEN_WORDS = 4,     /* words of each window that a generic pointer may lead to */
    GEN_FUNCS = 4,
    GEN_ARMS = 4,
    GEN_NODES = 9,
    GEN_FUEL = 12,     /* back edges a thread of the kernel may take */
    GEN_FUNC_FUEL = 4, /* back edges a thread may take in one call of a function */
    GEN_THREADS = 128  /* most in a block */
};

/* PTX, operands, whether b is made odd first (divisors), the same in C. */
#define GEN_OPS(X)                                                      \
    X(ADD, "add.u32", 2, false, a + b)                                  \
    X(SUB, "sub.u32", 2, false, a - b)                                  \
    X(MUL, "mul.lo.u32", 2, false, a *b)                                \
    X(MULHI, "mul.hi.u32", 2, false, (uint32_t)((uint64_t)a * b >> 32)) \
    X(MAD, "mad.lo.u32", 3, false, a *b + c)                            \
    X(AND, "and.b32", 2, false, a &b)                                   \
    X(OR, "or.b32", 2, false, a | b)                                    \
    X(XOR, "xor.b32", 2, false, a ^ b)                                  \
    X(SHL, "shl.b32", 2, false, b > 31 ? 0 : a << b)                    \
    X(SHR, "shr.u32", 2, false, b > 31 ? 0 : a >> b)                    \
    X(MIN, "min.s32", 2, false, (int32_t)a < (int32_t)b ? a : b)        \
    X(MAX, "max.u32", 2, false, a > b ? a : b)                          \
    X(DIV, "div.u32", 2, true, a / b)                                   \
    X(REM, "rem.u32", 2, true, a % b)
enum gen_op {
#define X(id, ...) GEN_##id,
    GEN_OPS(X)
#undef X
        GEN_NOPS
};

enum gen_source { GEN_VAR, GEN_CONST, GEN_TID, GEN_LANE, GEN_BLOCK };
struct gen_value {
    enum gen_source from;
    uint32_t n; /* number of the variable, or the constant */
};

/* ((value >> shift) & mask) compared with `with` */
enum gen_compare { GEN_EQ, GEN_NE, GEN_LT, GEN_GE };
struct gen_cond {
    struct gen_value value;
    uint32_t shift, mask, with;
    enum gen_compare compare;
};

enum gen_kind {
    /* what a thread does alone; all up to the atomics under cond if guarded */
    GEN_OP,         /* dst = op(a, b, c) */
    GEN_READ,       /* dst = input[a % INPUT] */
    GEN_LOCAL_PUT,  /* local[a % LOCALS] = b */
    GEN_LOCAL_GET,  /* dst = local[a % LOCALS] */
    GEN_SLOT_PUT,   /* its own slot[a % SLOTS] = b */
    GEN_SLOT_GET,   /* dst = its own slot[a % SLOTS] */
    GEN_ATOMIC,     /* cell[n] takes a; form: red or atom */
    GEN_ATOMIC_CTA, /* as GEN_ATOMIC, in shared memory */
    GEN_ANY_PUT,    /* word (a % WORDS) of the window that c chooses = b, through a generic pointer */
    GEN_ANY_GET,    /* dst = that word */
    GEN_ANY_ATOMIC, /* cell[n], of global memory where the lowest bit of c is set, else of shared memory, takes a */
    GEN_IF,         /* cond: body[0] else body[1]; form: which side is laid out first */
    GEN_LOOP,       /* (a & 7) + form times body[0]; form 0: tested at the top, 1: at the bottom */
    GEN_BREAK,    /* if cond */
    GEN_CONTINUE, /* if cond */
    GEN_SWITCH, /* body[min(a & 3, arms - 1)], falling through where falls; form: brx.idx or a chain; end: of an
                       arm that no thread comes to */
    GEN_CALL,   /* dst = function n (a, depth b & 3) */
    GEN_CALL_TABLE, /* dst = function (c % FUNCS), through a table in memory */
    GEN_RECUR,      /* in a function, if its depth is not 0: dst = itself (a, depth - 1) */
    GEN_EXIT, /* if cond body[0], and the thread ends; form: enum gen_exit; end: exit or ret. In a function the
                       thread leaves nothing in out */
    GEN_RETURN, /* if cond body[0], and the function returns; form: enum gen_exit */
    GEN_NEVER,  /* as GEN_EXIT, but cond holds for no thread */
    GEN_GRAPH,  /* an unstructured piece */
    /* what all threads of a block do together */
    GEN_EXCHANGE, /* dst = b of the thread n places on, through shared memory */
    GEN_COLLECT,  /* dst = shared cell n, all threads having arrived */
    GEN_SHUFFLE,  /* dst = b of lane (lane ^ n), its own where there is none */
    GEN_VOTE,     /* dst = ballot of cond; form 1: popcount, 2: whether any, 3: whether all */
    GEN_ARM,      /* threads with cond: body[0], then a shuffle among them alone */
    GEN_REPEAT,   /* n times body[0] */
    GEN_WHEN      /* body[0] if the number of the block is odd */
};
enum gen_exit {
    GEN_EXIT_GUARDED, /* @p exit; there is no body */
    GEN_EXIT_AWAY,    /* @p bra to a copy of the end, behind that of the kernel */
    GEN_EXIT_INLINE, /* a copy of the end, jumped over by the others; body[1], if any, is behind it, and unreachable */
    GEN_EXIT_JOIN, /* @p bra to the one end all come to: no body, and nothing that waits may follow */
    GEN_NEXITS
};
/* By which instruction threads leave, or would leave if one came there. */
enum gen_end { GEN_END_NONE, GEN_END_EXIT, GEN_END_RET, GEN_END_TRAP, GEN_END_LOOP };

/* Where a generic pointer may lead; those up to GEN_WRITABLE are the thread's own. */
enum gen_window {
    GEN_IN_SLOTS,
    GEN_IN_SHARED,
    GEN_IN_LOCAL,
    GEN_IN_CONST,
    GEN_IN_PARAM,
    GEN_IN_INPUT,
    GEN_NWINDOWS
};
enum { GEN_WRITABLE = GEN_IN_LOCAL + 1 };

struct gen_stmt {
    enum gen_kind kind;
    struct gen_stmt *next;
    struct gen_cond cond;
    struct gen_value a, b, c;
    uint32_t op, dst, n, form, arms;
    enum gen_end end;
    enum gen_window window[GEN_ARMS]; /* min(c & 3, arms - 1) says which */
    bool guarded, falls[GEN_ARMS];
    struct gen_stmt *body[GEN_ARMS];
    struct gen_graph *graph;
};

/* Nodes are laid out in order and control leaves to the node after the last one. A node's way: to[0], or where cond holds
 * to[1], or one of `ways` targets by value. Way to a node at or before its own takes fuel; without fuel, it is the next. */
struct gen_node {
    struct gen_stmt *body;
    uint32_t ways, to[GEN_ARMS];
    struct gen_cond cond;   /* ways == 2 */
    struct gen_value value; /* ways > 2: min(value & 3, ways - 1) */
};
struct gen_graph {
    uint32_t n;
    struct gen_node node[GEN_NODES];
};

struct gen_kernel {
    uint64_t seed;
    bool unstructured, calls;
    bool frame;      /* the kernel and its functions have a local array */
    bool early;      /* threads may end before others meet */
    bool func_exits; /* threads may end in functions */
    bool
        leaves; /* some may have ended where others meet, or there is an exit before it that no thread takes */
    uint32_t block, grid;
    struct gen_stmt *body, *func[GEN_FUNCS];
    struct arena mem;
};

/* Everything follows from the seed; odd seeds give unstructured kernels. */
void gen_make(struct gen_kernel *k, uint64_t seed);
void gen_free(struct gen_kernel *k);

/* Word i of the module's constants, and of the kernel's last parameter. */
static inline uint32_t gen_const(const struct gen_kernel *k, uint32_t i) {
    return (uint32_t)(k->seed * 2654435761u) + i * 40503u;
}
static inline uint32_t gen_param(const struct gen_kernel *k, uint32_t i) {
    return ~gen_const(k, i) * 5u;
}

/* A module with .entry generated(input, out, slots, cells, words), the last one being WORDS words. */
void gen_emit(const struct gen_kernel *k, struct sb *out);

/* What the kernel leaves in memory. cells[CELLS] is the sum over all of out. */
struct gen_memory {
    uint32_t input[GEN_INPUT];
    uint32_t threads;
    uint32_t *out, *slots; /* threads, threads * SLOTS */
    uint32_t cells[GEN_CELLS + 1];
};
void gen_memory_init(struct gen_memory *m, const struct gen_kernel *k);
void gen_memory_free(struct gen_memory *m);
void gen_run(const struct gen_kernel *k, struct gen_memory *m);

#endif
