/* A launch taken out of the program: HEDDLE_CAPTURE names a kernel, and the file that gets everything its launch needs
 * (docs/cuda-programs.md), for `heddle run` and the other commands to repeat it without the host program. */
#ifndef CUDA_SNAPSHOT_H
#define CUDA_SNAPSHOT_H

#include "heddle.h"

struct cu_process;
struct cu_ptx;
struct cu_kernel_op;

/* The texts of a module that was loaded: copied if a launch is to be taken out. */
void cu_snapshot_keep(struct cu_process *p, const hd_module *mod, const struct cu_ptx *texts, size_t n);
/* Before a launch runs: writes the file if this is the one. What goes wrong is said on standard error; the launch runs
 * on. */
void cu_snapshot(struct cu_process *p, const struct cu_kernel_op *op);
#endif
