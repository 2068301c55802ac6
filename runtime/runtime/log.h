/* The log of launches: HEDDLE_LOG, one JSON object a line, each line by one write (docs/cuda-programs.md). */
#ifndef CUDA_LOG_H
#define CUDA_LOG_H

#include <stdio.h>

#include "heddle.h"

struct cu_process;
struct CUstream_st;
struct cu_kernel_op;

/* Opens it and writes the first line; nothing when no log is asked for. CU_InitializationError, said on standard error. */
int cu_log_open(struct cu_process *p);
/* What a launch came to: whether and how it ran, and NULL or what went wrong. */
struct cu_outcome {
    int ran, timed, code;
    const char *why;
};
void cu_log_launch(struct cu_process *p, const struct CUstream_st *s, const struct cu_kernel_op *op,
                   const struct cu_outcome *o);
/* The totals since the device was opened: before a "reset" takes them away, and at the "end". */
void cu_log_totals(struct cu_process *p, const char *event);
void cu_log_string(FILE *f, const char *text); /* as JSON */
/* A line of an event, to be filled and written. NULL: there is no log, or no memory. */
struct cu_log_line {
    char *text;
    size_t bytes;
    FILE *f;
};
FILE *cu_log_begin(struct cu_process *p, struct cu_log_line *l, const char *event);
void cu_log_end(struct cu_process *p, struct cu_log_line *l);
/* A data race, in words; 0: there is no log. */
int cu_log_race(struct cu_process *p, const hd_race *race, const char *text);
#endif
