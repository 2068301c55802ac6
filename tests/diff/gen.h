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
    GEN_FUNC_VARS = 3, /* and of a function */
    GEN_LOCALS = 4,    /* words of local array, in the kernel and in each function */
    GEN_SLOTS = 4,     /* words of global memory a thread has to itself */
    GEN_CELLS = 4,     /* words of global and of shared memory that take atomics: add, or, max, xor */
    GEN_INPUT = 256,   /* words every thread may read */
    GEN_FUNCS = 4,
    GEN_ARMS = 4,
    GEN_NODES = 9,
    GEN_FUEL = 24,     /* back edges a thread of the kernel may take */
    GEN_FUNC_FUEL = 6, /* and one call of a function */
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
    GEN_ATOMIC_CTA, /* the same in shared memory */
    GEN_IF,         /* cond: body[0] else body[1]; form: which side is laid out first */
    GEN_LOOP,       /* (a & 7) + form times body[0]; form 0: tested at the top, 1: at the bottom */
    GEN_BREAK,      /* if cond */
    GEN_CONTINUE,   /* if cond */
    GEN_SWITCH,     /* body[min(a & 3, arms - 1)], falling through where falls; form: brx.idx or a chain */
    GEN_CALL,       /* dst = function n (a, depth b & 3) */
    GEN_CALL_TABLE, /* the same of function (c % FUNCS), through a table in memory */
    GEN_RECUR,      /* in a function, if its depth is not 0: dst = itself (a, depth - 1) */
    GEN_EXIT,       /* the thread ends if cond; form: enum gen_exit */
    GEN_GRAPH,      /* an unstructured piece */
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
    GEN_EXIT_GUARDED, /* @p exit */
    GEN_EXIT_AWAY,    /* @p bra to a copy of the end, out of the way */
    GEN_EXIT_INLINE,  /* a copy of the end, jumped over by the others */
    GEN_EXIT_JOIN,    /* @p bra to the one end all come to */
    GEN_NEXITS
};

struct gen_stmt {
    enum gen_kind kind;
    struct gen_stmt *next;
    struct gen_cond cond;
    struct gen_value a, b, c;
    uint32_t op, dst, n, form, arms;
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
    bool leaves; /* by a branch, before others meet: the leaving side must not be kept waiting for those */
    uint32_t block, grid;
    struct gen_stmt *body, *func[GEN_FUNCS];
    struct arena mem;
};

/* Everything follows from the seed; odd seeds give unstructured kernels. */
void gen_make(struct gen_kernel *k, uint64_t seed);
void gen_free(struct gen_kernel *k);

/* A module with .entry generated(input, out, slots, cells). */
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
