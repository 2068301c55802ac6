/* The timed machine: SMs around one memory system, and a launch on it. */
#ifndef HEDDLE_SIM_GPU_GPU_H
#define HEDDLE_SIM_GPU_GPU_H

#include "base/workers.h"
#include "exec/exec.h"
#include "sim/observe/series.h"
#include "sim/observe/trace.h"
#include "sim/options.h"
#include "sim/stats.h"

struct gpu; /* lives over launches: the memory system with its caches, and the clock */
struct gpu *gpu_new(const struct options *o, struct err *e); /* o must outlive it */
void gpu_free(struct gpu *g);

struct gpu_range {
    uint64_t addr, bytes;
};

/* What a mechanism wants to know of a kernel before it runs: worked out by its first launch. All zero: there was none. */
struct gpu_tables {
    struct arena mem;
    const void *v; /* the tables that mech_prepare made, for all SMs */
    bool made;
};

struct gpu_launch {
    const struct exec_launch *exec;
    const struct ir_module *module; /* the module as loaded */
    const struct cfg *cfg;
    const struct rewrite *form; /* a form of it that runs instead; NULL: none */
    uint32_t classes;           /* classes of the instructions that run, one bit each */
    const struct mech_ops *mech;
    struct gpu_tables *tables; /* tables for the kernel, which has one mechanism for life */
    const int64_t *param;      /* parameters of the mechanism */
    uint64_t number;           /* the launch's number on the device, for the series */
    /* Receives the counters of an instruction that may have run. Instructions not passed to it have not. */
    void (*count)(void *user, uint32_t pc, const struct sm_branch *b);
    void *user;
    struct sm_account *account;   /* costs by line of the module as loaded, added to; NULL: not wanted */
    struct series *series;        /* with interval 0: not wanted */
    struct trace *trace;          /* NULL: none */
    struct workers *workers;      /* threads of the host to work with; NULL: only the caller */
    const struct gpu_range *warm; /* address ranges that are in L2 when the launch begins, oldest first */
    size_t nwarm;
};

/* What runs. */
static inline const struct ir_module *gpu_module(const struct gpu_launch *l) {
    return l->form ? l->form->m : l->module;
}

/* Runs the whole grid and counts in the sections of out that are of the machine, SMs joined, and the blocks started. All
 * of it is of this launch, maxima too. On a fault, deadlock or limit: false with the report in e; out holds what ran until
 * then. */
bool gpu_simulate(struct gpu *g, const struct gpu_launch *l, struct stats *out, struct err *e);

/* What kept a launch from beginning was the mechanism's doing: the error becomes a refusal, unless the host had no memory.
 * Always false. */
bool gpu_refused(struct err *e);

/* deadlock.c: the report when nothing moved for `idle` cycles. Always false. */
struct gpu_run;
bool gpu_deadlock(struct gpu_run *r, uint64_t idle, struct err *e);

#endif
