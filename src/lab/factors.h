/* What factors do to a response: the effects of several at once by a Plackett-Burman design (HARP 7.2.1), and the spread of the
 * response over the levels of one. */
#ifndef HEDDLE_LAB_FACTORS_H
#define HEDDLE_LAB_FACTORS_H

#include "lab/design.h"
#include "lab/factor.h"

/* ---- several factors, of two levels each ---- */

struct factor_effect {
    double effect;      /* on the mean over programs: the response at high less that at low */
    double interaction; /* what a foldover took out of the effect */
    double share;       /* share of the variation of the response over the runs, 0 to 1 */
    size_t rank;        /* by the size of the effect, from 1; the same for equal ones */
    double *by_subject; /* its effects on each program, 0 where that does not count */
    size_t *ranks;      /* its ranks among the effects on each program */
    size_t rank_sum;    /* sum of ranks: an order that no program dominates */
};

struct factors {
    struct experiment x; /* all but its machines is for the caller to fill */
    const struct factor *list;
    size_t n;
    struct design design;
    /* Filled by factors_run. */
    struct factor_effect *effects;     /* by factor */
    size_t *order;                     /* factors, largest effect first */
    double unassigned[DESIGN_COLUMNS]; /* effects of columns that have no factor */
    size_t nunassigned;
    double error; /* error of an effect: root mean square of the unassigned; 0 where there are none */
    double limit; /* an effect below it may be error alone, 95 times of 100 */
    struct arena mem;
};

/* Makes the design's machines and plans the experiment; a design holds as many factors as it has columns. */
bool factors_plan(struct factors *f, struct err *e);
bool factors_run(struct factors *f, struct err *e); /* as experiment_run */
/* The second half of factors_run: from x.value, x.mean, x.left_out. */
void factors_work_out(struct factors *f);
void factors_free(struct factors *f); /* in any case */

/* ---- designs of papers ---- */

struct factor_preset {
    const char *name, *source, *config, *workloads; /* names of workloads, a blank between them */
    struct response response;
    size_t size; /* size of the design */
    struct {
        const char *factor; /* as factor_read takes it; NULL after the last */
        double effect;      /* the paper's */
    } row[DESIGN_COLUMNS + 1];
    double run[DESIGN_RUNS]; /* the paper's responses, of the design without foldover */
};
extern const struct factor_preset factor_presets[];                         /* the last has no name */
const struct factor_preset *factor_preset(const char *name, struct err *e); /* NULL: there is none */

/* How our effects go with the paper's. */
struct factor_agreement {
    size_t signs; /* factors whose effects have the same */
    double ranks; /* Spearman's correlation of the ranks by size, -1 to 1; 0 where all are equal */
};
struct factor_agreement factors_agree(const struct factors *f, const struct factor_preset *p);

/* ---- one factor, of any number of levels ---- */

struct spread {
    double mean, least, most;
    double deviation; /* standard deviation of a sample: by n - 1 */
};
struct spread spread_of(const double *value, size_t n); /* n at least 2 */

#endif
