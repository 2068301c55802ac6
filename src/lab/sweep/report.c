/* What a sweep says: the points it has before it runs (--dry-run), and after it how they ended. */
#include <string.h>

#include "lab/sweep/sweep.h"
#include "report/table.h"

static const char *sweep_plural(size_t n) {
    return n == 1 ? "" : "s";
}

/* "bfs small under pdom on tiny, gpu.sms=4" */
static void point_name(const struct store_id *id, struct sb *out) {
    const bool sized = strcmp(id->size, "-") != 0;
    sb_add(out, "%s%s%s under %s on %s%s%s", id->workload, sized ? " " : "", sized ? id->size : "", id->mech,
           id->config, *id->options ? ", " : "", id->options);
}

static void cost_cell(struct table *t, const struct lab_cost *cost) {
    if (!cost)
        table_cell(t, "%s", "");
    else if (cost->basis == COST_UNKNOWN)
        table_cell(t, "?");
    else
        table_cell(t, "%s%.3f", cost->basis == COST_SAME ? "" : "~", cost->seconds);
}

void sweep_list(const struct sweep *s, struct sb *out) {
    struct table t;
    size_t next = 0;
    const bool host = opts_has(s->opts, "host");
    table_init(&t, host ? "llllllr" : "llllll");
    TABLE_HEAD(&t, "workload", "size", "config", "mechanism", "options", "stored", host ? "seconds" : NULL);
    for (size_t i = 0; i < s->lab.npoints; i++) {
        const struct store_id *id = &s->lab.ids[i];
        const struct lab_cost *cost = sweep_cost(s, i, &next);
        const char *const text[] = {id->workload, id->size, id->config, id->mech, id->options};
        if (s->lab.again[i]) continue;
        for (size_t k = 0; k < 5; k++) table_cell(&t, "%s", text[k]);
        table_cell(&t, "%s", s->lab.found[i] ? store_state_names[s->lab.found[i]->state] : "no");
        if (host) cost_cell(&t, cost);
    }
    table_print(&t, 0, out);
    table_free(&t);
    sb_add(out, "%zu point%s, %zu stored, %zu to run\n", s->lab.progress.points,
           sweep_plural(s->lab.progress.points), s->lab.progress.stored,
           s->lab.progress.points - s->lab.progress.stored);
    if (s->left_out) sb_add(out, "%zu left out by --skip-where\n", s->left_out);
    sweep_cost_total(s, out);
}

/* One line of what happened to a point that did not end well; the whole text is in the database. */
static void sweep_complain(const struct sweep *s, const struct store_row *row) {
    struct sb text = {0};
    point_name(&row->id, &text);
    sb_add(&text, ": %.*s", (int)strcspn(row->error, "\n"), row->error);
    if (row->state == STORE_WRONG)
        term_error(&s->cli->term, s->cli->command->name, text.text);
    else
        term_warning(&s->cli->term, s->cli->command->name, text.text);
    sb_free(&text);
}

static enum cli_exit stopped(const struct sweep *s) {
    struct sb text = {0};
    sb_add(&text, "stopped; %zu of %zu points are in %s, and the same command goes on from there",
           s->lab.rows.rows.n, s->lab.progress.points, s->db);
    term_error(&s->cli->term, s->cli->command->name, text.text);
    sb_free(&text);
    return CLI_FAILED;
}

enum cli_exit sweep_report(const struct sweep *s, struct sb *out) {
    const struct lab_progress *p = &s->lab.progress;
    size_t ended[STORE_KILLED + 1];
    memcpy(ended, s->before, sizeof ended);
    for (size_t i = 0; i < s->lab.rows.rows.n; i++) {
        const struct store_row *row = &s->lab.rows.rows.v[i];
        ended[row->state]++;
        if (row->state != STORE_GOOD) sweep_complain(s, row);
    }
    if (s->lab.stopped) return stopped(s);
    sb_add(out, "%zu point%s: %zu stored before, %zu run; %zu ok, %zu failed, %zu wrong", p->points,
           sweep_plural(p->points), p->stored, p->done, ended[STORE_GOOD], ended[STORE_FAILED],
           ended[STORE_WRONG]);
    if (ended[STORE_REFUSED]) sb_add(out, ", %zu refused", ended[STORE_REFUSED]);
    if (ended[STORE_KILLED]) sb_add(out, ", %zu killed", ended[STORE_KILLED]);
    sb_add(out, "\n");
    if (s->cli->term.out_tty)
        sb_add(out, "%s%.1f s of host time; 'heddle results --db %s' shows them%s\n",
               term_on(&s->cli->term, TERM_DIM), term_seconds() - s->progress.start, s->db,
               term_on(&s->cli->term, TERM_PLAIN));
    return ended[STORE_WRONG] || ended[STORE_KILLED] ? CLI_FAILED : CLI_OK;
}
