/* Loads and stores of every type, width and space. resolve() has found the bytes; here they move, or go to the log (log.c).
 *
 * The three shapes resolve() tells apart are what kernels do: a full warp on consecutive elements is one copy
 * of the row, one address for all is one read and a fill, and the rest goes lane by lane. */
#include "exec/impl.h"

/* Reads one element and extends it as its type says; the caller truncates to the destination's file. */
#define READ(T)                                         \
    static inline uint64_t read_##T(const uint8_t *p) { \
        T v;                                            \
        memcpy(&v, p, sizeof v);                        \
        return (uint64_t)(int64_t)v;                    \
    }
READ(uint8_t)
READ(int8_t)
READ(uint16_t)
READ(int16_t)
READ(uint32_t)
READ(int32_t)
READ(uint64_t)

#define GATHER(D, T)                                                                               \
    static void gather_##D##_##T(D *restrict d, uint8_t *const *at, uint32_t off, uint32_t mask) { \
        if (mask == ~0u) {                                                                         \
            for (int l = 0; l < EXEC_LANES; l++) d[l] = (D)read_##T(at[l] + off);                  \
        } else {                                                                                   \
            FOR_LANES(l, mask) d[l] = (D)read_##T(at[l] + off);                                    \
        }                                                                                          \
    }
GATHER(uint32_t, uint8_t)
GATHER(uint32_t, int8_t)
GATHER(uint32_t, uint16_t)
GATHER(uint32_t, int16_t)
GATHER(uint32_t, uint32_t)
GATHER(uint32_t, uint64_t)
GATHER(uint64_t, uint8_t)
GATHER(uint64_t, int8_t)
GATHER(uint64_t, uint16_t)
GATHER(uint64_t, int16_t)
GATHER(uint64_t, uint32_t)
GATHER(uint64_t, int32_t)
GATHER(uint64_t, uint64_t)

static uint64_t read_one(uint16_t op, const uint8_t *p) {
    switch (op) {
    case IR_LD_U8: return read_uint8_t(p);
    case IR_LD_S8: return read_int8_t(p);
    case IR_LD_U16: return read_uint16_t(p);
    case IR_LD_S16: return read_int16_t(p);
    case IR_LD_U32: return read_uint32_t(p);
    case IR_LD_S32: return read_int32_t(p);
    default: return read_uint64_t(p);
    }
}

static void fill32(uint32_t *restrict d, uint32_t v, uint32_t mask) {
    for (uint32_t l = 0; l < EXEC_LANES; l++) d[l] = mask >> l & 1 ? v : d[l];
}
static void fill64(uint64_t *restrict d, uint64_t v, uint32_t mask) {
    for (uint32_t l = 0; l < EXEC_LANES; l++) d[l] = mask >> l & 1 ? v : d[l];
}

static void load_uniform(const struct exec_ctx *x, ir_opnd d, uint16_t op, const uint8_t *p, uint32_t mask) {
    uint64_t v = read_one(op, p);
    if (ir_file(d) == IR_FILE_32)
        fill32(exec_row32(x, d), (uint32_t)v, mask);
    else
        fill64(exec_row64(x, d), v, mask);
}

static void load_lanes(const struct exec_ctx *x, ir_opnd d, uint16_t op, uint8_t *const *at, uint32_t off,
                       uint32_t mask) {
    if (ir_file(d) == IR_FILE_32) {
        uint32_t *r = exec_row32(x, d);
        switch (op) {
        case IR_LD_U8: gather_uint32_t_uint8_t(r, at, off, mask); break;
        case IR_LD_S8: gather_uint32_t_int8_t(r, at, off, mask); break;
        case IR_LD_U16: gather_uint32_t_uint16_t(r, at, off, mask); break;
        case IR_LD_S16: gather_uint32_t_int16_t(r, at, off, mask); break;
        case IR_LD_U64: gather_uint32_t_uint64_t(r, at, off, mask); break;
        default: gather_uint32_t_uint32_t(r, at, off, mask);
        }
    } else {
        uint64_t *r = exec_row64(x, d);
        switch (op) {
        case IR_LD_U8: gather_uint64_t_uint8_t(r, at, off, mask); break;
        case IR_LD_S8: gather_uint64_t_int8_t(r, at, off, mask); break;
        case IR_LD_U16: gather_uint64_t_uint16_t(r, at, off, mask); break;
        case IR_LD_S16: gather_uint64_t_int16_t(r, at, off, mask); break;
        case IR_LD_U32: gather_uint64_t_uint32_t(r, at, off, mask); break;
        case IR_LD_S32: gather_uint64_t_int32_t(r, at, off, mask); break;
        default: gather_uint64_t_uint64_t(r, at, off, mask);
        }
    }
}

static void spread(uint8_t *at[EXEC_LANES], uint32_t bytes) {
    for (uint32_t l = 1; l < EXEC_LANES; l++) at[l] = at[0] + (size_t)l * bytes;
}

/* A whole row in one copy: one element per lane, as wide as the register. */
static bool load_row(const struct exec_ctx *x, const struct ir_insn *i, const uint8_t *p) {
    if (i->vec > 1) return false;
    if (ir_file(i->o[0]) == IR_FILE_32 && (i->op == IR_LD_U32 || i->op == IR_LD_S32))
        return memcpy(exec_row32(x, i->o[0]), p, EXEC_LANES * 4), true;
    if (ir_file(i->o[0]) == IR_FILE_64 && i->op == IR_LD_U64)
        return memcpy(exec_row64(x, i->o[0]), p, EXEC_LANES * 8), true;
    return false;
}

/* Loads that other threads' stores are expected to change: what a waiting loop is made of. */
static bool looks_like_waiting(const struct ir_insn *i) {
    return (i->mods & IR_M_VOLATILE) || i->cop == IR_COP_CV || i->cop == IR_COP_ORDERED;
}

void load_bytes(const struct exec_ctx *x, const struct ir_insn *i, uint32_t mask, enum span s,
                uint8_t *at[EXEC_LANES]) {
    const uint32_t size = ir_type_bytes[ir_ops[i->op].type], n = i->vec > 1 ? i->vec : 1;
    if (s == SPAN_DENSE && load_row(x, i, at[0])) return;
    if (s == SPAN_DENSE) spread(at, size * n);
    for (uint32_t k = 0; k < n && k < i->nd; k++) {
        if (ir_file(i->o[k]) == IR_FILE_NONE) continue;
        if (s == SPAN_UNIFORM)
            load_uniform(x, i->o[k], i->op, at[0] + k * size, mask);
        else
            load_lanes(x, i->o[k], i->op, at, k * size, mask);
    }
}

void ld_exec(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    const uint32_t size = ir_type_bytes[ir_ops[i->op].type], n = i->vec > 1 ? i->vec : 1;
    uint8_t *at[EXEC_LANES];
    enum span s = resolve(x, i, i->o[i->nd], mask, size * n, false, at);
    if (s == SPAN_FAULT) return;
    if (looks_like_waiting(i)) x->warp->spun = true;
    if (x->warp->block->grid->log) {
        const uint32_t later = log_lanes(x, i, mask, s);
        if (later) log_load(x, i, later, s, at);
        if (!(mask &= ~later)) return;
    }
    load_bytes(x, i, mask, s, at);
}

static void write_one(uint8_t *p, uint64_t v, uint32_t size) {
    switch (size) {
    case 1: *p = (uint8_t)v; break;
    case 2: memcpy(p, &(uint16_t){(uint16_t)v}, 2); break;
    case 4: memcpy(p, &(uint32_t){(uint32_t)v}, 4); break;
    default: memcpy(p, &v, 8);
    }
}

static void store_lanes(ir_opnd a, const void *row, uint8_t *const *at, uint32_t off, uint32_t size,
                        uint32_t mask) {
    if (ir_file(a) == IR_FILE_32) {
        const uint32_t *r = row;
        if (size == 4) {
            FOR_LANES(l, mask) memcpy(at[l] + off, &r[l], 4);
        } else {
            FOR_LANES(l, mask) write_one(at[l] + off, r[l], size);
        }
    } else if (ir_file(a) == IR_FILE_64) {
        const uint64_t *r = row;
        FOR_LANES(l, mask) write_one(at[l] + off, r[l], size);
    }
}

static bool store_row(const struct ir_insn *i, ir_opnd a, const void *row, uint8_t *p) {
    if (i->vec > 1) return false;
    if (ir_file(a) == IR_FILE_32 && i->op == IR_ST_U32) return memcpy(p, row, EXEC_LANES * 4), true;
    if (ir_file(a) == IR_FILE_64 && i->op == IR_ST_U64) return memcpy(p, row, EXEC_LANES * 8), true;
    return false;
}

/* Several lanes at one address: the highest lane's value stays, as if they stored in order. */
void store_bytes(const struct ir_insn *i, uint32_t mask, enum span s, uint8_t *at[EXEC_LANES],
                 const void *const *rows) {
    const uint32_t size = ir_type_bytes[ir_ops[i->op].type], n = i->vec > 1 ? i->vec : 1;
    if (s == SPAN_DENSE && store_row(i, i->o[1], rows[0], at[0])) return;
    if (s == SPAN_DENSE) spread(at, size * n);
    if (s == SPAN_UNIFORM)
        for (uint32_t l = 1; l < EXEC_LANES; l++) at[l] = at[0];
    for (uint32_t k = 0; k < n && k + 1u < i->ns; k++)
        store_lanes(i->o[1 + k], rows[k], at, k * size, size, mask);
}

void st_exec(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    const uint32_t size = ir_type_bytes[ir_ops[i->op].type], n = i->vec > 1 ? i->vec : 1;
    uint8_t *at[EXEC_LANES];
    const void *rows[MOVE_ROWS];
    enum span s = resolve(x, i, i->o[0], mask, size * n, true, at);
    if (s == SPAN_FAULT) return;
    opnd_rows(x, i->o + 1, i->ns - 1u, rows);
    if (x->warp->block->grid->log) {
        const uint32_t later = log_lanes(x, i, mask, s);
        if (later) log_store(x, i, later, s, at, rows);
        if (!(mask &= ~later)) return;
    }
    store_bytes(i, mask, s, at, rows);
}
