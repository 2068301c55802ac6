/* Loads and stores of every type, width and space. access_find.c has found the bytes; here they move, or go to the log
 * (log.c).
 *
 * The shapes it tells apart are what kernels do: a full warp on consecutive elements is one copy of the row, one address
 * for all is one read and a fill, and the rest goes lane by lane. Elements of vectors go one after the other. Compiled for
 * every machine and for AVX2. */
#include "exec/access/access.h"

/* ---- loads ---- */

/* What a value of T in memory is in a register of D. boxed_t: a float of machine code. */
typedef uint32_t boxed_t;
#define VALUE_uint8_t(D, v)  ((D)(v))
#define VALUE_int8_t(D, v)   ((D)(v))
#define VALUE_uint16_t(D, v) ((D)(v))
#define VALUE_int16_t(D, v)  ((D)(v))
#define VALUE_uint32_t(D, v) ((D)(v))
#define VALUE_int32_t(D, v)  ((D)(v))
#define VALUE_uint64_t(D, v) ((D)(v))
#define VALUE_boxed_t(D, v)  ((v) | (D)0xffffffff << 32)

/* A loop over all lanes whose elements lie `stride` elements apart: a constant, so that it becomes vectors. */
#define DENSE_LOAD(D, T, stride)                         \
    for (uint32_t l = 0; l < EXEC_LANES; l++) {          \
        T v;                                             \
        memcpy(&v, p + sizeof v * (stride)*l, sizeof v); \
        d[l] = VALUE_##T(D, v);                          \
    }

#define LANE_LOAD(D, T, l)                                                      \
    do {                                                                        \
        T v;                                                                    \
        memcpy(&v, (const uint8_t *)(uintptr_t)(r->lane[l] + delta), sizeof v); \
        d[l] = VALUE_##T(D, v);                                                 \
    } while (0)

/* Element k of n of each lane: T in memory, extended as its type says, to a row of D. */
#define LOAD(D, T)                                                                           \
    static void load_##D##_##T(D *restrict d, const struct reach *r, uint32_t k, uint32_t n, \
                               uint32_t mask) {                                              \
        if (r->span == SPAN_LANES) {                                                         \
            const uint64_t delta = r->delta + k * sizeof(T);                                 \
            if (mask == ~0u) {                                                               \
                for (uint32_t l = 0; l < EXEC_LANES; l++) LANE_LOAD(D, T, l);                \
            } else {                                                                         \
                FOR_LANES(l, mask) LANE_LOAD(D, T, l);                                       \
            }                                                                                \
            return;                                                                          \
        }                                                                                    \
        const uint8_t *restrict p = r->at + k * sizeof(T);                                   \
        if (r->span == SPAN_UNIFORM) {                                                       \
            T v;                                                                             \
            memcpy(&v, p, sizeof v);                                                         \
            FILL_##D(d, VALUE_##T(D, v), mask);                                              \
        } else if (n == 1) {                                                                 \
            DENSE_LOAD(D, T, 1)                                                              \
        } else if (n == 2) {                                                                 \
            DENSE_LOAD(D, T, 2)                                                              \
        } else {                                                                             \
            DENSE_LOAD(D, T, n)                                                              \
        }                                                                                    \
    }

static void FILL_uint32_t(uint32_t *restrict d, uint32_t v, uint32_t mask) {
    if (mask == ~0u) {
        ALU_EACH(l) d[l] = v;
    } else {
        ALU_EACH(l) d[l] = mask & alu_bit32[l] ? v : d[l];
    }
}
static void FILL_uint64_t(uint64_t *restrict d, uint64_t v, uint32_t mask) {
    const uint64_t wide = mask;
    if (mask == ~0u) {
        ALU_EACH(l) d[l] = v;
    } else {
        ALU_EACH(l) d[l] = wide & alu_bit64[l] ? v : d[l];
    }
}

LOAD(uint32_t, uint8_t)
LOAD(uint32_t, int8_t)
LOAD(uint32_t, uint16_t)
LOAD(uint32_t, int16_t)
LOAD(uint32_t, uint32_t)
LOAD(uint32_t, uint64_t)
LOAD(uint64_t, uint8_t)
LOAD(uint64_t, int8_t)
LOAD(uint64_t, uint16_t)
LOAD(uint64_t, int16_t)
LOAD(uint64_t, uint32_t)
LOAD(uint64_t, int32_t)
LOAD(uint64_t, uint64_t)
LOAD(uint64_t, boxed_t)

static void load32(uint16_t op, uint32_t *d, const struct reach *r, uint32_t k, uint32_t n, uint32_t mask) {
    switch (op) {
    case IR_LD_U8: load_uint32_t_uint8_t(d, r, k, n, mask); break;
    case IR_LD_S8: load_uint32_t_int8_t(d, r, k, n, mask); break;
    case IR_LD_U16: load_uint32_t_uint16_t(d, r, k, n, mask); break;
    case IR_LD_S16: load_uint32_t_int16_t(d, r, k, n, mask); break;
    case IR_LD_U64: load_uint32_t_uint64_t(d, r, k, n, mask); break;
    default: load_uint32_t_uint32_t(d, r, k, n, mask);
    }
}

static void load64(uint16_t op, uint64_t *d, const struct reach *r, uint32_t k, uint32_t n, uint32_t mask) {
    switch (op) {
    case IR_LD_U8: load_uint64_t_uint8_t(d, r, k, n, mask); break;
    case IR_LD_S8: load_uint64_t_int8_t(d, r, k, n, mask); break;
    case IR_LD_U16: load_uint64_t_uint16_t(d, r, k, n, mask); break;
    case IR_LD_S16: load_uint64_t_int16_t(d, r, k, n, mask); break;
    case IR_LD_U32: load_uint64_t_uint32_t(d, r, k, n, mask); break;
    case IR_LD_S32: load_uint64_t_int32_t(d, r, k, n, mask); break;
    case IR_LD_BOX32: load_uint64_t_boxed_t(d, r, k, n, mask); break;
    default: load_uint64_t_uint64_t(d, r, k, n, mask);
    }
}

void ALU_NAME(access_load)(const struct exec_ctx *x, const struct ir_insn *i, uint32_t mask,
                           const struct reach *r) {
    const uint32_t n = i->vec > 1 ? i->vec : 1;
    for (uint32_t k = 0; k < n && k < i->nd; k++) {
        const ir_opnd o = i->o[k];
        if (ir_file(o) == IR_FILE_32)
            load32(i->op, exec_row32(x, o), r, k, n, mask);
        else if (ir_file(o) == IR_FILE_64)
            load64(i->op, exec_row64(x, o), r, k, n, mask);
    }
}

/* Loads that other threads' stores are expected to change: what a waiting loop is made of. */
static bool looks_like_waiting(const struct ir_insn *i) {
    return (i->mods & IR_M_VOLATILE) || i->cop == IR_COP_CV || i->cop == IR_COP_ORDERED;
}

void ALU_NAME(access_ld)(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    const uint32_t size = ir_type_bytes[ir_ops[i->op].type], n = i->vec > 1 ? i->vec : 1;
    struct reach r;
    if (ALU_NAME(access_find)(x, i, i->o[i->nd], mask, size * n, false, &r) == SPAN_FAULT) return;
    if (looks_like_waiting(i)) x->warp->spun = true;
    if (x->warp->block->grid->deferred) {
        const uint32_t later = defer_lanes(x, i, mask);
        if (later) defer_load(x, i, later, &r);
        if (!(mask &= ~later)) return;
    }
    ALU_NAME(access_load)(x, i, mask, &r);
}

/* ---- stores ---- */

#define DENSE_STORE(T, stride)                           \
    for (uint32_t l = 0; l < EXEC_LANES; l++) {          \
        const T v = (T)s[l];                             \
        memcpy(p + sizeof v * (stride)*l, &v, sizeof v); \
    }

#define LANE_STORE(T, l, to)        \
    do {                            \
        const T v = (T)s[l];        \
        memcpy((to), &v, sizeof v); \
    } while (0)

/* Element k of n of each lane: a row of S, cut to T. Several lanes at one address: the highest lane's value stays, as if
 * they stored in order. */
#define STORE(S, T)                                                                                 \
    static void store_##S##_##T(const S *restrict s, const struct reach *r, uint32_t k, uint32_t n, \
                                uint32_t mask) {                                                    \
        if (r->span == SPAN_LANES) {                                                                \
            const uint64_t delta = r->delta + k * sizeof(T);                                        \
            if (mask == ~0u) {                                                                      \
                for (uint32_t l = 0; l < EXEC_LANES; l++)                                           \
                    LANE_STORE(T, l, (uint8_t *)(uintptr_t)(r->lane[l] + delta));                   \
            } else {                                                                                \
                FOR_LANES(l, mask) LANE_STORE(T, l, (uint8_t *)(uintptr_t)(r->lane[l] + delta));    \
            }                                                                                       \
            return;                                                                                 \
        }                                                                                           \
        uint8_t *restrict p = r->at + k * sizeof(T);                                                \
        if (r->span == SPAN_UNIFORM) {                                                              \
            LANE_STORE(T, 31u - (uint32_t)__builtin_clz(mask), p);                                  \
        } else if (n == 1) {                                                                        \
            DENSE_STORE(T, 1)                                                                       \
        } else if (n == 2) {                                                                        \
            DENSE_STORE(T, 2)                                                                       \
        } else {                                                                                    \
            DENSE_STORE(T, n)                                                                       \
        }                                                                                           \
    }

STORE(uint32_t, uint8_t)
STORE(uint32_t, uint16_t)
STORE(uint32_t, uint32_t)
STORE(uint32_t, uint64_t)
STORE(uint64_t, uint8_t)
STORE(uint64_t, uint16_t)
STORE(uint64_t, uint32_t)
STORE(uint64_t, uint64_t)

static void store32(uint16_t op, const uint32_t *s, const struct reach *r, uint32_t k, uint32_t n,
                    uint32_t mask) {
    switch (op) {
    case IR_ST_U8: store_uint32_t_uint8_t(s, r, k, n, mask); break;
    case IR_ST_U16: store_uint32_t_uint16_t(s, r, k, n, mask); break;
    case IR_ST_U32: store_uint32_t_uint32_t(s, r, k, n, mask); break;
    default: store_uint32_t_uint64_t(s, r, k, n, mask);
    }
}

static void store64(uint16_t op, const uint64_t *s, const struct reach *r, uint32_t k, uint32_t n,
                    uint32_t mask) {
    switch (op) {
    case IR_ST_U8: store_uint64_t_uint8_t(s, r, k, n, mask); break;
    case IR_ST_U16: store_uint64_t_uint16_t(s, r, k, n, mask); break;
    case IR_ST_U32: store_uint64_t_uint32_t(s, r, k, n, mask); break;
    default: store_uint64_t_uint64_t(s, r, k, n, mask);
    }
}

void ALU_NAME(access_store)(const struct ir_insn *i, uint32_t mask, const struct reach *r,
                            const void *const *rows) {
    const uint32_t n = i->vec > 1 ? i->vec : 1;
    for (uint32_t k = 0; k < n && k + 1 < i->ns; k++) {
        if (ir_file(i->o[1 + k]) == IR_FILE_32)
            store32(i->op, rows[k], r, k, n, mask);
        else if (ir_file(i->o[1 + k]) == IR_FILE_64)
            store64(i->op, rows[k], r, k, n, mask);
    }
}

void ALU_NAME(access_st)(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    const uint32_t size = ir_type_bytes[ir_ops[i->op].type], n = i->vec > 1 ? i->vec : 1;
    struct reach r;
    const void *rows[MOVE_ROWS];
    if (ALU_NAME(access_find)(x, i, i->o[0], mask, size * n, true, &r) == SPAN_FAULT) return;
    opnd_rows(x, i->o + 1, i->ns - 1u, rows);
    if (x->warp->block->grid->deferred) {
        const uint32_t later = defer_lanes(x, i, mask);
        if (later) defer_store(x, i, later, &r, rows);
        if (!(mask &= ~later)) return;
    }
    ALU_NAME(access_store)(i, mask, &r, rows);
}

const struct exec_access ALU_NAME(exec_access) = {ALU_NAME(access_find), ALU_NAME(access_load),
                                                  ALU_NAME(access_store), ALU_NAME(access_ld),
                                                  ALU_NAME(access_st)};
