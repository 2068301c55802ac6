/* heddle sweep status|resume|cancel DB: a sweep over a cluster, taken up by the name of its database, from any shell that sees
 * the same files. */
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lab/cluster/cluster.h"
#include "lab/store/shard.h"

/* Reads the plan, and works out its points as they were: who attends to a sweep has to tell them by name. */
static bool take_up(struct cluster *c, const char *db, struct err *e) {
    c->s.db = db;
    if (!sweep_plan_place(&c->p, db, e)) return false;
    if (!sweep_plan_there(&c->p))
        return err_set(e, ERR_INPUT, "no sweep into %s is under way: there is no plan in %s", db,
                       c->p.folder);
    return sweep_plan_read(&c->p, e);
}

static bool status_work_out(struct cluster *c, struct err *e) {
    char here[4096];
    if (!getcwd(here, sizeof here) || chdir(c->p.cwd))
        return err_set(e, ERR_INPUT, "there is no folder %s here", c->p.cwd);
    bool fine = sweep_read_plan(&c->s, &c->p, &c->opts, e);
    for (size_t i = 0; i < c->p.n && fine; i++)
        fine = c->p.point[i] < c->s.points.n ||
               err_set(e, ERR_INPUT, "the command spans no point %zu any more", c->p.point[i]);
    if (fine) sweep_choose(&c->s, c->p.point, c->p.n);
    fine = fine && (lab_sweep_ids(&c->s.lab, e) || sweep_blame(&c->s, c->s.lab.failed, e));
    if (chdir(here)) return err_set(e, ERR_INPUT, "cannot go back to %s: %s", here, strerror(errno));
    for (size_t i = 0; i < c->p.n && fine; i++)
        fine = c->s.lab.ids[i].key == c->p.key[i] ||
               err_set(e, ERR_INPUT,
                       "%s under %s is not the point it was when the sweep began: a file, a configuration or "
                       "heddle itself has "
                       "changed since; 'heddle sweep cancel %s' ends it and keeps what is there",
                       c->s.lab.ids[i].workload, c->s.lab.ids[i].mech, c->s.db);
    return fine;
}

/* ---- resume ---- */

static enum cli_exit status_resume(struct cluster *c, struct err *e) {
    c->s.cli->store = &c->s.lab.store;
    if (!sweep_plan_lock(&c->p, e) || !status_work_out(c, e) ||
        !store_open(c->p.db, STORE_WRITE, &c->s.lab.store, e) || !lab_sweep_look(&c->s.lab, e))
        return cli_fail(c->s.cli, e);
    return cluster_begin(c, e) && cluster_estimate(c, e) ? cluster_watch(c, e) : cli_fail(c->s.cli, e);
}

/* ---- status ---- */

static bool open_to_read(struct cluster *c, struct err *e) {
    bool there = !access(c->p.db, F_OK);
    return store_open(there ? c->p.db : NULL, there ? STORE_READ : STORE_WRITE, &c->s.lab.store, e);
}

static void tell_tasks(const struct cluster *c, struct sb *out) {
    size_t active = 0, waiting = 0, ended = 0;
    for (size_t i = 0; i < c->tasks.n; i++) {
        const struct cluster_task *t = &c->tasks.v[i];
        active += t->open && t->active;
        waiting += t->open && !t->active;
        ended += !t->open;
    }
    sb_add(out, "  tasks: %zu running, %zu waiting, %zu ended, in %zu round%s\n", active, waiting, ended,
           c->rounds.n, c->rounds.n == 1 ? "" : "s");
}

/* Points that were killed, and why. */
static bool tell_killed(struct cluster *c, struct sb *out, struct err *e) {
    for (size_t i = 0; i < c->p.n; i++) {
        const struct store_id *id = &c->s.lab.ids[i];
        size_t tries;
        const char *why;
        if (!store_attempts(c->s.lab.store, c->p.key[i], &tries, &why, &c->mem, e)) return false;
        if (!*why) continue;
        sb_add(out, "  %s %s under %s on %s%s%s: %s%s\n", id->workload, id->size, id->mech, id->config,
               *id->options ? ", " : "", id->options, why, c->done[i] ? "" : "; it is tried again");
    }
    return true;
}

static bool status_tell(struct cluster *c, struct sb *out, struct err *e) {
    const char *holder = sweep_plan_locked_by(&c->p, &c->mem);
    size_t stored = c->p.all - c->p.n + c->ndone, running = cluster_running(c);
    sb_add(out, "%s: %zu of %zu points, %zu running, %zu wrong, failed or killed", c->s.db, stored, c->p.all,
           running, c->nbad);
    if (cluster_left(c) >= 0) sb_add(out, ", about %.0f s left", cluster_left(c));
    sb_add(out, "\n");
    tell_tasks(c, out);
    if (holder)
        sb_add(out, "  attended to by process %s\n", holder);
    else
        sb_add(out, "  no process attends to it: run 'heddle sweep resume %s'\n", c->s.db);
    return tell_killed(c, out, e);
}

static enum cli_exit cluster_status(struct cluster *c, struct err *e) {
    struct sb text = {0};
    c->s.cli->store = &c->s.lab.store;
    bool fine = status_work_out(c, e) && open_to_read(c, e);
    fine = fine && cluster_begin(c, e) && cluster_estimate(c, e) && cluster_look(c, false, e) &&
           status_tell(c, &text, e);
    if (fine) term_print(&c->s.cli->term, &text);
    sb_free(&text);
    return fine ? CLI_OK : cli_fail(c->s.cli, e);
}

/* ---- cancel ---- */

/* Who attends to it is asked to, and has done so when the plan is gone. */
static bool ask_to_cancel(struct cluster *c, const char *holder, struct err *e) {
    enum { PATIENCE = 600 };
    if (!sweep_plan_ask_cancel(&c->p, e)) return false;
    for (int i = 0; i < PATIENCE && sweep_plan_there(&c->p); i++)
        nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
    return !sweep_plan_there(&c->p) ||
           err_set(e, ERR_INPUT, "process %s, which attends to %s, does not cancel it", holder, c->s.db);
}

static bool cancel_here(struct cluster *c, struct err *e) {
    return sweep_plan_lock(&c->p, e) && store_open(c->p.db, STORE_WRITE, &c->s.lab.store, e) &&
           cluster_begin(c, e) && cluster_cancel(c, e);
}

static enum cli_exit cancel(struct cluster *c, struct err *e) {
    struct sb text = {0};
    const char *holder = sweep_plan_locked_by(&c->p, &c->mem);
    c->s.cli->store = &c->s.lab.store;
    if (!(holder ? ask_to_cancel(c, holder, e) : cancel_here(c, e))) return cli_fail(c->s.cli, e);
    if (holder)
        sb_add(&text, "cancelled by process %s, which attended to it\n", holder);
    else
        sb_add(&text, "cancelled; %zu of %zu points are in %s\n", c->p.all - c->p.n + c->ndone, c->p.all,
               c->s.db);
    term_print(&c->s.cli->term, &text);
    sb_free(&text);
    return CLI_OK;
}

/* ---- words ---- */

static const struct {
    const char *word;
    enum cli_exit (*run)(struct cluster *c, struct err *e);
} verbs[] = {{"status", cluster_status}, {"resume", status_resume}, {"cancel", cancel}};

static size_t verb_of(const struct opts *o) {
    size_t i = 0, n = sizeof verbs / sizeof *verbs;
    while (i < n && strcmp(o->operands.v[0], verbs[i].word) != 0) i++;
    return i;
}

bool cluster_is_verb(const struct opts *o) {
    return o->operands.n && (verb_of(o) < sizeof verbs / sizeof *verbs || !strcmp(o->operands.v[0], "task"));
}

enum cli_exit cluster_verb(struct cli *cli, const struct sweep_host *host, const struct opts *o) {
    struct cluster c = {.s = {.cli = cli, .host = host, .opts = o, .quiet = opts_has(o, "quiet")}};
    struct err e = {0};
    enum cli_exit done;
    size_t verb = verb_of(o);
    if (!strcmp(o->operands.v[0], "task") && o->operands.n == 4) return cluster_task(cli, host, o);
    if (o->operands.n != 2 || o->given.n > c.s.quiet) {
        err_set(&e, ERR_INPUT, "%s takes the name of a database and nothing else", o->operands.v[0]);
        done = cli_usage(cli, &e);
    } else
        done = take_up(&c, o->operands.v[1], &e) ? verbs[verb].run(&c, &e) : cli_fail(cli, &e);
    done = cluster_end(&c, done);
    err_free(&e);
    return done;
}
