/* Statistics are rows of tables: the room that counts something has its row in ROOM/stats.def, and everything else is
 * generated from the rows: the structs the counters are in, sums over SMs and launches, differences between two readings,
 * names, JSON, CSV, SQLite columns and docs/statistics.md. Adding a statistic takes its row and the line that counts it.
 *
 *   BEGIN(section, type) ... END(section)              a section of statistics; struct type holds its counters
 *   LIKE(section, type, rows)                          one more section with the counters of that type
 *   COUNT(section, name, HOW, unit, meaning)           a counter: field `name`
 *   ARRAY(section, name, length)                       a field of counters told apart by an index; each has a row:
 *   ELEMENT(section, name, field, HOW, unit, meaning)  a counter of an ARRAY: field is array[index]
 *   RATIO(section, name, unit, above, below, meaning)  quotient of two counters, each given as section_name; 0 if `below` is
 *   FORMULA(section, name, unit, value, meaning)       where a quotient of two will not do: an expression over s, all
 *                                                      counters (struct stats of sim/stats.h)
 *
 * A statistic is called "section.name". Ratios and formulas are computed when asked for and never stored, so no ratio is
 * ever added up. HOW a counter joins:
 *
 *            two SMs, caches, launches   between two readings    when a launch begins
 *   SUM      added                       the difference          runs on
 *   MAX      the larger                  the later reading       starts again from 0
 *   GAUGE    the larger                  the later reading       as it is: a size, not something that happened
 *
 * stats_types.h makes the structs and these operations of one room. */
#ifndef HEDDLE_BASE_STATS_H
#define HEDDLE_BASE_STATS_H

#include <stddef.h>
#include <stdint.h>

enum stat_how { STAT_SUM, STAT_MAX, STAT_GAUGE, STAT_RATIO, STAT_FORMULA };

static inline uint64_t stat_larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* Joins the values of two counters that counted different things. */
static inline uint64_t stat_join(enum stat_how how, uint64_t a, uint64_t b) {
    return how == STAT_SUM ? a + b : stat_larger(a, b);
}

/* The change of a counter that was read before and after. */
static inline uint64_t stat_since(enum stat_how how, uint64_t after, uint64_t before) {
    return how == STAT_SUM ? after - before : after;
}

/* When a launch begins. */
static inline uint64_t stat_restart(enum stat_how how, uint64_t value) {
    return how == STAT_MAX ? 0 : value;
}

static inline double stat_ratio(uint64_t above, uint64_t below) {
    return below ? (double)above / (double)below : 0;
}

static inline uint64_t stat_total(const uint64_t *counter, size_t n) {
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) sum += counter[i];
    return sum;
}

#endif
