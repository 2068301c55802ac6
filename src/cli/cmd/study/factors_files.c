/* What 'heddle study factors' found, as JSON and CSV. */
#include <jansson.h>

#include "cli/cmd/study/factors.h"
#include "cli/stats_json.h"
#include "report/csv.h"
#include "sim/config.h"

/* ---- JSON ---- */

static json_t *options_json(const struct factor *f) {
    json_t *list = json_array();
    for (size_t i = 0; i < f->noptions; i++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "key", f->options[i].key, "low",
                                              f->options[i].value[0], "high", f->options[i].value[1]));
    return list;
}

static json_t *factor_json(const struct study_factors *s, size_t k) {
    const struct factor_effect *e = &s->lab.effects[k];
    json_t *programs = json_array();
    json_t *o = json_pack("{s:s, s:o, s:f, s:i, s:f, s:i}", "factor", s->lab.list[k].name, "options",
                          options_json(&s->lab.list[k]), "effect", e->effect, "rank", (int)e->rank, "share",
                          e->share, "rank_sum", (int)e->rank_sum);
    if (s->lab.design.foldover) json_object_set_new(o, "pairs", json_real(e->interaction));
    if (s->common.preset) json_object_set_new(o, "paper", json_real(s->common.preset->row[k].effect));
    for (size_t p = 0; p < s->lab.x.nsubjects; p++)
        if (!s->lab.x.left_out[p])
            json_array_append_new(programs, json_pack("{s:s, s:f, s:i}", "program", s->common.names.v[p],
                                                      "effect", e->by_subject[p], "rank", (int)e->ranks[p]));
    json_object_set_new(o, "programs", programs);
    return o;
}

static json_t *study_factors_files_run_json(const struct study_factors *s, size_t run) {
    const struct experiment *x = &s->lab.x;
    json_t *levels = json_array(), *programs = json_object();
    for (size_t k = 0; k < s->lab.n; k++)
        json_array_append_new(levels, json_integer(s->lab.design.level[run][k]));
    for (size_t p = 0; p < x->nsubjects; p++)
        if (!x->left_out[p])
            json_object_set_new(programs, s->common.names.v[p], json_real(experiment_value(x, run, p)));
    return json_pack("{s:o, s:f, s:o}", "levels", levels, "response", x->mean[run], "programs", programs);
}

static json_t *left_out_json(const struct study_factors *s) {
    json_t *list = json_array();
    for (size_t p = 0; p < s->lab.x.nsubjects; p++)
        if (s->lab.x.left_out[p])
            json_array_append_new(
                list, json_pack("{s:s, s:s}", "program", s->common.names.v[p], "why", s->lab.x.left_out[p]));
    return list;
}

static void add_design(const struct study_factors *s, json_t *root) {
    const struct response *r = &s->lab.x.response;
    json_object_set_new(root, "study", json_string("factors"));
    if (s->common.preset) json_object_set_new(root, "preset", json_string(s->common.preset->name));
    json_object_set_new(root, "config", json_string(s->lab.x.config ? s->lab.x.config : CONFIG_DEFAULT));
    json_object_set_new(root, "response", json_string(s->lab.x.stat));
    json_object_set_new(root, "mech", json_string(r->mech));
    if (r->relative_to) json_object_set_new(root, "relative_to", json_string(r->relative_to));
    json_object_set_new(root, "mean", json_string(pivot_mean_names[r->mean]));
    json_object_set_new(root, "runs", json_integer((json_int_t)s->lab.design.runs));
    json_object_set_new(root, "foldover", json_boolean(s->lab.design.foldover));
}

bool study_factors_json(const void *of, struct sb *out, struct err *e) {
    const struct study_factors *s = of;
    json_t *root = json_object(), *factors = json_array(), *runs = json_array(), *unassigned = json_array();
    add_design(s, root);
    for (size_t place = 0; place < s->lab.n; place++)
        json_array_append_new(factors, factor_json(s, s->lab.order[place]));
    for (size_t i = 0; i < s->lab.nunassigned; i++)
        json_array_append_new(unassigned, json_real(s->lab.unassigned[i]));
    for (size_t run = 0; run < s->lab.design.runs; run++)
        json_array_append_new(runs, study_factors_files_run_json(s, run));
    json_object_set_new(root, "factors", factors);
    json_object_set_new(root, "unassigned", unassigned);
    if (s->lab.nunassigned) {
        json_object_set_new(root, "error", json_real(s->lab.error));
        json_object_set_new(root, "noise_line", json_real(s->lab.limit));
    }
    json_object_set_new(root, "design", runs);
    json_object_set_new(root, "left_out", left_out_json(s));
    return stats_json_text(root, out, e);
}

/* ---- CSV: a row for each factor, on the mean and on each program ---- */

static void study_factors_files_csv_row(const struct study_factors *s, const char *program, size_t k,
                                        double effect, size_t rank, struct sb *out) {
    struct sb low = {0}, high = {0};
    factor_level(&s->lab.list[k], 0, &low);
    factor_level(&s->lab.list[k], 1, &high);
    csv_cell(out, "%s", program);
    csv_cell(out, "%s", s->lab.list[k].name);
    csv_cell(out, "%s", low.text);
    csv_cell(out, "%s", high.text);
    csv_cell(out, "%.12g", effect);
    csv_cell(out, "%zu", rank);
    csv_end_row(out);
    sb_free(&low);
    sb_free(&high);
}

void study_factors_csv(const void *of, struct sb *out) {
    const struct study_factors *s = of;
    static const char *const head[] = {"program", "factor", "low", "high", "effect", "rank"};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++) csv_cell(out, "%s", head[i]);
    csv_end_row(out);
    for (size_t k = 0; k < s->lab.n; k++)
        study_factors_files_csv_row(s, "mean", k, s->lab.effects[k].effect, s->lab.effects[k].rank, out);
    for (size_t p = 0; p < s->lab.x.nsubjects; p++)
        for (size_t k = 0; k < s->lab.n && !s->lab.x.left_out[p]; k++)
            study_factors_files_csv_row(s, s->common.names.v[p], k, s->lab.effects[k].by_subject[p],
                                        s->lab.effects[k].ranks[p], out);
}
