/* heddle sweep task FOLDER ROUND TASK: what an array of Slurm runs. It reads the plan, works out its own points and nothing
 * else, checks that they are what they were when the plan was made, and runs them into a shard. What goes wrong is said in the
 * shard too, where the process that attends to the sweep looks for it. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lab/cluster/plan.h"
#include "lab/store/shard.h"

struct task {
    struct sweep s;
    struct sweep_plan p;
    struct opts opts;
    size_t round, number, start;
    const struct sweep_plan_task *mine;
    struct sweep_plan_round in;
};

static size_t number_from(const char *text) {
    return text ? (size_t)strtoull(text, NULL, 10) : 0;
}

/* ---- the plan ---- */

static bool listed(const struct sweep_plan_round *r, uint64_t job) {
    for (size_t i = 0; i < r->jobs.n; i++)
        if (r->jobs.v[i].id == job) return true;
    return false;
}

/* The process that submits an array writes its number down right after. A job that is not on the list belongs to no
 * plan: its process died in between, and what it was to run will be submitted again. */
static bool read_round(struct task *t, struct err *e) {
    enum { PATIENCE_SECONDS = 60 };
    const char *job = getenv("SLURM_ARRAY_JOB_ID");
    for (int half = 0; half < 2 * PATIENCE_SECONDS; half++) {
        bool there;
        if (!sweep_plan_read_round(&t->p, t->round, &t->in, &there, e)) return false;
        if (there && (!job || listed(&t->in, number_from(job)))) {
            if (t->number >= t->in.tasks.n)
                return err_set(e, ERR_INPUT, "round %zu has no task %zu", t->round, t->number);
            t->mine = &t->in.tasks.v[t->number];
            return true;
        }
        sweep_plan_free_round(&t->in);
        nanosleep(&(struct timespec){.tv_nsec = 500000000}, NULL);
    }
    return err_set(e, ERR_INPUT, "job %s is not of round %zu of %s", job ? job : "", t->round, t->p.folder);
}

static bool open_shard(struct task *t, struct err *e) {
    struct shard_about about = {
        .sweep = t->p.sweep, .points = t->mine->n, .version = t->p.version, .host = sweep_host(&t->s.mem)};
    t->s.db = sweep_plan_shard(&t->p, t->round, t->number, t->start, &t->s.mem);
    t->s.cli->store = &t->s.lab.store;
    return store_open_shard(t->s.db, &about, &t->s.lab.store, e);
}

/* Slurm may start a task again. What it had done before is there, in a file that another host may still write to. */
static bool take_over(struct task *t, struct err *e) {
    bool fine = true;
    for (size_t i = 0; i < t->start && fine; i++) {
        struct shard_found found;
        struct store_added added;
        struct err ignored = {0};
        const char *path = sweep_plan_shard(&t->p, t->round, t->number, i, &t->s.mem);
        if (shard_read(path, &found, &ignored))
            fine = store_add(t->s.lab.store, &found.rows, path, &added, e);
        shard_found_free(&found);
        err_free(&ignored);
    }
    return fine;
}

/* ---- points ---- */

static bool cluster_task_choose(struct task *t, struct err *e) {
    size_t *points = xcalloc(t->mine->n + 1, sizeof *points);
    bool fine = true;
    for (size_t i = 0; i < t->mine->n && fine; i++) {
        points[i] = t->p.point[t->mine->positions[i]];
        fine = points[i] < t->s.points.n ||
               err_set(e, ERR_INPUT, "the command spans no point %zu any more", points[i]);
    }
    if (fine) sweep_choose(&t->s, points, t->mine->n);
    free(points);
    return fine;
}

static bool check_keys(struct task *t, struct err *e) {
    for (size_t i = 0; i < t->mine->n; i++)
        if (t->s.lab.ids[i].key != t->p.key[t->mine->positions[i]])
            return err_set(e, ERR_INPUT,
                           "%s under %s is not the point it was when the sweep began: a file, a "
                           "configuration or heddle itself "
                           "has changed since",
                           t->s.lab.ids[i].workload, t->s.lab.ids[i].mech);
    return true;
}

static bool cluster_task_work_out(struct task *t, struct err *e) {
    return sweep_read_plan(&t->s, &t->p, &t->opts, e) && cluster_task_choose(t, e) &&
           lab_sweep_ids(&t->s.lab, e) && check_keys(t, e);
}

static bool cluster_task_on_tick(void *user, const struct lab_progress *p) {
    struct task *t = user;
    (void)p;
    return !stop_asked(&t->s.stop);
}

static bool cluster_task_simulate(struct task *t, struct err *e) {
    struct lab_sweep *lab = &t->s.lab;
    lab->tick = cluster_task_on_tick;
    lab->user = t;
    lab->jobs = t->p.jobs;
    bool fine = cluster_task_work_out(t, e) && take_over(t, e) && lab_sweep(lab, e);
    struct sb why = {0};
    sb_add(&why, "%s%s", !fine && e->code == ERR_MEMORY ? "out of memory: " : "",
           fine ? lab->stopped ? "stopped" : "" : err_text(e));
    store_shard_end(lab->store, why.text);
    sb_free(&why);
    return fine;
}

static bool cluster_task_run(struct task *t, struct err *e) {
    if (!sweep_plan_read(&t->p, e)) return false;
    if (chdir(t->p.cwd)) return err_set(e, ERR_INPUT, "there is no folder %s here", t->p.cwd);
    return read_round(t, e) && open_shard(t, e) && cluster_task_simulate(t, e);
}

enum cli_exit cluster_task(struct cli *cli, const struct sweep_host *host, const struct opts *o) {
    struct task t = {.s = {.cli = cli, .host = host}};
    struct err e = {0};
    enum cli_exit status = CLI_OK;
    t.p.folder = o->operands.v[1];
    t.round = number_from(o->operands.v[2]);
    t.number = number_from(o->operands.v[3]);
    t.start = number_from(getenv("SLURM_RESTART_COUNT"));
    stop_hold(&t.s.stop, cli);
    if (!cluster_task_run(&t, &e)) status = cli_fail(cli, &e);
    stop_release(&t.s.stop);
    cli->store = NULL;
    store_close(t.s.lab.store);
    lab_sweep_free(&t.s.lab);
    status = stop_die(&t.s.stop, cli, status);
    sweep_free(&t.s);
    opts_free(&t.opts);
    sweep_plan_free_round(&t.in);
    sweep_plan_free(&t.p);
    err_free(&e);
    return status;
}
