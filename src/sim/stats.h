/* Statistics: the counters of stats.def's rows, how they join, and their values by name. */
#ifndef HEDDLE_SIM_STATS_H
#define HEDDLE_SIM_STATS_H

#include "exec/exec.h"
#include "sim/gpu.h"

enum stat_id {
#define BEGIN(section)
#define COUNT(section, name, ...)   STAT_##section##_##name,
#define FORMULA(section, name, ...) STAT_##section##_##name,
#define END(section)
#include "sim/stats.def"
    STAT_COUNT
};

enum stat_how { STAT_SUM, STAT_MAX, STAT_FORMULA };

enum { STATS_COUNTERS = sizeof((struct mech_stats *)0)->extra / sizeof(uint64_t) };

/* The counters. A formula has no storage. */
struct stats {
#define BEGIN(section)            struct {
#define COUNT(section, name, ...) uint64_t name;
#define FORMULA(section, name, ...)
#define END(section) \
    }                \
    section;
#include "sim/stats.def"
    const struct mech_ops *mech;    /* of the timed launches; NULL: there was none */
    uint64_t extra[STATS_COUNTERS]; /* its own counters, in the order of its list */
};

/* What one launch leaves behind. */
struct stats_source {
    struct exec_stats exec;
    uint64_t mem_used;
    const struct mech_ops *mech; /* NULL: a functional launch */
    uint64_t storage_bits;       /* of it */
    struct gpu_stats gpu;
};

struct stat_row {
    const char *name, *unit, *meaning;
    enum stat_how how;
    size_t offset; /* of the counter in struct stats */
    double (*formula)(const struct stats *s);
};
extern const struct stat_row stat_rows[STAT_COUNT];

void stats_collect(struct stats *s, const struct stats_source *x);
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
