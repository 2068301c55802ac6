/* What the tables of one run and of several share. */
#ifndef HEDDLE_CLI_CMD_CUDA_TABLES_H
#define HEDDLE_CLI_CMD_CUDA_TABLES_H

#include "cli/cmd/cuda/cuda.h"

struct table;
void cuda_count_cell(struct table *t, uint64_t v);             /* nothing of 0 */
void cuda_cycles_cell(struct table *t, const struct stats *s); /* nothing for 0; ~ before what is estimated */
/* The kernels of a run, those that took most cycles first; for the caller to free. */
const struct cuda_kernel **cuda_sorted(const struct cuda_run *r);
void cuda_title(const struct cuda *c, struct sb *out); /* the program's name */
/* What became of the run, below its table. */
void cuda_words(const struct cuda *c, const struct cuda_run *r, struct sb *out);

#endif
