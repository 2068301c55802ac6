/* What one run of a program shows: a row for each kernel, those that took most first, or for each launch in order; and
 * below them, in words, what failed and what else became of the program's processes. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "cli/cmd/cuda/tables.h"
#include "cli/sampled.h"
#include "report/table.h"
#include "report/text.h"
#include "subject/program.h"
#include "value/demangle.h"

/* ---- cells ---- */

void cuda_count_cell(struct table *t, uint64_t v) {
    struct sb text = {0};
    if (v) text_grouped(&text, v);
    table_cell(t, "%s", v ? text.text : "");
    sb_free(&text);
}

void cuda_cycles_cell(struct table *t, const struct stats *s) {
    struct sb text = {0};
    if (s->gpu.cycles) sampled_cycles(s, &text);
    table_cell(t, "%s", s->gpu.cycles ? text.text : "");
    sb_free(&text);
}

static void cuda_share_cell(struct table *t, bool shown, double part) {
    if (shown)
        table_cell(t, "%.1f %%", 100 * part);
    else
        table_cell(t, "%s", "");
}

/* Adds figures of what was timed, and of the whole where nothing was. */
static void stat_cells(struct table *t, const struct stats *s, size_t timed, const struct stats *all) {
    const enum stat_id lanes = timed ? STAT_sm_lane_activity : STAT_exec_lane_activity;
    cuda_cycles_cell(t, s);
    cuda_share_cell(t, timed && all && all->gpu.cycles,
                    all && all->gpu.cycles ? (double)s->gpu.cycles / (double)all->gpu.cycles : 0);
    if (timed)
        table_cell(t, "%.2f", stats_value(s, STAT_gpu_ipc));
    else
        table_cell(t, "%s", "");
    cuda_share_cell(t, s->exec.warp_insts || timed, stats_value(s, lanes));
    cuda_share_cell(t, s->l1d.accesses != 0,
                    s->l1d.accesses ? (double)s->l1d.hits / (double)s->l1d.accesses : 0);
    cuda_share_cell(t, timed, stats_value(s, STAT_dram_utilisation));
    cuda_count_cell(t, s->exec.thread_insts);
}

/* ---- kernels ---- */

static int by_cycles(const void *a, const void *b) {
    const struct cuda_kernel *x = *(const struct cuda_kernel *const *)a,
                             *y = *(const struct cuda_kernel *const *)b;
    if (x->stats.gpu.cycles != y->stats.gpu.cycles) return x->stats.gpu.cycles < y->stats.gpu.cycles ? 1 : -1;
    if (x->stats.exec.thread_insts != y->stats.exec.thread_insts)
        return x->stats.exec.thread_insts < y->stats.exec.thread_insts ? 1 : -1;
    return x < y ? -1 : x > y; /* in the order of the first launches */
}

const struct cuda_kernel **cuda_sorted(const struct cuda_run *r) {
    const struct cuda_kernel **all = xcalloc(r->kernels.n + 1, sizeof *all);
    for (size_t i = 0; i < r->kernels.n; i++) all[i] = &r->kernels.v[i];
    qsort(all, r->kernels.n, sizeof *all, by_cycles);
    return all;
}

static void kernel_row(const struct cuda_run *r, const struct cuda_kernel *k, struct table *t) {
    const bool mixed = r->timed && r->timed < r->nlaunches;
    cuda_count_cell(t, k->launches);
    demangle_cell(t, k->name);
    if (mixed)
        table_cell(t, "%zu", k->timed);
    else
        table_cell(t, "%s", "");
    stat_cells(t, &k->stats, k->timed, &r->total);
    cuda_count_cell(t, k->failed);
}

static void total_row(const struct cuda_run *r, struct table *t) {
    cuda_count_cell(t, r->nlaunches);
    table_cell(t, "all");
    if (r->timed && r->timed < r->nlaunches)
        table_cell(t, "%zu", r->timed);
    else
        table_cell(t, "%s", "");
    stat_cells(t, &r->total, r->timed, NULL);
    cuda_count_cell(t, r->failed);
}

static void kernel_table(const struct cuda_run *r, struct sb *out) {
    struct table t;
    const struct cuda_kernel **sorted = cuda_sorted(r);
    table_init(&t, "rlrrrrrrrrr");
    t.heading = true;
    TABLE_HEAD(&t, "launches", "kernel", "timed", "cycles", "of all", "IPC", "lanes", "L1D hits", "DRAM",
               "thread instructions", "failed");
    for (size_t i = 0; i < r->kernels.n; i++) kernel_row(r, sorted[i], &t);
    if (r->kernels.n > 1) total_row(r, &t);
    table_finish(&t, false, 2, out);
    free(sorted);
}

/* ---- launches ---- */

static void launch_row(const struct cuda_run *r, const struct cuda_launch *l, struct table *t) {
    struct sb shape = {0};
    program_shape(&l->shape, &shape);
    if (r->processes.n > 1)
        table_cell(t, "%zu", l->process + 1);
    else
        table_cell(t, "%s", "");
    table_cell(t, "%" PRIu64, l->number);
    demangle_cell(t, r->kernels.v[l->kernel].name);
    table_cell(t, "%s", shape.text);
    cuda_count_cell(t, l->stream);
    stat_cells(t, &l->stats, l->timed, &r->total);
    table_cell(t, "%s", l->error ? l->status : "");
    sb_free(&shape);
}

static void launch_table(const struct cuda_run *r, struct sb *out) {
    struct table t;
    table_init(&t, "rrllrrrrrrrrl");
    t.heading = true;
    TABLE_HEAD(&t, "process", "launch", "kernel", "shape", "stream", "cycles", "of all", "IPC", "lanes",
               "L1D hits", "DRAM", "thread instructions", "");
    for (size_t i = 0; i < r->launches.n; i++) launch_row(r, &r->launches.v[i], &t);
    table_finish(&t, false, 2, out);
}

/* ---- words ---- */

void cuda_title(const struct cuda *c, struct sb *out) {
    sb_add(out, "%s%s%s", term_on(&c->term, TERM_BOLD), c->opts.operands.v[0], term_on(&c->term, TERM_PLAIN));
}

static void cuda_heading(const struct cuda *c, const struct cuda_run *r, struct sb *out) {
    cuda_title(c, out);
    sb_add(out, "  %s", term_on(&c->term, TERM_DIM));
    text_grouped(out, r->nlaunches);
    sb_add(out, " launch%s of %zu kernel%s, ", r->nlaunches == 1 ? "" : "es", r->kernels.n,
           r->kernels.n == 1 ? "" : "s");
    if (r->mech_name)
        sb_add(out, "%s under %s", r->config, r->mech_name);
    else
        sb_add(out, "functional");
    sb_add(out, "%s\n", term_on(&c->term, TERM_PLAIN));
}

/* The first line of an error says what; the rest was on standard error when it happened. */
static void failures(const struct cuda_run *r, struct sb *out) {
    for (size_t i = 0; i < r->kernels.n; i++) {
        const struct cuda_kernel *k = &r->kernels.v[i];
        if (!k->failed) continue;
        sb_add(out, "  ");
        demangle_name(k->name, out);
        sb_add(out, ": %zu of %zu launches failed, the first: ", k->failed, k->launches);
        struct sb readable = {0};
        demangle_text(k->error, &readable);
        sb_addn(out, readable.text, strcspn(readable.text, "\n"));
        sb_add(out, "\n");
        sb_free(&readable);
    }
}

static void processes(const struct cuda_run *r, struct sb *out) {
    size_t open = 0;
    for (size_t i = 0; i < r->processes.n; i++) open += !r->processes.v[i].ended;
    if (r->processes.n > 1) sb_add(out, "  %zu processes used CUDA\n", r->processes.n);
    if (open && r->processes.n == 1)
        sb_add(out, "  the process did not end by itself: a launch that was under way is not counted\n");
    else if (open)
        sb_add(
            out,
            "  %zu of them did not end by themselves, or still run: what they had under way is not counted\n",
            open);
}

void cuda_words(const struct cuda *c, const struct cuda_run *r, struct sb *out) {
    if (!r->processes.n)
        sb_add(out, "  it called nothing of CUDA\n");
    else if (!r->nlaunches)
        sb_add(out, "  it launched no kernel\n");
    if (r->total.gpu.estimated) {
        sb_add(out, "  SAMPLED: ");
        sampled_words(&r->total, out);
        sb_add(out, "\n");
    }
    failures(r, out);
    processes(r, out);
    for (size_t i = 0; i < r->notes.n; i++) sb_add(out, "  %s\n", r->notes.v[i]);
    if (r->over && WIFSIGNALED(r->wait_status))
        sb_add(out, "  ended by signal %d (%s)\n", WTERMSIG(r->wait_status),
               strsignal(WTERMSIG(r->wait_status)));
    if (opts_has(&c->opts, "races") && r->processes.n && !r->notes.n) sb_add(out, "  no data races\n");
    if (r->broken)
        sb_add(out, "  %zu line%s of the log cannot be read\n", r->broken, r->broken == 1 ? "" : "s");
    if (c->signal) sb_add(out, "  PARTIAL: stopped before its end\n");
}

void cuda_report(const struct cuda *c, struct sb *out) {
    const struct cuda_run *r = &c->runs.v[0];
    cuda_heading(c, r, out);
    if (r->nlaunches) {
        if (c->launches)
            launch_table(r, out);
        else
            kernel_table(r, out);
    }
    cuda_words(c, r, out);
}
