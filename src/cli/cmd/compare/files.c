/* The numbers of a comparison, all of them, as JSON and CSV. */
#include <inttypes.h>
#include <string.h>

#include "cli/cmd/compare/compare.h"
#include "cli/stats_json.h"
#include "report/csv.h"

const char *compare_status(const struct compare *c, size_t subject, size_t machine) {
    return compare_refused(c, subject, machine)           ? "refused"
           : lab_cell(&c->lab, subject, machine)->stopped ? "stopped"
           : !compare_ended(c, subject, machine)          ? "failed"
           : compare_wrong(c, subject, machine)           ? "wrong"
                                                          : "ok";
}

static json_t *subject_json(const struct lab_subject *s, size_t launches) {
    if (s->script)
        return json_pack("{s:s, s:s, s:I}", "script", s->script->name, "file", s->script->file, "launches",
                         (json_int_t)launches);
    if (!s->workload) {
        json_t *k = stats_json_launch(s->program->kernel, &s->program->launch);
        json_object_set_new(k, "file", json_string(s->program->file));
        return k;
    }
    return json_pack("{s:s, s:s, s:I}", "workload", s->workload->name, "size", work_size_names[s->size],
                     "launches", (json_int_t)launches);
}

static json_t *compare_files_cell_json(const struct compare *c, size_t subject, size_t machine) {
    const struct lab_outcome *out = &lab_cell(&c->lab, subject, machine)->out;
    json_t *k = subject_json(&c->lab.subjects[subject], out->launches);
    json_object_set_new(k, "mechanism", json_string(c->lab.machines[machine].name));
    json_object_set_new(k, "status", json_string(compare_status(c, subject, machine)));
    if (out->err.code) json_object_set_new(k, "error", json_string(err_text(&out->err)));
    if (!compare_ended(c, subject, machine)) return k;
    json_object_set_new(k, "speedup", json_real(compare_speedup(c, subject, machine)));
    stats_json_add(k, &out->total);
    if (c->host) stats_json_add_host(k, &out->total, out->seconds);
    return k;
}

/* Adds the races of the programs that left other memory somewhere. */
static void add_races(const struct compare *c, json_t *root) {
    json_t *all = json_array();
    for (size_t i = 0; i < c->lab.nsubjects; i++) {
        if (!c->races[i].json) continue;
        json_t *one = json_deep_copy(c->races[i].json);
        struct sb name = {0};
        compare_title(c, i, &name);
        json_object_set_new(one, "program", json_string(name.text));
        json_array_append_new(all, one);
        sb_free(&name);
    }
    if (json_array_size(all)) json_object_set(root, "races", all);
    json_decref(all);
}

static json_t *total_json(const struct compare *c, size_t machine) {
    json_t *t = json_object();
    struct stats sum = {0};
    size_t n, refused = 0;
    for (size_t i = 0; i < c->lab.nsubjects; i++) {
        stats_join(&sum, &lab_cell(&c->lab, i, machine)->out.total);
        refused += compare_refused(c, i, machine);
    }
    json_object_set_new(t, "mechanism", json_string(c->lab.machines[machine].name));
    json_object_set_new(t, "speedup", json_real(compare_mean(c, machine, &n)));
    json_object_set_new(t, "programs", json_integer((json_int_t)n));
    if (refused) json_object_set_new(t, "refused", json_integer((json_int_t)refused));
    stats_json_add(t, &sum);
    return t;
}

/* The options of the machine the mechanisms share, which the reference shows as well as any. */
static bool options_json(const struct compare *c, json_t *root, struct err *e) {
    hd_device *dev = NULL;
    bool fine = lab_open(&c->lab.machines[0].config, &dev, e);
    if (fine) json_object_set_new(root, "options", stats_json_options(sim_options(dev)));
    hd_device_close(dev);
    return fine;
}

bool compare_json(const void *of, struct sb *out, struct err *e) {
    const struct compare *c = of;
    json_t *root = json_object(), *kernels = json_array(), *total = json_array();
    bool fine = options_json(c, root, e);
    for (size_t i = 0; i < c->lab.nsubjects; i++)
        for (size_t m = 0; m < c->lab.nmachines; m++)
            json_array_append_new(kernels, compare_files_cell_json(c, i, m));
    for (size_t m = 0; m < c->lab.nmachines; m++) json_array_append_new(total, total_json(c, m));
    json_object_set_new(root, "kernels", kernels);
    json_object_set_new(root, "total", total);
    add_races(c, root);
    if (fine) return stats_json_text(root, out, e);
    json_decref(root);
    return false;
}

static void csv_subject(const struct lab_subject *s, struct sb *out) {
    struct sb name = {0};
    if (s->workload) lab_subject_name(s, &name);
    csv_cell(out, "%s", s->workload ? name.text : s->program->file);
    csv_cell(out, "%s", s->workload ? "" : s->program->kernel);
    csv_cell(out, "%s", s->workload ? work_size_names[s->size] : "");
    sb_free(&name);
}

static void compare_files_csv_row(const struct compare *c, size_t subject, size_t machine, struct sb *out) {
    const struct stats *s = &lab_cell(&c->lab, subject, machine)->out.total;
    bool ended = compare_ended(c, subject, machine);
    csv_subject(&c->lab.subjects[subject], out);
    csv_cell(out, "%s", c->lab.machines[machine].name);
    csv_cell(out, "%s", compare_status(c, subject, machine));
    if (ended)
        csv_cell(out, "%.12g", compare_speedup(c, subject, machine));
    else
        csv_cell(out, "%s", "");
    for (int i = 0; i < STAT_COUNT; i++) {
        enum stat_id id = (enum stat_id)i;
        if (!ended)
            csv_cell(out, "%s", "");
        else if (stat_is_counter(id))
            csv_cell(out, "%" PRIu64, stats_exact(s, id));
        else
            csv_cell(out, "%.12g", stats_value(s, id));
    }
    const char *why = err_text(&lab_cell(&c->lab, subject, machine)->out.err);
    csv_cell(out, "%.*s", (int)strcspn(why, "\n"), why);
    csv_end_row(out);
}

void compare_csv(const void *of, struct sb *out) {
    const struct compare *c = of;
    static const char *const head[] = {"file", "kernel", "size", "mechanism", "status", "speedup"};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++) csv_cell(out, "%s", head[i]);
    for (int i = 0; i < STAT_COUNT; i++) csv_cell(out, "%s", stat_rows[i].name);
    csv_cell(out, "reason");
    csv_end_row(out);
    for (size_t i = 0; i < c->lab.nsubjects; i++)
        for (size_t m = 0; m < c->lab.nmachines; m++) compare_files_csv_row(c, i, m, out);
}
