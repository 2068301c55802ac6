/* Small kernels whose only subject is control flow, from none to as bad as it gets. */
#include "cuda.h"

/* Steps to 1 of 3n+1: every thread leaves its loop at its own time, through an if and an else. */
KERNEL collatz(uint *steps, uint n) {
    uint i = global_id();
    if (i >= n) return;
    u64 v = i + 1;
    uint s = 0;
    for (; v != 1; s++) {
        if (v & 1)
            v = 3 * v + 1;
        else
            v >>= 1;
    }
    steps[i] = s;
}

/* A search that leaves the loop in its middle, with work on the way out: the loop with a break of the multi-path slides. What
 * follows the loop is the same for all, and wasted on those who come alone. */
KERNEL loop_break(uint *out, const uint *in, uint n) {
    uint i = global_id(), x = in[i], k = 0;
    for (; k < n; k++) {
        x = x * 1664525u + 1013904223u;
        if ((x >> 24) < 16) {
            x = x / (k + 3) + 7;
            break;
        }
        x ^= x >> 5;
    }
    for (uint j = 0; j < 12; j++) x = (x ^ x >> 3) * 5 + j;
    out[i] = x + k;
}

/* The contrived loop of DWF Figure 3.3: odd and even threads take the long side in turns, so that post-dominator
 * reconvergence runs both sides in every round. */
KERNEL odd_even(uint *out, uint rounds) {
    uint i = global_id(), x = i;
    for (uint k = 0; k < rounds; k++) {
        if ((k + threadIdx.x) & 1) {
            for (int j = 0; j < 8; j++) x = (x ^ x >> 3) * 5 + 1;
        } else {
            x = x / 3 + k;
        }
    }
    out[i] = x;
}

/* Nested ifs on lane bits: 8 paths through every round. */
KERNEL nested(uint *out, uint rounds) {
    uint i = global_id(), x = i * 2654435761u;
    for (uint k = 0; k < rounds; k++) {
        if (x & 1) {
            if (x & 2) x = x / 3;
            else if (x & 4) x = x * x + k;
            else x = x % 1000003u;
        } else {
            if (x & 8) x = x / 7 + (x << 9);
            else if (x & 16) x = (x >> 3) * 17;
            else x += 0x9e3779b9u;
        }
        x ^= x >> 7;
        x *= 0x85ebca6bu;
    }
    out[i] = x;
}

/* Equal work for every thread. */
KERNEL uniform(uint *out, uint rounds) {
    uint i = global_id(), x = i;
    for (uint k = 0; k < rounds; k++) x = (x ^ x >> 3) * 5 + k;
    out[i] = x;
}
