// A search that leaves two loops at once when it finds, and one when a row is cut short.
#include "flow.cuh"

KERNEL multi_level_break(uint *out, const uint *in) {
    uint i = global_id(), x = in[i], path = 0;
    ROLLED for (uint row = 0; row < 4; row++) {
        ROLLED for (uint column = 0; column < 4; column++) {
            step(path, 'A');
            uint digit = x & 7;
            x = x * 1664525u + 1013904223u;
            x ^= x >> 16;
            if (digit == 0) goto found;
            if (digit == 1) break;
            step(path, 'B');
        }
        step(path, 'C');
    }
    step(path, 'N');
    goto end;
found:
    step(path, 'F');
end:
    step(path, 'Z');
    out[i] = path;
}
