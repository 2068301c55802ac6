/* An axis of a set of points as numbers: its different places in canonical order, and at which of them each point
 * lies. Code that sorts or groups many points compares these numbers and no text. */
#ifndef HEDDLE_LAB_STORE_AXIS_H
#define HEDDLE_LAB_STORE_AXIS_H

#include "lab/store/store.h"

struct axis {
    const char *name;
    VEC(const char *) places; /* as store_place has them; the text is that of the points */
    uint32_t *at;             /* the place of each point */
};

/* Name and points must outlive it. Release with axis_free. */
void axis_make(struct axis *a, const char *name, const struct store_row *const *points, size_t n);
/* Makes an axis whose places are these texts, one for each point. */
void axis_make_text(struct axis *a, const char *name, const char *const *text, size_t n);
void axis_free(struct axis *a);
/* Whether all of its places are finite numbers. */
bool axis_is_number(const struct axis *a);
/* A place as a number; false: it is none. */
bool axis_place_number(const char *place, double *value);

/* Numbers of points in the order of these axes, of which the first counts most; points that lie together keep their order. */
void axes_sort(const struct axis *axes, size_t naxes, size_t *order, size_t n);
/* Whether two points lie together on all of them. */
bool axes_same(const struct axis *axes, size_t naxes, size_t a, size_t b);

#endif
