/* Loads and stores as they are compiled twice (access_find.c, access_move.c): what a module uses of one build or the other. */
#ifndef HEDDLE_EXEC_ACCESS_ACCESS_H
#define HEDDLE_EXEC_ACCESS_ACCESS_H

#include "exec/alu/row.h"
#include "exec/impl.h"

access_find_fn ALU_NAME(access_find);
access_load_fn ALU_NAME(access_load);
access_store_fn ALU_NAME(access_store);

#endif
