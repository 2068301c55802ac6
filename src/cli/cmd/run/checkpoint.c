/* --checkpoint and --resume: when a run is saved, and what makes two runs the same.
 *
 * A run's identity is rows of a name and a value: heddle's version and sources, what the command line says that the results
 * depend on, digests of the texts, every option of the machine. Where the results go and what is shown of them may differ
 * between the run that was saved and the one that goes on. What inputs in files held is found out when they are copied to the
 * device (sim/device/checkpoint.h). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "cli/cmd/run/run.h"
#include "lab/sweep/run.h"

enum { DEFAULT_SECONDS = 600, DIFFERENCES = 6 };

/* ---- the command line ---- */

/* N launches, or a time. */
static bool read_every(struct run_checkpoint *c, const char *text, struct err *e) {
    static const struct {
        char unit;
        double seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
    const size_t n = strspn(text, "0123456789");
    const uint64_t count = n && n < 10 ? strtoull(text, NULL, 10) : 0;
    if (count && !text[n]) return c->launches = count, true;
    for (size_t i = 0; count && i < sizeof units / sizeof *units; i++)
        if (text[n] == units[i].unit && !text[n + 1])
            return c->seconds = (double)count * units[i].seconds, true;
    return err_set(
        e, ERR_INPUT,
        "--checkpoint: ':%.60s' is neither a number of launches, as in :100, nor a time, as in :90s, "
        ":10m, :6h or :1d",
        text);
}

/* FILE[:EVERY]; a colon with a slash behind it is part of the file's name. */
static bool read_target(struct run *r, const char *text, struct err *e) {
    struct run_checkpoint *c = &r->checkpoint;
    const char *colon = strrchr(text, ':');
    if (colon && strchr(colon, '/')) colon = NULL;
    c->path = arena_strndup(&r->mem, text, colon ? (size_t)(colon - text) : strlen(text));
    c->seconds = colon ? 0 : DEFAULT_SECONDS;
    if (!*c->path || !strcmp(outfile_name(c->path), "-"))
        return err_set(e, ERR_INPUT, "--checkpoint %.60s: it needs a file of its own", text);
    return !colon || read_every(c, colon + 1, e);
}

/* What goes on growing with the run, or cannot be told by a later one. */
static bool check_options(const struct opts *o, const char *option, struct err *e) {
    static const struct {
        const char *option, *why;
    } refused[] = {{"trace", "what was traced before a checkpoint is not in it"},
                   {"timeline", "what was drawn before a checkpoint is not in it"},
                   {"races", "what the race check knows is not in a checkpoint"}};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (opts_has(o, refused[i].option))
            return err_set(e, ERR_INPUT, "--%s does not go with --%s: %s", option, refused[i].option,
                           refused[i].why);
    return true;
}

static void run_checkpoint_add_row(struct sb *s, const char *name, const char *value) {
    sb_addn(s, name, strlen(name) + 1);
    sb_addn(s, value, strlen(value) + 1);
}

/* Options that no result depends on, and those that are found in the machine's or by digest. */
static bool is_free(const char *name) {
    static const char *const all[] = {
        "print",    "dump", "json", "host",      "series",     "quiet",      "checkpoint",    "resume",
        "config",   "set",  "mech", "max-insts", "functional", "cuda-flags", "cuda-compiler", "profile",
        "annotate", "size", "isa",  "sample",    "threads",    NULL};
    const char *const *at = all;
    while (*at && strcmp(*at, name) != 0) at++;
    return *at != NULL;
}

bool run_checkpoint_options(struct run *r, const struct opts *o, struct err *e) {
    struct run_checkpoint *c = &r->checkpoint;
    const char *text = opts_value(o, "checkpoint");
    c->resume = opts_value(o, "resume");
    if (!text && !c->resume) return true;
    if (!check_options(o, text ? "checkpoint" : "resume", e)) return false;
    struct sb version = {0};
    sb_add(&version, "%s+%s", hd_version(), lab_sources);
    run_checkpoint_add_row(&c->identity, "heddle", version.text);
    sb_free(&version);
    run_checkpoint_add_row(&c->identity, "the program", o->operands.v[0]);
    for (size_t i = 0; i < o->given.n; i++) {
        const struct opt_given *g = &o->given.v[i];
        struct sb name = {0};
        sb_add(&name, "--%s", g->opt->name);
        if (!is_free(g->opt->name))
            run_checkpoint_add_row(&c->identity, name.text, g->value ? g->value : "given");
        sb_free(&name);
    }
    return !text || (read_target(r, text, e) && outfile_try(c->path, e));
}

/* ---- identity ---- */

static void add_digest(struct sb *s, const char *name, uint64_t h) {
    char value[24];
    snprintf(value, sizeof value, "%016" PRIx64, h);
    run_checkpoint_add_row(s, name, value);
}

/* How the host computes is not part of what it computes. */
static bool of_host(const char *key) {
    static const char *const all[] = {"exec.isa", "exec.warn_insts", NULL};
    const char *const *at = all;
    while (*at && strcmp(*at, key) != 0) at++;
    return *at != NULL;
}

static void run_checkpoint_add_machine(struct sb *s, const struct options *o) {
    for (size_t i = 0; i < o->nrows; i++) {
        struct sb value = {0};
        if (of_host(o->rows[i].key) || options_of_host(&o->rows[i])) continue;
        option_print(&o->rows[i], o, &value);
        run_checkpoint_add_row(s, o->rows[i].key, value.text ? value.text : "");
        sb_free(&value);
    }
}

static bool run_checkpoint_identify(struct run *r, const hd_config *config, struct err *e) {
    struct sb *s = &r->checkpoint.identity;
    const struct sb *text = &r->subject.program.text;
    hd_device *dev = NULL;
    const bool fine = lab_open(config, &dev, e);
    if (r->subject.workload)
        run_checkpoint_add_row(s, "--size", work_size_names[r->subject.size]);
    else
        add_digest(s, "the PTX (digest)", hash_words(HASH_START, text->text, text->len));
    if (r->subject.traced) add_digest(s, "the trace (digest)", r->subject.trace.digest);
    if (r->subject.script_file) add_digest(s, "the script (digest)", r->subject.script_digest);
    run_checkpoint_add_row(s, "--profile", r->profile || r->annotate ? "given" : "not given");
    if (fine) run_checkpoint_add_machine(s, sim_options(dev));
    const bool races = fine && sim_options(dev)->run.races; /* by --set */
    hd_device_close(dev);
    return fine && (!races || err_set(e, ERR_INPUT, "what the race check knows is not in a checkpoint"));
}

/* ---- comparison ---- */

/* The value of the n-th row of that name, or NULL. */
static const char *run_checkpoint_find_row(const struct sb *s, const char *name, size_t n) {
    for (const char *p = s->text, *end = p + s->len; p < end;) {
        const char *value = p + strlen(p) + 1;
        if (!strcmp(p, name) && !n--) return value;
        p = value + strlen(value) + 1;
    }
    return NULL;
}

/* Rows are pairs of texts that end. */
static bool is_rows(const struct sb *s) {
    size_t texts = 0;
    for (size_t i = 0; i < s->len; i++) texts += !s->text[i];
    return s->len && !s->text[s->len - 1] && texts % 2 == 0;
}

/* What only `there` has is found when the two change places; what both have is compared once. */
static size_t run_checkpoint_compare(const struct sb *here, const struct sb *there, bool swapped,
                                     size_t found, struct sb *out) {
    for (const char *p = here->text, *end = p + here->len; p < end;) {
        const char *name = p, *value = p + strlen(p) + 1;
        size_t n = 0;
        p = value + strlen(value) + 1;
        for (const char *q = here->text; q < name; q += strlen(q) + 1, q += strlen(q) + 1)
            n += !strcmp(q, name);
        const char *other = run_checkpoint_find_row(there, name, n);
        if (other && (swapped || !strcmp(value, other))) continue;
        if (found++ >= DIFFERENCES) continue;
        if (other)
            sb_add(out, "\n  %s is %.60s here and was %.60s", name, value, other);
        else
            sb_add(out, "\n  %s is %.60s %s", name, swapped ? "missing; it was" : value,
                   swapped ? value : "here and was not given");
    }
    return found;
}

static bool check_same(const struct run_checkpoint *c, const struct sb *there, struct err *e) {
    struct sb text = {0};
    if (!is_rows(there)) return err_set(e, ERR_INPUT, "%s: its identity is none", c->resume);
    size_t n = run_checkpoint_compare(&c->identity, there, false, 0, &text);
    n = run_checkpoint_compare(there, &c->identity, true, n, &text);
    if (n > DIFFERENCES) sb_add(&text, "\n  and %zu more", n - DIFFERENCES);
    const bool same = !n || err_set(e, ERR_INPUT, "%s is of another run:%s", c->resume, text.text);
    sb_free(&text);
    return same;
}

bool run_checkpoint_prepare(struct run *r, const hd_config *config, struct err *e) {
    struct run_checkpoint *c = &r->checkpoint;
    struct sb there = {0};
    if (!c->path && !c->resume) return true;
    bool fine = run_checkpoint_identify(r, config, e);
    if (fine && c->resume) {
        fine = checkpoint_read(&c->from, c->resume, e);
        if (fine) checkpoint_whole(&c->from, CHECKPOINT_IDENTITY, &there);
        fine = fine && check_same(c, &there, e);
    }
    if (fine && c->path) checkpoint_continue(&c->from, &c->journal);
    sb_free(&there);
    return fine;
}

/* ---- while it runs ---- */

static bool on_journal(void *user, void *data, size_t n) {
    struct run_checkpoint *c = &((struct run *)user)->checkpoint;
    if (c->path) checkpoint_add(&c->journal, data, n);
    return true;
}

static bool from_journal(void *user, void *data, size_t n) {
    return checkpoint_take(&((struct run *)user)->checkpoint.from, CHECKPOINT_JOURNAL, data, n);
}

static bool from_state(void *user, void *data, size_t n) {
    return checkpoint_take(&((struct run *)user)->checkpoint.from, CHECKPOINT_STATE, data, n);
}

void run_checkpoint_begin(struct run *r) {
    struct run_checkpoint *c = &r->checkpoint;
    struct err e = {0};
    if (!c->path && !c->resume) return;
    const struct sim_journal j = {.write = on_journal,
                                  .bytes = c->from.end.journal,
                                  .launches = c->from.end.launches,
                                  .read = from_journal,
                                  .read_state = from_state,
                                  .user = r};
    if (!sim_journal(r->dev, &j, &e)) PANIC("%s", err_text(&e)); /* the options have been checked */
    c->saved = c->from.end.launches;
    c->saved_at = term_seconds();
}

/* One that cannot be written does not end the run: the disk may have room again by the next. */
static void run_checkpoint_save(struct run *r) {
    struct run_checkpoint *c = &r->checkpoint;
    struct err e = {0};
    if (!checkpoint_write(c->path, &r->cli->writing, &c->identity, &c->journal, r->dev, &c->saved, &e)) {
        struct sb text = {0};
        sb_add(&text, "no checkpoint after launch %zu: %s; the run goes on, and %s stays as it is",
               r->launches.n - 1, err_text(&e), c->path);
        progress_end(&r->progress);
        term_warning(&r->cli->term, r->cli->command->name, text.text);
        sb_free(&text);
    }
    err_free(&e);
    c->tried = r->launches.n;
    c->saved_at = term_seconds();
}

void run_checkpoint_launched(struct run *r) {
    struct run_checkpoint *c = &r->checkpoint;
    if (!c->path || sim_replaying(r->dev)) return;
    if (c->tried < c->saved) c->tried = c->saved; /* by the run that this one goes on from */
    if (c->launches ? r->launches.n - c->tried >= c->launches : term_seconds() - c->saved_at >= c->seconds)
        if (r->launches.n > c->saved) run_checkpoint_save(r);
}

void run_checkpoint_stopped(const struct run *r) {
    const struct run_checkpoint *c = &r->checkpoint;
    const char *path = c->path && c->saved > c->from.end.launches ? c->path : c->resume;
    if (!c->path && !c->resume) return;
    if (!c->saved)
        fprintf(r->cli->term.err, "heddle run: no launch had been saved to %s\n", c->path);
    else
        fprintf(r->cli->term.err,
                "heddle run: %s has the first %" PRIu64 " launch%s; --resume %s goes on from there\n", path,
                c->saved, c->saved == 1 ? "" : "es", path);
}

void run_checkpoint_free(struct run *r) {
    struct run_checkpoint *c = &r->checkpoint;
    sb_free(&c->identity);
    checkpoint_free(&c->from);
    checkpoint_journal_free(&c->journal);
}
