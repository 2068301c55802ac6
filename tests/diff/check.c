/* See check.h. A failure is reported so that it can be had again: HEDDLE_DIFF_SEED=n and the name of the test program, or
 * the kernel's text with the command line. */
#include "check.h"

#include "mech/mech.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OPTIONS = 96 };

struct run {
    hd_device *dev;
    hd_module *mod;
    hd_kernel *kernel;
    uint64_t input, out, slots, cells;
};

void diff_make(struct diff_case *c, uint64_t seed) {
    *c = (struct diff_case){0};
    gen_make(&c->kernel, seed);
    gen_emit(&c->kernel, &c->text);
    gen_memory_init(&c->want, &c->kernel);
    gen_run(&c->kernel, &c->want);
}
void diff_free(struct diff_case *c) {
    gen_memory_free(&c->want);
    sb_free(&c->text);
    gen_free(&c->kernel);
}

static size_t gather(hd_option *out, size_t n, const char *const *pairs) {
    for (; pairs && pairs[0] && n < MOST_OPTIONS; pairs += 2) out[n++] = (hd_option){pairs[0], pairs[1]};
    return n;
}

static hd_status open_run(const struct diff_case *c, const hd_config *config, struct run *r) {
    hd_status st = hd_device_open(config, &r->dev);
    size_t threads = c->want.threads;
    if (!st) st = hd_module_load(r->dev, "generated.ptx", c->text.text, c->text.len, &r->mod);
    if (!st) st = hd_module_kernel(r->mod, "generated", &r->kernel);
    if (!st) st = hd_alloc(r->dev, sizeof c->want.input, &r->input);
    if (!st) st = hd_copy_in(r->dev, r->input, c->want.input, sizeof c->want.input);
    if (!st) st = hd_alloc(r->dev, 4 * threads, &r->out);
    if (!st) st = hd_alloc(r->dev, 4 * threads * GEN_SLOTS, &r->slots);
    if (!st) st = hd_alloc(r->dev, sizeof c->want.cells, &r->cells);
    return st;
}

static hd_status launch(const struct diff_case *c, struct run *r) {
    hd_launch l = {.grid = {c->kernel.grid}, .block = {c->kernel.block}, .max_insts = 1 << 26};
    uint32_t words[GEN_WORDS];
    for (uint32_t k = 0; k < GEN_WORDS; k++) words[k] = gen_param(&c->kernel, k);
    hd_arg args[] = {hd_arg_ptr(r->input), hd_arg_ptr(r->out), hd_arg_ptr(r->slots), hd_arg_ptr(r->cells),
                     hd_arg_bytes(words, sizeof words)};
    return hd_run(r->kernel, &l, args, 5);
}

/* True when the device has these words. */
static bool same(const struct run *r, const char *what, uint64_t addr, const uint32_t *want, size_t n,
                 struct sb *why) {
    uint32_t *got = xcalloc(n, sizeof *got);
    hd_status st = hd_copy_out(r->dev, got, addr, n * sizeof *got);
    size_t i = 0;
    while (i < n && got[i] == want[i]) i++;
    if (st)
        sb_add(why, "%s: %s", what, hd_error(r->dev));
    else if (i < n)
        sb_add(why, "%s[%zu] is 0x%x, want 0x%x", what, i, got[i], want[i]);
    free(got);
    return !st && i == n;
}

static bool compare(const struct diff_case *c, const struct run *r, struct sb *why) {
    const struct gen_memory *w = &c->want;
    return same(r, "out", r->out, w->out, w->threads, why) &&
           same(r, "slots", r->slots, w->slots, (size_t)w->threads * GEN_SLOTS, why) &&
           same(r, "cells", r->cells, w->cells, GEN_CELLS + 1, why) &&
           same(r, "input", r->input, w->input, GEN_INPUT, why);
}

/* ---- statistics ---- */

static double stat(const hd_device *dev, const char *name) {
    double v = 0;
    return hd_stat(dev, 0, name, &v) ? -1 : v;
}

static bool caches_add_up(const hd_device *dev, struct sb *why) {
    static const char *const caches[] = {"l1d", "l1t", "l1c", "l15c", "l1i", "l2"};
    for (size_t k = 0; k < sizeof caches / sizeof *caches; k++) {
        char name[4][32];
        static const char *const parts[] = {"accesses", "hits", "pending", "misses"};
        for (int p = 0; p < 4; p++) snprintf(name[p], sizeof name[p], "%s.%s", caches[k], parts[p]);
        double all = stat(dev, name[0]), sum = stat(dev, name[1]) + stat(dev, name[2]) + stat(dev, name[3]);
        if (all < 0 || all != sum) {
            sb_add(why, "%s: %.0f accesses, but hits, pending and misses are %.0f", caches[k], all, sum);
            return false;
        }
        char rate[32];
        snprintf(rate, sizeof rate, "%s.miss_rate_pending", caches[k]);
        if (fabs(stat(dev, rate) * all - stat(dev, name[2]) - stat(dev, name[3])) > 1e-6 * (all + 1)) {
            sb_add(why, "%s of %.0f accesses is %g", rate, all, stat(dev, rate));
            return false;
        }
    }
    return true;
}

static bool classes_add_up(const hd_device *dev, struct sb *why) {
    static const char *const classes[] = {"w0_mem", "w0_idle", "stall", "empty", "w4",  "w8",   "w12",
                                          "w16",    "w20",     "w24",   "w28",   "w32", "wider"};
    double sum = 0, all = stat(dev, "warp.cycles");
    for (size_t k = 0; k < sizeof classes / sizeof *classes; k++) {
        char name[32];
        snprintf(name, sizeof name, "warp.%s", classes[k]);
        sum += stat(dev, name);
    }
    if (all <= 0 || all != sum) sb_add(why, "%.0f scheduler cycles, but their classes are %.0f", all, sum);
    return all > 0 && all == sum;
}

/* The statistics whose names begin so, added up. */
static double sum_of(const hd_device *dev, const char *prefix) {
    double sum = 0;
    for (size_t i = 0; i < hd_stat_count(); i++) {
        hd_stat_info info;
        if (!hd_stat_at(i, &info) && !strncmp(info.name, prefix, strlen(prefix))) sum += stat(dev, info.name);
    }
    return sum;
}

/* Every lane slot of every issue is of one kind. */
static bool lanes_add_up(const hd_device *dev, struct sb *why) {
    double sum = sum_of(dev, "lane."), all = stat(dev, "sm.lane_slots") + stat(dev, "lane.empty");
    all += stat(dev, "sm.overhead_slots"); /* slots of marks */
    const double insts = stat(dev, "sm.thread_insts") + stat(dev, "sm.overhead_lanes");
    const bool good =
        all > 0 && all == sum && stat(dev, "lane.active") == insts &&
        stat(dev, "sm.lane_slots") - stat(dev, "sm.vacant_slots") >= stat(dev, "sm.thread_insts");
    if (!good)
        sb_add(why, "%.0f lane slots, but their kinds are %.0f; %.0f active, %.0f instructions", all, sum,
               stat(dev, "lane.active"), insts);
    return good;
}

/* Whatever there was to lose is charged to a line, once: lane slots to the issue that had them, those of threads that had
 * parted or exited also to where they did, cycles without an issue to a reason and, but for schedulers without threads, to
 * a line. */
static bool charges_add_up(const struct run *r, struct sb *why) {
    struct profile p;
    struct profile_cost sum = {0};
    sim_profile(r->mod, &p);
    for (size_t k = 0; k < p.ptx.n; k++) {
        const struct profile_cost *c = &p.ptx.v[k].own;
        for (int i = 0; i < SM_LANE_KINDS; i++) sum.lanes[i] += c->lanes[i];
        for (int i = 0; i < SM_WAITS; i++) sum.waits[i] += c->waits[i];
        sum.parted += c->parted;
        sum.exited += c->exited;
        sum.held += c->held;
    }
    const uint64_t width = (uint64_t)sim_options(r->dev)->machine.sm.simd_width;
    const uint64_t held = p.waits[WAIT_RECONVERGENCE], nobody = p.waits[WAIT_NOBODY];
    const bool good =
        p.slots ==
            width * (uint64_t)stat(r->dev, "warp.cycles") + (uint64_t)stat(r->dev, "sm.beyond_slots") &&
        !memcmp(sum.lanes, p.lanes, sizeof p.lanes) &&
        (double)p.lanes[LANE_PARTED] == stat(r->dev, "lane.parted") && sum.parted == p.lanes[LANE_PARTED] &&
        (double)p.lanes[LANE_EXITED] == stat(r->dev, "lane.exited") && sum.exited == p.lanes[LANE_EXITED] &&
        sum.held == held && profile_slots(&sum) + held + nobody == p.slots;
    if (!good)
        sb_add(
            why,
            "of %.0f scheduler cycles %llu lane slots are charged; parted %llu, to causes %llu; held %llu, "
            "to causes %llu; lines have %llu",
            stat(r->dev, "warp.cycles"), (unsigned long long)p.slots,
            (unsigned long long)p.lanes[LANE_PARTED], (unsigned long long)sum.parted,
            (unsigned long long)held, (unsigned long long)sum.held, (unsigned long long)profile_slots(&sum));
    profile_free(&p);
    return good;
}

/* Instructions are the same counted by thread, by class and by the SMs; requests to DRAM by kind and by latency. */
static bool counts_agree(const hd_device *dev, struct sb *why) {
    const double insts = stat(dev, "exec.thread_insts"), requests = stat(dev, "dram.latency_count");
    const double latencies = sum_of(dev, "dram.latency_") - requests - stat(dev, "dram.latency_sum") -
                             stat(dev, "dram.latency_max") - stat(dev, "dram.latency_mean");
    const bool good = insts == stat(dev, "sm.thread_insts") &&
                      insts + stat(dev, "sm.overhead_lanes") == sum_of(dev, "exec.insts_") &&
                      requests == stat(dev, "dram.reads") + stat(dev, "dram.writes") &&
                      fabs(latencies - requests) < 0.5;
    if (!good)
        sb_add(why, "%.0f instructions, %.0f on SMs, %.0f by class; %.0f requests to DRAM, %.0f by latency",
               insts, stat(dev, "sm.thread_insts"), sum_of(dev, "exec.insts_"), requests, latencies);
    return good;
}

bool diff_invariants(const hd_device *dev, struct sb *why) {
    double lanes = stat(dev, "sm.lane_activity"), depth = stat(dev, "sm.depth_utilisation");
    if (!classes_add_up(dev, why) || !lanes_add_up(dev, why) || !caches_add_up(dev, why) ||
        !counts_agree(dev, why))
        return false;
    if (!(lanes > 0 && lanes <= 1 && depth > 0 && depth <= 1)) {
        sb_add(why, "lane activity %g, depth utilisation %g", lanes, depth);
        return false;
    }
    if (stat(dev, "exec.blocks") != stat(dev, "sm.blocks")) {
        sb_add(why, "%.0f blocks ended, %.0f on SMs", stat(dev, "exec.blocks"), stat(dev, "sm.blocks"));
        return false;
    }
    return true;
}

/* Every other kernel, structured and not. */
static bool profiled(const struct diff_case *c) {
    return c->kernel.seed / 2 % 2;
}

static bool counts(struct diff_case *c, const struct run *r, struct sb *why) {
    bool timed = stat(r->dev, "gpu.cycles") > 0;
    double insts = stat(r->dev, timed ? "sm.thread_insts" : "exec.thread_insts");
    if (c->insts == 0) c->insts = insts;
    if (timed) c->lane_slots = stat(r->dev, "sm.lane_slots");
    if (c->insts == insts)
        return !timed || (diff_invariants(r->dev, why) && (!profiled(c) || charges_add_up(r, why)));
    sb_add(why, "%.0f thread instructions instead of %.0f", insts, c->insts);
    return false;
}

/* Storage belongs to a mechanism too. */
static bool is_mechanisms(const char *name) {
    bool own = !strcmp(name, "div.storage_bits");
    for (size_t k = 0; mech_list[k] && !own; k++) {
        const size_t n = strlen(mech_list[k]->name);
        own = !strncmp(name, mech_list[k]->name, n) && name[n] == '.';
    }
    return own;
}

static void keep_stats(const hd_device *dev, struct sb *out) {
    out->len = 0;
    for (size_t i = 0; i < hd_stat_count(); i++) {
        hd_stat_info info;
        if (hd_stat_at(i, &info) || is_mechanisms(info.name)) continue;
        sb_add(out, "%s %.17g\n", info.name, stat(dev, info.name));
    }
}

/* ---- one run ---- */

static void explain(const struct diff_case *c, const hd_config *config, struct sb *why) {
    struct sb path = {0};
    const char *build = getenv("BUILD");
    sb_add(&path, "%s/diff-%llu.ptx", build ? build : "build", (unsigned long long)c->kernel.seed);
    FILE *f = fopen(path.text, "w");
    if (f) {
        fputs(c->text.text, f);
        fclose(f);
    }
    sb_add(why, "\n  seed %llu, grid %u, block %u, %s; %s\n ", (unsigned long long)c->kernel.seed,
           c->kernel.grid, c->kernel.block, c->kernel.unstructured ? "unstructured" : "structured",
           f ? path.text : "(not written)");
    if (config->file) sb_add(why, " --config %s", config->file);
    for (size_t i = 0; i < config->noptions; i++)
        sb_add(why, " --set %s=%s", config->options[i].key, config->options[i].value);
    sb_add(why, "\n");
    sb_free(&path);
}

/* Its mechanism says that there is code that it does not run. */
static bool may_refuse(const hd_config *config) {
    const struct mech_ops *mech = NULL;
    for (size_t k = 0; k < config->noptions; k++)
        if (!strcmp(config->options[k].key, "run.mech")) mech = mech_find(config->options[k].value);
    return mech && MECH_ANY_CODE & ~mech->caps;
}

/* With run.races: generated kernels have no race, whatever the path. Some store one value from several lanes. */
static bool no_race(const hd_device *dev, struct sb *why) {
    hd_race race;
    if (hd_race_at(dev, 0, &race) || race.same_value) return true;
    sb_add(why, "%s race of lines %u and %u", race.kind, race.access[0].line, race.access[1].line);
    return false;
}

bool diff_run(struct diff_case *c, const struct diff_machine *m, const char *const *more, struct sb *why) {
    hd_option options[MOST_OPTIONS];
    hd_config config = {.options = options, .file = m->file};
    config.noptions = gather(options, gather(options, 0, m->option), more);
    struct run r = {0};
    struct sb reason = {0};
    hd_status st = open_run(c, &config, &r);
    if (!st) sim_watch(r.dev, &(struct watch){.profile = profiled(c)});
    if (!st) st = launch(c, &r);
    if (st) sb_add(&reason, "%s: %s", hd_status_name(st), r.dev ? hd_error(r.dev) : "no memory");
    c->refused = (st == HD_REFUSED && may_refuse(&config)) || (st == HD_INVALID && c->drawn);
    bool good =
        c->refused || (!st && no_race(r.dev, &reason) && compare(c, &r, &reason) && counts(c, &r, &reason));
    if (good && !st && c->stats) keep_stats(r.dev, c->stats);
    if (!good) {
        sb_add(why, "%s: %s", m->name, reason.text);
        explain(c, &config, why);
    }
    sb_free(&reason);
    hd_device_close(r.dev);
    return good;
}

static bool number(const char *name, uint64_t *v) {
    const char *text = getenv(name);
    char *end;
    if (!text || !*text) return false;
    *v = strtoull(text, &end, 10);
    return !*end;
}

struct diff_range diff_range(uint64_t count) {
    struct diff_range r = {0, count};
    bool seed = number("HEDDLE_DIFF_SEED", &r.first);
    if (!number("HEDDLE_DIFF_COUNT", &r.count) && seed) r.count = 1;
    return r;
}

struct diff_range diff_long_range(uint64_t some, uint64_t all) {
    uint64_t times = 1;
    if (!getenv("HEDDLE_DIFF_ALL")) return diff_range(some);
    number("HEDDLE_DIFF_ALL", &times);
    return diff_range(all * times);
}
