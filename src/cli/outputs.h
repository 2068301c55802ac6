/* The files that a command line asks for: options whose row says OPT_WRITES, found in the table and not by their names. */
#ifndef HEDDLE_CLI_OUTPUTS_H
#define HEDDLE_CLI_OUTPUTS_H

#include "cli/opts.h"

/* Before a command runs: no two outputs have one place, and each place can be written, so that no run is for
 * results that cannot be kept. "/dev/stdout" becomes "-". */
bool outputs_prepare(struct opts *o, struct err *e);
/* Whether an output goes to standard output: nothing else may go there. */
bool outputs_on_stdout(const struct opts *o);

#endif
