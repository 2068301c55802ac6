/* Arrays in files, as buffers are filled from and written to: raw little-endian bytes, numbers as text or CSV, NumPy's .npy.
 * Decoding is a pure function of a file's bytes, so that it can be tested and fuzzed without files. */
#ifndef HEDDLE_VALUE_ARRAYS_H
#define HEDDLE_VALUE_ARRAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "ir/types.h"

enum array_format { ARRAY_RAW, ARRAY_TEXT, ARRAY_CSV, ARRAY_NPY };

/* What the path's suffix says: .txt, .csv, .npy; anything else is raw. */
enum array_format array_format_of(const char *path);

/* Elements of a type from the bytes of a file. *count: how many there must be, or 0, and then how many there are. *data, which
 * is little-endian, is for the caller to free. A message does not name the file. */
bool array_decode(enum array_format format, enum ir_type type, const uint8_t *bytes, size_t n,
                  uint64_t *count, uint8_t **data, struct err *e);

/* The reverse: text and CSV have an element on each line, .npy one dimension. */
void array_encode(enum array_format format, enum ir_type type, const uint8_t *data, uint64_t count,
                  struct sb *out);

/* npy.c: versions 1 to 3 of the format in C order; *at is where the elements begin. */
struct npy {
    char descr[8]; /* "<f4" */
    uint64_t count, at;
};
bool npy_read_header(const uint8_t *bytes, size_t n, struct npy *out, struct err *e);
void npy_add_header(enum ir_type type, uint64_t count, struct sb *out);
/* "<f4" for f32 */
const char *npy_descr(enum ir_type type);

/* One little-endian element. */
static inline uint64_t array_element(const uint8_t *data, uint64_t i, size_t bytes) {
    uint64_t v = 0;
    for (size_t b = 0; b < bytes; b++) v |= (uint64_t)data[i * bytes + b] << (8 * b);
    return v;
}
static inline void array_set(uint8_t *data, uint64_t i, size_t bytes, uint64_t v) {
    for (size_t b = 0; b < bytes; b++) data[i * bytes + b] = (uint8_t)(v >> (8 * b));
}

#endif
