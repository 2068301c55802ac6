/* Completion of command lines, from the same tables that parse them. */
#ifndef HEDDLE_CLI_CMD_COMPLETION_H
#define HEDDLE_CLI_CMD_COMPLETION_H

#include "cli/cmd/commands.h"

/* Adds a line for each way to complete the last of the words that follow "heddle" on a command line, n at least 1: the whole
 * word as it would be. A line ":files" says that names of files fit there too. */
void completion_words(const char *const *words, size_t n, struct sb *out);

#endif
