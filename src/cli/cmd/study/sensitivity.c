/* heddle study sensitivity: a response at each of several values of an option, all others left as they are, and how far it
 * spreads. Several options are varied one at a time. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "cli/cmd/study/experiment.h"
#include "cli/stats_json.h"
#include "report/csv.h"
#include "sim/config.h"

struct study_sensitivity {
    struct study_experiment common;
    struct experiment x;
};

/* ---- options ---- */

static bool study_sensitivity_read_options(struct study_sensitivity *s, const struct opts *o, struct err *e) {
    static const char *const of_factors[] = {"factor", "runs", "foldover", "preset"};
    for (size_t i = 0; i < sizeof of_factors / sizeof *of_factors; i++)
        if (opts_has(o, of_factors[i]))
            return err_set(e, ERR_INPUT, "--%s is for 'heddle study factors'; here it is --over",
                           of_factors[i]);
    return study_experiment_options(&s->common, o, &s->x, e) &&
           study_experiment_factors(&s->common, o, "over", e);
}

/* A machine for each level of each option. */
static bool study_sensitivity_prepare(struct study_sensitivity *s, struct err *e) {
    if (!study_experiment_prepare(&s->common, e)) return false;
    size_t most = 0;
    for (size_t f = 0; f < s->common.factors.n; f++) most += s->common.factors.v[f].levels;
    struct experiment_machine *machines = ARENA_NEW(&s->common.mem, struct experiment_machine, most);
    for (size_t f = 0; f < s->common.factors.n; f++)
        for (size_t level = 0; level < s->common.factors.v[f].levels; level++)
            machines[s->x.nmachines++] = factors_machine(&s->common.factors.v[f], 1, &level, &s->common.mem);
    s->x.machines = machines;
    return experiment_plan(&s->x, e);
}

static bool study_sensitivity_run(void *user, struct err *e) {
    return experiment_run(user, e);
}

/* ---- values ---- */

/* What is said of one option: its machines are `levels` from `first` on. */
struct varied {
    const struct factor *f;
    size_t first;
};

static struct varied varied_at(const struct study_sensitivity *s, size_t factor) {
    struct varied v = {.f = &s->common.factors.v[factor]};
    for (size_t f = 0; f < factor; f++) v.first += s->common.factors.v[f].levels;
    return v;
}

/* The values of a program, or with SIZE_MAX of the mean; to be freed. */
static double *values_of(const struct study_sensitivity *s, struct varied v, size_t program) {
    double *value = xcalloc(v.f->levels + 1, sizeof *value);
    for (size_t i = 0; i < v.f->levels; i++)
        value[i] =
            program == SIZE_MAX ? s->x.mean[v.first + i] : experiment_value(&s->x, v.first + i, program);
    return value;
}

/* ---- the tables ---- */

/* Ratios of a table have as many digits as its largest, other values as many as show each to four places. */
static int digits_of(const struct study_sensitivity *s, struct varied v, struct spread row) {
    double most = fmax(fabs(row.most), fabs(row.least));
    for (size_t m = 0; s->x.response.relative_to && m < v.f->levels; m++)
        for (size_t p = 0; p < s->x.nsubjects; p++)
            if (!s->x.left_out[p]) most = fmax(most, fabs(experiment_value(&s->x, v.first + m, p)));
    return study_experiment_digits(most);
}

static void value_row(const struct study_sensitivity *s, struct table *t, struct varied v, size_t program,
                      const char *name) {
    double *value = values_of(s, v, program);
    struct spread spread = spread_of(value, v.f->levels);
    int digits = digits_of(s, v, spread);
    table_cell(t, "%s", name);
    for (size_t i = 0; i < v.f->levels; i++) table_cell(t, "%.*f", digits, value[i]);
    table_cell(t, "%.*f", digits, spread.mean);
    table_cell(t, "%.*f", digits, spread.least);
    table_cell(t, "%.*f", digits, spread.most);
    table_cell(t, "%.*f", digits, spread.deviation);
    free(value);
}

static void head_row(struct table *t, struct varied v) {
    static const char *const of_spread[] = {"mean", "min", "max", "std dev"};
    table_cell(t, "%s", v.f->name);
    for (size_t i = 0; i < v.f->levels; i++) {
        struct sb level = {0};
        factor_level(v.f, i, &level);
        table_cell(t, "%s", level.text);
        sb_free(&level);
    }
    for (size_t i = 0; i < 4; i++) table_cell(t, "%s", of_spread[i]);
}

static void study_sensitivity_add_table(const struct study_sensitivity *s, size_t factor, struct sb *out) {
    struct varied v = varied_at(s, factor);
    struct sb align = {0}, mean = {0};
    struct table t;
    sb_add(&align, "l");
    for (size_t i = 0; i < v.f->levels + 4; i++) sb_add(&align, "r");
    table_init(&t, align.text);
    head_row(&t, v);
    for (size_t p = 0; p < s->x.nsubjects; p++)
        if (!s->x.left_out[p]) value_row(s, &t, v, p, s->common.names.v[p]);
    sb_add(&mean, "%s mean", pivot_mean_names[s->x.response.mean]);
    if (s->x.counted > 1) value_row(s, &t, v, SIZE_MAX, mean.text);
    study_experiment_table(&s->common, &t, out);
    sb_free(&align);
    sb_free(&mean);
}

static void study_sensitivity_report(const void *of, struct sb *out) {
    const struct study_sensitivity *s = of;
    experiment_response_name(&s->x, out);
    sb_add(out, " on %s", s->x.config ? s->x.config : CONFIG_DEFAULT);
    for (size_t f = 0; f < s->common.factors.n; f++) {
        sb_add(out, f ? "\n" : "\n\n");
        study_sensitivity_add_table(s, f, out);
    }
}

/* ---- files ---- */

static json_t *study_sensitivity_one_json(const struct study_sensitivity *s, struct varied v, size_t program,
                                          const char *name) {
    double *value = values_of(s, v, program);
    struct spread spread = spread_of(value, v.f->levels);
    json_t *list = json_array();
    for (size_t i = 0; i < v.f->levels; i++) json_array_append_new(list, json_real(value[i]));
    free(value);
    return json_pack("{s:s, s:o, s:f, s:f, s:f, s:f}", "program", name, "values", list, "mean", spread.mean,
                     "min", spread.least, "max", spread.most, "deviation", spread.deviation);
}

static json_t *factor_json(const struct study_sensitivity *s, size_t factor) {
    struct varied v = varied_at(s, factor);
    json_t *levels = json_array(), *programs = json_array();
    for (size_t i = 0; i < v.f->levels; i++) {
        struct sb level = {0};
        factor_level(v.f, i, &level);
        json_array_append_new(levels, json_string(level.text));
        sb_free(&level);
    }
    for (size_t p = 0; p < s->x.nsubjects; p++)
        if (!s->x.left_out[p])
            json_array_append_new(programs, study_sensitivity_one_json(s, v, p, s->common.names.v[p]));
    return json_pack("{s:s, s:o, s:o, s:o}", "over", v.f->name, "levels", levels, "programs", programs,
                     "mean",
                     study_sensitivity_one_json(s, v, SIZE_MAX, pivot_mean_names[s->x.response.mean]));
}

static bool study_sensitivity_add_json(const void *of, struct sb *out, struct err *e) {
    const struct study_sensitivity *s = of;
    const struct response *r = &s->x.response;
    json_t *root =
        json_pack("{s:s, s:s, s:s, s:s}", "study", "sensitivity", "config",
                  s->x.config ? s->x.config : CONFIG_DEFAULT, "response", s->x.stat, "mech", r->mech);
    json_t *options = json_array();
    if (r->relative_to) json_object_set_new(root, "relative_to", json_string(r->relative_to));
    for (size_t f = 0; f < s->common.factors.n; f++) json_array_append_new(options, factor_json(s, f));
    json_object_set_new(root, "options", options);
    return stats_json_text(root, out, e);
}

static void csv_rows(const struct study_sensitivity *s, struct varied v, size_t program, const char *name,
                     struct sb *out) {
    double *value = values_of(s, v, program);
    for (size_t i = 0; i < v.f->levels; i++) {
        struct sb level = {0};
        factor_level(v.f, i, &level);
        csv_cell(out, "%s", v.f->name);
        csv_cell(out, "%s", level.text);
        csv_cell(out, "%s", name);
        csv_cell(out, "%.12g", value[i]);
        csv_end_row(out);
        sb_free(&level);
    }
    free(value);
}

static void study_sensitivity_add_csv(const void *of, struct sb *out) {
    const struct study_sensitivity *s = of;
    static const char *const head[] = {"over", "value", "program", "response"};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++) csv_cell(out, "%s", head[i]);
    csv_end_row(out);
    for (size_t f = 0; f < s->common.factors.n; f++) {
        for (size_t p = 0; p < s->x.nsubjects; p++)
            if (!s->x.left_out[p]) csv_rows(s, varied_at(s, f), p, s->common.names.v[p], out);
        csv_rows(s, varied_at(s, f), SIZE_MAX, "mean", out);
    }
}

/* ---- all of it ---- */

enum cli_exit study_sensitivity_main(struct cli *c, const struct opts *o) {
    struct study_sensitivity s = {.common = {.cli = c}};
    struct err e = {0};
    enum cli_exit status;
    if (!study_sensitivity_read_options(&s, o, &e))
        status = cli_usage(c, &e);
    else if (!study_sensitivity_prepare(&s, &e))
        status = cli_fail(c, &e);
    else if (!study_experiment_run(&s.common, study_sensitivity_run, &s.x, &e))
        status = study_experiment_failed(&s.common, &e);
    else
        status = study_experiment_results(&s.common, study_sensitivity_add_json, study_sensitivity_add_csv,
                                          study_sensitivity_report, &s, &e);
    study_experiment_free(&s.common);
    experiment_free(&s.x);
    err_free(&e);
    return stop_die(&s.common.stop, c, status);
}
