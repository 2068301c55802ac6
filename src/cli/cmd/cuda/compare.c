/* Several runs of a program side by side: the whole of it as 'heddle compare' shows a program, then a row for each
 * kernel with its speed-up and its lanes under each mechanism, and the geometric mean over kernels. What the runs
 * printed and how they ended must be the same; where it is not, the first difference is shown. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "cli/cmd/compare/compare.h"
#include "cli/cmd/cuda/tables.h"
#include "report/bar.h"
#include "report/table.h"
#include "report/text.h"
#include "value/demangle.h"

enum { BAR_WIDTH = 24 };

/* ---- numbers ---- */

const struct cuda_kernel *cuda_kernel(const struct cuda_run *r, const char *name) {
    for (size_t i = 0; i < r->kernels.n; i++)
        if (!strcmp(r->kernels.v[i].name, name)) return &r->kernels.v[i];
    return NULL;
}

/* Runs that were stopped, or ended otherwise than the first, did other work. */
static bool comparable(const struct cuda *c, size_t run) {
    const struct cuda_run *r = &c->runs.v[run];
    return !c->signal && r->over && c->runs.v[0].over &&
           cuda_exit_status(r) == cuda_exit_status(&c->runs.v[0]);
}

double cuda_speedup(const struct cuda *c, size_t run, const char *name) {
    const struct cuda_run *first = &c->runs.v[0], *r = &c->runs.v[run];
    if (!comparable(c, run)) return 0;
    if (!name)
        return r->total.gpu.cycles && r->nlaunches == first->nlaunches && !r->failed && !first->failed
                   ? (double)first->total.gpu.cycles / (double)r->total.gpu.cycles
                   : 0;
    const struct cuda_kernel *a = cuda_kernel(first, name), *b = cuda_kernel(r, name);
    if (!a || !b || a->launches != b->launches || a->failed || b->failed || !b->stats.gpu.cycles) return 0;
    return (double)a->stats.gpu.cycles / (double)b->stats.gpu.cycles;
}

double cuda_mean(const struct cuda *c, size_t run, size_t *kernels) {
    const struct cuda_run *first = &c->runs.v[0];
    double sum = 0;
    *kernels = 0;
    for (size_t i = 0; i < first->kernels.n; i++) {
        const double s = cuda_speedup(c, run, first->kernels.v[i].name);
        if (!(s > 0)) continue;
        sum += log(s);
        ++*kernels;
    }
    return *kernels ? exp(sum / (double)*kernels) : 0;
}

/* ---- the program ---- */

static void speedup_cell(struct table *t, double s) {
    if (s > 0)
        table_cell(t, "%.3f", s);
    else
        table_cell(t, "-");
}

static double cuda_compare_best(const struct cuda *c) {
    double most = 0;
    for (size_t i = 0; i < c->runs.n; i++) most = fmax(most, cuda_speedup(c, i, NULL));
    return most;
}

static const char *state_of(const struct cuda *c, size_t run) {
    const struct cuda_run *r = &c->runs.v[run];
    return !r->over              ? "not run"
           : c->signal           ? "stopped"
           : !comparable(c, run) ? "ended otherwise"
           : r->failed           ? "launches failed"
                                 : "";
}

static void program_row(const struct cuda *c, size_t run, double full, struct table *t) {
    const struct cuda_run *r = &c->runs.v[run];
    const double s = cuda_speedup(c, run, NULL);
    struct sb bar = {0};
    table_cell(t, "%s", r->name);
    compare_stat_cells(t, &r->total, r->timed > 0);
    speedup_cell(t, s);
    bar_add(&bar, s, full, BAR_WIDTH, c->cli->term.utf8);
    table_cell(t, "%s%s%s", bar.len ? bar.text : "", bar.len && *state_of(c, run) ? "  " : "",
               state_of(c, run));
    sb_free(&bar);
}

static void program_table(const struct cuda *c, struct sb *out) {
    const struct cuda_run *r = &c->runs.v[0];
    struct table t;
    cuda_title(c, out);
    sb_add(out, "  %s", term_on(&c->term, TERM_DIM));
    text_grouped(out, r->nlaunches);
    sb_add(out, " launch%s of %zu kernel%s%s\n", r->nlaunches == 1 ? "" : "es", r->kernels.n,
           r->kernels.n == 1 ? "" : "s", term_on(&c->term, TERM_PLAIN));
    table_init(&t, "lrrrrrrrl");
    t.heading = true;
    table_cell(&t, "%s", "");
    compare_stat_titles(&t);
    table_cell(&t, "speed-up");
    table_cell(&t, "%s", "");
    for (size_t i = 0; i < c->runs.n; i++) program_row(c, i, cuda_compare_best(c), &t);
    table_finish(&t, false, 2, out);
}

/* ---- kernels ---- */

typedef void cell_fn(const struct cuda *c, size_t run, const char *kernel, struct table *t);

static void kernel_speedup(const struct cuda *c, size_t run, const char *kernel, struct table *t) {
    speedup_cell(t, cuda_speedup(c, run, kernel));
}

static void kernel_lanes(const struct cuda *c, size_t run, const char *kernel, struct table *t) {
    const struct cuda_kernel *k = cuda_kernel(&c->runs.v[run], kernel);
    if (k && k->timed)
        table_cell(t, "%.1f %%", 100 * stats_value(&k->stats, STAT_sm_lane_activity));
    else
        table_cell(t, "-");
}

static void begin_table(const struct cuda *c, struct table *t, struct sb *align, const char *of_first) {
    sb_add(align, "rlr");
    for (size_t i = 0; i < c->runs.n; i++) sb_add(align, "r");
    table_init(t, align->text);
    t->heading = true;
    table_cell(t, "launches");
    table_cell(t, "kernel");
    table_cell(t, "%s", of_first);
    for (size_t i = 0; i < c->runs.n; i++) table_cell(t, "%s", c->runs.v[i].name);
}

static void kernel_rows(const struct cuda *c, bool cycles, cell_fn *cell, struct table *t) {
    const struct cuda_kernel **sorted = cuda_sorted(&c->runs.v[0]);
    for (size_t i = 0; i < c->runs.v[0].kernels.n; i++) {
        cuda_count_cell(t, sorted[i]->launches);
        demangle_cell(t, sorted[i]->name);
        cuda_cycles_cell(t, cycles ? &sorted[i]->stats : &(struct stats){0});
        for (size_t k = 0; k < c->runs.n; k++) cell(c, k, sorted[i]->name, t);
    }
    free(sorted);
}

static void mean_row(const struct cuda *c, struct table *t) {
    size_t n;
    table_cell(t, "%s", "");
    table_cell(t, "geometric mean");
    table_cell(t, "%s", "");
    for (size_t k = 0; k < c->runs.n; k++) speedup_cell(t, cuda_mean(c, k, &n));
}

static void kernel_tables(const struct cuda *c, struct sb *out) {
    struct sb align = {0}, second = {0}, cycles = {0};
    struct table t;
    sb_add(out, "\n%sspeed-ups%s  over %s, by kernel\n", term_on(&c->term, TERM_BOLD),
           term_on(&c->term, TERM_PLAIN), c->runs.v[0].name);
    sb_add(&cycles, "cycles (%s)", c->runs.v[0].name);
    begin_table(c, &t, &align, cycles.text);
    kernel_rows(c, true, kernel_speedup, &t);
    if (c->runs.v[0].kernels.n > 1) mean_row(c, &t);
    table_finish(&t, false, 2, out);
    sb_add(out, "\n%slanes%s  active in issue slots, by kernel\n", term_on(&c->term, TERM_BOLD),
           term_on(&c->term, TERM_PLAIN));
    begin_table(c, &t, &second, "");
    kernel_rows(c, false, kernel_lanes, &t);
    table_finish(&t, false, 2, out);
    sb_free(&align);
    sb_free(&second);
    sb_free(&cycles);
}

/* ---- what must be the same ---- */

static void add_line(struct sb *out, const char *line, size_t n) {
    enum { MOST = 60 };
    sb_add(out, "'%.*s%s'", (int)(n < MOST ? n : MOST), line, n > MOST ? "..." : "");
}

/* The first line that two texts do not share. */
static void cuda_compare_difference(const struct cuda_run *a, const struct cuda_run *b, const struct sb *x,
                                    const struct sb *y, const char *what, struct sb *out) {
    const char *p = x->text ? x->text : "", *q = y->text ? y->text : "";
    size_t line = 1;
    if (x->len == y->len && !memcmp(p, q, x->len)) return;
    for (;; line++) {
        const size_t n = strcspn(p, "\n"), m = strcspn(q, "\n");
        if (n != m || memcmp(p, q, n) != 0 || p[n] != q[m] || !p[n]) break;
        p += n + 1, q += m + 1;
    }
    sb_add(out, "%s of %s differs from line %zu on: ", what, b->name, line);
    add_line(out, q, strcspn(q, "\n"));
    sb_add(out, " where %s has ", a->name);
    add_line(out, p, strcspn(p, "\n"));
    sb_add(out, "; if that is a time, it is simulated or the host's, and no fault\n");
}

static void ending(const struct cuda_run *a, const struct cuda_run *b, struct sb *out) {
    if (!a->over || !b->over || cuda_exit_status(a) == cuda_exit_status(b)) return;
    sb_add(out, "exit status %d under %s, and %d under %s\n", cuda_exit_status(a), a->name,
           cuda_exit_status(b), b->name);
}

/* The last words of a run that ended otherwise, as its output was not shown. */
static void last_words(const struct cuda_run *a, const struct cuda_run *b, struct sb *out) {
    enum { LINES = 8 };
    const char *text = b->err_text.text;
    size_t lines = 0;
    if (!text || cuda_exit_status(a) == cuda_exit_status(b)) return;
    const char *p = text + b->err_text.len - (text[b->err_text.len - 1] == '\n');
    while (p > text && (p[-1] != '\n' || ++lines < LINES)) p--;
    sb_add(out, "standard error of %s ends in:\n%s%s", b->name, p,
           text[b->err_text.len - 1] == '\n' ? "" : "\n");
}

static void cuda_compare_counts(const struct cuda_run *a, const struct cuda_run *b, struct sb *out) {
    if (a->nlaunches == b->nlaunches || !a->over || !b->over) return;
    sb_add(out, "%zu launches under %s, and %zu under %s\n", a->nlaunches, a->name, b->nlaunches, b->name);
}

static void cuda_compare_differences(const struct cuda *c, struct sb *out) {
    struct sb all = {0};
    const struct cuda_run *a = &c->runs.v[0];
    for (size_t i = 1; i < c->runs.n && !c->signal; i++) {
        const struct cuda_run *b = &c->runs.v[i];
        ending(a, b, &all);
        cuda_compare_difference(a, b, &a->out_text, &b->out_text, "standard output", &all);
        cuda_compare_counts(a, b, &all);
    }
    for (char *p = all.text, *end; p && *p; p = end + 1) {
        end = strchr(p, '\n');
        sb_add(out, "%sDIFFERENT:%s %.*s\n", term_on(&c->term, TERM_RED), term_on(&c->term, TERM_PLAIN),
               (int)(end - p), p);
    }
    for (size_t i = 1; i < c->runs.n && !c->signal; i++) last_words(a, &c->runs.v[i], out);
    sb_free(&all);
}

/* What a run has to say beyond what the first said. */
static void cuda_compare_words(const struct cuda *c, struct sb *out) {
    struct sb first = {0};
    cuda_words(c, &c->runs.v[0], &first);
    if (first.len) sb_add(out, "%s", first.text);
    for (size_t i = 1; i < c->runs.n; i++) {
        struct sb one = {0};
        if (c->runs.v[i].over) cuda_words(c, &c->runs.v[i], &one);
        if (one.len && (!first.len || strcmp(one.text, first.text) != 0))
            sb_add(out, "%s:\n%s", c->runs.v[i].name, one.text);
        sb_free(&one);
    }
    sb_free(&first);
}

void cuda_compare(const struct cuda *c, struct sb *out) {
    program_table(c, out);
    if (c->runs.v[0].timed) kernel_tables(c, out);
    cuda_compare_words(c, out);
    cuda_compare_differences(c, out);
}
