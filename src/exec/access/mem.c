/* Device memory: a sorted table of allocations, each with host storage of its own and at least RED_ZONE
 * unmapped bytes after it, so that running off the end of one is never a hit in the next.
 *
 * New allocations go after the last one; when that would leave the low 4 GiB, which 32-bit modules need, gaps
 * are searched first. Those that were given an address (memory of the host, mostly high up) are passed over for that: what
 * they are changes no other address, unless they lie in the way. They may touch each other. A released allocation stays in the table without storage, so that a report can say
 * "released"; the dead are swept out when they outnumber the living, which keeps release cheap for kernels
 * that malloc a lot. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/bound.h"
#include "exec/impl.h"

enum { RED_ZONE = 256, MIN_ALIGN = 256, NEAR = 1 << 20 };

struct exec_mem *exec_mem_new(uint64_t limit_bytes, uint64_t slack) {
    struct exec_mem *m = xcalloc(1, sizeof *m);
    m->limit = limit_bytes;
    m->slack = slack;
    return m;
}

static void drop_bytes(struct exec_alloc *a) {
    if (!a->borrowed) xfree(a->host);
    a->host = NULL;
}

static void access_mem_drop(struct exec_alloc *a) {
    drop_bytes(a);
    xfree(a->label);
}

void exec_mem_free_all(struct exec_mem *m) {
    if (!m) return;
    for (size_t k = 0; k < m->n; k++) access_mem_drop(&m->v[k]);
    for (size_t k = 0; k < m->ntex; k++) xfree(m->tex[k]);
    xfree(m->tex);
    xfree(m->v);
    xfree(m);
}

/* Index of the last allocation that begins at or before addr, or n. */
static size_t at_or_before(const struct exec_mem *m, uint64_t addr) {
    size_t at;
    BOUND(at, 0, m->n, m->v[at].addr <= addr);
    return at ? at - 1 : m->n;
}

struct exec_alloc *exec_mem_find(const struct exec_mem *m, uint64_t addr, uint64_t bytes) {
    size_t k = at_or_before(m, addr);
    return k < m->n && exec_alloc_holds(&m->v[k], addr, bytes) ? &m->v[k] : NULL;
}

struct exec_alloc *exec_mem_starting(struct exec_mem *m, uint64_t addr) {
    size_t k = at_or_before(m, addr);
    return k < m->n && m->v[k].addr == addr && m->v[k].host ? &m->v[k] : NULL;
}

void *exec_mem_at(struct exec_mem *m, uint64_t addr, uint64_t bytes) {
    struct exec_alloc *a = exec_mem_find(m, addr, bytes);
    return a ? a->host + (addr - a->addr) : NULL;
}

static void access_mem_sweep(struct exec_mem *m) {
    size_t to = 0;
    m->top = 0;
    for (size_t k = 0; k < m->n; k++) {
        if (m->v[k].host)
            m->v[to++] = m->v[k];
        else
            access_mem_drop(&m->v[k]);
        if (to && !m->v[to - 1].fixed) m->top = to;
    }
    m->n = to;
    m->dead = 0;
}

static uint64_t access_mem_round_up(uint64_t v, uint64_t align) {
    return (v + align - 1) & ~(align - 1);
}

static uint64_t end_of(const struct exec_alloc *a) {
    return a->addr + a->bytes + RED_ZONE;
}

/* Behind the last that is not fixed, if it fits there below `most`. */
static bool place_top(const struct exec_mem *m, uint64_t bytes, uint64_t align, uint64_t most,
                      uint64_t *addr) {
    const uint64_t end = m->top ? end_of(&m->v[m->top - 1]) : EXEC_WIN_HEAP;
    *addr = access_mem_round_up(end, align);
    if (m->top < m->n && m->v[m->top].addr < most) most = m->v[m->top].addr;
    return *addr + bytes + RED_ZONE <= most;
}

/* Where an allocation goes, and its index in the table. Sizes are bounded by 2^46 before, and addresses by 2^63, so nothing
 * overflows. */
static size_t access_mem_place(struct exec_mem *m, uint64_t bytes, uint64_t align, uint64_t *addr) {
    const uint64_t low = UINT64_C(1) << 32;
    if (place_top(m, bytes, align, low, addr)) return m->top;
    access_mem_sweep(m);
    uint64_t from = EXEC_WIN_HEAP;
    for (size_t k = 0; k < m->n; k++) {
        uint64_t at = access_mem_round_up(from, align);
        if (at + bytes + RED_ZONE <= m->v[k].addr) {
            *addr = at;
            return k;
        }
        if (end_of(&m->v[k]) > from) from = end_of(&m->v[k]);
    }
    *addr = access_mem_round_up(from, align);
    return m->n;
}

static void access_mem_insert(struct exec_mem *m, size_t k, struct exec_alloc a) {
    if (m->n == m->cap) {
        m->cap = m->cap * 2 + 16;
        m->v = xrealloc(m->v, m->cap * sizeof *m->v);
    }
    memmove(m->v + k + 1, m->v + k, (m->n - k) * sizeof *m->v);
    m->v[k] = a;
    m->n++;
    if (k < m->top)
        m->top++;
    else if (!a.fixed)
        m->top = k + 1;
}

static void access_mem_forget(struct exec_mem *m, size_t k) {
    access_mem_drop(&m->v[k]);
    memmove(m->v + k, m->v + k + 1, (m->n - k - 1) * sizeof *m->v);
    m->n--;
    m->dead--;
    if (k < m->top) m->top--;
    while (m->top && m->v[m->top - 1].fixed) m->top--;
}

/* Checks an address that the allocation was given. Sets *at to the index at which to insert it, or returns false with
 * the reason. Address spaces other than global have their windows below EXEC_WIN_HEAP. */
static bool place_fixed(struct exec_mem *m, const struct exec_place *p, uint64_t bytes, size_t *at,
                        struct err *e) {
    const uint64_t first = p->fixed, end = p->fixed + bytes;
    if (first < EXEC_NULL_BYTES || first >= EXEC_MEM_END || end > EXEC_MEM_END ||
        (end > EXEC_WIN_SHARED && first < EXEC_WIN_HEAP))
        return err_set(e, ERR_INPUT,
                       "%s: no memory can lie at 0x%" PRIx64 ", %" PRIu64
                       " bytes: device addresses are 0x%x to 0x%x and from 0x%x on",
                       p->label, first, p->bytes, EXEC_NULL_BYTES, EXEC_WIN_SHARED, EXEC_WIN_HEAP);
    size_t k = at_or_before(m, first);
    k = k == m->n ? 0 : m->v[k].addr + m->v[k].bytes > first ? k : k + 1;
    while (k < m->n && m->v[k].addr < end) {
        const struct exec_alloc *a = &m->v[k];
        if (a->host)
            return err_set(e, ERR_INPUT,
                           "%s: 0x%" PRIx64 ", %" PRIu64 " bytes, overlaps %s (0x%" PRIx64 ", %" PRIu64
                           " bytes)",
                           p->label, first, p->bytes, a->label, a->addr, a->bytes);
        access_mem_forget(m, k);
    }
    *at = k;
    return true;
}

static char *copy_label(const char *label) {
    size_t n = strlen(label) + 1;
    return memcpy(xmalloc(n), label, n);
}

static bool check_place(const struct exec_mem *m, const struct exec_place *p, uint64_t align, struct err *e) {
    const uint64_t most = UINT64_C(1) << 46, limit = p->host ? most : m->limit, used = p->host ? 0 : m->used;
    if (!is_pow2(align) || align > most)
        return err_set(e, ERR_INPUT, "%s: alignment %" PRIu64 " is not a power of two", p->label, align);
    if (p->bytes <= most && used <= limit && p->bytes <= limit - used) return true;
    return err_set(e, ERR_MEMORY, "%s: %" PRIu64 " bytes do not fit: %" PRIu64 " of %" PRIu64 " are in use",
                   p->label, p->bytes, used, limit);
}

bool exec_mem_place(struct exec_mem *m, const struct exec_place *p, uint64_t *addr, struct err *e) {
    const uint64_t align = p->align < MIN_ALIGN ? MIN_ALIGN : p->align;
    struct exec_alloc a = {.addr = p->fixed,
                           .bytes = p->bytes + (p->host ? 0 : m->slack),
                           .asked = p->bytes,
                           .kind = p->kind,
                           .fixed = p->fixed,
                           .borrowed = p->host};
    size_t k = 0;
    if (!check_place(m, p, align, e) || (p->fixed && !place_fixed(m, p, a.bytes, &k, e))) return false;
    a.host = p->host ? p->host : try_pages((size_t)a.bytes);
    if (!a.host)
        return err_set(e, ERR_MEMORY, "%s: the host has no memory for %" PRIu64 " bytes", p->label, p->bytes);
    if (!p->fixed) k = access_mem_place(m, a.bytes, align, &a.addr);
    a.label = copy_label(p->label);
    access_mem_insert(m, k, a);
    if (!p->host) m->used += p->bytes;
    *addr = a.addr;
    return true;
}

bool exec_mem_alloc(struct exec_mem *m, uint64_t bytes, uint64_t align, const char *label, uint64_t *addr,
                    struct err *e) {
    return exec_mem_place(m, &(struct exec_place){.bytes = bytes, .align = align, .label = label}, addr, e);
}

bool exec_mem_release(struct exec_mem *m, uint64_t addr, struct err *e) {
    struct exec_alloc *a = exec_mem_starting(m, addr);
    if (!a) {
        struct sb where = {0};
        exec_mem_describe(m, addr, &where);
        err_set(e, ERR_INPUT, "nothing to release: %s", where.text);
        sb_free(&where);
        return false;
    }
    drop_bytes(a);
    if (!a->borrowed) m->used -= a->asked;
    if (a->kind == EXEC_MEM_HEAP) m->heap_used -= a->asked;
    if (++m->dead > m->n / 2 + 64) access_mem_sweep(m);
    return true;
}

bool exec_mem_label(struct exec_mem *m, uint64_t addr, const char *label, struct err *e) {
    struct exec_alloc *a = exec_mem_starting(m, addr);
    if (!a) return err_set(e, ERR_INPUT, "no allocation begins at 0x%" PRIx64, addr);
    char *copy = copy_label(label);
    xfree(a->label);
    a->label = copy;
    return true;
}

static struct exec_memory_info access_mem_describe(const struct exec_alloc *a) {
    return (struct exec_memory_info){a->addr, a->asked, a->kind, a->label, a->host};
}

bool exec_mem_inside(struct exec_mem *m, uint64_t addr, struct exec_memory_info *info) {
    const struct exec_alloc *a = exec_mem_find(m, addr, 1);
    if (a) *info = access_mem_describe(a);
    return a;
}

bool exec_mem_next(const struct exec_mem *m, uint64_t addr, struct exec_memory_info *info) {
    size_t k = at_or_before(m, addr);
    k = k == m->n ? 0 : m->v[k].addr < addr ? k + 1 : k;
    while (k < m->n && !m->v[k].host) k++;
    if (k < m->n) *info = access_mem_describe(&m->v[k]);
    return k < m->n;
}

uint64_t exec_mem_used(const struct exec_mem *m) {
    return m->used;
}

static const char *access_mem_plural(uint64_t n) {
    return n == 1 ? "" : "s";
}

/* The allocation an address was most likely meant for: the one it is inside or after, unless the next is
 * nearer. */
static const struct exec_alloc *access_mem_nearest(const struct exec_mem *m, uint64_t addr) {
    size_t k = at_or_before(m, addr);
    if (k == m->n) return m->n ? &m->v[0] : NULL;
    const struct exec_alloc *a = &m->v[k];
    if (addr - a->addr < a->bytes || k + 1 == m->n) return a;
    return a[1].addr - addr < addr - (a->addr + a->bytes) ? a + 1 : a;
}

void exec_mem_describe(const struct exec_mem *m, uint64_t addr, struct sb *out) {
    const struct exec_alloc *a = access_mem_nearest(m, addr);
    sb_add(out, "0x%" PRIx64 " is ", addr);
    if (!a) {
        sb_add(out, "not an allocation: there are none");
        return;
    }
    uint64_t end = a->addr + a->asked;
    uint64_t off = addr < a->addr ? a->addr - addr : addr < end ? addr - a->addr : addr - end;
    if (addr < a->addr && off > NEAR)
        sb_add(out, "below every allocation near it; the next is ");
    else if (addr < a->addr)
        sb_add(out, "%" PRIu64 " byte%s before ", off, access_mem_plural(off));
    else if (addr < end)
        sb_add(out, "%" PRIu64 " byte%s into ", off, access_mem_plural(off));
    else if (off == 0)
        sb_add(out, "just past the end of ");
    else
        sb_add(out, "%" PRIu64 " byte%s past the end of ", off, access_mem_plural(off));
    sb_add(out, "%s%s (0x%" PRIx64 ", %" PRIu64 " byte%s)", a->host ? "" : "released ", a->label, a->addr,
           a->asked, access_mem_plural(a->asked));
}

uint64_t exec_mem_beyond(const struct exec_mem *m, uint64_t addr, uint64_t bytes) {
    const struct exec_alloc *a = access_mem_nearest(m, addr);
    if (!a || !a->host || a->borrowed || addr < a->addr) return 0;
    const uint64_t last = addr + bytes, end = a->addr + a->asked;
    return last > end && last - end <= NEAR ? last - end : 0;
}

/* ---- copies ---- */

struct exec_mem_copy {
    uint8_t *bytes; /* of the allocations one behind the other */
};

static uint64_t live_bytes(const struct exec_mem *m) {
    uint64_t n = 0;
    for (size_t k = 0; k < m->n; k++)
        if (m->v[k].host) n += m->v[k].bytes;
    return n;
}

struct exec_mem_copy *exec_mem_keep(const struct exec_mem *m) {
    struct exec_mem_copy *c = xcalloc(1, sizeof *c);
    uint8_t *to = c->bytes = try_pages(live_bytes(m));
    if (!to) {
        xfree(c);
        return NULL;
    }
    for (size_t k = 0; k < m->n; k++) {
        if (!m->v[k].host) continue;
        memcpy(to, m->v[k].host, m->v[k].bytes);
        to += m->v[k].bytes;
    }
    return c;
}

void exec_mem_forget(struct exec_mem_copy *c) {
    xfree(c->bytes);
    xfree(c);
}

void exec_mem_put_back(struct exec_mem *m, struct exec_mem_copy *c) {
    const uint8_t *from = c->bytes;
    for (size_t k = 0; k < m->n; k++) {
        if (!m->v[k].host) continue;
        memcpy(m->v[k].host, from, m->v[k].bytes);
        from += m->v[k].bytes;
    }
    exec_mem_forget(c);
}
