/* A thousand structured kernels, each under every mechanism: whatever the policy, the sizes of tables (one entry included)
 * and the machine, the memory left is what the CPU computed, every thread executes as many instructions as it does
 * without time, the statistics add up, and in every eighth run the mechanism's books balance after every commit. Loops,
 * breaks, switches, calls, recursion, early exits, barriers, atomics; unstructured.c has the other thousand. */
#include "unit/diff/sweep.h"

int main(void) {
    return sweep_main(0);
}
