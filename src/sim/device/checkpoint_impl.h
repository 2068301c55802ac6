/* What the files of checkpoints share, and what other files of this folder tell the journal. Each is a call that does
 * nothing when there is none. */
#ifndef HEDDLE_SIM_DEVICE_CHECKPOINT_IMPL_H
#define HEDDLE_SIM_DEVICE_CHECKPOINT_IMPL_H

#include "sim/device/checkpoint.h"
#include "sim/device/internal.h"

/* checkpoint_state.c */
void sim_move_state(hd_device *dev, struct transfer *t);

#endif
