/* Launches of kernels in all forms. */
#ifndef CUDA_LAUNCH_H
#define CUDA_LAUNCH_H

#include <stddef.h>
#include <stdint.h>

struct cu_process;
struct CUfunc_st;
struct CUstream_st;
struct cu_kernel_op;

struct cu_geometry {
    uint32_t grid[3], block[3];
    uint64_t shared;
    int cooperative;
};
/* Checks and submits. args[i] is where the value of parameter i is, as cudaLaunchKernel has it. */
int cu_launch(struct cu_process *p, struct CUfunc_st *f, const struct cu_geometry *g, void **args,
              struct CUstream_st *s);
/* As cu_launch, with the parameters already packed. */
int cu_launch_packed(struct cu_process *p, struct CUfunc_st *f, const struct cu_geometry *g,
                     const void *params, size_t bytes, struct CUstream_st *s);
/* Packs the arguments of a kernel into memory of cu_kernel_op.param_bytes = f->info.param_bytes; the function must be ready. */
void cu_pack_args(const struct CUfunc_st *f, void **args, void *packed);
/* Whether the kernel can be launched so: the codes real hardware gives. */
int cu_check_launch(struct cu_process *p, struct CUfunc_st *f, const struct cu_geometry *g);
/* Runs it now, logs it, maps a fault to its code. */
int cu_launch_run(struct cu_process *p, struct CUstream_st *s, const struct cu_kernel_op *op, uint64_t *time);
#endif
