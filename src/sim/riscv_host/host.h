/* The time of main: a host core (cpu/cpu.h) that is told of every instruction of the scalar core. Private to main.c. */
#ifndef HEDDLE_SIM_RISCV_HOST_HOST_H
#define HEDDLE_SIM_RISCV_HOST_HOST_H

#include "exec/core.h"
#include "sim/options.h"
#include "sim/stats.h"

struct host;
/* Follows the scalar core, which runs the module; NULL: main takes no time (cpu.model). */
struct host *host_new(const struct options *o, const struct ir_module *m, struct exec_core *core);
void host_free(struct host *h);
/* main stands still while a launch runs, which begins when all earlier instructions have committed. */
void host_waits(struct host *h);
void host_stats(const struct host *h, struct cpu_stats *s);

#endif
