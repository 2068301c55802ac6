/* Register counts given for kernels in place of the counted ones: the text of run.registers. It is a list separated by
 * commas of KERNEL:NUMBER, the count of that kernel, and of one NUMBER, the most that any other kernel has. */
#ifndef HEDDLE_SIM_DEVICE_REGISTERS_H
#define HEDDLE_SIM_DEVICE_REGISTERS_H

#include <stdint.h>

#include "base/err.h"

struct registers_given {
    uint32_t exact; /* 0: not said */
    uint32_t most;  /* 0: no bound */
};

bool registers_check(const char *text, struct err *e);
struct registers_given registers_given(const char *text, const char *kernel); /* text has been checked */

#endif
