// Unstructured joins: C is reached from A and from B, D from B and from C; the post-dominator of all is E. Threads could meet in
// C and D already.
#include "flow.cuh"

KERNEL goto_join(uint *out, const uint *in) {
    uint i = global_id(), x = in[i], path = 0;
    step(path, 'A');
    if (x & 1) goto c;
    step(path, 'B');
    ROLLED for (uint k = 0; k < 4; k++) path = (path ^ path >> 3) * 5 + k;
    if (x & 2) goto d;
c:
    step(path, 'C');
    ROLLED for (uint k = 0; k < 8; k++) path = (path ^ path >> 5) * 3 + k;
    if (x & 4) goto e;
d:
    step(path, 'D');
    ROLLED for (uint k = 0; k < 8; k++) path = (path ^ path >> 7) * 7 + k;
e:
    step(path, 'E');
    out[i] = path;
}
