/* What a `heddle results` asks for: its options, the points that --only leaves, the statistics and axes that it names. */
#include <string.h>

#include "lab/results/results.h"

const char *const spread_names[] = {"range", "deviation", NULL};

/* ---- lists ---- */

/* Every word of a list "a,b,c"; false at an empty one. */
static bool results_ask_split(struct results *r, const char *option, const char *list,
                              struct results_words *out, struct err *e) {
    while (list) {
        size_t n = strcspn(list, ",");
        if (!n) return err_set(e, ERR_INPUT, "%s: an empty name in the list", option);
        VEC_PUSH(&out->v, arena_strndup(&r->mem, list, n));
        list = list[n] ? list + n + 1 : NULL;
    }
    return true;
}

static bool has_word(const struct results_words *w, const char *text) {
    for (size_t i = 0; i < w->v.n; i++)
        if (!strcmp(w->v.v[i], text)) return true;
    return false;
}

/* ---- before the database is open ---- */

static bool read_mean(struct results *r, const char *name, struct err *e) {
    if (!name) return true;
    r->mean = mean_named(name);
    return r->mean ||
           err_set(e, ERR_INPUT, "--mean '%.60s': expected harmonic, geometric or arithmetic", name);
}

static bool read_spread(struct results *r, const char *name, struct err *e) {
    for (int i = 0; name && spread_names[i]; i++)
        if (!strcmp(name, spread_names[i])) return r->spread = (enum results_spread)i, true;
    return !name || err_set(e, ERR_INPUT, "--spread '%.60s': expected range or deviation", name);
}

/* What only a table has. */
static bool check_table(const struct results *r, const struct opts *o, struct err *e) {
    static const char *const of_tables[] = {"relative-to", "mean", "over", "spread", NULL};
    if (opts_has(o, "rows") != opts_has(o, "cols"))
        return err_set(e, ERR_INPUT, "--rows and --cols go together");
    if (opts_has(o, "rows") || r->draws) return true;
    for (const char *const *name = of_tables; *name; name++)
        if (opts_has(o, *name))
            return err_set(e, ERR_INPUT,
                           "--relative-to, --mean, --over and --spread are for tables: --rows and --cols");
    return true;
}

/* What only the list has. */
static bool check_list(const struct results *r, const struct opts *o, struct err *e) {
    const bool table = opts_has(o, "rows") || r->draws;
    if (opts_has(o, "long") && !opts_has(o, "csv") && !opts_has(o, "parquet"))
        return err_set(e, ERR_INPUT, "--long is for --csv and --parquet");
    if (table && (opts_has(o, "long") || opts_has(o, "parquet")))
        return err_set(e, ERR_INPUT, "%s is of the list, not of a table or a plot",
                       opts_has(o, "long") ? "--long" : "--parquet");
    return true;
}

bool results_check(struct results *r, const struct opts *o, struct err *e) {
    r->host = opts_has(o, "host");
    r->relative_to = opts_value(o, "relative-to");
    if (!opts_has(o, "db")) return err_set(e, ERR_INPUT, "--db is missing: the database of a sweep");
    return results_plot_read(r, o, e) && check_table(r, o, e) && check_list(r, o, e) &&
           read_mean(r, opts_value(o, "mean"), e) && read_spread(r, opts_value(o, "spread"), e);
}

/* ---- points ---- */

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

static bool results_ask_filter(struct results *r, const char *text, struct err *e) {
    const char *equals = strchr(text, '=');
    struct results_words words = {0};
    size_t kept = 0;
    if (!equals || equals == text)
        return err_set(e, ERR_INPUT, "--only %.60s is not AXIS=VALUE,..., as in --only workload=bfs,mu",
                       text);
    const char *axis = arena_strndup(&r->mem, text, (size_t)(equals - text));
    if (!store_axis(&r->all, axis, e)) return false;
    bool fine = results_ask_split(r, "--only", equals + 1, &words, e);
    for (size_t i = 0; i < r->chosen.n && fine; i++)
        if (has_word(&words, store_place(r->chosen.v[i], axis))) r->chosen.v[kept++] = r->chosen.v[i];
    r->chosen.n = kept;
    fine = fine && (kept || nothing_left(r, text, axis, words.v.v[0], e));
    VEC_FREE(&words.v);
    return fine;
}

/* ---- statistics ---- */

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
    struct results_words words = {0};
    bool fine = results_ask_split(r, "--value", list, &words, e);
    for (size_t i = 0; i < words.v.n && fine; i++) fine = add_value(r, words.v.v[i], e);
    VEC_FREE(&words.v);
    return fine;
}

static bool read_values(struct results *r, const struct opts *o, struct err *e) {
    const bool table = opts_has(o, "rows") || r->draws;
    r->chose_values = opts_has(o, "value");
    if (opts_has(o, "x")) return add_value(r, opts_value(o, "y"), e) && add_value(r, opts_value(o, "x"), e);
    for (size_t i = 0; i < opts_count(o, "value"); i++)
        if (!add_values(r, opts_nth(o, "value", i), e)) return false;
    if (table && r->values.n > 1)
        return err_set(e, ERR_INPUT, "--rows and --cols show one --value, and so does a plot");
    if (r->chose_values) return true;
    return add_values(r, table ? "gpu.ipc" : "gpu.cycles,gpu.ipc,sm.lane_activity", e);
}

bool results_choose(struct results *r, const struct opts *o, struct err *e) {
    for (size_t i = 0; i < r->all.rows.n; i++) VEC_PUSH(&r->chosen, &r->all.rows.v[i]);
    for (size_t i = 0; i < opts_count(o, "only"); i++)
        if (!results_ask_filter(r, opts_nth(o, "only", i), e)) return false;
    return read_values(r, o, e);
}

/* ---- axes ---- */

static bool add_axes(struct results *r, const char *option, const char *list, struct results_words *out,
                     struct err *e) {
    if (list && !results_ask_split(r, option, list, out, e)) return false;
    for (size_t i = 0; i < out->v.n; i++)
        if (!store_axis(&r->all, out->v.v[i], e)) return false;
    return true;
}

/* AXIS,...[:KIND], as often as it is given; one KIND holds for all axes. */
static bool read_over(struct results *r, const char *text, struct err *e) {
    const char *colon = strchr(text, ':');
    const enum pivot_mean before = r->over_mean;
    if (colon && !(r->over_mean = mean_named(colon + 1)))
        return err_set(e, ERR_INPUT,
                       "--over %.60s: behind the colon expected arithmetic, geometric or harmonic", text);
    if (before && before != r->over_mean)
        return err_set(e, ERR_INPUT, "--over %.60s: another --over has another mean", text);
    if (colon) text = arena_strndup(&r->mem, text, (size_t)(colon - text));
    return add_axes(r, "--over", text, &r->over_axes, e);
}

static bool read_overs(struct results *r, const struct opts *o, struct err *e) {
    for (size_t i = 0; i < opts_count(o, "over"); i++)
        if (!read_over(r, opts_nth(o, "over", i), e)) return false;
    for (size_t i = 0; i < r->over_axes.v.n; i++)
        if (has_word(&r->row_axes, r->over_axes.v.v[i]) || has_word(&r->col_axes, r->over_axes.v.v[i]))
            return err_set(e, ERR_INPUT, "--over %.60s is a row or a column already", r->over_axes.v.v[i]);
    return true;
}

bool results_read_axes(struct results *r, const struct opts *o, struct err *e) {
    if (!opts_has(o, "rows") && !r->draws) return true;
    if (!add_axes(r, "--rows", opts_value(o, "rows"), &r->row_axes, e) ||
        !add_axes(r, "--cols", opts_value(o, "cols"), &r->col_axes, e) || !read_overs(r, o, e))
        return false;
    if (!r->row_axes.v.n) results_default_axes(r);
    return results_pivot_make(r, e) && results_plot_check(r, e);
}
