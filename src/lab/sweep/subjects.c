/* What points are of: workloads, kernels of files, and CUDA programs (cli/cmd/sweep/programs.c).
 *
 * A file has a variant for each set of values that axes without a point in their names give it: {NAME} in its launch options,
 * on the command line or in the file itself, numbers of its script, and the options kernel, grid, block, shared and script as
 * axes of their own. Which of the axes it uses shows when its first variant is read; the others say nothing about it and make
 * no points. So have programs, by {NAME} in their words. Each variant is tried as `heddle compare` does, so that what is wrong with one is said before anything runs. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "lab/sweep/sweep.h"
#include "sim/file.h"
#include "subject/sidecar.h"
#include "value/demangle.h"

/* Options of a launch that are axes under their own names. */
static const char *const launch_axes[] = {"kernel", "grid", "block", "shared", "script"};
enum { LAUNCH_AXES = sizeof launch_axes / sizeof *launch_axes };

static bool is_launch_axis(const char *key) {
    for (size_t i = 0; i < LAUNCH_AXES; i++)
        if (!strcmp(key, launch_axes[i])) return true;
    return false;
}

/* ---- which they are ---- */

static const char *bare_name(const char *text) {
    return text + (*text == '@');
}

struct sweep_subject *sweep_subject(const struct sweep *s, const char *name) {
    for (size_t i = 0; i < s->subjects.n; i++)
        if (!strcmp(s->subjects.v[i].name, bare_name(name))) return &s->subjects.v[i];
    return NULL;
}

/* A name with signs that no workload's has, or of something that is there. */
static bool is_file(const char *name) {
    return *name != '@' && !workload_find(name) && (strpbrk(name, "./:") || !access(name, F_OK));
}

bool sweep_add_subject(struct sweep *s, const char *name, struct err *e) {
    struct sweep_subject subject = {.name = bare_name(name)};
    if (sweep_subject(s, name)) return true;
    if (!strcmp(name, "-")) return err_set(e, ERR_INPUT, "-: a sweep reads programs from files that stay");
    if (*name == '$')
        subject.command = name + 1;
    else if (is_file(name))
        subject.file = name;
    else if (!(subject.workload = lab_workload(subject.name, e)))
        return false;
    VEC_PUSH(&s->subjects, subject);
    return true;
}

/* ---- options that only some of them take ---- */

static bool of_launch(const char *name) {
    for (const struct opt *o = launch_options; o->name; o++)
        if (!strcmp(o->name, name)) return true;
    return !strcmp(name, "script") || !strcmp(name, "cuda-compiler");
}

bool sweep_check_options(const struct sweep *s, struct err *e) {
    size_t files = 0, workloads = 0, programs = 0, column;
    const char *script = opts_value(s->opts, "script");
    for (size_t i = 0; i < s->subjects.n; i++) {
        files += s->subjects.v[i].file != NULL;
        workloads += s->subjects.v[i].workload != NULL;
        programs += s->subjects.v[i].command != NULL;
    }
    if (!programs && opts_has(s->opts, "input"))
        return err_set(e, ERR_INPUT, "--input is for CUDA programs, and there is none");
    if (!workloads && sweep_axis(s, "size", &column))
        return err_set(e, ERR_INPUT, "--size is for workloads, and there is none");
    if (script && !strcmp(script, "-"))
        return err_set(e, ERR_INPUT, "--script -: a sweep reads scripts from files that stay");
    for (size_t i = 0; i < s->opts->given.n && !files; i++)
        if (of_launch(s->opts->given.v[i].opt->name))
            return err_set(e, ERR_INPUT, "--%s is for files, and there is none",
                           s->opts->given.v[i].opt->name);
    return true;
}

/* ---- variants ---- */

/* The launch options of the command line with names filled in, and behind them those that are axes. */
static bool launch_of(struct sweep *s, struct params *names, struct opts *out, struct err *e) {
    *out = (struct opts){.table = s->opts->table};
    for (size_t i = 0; i < s->opts->given.n; i++)
        if (of_launch(s->opts->given.v[i].opt->name)) VEC_PUSH(&out->given, s->opts->given.v[i]);
    for (size_t i = 0; i < names->n; i++) {
        const char *key = names->given[i].key;
        if (!is_launch_axis(key)) continue;
        if (opts_has(out, key))
            return err_set(e, ERR_INPUT, "--%s is given, and %s is an axis too", key, key);
        for (const struct opt *o = out->table; o->name; o++)
            if (!strcmp(o->name, key)) VEC_PUSH(&out->given, (struct opt_given){o, params_value(names, key)});
    }
    return sidecar_fill(names, out, &s->mem, e);
}

/* A trace is all that is in its file, which may be large. */
static bool identify_trace(struct lab_trace *t, struct err *e) {
    static const size_t piece = 1 << 20;
    uint8_t *bytes = xmalloc(piece);
    FILE *f = fopen(t->path, "rb");
    uint64_t h = HASH_START;
    for (size_t n; f && (n = fread(bytes, 1, piece, f)) > 0;) h = hash_words(h, bytes, n);
    const bool fine = f && !ferror(f);
    if (!fine) err_set(e, ERR_INPUT, "cannot read %s: %s", t->path, strerror(errno));
    if (f) fclose(f);
    free(bytes);
    t->script.identity = h;
    return fine;
}

/* ---- inputs ---- */

/* There may be a thousand variants, each with inputs of its own, of which a few run at a time: they are made when a run wants
 * them, by whichever comes first, and released by the last. */
static bool hold_inputs(void *holder, bool begin, struct err *e) {
    struct sweep_variant *v = holder;
    bool fine = true;
    pthread_mutex_lock(&v->lock);
    if (begin && !v->held) fine = program_contents(&v->subject.program, e);
    if (fine) v->held += begin ? 1 : -1;
    if (!v->held) program_forget_contents(&v->subject.program);
    pthread_mutex_unlock(&v->lock);
    return fine;
}

static void release_inputs(struct sweep_variant *v) {
    struct program *p = &v->subject.program;
    p->lab.identity = lab_subject_hash(&v->subject.lab);
    program_forget_contents(p);
    pthread_mutex_init(&v->lock, NULL);
    v->subject.lab.hold = hold_inputs;
    v->subject.lab.holder = v;
}

/* Reads and tries it on a machine that has no clock. */
static bool prepare_file(struct sweep *s, const struct sweep_subject *of, struct params *names,
                         struct sweep_variant *v, struct err *e) {
    static const hd_option functional = {"run.mode", "functional"};
    const hd_config config = {.options = &functional, .noptions = 1};
    struct opts launch;
    bool fine = launch_of(s, names, &launch, e);
    if (fine) {
        v->read = true;
        fine = subject_options(&v->subject, s->cli, of->file, WORK_SMALL, &launch, e);
        v->subject.program.names = names;
        v->subject.program.like =
            of->variants.n ? &of->variants.v[of->variants.n - 1]->subject.program : NULL;
        fine = fine && subject_read(&v->subject, e) && subject_prepare(&v->subject, &config, e) &&
               (!v->subject.traced || identify_trace(&v->subject.trace, e));
        v->subject.program.names = NULL;
        if (fine && !v->subject.lab.script) release_inputs(v);
    }
    v->lab = v->subject.lab;
    opts_free(&launch);
    return fine;
}

static bool sweep_subjects_prepare(struct sweep *s, const struct sweep_subject *of, struct params *names,
                                   struct sweep_variant *v, struct err *e) {
    if (of->command) return s->host->add_program(s, of->command, names, !of->variants.n, v, e);
    return prepare_file(s, of, names, v, e);
}

/* "FILE:kernel", with the kernel's name as its author wrote it, "FILE" of a trace; "program {n}" without the directories before it. */
static void name_variant(struct sweep *s, const struct sweep_subject *of, struct sweep_variant *v) {
    struct sb name = {0};
    const struct program *p = &v->subject.program;
    if (of->command) {
        const char *text = of->command + strspn(of->command, " \t");
        for (size_t n = strcspn(text, " \t"), i = n; i-- > 0;)
            if (text[i] == '/') {
                text += i + 1;
                break;
            }
        sb_add(&name, "%s", text);
    } else {
        sb_add(&name, "%s", p->file);
        if (!v->subject.traced) sb_add(&name, ":"), demangle_name(p->lab.kernel, &name);
    }
    v->lab.name = sb_keep(&name, &s->mem);
}

static void keep_used(struct sweep *s, struct sweep_subject *of, const struct params *names,
                      struct sweep_variant *v) {
    hd_option *list = ARENA_NEW(&s->mem, hd_option, names->n + 1);
    if (!of->used) of->used = ARENA_NEW(&s->mem, bool, names->n + 1);
    for (size_t i = 0; i < names->n; i++) {
        of->used[i] |= names->used[i];
        if (names->used[i] && names->given[i].value) list[v->narguments++] = names->given[i];
    }
    v->arguments = list;
}

static struct sweep_variant *add_variant(struct sweep *s, struct sweep_subject *of, const hd_option *values,
                                         struct err *e) {
    struct sweep_variant *v = ARENA_NEW(&s->mem, struct sweep_variant, 1);
    hd_option *given = ARENA_NEW(&s->mem, hd_option, s->names.n + 1);
    struct params names = {.given = given, .n = s->names.n, .used = ARENA_NEW(&s->mem, bool, s->names.n + 1)};
    if (s->names.n) memcpy(given, values, s->names.n * sizeof *given);
    v->values = given;
    const bool fine = sweep_subjects_prepare(s, of, &names, v, e);
    params_free(&names);
    VEC_PUSH(&of->variants, v);
    if (!fine) return NULL;
    keep_used(s, of, &names, v);
    name_variant(s, of, v);
    return v;
}

static bool same_value(const char *a, const char *b) {
    return a == b || (a && b && !strcmp(a, b));
}

/* Another kernel or script may use other names: then all count. */
static bool same_values(const struct sweep *s, const struct sweep_subject *of, const hd_option *a,
                        const hd_option *b) {
    for (size_t i = 0; i < s->names.n; i++)
        if ((of->used[i] || s->all_count) && !same_value(a[i].value, b[i].value)) return false;
    return true;
}

const struct sweep_variant *sweep_variant(struct sweep *s, struct sweep_subject *of, const hd_option *values,
                                          struct err *e) {
    for (size_t i = of->variants.n; i-- > 0;)
        if (same_values(s, of, of->variants.v[i]->values, values)) return of->variants.v[i];
    return add_variant(s, of, values, e);
}

/* ---- names ---- */

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool check_name(const struct sweep_group *g, const char *key, struct err *e) {
    static const char *const taken[] = {"options", "version", "state", "program"};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (!strcmp(key, taken[i])) return err_set(e, ERR_INPUT, "%s: %s has another meaning", g->from, key);
    return params_valid(key) ||
           err_set(e, ERR_INPUT,
                   "%s: '%.60s' is neither the key of an option nor a name of letters, digits "
                   "and _",
                   g->from, key);
}

/* 1K and 1024 are one place, and the results shall sort it as a number. */
static void write_out(struct sweep *s, const char **cell) {
    struct sweep_number number;
    struct sb text = {0};
    if (!*cell || !sweep_is_number(*cell, &number) || !number.whole || !strpbrk(*cell, "KMGT")) return;
    sb_add(&text, "%" PRId64, number.i);
    *cell = sb_keep(&text, &s->mem);
}

static bool check_values(const struct sweep_group *g, size_t column, struct err *e) {
    for (size_t r = 0; r < g->nrows; r++)
        for (const char *c = g->cells[r * g->nkeys + column]; c && *c; c++)
            if (isspace((unsigned char)*c) || !isprint((unsigned char)*c))
                return err_set(e, ERR_INPUT, "%s: '%.60s': a value of %.60s has no blanks", g->from,
                               g->cells[r * g->nkeys + column], g->keys[column]);
    return true;
}

bool sweep_read_names(struct sweep *s, struct err *e) {
    for (size_t i = 0; i < s->groups.n; i++)
        for (size_t k = 0; k < s->groups.v[i].nkeys; k++) {
            const char *key = s->groups.v[i].keys[k];
            if (sweep_key_kind(key) != SWEEP_ARGUMENT) continue;
            if (!check_name(&s->groups.v[i], key, e) || !check_values(&s->groups.v[i], k, e)) return false;
            for (size_t r = 0; r < s->groups.v[i].nrows; r++)
                write_out(s, &s->groups.v[i].cells[r * s->groups.v[i].nkeys + k]);
            VEC_PUSH(&s->names, key);
            s->all_count |= !strcmp(key, "kernel") || !strcmp(key, "script");
        }
    if (s->names.n) qsort(s->names.v, s->names.n, sizeof *s->names.v, by_name);
    return true;
}

bool sweep_uses(const struct sweep *s, const struct sweep_subject *of, const char *name) {
    const bool *used = of->used ? of->used : of->may_use;
    for (size_t i = 0; i < s->names.n && used; i++)
        if (!strcmp(s->names.v[i], name)) return used[i];
    return false;
}

/* ---- before a variant is read ---- */

static bool letter(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static bool mentions(const char *text, const char *name) {
    const size_t n = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at++)
        if ((at == text || !letter(at[-1])) && !letter(at[n])) return true;
    return false;
}

/* The lines of the file that are options of its launch. What is wrong with the file is said when it is read in earnest. */
static void add_own_lines(const char *file, struct sb *out) {
    struct sb text = {0};
    struct err e = {0};
    const char *colon = strrchr(file, ':');
    char *path = colon && access(file, F_OK) ? strndup(file, (size_t)(colon - file)) : strdup(file);
    if (path && file_read(path, &text, &e))
        for (const char *line = text.text; line && *line; line += strcspn(line, "\n"), line += *line == '\n')
            if (memmem(line, strcspn(line, "\n"), "heddle:", 7))
                sb_add(out, "%.*s\n", (int)strcspn(line, "\n"), line);
    free(path);
    sb_free(&text);
    err_free(&e);
}

static void sweep_subjects_guess(struct sweep *s, struct sweep_subject *of) {
    struct sb text = {0};
    struct err e = {0};
    const char *script = opts_value(s->opts, "script");
    if (of->workload) return;
    of->may_use = ARENA_NEW(&s->mem, bool, s->names.n + 1);
    for (size_t i = 0; i < s->opts->given.n && of->file; i++)
        if (of_launch(s->opts->given.v[i].opt->name)) sb_add(&text, "%s\n", s->opts->given.v[i].value);
    if (of->file) add_own_lines(of->file, &text);
    if (of->command) sb_add(&text, "%s", of->command);
    struct sb own = {0};
    if (of->file && script && file_read(script, &own, &e)) sb_add(&text, "%s", own.text ? own.text : "");
    for (size_t i = 0; i < s->names.n; i++)
        of->may_use[i] = (of->file && (s->all_count || is_launch_axis(s->names.v[i]))) ||
                         mentions(text.text ? text.text : "", s->names.v[i]);
    sb_free(&own);
    sb_free(&text);
    err_free(&e);
}

void sweep_guess_names(struct sweep *s) {
    for (size_t i = 0; i < s->subjects.n && s->names.n && s->skip.n; i++)
        sweep_subjects_guess(s, &s->subjects.v[i]);
}

/* An axis that none of the subjects uses is a slip, of a name or of an option's key. */
bool sweep_check_names(const struct sweep *s, struct err *e) {
    for (size_t i = 0; i < s->names.n; i++) {
        size_t column;
        bool used = false;
        const struct sweep_group *g = sweep_axis(s, s->names.v[i], &column);
        for (size_t k = 0; k < s->subjects.n; k++) used |= sweep_uses(s, &s->subjects.v[k], s->names.v[i]);
        if (used || !strcmp(g->from, "--seeds")) continue;
        return err_set(
            e, ERR_INPUT,
            "%s: nothing uses %.60s: it is no option (a key is SECTION.NAME), and neither {%.60s} in "
            "launch options or a program's words nor a number of a script",
            g->from, s->names.v[i], s->names.v[i]);
    }
    return true;
}

void sweep_free_subjects(struct sweep *s) {
    for (size_t i = 0; i < s->subjects.n; i++) {
        struct sweep_subject *of = &s->subjects.v[i];
        for (size_t k = 0; k < of->variants.n; k++) {
            if (of->variants.v[k]->read) subject_free(&of->variants.v[k]->subject);
            if (of->variants.v[k]->lab.hold) pthread_mutex_destroy(&of->variants.v[k]->lock);
            if (of->variants.v[k]->command) s->host->free_program(of->variants.v[k]->command);
        }
        VEC_FREE(&of->variants);
    }
    VEC_FREE(&s->subjects);
    VEC_FREE(&s->names);
}
