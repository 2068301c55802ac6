/* What all threads of a warp do together with matrices: ldmatrix, stmatrix, movmatrix, the addresses of wmma.load and
 * wmma.store, and mma (mma.c).
 *
 * These instructions are .aligned: all 32 threads of the warp execute the same one. Where a mechanism lets some of them
 * come first, those wait for the others (sync.c); a warp that has lost a thread, or whose threads are at different such
 * instructions, is a fault.
 *
 * A matrix of ldmatrix and stmatrix is 8 rows of 16 bytes. Thread 8 j + r has the address of row r of matrix j, and is the
 * one whose access it is, for the coalescer and for the check of races; thread l gets elements 2 (l % 4) and the next of
 * row l / 4, or of column l / 4 if it is transposed. */
#include <inttypes.h>

#include "exec/impl.h"
#include "exec/mma.h"
#include "ir/mma.h"

enum { ROW_BYTES = 16, ROWS = 8, ALL = 32 };

/* Threads that have the address of a row. */
static uint32_t row_lanes(const struct ir_insn *i) {
    return i->vec == 4 ? ~0u : (1u << ROWS * i->vec) - 1;
}

/* Every row's bytes. False: a fault. */
static bool tensor_find_rows(struct exec_ctx *x, const struct ir_insn *i, ir_opnd address, bool store,
                             uint8_t *at[EXEC_LANES]) {
    return resolve(x, i, address, row_lanes(i), ROW_BYTES, store, at);
}

static uint32_t half_at(uint8_t *const *rows, uint32_t row, uint32_t column) {
    uint16_t v;
    memcpy(&v, rows[row] + 2 * (size_t)column, sizeof v);
    return v;
}

static void ldmatrix(struct exec_ctx *x, const struct ir_insn *i) {
    uint8_t *at[EXEC_LANES];
    if (!tensor_find_rows(x, i, i->o[i->nd], false, at)) return;
    for (uint32_t j = 0; j < i->vec; j++) {
        uint8_t *const *rows = at + (size_t)j * ROWS;
        uint32_t *d = exec_row32(x, i->o[j]);
        for (uint32_t l = 0; l < ALL; l++) {
            const uint32_t r = l / 4, c = 2 * (l % 4);
            d[l] = i->sub ? half_at(rows, c, r) | half_at(rows, c + 1, r) << 16
                          : half_at(rows, r, c) | half_at(rows, r, c + 1) << 16;
        }
    }
}

void stmatrix_row(const struct exec_ctx *x, const struct ir_insn *i, uint32_t lane, uint8_t to[16]) {
    const uint32_t *a = exec_row32(x, i->o[1 + lane / ROWS]), r = lane % ROWS;
    for (uint32_t c = 0; c < ROWS; c++) {
        const uint32_t word = i->sub ? a[4 * c + r / 2] >> 16 * (r % 2) : a[4 * r + c / 2] >> 16 * (c % 2);
        memcpy(to + 2 * (size_t)c, &(uint16_t){(uint16_t)word}, 2);
    }
}

static void stmatrix(struct exec_ctx *x, const struct ir_insn *i) {
    uint8_t *at[EXEC_LANES];
    if (!tensor_find_rows(x, i, i->o[0], true, at)) return;
    FOR_LANES(l, row_lanes(i)) stmatrix_row(x, i, l, at[l]);
}

static void movmatrix(struct exec_ctx *x, const struct ir_insn *i) {
    uint32_t a[EXEC_LANES], *d = exec_row32(x, i->o[0]);
    memcpy(a, exec_row32(x, i->o[1]), sizeof a);
    for (uint32_t l = 0; l < ALL; l++) {
        const uint32_t r = 2 * (l % 4), c = l / 4; /* of the source */
        d[l] = (a[4 * r + c / 2] >> 16 * (c % 2) & 0xffff) | a[4 * (r + 1) + c / 2] >> 16 * (c % 2) << 16;
    }
}

static uint32_t tensor_field(const struct ir_insn *i, int at, int bits) {
    return i->imm >> at & ((1u << bits) - 1);
}

static void wmma_at(struct exec_ctx *x, const struct ir_insn *i) {
    const uint32_t threads = tensor_field(i, IR_AT_THREADS, 4), per = tensor_field(i, IR_AT_PER, 8);
    const bool across = tensor_field(i, IR_AT_ACROSS, 1);
    uint64_t *d = exec_row64(x, i->o[0]);
    for (uint32_t l = 0; l < ALL; l++) {
        const uint64_t outer = tensor_field(i, IR_AT_OUTER, 8) + (across ? 2 * (l % 4) : l / threads);
        const uint64_t inner = across ? l / 4 : l % threads * per;
        const uint64_t element = outer * (uint32_t)opnd_get(x, i->o[2], l) + inner;
        d[l] = opnd_get(x, i->o[1], l) + ((element << tensor_field(i, IR_AT_LG_BITS, 4)) >> 3);
    }
}

/* All 32 threads are here. */
static void tensor_run(struct exec_ctx *x, const struct ir_insn *i) {
    switch (i->op) {
    case IR_LDMATRIX: ldmatrix(x, i); break;
    case IR_STMATRIX: stmatrix(x, i); break;
    case IR_MOVMATRIX: movmatrix(x, i); break;
    case IR_WMMA_AT: wmma_at(x, i); break;
    default: mma_run(x, i); break;
    }
}

static void fault_without_warp(struct exec_warp *w, const struct ir_insn *i, uint32_t lanes) {
    const uint32_t without = ~lanes & ~w->live ? ~lanes & ~w->live : ~lanes;
    exec_note(w, i, (uint32_t)__builtin_ctz(lanes), EXEC_F_SYNC,
              "%s needs all 32 threads of the warp at the same instruction: lane %d %s", ir_ops[i->op].name,
              __builtin_ctz(without),
              ~lanes & ~w->live ? "has exited or does not exist" : "is at another one");
}

void tensor_consume(struct exec_ctx *x, const struct ir_insn *i, uint32_t lanes) {
    if (x->out->flow == EXEC_FAULT) return;
    if (lanes == ~0u)
        tensor_run(x, i);
    else
        fault_without_warp(x->warp, i, lanes);
}

void tensor_exec(struct exec_ctx *x, const struct ir_insn *i, uint32_t mask) {
    x->out->access.mask = 0;
    if (mask == ~0u) {
        tensor_run(x, i);
    } else if (x->warp->live != ~0u) {
        fault_without_warp(x->warp, i, mask);
    } else {
        warp_meet_all(x->warp, i, mask);
        x->out->access.mask &= mask; /* those that came before are not of this step */
    }
}
