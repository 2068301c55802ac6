/* Everything that the page of a report draws, as one tree; src/page/js/report.js says what it takes. */
#include <string.h>

#include "cli/cmd/report/report.h"
#include "cli/page_about.h"
#include "sim/kinds.h"
#include "value/demangle.h"

static json_t *kinds(const struct slot_kind *v, int n) {
    json_t *all = json_array();
    for (int k = 0; k < n; k++)
        json_array_append_new(all, json_pack("{s:s, s:s}", "key", v[k].key, "name", v[k].name));
    return all;
}

void report_title(const char *name, json_t *o) {
    struct sb readable = {0};
    demangle_name(name, &readable);
    json_object_set_new(o, "title", json_string(readable.text));
    sb_free(&readable);
}

/* One run has ended, or there would be no tree. */
static json_t *subject(const struct report *r) {
    const struct subject *s = &r->subject;
    const struct report_run *first = r->runs;
    while (!first->data) first++;
    if (s->workload)
        return json_pack("{s:s, s:s, s:s, s:s, s:I}", "workload", s->workload->name, "size",
                         work_size_names[s->size], "origin", s->workload->origin, "what", s->workload->what,
                         "checked", (json_int_t)first->out.checked);
    json_t *o = json_pack("{s:s, s:s}", "file", r->origin ? r->origin->file : s->program.file,
                          s->script_file ? "script" : "kernel", s->program.lab.kernel);
    report_title(s->program.lab.kernel, o);
    return o;
}

/* The machine, without its mechanism. */
static json_t *machine(const struct report *r, const struct opts *given, const struct options *o) {
    const struct opt_sm *sm = &o->machine.sm;
    struct sb text = {0};
    page_machine(r->machines.settings.v[0].config, given, &text);
    json_t *m = json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I}", "text", text.text, "sms",
                          (json_int_t)o->gpu.sms, "warp", (json_int_t)sm->warp_size, "simd",
                          (json_int_t)sm->simd_width, "schedulers", (json_int_t)sm->schedulers, "threads",
                          (json_int_t)sm->threads, "blocks", (json_int_t)sm->blocks);
    sb_free(&text);
    return m;
}

static const char *report_tree_status(const struct report *r, const struct report_run *run) {
    const struct lab_outcome *out = &run->out;
    if (out->err.code == ERR_REFUSED) return "refused";
    if (out->err.code) return out->wrong ? "wrong" : "failed";
    return r->runs[0].data && out->digest != r->runs[0].out.digest ? "differs" : "ok";
}

static json_t *one_run(const struct report *r, const struct report_run *run) {
    json_t *o = json_pack("{s:s, s:s}", "name", run->name, "status", report_tree_status(r, run));
    if (run->out.err.code) json_object_set_new(o, "error", json_string(err_text(&run->out.err)));
    if (run->data) json_object_update(o, run->data);
    return o;
}

json_t *report_tree(const struct report *r, const hd_device *dev, const hd_module *mod) {
    struct sb name = {0}, title = {0};
    json_t *runs = json_array();
    if (r->origin)
        sb_add(&name, "%s", r->origin->title);
    else
        lab_subject_name(&r->subject.lab, &name);
    demangle_text(name.text, &title);
    json_t *root = page_about(r->cli, r->origin ? r->origin->opts : r->opts, title.text);
    for (size_t i = 0; i < r->nruns; i++) json_array_append_new(runs, one_run(r, &r->runs[i]));
    json_object_set_new(root, "subject", subject(r));
    json_object_set_new(root, "machine", machine(r, r->opts, sim_options(dev)));
    json_object_set_new(root, "lanes", kinds(lane_kinds, SM_LANE_KINDS));
    json_object_set_new(root, "waits", kinds(wait_kinds, SM_WAITS));
    json_object_set_new(root, "stats", page_stat_names());
    json_object_set_new(root, "code", report_code(r, mod));
    json_object_set_new(root, "runs", runs);
    sb_free(&name);
    sb_free(&title);
    return root;
}
