/* The address decoder of DWF 5.1.3: where a byte lies, as channel, bank, row and column.
 *
 * With masks, the bits of the address under a field's mask, lowest first, are that field; bits under no mask count for
 * nothing. A mask is cut into its runs of consecutive bits once, so that decoding is a shift, an and and an or for each.
 *
 * Without, channels take turns of `interleave` bytes, for any number of channels; what lies on one channel is taken
 * together, and fills row after row, one bank after the other. With `hash` a round of turns over the channels begins at
 * another channel than the round before: at the sum of the round's digits, in base `channels`. A stride of a power of two then
 * visits all channels, as the hashes of hardware see to it. What lies on a channel, and in which order, stays the same. */
#include "base/alloc.h"
#include "base/bits.h"
#include "mem/dram.h"
#include "mem/options.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct run {
    uint64_t mask; /* at bit 0 */
    uint32_t from, to;
};
struct field {
    uint32_t n;
    struct run run[32]; /* 64 bits hold no more runs */
};

enum { CHIP, ROW, COLUMN, BANK, FIELDS };
static const char *const field_name[FIELDS] = {"chip", "row", "column", "bank"};

/* What addresses are divided by: mostly a power of two, and then it is a shift. */
struct divisor {
    uint64_t by;
    uint32_t shift;
    bool pow2;
};

struct dram_map {
    bool masked, hash;
    struct field field[FIELDS];
    struct divisor interleave, channels, row_bytes, banks;
};

static struct divisor divisor(uint64_t by) {
    return (struct divisor){by, (uint32_t)__builtin_ctzll(by), is_pow2(by)};
}

static uint64_t quotient(uint64_t n, const struct divisor *d) {
    return d->pow2 ? n >> d->shift : n / d->by;
}

static uint64_t remainder_of(uint64_t n, const struct divisor *d) {
    return d->pow2 ? n & (d->by - 1) : n % d->by;
}

static struct field field_of(uint64_t mask) {
    struct field f = {0};
    for (uint32_t from = 0, to = 0; from < 64 && mask >> from;) {
        from += (uint32_t)__builtin_ctzll(mask >> from);
        uint64_t rest = ~(mask >> from);
        uint32_t length = rest ? (uint32_t)__builtin_ctzll(rest) : 64;
        f.run[f.n++] = (struct run){UINT64_MAX >> (64 - length), from, to};
        from += length;
        to += length;
    }
    return f;
}

static uint64_t mem_decode_extract(const struct field *f, uint64_t addr) {
    uint64_t v = 0;
    for (uint32_t k = 0; k < f->n; k++) v |= (addr >> f->run[k].from & f->run[k].mask) << f->run[k].to;
    return v;
}

static bool read_mask(const char *name, const char *text, uint64_t *mask, struct err *e) {
    const char *p = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? text + 2 : text;
    size_t digits = strspn(p, "0123456789abcdefABCDEF"), zeros = strspn(p, "0");
    if (!digits || p[digits])
        return err_set(e, ERR_INPUT, "dram.mask_%s: '%s' is not a hexadecimal number", name, text);
    if (digits - zeros > 16)
        return err_set(e, ERR_INPUT, "dram.mask_%s: '%s' has more than 64 bits", name, text);
    *mask = strtoull(p, NULL, 16);
    return true;
}

static bool check_count(const char *name, uint64_t mask, const char *key, int64_t have, struct err *e) {
    int bits = __builtin_popcountll(mask);
    if (bits < 63 && INT64_C(1) << bits <= have) return true;
    return err_set(e, ERR_INPUT, "dram.mask_%s: %d bits name 2^%d of them, but dram.%s is %" PRId64, name,
                   bits, bits, key, have);
}

static bool read_masks(struct dram_map *m, const struct opt_dram *o, const char *const text[FIELDS],
                       struct err *e) {
    uint64_t mask[FIELDS];
    for (int f = 0; f < FIELDS; f++) {
        if (!*text[f])
            return err_set(
                e, ERR_INPUT,
                "dram.mask_%s is missing: masks are given for all of chip, row, column and bank, or for none",
                field_name[f]);
        if (!read_mask(field_name[f], text[f], &mask[f], e)) return false;
        for (int g = 0; g < f; g++)
            if (mask[f] & mask[g])
                return err_set(e, ERR_INPUT, "dram.mask_%s and dram.mask_%s overlap in 0x%" PRIx64,
                               field_name[g], field_name[f], mask[f] & mask[g]);
        m->field[f] = field_of(mask[f]);
    }
    return check_count("chip", mask[CHIP], "channels", o->channels, e) &&
           check_count("bank", mask[BANK], "banks", o->banks, e);
}

/* Between two refreshes at least one column access must get through, or requests would wait for ever. */
static bool check_refresh(const struct opt_dram *o, struct err *e) {
    int64_t least = o->tRFC + o->tRAS + o->tRP + o->tRC + o->tRRD + o->tRCD + o->tCCD + o->tWTR + o->tRTW +
                    o->tCL + o->tWL + o->burst + o->banks;
    if (!o->tREFI || o->ideal || o->tREFI > least) return true;
    return err_set(e, ERR_INPUT,
                   "dram.tREFI: refreshes every %" PRId64
                   " cycles leave no time for requests; it must be above %" PRId64 " (0: no refresh)",
                   o->tREFI, least);
}

struct dram_map *dram_map_new(const struct opt_dram *o, struct err *e) {
    const char *const text[FIELDS] = {o->mask_chip, o->mask_row, o->mask_column, o->mask_bank};
    struct dram_map *m = xcalloc(1, sizeof *m);
    m->interleave = divisor((uint64_t)o->interleave);
    m->hash = o->hash;
    m->channels = divisor((uint64_t)o->channels);
    m->row_bytes = divisor((uint64_t)o->row_bytes);
    m->banks = divisor((uint64_t)o->banks);
    for (int f = 0; f < FIELDS; f++) m->masked |= *text[f] != 0;
    if (check_refresh(o, e) && (!m->masked || read_masks(m, o, text, e))) return m;
    xfree(m);
    return NULL;
}

void dram_map_free(struct dram_map *m) {
    xfree(m);
}

uint64_t dram_chip_bits(const struct dram_map *m) {
    uint64_t bits = 0;
    for (uint32_t b = 0; m->masked && b < 64; b++)
        if (mem_decode_extract(&m->field[CHIP], (uint64_t)1 << b)) bits |= (uint64_t)1 << b;
    return bits;
}

/* Where a round of turns begins. */
static uint64_t first_channel(uint64_t round, uint64_t channels) {
    uint64_t sum = 0;
    for (; round && channels > 1; round /= channels) sum += round % channels;
    return sum;
}

uint32_t dram_channel(const struct dram_map *m, uint64_t addr) {
    if (m->masked) return (uint32_t)mem_decode_extract(&m->field[CHIP], addr);
    const uint64_t turn = quotient(addr, &m->interleave);
    const uint64_t begin = m->hash ? first_channel(quotient(turn, &m->channels), m->channels.by) : 0;
    return (uint32_t)remainder_of(turn + begin, &m->channels);
}

uint64_t dram_local(const struct dram_map *m, uint64_t addr) {
    const uint64_t round = quotient(quotient(addr, &m->interleave), &m->channels);
    return round * m->interleave.by + remainder_of(addr, &m->interleave);
}

struct dram_place dram_decode(const struct dram_map *m, uint64_t addr) {
    if (m->masked)
        return (struct dram_place){
            .chip = (uint32_t)mem_decode_extract(&m->field[CHIP], addr),
            .bank = (uint32_t)mem_decode_extract(&m->field[BANK], addr),
            .row = mem_decode_extract(&m->field[ROW], addr),
            .column = mem_decode_extract(&m->field[COLUMN], addr),
        };
    const uint64_t local = dram_local(m, addr), row = quotient(local, &m->row_bytes);
    return (struct dram_place){
        .chip = dram_channel(m, addr),
        .bank = (uint32_t)remainder_of(row, &m->banks),
        .row = quotient(row, &m->banks),
        .column = remainder_of(local, &m->row_bytes),
    };
}
