/* What the race check found (HEDDLE_RACES), told when the program ends: in the log, or on standard error without one. */
#ifndef CUDA_RACES_H
#define CUDA_RACES_H

struct cu_process;
void cu_races_report(struct cu_process *p);
#endif
