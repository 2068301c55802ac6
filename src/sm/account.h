/* What a program's lines cost: every lane slot of every issue and every scheduler cycle without an issue, charged to the
 * place that loses it and, where threads had parted, to the place that is to blame. One account for all SMs of a launch; it
 * goes on from launch to launch.
 *
 * A place is an instruction together with the calls that led to it. Places 0 .. n - 1 are the n instructions of the
 * module outside of any call. A function that is called again while it is active begins no new chain: its callers are those
 * of the first call, so that there are no more chains than ways through the call graph without a circle. */
#ifndef HEDDLE_SM_ACCOUNT_H
#define HEDDLE_SM_ACCOUNT_H

#include <stdint.h>

#include "base/alloc.h"

#define ACCOUNT_NONE 0xffffffffu

/* Every lane slot of every issue is of one kind (slots.c). A guarded branch runs for all its threads. */
enum sm_lane {
    LANE_ACTIVE,
    LANE_GUARDED, /* a thread whose guard is false */
    LANE_ABSENT,  /* no thread there: a block that does not fill its last warp */
    LANE_EXITED,
    LANE_PARTED, /* its thread has parted from those that run */
    LANE_EMPTY,  /* of an issue without threads */
    SM_LANE_KINDS
};

/* Why a scheduler issues nothing in a cycle: what most of its threads wait for (waits.c). */
enum sm_wait {
    WAIT_MEMORY,        /* a line that the memory system has yet to bring */
    WAIT_DEPENDENCY,    /* an instruction in the pipeline, or shared memory */
    WAIT_BARRIER,       /* at a barrier or a .sync instruction, for other threads */
    WAIT_RECONVERGENCE, /* held by the mechanism, for threads from which they parted */
    WAIT_FETCH,         /* the instruction */
    WAIT_STRUCTURE,     /* a unit, a register bank, a sequence, the load/store unit or a table that is full */
    WAIT_NOBODY,        /* it has no threads */
    SM_WAITS
};

struct sm_place {
    uint32_t pc, up; /* up: place of the call; ACCOUNT_NONE: of the kernel itself */
    uint32_t func;   /* called from `up` */
};

struct sm_cost {
    uint64_t issues, cycles;       /* of which it was the first instruction; cycles: their beats */
    uint64_t lanes[SM_LANE_KINDS]; /* lane slots of its issues */
    /* LANE_EXITED, LANE_PARTED: lane slots lost anywhere because threads parted here. */
    uint64_t caused[SM_LANE_KINDS];
    /* Cycles without an issue in which most threads waited, among them those that would have issued this. */
    uint64_t waits[SM_WAITS];
    /* Cycles without an issue in which threads waited for others that parted from them here. */
    uint64_t waits_caused;
};

struct sm_account {
    uint32_t insts;
    uint32_t width; /* lane slots of a scheduler cycle */
    VEC(struct sm_place) places;
    VEC(struct sm_cost) costs; /* by place */
    uint64_t waits[SM_WAITS];  /* cycles by reason: those charged to places and those charged to none */
    uint32_t *index, slots;    /* by hash: place + 1 */
};

struct sm_account *account_new(uint32_t insts);
void account_free(struct sm_account *a);
/* The place of pc in a function called from place `up`; of the kernel: ACCOUNT_NONE. */
uint32_t account_place(struct sm_account *a, uint32_t pc, uint32_t up, uint32_t func);

#endif
