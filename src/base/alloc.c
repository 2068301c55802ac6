/* Allocation that succeeds or ends the call, and the arena. See alloc.h for who may use which. */
#include "base/alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/guard.h"
#include "base/ledger.h"

enum { CHUNK = 64 * 1024, ALIGN = 16 };

struct arena_chunk {
    struct arena_chunk *next;
    size_t used, size;
    _Alignas(ALIGN) unsigned char data[];
};

void panic_at(const char *file, int line, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    fprintf(stderr, "heddle: internal error at %s:%d: ", file, line);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
    abort();
}

/* Written down, or given back: NULL then. */
static void *noted(void *p) {
    if (!p || (ledger_allows() && ledger_add(p))) return p;
    free(p);
    return NULL;
}

static void *must(void *p, size_t n) {
    if (!p) ledger_fail(n);
    return p;
}

void *xmalloc(size_t n) {
    return must(noted(malloc(n ? n : 1)), n);
}

void *xcalloc(size_t count, size_t size) {
    return must(noted(calloc(count ? count : 1, size ? size : 1)), count * size);
}

/* What was written down stays so, at its new place or, without one, at its old: there is room for that. */
void *xrealloc(void *old, size_t n) {
    if (!old) return xmalloc(n);
    if (!ledger_allows()) ledger_fail(n);
    const bool known = ledger_remove(old);
    void *p = realloc(old, n ? n : 1);
    if (known) ledger_add(p ? p : old);
    return must(p, n);
}

static void *aligned(size_t align, size_t n, bool zeroed) {
    if (n > SIZE_MAX - align) return NULL;
    const size_t rounded = n ? (n + align - 1) / align * align : align;
    void *p = noted(aligned_alloc(align, rounded));
    if (p && zeroed) memset(p, 0, rounded);
    return p;
}

void *xaligned(size_t align, size_t n) {
    return must(aligned(align, n, true), n);
}

void *xaligned_raw(size_t align, size_t n) {
    return must(aligned(align, n, false), n);
}

void *try_alloc(size_t n) {
    return aligned(64, n, true);
}

void *try_pages(size_t n) {
    return noted(calloc(1, n ? n : 1));
}

void xfree(void *p) {
    if (!p) return;
    ledger_remove(p);
    free(p);
}

void *arena_alloc(struct arena *a, size_t n) {
    if (n > SIZE_MAX - CHUNK) PANIC("arena request of %zu bytes", n);
    size_t room = (n + ALIGN - 1) / ALIGN * ALIGN + GUARD;
    struct arena_chunk *c = a->head;
    if (!c || c->size - c->used < room) {
        size_t size = room > CHUNK ? room : CHUNK;
        c = xcalloc(1, sizeof *c + size);
        c->size = size;
        c->next = a->head;
        a->head = c;
    }
    void *p = c->data + c->used;
    c->used += room;
    ASAN_POISON_MEMORY_REGION((unsigned char *)p + n, room - n);
    return p;
}

char *arena_strdup(struct arena *a, const char *s) {
    return arena_strndup(a, s, strlen(s));
}

char *arena_strndup(struct arena *a, const char *s, size_t n) {
    char *p = arena_alloc(a, n + 1);
    memcpy(p, s, n);
    return p;
}

void arena_free(struct arena *a) {
    for (struct arena_chunk *c = a->head, *next; c; c = next) {
        next = c->next;
        xfree(c);
    }
    a->head = NULL;
}
