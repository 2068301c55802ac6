/* The options of `heddle run`, from words to values: the launch and the machine first; then, when the file has
 * said what arguments it brings itself, what is to become of them. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cli/cmd/commands.h"
#include "cli/cmd/run/run.h"
#include "cli/outputs.h"
#include "front/riscv/riscv.h"

/* Threads whose instructions a time series may count one by one. */
enum { MOST_THREADS = 1 << 16 };

/* The argument number before a ':' or the end; *rest is what follows the ':', or NULL. */
static bool read_target(const struct run *r, const char *option, const char *text, uint64_t *arg,
                        const char **rest, struct err *e) {
    size_t n = strcspn(text, ":");
    *rest = text[n] ? text + n + 1 : NULL;
    if (!n) return err_set(e, ERR_INPUT, "%s '%.60s': the number of an argument is missing", option, text);
    if (!isdigit((unsigned char)*text)) {
        size_t number;
        if (!program_find_buffer(&r->subject.program, text, n, &number, e))
            return err_set(e, ERR_INPUT, "%s %.60s: %s", option, text, err_text(e));
        return *arg = number, true;
    }
    if (!arg_number(text, n, IR_T_U64, option, arg, e)) return false;
    if (*arg >= r->subject.program.args.n)
        return err_set(e, ERR_INPUT, "%s %.60s: there is no argument %llu (%zu given, counted from 0)",
                       option, text, (unsigned long long)*arg, r->subject.program.args.n);
    if (r->subject.program.args.v[*arg].spec.kind != ARG_BUFFER)
        return err_set(e, ERR_INPUT, "%s %.60s: argument %llu (%.60s) is not a buffer", option, text,
                       (unsigned long long)*arg, r->subject.program.args.v[*arg].text);
    return true;
}

static bool read_prints(struct run *r, const struct opts *o, struct err *e) {
    for (size_t i = 0; i < opts_count(o, "print"); i++) {
        struct run_print p = {0};
        const char *rest;
        if (!read_target(r, "--print", opts_nth(o, "print", i), &p.arg, &rest, e)) return false;
        if (rest && !cli_number("--print: COUNT", rest, UINT64_MAX, &p.count, e)) return false;
        if (rest && !p.count) return err_set(e, ERR_INPUT, "--print: COUNT is at least 1");
        VEC_PUSH(&r->prints, p);
    }
    return true;
}

static bool read_dumps(struct run *r, const struct opts *o, struct err *e) {
    for (size_t i = 0; i < opts_count(o, "dump"); i++) {
        struct run_dump d = {0};
        const char *text = opts_nth(o, "dump", i);
        if (!read_target(r, "--dump", text, &d.arg, &d.path, e)) return false;
        if (!d.path || !*d.path)
            return err_set(e, ERR_INPUT, "--dump %.60s: a file is missing, as in --dump 0:out.bin", text);
        VEC_PUSH(&r->dumps, d);
    }
    return true;
}

/* What the kernel leaves is not mixed with data. */
static bool check_stdout(struct run *r, const struct opts *o, struct err *e) {
    r->data_on_stdout = outputs_on_stdout(o);
    return !r->data_on_stdout || !r->prints.n ||
           err_set(e, ERR_INPUT, "--print and an output that goes to - cannot both have standard output");
}

/* N[:THREADS] */
static bool read_interval(struct run *r, const char *text, struct err *e) {
    size_t n = strcspn(text, ":");
    if (!arg_number(text, n, IR_T_U64, "--interval", &r->interval, e)) return false;
    if (!r->interval) return err_set(e, ERR_INPUT, "--interval: N is at least 1");
    return !text[n] || cli_number("--interval: THREADS", text + n + 1, MOST_THREADS, &r->threads, e);
}

/* What only a machine with a clock can tell. */
static bool check_functional(const struct run *r, const struct opts *o, struct err *e) {
    static const char *const timed[] = {"mech",     "interval", "series",   "profile",
                                        "annotate", "trace",    "timeline", "sample"};
    for (size_t i = 0; i < sizeof timed / sizeof *timed && r->functional; i++)
        if (opts_has(o, timed[i]))
            return err_set(e, ERR_INPUT, "--%s needs a timed run: it does not go with --%s", timed[i],
                           r->races ? "races" : "functional");
    if (r->series && !r->interval) return err_set(e, ERR_INPUT, "--series needs --interval N");
    return true;
}

/* What is recorded while a launch runs cannot be estimated. */
static bool read_sample(struct run *r, const struct opts *o, struct err *e) {
    static const char *const recorded[] = {"interval", "profile", "annotate", "trace", "timeline"};
    for (size_t i = 0; i < sizeof recorded / sizeof *recorded && opts_has(o, "sample"); i++)
        if (opts_has(o, recorded[i]))
            return err_set(e, ERR_INPUT, "--%s needs every launch simulated: it does not go with --sample",
                           recorded[i]);
    machine_sample(&r->machine, o);
    return true;
}

static bool read_races(struct run *r, const struct opts *o, struct err *e) {
    const char *text = opts_value(o, "races");
    if (!text) return true;
    if (*text && strcmp(text, "lockstep"))
        return err_set(e, ERR_INPUT, "--races=%.60s: it is --races or --races=lockstep", text);
    r->races = *text ? text : "on";
    r->functional = true;
    machine_set(&r->machine, "run.races", r->races);
    return true;
}

static bool is_program(const char *path) {
    char head[64];
    FILE *f = fopen(path, "rb");
    const size_t n = f ? fread(head, 1, sizeof head, f) : 0;
    if (f) fclose(f);
    return riscv_is(head, n);
}

/* Words behind the file are the program's own. */
static bool run_read_words(struct run *r, const struct opts *o, struct err *e) {
    const bool takes_words = o->operands.n > 1 && !r->subject.workload && is_program(r->subject.program.file);
    for (size_t n = 1; n < o->operands.n; n++) {
        if (!takes_words) return err_set(e, ERR_INPUT, "unexpected '%.60s'", o->operands.v[n]);
        VEC_PUSH(&r->subject.program.argv, o->operands.v[n]);
    }
    return true;
}

static bool of_compare(const char *option) {
    const struct opts compare = {.table = command_compare.options};
    return opts_known(&compare, option);
}

/* The command line that compare wants for this one of run: its operand, and the options that both have. */
static void compare_line(const struct opts *o, struct sb *out) {
    sb_add(out, "heddle compare");
    cli_add_word(out, o->operands.v[0]);
    for (size_t i = 0; i < o->given.n; i++) {
        const struct opt_given *g = &o->given.v[i];
        if (!of_compare(g->opt->name)) continue;
        sb_add(out, " --%s", g->opt->name);
        if (opts_optional(g->opt))
            sb_add(out, "%s%s", *g->value ? "=" : "", g->value);
        else if (g->value)
            cli_add_word(out, g->value);
    }
}

static bool check_mechanism(const struct opts *o, struct err *e) {
    const char *mech = opts_value(o, "mech");
    struct sb line = {0};
    if (!mech || (!strchr(mech, ',') && strcmp(mech, "all") != 0)) return true;
    compare_line(o, &line);
    err_set(e, ERR_INPUT, "--mech %.60s: a run has one mechanism; compare runs several side by side:\n  %s",
            mech, line.text);
    sb_free(&line);
    return false;
}

bool run_read_options(struct run *r, const struct opts *o, struct err *e) {
    const char *interval = opts_value(o, "interval");
    r->opts = o;
    r->json = opts_value(o, "json");
    r->series = opts_value(o, "series");
    r->trace = opts_value(o, "trace");
    r->timeline = opts_value(o, "timeline");
    r->functional = opts_has(o, "functional");
    r->profile = opts_has(o, "profile");
    r->annotate = opts_has(o, "annotate");
    r->quiet = opts_has(o, "quiet");
    r->host = opts_has(o, "host");
    if (interval && !read_interval(r, interval, e)) return false;
    return check_mechanism(o, e) &&
           subject_options(&r->subject, r->cli, o->operands.v[0], WORK_SMALL, o, e) &&
           subject_check(&r->subject, 1, false, o, e) && run_read_words(r, o, e) &&
           machine_read(&r->machine, opts_value(o, "config"), o, e) && read_races(r, o, e) &&
           read_sample(r, o, e) && check_functional(r, o, e) &&
           machine_choose(&r->machine, r->functional, opts_value(o, "mech"), e) &&
           machine_limit(&r->machine, o, e) && machine_threads(&r->machine, o, e) &&
           run_checkpoint_options(r, o, e);
}

static bool check_saved(const struct run *r, struct err *e) {
    return !r->subject.program.binary || !(r->checkpoint.path || r->checkpoint.resume) ||
           err_set(e, ERR_INPUT, "%s has a main, whose state is not in a checkpoint",
                   r->subject.program.file);
}

bool run_read_outputs(struct run *r, const struct opts *o, struct err *e) {
    return check_saved(r, e) && read_prints(r, o, e) && read_dumps(r, o, e) && check_stdout(r, o, e);
}
