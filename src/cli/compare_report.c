/* What a comparison shows: for each program or workload a table with one row per mechanism and a bar for its speed-up over
 * the first; one table of all speed-ups and their geometric means; what is wrong, in words. */
#include <inttypes.h>

#include "cli/compare.h"
#include "report/bar.h"
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

static double best(const struct compare *c, size_t subject) {
    double most = 0;
    for (size_t m = 0; m < c->lab.nmachines; m++) {
        double s = compare_speedup(c, subject, m);
        if (s > most) most = s;
    }
    return most;
}

static void speedup_cell(struct table *t, double speedup) {
    if (speedup > 0)
        table_cell(t, "%.3f", speedup);
    else
        table_cell(t, "-");
}

static void bar_cell(const struct compare *c, struct table *t, double speedup, double full,
                     const char *note) {
    struct sb bar = {0};
    bar_add(&bar, speedup, full, BAR_WIDTH, c->cli->term.utf8);
    table_cell(t, "%s%s%s", bar.len ? bar.text : "", bar.len && *note ? "  " : "", note);
    sb_free(&bar);
}

static void row(const struct compare *c, struct table *t, size_t subject, size_t machine, double full) {
    const struct lab_cell *cell = lab_cell(&c->lab, subject, machine);
    bool ended = compare_ended(c, subject, machine);
    table_cell(t, "%s", c->lab.machines[machine].name);
    for (size_t i = 0; i < NCOLUMNS; i++) {
        if (ended)
            columns[i].cell(t, &cell->out.total);
        else
            table_cell(t, "-");
    }
    speedup_cell(t, compare_speedup(c, subject, machine));
    bar_cell(c, t, compare_speedup(c, subject, machine), full,
             !ended                               ? "failed"
             : compare_wrong(c, subject, machine) ? "WRONG RESULT"
                                                  : "");
}

void compare_title(const struct compare *c, size_t subject, struct sb *out) {
    const struct lab_subject *s = &c->lab.subjects[subject];
    if (s->workload)
        lab_subject_name(s, out);
    else
        sb_add(out, "%s", s->program->kernel);
}

static void heading(const struct compare *c, size_t subject, struct sb *out) {
    const struct lab_subject *s = &c->lab.subjects[subject];
    const struct term *term = &c->cli->term;
    sb_add(out, "%s", term_on(term, TERM_BOLD));
    compare_title(c, subject, out);
    sb_add(out, "%s  %s", term_on(term, TERM_PLAIN), term_on(term, TERM_DIM));
    if (s->workload) {
        sb_add(out, "%s, ", work_size_names[s->size]);
        text_grouped(out, lab_cell(&c->lab, subject, 0)->out.launches);
        sb_add(out, " launch%s", lab_cell(&c->lab, subject, 0)->out.launches == 1 ? "" : "es");
    } else {
        sb_add(out, "%s, ", s->program->file);
        program_shape(&s->program->launch, out);
    }
    sb_add(out, "%s\n", term_on(term, TERM_PLAIN));
}

static void subject_table(const struct compare *c, size_t subject, struct sb *out) {
    struct table t;
    heading(c, subject, out);
    table_init(&t, "lrrrrrrrl");
    t.heading = true;
    table_cell(&t, "mechanism");
    for (size_t i = 0; i < NCOLUMNS; i++) table_cell(&t, "%s", columns[i].title);
    table_cell(&t, "speed-up");
    table_cell(&t, "%s", "");
    for (size_t m = 0; m < c->lab.nmachines; m++) row(c, &t, subject, m, best(c, subject));
    table_print(&t, 2, out);
    table_free(&t);
}

/* Rows are mechanisms, columns programs and their mean; a bar for the mean where lines stay short. */
static void all_programs(const struct compare *c, struct sb *out) {
    enum { WITH_BARS = 6 };
    const size_t programs = c->lab.nsubjects;
    struct sb align = {0}, name = {0};
    struct table t;
    double most = 0;
    size_t n;
    for (size_t m = 0; m < c->lab.nmachines; m++)
        if (compare_mean(c, m, &n) > most) most = compare_mean(c, m, &n);
    sb_add(out, "\n%sall %zu programs%s  speed-ups over %s and their geometric mean\n",
           term_on(&c->cli->term, TERM_BOLD), programs, term_on(&c->cli->term, TERM_PLAIN),
           c->lab.machines[0].name);
    sb_add(&align, "l");
    for (size_t i = 0; i <= programs; i++) sb_add(&align, "r");
    sb_add(&align, "l");
    table_init(&t, align.text);
    t.heading = true;
    table_cell(&t, "mechanism");
    for (size_t i = 0; i < programs; i++) {
        name.len = 0;
        compare_title(c, i, &name);
        table_cell(&t, "%s", name.text);
    }
    table_cell(&t, "mean");
    table_cell(&t, "%s", "");
    for (size_t m = 0; m < c->lab.nmachines; m++) {
        char note[64] = "";
        const double mean = compare_mean(c, m, &n);
        if (n < programs) snprintf(note, sizeof note, "of %zu", n);
        table_cell(&t, "%s", c->lab.machines[m].name);
        for (size_t i = 0; i < programs; i++) speedup_cell(&t, compare_speedup(c, i, m));
        speedup_cell(&t, mean);
        bar_cell(c, &t, programs <= WITH_BARS ? mean : 0, most, note);
    }
    table_print(&t, 2, out);
    table_free(&t);
    sb_free(&align);
    sb_free(&name);
}

static void host_line(const struct compare *c, struct sb *out) {
    double seconds = term_seconds() - c->progress.start, work = 0;
    for (size_t i = 0; i < c->lab.nsubjects * c->lab.nmachines; i++) work += c->lab.cells[i].out.seconds;
    sb_add(out, "\n%s%zu runs in %.1f s of host time, %.1f s of work%s\n", term_on(&c->cli->term, TERM_DIM),
           c->lab.nsubjects * c->lab.nmachines, seconds, work, term_on(&c->cli->term, TERM_PLAIN));
}

void compare_report(const struct compare *c, struct sb *out) {
    for (size_t i = 0; i < c->lab.nsubjects; i++) {
        if (i) sb_add(out, "\n");
        subject_table(c, i, out);
    }
    if (c->lab.nsubjects > 1) all_programs(c, out);
    if (c->host || c->cli->term.out_tty) host_line(c, out);
}

/* ---- what differs ---- */

void compare_difference(const struct compare *c, size_t subject, const struct lab_difference *d,
                        struct sb *out) {
    unsigned shift = 8 * (unsigned)(d->offset % 8);
    if (c->lab.subjects[subject].workload) {
        sb_add(out, "the check passed, yet the functional run left other bytes");
        return;
    }
    if (d->symbol) {
        sb_add(out,
               "variable %s, byte %" PRIu64 ": 0x%02" PRIx64 " where the functional run has 0x%02" PRIx64,
               d->symbol, d->offset, d->have >> shift & 0xff, d->want >> shift & 0xff);
        return;
    }
    const struct program_arg *a = &c->subjects.v[subject].program.args.v[d->arg];
    uint64_t bytes = arg_bytes(&a->spec), element = d->offset / bytes,
             mask = bytes < 8 ? (UINT64_C(1) << (8 * bytes)) - 1 : UINT64_MAX;
    shift = 8 * (unsigned)(element * bytes % 8);
    sb_add(out, "argument %zu (%.60s), element %" PRIu64 ": ", d->arg, a->text, element);
    arg_format(out, a->spec.type, d->have >> shift & mask);
    sb_add(out, " where the functional run has ");
    arg_format(out, a->spec.type, d->want >> shift & mask);
}
