/* The axes that points differ in, found in what sweeps vary: workload, size, configuration, mechanism, the options of each point
 * ("gpu.sms=4 sm.warp_size=16") and the parameters of its mechanism ("pdom:side=most", the axis pdom.side). From them come the
 * columns of long tables, the lists of a page, and what a plot shows by default. */
#include <string.h>

#include "lab/results/results.h"

/* ---- what there is ---- */

static void add_key(struct results *r, struct results_words *keys, const char *prefix, size_t nprefix,
                    const char *key, size_t n) {
    struct sb name = {0};
    if (nprefix) sb_add(&name, "%.*s.", (int)nprefix, prefix);
    sb_addn(&name, key, n);
    bool known = false;
    for (size_t i = 0; i < keys->v.n && !known; i++) known = !strcmp(keys->v.v[i], name.text);
    if (!known) VEC_PUSH(&keys->v, arena_strdup(&r->mem, name.text));
    sb_free(&name);
}

/* The keys of "KEY=VALUE" words that are parted by a character. */
static void add_keys(struct results *r, struct results_words *keys, const char *prefix, size_t nprefix,
                     const char *text, char between) {
    const char end[] = {between, 0};
    while (*text) {
        const size_t word = strcspn(text, end), key = strcspn(text, "=");
        if (key && key < word) add_key(r, keys, prefix, nprefix, text, key);
        text += word;
        text += strspn(text, end);
    }
}

/* Points of one machine follow each other often enough that the same text is not looked at again. */
static void varied_keys(struct results *r, struct results_words *keys) {
    const char *options = "", *mech = "";
    for (size_t i = 0; i < r->chosen.n; i++) {
        const struct store_id *id = &r->chosen.v[i]->id;
        if (strcmp(options, id->options) != 0) add_keys(r, keys, "", 0, id->options, ' ');
        if (strcmp(mech, id->mech) != 0)
            add_keys(r, keys, id->mech, strcspn(id->mech, ":"), id->mech + strcspn(id->mech, ":"), ':');
        options = id->options, mech = id->mech;
    }
}

static void results_axes_add_axis(const struct results *r, const char *name, bool always,
                                  struct results_axes *out) {
    for (size_t i = 0; i < out->v.n; i++)
        if (!strcmp(out->v.v[i].name, name)) return;
    struct axis a;
    axis_make(&a, name, r->chosen.v, r->chosen.n);
    if (a.places.n > 1 || always)
        VEC_PUSH(&out->v, a);
    else
        axis_free(&a);
}

void results_axes_make(struct results *r, const char *const *always, struct results_axes *out) {
    static const char *const first[] = {"workload", "mech", "size", "config"};
    struct results_words keys = {0};
    varied_keys(r, &keys);
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
        bool must = false;
        for (size_t k = 0; always[k] && !must; k++) must = !strcmp(always[k], first[i]);
        results_axes_add_axis(r, first[i], must, out);
    }
    for (size_t i = 0; i < keys.v.n; i++) results_axes_add_axis(r, keys.v.v[i], false, out);
    for (size_t i = 0; always[i]; i++) results_axes_add_axis(r, always[i], true, out);
    results_axes_add_axis(r, "version", false, out);
    VEC_FREE(&keys.v);
}

void results_axes_free(struct results_axes *a) {
    for (size_t i = 0; i < a->v.n; i++) axis_free(&a->v.v[i]);
    VEC_FREE(&a->v);
}

/* ---- what a plot shows ---- */

static bool results_axes_among(const struct results_words *w, const char *name) {
    for (size_t i = 0; i < w->v.n; i++)
        if (!strcmp(w->v.v[i], name)) return true;
    return false;
}

/* Seeds are there to be averaged. */
static bool is_seed(const char *name) {
    const char *point = strrchr(name, '.');
    return !strcmp(point ? point + 1 : name, "seed");
}

static void average_seeds(struct results *r, const struct results_axes *all) {
    if (r->over_axes.v.n) return; /* the command line says what is */
    for (size_t i = 0; i < all->v.n; i++)
        if (is_seed(all->v.v[i].name)) VEC_PUSH(&r->over_axes.v, all->v.v[i].name);
}

/* The axis of numbers with the most places, or all.n. */
static size_t longest_numbers(const struct results *r, const struct results_axes *all) {
    size_t best = all->v.n;
    for (size_t i = 0; i < all->v.n; i++) {
        const struct axis *a = &all->v.v[i];
        if (results_axes_among(&r->over_axes, a->name) || !axis_is_number(a)) continue;
        if (best == all->v.n || a->places.n > all->v.v[best].places.n) best = i;
    }
    return best;
}

static const struct axis *axis_named(const struct results_axes *all, const char *name) {
    for (size_t i = 0; i < all->v.n; i++)
        if (!strcmp(all->v.v[i].name, name)) return &all->v.v[i];
    return NULL;
}

/* The axis that makes the columns, mechanisms if they differ, or of lines the axis that makes the rows. */
static const char *leading_axis(const struct results *r, const struct results_axes *all) {
    const size_t numbers = longest_numbers(r, all);
    const char *last = "mech";
    if (r->plot == PLOT_LINES) return numbers < all->v.n ? all->v.v[numbers].name : "workload";
    if (axis_named(all, "mech") && !results_axes_among(&r->over_axes, "mech")) return "mech";
    size_t free_axes = 0;
    for (size_t i = 0; i < all->v.n; i++)
        if (!results_axes_among(&r->over_axes, all->v.v[i].name)) last = all->v.v[i].name, free_axes++;
    return free_axes > 1 ? last : "mech";
}

/* An axis for the side that has none, on which all points lie in one place. */
static const char *spare_axis(const struct results *r, const char *lead) {
    static const char *const names[] = {"workload", "mech", "config", "size", NULL};
    for (const char *const *name = names; *name; name++)
        if (strcmp(*name, lead) != 0 && !results_axes_among(&r->over_axes, *name)) return *name;
    return "version";
}

void results_default_axes(struct results *r) {
    static const char *const none[] = {NULL};
    struct results_axes all = {0};
    results_axes_make(r, none, &all);
    average_seeds(r, &all);
    const char *lead = leading_axis(r, &all);
    const bool lines = r->plot == PLOT_LINES;
    struct results_words *own = lines ? &r->row_axes : &r->col_axes,
                         *rest = lines ? &r->col_axes : &r->row_axes;
    VEC_PUSH(&own->v, lead);
    for (size_t i = 0; i < all.v.n; i++)
        if (strcmp(all.v.v[i].name, lead) != 0 && !results_axes_among(&r->over_axes, all.v.v[i].name))
            VEC_PUSH(&rest->v, all.v.v[i].name);
    if (!rest->v.n) VEC_PUSH(&rest->v, spare_axis(r, lead));
    results_axes_free(&all);
}
