/* A set-associative table from PCs to numbers, as hardware would build one: a hash of the PC chooses the set, the least
 * recently used way gives place. For mechanisms that find warps, groups or histories by PC. */
#ifndef HEDDLE_MECH_LIB_LOOKUP_H
#define HEDDLE_MECH_LIB_LOOKUP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pages.h"

#define LOOKUP_NONE 0xffffffffu

struct lookup_entry {
    uint32_t pc, value;
    uint64_t used; /* stamp of the last find or put; 0: free */
};
struct lookup {
    uint32_t sets, ways;
    uint32_t shift; /* sets are 1 << shift; 32: no power of two */
    uint64_t stamp;
    struct lookup_entry *e; /* sets * ways */
};

/* More ways than entries mean fully associative; otherwise ways must divide entries. `what` names the table in errors. */
bool lookup_init(struct lookup *l, struct pages *pages, const char *what, uint32_t entries, uint32_t ways,
                 struct err *e);
/* Index of the entry of that PC, now the most recently used of its set, or LOOKUP_NONE. */
uint32_t lookup_find(struct lookup *l, uint32_t pc);
/* A new entry for a PC that has none; *evicted is the value that had to leave, or LOOKUP_NONE. */
uint32_t lookup_put(struct lookup *l, uint32_t pc, uint32_t value, uint32_t *evicted);
void lookup_drop(struct lookup *l, uint32_t index);
static inline uint32_t lookup_entries(const struct lookup *l) {
    return l->sets * l->ways;
}

#endif
