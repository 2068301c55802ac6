/* Lane addresses to line requests, and to cycles of a banked memory.
 *
 * Coalescing is by line, in order of first use. Where lines have sectors a request is a run of neighbouring sectors: one
 * that skips a sector not asked for is two. A request begins at a sector and ends with the last byte used, so that a
 * write of a few bytes is not a write of the line. Addresses that ascend, as they mostly do, give their requests one
 * after the other; any other order goes through a table of lines.
 *
 * Shared memory: a bank gives one word a cycle, to any number of lanes that want it. An access wider than a bank takes
 * neighbouring banks at once; then as many accesses go together as have banks enough (32 banks of 4 bytes: half a warp of
 * 64-bit accesses, a quarter of 128-bit ones), group after group, as the hardware does. Lanes that are switched off do not
 * take part, so the groups are of active lanes. */
#include "base/alloc.h"
#include "base/bits.h"
#include "base/host.h"
#include "mem/lanes.h"
#include "mem/mem.h"

/* ---- coalescing ---- */

enum { MOST_ACCESSES = 256, MOST_PARTS = 2 * MOST_ACCESSES, TABLE = 2 * MOST_PARTS };

/* The lines found so far, by a hash of their address; a value is the place in out[] + 1. */
struct table {
    uint32_t mask, n;
    uint64_t last_base; /* the line of the part before, once there is one: the likeliest */
    uint32_t last;
    uint16_t at[TABLE];
};

static void table_init(struct table *t, uint32_t accesses) {
    uint32_t size = 16;
    while (size < 4 * accesses) size *= 2;
    t->mask = size - 1;
    t->n = 0;
    memset(t->at, 0, size * sizeof *t->at);
}

/* The line's place in out[]; a new one is added with nothing in it. */
static uint32_t line_at(struct table *t, struct mem_line *out, uint64_t base) {
    if (t->n && t->last_base == base) return t->last;
    uint32_t h = (uint32_t)(base * 0x9e3779b97f4a7c15u >> 40);
    while (t->at[h & t->mask] && out[t->at[h & t->mask] - 1].addr != base) h++;
    if (!t->at[h & t->mask]) {
        out[t->n++] = (struct mem_line){base, 0, 0};
        t->at[h & t->mask] = (uint16_t)t->n;
    }
    t->last_base = base;
    return t->last = t->at[h & t->mask] - 1u;
}

/* Bytes [addr, end) of one access within one line; sectors as a mask. */
struct part {
    uint64_t base, addr, end;
    uint32_t sectors;
};

static struct part coalesce_part_of(uint64_t addr, uint64_t end, uint32_t line, uint32_t shift) {
    struct part p = {.base = addr & ~(uint64_t)(line - 1), .addr = addr};
    p.end = end - p.base <= line ? end : p.base + line;
    uint32_t first = (uint32_t)(addr - p.base) >> shift, last = (uint32_t)(p.end - 1 - p.base) >> shift;
    p.sectors = (UINT32_MAX >> (31 - (last - first))) << first;
    return p;
}
#define FOR_PARTS(p, i)                                                           \
    for (uint64_t p##_at = addr[i], p##_end = p##_at + bytes; p##_at != p##_end;) \
        for (struct part p = coalesce_part_of(p##_at, p##_end, line, shift); p##_at != p.end; p##_at = p.end)

/* Turns n lines with their sectors in `bytes` into runs of sectors, in place from the back: a run needs a lane access of its
 * own, so there is room. first[i]: the first run of line i. */
static uint32_t coalesce_runs(struct mem_line *out, uint32_t n, uint32_t shift, uint16_t *first) {
    uint32_t total = 0;
    for (uint32_t i = 0; i < n; i++)
        total += (uint32_t)__builtin_popcount(out[i].bytes & ~(out[i].bytes << 1));
    for (uint32_t i = n, at = total; i-- > 0; first[i] = (uint16_t)at) {
        struct mem_line l = out[i];
        for (uint32_t begin = l.bytes & ~(l.bytes << 1);
             begin;) { /* first sectors of the runs, last run first */
            uint32_t sector = 31 - (uint32_t)__builtin_clz(begin);
            begin &= ~(1u << sector);
            out[--at] = (struct mem_line){l.addr + ((uint64_t)sector << shift), 0, 0};
        }
    }
    return total;
}

static void coalesce_serve(struct mem_line *l, const struct part *p) {
    if (p->end - l->addr > l->bytes) l->bytes = (uint32_t)(p->end - l->addr);
    l->lanes++;
}

/* Sectors first, then what each run serves. */
static uint32_t by_sectors(const uint64_t *addr, uint32_t n, uint32_t bytes, uint32_t line, uint32_t shift,
                           struct mem_line *out) {
    uint16_t where[MOST_PARTS], first[MOST_PARTS];
    uint32_t parts = 0;
    struct table t;
    table_init(&t, n);
    for (uint32_t i = 0; i < n; i++) FOR_PARTS(p, i) {
            uint32_t at = line_at(&t, out, p.base);
            out[at].bytes |= p.sectors;
            where[parts++] = (uint16_t)at;
        }
    uint32_t total = coalesce_runs(out, t.n, shift, first);
    parts = 0;
    for (uint32_t i = 0; i < n; i++) FOR_PARTS(p, i) {
            uint32_t at = first[where[parts++]];
            while (at + 1 < total && out[at + 1].addr - p.base <= p.addr - p.base) at++;
            coalesce_serve(&out[at], &p);
        }
    return total;
}

/* Addresses that ascend, each access within a line: what a request serves is a run of accesses. Returns 0 where they do
 * not; out may then hold anything. */
static uint32_t coalesce_ascending(const uint64_t *addr, uint32_t n, uint32_t bytes, uint32_t line,
                                   uint32_t shift, struct mem_line *out) {
    struct mem_line run = {0};
    /* From run.addr: to the end of the line; where accesses join it. */
    uint64_t before = 0, left = 0, span = 0;
    uint32_t runs = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t at = addr[i] - run.addr;
        if (addr[i] < before) return 0;
        before = addr[i];
        if (at >= span) {
            if (i) out[runs++] = run;
            run = (struct mem_line){addr[i] >> shift << shift, 0, 0};
            left = line - (run.addr & (line - 1));
            at = addr[i] - run.addr;
        }
        uint64_t end = at + bytes, after = (((end - 1) >> shift) + 2) << shift;
        if (end > left) return 0;
        run.bytes = (uint32_t)end;
        run.lanes++;
        span = after < left ? after : left;
    }
    if (n) out[runs++] = run;
    return runs;
}

uint32_t mem_coalesce(const uint64_t *addr, uint32_t n, uint32_t bytes, uint32_t line, uint32_t sector,
                      struct mem_line *out) {
    uint32_t shift = (uint32_t)__builtin_ctz(sector ? sector : line);
    CHECK(n <= MOST_ACCESSES && bytes && bytes <= 2 * line && line >> shift <= 32);
    uint32_t simple = coalesce_ascending(addr, n, bytes, line, shift, out);
    if (simple) return simple;
    if (line >> shift > 1) return by_sectors(addr, n, bytes, line, shift, out);
    struct table t;
    table_init(&t, n);
    for (uint32_t i = 0; i < n; i++) FOR_PARTS(p, i) coalesce_serve(&out[line_at(&t, out, p.base)], &p);
    return t.n;
}

/* ---- banks ---- */

enum { MOST_BANKS = 256, MOST_WORDS = 512 };

/* Different words so far, chained by bank. */
struct words {
    uint32_t n, worst;
    uint64_t above; /* the first word above all of them */
    uint16_t head[MOST_BANKS], length[MOST_BANKS], next[MOST_WORDS];
    uint64_t word[MOST_WORDS];
};

/* A word above all others is new without a search. */
static inline void coalesce_want(struct words *w, uint64_t word, uint32_t bank) {
    uint32_t length = w->length[bank], i = w->head[bank];
    if (word < w->above)
        for (uint32_t left = length; left; left--, i = w->next[i])
            if (w->word[i] == word) return;
    if (word >= w->above) w->above = word + 1;
    w->word[w->n] = word;
    w->next[w->n] = w->head[bank];
    w->head[bank] = (uint16_t)w->n++;
    w->length[bank] = (uint16_t)++length;
    if (length > w->worst) w->worst = length;
}

/* Words and banks of any number and size: rare, and the only ones that cost divisions. */
static void want_odd(struct words *w, uint64_t first, uint64_t last, uint32_t banks, uint32_t bank_bytes) {
    for (uint64_t word = first / bank_bytes; word <= last / bank_bytes && w->n < MOST_WORDS; word++)
        coalesce_want(w, word, (uint32_t)(word % banks));
}

/* Cycles of accesses that go together. */
static uint32_t coalesce_group_cycles(const uint64_t *addr, uint32_t n, uint32_t bytes, uint32_t banks,
                                      uint32_t bank_bytes) {
    bool odd = !is_pow2(banks) || !is_pow2(bank_bytes);
    uint32_t shift = (uint32_t)__builtin_ctz(bank_bytes), mask = banks - 1;
    struct words w;
    w.n = w.worst = 0;
    w.above = 0;
    memset(w.length, 0, banks * sizeof *w.length);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t last = addr[i] + bytes - 1;
        if (odd)
            want_odd(&w, addr[i], last, banks, bank_bytes);
        else
            for (uint64_t word = addr[i] >> shift; word <= last >> shift && w.n < MOST_WORDS; word++)
                coalesce_want(&w, word, (uint32_t)word & mask);
    }
    return w.worst;
}

uint32_t mem_bank_cycles(const uint64_t *addr, uint32_t n, uint32_t bytes, uint32_t banks,
                         uint32_t bank_bytes) {
    CHECK(bytes && banks && banks <= MOST_BANKS && bank_bytes);
    uint32_t wide = (bytes + bank_bytes - 1) / bank_bytes, most = MOST_WORDS / (wide + 1), cycles = 0;
    if (wide > 1) most = banks / wide ? banks / wide : 1;
    for (uint32_t at = 0; at < n; at += most)
        cycles += coalesce_group_cycles(addr + at, n - at < most ? n - at : most, bytes, banks, bank_bytes);
    return cycles;
}

/* ---- the lanes of one warp ---- */

const struct mem_lanes *mem_lanes_here(void) {
#if defined(__x86_64__)
    if (host_has_avx2()) return &mem_lanes_avx2;
#endif
    return &mem_lanes_portable;
}
