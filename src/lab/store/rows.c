/* Points in memory: statistics by name, and the axes on which points lie. The canonical order of an axis is that of the
 * tables (workloads, mechanisms, sizes), of numbers their own, and else that of strverscmp, which takes numbers in text for
 * numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bound.h"
#include "lab/store/store.h"

/* ---- statistics ---- */

/* The part of a name after its section. */
static const char *bare(const char *name) {
    const char *point = strchr(name, '.');
    return point ? point + 1 : name;
}

static size_t find_exact(const struct store_rows *r, const char *name) {
    size_t i = 0;
    while (i < r->names.n && strcmp(r->names.v[i], name) != 0) i++;
    return i;
}

static size_t store_rows_unknown_name(const struct store_rows *r, const char *name, struct err *e) {
    const char **names = xcalloc(r->names.n + 1, sizeof *names);
    for (size_t i = 0; i < r->names.n; i++)
        names[i] = strchr(name, '.') ? r->names.v[i] : bare(r->names.v[i]);
    const char *near = nearest_name(name, names);
    if (near)
        err_set(e, ERR_INPUT, "there is no statistic \"%.60s\"; did you mean %s?", name, near);
    else
        err_set(e, ERR_INPUT, "there is no statistic \"%.60s\"; 'heddle list stats' shows them", name);
    free(names);
    return r->names.n;
}

/* A name without section that is not one of gpu's. */
static size_t find_bare(const struct store_rows *r, const char *name, struct err *e) {
    size_t found = r->names.n;
    for (size_t i = 0; i < r->names.n; i++) {
        if (strcmp(bare(r->names.v[i]), name) != 0) continue;
        if (found < r->names.n) {
            err_set(e, ERR_INPUT, "\"%.60s\" may be %s or %s", name, r->names.v[found], r->names.v[i]);
            return r->names.n;
        }
        found = i;
    }
    return found < r->names.n ? found : store_rows_unknown_name(r, name, e);
}

size_t store_find(const struct store_rows *r, const char *name, struct err *e) {
    size_t i = find_exact(r, name);
    if (i < r->names.n) return i;
    if (strchr(name, '.')) return store_rows_unknown_name(r, name, e);
    struct sb full = {0};
    sb_add(&full, "gpu.%s", name);
    i = find_exact(r, full.text);
    sb_free(&full);
    return i < r->names.n ? i : find_bare(r, name, e);
}

bool store_number(const struct store_row *row, size_t name, double *value) {
    const struct store_value *v = &row->values[name];
    if (v->kind != STORE_NONE) *value = v->kind == STORE_WHOLE ? (double)v->whole : v->real;
    return v->kind != STORE_NONE;
}

const struct store_row *store_by_key(const struct store_rows *r, uint64_t key) {
    size_t at;
    BOUND(at, 0, r->rows.n, r->rows.v[r->by_key[at]].id.key < key);
    const struct store_row *row = at < r->rows.n ? &r->rows.v[r->by_key[at]] : NULL;
    return row && row->id.key == key ? row : NULL;
}

/* ---- axes ---- */

const char *const store_axes[] = {"workload", "size", "config", "mech", "options", "version", "state", NULL};
enum { WORKLOAD, SIZE, CONFIG, MECH, OPTIONS, VERSION, STATE, OTHER };

static int axis_number(const char *axis) {
    int i = 0;
    while (store_axes[i] && strcmp(store_axes[i], axis) != 0) i++;
    return i;
}

const char *store_option(const struct store_row *row, const char *key) {
    for (size_t i = 0; i < row->id.noptions; i++)
        if (!strcmp(row->id.option[i].key, key)) return row->id.option[i].value;
    for (size_t i = 0; i < row->nwords; i++)
        if (!strcmp(row->word[i].key, key)) return row->word[i].value;
    return NULL;
}

const char *store_place(const struct store_row *row, const char *axis) {
    const char *option;
    switch (axis_number(axis)) {
    case WORKLOAD: return row->id.workload;
    case SIZE: return row->id.size;
    case CONFIG: return row->id.config;
    case MECH: return row->id.mech;
    case OPTIONS: return *row->id.options ? row->id.options : "-";
    case VERSION: return row->id.version;
    case STATE: return store_state_names[row->state];
    default: option = store_option(row, axis); return option ? option : "-";
    }
}

static int by_address(const void *a, const void *b) {
    const uintptr_t x = (uintptr_t) * (const hd_option *const *)a,
                    y = (uintptr_t) * (const hd_option *const *)b;
    return (x > y) - (x < y);
}

/* The name nearest to a word among all axes. Points of one machine share its options: each machine is looked at once. */
static const char *nearest_axis(const struct store_rows *r, const char *word) {
    VEC(const hd_option *) machines = {0};
    VEC(const char *) names = {0};
    for (const char *const *a = store_axes; *a; a++) VEC_PUSH(&names, *a);
    for (size_t i = 0; i < r->rows.n; i++) {
        const struct store_row *row = &r->rows.v[i];
        if (row->id.noptions) VEC_PUSH(&machines, row->id.option);
        for (size_t k = 0; k < row->nwords; k++) VEC_PUSH(&names, row->word[k].key);
    }
    if (machines.n) qsort(machines.v, machines.n, sizeof *machines.v, by_address);
    for (size_t i = 0; i < machines.n; i++)
        for (const hd_option *o = machines.v[i]; (!i || o != machines.v[i - 1]) && o->key; o++)
            VEC_PUSH(&names, o->key);
    VEC_PUSH(&names, NULL);
    const char *near = nearest_name(word, names.v);
    VEC_FREE(&machines);
    VEC_FREE(&names);
    return near;
}

bool store_axis(const struct store_rows *r, const char *axis, struct err *e) {
    if (axis_number(axis) != OTHER) return true;
    for (size_t i = 0; i < r->rows.n; i++)
        if (store_option(&r->rows.v[i], axis)) return true;
    const char *near = nearest_axis(r, axis);
    if (near) return err_set(e, ERR_INPUT, "points do not differ in \"%.60s\"; did you mean %s?", axis, near);
    return err_set(
        e, ERR_INPUT,
        "points do not differ in \"%.60s\": it is neither workload, size, config, mech, options, version, "
        "state nor the key of an option",
        axis);
}

static size_t workload_rank(const char *name) {
    size_t i = 0;
    const size_t n = strcspn(name, ":");
    while (workload_list[i].name &&
           (strncmp(workload_list[i].name, name, n) != 0 || workload_list[i].name[n]))
        i++;
    return i;
}

static size_t size_rank(const char *name) {
    size_t i = 0;
    while (i < WORK_SIZES && strcmp(work_size_names[i], name) != 0) i++;
    return i;
}

static size_t mech_rank(const char *label) {
    const char *name;
    size_t i = 0, n = strcspn(label, ":");
    while (!hd_mech_at(i, &name, NULL) && (strncmp(name, label, n) != 0 || name[n])) i++;
    return i;
}

/* What is not there comes first, then numbers, then words; so that any three places have an order. */
enum place_kind { PLACE_NONE, PLACE_NUMBER, PLACE_WORD };

static enum place_kind place_kind(const char *text, double *value) {
    char *end;
    *value = strtod(text, &end);
    if (end != text && !*end && isfinite(*value)) return PLACE_NUMBER;
    return strcmp(text, "-") != 0 ? PLACE_WORD : PLACE_NONE;
}

static int place_order(const char *a, const char *b) {
    double x, y;
    const enum place_kind first = place_kind(a, &x), second = place_kind(b, &y);
    if (first != second) return first < second ? -1 : 1;
    if (first == PLACE_NUMBER && x != y) return x < y ? -1 : 1;
    return strverscmp(a, b);
}

int store_order(const char *axis, const char *a, const char *b) {
    size_t x = 0, y = 0;
    switch (axis_number(axis)) {
    case WORKLOAD: x = workload_rank(a), y = workload_rank(b); break;
    case SIZE: x = size_rank(a), y = size_rank(b); break;
    case MECH: x = mech_rank(a), y = mech_rank(b); break;
    default: break;
    }
    return x != y ? (x < y ? -1 : 1) : place_order(a, b);
}
