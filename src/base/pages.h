/* Memory of one launch after another, on huge pages where the host has them.
 *
 * Pieces lie one behind the other in the order in which they are asked for, and all go back at once: what is used together
 * and asked for together shares the host's pages, of which its translation caches hold few. Memory that one launch has
 * touched is kept for the next. */
#ifndef HEDDLE_BASE_PAGES_H
#define HEDDLE_BASE_PAGES_H

#include <stddef.h>

struct pages_chunk;
struct pages { /* all zero: empty */
    struct pages_chunk *first, *now;
};

/* 64-byte aligned. */
void *pages_get(struct pages *p, size_t n); /* zeroed; without memory the call ends (ledger.h) */
void *pages_raw(struct pages *p, size_t n); /* the same, but not zeroed */
void *pages_try(struct pages *p, size_t n); /* not zeroed; NULL: no memory */
/* A larger piece that begins with what another one, of `had` bytes, holds; that one is of no use until the rewind. */
void *pages_more(struct pages *p, const void *old, size_t had, size_t n);
void pages_rewind(struct pages *p); /* every piece is gone, most of the memory stays */
void pages_free(struct pages *p);   /* and the memory */
/* Room for one element more behind the n there are, of cap: twice as many if there is none. */
#define PAGES_GROW(p, v, n, cap)                                                        \
    do {                                                                                \
        if ((n) == (cap)) {                                                             \
            (cap) = (cap) ? 2 * (cap) : 4;                                              \
            (v) = pages_more((p), (v), (n) * sizeof *(v), (size_t)(cap) * sizeof *(v)); \
        }                                                                               \
    } while (0)
#define PAGES_NEW(p, T, count) ((T *)pages_get((p), sizeof(T) * (size_t)(count)))

#endif
