/* A warp on a machine with small pieces of memory at the edges of what an address can name, and a model of its loads, stores and
 * atomics.
 *
 * The numbers of the windows are written out here, and sums are of 128 bits, so that the model shares no mistake with the
 * executor. All memory that threads may reach is malloc's, each piece of its own, for AddressSanitizer. */
#ifndef TESTS_EXEC_WINDOWS_H
#define TESTS_EXEC_WINDOWS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "exec/deferred/deferred.h"
#include "exec/impl.h"

enum {
    SLOTS = 8, /* instructions that a case may overwrite */
    ROWS = 13, /* rows of each file: the address, what is loaded, what is stored or combined */
    ADDRESS = 0,
    RESULT = 1,
    SOURCE = 5
};
typedef unsigned __int128 wide;

/* Allocations: at the ends of what the heap may have, side by side, and where 32 and 63 bits end. */
static const struct {
    uint64_t addr, bytes;
} places[] = {{0x10000, 64},     {0x00ffff80, 128},        {0x10000000, 1024}, {0x20000004, 100},
              {0x20000068, 56},  {0x30000000, 4},          {0x30000010, 8},    {0xfffffe00, 512},
              {0x100000040, 64}, {0x7fffffffffffff00, 256}};
enum { PLACES = sizeof places / sizeof *places };

/* Bytes that windows have. */
struct sizes {
    uint32_t frame, shared, bank, params;
};

struct region { /* one that the threads share */
    uint64_t size;
    uint8_t *host, *want;
};

struct bench {
    struct sizes size;
    struct ir_module *m;
    struct exec_mem *mem;
    struct exec_image *im;
    struct exec_launch launch;
    struct exec_grid grid;
    struct exec_block block;
    struct exec_warp *w;
    struct exec_deferred *log;
    struct region place[PLACES], shared, bank, params, local;
    uint8_t *own[3]; /* shared memory, bank and parameters as they were made */
    struct err e;
};

/* ---- the machine ---- */

static inline struct ir_module *module(const struct sizes *s) {
    struct ir_module *m = ir_module_new("windows");
    m->address_bits = 64;
    for (int k = 0; k < SLOTS; k++)
        VEC_PUSH(&m->code, (struct ir_insn){.op = IR_LD_U8, .nd = 1, .ns = 1, .o = {RESULT, ADDRESS}});
    VEC_PUSH(&m->code, (struct ir_insn){.op = IR_RET});
    VEC_PUSH(&m->vars, (struct ir_var){.name = "bank", .space = IR_SP_CONST, .bytes = s->bank, .align = 8});
    VEC_PUSH(&m->funcs, (struct ir_func){.name = "k",
                                         .kernel = true,
                                         .defined = true,
                                         .end = SLOTS + 1,
                                         .shared_bytes = s->shared,
                                         .param_bytes = s->params,
                                         .frame_bytes = s->frame,
                                         .total_rows = {ROWS, ROWS, 1}});
    VEC_PUSH(&m->k32, 0);
    VEC_PUSH(&m->k64, 0);
    return m;
}

static inline struct region region(uint8_t *host, uint64_t size) {
    struct region r = {size, host, malloc(size + 1)};
    assert_non_null(r.want);
    return r;
}

/* Memory of its own for what an arena or a larger allocation would hold: nothing is behind its end. */
static inline struct region separate(uint8_t **at, uint64_t size, uint8_t **before) {
    *before = *at;
    *at = malloc(size);
    assert_non_null(*at);
    return region(*at, size);
}

static inline void place_all(struct bench *b) {
    for (int k = 0; k < PLACES; k++) {
        const struct exec_place p = {.bytes = places[k].bytes,
                                     .fixed = places[k].addr,
                                     .host = malloc(places[k].bytes),
                                     .label = "place"};
        uint64_t at;
        if (!exec_mem_place(b->mem, &p, &at, &b->e)) fail_msg("%s", err_text(&b->e));
        b->place[k] = region(p.host, p.bytes);
    }
}

static inline void bench_init(struct bench *b, const struct sizes *s, enum exec_isa isa) {
    static const uint8_t params[128];
    assert_true(s->params <= sizeof params);
    *b = (struct bench){
        .size = *s, .m = module(s), .mem = exec_mem_new(1 << 20, 0), .log = exec_deferred_new()};
    place_all(b);
    b->im = exec_image_new(b->mem, b->m, isa, &b->e);
    if (!b->im) fail_msg("%s", err_text(&b->e));
    b->launch = (struct exec_launch){
        .image = b->im, .grid = {1, 1, 1}, .block = {EXEC_LANES, 1, 1}, .params = params};
    assert_true(exec_grid_init(&b->grid, &b->launch, &b->e));
    assert_true(exec_block_alloc(&b->block, &b->grid, &b->e));
    exec_block_start(&b->block, 0);
    b->w = &b->block.warps[0];
    b->shared = separate(&b->block.shared, s->shared, &b->own[0]);
    b->bank = separate(&b->im->bank, s->bank, &b->own[1]);
    b->params = separate(&b->grid.params, s->params, &b->own[2]);
    b->local = region(b->w->local, (uint64_t)b->w->local_stride * EXEC_LANES);
}

static inline void bench_free(struct bench *b) {
    for (int k = 0; k < PLACES; k++) free(b->place[k].host), free(b->place[k].want);
    free(b->shared.host), free(b->bank.host), free(b->params.host);
    free(b->shared.want), free(b->bank.want), free(b->params.want), free(b->local.want);
    b->block.shared = b->own[0], b->im->bank = b->own[1], b->grid.params = b->own[2];
    exec_deferred_free(b->log);
    exec_block_free(&b->block);
    exec_grid_free(&b->grid);
    exec_image_free(b->im);
    exec_mem_free_all(b->mem);
    ir_module_free(b->m);
    err_free(&b->e);
}

static inline void each_region(struct bench *b, void (*call)(struct region *r, void *user), void *user) {
    for (int k = 0; k < PLACES; k++) call(&b->place[k], user);
    call(&b->shared, user), call(&b->bank, user), call(&b->params, user), call(&b->local, user);
}

static inline void fill(struct region *r, void *user) {
    for (uint64_t k = 0; k < r->size; k++) r->host[k] = r->want[k] = (uint8_t)rng_next(user);
}

static inline void compare(struct region *r, void *user) {
    *(bool *)user &= !r->size || !memcmp(r->host, r->want, r->size);
}

/* ---- a case ---- */

struct trial {
    struct bench *b;
    struct rng *g;
    struct ir_insn *i;
    uint32_t bytes, mask;
    bool store;
    uint64_t addr[EXEC_LANES]; /* address that the instruction forms, by the model */
    uint64_t r64[ROWS * EXEC_LANES];
    uint32_t r32[ROWS * EXEC_LANES]; /* what registers must hold */
};

/* ---- the model ---- */

static inline uint64_t size_in(const struct bench *b, enum ir_space space, uint32_t lane) {
    switch (space) {
    case IR_SP_SHARED: return b->size.shared;
    case IR_SP_CONST: return b->size.bank;
    case IR_SP_PARAM: return b->size.params;
    default: return b->w->sp[lane]; /* LOCAL, FRAME */
    }
}

/* What the instruction makes of its registers. */
static inline uint64_t formed(const struct trial *t, uint32_t lane) {
    const ir_opnd o = t->i->o[t->i->nd];
    const wide frame = t->i->space == IR_SP_FRAME ? t->b->w->frame[lane] : 0;
    const wide disp = (wide)(__int128)t->i->disp;
    const bool constant = ir_is_const(o);
    switch (ir_file(o)) {
    case IR_FILE_64: return (uint64_t)((constant ? t->b->im->k64[lane] : t->r64[lane]) + disp + frame);
    case IR_FILE_32:
        return (uint64_t)((uint32_t)((constant ? t->b->im->k32[lane] : t->r32[lane]) + disp) + frame);
    default: return (uint64_t)(disp + frame);
    }
}

static inline enum ir_space goes_to(enum ir_space said, uint64_t addr, uint64_t *at) {
    *at = addr;
    if (said == IR_SP_CONST && addr >= 0x10000000) return IR_SP_GLOBAL;
    if (said != IR_SP_GENERIC || addr < 0x01000000 || addr >= 0x0f000000)
        return said == IR_SP_GENERIC ? IR_SP_GLOBAL : said;
    if (addr < 0x02000000) return *at = addr - 0x01000000, IR_SP_SHARED;
    if (addr < 0x0a000000) return *at = addr - 0x02000000, IR_SP_LOCAL;
    if (addr < 0x0e000000) return *at = addr - 0x0a000000, IR_SP_CONST;
    return *at = addr - 0x0e000000, IR_SP_PARAM;
}

static inline uint8_t *global_bytes(const struct bench *b, uint64_t addr, uint32_t bytes) {
    for (int k = 0; k < PLACES; k++)
        if (addr >= places[k].addr && (wide)addr + bytes <= (wide)places[k].addr + places[k].bytes)
            return b->place[k].want + (addr - places[k].addr);
    return NULL;
}

/* Where the bytes of a lane's access are in the model's memory; NULL: a fault. */
static inline uint8_t *bytes_of(const struct trial *t, uint32_t lane, enum exec_fault_kind *why) {
    const struct bench *b = t->b;
    const enum ir_space said = (enum ir_space)t->i->space;
    uint64_t at;
    const enum ir_space space = goes_to(said, t->addr[lane], &at);
    const bool constant = said == IR_SP_CONST || space == IR_SP_CONST || space == IR_SP_PARAM;
    uint8_t *const want[IR_NSPACES] = {[IR_SP_SHARED] = b->shared.want,
                                       [IR_SP_CONST] = b->bank.want,
                                       [IR_SP_PARAM] = b->params.want,
                                       [IR_SP_LOCAL] = b->local.want + (size_t)lane * b->w->local_stride,
                                       [IR_SP_FRAME] = b->local.want + (size_t)lane * b->w->local_stride};
    uint8_t *p = NULL;
    if (space == IR_SP_GLOBAL)
        p = global_bytes(b, at, t->bytes);
    else if ((wide)at + t->bytes <= size_in(b, space, lane))
        p = want[space] + at;
    *why = at % t->bytes                           ? EXEC_F_ALIGN
           : t->store && constant                  ? EXEC_F_READONLY
           : p                                     ? EXEC_OK
           : space == IR_SP_GLOBAL && at < 0x10000 ? EXEC_F_NULL
                                                   : EXEC_F_BOUNDS;
    return *why ? NULL : p;
}

static inline uint64_t get(const uint8_t *p, uint32_t size) {
    uint64_t v = 0;
    for (uint32_t n = 0; n < size; n++) v |= (uint64_t)p[n] << 8 * n;
    return v;
}

static inline void put(uint8_t *p, uint32_t size, uint64_t v) {
    for (uint32_t n = 0; n < size; n++) p[n] = (uint8_t)(v >> 8 * n);
}

static inline uint64_t source(const struct trial *t, ir_opnd o, uint32_t lane) {
    const size_t at = (size_t)ir_index(o) * EXEC_LANES + lane;
    return ir_file(o) == IR_FILE_64 ? t->r64[at] : t->r32[at];
}

static inline void result(struct trial *t, ir_opnd o, uint32_t lane, uint64_t v) {
    const size_t at = (size_t)ir_index(o) * EXEC_LANES + lane;
    if (ir_file(o) == IR_FILE_64)
        t->r64[at] = v;
    else
        t->r32[at] = (uint32_t)v;
}

static inline void model_load(struct trial *t, uint32_t lane, const uint8_t *p) {
    const uint16_t op = t->i->op;
    const uint32_t size = t->bytes / t->i->vec;
    for (uint32_t k = 0; k < t->i->vec; k++) {
        uint64_t v = get(p + (size_t)k * size, size);
        if ((op == IR_LD_S8 || op == IR_LD_S16 || op == IR_LD_S32) && v >> (8 * size - 1))
            v |= ~UINT64_C(0) << 8 * size;
        if (op == IR_LD_BOX32) v |= UINT64_C(0xffffffff) << 32;
        result(t, t->i->o[k], lane, v);
    }
}

static inline void model_atom(struct trial *t, uint32_t lane, uint8_t *p) {
    const struct ir_insn *i = t->i;
    const uint32_t n = t->bytes > 8 ? 2 : 1, size = t->bytes / n;
    uint64_t old[2] = {0}, b[2] = {0}, c[2] = {0};
    bool same = true;
    for (uint32_t k = 0; k < n; k++) {
        old[k] = get(p + (size_t)k * size, size);
        b[k] = source(t, i->o[i->nd + 1 + k], lane);
        if (i->sub == IR_AT_CAS) c[k] = source(t, i->o[i->nd + 1 + n + k], lane);
        same &= size == 8 ? b[k] == old[k] : (b[k] ^ old[k]) << (64 - 8 * size) == 0;
    }
    for (uint32_t k = 0; k < n; k++) {
        const uint64_t new = i->sub == IR_AT_ADD    ? old[k] + b[k]
                             : i->sub == IR_AT_EXCH ? b[k]
                             : same                 ? c[k]
                                                    : old[k];
        put(p + (size_t)k * size, size, new);
        if (k >= i->nd) continue;
        result(t, i->o[k], lane,
               size == 4 && ir_file(i->o[k]) == IR_FILE_64 ? (uint64_t)(int32_t)old[k] : old[k]);
    }
}

static inline void model(struct trial *t, uint32_t lane, uint8_t *p) {
    const struct ir_insn *i = t->i;
    if (!t->store)
        model_load(t, lane, p);
    else if (ir_ops[i->op].cls == IR_C_ATOM)
        model_atom(t, lane, p);
    else
        for (uint32_t k = 0; k < i->vec; k++)
            put(p + (size_t)k * (t->bytes / i->vec), t->bytes / i->vec, source(t, i->o[1 + k], lane));
}

/* The first lane that faults, or EXEC_LANES. */
static inline uint32_t faulting(const struct trial *t, enum exec_fault_kind *why) {
    *why = EXEC_OK;
    FOR_LANES(l, t->mask)
    if (!bytes_of(t, l, why)) return l;
    return EXEC_LANES;
}

#endif
