/* What the race check keeps of each word of memory that was accessed in this launch.
 *
 * A page of memory gets a page of cells when it is first accessed: a cell for each aligned word, or, once an access is
 * narrower or crosses words, for each byte; so two threads that write the two halves of a word never seem to meet. Pages of
 * global memory are found by hashing, those of shared memory are an array of the block's. Beyond the bound nothing new is
 * kept, and what was therefore not looked at is counted. */
#include "base/alloc.h"
#include "exec/race/impl.h"

static size_t page_cells(bool bytes) {
    return bytes ? RACES_PAGE : RACES_PAGE / 4;
}

static struct races_cell *new_cells(struct exec_races *r, bool bytes) {
    const size_t n = page_cells(bytes) * sizeof(struct races_cell);
    if (r->used + n > r->limit) return NULL;
    struct races_cell *c = try_alloc(n);
    if (c) r->used += n;
    return c;
}

void shadow_free_page(struct exec_races *r, struct races_page *p) {
    if (!p->cell) return;
    for (size_t k = 0; k < page_cells(p->bytes); k++) {
        shadow_clear_groups(r, &p->cell[k]);
        shadow_clear_sync(r, &p->cell[k]);
    }
    xfree(p->cell);
    r->used -= page_cells(p->bytes) * sizeof *p->cell;
    p->cell = NULL;
}

/* ---- pages ---- */

static uint64_t shadow_hash(uint64_t number) {
    return number * UINT64_C(0x9e3779b97f4a7c15) >> 16;
}

/* The page of that number, or the free place where it would be. */
static size_t shadow_find(const struct exec_races *r, uint64_t number) {
    size_t k = shadow_hash(number) & (r->page_cap - 1);
    while (r->page[k].cell && r->page[k].number != number) k = (k + 1) & (r->page_cap - 1);
    return k;
}

static void shadow_rehash(struct exec_races *r) {
    struct races_page *was = r->page;
    const size_t n = r->page_cap;
    r->page_cap = n ? 2 * n : 64;
    r->page = xcalloc(r->page_cap, sizeof *r->page);
    for (size_t k = 0; k < n; k++)
        if (was[k].cell) r->page[shadow_find(r, was[k].number)] = was[k];
    r->last_page = 0;
    xfree(was);
}

static struct races_page *global_page(struct exec_races *r, uint64_t number) {
    if (r->page_cap && r->page[r->last_page].number == number && r->page[r->last_page].cell)
        return &r->page[r->last_page];
    if (2 * r->npages >= r->page_cap) shadow_rehash(r);
    const size_t k = shadow_find(r, number);
    if (!r->page[k].cell) {
        r->page[k] = (struct races_page){.number = number, .cell = new_cells(r, false)};
        if (!r->page[k].cell) return NULL;
        r->npages++;
    }
    r->last_page = k;
    return &r->page[k];
}

static struct races_page *shared_page(struct exec_races *r, struct races_block *b, uint64_t number) {
    struct races_page *p = &b->page[number];
    if (!p->cell) *p = (struct races_page){.number = number, .cell = new_cells(r, false)};
    return p->cell ? p : NULL;
}

/* ---- groups ---- */

struct races_group *shadow_group(struct exec_races *r, struct races_cell *c, uint32_t k) {
    if (!k) return c->first.epoch ? &c->first : NULL;
    if (!c->more || k > r->more.v[c->more].n) return NULL;
    return &r->more.v[c->more].g[k - 1];
}

static uint32_t more_new(struct exec_races *r) {
    uint32_t k = r->free_more;
    if (k) {
        r->free_more = r->more.v[k].next;
    } else {
        if (!r->more.n) VEC_PUSH(&r->more, (struct races_more){0}); /* index 0 means none */
        k = (uint32_t)r->more.n;
        VEC_PUSH(&r->more, (struct races_more){0});
        r->used += sizeof *r->more.v;
    }
    r->more.v[k].n = 0;
    return k;
}

void shadow_add_group(struct exec_races *r, struct races_cell *c, const struct races_group *g,
                      uint32_t slot) {
    if (!slot) {
        c->first = *g;
        return;
    }
    if (!c->more) c->more = more_new(r);
    struct races_more *m = &r->more.v[c->more];
    if (slot > RACES_MORE) slot = RACES_MORE;
    if (slot > m->n) m->n = slot;
    m->g[slot - 1] = *g;
}

void shadow_clear_groups(struct exec_races *r, struct races_cell *c) {
    c->first.epoch = 0;
    if (!c->more) return;
    r->more.v[c->more].next = r->free_more;
    r->free_more = c->more;
    c->more = 0;
}

/* ---- what threads synchronise with ---- */

struct races_sync *shadow_sync(struct exec_races *r, struct races_cell *c) {
    if (!c->sync && r->free_sync) {
        c->sync = r->free_sync;
        r->free_sync = r->sync.v[c->sync].next;
    } else if (!c->sync) {
        if (!r->sync.n) VEC_PUSH(&r->sync, (struct races_sync){0}); /* index 0 means none */
        c->sync = (uint32_t)r->sync.n;
        VEC_PUSH(&r->sync, (struct races_sync){0});
    }
    return &r->sync.v[c->sync];
}

void shadow_clear_sync(struct exec_races *r, struct races_cell *c) {
    if (!c->sync) return;
    struct races_sync *s = &r->sync.v[c->sync];
    clock_drop(r, s->gpu);
    clock_drop(r, s->cta);
    *s = (struct races_sync){.next = r->free_sync};
    r->free_sync = c->sync;
    c->sync = 0;
}

/* ---- cells ---- */

/* What is known of a word is known of its bytes; who synchronises with it does so by its first. */
static bool shadow_split(struct exec_races *r, struct races_page *p) {
    struct races_cell *cell = new_cells(r, true);
    if (!cell) return false;
    for (uint32_t k = 0; k < RACES_PAGE; k++) {
        struct races_cell *from = &p->cell[k / 4], *to = &cell[k];
        *to = *from;
        to->value = from->value >> 8 * (k % 4) & 0xff;
        if (k % 4 == 0) continue;
        to->more = to->sync = 0;
        struct races_group *g;
        for (uint32_t n = 1; (g = shadow_group(r, from, n)); n++) {
            const struct races_group copy = *g; /* adding one may move them */
            shadow_add_group(r, to, &copy, n);
        }
    }
    xfree(p->cell);
    r->used -= page_cells(false) * sizeof *p->cell;
    p->cell = cell;
    p->bytes = true;
    return true;
}

struct races_cell *shadow_cell(struct exec_races *r, struct races_block *b, uint64_t addr, uint32_t bytes,
                               uint32_t *step) {
    const uint64_t number = addr / RACES_PAGE;
    struct races_page *p = b ? shared_page(r, b, number) : global_page(r, number);
    if (!p || (!p->bytes && (addr % 4 || bytes % 4) && !shadow_split(r, p))) return NULL;
    *step = p->bytes ? 1 : 4;
    return &p->cell[addr % RACES_PAGE / *step];
}

void shadow_forget(struct exec_races *r, uint64_t addr, uint64_t bytes) {
    for (const uint64_t end = addr + bytes; addr < end && r->page_cap;) {
        const uint64_t next = addr - addr % RACES_PAGE + RACES_PAGE, stop = next < end ? next : end;
        const struct races_page *p = &r->page[shadow_find(r, addr / RACES_PAGE)];
        for (const uint32_t step = p->bytes ? 1 : 4; p->cell && addr < stop; addr += step) {
            struct races_cell *c = &p->cell[addr % RACES_PAGE / step];
            shadow_clear_groups(r, c);
            shadow_clear_sync(r, c);
            *c = (struct races_cell){0};
        }
        addr = stop;
    }
}

void shadow_free(struct exec_races *r) {
    for (size_t k = 0; k < r->page_cap; k++) shadow_free_page(r, &r->page[k]);
    xfree(r->page);
    r->page = NULL;
    r->npages = r->page_cap = r->last_page = 0;
    r->used -= (r->more.n ? r->more.n - 1 : 0) * sizeof *r->more.v;
    VEC_FREE(&r->more);
    VEC_FREE(&r->sync);
    r->free_more = r->free_sync = 0;
}
