/* heddle results merge OUT IN...: what was asked for, and a word about every file that is not as it should be. */
#include <stdlib.h>
#include <string.h>

#include "lab/results/results.h"
#include "lab/store/merge.h"

static const char *results_merge_plural(size_t n) {
    return n == 1 ? "" : "s";
}

static void results_merge_warn(const struct cli *cli, const struct merge_file *f, const char *what) {
    struct sb text = {0};
    sb_add(&text, "%s: %s", f->path, what);
    if (f->shard && *f->about.version)
        sb_add(&text, "; %zu of its %llu points are there", f->points, (unsigned long long)f->about.points);
    term_warning(&cli->term, "results merge", text.text);
    sb_free(&text);
}

/* Damage first: it may be why the rest is missing. */
static void look_at(const struct cli *cli, const struct merge_file *f) {
    struct sb text = {0};
    if (f->bad) {
        sb_add(&text, "%llu bytes are no whole record: it was cut or damaged", (unsigned long long)f->bad);
        results_merge_warn(cli, f, text.text);
    } else if (f->shard && !f->ended)
        results_merge_warn(cli, f, "its sweep has not come to its end, or was killed");
    else if (f->missing) {
        sb_add(&text, "its sweep was stopped%s%s", *f->reason ? ": " : "", f->reason);
        results_merge_warn(cli, f, text.text);
    }
    sb_free(&text);
}

static void results_merge_tell(const struct merge *m, struct sb *out) {
    struct store_added all = {0};
    for (size_t i = 0; i < m->nfiles; i++) {
        const struct merge_file *f = &m->files[i];
        all.fresh += f->added.fresh;
        all.same += f->added.same;
        all.replaced += f->added.replaced;
        all.killed += f->added.killed;
        if (f->points && !f->added.fresh && !f->added.replaced) sb_add(out, "%s has nothing new\n", f->path);
    }
    sb_add(out, "%zu file%s: %zu new point%s, %zu there before", m->nfiles, results_merge_plural(m->nfiles),
           all.fresh, results_merge_plural(all.fresh), all.same);
    if (all.replaced) sb_add(out, ", %zu in place of killed ones", all.replaced);
    if (all.killed) sb_add(out, ", %zu of the new ones killed", all.killed);
    sb_add(out, "; %s has %zu\n", m->to, m->points);
}

static enum cli_exit results_merge_join(struct cli *cli, struct merge *m, struct err *e) {
    struct sb text = {0};
    if (!merge(m, e)) return cli_fail(cli, e);
    for (size_t i = 0; i < m->nfiles; i++) look_at(cli, &m->files[i]);
    results_merge_tell(m, &text);
    term_print(&cli->term, &text);
    sb_free(&text);
    return CLI_OK;
}

static bool results_merge_check(const struct opts *o, struct err *e) {
    if (strcmp(o->operands.v[0], "merge") != 0)
        return err_set(e, ERR_INPUT, "unknown word '%.60s': expected merge OUT IN..., or options alone",
                       o->operands.v[0]);
    if (o->operands.n < 3)
        return err_set(e, ERR_INPUT, "merge takes OUT, the database, and files IN to join");
    return !o->given.n || err_set(e, ERR_INPUT, "merge takes no options: --%s", o->given.v[0].opt->name);
}

enum cli_exit results_merge(struct cli *cli, const struct opts *o) {
    struct err e = {0};
    enum cli_exit status;
    if (!results_merge_check(o, &e))
        status = cli_usage(cli, &e);
    else {
        struct merge m = {.to = o->operands.v[1], .nfiles = o->operands.n - 2};
        m.files = xcalloc(m.nfiles, sizeof *m.files);
        for (size_t i = 0; i < m.nfiles; i++) m.files[i].path = o->operands.v[2 + i];
        status = results_merge_join(cli, &m, &e);
        merge_free(&m);
        free(m.files);
    }
    err_free(&e);
    return status;
}
