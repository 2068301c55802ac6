/* Attending to a sweep over a cluster: shards go into the database as they grow, tasks that died leave word of why, and what
 * they did not run goes to Slurm again.
 *
 * Nothing is remembered but on the disk: rounds say what was submitted, shards what was done, the database what is known of
 * points that were killed. A process can end at any time, and another do the same from there. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/bound.h"
#include "lab/cluster/cluster.h"
#include "lab/store/shard.h"

enum { RETRY_SECONDS = 30, REFUSED_SECONDS = 5, MOST_REFUSED = 20, MOST_FRUITLESS = 3, LOG_BYTES = 4096 };

#define CUT "its shard was cut or damaged"

/* ---- what there is ---- */

static const struct sweep_plan_job *job_of(const struct sweep_plan_round *r, size_t task) {
    for (size_t i = 0; i < r->jobs.n; i++)
        if (task >= r->jobs.v[i].first && task - r->jobs.v[i].first < r->jobs.v[i].tasks)
            return &r->jobs.v[i];
    return NULL;
}

void cluster_add_round(struct cluster *c, const struct sweep_plan_round *r) {
    VEC_PUSH(&c->rounds, *r);
    for (size_t i = 0; i < r->tasks.n; i++) {
        const struct sweep_plan_job *j = job_of(r, i);
        struct cluster_task t = {.round = c->rounds.n,
                                 .number = i,
                                 .job = j ? j->id : 0,
                                 .index = j ? i - j->first : 0,
                                 .positions = r->tasks.v[i].positions,
                                 .n = r->tasks.v[i].n,
                                 .open = j != NULL};
        VEC_PUSH(&c->tasks, t);
        for (size_t k = 0; k < t.n && t.open; k++) c->flying[t.positions[k]] = true;
    }
}

static int cluster_watch_by_key(const void *a, const void *b, void *keys) {
    uint64_t x = ((const uint64_t *)keys)[*(const size_t *)a],
             y = ((const uint64_t *)keys)[*(const size_t *)b];
    return (x > y) - (x < y);
}

/* Where the key is in the plan; p.n: nowhere. */
static size_t position_of(const struct cluster *c, uint64_t key) {
    size_t at;
    BOUND(at, 0, c->p.n, c->p.key[c->by_key[at]] < key);
    return at < c->p.n && c->p.key[c->by_key[at]] == key ? c->by_key[at] : c->p.n;
}

static void is_done(struct cluster *c, uint64_t key, enum store_state state) {
    size_t at = position_of(c, key);
    if (at == c->p.n || c->done[at]) return;
    c->done[at] = true;
    c->ndone++;
    c->nbad += state != STORE_GOOD;
}

bool cluster_begin(struct cluster *c, struct err *e) {
    size_t n = c->p.n;
    c->done = ARENA_NEW(&c->mem, bool, n + 1);
    c->flying = ARENA_NEW(&c->mem, bool, n + 1);
    c->costs = ARENA_NEW(&c->mem, struct lab_cost, n + 1);
    c->by_key = ARENA_NEW(&c->mem, size_t, n + 1);
    for (size_t i = 0; i < n; i++) c->by_key[i] = i;
    if (n) qsort_r(c->by_key, n, sizeof *c->by_key, cluster_watch_by_key, c->p.key);
    for (size_t i = 0; i < n; i++) {
        enum store_state state;
        bool there;
        if (!store_has(c->s.lab.store, c->p.key[i], &there, &state, e)) return false;
        if (there) is_done(c, c->p.key[i], state);
    }
    for (bool there = true; there;) {
        struct sweep_plan_round r;
        if (!sweep_plan_read_round(&c->p, c->rounds.n + 1, &r, &there, e)) return false;
        if (there)
            cluster_add_round(c, &r);
        else
            sweep_plan_free_round(&r);
    }
    return true;
}

static void mark_flying(struct cluster *c) {
    memset(c->flying, 0, c->p.n * sizeof *c->flying);
    for (size_t i = 0; i < c->tasks.n; i++)
        for (size_t k = 0; k < c->tasks.v[i].n && c->tasks.v[i].open; k++)
            c->flying[c->tasks.v[i].positions[k]] = true;
}

size_t cluster_running(const struct cluster *c) {
    size_t n = 0;
    for (size_t i = 0; i < c->tasks.n; i++)
        if (c->tasks.v[i].open) n += c->tasks.v[i].running;
    return n;
}

double cluster_left(const struct cluster *c) {
    size_t running = cluster_running(c);
    double sum = 0;
    for (size_t i = 0; i < c->p.n; i++) {
        if (!c->done[i] && c->costs[i].basis == COST_UNKNOWN) return -1;
        if (!c->done[i]) sum += c->costs[i].seconds;
    }
    if (!running) return -1;
    return sum / (double)running;
}

/* ---- shards ---- */

/* What one of them has; `killed`: what it was at. A file that is none, as a host that fell may leave it, is named and has
 * nothing. */
static bool read_shard(struct cluster *c, const char *path, bool write, struct shard_found *found,
                       struct err *e) {
    struct err why = {0};
    struct store_added added;
    bool fine = true;
    if (shard_read(path, found, &why)) {
        fine = !write || store_add(c->s.lab.store, &found->rows, path, &added, e);
        for (size_t i = 0; i < found->rows.rows.n && fine; i++) {
            const struct store_row *row = &found->rows.rows.v[i];
            is_done(c, row->id.key, row->state);
        }
    } else
        term_warning(&c->s.cli->term, c->s.cli->command->name, err_text(&why));
    err_free(&why);
    return fine;
}

static uint64_t bytes_of(const char *path) {
    struct stat st;
    return stat(path, &st) ? 0 : (uint64_t)st.st_size;
}

/* ---- tasks that have ended ---- */

static const char *tail_of_log(const struct cluster *c, const struct cluster_task *t, struct arena *mem) {
    char text[LOG_BYTES + 1] = "";
    FILE *f = fopen(sweep_plan_log(&c->p, t->job, t->index, mem), "r");
    if (!f) return "";
    if (!fseek(f, 0, SEEK_END) && ftell(f) > LOG_BYTES)
        fseek(f, -LOG_BYTES, SEEK_END);
    else
        rewind(f);
    text[fread(text, 1, LOG_BYTES, f)] = 0;
    fclose(f);
    return arena_strdup(mem, text);
}

/* A point was killed: noted, and when that has happened too often, stored as killed. */
static bool note_killed(struct cluster *c, uint64_t key, const char *task, const char *why, struct err *e) {
    size_t at = position_of(c, key), tries;
    const char *last;
    if (at == c->p.n || c->done[at]) return true;
    if (!store_attempt(c->s.lab.store, key, task, why, e) ||
        !store_attempts(c->s.lab.store, key, &tries, &last, &c->mem, e))
        return false;
    c->moved++;
    if (tries <= c->p.retries) return true;
    if (!store_put_killed(c->s.lab.store, &c->s.lab.ids[at], why, e)) return false;
    is_done(c, key, STORE_KILLED);
    return true;
}

static size_t points_missing(const struct cluster *c, const struct cluster_task *t) {
    size_t n = 0;
    for (size_t i = 0; i < t->n; i++) n += !c->done[t->positions[i]];
    return n;
}

static void tell_lost(const struct cluster *c, const struct cluster_task *t, const char *why,
                      size_t missing) {
    struct sb text = {0};
    sb_add(&text, "task %zu of round %zu: %s; %zu of its %zu points are missing", t->number, t->round, why,
           missing, t->n);
    term_warning(&c->s.cli->term, c->s.cli->command->name, text.text);
    sb_free(&text);
}

/* A shard of a task that is over, or that Slurm has started again since. */
static bool end_shard(struct cluster *c, const struct cluster_task *t, const struct slurm_task *slurm,
                      size_t start, bool last, const struct shard_found *found, struct err *e) {
    struct sb task = {0};
    sb_add(&task, "%llu_%zu.%zu", (unsigned long long)t->job, t->index, start);
    const char *name = sb_keep(&task, &c->mem);
    const char *why = found->bad ? CUT
                      : last     ? slurm_why(slurm, found->reason, tail_of_log(c, t, &c->mem), &c->mem)
                                 : "requeued: Slurm ended its task and started it again";
    bool fine = true;
    for (size_t i = 0; i < found->running.n && fine; i++)
        fine = note_killed(c, found->running.v[i], name, why, e);
    return fine;
}

/* Looks at the shards of a task, one for each time it was started; over: Slurm does not run it any more. */
static bool look_at_task(struct cluster *c, struct cluster_task *t, const struct slurm_task *slurm, bool over,
                         bool write, struct err *e) {
    struct arena mem = {0};
    uint64_t bytes = 0;
    size_t starts = 0;
    bool fine = true, cut = false;
    for (uint64_t n; (n = bytes_of(sweep_plan_shard(&c->p, t->round, t->number, starts, &mem))); starts++)
        bytes += n;
    for (size_t i = 0; i < starts && fine && (over || bytes != t->seen); i++) {
        struct shard_found found;
        fine = read_shard(c, sweep_plan_shard(&c->p, t->round, t->number, i, &mem), write, &found, e);
        bool last = i + 1 == starts;
        cut |= found.bad > 0;
        if (last) t->running = over || found.ended ? 0 : found.running.n;
        if (fine && write && !c->cancelling && (over || !last))
            fine = end_shard(c, t, slurm, i, last, &found, e);
        shard_found_free(&found);
    }
    t->seen = bytes;
    if (over) {
        t->open = false;
        size_t missing = points_missing(c, t);
        if (missing && fine && write && !c->cancelling)
            tell_lost(c, t, cut ? CUT : slurm_why(slurm, "", tail_of_log(c, t, &c->mem), &c->mem), missing);
    }
    arena_free(&mem);
    return fine;
}

/* ---- all of them ---- */

static const struct slurm_task *slurm_of(const struct slurm_tasks *all, const struct cluster_task *t) {
    for (size_t i = 0; i < all->v.n; i++)
        if (all->v.v[i].job == t->job && all->v.v[i].index == t->index) return &all->v.v[i];
    return NULL;
}

static bool cluster_watch_ask(struct cluster *c, struct slurm_tasks *out) {
    VEC(uint64_t) jobs = {0};
    struct err e = {0};
    for (size_t i = 0; i < c->tasks.n; i++) {
        const struct cluster_task *t = &c->tasks.v[i];
        if (t->open && (!jobs.n || jobs.v[jobs.n - 1] != t->job)) VEC_PUSH(&jobs, t->job);
    }
    bool fine = slurm_ask(jobs.v, jobs.n, out, &e);
    if (!fine && !c->warned) term_warning(&c->s.cli->term, c->s.cli->command->name, err_text(&e));
    c->warned = !fine;
    VEC_FREE(&jobs);
    err_free(&e);
    return fine;
}

/* Slurm is asked first: what a task has written when it is over is then there to be read. */
bool cluster_look(struct cluster *c, bool write, struct err *e) {
    struct slurm_tasks all;
    bool answered = cluster_watch_ask(c, &all), fine = true;
    for (size_t i = 0; i < c->tasks.n && fine; i++) {
        struct cluster_task *t = &c->tasks.v[i];
        if (!t->open) continue;
        const struct slurm_task *slurm = slurm_of(&all, t);
        t->active = slurm && !strcmp(slurm->state, "RUNNING");
        fine = look_at_task(c, t, slurm, answered && (!slurm || slurm->ended), write, e);
    }
    slurm_tasks_free(&all);
    mark_flying(c);
    return fine;
}

/* ---- what is to be submitted again ---- */

static size_t count_waiting(const struct cluster *c, bool *any_open) {
    size_t n = 0;
    *any_open = false;
    for (size_t i = 0; i < c->p.n; i++) n += !c->done[i] && !c->flying[i];
    for (size_t i = 0; i < c->tasks.n; i++) *any_open |= c->tasks.v[i].open;
    return n;
}

static bool cluster_watch_give_up(const struct cluster *c, struct err *e) {
    const struct cluster_task *t = &c->tasks.v[c->tasks.n - 1];
    struct arena mem = {0};
    const char *log = tail_of_log(c, t, &mem);
    err_set(e, ERR_INPUT, "tasks end before they run a point; the last one said: %.*s",
            *log ? (int)strcspn(log, "\n") : 7, *log ? log : "nothing");
    arena_free(&mem);
    return false;
}

/* When Slurm cannot take it now, it may in a while. */
static bool try_submit(struct cluster *c, struct err *e) {
    if (cluster_submit(c, e)) return c->refused = 0, true;
    if (++c->refused >= MOST_REFUSED) return false;
    if (c->refused == 1) term_warning(&c->s.cli->term, c->s.cli->command->name, err_text(e));
    return true;
}

/* What failed goes to Slurm again: at once when nothing else is under way, or after a while, together. */
static bool submit_again(struct cluster *c, struct err *e) {
    double since = term_seconds() - c->submitted;
    bool any_open;
    if (!count_waiting(c, &any_open)) return true;
    if (since < (c->refused ? REFUSED_SECONDS : any_open ? RETRY_SECONDS : 0)) return true;
    c->fruitless = c->refused || c->ndone + c->moved > c->mark ? 0 : c->fruitless + 1;
    c->mark = c->ndone + c->moved;
    return c->fruitless < MOST_FRUITLESS ? try_submit(c, e) : cluster_watch_give_up(c, e);
}

/* ---- cancelling ---- */

/* No point is stored as killed for that. */
bool cluster_cancel(struct cluster *c, struct err *e) {
    enum { PATIENCE = 600 };
    bool any_open = true;
    c->cancelling = true;
    for (size_t i = 0; i < c->rounds.n; i++)
        for (size_t k = 0; k < c->rounds.v[i].jobs.n; k++)
            slurm_cancel(&c->rounds.v[i].jobs.v[k].id, 1, e); /* it may be no more */
    for (int i = 0; i < PATIENCE && any_open; i++) {
        if (i) nanosleep(&(struct timespec){.tv_nsec = 500000000}, NULL);
        if (!cluster_look(c, true, e)) return false;
        count_waiting(c, &any_open);
    }
    if (any_open) return err_set(e, ERR_INPUT, "tasks of %s do not end; try again later", c->s.db);
    sweep_plan_remove(&c->p);
    return true;
}

static enum cli_exit cancelled(struct cluster *c, struct err *e) {
    struct sb text = {0};
    if (!cluster_cancel(c, e)) return cli_fail(c->s.cli, e);
    sb_add(&text, "cancelled; %zu of %zu points are in %s", c->p.all - c->p.n + c->ndone, c->p.all, c->s.db);
    term_error(&c->s.cli->term, c->s.cli->command->name, text.text);
    sb_free(&text);
    return CLI_FAILED;
}

/* ---- watching ---- */

static void cluster_watch_show(struct cluster *c) {
    char what[160];
    size_t running = cluster_running(c);
    if (c->s.quiet || !c->s.cli->term.err_tty) return;
    snprintf(what, sizeof what, "%zu of %zu points, %zu running, %zu wrong, failed or killed",
             c->p.all - c->p.n + c->ndone, c->p.all, running, c->nbad);
    progress_left(&c->s.progress, (double)(c->p.all - c->p.n + c->ndone) / (double)c->p.all, cluster_left(c),
                  what);
}

/* In steps that a signal is noticed between. */
static void pause_for(struct cluster *c, double seconds) {
    double until = term_seconds() + seconds;
    sweep_plan_renew(&c->p);
    do {
        cluster_watch_show(c);
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    } while (term_seconds() < until && !stop_asked(&c->s.stop));
}

/* Points that have ended tell about those to come. */
static bool estimate_again(struct cluster *c, size_t before, struct err *e) {
    enum { OFTEN_SECONDS = 20 };
    if (c->ndone + c->moved == before || term_seconds() - c->estimated < OFTEN_SECONDS) return true;
    return cluster_estimate(c, e);
}

static bool watch(struct cluster *c, struct err *e) {
    double pause = 0.2;
    while (c->ndone < c->p.n && !stop_asked(&c->s.stop) && !sweep_plan_cancel_asked(&c->p)) {
        size_t before = c->ndone + c->moved;
        if (!cluster_look(c, true, e) || !estimate_again(c, before, e) ||
            (c->ndone < c->p.n && !submit_again(c, e)))
            return false;
        pause = c->ndone + c->moved > before ? 0.2 : pause < 10 ? pause * 1.3 : pause;
        if (c->ndone < c->p.n) pause_for(c, pause);
    }
    return true;
}

static void tell_left(const struct cluster *c) {
    struct sb text = {0};
    sb_add(&text,
           "left; %zu of %zu points are in %s, and Slurm goes on with the others. 'heddle sweep resume %s' "
           "takes it up again, "
           "status shows how far it is, cancel ends it",
           c->p.all - c->p.n + c->ndone, c->p.all, c->s.db, c->s.db);
    term_error(&c->s.cli->term, c->s.cli->command->name, text.text);
    sb_free(&text);
}

/* All points are there: what a sweep on this host would say. */
static enum cli_exit cluster_watch_report(struct cluster *c, struct err *e) {
    struct sb text = {0};
    if (!lab_sweep_look(&c->s.lab, e)) return cli_fail(c->s.cli, e);
    c->s.lab.progress =
        (struct lab_progress){.points = c->p.all, .stored = c->p.all - c->p.n, .done = c->p.n};
    memcpy(c->s.before, c->p.before, sizeof c->s.before);
    enum cli_exit status = sweep_report(&c->s, &text);
    if (!c->s.quiet) term_print(&c->s.cli->term, &text);
    sb_free(&text);
    return status;
}

enum cli_exit cluster_watch(struct cluster *c, struct err *e) {
    stop_hold(&c->s.stop, c->s.cli);
    progress_start(&c->s.progress, &c->s.cli->term);
    bool fine = watch(c, e);
    progress_end(&c->s.progress);
    stop_release(&c->s.stop);
    if (!fine) return cli_fail(c->s.cli, e);
    if (c->ndone < c->p.n && sweep_plan_cancel_asked(&c->p)) return cancelled(c, e);
    if (c->ndone < c->p.n) return tell_left(c), CLI_FAILED;
    if (c->p.n) sweep_plan_remove(&c->p);
    return cluster_watch_report(c, e);
}

enum cli_exit cluster_end(struct cluster *c, enum cli_exit status) {
    if (c->p.folder) sweep_plan_unlock(&c->p);
    c->s.cli->store = NULL;
    store_close(c->s.lab.store);
    lab_sweep_free(&c->s.lab);
    status = stop_die(&c->s.stop, c->s.cli, status);
    for (size_t i = 0; i < c->rounds.n; i++) sweep_plan_free_round(&c->rounds.v[i]);
    VEC_FREE(&c->rounds);
    VEC_FREE(&c->tasks);
    sweep_free(&c->s);
    opts_free(&c->opts);
    sweep_plan_free(&c->p);
    arena_free(&c->mem);
    return status;
}
