/* What the memory system counts: struct mem_stats, from the rows of mem/stats.def. A cache, crossbar or DRAM channel counts
 * in the struct of its section, and mem_get_stats joins them. */
#ifndef HEDDLE_MEM_STATS_H
#define HEDDLE_MEM_STATS_H

enum { XBAR_TO_MEMORY, XBAR_BACK, XBAR_WAYS };
enum { DRAM_LATENCIES = 16 };

#define STATS      "mem/stats.def"
#define STATS_ROOM mem_stats
#include "base/stats_types.h"

#endif
