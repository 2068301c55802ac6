// The contrived loop of DWF Figure 3.3: odd and even threads take the two sides in turns. If one half ran ahead by one round,
// all threads could go in lock-step; a post-dominator never lets them.
#include "flow.cuh"

KERNEL odd_even(uint *out, const uint *in) {
    uint i = global_id(), path = in[i];
    ROLLED for (uint round = 0; round < 16; round++) {
        if ((round + threadIdx.x) & 1) {
            step(path, 'A');
            ROLLED for (uint k = 0; k < 8; k++) path = (path ^ path >> 3) * 5 + 1;
        } else {
            step(path, 'B');
            ROLLED for (uint k = 0; k < 8; k++) path = (path ^ path >> 5) * 3 + 7;
        }
    }
    out[i] = path;
}
