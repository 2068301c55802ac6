/* Everything that runs of a program left, as JSON and CSV. Processes are numbered in the order in which they began,
 * since what the system calls them differs from run to run. */
#include <inttypes.h>
#include <string.h>
#include <sys/wait.h>

#include "cli/cmd/cuda/cuda.h"
#include "cli/stats_json.h"
#include "report/csv.h"

static json_t *launch_json(const struct cuda_run *r, const struct cuda_launch *l) {
    json_t *o = stats_json_launch(r->kernels.v[l->kernel].name, &l->shape);
    json_object_set_new(o, "process", json_integer((json_int_t)l->process + 1));
    json_object_set_new(o, "launch", json_integer((json_int_t)l->number));
    json_object_set_new(o, "stream", json_integer((json_int_t)l->stream));
    json_object_set_new(o, "timed", json_boolean(l->timed));
    json_object_set_new(o, "status", json_string(l->status));
    if (l->error) json_object_set_new(o, "error", json_string(l->error));
    stats_json_add(o, &l->stats);
    return o;
}

static json_t *kernel_json(const struct cuda *c, size_t run, const struct cuda_kernel *k) {
    json_t *o = json_pack("{s:s, s:I, s:I, s:I}", "kernel", k->name, "launches", (json_int_t)k->launches,
                          "timed", (json_int_t)k->timed, "failed", (json_int_t)k->failed);
    const double speedup = cuda_speedup(c, run, k->name);
    if (speedup > 0) json_object_set_new(o, "speedup", json_real(speedup));
    stats_json_add(o, &k->stats);
    return o;
}

static json_t *processes_json(const struct cuda_run *r) {
    json_t *all = json_array();
    for (size_t i = 0; i < r->processes.n; i++)
        json_array_append_new(all, json_pack("{s:s, s:b}", "program", r->processes.v[i].program, "ended",
                                             (int)r->processes.v[i].ended));
    return all;
}

static json_t *cuda_files_run_json(const struct cuda *c, size_t run) {
    const struct cuda_run *r = &c->runs.v[run];
    json_t *o = json_object(), *kernels = json_array(), *launches = json_array(), *total = json_object();
    size_t n;
    const double speedup = cuda_speedup(c, run, NULL), mean = cuda_mean(c, run, &n);
    json_object_set_new(o, "name", json_string(r->name));
    json_object_set_new(o, "config", json_string(r->config));
    if (r->mech_name) json_object_set_new(o, "mechanism", json_string(r->mech_name));
    if (r->over) json_object_set_new(o, "exit_status", json_integer(cuda_exit_status(r)));
    for (size_t i = 0; i < r->kernels.n; i++)
        json_array_append_new(kernels, kernel_json(c, run, &r->kernels.v[i]));
    for (size_t i = 0; i < r->launches.n; i++)
        json_array_append_new(launches, launch_json(r, &r->launches.v[i]));
    json_object_set_new(o, "processes", processes_json(r));
    json_object_set_new(o, "launches", launches);
    json_object_set_new(o, "kernels", kernels);
    if (speedup > 0) json_object_set_new(total, "speedup", json_real(speedup));
    if (mean > 0) json_object_set_new(total, "mean_speedup", json_real(mean));
    stats_json_add(total, &r->total);
    json_object_set_new(o, "total", total);
    if (c->profile) json_object_set_new(o, "profile", cuda_profile_json(r));
    return o;
}

bool cuda_json(const struct cuda *c, struct sb *out, struct err *e) {
    json_t *root = json_object(), *words = json_array(), *runs = json_array();
    for (size_t i = 0; i < c->opts.operands.n; i++)
        json_array_append_new(words,
                              json_stringn_nocheck(c->opts.operands.v[i], strlen(c->opts.operands.v[i])));
    for (size_t i = 0; i < c->runs.n; i++) json_array_append_new(runs, cuda_files_run_json(c, i));
    if (c->signal) json_object_set_new(root, "partial", json_true());
    json_object_set_new(root, "program", words);
    json_object_set_new(root, "runs", runs);
    return stats_json_text(root, out, e);
}

/* ---- CSV ---- */

static void csv_extent(struct sb *out, const uint32_t d[3]) {
    csv_cell(out, "%u %u %u", d[0] ? d[0] : 1, d[1] ? d[1] : 1, d[2] ? d[2] : 1);
}

static void cuda_files_csv_row(const struct cuda_run *r, const struct cuda_launch *l, struct sb *out) {
    csv_cell(out, "%s", r->name);
    csv_cell(out, "%zu", l->process + 1);
    csv_cell(out, "%" PRIu64, l->number);
    csv_cell(out, "%s", r->kernels.v[l->kernel].name);
    csv_extent(out, l->shape.grid);
    csv_extent(out, l->shape.block);
    csv_cell(out, "%u", l->shape.shared_bytes);
    csv_cell(out, "%" PRIu64, l->stream);
    csv_cell(out, "%s", l->timed ? "timed" : "functional");
    csv_cell(out, "%s", l->status);
    for (int i = 0; i < STAT_COUNT; i++) {
        const enum stat_id id = (enum stat_id)i;
        if (stat_is_counter(id))
            csv_cell(out, "%" PRIu64, stats_exact(&l->stats, id));
        else
            csv_cell(out, "%.12g", stats_value(&l->stats, id));
    }
    csv_end_row(out);
}

void cuda_csv(const struct cuda *c, struct sb *out) {
    static const char *const head[] = {"run",   "process", "launch", "kernel", "grid",
                                       "block", "shared",  "stream", "mode",   "status"};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++) csv_cell(out, "%s", head[i]);
    for (int i = 0; i < STAT_COUNT; i++) csv_cell(out, "%s", stat_rows[i].name);
    csv_end_row(out);
    for (size_t i = 0; i < c->runs.n; i++)
        for (size_t k = 0; k < c->runs.v[i].launches.n; k++)
            cuda_files_csv_row(&c->runs.v[i], &c->runs.v[i].launches.v[k], out);
}
