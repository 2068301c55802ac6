/* The host side of the control-flow kernels: out[i] = the path of thread i, from in[i]. */
#ifndef HEDDLE_WORKLOADS_FLOW_H
#define HEDDLE_WORKLOADS_FLOW_H

#include "workloads/workload.h"

/* What step() of flow.cuh does. */
static inline uint32_t flow_step(uint32_t path, char letter) {
    return path * 31u + (unsigned char)letter;
}

/* What thread `thread` of its block computes from its input. */
typedef uint32_t flow_path(uint32_t in, uint32_t thread);

/* Launches kernel(out, in) over random inputs in blocks of so many threads, and compares with the reference. */
void flow_run(struct work *w, const char *kernel, uint32_t block, flow_path *reference);

#endif
