/* One level of cache: tags, miss registers, ports and banks, and what an access does to them under the write policy. The
 * same for a first-level cache and a slice of L2; where the requests it causes go is the owner's business. */
#ifndef HEDDLE_MEM_LEVEL_H
#define HEDDLE_MEM_LEVEL_H

#include "base/bitmap.h"
#include "mem/cache.h"
#include "mem/mem.h"
#include "mem/mshr.h"

enum { LEVEL_BANKS = 256 };

/* With reserve = fill a line on its way has no way in its set. It is in a slot behind those of the sets, that of its miss
 * register, until all that was asked of it has come; these slots are found by a hash of the line. Lines of the sets whose
 * further sectors are on their way keep their way. */
struct level_waiting {
    uint64_t index; /* index of the line, which gives its set */
    uint32_t first; /* register + 1 of the first line with this place of the table */
    uint32_t next;  /* register + 1 of the line after this one with the same place; 0: none */
};

struct level {
    struct cache_shape shape;
    struct cache tags;
    struct mshr mshr;
    struct level_waiting *waiting; /* by miss register, where lines get their way at the fill; else NULL */
    uint32_t waits;                /* lines that have none yet */
    uint32_t hash_bits;
    uint64_t room;                    /* room of the queue behind it; set by the owner */
    uint64_t cycle;                   /* ports and banks are taken in this one */
    uint32_t taken;                   /* ports */
    uint64_t first;                   /* index of the access that took the first port */
    uint64_t banks[LEVEL_BANKS / 64]; /* banks that are taken, once a second access comes */
    uint32_t bank_mask;               /* shape.banks - 1 if that is a power of two; else 0 */
    struct mem_cache_stats stats;
    void *own; /* the room of both; NULL: it is the owner's */
};

struct level_access {
    enum mem_kind kind;
    uint64_t addr;
    uint32_t bytes;
    uint64_t index; /* for set and bank: the line number, or that among the lines of a slice */
    bool room;      /* something may be sent below */
};

enum level_what { LEVEL_HIT, LEVEL_PENDING, LEVEL_MISS, LEVEL_REFUSED };
struct level_effect {
    uint64_t wait;  /* grains the request must wait for, at `entry`: the owner adds a waiter */
    uint64_t fetch; /* grains to ask for below, answering to `entry` */
    uint64_t evict; /* dirty grains of evict_line, to be written below */
    uint64_t evict_line;
    uint32_t entry;
    bool forward; /* the write itself goes below */
};

bool level_init(struct level *l, const struct cache_shape *s, uint64_t seed, struct err *e);
void level_free(struct level *l);
/* Initialises a level in room that the caller owns, level_bytes of it, zeroed; nothing is to be freed. */
size_t level_bytes(const struct cache_shape *s);
void level_init_in(struct level *l, const struct cache_shape *s, uint64_t seed, void *room);

/* Whether a port and the bank are free in this cycle, where it has begun; counts the refusal if not. */
bool level_free_port(struct level *l, uint64_t index);
/* Another cycle begins. */
static inline void level_begin(struct level *l, uint64_t cycle) {
    l->cycle = cycle;
    l->taken = 0;
}
/* The former in any cycle. */
static inline bool level_open(struct level *l, uint64_t index, uint64_t cycle) {
    if (l->cycle == cycle) return level_free_port(l, index);
    level_begin(l, cycle);
    return true;
}
/* The bank of a line, and the port and bank taken by an access to it. */
static inline uint32_t level_bank(const struct level *l, uint64_t index) {
    return l->bank_mask || l->shape.banks < 2 ? (uint32_t)index & l->bank_mask
                                              : (uint32_t)(index % l->shape.banks);
}
static inline void level_take_port(struct level *l, uint64_t index) {
    if (l->taken++)
        bitmap_set(l->banks, level_bank(l, index));
    else
        l->first = index;
}
/* Sectors any of whose grains are in the set, which is not empty. */
static inline uint32_t level_sectors(const struct level *l, uint64_t grains) {
    uint32_t n = 0, each = l->tags.per_sector;
    if (!(grains & (grains - 1))) return 1; /* as mostly */
    if (each == 1) return bits_count64(grains);
    for (; grains; grains = each < 64 ? grains >> each : 0) {
        uint32_t skip = (uint32_t)__builtin_ctzll(grains) / each * each;
        grains >>= skip;
        n++;
    }
    return n;
}
/* The slot of a line, of its set or where it waits for a way, or CACHE_NONE. */
uint32_t level_slot(const struct level *l, uint64_t line, uint64_t index);
/* The grains that an access touches, and the slot of its line in its set, or CACHE_NONE. */
struct level_found {
    uint64_t touched;
    uint32_t slot;
};
static inline struct level_found level_find(const struct level *l, uint64_t addr, uint32_t bytes,
                                            uint64_t index) {
    return (struct level_found){cache_touched(&l->tags, addr, bytes),
                                cache_find(&l->tags, index, addr >> l->tags.line_shift)};
}
/* A read that finds all it wants, as most do, is done with that. False: it does not, or is none; nothing has changed. */
static inline bool level_hit(struct level *l, enum mem_kind kind, uint64_t index, struct level_found f) {
    struct mem_cache_stats *s = &l->stats;
    if (kind != MEM_READ || f.slot == CACHE_NONE || f.touched & ~l->tags.line[f.slot].valid) return false;
    const uint32_t n = level_sectors(l, f.touched);
    cache_use(&l->tags, f.slot);
    level_take_port(l, index);
    s->sectors += n;
    s->sector_hits += n;
    s->accesses++;
    s->reads++;
    s->hits++;
    return true;
}
/* Does the access: takes port and bank, counts it. LEVEL_REFUSED: a resource is missing and nothing has changed but the
 * count of refusals. A read that hits has no effect: x is not set. */
enum level_what level_do(struct level *l, const struct level_access *a, struct level_effect *x);
/* Does an access for which level_hit has said false of what level_find has found. */
enum level_what level_miss(struct level *l, const struct level_access *a, struct level_found f,
                           struct level_effect *x);
/* An access that passes this cache by: what is there is dropped (dirty grains are in x->evict), one register is taken. It may
 * be sent below in pieces; the one who waits for them waits for the grain of each piece's first byte. */
enum level_what level_bypass(struct level *l, const struct level_access *a, struct level_effect *x);
/* Counts an access by sector: the grains it touches, those that are not there, and those on their way. level_do does it. */
void level_count_sectors(struct level *l, uint64_t touched, uint64_t missing, uint64_t pending);
/* These bytes have come for the entry: adds to out the messages that wait no more; frees the entry with its last grain. A line
 * that gets its way now may push another out: the dirty grains that must be written below, of *line. */
uint64_t level_fill(struct level *l, struct msg_pool *p, uint32_t entry, uint64_t addr, uint32_t bytes,
                    struct queue *out, uint64_t *line);
/* Empties the line in this slot but for what is on its way; the dirty grains that must be written below, of *line. */
uint64_t level_empty(struct level *l, uint32_t slot, uint64_t *line);

#endif
