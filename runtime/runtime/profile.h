/* The profile of timed launches in the log (docs/cuda-programs.md). */
#ifndef CUDA_PROFILE_H
#define CUDA_PROFILE_H

struct cu_process;
struct CUmod_st;

/* A line for the module, if HEDDLE_PROFILE asks for it and a launch of it was timed: before it is unloaded. */
void cu_profile_module(struct cu_process *p, const struct CUmod_st *m);
/* At the end, for all that are still loaded; none later. */
void cu_profile_end(struct cu_process *p);
#endif
