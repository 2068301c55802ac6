/* Statistics: everything here is an expansion of stats.def. */
#include "sim/stats.h"

#include <string.h>

#define STATS "sim/stats.def"
#define FORMULA(section, name, unit, value, meaning)                  \
    static double formula_##section##_##name(const struct stats *s) { \
        return value;                                                 \
    }
#include "base/stats_expand.h"

#define ROW(section_, name_, how_, unit_, meaning_, ...) \
    [STAT_##section_##_##name_] = {                      \
        .name = #section_ "." #name_, .unit = unit_, .meaning = meaning_, .how = STAT_##how_, __VA_ARGS__},
const struct stat_row stat_rows[STAT_COUNT] = {
#define COUNT(section, name, how, unit, meaning) \
    ROW(section, name, how, unit, meaning, .offset = offsetof(struct stats, section.name))
#define ELEMENT(section, name, field, how, unit, meaning) \
    ROW(section, name, how, unit, meaning, .offset = offsetof(struct stats, section.field))
#define RATIO(section, name, unit, above_, below_, meaning) \
    ROW(section, name, RATIO, unit, meaning, .above = STAT_##above_, .below = STAT_##below_)
#define FORMULA(section, name, unit, value, meaning) \
    ROW(section, name, FORMULA, unit, meaning, .formula = formula_##section##_##name)
#include "base/stats_expand.h"
};
#undef ROW

void stats_join(struct stats *total, const struct stats *one) {
#define BEGIN(section, type)     type##_join(&total->section, &one->section);
#define LIKE(section, type, ...) type##_join(&total->section, &one->section);
#include "base/stats_expand.h"
    if (!one->mech) return;
    total->mech = one->mech; /* a device has one for life */
    mech_own_join(&total->div, &one->div, one->mech->counters);
}
#undef STATS

void stats_set_sm(struct stats *s, const struct sm_stats *from) {
#define STATS                    "sm/stats.def"
#define BEGIN(section, type)     s->section = from->section;
#define LIKE(section, type, ...) s->section = from->section;
#include "base/stats_expand.h"
#undef STATS
}

void stats_set_mem(struct stats *s, const struct mem_stats *from) {
#define STATS                    "mem/stats.def"
#define BEGIN(section, type)     s->section = from->section;
#define LIKE(section, type, ...) s->section = from->section;
#include "base/stats_expand.h"
#undef STATS
}

const struct mech_counter *stats_counter(const struct stats *s, size_t k, uint64_t *value) {
    const struct mech_counter *list = s->mech ? s->mech->counters : NULL;
    if (!list) return NULL;
    for (size_t i = 0; i <= k; i++)
        if (!list[i].key) return NULL;
    *value = s->div.extra[k];
    return &list[k];
}

bool stats_named(const struct stats *s, const char *name, double *value, struct err *e) {
    size_t prefix = s->mech ? strlen(s->mech->name) : 0;
    const struct mech_counter *c;
    uint64_t v;
    if (s->mech && !strncmp(name, s->mech->name, prefix) && name[prefix] == '.')
        for (size_t k = 0; (c = stats_counter(s, k, &v)); k++)
            if (!strcmp(c->key, name + prefix + 1)) return *value = (double)v, true;
    enum stat_id id = stats_find(name, e);
    if (id == STAT_COUNT) return false;
    *value = stats_value(s, id);
    return true;
}

uint64_t stats_exact(const struct stats *s, enum stat_id id) {
    CHECK(stat_is_counter(id));
    uint64_t v;
    memcpy(&v, (const char *)s + stat_rows[id].offset, sizeof v);
    return v;
}

double stats_value(const struct stats *s, enum stat_id id) {
    const struct stat_row *row = &stat_rows[id];
    switch (row->how) {
    case STAT_RATIO: return stat_ratio(stats_exact(s, row->above), stats_exact(s, row->below));
    case STAT_FORMULA: return row->formula(s);
    default: return (double)stats_exact(s, id);
    }
}

enum stat_id stats_find(const char *name, struct err *e) {
    const char *names[STAT_COUNT + 1] = {0};
    for (int i = 0; i < STAT_COUNT; i++) {
        names[i] = stat_rows[i].name;
        if (!strcmp(name, names[i])) return (enum stat_id)i;
    }
    const char *near = nearest_name(name, names);
    if (near)
        err_set(e, ERR_INPUT, "there is no statistic \"%s\"; did you mean %s?", name, near);
    else
        err_set(e, ERR_INPUT, "there is no statistic \"%s\"", name);
    return STAT_COUNT;
}
