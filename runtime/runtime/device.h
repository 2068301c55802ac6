/* The machine as programs see it: properties, attributes, limits, occupancy; all from the configuration of the device. */
#ifndef CUDA_DEVICE_H
#define CUDA_DEVICE_H

#include <stddef.h>
#include <stdint.h>

struct cu_process;
struct CUfunc_st;

struct cu_machine {
    char name[64];
    int major, minor; /* compute capability */
    int timed;        /* launches are timed unless they say otherwise */
    int sms, warp, lanes;
    int threads_block, threads_sm, blocks_sm, registers_sm;
    /* Bytes: of an SM, of a block as it is, of a block whose kernel asks for more (cudaFuncSetAttribute). */
    int shared_sm, shared_block, shared_optin;
    uint64_t core_hz, memory_hz; /* memory moves bus_bits in a cycle */
    int bus_bits;
    uint64_t l2_bytes, global_bytes, constant_bytes;
};

/* cudaDeviceProp as of CUDA 12 and 13; that of CUDA 11 is the first CU_PROPERTIES_11 bytes of that of 12. */
struct cu_properties_12 {
    char name[256], uuid[16], luid[8];
    unsigned luidDeviceNodeMask;
#define INT(member, value)       int member;
#define SIZE(member, value)      size_t member;
#define INTS(member, count, ...) int member[count];
#define INT12(member, value)     int member;
#define INT13(member, value)
#define END11()
#include "runtime/runtime/properties.def"
#undef INT12
#undef INT13
    int reserved[63];
};
struct cu_properties_13 {
    char name[256], uuid[16], luid[8];
    unsigned luidDeviceNodeMask;
#define INT12(member, value)
#define INT13(member, value) int member;
#include "runtime/runtime/properties.def"
#undef INT
#undef SIZE
#undef INTS
#undef INT12
#undef INT13
#undef END11
    int reserved[56];
};
#define CU_PROPERTIES_11 offsetof(struct cu_properties_12, hostRegisterSupported)

/* Fills p->machine from the open device. */
void cu_machine_read(struct cu_process *p);
void cu_properties_12(const struct cu_machine *m, struct cu_properties_12 *v);
void cu_properties_13(const struct cu_machine *m, struct cu_properties_13 *v);
/* CU_InvalidValue: there is no such attribute. */
int cu_attribute(const struct cu_machine *m, int number, int *value);
/* Blocks of a kernel that an SM holds at once; the function is made ready. */
int cu_occupancy(struct cu_process *p, struct CUfunc_st *f, int threads, size_t shared, int *blocks);
/* Limits by the numbers of enum cudaLimit. CU_UnsupportedLimit, CU_InvalidValue. */
int cu_get_limit(struct cu_process *p, int limit, size_t *value);
int cu_set_limit(struct cu_process *p, int limit, size_t value);
#endif
