/* Chunks straight from the host, each twice the one before; dense ones are aligned for huge pages from 2 MB on and the host is
 * asked for them, which it may ignore; sparse ones never are. A chunk arrives zeroed and remembers how far it has been handed
 * out before, so that only that is cleared again.
 *
 * What launches have not used for PERIOD of them is given back: whole chunks, and the ends of others. A device that once had a
 * large launch is then as small as one that never had, and one whose launches alternate does not ask the host each time.
 *
 * The chunks of a part are pieces of the whole. Only taking such a piece is guarded against other threads: it is rare. */
#include "base/pages.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/guard.h"
#include "base/ledger.h"

enum {
    ALIGN = 64,
    FIRST = 256 * 1024,             /* bytes of the first chunk */
    FIRST_SPARSE = 4 * 1024 * 1024, /* bytes of the first chunk of a sparse list */
    FIRST_PART = 16 * 1024,         /* bytes of the first chunk of a part */
    MOST_PART = 32 * 1024,          /* bytes of a part's largest chunk, unless a piece is larger */
    HUGE_PAGE = 2 * 1024 * 1024,
    SMALL_PAGE =
        4 * 1024, /* where the host's are larger, it refuses to clear them by halves, and this room does */
    KEPT = 64 * 1024 * 1024, /* chunks above go back to the host with the rewind */
    PERIOD = 16
};

struct pages_chunk {        /* at the front of its memory */
    struct ledger_map host; /* what the host gave, for giving it back */
    struct pages_chunk *next;
    size_t size, used;
    size_t dirty;  /* no byte from here on was handed out before the last rewind */
    size_t lately; /* the most that was used in this period */
};
enum { HEAD = (sizeof(struct pages_chunk) + ALIGN - 1) / ALIGN * ALIGN };

static struct pages_chunk *chunk_new(size_t size, bool sparse) {
    const size_t slack = size >= HUGE_PAGE ? HUGE_PAGE : 0;
    if (size > SIZE_MAX - slack) return NULL;
    void *map = mmap(NULL, size + slack, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | (sparse ? MAP_NORESERVE : 0), -1, 0);
    if (map == MAP_FAILED) return NULL;
    uintptr_t at = (uintptr_t)map;
    if (slack) at = (at + slack - 1) / HUGE_PAGE * HUGE_PAGE;
    struct pages_chunk *c = (struct pages_chunk *)at;
#ifdef MADV_HUGEPAGE
    if (slack) madvise(c, size, sparse ? MADV_NOHUGEPAGE : MADV_HUGEPAGE);
#endif
    *c = (struct pages_chunk){{map, size + slack}, NULL, size, HEAD, HEAD, HEAD};
    if (!ledger_allows() || !ledger_add_map(&c->host)) {
        munmap(map, size + slack);
        return NULL;
    }
    ASAN_POISON_MEMORY_REGION((unsigned char *)c + HEAD, size - HEAD);
    return c;
}

static void chunk_free(struct pages_chunk *c) {
    ASAN_UNPOISON_MEMORY_REGION(c, c->size);
    ledger_remove_map(&c->host);
    munmap(c->host.map, c->host.mapped);
}

static void chunk_add(struct pages_list *l, struct pages_chunk *c) {
    *(l->now ? &l->now->next : &l->first) = c;
    l->now = c;
}

/* A chunk with room for n bytes becomes the current one; what is left of those before it stays unused until the rewind. */
static bool chunk_for(struct pages_list *l, size_t n, bool sparse) {
    while (l->now && l->now->next) {
        l->now = l->now->next;
        if (l->now->size - l->now->used >= n) return true;
    }
    size_t size = sparse ? FIRST_SPARSE : FIRST;
    if (l->now) size = l->now->size < KEPT ? 2 * l->now->size : KEPT;
    if (size < n + HEAD) size = (n + HEAD + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    struct pages_chunk *c = chunk_new(size, sparse);
    if (c) chunk_add(l, c);
    return c != NULL;
}

/* *dirty: how many of the bytes were in use before. */
static void *chunk_take(struct pages_chunk *c, size_t n, size_t room, size_t *dirty) {
    const size_t had = c->dirty > c->used ? c->dirty - c->used : 0;
    unsigned char *at = (unsigned char *)c + c->used;
    c->used += room;
    *dirty = had < n ? had : n;
    ASAN_UNPOISON_MEMORY_REGION(at, n);
    return at;
}

static bool has_room(const struct pages_list *l, size_t room) {
    return l->now && l->now->size - l->now->used >= room;
}

static void *take_guarded(struct pages *p, bool sparse, size_t n, size_t room, size_t *dirty) {
    struct pages_list *l = sparse ? &p->sparse : &p->dense;
    void *at = NULL;
    while (atomic_flag_test_and_set_explicit(&p->busy, memory_order_acquire)) {
    }
    if (has_room(l, room) || chunk_for(l, room, sparse)) at = chunk_take(l->now, n, room, dirty);
    atomic_flag_clear_explicit(&p->busy, memory_order_release);
    return at;
}

/* A piece of the whole becomes the part's current chunk. */
static bool piece_for(struct pages *p, size_t n) {
    size_t size = FIRST_PART, dirty;
    if (p->dense.now) size = p->dense.now->size < MOST_PART ? 2 * p->dense.now->size : MOST_PART;
    if (size < n + HEAD) size = n + HEAD;
    struct pages_chunk *c = take_guarded(p->whole, false, size, size + (GUARD ? ALIGN : 0), &dirty);
    if (!c) return false;
    *c = (struct pages_chunk){.size = size, .used = HEAD, .dirty = dirty};
    ASAN_POISON_MEMORY_REGION((unsigned char *)c + HEAD, size - HEAD);
    chunk_add(&p->dense, c);
    return true;
}

static void *pages_take(struct pages *p, bool sparse, size_t n, size_t *dirty) {
    if (n > SIZE_MAX / 4) return NULL;
    const size_t room = (n + ALIGN - 1) / ALIGN * ALIGN + (GUARD ? ALIGN : 0);
    if (!p->whole) return take_guarded(p, sparse, n, room, dirty);
    if (sparse) return take_guarded(p->whole, true, n, room, dirty);
    if (!has_room(&p->dense, room) && !piece_for(p, room)) return NULL;
    return chunk_take(p->dense.now, n, room, dirty);
}

void *pages_try(struct pages *p, size_t n) {
    size_t dirty;
    return pages_take(p, false, n, &dirty);
}

void *pages_raw(struct pages *p, size_t n) {
    void *at = pages_try(p, n);
    if (!at) ledger_fail(n);
    return at;
}

void *pages_sparse(struct pages *p, size_t n) {
    size_t dirty;
    void *at = pages_take(p, true, n, &dirty);
    if (!at) ledger_fail(n);
    return at;
}

void *pages_blank(struct pages *p, size_t n) {
    size_t dirty;
    unsigned char *at = pages_take(p, true, n, &dirty);
    if (!at || !dirty) return at;
    unsigned char *const end = at + dirty;
    unsigned char *const from = (unsigned char *)(((uintptr_t)at + SMALL_PAGE - 1) / SMALL_PAGE * SMALL_PAGE);
    unsigned char *const to = (unsigned char *)((uintptr_t)end / SMALL_PAGE * SMALL_PAGE);
    if (from >= to || madvise(from, (size_t)(to - from), MADV_DONTNEED)) {
        memset(at, 0, dirty);
    } else {
        memset(at, 0, (size_t)(from - at));
        memset(to, 0, (size_t)(end - to));
    }
    return at;
}

void *pages_get(struct pages *p, size_t n) {
    size_t dirty;
    void *at = pages_take(p, false, n, &dirty);
    if (!at) ledger_fail(n);
    memset(at, 0, dirty);
    return at;
}

void *pages_more(struct pages *p, const void *old, size_t had, size_t n) {
    void *at = pages_raw(p, n);
    if (had) memcpy(at, old, had);
    return at;
}

struct pages *pages_part(struct pages *whole) {
    struct pages *p = PAGES_NEW(whole, struct pages, 1);
    p->whole = whole;
    return p;
}

/* The host's pages behind what was used lately. */
static void chunk_trim(struct pages_chunk *c) {
    const size_t from = (c->lately + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    if (c->size < HUGE_PAGE || from >= c->dirty) return;
    ASAN_UNPOISON_MEMORY_REGION((unsigned char *)c + from, c->size - from);
    if (!madvise((unsigned char *)c + from, c->size - from, MADV_DONTNEED)) c->dirty = from;
}

static void rewind_list(struct pages_list *l, bool period_ends) {
    for (struct pages_chunk **at = &l->first, *c; (c = *at);) {
        if (c->used > c->dirty) c->dirty = c->used;
        if (c->used > c->lately) c->lately = c->used;
        c->used = HEAD;
        if (c->size > KEPT || (period_ends && c->lately == HEAD)) {
            *at = c->next;
            chunk_free(c);
            continue;
        }
        if (period_ends) {
            chunk_trim(c);
            c->lately = HEAD;
        }
        ASAN_POISON_MEMORY_REGION((unsigned char *)c + HEAD, c->size - HEAD);
        at = &c->next;
    }
    l->now = l->first;
}

void pages_rewind(struct pages *p) {
    const bool period_ends = ++p->rewinds % PERIOD == 0;
    rewind_list(&p->dense, period_ends);
    rewind_list(&p->sparse, period_ends);
}

static void free_list(const struct pages_list *l) {
    for (struct pages_chunk *c = l->first, *next; c; c = next) {
        next = c->next;
        chunk_free(c);
    }
}

void pages_free(struct pages *p) {
    free_list(&p->dense);
    free_list(&p->sparse);
    *p = (struct pages){0};
}
