/* Sampled timing (run.sample): launches that repeat earlier ones are run functionally, and what time they would have taken is
 * estimated from those. docs/sampling.md says what that costs in accuracy. */
#ifndef HEDDLE_SIM_OBSERVE_SAMPLE_H
#define HEDDLE_SIM_OBSERVE_SAMPLE_H

#include "base/err.h"
#include "heddle.h"
#include "sim/stats.h"

struct exec_launch;
struct sample_classes; /* of a module: its launches so far by what they are like */

/* Does what sim_run_timed does, or estimates it: s->gpu.estimated is 1 when the launch was not simulated. Memory ends
 * the same. */
bool sample_run(hd_kernel *k, const struct exec_launch *x, struct stats *s, struct err *e);
void sample_free(struct sample_classes *c); /* NULL is fine */

/* The classes of a module, out or in (base/transfer.h). */
struct transfer;
void sample_transfer(hd_module *mod, struct transfer *t);

/* What a launch like `one` would count, had it executed so many thread instructions: counters that add up grow with them, but for
 * those of the launch itself; the others stay. */
void sample_scale(struct stats *one, uint64_t insts);

#endif
