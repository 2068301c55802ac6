/* Black-Scholes (DWF Table 5.3: of the CUDA examples; low divergence): fair prices of European calls and puts. What matters of it
 * is in DWF 6.2: exp, log and sqrt are subroutines, with short blocks that few threads enter; threads that do are left behind
 * under the majority policy.
 *
 * The thesis gives the number of threads (12288). Fitted to misses and bandwidth under PDOM (Tables 6.1 and 6.3: 0.21 and
 * 8.2 %): floating-point constants are loaded from memory, as compilers for MIPS-like machines have them. Ours: four options
 * for each thread, a few of them expired. */
#include "workloads/option.h"

void work_black(struct work *w) {
    const uint32_t threads = work_pick(w, 128, 3072, 12288), block = work_pick(w, 64, 256, 256);
    option_run(w, "black", threads, block, threads * work_pick(w, 2, 4, 4), 64);
}
