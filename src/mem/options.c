/* What a single row of mem/options.def cannot say: the shapes of caches, and that every byte of an L2 line lies on one
 * channel, since a request is for one line and goes one way. */
#include "mem/options.h"

#include "mem/cache.h"
#include "mem/dram.h"

static bool check_caches(const struct mem_options *o, struct err *e) {
    const uint32_t grain = (uint32_t)o->l2.line;
    const struct cache_shape all[] = {
        CACHE_SHAPE("l2", &o->l2, 0),       CACHE_SHAPE("l1d", &o->l1d, grain),
        CACHE_SHAPE("l1t", &o->l1t, grain), CACHE_SHAPE("l1c", &o->l1c, mem_below_l1c(o)),
        CACHE_SHAPE("l1i", &o->l1i, grain), CACHE_SHAPE("l15c", &o->l15c, grain)};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!cache_check(&all[i], e)) return false;
    return true;
}

static bool check_channels(const struct mem_options *o, uint64_t chip_bits, struct err *e) {
    const uint64_t line = (uint64_t)o->l2.line;
    if (o->dram.channels == 1) return true;
    if (!chip_bits && (uint64_t)o->dram.interleave % line)
        return err_set(e, ERR_INPUT, "dram.interleave = %lld is not a multiple of l2.line = %lld",
                       (long long)o->dram.interleave, (long long)o->l2.line);
    if (chip_bits & (line - 1))
        return err_set(e, ERR_INPUT,
                       "dram.mask_chip chooses between channels inside an L2 line of %lld bytes",
                       (long long)o->l2.line);
    return true;
}

bool mem_options_check(const struct mem_options *o, struct err *e) {
    if (!check_caches(o, e)) return false;
    struct dram_map *map = dram_map_new(&o->dram, e);
    if (!map) return false;
    const bool fits = check_channels(o, dram_chip_bits(map), e);
    dram_map_free(map);
    return fits;
}
