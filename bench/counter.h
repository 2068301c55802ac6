/* The processor's counter of instructions in user mode, of this process and the threads it starts. Virtual machines often have
 * none, and /proc/sys/kernel/perf_event_paranoid may forbid it. */
#ifndef HEDDLE_BENCH_COUNTER_H
#define HEDDLE_BENCH_COUNTER_H

#include <stdbool.h>

bool counter_works(void);
int counter_open(void); /* -1: there is none; the others then do nothing */
void counter_start(int counter);
double counter_stop(int counter); /* instructions since the start; 0: not counted */
void counter_close(int counter);

#endif
