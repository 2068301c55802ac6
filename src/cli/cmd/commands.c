/* The commands and their options, as data. Parser, --help, the man page (docs/heddle.1) and the option lists
 * of docs/cli.md are all made from these tables (commands_*.c); nothing about an option is said anywhere else. */
#include "cli/cmd/commands.h"

#include <string.h>

#include "cli/cmd/help.h"

const struct help_section no_sections[] = {{0}};
const struct help_entry no_entries[] = {{0}};

const struct command *const commands[] = {
    &command_run,     &command_record,     &command_cuda,      &command_nvcc,    &command_report,
    &command_compare, &command_study,      &command_reproduce, &command_area,    &command_validate,
    &command_config,  &command_explain,    &command_inspect,   &command_list,    &command_sweep,
    &command_results, &command_completion, &command_help,      &command_version, NULL,
};

const char help_description[] =
    "heddle runs GPU kernels, as compilers emit them in PTX, on a simulated SIMT processor. It is about "
    "control flow: where the threads of a warp diverge, where they meet again, and what that costs.";

static const struct help_entry exit_codes[] = {
    {"0", "Success."},
    {"1",
     "The simulated program failed: a fault, a trap, an assertion, a deadlock, or the bound of --max-insts; "
     "a workload's check that failed; or a mechanism left other memory than a functional run."},
    {"2", "Bad usage or bad input: an unknown option, a file that cannot be read, PTX with errors; also "
          "output that could not be written."},
    {"130, 143", "Ended by Ctrl-C or SIGTERM, after a word on where it stood and what is kept."},
    {0},
};
static const struct help_entry variables[] = {
    {"NO_COLOR", "When set and not empty, no colour on terminals."},
    {0},
};
const struct help_section help_general[] = {
    {"Exit status", "", exit_codes},
    {"Environment", "", variables},
    {0},
};

const struct command *command_find(const char *name) {
    for (const struct command *const *c = commands; *c; c++)
        if (!strcmp((*c)->name, name)) return *c;
    return NULL;
}

void command_unknown(const char *name, struct err *e) {
    const char *names[sizeof commands / sizeof *commands] = {0};
    for (size_t i = 0; commands[i]; i++) names[i] = commands[i]->name;
    const char *near = nearest_name(name, names);
    if (near)
        err_set(e, ERR_INPUT, "unknown command '%.60s' (did you mean '%s'?)", name, near);
    else
        err_set(e, ERR_INPUT, "unknown command '%.60s'", name);
}
