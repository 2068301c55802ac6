/* Bitmaps of any length, 64 bits to a word, lowest first. */
#ifndef HEDDLE_BASE_BITMAP_H
#define HEDDLE_BASE_BITMAP_H

#include <stdbool.h>
#include <stdint.h>

static inline uint32_t bitmap_words(uint32_t bits) {
    return (bits + 63) / 64;
}
static inline void bitmap_set(uint64_t *map, uint32_t i) {
    map[i / 64] |= UINT64_C(1) << i % 64;
}
static inline void bitmap_clear(uint64_t *map, uint32_t i) {
    map[i / 64] &= ~(UINT64_C(1) << i % 64);
}
static inline bool bitmap_has(const uint64_t *map, uint32_t i) {
    return map[i / 64] >> i % 64 & 1;
}
static inline bool bitmap_any(const uint64_t *map, uint32_t words) {
    uint64_t some = 0;
    for (uint32_t k = 0; k < words; k++) some |= map[k];
    return some;
}
/* for each set bit i, lowest first; a word is read when the walk comes to it, so that bits of it may be cleared on the way */
#define FOR_BITMAP(i, map, words)                                                      \
    for (uint32_t i##_word = 0, i; i##_word < (words); i##_word++)                     \
        for (uint64_t i##_left = (map)[i##_word];                                      \
             i##_left && (i = i##_word * 64 + (uint32_t)__builtin_ctzll(i##_left), 1); \
             i##_left &= i##_left - 1)

#endif
