/* Running what is missing.
 *
 * A point's device is opened with every option in force (store_id.option), which is what its key is made of: what is stored
 * under a key ran on exactly that machine, whatever became of the configuration's file in the meantime.
 *
 * Points run in the order in which they were asked for, until it shows that another sweep is at work on the same store: a point
 * was missing when this one began and is there now. Then the others are looked for where they have most likely not been, in the
 * middle of the longest stretch of points that have not begun, so that sweeps share the work instead of doing it twice.
 *
 * How far a sweep is, is told in host seconds: what points of the same program took, in this sweep or an earlier one, is
 * what those to come are taken for; of a program of which nothing is known, the mean of all. */
#include "lab/sweep/run.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "lab/run/pool.h"

enum state { WAITING, RUNNING, ENDED };

struct task {
    size_t point;
    size_t group;
    enum state state;
    double start, seconds;
};

/* Points of one program and size. */
struct group {
    const char *workload, *size;
    double seconds; /* seconds of the points that ended */
    size_t ended;
};

struct sweep_run {
    struct lab_sweep *s;
    VEC(struct task) tasks;
    size_t from; /* where the next task is looked for */
    VEC(struct group) groups;
    atomic_bool stop;
    pthread_mutex_t lock; /* guards the tasks' progress, from, the groups, s->progress and err */
    struct err err;       /* error of the store */
};

/* ---- what is there ---- */

static int sweep_run_by_key(const void *a, const void *b, void *ids) {
    size_t i = *(const size_t *)a, k = *(const size_t *)b;
    uint64_t x = ((const struct store_id *)ids)[i].key, y = ((const struct store_id *)ids)[k].key;
    return x != y ? (x > y) - (x < y) : (i > k) - (i < k);
}

/* The keys of all points, ascending, each once; marks the points that were asked for before. */
static size_t unique_keys(struct lab_sweep *s, uint64_t *keys) {
    size_t n = 0, *order = xcalloc(s->npoints + 1, sizeof *order);
    for (size_t i = 0; i < s->npoints; i++) order[i] = i;
    if (s->npoints) qsort_r(order, s->npoints, sizeof *order, sweep_run_by_key, s->ids);
    for (size_t i = 0; i < s->npoints; i++) {
        uint64_t key = s->ids[order[i]].key;
        s->again[order[i]] = n && key == keys[n - 1];
        if (!s->again[order[i]]) keys[n++] = key;
    }
    free(order);
    return n;
}

/* Reads the points of the sweep that are there. */
static bool sweep_run_look(struct lab_sweep *s, struct err *e) {
    uint64_t *keys = xcalloc(s->npoints + 1, sizeof *keys);
    s->progress.points = unique_keys(s, keys);
    store_rows_free(&s->rows);
    bool fine = store_read(s->store, keys, s->progress.points, &s->rows, e);
    for (size_t i = 0; i < s->npoints; i++) s->found[i] = fine ? store_by_key(&s->rows, s->ids[i].key) : NULL;
    free(keys);
    return fine;
}

bool lab_sweep_ids(struct lab_sweep *s, struct err *e) {
    s->ids = xcalloc(s->npoints + 1, sizeof *s->ids);
    s->again = xcalloc(s->npoints + 1, sizeof *s->again);
    s->found = xcalloc(s->npoints + 1, sizeof *s->found);
    struct lab_known *known = lab_known_new(&s->mem);
    size_t i = 0;
    while (i < s->npoints && lab_known_id(known, &s->points[i], &s->ids[i], e)) i++;
    lab_known_free(known);
    s->failed = i;
    return i == s->npoints;
}

bool lab_sweep_look(struct lab_sweep *s, struct err *e) {
    s->progress = (struct lab_progress){0};
    if ((!s->ids && !lab_sweep_ids(s, e)) || !sweep_run_look(s, e)) return false;
    s->progress.stored = s->rows.rows.n;
    return true;
}

/* ---- progress ---- */

static size_t sweep_run_group_of(struct sweep_run *c, const struct store_id *id) {
    size_t g = 0;
    for (; g < c->groups.n; g++)
        if (!strcmp(c->groups.v[g].workload, id->workload) && !strcmp(c->groups.v[g].size, id->size))
            return g;
    VEC_PUSH(&c->groups, (struct group){.workload = id->workload, .size = id->size});
    return g;
}

static void sweep_run_learn(struct group *g, double seconds) {
    g->seconds += seconds;
    g->ended++;
}

/* What a point of no known program is taken for. */
static double mean_seconds(const struct sweep_run *c) {
    double sum = 0;
    size_t n = 0;
    for (size_t g = 0; g < c->groups.n; g++) sum += c->groups.v[g].seconds, n += c->groups.v[g].ended;
    return n && sum > 0 ? sum / (double)n : 1;
}

/* The part of all seconds that is behind us. */
static double part_done(const struct sweep_run *c) {
    double mean = mean_seconds(c), behind = 0, all = 0, at = lab_seconds();
    for (size_t i = 0; i < c->tasks.n; i++) {
        const struct task *t = &c->tasks.v[i];
        const struct group *g = &c->groups.v[t->group];
        double guess = g->ended ? g->seconds / (double)g->ended : mean;
        double spent = t->state == ENDED ? t->seconds : t->state == RUNNING ? at - t->start : 0;
        behind += spent;
        all += t->state == ENDED || spent > guess ? spent : guess;
    }
    return all > 0 ? behind / all : 1;
}

/* The first error of the store ends the sweep. */
static void sweep_run_give_up(struct sweep_run *c, const struct err *e) {
    pthread_mutex_lock(&c->lock);
    if (!c->err.code) err_set(&c->err, e->code, "%s", err_text(e));
    pthread_mutex_unlock(&c->lock);
    atomic_store(&c->stop, true);
}

static void sweep_run_on_tick(void *user) {
    struct sweep_run *c = user;
    struct lab_sweep *s = c->s;
    struct err e = {0};
    if (!store_flush(s->store, &e)) sweep_run_give_up(c, &e);
    err_free(&e);
    pthread_mutex_lock(&c->lock);
    s->progress.part = part_done(c);
    struct lab_progress p = s->progress;
    pthread_mutex_unlock(&c->lock);
    if (s->tick && !s->tick(s->user, &p)) atomic_store(&c->stop, true);
}

/* ---- runs ---- */

static int sweep_run_on_progress(void *user, uint64_t done, uint64_t all) {
    struct sweep_run *c = user;
    (void)done, (void)all;
    return !atomic_load(&c->stop);
}

static bool on_stop(void *user) {
    struct sweep_run *c = user;
    return atomic_load(&c->stop);
}

static void on_open(void *user, hd_device *dev) {
    hd_set_progress(dev, sweep_run_on_progress, user);
}

/* The next task that waits; there are as many calls as tasks. */
static struct task *sweep_run_begin(struct sweep_run *c) {
    pthread_mutex_lock(&c->lock);
    while (c->tasks.v[c->from % c->tasks.n].state != WAITING) c->from++;
    struct task *t = &c->tasks.v[c->from++ % c->tasks.n];
    t->state = RUNNING;
    t->start = lab_seconds();
    pthread_mutex_unlock(&c->lock);
    return t;
}

static void go_elsewhere(struct sweep_run *c) {
    size_t longest = 0, length = 0;
    pthread_mutex_lock(&c->lock);
    for (size_t i = 0; i < c->tasks.n; i++) {
        length = c->tasks.v[i].state == WAITING ? length + 1 : 0;
        if (length <= longest) continue;
        longest = length;
        c->from = i + 1 - (length + 1) / 2;
    }
    pthread_mutex_unlock(&c->lock);
}

/* Counts a point that is in the store now; ran false: another sweep put it there. */
static void sweep_run_end(struct sweep_run *c, struct task *t, bool ran, bool bad) {
    pthread_mutex_lock(&c->lock);
    struct lab_progress *p = &c->s->progress;
    t->state = ENDED;
    t->seconds = ran ? lab_seconds() - t->start : 0;
    if (ran) sweep_run_learn(&c->groups.v[t->group], t->seconds);
    p->done += ran;
    p->bad += bad;
    p->stored += !ran;
    pthread_mutex_unlock(&c->lock);
}

/* Whether another sweep has put the point there; then it is counted as stored, and this sweep looks for others elsewhere. */
static bool put_by_another(struct sweep_run *c, struct task *t, bool *there, struct err *e) {
    enum store_state state;
    *there = false;
    if (c->s->retry) return true;
    if (!store_has(c->s->store, c->s->ids[t->point].key, there, &state, e)) return false;
    if (!*there) return true;
    sweep_run_end(c, t, false, state != STORE_GOOD);
    go_elsewhere(c);
    return true;
}

/* Stores what came of a run. */
static bool sweep_run_keep(struct sweep_run *c, struct task *t, const struct lab_outcome *o, struct err *e) {
    bool there;
    if (!put_by_another(c, t, &there, e)) return false;
    if (there) return true;
    if (!store_put(c->s->store, &c->s->ids[t->point], o, c->s->retry, e)) return false;
    sweep_run_end(c, t, true, o->err.code || o->wrong);
    return true;
}

/* An abandoned run is no result; its error would be HD_LIMIT's, and a script may end early without any. Nor is one that the
 * host had no memory for. */
static bool run_point(struct sweep_run *c, struct task *t, struct err *e) {
    const struct store_id *id = &c->s->ids[t->point];
    struct lab_hooks hooks = {.opened = on_open, .stop = on_stop, .user = c};
    hd_config config = {.options = id->option, .noptions = id->noptions};
    struct lab_outcome o;
    lab_run(&c->s->points[t->point].subject, &config, &hooks, &o);
    bool abandoned =
        atomic_load(&c->stop) && (o.err.code == ERR_LIMIT || c->s->points[t->point].subject.script);
    bool fine = abandoned || (o.err.code == ERR_MEMORY ? err_set(e, ERR_MEMORY, "%s under %s: %s",
                                                                 id->workload, id->mech, err_text(&o.err))
                                                       : sweep_run_keep(c, t, &o, e));
    lab_outcome_free(&o);
    return fine;
}

static void run_task(void *user, size_t number) {
    struct sweep_run *c = user;
    struct err e = {0};
    bool there;
    (void)number;
    if (atomic_load(&c->stop)) return;
    struct task *t = sweep_run_begin(c);
    if (!put_by_another(c, t, &there, &e) ||
        (!there && !(store_begin(c->s->store, c->s->ids[t->point].key, &e) && run_point(c, t, &e))))
        sweep_run_give_up(c, &e);
    err_free(&e);
}

/* A task for each point that is missing, in the order in which they were asked for. */
static void sweep_run_plan(struct sweep_run *c) {
    for (size_t i = 0; i < c->s->npoints; i++) {
        const struct store_row *row = c->s->found[i];
        size_t group = sweep_run_group_of(c, &c->s->ids[i]);
        if (row && row->state < STORE_FAILED) sweep_run_learn(&c->groups.v[group], row->seconds);
        if (c->s->again[i] || (row && !(c->s->retry && row->state != STORE_GOOD))) continue;
        VEC_PUSH(&c->tasks, (struct task){.point = i, .group = group});
        if (row) c->s->progress.stored--;
    }
}

bool lab_sweep(struct lab_sweep *s, struct err *e) {
    if (!lab_sweep_look(s, e)) return false;
    struct sweep_run c = {.s = s};
    pthread_mutex_init(&c.lock, NULL);
    sweep_run_plan(&c);
    /* found out now and not when the first point, which may have taken an hour, is to be put */
    if (!c.tasks.n || store_writable(s->store, &c.err)) {
        store_batch(s->store, true);
        lab_run_tasks(
            &(struct lab_tasks){.n = c.tasks.n, .run = run_task, .tick = sweep_run_on_tick, .user = &c},
            s->jobs);
        store_batch(s->store, false);
    }
    s->stopped = atomic_load(&c.stop);
    s->progress.part = part_done(&c);
    bool fine = !c.err.code || err_set(e, c.err.code, "%s", err_text(&c.err));
    pthread_mutex_destroy(&c.lock);
    err_free(&c.err);
    VEC_FREE(&c.tasks);
    VEC_FREE(&c.groups);
    return fine && sweep_run_look(s, e);
}

void lab_sweep_free(struct lab_sweep *s) {
    store_rows_free(&s->rows);
    free(s->ids);
    free(s->again);
    free(s->found);
    arena_free(&s->mem);
    s->ids = NULL;
    s->again = NULL;
    s->found = NULL;
}

bool lab_sweep_value(const struct lab_sweep *s, size_t point, const char *name, double *value,
                     struct err *e) {
    const struct store_row *row = s->found[point];
    const struct store_id *id = &s->ids[point];
    if (!row) return err_set(e, ERR_INPUT, "%s under %s has not run", id->workload, id->mech);
    if (row->state != STORE_GOOD)
        return err_set(e, ERR_FAULT, "%s under %s%s: %s", id->workload, id->mech,
                       row->state == STORE_FAILED ? " failed" : "", row->error);
    size_t at = store_find(&s->rows, name, e);
    if (at == s->rows.names.n) return false;
    if (store_number(row, at, value)) return true;
    return err_set(e, ERR_INPUT, "%s under %s has no statistic %s", id->workload, id->mech, name);
}
