/* What a sweep is going to cost, for --dry-run: the sum for what has not run yet, what it rests on, and how long that is with
 * the jobs there are. */
#include <stdlib.h>

#include "base/workers.h"
#include "lab/store/cost.h"
#include "lab/sweep/sweep.h"

/* Whether a sweep would run it. */
static bool missing(const struct sweep *s, size_t point) {
    const struct store_row *row = s->lab.found[point];
    return !s->lab.again[point] && (!row || (s->lab.retry && row->state != STORE_GOOD));
}

/* "4.2 core-seconds", "3.5 hours" */
static void duration(double seconds, const char *before, struct sb *out) {
    static const struct {
        double from, unit;
        const char *name;
    } units[] = {{7200, 3600, "hours"}, {120, 60, "minutes"}, {0, 1, "seconds"}};
    size_t i = 0;
    while (seconds < units[i].from) i++;
    const double v = seconds / units[i].unit;
    sb_add(out, v < 10 ? "%.2g %s%s" : "%.0f %s%s", v, before, units[i].name);
}

/* "; 5 by the same point before, 2 by others like it" */
static void bases(const size_t n[COST_BASES], struct sb *out) {
    static const char *const words[] = {"by the same point of another build", "by points of the same program",
                                        "scaled from other sizes of it", "unknown"};
    bool any = false;
    for (int i = 0; i < COST_BASES; i++)
        if (n[i]) sb_add(out, "%s%zu %s", any ? ", " : "", n[i], words[i]), any = true;
}

bool sweep_costs(struct sweep *s, struct err *e) {
    struct store_id *ids = xcalloc(s->lab.npoints + 1, sizeof *ids);
    size_t n = 0;
    s->costs = ARENA_NEW(&s->mem, struct lab_cost, s->lab.npoints + 1);
    for (size_t i = 0; i < s->lab.npoints; i++)
        if (missing(s, i)) ids[n++] = s->lab.ids[i];
    s->ncosts = n;
    const bool fine = lab_costs(s->lab.store, ids, n, s->costs, e);
    free(ids);
    return fine;
}

const struct lab_cost *sweep_cost(const struct sweep *s, size_t point, size_t *next) {
    return missing(s, point) ? &s->costs[(*next)++] : NULL;
}

void sweep_cost_total(const struct sweep *s, struct sb *out) {
    const unsigned jobs = s->lab.jobs ? s->lab.jobs : workers_cores();
    size_t n[COST_BASES] = {0};
    double sum = 0;
    for (size_t i = 0; i < s->ncosts; i++) {
        n[s->costs[i].basis]++;
        if (s->costs[i].basis != COST_UNKNOWN) sum += s->costs[i].seconds;
    }
    if (!s->ncosts) return;
    if (n[COST_UNKNOWN] == s->ncosts) {
        sb_add(out, "estimated cost unknown: %s has no time of these programs\n", s->db);
        return;
    }
    sb_add(out, "estimated cost ");
    duration(sum, "core-", out);
    sb_add(out, ", ");
    duration(lab_cost_wall(s->costs, s->ncosts, jobs), "", out);
    sb_add(out, " with %u job%s: ", jobs, jobs == 1 ? "" : "s");
    bases(n, out);
    sb_add(out, "\n");
}
