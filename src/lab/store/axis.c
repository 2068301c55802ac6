/* Places are few and points are many: each place is found by its hash, and only the different ones are put in order. */
#include "lab/store/axis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- different places ---- */

/* Open addressing: numbers of places plus 1, 0 where there is none; at most half full. */
struct seen {
    uint32_t *slot;
    size_t size; /* a power of two */
};

static size_t hash_of(const char *text) {
    uint64_t h = 0xcbf29ce484222325; /* FNV-1a */
    for (; *text; text++) h = (h ^ (unsigned char)*text) * 0x100000001b3;
    return (size_t)(h ^ h >> 32);
}

/* Where that place is, or would go. */
static uint32_t *axis_slot_of(const struct seen *s, const struct axis *a, const char *place) {
    size_t i = hash_of(place) & (s->size - 1);
    while (s->slot[i] && strcmp(a->places.v[s->slot[i] - 1], place) != 0) i = (i + 1) & (s->size - 1);
    return &s->slot[i];
}

static void axis_grow(struct seen *s, const struct axis *a) {
    xfree(s->slot);
    s->size *= 2;
    s->slot = xcalloc(s->size, sizeof *s->slot);
    for (size_t i = 0; i < a->places.n; i++) *axis_slot_of(s, a, a->places.v[i]) = (uint32_t)i + 1;
}

static uint32_t number_of(struct seen *s, struct axis *a, const char *place) {
    if (2 * (a->places.n + 1) > s->size) axis_grow(s, a);
    uint32_t *slot = axis_slot_of(s, a, place);
    if (!*slot) {
        VEC_PUSH(&a->places, place);
        *slot = (uint32_t)a->places.n;
    }
    return *slot - 1;
}

/* ---- their order ---- */

static int axis_by_place(const void *x, const void *y, void *axis) {
    const struct axis *a = axis;
    return store_order(a->name, a->places.v[*(const uint32_t *)x], a->places.v[*(const uint32_t *)y]);
}

/* Numbers so far are in the order in which places were met. */
static void axis_renumber(struct axis *a, size_t n) {
    const size_t places = a->places.n;
    uint32_t *order = xcalloc(places + 1, sizeof *order), *rank = xcalloc(places + 1, sizeof *rank);
    const char **sorted = xcalloc(places + 1, sizeof *sorted);
    for (size_t i = 0; i < places; i++) order[i] = (uint32_t)i;
    if (places) qsort_r(order, places, sizeof *order, axis_by_place, a);
    for (size_t i = 0; i < places; i++) {
        rank[order[i]] = (uint32_t)i;
        sorted[i] = a->places.v[order[i]];
    }
    if (places) memcpy(a->places.v, sorted, places * sizeof *sorted);
    for (size_t i = 0; i < n; i++) a->at[i] = rank[a->at[i]];
    free(order);
    free(rank);
    free(sorted);
}

void axis_make_text(struct axis *a, const char *name, const char *const *text, size_t n) {
    struct seen s = {.size = 8};
    *a = (struct axis){.name = name, .at = xcalloc(n + 1, sizeof *a->at)};
    axis_grow(&s, a);
    for (size_t i = 0; i < n; i++) a->at[i] = number_of(&s, a, text[i]);
    xfree(s.slot);
    axis_renumber(a, n);
}

void axis_make(struct axis *a, const char *name, const struct store_row *const *points, size_t n) {
    const char **text = xcalloc(n + 1, sizeof *text);
    for (size_t i = 0; i < n; i++) text[i] = store_place(points[i], name);
    axis_make_text(a, name, text, n);
    free(text);
}

void axis_free(struct axis *a) {
    VEC_FREE(&a->places);
    free(a->at);
    a->at = NULL;
}

bool axis_place_number(const char *place, double *value) {
    char *end;
    *value = strtod(place, &end);
    return end != place && !*end && isfinite(*value);
}

bool axis_is_number(const struct axis *a) {
    double value;
    for (size_t i = 0; i < a->places.n; i++)
        if (!axis_place_number(a->places.v[i], &value)) return false;
    return a->places.n > 0;
}

/* ---- points ---- */

struct axes {
    const struct axis *v;
    size_t n;
};

static int by_axes(const void *x, const void *y, void *user) {
    const struct axes *axes = user;
    const size_t a = *(const size_t *)x, b = *(const size_t *)y;
    for (size_t i = 0; i < axes->n; i++) {
        const uint32_t p = axes->v[i].at[a], q = axes->v[i].at[b];
        if (p != q) return p < q ? -1 : 1;
    }
    return (a > b) - (a < b);
}

void axes_sort(const struct axis *axes, size_t naxes, size_t *order, size_t n) {
    for (size_t i = 0; i < n; i++) order[i] = i;
    if (n) qsort_r(order, n, sizeof *order, by_axes, &(struct axes){axes, naxes});
}

bool axes_same(const struct axis *axes, size_t naxes, size_t a, size_t b) {
    for (size_t i = 0; i < naxes; i++)
        if (axes[i].at[a] != axes[i].at[b]) return false;
    return true;
}
