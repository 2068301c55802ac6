/* Statistics: everything here is an expansion of stats.def. Ratios are formulas evaluated when asked for, so
 * that sums over launches stay sums of counters and no ratio is ever added up. */
#include "sim/stats.h"

#include <string.h>

/* 0 where nothing was counted. */
static double ratio(uint64_t a, uint64_t b) {
    return b ? (double)a / (double)b : 0;
}

#define BEGIN(section)
#define COUNT(section, name, ...)
#define FORMULA(section, name, unit, value, meaning)                  \
    static double formula_##section##_##name(const struct stats *s) { \
        return value;                                                 \
    }
#define END(section)
#include "sim/stats.def"

const struct stat_row stat_rows[STAT_COUNT] = {
#define BEGIN(section)
#define COUNT(section, name_, how_, unit_, source, meaning_)   \
    [STAT_##section##_##name_] = {.name = #section "." #name_, \
                                  .unit = unit_,               \
                                  .meaning = meaning_,         \
                                  .how = STAT_##how_,          \
                                  .offset = offsetof(struct stats, section.name_)},
#define FORMULA(section, name_, unit_, value, meaning_)        \
    [STAT_##section##_##name_] = {.name = #section "." #name_, \
                                  .unit = unit_,               \
                                  .meaning = meaning_,         \
                                  .how = STAT_FORMULA,         \
                                  .formula = formula_##section##_##name_},
#define END(section)
#include "sim/stats.def"
};

void stats_collect(struct stats *s, const struct stats_source *x) {
    *s = (struct stats){
#define BEGIN(section)
#define COUNT(section_, name_, how, unit, source, meaning) .section_.name_ = source,
#define FORMULA(section, name, ...)
#define END(section)
#include "sim/stats.def"
        .mech = x->mech,
    };
    memcpy(s->extra, x->gpu.mech.extra, sizeof s->extra);
}

static uint64_t join(enum stat_how how, uint64_t a, uint64_t b) {
    return how == STAT_SUM ? a + b : a > b ? a : b;
}

void stats_join(struct stats *total, const struct stats *one) {
#define BEGIN(section)
#define COUNT(section, name, how, ...) \
    total->section.name = join(STAT_##how, total->section.name, one->section.name);
#define FORMULA(section, name, ...)
#define END(section)
#include "sim/stats.def"
    if (one->mech) total->mech = one->mech; /* a device has one for life */
    for (size_t k = 0; total->mech && total->mech->counters && total->mech->counters[k].key; k++)
        total->extra[k] =
            join(total->mech->counters[k].is_max ? STAT_MAX : STAT_SUM, total->extra[k], one->extra[k]);
}

const struct mech_counter *stats_counter(const struct stats *s, size_t k, uint64_t *value) {
    const struct mech_counter *list = s->mech ? s->mech->counters : NULL;
    if (!list) return NULL;
    for (size_t i = 0; i <= k; i++)
        if (!list[i].key) return NULL;
    *value = s->extra[k];
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
    CHECK(stat_rows[id].how != STAT_FORMULA);
    uint64_t v;
    memcpy(&v, (const char *)s + stat_rows[id].offset, sizeof v);
    return v;
}

double stats_value(const struct stats *s, enum stat_id id) {
    return stat_rows[id].formula ? stat_rows[id].formula(s) : (double)stats_exact(s, id);
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
