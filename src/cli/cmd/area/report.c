/* What `heddle area` shows: areas by structure and by mechanism, or the fit they rest on; as tables, Markdown, JSON and CSV. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "cli/cmd/area/area.h"
#include "cli/stats_json.h"
#include "report/csv.h"
#include "report/table.h"
#include "report/text.h"

static const char *const cell_names[] = {
    [MECH_SRAM] = "SRAM", [MECH_CAM] = "CAM", [MECH_REGISTERS] = "registers"};

static void print_table(const struct area_command *a, struct table *t, struct sb *out) {
    table_finish(t, a->markdown, 0, out);
}

static void area_count_cell(struct table *t, uint64_t v) {
    struct sb text = {0};
    text_grouped(&text, v);
    table_cell(t, "%s", text.text);
    sb_free(&text);
}

static double of_sm(const struct area *a) {
    return a->tables + a->register_decoders;
}

/* ---- areas ---- */

static void optional_cell(struct table *t, bool there, uint32_t v) {
    if (there)
        table_cell(t, "%" PRIu32, v);
    else
        table_cell(t, "%s", "");
}

/* Registers have neither ways nor ports. */
static void array_cells(struct table *t, const struct mech_array *a) {
    const bool plain = a->cell == MECH_REGISTERS;
    table_cell(t, "%s", cell_names[a->cell]);
    area_count_cell(t, a->arrays);
    area_count_cell(t, a->entries);
    area_count_cell(t, a->bits);
    optional_cell(t, !plain, a->ways);
    optional_cell(t, a->tag, a->tag);
    if (plain)
        table_cell(t, "%s", "");
    else if (a->writes)
        table_cell(t, "%" PRIu32 "r %" PRIu32 "w", a->reads, a->writes);
    else
        table_cell(t, "%" PRIu32 "rw", a->reads);
}

static void structure_rows(struct table *t, const struct area_one *one) {
    const struct mech_storage *s = &one->area.storage.arrays;
    for (uint32_t i = 0; i < s->n; i++) {
        table_cell(t, "%s", i ? "" : one->mech);
        table_cell(t, "%s", i && !strcmp(s->v[i].name, s->v[i - 1].name) ? "" : s->v[i].name);
        array_cells(t, &s->v[i]);
        table_cell(t, "%.4f", one->area.mm2.v[i]);
        table_end_row(t);
    }
    if (!one->area.decoders) return;
    table_cell(t, "%s", "");
    table_cell(t, "%s", "register decoders");
    table_cell(t, "%s", "");
    area_count_cell(t, one->area.decoders);
    for (int i = 0; i < 5; i++) table_cell(t, "%s", "");
    table_cell(t, "%.4f", one->area.register_decoders);
    table_end_row(t);
}

static void structures(const struct area_command *a, struct sb *out) {
    struct table t;
    table_init(&t, "lllrrrrrlr");
    TABLE_HEAD(&t, "mechanism", "structure", "cells", "arrays", "entries", "bits", "ways", "tag", "ports",
               "mm2");
    for (size_t i = 0; i < a->one.n; i++)
        if (a->one.v[i].fine) structure_rows(&t, &a->one.v[i]);
    print_table(a, &t, out);
}

static void mechanisms(const struct area_command *a, struct sb *out) {
    struct table t;
    table_init(&t, "lrrrrrr");
    TABLE_HEAD(&t, "mechanism", "bits", "tables mm2", "decoders mm2", "SM mm2", "of the chip", "beyond pdom");
    for (size_t i = 0; i < a->one.n; i++) {
        const struct area *one = &a->one.v[i].area;
        if (!a->one.v[i].fine) continue;
        table_cell(&t, "%s", a->one.v[i].mech);
        area_count_cell(&t, one->storage.bits);
        table_cell(&t, "%.3f", one->tables);
        table_cell(&t, "%.3f", one->register_decoders);
        table_cell(&t, "%.3f", of_sm(one));
        table_cell(&t, "%.2f %%", area_share(&a->model, of_sm(one)));
        table_cell(&t, "%+.2f %%", area_share(&a->model, of_sm(one) - a->pdom));
        table_end_row(&t);
    }
    print_table(a, &t, out);
}

/* ---- the fit ---- */

static void constants(const struct area_command *a, struct sb *out) {
    const struct area_model *m = &a->model;
    struct table t;
    table_init(&t, "lrrll");
    TABLE_HEAD(&t, "constant", "um2", "a row left out", "per", "from");
    for (int i = 0; i < AREA_CONSTANTS; i++) {
        table_cell(&t, "%s", area_constant_names[i].what);
        table_cell(&t, "%.*f", m->um2[i] < 100 ? 2 : 0, m->um2[i]);
        if (m->least[i] < m->most[i])
            table_cell(&t, "%.4g to %.4g", m->least[i], m->most[i]);
        else
            table_cell(&t, "%s", "");
        table_cell(&t, "%s", area_constant_names[i].unit);
        if (m->scaled[i])
            table_cell(&t, "%d nm, scaled", m->scaled[i]);
        else
            table_cell(&t, "%s", i == AREA_DECODER ? "one difference" : "fit");
        table_end_row(&t);
    }
    print_table(a, &t, out);
}

static void percent_cell(struct table *t, double v) {
    if (isnan(v))
        table_cell(t, "%s", "-");
    else
        table_cell(t, "%+.1f %%", round(1000 * v) / 10 + 0.0); /* no -0.0 */
}

static void errors(const struct area_command *a, struct sb *out) {
    struct table t;
    table_init(&t, "llrrrr");
    TABLE_HEAD(&t, "structure", "source", "published mm2", "model mm2", "error", "left out");
    for (size_t i = 0; i < a->model.errors.n; i++) {
        const struct area_error *r = &a->model.errors.v[i];
        table_cell(&t, "%s", r->row->structure);
        table_cell(&t, "%s", r->row->source);
        table_cell(&t, "%.4f", r->row->mm2);
        table_cell(&t, "%.4f", r->mm2);
        percent_cell(&t, r->error);
        percent_cell(&t, r->alone);
        table_end_row(&t);
    }
    print_table(a, &t, out);
}

static void quality(const struct area_command *a, struct sb *out) {
    const struct area_model *m = &a->model;
    sb_add(out,
           "The model of %d nm: %zu published rows, %zu constants fitted, %zu degrees of freedom, error %.0f "
           "%% rms",
           m->node->nm, m->fit.rows, m->fit.constants, m->fit.rows - m->fit.constants, 100 * m->rms);
    sb_add(out, "%s.\n", a->fit ? "" : " (--fit)");
}

void area_report(const void *of, struct sb *out) {
    const struct area_command *a = of;
    const struct area_node *node = a->model.node;
    if (a->fit) {
        constants(a, out);
        sb_add(out, "\n");
        errors(a, out);
        sb_add(out, "\n");
        quality(a, out);
        return;
    }
    if (!a->totals) {
        structures(a, out);
        sb_add(out, "\n");
    }
    mechanisms(a, out);
    sb_add(out, "\nOf an SM of %s at %d nm. The chip: %s, %g mm2, %d SMs.\n", a->config, node->nm, node->chip,
           node->mm2, node->sms);
    quality(a, out);
}

/* ---- for programs ---- */

static json_t *array_json(const struct mech_array *a, double mm2) {
    return json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f}", "structure", a->name, "cells",
                     cell_names[a->cell], "arrays", (json_int_t)a->arrays, "entries", (json_int_t)a->entries,
                     "bits", (json_int_t)a->bits, "ways", (json_int_t)a->ways, "tag", (json_int_t)a->tag,
                     "reads", (json_int_t)a->reads, "writes", (json_int_t)a->writes, "mm2", mm2);
}

static json_t *area_one_json(const struct area_command *a, const struct area_one *one) {
    const struct area *area = &one->area;
    json_t *o = json_pack("{s:s}", "mechanism", one->mech), *structures_json = json_array();
    if (!one->fine) {
        json_decref(structures_json);
        json_object_set_new(o, "error", json_string(err_text(&one->err)));
        return o;
    }
    for (uint32_t i = 0; i < area->storage.arrays.n; i++)
        json_array_append_new(structures_json, array_json(&area->storage.arrays.v[i], area->mm2.v[i]));
    json_object_set_new(o, "bits", json_integer((json_int_t)area->storage.bits));
    json_object_set_new(o, "structures", structures_json);
    json_object_set_new(o, "tables_mm2", json_real(area->tables));
    json_object_set_new(o, "register_decoders", json_integer(area->decoders));
    json_object_set_new(o, "register_decoders_mm2", json_real(area->register_decoders));
    json_object_set_new(o, "mm2", json_real(of_sm(area)));
    json_object_set_new(o, "chip_percent", json_real(area_share(&a->model, of_sm(area))));
    return o;
}

static json_t *area_row_json(const struct area_error *r) {
    json_t *o = json_pack("{s:s, s:s, s:f, s:f, s:f}", "structure", r->row->structure, "source",
                          r->row->source, "published_mm2", r->row->mm2, "mm2", r->mm2, "error", r->error);
    if (!isnan(r->alone)) json_object_set_new(o, "error_left_out", json_real(r->alone));
    return o;
}

static json_t *fit_json(const struct area_model *m) {
    json_t *rows = json_array(), *values = json_object();
    for (size_t i = 0; i < m->errors.n; i++) json_array_append_new(rows, area_row_json(&m->errors.v[i]));
    for (int i = 0; i < AREA_CONSTANTS; i++) {
        json_t *c = json_pack("{s:f}", "um2", m->um2[i]);
        if (m->scaled[i]) json_object_set_new(c, "scaled_from_nm", json_integer(m->scaled[i]));
        if (m->least[i] < m->most[i])
            json_object_set_new(c, "um2_left_out", json_pack("[f, f]", m->least[i], m->most[i]));
        json_object_set_new(values, area_constant_names[i].what, c);
    }
    return json_pack("{s:o, s:o, s:I, s:f}", "constants", values, "rows", rows, "degrees_of_freedom",
                     (json_int_t)(m->fit.rows - m->fit.constants), "rms_error", m->rms);
}

bool area_json(const void *of, struct sb *out, struct err *e) {
    const struct area_command *a = of;
    const struct area_node *node = a->model.node;
    json_t *root = json_pack("{s:i, s:s, s:{s:s, s:f, s:i}}", "node_nm", node->nm, "config", a->config,
                             "chip", "name", node->chip, "mm2", node->mm2, "sms", node->sms);
    json_t *list = json_array();
    for (size_t i = 0; i < a->one.n; i++) json_array_append_new(list, area_one_json(a, &a->one.v[i]));
    json_object_set_new(root, "mechanisms", list);
    json_object_set_new(root, "fit", fit_json(&a->model));
    return stats_json_text(root, out, e);
}

static void area_csv_row(struct sb *out, const char *mech, const struct mech_array *a, double mm2) {
    csv_cell(out, "%s", mech);
    csv_cell(out, "%s", a->name);
    csv_cell(out, "%s", cell_names[a->cell]);
    csv_cell(out, "%" PRIu64, a->arrays);
    csv_cell(out, "%" PRIu64, a->entries);
    csv_cell(out, "%" PRIu64, a->bits);
    csv_cell(out, "%" PRIu32, a->ways);
    csv_cell(out, "%" PRIu32, a->tag);
    csv_cell(out, "%" PRIu32, a->reads);
    csv_cell(out, "%" PRIu32, a->writes);
    csv_cell(out, "%.12g", mm2);
    csv_end_row(out);
}

/* A row for each array; register decoders have neither entries nor bits. */
void area_csv(const void *of, struct sb *out) {
    const struct area_command *a = of;
    static const char *const head[] = {"mechanism", "structure", "cells", "arrays", "entries", "bits",
                                       "ways",      "tag",       "reads", "writes", "mm2"};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++) csv_cell(out, "%s", head[i]);
    csv_end_row(out);
    for (size_t k = 0; k < a->one.n; k++) {
        const struct area_one *one = &a->one.v[k];
        const struct mech_array decoders = {.name = "register_decoders", .arrays = one->area.decoders};
        for (uint32_t i = 0; one->fine && i < one->area.storage.arrays.n; i++)
            area_csv_row(out, one->mech, &one->area.storage.arrays.v[i], one->area.mm2.v[i]);
        if (one->area.decoders) area_csv_row(out, one->mech, &decoders, one->area.register_decoders);
    }
}
