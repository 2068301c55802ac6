/* The kinds of lane slots, and the reasons of cycles without an issue, in the order of their enumerations. */
#include "sim/kinds.h"

const struct slot_kind lane_kinds[SM_LANE_KINDS] = {
    [LANE_ACTIVE] = {"active", "active"},     [LANE_GUARDED] = {"guarded", "guard false"},
    [LANE_ABSENT] = {"absent", "no thread"},  [LANE_EXITED] = {"exited", "exited"},
    [LANE_PARTED] = {"parted", "divergence"}, [LANE_EMPTY] = {"empty", "empty issue"},
};
const struct slot_kind wait_kinds[SM_WAITS] = {
    [WAIT_MEMORY] = {"memory", "waits for memory"},
    [WAIT_DEPENDENCY] = {"dependency", "waits for a result"},
    [WAIT_BARRIER] = {"barrier", "waits at a barrier"},
    [WAIT_RECONVERGENCE] = {"reconvergence", "waits for reconvergence"},
    [WAIT_FETCH] = {"fetch", "waits for instructions"},
    [WAIT_STRUCTURE] = {"structure", "waits for a unit or table"},
    [WAIT_NOBODY] = {"nobody", "no threads"},
};
