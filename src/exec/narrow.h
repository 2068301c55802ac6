/* Floats of 8 bits and less, two of them in a register: e4m3, e5m2, e2m1, e2m3, e3m2 as OCP's formats define them and the PTX
 * manual's cvt uses them. To them: round to nearest even, and saturate; where a format has no NaN its largest number
 * stands for it. From them: each is a half exactly. */
#ifndef HEDDLE_EXEC_NARROW_H
#define HEDDLE_EXEC_NARROW_H

#include "exec/half.h"

struct narrow {
    uint8_t exponent, mantissa, bias; /* bits, bits */
    uint8_t largest, nan;             /* codes; nan == largest: it has none */
    uint8_t apart;                    /* bits from one to the other of a pair */
};

static inline struct narrow narrow_format(uint8_t sub) {
    switch (sub & IR_NARROW_FORMAT) {
    case IR_E4M3: return (struct narrow){4, 3, 7, 0x7e, 0x7f, 8};
    case IR_E5M2: return (struct narrow){5, 2, 15, 0x7b, 0x7f, 8};
    case IR_E2M1: return (struct narrow){2, 1, 1, 0x07, 0x07, 4};
    case IR_E2M3: return (struct narrow){2, 3, 1, 0x1f, 0x1f, 8};
    default: return (struct narrow){3, 2, 3, 0x1f, 0x1f, 8}; /* IR_E3M2 */
    }
}

static inline uint32_t narrow_one(float f, uint8_t sub) {
    const struct narrow n = narrow_format(sub);
    const uint32_t x = f32_bits(f), magnitude = x & 0x7fffffffu;
    const uint32_t sign = (x >> 31) << (n.exponent + n.mantissa);
    if (magnitude > 0x7f800000u) return n.nan;
    if (sub & IR_NARROW_RELU && sign) return 0;
    const int32_t e = (int32_t)(magnitude >> 23) - 127, least = 1 - n.bias, below = e < least ? least - e : 0;
    const int32_t shift = 23 - n.mantissa + below;
    if (shift > 24) return sign; /* less than half of the smallest */
    const uint32_t whole = (magnitude & 0x7fffffu) | 0x800000u, rest = whole & ((1u << shift) - 1),
                   half = 1u << (shift - 1);
    uint32_t code = whole >> shift;
    code += rest > half || (rest == half && code & 1);
    if (!below) code += (uint32_t)(e - least) << n.mantissa; /* the leading bit counts as one exponent */
    return sign | (code > n.largest ? n.largest : code);
}

/* a above b. */
static inline uint32_t narrow_pair(float a, float b, uint8_t sub) {
    return narrow_one(a, sub) << narrow_format(sub).apart | narrow_one(b, sub);
}

static inline uint32_t narrow_to_f16(uint32_t code, uint8_t sub) {
    const struct narrow n = narrow_format(sub);
    const uint32_t sign = code >> (n.exponent + n.mantissa) & 1, m = code & ((1u << n.mantissa) - 1),
                   e = code >> n.mantissa & ((1u << n.exponent) - 1);
    if (n.nan != n.largest && (code & 0x7f) > n.largest) {
        const bool infinite = n.mantissa == 2 && !m;
        if (infinite && sign && sub & IR_NARROW_RELU) return 0;
        return infinite ? 0x7c00u | sign << 15 : HALF_NAN;
    }
    if (sub & IR_NARROW_RELU && sign) return 0;
    const uint32_t digits = e ? m | 1u << n.mantissa : m, power = 127u + (e ? e : 1) - n.bias - n.mantissa;
    return f16_from_float((float)(int32_t)digits * f32_from(power << 23)) | sign << 15;
}

static inline uint32_t narrow_widen(uint32_t pair, uint8_t sub) {
    const uint8_t apart = narrow_format(sub).apart;
    const uint32_t mask = (1u << apart) - 1;
    return narrow_to_f16(pair >> apart & mask, sub) << 16 | narrow_to_f16(pair & mask, sub);
}

#endif
