/* What was executed: struct exec_stats, from the rows of exec/stats.def. */
#ifndef HEDDLE_EXEC_STATS_H
#define HEDDLE_EXEC_STATS_H

#include "ir/program.h" /* IR_NCLASSES */

#define STATS "exec/stats.def"
#include "base/stats_types.h"

#endif
