/* From claims to points of a sweep, and back to numbers.
 *
 * Each claim asks for up to four machines on each of its workloads. All points of all claims are one sweep, so that what they
 * share runs once; the studies, which are no points, run after it. A workload without a value (it deadlocks under a mechanism,
 * say, or computed something else than the CPU) is left out of the mean, and the note says so. */
#include "lab/claims.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/claims_impl.h"
#include "lab/table1.h"

/* ---- points ---- */

/* "key=value key=value", after those that are there. */
static void add_settings(struct claims *c, struct lab_point *p, const char *text) {
    size_t most = p->nsettings + 1;
    for (const char *s = text; *s; s++) most += *s == ' ';
    hd_option *o = ARENA_NEW(&c->mem, hd_option, most);
    for (size_t i = 0; i < p->nsettings; i++) o[i] = p->settings[i];
    while (*text) {
        size_t key = strcspn(text, "="), all = strcspn(text, " ");
        o[p->nsettings++] = (hd_option){arena_strndup(&c->mem, text, key),
                                        arena_strndup(&c->mem, text + key + 1, all - key - 1)};
        text += all + (text[all] == ' ');
    }
    p->settings = o;
}

/* What a configuration is at size small: so much less of the same that the small launches fill its cores as the paper's
 * launches fill the paper's. */
static const char *less(const struct claims *c, const struct claim *claim) {
    return c->size == WORK_SMALL ? claims_smaller(claim->config) : "";
}

static void add_point(struct claims_work *w, const struct claim *claim, const struct claim_machine *m,
                      const struct workload *workload) {
    struct lab_point p = {
        .subject = {.workload = workload, .size = w->c->size}, .config = claim->config, .mech = m->mech};
    add_settings(w->c, &p, less(w->c, claim));
    if (workload->isa != WORK_PTX) add_settings(w->c, &p, claims_machine_code(claim->config));
    add_settings(w->c, &p, m->settings);
    VEC_PUSH(&w->points, p);
}

static void name_schemes(struct claim_result *r) {
    for (const struct table1_scheme *s = table1_schemes; s->name; s++)
        VEC_PUSH(&r->values, (struct claim_value){.workload = s->mech});
}

/* What the paper has for a workload: the next word of its values, which is returned without it. */
static const char *read_value(const char *text, struct claim_value *v) {
    char *end;
    if (!text) return NULL;
    size_t n = strcspn(text, " ");
    for (enum claim_way way = CLAIM_RISES; way <= CLAIM_EITHER; way++)
        if (strlen(claim_way_names[way]) == n && !strncmp(text, claim_way_names[way], n)) v->way = way;
    v->paper = strtod(text, &end);
    v->has_paper = end == text + n && n;
    return text + n + (text[n] == ' ');
}

/* As the store has it: builds are programs of their own. A name may be of a workload that is not there; its value then says so. */
static const char *name_workload(struct claims *c, const char *names) {
    const struct workload *w = claims_workload(names, c->isa);
    return w ? w->name : arena_strndup(&c->mem, names, strcspn(names, " "));
}

static void split_names(struct claims *c, struct claim_result *r) {
    const char *values = r->claim->values;
    if (r->claim->kind == CLAIM_GRID) name_schemes(r);
    for (const char *p = r->claim->workloads; *p;) {
        size_t n = strcspn(p, " ");
        struct claim_value v = {.workload = name_workload(c, p)};
        values = read_value(values, &v);
        VEC_PUSH(&r->values, v);
        p += n + (p[n] == ' ');
    }
}

static void claims_plan(struct claims_work *w, size_t claim) {
    struct claim_result *r = &w->c->results[claim];
    w->first[claim] = w->points.n;
    if (claim_waits(r->claim) || claims_is_study(r->claim)) return;
    for (size_t k = 0; k < r->values.n; k++) {
        const struct workload *found = workload_find(r->values.v[k].workload);
        if (!found) PANIC("claims.def names %s, which is no workload", r->values.v[k].workload);
        for (int i = 0; i < CLAIM_MACHINES; i++)
            if (r->claim->machine[i].mech) add_point(w, r->claim, &r->claim->machine[i], found);
    }
}

/* ---- values by workload ---- */

size_t claims_point(const struct claims_work *w, size_t claim, size_t workload, int machine) {
    const struct claim *c = w->c->results[claim].claim;
    size_t machines = 0, before = 0;
    for (int i = 0; i < CLAIM_MACHINES; i++) {
        machines += c->machine[i].mech != NULL;
        before += i < machine && c->machine[i].mech;
    }
    return w->first[claim] + workload * machines + before;
}

bool claims_stat(struct claims_work *w, size_t claim, size_t workload, int machine, const char *name,
                 double *value) {
    struct err e = {0};
    bool fine = lab_sweep_value(&w->sweep, claims_point(w, claim, workload, machine), name, value, &e);
    struct claim_value *v = &w->c->results[claim].values.v[workload];
    if (!fine && !v->why) v->why = arena_strndup(&w->c->mem, err_text(&e), strcspn(err_text(&e), "\n"));
    err_free(&e);
    return fine;
}

/* Names that stand for the sum of some statistics: threads in cycles without an issue, whatever they wait for, which HARP's
 * Figures 5 and 14 are shares of; and the first-level caches of HARP's Table 3 together. */
static const struct {
    const char *name, *of[4];
} together[] = {
    {"idle", {"idle.dependency", "idle.barrier", "idle.inactive_path", "idle.reconvergence"}},
    {"l1.hits", {"l1d.hits", "l1t.hits", "l1c.hits"}},
    {"l1.accesses", {"l1d.accesses", "l1t.accesses", "l1c.accesses"}},
};
static bool sum_of(struct claims_work *w, size_t claim, size_t workload, int machine, const char *const of[4],
                   double *sum) {
    double v;
    *sum = 0;
    for (size_t i = 0; i < 4 && of[i]; i++) {
        if (!claims_stat(w, claim, workload, machine, of[i], &v)) return false;
        *sum += v;
    }
    return true;
}

static bool claims_operand(struct claims_work *w, size_t claim, size_t workload, int machine,
                           const char *word, double *value) {
    *value = strtod(word, NULL);
    if (word[0] >= '0' && word[0] <= '9') return true;
    for (size_t i = 0; i < sizeof together / sizeof *together; i++)
        if (!strcmp(word, together[i].name))
            return sum_of(w, claim, workload, machine, together[i].of, value);
    return claims_stat(w, claim, workload, machine, word, value);
}

/* The claim's statistic under a machine: names and numbers with + - and / between them, worked out from the left. What is
 * divided by nothing is nothing. divisor: what was divided by last. */
static bool formula(struct claims_work *w, size_t claim, size_t workload, int machine, double *value,
                    double *divisor) {
    char word[64], op = '+';
    *value = 0;
    *divisor = 1;
    for (const char *p = w->c->results[claim].claim->stat; *p;) {
        size_t n = strcspn(p, " ");
        double v;
        if (n >= sizeof word) PANIC("claims.def: %s is too long", p);
        memcpy(word, p, n);
        word[n] = '\0';
        p += n + (p[n] == ' ');
        if (n == 1 && strchr("+-/", word[0])) {
            op = word[0];
            continue;
        }
        if (!claims_operand(w, claim, workload, machine, word, &v)) return false;
        if (op == '/') *divisor = v;
        *value = op == '+' ? *value + v : op == '-' ? *value - v : v > 0 ? *value / v : 0;
    }
    return true;
}

/* Threads that can issue: lanes of all SMs. */
static double peak(const struct claims_work *w, size_t claim, size_t workload) {
    static const char *const keys[] = {"gpu.sms", "sm.simd_width", "sm.schedulers"};
    const struct store_row *row = w->sweep.found[claims_point(w, claim, workload, 0)];
    double product = 1;
    for (size_t i = 0; row && i < sizeof keys / sizeof *keys; i++) {
        const char *text = store_option(row, keys[i]);
        product *= text ? strtod(text, NULL) : 0;
    }
    return product;
}

/* a / b of each run of a design. */
static void responses(const double raw[CLAIM_MACHINES], double response[CLAIM_RUNS]) {
    for (size_t i = 0; i < CLAIM_RUNS; i++) response[i] = raw[2 * i] / raw[2 * i + 1];
}

/* The pairs of machines that a claim compares. */
static size_t pairs_of(const struct claim *c) {
    size_t n = 0;
    while (n < CLAIM_RUNS && c->machine[2 * n].mech) n++;
    return n;
}

static double mean_of_pairs(const struct claim *c, const double response[CLAIM_RUNS]) {
    double sum = 0;
    for (size_t i = 0; i < pairs_of(c); i++) sum += response[i];
    return sum / (double)pairs_of(c);
}

/* The statistic under a, and what it is a share of; and how a and b compare, where the claim is about that. */
static bool one_value(struct claims_work *w, size_t claim, size_t k, double *value,
                      double raw[CLAIM_MACHINES], double *divisor) {
    const struct claim *c = w->c->results[claim].claim;
    double others;
    for (int i = 0; i < CLAIM_MACHINES; i++)
        if (c->machine[i].mech && !formula(w, claim, k, i, &raw[i], i ? &others : divisor)) return false;
    double response[CLAIM_RUNS];
    responses(raw, response);
    switch (c->kind) {
    case CLAIM_OF_PEAK: *value = 100 * raw[0] / peak(w, claim, k); break;
    case CLAIM_COUNT: *value = raw[0]; break;
    case CLAIM_SHARE:
    case CLAIM_POOLED:
    case CLAIM_MOST: *value = 100 * raw[0]; break;
    case CLAIM_CHANGE: *value = 100 * (raw[0] - raw[1]); break;
    case CLAIM_GAP: *value = 100 * (raw[0] / raw[1] - raw[2] / raw[3]); break;
    case CLAIM_PAIRS: *value = 100 * (mean_of_pairs(c, response) - 1); break;
    case CLAIM_EFFECT:
    case CLAIM_RANK: *value = claims_effect(c, response); break;
    default: *value = 100 * (raw[0] / raw[1] - 1); break;
    }
    return true;
}

/* ---- the claim's number ---- */

struct sums {
    size_t n;
    double value, least, most;        /* sum and extremes of values */
    double inverse[2], inverse_ratio; /* sums of 1 / a, 1 / b and b / a */
    double peak;
    double divided, divisor; /* sums of the parts and of the wholes of shares */
    double response[CLAIM_RUNS];
};

static void claims_add(struct sums *s, double value, const double raw[CLAIM_MACHINES]) {
    s->least = !s->n || value < s->least ? value : s->least;
    s->most = !s->n || value > s->most ? value : s->most;
    s->value += value;
    s->inverse[0] += 1 / raw[0];
    s->inverse[1] += 1 / raw[1];
    s->inverse_ratio += raw[1] / raw[0];
    double response[CLAIM_RUNS];
    responses(raw, response);
    for (size_t i = 0; i < CLAIM_RUNS; i++) s->response[i] += response[i];
    s->n++;
}

static double number_of_means(const struct sums *s, const struct claim *c) {
    double mean[CLAIM_RUNS];
    for (size_t i = 0; i < CLAIM_RUNS; i++) mean[i] = s->response[i] / (double)s->n;
    return claims_effect(c, mean);
}

static double claims_number(const struct sums *s, const struct claim *c) {
    double n = (double)s->n;
    switch (c->kind) {
    case CLAIM_OVER: return 100 * (s->inverse[1] / s->inverse[0] - 1);
    case CLAIM_OF_PEAK: return 100 * n / s->inverse[0] / s->peak;
    case CLAIM_POOLED: return s->divisor > 0 ? 100 * s->divided / s->divisor : 0;
    case CLAIM_HARMONIC: return 100 * (n / s->inverse_ratio - 1);
    case CLAIM_BEST:
    case CLAIM_MOST: return s->most;
    case CLAIM_WORST: return s->least;
    case CLAIM_EFFECT:
    case CLAIM_RANK: return number_of_means(s, c);
    default: return s->value / n;
    }
}

/* The least and the largest mean of a pair: how far what the paper does not give moves the number. */
static void add_spread(const struct sums *s, struct claim_result *r) {
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < pairs_of(r->claim); i++) {
        const double mean = 100 * (s->response[i] / (double)s->n - 1);
        least = fmin(least, mean);
        most = fmax(most, mean);
    }
    sb_add(&r->note, "%sOver the %zu pairs of machines from %+.1f to %+.1f %%.", r->note.len ? " " : "",
           pairs_of(r->claim), least, most);
}

static void claims_work_out(struct claims_work *w, size_t claim) {
    struct claim_result *r = &w->c->results[claim];
    struct sums s = {0};
    if (claim_waits(r->claim)) return;
    for (size_t k = 0; k < r->values.n; k++) {
        double raw[CLAIM_MACHINES], divisor = 1;
        for (size_t i = 0; i < CLAIM_MACHINES; i++) raw[i] = 1;
        struct claim_value *v = &r->values.v[k];
        if (!claims_is_study(r->claim)) v->there = one_value(w, claim, k, &v->ours, raw, &divisor);
        if (!v->there) continue;
        if (r->claim->kind == CLAIM_OF_PEAK) s.peak = peak(w, claim, k);
        claims_add(&s, v->ours, raw);
        s.divided += raw[0] * divisor;
        s.divisor += divisor;
    }
    r->there = s.n > 0;
    if (r->there) r->ours = r->claim->values ? s.value / (double)s.n : claims_number(&s, r->claim);
    if (r->claim->kind == CLAIM_AREA) {
        r->there = true;
        r->ours = claims_area(r->claim);
    }
    claim_judge_result(r);
    claims_explain(w, claim);
    if (r->there && r->claim->kind == CLAIM_PAIRS) add_spread(&s, r);
}

bool claims_stopped(struct err *e) {
    return err_set(e, ERR_LIMIT, "stopped");
}

bool claims_tick(struct claims *c, const struct lab_progress *p) {
    c->progress = (struct claim_progress){.done = p->stored + p->done, .points = p->points, .part = p->part};
    return !c->tick || c->tick(c->user, &c->progress);
}

/* ---- all of it ---- */

static bool claims_on_tick(void *user, const struct lab_progress *p) {
    return claims_tick(user, p);
}

static bool run_points(struct claims_work *w, struct err *e) {
    w->sweep = (struct lab_sweep){.store = w->c->store,
                                  .points = w->points.v,
                                  .npoints = w->points.n,
                                  .jobs = w->c->jobs,
                                  .tick = claims_on_tick,
                                  .user = w->c};
    if (!lab_sweep(&w->sweep, e)) return false;
    w->c->progress.done = w->sweep.progress.stored + w->sweep.progress.done;
    w->c->progress.points = w->sweep.progress.points;
    for (size_t i = 0; i < w->sweep.rows.rows.n; i++)
        w->c->wrong += w->sweep.rows.rows.v[i].state == STORE_WRONG;
    return !w->sweep.stopped || claims_stopped(e);
}

bool claims_run(struct claims *c, struct err *e) {
    struct claims_work w = {.c = c, .first = xcalloc(c->n + 1, sizeof *w.first)};
    c->results = xcalloc(c->n + 1, sizeof *c->results);
    for (size_t i = 0; i < c->n; i++) {
        c->results[i].claim = c->list[i];
        split_names(c, &c->results[i]);
        claims_plan(&w, i);
    }
    bool fine = run_points(&w, e) && claims_studies(&w, e);
    for (size_t i = 0; i < c->n && fine; i++) claims_work_out(&w, i);
    lab_sweep_free(&w.sweep);
    VEC_FREE(&w.points);
    free(w.first);
    return fine;
}

void claims_free(struct claims *c) {
    for (size_t i = 0; c->results && i < c->n; i++) {
        VEC_FREE(&c->results[i].values);
        sb_free(&c->results[i].note);
    }
    free(c->results);
    arena_free(&c->mem);
}
