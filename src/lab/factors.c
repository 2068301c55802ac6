/* Effects by a Plackett-Burman design.
 *
 * Factor k is column k of the design; each run is a machine, on which every program gives a response. The effect of a factor is
 * computed on the mean over programs, as HARP's Table 6 does, and for every program by itself. Effects are ranked by size in each
 * program and the ranks added up as Yi, Lilja and Hawkins do ("A statistically rigorous approach for improving simulation
 * methodology", HPCA 2003), which HARP does not.
 *
 * A column without a factor has an effect too: what interactions and the irregularity of the response make of it. The root mean
 * square of such effects estimates the error of an effect; times Student's t it is the limit below which an effect means
 * little. Simulations repeat exactly, so there is no other error. */
#include "lab/factors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- machines ---- */

static struct experiment_machine machine_of_run(struct factors *f, size_t run) {
    size_t level[DESIGN_COLUMNS];
    for (size_t k = 0; k < f->n; k++) level[k] = f->design.level[run][k] > 0;
    return factors_machine(f->list, f->n, level, &f->mem);
}

bool factors_plan(struct factors *f, struct err *e) {
    if (f->n > f->design.columns)
        return err_set(e, ERR_INPUT, "a design of %zu runs holds %zu factors, not %zu", f->design.columns + 1,
                       f->design.columns, f->n);
    for (size_t k = 0; k < f->n; k++)
        if (f->list[k].levels != 2)
            return err_set(e, ERR_INPUT, "%s has %zu values; a factor has two, LOW,HIGH", f->list[k].name,
                           f->list[k].levels);
    struct experiment_machine *machines = ARENA_NEW(&f->mem, struct experiment_machine, f->design.runs);
    for (size_t run = 0; run < f->design.runs; run++) machines[run] = machine_of_run(f, run);
    f->x.machines = machines;
    f->x.nmachines = f->design.runs;
    return experiment_plan(&f->x, e);
}

/* ---- effects ---- */

/* The rank of k among the n sizes: how many are larger, and 1. */
static size_t rank_of(const double *effect, size_t n, size_t k) {
    size_t rank = 1;
    for (size_t i = 0; i < n; i++) rank += fabs(effect[i]) > fabs(effect[k]);
    return rank;
}

/* Sum of squares of the runs about their mean. */
static double variation(const struct factors *f) {
    double mean = 0, sum = 0;
    for (size_t run = 0; run < f->design.runs; run++) mean += f->x.mean[run] / (double)f->design.runs;
    for (size_t run = 0; run < f->design.runs; run++)
        sum += (f->x.mean[run] - mean) * (f->x.mean[run] - mean);
    return sum;
}

/* What rounding alone can make of equal responses is no effect: it would have ranks. */
static double effect_of(const struct factors *f, size_t column, const double *response) {
    double sum = 0, effect = design_effect(&f->design, column, response);
    for (size_t run = 0; run < f->design.runs; run++) sum += fabs(response[run]);
    return fabs(effect) > 1e-13 * sum ? effect : 0;
}

static void effects_on_mean(struct factors *f) {
    double effect[DESIGN_COLUMNS], all = variation(f);
    for (size_t k = 0; k < f->n; k++) {
        struct factor_effect *one = &f->effects[k];
        one->effect = effect[k] = effect_of(f, k, f->x.mean);
        one->interaction = f->design.foldover ? design_interaction(&f->design, k, f->x.mean) : 0;
        one->share = all > 0 ? (double)f->design.runs * effect[k] * effect[k] / 4 / all : 0;
    }
    for (size_t k = 0; k < f->n; k++) f->effects[k].rank = rank_of(effect, f->n, k);
}

static void effects_on_subject(struct factors *f, size_t subject) {
    double effect[DESIGN_COLUMNS], response[DESIGN_FOLDED];
    for (size_t run = 0; run < f->design.runs; run++) response[run] = experiment_value(&f->x, run, subject);
    for (size_t k = 0; k < f->n; k++) effect[k] = effect_of(f, k, response);
    for (size_t k = 0; k < f->n; k++) {
        f->effects[k].by_subject[subject] = effect[k];
        f->effects[k].ranks[subject] = rank_of(effect, f->n, k);
        f->effects[k].rank_sum += f->effects[k].ranks[subject];
    }
}

/* By rank, equal ones in the order in which they were given. */
static void put_in_order(struct factors *f) {
    size_t n = 0;
    for (size_t rank = 1; rank <= f->n; rank++)
        for (size_t k = 0; k < f->n; k++)
            if (f->effects[k].rank == rank) f->order[n++] = k;
}

static void estimate_error(struct factors *f) {
    double sum = 0;
    for (size_t c = f->n; c < f->design.columns; c++) {
        double effect = effect_of(f, c, f->x.mean);
        f->unassigned[f->nunassigned++] = effect;
        sum += effect * effect;
    }
    if (!f->nunassigned) return;
    f->error = sqrt(sum / (double)f->nunassigned);
    f->limit = f->error * design_t95(f->nunassigned);
}

void factors_work_out(struct factors *f) {
    f->effects = ARENA_NEW(&f->mem, struct factor_effect, f->n + 1);
    f->order = ARENA_NEW(&f->mem, size_t, f->n + 1);
    for (size_t k = 0; k < f->n; k++) {
        f->effects[k].by_subject = ARENA_NEW(&f->mem, double, f->x.nsubjects + 1);
        f->effects[k].ranks = ARENA_NEW(&f->mem, size_t, f->x.nsubjects + 1);
    }
    effects_on_mean(f);
    for (size_t s = 0; s < f->x.nsubjects; s++)
        if (!f->x.left_out[s]) effects_on_subject(f, s);
    put_in_order(f);
    estimate_error(f);
}

bool factors_run(struct factors *f, struct err *e) {
    if (!experiment_run(&f->x, e)) return false;
    factors_work_out(f);
    return true;
}

void factors_free(struct factors *f) {
    experiment_free(&f->x);
    arena_free(&f->mem);
}

/* ---- designs of papers ---- */

#define PRESET(name, source, config, workloads, mech, relative_to, stat, mean, size, factors, responses) \
    {name, source, config, workloads, {stat, mech, relative_to, PIVOT_##mean}, size, factors, responses},
#define FACTORS(...) \
    { __VA_ARGS__ }
#define RESPONSES(...) \
    { __VA_ARGS__ }
const struct factor_preset factor_presets[] = {
#include "lab/factors.def"
    {0}};

const struct factor_preset *factor_preset(const char *name, struct err *e) {
    struct sb all = {0};
    for (const struct factor_preset *p = factor_presets; p->name; p++) {
        if (!strcmp(p->name, name)) return sb_free(&all), p;
        sb_add(&all, "%s%s", all.len ? ", " : "", p->name);
    }
    err_set(e, ERR_INPUT, "there is no preset '%.60s'; there is %s", name, all.text);
    sb_free(&all);
    return NULL;
}

/* As rank_of, but equal ones share the mean of their places. */
static double shared_rank(const double *effect, size_t n, size_t k) {
    size_t same = 0;
    for (size_t i = 0; i < n; i++) same += fabs(effect[i]) == fabs(effect[k]);
    return (double)rank_of(effect, n, k) + (double)(same - 1) / 2;
}

/* The correlation of two rankings of n, whose mean is that of 1 to n. */
static double rank_correlation(const double *a, const double *b, size_t n) {
    double mean = (double)(n + 1) / 2, both = 0, one = 0, other = 0;
    for (size_t k = 0; k < n; k++) {
        double x = shared_rank(a, n, k) - mean, y = shared_rank(b, n, k) - mean;
        both += x * y;
        one += x * x;
        other += y * y;
    }
    return one > 0 && other > 0 ? both / sqrt(one * other) : 0;
}

struct factor_agreement factors_agree(const struct factors *f, const struct factor_preset *p) {
    struct factor_agreement a = {0};
    double paper[DESIGN_COLUMNS], ours[DESIGN_COLUMNS];
    for (size_t k = 0; k < f->n; k++) {
        paper[k] = p->row[k].effect;
        ours[k] = f->effects[k].effect;
        a.signs += (paper[k] > 0 && ours[k] > 0) || (paper[k] < 0 && ours[k] < 0);
    }
    a.ranks = rank_correlation(paper, ours, f->n);
    return a;
}

/* ---- one factor ---- */

struct spread spread_of(const double *value, size_t n) {
    struct spread s = {.least = value[0], .most = value[0]};
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        s.mean += value[i] / (double)n;
        s.least = fmin(s.least, value[i]);
        s.most = fmax(s.most, value[i]);
    }
    for (size_t i = 0; i < n; i++) sum += (value[i] - s.mean) * (value[i] - s.mean);
    s.deviation = n > 1 ? sqrt(sum / (double)(n - 1)) : 0;
    return s;
}
