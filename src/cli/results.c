/* heddle results: what sweeps stored, as a list or as a table of one statistic.
 *
 * The whole database is read at once; filters work on what is in memory. */
#include "cli/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/stats_json.h"
#include "report/text.h"

/* ---- numbers ---- */

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

/* ---- options ---- */

/* Every word of a list "a,b,c"; false at an empty one. */
struct words {
    VEC(const char *) v;
};

static bool split(struct results *r, const char *option, const char *list, struct words *out, struct err *e) {
    *out = (struct words){0};
    while (list) {
        size_t n = strcspn(list, ",");
        if (!n) return err_set(e, ERR_INPUT, "%s: an empty name in the list", option);
        VEC_PUSH(&out->v, arena_strndup(&r->mem, list, n));
        list = list[n] ? list + n + 1 : NULL;
    }
    return true;
}

static bool add_value(struct results *r, const char *name, struct err *e) {
    struct results_value v = {.name = "host.seconds", .host = !strcmp(name, "host.seconds")};
    if (!v.host) {
        v.at = store_find(&r->all, name, e);
        if (v.at == r->all.names.n) return false;
        v.name = r->all.names.v[v.at];
    }
    VEC_PUSH(&r->values, v);
    return true;
}

static bool add_values(struct results *r, const char *list, struct err *e) {
    struct words words;
    bool fine = split(r, "--value", list, &words, e);
    for (size_t i = 0; i < words.v.n && fine; i++) fine = add_value(r, words.v.v[i], e);
    VEC_FREE(&words.v);
    return fine;
}

static bool read_values(struct results *r, const struct opts *o, struct err *e) {
    bool pivot = opts_has(o, "rows");
    r->chose_values = opts_has(o, "value");
    for (size_t i = 0; i < opts_count(o, "value"); i++)
        if (!add_values(r, opts_nth(o, "value", i), e)) return false;
    if (pivot && r->values.n > 1) return err_set(e, ERR_INPUT, "--rows and --cols show one --value");
    if (r->chose_values) return true;
    return add_values(r, pivot ? "gpu.ipc" : "gpu.cycles,gpu.ipc,sm.lane_activity", e);
}

static bool read_axes(struct results *r, const char *option, const char *list, struct words *out,
                      struct err *e) {
    if (!split(r, option, list, out, e)) return false;
    for (size_t i = 0; i < out->v.n; i++)
        if (!store_axis(&r->all, out->v.v[i], e)) return false;
    return true;
}

static bool read_mean(struct results *r, const char *name, struct err *e) {
    if (!name) return true;
    r->mean = mean_named(name);
    return r->mean ||
           err_set(e, ERR_INPUT, "--mean '%.60s': expected harmonic, geometric or arithmetic", name);
}

/* What can be said before the database is open. */
static bool check_options(struct results *r, const struct opts *o, struct err *e) {
    r->host = opts_has(o, "host");
    r->relative_to = opts_value(o, "relative-to");
    if (!opts_has(o, "db")) return err_set(e, ERR_INPUT, "--db is missing: the database of a sweep");
    if (opts_has(o, "rows") != opts_has(o, "cols"))
        return err_set(e, ERR_INPUT, "--rows and --cols go together");
    if (!opts_has(o, "rows") && (r->relative_to || opts_has(o, "mean")))
        return err_set(e, ERR_INPUT, "--relative-to and --mean are for tables: --rows and --cols");
    return read_mean(r, opts_value(o, "mean"), e) && results_plot_read(r, o, e);
}

/* ---- filters ---- */

static bool has_word(const struct words *w, const char *text) {
    for (size_t i = 0; i < w->v.n; i++)
        if (!strcmp(w->v.v[i], text)) return true;
    return false;
}

static bool nothing_left(const struct results *r, const char *text, const char *axis, const char *word,
                         struct err *e) {
    VEC(const char *) places = {0};
    for (size_t i = 0; i < r->all.rows.n; i++) VEC_PUSH(&places, store_place(&r->all.rows.v[i], axis));
    VEC_PUSH(&places, NULL);
    const char *near = nearest_name(word, places.v);
    if (near && strcmp(near, word) != 0)
        err_set(e, ERR_INPUT, "--only %.60s leaves no point (did you mean %s?)", text, near);
    else
        err_set(e, ERR_INPUT, "--only %.60s leaves no point", text);
    VEC_FREE(&places);
    return false;
}

static bool filter(struct results *r, const char *text, struct err *e) {
    const char *equals = strchr(text, '=');
    struct words words;
    size_t kept = 0;
    if (!equals || equals == text)
        return err_set(e, ERR_INPUT, "--only %.60s is not AXIS=VALUE,..., as in --only workload=bfs,mu",
                       text);
    const char *axis = arena_strndup(&r->mem, text, (size_t)(equals - text));
    if (!store_axis(&r->all, axis, e)) return false;
    bool fine = split(r, "--only", equals + 1, &words, e);
    for (size_t i = 0; i < r->chosen.n && fine; i++)
        if (has_word(&words, store_place(r->chosen.v[i], axis))) r->chosen.v[kept++] = r->chosen.v[i];
    r->chosen.n = kept;
    fine = fine && (kept || nothing_left(r, text, axis, words.v.v[0], e));
    VEC_FREE(&words.v);
    return fine;
}

static bool choose(struct results *r, const struct opts *o, struct err *e) {
    for (size_t i = 0; i < r->all.rows.n; i++) VEC_PUSH(&r->chosen, &r->all.rows.v[i]);
    for (size_t i = 0; i < opts_count(o, "only"); i++)
        if (!filter(r, opts_nth(o, "only", i), e)) return false;
    return true;
}

/* ---- output ---- */

static bool read_store(struct results *r, const char *path, struct err *e) {
    struct store *s;
    if (!store_open(path, STORE_READ, &s, e)) return false;
    bool fine = store_read(s, NULL, 0, &r->all, e);
    store_close(s);
    return fine;
}

static bool write_files(struct results *r, const struct opts *o, struct err *e) {
    struct sb json = {0}, csv = {0}, html = {0}, svg = {0};
    const bool pivot = r->row_axes.n;
    const struct cli_output outputs[] = {{opts_value(o, "json"), &json},
                                         {opts_value(o, "csv"), &csv},
                                         {opts_value(o, "html"), &html},
                                         {opts_value(o, "svg"), &svg}};
    if (outputs[1].path) (pivot ? results_pivot_csv : results_list_csv)(r, &csv);
    if (outputs[2].path) results_html(r, o, &html);
    const bool fine = (!outputs[0].path ||
                       stats_json_text(pivot ? results_pivot_json(r) : results_list_json(r), &json, e)) &&
                      (!outputs[3].path || results_svg(r, &svg, e)) &&
                      cli_write_all(r->cli, outputs, sizeof outputs / sizeof *outputs, e);
    sb_free(&json);
    sb_free(&csv);
    sb_free(&html);
    sb_free(&svg);
    return fine;
}

static enum cli_exit show(struct results *r, const struct opts *o, struct err *e) {
    struct sb text = {0};
    if (opts_has(o, "json") || opts_has(o, "csv") || opts_has(o, "html") || opts_has(o, "svg"))
        return write_files(r, o, e) ? CLI_OK : cli_fail(r->cli, e);
    (r->row_axes.n ? results_pivot_text : results_list_text)(r, &text);
    term_print(&r->cli->term, &text);
    sb_free(&text);
    return CLI_OK;
}

static bool prepare(struct results *r, const struct opts *o, struct err *e) {
    if (!read_store(r, opts_value(o, "db"), e) || !choose(r, o, e) || !read_values(r, o, e)) return false;
    if (!opts_has(o, "rows")) return true;
    struct words rows = {0}, cols = {0};
    bool fine = read_axes(r, "--rows", opts_value(o, "rows"), &rows, e) &&
                read_axes(r, "--cols", opts_value(o, "cols"), &cols, e);
    for (size_t i = 0; i < rows.v.n; i++) VEC_PUSH(&r->row_axes, rows.v.v[i]);
    for (size_t i = 0; i < cols.v.n; i++) VEC_PUSH(&r->col_axes, cols.v.v[i]);
    VEC_FREE(&rows.v);
    VEC_FREE(&cols.v);
    return fine && results_pivot_make(r, e) && results_plot_check(r, e);
}

enum cli_exit results_main(struct cli *cli, const struct opts *o) {
    struct results r = {.cli = cli};
    struct err e = {0};
    enum cli_exit status;
    if (!check_options(&r, o, &e))
        status = cli_usage(cli, &e);
    else
        status = prepare(&r, o, &e) ? show(&r, o, &e) : cli_fail(cli, &e);
    pivot_free(&r.pivot);
    store_rows_free(&r.all);
    VEC_FREE(&r.chosen);
    VEC_FREE(&r.values);
    VEC_FREE(&r.row_axes);
    VEC_FREE(&r.col_axes);
    arena_free(&r.mem);
    err_free(&e);
    return status;
}
