// The loop with a break of the multi-path slides: A, then B and out, or C and on. Threads that break at different rounds run B
// alone unless they meet in it; D is the post-dominator.
#include "flow.cuh"

KERNEL loop_break(uint *out, const uint *in) {
    uint i = global_id(), x = in[i], path = 0, k = 0;
    ROLLED do {
        step(path, 'A');
        if ((x & 7) == 0) {
            step(path, 'B');
            ROLLED for (uint j = 0; j < 8; j++) path = (path ^ path >> 3) * 5 + j;
            break;
        } else {
            step(path, 'C');
            x = x >> 3 | x << 29;
        }
    } while (++k < 10);
    step(path, 'D');
    out[i] = path;
}
