/* heddle sweep: the points that axes span (lab/sweep), into a database.
 *
 * A sweep that is interrupted abandons the runs under way, closes the database, says how to go on, and then dies of the
 * signal after all (stop.h). */
#include "lab/sweep/sweep.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/cmd/commands.h"
#include "cli/cmd/sweep/programs.h"
#include "lab/cluster/cluster.h"
#include "subject/machine.h"

/* A sweep that only lists its points changes nothing, and a database that is not there has none of them. */
static bool open_store(struct sweep *s, struct err *e) {
    s->cli->store = &s->lab.store;
    if (s->parts) return sweep_open_shard(s, e);
    if (!s->dry_run) return store_open(s->db, STORE_WRITE, &s->lab.store, e);
    bool there = !access(s->db, F_OK) || errno != ENOENT;
    return store_open(there ? s->db : NULL, there ? STORE_READ : STORE_WRITE, &s->lab.store, e);
}

/* ---- the sweep ---- */

static bool sweep_on_tick(void *user, const struct lab_progress *p) {
    struct sweep *s = user;
    char what[128];
    if (stop_asked(&s->stop)) return false;
    size_t n = snprintf(what, sizeof what, "%zu of %zu points", p->stored + p->done, p->points) > 0
                   ? strlen(what)
                   : 0;
    if (p->bad) snprintf(what + n, sizeof what - n, ", %zu wrong or failed", p->bad);
    if (!s->quiet) progress_part(&s->progress, p->part, what);
    return true;
}

static bool sweep_simulate(struct sweep *s, struct err *e) {
    stop_hold(&s->stop, s->cli);
    s->lab.tick = sweep_on_tick;
    s->lab.user = s;
    progress_start(&s->progress, &s->cli->term);
    bool fine = lab_sweep(&s->lab, e);
    store_shard_end(s->lab.store, fine ? s->lab.stopped ? "stopped" : "" : err_text(e));
    progress_end(&s->progress);
    stop_release(&s->stop);
    return fine;
}

static enum cli_exit sweep_show(struct sweep *s) {
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

static const struct sweep_host host = {sweep_options, sweep_add_program, sweep_free_program};

enum cli_exit sweep_main(struct cli *cli, const struct opts *o) {
    if (cluster_is_verb(o)) return cluster_verb(cli, &host, o);
    if (opts_has(o, "slurm") && !opts_has(o, "dry-run")) return cluster_sweep(cli, &host, o);
    struct sweep s = {.cli = cli, .host = &host, .opts = o};
    struct err e = {0};
    enum cli_exit status;
    if (opts_has(o, "mech") && !opts_has(o, "points")) machine_warn_unused(cli, o, opts_value(o, "mech"));
    if (!sweep_read_options(&s, o, &e))
        status = cli_usage(cli, &e);
    else if (!sweep_work_out(&s, &e) || !open_store(&s, &e) ||
             !(s.dry_run ? lab_sweep_look(&s.lab, &e) && sweep_costs(&s, &e) : sweep_simulate(&s, &e)))
        status = cli_fail(cli, &e);
    else
        status = sweep_show(&s);
    cli->store = NULL;
    store_close(s.lab.store);
    lab_sweep_free(&s.lab);
    status = stop_die(&s.stop, cli, status);
    sweep_free(&s);
    err_free(&e);
    return status;
}
