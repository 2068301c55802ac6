/* What the subcommands share: how errors reach the user, and numbers of options. */
#include "cli/cli.h"

#include <string.h>

#include "cli/args.h"

enum cli_exit cli_usage(const struct cli *c, const struct err *e) {
    const char *name = c->command ? c->command->name : NULL;
    term_error(&c->term, name, err_text(e));
    fprintf(c->term.err, "'heddle %s%s--help' shows what it takes.\n", name ? name : "", name ? " " : "");
    return CLI_USAGE;
}

enum cli_exit cli_fail(const struct cli *c, const struct err *e) {
    /* the diagnostics of a PTX file already begin with its name, line and "error:" */
    if (strstr(err_text(e), ": error: "))
        fprintf(c->term.err, "%s\n", err_text(e));
    else
        term_error(&c->term, c->command->name, err_text(e));
    return e->code == ERR_FAULT || e->code == ERR_LIMIT ? CLI_FAILED : CLI_USAGE;
}

bool cli_number(const char *option, const char *text, uint64_t most, uint64_t *value, struct err *e) {
    if (!arg_number(text, strlen(text), IR_T_U64, option, value, e)) return false;
    if (*value <= most) return true;
    return err_set(e, ERR_INPUT, "%s %llu is more than %llu", option, (unsigned long long)*value,
                   (unsigned long long)most);
}
