/* CUDA programs as points of a sweep. */
#ifndef HEDDLE_CLI_CMD_SWEEP_PROGRAMS_H
#define HEDDLE_CLI_CMD_SWEEP_PROGRAMS_H

#include "lab/sweep/sweep.h"

/* command.c: the options of `heddle sweep`. */
extern const struct opt sweep_options[];

/* As of struct sweep_host. */
bool sweep_add_program(struct sweep *s, const char *text, struct params *params, bool first,
                       struct sweep_variant *v, struct err *e);
void sweep_free_program(struct sweep_command *k);

#endif
