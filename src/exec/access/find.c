/* Where the bytes of a warp's access are: the common cases, decided for the row at once.
 *
 * Nearly every access lies in one piece of memory: an allocation, the block's shared memory, the parameters or the constant
 * bank. The first running lane says which. Then the row is either one address, or consecutive elements of all 32 lanes,
 * or anything else within that piece; lanes that do not run are given the first running lane's address, so that loops
 * without branches see the whole row. Where only a few lanes run (pieces of a warp mixed from many) only they are looked at.
 * All else, faults among it, goes lane by lane (resolve.c).
 *
 * Compiled for every machine and for AVX2, like the arithmetic (ALU in the Makefile). */
#include "exec/access/access.h"

enum { FEW = 8 }; /* lanes: up to here one by one costs less than the whole row */

struct piece { /* [lo, lo + size) among the instruction's addresses is at host */
    uint64_t lo, size;
    uint8_t *host;
    enum ir_space space;
};

/* The piece that an address is in; false: in none that the access may be to, or one of each lane. */
static bool find_piece(struct exec_warp *w, const struct ir_insn *i, uint64_t addr, uint32_t bytes,
                       bool store, struct piece *p) {
    struct exec_grid *g = w->block->grid;
    uint64_t offset = addr;
    const enum ir_space space = exec_decode((enum ir_space)i->space, &offset);
    p->lo = addr - offset;
    p->space = space;
    switch (space) {
    case IR_SP_GLOBAL: {
        if (i->space == IR_SP_CONST && store) return false;
        const struct exec_alloc *a = exec_grid_find(g, exec_hit_of(i), addr, bytes);
        if (!a) return false;
        *p = (struct piece){a->addr, a->bytes, a->host, IR_SP_GLOBAL};
        return true;
    }
    case IR_SP_SHARED:
        p->size = g->shared_bytes;
        p->host = w->block->shared;
        break;
    case IR_SP_CONST:
        if (store) return false;
        p->size = g->image->bank_bytes;
        p->host = g->image->bank;
        break;
    case IR_SP_PARAM:
        if (store) return false;
        p->size = g->func->param_bytes;
        p->host = g->params;
        break;
    default: return false;
    }
    return p->size >= bytes;
}

/* ---- addresses ---- */

static inline uint64_t lane_address(const struct exec_ctx *x, const struct ir_insn *i, ir_opnd base,
                                    uint32_t lane, enum ir_file file) {
    const uint64_t disp = (uint64_t)(int64_t)i->disp,
                   frame = i->space == IR_SP_FRAME ? x->warp->frame[lane] : 0;
    switch (file) {
    case IR_FILE_64: return exec_row64(x, base)[lane] + disp + frame;
    case IR_FILE_32: /* wraps at 32 bits */
        return (uint32_t)(exec_row32(x, base)[lane] + (uint32_t)disp) + frame;
    default: return disp + frame;
    }
}

/* How far lane l is from lane 0: in [0] not at all, in [1 + k] l << k bytes. A table, since 64-bit products and shifts by a
 * variable are slow in vectors. */
#define RAMP4(l, k)  (l) << (k), ((l) + 1) << (k), ((l) + 2) << (k), ((l) + 3) << (k)
#define RAMP16(l, k) RAMP4(l, k), RAMP4((l) + 4, k), RAMP4((l) + 8, k), RAMP4((l) + 12, k)
#define RAMP(k) \
    { RAMP16(0, k), RAMP16(16, k) }
enum { WIDEST = 6 };
static const uint64_t ramps[1 + WIDEST][EXEC_LANES] = {{0},     RAMP(0), RAMP(1), RAMP(2),
                                                       RAMP(3), RAMP(4), RAMP(5)};

/* All addresses; returns whether they are as far apart as the ramp says. */
static inline __attribute__((always_inline)) bool
wide_row(const uint64_t *restrict r, uint64_t disp, const uint64_t *restrict ramp, uint64_t *restrict addr) {
    const uint64_t first = r[0] + disp;
    uint64_t apart = 0;
    for (uint32_t l = 0; l < EXEC_LANES; l++) {
        const uint64_t a = r[l] + disp;
        addr[l] = a;
        apart |= (a - first) ^ ramp[l];
    }
    return !apart;
}

/* Does what wide_row does for 32-bit addresses, which wrap. */
static inline __attribute__((always_inline)) bool narrow_row(const uint32_t *restrict r, uint32_t disp,
                                                             const uint64_t *restrict ramp,
                                                             uint64_t *restrict addr) {
    const uint64_t first = (uint32_t)(r[0] + disp);
    uint64_t apart = 0;
    for (uint32_t l = 0; l < EXEC_LANES; l++) {
        const uint64_t a = (uint32_t)(r[l] + disp);
        addr[l] = a;
        apart |= (a - first) ^ ramp[l];
    }
    return !apart;
}

/* Lanes outside mask get the address `first`; returns whether all have it. */
static bool keep_lanes(uint64_t *restrict addr, uint32_t mask, uint64_t first) {
    const uint64_t wide = mask;
    uint64_t apart = 0;
    for (uint32_t l = 0; l < EXEC_LANES; l++) {
        addr[l] = wide & alu_bit64[l] ? addr[l] : first;
        apart |= addr[l] ^ first;
    }
    return !apart;
}

/* The addresses of a row; returns whether they are evenly *step apart, which is 0 or bytes. */
static bool row_addresses(const struct exec_ctx *x, const struct ir_insn *i, ir_opnd base, uint32_t mask,
                          uint32_t bytes, uint64_t first, uint64_t *step) {
    const bool wide = ir_file(base) == IR_FILE_64;
    const uint64_t *r64 = exec_row64(x, base);
    const uint32_t *r32 = exec_row32(x, base);
    uint64_t *addr = x->out->access.addr;
    const bool dense = mask == ~0u && (wide ? r64[1] - r64[0] : r32[1] - r32[0]) == bytes;
    const uint64_t *ramp = ramps[dense ? 1 + __builtin_ctz(bytes) : 0];
    const bool even = wide ? wide_row(r64, (uint64_t)(int64_t)i->disp, ramp, addr)
                           : narrow_row(r32, (uint32_t)i->disp, ramp, addr);
    *step = dense ? bytes : 0;
    return mask == ~0u ? even : keep_lanes(addr, mask, first);
}

static bool same_addresses(const struct exec_ctx *x, uint64_t first, uint64_t *step) {
    uint64_t *addr = x->out->access.addr;
    for (uint32_t l = 0; l < EXEC_LANES; l++) addr[l] = first;
    *step = 0;
    return true;
}

/* ---- spans ---- */

/* The top bit of what is collected says whether some offset is beyond room, which is less than 2^63. */
#define BEYOND(off, room) (((room) - (off)) | (off))

static enum span scattered(const struct exec_ctx *x, const struct piece *p, struct reach *r) {
    r->lane = x->out->access.addr;
    r->delta = (uint64_t)(uintptr_t)p->host - p->lo;
    return r->span = SPAN_LANES;
}

static enum span even(uint64_t first, uint64_t step, const struct piece *p, struct reach *r) {
    r->at = p->host + (first - p->lo);
    return r->span = step ? SPAN_DENSE : SPAN_UNIFORM;
}

static inline __attribute__((always_inline)) bool few_of_file(const struct exec_ctx *x,
                                                              const struct ir_insn *i, ir_opnd base,
                                                              uint32_t mask, uint64_t lo, uint64_t room,
                                                              uint32_t bytes, enum ir_file file) {
    uint64_t *addr = x->out->access.addr, low = 0, beyond = 0;
    FOR_LANES(l, mask) {
        const uint64_t a = lane_address(x, i, base, l, file), off = a - lo;
        addr[l] = a;
        low |= a;
        beyond |= BEYOND(off, room);
    }
    return !(beyond >> 63) && !(low & (bytes - 1));
}

static enum span span_of_few(struct exec_ctx *x, const struct ir_insn *i, ir_opnd base, uint32_t mask,
                             uint32_t bytes, const struct piece *p, struct reach *r) {
    const uint64_t lo = p ? p->lo : 0, room = p ? p->size - bytes : 0;
    const bool good = ir_file(base) == IR_FILE_64
                          ? few_of_file(x, i, base, mask, lo, room, bytes, IR_FILE_64)
                          : few_of_file(x, i, base, mask, lo, room, bytes, ir_file(base));
    return p && good ? scattered(x, p, r) : SPAN_FAULT;
}

static bool row_within(const uint64_t *restrict addr, const struct piece *p, uint32_t bytes) {
    const uint64_t room = p->size - bytes, lo = p->lo;
    uint64_t low = 0, beyond = 0;
    for (uint32_t l = 0; l < EXEC_LANES; l++) {
        const uint64_t off = addr[l] - lo;
        low |= addr[l];
        beyond |= BEYOND(off, room);
    }
    return !(beyond >> 63) && !(low & (bytes - 1));
}

static bool even_within(uint64_t first, uint64_t step, const struct piece *p, uint32_t bytes) {
    const uint64_t room = p->size - bytes, off = first - p->lo;
    return !(first & (bytes - 1)) && off <= room && (EXEC_LANES - 1) * step <= room - off;
}

static enum span span_of_row(struct exec_ctx *x, const struct ir_insn *i, ir_opnd base, uint32_t mask,
                             uint32_t bytes, uint64_t first, const struct piece *p, struct reach *r) {
    const uint64_t *addr = x->out->access.addr;
    uint64_t step;
    const bool constant = ir_file(base) == IR_FILE_NONE || ir_is_const(base);
    const bool evenly =
        constant ? same_addresses(x, first, &step) : row_addresses(x, i, base, mask, bytes, first, &step);
    if (!p) return SPAN_FAULT;
    if (evenly) return even_within(addr[0], step, p, bytes) ? even(addr[0], step, p, r) : SPAN_FAULT;
    return row_within(addr, p, bytes) ? scattered(x, p, r) : SPAN_FAULT;
}

/* Local memory: a piece for each lane. The frame's address is added to each lane's. */
static enum span span_of_locals(struct exec_ctx *x, const struct ir_insn *i, ir_opnd base, uint32_t mask,
                                uint32_t bytes, struct reach *r) {
    const struct exec_warp *w = x->warp;
    uint64_t *addr = x->out->access.addr, low = 0, bad = 0;
    const uint64_t local = (uint64_t)(uintptr_t)w->local;
    FOR_LANES(l, mask) {
        const uint64_t a = lane_address(x, i, base, l, ir_file(base));
        addr[l] = a;
        low |= a;
        bad |= (uint64_t)(w->sp[l] < bytes || a > w->sp[l] - bytes);
        r->own[l] = local + (uint64_t)l * w->local_stride + a;
    }
    r->lane = r->own;
    r->delta = 0;
    return r->span = bad || low & (bytes - 1) ? SPAN_FAULT : SPAN_LANES;
}

/* Local memory by generic addresses, as machine code has its stack; what a store reaches is noted for who clears it. Lanes that
 * do not run are computed, too, so that the loop becomes vectors. The top bit of `beyond` says that some lane is below 0 or
 * above `last`, its last place. `last` has 64 bits: it is below 0 for a thread whose frame is smaller than the access, or that
 * has none, and then every place is above it. (The difference only wraps for places above 2^63 - bytes, which are not
 * aligned.) */
static enum span span_of_stacks(struct exec_ctx *x, const struct ir_insn *i, ir_opnd base, uint64_t mask,
                                uint32_t bytes, bool store, struct reach *r) {
    struct exec_warp *w = x->warp;
    const uint64_t *restrict row = exec_row64(x, base), disp = (uint64_t)(int64_t)i->disp - EXEC_WIN_LOCAL;
    const uint32_t *restrict sp = w->sp;
    uint64_t *restrict addr = x->out->access.addr, *restrict own = r->own;
    uint64_t any = 0, all = ~UINT64_C(0), beyond = 0, at = (uint64_t)(uintptr_t)w->local;
    for (uint32_t l = 0; l < EXEC_LANES; l++, at += w->local_stride) {
        const uint64_t a = row[l] + disp, runs = mask & alu_bit64[l] ? ~UINT64_C(0) : 0;
        const uint64_t last = (uint64_t)sp[l] - bytes;
        addr[l] = a + EXEC_WIN_LOCAL;
        own[l] = at + a;
        any |= a & runs;
        all &= a | ~runs;
        beyond |= (a | (last - a)) & runs;
    }
    r->lane = r->own;
    r->delta = 0;
    if (beyond >> 63 || any & (bytes - 1)) return SPAN_FAULT;
    if (store && all < w->local_low) w->local_low = (uint32_t)all; /* no higher than the lowest of them */
    return r->span = SPAN_LANES;
}

static bool is_stack(const struct ir_insn *i, ir_opnd base, uint64_t addr) {
    return i->space == IR_SP_GENERIC && addr - EXEC_WIN_LOCAL < EXEC_MAX_LOCAL && !ir_is_const(base) &&
           ir_file(base) == IR_FILE_64;
}

enum span ALU_NAME(access_find)(struct exec_ctx *x, const struct ir_insn *i, ir_opnd base, uint32_t mask,
                                uint32_t bytes, bool store, struct reach *r) {
    struct exec_out *o = x->out;
    struct piece p;
    enum span s = SPAN_FAULT;
    o->access.mask = mask;
    o->access.bytes = bytes;
    o->access.space = (enum ir_space)i->space;
    o->access.found = IR_SP_GENERIC;
    o->access.store = store;
    if (i->space == IR_SP_LOCAL || i->space == IR_SP_FRAME) {
        s = span_of_locals(x, i, base, mask, bytes, r);
    } else {
        const uint64_t first = lane_address(x, i, base, (uint32_t)__builtin_ctz(mask), ir_file(base));
        if (is_stack(i, base, first)) {
            s = span_of_stacks(x, i, base, mask, bytes, store, r);
            if (s != SPAN_FAULT) o->access.found = IR_SP_LOCAL;
            return s != SPAN_FAULT ? s : resolve_each(x->warp, i, mask, bytes, store, r);
        }
        const struct piece *found = find_piece(x->warp, i, first, bytes, store, &p) ? &p : NULL;
        s = bits_count(mask) > FEW ? span_of_row(x, i, base, mask, bytes, first, found, r)
                                   : span_of_few(x, i, base, mask, bytes, found, r);
        if (s != SPAN_FAULT) o->access.found = p.space;
    }
    return s != SPAN_FAULT ? s : resolve_each(x->warp, i, mask, bytes, store, r);
}
