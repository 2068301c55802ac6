/* The report of a timed run: how long, how full, where the time went. */

#include "cli/cmd/run/run.h"
#include "cli/sampled.h"
#include "report/bar.h"
#include "report/text.h"

enum { BAR_WIDTH = 32 };

static double run_timed_share(uint64_t part, uint64_t all) {
    return all ? 100 * (double)part / (double)all : 0;
}

static void machine_line(const struct run *r, const struct stats *s, struct sb *out) {
    const struct options *o = sim_options(r->dev);
    run_label(r, out, "machine");
    sb_add(out, "%s, %lld SM%s, %s", *o->file ? o->file : CONFIG_DEFAULT, (long long)o->gpu.sms,
           o->gpu.sms == 1 ? "" : "s", s->mech ? s->mech->name : o->run.mech);
    if (s->mech) sb_add(out, " (%s)", s->mech->title);
    sb_add(out, "\n");
}

static void speed_lines(const struct run *r, const struct stats *s, struct sb *out) {
    run_label(r, out, "cycles");
    sampled_cycles(s, out);
    sb_add(out, "\n");
    run_label(r, out, "IPC");
    sb_add(out, "%.2f thread, %.2f warp instructions/cycle\n", stats_value(s, STAT_gpu_ipc),
           stats_value(s, STAT_gpu_warp_ipc));
    run_count(r, out, "thread instructions", s->sm.thread_insts);
    run_count(r, out, "warp instructions", s->sm.warp_insts);
    run_label(r, out, "lane activity");
    sb_add(out, "%.1f %%\n", 100 * stats_value(s, STAT_sm_lane_activity));
    run_label(r, out, "depth utilisation");
    sb_add(out, "%.1f %%\n", 100 * stats_value(s, STAT_sm_depth_utilisation));
}

static void divergence_line(const struct run *r, const struct stats *s, struct sb *out) {
    run_label(r, out, "divergence");
    text_grouped(out, s->div.divergences);
    if (s->div.divergences) {
        sb_add(out, " times, %.2f sides; ", stats_value(s, STAT_div_mean_sides));
        text_grouped(out, s->div.reconvergences);
        sb_add(out, " reconvergences");
    } else {
        sb_add(out, " times");
    }
    sb_add(out, "\n");
}

static void splits_line(const struct run *r, const struct stats *s, struct sb *out) {
    run_label(r, out, "splits alive");
    sb_add(out, "%.1f on an SM, at most ", stats_value(s, STAT_div_splits_mean));
    text_grouped(out, s->div.splits_max);
    sb_add(out, "\n");
}

/* Adds the storage of the mechanism, in lines that fit. */
static void storage_lines(const struct run *r, struct sb *out) {
    const struct storage *s = sim_storage(r->dev);
    size_t left = 0;
    run_label(r, out, "storage");
    text_grouped(out, s->bits);
    sb_add(out, " bits on an SM");
    for (size_t i = 0; i < s->parts.n; i++) {
        struct sb part = {0};
        sb_add(&part, "%s ", s->parts.v[i].name);
        text_grouped(&part, s->parts.v[i].bits);
        if (left < part.len + 3) {
            sb_add(out, "%s\n%-20s", i ? "," : ":", "");
            left = 60;
        } else {
            sb_add(out, ", ");
        }
        sb_add(out, "%s", part.text);
        left -= part.len + 2;
        sb_free(&part);
    }
    sb_add(out, "\n");
}

static void cache_line(const struct run *r, struct sb *out, const char *name, uint64_t accesses,
                       uint64_t hits, uint64_t pending) {
    if (!accesses) return;
    run_label(r, out, name);
    sb_add(out, "%.1f %% of ", run_timed_share(hits, accesses));
    text_grouped(out, accesses);
    if (pending) sb_add(out, ", %.1f %% found their line on its way", run_timed_share(pending, accesses));
    sb_add(out, "\n");
}

static void memory_lines(const struct run *r, const struct stats *s, struct sb *out) {
    cache_line(r, out, "L1D hits", s->l1d.accesses, s->l1d.hits, s->l1d.pending);
    cache_line(r, out, "L1T hits", s->l1t.accesses, s->l1t.hits, s->l1t.pending);
    cache_line(r, out, "L1C hits", s->l1c.accesses, s->l1c.hits, s->l1c.pending);
    cache_line(r, out, "L1.5C hits", s->l15c.accesses, s->l15c.hits, s->l15c.pending);
    cache_line(r, out, "L1I hits", s->l1i.accesses, s->l1i.hits, s->l1i.pending);
    cache_line(r, out, "L2 hits", s->l2.accesses, s->l2.hits, s->l2.pending);
    if (!s->dram.bytes) return;
    run_label(r, out, "DRAM");
    text_grouped(out, s->dram.bytes);
    sb_add(out, " bytes, %.1f %% of the bandwidth, row hits %.1f %%\n",
           100 * stats_value(s, STAT_dram_utilisation), 100 * stats_value(s, STAT_dram_row_hit_rate));
}

/* The first of these that limited a launch, of several launches. */
static const char *limiter(const struct stats *s) {
    const uint64_t *limited = s->gpu.limited;
    return limited[SM_BY_THREADS]     ? "limited by threads (sm.threads)"
           : limited[SM_BY_REGISTERS] ? "limited by registers (sm.registers)"
           : limited[SM_BY_SHARED]    ? "limited by shared memory (sm.shared_bytes)"
           : limited[SM_BY_BLOCKS]    ? "limited by blocks (sm.blocks)"
                                      : "no fewer than the grid brings";
}

static void residency_line(const struct run *r, const struct stats *s, struct sb *out) {
    run_label(r, out, "residency");
    sb_add(out, "%llu block%s on an SM, %s\n", (unsigned long long)s->gpu.resident_blocks,
           s->gpu.resident_blocks == 1 ? " fits" : "s fit", limiter(s));
}

static void bar_line(const struct run *r, struct sb *out, const char *name, uint64_t part, uint64_t all) {
    sb_add(out, "  %-17s%6.1f %%", name, run_timed_share(part, all));
    if (part) sb_add(out, "  ");
    bar_add(out, (double)part, (double)all, BAR_WIDTH, r->cli->term.utf8);
    sb_add(out, "\n");
}

/* Scheduler cycles by what they issued: the warp-size distribution (DWF Figure 6.3). */
static void issue_bars(const struct run *r, const struct stats *s, struct sb *out) {
    const struct options *o = sim_options(r->dev);
    const struct opt_sm *sm = &o->machine.sm;
    const int64_t *param;
    const struct mech_ops *mech = options_mech(o, &param);
    const int64_t warp = mech_width(mech, param, (uint32_t)sm->warp_size, (uint32_t)sm->simd_width);
    const struct {
        const char *name;
        uint64_t cycles;
    } rest[] = {{"wider than a warp", s->warp.issued[SM_SIZES - 1]},
                {"no active thread", s->warp.empty},
                {"stalled", s->warp.stall},
                {"none: memory", s->warp.w0_mem},
                {"none: other", s->warp.w0_idle}};
    run_label(r, out, "issue slots");
    text_grouped(out, s->warp.cycles);
    sb_add(out, ", by threads of %lld:\n", (long long)warp);
    for (int i = SM_SIZES - 2; i >= 0; i--) {
        char name[32];
        long long low = warp * i / 8 + 1, high = warp * (i + 1) / 8;
        if (high < low) continue; /* a warp of four has no such class */
        snprintf(name, sizeof name, low == high ? "%lld" : "%lld-%lld", low, high);
        bar_line(r, out, name, s->warp.issued[i], s->warp.cycles);
    }
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        if (rest[i].cycles) bar_line(r, out, rest[i].name, rest[i].cycles, s->warp.cycles);
}

/* What the threads of an SM wait for while it issues nothing (HARP Figure 5). */
static void idle_bars(const struct run *r, const struct stats *s, struct sb *out) {
    const struct {
        const char *name;
        uint64_t cycles;
    } why[] = {{"dependency", s->idle.dependency},
               {"barrier", s->idle.barrier},
               {"other path", s->idle.inactive_path},
               {"reconvergence", s->idle.reconvergence}};
    uint64_t all = 0;
    for (size_t i = 0; i < sizeof why / sizeof *why; i++) all += why[i].cycles;
    if (!all) return;
    run_label(r, out, "idle threads");
    text_grouped(out, all);
    sb_add(out, " thread cycles in which nothing issued, by reason:\n");
    for (size_t i = 0; i < sizeof why / sizeof *why; i++) bar_line(r, out, why[i].name, why[i].cycles, all);
}

void run_timed_report(const struct run *r, const struct stats *s, struct sb *out) {
    machine_line(r, s, out);
    speed_lines(r, s, out);
    divergence_line(r, s, out);
    splits_line(r, s, out);
    memory_lines(r, s, out);
    residency_line(r, s, out);
    storage_lines(r, out);
    issue_bars(r, s, out);
    idle_bars(r, s, out);
}
