/* Private to src/exec: the memory map, the image, and helpers of executors. */
#ifndef HEDDLE_EXEC_IMPL_H
#define HEDDLE_EXEC_IMPL_H

#include <string.h>

#include "base/bits.h"
#include "base/pages.h"
#include "exec/warp.h"

/* ---- memory ---- */
struct exec_alloc {
    uint64_t addr, bytes; /* what may be accessed: */
    uint64_t asked;       /* so many bytes, and the slack */
    uint8_t *host;        /* NULL: released, kept only to name it in reports */
    char *label;
    enum exec_memory kind;
    bool fixed;    /* the address was given when it was allocated */
    bool borrowed; /* the host bytes belong to the code that allocated it */
};
struct exec_mem {
    struct exec_alloc *v; /* sorted by address, none overlapping another */
    size_t n, cap, dead;
    size_t top; /* index behind the last that is not fixed: the next goes there */
    uint64_t limit, used, heap_used;
    uint64_t slack;            /* zeroed bytes behind each allocation that no access of is a fault */
    struct exec_texture **tex; /* by handle; NULL: released */
    size_t ntex, texcap;
};
/* The live allocation that holds all of [addr, addr+bytes), or NULL. */
struct exec_alloc *exec_mem_find(const struct exec_mem *m, uint64_t addr, uint64_t bytes);
static inline bool exec_alloc_holds(const struct exec_alloc *a, uint64_t addr, uint64_t bytes) {
    return a->host && bytes <= a->bytes && addr - a->addr <= a->bytes - bytes;
}
/* exec_grid_find finds what exec_mem_find does, but first tries the allocation that the instruction accessed last time.
 * hit: the instruction's slot, exec_hit_of. */
static inline uint32_t exec_hit_of(const struct ir_insn *i) {
    return (uint32_t)((uintptr_t)i / sizeof *i) % EXEC_HITS;
}
static inline struct exec_alloc *exec_grid_find(struct exec_grid *g, uint32_t hit, uint64_t addr,
                                                uint64_t bytes) {
    const struct exec_mem *m = g->mem;
    if (g->hit[hit] < m->n && exec_alloc_holds(&m->v[g->hit[hit]], addr, bytes)) return &m->v[g->hit[hit]];
    struct exec_alloc *a = exec_mem_find(m, addr, bytes);
    if (a) g->hit[hit] = (uint32_t)(a - m->v);
    return a;
}
/* The live allocation that begins at addr, or NULL. */
struct exec_alloc *exec_mem_starting(struct exec_mem *m, uint64_t addr);

/* ---- textures: a handle is a tag and an index, small enough for 32-bit modules ---- */
enum { TEX_HANDLE = 0x40000000, TEXREF_HANDLE = 0x60000000, TEX_MAX = 0x100000 };
const struct exec_texture *tex_get(const struct exec_mem *m, uint64_t handle);
extern const uint8_t texel_bytes[]; /* by enum exec_texel */
/* Bytes from the first texel to the last; 0 when that is absurd. */
uint64_t tex_size(const struct exec_texture *t);
/* What a handle of a lane, or the reference it stands for, names; NULL: reported. */
const struct exec_texture *tex_of_lane(struct exec_ctx *x, const struct ir_insn *i, uint64_t handle,
                                       uint32_t lane, bool surface);
uint8_t *tex_bytes(struct exec_ctx *x, const struct ir_insn *i, const struct exec_texture *t, uint64_t handle,
                   uint32_t lane);

/* ---- image ---- */
struct exec_image {
    struct exec_mem *mem;
    const struct ir_module *m;
    exec_fn *fn[IR_NOPS];
    const struct exec_access *access;
    uint32_t *k32; /* 32 lanes each */
    uint64_t *k64;
    uint8_t *bank; /* the constant bank */
    uint64_t bank_bytes;
    uint64_t bank_at;   /* where it is memory like any other; 0: nowhere */
    uint64_t *addr;     /* of each variable: global address, or offset in the constant bank */
    uint64_t *texref;   /* handle bound to a .texref variable; 0: none */
    struct pages pages; /* of the launch under way */
    /* Constants that hold addresses of .shared variables. Their values are filled in for each kernel. */
    uint32_t *shared_relocs;
    size_t nshared_relocs;
    uint32_t shared_for; /* the kernel whose addresses they have now */
    /* What the functional engine keeps from launch to launch, so that one costs what it runs, not what the module has: */
    struct tally *tally; /* of every instruction; all 0 between launches; NULL: not made yet */
    struct {             /* functions that were called in this launch */
        uint32_t *v, n;
        bool *seen;
    } entered;
};

static inline void note_entered(struct exec_image *im, uint32_t func) {
    if (im->entered.seen[func]) return;
    im->entered.seen[func] = true;
    im->entered.v[im->entered.n++] = func;
}
void entered_clear(struct exec_image *im);

/* Fills the row of a relocated constant. */
void constant_fill(uint32_t *k32, uint64_t *k64, const struct ir_reloc *r, uint64_t value);

/* ---- executors ---- */
extern exec_fn *const exec_other[IR_NOPS]; /* the 'M' rows */
#define U(id, ...)
#define B(id, ...)
#define T(id, ...)
#define A(id, ...)
#define M(id, name, d, t, cls, mods, executor) exec_fn executor##_exec;
#include "ir/ops.def"

static inline uint32_t insn_pc(const struct exec_warp *w, const struct ir_insn *i) {
    return (uint32_t)(i - w->block->grid->module->code.v);
}

/* Ends the step with a fault. The words, where the kind needs any, go to grid->note (exec_note clears it
 * first). */
void exec_fault(struct exec_warp *w, const struct ir_insn *i, uint32_t lane, enum exec_fault_kind kind);
void exec_note(struct exec_warp *w, const struct ir_insn *i, uint32_t lane, enum exec_fault_kind kind,
               const char *fmt, ...) __attribute__((format(printf, 5, 6)));

static inline void out_jump(struct exec_out *o, uint32_t taken, uint32_t target) {
    o->flow = EXEC_JUMP;
    o->taken = taken;
    o->target = target;
    o->exited = o->waiting = 0;
    o->woke = false;
}

/* Lanes of mask go where out->pc says. One target for all is a plain jump, which spares the scheduler the regrouping. */
static inline void out_jump_each(struct exec_out *o, uint32_t mask) {
    const uint32_t target = o->pc[__builtin_ctz(mask)];
    uint32_t apart = 0;
    FOR_LANES(l, mask) apart |= o->pc[l] ^ target;
    out_jump(o, mask, target);
    if (apart) o->flow = EXEC_EACH;
}

/* Register access that does not know the file. */
static inline uint64_t opnd_get(const struct exec_ctx *x, ir_opnd o, uint32_t lane) {
    switch (ir_file(o)) {
    case IR_FILE_32: return exec_row32(x, o)[lane];
    case IR_FILE_64: return exec_row64(x, o)[lane];
    case IR_FILE_P: return exec_pred(x, o) >> lane & 1;
    default: return 0;
    }
}
static inline void opnd_put(const struct exec_ctx *x, ir_opnd o, uint32_t lane, uint64_t v) {
    if (ir_file(o) == IR_FILE_32)
        exec_row32(x, o)[lane] = (uint32_t)v;
    else if (ir_file(o) == IR_FILE_64)
        exec_row64(x, o)[lane] = v;
}

/* The row of an operand that is no predicate; NULL: it has none. */
static inline const void *opnd_row(const struct exec_ctx *x, ir_opnd o) {
    return ir_file(o) == IR_FILE_32   ? (const void *)exec_row32(x, o)
           : ir_file(o) == IR_FILE_64 ? (const void *)exec_row64(x, o)
                                      : NULL;
}
static inline uint64_t row_get(ir_opnd o, const void *row, uint32_t lane) {
    return ir_file(o) == IR_FILE_32   ? ((const uint32_t *)row)[lane]
           : ir_file(o) == IR_FILE_64 ? ((const uint64_t *)row)[lane]
                                      : 0;
}

/* What an atomic of that operation and row leaves behind (atom.c); shared: on shared memory. */
uint64_t atom_result(uint16_t op, uint8_t sub, uint64_t old, uint64_t b, uint64_t c, bool shared);

/* ---- mbarriers (mbar.c) ---- */
/* An operation of a lane on the mbarrier at p; what it held before goes to *old. False: a fault, reported. */
bool mbar_apply(struct exec_warp *w, const struct ir_insn *i, uint32_t lane, uint8_t *p, enum ir_mbar what,
                uint64_t n, uint64_t *old);

/* ---- addresses (access_find.c, resolve.c) ---- */
enum span { SPAN_FAULT, SPAN_LANES, SPAN_DENSE, SPAN_UNIFORM };
/* Where the bytes of an access are. DENSE: the mask is full and lane l's are at `at` + l times its bytes; UNIFORM: all
 * lanes' are at `at`; LANES: lane l's are at lane[l] + delta in the host's memory. FAULT: reported. */
struct reach {
    enum span span;
    uint8_t *at;
    const uint64_t *lane;
    uint64_t delta;
    uint64_t own[EXEC_LANES]; /* where lane may be; else it is access.addr */
};
static inline uint8_t *reach_lane(const struct reach *r, uint32_t lane, uint32_t bytes) {
    return r->span == SPAN_LANES     ? (uint8_t *)(uintptr_t)(r->lane[lane] + r->delta)
           : r->span == SPAN_UNIFORM ? r->at
                                     : r->at + (size_t)lane * bytes;
}
/* Checks the access of every lane of mask, says in x->out what it is, and finds its bytes. */
typedef enum span access_find_fn(struct exec_ctx *x, const struct ir_insn *i, ir_opnd base, uint32_t mask,
                                 uint32_t bytes, bool store, struct reach *r);
/* Does the work of access_find_fn lane by lane, once the addresses are in x->out. */
enum span resolve_each(struct exec_warp *w, const struct ir_insn *i, uint32_t mask, uint32_t bytes,
                       bool store, struct reach *r);
/* The bytes of each lane of mask one by one. False: a fault, reported. */
bool resolve(struct exec_ctx *x, const struct ir_insn *i, ir_opnd base, uint32_t mask, uint32_t bytes,
             bool store, uint8_t *at[EXEC_LANES]);
/* Any number of bytes of a lane, at any alignment, all in one piece of memory; or NULL with the reason. */
uint8_t *resolve_bytes(struct exec_warp *w, enum ir_space space, uint64_t addr, uint64_t bytes, uint32_t lane,
                       bool store, enum exec_fault_kind *why);
/* The bytes of one lane's access in a space, or NULL with the reason. */
uint8_t *resolve_lane(struct exec_warp *w, enum ir_space space, uint64_t addr, uint32_t bytes, uint32_t lane,
                      bool store, enum exec_fault_kind *why);
/* Bytes readable at a generic address of one lane (0: none), for strings. */
uint64_t resolve_span(struct exec_warp *w, uint64_t addr, uint32_t lane, const uint8_t **at);
void resolve_fault(struct exec_warp *w, const struct ir_insn *i, uint32_t lane, enum exec_fault_kind why,
                   enum ir_space space, uint64_t addr, uint32_t bytes, bool store);

/* ---- moving bytes that are found (access_move.c, atom.c): when the instruction runs, or later from a log ---- */
enum { MOVE_ROWS = 7 }; /* rows that an instruction may bring: all operands but an address */
typedef void access_load_fn(const struct exec_ctx *x, const struct ir_insn *i, uint32_t mask,
                            const struct reach *r);
/* rows: of the operands from i->o[1] on. */
typedef void access_store_fn(const struct ir_insn *i, uint32_t mask, const struct reach *r,
                             const void *const *rows);
/* What is compiled for every machine and for AVX2: a module uses one of them. */
struct exec_access {
    access_find_fn *find;
    access_load_fn *load;
    access_store_fn *store;
    exec_fn *ld, *st;
};
extern const struct exec_access exec_access_portable;
#if defined(__x86_64__)
extern const struct exec_access exec_access_avx2;
#endif
/* rows: of the operands behind the address. The old values go to x, if it is given. Returns whether anything changed. */
bool atom_bytes(const struct exec_ctx *x, const struct ir_insn *i, uint32_t mask, const struct reach *r,
                const void *const *rows, bool shared);
bool atom128_bytes(const struct exec_ctx *x, const struct ir_insn *i, uint32_t mask, const struct reach *r,
                   const void *const *rows);
static inline void opnd_rows(const struct exec_ctx *x, const ir_opnd *o, uint32_t n, const void **rows) {
    for (uint32_t k = 0; k < n; k++) rows[k] = opnd_row(x, o[k]);
}

/* ---- the log (log.c) of a grid that has one ---- */
/* Returns those of the lanes that are in global memory, whose accesses are deferred. */
uint32_t defer_lanes(const struct exec_ctx *x, const struct ir_insn *i, uint32_t mask);
void defer_load(const struct exec_ctx *x, const struct ir_insn *i, uint32_t lanes, const struct reach *r);
/* rows: what atom_bytes and access_store get; copied, those of constants aside. */
void defer_store(const struct exec_ctx *x, const struct ir_insn *i, uint32_t lanes, const struct reach *r,
                 const void *const *rows);
void defer_atom(const struct exec_ctx *x, const struct ir_insn *i, uint32_t lanes, const struct reach *r,
                const void *const *rows, bool shared, bool changed);

/* ---- barriers and exchange ---- */
static inline void lanes_block(struct exec_warp *w, uint32_t lanes) {
    w->block->blocked += bits_count(lanes & ~w->blocked);
    w->blocked |= lanes;
}
static inline void lanes_go_on(struct exec_warp *w, uint32_t lanes) {
    w->block->blocked -= bits_count(lanes & w->blocked);
    w->blocked &= ~lanes;
    w->released |= lanes;
}
/* A matrix instruction: sync.c makes these lanes of the warp wait for all others, tensor.c does it once they are there. */
void warp_meet_all(struct exec_warp *w, const struct ir_insn *i, uint32_t mask);
void tensor_consume(struct exec_ctx *x, const struct ir_insn *i, uint32_t lanes);
/* The row that a lane of stmatrix has the address of. */
void stmatrix_row(const struct exec_ctx *x, const struct ir_insn *i, uint32_t lane, uint8_t to[16]);
/* Takes account of lanes that exit and may have arrived at barriers. */
void bar_leave(struct exec_warp *w, uint32_t lanes);
/* and what an exit may complete. */
void bar_recheck(struct exec_block *b);
void warp_recheck(struct exec_warp *w);

/* ---- the race check (races.h): what others tell it, where grid->races, or grid->watching, is not NULL ---- */
bool races_begin(struct exec_races *r, struct exec_grid *g, struct err *e);
void races_end(struct exec_races *r);
void races_block_start(struct exec_block *b);
void races_block_free(struct exec_block *b);
void races_barrier(struct exec_block *b, uint32_t id); /* is complete; its threads still wait */
void races_cluster(struct exec_block *b);              /* its barrier is complete; some may still wait */
void races_met(struct exec_warp *w, uint32_t group, uint32_t member);    /* in bar.warp.sync */
void shadow_forget(struct exec_races *r, uint64_t addr, uint64_t bytes); /* memory is given out anew */

/* ---- tapes (tape.h): what others tell them, where launch->tape is not NULL ---- */
void tape_begin(struct exec_grid *g);
void tape_block_start(struct exec_block *b);
void tape_block_end(struct exec_block *b, bool complete);

/* ---- calls ---- */
/* Makes room for local memory [0, sp) of the lanes of a warp. */
bool local_reserve(struct exec_warp *w, uint32_t sp);

/* Puts a call on a lane's stack (ctrl.c); f: the function called. */
void call_push(struct exec_warp *w, uint32_t lane, const struct ir_func *f, struct exec_frame frame);
/* Lanes are gone for good. */
void lanes_retire(struct exec_warp *w, uint32_t lanes);
/* Jumps, calls and returns of machine code, in place of PTX's (machine.c), and branches, of one build (alu_rv_branch.c). */
void machine_executors(exec_fn *fn[IR_NOPS], exec_fn *bra);

/* ---- vprintf ---- */
struct format_args { /* the packed arguments of one thread */
    struct exec_warp *w;
    uint32_t lane;
    uint64_t at;  /* generic address of the next one */
    uint64_t bad; /* address that could not be read */
    bool failed;
    uint32_t count;
};
void format_print(struct sb *out, const char *fmt, struct format_args *a);
/* A NUL-terminated string at a generic address; NULL: not readable, or does not end. */
const char *lane_string(struct exec_warp *w, uint32_t lane, uint64_t addr);

#endif
