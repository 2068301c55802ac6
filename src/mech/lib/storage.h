/* What a mechanism adds to an SM: arrays of cells, with all that their size in bits and their area depend on. */
#ifndef HEDDLE_MECH_LIB_STORAGE_H
#define HEDDLE_MECH_LIB_STORAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum mech_cell {
    MECH_SRAM,
    MECH_CAM, /* its tags are compared all at once; the rest of an entry is SRAM */
    MECH_REGISTERS /* flip-flops: every bit can be read and written at any time; ways, tag and ports do not count */
};

/* Arrays that are alike. What is left out is 0 and means what it says beside it. */
struct mech_array {
    const char *name; /* of the structure; one that is made of several kinds of arrays has as many rows */
    enum mech_cell cell;
    /* Arrays of `entries` each: banks, schedulers; 0: one for each scheduler, which share the entries. */
    uint64_t arrays;
    uint64_t entries, bits; /* bits of an entry */
    uint32_t ways;          /* entries that an access reads at once; 0: one */
    /* Bits of an entry that are kept once more for the search, in an array beside it, as HARP's Table 7 has them. They are
     * area, but not counted as bits. A tag that is only read with the rest of its entry belongs to `bits` alone. */
    uint32_t tag;
    uint32_t reads, writes; /* ports; one that does both is a read port; both 0: one of each */
};

enum { MECH_ARRAYS = 16 };
struct mech_storage {
    uint32_t schedulers;
    uint32_t n;
    struct mech_array v[MECH_ARRAYS]; /* nothing left out */
    /* Threads of one issue may have their registers in different rows: every lane's bank has a decoder of its own (DWF 4.1,
     * Figure 4.2(d)). */
    bool lane_decoders;
};

struct mech;
/* The storage of a mechanism in one SM. */
void storage_of(const struct mech *m, struct mech_storage *out);
/* The next row of out. */
void storage_add(struct mech_storage *out, struct mech_array a);
uint64_t storage_array_bits(const struct mech_array *a); /* of all that are alike */
/* Lines "structure bits", rows of one name added up. */
void storage_text(const struct mech *m, struct sb *out);

#endif
