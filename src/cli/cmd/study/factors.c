/* heddle study factors: which options move a response most, by a Plackett-Burman design (HARP 7.2.1). */
#include "cli/cmd/study/factors.h"

#include <string.h>

/* ---- options ---- */

/* A preset says these itself. */
static bool check_preset(const struct opts *o, struct err *e) {
    static const char *const of_preset[] = {"factor", "response", "mech", "relative-to", "config"};
    for (size_t i = 0; i < sizeof of_preset / sizeof *of_preset; i++)
        if (opts_has(o, of_preset[i]))
            return err_set(e, ERR_INPUT, "--%s does not go with --preset, which says it", of_preset[i]);
    return true;
}

static bool too_many(size_t factors, size_t runs, struct err *e) {
    if (design_size_for(factors))
        return err_set(e, ERR_INPUT, "%zu factors are too many for %zu runs; %zu runs hold them", factors,
                       runs, design_size_for(factors));
    return err_set(e, ERR_INPUT, "%zu factors are too many: the largest design, of %d runs, holds %d",
                   factors, DESIGN_RUNS, DESIGN_COLUMNS);
}

/* The design that --runs says, or else the preset, or the smallest that has a column for each factor. */
static bool read_design(struct study_factors *s, const struct opts *o, struct err *e) {
    const char *text = opts_value(o, "runs");
    size_t n = s->common.factors.n;
    uint64_t runs = s->common.preset ? s->common.preset->size : design_size_for(n);
    if (text && !cli_number("--runs", text, INT32_MAX, &runs, e)) return false;
    if (!text && !runs) return too_many(n, 0, e);
    if (!design_make(&s->lab.design, (size_t)runs, opts_has(o, "foldover")))
        return err_set(e, ERR_INPUT, "--runs %.20s: there are designs of 8, 12, 16, 20 and 24 runs", text);
    return n <= s->lab.design.columns || too_many(n, (size_t)runs, e);
}

static bool study_factors_read_options(struct study_factors *s, const struct opts *o, struct err *e) {
    const char *preset = opts_value(o, "preset");
    if (opts_has(o, "over"))
        return err_set(e, ERR_INPUT, "--over is for 'heddle study sensitivity'; here it is --factor");
    if (preset && (!(s->common.preset = factor_preset(preset, e)) || !check_preset(o, e))) return false;
    return study_experiment_options(&s->common, o, &s->lab.x, e) &&
           study_experiment_factors(&s->common, o, "factor", e) && read_design(s, o, e);
}

/* ---- all of it ---- */

static bool study_factors_prepare(struct study_factors *s, struct err *e) {
    if (!study_experiment_prepare(&s->common, e)) return false;
    s->lab.list = s->common.factors.v;
    s->lab.n = s->common.factors.n;
    return factors_plan(&s->lab, e);
}

static bool study_factors_run(void *user, struct err *e) {
    return factors_run(user, e);
}

enum cli_exit study_factors_main(struct cli *c, const struct opts *o) {
    struct study_factors s = {.common = {.cli = c}};
    struct err e = {0};
    enum cli_exit status;
    if (!study_factors_read_options(&s, o, &e))
        status = cli_usage(c, &e);
    else if (!study_factors_prepare(&s, &e))
        status = cli_fail(c, &e);
    else if (!study_experiment_run(&s.common, study_factors_run, &s.lab, &e))
        status = study_experiment_failed(&s.common, &e);
    else
        status = study_experiment_results(&s.common, study_factors_json, study_factors_csv,
                                          study_factors_report, &s, &e);
    study_experiment_free(&s.common);
    factors_free(&s.lab);
    err_free(&e);
    return stop_die(&s.common.stop, c, status);
}
