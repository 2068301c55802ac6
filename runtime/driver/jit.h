/* Options of the just-in-time compiler: arrays of kinds and values, some of which are buffers that it writes to. There is
 * nothing to compile to here, so what remains are the buffers for what it has to say. */
#ifndef CUDA_DRV_JIT_H
#define CUDA_DRV_JIT_H

#include <stddef.h>

struct drv_buffer {
    char *text;  /* text of the program; NULL: none */
    void **size; /* its size before, what was written after; NULL: none */
};
struct drv_jit {
    struct drv_buffer info, error;
    void **wall_time; /* milliseconds, a float */
};

/* CU_InvalidValue for an option that is none. */
int drv_jit_read(struct drv_jit *jit, unsigned n, const void *options, void **values);
/* Fills the buffers: a text of errors, "" when there are none, and nothing to report otherwise. */
void drv_jit_write(struct drv_jit *jit, const char *errors);
#endif
