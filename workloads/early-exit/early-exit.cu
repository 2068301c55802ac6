// Threads return at four places while the others go on.
#include "flow.cuh"

KERNEL early_exit(uint *out, const uint *in) {
    uint i = global_id(), x = in[i], path = 0;
    step(path, 'A');
    if ((x & 3) == 0) {
        step(path, 'B');
        out[i] = path;
        return;
    }
    ROLLED for (uint k = 0; k < 6; k++, x >>= 2) {
        step(path, 'C');
        if ((x & 3) == 1) {
            step(path, 'D');
            out[i] = path + k;
            return;
        }
    }
    step(path, 'E');
    out[i] = path;
}
