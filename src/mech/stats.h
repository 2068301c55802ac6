/* What a mechanism counts: struct mech_stats, from the rows of mech/stats.def, and its own counters. */
#ifndef HEDDLE_MECH_STATS_H
#define HEDDLE_MECH_STATS_H

enum { MECH_COUNTERS = 32 }; /* of its own, at most */

#define STATS "mech/stats.def"
#include "base/stats_types.h"

/* A counter of the mechanism's own: its place in the list is its place in mech_stats.extra. */
struct mech_counter {
    const char *key, *unit, *meaning;
    enum stat_how how; /* it joins over SMs and launches: STAT_SUM or STAT_MAX */
};

/* mech_stats_join for those; the list ends with key NULL, or is NULL where there are none. */
void mech_own_join(struct mech_stats *to, const struct mech_stats *from, const struct mech_counter *own);

#endif
