/* Clocks of the race check: joined, shared, copied when written (races_impl.h). */
#include "base/alloc.h"
#include "exec/race/impl.h"

static size_t part_bytes(const struct exec_races *r) {
    return sizeof(struct races_part) + r->nunits * sizeof(uint32_t);
}

static struct races_part *part_new(struct exec_races *r, const struct races_part *like) {
    struct races_part *p = xcalloc(1, part_bytes(r));
    if (like) memcpy(p->epoch, like->epoch, r->nunits * sizeof *p->epoch);
    p->refs = 1;
    r->used += part_bytes(r);
    return p;
}

static void part_drop(struct exec_races *r, struct races_part *p) {
    if (--p->refs) return;
    xfree(p);
    r->used -= part_bytes(r);
}

struct races_clock *clock_new(struct exec_races *r) {
    struct races_clock *c = xcalloc(1, sizeof *c);
    c->refs = 1;
    r->used += sizeof *c;
    return c;
}

struct races_clock *clock_ref(struct races_clock *c) {
    c->refs++;
    return c;
}

void clock_drop(struct exec_races *r, struct races_clock *c) {
    if (!c || --c->refs) return;
    for (uint32_t k = 0; k < c->n; k++) part_drop(r, c->v[k].part);
    r->used -= sizeof *c + c->cap * sizeof *c->v;
    xfree(c->v);
    xfree(c);
}

/* Where the block is, or would be. */
static uint32_t races_clock_place(const struct races_clock *c, uint32_t block) {
    uint32_t lo = 0, hi = c->n;
    while (lo < hi) {
        const uint32_t mid = lo + (hi - lo) / 2;
        if (c->v[mid].block < block)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

const struct races_part *clock_part(const struct races_clock *c, uint32_t block) {
    if (c->n == 1) return c->v[0].block == block ? c->v[0].part : NULL;
    const uint32_t k = races_clock_place(c, block);
    return k < c->n && c->v[k].block == block ? c->v[k].part : NULL;
}

static void races_clock_grow(struct exec_races *r, struct races_clock *c, uint32_t cap) {
    r->used += (cap - c->cap) * sizeof *c->v;
    c->v = xrealloc(c->v, cap * sizeof *c->v);
    c->cap = cap;
}

/* *c for this owner alone to change, which it does. */
static struct races_clock *races_clock_own(struct exec_races *r, struct races_clock **c) {
    struct races_clock *was = *c;
    if (was && was->refs == 1) {
        was->stamp = ++r->stamps;
        return was;
    }
    struct races_clock *mine = *c = clock_new(r);
    mine->stamp = ++r->stamps;
    if (!was) return mine;
    if (was->n) races_clock_grow(r, mine, was->n);
    for (mine->n = 0; mine->n < was->n; mine->n++) {
        mine->v[mine->n] = was->v[mine->n];
        mine->v[mine->n].part->refs++;
    }
    clock_drop(r, was);
    return mine;
}

static void races_clock_insert(struct exec_races *r, struct races_clock *c, uint32_t k, uint32_t block,
                               struct races_part *p) {
    if (c->n == c->cap) races_clock_grow(r, c, c->cap * 2 + 1);
    memmove(c->v + k + 1, c->v + k, (c->n - k) * sizeof *c->v);
    c->v[k].block = block;
    c->v[k].part = p;
    c->n++;
}

struct races_part *clock_write(struct exec_races *r, struct races_clock **c, uint32_t block) {
    struct races_clock *mine = races_clock_own(r, c);
    const uint32_t k = races_clock_place(mine, block);
    if (k == mine->n || mine->v[k].block != block) races_clock_insert(r, mine, k, block, part_new(r, NULL));
    struct races_part *p = mine->v[k].part;
    if (p->refs > 1) {
        mine->v[k].part = part_new(r, p);
        p->refs--;
    }
    return mine->v[k].part;
}

static bool part_within(const struct exec_races *r, const struct races_part *a, const struct races_part *b) {
    if (a == b) return true;
    if (!b) return false;
    for (uint32_t u = 0; u < r->nunits; u++)
        if (a->epoch[u] > b->epoch[u]) return false;
    return true;
}

/* Where one of two parts knows all that the other does they become the same, so that the next look is short. */
static void join_part(struct exec_races *r, struct races_clock **c, uint32_t block, struct races_part *p) {
    const struct races_part *known = *c ? clock_part(*c, block) : NULL;
    if (part_within(r, p, known)) return;
    if (known && !part_within(r, known, p)) {
        struct races_part *to = clock_write(r, c, block);
        for (uint32_t u = 0; u < r->nunits; u++)
            if (to->epoch[u] < p->epoch[u]) to->epoch[u] = p->epoch[u];
        return;
    }
    struct races_clock *mine = races_clock_own(r, c);
    const uint32_t k = races_clock_place(mine, block);
    p->refs++;
    if (known) {
        part_drop(r, mine->v[k].part);
        mine->v[k].part = p;
    } else {
        races_clock_insert(r, mine, k, block, p);
    }
}

void clock_join(struct exec_races *r, struct races_clock **c, const struct races_clock *from) {
    if (!from || from == *c) return;
    for (uint32_t k = 0; k < from->n; k++) join_part(r, c, from->v[k].block, from->v[k].part);
}
