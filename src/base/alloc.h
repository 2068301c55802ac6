/* Memory for the rest of the program: checked allocation, and an arena for things that live and die together.
 *
 * x* functions never return NULL: without memory for our own bookkeeping the call that is under way ends, by a jump to
 * the code that began it (ledger.h). Sizes that come from input (a buffer the user asks for, an array a PTX file
 * declares) go through try_alloc, which may say no. What any of these gave is given back by xfree; what was not
 * allocated during a call on a device may also go to free. */
#ifndef HEDDLE_BASE_ALLOC_H
#define HEDDLE_BASE_ALLOC_H

#include <stddef.h>
#include <stdint.h>

void *xmalloc(size_t n);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *p, size_t n);
void *xaligned(size_t align, size_t n);     /* zeroed */
void *xaligned_raw(size_t align, size_t n); /* not zeroed */
void *try_alloc(size_t n);                  /* zeroed, 64-byte aligned; NULL when there is no memory */
void *try_pages(size_t n); /* for large buffers, zeroed: not aligned, but untouched pages cost nothing */

void xfree(void *p); /* NULL is fine */

/* A fault of ours, never of the input's: prints where and why on stderr and aborts. */
_Noreturn void panic_at(const char *file, int line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
#define PANIC(...)  panic_at(__FILE__, __LINE__, __VA_ARGS__)
#define CHECK(cond) ((cond) ? (void)0 : panic_at(__FILE__, __LINE__, "broken invariant: %s", #cond))

struct arena_chunk;
struct arena {
    struct arena_chunk *head;
};

void *arena_alloc(struct arena *a, size_t n); /* zeroed, aligned to 16 */
char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t n);
void arena_free(struct arena *a);
#define ARENA_NEW(a, T, count) ((T *)arena_alloc((a), sizeof(T) * (size_t)(count)))

/* Growable array: struct { T *v; size_t n, cap; }.  VEC_PUSH yields nothing; VEC_FREE leaves an empty array. */
#define VEC(T)         \
    struct {           \
        T *v;          \
        size_t n, cap; \
    }
#define VEC_RESERVE(a, want)                                                              \
    do {                                                                                  \
        if ((size_t)(want) > (a)->cap) {                                                  \
            (a)->cap = (a)->cap * 2 > (size_t)(want) ? (a)->cap * 2 : (size_t)(want) + 8; \
            (a)->v = xrealloc((a)->v, (a)->cap * sizeof *(a)->v);                         \
        }                                                                                 \
    } while (0)
#define VEC_PUSH(a, ...)                \
    do {                                \
        VEC_RESERVE(a, (a)->n + 1);     \
        (a)->v[(a)->n++] = __VA_ARGS__; \
    } while (0)
#define VEC_FREE(a)            \
    do {                       \
        xfree((a)->v);         \
        (a)->v = NULL;         \
        (a)->n = (a)->cap = 0; \
    } while (0)

#endif
