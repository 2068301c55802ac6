/* `heddle cuda --html`: the page of 'heddle compare' (src/page/js/compare.js), its programs being the kernels of one
 * program and all of them together. */
#include "cli/cmd/cuda/cuda.h"
#include "cli/page_about.h"
#include "page/page.h"
#include "report/text.h"
#include "value/demangle.h"

static json_t *cuda_html_cell_json(const struct cuda *c, size_t run, const char *kernel) {
    const struct cuda_run *r = &c->runs.v[run];
    const struct cuda_kernel *k = kernel ? cuda_kernel(r, kernel) : NULL;
    const size_t timed = kernel ? (k ? k->timed : 0) : r->timed,
                 failed = kernel ? (k ? k->failed : 0) : r->failed;
    json_t *o = json_pack("{s:s}", "status", timed && !failed ? "ok" : "failed");
    const struct stats *s = k ? &k->stats : &r->total;
    const double speedup = cuda_speedup(c, run, kernel);
    if (k && k->error) json_object_set_new(o, "error", json_string(k->error));
    if (!timed) return o;
    if (speedup > 0) json_object_set_new(o, "speedup", json_real(speedup));
    json_object_set_new(o, "stats", page_stat_values(s));
    json_object_set_new(o, "own", page_own_counters(s));
    return o;
}

static json_t *program_json(const struct cuda *c, const char *kernel, size_t launches) {
    struct sb name = {0}, what = {0};
    json_t *cells = json_array();
    if (kernel)
        demangle_name(kernel, &name);
    else
        sb_add(&name, "whole program");
    text_grouped(&what, launches);
    sb_add(&what, " launch%s", launches == 1 ? "" : "es");
    for (size_t i = 0; i < c->runs.n; i++) json_array_append_new(cells, cuda_html_cell_json(c, i, kernel));
    json_t *p = json_pack("{s:s, s:s, s:o}", "name", name.text, "what", what.text, "cells", cells);
    sb_free(&name);
    sb_free(&what);
    return p;
}

static json_t *programs_json(const struct cuda *c) {
    const struct cuda_run *r = &c->runs.v[0];
    json_t *all = json_array();
    for (size_t i = 0; i < r->kernels.n; i++)
        json_array_append_new(all, program_json(c, r->kernels.v[i].name, r->kernels.v[i].launches));
    if (r->kernels.n != 1) json_array_append_new(all, program_json(c, NULL, r->nlaunches));
    return all;
}

void cuda_html(const struct cuda *c, struct sb *out) {
    json_t *data = page_about(c->cli, &c->opts, "A CUDA program on simulated machines");
    json_t *names = json_array(), *means = json_array();
    struct sb machine = {0};
    page_machine(opts_value(&c->opts, "config"), &c->opts, &machine);
    for (size_t i = 0; i < c->runs.n; i++) {
        size_t n;
        const double mean = cuda_mean(c, i, &n);
        json_array_append_new(names, json_string(c->runs.v[i].name));
        json_array_append_new(means, json_pack("{s:f, s:I}", "speedup", mean, "programs", (json_int_t)n));
    }
    json_object_set_new(data, "machine", json_string(machine.text));
    json_object_set_new(data, "mechanisms", names);
    json_object_set_new(data, "means", means);
    json_object_set_new(data, "stats", page_stat_names());
    json_object_set_new(data, "programs", programs_json(c));
    page_write(out,
               &(struct page){.title = "heddle cuda", .app = "compare", .use = PAGE_CHARTS, .data = data});
    json_decref(data);
    sb_free(&machine);
}
