/* Studies that are no bounds on programs, each in a file of its own. */
#ifndef HEDDLE_CLI_CMD_STUDY_STUDY_H
#define HEDDLE_CLI_CMD_STUDY_STUDY_H

#include "cli/cli.h"

/* Whether only options of `known`, which ends with NULL, were given; why: what the others do not go with. */
bool study_only_options(const struct opts *o, const char *const *known, const char *why, struct err *e);

enum cli_exit study_progress_main(struct cli *c, const struct opts *o);
enum cli_exit study_table1_main(struct cli *c, const struct opts *o);
enum cli_exit study_factors_main(struct cli *c, const struct opts *o);
enum cli_exit study_sensitivity_main(struct cli *c, const struct opts *o);

#endif
