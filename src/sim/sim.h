/* What lies under the public handles, for the rooms above the library (the command line's inspect, reports):
 * the loaded program, its analysis, the options and the exact statistics. include/heddle.h is all that a user
 * of the library sees. */
#ifndef HEDDLE_SIM_SIM_H
#define HEDDLE_SIM_SIM_H

#include <heddle.h>

#include "cfg/cfg.h"
#include "exec/exec.h"
#include "ir/program.h"
#include "sim/options.h"
#include "sim/stats.h"

/* All handles must be live ones; what comes back belongs to them. */
const struct ir_module *sim_module_ir(const hd_module *mod);
const struct cfg *sim_module_cfg(const hd_module *mod);
struct exec_image *sim_module_image(hd_module *mod);
uint32_t sim_kernel_func(const hd_kernel *k); /* index into the module's functions */
hd_module *sim_kernel_module(const hd_kernel *k);

const struct options *sim_options(const hd_device *dev);
const struct stats *sim_stats(const hd_device *dev, bool total); /* of the last launch, or of all */

#endif
