/* Litmus kernels: small PTX texts whose only question is whether they end under a mechanism (litmus.def). */
#ifndef HEDDLE_WORKLOADS_LITMUS_H
#define HEDDLE_WORKLOADS_LITMUS_H

#include <stddef.h>
#include <stdint.h>

enum litmus_group { LITMUS_LOCKS, LITMUS_WAITS, LITMUS_BARRIERS };
enum { LITMUS_GROUPS = LITMUS_BARRIERS + 1, LITMUS_STATE = 64 /* words of the first argument */ };

struct litmus {
    const char *name, *what;
    enum litmus_group group;
    uint32_t grid, block, count; /* count: what out[0] must be */
    const char *ptx;
    size_t ptx_bytes;
};
extern const struct litmus litmus_list[]; /* the last has no name */

#endif
