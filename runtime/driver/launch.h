/* Launches of the driver interface, for its own files. */
#ifndef CUDA_DRV_LAUNCH_H
#define CUDA_DRV_LAUNCH_H

#include "runtime/driver/drv.h"
#include "runtime/runtime/launch.h"

/* Arguments as an array of pointers, or the packed ones that `extra` names; not both. */
int drv_launch(struct cu_process *p, struct CUfunc_st *f, const struct cu_geometry *g, CUstream stream,
               void **args, void **extra);
#endif
