/* heddle sweep ... --slurm: from points to arrays of tasks.
 *
 * A task costs about a second before its first point runs, so it gets points for thirty seconds at least: start-up stays under
 * 5 %. How long points take is known from those of the same program in the database; of a program that has none there, one
 * point runs here first, for ten seconds at most in all, and is a result like any other. A point that was killed before gets a
 * task of its own, with all of its time and memory. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/outfile.h"
#include "lab/cluster/cluster.h"
#include "report/text.h"

enum { TASK_SECONDS = 30, PILOT_SECONDS = 10, MOST_RETRIES = 1000 };

/* ---- how long points take ---- */

bool cluster_estimate(struct cluster *c, struct err *e) {
    c->estimated = term_seconds();
    return lab_costs(c->s.lab.store, c->s.lab.ids, c->p.n, c->costs, e);
}

/* The seconds of a point; where nothing is known about it, the longest that the pilot may have waited for it, or a
 * second. */
static double seconds_of(const struct cluster *c, size_t position) {
    const struct lab_cost *cost = &c->costs[position];
    return cost->basis != COST_UNKNOWN ? cost->seconds : c->p.per_task ? 1 : PILOT_SECONDS;
}

/* ---- tasks ---- */

/* The next task begins: points from *at on, of those that wait, until they last long enough. */
static struct sweep_plan_task cut_task(const struct cluster *c, const size_t *waiting, size_t n, size_t *at,
                                       const bool *alone) {
    struct sweep_plan_task t = {.positions = waiting + *at};
    double seconds = 0, enough = TASK_SECONDS * (double)c->p.jobs;
    while (*at < n && (c->p.per_task ? t.n < c->p.per_task : seconds < enough) && !(t.n && alone[*at])) {
        seconds += seconds_of(c, waiting[*at]);
        t.n++;
        if (alone[(*at)++]) break;
    }
    return t;
}

/* Points that are missing and of no open task, in r->mem; alone: who was killed before. */
static bool find_waiting(struct cluster *c, struct sweep_plan_round *r, size_t **waiting, bool **alone,
                         size_t *n, struct err *e) {
    *waiting = ARENA_NEW(&r->mem, size_t, c->p.n + 1);
    *alone = ARENA_NEW(&r->mem, bool, c->p.n + 1);
    *n = 0;
    for (size_t i = 0; i < c->p.n; i++) {
        size_t tries;
        const char *why;
        if (c->done[i] || c->flying[i]) continue;
        if (!store_attempts(c->s.lab.store, c->p.key[i], &tries, &why, &r->mem, e)) return false;
        (*alone)[*n] = tries > 0;
        (*waiting)[(*n)++] = i;
    }
    return true;
}

/* ---- a round ---- */

static void quote(struct sb *out, const char *text) {
    sb_add(out, "'");
    for (; *text; text++) sb_addn(out, *text == '\'' ? "'\\''" : text, *text == '\'' ? 4 : 1);
    sb_add(out, "'");
}

static const char *write_script(struct cluster *c, size_t round, size_t first, struct arena *mem,
                                struct err *e) {
    const char *path = sweep_plan_file(&c->p, mem, "round-%zu-%zu.sh", round, first);
    struct sb text = {0};
    struct outfiles files = {0};
    sb_add(&text, "#!/bin/sh\n# Tasks from %zu on of round %zu of a heddle sweep.\nexec ", first, round);
    quote(&text, c->p.program);
    sb_add(&text, " sweep task ");
    quote(&text, c->p.folder);
    sb_add(&text, " %zu $((%zu + SLURM_ARRAY_TASK_ID))\n", round, first);
    outfile_begin(&files, &c->s.cli->writing);
    bool fine = outfile_write(&files, path, text.text, text.len, e) && outfile_sync(&files, e);
    outfile_free(&files);
    sb_free(&text);
    return fine ? path : NULL;
}

/* In Slurm's names of files % begins a pattern. */
static const char *log_pattern(const struct sweep_plan *p, struct arena *mem) {
    struct sb text = {0};
    for (const char *at = p->folder; *at; at++) sb_addn(&text, *at == '%' ? "%%" : at, *at == '%' ? 2 : 1);
    sb_add(&text, "/log-%%A_%%a.txt");
    return sb_keep(&text, mem);
}

static bool submit_array(struct cluster *c, size_t round, struct sweep_plan_round *r, size_t first, size_t n,
                         struct err *e) {
    const char *base = strrchr(c->p.db, '/');
    struct slurm_job j = {.script = write_script(c, round, first, &r->mem, e),
                          .name = base ? base + 1 : c->p.db,
                          .output = log_pattern(&c->p, &r->mem),
                          .args = c->p.sbatch,
                          .cores = c->p.jobs,
                          .tasks = n};
    struct sweep_plan_job job = {.first = first, .tasks = n};
    if (!j.script || !slurm_submit(&j, &job.id, e)) return false;
    VEC_PUSH(&r->jobs, job);
    return sweep_plan_write_round(c->s.cli, &c->p, round, r, e);
}

/* The round is on the disk before a task can look for it. */
static bool submit_round(struct cluster *c, struct sweep_plan_round *r, struct err *e) {
    size_t most = slurm_largest_array(), round = c->rounds.n + 1;
    bool fine = sweep_plan_write_round(c->s.cli, &c->p, round, r, e);
    for (size_t first = 0; first < r->tasks.n && fine; first += most)
        fine = submit_array(c, round, r, first, r->tasks.n - first < most ? r->tasks.n - first : most, e);
    return fine;
}

bool cluster_submit(struct cluster *c, struct err *e) {
    struct sweep_plan_round r = {0};
    size_t *waiting, n, at = 0;
    bool *alone;
    bool fine = cluster_estimate(c, e) && find_waiting(c, &r, &waiting, &alone, &n, e);
    while (fine && at < n) VEC_PUSH(&r.tasks, cut_task(c, waiting, n, &at, alone));
    fine = fine && submit_round(c, &r, e);
    c->submitted = term_seconds();
    if (fine || r.jobs.n)
        cluster_add_round(c, &r); /* also what was submitted before the error */
    else
        sweep_plan_free_round(&r);
    return fine;
}

/* ---- the plan ---- */

static bool read_count(const struct opts *o, const char *name, const char *other, size_t usual, size_t most,
                       size_t *out, struct err *e) {
    const char *text = opts_value(o, name);
    struct sb option = {0};
    uint64_t v = usual;
    sb_add(&option, "--%s", name);
    bool fine = !text || (other && !strcmp(text, other)) || cli_number(option.text, text, most, &v, e);
    sb_free(&option);
    *out = (size_t)v;
    return fine;
}

static bool submit_read_options(struct cluster *c, const struct opts *o, struct err *e) {
    struct slurm_words words = {0};
    const char *sbatch = opts_value(o, "sbatch"), *per = opts_value(o, "points-per-task");
    if (!sweep_read_options(&c->s, o, e)) return false;
    if (c->s.parts) return err_set(e, ERR_INPUT, "--shard and --slurm cannot both part the sweep");
    if (!read_count(o, "points-per-task", "auto", 0, 1000000, &c->p.per_task, e) ||
        !read_count(o, "retries", NULL, 2, MOST_RETRIES, &c->p.retries, e))
        return false;
    if (per && !c->p.per_task && strcmp(per, "auto") != 0)
        return err_set(e, ERR_INPUT, "--points-per-task: N is at least 1, or auto");
    c->p.sbatch = sbatch ? sbatch : "";
    c->p.jobs = c->s.lab.jobs ? c->s.lab.jobs : 1;
    bool fine = slurm_split(c->p.sbatch, &c->mem, &words, e);
    VEC_FREE(&words.v);
    return fine && sweep_plan_place(&c->p, c->s.db, e);
}

/* The words that span the points: all but those that say where and how they run. */
static void keep_words(struct sweep_plan *p, const struct opts *o) {
    static const char *const other[] = {"db",    "jobs",   "dry-run",         "retry",   "quiet", "shard",
                                        "slurm", "sbatch", "points-per-task", "retries", NULL};
    p->words = ARENA_NEW(&p->mem, const char *, o->given.n + o->operands.n + 2);
    for (size_t i = 0; i < o->given.n; i++) {
        const struct opt_given *g = &o->given.v[i];
        struct sb word = {0};
        size_t k = 0;
        while (other[k] && strcmp(other[k], g->opt->name) != 0) k++;
        if (other[k]) continue;
        sb_add(&word, g->value && *g->value ? "--%s=%s" : "--%s", g->opt->name, g->value);
        p->words[p->nwords++] = sb_keep(&word, &p->mem);
    }
    p->words[p->nwords++] = "--";
    for (size_t i = 0; i < o->operands.n; i++) p->words[p->nwords++] = o->operands.v[i];
}

/* Finds the points that are to run, of those that differ; what is stored is counted. */
static size_t *find_missing(struct cluster *c, size_t *n) {
    size_t all, *points = sweep_unique(&c->s.lab, &all);
    *n = 0;
    memset(c->s.before, 0, sizeof c->s.before);
    c->p.all = all;
    c->p.sweep = sweep_hash(&c->s.lab, points, all);
    for (size_t i = 0; i < all; i++) {
        const struct store_row *row = c->s.lab.found[points[i]];
        if (row && !(c->s.lab.retry && row->state != STORE_GOOD))
            c->s.before[row->state]++;
        else
            points[(*n)++] = points[i];
    }
    return points;
}

/* ---- the pilot ---- */

struct pilot {
    struct stop *stop;
    double until;
};

static bool pilot_tick(void *user, const struct lab_progress *p) {
    struct pilot *pilot = user;
    (void)p;
    return term_seconds() < pilot->until && !stop_asked(pilot->stop);
}

/* Whether there is one of the same program among the first n that were chosen. */
static bool chosen_before(const struct cluster *c, const size_t *chosen, size_t n,
                          const struct store_id *id) {
    for (size_t i = 0; i < n; i++) {
        const struct store_id *other = &c->s.lab.ids[chosen[i]];
        if (!strcmp(other->workload, id->workload) && !strcmp(other->size, id->size)) return true;
    }
    return false;
}

/* The first point of every program of which nothing is known. */
static bool choose_pilot(struct cluster *c, const size_t *missing, size_t n, size_t *chosen, size_t *nchosen,
                         struct err *e) {
    struct store_id *ids = xcalloc(n + 1, sizeof *ids);
    struct lab_cost *costs = xcalloc(n + 1, sizeof *costs);
    for (size_t i = 0; i < n; i++) ids[i] = c->s.lab.ids[missing[i]];
    bool fine = lab_costs(c->s.lab.store, ids, n, costs, e);
    for (size_t i = 0; i < n && fine; i++)
        if (costs[i].basis == COST_UNKNOWN && !chosen_before(c, chosen, *nchosen, &ids[i]))
            chosen[(*nchosen)++] = missing[i];
    free(costs);
    free(ids);
    return fine;
}

static bool run_pilot(struct cluster *c, const size_t *missing, size_t n, bool *ran, struct err *e) {
    struct pilot pilot = {.stop = &c->s.stop, .until = term_seconds() + PILOT_SECONDS};
    size_t *chosen = xcalloc(n + 1, sizeof *chosen);
    struct lab_sweep w = {.store = c->s.lab.store, .jobs = c->s.lab.jobs, .tick = pilot_tick, .user = &pilot};
    bool fine = choose_pilot(c, missing, n, chosen, &w.npoints, e);
    struct lab_point *points = xcalloc(w.npoints + 1, sizeof *points);
    for (size_t i = 0; i < w.npoints; i++) points[i] = c->s.points.v[chosen[i]];
    w.points = points;
    *ran = w.npoints > 0;
    stop_hold(&c->s.stop, c->s.cli);
    fine = fine && (!w.npoints || lab_sweep(&w, e));
    stop_release(&c->s.stop);
    lab_sweep_free(&w);
    free(points);
    free(chosen);
    return fine;
}

/* ---- all of it ---- */

static bool forget_retried(struct cluster *c, const size_t *missing, size_t n, struct err *e) {
    for (size_t i = 0; i < n; i++)
        if (c->s.lab.found[missing[i]] && !store_forget(c->s.lab.store, c->s.lab.ids[missing[i]].key, e))
            return false;
    return true;
}

static bool prepare_folder(struct cluster *c, struct err *e) {
    if (mkdir(c->p.folder, 0777) && errno != EEXIST)
        return err_set(e, ERR_INPUT, "cannot make the folder %s: %s", c->p.folder, strerror(errno));
    return sweep_plan_lock(&c->p, e);
}

static bool make_plan(struct cluster *c, const size_t *missing, size_t n, struct err *e) {
    char here[4096], program[4096];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (!getcwd(here, sizeof here) || length < 0)
        return err_set(e, ERR_INPUT, "cannot tell this folder: %s", strerror(errno));
    program[length] = 0;
    c->p.cwd = arena_strdup(&c->p.mem, here);
    c->p.program = arena_strdup(&c->p.mem, program);
    c->p.version = c->s.lab.ids[0].version;
    keep_words(&c->p, c->s.opts);
    c->p.n = n;
    c->p.point = ARENA_NEW(&c->p.mem, size_t, n + 1);
    c->p.key = ARENA_NEW(&c->p.mem, uint64_t, n + 1);
    for (size_t i = 0; i < n; i++) c->p.point[i] = missing[i], c->p.key[i] = c->s.lab.ids[missing[i]].key;
    memcpy(c->p.before, c->s.before, sizeof c->p.before);
    sweep_choose(&c->s, missing, n);
    return sweep_plan_write(c->s.cli, &c->p, e);
}

/* Finds out what is to run, with a pilot if need be; then it is on the disk and with Slurm. */
static bool submit_start(struct cluster *c, struct err *e) {
    size_t n = 0, *missing = NULL;
    bool ran = false;
    bool fine = lab_sweep_look(&c->s.lab, e);
    if (fine) {
        missing = find_missing(c, &n);
        fine = c->p.per_task || !n || run_pilot(c, missing, n, &ran, e);
    }
    if (fine && ran) {
        free(missing);
        fine = lab_sweep_look(&c->s.lab, e);
        missing = fine ? find_missing(c, &n) : NULL;
    }
    if (fine && n && !stop_asked(&c->s.stop)) {
        fine = forget_retried(c, missing, n, e) && prepare_folder(c, e);
        if (fine && !(make_plan(c, missing, n, e) && cluster_begin(c, e) && cluster_submit(c, e))) {
            if (!c->tasks.n) sweep_plan_remove(&c->p);
            fine = false;
        }
    }
    free(missing);
    return fine;
}

enum cli_exit cluster_sweep(struct cli *cli, const struct sweep_host *host, const struct opts *o) {
    struct cluster c = {.s = {.cli = cli, .host = host, .opts = o}};
    struct err e = {0};
    enum cli_exit status;
    if (!submit_read_options(&c, o, &e))
        status = cli_usage(cli, &e);
    else if (sweep_plan_there(&c.p)) {
        err_set(&e, ERR_INPUT,
                "a sweep into %s is under way: 'heddle sweep resume %s' takes it up, 'heddle sweep cancel "
                "%s' ends it",
                c.s.db, c.s.db, c.s.db);
        status = cli_fail(cli, &e);
    } else {
        cli->store = &c.s.lab.store;
        bool fine = sweep_work_out(&c.s, &e) && store_open(c.s.db, STORE_WRITE, &c.s.lab.store, &e) &&
                    submit_start(&c, &e);
        status = !fine ? cli_fail(cli, &e) : stop_asked(&c.s.stop) ? CLI_FAILED : cluster_watch(&c, &e);
    }
    status = cluster_end(&c, status);
    err_free(&e);
    return status;
}
