/* Fat binaries made for tests, as nvcc and clang write them. */
#ifndef HEDDLE_TESTS_UNIT_CUDA_FATBINS_H
#define HEDDLE_TESTS_UNIT_CUDA_FATBINS_H

#include <lz4.h>
#include <string.h>
#include <zstd.h>

#include "runtime/module/fatbin.h"

enum { PTX = 1, ELF = 2, PLAIN = 0, LZ4 = 0x2000, ZSTD = 0x8000 };

struct fatbin_image {
    uint8_t bytes[16384];
    size_t n;
};

static inline void put(uint8_t *at, uint64_t value, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) at[i] = (uint8_t)(value >> 8 * i);
}

static inline void begin(struct fatbin_image *im) {
    memset(im, 0, sizeof *im);
    put(im->bytes, CU_FATBIN_MAGIC, 4);
    put(im->bytes + 4, 1, 2);
    put(im->bytes + 6, 16, 2);
    im->n = 16;
}

static inline size_t pack(uint8_t *to, size_t room, int how, const char *from, size_t n) {
    if (how == LZ4) return (size_t)LZ4_compress_default(from, (char *)to, (int)n, (int)room);
    if (how == ZSTD) return ZSTD_compress(to, room, from, n, 3);
    memcpy(to, from, n);
    return n;
}

/* An entry with a header of that size, as different compilers write them. */
static inline void add(struct fatbin_image *im, int kind, uint32_t arch, int how, size_t header,
                       const char *body) {
    uint8_t *at = im->bytes + im->n;
    size_t n = strlen(body) + 1, stored = pack(at + header, sizeof im->bytes - im->n - header, how, body, n);
    size_t padded = (stored + 7) / 8 * 8;
    put(at, (uint64_t)kind, 2);
    put(at + 2, 0x101, 2);
    put(at + 4, header, 4);
    put(at + 8, padded, 8);
    put(at + 16, how ? stored : 0, 4);
    put(at + 28, arch, 4);
    put(at + 40, (uint64_t)how, 8);
    put(at + 56, how ? n : 0, 8);
    im->n += header + padded;
    put(im->bytes + 8, im->n - 16, 8);
}

#endif
