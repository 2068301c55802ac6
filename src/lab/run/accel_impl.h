/* One kernel's trace on its way: what accel_scan.c finds out in a first pass, and accel_emit.c uses in a second. */
#ifndef HEDDLE_LAB_RUN_ACCEL_IMPL_H
#define HEDDLE_LAB_RUN_ACCEL_IMPL_H

#include "front/sass/traceg.h"
#include "front/trace/hdt.h"
#include "sim/observe/tape.h"

struct accel_kernel {
    struct sass_program program; /* PCs ascend, connected */
    uint32_t shared;             /* bytes that a block needs */
    uint64_t local_low;          /* what is taken off local addresses, so that they begin near 0 */
    uint64_t insts;              /* instructions of threads */
    struct sb listing;
};
/* Where an access goes in the simulator's spaces. */
void accel_place(const struct accel_kernel *a, const struct traceg_kernel *k, const struct sass_insn *i,
                 uint64_t *addr);
/* The number of the instruction at a PC, which it must have. */
uint32_t accel_find(const struct sass_program *p, uint64_t pc);

/* First pass: the program as it was seen to run. Release with accel_free in either case. */
bool accel_scan(struct accel_kernel *a, struct traceg *t, struct err *e);
void accel_free(struct accel_kernel *a);
/* Second pass: tapes of all threads, into the launch that has begun. */
bool accel_emit(const struct accel_kernel *a, struct traceg *t, const struct exec_plan *plan,
                struct hdt_writer *w, struct err *e);

#endif
