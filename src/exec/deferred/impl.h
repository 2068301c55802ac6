/* The entries of a log, for the files that write, run and compare them.
 *
 * An entry is a head, then where its lanes' bytes are, then copies of the rows that it stores or combines with memory:
 * the warp may have overwritten them when the log is run. Everything is whole words of 8 bytes. */
#ifndef HEDDLE_EXEC_DEFERRED_IMPL_H
#define HEDDLE_EXEC_DEFERRED_IMPL_H

#include "exec/deferred/deferred.h"
#include "exec/impl.h"

enum {
    DEFERRED_SIGNATURE = 4096 / 64, /* words */
    DEFERRED_FEW = 12               /* lanes: up to here their places lie one behind the other */
};

struct deferred_entry {
    uint64_t cycle;
    struct exec_warp *warp;
    const struct ir_insn *insn;
    uint64_t block; /* that the warp was of */
    uint32_t mask;
    uint16_t words; /* with the head */
    /* enum span; LANES: a place for each lane of mask, or, of more than DEFERRED_FEW, of the row. */
    uint8_t span;
    bool shared;    /* atomics: the first lane was in shared memory, which decides how floats are added */
    bool changed;   /* atomics: lanes that were not deferred have changed memory */
    uint8_t places; /* how many follow */
    uint64_t at; /* DENSE, UNIFORM: the first byte in the host's memory; LANES: what is added to each place */
    uint64_t place[]; /* none, or as many as there are lanes; then the rows */
};
_Static_assert(sizeof(struct deferred_entry) % 8 == 0, "entries are whole words");

struct exec_deferred {
    uint64_t *v;
    size_t n, cap, done; /* words; done: those before the entry with which the next run begins */
    uint64_t at;         /* the cycle of that entry; UINT64_MAX: there is none */
    bool stores;
    bool signed_all; /* the signatures are of all entries that are not run */
    uint64_t loaded[DEFERRED_SIGNATURE], stored[DEFERRED_SIGNATURE];
};

static inline bool deferred_is_load(const struct ir_insn *i) {
    return i->op >= IR_LD_U8 && i->op <= IR_LD_U64;
}
static inline bool deferred_is_store(const struct ir_insn *i) {
    return i->op >= IR_ST_U8 && i->op <= IR_ST_U64;
}
/* Bytes that a lane accesses. */
static inline uint32_t deferred_bytes(const struct ir_insn *i) {
    const uint32_t size = ir_type_bytes[ir_ops[i->op].type];
    return i->op == IR_ATOM_B128 ? 16 : i->vec > 1 && ir_ops[i->op].cls == IR_C_LDST ? size * i->vec : size;
}
static inline uint32_t deferred_places(enum span span, uint32_t mask) {
    if (span != SPAN_LANES) return 0;
    const uint32_t n = bits_count(mask);
    return n <= DEFERRED_FEW ? n : EXEC_LANES;
}

#endif
