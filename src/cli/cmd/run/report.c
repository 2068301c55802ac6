/* After the last launch: the report for people, elements of buffers. Host times are the only numbers that differ from run to
 * run, so they stay out of a report that is not read on a terminal unless asked for. */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/cmd/run/run.h"
#include "cli/races.h"
#include "cli/sampled.h"
#include "report/text.h"
#include "sim/sim.h"
#include "value/arrays.h"
#include "value/demangle.h"

/* ---- the report ---- */

void run_label(const struct run *r, struct sb *out, const char *name) {
    sb_add(out, "%s%-20s%s", term_on(&r->cli->term, TERM_DIM), name, term_on(&r->cli->term, TERM_PLAIN));
}

void run_count(const struct run *r, struct sb *out, const char *name, uint64_t v) {
    run_label(r, out, name);
    text_grouped(out, v);
    sb_add(out, "\n");
}

static void host_lines(const struct run *r, struct sb *out, uint64_t insts) {
    double seconds = r->outcome.seconds;
    run_label(r, out, "host");
    sb_add(out, "%.3f s", seconds);
    if (seconds > 0) sb_add(out, ", %.1f million thread instructions/s", (double)insts / seconds / 1e6);
    sb_add(out, "\n");
}

static void workload_lines(const struct run *r, struct sb *out) {
    const struct workload *w = r->subject.workload;
    run_label(r, out, "workload");
    sb_add(out, "%s@%s%s (%s), %s\n", term_on(&r->cli->term, TERM_BOLD), w->name,
           term_on(&r->cli->term, TERM_PLAIN), w->origin, work_size_names[r->subject.size]);
    if (r->partial) return;
    run_label(r, out, "check");
    text_grouped(out, r->outcome.checked);
    sb_add(out, " value%s verified against the CPU\n", r->outcome.checked == 1 ? "" : "s");
}

static void script_lines(const struct run *r, struct sb *out) {
    run_label(r, out, "script");
    sb_add(out, "%s%s%s on %s\n", term_on(&r->cli->term, TERM_BOLD), r->subject.script_file,
           term_on(&r->cli->term, TERM_PLAIN), r->subject.program.file);
    if (!r->outcome.checked) return;
    run_label(r, out, "check");
    text_grouped(out, r->outcome.checked);
    sb_add(out, " value%s as the script expects\n", r->outcome.checked == 1 ? "" : "s");
}

static void trace_lines(const struct run *r, struct sb *out) {
    run_label(r, out, "trace");
    sb_add(out, "%s%s%s, replayed\n", term_on(&r->cli->term, TERM_BOLD), r->subject.trace.script.name,
           term_on(&r->cli->term, TERM_PLAIN));
}

static void launch_lines(const struct run *r, struct sb *out) {
    const struct run_launch *l = &r->launches.v[0];
    run_label(r, out, "kernel");
    sb_add(out, "%s", term_on(&r->cli->term, TERM_BOLD));
    demangle_name(l->kernel, out);
    sb_add(out, "%s\n", term_on(&r->cli->term, TERM_PLAIN));
    run_label(r, out, "launch");
    program_shape(&l->shape, out);
    sb_add(out, "\n");
}

static void functional_lines(const struct run *r, const struct stats *s, struct sb *out) {
    run_count(r, out, "thread instructions", s->exec.thread_insts);
    run_count(r, out, "warp instructions", s->exec.warp_insts);
    run_label(r, out, "lane activity");
    sb_add(out, "%.1f %%\n", 100 * stats_value(s, STAT_exec_lane_activity));
    run_label(r, out, "divergent branches");
    text_grouped(out, s->exec.divergent_branches);
    sb_add(out, " of ");
    text_grouped(out, s->exec.branches);
    if (s->exec.branches) sb_add(out, " (%.1f %%)", 100 * stats_value(s, STAT_exec_divergence));
    sb_add(out, "\n");
}

/* The time of main, and what it leaves of a gain in the kernels (Amdahl's law). */
static void program_lines(const struct run *r, const struct stats *s, struct sb *out) {
    const double share = stats_value(s, STAT_cpu_share);
    run_label(r, out, "main");
    text_grouped(out, s->cpu.insts);
    sb_add(out, " instructions in ");
    text_grouped(out, s->cpu.cycles);
    sb_add(out, " cycles of the host core, IPC %.2f, %.1f %% of branches mispredicted\n",
           stats_value(s, STAT_cpu_ipc), 100 * stats_value(s, STAT_cpu_mispredict_rate));
    if (r->functional) return;
    run_label(r, out, "program");
    text_grouped(out, (uint64_t)stats_value(s, STAT_cpu_program_cycles));
    sb_add(out, " cycles: main %.1f %%, kernels %.1f %%\n", 100 * share, 100 * (1 - share));
    run_label(r, out, "Amdahl's law");
    sb_add(out, "kernels twice as fast make the program %.3f times as fast", 2 / (1 + share));
    if (share > 0) sb_add(out, ", and no kernels at all %.3f times", 1 / share);
    sb_add(out, "\n");
}

static void partial_line(const struct run *r, struct sb *out) {
    run_label(r, out, "PARTIAL");
    sb_add(out, "stopped before its end: all figures are of what ran until then\n");
}

static void sampled_line(const struct run *r, const struct stats *s, struct sb *out) {
    run_label(r, out, "SAMPLED");
    sampled_words(s, out);
    sb_add(out, "\n");
}

void run_report(const struct run *r, struct sb *out) {
    const struct stats *s = sim_stats(r->dev, true);
    if (r->partial) partial_line(r, out);
    if (s->gpu.estimated) sampled_line(r, s, out);
    if (r->subject.workload) workload_lines(r, out);
    if (r->subject.script_file) script_lines(r, out);
    if (r->subject.traced) trace_lines(r, out);
    if (r->launches.n == 1)
        launch_lines(r, out);
    else
        run_launches(r, out);
    if (r->functional)
        functional_lines(r, s, out);
    else
        run_timed_report(r, s, out);
    if (s->cpu.insts) program_lines(r, s, out);
    if (r->races) races_text(&r->cli->term, r->dev, true, out);
    if (r->host || r->cli->term.out_tty) host_lines(r, out, s->exec.thread_insts);
    if (r->interval) run_series(r, out);
    if (r->profile) run_profile(r, out);
    if (r->annotate) run_annotate(r, out);
}
