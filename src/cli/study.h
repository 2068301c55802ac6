/* Studies that are no bounds on programs, each in a file of its own. */
#ifndef HEDDLE_CLI_STUDY_H
#define HEDDLE_CLI_STUDY_H

#include "cli/cli.h"

enum cli_exit study_progress_main(struct cli *c, const struct opts *o);

#endif
