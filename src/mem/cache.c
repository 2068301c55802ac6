/* Tags by set and way in one array, searched in order: sixteen ways are two host cache lines. State is apart, so that a
 * search touches nothing else.
 *
 * Arrays come from untouched zero pages: zero is "empty", and the largest cache the options allow costs what is used of
 * it. */
#include "mem/cache.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "mem/options.h"

static uint32_t sector_of(const struct cache_shape *s) {
    return s->sector ? s->sector : s->line;
}

static uint32_t grain_of(const struct cache_shape *s) {
    return s->grain && s->grain < sector_of(s) ? s->grain : sector_of(s);
}

bool cache_check(const struct cache_shape *s, struct err *e) {
    if (!is_pow2(s->line))
        return err_set(e, ERR_INPUT, "%s.line is %u: it must be a power of two", s->name, s->line);
    if (!is_pow2(sector_of(s)) || sector_of(s) > s->line)
        return err_set(e, ERR_INPUT, "%s.sector is %u: it must be 0 or a power of two up to %s.line (%u)",
                       s->name, s->sector, s->name, s->line);
    if (s->line / sector_of(s) > 32)
        return err_set(e, ERR_INPUT, "%s.sector = %u makes %u sectors of a line of %u; 32 is the most",
                       s->name, s->sector, s->line / sector_of(s), s->line);
    if (s->line / grain_of(s) > 64)
        return err_set(e, ERR_INPUT, "%s.line = %u is more than 64 lines of the next level", s->name,
                       s->line);
    return true;
}

static size_t slots_of(const struct cache_shape *s) {
    return (size_t)s->sets * s->ways + (s->reserve == MEM_RESERVE_FILL ? s->mshrs : 0);
}

size_t cache_bytes(const struct cache_shape *s) {
    return slots_of(s) * (2 * sizeof(uint64_t) + sizeof(struct cache_line));
}

void cache_init(struct cache *c, const struct cache_shape *s, uint64_t seed, void *room) {
    const size_t slots = slots_of(s);
    uint32_t grain = grain_of(s);
    *c = (struct cache){.slots = (uint32_t)slots,
                        .places = s->sets * s->ways,
                        .sets = s->sets,
                        .ways = s->ways,
                        .grains = s->line / grain,
                        .per_sector = sector_of(s) / grain,
                        .line_shift = (uint8_t)__builtin_ctz(s->line),
                        .grain_shift = (uint8_t)__builtin_ctz(grain),
                        .set_mask = is_pow2(s->sets) ? s->sets - 1 : 0,
                        .line_mask = s->line - 1,
                        .round = sector_of(s) / grain - 1,
                        .replace = s->replace,
                        .rng = {seed}};
    c->tag = room;
    c->stamp = c->tag + slots;
    c->line = (struct cache_line *)(c->stamp + slots);
}

uint32_t cache_run_length(const struct cache *c, uint64_t grains, uint32_t within) {
    uint32_t first = (uint32_t)__builtin_ctzll(grains), n = 0, most = within >> c->grain_shift;
    do n++;
    while (first + n < c->grains && (grains >> (first + n) & 1) && (first + n) % most);
    return n;
}

/* A random one of the lines of a full set that may go. */
static uint32_t random_victim(struct cache *c, uint32_t first) {
    uint32_t may = 0, s = first;
    for (uint32_t w = 0; w < c->ways; w++) may += !c->line[first + w].pending;
    if (!may) return CACHE_NONE;
    for (uint64_t n = rng_below(&c->rng, may);; s++)
        if (!c->line[s].pending && n-- == 0) return s;
}

/* The line of a full set with the lowest stamp of those above `after`. */
static uint32_t next_oldest(const struct cache *c, uint32_t first, uint64_t after) {
    uint32_t best = CACHE_NONE;
    for (uint32_t s = first; s < first + c->ways; s++)
        if (c->stamp[s] > after && (best == CACHE_NONE || c->stamp[s] < c->stamp[best])) best = s;
    return best;
}

/* The oldest line is hardly ever on its way, so looking at it first spares looking at the others. */
uint32_t cache_victim(struct cache *c, uint64_t index) {
    uint32_t first = cache_first_slot(c, index), best;
    for (uint32_t s = first; s < first + c->ways; s++)
        if (!c->tag[s]) return s;
    if (c->replace == MEM_RANDOM) return random_victim(c, first);
    for (best = next_oldest(c, first, 0); best != CACHE_NONE && c->line[best].pending;)
        best = next_oldest(c, first, c->stamp[best]);
    return best;
}

void cache_place(struct cache *c, uint32_t slot, uint64_t line) {
    c->used += !c->tag[slot];
    c->tag[slot] = line + 1;
    c->stamp[slot] = ++c->clock;
    c->line[slot] = (struct cache_line){.entry = CACHE_NONE};
}

void cache_drop(struct cache *c, uint32_t slot) {
    c->used--;
    c->tag[slot] = 0;
    c->line[slot] = (struct cache_line){.entry = CACHE_NONE};
}
