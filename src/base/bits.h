/* Bit-level helpers: bit casts between floats and words, set-bit walking, powers of two, a seeded generator. */
#ifndef HEDDLE_BASE_BITS_H
#define HEDDLE_BASE_BITS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t f32_bits(float f) {
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}
static inline float f32_from(uint32_t u) {
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}
static inline uint64_t f64_bits(double f) {
    uint64_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}
static inline double f64_from(uint64_t u) {
    double f;
    memcpy(&f, &u, sizeof f);
    return f;
}

/* for each set bit l of mask, lowest first */
#define FOR_LANES(l, mask)                                                                      \
    for (uint32_t l##_left = (mask), l; l##_left && (l = (uint32_t)__builtin_ctz(l##_left), 1); \
         l##_left &= l##_left - 1)

/* The lanes that form a group of w with this one, w being a power of two; from 32 on, all lanes of a word. */
static inline uint32_t lanes_beside(uint32_t lane, uint32_t w) {
    return w < 32 ? ((1u << w) - 1) << (lane - lane % w) : ~0u;
}

/* How many bits are set: in a few operations on any machine, where __builtin_popcount is a call on most. */
static inline uint32_t bits_count(uint32_t v) {
    v -= v >> 1 & 0x55555555u;
    v = (v & 0x33333333u) + (v >> 2 & 0x33333333u);
    return ((v + (v >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}

static inline uint32_t bits_count64(uint64_t v) {
    v -= v >> 1 & 0x5555555555555555u;
    v = (v & 0x3333333333333333u) + (v >> 2 & 0x3333333333333333u);
    return (uint32_t)(((v + (v >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u >> 56);
}

/* Bits of a field that tells so many values apart. */
static inline uint32_t bits_for(uint64_t values) {
    uint32_t n = 0;
    while (n < 63 && values > UINT64_C(1) << n) n++;
    return n;
}

/* Bit b of w goes to b ^ by. */
static inline uint64_t bits_exchange(uint64_t w, uint32_t by) {
    static const uint64_t low[] = {0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f,
                                   0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff};
    for (uint32_t k = 0; k < 6; k++)
        if (by >> k & 1) w = (w & low[k]) << (1u << k) | (w >> (1u << k) & low[k]);
    return w;
}

static inline bool is_pow2(uint64_t v) {
    return v && !(v & (v - 1));
}

/* FNV-1a, over as many calls as there are pieces; begins with HASH_START. */
#define HASH_START UINT64_C(0xcbf29ce484222325)
static inline uint64_t hash_bytes(uint64_t h, const void *data, size_t n) {
    const uint8_t *b = (const uint8_t *)data;
    for (size_t i = 0; i < n; i++) h = (h ^ b[i]) * 0x100000001b3u;
    return h;
}

/* splitmix64: the one generator of the project, so that a seed means the same bytes everywhere. */
struct rng {
    uint64_t state;
};
/* A draw in two steps, for those who may not need its value: they differ by their number alone. */
static inline uint64_t rng_step(struct rng *r) {
    return r->state += 0x9e3779b97f4a7c15u;
}
static inline uint64_t rng_value(uint64_t step) {
    uint64_t z = step;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
static inline uint64_t rng_next(struct rng *r) {
    return rng_value(rng_step(r));
}
/* uniform in [0, n); n > 0 */
static inline uint64_t rng_scale(uint64_t value, uint64_t n) {
    return (uint64_t)(((unsigned __int128)value * n) >> 64);
}
static inline uint64_t rng_below(struct rng *r, uint64_t n) {
    return rng_scale(rng_next(r), n);
}

/* Hashes like hash_bytes, but word by word, for more than a few bytes. The last word is filled up with zeros. */
static inline uint64_t hash_words(uint64_t h, const void *data, size_t n) {
    const uint8_t *b = (const uint8_t *)data;
    for (size_t i = 0; i < n; i += 8) {
        uint64_t word = 0;
        memcpy(&word, b + i, n - i < 8 ? n - i : 8);
        h = (h ^ word) * 0x100000001b3u;
    }
    return h;
}

/* What an extent of three holds; 0 stands for 1, and UINT64_MAX for what 64 bits do not hold. */
static inline uint64_t extent_count(const uint32_t d[3]) {
    uint64_t all;
    const uint64_t n[] = {d[0] ? d[0] : 1, d[1] ? d[1] : 1, d[2] ? d[2] : 1};
    return __builtin_mul_overflow(n[0] * n[1], n[2], &all) ? UINT64_MAX : all;
}

#endif
