/* What one run leaves for the page: its statistics, where its slots went by branch, line and source line, its launches, what
 * limited them, and time. Taken while the device is still there; names and lines are those of the program as loaded. */
#include <string.h>

#include "base/bits.h"
#include "cli/cmd/report/report.h"
#include "cli/page_about.h"

/* Launches that the page can list one by one. */
enum { MOST_LAUNCHES = 400 };

static json_t *report_run_number(uint64_t v) {
    return json_integer((json_int_t)v);
}

static void report_run_put(json_t *o, const char *key, uint64_t v) {
    json_object_set_new(o, key, report_run_number(v));
}

/* ---- profile ---- */

static void add_kind(json_t *pairs, int *kind, uint64_t v) {
    if (v) {
        json_array_append_new(pairs, json_integer(*kind));
        json_array_append_new(pairs, report_run_number(v));
    }
    ++*kind;
}

json_t *report_cost(const struct profile_cost *c) {
    json_t *pairs = json_array();
    int kind = 0;
    for (int k = 0; k < SM_LANE_KINDS; k++) add_kind(pairs, &kind, c->lanes[k]);
    for (int k = 0; k < SM_WAITS; k++) add_kind(pairs, &kind, c->waits[k]);
    add_kind(pairs, &kind, c->parted);
    add_kind(pairs, &kind, c->exited);
    add_kind(pairs, &kind, c->held);
    return pairs;
}

static uint32_t file_number(const struct ir_module *m, const struct profile_row *p) {
    return p->file ? m->src.v[p->pc].file : 0;
}

static json_t *report_run_branch(const struct ir_module *m, const struct profile_row *p) {
    json_t *o = json_object();
    report_run_put(o, "pc", p->pc);
    json_object_set_new(o, "function", json_string(p->func));
    report_run_put(o, "line", p->line);
    report_run_put(o, "file", file_number(m, p));
    report_run_put(o, "source", p->source_line);
    report_run_put(o, "executions", p->count.executions);
    report_run_put(o, "lanes", p->count.lanes);
    report_run_put(o, "divergences", p->count.divergences);
    report_run_put(o, "sides", p->count.sides);
    report_run_put(o, "reconvergences", p->count.reconvergences);
    report_run_put(o, "cycles", p->count.reconvergence_cycles);
    json_object_set_new(o, "cost", report_cost(&p->own));
    return o;
}

/* [file, line, executions, lanes, cost] of a source line, [line, ...] of one of the PTX; with calls last, where they cost. */
static json_t *report_run_line(const struct ir_module *m, const struct profile_row *p, bool source) {
    json_t *a = json_array();
    if (source) json_array_append_new(a, json_integer(file_number(m, p)));
    json_array_append_new(a, json_integer(source ? p->source_line : p->line));
    json_array_append_new(a, report_run_number(p->count.executions));
    json_array_append_new(a, report_run_number(p->count.lanes));
    json_array_append_new(a, report_cost(&p->own));
    if (memcmp(&p->own, &p->calls, sizeof p->own)) json_array_append_new(a, report_cost(&p->calls));
    return a;
}

static json_t *lines(const struct ir_module *m, const struct profile_rows *rows, bool source) {
    json_t *all = json_array();
    for (size_t i = 0; i < rows->n; i++) json_array_append_new(all, report_run_line(m, &rows->v[i], source));
    return all;
}

static json_t *slots(const struct profile *p) {
    json_t *all = json_array();
    for (int k = 0; k < SM_LANE_KINDS; k++) json_array_append_new(all, report_run_number(p->lanes[k]));
    for (int k = 0; k < SM_WAITS; k++) json_array_append_new(all, report_run_number(p->waits[k]));
    return all;
}

static void add_profile(json_t *o, const hd_module *mod) {
    const struct ir_module *m = sim_module_ir(mod);
    struct profile p = {0};
    json_t *branches = json_array(), *functions = json_array();
    sim_profile(mod, &p);
    for (size_t i = 0; i < p.branches.n; i++)
        json_array_append_new(branches, report_run_branch(m, &p.branches.v[i]));
    for (size_t i = 0; i < p.functions.n; i++)
        json_array_append_new(functions, json_string(p.functions.v[i].func));
    json_object_set_new(o, "slots", slots(&p));
    json_object_set_new(o, "functions", functions);
    json_object_set_new(o, "branches", branches);
    json_object_set_new(o, "ptx", lines(m, &p.ptx, false));
    json_object_set_new(o, "source", lines(m, &p.source, true));
    profile_free(&p);
}

/* ---- launches ---- */

static json_t *report_run_limits(const struct report_kernel *k) {
    json_t *all = json_array();
    for (int i = 0; i < SM_LIMITS; i++) {
        const struct sm_limit *l = &k->limit[i];
        json_t *o = json_pack("{s:s, s:s}", "unit", l->unit, "key", l->key);
        report_run_put(o, "need", l->need);
        report_run_put(o, "have", l->have);
        json_object_set_new(o, "blocks",
                            l->blocks == UINT64_MAX ? json_null() : report_run_number(l->blocks));
        json_array_append_new(all, o);
    }
    return all;
}

/* Launches of one kernel: their sum, and the shape of the first. */
static json_t *kernel(const struct report_run *run, uint32_t k) {
    struct stats sum = {0};
    const struct report_launch *first = NULL;
    size_t n = 0;
    for (size_t i = 0; i < run->launches.n; i++) {
        const struct report_launch *l = &run->launches.v[i];
        if (l->kernel != k) continue;
        if (!n++) first = l;
        stats_join(&sum, &l->stats);
    }
    struct sb shape = {0};
    program_shape(&first->shape, &shape);
    json_t *o = json_pack("{s:s, s:s}", "name", run->kernels.v[k].name, "shape", shape.text);
    report_title(run->kernels.v[k].name, o);
    report_run_put(o, "launches", n);
    report_run_put(o, "cycles", sum.gpu.cycles);
    report_run_put(o, "thread_insts", sum.sm.thread_insts);
    report_run_put(o, "lane_slots", sum.sm.lane_slots);
    report_run_put(o, "threads", extent_count(first->shape.block));
    report_run_put(o, "registers", run->kernels.v[k].registers);
    report_run_put(o, "resident", first->stats.gpu.resident_blocks);
    report_run_put(o, "block_cycles", sum.sm.block_cycles);
    report_run_put(o, "sm_cycles", sum.sm.cycles);
    json_object_set_new(o, "limits", report_run_limits(&run->kernels.v[k]));
    sb_free(&shape);
    return o;
}

/* Kernel and cycles, in turn; too many: none. */
static json_t *launches(const struct report_run *run) {
    json_t *all = json_array();
    for (size_t i = 0; i < run->launches.n && run->launches.n <= MOST_LAUNCHES; i++) {
        json_array_append_new(all, json_integer(run->launches.v[i].kernel));
        json_array_append_new(all, report_run_number(run->launches.v[i].stats.gpu.cycles));
    }
    return all;
}

/* ---- the run ---- */

static void report_run_add_machine(json_t *o, const hd_device *dev, const hd_module *mod) {
    const struct options *opt = sim_options(dev);
    const struct opt_sm *sm = &opt->machine.sm;
    const int64_t *param;
    const struct mech_ops *mech = options_mech(opt, &param);
    const uint32_t warp = mech_width(mech, param, (uint32_t)sm->warp_size, (uint32_t)sm->simd_width);
    json_object_set_new(o, "mech", json_string(mech->name));
    json_object_set_new(o, "title", json_string(mech->title));
    report_run_put(o, "warp", warp);
    report_run_put(o, "storage", sim_storage(dev)->bits);
    json_object_set_new(o, "density",
                        report_density(sim_density(dev), warp < EXEC_LANES ? warp : EXEC_LANES, warp,
                                       (uint32_t)sm->schedulers, sim_module_ir(mod)->code.n));
}

json_t *report_run_json(const struct report_run *run, const hd_module *mod) {
    json_t *o = json_object(), *kernels = json_array();
    const struct stats *s = sim_stats(run->dev, true);
    for (uint32_t k = 0; k < run->kernels.n; k++) json_array_append_new(kernels, kernel(run, k));
    json_object_set_new(o, "stats", page_stat_values(s));
    json_object_set_new(o, "own", page_own_counters(s));
    report_run_add_machine(o, run->dev, mod);
    add_profile(o, mod);
    json_object_set_new(o, "kernels", kernels);
    report_run_put(o, "nlaunches", run->launches.n);
    json_object_set_new(o, "launches", launches(run));
    json_object_set_new(o, "series", report_series(run->dev));
    return o;
}
