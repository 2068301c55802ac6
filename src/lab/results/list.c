/* Points one below the other. The text shows some statistics; the files have all of them unless --value chose. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lab/results/results.h"
#include "report/csv.h"
#include "report/table.h"

/* ---- text ---- */

static const char *const text_axes[] = {"workload", "size", "config", "mech", "options", "version", "state"};
enum { TEXT_AXES = sizeof text_axes / sizeof *text_axes, OPTIONS = 4, VERSION = 5, STATE = 6 };

/* No options are no text here, so that a column without any goes away. */
static const char *text_at(const struct store_row *row, size_t axis) {
    return axis == OPTIONS ? row->id.options : store_place(row, text_axes[axis]);
}

/* Versions and states are only worth a column where they differ from what is to be expected. */
static bool worth_showing(const struct results *r, size_t axis) {
    if (axis < VERSION) return true;
    const char *usual = axis == STATE ? store_state_names[STORE_GOOD] : r->chosen.v[0]->id.version;
    for (size_t i = 0; i < r->chosen.n; i++)
        if (strcmp(store_place(r->chosen.v[i], text_axes[axis]), usual) != 0) return true;
    return false;
}

static void value_cell(struct table *t, const struct store_row *row, const struct results_value *v) {
    struct sb text = {0};
    double number;
    if (results_number(row, v, &number))
        results_show(v->name, number, &text);
    else
        sb_add(&text, "-");
    table_cell(t, "%s", text.text);
    sb_free(&text);
}

void results_list_text(const struct results *r, struct sb *out) {
    if (!r->chosen.n) {
        sb_add(out, "no points\n");
        return;
    }
    struct sb align = {0};
    struct table t;
    bool shown[TEXT_AXES];
    for (size_t a = 0; a < TEXT_AXES; a++)
        if ((shown[a] = worth_showing(r, a))) sb_add(&align, "l");
    for (size_t v = 0; v < r->values.n + r->host; v++) sb_add(&align, "r");
    table_init(&t, align.text);
    t.heading = true;
    for (size_t a = 0; a < TEXT_AXES; a++)
        if (shown[a]) table_cell(&t, "%s", text_axes[a]);
    for (size_t v = 0; v < r->values.n; v++) table_cell(&t, "%s", r->values.v[v].name);
    if (r->host) table_cell(&t, "host.seconds");
    for (size_t i = 0; i < r->chosen.n; i++) {
        const struct store_row *row = r->chosen.v[i];
        for (size_t a = 0; a < TEXT_AXES; a++)
            if (shown[a]) table_cell(&t, "%s", text_at(row, a));
        for (size_t v = 0; v < r->values.n; v++) value_cell(&t, row, &r->values.v[v]);
        if (r->host) table_cell(&t, "%.2f", row->seconds);
    }
    table_print(&t, 0, out);
    table_free(&t);
    sb_free(&align);
}

/* ---- files ---- */

void results_list_csv(const struct results *r, struct sb *out) {
    struct results_value *values;
    size_t n = results_file_values(r, &values);
    for (size_t a = 0; a < TEXT_AXES; a++) csv_cell(out, "%s", text_axes[a]);
    csv_cell(out, "error");
    for (size_t v = 0; v < n; v++) csv_cell(out, "%s", values[v].name);
    csv_end_row(out);
    for (size_t i = 0; i < r->chosen.n; i++) {
        const struct store_row *row = r->chosen.v[i];
        for (size_t a = 0; a < TEXT_AXES; a++) csv_text(out, text_at(row, a));
        csv_text(out, row->error);
        for (size_t v = 0; v < n; v++) {
            struct sb text = {0};
            results_exact(row, &values[v], &text);
            csv_text(out, text.text ? text.text : "");
            sb_free(&text);
        }
        csv_end_row(out);
    }
    free(values);
}

static void set_hash(json_t *object, const char *name, uint64_t hash) {
    char text[17];
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    json_object_set_new(object, name, json_string(text));
}

static json_t *point_json(const struct store_row *row, const struct results_value *values, size_t n) {
    json_t *p = json_object();
    for (size_t a = 0; a < TEXT_AXES; a++) json_object_set_new(p, text_axes[a], json_string(text_at(row, a)));
    json_object_set_new(p, "error", json_string(row->error));
    json_object_set_new(p, "launches", json_integer((json_int_t)row->launches));
    json_object_set_new(p, "checked", json_integer((json_int_t)row->checked));
    set_hash(p, "key", row->id.key);
    set_hash(p, "machine", row->id.machine);
    set_hash(p, "program", row->id.program);
    set_hash(p, "digest", row->digest);
    for (size_t v = 0; v < n; v++)
        if (values[v].host || row->values[values[v].at].kind != STORE_NONE)
            json_object_set_new(p, values[v].name, results_json(row, &values[v]));
    return p;
}

/* Every machine once, by its hash: all options in force. */
static void results_list_add_machine(json_t *machines, const struct store_id *id) {
    char text[17];
    snprintf(text, sizeof text, "%016" PRIx64, id->machine);
    if (json_object_get(machines, text)) return;
    json_t *options = json_object();
    for (size_t i = 0; i < id->noptions; i++)
        json_object_set_new(options, id->option[i].key, json_string(id->option[i].value));
    json_object_set_new(machines, text, options);
}

json_t *results_list_json(const struct results *r) {
    struct results_value *values;
    size_t n = results_file_values(r, &values);
    json_t *root = json_object(), *points = json_array(), *machines = json_object();
    for (size_t i = 0; i < r->chosen.n; i++) {
        json_array_append_new(points, point_json(r->chosen.v[i], values, n));
        results_list_add_machine(machines, &r->chosen.v[i]->id);
    }
    json_object_set_new(root, "points", points);
    json_object_set_new(root, "machines", machines);
    free(values);
    return root;
}
