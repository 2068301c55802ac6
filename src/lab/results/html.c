/* `heddle results --html`: points, where each lies on every axis they differ in, and their values, for the page
 * src/page/js/results.js. It lays them out as pivot.c does, by axes that the reader can change; those of the command line are what
 * it shows first. Places go in canonical order, so that the page needs not know it. */
#include "cli/page_about.h"
#include "lab/results/results.h"
#include "page/page.h"

static json_t *strings_json(const char *const *v, size_t n) {
    json_t *all = json_array();
    for (size_t i = 0; i < n; i++) json_array_append_new(all, json_string(v[i]));
    return all;
}

static json_t *axes_json(const struct results_axes *all) {
    json_t *out = json_array();
    for (size_t i = 0; i < all->v.n; i++)
        json_array_append_new(out, json_pack("{s:s, s:o}", "name", all->v.v[i].name, "places",
                                             strings_json(all->v.v[i].places.v, all->v.v[i].places.n)));
    return out;
}

/* Most points are fine: only others say how they ended. */
static json_t *point_json(const struct results *r, size_t point, const struct results_axes *all) {
    const struct store_row *row = r->chosen.v[point];
    json_t *at = json_array(), *values = json_array();
    for (size_t i = 0; i < all->v.n; i++)
        json_array_append_new(at, json_integer((json_int_t)all->v.v[i].at[point]));
    for (size_t v = 0; v < r->values.n; v++) {
        double number;
        const bool has = row->state == STORE_GOOD && results_number(row, &r->values.v[v], &number);
        json_array_append_new(values, has ? results_json(row, &r->values.v[v]) : json_null());
    }
    json_t *p = json_pack("{s:o, s:o}", "at", at, "values", values);
    if (row->state != STORE_GOOD) json_object_set_new(p, "state", json_string(store_state_names[row->state]));
    if (*row->error) json_object_set_new(p, "error", json_string(row->error));
    return p;
}

static json_t *values_json(const struct results *r) {
    json_t *all = json_array();
    for (size_t v = 0; v < r->values.n; v++) {
        const struct stat_row *row = results_stat(r->values.v[v].name);
        json_array_append_new(all, json_pack("{s:s, s:s, s:s, s:s}", "name", r->values.v[v].name, "kind",
                                             results_kind(r->values.v[v].name), "unit", row ? row->unit : "",
                                             "meaning", row ? row->meaning : ""));
    }
    return all;
}

/* Every axis that the command line names, and workload and mech, which a reader looks for. */
static void axes_of_page(struct results *r, struct results_axes *out) {
    const struct results_words *const sides[] = {&r->row_axes, &r->col_axes, &r->over_axes};
    VEC(const char *) always = {0};
    VEC_PUSH(&always, "workload");
    VEC_PUSH(&always, "mech");
    for (size_t s = 0; s < sizeof sides / sizeof *sides; s++)
        for (size_t i = 0; i < sides[s]->v.n; i++) VEC_PUSH(&always, sides[s]->v.v[i]);
    VEC_PUSH(&always, NULL);
    results_axes_make(r, always.v, out);
    VEC_FREE(&always);
}

static void add_layout(const struct results *r, json_t *data) {
    const struct results_words *rows = &r->row_axes, *cols = &r->col_axes, *over = &r->over_axes;
    json_object_set_new(data, "rows", strings_json(rows->v.v, rows->v.n));
    json_object_set_new(data, "cols", strings_json(cols->v.v, cols->v.n));
    json_object_set_new(data, "over", strings_json(over->v.v, over->v.n));
    json_object_set_new(data, "over_mean",
                        json_string(pivot_mean_names[r->over_mean ? r->over_mean : PIVOT_ARITHMETIC]));
    json_object_set_new(data, "spread", json_string(spread_names[r->spread]));
    json_object_set_new(data, "plot", json_string(plot_names[r->plot == PLOT_AUTO ? PLOT_BARS : r->plot]));
    if (r->row_axes.v.n && (r->plot == PLOT_LINES || r->plot == PLOT_SCATTER)) {
        json_object_set_new(data, "log_x", json_boolean(r->log_x == LOG_ON));
        json_object_set_new(data, "log_y", json_boolean(r->log_y == LOG_ON));
    }
    json_object_set_new(data, "mean", json_string(pivot_mean_names[r->mean]));
    if (r->relative_to) json_object_set_new(data, "relative_to", json_string(r->relative_to));
}

bool results_html(struct results *r, const struct opts *o, struct sb *out, struct err *e) {
    enum { MOST_POINTS = 250000 }; /* 100,000 take a browser half a second, as dots a second and a half */
    if (r->chosen.n > MOST_POINTS)
        return err_set(e, ERR_INPUT,
                       "--html: a page of %zu points would be too slow to use (at most %d): choose some by "
                       "--only, or write --svg, --csv or --parquet",
                       r->chosen.n, MOST_POINTS);
    json_t *data = page_about(r->cli, o, "Results of a sweep"), *points = json_array();
    struct results_axes all = {0};
    axes_of_page(r, &all);
    for (size_t i = 0; i < r->chosen.n; i++) json_array_append_new(points, point_json(r, i, &all));
    json_object_set_new(data, "axes", axes_json(&all));
    json_object_set_new(data, "values", values_json(r));
    add_layout(r, data);
    json_object_set_new(data, "points", points);
    page_write(out,
               &(struct page){.title = "heddle results", .app = "results", .use = PAGE_CHARTS, .data = data});
    json_decref(data);
    results_axes_free(&all);
    return true;
}
