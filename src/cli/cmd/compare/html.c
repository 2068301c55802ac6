/* `heddle compare --html`: the numbers of a comparison for the page src/page/js/compare.js, which says what it draws. */
#include "cli/cmd/compare/compare.h"
#include "cli/page_about.h"
#include "page/page.h"

static json_t *compare_html_cell_json(const struct compare *c, size_t subject, size_t machine) {
    const struct lab_outcome *out = &lab_cell(&c->lab, subject, machine)->out;
    json_t *k = json_pack("{s:s}", "status", compare_status(c, subject, machine));
    if (out->err.code) json_object_set_new(k, "error", json_string(err_text(&out->err)));
    if (!compare_ended(c, subject, machine)) return k;
    const double speedup = compare_speedup(c, subject, machine);
    if (speedup > 0) json_object_set_new(k, "speedup", json_real(speedup));
    json_object_set_new(k, "stats", page_stat_values(&out->total));
    json_object_set_new(k, "own", page_own_counters(&out->total));
    return k;
}

static json_t *program_json(const struct compare *c, size_t subject) {
    struct sb name = {0}, what = {0};
    json_t *cells = json_array();
    compare_column(c, subject, &name);
    compare_what(c, subject, &what);
    for (size_t m = 0; m < c->lab.nmachines; m++)
        json_array_append_new(cells, compare_html_cell_json(c, subject, m));
    json_t *p = json_pack("{s:s, s:s, s:o}", "name", name.text, "what", what.text, "cells", cells);
    sb_free(&name);
    sb_free(&what);
    return p;
}

static json_t *mean_json(const struct compare *c, size_t machine) {
    size_t n;
    const double mean = compare_mean(c, machine, &n);
    return json_pack("{s:f, s:I}", "speedup", mean, "programs", (json_int_t)n);
}

void compare_html(const void *of, struct sb *out) {
    const struct compare *c = of;
    json_t *data = page_about(c->cli, c->opts, "Divergence mechanisms side by side");
    json_t *names = json_array(), *programs = json_array(), *means = json_array();
    struct sb machine = {0};
    page_machine(opts_value(c->opts, "config"), c->opts, &machine);
    for (size_t m = 0; m < c->lab.nmachines; m++) {
        json_array_append_new(names, json_string(c->lab.machines[m].name));
        json_array_append_new(means, mean_json(c, m));
    }
    for (size_t i = 0; i < c->lab.nsubjects; i++) json_array_append_new(programs, program_json(c, i));
    json_object_set_new(data, "machine", json_string(machine.text));
    json_object_set_new(data, "mechanisms", names);
    json_object_set_new(data, "means", means);
    json_object_set_new(data, "stats", page_stat_names());
    json_object_set_new(data, "programs", programs);
    page_write(out,
               &(struct page){.title = "heddle compare", .app = "compare", .use = PAGE_CHARTS, .data = data});
    json_decref(data);
    sb_free(&machine);
}
