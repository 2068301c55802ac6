/* Input of the two sequence matchers, mp and mu: a reference and short reads of it, and the check of what they found. */
#ifndef HEDDLE_WORKLOADS_DNA_H
#define HEDDLE_WORKLOADS_DNA_H

#include "workloads/workload.h"

struct dna {
    uint8_t *text;     /* the reference: bases, 0 to 3 each */
    uint8_t *reads;    /* one behind the other */
    uint32_t *offsets; /* read i is reads[offsets[i]] to reads[offsets[i + 1]] */
    uint32_t bases, count;
    /* The shortest to look for: a read is searched from every base that has as many from there on. */
    uint32_t match;
    uint32_t recorded; /* the shortest that the kernel reports; for others its results stay 0 */
};

/* A reference of that many bases, with repeats, and `count` reads of `shortest` to `longest`. */
struct dna dna_make(struct work *w, uint32_t bases, uint32_t count, uint32_t shortest, uint32_t longest,
                    uint32_t match);

/* Launches kernel(lengths, places, index, reads, offsets, count, match), a thread a read, and checks what it found for each base
 * of the reads: how long a prefix of what begins there is in the reference, and where in the reference such a prefix begins.
 * index: the kernel's own form of the reference, by value. */
void dna_match(struct work *w, const char *kernel, const struct dna *d, const void *index, uint32_t bytes);

#endif
