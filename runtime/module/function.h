/* Attributes of kernels, by the numbers of CUfunction_attribute, which are those of cudaFuncAttribute where both have one. */
#ifndef CUDA_FUNCTION_H
#define CUDA_FUNCTION_H

struct cu_process;
struct CUfunc_st;

/* Loads the function if it is not yet. CU_InvalidValue: no such attribute. */
int cu_function_attribute(struct cu_process *p, struct CUfunc_st *f, int attribute, int *value);
/* The two that can be set, and those of clusters, which are ignored. */
int cu_function_set(struct cu_process *p, struct CUfunc_st *f, int attribute, int value);
/* Threads a block may have at most, by registers and by what the kernel says of itself. */
int cu_function_threads(const struct cu_process *p, const struct CUfunc_st *f);
#endif
