/* Compiled twice (base/host.h), with the same results. Lines are found by their first lanes: the lowest lane left names a
 * line, and all lanes are compared with it at once. So a line costs a compare of the warp, whatever the order of addresses is,
 * and requests come in order of first use with the lanes they serve.
 *
 * AVX2 takes the low halves of the addresses, eight to a vector: the high halves are the same wherever the lanes' accesses lie
 * in one allocation of less than 4 GB, and where they are not, lane by lane is the way. */
#include "mem/lanes.h"

#include "base/bits.h"

#define PASTE2(a, b) a##_##b
#define PASTE(a, b)  PASTE2(a, b)
#define NAME(name)   PASTE(name, ALU_ISA)

/* Sizes as shifts and masks. */
struct shape {
    uint32_t bytes, line, sector; /* sector: a shift */
};

/* The lanes of one line, their sectors, and how far behind its first byte the last access begins. */
struct found {
    uint64_t base;
    uint32_t lanes, sectors, last;
};

/* Several runs of sectors of a line, lowest first; the one of sectors [from, to) serves the lanes that begin in it. */
static uint32_t mem_lanes_cut(const uint64_t *addr, const struct found *f, struct shape s,
                              struct mem_served *out) {
    uint32_t n = 0;
    for (uint32_t left = f->sectors; left; n++) {
        const uint32_t from = (uint32_t)__builtin_ctz(left), ends = ~(left >> from);
        const uint32_t to = from + (ends ? (uint32_t)__builtin_ctz(ends) : 32);
        const uint64_t first = f->base + ((uint64_t)from << s.sector);
        out[n] = (struct mem_served){.addr = first};
        FOR_LANES(l, f->lanes) {
            if (addr[l] < first || addr[l] >= f->base + ((uint64_t)to << s.sector)) continue;
            const uint32_t end = (uint32_t)(addr[l] - first) + s.bytes;
            if (end > out[n].bytes) out[n].bytes = end;
            out[n].lanes |= 1u << l;
        }
        left = to < 32 ? left >> to << to : 0;
    }
    return n;
}

/* Adds the line's requests, nearly always one. */
static inline uint32_t mem_lanes_add(const uint64_t *addr, const struct found *f, struct shape s,
                                     struct mem_served *out) {
    const uint32_t first = (uint32_t)__builtin_ctz(f->sectors), run = f->sectors >> first;
    if (run & (run + 1)) return mem_lanes_cut(addr, f, s, out);
    out->addr = f->base + ((uint64_t)first << s.sector);
    out->bytes = f->last + s.bytes - (first << s.sector);
    out->lanes = f->lanes;
    return 1;
}

static uint32_t lane_by_lane(const uint64_t *addr, uint32_t mask, struct shape s, struct mem_served *out) {
    uint64_t low = 0;
    uint32_t n = 0;
    FOR_LANES(l, mask) low |= addr[l];
    if (low & (s.bytes - 1)) return 0;
    while (mask) {
        struct found f = {.base = addr[__builtin_ctz(mask)] & ~(uint64_t)(s.line - 1)};
        FOR_LANES(l, mask) {
            const uint64_t at = addr[l] - f.base;
            if (at >= s.line) continue;
            f.lanes |= 1u << l;
            f.sectors |= 1u << (at >> s.sector);
            if (at > f.last) f.last = (uint32_t)at;
        }
        mask &= ~f.lanes;
        n += mem_lanes_add(addr, &f, s, out + n);
    }
    return n;
}

/* A single lane, as of threads that have gone their own ways. */
static inline uint32_t one_lane(uint64_t addr, uint32_t lane, uint32_t bytes, uint32_t sector,
                                struct mem_served *out) {
    const uint32_t within = (uint32_t)addr & (sector - 1);
    *out = (struct mem_served){.addr = addr - within, .bytes = within + bytes, .lanes = lane};
    return !(addr & (bytes - 1));
}

static struct shape shape_of(uint32_t bytes, uint32_t line, uint32_t sector) {
    return (struct shape){bytes, line, (uint32_t)__builtin_ctz(sector ? sector : line)};
}

/* In a cycle a bank gives a word to all lanes that want it: here the one it was asked for last. Those that want another try
 * again. */
static uint32_t rounds(const uint32_t *word, const uint32_t *bank, uint32_t mask) {
    uint32_t given[64], n = 0;
    for (; mask; n++) {
        FOR_LANES(l, mask) given[bank[l]] = word[l];
        FOR_LANES(l, mask) mask ^= (uint32_t)(given[bank[l]] == word[l]) << l;
    }
    return n;
}

#ifdef __AVX2__
#include <immintrin.h>

enum { VECTORS = 4 };
typedef struct {
    __m256i v[VECTORS]; /* eight lanes each, lowest first */
} row;

static inline __m256i halves(const uint64_t *addr, int which) {
    const __m256 a = _mm256_loadu_ps((const float *)(const void *)addr),
                 b = _mm256_loadu_ps((const float *)(const void *)(addr + 4));
    const __m256 mixed = which ? _mm256_shuffle_ps(a, b, _MM_SHUFFLE(3, 1, 3, 1))
                               : _mm256_shuffle_ps(a, b, _MM_SHUFFLE(2, 0, 2, 0));
    return _mm256_permute4x64_epi64(_mm256_castps_si256(mixed), _MM_SHUFFLE(3, 1, 2, 0));
}

/* All bits of the lanes of the mask. */
static inline row mem_lanes_of(uint32_t mask) {
    const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    row r;
    for (int k = 0; k < VECTORS; k++) {
        const __m256i here = _mm256_set1_epi32((int)(mask >> (8 * k)));
        r.v[k] = _mm256_cmpeq_epi32(_mm256_and_si256(here, bit), bit);
    }
    return r;
}

/* One bit of each lane whose bits are all set; the others are 0. */
static inline uint32_t mask_of(const row *r) {
    const __m256i a = _mm256_packs_epi32(r->v[0], r->v[1]), b = _mm256_packs_epi32(r->v[2], r->v[3]);
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    return (uint32_t)_mm256_movemask_epi8(_mm256_permutevar8x32_epi32(_mm256_packs_epi16(a, b), order));
}

static inline uint32_t or_all(__m256i v) {
    __m128i h = _mm_or_si128(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    h = _mm_or_si128(h, _mm_shuffle_epi32(h, _MM_SHUFFLE(1, 0, 3, 2)));
    h = _mm_or_si128(h, _mm_shuffle_epi32(h, _MM_SHUFFLE(2, 3, 0, 1)));
    return (uint32_t)_mm_cvtsi128_si32(h);
}

static inline uint32_t max_all(__m256i v) {
    __m128i h = _mm_max_epu32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    h = _mm_max_epu32(h, _mm_shuffle_epi32(h, _MM_SHUFFLE(1, 0, 3, 2)));
    h = _mm_max_epu32(h, _mm_shuffle_epi32(h, _MM_SHUFFLE(2, 3, 0, 1)));
    return (uint32_t)_mm_cvtsi128_si32(h);
}

/* The low halves of the lanes' addresses; false: their high halves are not all the same, or one is not aligned. */
static inline bool low_halves(const uint64_t *addr, uint32_t mask, uint32_t bytes, row *low) {
    const row on = mem_lanes_of(mask);
    const __m256i high = _mm256_set1_epi32((int)(addr[__builtin_ctz(mask)] >> 32)),
                  odd = _mm256_set1_epi32((int)(bytes - 1));
    __m256i bad = _mm256_setzero_si256();
    for (int k = 0; k < VECTORS; k++) {
        low->v[k] = halves(addr + 8 * k, 0);
        const __m256i away = _mm256_xor_si256(halves(addr + 8 * k, 1), high);
        bad = _mm256_or_si256(
            bad, _mm256_and_si256(_mm256_or_si256(away, _mm256_and_si256(low->v[k], odd)), on.v[k]));
    }
    return _mm256_testz_si256(bad, bad);
}

/* What of a line's lanes is the same for all lines: line, offset in it, sector as a bit. */
struct places {
    row line, at, sector;
};

static inline struct places places_of(const row *low, struct shape s) {
    const __m256i within = _mm256_set1_epi32((int)(s.line - 1)), one = _mm256_set1_epi32(1);
    const __m128i shift = _mm_cvtsi32_si128((int)s.sector);
    struct places p;
    for (int k = 0; k < VECTORS; k++) {
        p.line.v[k] = _mm256_andnot_si256(within, low->v[k]);
        p.at.v[k] = _mm256_and_si256(within, low->v[k]);
        p.sector.v[k] = _mm256_sllv_epi32(one, _mm256_srl_epi32(p.at.v[k], shift));
    }
    return p;
}

/* Several lanes of one line. */
static inline void mem_lanes_sum_up(const struct places *p, struct found *f) {
    const row in = mem_lanes_of(f->lanes);
    __m256i sectors = _mm256_setzero_si256(), last = sectors;
    for (int k = 0; k < VECTORS; k++) {
        sectors = _mm256_or_si256(sectors, _mm256_and_si256(in.v[k], p->sector.v[k]));
        last = _mm256_max_epu32(last, _mm256_and_si256(in.v[k], p->at.v[k]));
    }
    f->sectors = or_all(sectors);
    f->last = max_all(last);
}

static inline bool is_few(uint32_t mask) { /* three lanes at most: less work than to look at all */
    mask &= mask - 1;
    mask &= mask - 1;
    return !(mask & (mask - 1));
}

static uint32_t mem_lanes_coalesce(const uint64_t *addr, uint32_t mask, uint32_t bytes, uint32_t line,
                                   uint32_t sector, struct mem_served *out) {
    const struct shape s = shape_of(bytes, line, sector);
    row low, same;
    if (!(mask & (mask - 1)))
        return one_lane(addr[__builtin_ctz(mask)], mask, bytes, sector ? sector : line, out);
    if (is_few(mask)) return lane_by_lane(addr, mask, s, out);
    if (!low_halves(addr, mask, bytes, &low)) return lane_by_lane(addr, mask, s, out);
    const struct places p = places_of(&low, s);
    uint32_t n = 0;
    while (mask) {
        const uint64_t first = addr[__builtin_ctz(mask)];
        struct found f = {.base = first & ~(uint64_t)(line - 1), .last = (uint32_t)first & (line - 1)};
        const __m256i base = _mm256_set1_epi32((int)(uint32_t)f.base);
        for (int k = 0; k < VECTORS; k++) same.v[k] = _mm256_cmpeq_epi32(p.line.v[k], base);
        f.lanes = mask_of(&same) & mask;
        mask &= ~f.lanes;
        if (f.lanes & (f.lanes - 1))
            mem_lanes_sum_up(&p, &f);
        else
            f.sectors = 1u << (f.last >> s.sector);
        n += mem_lanes_add(addr, &f, s, out + n);
    }
    return n;
}

static inline bool alike(__m256i a, __m256i b) {
    return _mm256_movemask_epi8(_mm256_cmpeq_epi32(a, b)) == -1;
}

/* No fewer than the different words there are: rows of eight lanes that are one word, or the same as a row before, as where a
 * block's rows are shorter than a warp, count for what they are. */
static inline uint32_t most_words(const row *w) {
    uint32_t n = 0;
    for (int k = 0; k < VECTORS; k++) {
        bool known = false;
        for (int j = 0; j < k; j++) known = known || alike(w->v[j], w->v[k]);
        if (known) continue;
        n += alike(w->v[k], _mm256_broadcastd_epi32(_mm256_castsi256_si128(w->v[k]))) ? 1 : 8;
    }
    return n;
}

/* The lanes that do not get their word in the first cycle. */
static inline uint32_t left_over(const uint32_t *word, const uint32_t *bank, uint32_t mask) {
    uint32_t given[64];
    row r;
#pragma GCC unroll 32
    for (uint32_t l = 0; l < MEM_LANES; l++) given[bank[l]] = word[l];
    for (int k = 0; k < VECTORS; k++) {
        const __m256i w = _mm256_load_si256((const __m256i *)(const void *)(word + 8 * k)),
                      b = _mm256_load_si256((const __m256i *)(const void *)(bank + 8 * k));
        r.v[k] = _mm256_cmpeq_epi32(w, _mm256_i32gather_epi32((const int *)(const void *)given, b, 4));
    }
    return mask & ~mask_of(&r);
}

/* There is no conflict where no more words are wanted than banks are asked: mostly because every lane has a bank of its own.
 * Lanes that are off want the word of the first that is on. */
static uint32_t bank_cycles(const uint64_t *addr, uint32_t mask, uint32_t banks, uint32_t shift) {
    const __m256i one = _mm256_set1_epi32(1), within = _mm256_set1_epi32((int)(banks - 1)),
                  first = _mm256_set1_epi32((int)(uint32_t)addr[__builtin_ctz(mask)]);
    const __m128i by = _mm_cvtsi32_si128((int)shift);
    const row on = mem_lanes_of(mask);
    _Alignas(32) uint32_t word[MEM_LANES], bank[MEM_LANES];
    __m256i asked = _mm256_setzero_si256();
    row words;
    for (int k = 0; k < VECTORS; k++) {
        words.v[k] = _mm256_srl_epi32(_mm256_blendv_epi8(first, halves(addr + 8 * k, 0), on.v[k]), by);
        const __m256i in = _mm256_and_si256(words.v[k], within);
        asked = _mm256_or_si256(asked, _mm256_sllv_epi32(one, in));
        _mm256_store_si256((__m256i *)(void *)(word + 8 * k), words.v[k]);
        _mm256_store_si256((__m256i *)(void *)(bank + 8 * k), in);
    }
    const uint32_t n = (uint32_t)__builtin_popcount(or_all(asked));
    if (n == (uint32_t)__builtin_popcount(mask) || n == most_words(&words)) return 1;
    return 1 + rounds(word, bank, left_over(word, bank, mask));
}

#else

static uint32_t mem_lanes_coalesce(const uint64_t *addr, uint32_t mask, uint32_t bytes, uint32_t line,
                                   uint32_t sector, struct mem_served *out) {
    if (!(mask & (mask - 1)))
        return one_lane(addr[__builtin_ctz(mask)], mask, bytes, sector ? sector : line, out);
    return lane_by_lane(addr, mask, shape_of(bytes, line, sector), out);
}

static uint32_t bank_cycles(const uint64_t *addr, uint32_t mask, uint32_t banks, uint32_t shift) {
    uint32_t word[MEM_LANES], bank[MEM_LANES];
    FOR_LANES(l, mask) {
        word[l] = (uint32_t)addr[l] >> shift;
        bank[l] = word[l] & (banks - 1);
    }
    return rounds(word, bank, mask);
}

#endif

const struct mem_lanes NAME(mem_lanes) = {mem_lanes_coalesce, bank_cycles};
