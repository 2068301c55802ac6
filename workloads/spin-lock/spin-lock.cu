// A lock that each thread takes in turn. The loop is left before the critical section, so that under a stack the holder waits at
// the loop's end for those who wait for it.
#include "flow.cuh"

KERNEL spin_lock(int *lock, volatile uint *count, uint *out) {
    uint path = 0;
    while (atomic_cas(lock, 0, 1) != 0) {}
    step(path, 'A');
    uint mine = *count;
    *count = mine + 1;
    fence();
    atomic_exch(lock, 0);
    step(path, 'B');
    out[mine] = path;
}
