/* Where a jump by a register may go. Compilers write a switch as a bounds check, a load from a table of addresses, or of
 * distances from the table, and the jump. The table is found backwards from the jump: what computed the register, whatever
 * jumps lie between. Its entries are read until one is not an instruction of the function, or until the bounds check says so:
 * too many targets only make the graph more cautious. */
#include <string.h>

#include "front/riscv/code.h"

enum { WINDOW = 24, DEEP = 4, MOST_ENTRIES = 4096 };

static bool targets_writes(const struct rv_insn *i, uint32_t reg) {
    if (i->id == RV_NROWS) return false;
    const uint8_t f = rv_rows[i->id].format;
    const bool none = f == RV_F_NONE || f == RV_F_ST || f == RV_F_FST || f == RV_F_BR || f == RV_F_FENCE;
    const bool to_float =
        f == RV_F_FLD || (f >= RV_F_FFFF && f <= RV_F_FFF0) || f == RV_F_FX || f == RV_F_FX0;
    return !none && !to_float && i->rd == reg;
}

/* The last instruction before i that writes the register, no further than the window; RV_NONE: not found. */
static uint32_t writer(const struct rv_code *c, const struct rv_func *fn, uint32_t i, uint32_t reg) {
    for (uint32_t n = 0; reg && i > fn->first && n < WINDOW; n++) {
        const struct rv_insn *x = &c->insn.v[--i];
        if (targets_writes(x, reg)) return i;
        if ((x->id == RV_JAL || x->id == RV_JALR) && x->rd) return RV_NONE; /* a call */
    }
    return RV_NONE;
}

static bool targets_known(const struct rv_code *c, const struct rv_func *fn, uint32_t i, uint32_t reg,
                          int depth, uint64_t *value) {
    *value = 0;
    if (!reg) return true;
    const uint32_t w = depth ? writer(c, fn, i, reg) : RV_NONE;
    if (w == RV_NONE) return false;
    const struct rv_insn *x = &c->insn.v[w];
    const uint64_t imm = (uint64_t)(int64_t)x->imm;
    switch (x->id) {
    case RV_LUI: *value = imm; return true;
    case RV_AUIPC: *value = c->addr.v[w] + imm; return true;
    case RV_ADDI:
        if (!targets_known(c, fn, w, x->rs1, depth - 1, value)) return false;
        *value += imm;
        return true;
    case RV_ADD: /* a move, when compressed */
        return !x->rs1 && targets_known(c, fn, w, x->rs2, depth - 1, value);
    default: return false;
    }
}

bool rv_known(const struct rv_code *c, const struct rv_func *fn, uint32_t i, uint32_t reg, uint64_t *value) {
    return reg && targets_known(c, fn, i, reg, DEEP, value);
}

/* The known one of the two operands of the addition at i. */
static bool known_part(const struct rv_code *c, const struct rv_func *fn, uint32_t i, uint64_t *value,
                       uint32_t *other) {
    const struct rv_insn *x = &c->insn.v[i];
    if (x->id != RV_ADD) return false;
    *other = x->rs1;
    if (rv_known(c, fn, i, x->rs2, value)) return true;
    *other = x->rs2;
    return rv_known(c, fn, i, x->rs1, value);
}

struct table {
    uint64_t at, base; /* base: what entries are distances from */
    uint32_t bytes;    /* bytes of an entry */
};

/* The load whose result, perhaps plus `base`, the register holds. */
static bool find_load(const struct rv_code *c, const struct rv_func *fn, uint32_t i, uint32_t reg,
                      struct table *t) {
    uint32_t w = writer(c, fn, i, reg), other;
    uint64_t table;
    if (w != RV_NONE && known_part(c, fn, w, &t->base, &other)) w = writer(c, fn, w, other);
    if (w == RV_NONE) return false;
    const struct rv_insn *load = &c->insn.v[w];
    if (load->id != RV_LW && load->id != RV_LD && load->id != RV_LWU) return false;
    t->bytes = load->id == RV_LD ? 8 : 4;
    const uint64_t disp = (uint64_t)(int64_t)load->imm;
    w = writer(c, fn, w, load->rs1);
    if (w == RV_NONE || !known_part(c, fn, w, &table, &other)) return false;
    t->at = table + disp;
    return true;
}

/* The bound that a comparison before i, which jumps over it, sets: how many entries there can be. */
static uint32_t find_bound(const struct rv_code *c, const struct rv_func *fn, uint32_t i) {
    for (uint32_t n = 0; i > fn->first && n < WINDOW; n++) {
        const struct rv_insn *x = &c->insn.v[--i];
        uint64_t v;
        if (x->id == RV_BLTU && rv_known(c, fn, i, x->rs1, &v) && v < MOST_ENTRIES) return (uint32_t)v + 1;
        if (x->id == RV_BGEU && rv_known(c, fn, i, x->rs2, &v) && v < MOST_ENTRIES) return (uint32_t)v;
    }
    return MOST_ENTRIES;
}

bool rv_jump_table(const struct rv_code *c, const struct rv_func *fn, uint32_t i, struct rv_targets *to) {
    struct table t = {0};
    if (!find_load(c, fn, i, c->insn.v[i].rs1, &t)) return false;
    const uint32_t most = find_bound(c, fn, i);
    for (uint32_t n = 0; n < most; n++) {
        const uint8_t *p = rv_elf_at(c->f, t.at + (uint64_t)n * t.bytes, t.bytes);
        int64_t entry = 0;
        if (!p) break;
        memcpy(&entry, p, t.bytes);
        if (t.bytes == 4) entry = (int32_t)entry;
        const uint64_t addr = t.base + (uint64_t)entry;
        const uint32_t at = addr >= fn->from && addr < fn->to ? rv_code_at(c, addr) : RV_NONE;
        if (at == RV_NONE) break;
        VEC_PUSH(&to->v, at);
    }
    return to->v.n;
}
