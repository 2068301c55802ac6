/* What the pages of all commands say about where they come from. */
#ifndef HEDDLE_CLI_PAGE_ABOUT_H
#define HEDDLE_CLI_PAGE_ABOUT_H

#include <jansson.h>

#include "cli/cli.h"
#include "sim/stats.h"

/* version, title, and command: the words of the command line that decide about results, quoted for a shell. */
json_t *page_about(const struct cli *c, const struct opts *o, const char *title);
/* "harp-fermi, HARP's machine ...", with the --set options that differ; config NULL: the default. */
void page_machine(const char *config, const struct opts *o, struct sb *out);
/* name, unit and meaning of every statistic; and the values in the same order. */
json_t *page_stat_names(void);
json_t *page_stat_values(const struct stats *s);
/* The counters of the mechanism itself, by name. */
json_t *page_own_counters(const struct stats *s);

#endif
