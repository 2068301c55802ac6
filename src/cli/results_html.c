/* `heddle results --html`: points, where each lies on every axis they differ in, and their values, for the page
 * src/page/js/results.js. It lays them out as pivot.c does, by axes that the reader can change; those of the command line are what
 * it shows first. Places go in canonical order, so that the page needs not know it. */
#include <stdlib.h>
#include <string.h>

#include "cli/page_about.h"
#include "cli/results.h"
#include "page/page.h"

/* The axes of a page, and of each the different places of its points in order. */
struct axis {
    const char *name;
    VEC(const char *) places;
};
struct axes {
    VEC(struct axis) v;
};

static int by_order(const void *a, const void *b, void *axis) {
    return store_order(axis, *(const char *const *)a, *(const char *const *)b);
}

static struct axis axis_of(const struct results *r, const char *name) {
    struct axis a = {.name = name};
    for (size_t i = 0; i < r->chosen.n; i++) VEC_PUSH(&a.places, store_place(r->chosen.v[i], name));
    size_t kept = 0;
    if (a.places.n) qsort_r(a.places.v, a.places.n, sizeof *a.places.v, by_order, (void *)name);
    for (size_t i = 0; i < a.places.n; i++)
        if (!kept || strcmp(a.places.v[i], a.places.v[kept - 1]) != 0) a.places.v[kept++] = a.places.v[i];
    a.places.n = kept;
    return a;
}

static bool named(const char *const *names, size_t n, const char *name) {
    for (size_t i = 0; i < n; i++)
        if (!strcmp(names[i], name)) return true;
    return false;
}

/* Those that points differ in; what the command line names; workload and mech, which a reader looks for. */
static void add_axis(const struct results *r, const char *name, bool always, struct axes *all) {
    for (size_t i = 0; i < all->v.n; i++)
        if (!strcmp(all->v.v[i].name, name)) return;
    struct axis a = axis_of(r, name);
    if (a.places.n > 1 || always || named(r->row_axes.v, r->row_axes.n, name) ||
        named(r->col_axes.v, r->col_axes.n, name))
        VEC_PUSH(&all->v, a);
    else
        VEC_FREE(&a.places);
}

/* Options that a sweep varied stand in the points' options, "gpu.sms=4 sm.warp_size=16". */
static void add_option_axes(struct results *r, struct axes *all) {
    for (size_t i = 0; i < r->chosen.n; i++) {
        const char *text = r->chosen.v[i]->id.options;
        while (*text) {
            const size_t key = strcspn(text, "="), word = strcspn(text, " ");
            if (key < word) add_axis(r, arena_strndup(&r->mem, text, key), false, all);
            text += word;
            text += strspn(text, " ");
        }
    }
}

static void make_axes(struct results *r, struct axes *all) {
    add_axis(r, "workload", true, all);
    add_axis(r, "mech", true, all);
    add_axis(r, "size", false, all);
    add_axis(r, "config", false, all);
    add_option_axes(r, all);
    for (size_t i = 0; i < r->row_axes.n; i++) add_axis(r, r->row_axes.v[i], true, all);
    for (size_t i = 0; i < r->col_axes.n; i++) add_axis(r, r->col_axes.v[i], true, all);
    add_axis(r, "version", false, all);
}

static json_t *strings_json(const char *const *v, size_t n) {
    json_t *all = json_array();
    for (size_t i = 0; i < n; i++) json_array_append_new(all, json_string(v[i]));
    return all;
}

static json_t *axes_json(const struct axes *all) {
    json_t *out = json_array();
    for (size_t i = 0; i < all->v.n; i++)
        json_array_append_new(out, json_pack("{s:s, s:o}", "name", all->v.v[i].name, "places",
                                             strings_json(all->v.v[i].places.v, all->v.v[i].places.n)));
    return out;
}

static json_t *point_json(const struct results *r, const struct store_row *row, const struct axes *all) {
    json_t *at = json_array(), *values = json_array();
    for (size_t i = 0; i < all->v.n; i++) {
        const char *place = store_place(row, all->v.v[i].name);
        size_t k = 0;
        while (strcmp(all->v.v[i].places.v[k], place) != 0) k++;
        json_array_append_new(at, json_integer((json_int_t)k));
    }
    for (size_t v = 0; v < r->values.n; v++) {
        double number;
        const bool has = row->state == STORE_GOOD && results_number(row, &r->values.v[v], &number);
        json_array_append_new(values, has ? results_json(row, &r->values.v[v]) : json_null());
    }
    json_t *p =
        json_pack("{s:o, s:s, s:o}", "at", at, "state", store_state_names[row->state], "values", values);
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

void results_html(struct results *r, const struct opts *o, struct sb *out) {
    json_t *data = page_about(r->cli, o, "Results of a sweep"), *points = json_array();
    struct axes all = {0};
    make_axes(r, &all);
    for (size_t i = 0; i < r->chosen.n; i++)
        json_array_append_new(points, point_json(r, r->chosen.v[i], &all));
    json_object_set_new(data, "axes", axes_json(&all));
    json_object_set_new(data, "values", values_json(r));
    json_object_set_new(data, "rows", strings_json(r->row_axes.v, r->row_axes.n));
    json_object_set_new(data, "cols", strings_json(r->col_axes.v, r->col_axes.n));
    json_object_set_new(data, "plot", json_string(plot_names[r->plot]));
    json_object_set_new(data, "mean", json_string(pivot_mean_names[r->mean]));
    if (r->relative_to) json_object_set_new(data, "relative_to", json_string(r->relative_to));
    json_object_set_new(data, "points", points);
    page_write(out,
               &(struct page){.title = "heddle results", .app = "results", .use = PAGE_CHARTS, .data = data});
    json_decref(data);
    for (size_t i = 0; i < all.v.n; i++) VEC_FREE(&all.v.v[i].places);
    VEC_FREE(&all.v);
}
