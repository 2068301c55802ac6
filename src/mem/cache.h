/* The tag array of a set-associative cache: which lines are there, which parts of them are valid, dirty or on their way,
 * and which goes next. No data, no time, no policy of writes: see level.h.
 *
 * Validity is kept in grains: the sector, or the next level's line where that is smaller, so that a line whose parts come
 * from several lines below is filled part by part. A line has at most 64 grains. */
#ifndef HEDDLE_MEM_CACHE_H
#define HEDDLE_MEM_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/err.h"

#define CACHE_NONE UINT32_MAX

/* The rows a cache has in options.def, for any of the caches. */
struct cache_shape {
    const char *name;
    bool ideal, allocate;
    bool stores_wait; /* writes wait for what they bring in: first-level data cache only */
    int replace, write, reserve;
    uint32_t sets, ways, line, sector, grain, banks, ports, latency, mshrs, merges;
};
/* Takes the shape from options.def's section; grain: the next level's line, or 0 where there is no bound. */
#define CACHE_SHAPE(NAME, O, GRAIN)                          \
    ((struct cache_shape){.name = (NAME),                    \
                          .ideal = (O)->ideal,               \
                          .allocate = (O)->allocate,         \
                          .replace = (O)->replace,           \
                          .write = (O)->write,               \
                          .reserve = (O)->reserve,           \
                          .sets = (uint32_t)(O)->sets,       \
                          .ways = (uint32_t)(O)->ways,       \
                          .line = (uint32_t)(O)->line,       \
                          .sector = (uint32_t)(O)->sector,   \
                          .grain = (GRAIN),                  \
                          .banks = (uint32_t)(O)->banks,     \
                          .ports = (uint32_t)(O)->ports,     \
                          .latency = (uint32_t)(O)->latency, \
                          .mshrs = (uint32_t)(O)->mshrs,     \
                          .merges = (uint32_t)(O)->merges})

struct cache_line {
    uint64_t valid, dirty, pending; /* grains; dirty is within valid | pending */
    uint32_t entry;                 /* its miss register while pending */
};
/* By slot = set * ways + way. Apart from each other, so that a search of a set reads no more than it needs. Behind the slots
 * of the sets there is one for each miss register where lines get their way at the fill: see level.h. */
struct cache {
    uint64_t *tag;   /* line number + 1; 0: empty */
    uint64_t *stamp; /* LRU: last use; FIFO: when it came; no two lines have the same */
    struct cache_line *line;
    uint32_t used;                           /* slots that are not empty */
    uint32_t slots, places;                  /* all there are, and those of the sets, which come first */
    uint32_t sets, ways, grains, per_sector; /* grains of a line, of a sector */
    uint32_t set_mask;                       /* sets - 1 if that is a power of two; else 0 */
    uint32_t line_mask, round;               /* bytes of a line, and grains of a sector, less one */
    uint8_t line_shift, grain_shift;
    int replace;
    uint64_t clock;
    struct rng rng;
};

/* Checks the shape: powers of two, at most 32 sectors and 64 grains. */
bool cache_check(const struct cache_shape *s, struct err *e);
/* room: as many bytes, zeroed, for as long as it lives; s has been checked. */
size_t cache_bytes(const struct cache_shape *s);
void cache_init(struct cache *c, const struct cache_shape *s, uint64_t seed, void *room);

/* Bits [first, last] of a word; last < 64. */
static inline uint64_t cache_bits(uint32_t first, uint32_t last) {
    return (UINT64_MAX >> (63 - (last - first))) << first;
}
/* Grains that [addr, addr + bytes) touches, rounded out to sectors; the range is within one line. */
static inline uint64_t cache_touched(const struct cache *c, uint64_t addr, uint32_t bytes) {
    const uint32_t at = (uint32_t)addr & c->line_mask, round = c->round;
    const uint32_t first = at >> c->grain_shift & ~round, last = (at + bytes - 1) >> c->grain_shift | round;
    CHECK(last < c->grains);
    return cache_bits(first, last);
}
/* Grains that lie wholly inside the range. */
static inline uint64_t cache_covered(const struct cache *c, uint64_t addr, uint32_t bytes) {
    const uint32_t at = (uint32_t)addr & c->line_mask;
    const uint32_t first = (at + (1u << c->grain_shift) - 1) >> c->grain_shift,
                   end = (at + bytes) >> c->grain_shift;
    return first < end ? cache_bits(first, end - 1) : 0;
}
/* The grain that byte is in, as a bit. */
static inline uint64_t cache_grain(const struct cache *c, uint64_t addr) {
    return (uint64_t)1 << (addr >> c->grain_shift & (c->grains - 1));
}
/* Grains of the lowest run that does not cross a multiple of `within` bytes. */
uint32_t cache_run_length(const struct cache *c, uint64_t grains, uint32_t within);
/* Takes that run off *grains; returns its address. */
static inline uint64_t cache_run(const struct cache *c, uint64_t line, uint64_t *grains, uint32_t within,
                                 uint32_t *bytes) {
    const uint32_t first = (uint32_t)__builtin_ctzll(*grains);
    const bool single = !(*grains & (*grains - 1)); /* as mostly */
    const uint32_t n = single ? 1 : cache_run_length(c, *grains, within);
    *grains = single ? 0 : *grains & ~cache_bits(first, first + n - 1);
    *bytes = n << c->grain_shift;
    return (line << c->line_shift) + ((uint64_t)first << c->grain_shift);
}

/* index chooses the set (index modulo sets); it is the line number where lines are not spread over slices. */
static inline uint32_t cache_first_slot(const struct cache *c, uint64_t index) {
    const uint64_t set = c->set_mask ? index & c->set_mask : index % c->sets;
    return (uint32_t)set * c->ways;
}
/* Its slot, or CACHE_NONE. */
static inline uint32_t cache_find(const struct cache *c, uint64_t index, uint64_t line) {
    const uint32_t slot = cache_first_slot(c, index);
    for (const uint64_t *tag = c->tag + slot, *at = tag, *end = tag + c->ways; at < end; at++)
        if (*at == line + 1) return slot + (uint32_t)(at - tag);
    return CACHE_NONE;
}
/* The slot a new line of that set takes: an empty one, else by policy among those with nothing pending; CACHE_NONE: all
 * are reserved. */
uint32_t cache_victim(struct cache *c, uint64_t index);
void cache_place(struct cache *c, uint32_t slot, uint64_t line); /* empty of grains; what was there is gone */
void cache_drop(struct cache *c, uint32_t slot);                 /* nothing pending */
static inline void cache_use(struct cache *c, uint32_t slot) {
    if (c->replace == 0) c->stamp[slot] = ++c->clock; /* MEM_LRU */
}

#endif
