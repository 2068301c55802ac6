/* Boxes from the parameters of cudaMemcpy3D. */
#ifndef CUDA_COPY3D_H
#define CUDA_COPY3D_H

#include "driver_types.h"

#include "runtime/runtime/op.h"

/* Checked; the code of the real call where they are wrong. */
int cu_box_of(struct cu_process *p, const struct cudaMemcpy3DParms *m, struct cu_copy_op *copy);

/* Checks the parameters of a set; the code of the real call where they are wrong. */
int cu_check_set(struct cu_process *p, const struct cu_set_op *set);

#endif
