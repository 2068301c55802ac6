/* heddle sweep: the cross product of workloads, machines and mechanisms, into a database.
 *
 * Signals that would end the process are held back while points run and asked for ten times a second: a sweep that is
 * interrupted abandons the runs under way, closes the database, says how to go on, and then dies of the signal after all. */
#include "cli/sweep.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static bool read_options(struct sweep *s, const struct opts *o, struct err *e) {
    const char *jobs = opts_value(o, "jobs");
    uint64_t n = 0;
    s->db = opts_value(o, "db");
    s->quiet = opts_has(o, "quiet");
    s->dry_run = opts_has(o, "dry-run");
    s->lab.retry = opts_has(o, "retry");
    if (!s->db) return err_set(e, ERR_INPUT, "--db is missing: the file that results go to");
    if (jobs && !cli_number("--jobs", jobs, 1024, &n, e)) return false;
    if (jobs && !n) return err_set(e, ERR_INPUT, "--jobs: N is at least 1");
    s->lab.jobs = (unsigned)n;
    if (!sweep_axes(s, o, e)) return false;
    s->lab.points = s->points.v;
    s->lab.npoints = s->points.n;
    return true;
}

/* A sweep that only lists its points changes nothing, and a database that is not there has none of them. */
static bool open_store(struct sweep *s, struct err *e) {
    if (!s->dry_run) return store_open(s->db, STORE_WRITE, &s->lab.store, e);
    bool there = !access(s->db, F_OK) || errno != ENOENT;
    return store_open(there ? s->db : NULL, there ? STORE_READ : STORE_WRITE, &s->lab.store, e);
}

/* ---- signals ---- */

/* What is ignored, as by nohup, stays so. */
static void hold_signals(struct sweep *s) {
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
    sigemptyset(&s->signals);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        struct sigaction now;
        if (!sigaction(ending[i], NULL, &now) && now.sa_handler != SIG_IGN) sigaddset(&s->signals, ending[i]);
    }
    pthread_sigmask(SIG_BLOCK, &s->signals, NULL);
}

static bool on_tick(void *user, const struct lab_progress *p) {
    struct sweep *s = user;
    struct timespec at_once = {0};
    char what[128];
    int got = sigtimedwait(&s->signals, NULL, &at_once);
    if (got > 0 && !s->signal) s->signal = got;
    if (s->signal) return false;
    size_t n = snprintf(what, sizeof what, "%zu of %zu points", p->stored + p->done, p->points) > 0
                   ? strlen(what)
                   : 0;
    if (p->bad) snprintf(what + n, sizeof what - n, ", %zu wrong or failed", p->bad);
    if (!s->quiet) progress_part(&s->progress, p->part, what);
    return true;
}

/* The parent sees that it was the signal. Returns when that does not end the process. */
static enum cli_exit die(struct sweep *s) {
    fflush(s->cli->term.out);
    pthread_sigmask(SIG_UNBLOCK, &s->signals, NULL);
    raise(s->signal);
    return CLI_FAILED;
}

/* ---- the sweep ---- */

static bool simulate(struct sweep *s, struct err *e) {
    hold_signals(s);
    s->lab.tick = on_tick;
    s->lab.user = s;
    progress_start(&s->progress, &s->cli->term);
    bool fine = lab_sweep(&s->lab, e);
    progress_end(&s->progress);
    if (!s->signal) pthread_sigmask(SIG_UNBLOCK, &s->signals, NULL);
    return fine;
}

static enum cli_exit show(struct sweep *s) {
    struct sb text = {0};
    enum cli_exit status = CLI_OK;
    if (s->dry_run)
        sweep_list(s, &text);
    else
        status = sweep_report(s, &text);
    if (!s->quiet || s->dry_run) term_print(&s->cli->term, &text);
    sb_free(&text);
    return status;
}

enum cli_exit sweep_main(struct cli *cli, const struct opts *o) {
    struct sweep s = {.cli = cli};
    struct err e = {0};
    enum cli_exit status;
    if (!read_options(&s, o, &e))
        status = cli_usage(cli, &e);
    else if (!lab_sweep_ids(&s.lab, &e) || !open_store(&s, &e) ||
             !(s.dry_run ? lab_sweep_look(&s.lab, &e) : simulate(&s, &e)))
        status = cli_fail(cli, &e);
    else
        status = show(&s);
    store_close(s.lab.store);
    lab_sweep_free(&s.lab);
    if (s.signal) status = die(&s);
    sweep_axes_free(&s);
    arena_free(&s.mem);
    err_free(&e);
    return status;
}
