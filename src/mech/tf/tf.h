/* What the files of thread frontiers share: tf.c (the mechanism) and tables.c (the order of the code). */
#ifndef HEDDLE_MECH_TF_TF_H
#define HEDDLE_MECH_TF_TF_H

#include "mech/lib/declare.h"
#include "mech/lib/walk.h"

#define TF_KIND(CHOICE) CHOICE(stack, TF_STACK) CHOICE(sandybridge, TF_SANDYBRIDGE)
enum tf_kind { TF_KIND(OPTION_ENUMERATOR) };

#define TF_PARAMS(INT, BOOL, ENUM)                                                                           \
    ENUM(                                                                                                    \
        kind, TF_KIND,                                                                                       \
        "How a warp knows where its threads are: a sorted list of {PC, mask}, or a PC with each thread and " \
        "frontiers in the program.")                                                                         \
    BOOL(skip, false, "sandybridge: whether blocks of the frontier without threads cost nothing.")           \
    BOOL(together, false,                                                                                    \
         "sandybridge: whether a warp whose threads all go the same way goes there at once, since no "       \
         "thread can be left in the frontier.")
MECH_PARAMS(tf, TF_PARAMS)

#define TF_COUNTERS(SUM, MAX)                                                                             \
    SUM(inserts, "entries",                                                                               \
        "Places that became occupied: sides of branches, and threads that come to wait for others.")      \
    SUM(merges, "events", "Groups of threads that met others at one PC and depth.")                       \
    SUM(empty_blocks, "blocks", "sandybridge: blocks of a frontier that were entered without threads.")   \
    SUM(empty_issues, "issues", "sandybridge: instructions issued without threads.")                      \
    SUM(searches, "times",                                                                                \
        "sandybridge: times the next place was in no frontier: after barriers, and after functions that " \
        "no thread returned from.")                                                                       \
    MAX(list_max, "entries", "Most places at once that threads of a warp were in.")
MECH_COUNTS(tf, TF_COUNTERS)

#define TF_NOWHERE UINT32_MAX

struct tf_tables { /* by launch */
    struct walk_order order;
    /* By PC: the place to which the unit goes if no thread says otherwise: the next instruction in a block, and the first
     * block of the frontier behind it; TF_NOWHERE: none, and everywhere if blocks without threads are not walked. */
    const uint32_t *after;
};

const void *tf_prepare(const struct mech_program *p, struct arena *mem, struct err *e);

#endif
