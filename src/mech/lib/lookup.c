/* Neighbouring PCs go to neighbouring sets, so that straight code spreads; the higher bits are folded in for code whose
 * targets are a multiple of the sets apart. */
#include "mech/lib/lookup.h"

#include <inttypes.h>

#include "base/bits.h"

bool lookup_init(struct lookup *l, struct pages *pages, const char *what, uint32_t entries, uint32_t ways,
                 struct err *e) {
    if (ways > entries) ways = entries;
    if (!ways || entries % ways)
        return err_set(e, ERR_INPUT, "%s: %" PRIu32 " entries are not a multiple of %" PRIu32 " ways", what,
                       entries, ways);
    *l = (struct lookup){.sets = entries / ways, .ways = ways};
    l->shift = is_pow2(l->sets) ? (uint32_t)__builtin_ctz(l->sets) : 32;
    l->e = PAGES_NEW(pages, struct lookup_entry, entries);
    return true;
}

static uint32_t first_of_set(const struct lookup *l, uint32_t pc) {
    if (l->shift < 32) return ((pc + (pc >> l->shift)) & (l->sets - 1)) * l->ways;
    return (pc + pc / l->sets) % l->sets * l->ways;
}

uint32_t lookup_find(struct lookup *l, uint32_t pc) {
    const uint32_t from = first_of_set(l, pc);
    for (uint32_t k = from; k < from + l->ways; k++)
        if (l->e[k].used && l->e[k].pc == pc) {
            l->e[k].used = ++l->stamp;
            return k;
        }
    return LOOKUP_NONE;
}

uint32_t lookup_put(struct lookup *l, uint32_t pc, uint32_t value, uint32_t *evicted) {
    const uint32_t from = first_of_set(l, pc);
    uint32_t at = from;
    for (uint32_t k = from + 1; l->e[at].used && k < from + l->ways; k++)
        if (l->e[k].used < l->e[at].used) at = k;
    *evicted = l->e[at].used ? l->e[at].value : LOOKUP_NONE;
    l->e[at] = (struct lookup_entry){pc, value, ++l->stamp};
    return at;
}

void lookup_drop(struct lookup *l, uint32_t index) {
    l->e[index].used = 0;
}
