/* From machines and programs to points of a sweep, and back to responses. */
#include "lab/experiment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/options.h"

/* ---- the response ---- */

/* The mechanism that "NAME:KEY=VALUE" names; lab_point_id has found it good. */
static const struct mech_ops *mech_of(const char *text) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ":"), text);
    return mech_find(name);
}

/* Statistics of the tables and the mechanism's own, by whole name. */
static void stat_names(const struct mech_ops *mech, struct arena *mem, struct store_rows *out) {
    for (size_t i = 0; i < STAT_COUNT; i++) VEC_PUSH(&out->names, stat_rows[i].name);
    for (const struct mech_counter *c = mech->counters; c && c->key; c++) {
        struct sb name = {0};
        sb_add(&name, "%s.%s", mech->name, c->key);
        VEC_PUSH(&out->names, sb_keep(&name, mem));
    }
}

static bool find_stat(struct experiment *x, const char *name, const char *mech, const char **whole,
                      struct err *e) {
    struct store_rows rows = {0};
    stat_names(mech_of(mech), &x->mem, &rows);
    size_t at = store_find(&rows, name, e);
    bool found = at < rows.names.n;
    if (found) *whole = rows.names.v[at];
    VEC_FREE(&rows.names);
    return found;
}

/* A mechanism's own counter cannot be divided by what another does not count. */
static bool check_response(struct experiment *x, struct err *e) {
    const struct response *r = &x->response;
    const char *same;
    if (!find_stat(x, r->stat, r->mech, &x->stat, e)) return false;
    if (!r->relative_to || find_stat(x, x->stat, r->relative_to, &same, e)) return true;
    return err_set(e, ERR_INPUT, "%s has no statistic %s to divide by", mech_of(r->relative_to)->name,
                   x->stat);
}

void experiment_response_name(const struct experiment *x, struct sb *out) {
    sb_add(out, "%s of %s", x->stat, x->response.mech);
    if (x->response.relative_to) sb_add(out, " over that of %s", x->response.relative_to);
}

/* ---- points ---- */

static const hd_option *join_settings(struct experiment *x, const struct experiment_machine *m) {
    hd_option *all = ARENA_NEW(&x->mem, hd_option, x->nsettings + m->nsettings + 1);
    for (size_t i = 0; i < x->nsettings; i++) all[i] = x->settings[i];
    for (size_t i = 0; i < m->nsettings; i++) all[x->nsettings + i] = m->settings[i];
    return all;
}

static size_t mechs(const struct experiment *x) {
    return x->response.relative_to ? 2 : 1;
}

static size_t point_of(const struct experiment *x, size_t machine, size_t subject) {
    return (machine * x->nsubjects + subject) * mechs(x);
}

static void experiment_add_points(struct experiment *x, const struct experiment_machine *m) {
    const hd_option *settings = join_settings(x, m);
    for (size_t s = 0; s < x->nsubjects; s++)
        for (size_t k = 0; k < mechs(x); k++)
            VEC_PUSH(&x->points, (struct lab_point){.subject = x->subjects[s],
                                                    .config = x->config,
                                                    .settings = settings,
                                                    .nsettings = x->nsettings + m->nsettings,
                                                    .mech = k ? x->response.relative_to : x->response.mech});
}

/* Whether the machine can be, under each mechanism; if not, with what sets it apart. */
static bool check_machine(struct experiment *x, size_t machine, struct err *e) {
    struct store_id id;
    size_t k = 0, first = point_of(x, machine, 0);
    while (k < mechs(x) && lab_point_id(&x->points.v[first + k], &x->mem, &id, e)) k++;
    if (k == mechs(x)) return true;
    struct sb with = {0};
    const struct experiment_machine *m = &x->machines[machine];
    for (size_t i = 0; i < m->nsettings; i++)
        sb_add(&with, "%s%s=%s", i ? " " : "", m->settings[i].key, m->settings[i].value);
    if (with.len) err_set(e, e->code, "with %s: %s", with.text, err_text(e));
    sb_free(&with);
    return false;
}

bool experiment_plan(struct experiment *x, struct err *e) {
    for (size_t m = 0; m < x->nmachines; m++) experiment_add_points(x, &x->machines[m]);
    for (size_t m = 0; m < x->nmachines; m++)
        if (!check_machine(x, m, e)) return false;
    x->sweep.points = x->points.v;
    x->sweep.npoints = x->points.n;
    return check_response(x, e) && lab_sweep_ids(&x->sweep, e);
}

/* ---- values ---- */

static bool read_value(const struct experiment *x, size_t machine, size_t subject, double *value,
                       struct err *e) {
    size_t point = point_of(x, machine, subject);
    double by = 1;
    if (!lab_sweep_value(&x->sweep, point, x->stat, value, e)) return false;
    if (x->response.relative_to) {
        if (!lab_sweep_value(&x->sweep, point + 1, x->stat, &by, e)) return false;
        if (by == 0) return err_set(e, ERR_FAULT, "%s is 0 under %s", x->stat, x->response.relative_to);
    }
    *value /= by;
    return true;
}

/* Its values on all machines, or why it has none. */
static void read_subject(struct experiment *x, size_t subject) {
    struct err e = {0};
    for (size_t m = 0; m < x->nmachines && !x->left_out[subject]; m++)
        if (!read_value(x, m, subject, &x->value[m * x->nsubjects + subject], &e))
            x->left_out[subject] = arena_strndup(&x->mem, err_text(&e), strcspn(err_text(&e), "\n"));
    x->counted += !x->left_out[subject];
    err_free(&e);
}

static bool mean_over_subjects(struct experiment *x, size_t machine, double *value, struct err *e) {
    size_t n = 0;
    for (size_t s = 0; s < x->nsubjects; s++)
        if (!x->left_out[s]) value[n++] = experiment_value(x, machine, s);
    return mean_of(x->response.mean, value, n, &x->mean[machine]) ||
           err_set(e, ERR_INPUT,
                   "there is no %s mean, since %s is not above 0 everywhere; the arithmetic one is there",
                   pivot_mean_names[x->response.mean], x->stat);
}

static bool read_values(struct experiment *x, struct err *e) {
    size_t cells = x->nmachines * x->nsubjects;
    double *row = xcalloc(x->nsubjects + 1, sizeof *row);
    x->value = xcalloc(cells + 1, sizeof *x->value);
    x->left_out = xcalloc(x->nsubjects + 1, sizeof *x->left_out);
    x->mean = xcalloc(x->nmachines + 1, sizeof *x->mean);
    for (size_t s = 0; s < x->nsubjects; s++) read_subject(x, s);
    bool fine =
        x->counted || err_set(e, ERR_FAULT, "no program has a response on every machine: %s", x->left_out[0]);
    for (size_t m = 0; m < x->nmachines && fine; m++) fine = mean_over_subjects(x, m, row, e);
    free(row);
    return fine;
}

bool experiment_run(struct experiment *x, struct err *e) {
    if (!lab_sweep(&x->sweep, e)) return false;
    if (x->sweep.stopped) return err_set(e, ERR_LIMIT, "stopped");
    for (size_t i = 0; i < x->sweep.rows.rows.n; i++)
        x->wrong += x->sweep.rows.rows.v[i].state == STORE_WRONG;
    return read_values(x, e);
}

void experiment_free(struct experiment *x) {
    lab_sweep_free(&x->sweep);
    VEC_FREE(&x->points);
    free(x->value);
    free(x->left_out);
    free(x->mean);
    arena_free(&x->mem);
}

double experiment_value(const struct experiment *x, size_t machine, size_t subject) {
    return x->value[machine * x->nsubjects + subject];
}
