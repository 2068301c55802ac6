/* Lane addresses to line requests, and to cycles of a banked memory.
 *
 * Coalescing is by line, in order of first use. Where lines have sectors a request is a run of neighbouring sectors: one
 * that skips a sector nobody wants is two. A request begins at a sector and ends with the last byte used, so that a write of
 * a few bytes is not a write of the line.
 *
 * Shared memory: a bank gives one word a cycle, to any number of lanes that want it. An access wider than a bank takes
 * neighbouring banks at once; then as many accesses go together as have banks enough (32 banks of 4 bytes: half a warp of
 * 64-bit accesses, a quarter of 128-bit ones), group after group, as the hardware does. Lanes that are switched off do not
 * take part, so the groups are of active lanes. */
#include "base/alloc.h"
#include "base/bits.h"
#include "mem/mem.h"

/* ---- coalescing ---- */

/* A line's place in out[0..n), or n; the last one is the likeliest. */
static uint32_t find_line(const struct mem_line *out, uint32_t n, uint64_t base, uint64_t mask) {
    for (uint32_t i = n; i-- > 0;)
        if ((out[i].addr & ~mask) == base) return i;
    return n;
}

/* Bytes [addr, end) of one access within one line; sectors as a mask. */
struct part {
    uint64_t base, addr, end;
    uint32_t sectors;
};

static struct part part_of(uint64_t addr, uint64_t end, uint32_t line, uint32_t shift) {
    struct part p = {.base = addr & ~(uint64_t)(line - 1), .addr = addr};
    p.end = end - p.base <= line ? end : p.base + line;
    uint32_t first = (uint32_t)(addr - p.base) >> shift, last = (uint32_t)(p.end - 1 - p.base) >> shift;
    p.sectors = (UINT32_MAX >> (31 - (last - first))) << first;
    return p;
}

/* Turns n lines with their sectors in `bytes` into runs of sectors, in place from the back: a run needs a lane access of its
 * own, so there is room. */
static uint32_t runs(struct mem_line *out, uint32_t n, uint32_t shift) {
    uint32_t total = 0;
    for (uint32_t i = 0; i < n; i++)
        total += (uint32_t)__builtin_popcount(out[i].bytes & ~(out[i].bytes << 1));
    for (uint32_t i = n, at = total; i-- > 0;) {
        struct mem_line l = out[i];
        for (uint32_t ends = l.bytes & ~(l.bytes << 1);
             ends;) { /* first sectors of the runs, last run first */
            uint32_t first = 31 - (uint32_t)__builtin_clz(ends);
            ends &= ~(1u << first);
            out[--at] = (struct mem_line){l.addr + ((uint64_t)first << shift), 0, 0};
        }
    }
    return total;
}

static void serve(struct mem_line *out, uint32_t n, const struct part *p, uint64_t mask) {
    for (uint32_t i = n; i-- > 0;) {
        struct mem_line *l = &out[i];
        if ((l->addr & ~mask) != p->base || l->addr > p->addr) continue;
        if (p->end - l->addr > l->bytes) l->bytes = (uint32_t)(p->end - l->addr);
        l->lanes++;
        return;
    }
}

uint32_t mem_coalesce(const uint64_t *addr, uint32_t n, uint32_t bytes, uint32_t line, uint32_t sector,
                      struct mem_line *out) {
    uint32_t lines = 0, shift = (uint32_t)__builtin_ctz(sector ? sector : line);
    uint64_t mask = line - 1;
    bool split = line >> shift > 1;
    CHECK(bytes && line >> shift <= 32);
    for (uint32_t i = 0; i < n; i++)
        for (uint64_t a = addr[i], end = a + bytes; a != end;) {
            struct part p = part_of(a, end, line, shift);
            uint32_t at = find_line(out, lines, p.base, mask);
            if (at == lines) out[lines++] = (struct mem_line){p.base, 0, 0};
            if (split)
                out[at].bytes |= p.sectors;
            else
                serve(out + at, 1, &p, mask);
            a = p.end;
        }
    if (!split) return lines;
    uint32_t total = runs(out, lines, shift);
    for (uint32_t i = 0; i < n; i++)
        for (uint64_t a = addr[i], end = a + bytes; a != end;) {
            struct part p = part_of(a, end, line, shift);
            serve(out, total, &p, mask);
            a = p.end;
        }
    return total;
}

/* ---- banks ---- */

enum { MOST_BANKS = 256, MOST_WORDS = 512 };

/* Different words so far, chained by bank. */
struct words {
    uint32_t n, worst;
    uint16_t head[MOST_BANKS], length[MOST_BANKS], next[MOST_WORDS];
    uint64_t word[MOST_WORDS];
};

static void want(struct words *w, uint64_t word, uint32_t bank) {
    uint32_t i = w->head[bank];
    for (uint32_t left = w->length[bank]; left; left--, i = w->next[i])
        if (w->word[i] == word) return;
    w->word[w->n] = word;
    w->next[w->n] = w->head[bank];
    w->head[bank] = (uint16_t)w->n++;
    if (++w->length[bank] > w->worst) w->worst = w->length[bank];
}

static uint64_t divide(uint64_t a, uint32_t by) {
    return is_pow2(by) ? a >> __builtin_ctz(by) : a / by;
}

/* Cycles of accesses that go together. */
static uint32_t group_cycles(const uint64_t *addr, uint32_t n, uint32_t bytes, uint32_t banks,
                             uint32_t bank_bytes) {
    struct words w;
    w.n = w.worst = 0;
    memset(w.length, 0, banks * sizeof *w.length);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t last = divide(addr[i] + bytes - 1, bank_bytes);
        for (uint64_t word = divide(addr[i], bank_bytes); word <= last && w.n < MOST_WORDS; word++)
            want(&w, word, (uint32_t)(word - divide(word, banks) * banks));
    }
    return w.worst;
}

uint32_t mem_bank_cycles(const uint64_t *addr, uint32_t n, uint32_t bytes, uint32_t banks,
                         uint32_t bank_bytes) {
    CHECK(bytes && banks && banks <= MOST_BANKS && bank_bytes);
    uint32_t wide = (bytes + bank_bytes - 1) / bank_bytes, most = MOST_WORDS / (wide + 1), cycles = 0;
    if (wide > 1) most = banks / wide ? banks / wide : 1;
    for (uint32_t at = 0; at < n; at += most)
        cycles += group_cycles(addr + at, n - at < most ? n - at : most, bytes, banks, bank_bytes);
    return cycles;
}
