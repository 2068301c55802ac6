/* What the control-flow kernels share. Each thread keeps the path it took as a number: a block of interest begins with
 * step(path, 'B'), one instruction that no compiler moves, merges or turns into a select, so that the branches of the source
 * are those of the PTX and a trace can be read off the letters. */
#ifndef HEDDLE_WORKLOADS_FLOW_CUH
#define HEDDLE_WORKLOADS_FLOW_CUH
#include "cuda.h"

#define step(path, letter) asm volatile("mad.lo.u32 %0, %0, 31, %1;" : "+r"(path) : "n"(letter))

#endif
