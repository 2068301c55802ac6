/* Black-Scholes as SL measured it (Table 3: BlackScholesGPU, 99 instructions, 5.2 G executed by warps): the hardware's
 * logarithm, exponential and root, no calls, and threads part only where the normal distribution is mirrored. Four million
 * options by 480 blocks of 128 threads, 512 times, make the paper's count; size paper prices them once. */
#include "workloads/option.h"

void work_blackscholes(struct work *w) {
    const uint32_t blocks = work_pick(w, 4, 64, 480);
    option_run(w, "blackscholes", blocks * 128, 128, work_pick(w, 1024, 65536, 4000000), 0);
}
