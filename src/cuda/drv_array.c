/* The driver interface: arrays. */
#include "cuda/drv_array.h"

int drv_texels_of(struct cu_process *p, CUarray array, struct drv_texels *t) {
    (void)p, (void)array, (void)t;
    return CU_InvalidResourceHandle;
}
