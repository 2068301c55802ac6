/* Storage by structure: what rows leave out, and their bits. */
#include "mech/lib/storage.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "mech/mech.h"

void storage_of(const struct mech *m, struct mech_storage *out) {
    *out = (struct mech_storage){.schedulers = m->env.schedulers};
    m->ops->storage(m, out);
}

/* Schedulers share the entries of a structure if they can do so evenly; else it is one array. */
void storage_add(struct mech_storage *out, struct mech_array a) {
    CHECK(out->n < MECH_ARRAYS);
    if (!a.arrays) {
        a.arrays = a.entries % out->schedulers ? 1 : out->schedulers;
        a.entries /= a.arrays;
    }
    if (!a.ways) a.ways = 1;
    if (!a.reads && !a.writes) a.reads = a.writes = 1;
    out->v[out->n++] = a;
}

uint64_t storage_array_bits(const struct mech_array *a) {
    return a->arrays * a->entries * a->bits;
}

void storage_text(const struct mech *m, struct sb *out) {
    struct mech_storage s;
    storage_of(m, &s);
    for (uint32_t i = 0; i < s.n;) {
        const char *name = s.v[i].name;
        uint64_t bits = 0;
        for (; i < s.n && !strcmp(s.v[i].name, name); i++) bits += storage_array_bits(&s.v[i]);
        sb_add(out, "%s %" PRIu64 "\n", name, bits);
    }
}
