/* What the host core counts: struct cpu_stats, from the rows of cpu/stats.def. */
#ifndef HEDDLE_CPU_STATS_H
#define HEDDLE_CPU_STATS_H

#define STATS "cpu/stats.def"
#include "base/stats_types.h"

#endif
