/* The tables of 'heddle study factors': effects by size, with the line below which they mean little; the runs; the factors' ranks
 * in each program. */
#include <math.h>

#include "cli/cmd/study/factors.h"
#include "report/bar.h"

enum { BAR_WIDTH = 24 };

static double effect_at(const struct study_factors *s, size_t place) {
    return s->lab.effects[s->lab.order[place]].effect;
}

/* ---- effects ---- */

struct scale {
    double full; /* the longest bar's */
    int digits;
};

static struct scale scale_of(const struct study_factors *s) {
    double most = fmax(fabs(effect_at(s, 0)), s->lab.limit);
    for (size_t k = 0; s->common.preset && k < s->lab.n; k++)
        most = fmax(most, fabs(s->common.preset->row[k].effect));
    return (struct scale){.full = most, .digits = study_experiment_digits(most)};
}

static void study_bar_cell(const struct study_factors *s, struct table *t, double size, struct scale scale) {
    struct sb bar = {0};
    if (!s->common.markdown) bar_add(&bar, size, scale.full, BAR_WIDTH, s->common.cli->term.utf8);
    table_cell(t, "%s", bar.len ? bar.text : "");
    sb_free(&bar);
}

static void level_cell(struct table *t, const struct factor *f, size_t level) {
    struct sb text = {0};
    factor_level(f, level, &text);
    table_cell(t, "%s", text.text);
    sb_free(&text);
}

static size_t paper_rank(const struct study_factors *s, size_t factor) {
    size_t rank = 1;
    for (size_t k = 0; k < s->lab.n; k++)
        rank += fabs(s->common.preset->row[k].effect) > fabs(s->common.preset->row[factor].effect);
    return rank;
}

static void paper_cells(const struct study_factors *s, struct table *t, size_t factor, struct scale scale) {
    if (s->common.preset) {
        table_cell(t, "%+.*f", scale.digits, s->common.preset->row[factor].effect);
        table_cell(t, "%zu", paper_rank(s, factor));
        return;
    }
    for (int i = 0; i < 2; i++) table_cell(t, "%s", "");
}

static void effect_row(const struct study_factors *s, struct table *t, size_t factor, struct scale scale) {
    const struct factor_effect *e = &s->lab.effects[factor];
    table_cell(t, "%zu", e->rank);
    table_cell(t, "F%zu", factor + 1);
    table_cell(t, "%s", s->lab.list[factor].name);
    level_cell(t, &s->lab.list[factor], 0);
    level_cell(t, &s->lab.list[factor], 1);
    table_cell(t, "%+.*f", scale.digits, e->effect);
    if (s->lab.design.foldover)
        table_cell(t, "%+.*f", scale.digits, e->interaction);
    else
        table_cell(t, "%s", "");
    table_cell(t, "%.1f %%", 100 * e->share);
    paper_cells(s, t, factor, scale);
    study_bar_cell(s, t, fabs(e->effect), scale);
}

static void noise_row(const struct study_factors *s, struct table *t, struct scale scale) {
    for (int i = 0; i < 2; i++) table_cell(t, "%s", "");
    table_cell(t, "noise line");
    for (int i = 0; i < 2; i++) table_cell(t, "%s", "");
    table_cell(t, "%.*f", scale.digits, s->lab.limit);
    for (int i = 0; i < 4; i++) table_cell(t, "%s", "");
    study_bar_cell(s, t, s->lab.limit, scale);
}

static void effects_table(const struct study_factors *s, struct sb *out) {
    struct table t;
    struct scale scale = scale_of(s);
    bool drawn = !s->lab.nunassigned;
    table_init(&t, "rllrrrrrrrl");
    TABLE_HEAD(&t, "rank", "", "factor", "low", "high", "effect", "pairs", "share", "paper", "rank", "");
    for (size_t place = 0; place < s->lab.n; place++) {
        if (!drawn && fabs(effect_at(s, place)) < s->lab.limit) noise_row(s, &t, scale), drawn = true;
        effect_row(s, &t, s->lab.order[place], scale);
    }
    if (!drawn) noise_row(s, &t, scale);
    study_experiment_table(&s->common, &t, out);
}

static void error_line(const struct study_factors *s, struct sb *out) {
    const struct factors *f = &s->lab;
    int digits = scale_of(s).digits;
    if (!f->nunassigned) {
        size_t next = design_size_for(f->n + 1);
        sb_add(out, "Every column has a factor: there is no estimate of the error of an effect");
        if (next) sb_add(out, " (--runs %zu leaves %zu)", next, next - 1 - f->n);
        sb_add(out, ".\n");
        return;
    }
    sb_add(out,
           "Error of an effect: %.*f, the root mean square of %zu column%s without a factor; 95 %% of what "
           "is only error\n"
           "lies below the noise line, %.3f times that.\n",
           digits, f->error, f->nunassigned, f->nunassigned == 1 ? "" : "s", design_t95(f->nunassigned));
}

static void agreement_line(const struct study_factors *s, struct sb *out) {
    if (!s->common.preset) return;
    struct factor_agreement a = factors_agree(&s->lab, s->common.preset);
    sb_add(out, "Signs as in the paper: %zu of %zu. Rank correlation with it (Spearman): %+.2f.\n", a.signs,
           s->lab.n, a.ranks);
}

/* ---- runs ---- */

/* The paper's response of a run, where its design is the one that ran. */
static void paper_run(const struct study_factors *s, struct table *t, size_t run) {
    const struct factor_preset *p = s->common.preset;
    if (p && s->lab.design.columns + 1 == p->size && run < p->size)
        table_cell(t, "%.2f", p->run[run]);
    else
        table_cell(t, "%s", "");
}

static void runs_table(const struct study_factors *s, struct sb *out) {
    const struct experiment *x = &s->lab.x;
    char align[DESIGN_COLUMNS + 4];
    struct table t;
    size_t n = s->lab.n;
    double most = 0;
    for (size_t i = 0; i < n + 3; i++) align[i] = 'r';
    align[n + 3] = 0;
    table_init(&t, align);
    table_cell(&t, "run");
    for (size_t k = 0; k < n; k++) table_cell(&t, "F%zu", k + 1);
    table_cell(&t, "response");
    table_cell(&t, "paper");
    for (size_t run = 0; run < x->nmachines; run++) most = fmax(most, fabs(x->mean[run]));
    for (size_t run = 0; run < x->nmachines; run++) {
        table_cell(&t, "%zu", run + 1);
        for (size_t k = 0; k < n; k++) table_cell(&t, "%s", s->lab.design.level[run][k] > 0 ? "+" : "-");
        table_cell(&t, "%.*f", study_experiment_digits(most), x->mean[run]);
        paper_run(s, &t, run);
    }
    study_experiment_table(&s->common, &t, out);
}

/* ---- ranks by program ---- */

static void ranks_table(const struct study_factors *s, struct sb *out) {
    const struct experiment *x = &s->lab.x;
    struct sb align = {0};
    struct table t;
    sb_add(&align, "llr");
    for (size_t p = 0; p < x->counted; p++) sb_add(&align, "r");
    table_init(&t, align.text);
    table_cell(&t, "%s", "");
    table_cell(&t, "rank by program");
    for (size_t p = 0; p < x->nsubjects; p++)
        if (!x->left_out[p]) table_cell(&t, "%s", s->common.names.v[p]);
    table_cell(&t, "sum");
    for (size_t place = 0; place < s->lab.n; place++) {
        size_t k = s->lab.order[place];
        table_cell(&t, "F%zu", k + 1);
        table_cell(&t, "%s", s->lab.list[k].name);
        for (size_t p = 0; p < x->nsubjects; p++)
            if (!x->left_out[p]) table_cell(&t, "%zu", s->lab.effects[k].ranks[p]);
        table_cell(&t, "%zu", s->lab.effects[k].rank_sum);
    }
    study_experiment_table(&s->common, &t, out);
    sb_free(&align);
}

/* ---- all of it ---- */

void study_factors_report(const void *of, struct sb *out) {
    const struct study_factors *s = of;
    const struct design *d = &s->lab.design;
    sb_add(out, "Plackett-Burman design of %zu runs%s, %zu factor%s", d->runs,
           d->foldover ? " with foldover" : "", s->lab.n, s->lab.n == 1 ? "" : "s");
    if (s->common.preset) sb_add(out, " (%s)", s->common.preset->source);
    sb_add(out, ".\nResponse: ");
    study_experiment_title(&s->common, out);
    sb_add(out, ".\n\n");
    effects_table(s, out);
    sb_add(out, "\n");
    error_line(s, out);
    agreement_line(s, out);
    sb_add(out, "\n");
    runs_table(s, out);
    if (s->lab.x.counted < 2) return;
    sb_add(out, "\n");
    ranks_table(s, out);
}
