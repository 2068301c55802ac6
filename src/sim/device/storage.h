/* What the control-flow mechanism of a machine would add to its hardware: arrays, and their bits. */
#ifndef HEDDLE_SIM_DEVICE_STORAGE_H
#define HEDDLE_SIM_DEVICE_STORAGE_H

#include "base/alloc.h"
#include "base/err.h"
#include "mech/lib/storage.h"

struct options;
struct storage_part {
    const char *name;
    uint64_t bits;
};
struct storage {
    VEC(struct storage_part) parts; /* structures of one SM, in the mechanism's order */
    uint64_t bits;                  /* of all */
    struct mech_storage arrays;     /* that they are made of */
};
/* Computes the storage of the mechanism and machine that o describes, with as many resident threads as an SM has room
 * for. False: the mechanism cannot run on this machine. Free with storage_free, in either case. */
bool storage_find(const struct options *o, struct storage *out, struct err *e);
void storage_free(struct storage *s);

#endif
