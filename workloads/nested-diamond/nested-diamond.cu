// DWF Figure 3.1: A; then B, with C or D inside it, and E; or F; and G for all.
#include "flow.cuh"

KERNEL nested_diamond(uint *out, const uint *in) {
    uint i = global_id(), x = in[i], path = 0;
    step(path, 'A');
    if (x % 4) {
        step(path, 'B');
        if (x & 16)
            step(path, 'C');
        else
            step(path, 'D');
        step(path, 'E');
    } else {
        step(path, 'F');
    }
    step(path, 'G');
    out[i] = path;
}
