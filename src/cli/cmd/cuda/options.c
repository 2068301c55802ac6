/* Options of `heddle cuda` come from three places, the later ones winning: variables of the environment, which the
 * runtime library also reads by itself; a file of lines NAME = VALUE, as that library takes it too (HEDDLE_FILE); the
 * command line. Of them are made the machines, one for each configuration and mechanism, and each is tried before
 * anything is started. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd/commands.h"
#include "cli/cmd/cuda/cuda.h"
#include "cli/outputs.h"
#include "sim/file.h"

/* ---- places ---- */

static const struct opt *cuda_find_row(const char *name) {
    for (const struct opt *t = command_cuda.options; t->name; t++)
        if (!strcmp(t->name, name)) return t;
    return NULL;
}

static bool given(const struct opts *o, const struct opt *t) {
    return !(t->how & OPT_REPEAT) && opts_has(o, t->name);
}

/* The options of `from` that `o` does not have already. */
static void add_given(struct opts *all, const struct opts *from, const struct opts *wins) {
    for (size_t i = 0; i < from->given.n; i++)
        if (!wins || !given(wins, from->given.v[i].opt)) VEC_PUSH(&all->given, from->given.v[i]);
}

/* A value that has several parts. */
static void add_parts(struct opts *all, const struct opt *t, const char *text, struct arena *mem) {
    while (*text) {
        const size_t n = strcspn(text, ";");
        if (n) VEC_PUSH(&all->given, (struct opt_given){t, arena_strndup(mem, text, n)});
        text += n + (text[n] == ';');
    }
}

static bool assign_flag(struct opts *all, const struct opt *t, const char *value, struct err *e) {
    if (!*value || !strcmp(value, "0")) return true;
    if (strcmp(value, "1") != 0 && !opts_optional(t))
        return err_set(e, ERR_INPUT, "%s = %.60s: it is 0 or 1", t->name, value);
    VEC_PUSH(&all->given, (struct opt_given){t, !t->value ? NULL : strcmp(value, "1") ? value : ""});
    return true;
}

static bool assign_mode(struct opts *all, const char *value, struct err *e) {
    if (!strcmp(value, "functional"))
        VEC_PUSH(&all->given, (struct opt_given){cuda_find_row("functional"), NULL});
    return !*value || !strcmp(value, "functional") || !strcmp(value, "timed") || !strcmp(value, "auto") ||
           err_set(e, ERR_INPUT, "mode = %.60s: it is functional, timed or auto", value);
}

/* NAME = VALUE, NAME being an option's. Parts of a list have semicolons between them. Strings are kept in mem. */
static bool cuda_assign(struct opts *all, const char *name, const char *value, struct arena *mem,
                        struct err *e) {
    const struct opt *t = cuda_find_row(name);
    if (!strcmp(name, "mode")) return assign_mode(all, value, e);
    if (!t || !strcmp(name, "options")) return err_set(e, ERR_INPUT, "there is no option '%.60s'", name);
    if (!t->value || opts_optional(t)) return assign_flag(all, t, arena_strdup(mem, value), e);
    if (given(all, t)) return err_set(e, ERR_INPUT, "%.60s is there twice", name);
    if (t->how & OPT_REPEAT)
        add_parts(all, t, value, mem);
    else if (*value)
        VEC_PUSH(&all->given, (struct opt_given){t, arena_strdup(mem, value)});
    return true;
}

/* Reads the variables that the library reads too, when no command started the program. */
static bool read_environment(struct opts *all, struct arena *mem, struct err *e) {
    static const struct {
        const char *variable, *option;
    } rows[] = {{"HEDDLE_CONFIG", "config"}, {"HEDDLE_MECH", "mech"},      {"HEDDLE_LOG", "log"},
                {"HEDDLE_SET", "set"},       {"HEDDLE_TIMED", "timed"},    {"HEDDLE_MODE", "mode"},
                {"HEDDLE_RACES", "races"},   {"HEDDLE_PROFILE", "profile"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *value = getenv(rows[i].variable);
        if (value && !cuda_assign(all, rows[i].option, value, mem, e))
            return err_set(e, ERR_INPUT, "%s: %s", rows[i].variable, err_text(e));
    }
    return true;
}

static char *cuda_trim(char *text) {
    text += strspn(text, " \t");
    for (size_t n = strlen(text); n && strchr(" \t\r", text[n - 1]);) text[--n] = 0;
    return text;
}

/* name = value; # and ; begin comments. The names may be those of the variables: HEDDLE_MECH is mech. */
static bool assign_line(struct opts *o, char *line, struct arena *mem, struct err *e) {
    char *text = cuda_trim(line), *equals = strchr(text, '=');
    if (!*text || *text == '#' || *text == ';') return true;
    if (!equals) return err_set(e, ERR_INPUT, "'%.60s' is not NAME = VALUE", text);
    *equals = 0;
    char *name = cuda_trim(text), *value = cuda_trim(equals + 1);
    for (char *p = name; *p; p++) *p = (char)tolower((unsigned char)*p);
    return cuda_assign(o, strncmp(name, "heddle_", 7) ? name : name + 7, value, mem, e);
}

static bool cuda_read_file(const char *path, struct opts *o, struct arena *mem, struct err *e) {
    struct sb text = {0};
    size_t line = 1;
    bool fine = file_read(path, &text, e);
    for (char *p = fine && text.text ? text.text : NULL; p && fine; line++) {
        char *end = strchr(p, '\n');
        if (end) *end = 0;
        fine = assign_line(o, p, mem, e) || err_set(e, ERR_INPUT, "%s:%zu: %s", path, line, err_text(e));
        p = end ? end + 1 : NULL;
    }
    sb_free(&text);
    return fine;
}

static bool cuda_gather(struct cuda *c, const struct opts *o, struct err *e) {
    struct opts file = {.table = command_cuda.options}, env = {.table = command_cuda.options};
    const char *path = opts_has(o, "options") ? opts_value(o, "options") : getenv("HEDDLE_FILE");
    c->opts = (struct opts){.table = command_cuda.options};
    bool fine =
        read_environment(&env, &c->mem, e) && (!path || !*path || cuda_read_file(path, &file, &c->mem, e));
    if (fine) {
        struct opts later = {.table = command_cuda.options};
        add_given(&later, &file, o);
        add_given(&later, o, NULL);
        add_given(&c->opts, &env, &later);
        add_given(&c->opts, &later, NULL);
        opts_free(&later);
        for (size_t i = 0; i < o->operands.n; i++) VEC_PUSH(&c->opts.operands, o->operands.v[i]);
        fine = outputs_prepare(&c->opts, e);
    }
    opts_free(&file);
    opts_free(&env);
    return fine;
}

/* ---- what they say ---- */

/* KERNEL[:N]; both are looked at again by the library, which knows the kernels. */
static bool check_timed(const struct opts *o, struct err *e) {
    for (size_t i = 0; i < opts_count(o, "timed"); i++) {
        const char *text = opts_nth(o, "timed", i);
        if (!*text || *text == ':' || strchr(text, ';'))
            return err_set(e, ERR_INPUT, "--timed '%.60s' is not KERNEL or KERNEL:N", text);
    }
    return true;
}

/* What needs a clock does not go with runs that have none. */
static bool check_functional(const struct cuda *c, struct err *e) {
    static const char *const timed[] = {"mech", "timed", "html", "profile", "report", "sample", "threads"};
    for (size_t i = 0; i < sizeof timed / sizeof *timed && c->functional; i++)
        if (opts_has(&c->opts, timed[i]))
            return err_set(e, ERR_INPUT, "--%s needs timed runs: it does not go with --%s", timed[i],
                           opts_has(&c->opts, "races") ? "races" : "functional");
    return true;
}

/* What is recorded while a launch runs cannot be estimated. */
static bool check_sample(const struct cuda *c, struct err *e) {
    static const char *const recorded[] = {"profile", "report"};
    for (size_t i = 0; i < sizeof recorded / sizeof *recorded && opts_has(&c->opts, "sample"); i++)
        if (opts_has(&c->opts, recorded[i]))
            return err_set(e, ERR_INPUT, "--%s needs every launch simulated: it does not go with --sample",
                           recorded[i]);
    return true;
}

/* Standard output is the program's. */
static bool check_stdout(const struct cuda *c, struct err *e) {
    static const char *const files[] = {"json", "csv", "html", "log", "report"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const char *path = opts_value(&c->opts, files[i]);
        if (path && !strcmp(path, "-"))
            return err_set(e, ERR_INPUT, "--%s cannot go to standard output: that is the program's",
                           files[i]);
    }
    return true;
}

static bool check_races(const struct cuda *c, struct err *e) {
    const char *text = opts_value(&c->opts, "races");
    return !text || !*text || !strcmp(text, "lockstep") ||
           err_set(e, ERR_INPUT, "--races=%.60s: it is --races or --races=lockstep", text);
}

bool cuda_read_options(struct cuda *c, const struct opts *o, struct err *e) {
    if (!cuda_gather(c, o, e)) return false;
    c->json = opts_value(&c->opts, "json");
    c->csv = opts_value(&c->opts, "csv");
    c->html = opts_value(&c->opts, "html");
    c->output = opts_value(&c->opts, "output");
    c->quiet = opts_has(&c->opts, "quiet");
    c->launches = opts_has(&c->opts, "launches");
    c->profile = opts_has(&c->opts, "profile");
    c->report = opts_value(&c->opts, "report");
    c->each = c->launches || c->json || c->csv || c->report;
    c->functional = opts_has(&c->opts, "functional") || opts_has(&c->opts, "races");
    for (size_t i = 0; i < o->operands.n; i++) VEC_PUSH(&c->words, (char *)o->operands.v[i]);
    VEC_PUSH(&c->words, NULL);
    return cli_jobs(&c->opts, &c->jobs, e) && check_races(c, e) && check_timed(&c->opts, e) &&
           check_functional(c, e) && check_sample(c, e) && check_stdout(c, e);
}

/* ---- machines ---- */

static bool add_run(struct cuda *c, const struct machine *m, const char *mech, struct err *e) {
    struct cuda_run r = {.cuda = c, .config = m->config, .mech_name = mech, .in = -1, .out = -1, .err = -1};
    r.mech = mech ? mech_find(arena_strndup(&c->mem, mech, strcspn(mech, ":"))) : NULL;
    VEC_PUSH(&c->runs, r);
    return cuda_environment(c, &c->runs.v[c->runs.n - 1], m, e);
}

/* alone: there are no machines but the option's. */
static bool cuda_add_timed(struct cuda *c, bool alone, struct err *e) {
    struct machines m;
    bool fine = machines_read_one(&m, &c->opts, e) && machines_limit(&m, &c->opts, e);
    if (fine) machines_sample(&m, &c->opts);
    if (opts_has(&c->opts, "threads") || (alone && m.v.n == 1))
        fine = fine && machines_threads(&m, &c->opts, e);
    fine = fine && machines_check(&m, e);
    VEC_PUSH(&c->machines, m);
    for (size_t i = 0; i < m.v.n && fine; i++) fine = add_run(c, &m.settings.v[i], m.v.v[i].name, e);
    return fine;
}

static bool add_functional(struct cuda *c, const char *config, struct err *e) {
    struct machine *m = &c->functional_machine;
    const char *races = opts_value(&c->opts, "races");
    hd_device *dev = NULL;
    bool fine = machine_read(m, config, &c->opts, e);
    if (races) machine_set(m, "run.races", *races ? races : "on");
    fine = fine && machine_choose(m, true, NULL, e) && machine_limit(m, &c->opts, e);
    const hd_config tried = machine_config(m);
    fine = fine && lab_open(&tried, &dev, e) && add_run(c, m, NULL, e);
    hd_device_close(dev);
    return fine;
}

/* One of a list; machines are made of the options, so that is where it goes. */
static bool add_config(struct cuda *c, const char *config, bool alone, struct err *e) {
    for (size_t i = 0; i < c->opts.given.n; i++)
        if (!strcmp(c->opts.given.v[i].opt->name, "config")) c->opts.given.v[i].value = config;
    return c->functional ? add_functional(c, config, e) : cuda_add_timed(c, alone, e);
}

/* What tells the runs apart. */
static void name_runs(struct cuda *c, bool configs) {
    bool mechs = false;
    for (size_t i = 1; i < c->runs.n; i++)
        mechs |= strcmp(c->runs.v[i].mech_name, c->runs.v[0].mech_name) != 0;
    for (size_t i = 0; i < c->runs.n; i++) {
        struct cuda_run *r = &c->runs.v[i];
        struct sb name = {0};
        if (configs) sb_add(&name, "%s%s", r->config, mechs ? " " : "");
        if (!configs || mechs) sb_add(&name, "%s", r->mech_name ? r->mech_name : "functional");
        r->name = sb_keep(&name, &c->mem);
    }
}

bool cuda_make_runs(struct cuda *c, struct err *e) {
    if (!opts_has(&c->opts, "config"))
        VEC_PUSH(&c->opts.given, (struct opt_given){cuda_find_row("config"), HD_CONFIG_CUDA});
    const char *list = opts_value(&c->opts, "config");
    const bool several = list && strchr(list, ',');
    if (several && c->report)
        return err_set(e, ERR_INPUT, "--report: a page is of one machine, and --config names several");
    if (several && c->functional)
        return err_set(e, ERR_INPUT, "--config: without time there is nothing to compare machines by");
    if (!several && !add_config(c, list, true, e)) return false;
    for (const char *p = several ? list : NULL; p;) {
        const size_t n = strcspn(p, ",");
        if (!n) return err_set(e, ERR_INPUT, "--config '%.60s' lacks a name", list);
        if (!add_config(c, arena_strndup(&c->mem, p, n), false, e)) return false;
        p = p[n] ? p + n + 1 : NULL;
    }
    name_runs(c, several);
    if (!c->quiet)
        machine_warn_unused(c->cli, &c->opts,
                            opts_has(&c->opts, "mech") ? opts_value(&c->opts, "mech")
                                                       : c->runs.v[0].mech_name);
    return true;
}
