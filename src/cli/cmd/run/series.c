/* The time series of a run: a table for people, with a bar for what was done in each interval, and JSON. */
#include <inttypes.h>

#include "cli/cmd/run/run.h"
#include "report/bar.h"
#include "report/table.h"
#include "report/text.h"
#include "sim/sim.h"

enum { BAR_WIDTH = 32, MOST_ROWS = 64 };

static double ipc(const struct series_sample *s) {
    return s->cycles ? (double)s->sm.sm.thread_insts / (double)s->cycles : 0;
}

static double run_series_lanes(const struct series_sample *s) {
    return s->sm.sm.warp_insts ? (double)s->sm.sm.thread_insts / (double)s->sm.sm.warp_insts : 0;
}

static void run_series_row(struct table *t, const struct series_sample *s, bool launches, double full,
                           bool utf8) {
    struct sb bar = {0}, cycle = {0}, left = {0};
    text_grouped(&cycle, s->cycle);
    text_grouped(&left, s->unfinished);
    bar_add(&bar, ipc(s), full, BAR_WIDTH, utf8);
    if (launches) table_cell(t, "%" PRIu64, s->launch);
    table_cell(t, "%s", cycle.text);
    table_cell(t, "%.2f", ipc(s));
    table_cell(t, "%.1f", run_series_lanes(s));
    table_cell(t, "%s", left.text);
    table_cell(t, "%s", bar.text ? bar.text : "");
    sb_free(&bar);
    sb_free(&cycle);
    sb_free(&left);
}

void run_series(const struct run *r, struct sb *out) {
    const struct series *s = sim_series(r->dev);
    size_t shown = s->samples.n < MOST_ROWS ? s->samples.n : MOST_ROWS;
    bool launches = r->launches.n > 1; /* cycles begin anew in each */
    double full = 0;
    struct table t;
    for (size_t i = 0; i < shown; i++)
        if (ipc(&s->samples.v[i]) > full) full = ipc(&s->samples.v[i]);
    table_init(&t, launches ? "rrrrrl" : "rrrrl");
    if (launches) table_cell(&t, "launch");
    table_cell(&t, "cycle");
    table_cell(&t, "IPC");
    table_cell(&t, "threads/issue");
    table_cell(&t, "unfinished");
    table_end_row(&t);
    for (size_t i = 0; i < shown; i++)
        run_series_row(&t, &s->samples.v[i], launches, full, r->cli->term.utf8);
    sb_add(out, "\n%sEvery %" PRIu64 " cycles%s\n", term_on(&r->cli->term, TERM_BOLD), r->interval,
           term_on(&r->cli->term, TERM_PLAIN));
    table_print(&t, 2, out);
    if (shown < s->samples.n) sb_add(out, "  ... %zu more: --series FILE writes all\n", s->samples.n - shown);
    table_free(&t);
}

static json_t *sample_json(const struct series *s, size_t i) {
    const struct series_sample *x = &s->samples.v[i];
    json_t *o = json_object(), *counts = json_array();
    json_object_set_new(o, "cycle", json_integer((json_int_t)x->cycle));
    json_object_set_new(o, "cycles", json_integer((json_int_t)x->cycles));
    json_object_set_new(o, "ipc", json_real(ipc(x)));
    json_object_set_new(o, "thread_insts", json_integer((json_int_t)x->sm.sm.thread_insts));
    json_object_set_new(o, "warp_insts", json_integer((json_int_t)x->sm.sm.warp_insts));
    json_object_set_new(o, "unfinished", json_integer((json_int_t)x->unfinished));
    json_object_set_new(o, "w0_mem", json_integer((json_int_t)x->sm.warp.w0_mem));
    json_object_set_new(o, "w0_idle", json_integer((json_int_t)x->sm.warp.w0_idle));
    json_object_set_new(o, "stall", json_integer((json_int_t)x->sm.warp.stall));
    json_object_set_new(o, "empty", json_integer((json_int_t)x->sm.warp.empty));
    for (int k = 0; k < SM_SIZES; k++) { /* named as warp.w4 ... of the statistics */
        char key[8];
        snprintf(key, sizeof key, k + 1 < SM_SIZES ? "w%d" : "wider", 4 * (k + 1));
        json_object_set_new(o, key, json_integer((json_int_t)x->sm.warp.issued[k]));
    }
    for (uint32_t k = 0; k < s->threads; k++)
        json_array_append_new(counts, json_integer((json_int_t)s->counts.v[i * s->threads + k]));
    if (s->threads)
        json_object_set_new(o, "threads", counts);
    else
        json_decref(counts);
    return o;
}

json_t *run_series_json(const struct run *r, size_t launch) {
    const struct series *s = sim_series(r->dev);
    json_t *all = json_array();
    for (size_t i = 0; i < s->samples.n; i++)
        if (s->samples.v[i].launch == launch) json_array_append_new(all, sample_json(s, i));
    return all;
}
