/* The cross product. Every list of the command line is an axis; points are made with the last --set changing fastest. */
#include <stdlib.h>
#include <string.h>

#include "cli/sweep.h"

/* The next word of a list "a,b,c", kept in mem; *list is NULL after the last. */
static bool next_word(struct sweep *s, const char *option, const char **list, const char **word,
                      struct err *e) {
    size_t n = strcspn(*list, ",");
    if (!n) return err_set(e, ERR_INPUT, "%s: an empty name in the list", option);
    *word = arena_strndup(&s->mem, *list, n);
    *list = (*list)[n] ? *list + n + 1 : NULL;
    return true;
}

/* ---- programs ---- */

static bool read_workloads(struct sweep *s, const char *list, struct err *e) {
    if (!list) return err_set(e, ERR_INPUT, "--workloads is missing");
    while (list) {
        const char *name;
        if (!next_word(s, "--workloads", &list, &name, e)) return false;
        if (!strcmp(name, "all")) {
            for (const struct workload *w = workload_list; w->name; w++) VEC_PUSH(&s->workloads, w);
            continue;
        }
        const struct workload *w = lab_workload(name + (*name == '@'), e);
        if (!w) return false;
        VEC_PUSH(&s->workloads, w);
    }
    return true;
}

static bool read_sizes(struct sweep *s, const char *list, struct err *e) {
    for (list = list ? list : "small"; list;) {
        const char *name;
        enum work_size size;
        if (!next_word(s, "--size", &list, &name, e) || !lab_size(name, &size, e)) return false;
        VEC_PUSH(&s->sizes, size);
    }
    return true;
}

/* ---- machines ---- */

static bool read_configs(struct sweep *s, const char *list, struct err *e) {
    const char *name = NULL;
    if (!list) VEC_PUSH(&s->configs, name);
    while (list) {
        if (!next_word(s, "--config", &list, &name, e)) return false;
        VEC_PUSH(&s->configs, name);
    }
    return true;
}

static bool read_mechs(struct sweep *s, const char *list, struct err *e) {
    const char *name = NULL;
    if (!list) VEC_PUSH(&s->mechs, name);
    while (list) {
        if (!next_word(s, "--mech", &list, &name, e)) return false;
        if (strcmp(name, "all") != 0)
            VEC_PUSH(&s->mechs, name);
        else
            for (size_t i = 0; !hd_mech_at(i, &name, NULL); i++) VEC_PUSH(&s->mechs, name);
    }
    return true;
}

static bool read_axis(struct sweep *s, const char *text, struct err *e) {
    const char *equals = strchr(text, '='), *list = equals ? equals + 1 : NULL;
    if (!equals || equals == text)
        return err_set(e, ERR_INPUT, "--set %.60s is not KEY=VALUE,..., as in --set gpu.sms=1,2,4", text);
    struct sweep_axis axis = {.key = arena_strndup(&s->mem, text, (size_t)(equals - text))};
    for (size_t i = 0; i < s->axes.n; i++)
        if (!strcmp(s->axes.v[i].key, axis.key))
            return err_set(e, ERR_INPUT, "--set %.60s is given twice; one takes several values: %.60s=A,B",
                           axis.key, axis.key);
    bool fine = true;
    while (list && fine) {
        const char *value;
        fine = next_word(s, "--set", &list, &value, e);
        if (fine) VEC_PUSH(&axis.values, value);
    }
    VEC_PUSH(&s->axes, axis);
    return fine;
}

/* ---- points ---- */

enum { MOST_POINTS = 100000 };

static bool count_points(const struct sweep *s, size_t *machines, struct err *e) {
    size_t n = s->workloads.n;
    const size_t lengths[] = {s->sizes.n, s->configs.n, s->mechs.n};
    *machines = 1;
    for (size_t i = 0; i < 3 && n <= MOST_POINTS; i++) n *= lengths[i];
    for (size_t i = 0; i < s->axes.n && n <= MOST_POINTS; i++)
        n *= s->axes.v[i].values.n, *machines *= s->axes.v[i].values.n;
    return n <= MOST_POINTS || err_set(e, ERR_INPUT, "more than %d points", MOST_POINTS);
}

/* Which values the settings of that number have: its digits, each axis being one. */
static const hd_option *settings(struct sweep *s, size_t number) {
    hd_option *list = ARENA_NEW(&s->mem, hd_option, s->axes.n + 1);
    for (size_t i = s->axes.n; i-- > 0;) {
        const struct sweep_axis *a = &s->axes.v[i];
        list[i] = (hd_option){a->key, a->values.v[number % a->values.n]};
        number /= a->values.n;
    }
    return list;
}

static void add_points(struct sweep *s, const struct workload *w, enum work_size size, size_t machines) {
    for (size_t c = 0; c < s->configs.n; c++)
        for (size_t m = 0; m < s->mechs.n; m++)
            for (size_t i = 0; i < machines; i++)
                VEC_PUSH(&s->points, (struct lab_point){.subject = {.workload = w, .size = size},
                                                        .config = s->configs.v[c],
                                                        .mech = s->mechs.v[m],
                                                        .settings = settings(s, i),
                                                        .nsettings = s->axes.n});
}

bool sweep_axes(struct sweep *s, const struct opts *o, struct err *e) {
    size_t machines;
    if (!read_workloads(s, opts_value(o, "workloads"), e) || !read_sizes(s, opts_value(o, "size"), e) ||
        !read_configs(s, opts_value(o, "config"), e) || !read_mechs(s, opts_value(o, "mech"), e))
        return false;
    for (size_t i = 0; i < opts_count(o, "set"); i++)
        if (!read_axis(s, opts_nth(o, "set", i), e)) return false;
    if (!count_points(s, &machines, e)) return false;
    for (size_t w = 0; w < s->workloads.n; w++)
        for (size_t i = 0; i < s->sizes.n; i++) add_points(s, s->workloads.v[w], s->sizes.v[i], machines);
    return true;
}

void sweep_axes_free(struct sweep *s) {
    for (size_t i = 0; i < s->axes.n; i++) VEC_FREE(&s->axes.v[i].values);
    VEC_FREE(&s->workloads);
    VEC_FREE(&s->sizes);
    VEC_FREE(&s->configs);
    VEC_FREE(&s->mechs);
    VEC_FREE(&s->axes);
    VEC_FREE(&s->points);
}
