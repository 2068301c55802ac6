/* The decoder: the rows of riscv.def of an opcode, one after the other, until one matches; and the printer, which writes
 * what the decoder read, in the order the row's format has. */
#include "front/riscv/decode.h"

#include <inttypes.h>
#include <string.h>

const struct rv_row rv_rows[RV_NROWS] = {
#define RV(id, name, match, mask, format, op, sub) {name, match, mask, RV_F_##format, sub, IR_##op},
#include "front/riscv/riscv.def"
};

static const char *const operands[] = {
#define FORMAT(id, text) text,
    RV_FORMATS(FORMAT)
#undef FORMAT
};

const char *const rv_xname[32] = {"zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
                                  "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
                                  "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
const char *const rv_fname[32] = {"ft0", "ft1", "ft2",  "ft3",  "ft4", "ft5", "ft6",  "ft7",
                                  "fs0", "fs1", "fa0",  "fa1",  "fa2", "fa3", "fa4",  "fa5",
                                  "fa6", "fa7", "fs2",  "fs3",  "fs4", "fs5", "fs6",  "fs7",
                                  "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11"};

/* ---- immediates ---- */

static int32_t of_u(uint32_t w) {
    return (int32_t)(w & 0xfffff000u);
}
static int32_t of_i(uint32_t w) {
    return (int32_t)w >> 20;
}
static int32_t of_s(uint32_t w) {
    return ((int32_t)w >> 25) * 32 + (int32_t)(w >> 7 & 0x1f);
}
static int32_t of_b(uint32_t w) {
    return ((int32_t)w >> 31) * 4096 +
           (int32_t)((w >> 7 & 1) << 11 | (w >> 25 & 0x3f) << 5 | (w >> 8 & 0xf) << 1);
}
static int32_t of_j(uint32_t w) {
    return ((int32_t)w >> 31) * 0x100000 +
           (int32_t)((w >> 12 & 0xff) << 12 | (w >> 20 & 1) << 11 | (w >> 21 & 0x3ff) << 1);
}

static int32_t rv_decode_immediate(enum rv_format f, uint32_t w) {
    switch (f) {
    case RV_F_I:
    case RV_F_LD:
    case RV_F_FLD:
    case RV_F_JR: return of_i(w);
    case RV_F_SH6: return (int32_t)(w >> 20 & 0x3f);
    case RV_F_SH5: return (int32_t)(w >> 20 & 0x1f);
    case RV_F_ST:
    case RV_F_FST: return of_s(w);
    case RV_F_BR: return of_b(w);
    case RV_F_U: return of_u(w);
    case RV_F_J: return of_j(w);
    case RV_F_CSR:
    case RV_F_CSRI:
    case RV_F_FENCE: return (int32_t)(w >> 20);
    default: return 0;
    }
}

/* ---- rows ---- */

/* A rounding mode of 5 or 6 is no instruction. */
static bool rounds_well(uint32_t w, const struct rv_row *row) {
    const uint32_t rm = w >> 12 & 7;
    return !strchr(operands[row->format], 'r') || (rm != 5 && rm != 6);
}

void rv_table_init(struct rv_table *t) {
    uint16_t n = 0;
    for (uint32_t opcode = 0; opcode < 32; opcode++) {
        t->first[opcode] = n;
        for (uint16_t k = 0; k < RV_NROWS; k++)
            if ((rv_rows[k].match >> 2 & 31) == opcode) t->row[n++] = k;
    }
    t->first[32] = n;
}

static uint16_t rv_decode_find_row(const struct rv_table *t, uint32_t w) {
    const uint32_t opcode = w >> 2 & 31;
    for (uint32_t n = t->first[opcode]; n < t->first[opcode + 1]; n++) {
        const struct rv_row *row = &rv_rows[t->row[n]];
        if ((w & row->mask) == row->match) return rounds_well(w, row) ? t->row[n] : RV_NROWS;
    }
    return RV_NROWS;
}

void rv_decode(const struct rv_table *t, const uint8_t *p, size_t n, struct rv_insn *out) {
    const uint32_t half = n >= 2 ? (uint32_t)p[0] | (uint32_t)p[1] << 8 : 3;
    uint32_t w = half;
    *out = (struct rv_insn){.id = RV_NROWS, .length = 2, .word = half};
    if ((half & 3) == 3) {
        if (n < 4) return;
        w |= (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
        out->word = w;
        out->length = 4;
    } else if (!(w = rv_expand((uint16_t)half))) {
        return;
    }
    out->id = rv_decode_find_row(t, w);
    if (out->id == RV_NROWS) return;
    out->rd = w >> 7 & 0x1f;
    out->rs1 = w >> 15 & 0x1f;
    out->rs2 = w >> 20 & 0x1f;
    out->rs3 = (uint8_t)(w >> 27);
    out->rm = w >> 12 & 7;
    out->imm = rv_decode_immediate((enum rv_format)rv_rows[out->id].format, w);
}

/* ---- text ---- */

static void rv_decode_add(struct sb *out, const char *text) {
    sb_addn(out, text, strlen(text));
}

static void rv_decode_add_number(struct sb *out, int64_t v) {
    char digits[24];
    size_t at = sizeof digits;
    uint64_t left = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    do digits[--at] = (char)('0' + left % 10);
    while (left /= 10);
    if (v < 0) digits[--at] = '-';
    sb_addn(out, digits + at, sizeof digits - at);
}

static void add_hex(struct sb *out, uint64_t v) {
    char digits[16];
    size_t at = sizeof digits;
    do digits[--at] = "0123456789abcdef"[v & 15];
    while (v >>= 4);
    sb_addn(out, digits + at, sizeof digits - at);
}

static uint8_t rv_decode_source(const struct rv_insn *i, char which) {
    return which == '1' ? i->rs1 : which == '2' ? i->rs2 : i->rs3;
}

static void print_fence(struct sb *out, int32_t imm) {
    for (int shift = 4; shift >= 0; shift -= 4) {
        for (int b = 3; b >= 0; b--)
            if (imm >> shift >> b & 1) sb_addn(out, &"wroi"[b], 1);
        if (shift) rv_decode_add(out, ",");
    }
}

/* Operands after the first are set off by commas; an address in parentheses is not. */
static void print_operand(struct sb *out, const struct rv_insn *i, const char **at, uint64_t address) {
    static const char *const rounding[8] = {"rne", "rtz", "rdn", "rup", "rmm", "", "", ""};
    const char what = *(*at)++;
    switch (what) {
    case 'X': rv_decode_add(out, rv_xname[i->rd]); break;
    case 'F': rv_decode_add(out, rv_fname[i->rd]); break;
    case 'x': rv_decode_add(out, rv_xname[rv_decode_source(i, *(*at)++)]); break;
    case 'f': rv_decode_add(out, rv_fname[rv_decode_source(i, *(*at)++)]); break;
    case '(':
        rv_decode_add(out, "(");
        rv_decode_add(out, rv_xname[i->rs1]);
        rv_decode_add(out, ")");
        break;
    case 'u':
        rv_decode_add(out, "0x");
        add_hex(out, (uint32_t)i->imm >> 12);
        break;
    case 'b':
    case 'j': add_hex(out, address + (uint64_t)(int64_t)i->imm); break;
    case 'h':
    case 'w':
    case 'c':
        rv_decode_add(out, "0x");
        add_hex(out, (uint32_t)i->imm);
        break;
    case 'z': rv_decode_add_number(out, i->rs1); break;
    case 'p': print_fence(out, i->imm); break;
    case 'r': rv_decode_add(out, rounding[i->rm]); break;
    default: rv_decode_add_number(out, i->imm);
    }
}

void rv_print(struct sb *out, const struct rv_insn *i, uint64_t address) {
    if (i->id == RV_NROWS) {
        rv_decode_add(out, i->length == 4 ? ".word 0x" : ".half 0x");
        add_hex(out, i->word);
        return;
    }
    const struct rv_row *row = &rv_rows[i->id];
    const char *at = operands[row->format];
    char before = ' ';
    rv_decode_add(out, row->name);
    if (row->format == RV_F_AMO || row->format == RV_F_LR) {
        static const char *const order[4] = {"", ".rl", ".aq", ".aqrl"};
        rv_decode_add(out, order[i->word >> 25 & 3]);
    }
    while (*at && !(*at == 'r' && i->rm == 7)) { /* as fcsr says: not written */
        const char what = *at;
        if (before == ' ')
            rv_decode_add(out, " ");
        else if (what != '(' || (before != 'i' && before != 's'))
            rv_decode_add(out, ",");
        print_operand(out, i, &at, address);
        before = what;
    }
}
