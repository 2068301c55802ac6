/* A run as JSON: the options of the machine, each launch, their total. Host times are the only numbers that differ from run to
 * run, so they are there only when asked for. */
#include <inttypes.h>

#include "cli/cmd/run/run.h"
#include "cli/races.h"
#include "cli/sampled.h"
#include "cli/stats_json.h"

static json_t *launch_json(const struct run *r, size_t i) {
    const struct run_launch *l = &r->launches.v[i];
    json_t *o = stats_json_launch(l->kernel, &l->shape);
    stats_json_add(o, &l->stats);
    if (r->host) stats_json_add_host(o, &l->stats, l->seconds);
    if (r->partial && i + 1 == r->launches.n) json_object_set_new(o, "partial", json_true());
    if (l->stats.gpu.estimated) json_object_set_new(o, "estimated", json_true());
    if (r->interval) json_object_set_new(o, "series", run_series_json(r, i));
    if (r->profile || r->annotate) json_object_set_new(o, "slots", run_slots_json(&l->slots));
    return o;
}

static json_t *total_json(const struct run *r) {
    const struct stats *s = sim_stats(r->dev, true);
    json_t *o = json_object();
    stats_json_add(o, s);
    if (r->host) stats_json_add_host(o, s, r->outcome.seconds);
    if (r->profile || r->annotate) json_object_set_new(o, "profile", run_profile_json(r));
    return o;
}

static json_t *workload_json(const struct run *r) {
    char digest[17]; /* as text: 64 bits are more than many readers of JSON keep */
    snprintf(digest, sizeof digest, "%016" PRIx64, r->outcome.digest);
    return json_pack("{s:s, s:s, s:I, s:s}", "name", r->subject.workload->name, "size",
                     work_size_names[r->subject.size], "checked", (json_int_t)r->outcome.checked, "digest",
                     digest);
}

static json_t *script_json(const struct run *r) {
    return json_pack("{s:s, s:s, s:I}", "name", r->subject.script_file, "file", r->subject.program.file,
                     "checked", (json_int_t)r->outcome.checked);
}

/* Bits of the mechanism's structures on one SM. */
static json_t *storage_json(const struct storage *s) {
    json_t *o = json_object();
    for (size_t i = 0; i < s->parts.n; i++)
        json_object_set_new(o, s->parts.v[i].name, json_integer((json_int_t)s->parts.v[i].bits));
    return o;
}

bool run_json(const struct run *r, struct sb *out, struct err *e) {
    json_t *root = json_object(), *kernels = json_array();
    for (size_t i = 0; i < r->launches.n; i++) json_array_append_new(kernels, launch_json(r, i));
    if (r->partial) json_object_set_new(root, "partial", json_true());
    sampled_json(root, sim_stats(r->dev, true));
    if (r->subject.workload) json_object_set_new(root, "workload", workload_json(r));
    if (r->subject.traced) json_object_set_new(root, "trace", json_string(r->subject.trace.script.name));
    if (r->subject.script_file) json_object_set_new(root, "script", script_json(r));
    json_object_set_new(root, "options", stats_json_options(sim_options(r->dev)));
    json_object_set_new(root, "kernels", kernels);
    json_object_set_new(root, "total", total_json(r));
    if (r->races) json_object_set_new(root, "races", races_json(r->dev));
    if (!r->functional) json_object_set_new(root, "storage", storage_json(sim_storage(r->dev)));
    return stats_json_text(root, out, e);
}
