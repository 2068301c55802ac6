// The probe of a hash join with open addressing: each thread looks up some rows, follows the chain of equal keys where the
// conditions hold, and stops a row at its first large match. Chains end in three ways, and conditions are short-circuited.
#include "cuda.h"

#define EMPTY 0xffffffffu


DEVICE uint hash(uint key) {
    key *= 2654435761u;
    return key ^ key >> 15;
}

KERNEL hash_join(uint *sums, const uint *slots, const uint4 *rows, const uint *keys, const uint *stamps, uint mask,
                 uint per_thread) {
    const uint id = global_id(), threads = gridDim.x * blockDim.x;
    uint sum = 0;
    for (uint k = 0; k < per_thread; k++) {
        const uint key = keys[k * threads + id], stamp = stamps[k * threads + id];
        uint slot = hash(key) & mask, at;
        while ((at = slots[slot]) != EMPTY && rows[at].x != key) slot = (slot + 1) & mask;
        for (; at != EMPTY; at = rows[at].w) {
            const uint4 r = rows[at];
            if (r.y > stamp || (r.z & 1 && r.y + 64 > stamp)) continue; // too new, or odd and nearly
            if (r.z > 900) {
                BRANCH;
                sum = (sum ^ r.z) * 3;
                break;
            }
            sum += r.z;
        }
        if (at == EMPTY && !(key & 7)) {
            BRANCH;
            sum = (sum ^ key) * 5;
        }
    }
    sums[id] = sum;
}
