/* Modules of the driver interface, for its own files. */
#ifndef CUDA_DRV_MODULE_H
#define CUDA_DRV_MODULE_H

#include "runtime/driver/drv.h"
#include "runtime/driver/jit.h"

/* A library is a module and a kernel is a function, under other names. */
static inline struct CUmod_st *drv_module_of(CUlibrary library) {
    return (struct CUmod_st *)library;
}
static inline struct CUfunc_st *drv_function_of(CUkernel kernel) {
    return (struct CUfunc_st *)kernel;
}

/* A module of the current context. What is wrong with the image goes to the option's buffer, or to standard error when there
 * is none. */
int drv_module_load(struct cu_process *p, const void *image, size_t bytes, struct drv_jit *jit,
                    struct CUmod_st **mod);
/* The whole file and a NUL behind it, to be freed. CU_FileNotFound. */
int drv_read_file(const char *path, char **data, size_t *bytes);
/* What drv_module_end is made of. */
void drv_references_end(struct cu_process *p, const struct CUmod_st *m);
void drv_old_end(struct cu_process *p, const struct CUmod_st *m);
#endif
