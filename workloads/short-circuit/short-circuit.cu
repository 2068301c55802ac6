// (a && b) || (c && d), each part with an effect of its own: the joins of && and || are not nested.
#include "flow.cuh"

DEVICE bool test(uint x, uint bit) { return x >> bit & 1; }

KERNEL short_circuit(uint *out, const uint *in) {
    uint i = global_id(), x = in[i], path = 0;
    bool yes = false;
    step(path, 'A');
    if (test(x, 0)) {
        step(path, 'B');
        if (test(x, 1)) goto yes;
    }
    step(path, 'C');
    if (test(x, 2)) {
        step(path, 'D');
        if (test(x, 3)) goto yes;
    }
    step(path, 'N');
    goto end;
yes:
    step(path, 'Y');
    yes = true;
end:
    step(path, 'Z');
    out[i] = path + yes;
}
