/* Chunks straight from the host, each twice the one before; from 2 MB on they are aligned for huge pages and the host is
 * asked for them, which it may ignore. A chunk arrives zeroed and remembers how far it has been handed out before, so that
 * only that is cleared again. */
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
    FIRST = 256 * 1024, /* bytes of the first chunk */
    HUGE_PAGE = 2 * 1024 * 1024,
    KEPT = 64 * 1024 * 1024 /* chunks above go back to the host with the rewind */
};

struct pages_chunk {        /* at the front of its memory */
    struct ledger_map host; /* what the host gave, for giving it back */
    struct pages_chunk *next;
    size_t size, used;
    size_t dirty; /* no byte from here on was handed out before the last rewind */
};
enum { HEAD = (sizeof(struct pages_chunk) + ALIGN - 1) / ALIGN * ALIGN };

static struct pages_chunk *chunk_new(size_t size) {
    const size_t slack = size >= HUGE_PAGE ? HUGE_PAGE : 0;
    if (size > SIZE_MAX - slack) return NULL;
    void *map = mmap(NULL, size + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED) return NULL;
    uintptr_t at = (uintptr_t)map;
    if (slack) at = (at + slack - 1) / HUGE_PAGE * HUGE_PAGE;
    struct pages_chunk *c = (struct pages_chunk *)at;
#ifdef MADV_HUGEPAGE
    if (slack) madvise(c, size, MADV_HUGEPAGE);
#endif
    *c = (struct pages_chunk){{map, size + slack}, NULL, size, HEAD, HEAD};
    if (!ledger_allows() || !ledger_add_map(&c->host)) {
        munmap(map, size + slack);
        return NULL;
    }
    ASAN_POISON_MEMORY_REGION((unsigned char *)c + HEAD, size - HEAD);
    return c;
}

/* A chunk with room for n bytes becomes the current one; what is left of those before it stays unused until the rewind. */
static bool chunk_for(struct pages *p, size_t n) {
    while (p->now && p->now->next) {
        p->now = p->now->next;
        if (p->now->size - p->now->used >= n) return true;
    }
    size_t size = !p->now ? FIRST : p->now->size < KEPT ? 2 * p->now->size : KEPT;
    if (size < n + HEAD) size = (n + HEAD + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    struct pages_chunk *c = chunk_new(size);
    if (!c) return false;
    *(p->now ? &p->now->next : &p->first) = c;
    p->now = c;
    return true;
}

void *pages_try(struct pages *p, size_t n) {
    if (n > SIZE_MAX / 4) return NULL;
    const size_t room = (n + ALIGN - 1) / ALIGN * ALIGN + (GUARD ? ALIGN : 0);
    if ((!p->now || p->now->size - p->now->used < room) && !chunk_for(p, room)) return NULL;
    unsigned char *at = (unsigned char *)p->now + p->now->used;
    p->now->used += room;
    ASAN_UNPOISON_MEMORY_REGION(at, n);
    return at;
}

void *pages_raw(struct pages *p, size_t n) {
    void *at = pages_try(p, n);
    if (!at) ledger_fail(n);
    return at;
}

void *pages_get(struct pages *p, size_t n) {
    unsigned char *at = pages_raw(p, n), *end = (unsigned char *)p->now + p->now->dirty;
    if (end > at) memset(at, 0, (size_t)(end - at) < n ? (size_t)(end - at) : n);
    return at;
}

void *pages_more(struct pages *p, const void *old, size_t had, size_t n) {
    void *at = pages_raw(p, n);
    if (had) memcpy(at, old, had);
    return at;
}

static void chunk_free(struct pages_chunk *c) {
    ASAN_UNPOISON_MEMORY_REGION(c, c->size);
    ledger_remove_map(&c->host);
    munmap(c->host.map, c->host.mapped);
}

void pages_rewind(struct pages *p) {
    for (struct pages_chunk **at = &p->first, *c; (c = *at);) {
        if (c->size > KEPT) {
            *at = c->next;
            chunk_free(c);
            continue;
        }
        if (c->used > c->dirty) c->dirty = c->used;
        c->used = HEAD;
        ASAN_POISON_MEMORY_REGION((unsigned char *)c + HEAD, c->size - HEAD);
        at = &c->next;
    }
    p->now = p->first;
}

void pages_free(struct pages *p) {
    for (struct pages_chunk *c = p->first, *next; c; c = next) {
        next = c->next;
        chunk_free(c);
    }
    *p = (struct pages){0};
}
