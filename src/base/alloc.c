/* Allocation that either succeeds or panics, and the arena. See alloc.h for who may use which. */
#include "base/alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/guard.h"

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

void *xmalloc(size_t n) {
    void *p = malloc(n ? n : 1);
    if (!p) PANIC("out of memory (%zu bytes)", n);
    return p;
}

void *xcalloc(size_t count, size_t size) {
    void *p = calloc(count ? count : 1, size ? size : 1);
    if (!p) PANIC("out of memory (%zu x %zu bytes)", count, size);
    return p;
}

void *xrealloc(void *old, size_t n) {
    void *p = realloc(old, n ? n : 1);
    if (!p) PANIC("out of memory (%zu bytes)", n);
    return p;
}

static void *aligned_zeroed(size_t align, size_t n) {
    if (n > SIZE_MAX - align) return NULL;
    size_t rounded = (n + align - 1) / align * align;
    void *p = aligned_alloc(align, rounded ? rounded : align);
    if (p) memset(p, 0, rounded ? rounded : align);
    return p;
}

void *xaligned(size_t align, size_t n) {
    void *p = aligned_zeroed(align, n);
    if (!p) PANIC("out of memory (%zu bytes)", n);
    return p;
}

void *try_alloc(size_t n) {
    return aligned_zeroed(64, n);
}

void *try_pages(size_t n) {
    return calloc(1, n ? n : 1);
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
        free(c);
    }
    a->head = NULL;
}
