/* Statistics of a launch, or of several: the counters of all rooms' tables, how they join, and their values by name. */
#ifndef HEDDLE_SIM_STATS_H
#define HEDDLE_SIM_STATS_H

#include "base/err.h"
#include "cpu/stats.h"
#include "exec/stats.h"
#include "mech/mech.h"
#include "mem/stats.h"
#include "sim/gpu/window.h"
#include "sm/sm.h"

#define STATS_OWN
#define STATS "sim/stats.def"
#include "base/stats_types.h"
#undef STATS_OWN

#define STATS "sim/stats.def"
enum stat_id {
#define COUNT(section, name, ...)   STAT_##section##_##name,
#define ELEMENT(section, name, ...) STAT_##section##_##name,
#define RATIO(section, name, ...)   STAT_##section##_##name,
#define FORMULA(section, name, ...) STAT_##section##_##name,
#include "base/stats_expand.h"
    STAT_COUNT
};

/* The counters, by section. A mechanism's own are in div.extra. */
struct stats {
#define BEGIN(section, type)     struct type section;
#define LIKE(section, type, ...) struct type section;
#include "base/stats_expand.h"
    const struct mech_ops *mech; /* of the timed launches; NULL: there was none */
};
#undef STATS

struct stat_row {
    const char *name, *unit, *meaning;
    enum stat_how how;
    size_t offset;             /* of a counter in struct stats */
    enum stat_id above, below; /* of a ratio */
    double (*formula)(const struct stats *s);
};
extern const struct stat_row stat_rows[STAT_COUNT];

/* Whether it is counted: a whole number. A ratio or formula is computed from others. */
static inline bool stat_row_counts(const struct stat_row *row) {
    return row->how != STAT_RATIO && row->how != STAT_FORMULA;
}
static inline bool stat_is_counter(enum stat_id id) {
    return stat_row_counts(&stat_rows[id]);
}

/* What a room counted becomes its sections of s. */
void stats_set_sm(struct stats *s, const struct sm_stats *from);
void stats_set_mem(struct stats *s, const struct mem_stats *from);
void stats_join(struct stats *total, const struct stats *one);
double stats_value(const struct stats *s, enum stat_id id);
uint64_t stats_exact(const struct stats *s, enum stat_id id); /* counters only */
/* The row of that name, or STAT_COUNT with the nearest name in the message. */
enum stat_id stats_find(const char *name, struct err *e);
/* The k-th counter of the mechanism itself and its value; NULL past the last. Its name is "MECHANISM.key". */
const struct mech_counter *stats_counter(const struct stats *s, size_t k, uint64_t *value);
/* The value by name, of the table or of the mechanism. */
bool stats_named(const struct stats *s, const char *name, double *value, struct err *e);

#endif
