/* The kernels of the probes, as PTX. Each has the loop  rounds x body  that probe.c measures, and what must be there before it. */
#ifndef HEDDLE_LAB_PROBE_TEXT_H
#define HEDDLE_LAB_PROBE_TEXT_H

#include "lab/probe.h"

struct probe_kernel {
    const char *operation; /* with $ for a register's number */
    uint32_t copies;       /* copies of the operation in the body */
    uint32_t registers;    /* registers that copies use in turn: 1 makes a chain of them */
    /* Before the loop thread 0 links so many words, so many bytes apart, to a ring; 0: none. */
    uint32_t ring, step;
    bool shared; /* the ring is in shared memory */
    uint32_t shared_bytes;
    /* Words of constant memory, so many bytes apart, that each hold the way to the next; 0: none. */
    uint32_t constants, apart;
    /* The threads of a block wait for each other at the end of a round, lest some run alone in the end. */
    bool together;
    const char *prepare; /* what else comes before the loop */
};

/* probe(.u64 data, .u32 rounds) */
void probe_text(const struct probe_kernel *k, struct sb *out);

#endif
