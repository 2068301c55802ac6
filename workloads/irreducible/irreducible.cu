// A loop with two entries: some threads begin at its first half, the others at its second.
#include "flow.cuh"

KERNEL irreducible(uint *out, const uint *in) {
    uint i = global_id(), x = in[i], path = 0, left = 2 + (x >> 1) % 7;
    step(path, 'A');
    if (x & 1) goto second;
first:
    step(path, 'B');
    if (--left == 0) goto end;
second:
    step(path, 'C');
    if (--left != 0) goto first;
end:
    step(path, 'D');
    out[i] = path;
}
