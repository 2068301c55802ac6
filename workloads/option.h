/* European options, for the two programs that price them by Black and Scholes's formula: black and blackscholes. */
#ifndef HEDDLE_WORKLOADS_OPTION_H
#define HEDDLE_WORKLOADS_OPTION_H

#include "workloads/workload.h"

/* Launches kernel(calls, puts, prices, strikes, years, options, rate, volatility) on so many threads, which take the options in
 * turn, and checks the prices. Of `expired` options one has no time left; 0: none. */
void option_run(struct work *w, const char *kernel, uint32_t threads, uint32_t block, uint32_t options,
                uint32_t expired);

#endif
