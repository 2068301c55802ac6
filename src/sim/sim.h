/* What lies under the public handles, for the folders above the library (the command line's inspect, reports): the
 * loaded program, its analysis, the options and the exact statistics. include/heddle.h is all that a user of the
 * library sees. */
#ifndef HEDDLE_SIM_SIM_H
#define HEDDLE_SIM_SIM_H

#include <heddle.h>

#include "cfg/cfg.h"
#include "exec/exec.h"
#include "exec/race/races.h"
#include "ir/program.h"
#include "sim/config.h"
#include "sim/device/storage.h"
#include "sim/gpu/watch.h"
#include "sim/observe/density.h"
#include "sim/observe/profile.h"
#include "sim/observe/series.h"
#include "sim/options.h"
#include "sim/stats.h"

/* All handles must be live ones; what comes back belongs to them. */
const struct ir_module *sim_module_ir(const hd_module *mod);
const struct cfg *sim_module_cfg(const hd_module *mod);
/* The form of it that a timed launch would run now, for the module to keep; *out NULL: the program as it is. False: the
 * function `func`, or one that it may get to, has no such form; func CFG_NONE: any function. */
bool sim_form(hd_module *mod, uint32_t func, const struct rewrite **out, struct err *e);
uint32_t sim_kernel_func(const hd_kernel *k); /* index into the module's functions */
hd_module *sim_kernel_module(const hd_kernel *k);

/* hd_device_open; if fail_at is not 0, the allocation of that number and all after it fail, over all calls on the device. */
hd_status sim_open(const hd_config *config, uint64_t fail_at, hd_device **dev);
bool sim_lost(const hd_device *dev); /* the host's memory ran out during a call: it can only be closed */

const struct options *sim_options(const hd_device *dev);
const struct stats *sim_stats(const hd_device *dev, bool total); /* of the last launch, or of all */

const struct storage *
sim_storage(const hd_device *dev); /* of its mechanism; empty before the first timed launch */

/* What limits how many blocks of such a launch an SM of the device holds. */
void sim_limits(const hd_kernel *k, const hd_launch *l, struct sm_limit limit[SM_LIMITS]);

/* What timed launches record from now on; NULL: nothing. What was recorded before is dropped, an open timeline completed. */
void sim_watch(hd_device *dev, const struct watch *w);
const struct series *sim_series(const hd_device *dev);    /* of all launches since sim_watch */
const struct density *sim_density(const hd_device *dev);  /* of the same; NULL: they were not wanted */
const struct exec_races *sim_races(const hd_device *dev); /* NULL without run.races */
/* Profile of the module's timed launches so far. Costs are included for launches watched with `profile`. Free with
 * profile_free. */
void sim_profile(const hd_module *mod, struct profile *out);

#endif
