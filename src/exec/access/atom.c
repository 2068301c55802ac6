/* Atomics: read, compute, write, lane after lane in lane order, so that a result never depends on anything
 * but the schedule. atom and red are one: red has no destination.
 *
 * Floating-point add rounds to nearest even. As on hardware (and in the PTX manual), atom.add.f32 on global
 * memory flushes subnormal inputs and results to zero of the same sign, on shared memory it does not; f64 and
 * the halves never flush. The sum of two halves is exact enough in f32 that rounding it again to a half is
 * the correctly rounded sum (24 >= 2 * 11 + 2 bits).
 *
 * An atom that leaves memory as it was (a failed compare-and-swap, an exchange of a taken lock) marks the warp as one that
 * may be waiting for another thread; a red tells the thread nothing that it could wait for. */
#include <math.h>

#include "exec/half.h"
#include "exec/impl.h"

#define INT_ATOM(T, U)                                                          \
    static U atom_##T(uint8_t sub, U old, U b, U c) {                           \
        switch (sub) {                                                          \
        case IR_AT_ADD: return (U)(old + b);                                    \
        case IR_AT_MIN: return (T)old < (T)b ? old : b;                         \
        case IR_AT_MAX: return (T)old > (T)b ? old : b;                         \
        case IR_AT_AND: return old & b;                                         \
        case IR_AT_OR: return old | b;                                          \
        case IR_AT_XOR: return old ^ b;                                         \
        case IR_AT_EXCH: return b;                                              \
        case IR_AT_CAS: return old == b ? c : old;                              \
        case IR_AT_INC: return old >= b ? 0 : (U)(old + 1);                     \
        default: return old == 0 || old > b ? b : (U)(old - 1); /* IR_AT_DEC */ \
        }                                                                       \
    }
INT_ATOM(uint16_t, uint16_t)
INT_ATOM(uint32_t, uint32_t)
INT_ATOM(int32_t, uint32_t)
INT_ATOM(uint64_t, uint64_t)
INT_ATOM(int64_t, uint64_t)

static float atom_flush(float f) {
    return fpclassify(f) == FP_SUBNORMAL ? copysignf(0.0f, f) : f;
}

/* PTX gives one NaN for all: the canonical one. */
static uint32_t atom_f32(uint8_t sub, uint32_t old, uint32_t b, bool ftz) {
    float x = f32_from(old), y = f32_from(b);
    if (sub == IR_AT_EXCH) return b;
    if (sub == IR_AT_MIN) return f32_bits(fminf(x, y));
    if (sub == IR_AT_MAX) return f32_bits(fmaxf(x, y));
    float sum = ftz ? atom_flush(atom_flush(x) + atom_flush(y)) : x + y;
    return isnan(sum) ? 0x7fffffffu : f32_bits(sum);
}

static uint64_t atom_f64(uint8_t sub, uint64_t old, uint64_t b) {
    double x = f64_from(old), y = f64_from(b);
    if (sub == IR_AT_EXCH) return b;
    if (sub == IR_AT_MIN) return f64_bits(fmin(x, y));
    if (sub == IR_AT_MAX) return f64_bits(fmax(x, y));
    return isnan(x + y) ? 0x7fffffffffffffffu : f64_bits(x + y);
}

static uint16_t atom_half(uint8_t sub, uint16_t old, uint16_t b, bool bf) {
    float x = bf ? bf16_to_float(old) : f16_to_float(old), y = bf ? bf16_to_float(b) : f16_to_float(b);
    if (sub == IR_AT_EXCH) return b;
    float r = sub == IR_AT_MIN ? fminf(x, y) : sub == IR_AT_MAX ? fmaxf(x, y) : x + y;
    return (uint16_t)(bf ? bf16_from_float(r) : f16_from_float(r));
}

static uint32_t atom_half2(uint8_t sub, uint32_t old, uint32_t b, bool bf) {
    uint32_t lo = atom_half(sub, (uint16_t)old, (uint16_t)b, bf);
    uint32_t hi = atom_half(sub, (uint16_t)(old >> 16), (uint16_t)(b >> 16), bf);
    return hi << 16 | lo;
}

static inline __attribute__((always_inline)) uint64_t result(uint16_t op, uint8_t sub, uint64_t old,
                                                             uint64_t b, uint64_t c, bool shared) {
    switch (op) {
    case IR_ATOM_U16: return atom_uint16_t(sub, (uint16_t)old, (uint16_t)b, (uint16_t)c);
    case IR_ATOM_U32: return atom_uint32_t(sub, (uint32_t)old, (uint32_t)b, (uint32_t)c);
    case IR_ATOM_S32: return atom_int32_t(sub, (uint32_t)old, (uint32_t)b, (uint32_t)c);
    case IR_ATOM_U64: return atom_uint64_t(sub, old, b, c);
    case IR_ATOM_S64: return atom_int64_t(sub, old, b, c);
    case IR_ATOM_F16: return atom_half(sub, (uint16_t)old, (uint16_t)b, false);
    case IR_ATOM_BF16: return atom_half(sub, (uint16_t)old, (uint16_t)b, true);
    case IR_ATOM_F16X2: return atom_half2(sub, (uint32_t)old, (uint32_t)b, false);
    case IR_ATOM_BF16X2: return atom_half2(sub, (uint32_t)old, (uint32_t)b, true);
    case IR_ATOM_F32: return atom_f32(sub, (uint32_t)old, (uint32_t)b, !shared);
    default: return atom_f64(sub, old, b);
    }
}

uint64_t atom_result(uint16_t op, uint8_t sub, uint64_t old, uint64_t b, uint64_t c, bool shared) {
    return result(op, sub, old, b, c, shared);
}

static bool in_shared(const struct exec_block *b, const uint8_t *p) {
    return (uintptr_t)p - (uintptr_t)b->shared < b->grid->shared_bytes;
}

/* With the operation a constant, so that everything but the kind of atomic is decided outside the loop. */
static inline __attribute__((always_inline)) bool atom_lanes(const struct exec_ctx *x,
                                                             const struct ir_insn *i, uint32_t mask,
                                                             const struct reach *r, const void *const *rows,
                                                             bool shared, uint16_t op, uint32_t bytes) {
    const ir_opnd *o = i->o + i->nd + 1;
    const ir_opnd d = i->nd && x ? i->o[0] : IR_NONE;
    bool changed = false;
    FOR_LANES(l, mask) {
        uint8_t *p = reach_lane(r, l, bytes);
        uint64_t old = 0, b = row_get(o[0], rows[0], l), c = i->ns > 2 ? row_get(o[1], rows[1], l) : 0;
        memcpy(&old, p, bytes);
        uint64_t new = result(op, i->sub, old, b, c, shared);
        memcpy(p, &new, bytes);
        changed |= new != old;
        if (bytes == 4 && ir_file(d) == IR_FILE_64) old = (uint64_t)(int32_t)old; /* RISC-V's */
        if (ir_file(d) != IR_FILE_NONE) opnd_put(x, d, l, old);
    }
    return changed;
}

bool atom_bytes(const struct exec_ctx *x, const struct ir_insn *i, uint32_t mask, const struct reach *r,
                const void *const *rows, bool shared) {
    switch (i->op) {
    case IR_ATOM_U32: return atom_lanes(x, i, mask, r, rows, shared, IR_ATOM_U32, 4);
    case IR_ATOM_S32: return atom_lanes(x, i, mask, r, rows, shared, IR_ATOM_S32, 4);
    case IR_ATOM_F32: return atom_lanes(x, i, mask, r, rows, shared, IR_ATOM_F32, 4);
    case IR_ATOM_U64: return atom_lanes(x, i, mask, r, rows, shared, IR_ATOM_U64, 8);
    default: return atom_lanes(x, i, mask, r, rows, shared, i->op, ir_type_bytes[ir_ops[i->op].type]);
    }
}

void atom_exec(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    const uint32_t bytes = ir_type_bytes[ir_ops[i->op].type];
    const struct exec_grid *g = x->warp->block->grid;
    struct reach r;
    const void *rows[MOVE_ROWS];
    if (g->image->access->find(x, i, i->o[i->nd], mask, bytes, true, &r) == SPAN_FAULT) return;
    const bool shared = in_shared(x->warp->block, reach_lane(&r, (uint32_t)__builtin_ctz(mask), bytes));
    const uint32_t later = g->deferred ? defer_lanes(x, i, mask) : 0;
    opnd_rows(x, i->o + i->nd + 1, i->ns - 1u, rows);
    mask &= ~later;
    const bool changed = mask && atom_bytes(x, i, mask, &r, rows, shared);
    if (later)
        defer_atom(x, i, later, &r, rows, shared, changed);
    else if (!changed && i->nd)
        x->warp->spun = true;
}

/* exch and cas of 16 bytes. */
bool atom128_bytes(const struct exec_ctx *x, const struct ir_insn *i, uint32_t mask, const struct reach *r,
                   const void *const *rows) {
    bool changed = false;
    FOR_LANES(l, mask) {
        uint8_t *p = reach_lane(r, l, 16);
        uint64_t old[2], b[2], new[2];
        memcpy(old, p, 16);
        for (uint32_t k = 0; k < 2; k++) {
            b[k] = row_get(i->o[3 + k], rows[k], l);
            new[k] = i->sub == IR_AT_CAS ? row_get(i->o[5 + k], rows[2 + k], l) : b[k];
        }
        if (i->sub == IR_AT_CAS && memcmp(old, b, 16)) memcpy(new, old, 16);
        memcpy(p, new, 16);
        changed |= memcmp(old, new, 16) != 0;
        for (uint32_t k = 0; k < 2 && x; k++) opnd_put(x, i->o[k], l, old[k]);
    }
    return changed;
}

void atom128_exec(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    const struct exec_grid *g = x->warp->block->grid;
    struct reach r;
    const void *rows[MOVE_ROWS];
    if (g->image->access->find(x, i, i->o[2], mask, 16, true, &r) == SPAN_FAULT) return;
    const uint32_t later = g->deferred ? defer_lanes(x, i, mask) : 0;
    opnd_rows(x, i->o + 3, i->ns - 1u, rows);
    mask &= ~later;
    const bool changed = mask && atom128_bytes(x, i, mask, &r, rows);
    if (later)
        defer_atom(x, i, later, &r, rows, false, changed);
    else if (!changed)
        x->warp->spun = true;
}
