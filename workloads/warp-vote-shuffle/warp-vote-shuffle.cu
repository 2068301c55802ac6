// Votes and shuffles among the members of divergent masks: each side of a branch reduces over its own threads.
#include "flow.cuh"

KERNEL warp_vote_shuffle(uint *out, const uint *in) {
    uint i = global_id(), x = in[i], lane = lane_id(), path = 0;
    uint odd = ballot(FULL, x & 1), mine = x & 1 ? odd : ~odd, next;
    ROLLED for (next = lane + 1; next < lane + 32 && !(mine >> next % 32 & 1); next++) {}
    if (x & 1) {
        step(path, 'A');
        path += (uint)shfl(mine, (int)x, (int)(next % 32));
        if (all(mine, (x & 2) != 0)) step(path, 'B');
    } else {
        step(path, 'C');
        path += (uint)shfl(mine, (int)(x >> 4), (int)(next % 32));
        if (any(mine, (x & 6) == 6)) step(path, 'D');
    }
    warp_sync(FULL);
    step(path, 'E');
    out[i] = path + (uint)popc(mine);
}
