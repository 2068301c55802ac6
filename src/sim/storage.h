/* What the control-flow mechanism of a machine would add to its hardware, in bits. */
#ifndef HEDDLE_SIM_STORAGE_H
#define HEDDLE_SIM_STORAGE_H

#include "base/alloc.h"
#include "base/err.h"

struct options;
struct storage_part {
    char name[32];
    uint64_t bits;
};
struct storage {
    VEC(struct storage_part) parts; /* structures of one SM, in the mechanism's order */
    uint64_t bits;                  /* of all */
};
/* Of the mechanism and machine that o describes, with all threads resident that an SM has room for. False: the machine is
 * not one for this mechanism. Free with storage_free, in either case. */
bool storage_find(const struct options *o, struct storage *out, struct err *e);
void storage_free(struct storage *s);

#endif
