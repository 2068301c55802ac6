/* What an SM counts: struct sm_stats, from the rows of sm/stats.def. */
#ifndef HEDDLE_SM_STATS_H
#define HEDDLE_SM_STATS_H

/* Warp-size classes as in DWF Figure 6.3: [0] 1-4, [1] 5-8 ... [7] 29-32 threads of a 32-thread warp, scaled to warp_size;
 * the last: packets of more threads than a warp. */
enum { SM_SIZES = 9 };

#define STATS      "sm/stats.def"
#define STATS_ROOM sm_stats
#include "base/stats_types.h"

#endif
