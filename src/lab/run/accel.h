/* Traces of machine code that Accel-Sim's tracer took on a GPU (kernelslist.g, *.traceg), as traces of heddle's. */
#ifndef HEDDLE_LAB_RUN_ACCEL_H
#define HEDDLE_LAB_RUN_ACCEL_H

#include <stdio.h>

#include "front/trace/hdt.h"

/* By name: kernelslist.g, or one kernel's NAME.traceg. */
bool lab_is_accel(const char *path);
/* Adds all launches to a trace that is being written. notes: opcodes that were not known, a line each. */
bool lab_accel(const char *path, struct hdt_writer *w, struct sb *notes, struct err *e);
/* Adds the launches of one kernel's trace, which can be read twice; name is for messages. */
bool lab_accel_kernel(FILE *file, const char *name, struct hdt_writer *w, struct sb *notes, struct err *e);

#endif
