/* Matrix instructions: see mma.h. */
#include "ir/mma.h"

const char *const ir_mma_name[IR_MT_COUNT] = {
#define TYPE(id, name, bits) name,
    IR_MMA_TYPES(TYPE)
#undef TYPE
};
const uint8_t ir_mma_bits[IR_MT_COUNT] = {
#define TYPE(id, name, bits) bits,
    IR_MMA_TYPES(TYPE)
#undef TYPE
};

struct ir_mma ir_mma_of(const uint32_t *words, uint8_t sub) {
    const uint32_t shape = words[IR_MMA_SHAPE], kinds = words[IR_MMA_KINDS];
    return (struct ir_mma){.m = shape & 0xff,
                           .n = shape >> 8 & 0xff,
                           .k = shape >> 16,
                           .a = (enum ir_mma_type)(kinds & 0xff),
                           .b = (enum ir_mma_type)(kinds >> 8 & 0xff),
                           .c = (enum ir_mma_type)(kinds >> 16 & 0xff),
                           .d = (enum ir_mma_type)(kinds >> 24),
                           .flags = sub};
}

static struct ir_frag frag(uint32_t outer, uint32_t inner, uint32_t bits, bool pairs) {
    struct ir_frag f = {.outer = outer, .inner = inner, .per = bits < 32 ? 32 / bits : 1, .pairs = pairs};
    f.threads = inner / f.per < 4 ? inner / f.per : 4;
    if (outer && f.threads < 32 / outer) f.threads = 32 / outer;
    if (!f.threads) f.threads = 1; /* no shape of a program */
    f.rows = 32 / f.threads;
    f.passes = outer / f.rows;
    f.groups = inner / (f.threads * f.per);
    return f;
}

struct ir_frag ir_frag_a(const struct ir_mma *s) {
    const uint32_t k = s->flags & IR_MMA_SPARSE ? s->k / 2 : s->k, bits = ir_mma_bits[s->a];
    return s->flags & IR_MMA_A_COL ? frag(k, s->m, bits, true) : frag(s->m, k, bits, true);
}

struct ir_frag ir_frag_b(const struct ir_mma *s) {
    const uint32_t bits = ir_mma_bits[s->b];
    return s->flags & IR_MMA_B_ROW ? frag(s->k, s->n, bits, false) : frag(s->n, s->k, bits, false);
}

uint32_t ir_mma_acc_regs(const struct ir_mma *s, enum ir_mma_type t) {
    const uint32_t elements = s->flags & IR_MMA_QUADS ? 8 : s->m * s->n / 32;
    return t == IR_MT_F16 ? elements / 2 : elements;
}

uint32_t ir_mma_steps(const struct ir_mma *s) {
    const uint32_t products = s->m * s->n * s->k * (s->flags & IR_MMA_QUADS ? 4 : 1);
    const uint32_t once = s->a == IR_MT_F64                          ? 256u
                          : s->a == IR_MT_TF32                       ? 512u
                          : ir_mma_bits[s->a] > 8                    ? 1024u
                          : s->a == IR_MT_E4M3 || s->a == IR_MT_E5M2 ? 2048u
                                                                     : 8192u / ir_mma_bits[s->a];
    const uint32_t dense = s->flags & IR_MMA_SPARSE ? products / 2 : products;
    return dense > once ? dense / once : 1;
}
