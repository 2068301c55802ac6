/* Warp intrinsics where threads have parted: partial masks, both arms at once, loops left raggedly. */
#include "cuda.h"

/* The two arms meet at different PCs, each with its own members. */
KERNEL arms(int *out) {
    uint i = threadIdx.x, lane = lane_id();
    int v = (int)(i * i);
    if (lane % 3 == 0) {
        uint m = 0x49249249;
        int s = shfl(m, v, 30);
        s += (int)ballot(m, lane > 10) * 2 + all(m, v >= 0) + any(m, lane == 3) * 4;
        out[i] = s;
    } else {
        uint m = ~0x49249249u;
        int s = shfl(m, v, 31) * 5;
        s ^= (int)ballot(m, lane & 1);
        s += (int)match_any(m, lane / 8);
        out[i] = s;
    }
}

/* One full-mask instruction reached from both arms of a branch, at two places in the code. */
KERNEL rendezvous(int *out) {
    uint i = threadIdx.x;
    int v;
    if (i & 1) {
        asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 31, -1;" : "=r"(v) : "r"((int)i * 3));
    } else {
        asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 31, -1;" : "=r"(v) : "r"((int)i * 7));
    }
    out[i] = v;
}

/* Aggregated increments: the lanes that came here elect one of them. */
KERNEL aggregate(uint *counter, uint *slot, const uint *in, uint limit) {
    uint i = global_id();
    if (in[i] >= limit) return;
    uint m = activemask(), leader = (uint)ffs(m) - 1, base = 0;
    if (lane_id() == leader) base = atomic_add(counter, (uint)popc(m));
    base = (uint)shfl(m, (int)base, (int)leader);
    slot[base + (uint)popc(m & ((1u << lane_id()) - 1))] = i;
}

/* Each pass the still running lanes vote; the mask shrinks as lanes finish. */
KERNEL shrinking(uint *out) {
    uint lane = lane_id(), mask = FULL, sum = 0;
    for (uint k = 0;; k++) {
        mask = ballot(mask, k <= lane);
        if (k > lane) break;
        sum = sum * 3 + (uint)popc(mask);
    }
    out[threadIdx.x] = sum;
}

/* Lanes hand a value down a chain through shared memory: without warp_sync between, it would race. */
KERNEL chain(uint *out) {
    __shared__ volatile uint s[64];
    uint i = threadIdx.x;
    s[i] = i;
    warp_sync(FULL);
    for (uint d = 1; d < 32; d <<= 1) {
        uint v = (i & 31) >= d ? s[i - d] : 0;
        warp_sync(FULL);
        s[i] = s[i] + v;
        warp_sync(FULL);
    }
    out[i] = s[i];
}
