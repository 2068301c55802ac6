/* A line on standard error that says how far a long launch is, when that is a terminal and HEDDLE_PROGRESS=1. */
#ifndef CUDA_PROGRESS_H
#define CUDA_PROGRESS_H

struct cu_process;
struct cu_kernel_op;

void cu_progress_begin(struct cu_process *p, const struct cu_kernel_op *op);
void cu_progress_end(struct cu_process *p);
#endif
