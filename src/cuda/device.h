/* The machine as programs see it: properties, attributes, occupancy; all from the configuration of the device. */
#ifndef CUDA_DEVICE_H
#define CUDA_DEVICE_H

#include <stdint.h>

struct cu_process;

struct cu_machine {
    char name[64];
    int major, minor; /* compute capability */
    int sms, warp;
    int threads_sm, blocks_sm, registers_sm;
    int shared_sm, shared_block, shared_optin; /* bytes */
    int lanes;                                 /* thread instructions an SM issues a cycle at best */
    uint64_t core_hz, memory_hz;
    int bus_bits;
    uint64_t l2_bytes, global_bytes;
};

/* Fills p->machine from the open device. */
void cu_machine_read(struct cu_process *p);
#endif
