/* Device memory on its way out or back in (base/transfer.h): the table of allocations, those that are released too, since
 * reports name them and addresses depend on them, and what they hold. Storage stays where it is for allocations that are
 * there already: a program may have been told of it. */
#include "base/transfer.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "exec/impl.h"

enum { LABEL_MOST = 1 << 16 };

static void move_label(struct exec_alloc *a, struct transfer *t) {
    const uint64_t n = transfer_count(t, t->in ? 0 : strlen(a->label), LABEL_MOST, "the name of a buffer");
    if (t->in) a->label = xcalloc(n + 1, 1);
    transfer_bytes(t, a->label, n);
}

static void move_entry(struct exec_alloc *a, bool *live, struct transfer *t) {
    TRANSFER(t, a->addr);
    TRANSFER(t, a->bytes);
    TRANSFER(t, a->asked);
    a->kind = (enum exec_memory)transfer_count(t, a->kind, EXEC_MEM_HEAP, "a kind of memory");
    a->fixed = transfer_flag(t, a->fixed);
    a->borrowed = transfer_flag(t, a->borrowed);
    *live = transfer_flag(t, *live);
    move_label(a, t);
}

/* ---- out ---- */

static void exec_save_give(struct exec_mem *m, struct transfer *t) {
    for (size_t k = 0; k < m->n; k++) {
        bool live = m->v[k].host;
        move_entry(&m->v[k], &live, t);
    }
}

/* ---- in ---- */

/* The storage of the same allocation in the table before, or some of its own. */
static void find_bytes(struct exec_mem *before, struct exec_mem *m, struct exec_alloc *a,
                       struct transfer *t) {
    struct exec_alloc *same = exec_mem_starting(before, a->addr);
    if (same && same->bytes == a->bytes && same->borrowed == a->borrowed) {
        a->host = same->host;
        same->host = NULL;
    } else {
        transfer_check(t, !a->borrowed, "memory of the host's");
        transfer_check(t, a->asked <= m->limit - m->used, "the size of a buffer");
        if (transfer_good(t)) a->host = try_pages(a->bytes);
        transfer_check(t, a->host, "a buffer that the host has no memory for");
    }
    if (!a->borrowed) m->used += a->asked;
    if (a->kind == EXEC_MEM_HEAP) m->heap_used += a->asked;
}

static bool exec_save_fits(const struct exec_mem *m, const struct exec_alloc *a) {
    const struct exec_alloc *last = m->n ? &m->v[m->n - 1] : NULL;
    const uint64_t most = UINT64_C(1) << 62;
    return a->bytes <= most && a->addr <= 2 * most && a->bytes == a->asked + (a->borrowed ? 0 : m->slack) &&
           (!last || (a->addr >= last->addr && a->addr - last->addr >= last->bytes));
}

/* One allocation more at the end of the table. False: it cannot be. */
static bool exec_save_take_entry(struct exec_mem *before, struct exec_mem *m, struct transfer *t) {
    struct exec_alloc a = {0};
    bool live = false;
    move_entry(&a, &live, t);
    transfer_check(t, exec_save_fits(m, &a), "an allocation");
    if (transfer_good(t) && live) find_bytes(before, m, &a, t);
    if (m->n == m->cap) m->v = xrealloc(m->v, (m->cap = m->cap * 2 + 16) * sizeof *m->v);
    m->v[m->n++] = a;
    m->dead += !live;
    if (!a.fixed) m->top = m->n;
    return transfer_good(t);
}

static void exec_save_take(struct exec_mem *m, uint64_t n, struct transfer *t) {
    struct exec_mem before = *m;
    m->v = NULL;
    m->n = m->cap = m->dead = m->top = 0;
    m->used = m->heap_used = 0;
    while (n-- && exec_save_take_entry(&before, m, t)) continue;
    for (size_t k = 0; k < before.n; k++) {
        if (!before.v[k].borrowed) xfree(before.v[k].host);
        xfree(before.v[k].label);
    }
    xfree(before.v);
}

void exec_mem_transfer(struct exec_mem *m, bool contents, struct transfer *t) {
    const uint64_t n = transfer_count(t, m->n, UINT32_MAX, "the number of allocations");
    if (t->in)
        exec_save_take(m, n, t);
    else
        exec_save_give(m, t);
    for (size_t k = 0; contents && transfer_good(t) && k < m->n; k++)
        if (m->v[k].host) transfer_bytes(t, m->v[k].host, m->v[k].bytes);
}

uint64_t exec_mem_digest(const struct exec_mem *m) {
    uint64_t h = HASH_START;
    for (size_t k = 0; k < m->n; k++) {
        const uint64_t row[] = {m->v[k].addr, m->v[k].bytes, m->v[k].host != NULL};
        h = hash_bytes(h, row, sizeof row);
    }
    return h;
}
