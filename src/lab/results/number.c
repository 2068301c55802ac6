/* Numbers of points, as tables and files write them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/results/results.h"
#include "report/text.h"

bool results_number(const struct store_row *row, const struct results_value *v, double *value) {
    if (!v->host) return store_number(row, v->at, value);
    *value = row->seconds;
    return true;
}

const struct stat_row *results_stat(const char *name) {
    for (int i = 0; i < STAT_COUNT; i++)
        if (!strcmp(stat_rows[i].name, name)) return &stat_rows[i];
    return NULL;
}

const char *results_kind(const char *name) {
    const struct stat_row *row = results_stat(name);
    if (row && !strcmp(row->unit, "fraction")) return "percent";
    return (row ? stat_row_counts(row) : strcmp(name, "host.seconds") != 0) ? "int" : "real";
}

void results_show(const char *name, double value, struct sb *out) {
    const char *kind = results_kind(name);
    if (!strcmp(kind, "percent"))
        sb_add(out, "%.1f %%", 100 * value);
    else if (!strcmp(kind, "int") && value >= 0 && value < 0x1p63 && value == floor(value))
        text_grouped(out, (uint64_t)value);
    else
        sb_add(out, "%.3f", value);
}

void results_exact(const struct store_row *row, const struct results_value *v, struct sb *out) {
    double number;
    if (!v->host && row->values[v->at].kind == STORE_WHOLE)
        sb_add(out, "%lld", (long long)row->values[v->at].whole);
    else if (results_number(row, v, &number))
        sb_add(out, "%.12g", number);
}

json_t *results_json(const struct store_row *row, const struct results_value *v) {
    double number;
    if (!v->host && row->values[v->at].kind == STORE_WHOLE) return json_integer(row->values[v->at].whole);
    return results_number(row, v, &number) ? json_real(number) : json_null();
}

size_t results_file_values(const struct results *r, struct results_value **out) {
    size_t n = r->chose_values ? r->values.n : r->all.names.n;
    struct results_value *v = xcalloc(n + 1, sizeof *v);
    for (size_t i = 0; i < n; i++)
        v[i] = r->chose_values ? r->values.v[i] : (struct results_value){.name = r->all.names.v[i], .at = i};
    if (r->host) v[n++] = (struct results_value){.name = "host.seconds", .host = true};
    *out = v;
    return n;
}
