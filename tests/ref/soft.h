/* Exact binary floating point on integers, for the references: slow, small, one rounding routine for every
 * format. A finite value is m * 2^e; nothing is rounded before soft_encode, except that bits far below every
 * format's last place are folded into the lowest bit of m ("sticky"), which no rounding can tell from the
 * exact value. */
#ifndef HEDDLE_TESTS_SOFT_H
#define HEDDLE_TESTS_SOFT_H

#include <stdbool.h>
#include <stdint.h>

typedef __int128 i128;
typedef unsigned __int128 u128;

struct soft_fmt {
    int p;     /* significand bits, the hidden one included */
    int ebits; /* exponent field */
};
extern const struct soft_fmt soft_f16, soft_bf16, soft_f32, soft_f64,
    soft_tf32; /* tf32: the upper 19 bits of f32 */

enum soft_class { SOFT_ZERO, SOFT_FINITE, SOFT_INF, SOFT_NAN };
enum soft_round { SOFT_RN, SOFT_RZ, SOFT_RM, SOFT_RP, SOFT_RNA }; /* the order of enum ir_round */

struct soft {
    enum soft_class cls;
    bool neg;
    int e;
    u128 m;
};

struct soft soft_decode(const struct soft_fmt *f, uint64_t bits);
struct soft soft_int(i128 v);
/* Nearest representable in that direction; a NaN becomes the positive quiet NaN with every payload bit set. */
uint64_t soft_encode(const struct soft_fmt *f, struct soft v, enum soft_round r);
uint64_t soft_zero(const struct soft_fmt *f, bool neg);
uint64_t soft_inf(const struct soft_fmt *f, bool neg);
uint64_t soft_max(const struct soft_fmt *f, bool neg);
uint64_t soft_min_normal(const struct soft_fmt *f, bool neg);
uint64_t soft_nan(const struct soft_fmt *f);
int soft_emin(const struct soft_fmt *f); /* exponent of the smallest normal number */
int soft_bits(const struct soft_fmt *f); /* width of the encoding */
bool soft_is_subnormal(const struct soft_fmt *f, uint64_t bits);

struct soft soft_neg(struct soft a);
/* The rounding mode only decides the sign of an exact zero sum. */
struct soft soft_add(struct soft a, struct soft b, enum soft_round r);
struct soft soft_mul(struct soft a, struct soft b);
struct soft soft_div(struct soft a, struct soft b);
struct soft soft_sqrt(struct soft a);
/* Rounds to an integral value; a zero keeps the sign of the argument. */
struct soft soft_rint(struct soft a, enum soft_round r);

enum soft_order { SOFT_LESS = -1, SOFT_EQUAL = 0, SOFT_GREATER = 1, SOFT_UNORDERED = 2 };
enum soft_order soft_compare(struct soft a, struct soft b); /* -0 equals +0 */
int soft_exponent(struct soft a);                           /* finite: floor(log2 |a|) */
/* Exact for every value of the four formats. */
double soft_double(struct soft a);

#endif
