/* What the subcommands share: how errors reach the user, and options that several of them have. */
#include "cli/cli.h"

#include <string.h>
#include <sys/stat.h>

#include "cli/outfile.h"
#include "value/args.h"
#include "value/demangle.h"

enum cli_exit cli_usage(const struct cli *c, const struct err *e) {
    const char *name = c->command ? c->command->name : NULL;
    term_error(&c->term, name, err_text(e));
    fprintf(c->term.err, "'heddle %s%s--help' shows what it takes.\n", name ? name : "", name ? " " : "");
    return CLI_USAGE;
}

enum cli_exit cli_fail(const struct cli *c, const struct err *e) {
    /* the diagnostics of a PTX file already begin with its name, line and "error:" */
    if (strstr(err_text(e), ": error: ")) {
        struct sb readable = {0};
        demangle_text(err_text(e), &readable);
        fprintf(c->term.err, "%s\n", readable.text);
        sb_free(&readable);
    } else {
        term_error(&c->term, c->command->name, err_text(e));
    }
    return e->code == ERR_FAULT || e->code == ERR_LIMIT ? CLI_FAILED : CLI_USAGE;
}

bool cli_number(const char *option, const char *text, uint64_t most, uint64_t *value, struct err *e) {
    if (!arg_number(text, strlen(text), IR_T_U64, option, value, e)) return false;
    if (*value <= most) return true;
    return err_set(e, ERR_INPUT, "%s %llu is more than %llu", option, (unsigned long long)*value,
                   (unsigned long long)most);
}

void cli_add_word(struct sb *out, const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%_+=:,./-";
    sb_add(out, " ");
    if (*word && strspn(word, plain) == strlen(word)) {
        sb_add(out, "%s", word);
        return;
    }
    sb_add(out, "'");
    for (; *word; word++) {
        if (*word == '\'')
            sb_add(out, "'\\''");
        else
            sb_addn(out, word, 1);
    }
    sb_add(out, "'");
}

bool cli_names_program(const char *word) {
    static const char *const endings[] = {".ptx", ".cu", ".hdl", ".hdt", ".traceg"};
    struct stat s;
    const char *dot = strrchr(word, '.');
    if (*word == '@') return true;
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
        if (!strcmp(dot, endings[i])) return true;
    return strpbrk(word, "./") && !stat(word, &s) && !S_ISDIR(s.st_mode);
}

bool cli_jobs(const struct opts *o, unsigned *jobs, struct err *e) {
    const char *text = opts_value(o, "jobs");
    uint64_t n = 0;
    if (text && !cli_number("--jobs", text, 1024, &n, e)) return false;
    if (text && !n) return err_set(e, ERR_INPUT, "--jobs: N is at least 1");
    *jobs = (unsigned)n;
    return true;
}

bool cli_write_all(struct cli *c, const struct cli_output *outputs, size_t n, struct err *e) {
    struct outfiles files = {0};
    bool fine = true;
    outfile_begin(&files, &c->writing);
    for (size_t i = 0; i < n && fine; i++)
        fine = !outputs[i].path ||
               outfile_write(&files, outputs[i].path, outputs[i].text->text, outputs[i].text->len, e);
    fine = fine && outfile_commit(&files, c->term.out, e);
    outfile_free(&files);
    return fine;
}

bool cli_write(struct cli *c, const char *json, const struct sb *json_text, const char *csv,
               const struct sb *csv_text, struct err *e) {
    return cli_write_all(c, (const struct cli_output[]){{json, json_text}, {csv, csv_text}}, 2, e);
}

static bool write_report(struct cli *c, const struct cli_report *r, const void *of, struct err *e) {
    struct sb json = {0}, csv = {0}, html = {0};
    if (r->csv) r->add_csv(of, &csv);
    if (r->html) r->add_html(of, &html);
    const struct cli_output outputs[] = {{r->json, &json}, {r->csv, &csv}, {r->html, &html}};
    const bool fine = (!r->json || r->add_json(of, &json, e)) &&
                      cli_write_all(c, outputs, sizeof outputs / sizeof *outputs, e);
    sb_free(&json);
    sb_free(&csv);
    sb_free(&html);
    return fine;
}

bool cli_report(struct cli *c, const struct cli_report *r, const void *of, struct err *e) {
    struct sb text = {0};
    if (!write_report(c, r, of, e)) return false;
    if (!r->silent) r->add_text(of, &text);
    term_print(&c->term, &text);
    sb_free(&text);
    return true;
}

enum cli_exit cli_unknown(const struct cli *c, const char *what, const char *word, const char *const *names,
                          const char *all) {
    struct err e = {0};
    const char *near = nearest_name(word, names);
    err_set(&e, ERR_INPUT, "unknown %s '%.60s' (%s%s%s)", what, word, near ? "did you mean '" : all,
            near ? near : "", near ? "'?" : "");
    enum cli_exit status = cli_usage(c, &e);
    err_free(&e);
    return status;
}
