/* TBC: thread block compaction (Wilson W. L. Fung and Tor M. Aamodt, "Thread block compaction for efficient SIMT control
 * flow", HPCA 2011; HARP section 5, Figure 6 and Table 2 compare it).
 *
 * The warps of a block share one reconvergence stack. At a branch that may diverge they wait for each other; the threads of
 * each side are then compacted into as few warps as their lanes allow, which run to the reconvergence point and wait there
 * for each other again. Warps are independent of each other in between.
 *
 * Of the paper we had the abstract and the descriptions that later papers give. Ours are, and named as such where they are made:
 * a stack per scheduler of a block (block.c), what happens if warps of an entry come to different branches (branch.c), which
 * slot a compacted warp has and that the first is there at once (compact.c). Where all threads of an entry go the same way
 * its warps are not compacted. Likely-convergence points are found without a profile (cfg/likely.c). */
#include "mech/tbc/tbc.h"

extern const struct mech_ops mech_tbc;
const struct mech_ops mech_tbc = {
    .name = "tbc",
    .title = "Thread block compaction",
    .source = "Fung & Aamodt, HPCA 2011",
    .caps = MECH_ANY_CODE,
    .params = MECH_PARAM_ROWS(TBC_PARAMS),
    .counters = MECH_COUNTER_ROWS(TBC_COUNTERS),
    .self_bytes = sizeof(struct tbc),
    .prepare = tbc_prepare,
    .create = tbc_create,
    .launch = tbc_launch,
    .select = tbc_select,
    .commit = tbc_commit,
    .release = tbc_release,
    .next = tbc_next,
    .clocked = tbc_clocked,
    .census = tbc_census,
    .places = tbc_places,
    .state = tbc_state,
    .storage = tbc_storage,
    .audit = tbc_audit,
};
