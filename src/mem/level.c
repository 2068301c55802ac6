/* An access is a hit when all its grains are valid, a pending hit when those that are not are on their way (DWF, note 21),
 * and else a miss; so the three always add up to the accesses. What a refused request asked for is not an access.
 *
 * With reserve = miss a read miss reserves its line at once, so a line on its way has a place and a set can be all reserved:
 * then the next miss of that set is refused. With reserve = fill it needs a miss register and nothing else of the cache (DWF
 * 5.1.1 names no more): the line waits outside of its set and takes a way when its data has come, by what was used last until
 * then. Where even then all ways are kept by lines with sectors on their way, the data goes to those who wait and is not kept.
 * A write that misses: without `allocate` it goes below; with it, the line is reserved, grains
 * written whole become valid and only the rest is fetched. Dirty marks may precede the data. Writing through goes below in
 * every case. With stores_wait a write waits for what it fetches, or finds on its way, like a read. An atomic is a read that leaves its grains dirty (or goes below as well, writing through). */
#include "mem/level.h"

#include "base/alloc.h"
#include "mem/options.h"

/* The exponent of the least power of two that is not below n. */
static uint32_t bits_of(uint32_t n) {
    return n > 1 ? 32 - (uint32_t)__builtin_clz(n - 1) : 0;
}

size_t level_bytes(const struct cache_shape *s) {
    const size_t waiting =
        s->reserve == MEM_RESERVE_FILL ? sizeof(struct level_waiting) << bits_of(s->mshrs) : 0;
    return cache_bytes(s) + (s->mshrs * sizeof(struct mshr_entry) + 7) / 8 * 8 + waiting;
}

void level_init_in(struct level *l, const struct cache_shape *s, uint64_t seed, void *room) {
    *l = (struct level){.shape = *s, .cycle = MEM_NEVER, .bank_mask = is_pow2(s->banks) ? s->banks - 1 : 0};
    cache_init(&l->tags, s, seed, room);
    struct mshr_entry *registers = (struct mshr_entry *)(l->tags.line + l->tags.slots);
    mshr_init(&l->mshr, registers, s->mshrs, s->merges);
    if (s->reserve != MEM_RESERVE_FILL) return;
    l->hash_bits = bits_of(s->mshrs);
    l->waiting = (struct level_waiting *)((uint64_t *)registers + (s->mshrs * sizeof *registers + 7) / 8);
}

bool level_init(struct level *l, const struct cache_shape *s, uint64_t seed, struct err *e) {
    void *room = try_pages(level_bytes(s));
    if (!room)
        return err_set(e, ERR_MEMORY, "no memory for the tags of %s: %u sets of %u lines", s->name, s->sets,
                       s->ways);
    level_init_in(l, s, seed, room);
    l->own = room;
    return true;
}

void level_free(struct level *l) {
    xfree(l->own);
}

/* Mostly no second access comes in a cycle, and the bank of the first is never asked for. */
static void begin_banks(struct level *l) {
    l->banks[0] = 0;
    if (l->shape.banks > 64) memset(l->banks, 0, sizeof l->banks);
    bitmap_set(l->banks, level_bank(l, l->first));
}

bool level_free_port(struct level *l, uint64_t index) {
    if (l->shape.ideal || !l->taken) return true;
    if (l->taken == 1) begin_banks(l);
    if (bitmap_has(l->banks, level_bank(l, index))) {
        l->stats.bank_conflicts++;
        return false;
    }
    if (l->taken < l->shape.ports) return true;
    l->stats.busy++;
    return false;
}

static inline void count_sectors(struct level *l, uint64_t touched, uint64_t missing, uint64_t pending) {
    struct mem_cache_stats *s = &l->stats;
    const uint64_t lost = missing & ~pending;
    if (!(touched & (touched - 1))) { /* one, as mostly */
        s->sectors++;
        *(!missing ? &s->sector_hits : lost ? &s->sector_misses : &s->sector_pending) += 1;
        return;
    }
    const uint32_t n = level_sectors(l, touched), away = missing ? level_sectors(l, missing) : 0,
                   misses = lost ? level_sectors(l, lost) : 0;
    s->sectors += n;
    s->sector_hits += n - away;
    s->sector_misses += misses;
    s->sector_pending += away - misses;
}

void level_count_sectors(struct level *l, uint64_t touched, uint64_t missing, uint64_t pending) {
    count_sectors(l, touched, missing, pending);
}

/* The grains an access touches, those of them that are not there, and those of the line that are on their way. */
struct grains {
    uint64_t touched, missing, pending;
};

static inline enum level_what level_count(struct level *l, const struct level_access *a,
                                          const struct grains *g, enum level_what what) {
    struct mem_cache_stats *s = &l->stats;
    if (what == LEVEL_REFUSED) {
        s->busy++;
        return what;
    }
    count_sectors(l, g->touched, g->missing, g->pending);
    level_take_port(l, a->index);
    s->accesses++;
    *(a->kind == MEM_READ ? &s->reads : a->kind == MEM_WRITE ? &s->writes : &s->atomics) += 1;
    *(what == LEVEL_HIT ? &s->hits : what == LEVEL_PENDING ? &s->pending : &s->misses) += 1;
    return what;
}

uint64_t level_empty(struct level *l, uint32_t slot, uint64_t *line) {
    struct cache_line *at = &l->tags.line[slot];
    uint64_t dirty = at->dirty & at->valid;
    *line = l->tags.tag[slot] - 1;
    if (dirty) l->stats.writebacks++;
    at->valid = 0;
    at->dirty &= at->pending;
    if (!at->pending) cache_drop(&l->tags, slot);
    return dirty;
}

/* ---- lines that wait for their way ---- */

static uint32_t *hash_place(const struct level *l, uint64_t line) {
    /* The golden ratio: neighbours go far from each other. */
    const uint64_t mixed = line * 0x9e3779b97f4a7c15u;
    return &l->waiting[l->hash_bits ? mixed >> (64 - l->hash_bits) : 0].first;
}

static uint32_t find_waiting(const struct level *l, uint64_t line) {
    for (uint32_t next = *hash_place(l, line); next; next = l->waiting[next - 1].next) {
        const uint32_t slot = l->tags.places + next - 1;
        if (l->tags.tag[slot] == line + 1) return slot;
    }
    return CACHE_NONE;
}

uint32_t level_slot(const struct level *l, uint64_t line, uint64_t index) {
    const uint32_t slot = cache_find(&l->tags, index, line);
    return slot == CACHE_NONE && l->waits ? find_waiting(l, line) : slot;
}

/* The line is asked for under this register, whose slot it is given. */
static uint32_t begin_waiting(struct level *l, uint64_t line, uint64_t index, uint32_t entry) {
    uint32_t *place = hash_place(l, line);
    const uint32_t slot = l->tags.places + entry;
    l->waiting[entry].index = index;
    l->waiting[entry].next = *place;
    *place = entry + 1;
    l->waits++;
    cache_place(&l->tags, slot, line);
    return slot;
}

static void end_waiting(struct level *l, uint64_t line, uint32_t entry) {
    uint32_t *at = hash_place(l, line);
    while (*at != entry + 1) at = &l->waiting[*at - 1].next;
    *at = l->waiting[entry].next;
    l->waits--;
    cache_drop(&l->tags, l->tags.places + entry);
}

/* A slot for a line that is not there; CACHE_NONE: none can be had. What was in it is evicted: *dirty grains of *gone. */
static uint32_t level_place(struct level *l, uint64_t index, uint64_t line, uint64_t *dirty, uint64_t *gone) {
    uint32_t slot = cache_victim(&l->tags, index);
    if (slot == CACHE_NONE) return slot;
    if (l->tags.tag[slot]) {
        l->stats.evictions++;
        *dirty = level_empty(l, slot, gone);
    }
    cache_place(&l->tags, slot, line);
    return slot;
}

/* All that was asked of the line has come. The dirty grains that must be written below, of *line: of the one that goes for it,
 * or of itself if it finds no way. */
static uint64_t level_settle(struct level *l, uint32_t entry, uint64_t *line) {
    const uint32_t from = l->tags.places + entry;
    const struct cache_line here = l->tags.line[from];
    const uint64_t number = l->tags.tag[from] - 1;
    uint64_t dirty = 0;
    end_waiting(l, number, entry);
    const uint32_t slot = level_place(l, l->waiting[entry].index, number, &dirty, line);
    if (slot != CACHE_NONE) {
        l->tags.line[slot] = here;
        return dirty;
    }
    *line = number;
    if (here.dirty) l->stats.writebacks++;
    return here.dirty;
}

/* A slot for a line that is not there, some of it to be fetched or none; CACHE_NONE: refused. */
static uint32_t find_slot(struct level *l, const struct level_access *a, struct level_effect *x) {
    const uint64_t line = a->addr >> l->tags.line_shift;
    if (l->waiting && x->fetch) return begin_waiting(l, line, a->index, mshr_take(&l->mshr, CACHE_NONE));
    return level_place(l, a->index, line, &x->evict, &x->evict_line);
}

/* Sees to it that the missing grains (of the line in slot, if it has one) come. False: refused, nothing has changed. */
static inline __attribute__((always_inline)) bool bring(struct level *l, const struct level_access *a,
                                                        uint32_t slot, uint64_t touched, uint64_t missing,
                                                        bool waits, struct level_effect *x) {
    uint64_t pending = slot == CACHE_NONE ? 0 : l->tags.line[slot].pending;
    x->fetch = missing & ~pending;
    if ((x->fetch && !a->room) || (x->fetch && !pending && !mshr_room(&l->mshr))) return false;
    if (pending && waits && !mshr_merges(&l->mshr, l->tags.line[slot].entry)) return false;
    if (slot == CACHE_NONE && (!a->room || (slot = find_slot(l, a, x)) == CACHE_NONE)) return false;
    struct cache_line *at = &l->tags.line[slot];
    if (slot >= l->tags.places)
        l->mshr.v[at->entry = slot - l->tags.places].slot = slot;
    else if (x->fetch && !pending)
        at->entry = mshr_take(&l->mshr, slot);
    at->pending |= x->fetch;
    x->entry = at->entry;
    if (waits) x->wait = missing;
    if (a->kind != MEM_READ && l->shape.write == MEM_WRITE_BACK) at->dirty |= touched;
    if (a->kind == MEM_WRITE) at->valid |= touched & ~(at->pending | missing);
    cache_use(&l->tags, slot);
    return true;
}

static enum level_what level_write(struct level *l, const struct level_access *a, uint32_t slot,
                                   const struct grains *g, enum level_what what, struct level_effect *x) {
    bool back = l->shape.write == MEM_WRITE_BACK;
    x->forward = !back || (what == LEVEL_MISS && !l->shape.allocate);
    if (x->forward && !a->room) return LEVEL_REFUSED;
    if (what == LEVEL_MISS && !l->shape.allocate) return what;
    const bool waits = l->shape.stores_wait, brings = what == LEVEL_MISS || (waits && what == LEVEL_PENDING);
    const uint64_t wanted = brings ? g->missing & ~cache_covered(&l->tags, a->addr, a->bytes) : 0;
    return bring(l, a, slot, g->touched, wanted, waits && wanted, x) ? what : LEVEL_REFUSED;
}

static enum level_what ideal(struct level *l, const struct level_access *a, struct level_effect *x) {
    *x = (struct level_effect){.entry = CACHE_NONE};
    x->forward = a->kind != MEM_READ && l->shape.write == MEM_WRITE_THROUGH;
    return x->forward && !a->room ? LEVEL_REFUSED : LEVEL_HIT;
}

/* What is no read that hits. */
static enum level_what level_change(struct level *l, const struct level_access *a, uint32_t slot,
                                    const struct grains *g, struct level_effect *x) {
    enum level_what what = !g->missing ? LEVEL_HIT : g->missing & ~g->pending ? LEVEL_MISS : LEVEL_PENDING;
    *x = (struct level_effect){.entry = CACHE_NONE};
    if (a->kind == MEM_WRITE) return level_write(l, a, slot, g, what, x);
    x->forward = a->kind == MEM_ATOMIC && l->shape.write == MEM_WRITE_THROUGH;
    if (x->forward && !a->room) return LEVEL_REFUSED;
    return bring(l, a, slot, g->touched, g->missing, g->missing != 0, x) ? what : LEVEL_REFUSED;
}

enum level_what level_miss(struct level *l, const struct level_access *a, struct level_found f,
                           struct level_effect *x) {
    struct grains g = {f.touched, f.touched, 0};
    if (l->shape.ideal) {
        g.missing = 0;
        return level_count(l, a, &g, ideal(l, a, x));
    }
    if (l->waits && f.slot == CACHE_NONE) f.slot = find_waiting(l, a->addr >> l->tags.line_shift);
    if (f.slot != CACHE_NONE) {
        g.missing &= ~l->tags.line[f.slot].valid;
        g.pending = l->tags.line[f.slot].pending;
    }
    return level_count(l, a, &g, level_change(l, a, f.slot, &g, x));
}

enum level_what level_do(struct level *l, const struct level_access *a, struct level_effect *x) {
    const struct level_found f = level_find(l, a->addr, a->bytes, a->index);
    return level_hit(l, a->kind, a->index, f) ? LEVEL_HIT : level_miss(l, a, f, x);
}

enum level_what level_bypass(struct level *l, const struct level_access *a, struct level_effect *x) {
    *x = (struct level_effect){.entry = CACHE_NONE};
    struct grains g = {.touched = cache_touched(&l->tags, a->addr, a->bytes)};
    g.missing = g.touched;
    if (!a->room || !mshr_room(&l->mshr)) return level_count(l, a, &g, LEVEL_REFUSED);
    const uint32_t slot = level_slot(l, a->addr >> l->tags.line_shift, a->index);
    if (slot != CACHE_NONE) x->evict = level_empty(l, slot, &x->evict_line);
    x->entry = mshr_take(&l->mshr, CACHE_NONE);
    return level_count(l, a, &g, LEVEL_MISS);
}

uint64_t level_fill(struct level *l, struct msg_pool *p, uint32_t entry, uint64_t addr, uint32_t bytes,
                    struct queue *out, uint64_t *line) {
    const struct mshr_entry *x = &l->mshr.v[entry];
    if (x->slot == CACHE_NONE) {
        mshr_arrive(&l->mshr, p, entry, cache_grain(&l->tags, addr), out);
        if (!x->waiting.n) mshr_give(&l->mshr, entry);
        return 0;
    }
    struct cache_line *at = &l->tags.line[x->slot];
    uint64_t grains = cache_covered(&l->tags, addr, bytes);
    mshr_arrive(&l->mshr, p, entry, grains, out);
    at->valid |= grains;
    at->pending &= ~grains;
    if (at->pending) return 0;
    const bool settles = x->slot >= l->tags.places;
    at->entry = CACHE_NONE;
    mshr_give(&l->mshr, entry);
    return settles ? level_settle(l, entry, line) : 0;
}
