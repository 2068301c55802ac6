/* A number of each thread of a block, as a table of the block has it: threads mostly differ by how much they are apart, so
 * base + dx x + dy y + dz z stands for all, and the few that are not so by what they differ. */
#ifndef HEDDLE_FRONT_TRACE_TABLE_H
#define HEDDLE_FRONT_TRACE_TABLE_H

#include "front/trace/pack.h"

/* known: which threads have one; of others anything may come back. */
void table_pack(bytes_vec *b, const uint32_t dim[3], const uint64_t *value, const bool *known);
void table_unpack(struct unpack *u, const uint32_t dim[3], uint64_t *value);

#endif
