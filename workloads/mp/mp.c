/* Sequence matching by suffix array, after MUMmerGPU++ (HARP Table 5: one block of 256 threads, 0.3 M instructions). Each thread
 * searches one read for the longest prefix that is in the reference, by a binary search that does not compare again what both
 * ends of its interval share with the read. Integers: the check is exact.
 *
 * The paper names no inputs. Ours (dna.h) are a reference of 20000 bases and reads of 25, each searched once, from its first base;
 * with the share of reads that match (dna.c) this makes the paper's number of instructions. */
#include <stdlib.h>
#include <string.h>

#include "workloads/dna.h"

/* As the kernel takes it. */
struct device_index {
    uint64_t text, suffixes;
    uint32_t bases, unused;
};

struct suffix {
    const uint8_t *at;
    size_t bases;
};

static int compare(const void *a, const void *b) {
    const struct suffix *x = a, *y = b;
    int c = memcmp(x->at, y->at, x->bases < y->bases ? x->bases : y->bases);
    return c ? c : x->bases < y->bases ? -1 : 1;
}

static struct device_index make_index(struct work *w, const struct dna *d) {
    uint32_t n = d->bases;
    struct suffix *s = work_host(w, n, sizeof *s);
    for (uint32_t i = 0; i < n; i++) s[i] = (struct suffix){d->text + i, n - i};
    qsort(s, n, sizeof *s, compare);
    uint32_t *starts = work_host(w, n, sizeof *starts);
    for (uint32_t i = 0; i < n; i++) starts[i] = (uint32_t)(s[i].at - d->text);
    return (struct device_index){.text = work_input(w, "text", d->text, n),
                                 .suffixes = work_input(w, "suffixes", starts, n * sizeof *starts),
                                 .bases = n};
}

void work_mp(struct work *w) {
    uint32_t bases = work_pick(w, 2000, 20000, 20000), count = work_pick(w, 64, 256, 256);
    struct dna d = dna_make(w, bases, count, 25, 25, 25);
    struct device_index index = make_index(w, &d);
    dna_match(w, "mp", &d, &index, sizeof index);
}
