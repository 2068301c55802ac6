/* What a comparison shows: for each program or workload a table with one row per mechanism and a bar for its speed-up over
 * the first; one table of all speed-ups and their geometric means; what is wrong, in words. */
#include <inttypes.h>
#include <string.h>

#include "cli/cmd/compare/compare.h"
#include "cli/sampled.h"
#include "report/bar.h"
#include "report/table.h"
#include "report/text.h"
#include "value/demangle.h"

enum { BAR_WIDTH = 24 };

/* ---- the table ---- */

static void cycles_cell(struct table *t, const struct stats *s) {
    struct sb text = {0};
    sampled_cycles(s, &text);
    table_cell(t, "%s", text.text);
    sb_free(&text);
}

static void ipc_cell(struct table *t, const struct stats *s) {
    table_cell(t, "%.2f", stats_value(s, STAT_gpu_ipc));
}

static void compare_share_cell(struct table *t, double part) {
    table_cell(t, "%.1f %%", 100 * part);
}

static void lanes_cell(struct table *t, const struct stats *s) {
    compare_share_cell(t, stats_value(s, STAT_sm_lane_activity));
}

static void depth_cell(struct table *t, const struct stats *s) {
    compare_share_cell(t, stats_value(s, STAT_sm_depth_utilisation));
}

/* A cache without accesses has no share of hits. */
static void l1d_cell(struct table *t, const struct stats *s) {
    if (s->l1d.accesses)
        compare_share_cell(t, (double)s->l1d.hits / (double)s->l1d.accesses);
    else
        table_cell(t, "-");
}

static void dram_cell(struct table *t, const struct stats *s) {
    compare_share_cell(t, stats_value(s, STAT_dram_utilisation));
}

static const struct {
    const char *title;
    void (*cell)(struct table *t, const struct stats *s);
} columns[] = {{"cycles", cycles_cell}, {"IPC", ipc_cell},      {"lanes", lanes_cell},
               {"depth", depth_cell},   {"L1D hits", l1d_cell}, {"DRAM", dram_cell}};
enum { NCOLUMNS = sizeof columns / sizeof *columns };

void compare_stat_titles(struct table *t) {
    for (size_t i = 0; i < NCOLUMNS; i++) table_cell(t, "%s", columns[i].title);
}

void compare_stat_cells(struct table *t, const struct stats *s, bool shown) {
    for (size_t i = 0; i < NCOLUMNS; i++) {
        if (shown)
            columns[i].cell(t, s);
        else
            table_cell(t, "-");
    }
}

static double compare_best(const struct compare *c, size_t subject) {
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

static void compare_bar_cell(const struct compare *c, struct table *t, double speedup, double full,
                             const char *note) {
    struct sb bar = {0};
    if (!c->markdown) bar_add(&bar, speedup, full, BAR_WIDTH, c->cli->term.utf8);
    table_cell(t, "%s%s%s", bar.len ? bar.text : "", bar.len && *note ? "  " : "", note);
    sb_free(&bar);
}

static void compare_row(const struct compare *c, struct table *t, size_t subject, size_t machine,
                        double full) {
    const struct lab_cell *cell = lab_cell(&c->lab, subject, machine);
    bool ended = compare_ended(c, subject, machine);
    table_cell(t, "%s", c->lab.machines[machine].name);
    compare_stat_cells(t, &cell->out.total, ended);
    speedup_cell(t, compare_speedup(c, subject, machine));
    compare_bar_cell(c, t, compare_speedup(c, subject, machine), full,
                     compare_wrong(c, subject, machine)
                         ? c->races[subject].races ? "OTHER RESULT: data race" : "WRONG RESULT"
                     : ended ? ""
                             : compare_status(c, subject, machine));
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void compare_title(const struct compare *c, size_t subject, struct sb *out) {
    const struct lab_subject *s = &c->lab.subjects[subject];
    if (s->workload)
        lab_subject_name(s, out);
    else if (s->script) /* one script stands for all its files */
        sb_add(out, "%s", base_name(s->script->file));
    else
        demangle_name(s->program->kernel, out);
}

/* Nothing of a terminal goes into Markdown. */
const char *compare_style(const struct compare *c, enum term_style s) {
    return c->markdown ? "" : term_on(&c->cli->term, s);
}

/* Launches of the run that went furthest: one that was refused has none. */
static size_t most_launches(const struct compare *c, size_t subject) {
    size_t most = 0;
    for (size_t m = 0; m < c->lab.nmachines; m++) {
        const size_t n = lab_cell(&c->lab, subject, m)->out.launches;
        if (n > most) most = n;
    }
    return most;
}

void compare_what(const struct compare *c, size_t subject, struct sb *out) {
    const struct lab_subject *s = &c->lab.subjects[subject];
    const size_t launches = most_launches(c, subject);
    if (s->workload || s->script) {
        sb_add(out, "%s, ", s->script ? s->script->name : work_size_names[s->size]);
        text_grouped(out, launches);
        sb_add(out, " launch%s", launches == 1 ? "" : "es");
    } else {
        sb_add(out, "%s, ", s->program->file);
        program_shape(&s->program->launch, out);
    }
}

static void compare_report_heading(const struct compare *c, size_t subject, struct sb *out) {
    sb_add(out, "%s", compare_style(c, TERM_BOLD));
    compare_title(c, subject, out);
    sb_add(out, "%s  %s", compare_style(c, TERM_PLAIN), compare_style(c, TERM_DIM));
    compare_what(c, subject, out);
    sb_add(out, "%s\n", compare_style(c, TERM_PLAIN));
}

void compare_print_table(const struct compare *c, struct table *t, struct sb *out) {
    if (c->markdown) {
        sb_add(out, "\n");
        table_markdown(t, NULL, out);
    } else {
        table_print(t, 2, out);
    }
    table_free(t);
}

/* Why the table has no figures for some. */
static void add_refusals(const struct compare *c, size_t subject, struct sb *out) {
    bool first = true;
    for (size_t m = 0; m < c->lab.nmachines; m++) {
        if (!compare_refused(c, subject, m)) continue;
        if (c->markdown && first) sb_add(out, "\n");
        sb_add(out, "%s%s: %s\n", c->markdown ? "- " : "  ", c->lab.machines[m].name,
               err_text(&lab_cell(&c->lab, subject, m)->out.err));
        first = false;
    }
}

static void subject_table(const struct compare *c, size_t subject, struct sb *out) {
    struct table t;
    compare_report_heading(c, subject, out);
    table_init(&t, "lrrrrrrrl");
    t.heading = true;
    table_cell(&t, "mechanism");
    compare_stat_titles(&t);
    table_cell(&t, "speed-up");
    table_cell(&t, "%s", "");
    for (size_t m = 0; m < c->lab.nmachines; m++) compare_row(c, &t, subject, m, compare_best(c, subject));
    compare_print_table(c, &t, out);
    compare_host(c, subject, out);
    add_refusals(c, subject, out);
}

/* ---- all programs ---- */

/* What the rows have in common. */
struct all_rows {
    double most; /* the largest of the means */
    bool uneven; /* one is over fewer programs than there are */
};

static struct all_rows look_at_means(const struct compare *c) {
    struct all_rows a = {0};
    for (size_t m = 0; m < c->lab.nmachines; m++) {
        size_t n;
        const double mean = compare_mean(c, m, &n);
        if (mean > a.most) a.most = mean;
        a.uneven |= n < c->lab.nsubjects;
    }
    return a;
}

void compare_heading(const struct compare *c, size_t first, struct table *t) {
    struct sb name = {0};
    table_cell(t, "mechanism");
    for (size_t i = first; i < c->lab.nsubjects; i++) {
        name.len = 0;
        compare_column(c, i, &name);
        table_cell(t, "%s", name.text);
    }
    sb_free(&name);
}

static void all_heading(const struct compare *c, struct table *t) {
    compare_heading(c, 0, t);
    table_cell(t, "mean");
    table_cell(t, "over");
    table_cell(t, "%s", "");
}

/* A bar for the mean where lines stay short. */
static void all_row(const struct compare *c, const struct all_rows *a, size_t machine, struct table *t) {
    enum { WITH_BARS = 6 };
    size_t n;
    const double mean = compare_mean(c, machine, &n);
    table_cell(t, "%s", c->lab.machines[machine].name);
    for (size_t i = 0; i < c->lab.nsubjects; i++) {
        if (compare_refused(c, i, machine))
            table_cell(t, "refused");
        else
            speedup_cell(t, compare_speedup(c, i, machine));
    }
    speedup_cell(t, mean);
    if (a->uneven)
        table_cell(t, "%zu", n);
    else
        table_cell(t, "%s", "");
    compare_bar_cell(c, t, c->lab.nsubjects <= WITH_BARS ? mean : 0, a->most, "");
}

/* Rows are mechanisms, columns programs and their mean. */
static void all_programs(const struct compare *c, struct sb *out) {
    const struct all_rows a = look_at_means(c);
    struct sb align = {0};
    struct table t;
    sb_add(out, "\n%sall %zu programs%s  speed-ups over %s and their geometric mean%s\n",
           compare_style(c, TERM_BOLD), c->lab.nsubjects, compare_style(c, TERM_PLAIN),
           c->lab.machines[0].name, a.uneven ? " over those that ran" : "");
    sb_add(&align, "l");
    for (size_t i = 0; i < c->lab.nsubjects + 2; i++) sb_add(&align, "r");
    sb_add(&align, "l");
    table_init(&t, align.text);
    t.heading = true;
    all_heading(c, &t);
    for (size_t m = 0; m < c->lab.nmachines; m++) all_row(c, &a, m, &t);
    compare_print_table(c, &t, out);
    sb_free(&align);
}

static void host_line(const struct compare *c, struct sb *out) {
    double seconds = term_seconds() - c->progress.start, work = 0;
    for (size_t i = 0; i < c->lab.nsubjects * c->lab.nmachines; i++) work += c->lab.cells[i].out.seconds;
    sb_add(out, "\n%s%zu runs in %.1f s of host time, %.1f s of work%s\n", term_on(&c->cli->term, TERM_DIM),
           c->lab.nsubjects * c->lab.nmachines, seconds, work, term_on(&c->cli->term, TERM_PLAIN));
}

/* What ~ before cycles means. */
static void sampled_line(const struct compare *c, struct sb *out) {
    struct stats all = {0};
    for (size_t i = 0; i < c->lab.nsubjects; i++)
        for (size_t m = 0; m < c->lab.nmachines; m++) {
            const struct stats *s = &lab_cell(&c->lab, i, m)->out.total;
            all.gpu.estimated += s->gpu.estimated;
            all.exec.launches += s->exec.launches;
        }
    if (!all.gpu.estimated) return;
    sb_add(out, "\n~ SAMPLED: ");
    sampled_words(&all, out);
    sb_add(out, "\n");
}

void compare_report(const void *of, struct sb *out) {
    const struct compare *c = of;
    for (size_t i = 0; i < c->lab.nsubjects; i++) {
        if (i) sb_add(out, "\n");
        subject_table(c, i, out);
    }
    if (c->lab.nsubjects > 1) all_programs(c, out);
    compare_programs(c, out);
    sampled_line(c, out);
    if (c->host || c->cli->term.out_tty) host_line(c, out);
}

/* ---- what differs ---- */

/* Whether the script has the buffer, rather than the module a variable. */
static bool is_buffer(const struct compare *c, size_t subject, const char *name) {
    const struct script *s = &c->subjects.v[subject].script;
    for (size_t i = 0; i < s->buffers.n; i++)
        if (!s->buffers.v[i].variable && !strcmp(s->buffers.v[i].name, name)) return true;
    return false;
}

void compare_difference(const struct compare *c, size_t subject, const struct lab_difference *d,
                        struct sb *out) {
    unsigned shift = 8 * (unsigned)(d->offset % 8);
    if (c->lab.subjects[subject].workload) {
        sb_add(out, "the check passed, yet the functional run left other bytes");
        return;
    }
    if (d->symbol) {
        sb_add(out, "%s %s, byte %" PRIu64 ": 0x%02" PRIx64 " where the functional run has 0x%02" PRIx64,
               is_buffer(c, subject, d->symbol) ? "buffer" : "variable", d->symbol, d->offset,
               d->have >> shift & 0xff, d->want >> shift & 0xff);
        return;
    }
    const struct program *p = &c->subjects.v[subject].program;
    const struct program_arg *a = program_entry(p, d->arg);
    uint64_t bytes = arg_bytes(&a->spec), element = d->offset / bytes,
             mask = bytes < 8 ? (UINT64_C(1) << (8 * bytes)) - 1 : UINT64_MAX;
    shift = 8 * (unsigned)(element * bytes % 8);
    program_entry_name(p, d->arg, out);
    sb_add(out, " (%.60s), element %" PRIu64 ": ", a->text, element);
    arg_format(out, a->spec.type, d->have >> shift & mask);
    sb_add(out, " where the functional run has ");
    arg_format(out, a->spec.type, d->want >> shift & mask);
}
