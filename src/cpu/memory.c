/* Two first-level caches, a second-level cache of both, memory behind it, and translations. As in sim-outorder, an access takes as
 * long as the level that has its line (not the sum of all above), a translation that misses goes on beside it, a line on its way
 * is waited for, caches write back and allocate on writes, and what is written back takes no time. */
#include <stdlib.h>

#include "base/alloc.h"
#include "cpu/parts.h"
#include "mem/cache.h"
#include "mem/options.h"

enum { PAGE = 4096 };

struct level {
    struct cache tags;
    void *room;
    uint64_t *ready;     /* by slot: when its line is there */
    uint64_t latency;    /* latency of a hit */
    struct level *below; /* NULL: memory */
    uint64_t *misses;
};

struct cpu_memory {
    struct level il1, dl1, ul2, itlb, dtlb;
    uint64_t memory; /* latency of a line of ul2 */
    uint64_t tlb_miss;
    struct cpu_stats *stats;
};

static void level_init(struct level *l, const char *name, int64_t sets, int64_t ways, int64_t line) {
    const struct cache_shape shape = {.name = name,
                                      .replace = MEM_LRU,
                                      .write = MEM_WRITE_BACK,
                                      .sets = (uint32_t)sets,
                                      .ways = (uint32_t)ways,
                                      .line = (uint32_t)line};
    l->room = xcalloc(1, cache_bytes(&shape));
    cache_init(&l->tags, &shape, 1, l->room);
    l->ready = xcalloc(l->tags.slots, sizeof *l->ready);
}

static void level_free(struct level *l) {
    xfree(l->room);
    xfree(l->ready);
}

struct cpu_memory *cpu_memory_new(const struct opt_cpu *o, struct cpu_stats *stats) {
    struct cpu_memory *m = xcalloc(1, sizeof *m);
    m->stats = stats;
    level_init(&m->il1, "cpu.il1", o->il1_sets, o->il1_ways, o->l1_line);
    level_init(&m->dl1, "cpu.dl1", o->dl1_sets, o->dl1_ways, o->l1_line);
    level_init(&m->ul2, "cpu.ul2", o->ul2_sets, o->ul2_ways, o->ul2_line);
    level_init(&m->itlb, "cpu.itlb", o->itlb_sets, o->itlb_ways, PAGE);
    level_init(&m->dtlb, "cpu.dtlb", o->dtlb_sets, o->dtlb_ways, PAGE);
    m->il1.below = m->dl1.below = &m->ul2;
    m->il1.latency = m->dl1.latency = (uint64_t)o->l1_latency;
    m->ul2.latency = (uint64_t)o->ul2_latency;
    m->itlb.latency = m->dtlb.latency = 1;
    m->il1.misses = &stats->il1_misses;
    m->dl1.misses = &stats->dl1_misses;
    m->ul2.misses = &stats->ul2_misses;
    m->itlb.misses = m->dtlb.misses = &stats->tlb_misses;
    const int64_t pieces = (o->ul2_line + o->mem_width - 1) / o->mem_width;
    m->memory = (uint64_t)(o->mem_first + (pieces - 1) * o->mem_next);
    m->tlb_miss = (uint64_t)o->tlb_miss;
    return m;
}

void cpu_memory_free(struct cpu_memory *m) {
    if (!m) return;
    level_free(&m->il1);
    level_free(&m->dl1);
    level_free(&m->ul2);
    level_free(&m->itlb);
    level_free(&m->dtlb);
    xfree(m);
}

static uint64_t cpu_memory_later(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* Cycles until the line is there, if it is there or on its way; 0: it is not. */
static uint64_t cpu_memory_hit(struct level *l, uint64_t addr, bool write, uint64_t now) {
    const uint64_t line = addr >> l->tags.line_shift;
    const uint32_t slot = cache_find(&l->tags, line, line);
    if (slot == CACHE_NONE) return 0;
    cache_use(&l->tags, slot);
    if (write) l->tags.line[slot].dirty = 1;
    return l->ready[slot] > now ? cpu_memory_later(l->latency, l->ready[slot] - now) : l->latency;
}

/* A line that goes; one that was written is in the level below from now on. */
static void write_back(struct level *l, uint32_t slot, uint64_t now);

static void cpu_memory_fill(struct level *l, uint64_t addr, bool write, uint64_t now, uint64_t ready) {
    const uint64_t line = addr >> l->tags.line_shift;
    const uint32_t slot = cache_victim(&l->tags, line);
    write_back(l, slot, now);
    cache_place(&l->tags, slot, line);
    cache_use(&l->tags, slot);
    l->tags.line[slot].dirty = write;
    l->ready[slot] = ready;
}

static void write_back(struct level *l, uint32_t slot, uint64_t now) {
    if (!l->tags.tag[slot] || !l->tags.line[slot].dirty || !l->below) return;
    const uint64_t addr = (l->tags.tag[slot] - 1) << l->tags.line_shift;
    if (!cpu_memory_hit(l->below, addr, true, now)) cpu_memory_fill(l->below, addr, true, now, now);
}

static uint64_t access_line(struct cpu_memory *m, struct level *l, uint64_t addr, bool write, uint64_t now) {
    if (l == &m->ul2) m->stats->ul2_accesses++;
    const uint64_t found = cpu_memory_hit(l, addr, write, now);
    if (found) return found;
    ++*l->misses;
    const uint64_t wait = l->below ? access_line(m, l->below, addr, false, now) : m->memory;
    cpu_memory_fill(l, addr, write, now, now + wait);
    return wait;
}

static uint64_t cpu_memory_translate(struct cpu_memory *m, struct level *tlb, uint64_t addr, uint64_t now) {
    const uint64_t found = cpu_memory_hit(tlb, addr, false, now);
    if (found) return found;
    ++*tlb->misses;
    cpu_memory_fill(tlb, addr, false, now, now + m->tlb_miss);
    return m->tlb_miss;
}

uint64_t cpu_memory_fetch(struct cpu_memory *m, uint64_t addr, uint64_t now) {
    const uint64_t wait = access_line(m, &m->il1, addr, false, now);
    return cpu_memory_later(wait, cpu_memory_translate(m, &m->itlb, addr, now));
}

uint64_t cpu_memory_access(struct cpu_memory *m, uint64_t addr, bool write, uint64_t now) {
    const uint64_t wait = access_line(m, &m->dl1, addr, write, now);
    return cpu_memory_later(wait, cpu_memory_translate(m, &m->dtlb, addr, now));
}
