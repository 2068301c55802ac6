/* What the options of a sweep say, and from that its points. */
#include "lab/store/shard.h"
#include "lab/sweep/sweep.h"

bool sweep_read_options(struct sweep *s, const struct opts *o, struct err *e) {
    s->db = opts_value(o, "db");
    s->quiet = opts_has(o, "quiet");
    s->dry_run = opts_has(o, "dry-run");
    s->lab.retry = opts_has(o, "retry");
    const char *shard = opts_value(o, "shard");
    if (shard && !shard_parse(shard, &s->part, &s->parts, e)) return false;
    if (!s->db) return err_set(e, ERR_INPUT, "--db is missing: the file that results go to");
    if (!cli_jobs(o, &s->lab.jobs, e) || !sweep_axes(s, o, e)) return false;
    return sweep_conditions(s, e);
}

bool sweep_work_out(struct sweep *s, struct err *e) {
    if (!sweep_points(s, e)) return false;
    s->lab.points = s->points.v;
    s->lab.npoints = s->points.n;
    return lab_sweep_ids(&s->lab, e) || sweep_blame(s, s->lab.failed, e);
}
