/* Memory of one launch after another, on huge pages where the host has them.
 *
 * Pieces lie one behind the other in the order in which they are asked for, and all go back at once: what is used together
 * and asked for together shares the host's pages, of which its translation caches hold few. Memory that one launch has
 * touched is kept for the next; what no launch has touched for a while goes back to the host. */
#ifndef HEDDLE_BASE_PAGES_H
#define HEDDLE_BASE_PAGES_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct pages_chunk;
struct pages_list {
    struct pages_chunk *first, *now; /* now: pieces come from here */
};
struct pages { /* all zero: empty */
    struct pages_list dense, sparse;
    struct pages *whole; /* this is a part of `whole`; NULL: of none */
    uint32_t rewinds;
    atomic_flag busy; /* a thread is taking a piece */
};

/* 64-byte aligned. */
void *pages_get(struct pages *p, size_t n); /* zeroed; without memory the call ends (ledger.h) */
void *pages_raw(struct pages *p, size_t n); /* not zeroed; without memory the call ends */
void *pages_try(struct pages *p, size_t n); /* not zeroed; NULL: no memory */
/* For room of which little is used, from the front: not zeroed, on the host's smallest pages, and what is never touched costs
 * address space only. Without memory the call ends. */
void *pages_sparse(struct pages *p, size_t n);
/* Gives zeroed memory, or NULL when there is none. The host clears what was touched before, so that untouched memory
 * costs nothing. */
void *pages_blank(struct pages *p, size_t n);
/* A larger piece that begins with what another one, of `had` bytes, holds; that one is of no use until the rewind. */
void *pages_more(struct pages *p, const void *old, size_t had, size_t n);
/* Pages whose pieces lie in those of `whole`, and go with its rewind. Different parts may be used by different threads at the
 * same time, and what one of them uses lies together. */
struct pages *pages_part(struct pages *whole);
void pages_rewind(struct pages *p); /* every piece is gone, most of the memory stays; of no part */
void pages_free(struct pages *p);   /* frees all pieces and the memory */
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
