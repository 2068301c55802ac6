/* Launches that are written down, and launches that follow what was written: tapes (exec/tape/tape.h) on a device. How they are
 * kept is the caller's. */
#ifndef HEDDLE_SIM_OBSERVE_TAPE_H
#define HEDDLE_SIM_OBSERVE_TAPE_H

#include <heddle.h>

#include "exec/tape/tape.h"
#include "sim/gpu/gpu.h"

struct sim_recorded { /* a launch that begins */
    const hd_module *mod;
    const char *kernel;
    uint32_t grid[3], block[3], shared;
    bool cooperative;
    const struct exec_plan *plan;
    uint64_t used_bytes;            /* of device memory */
    const struct gpu_range *copied; /* with memory.warm_l2: by the host since the launch before */
    size_t ncopied;
};
struct sim_recorder {
    void *user;
    struct exec_tape tape;
    /* False: it cannot be, and the launch fails with e. end: insts are its thread instructions; only of one that ended. */
    bool (*begin)(void *user, const struct sim_recorded *l, struct err *e);
    bool (*end)(void *user, uint64_t insts, struct err *e);
};
/* Launches from now on are run functionally and written down; r stays the caller's, NULL: no more. */
void sim_record(hd_device *dev, const struct sim_recorder *r);

/* Where a space begins among generic addresses. */
uint64_t sim_window(enum ir_space space);

struct sim_followed {
    struct exec_tape tape;
    const char *doubt; /* of the plan, when it was recorded: worth a warning, once for each kernel */
    uint64_t used_bytes;
    const struct gpu_range *copied;
    size_t ncopied;
};
/* Finds the columns of a kernel's tapes, for code that provides them. */
bool sim_plan(hd_kernel *k, const struct exec_plan **plan, struct err *e);
/* A launch whose threads do what their tapes say, whatever its arguments are. */
hd_status sim_follow(hd_kernel *k, const hd_launch *l, const struct sim_followed *f);

#endif
