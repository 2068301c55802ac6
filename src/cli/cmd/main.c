/* heddle: finds the command, parses its options, runs it, and makes sure that what was printed arrived. */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ledger.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/help.h"
#include "cli/outfile.h"
#include "cli/outputs.h"
#include "lab/store/store.h"

static bool check_operands(const struct command *c, const struct opts *o, struct err *e) {
    if (o->operands.n < c->min_operands) return err_set(e, ERR_INPUT, "%s is missing", c->operands);
    if (o->operands.n > c->max_operands)
        return err_set(e, ERR_INPUT, "unexpected '%.60s'", o->operands.v[c->max_operands]);
    return true;
}

/* An option that is not there for a reason. */
static void explain_refusal(const struct command *c, const char *unknown, struct err *e) {
    for (const struct help_entry *r = c->refused; r && r->term; r++) {
        const size_t n = strlen(r->term);
        if (!strncmp(unknown, r->term, n) && (!unknown[n] || unknown[n] == '='))
            err_set(e, ERR_INPUT, "--%s: %s", r->term, r->text);
    }
}

static enum cli_exit run_command(struct cli *c, int n, char **words) {
    if (c->command->raw) return c->command->raw(c, n, words);
    struct opts o;
    struct err e = {0};
    enum cli_exit status = CLI_OK;
    bool fine = c->command->runs_program ? opts_parse_program(&o, c->command->options, n, words, &e)
                                         : opts_parse(&o, c->command->options, n, words, &e);
    if (o.unknown) explain_refusal(c->command, o.unknown, &e);
    if (fine && opts_has(&o, "help")) {
        struct sb text = {0};
        help_command(&text, &c->term, c->command);
        term_print(&c->term, &text);
        sb_free(&text);
    } else if (!fine || !check_operands(c->command, &o, &e)) {
        status = cli_usage(c, &e);
    } else {
        status = outputs_prepare(&o, &e) ? c->command->run(c, &o) : cli_fail(c, &e);
    }
    opts_free(&o);
    err_free(&e);
    return status;
}

/* Asked for, it is output; as the answer to a command line without a command, an error. */
static enum cli_exit overview(struct cli *c, bool on_request) {
    struct sb text = {0};
    struct term t = c->term;
    if (!on_request) t.out_colour = t.err_colour;
    help_overview(&text, &t);
    fputs(text.text, on_request ? t.out : t.err);
    sb_free(&text);
    return on_request ? CLI_OK : CLI_USAGE;
}

/* --help and --version without a command are the commands of that name. */
static enum cli_exit cmd_main_dispatch(struct cli *c, int argc, char **argv) {
    if (argc < 2) return overview(c, false);
    const char *word = argv[1];
    if (!strcmp(word, "--help") || !strcmp(word, "-h")) return overview(c, true);
    if (!strcmp(word, "--version")) return version_main(c, NULL);
    if ((c->command = command_find(word))) return run_command(c, argc - 2, argv + 2);
    if (cli_names_program(word)) {
        c->command = &command_run;
        return run_command(c, argc - 1, argv + 1);
    }
    struct err e = {0};
    if (*word == '-')
        err_set(&e, ERR_INPUT, "unknown option %.60s: a command comes first", word);
    else
        command_unknown(word, &e);
    cli_usage(c, &e);
    err_free(&e);
    return CLI_USAGE;
}

/* From any thread, with no memory left. What is printed to standard output is dropped: it would not be all. */
static void out_of_memory(void *user, size_t bytes) {
    struct cli *c = user;
    (void)bytes;
    if (atomic_flag_test_and_set(&c->out_of_memory)) pause(); /* the other thread ends this one too */
    outfile_abandon(c->writing);
    if (c->store && *c->store) store_abandon(*c->store);
    term_error(&c->term, c->command ? c->command->name : NULL, "out of memory on the host");
    _exit(CLI_USAGE);
}

int main(int argc, char **argv) {
    struct cli c = {.out_of_memory = ATOMIC_FLAG_INIT};
    struct ledger_point memory;
    ledger_enter(&memory, NULL);
    memory.fatal = out_of_memory;
    memory.user = &c;
    json_set_alloc_funcs(xmalloc, free);
    term_init(&c.term, stdout, stderr);
    enum cli_exit status = cmd_main_dispatch(&c, argc, argv);
    errno = 0;
    if (fflush(stdout) || ferror(stdout)) {
        int why = c.term.out_errno ? c.term.out_errno : errno;
        term_error(&c.term, NULL, why ? strerror(why) : "write error");
        if (!status) status = CLI_USAGE;
    }
    ledger_leave(&memory);
    return (int)status;
}
