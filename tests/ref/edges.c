/* Edge cases of each operand kind, the most telling first, since operations with three or four operands take
 * the cross product of only the first few. */
#include "ref.h"

struct list {
    uint64_t *v;
    size_t n, max;
};

static void add(struct list *l, uint64_t v) {
    for (size_t k = 0; k < l->n; k++)
        if (l->v[k] == v) return;
    if (l->n < l->max) l->v[l->n++] = v;
}

static uint64_t ones(int n) {
    return n >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << n) - 1;
}

static void int_edges(struct list *l, int width) {
    static const int16_t first[] = {0, 1, -1},
                         small[] = {2, -2, 3, 5, 7, 10, 24, 31, 32, 33, 63, 64, 65, 100, -7};
    static const int8_t powers[] = {7, 8, 15, 16, 23, 24, 31, 32, 52, 62};
    uint64_t all = ones(width), top = (uint64_t)1 << (width - 1);
    for (size_t k = 0; k < 3; k++) add(l, (uint64_t)first[k] & all);
    add(l, top), add(l, top - 1), add(l, top + 1), add(l, 0x5a0f96c3a53c69f1u & all);
    add(l, 2), add(l, ones(width / 2)), add(l, ones(width / 2) + 1);
    for (size_t k = 0; k < sizeof small / sizeof *small; k++) add(l, (uint64_t)small[k] & all);
    add(l, 0xaaaaaaaaaaaaaaaau & all), add(l, 0x5555555555555555u & all), add(l, top - 2);
    for (size_t k = 0; k < sizeof powers && powers[k] < width; k++) {
        uint64_t power = (uint64_t)1 << powers[k];
        add(l, power - 1), add(l, power), add(l, power + 1), add(l, all - power);
    }
    add(l, 0x00ff00ff00ff00ffu & all), add(l, 0x8080808080808080u & all), add(l, 0x7f7f7f7f7f7f7f7fu & all);
}

static void amount_edges(struct list *l) {
    static const uint32_t first[] = {0,  1,  31,  32, 33, 64,          255, 0xffffffffu, 8,
                                     63, 16, 256, 15, 65, 0x80000000u, 7,   17,          260};
    static const uint32_t last[] = {127, 128,        254,     257,        287,        288,
                                    320, 0x7fffffff, 0x10000, 0x01000020, 0xffffffe0u};
    for (size_t k = 0; k < sizeof first / sizeof *first; k++) add(l, first[k]);
    for (uint32_t k = 0; k < 66; k++) add(l, k);
    for (size_t k = 0; k < sizeof last / sizeof *last; k++) add(l, last[k]);
}

static void offset_edges(struct list *l) {
    add(l, 0), add(l, 1), add(l, 0xffffffffu), add(l, 0x80000000u), add(l, 0x7fffffffu);
    for (uint32_t k = 2; k < 36; k += k < 4 ? 1 : 7) add(l, k), add(l, (uint32_t)(0 - k));
}

/* Every lane, scattered; and some that are none. */
static void lane_edges(struct list *l) {
    for (uint32_t k = 0; k < 20; k++) add(l, k * 11 % 32);
    add(l, 0xffffffffu), add(l, 32);
    for (uint32_t k = 20; k < 32; k++) add(l, k * 11 % 32);
}

static void both_signs(struct list *l, const struct soft_fmt *f, uint64_t bits) {
    add(l, bits);
    add(l, bits | soft_zero(f, true));
}
/* m * 2^e where the format has it, and its neighbours. */
static void number(struct list *l, const struct soft_fmt *f, int m, int e, bool neighbours) {
    uint64_t bits = soft_encode(f, (struct soft){SOFT_FINITE, false, e, (u128)m}, SOFT_RZ);
    if (bits == 0 || bits >= soft_inf(f, false)) return;
    both_signs(l, f, bits);
    if (neighbours) both_signs(l, f, bits + 1), both_signs(l, f, bits - 1);
}

static void float_edges(struct list *l, const struct soft_fmt *f) {
    static const int8_t powers[] = {1,  7,  8,  10, 11, 15, 16, 22,  23, 24,
                                    31, 32, 52, 53, 62, 63, 64, 126, 127};
    uint64_t quiet = (uint64_t)1 << (f->p - 2), inf = soft_inf(f, false), least = soft_min_normal(f, false);
    both_signs(l, f, 0);
    number(l, f, 1, 0, false);
    both_signs(l, f, 1), both_signs(l, f, inf);
    add(l, inf | quiet);
    both_signs(l, f, least - 1), both_signs(l, f, inf - 1), both_signs(l, f, least);
    number(l, f, 3, -1, false), number(l, f, 1, -1, false);
    add(l, inf | 1), add(l, soft_nan(f)), add(l, soft_zero(f, true) | inf | quiet | 1);
    both_signs(l, f, least + 1), both_signs(l, f, 3), both_signs(l, f, least >> 1);
    number(l, f, 1, 0, true), number(l, f, 1, -1, true);
    number(l, f, 5, -1, false), number(l, f, 3, 0, false), number(l, f, 0x2aaaab, -23, false); /* a third */
    number(l, f, 255, -1, true), number(l, f, 511, -1, true), number(l, f, 65535, -1, false);
    for (size_t k = 0; k < sizeof powers; k++) number(l, f, 1, powers[k], true);
    number(l, f, 1, -24, false), number(l, f, 1, -63, false), number(l, f, 1, -126, true),
        number(l, f, 1, -133, true);
    number(l, f, 1, -14, true), number(l, f, 1, -25, true);
    number(l, f, 0x1921fb, -19, false), number(l, f, 149, 0, true),
        number(l, f, 1074, 0, false); /* pi; exponents */
    both_signs(l, f, inf - 2);
}

size_t ref_edges(uint8_t operand, uint64_t *v, size_t max) {
    struct list l = {v, 0, max};
    const struct soft_fmt *f = ref_fmt(operand);
    if (f)
        float_edges(&l, f);
    else if (operand == IR_T_P)
        add(&l, 0), add(&l, 1);
    else if (operand == REF_AMOUNT)
        amount_edges(&l);
    else if (operand == REF_OFFSET)
        offset_edges(&l);
    else if (operand == REF_LANE)
        lane_edges(&l);
    else
        int_edges(&l, ref_width(operand));
    return l.n;
}
