/* How a mechanism declares parameters and counters of its own: a line each, in a list that is a macro. From the list follow
 * a struct by whose fields the mechanism reads or counts them, and the rows that options, statistics and docs are made
 * from, so that the two cannot disagree:
 *
 *     #define PARAMS(INT, BOOL, ENUM)                                        \
 *         INT(entries, 64, 1, 1024, "Entries of the table.")                 \
 *         BOOL(swizzle, true, "Whether every other warp swaps lanes.")       \
 *         ENUM(side, STACK_SIDE, "Which side of a branch runs first.")
 *     #define COUNTERS(SUM, MAX)                                             \
 *         SUM(merges, "times", "Splits that met.")                           \
 *         MAX(deepest, "entries", "Deepest stack of a warp.")
 *
 *     MECH_PARAMS(pdom, PARAMS)          pdom_params(m)->entries
 *     MECH_COUNTS(pdom, COUNTERS)        pdom_counts(m)->merges++
 *     .params = MECH_PARAM_ROWS(PARAMS), .counters = MECH_COUNTER_ROWS(COUNTERS),
 *
 * INT has default, lowest and highest value; ENUM a list of words with their values (base/option.h), which count from 0, the
 * default. SUM and MAX say how a counter joins over SMs and launches. */
#ifndef HEDDLE_MECH_LIB_DECLARE_H
#define HEDDLE_MECH_LIB_DECLARE_H

#include "mech/mech.h"

#define MECH_PARAM_FIELD(name_, ...) uint32_t name_;
#define MECH_PARAMS(mech_, LIST)                                                      \
    struct mech_##_params {                                                           \
        LIST(MECH_PARAM_FIELD, MECH_PARAM_FIELD, MECH_PARAM_FIELD)                    \
    };                                                                                \
    static inline const struct mech_##_params *mech_##_params(const struct mech *m) { \
        return (const struct mech_##_params *)m->params;                              \
    }

#define MECH_INT_ROW(name_, def_, low_, high_, help_) \
    {.key = #name_, .help = help_, .kind = OPTION_INT, .def = def_, .low = low_, .high = high_},
#define MECH_BOOL_ROW(name_, def_, help_) \
    {.key = #name_, .help = help_, .kind = OPTION_BOOL, .def = def_, .high = 1},
#define MECH_ENUM_ROW(name_, CHOICES, help_)                                               \
    {.key = #name_,                                                                        \
     .help = help_,                                                                        \
     .kind = OPTION_ENUM,                                                                  \
     .high = (int64_t)(sizeof OPTION_CHOICES(CHOICES) / sizeof(struct option_choice)) - 2, \
     .choices = OPTION_CHOICES(CHOICES)},
#define MECH_PARAM_ROWS(LIST) \
    ((const struct mech_param[]){LIST(MECH_INT_ROW, MECH_BOOL_ROW, MECH_ENUM_ROW){0}})

#define MECH_COUNT_FIELD(name_, unit_, meaning_) uint64_t name_;
#define MECH_COUNTS(mech_, LIST)                                                                            \
    struct mech_##_counts {                                                                                 \
        LIST(MECH_COUNT_FIELD, MECH_COUNT_FIELD)                                                            \
    };                                                                                                      \
    _Static_assert(sizeof(struct mech_##_counts) <= MECH_COUNTERS * sizeof(uint64_t), "too many counters"); \
    static inline struct mech_##_counts *mech_##_counts(struct mech *m) {                                   \
        return (struct mech_##_counts *)m->stats.extra;                                                     \
    }

#define MECH_SUM_ROW(name_, unit_, meaning_) \
    {.key = #name_, .unit = unit_, .meaning = meaning_, .how = STAT_SUM},
#define MECH_MAX_ROW(name_, unit_, meaning_) \
    {.key = #name_, .unit = unit_, .meaning = meaning_, .how = STAT_MAX},
#define MECH_COUNTER_ROWS(LIST) ((const struct mech_counter[]){LIST(MECH_SUM_ROW, MECH_MAX_ROW){0}})

#endif
