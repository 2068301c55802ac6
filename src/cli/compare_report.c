/* What a comparison shows: for each program a table with one row per mechanism and a bar for its speed-up over
 * the first; the geometric mean over all programs; the same numbers, and all others, as JSON and CSV. */
#include <inttypes.h>
#include <string.h>

#include "cli/compare.h"
#include "cli/stats_json.h"
#include "report/bar.h"
#include "report/csv.h"
#include "report/table.h"
#include "report/text.h"

enum { BAR_WIDTH = 24 };

/* ---- the table ---- */

static void cycles_cell(struct table *t, const struct stats *s) {
    struct sb text = {0};
    text_grouped(&text, s->gpu.cycles);
    table_cell(t, "%s", text.text);
    sb_free(&text);
}

static void ipc_cell(struct table *t, const struct stats *s) {
    table_cell(t, "%.2f", stats_value(s, STAT_gpu_ipc));
}

static void share_cell(struct table *t, double part) {
    table_cell(t, "%.1f %%", 100 * part);
}

static void lanes_cell(struct table *t, const struct stats *s) {
    share_cell(t, stats_value(s, STAT_sm_lane_activity));
}

static void depth_cell(struct table *t, const struct stats *s) {
    share_cell(t, stats_value(s, STAT_sm_depth_utilisation));
}

/* A cache that nobody asked hit nothing. */
static void l1d_cell(struct table *t, const struct stats *s) {
    if (s->l1d.accesses)
        share_cell(t, (double)s->l1d.hits / (double)s->l1d.accesses);
    else
        table_cell(t, "-");
}

static void dram_cell(struct table *t, const struct stats *s) {
    share_cell(t, stats_value(s, STAT_dram_utilisation));
}

static const struct {
    const char *title;
    void (*cell)(struct table *t, const struct stats *s);
} columns[] = {{"cycles", cycles_cell}, {"IPC", ipc_cell},      {"lanes", lanes_cell},
               {"depth", depth_cell},   {"L1D hits", l1d_cell}, {"DRAM", dram_cell}};
enum { NCOLUMNS = sizeof columns / sizeof *columns };

static double best(const struct compare *c, size_t program) {
    double most = 0;
    for (size_t m = 0; m < c->lab.nmachines; m++) {
        double s = compare_speedup(c, program, m);
        if (s > most) most = s;
    }
    return most;
}

static void speedup_cells(const struct compare *c, struct table *t, double speedup, double full,
                          const char *note) {
    struct sb bar = {0};
    bar_add(&bar, speedup, full, BAR_WIDTH, c->cli->term.utf8);
    if (speedup > 0)
        table_cell(t, "%.3f", speedup);
    else
        table_cell(t, "-");
    table_cell(t, "%s%s%s", bar.len ? bar.text : "", bar.len && *note ? "  " : "", note);
    sb_free(&bar);
}

static void row(const struct compare *c, struct table *t, size_t program, size_t machine, double full) {
    const struct lab_cell *cell = lab_cell(&c->lab, program, machine);
    bool ended = compare_ended(c, program, machine);
    table_cell(t, "%s", c->lab.machines[machine].name);
    for (size_t i = 0; i < NCOLUMNS; i++) {
        if (ended)
            columns[i].cell(t, &cell->stats);
        else
            table_cell(t, "-");
    }
    speedup_cells(c, t, compare_speedup(c, program, machine), full,
                  !ended                 ? "failed"
                  : cell->difference.any ? "WRONG RESULT"
                                         : "");
}

static void program_table(const struct compare *c, size_t program, struct sb *out) {
    const struct lab_program *p = &c->lab.programs[program];
    const struct term *term = &c->cli->term;
    struct table t;
    sb_add(out, "%s%s%s  %s%s, ", term_on(term, TERM_BOLD), p->kernel, term_on(term, TERM_PLAIN),
           term_on(term, TERM_DIM), p->file);
    program_shape(&p->launch, out);
    sb_add(out, "%s\n", term_on(term, TERM_PLAIN));
    table_init(&t, "lrrrrrrrl");
    t.heading = true;
    table_cell(&t, "mechanism");
    for (size_t i = 0; i < NCOLUMNS; i++) table_cell(&t, "%s", columns[i].title);
    table_cell(&t, "speed-up");
    table_cell(&t, "%s", "");
    for (size_t m = 0; m < c->lab.nmachines; m++) row(c, &t, program, m, best(c, program));
    table_print(&t, 2, out);
    table_free(&t);
}

static void means(const struct compare *c, struct sb *out) {
    struct table t;
    double most = 0;
    size_t n;
    for (size_t m = 0; m < c->lab.nmachines; m++)
        if (compare_mean(c, m, &n) > most) most = compare_mean(c, m, &n);
    sb_add(out, "\n%sall %zu programs%s  geometric mean of speed-ups over %s\n",
           term_on(&c->cli->term, TERM_BOLD), c->lab.nprograms, term_on(&c->cli->term, TERM_PLAIN),
           c->lab.machines[0].name);
    table_init(&t, "lrl");
    for (size_t m = 0; m < c->lab.nmachines; m++) {
        char note[64] = "";
        double mean = compare_mean(c, m, &n);
        if (n < c->lab.nprograms) snprintf(note, sizeof note, "of %zu", n);
        table_cell(&t, "%s", c->lab.machines[m].name);
        speedup_cells(c, &t, mean, most, note);
    }
    table_print(&t, 2, out);
    table_free(&t);
}

static void host_line(const struct compare *c, struct sb *out) {
    double seconds = term_seconds() - c->progress.start, work = 0;
    for (size_t i = 0; i < c->lab.nprograms * c->lab.nmachines; i++) work += c->lab.cells[i].seconds;
    sb_add(out, "\n%s%zu runs in %.1f s of host time, %.1f s of work%s\n", term_on(&c->cli->term, TERM_DIM),
           c->lab.nprograms * c->lab.nmachines, seconds, work, term_on(&c->cli->term, TERM_PLAIN));
}

void compare_report(const struct compare *c, struct sb *out) {
    for (size_t p = 0; p < c->lab.nprograms; p++) {
        if (p) sb_add(out, "\n");
        program_table(c, p, out);
    }
    if (c->lab.nprograms > 1) means(c, out);
    if (c->host || c->cli->term.out_tty) host_line(c, out);
}

/* ---- what differs ---- */

void compare_difference(const struct compare *c, size_t program, const struct lab_difference *d,
                        struct sb *out) {
    unsigned shift = 8 * (unsigned)(d->offset % 8);
    if (d->symbol) {
        sb_add(out,
               "variable %s, byte %" PRIu64 ": 0x%02" PRIx64 " where the functional run has 0x%02" PRIx64,
               d->symbol, d->offset, d->have >> shift & 0xff, d->want >> shift & 0xff);
        return;
    }
    const struct program_arg *a = &c->programs.v[program].args.v[d->arg];
    uint64_t bytes = arg_bytes(&a->spec), element = d->offset / bytes,
             mask = bytes < 8 ? (UINT64_C(1) << (8 * bytes)) - 1 : UINT64_MAX;
    shift = 8 * (unsigned)(element * bytes % 8);
    sb_add(out, "argument %zu (%.60s), element %" PRIu64 ": ", d->arg, a->text, element);
    arg_format(out, a->spec.type, d->have >> shift & mask);
    sb_add(out, " where the functional run has ");
    arg_format(out, a->spec.type, d->want >> shift & mask);
}

/* ---- files ---- */

static const char *cell_status(const struct lab_cell *cell) {
    return cell->err.code ? "failed" : cell->difference.any ? "wrong" : "ok";
}

static json_t *cell_json(const struct compare *c, size_t program, size_t machine) {
    const struct lab_cell *cell = lab_cell(&c->lab, program, machine);
    const struct lab_program *p = &c->lab.programs[program];
    json_t *k = stats_json_launch(p->kernel, &p->launch);
    json_object_set_new(k, "file", json_string(p->file));
    json_object_set_new(k, "mechanism", json_string(c->lab.machines[machine].name));
    json_object_set_new(k, "status", json_string(cell_status(cell)));
    if (cell->err.code) {
        json_object_set_new(k, "error", json_string(err_text(&cell->err)));
        return k;
    }
    json_object_set_new(k, "speedup", json_real(compare_speedup(c, program, machine)));
    stats_json_add(k, &cell->stats);
    if (c->host) stats_json_add_host(k, &cell->stats, cell->seconds);
    return k;
}

static json_t *total_json(const struct compare *c, size_t machine) {
    json_t *t = json_object();
    struct stats sum = {0};
    size_t n;
    for (size_t p = 0; p < c->lab.nprograms; p++) stats_join(&sum, &lab_cell(&c->lab, p, machine)->stats);
    json_object_set_new(t, "mechanism", json_string(c->lab.machines[machine].name));
    json_object_set_new(t, "speedup", json_real(compare_mean(c, machine, &n)));
    json_object_set_new(t, "programs", json_integer((json_int_t)n));
    stats_json_add(t, &sum);
    return t;
}

/* The options of the machine the mechanisms share, which the reference shows as well as any. */
static bool options_json(const struct compare *c, json_t *root, struct err *e) {
    hd_device *dev = NULL;
    bool fine = lab_open(&c->lab.machines[0].config, &dev, e);
    if (fine) json_object_set_new(root, "options", stats_json_options(sim_options(dev)));
    hd_device_close(dev);
    return fine;
}

bool compare_json(const struct compare *c, struct sb *out, struct err *e) {
    json_t *root = json_object(), *kernels = json_array(), *total = json_array();
    bool fine = options_json(c, root, e);
    for (size_t p = 0; p < c->lab.nprograms; p++)
        for (size_t m = 0; m < c->lab.nmachines; m++) json_array_append_new(kernels, cell_json(c, p, m));
    for (size_t m = 0; m < c->lab.nmachines; m++) json_array_append_new(total, total_json(c, m));
    json_object_set_new(root, "kernels", kernels);
    json_object_set_new(root, "total", total);
    if (fine) return stats_json_text(root, out, e);
    json_decref(root);
    return false;
}

static void csv_row(const struct compare *c, size_t program, size_t machine, struct sb *out) {
    const struct lab_cell *cell = lab_cell(&c->lab, program, machine);
    csv_cell(out, "%s", c->lab.programs[program].file);
    csv_cell(out, "%s", c->lab.programs[program].kernel);
    csv_cell(out, "%s", c->lab.machines[machine].name);
    csv_cell(out, "%s", cell_status(cell));
    if (cell->err.code)
        csv_cell(out, "%s", "");
    else
        csv_cell(out, "%.12g", compare_speedup(c, program, machine));
    for (int i = 0; i < STAT_COUNT; i++) {
        enum stat_id id = (enum stat_id)i;
        if (cell->err.code)
            csv_cell(out, "%s", "");
        else if (stat_rows[i].how == STAT_FORMULA)
            csv_cell(out, "%.12g", stats_value(&cell->stats, id));
        else
            csv_cell(out, "%" PRIu64, stats_exact(&cell->stats, id));
    }
    csv_end_row(out);
}

void compare_csv(const struct compare *c, struct sb *out) {
    static const char *const head[] = {"file", "kernel", "mechanism", "status", "speedup"};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++) csv_cell(out, "%s", head[i]);
    for (int i = 0; i < STAT_COUNT; i++) csv_cell(out, "%s", stat_rows[i].name);
    csv_end_row(out);
    for (size_t p = 0; p < c->lab.nprograms; p++)
        for (size_t m = 0; m < c->lab.nmachines; m++) csv_row(c, p, m, out);
}
