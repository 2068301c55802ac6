/* Kernels of a loaded file, by their names as people write them. */
#ifndef HEDDLE_LAB_RUN_KERNEL_H
#define HEDDLE_LAB_RUN_KERNEL_H

#include <heddle.h>
#include <stdbool.h>

#include "base/err.h"

/* "saxpy(u32 n, f32 a, u64 x)": a kernel as one line. */
void kernel_signature(const hd_kernel_info *k, struct sb *out);
const char *kernel_param_type(const hd_param_info *p);
/* Finds a kernel by any part of its name (value/demangle.h). The library refuses one that is not there, and suggests
 * another. */
bool kernel_by_name(const char *file, const char *written, hd_device *dev, hd_module *mod, hd_kernel **k,
                    struct err *e);

#endif
