/* Spinning: threads that wait for each other within a warp, between warps and between blocks. */
#include "cuda.h"

/* The naive lock: the holder is in the same warp as those that spin. */
KERNEL lock_warp(int *lock, int *count) {
    for (bool done = false; !done;) {
        if (atomic_cas(lock, 0, 1) == 0) {
            int c = *(volatile int *)count;
            fence();
            *(volatile int *)count = c + 1;
            fence();
            atomic_exch(lock, 0);
            done = true;
        }
    }
}

/* The worse one: the loop is left before the critical section, where the holder waits for the spinners to reconverge. */
KERNEL lock_outside(int *lock, int *count) {
    while (atomic_cas(lock, 0, 1) != 0) {
    }
    int c = *(volatile int *)count;
    *(volatile int *)count = c + 1;
    fence();
    atomic_exch(lock, 0);
}

/* Ticket lock: strictly first come, first served over all threads of the grid. */
KERNEL lock_ticket(int *ticket, volatile int *serving, int *order) {
    int mine = atomic_add(ticket, 1);
    while (*serving != mine) {
    }
    order[mine] = (int)global_id();
    fence();
    *serving = mine + 1;
}

/* Every thread waits for the next one of its block: lane 31 of the last warp starts. */
KERNEL relay(volatile int *flag) {
    uint i = threadIdx.x;
    if (i + 1 < blockDim.x)
        while (flag[i + 1] == 0) {
        }
    flag[i] = (int)(blockDim.x - i);
}

/* All blocks must be under way at once; block b waits for block b+1. */
KERNEL blocks_backwards(volatile int *flag, int *out) {
    uint b = blockIdx.x;
    if (b + 1 < gridDim.x)
        while (flag[b + 1] == 0) {
        }
    __syncthreads();
    if (threadIdx.x == 0) {
        out[b] = flag[b + 1] + 1;
        fence();
        flag[b] = out[b];
    }
}

/* A grid barrier by atomics: every thread sees what all threads wrote before it. */
KERNEL grid_barrier(int *arrived, int *data, int *out, int rounds) {
    uint i = global_id(), n = gridDim.x * blockDim.x;
    for (int r = 1; r <= rounds; r++) {
        data[i] = (int)i * r;
        fence();
        __syncthreads();
        if (threadIdx.x == 0) {
            atomic_add(arrived, 1);
            while (*(volatile int *)arrived < (2 * r - 1) * (int)gridDim.x) {
            }
        }
        __syncthreads();
        out[i] += *(volatile int *)&data[(i + blockDim.x) % n];
        __syncthreads();
        if (threadIdx.x == 0) {
            atomic_add(arrived, 1);
            while (*(volatile int *)arrived < 2 * r * (int)gridDim.x) {
            }
        }
        __syncthreads();
    }
}
