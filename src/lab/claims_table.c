/* The table of claims (claims.def) and what can be said of a claim without running anything. */
#include <string.h>

#include "lab/claims_impl.h"
#include "lab/table1.h"

#define M(mech, settings) \
    { mech, settings }
#define NO \
    { NULL, NULL }
#define ROW(row_id, row_basis, row_source, row_what, row_kind, row_config, row_workloads, row_stat) \
    .id = row_id, .basis = CLAIM_##row_basis, .source = row_source, .what = row_what,               \
    .kind = CLAIM_##row_kind, .config = row_config, .workloads = row_workloads, .stat = row_stat
#define CLAIM(id, basis, source, what, kind, config, workloads, a, b, c, d, stat, number, said)             \
    {ROW(id, basis, source, what, kind, config, workloads, stat), .machine = {a, b, c, d}, .paper = number, \
     .how = said},
#define BOUND(id, basis, source, what, kind, config, workloads, a, b, stat, goes, number, said)       \
    {ROW(id, basis, source, what, kind, config, workloads, stat), .machine = {a, b}, .paper = number, \
     .how = said, .way = CLAIM_##goes},
#define VALUES(id, basis, source, what, kind, config, workloads, a, b, stat, list)   \
    {ROW(id, basis, source, what, kind, config, workloads, stat), .machine = {a, b}, \
     .how = "by workload, and their mean", .values = list},
#define CHANGE(id, basis, source, what, config, workloads, a, b, stat, goes)           \
    {ROW(id, basis, source, what, CHANGE, config, workloads, stat), .machine = {a, b}, \
     .how = "change in percentage points", .way = CLAIM_##goes},
#define EFFECT(id, basis, source, what, config, workloads, machines, stat, of, number)                   \
    {ROW(id, basis, source, what, EFFECT, config, workloads, stat), .machine = {machines}, .factor = of, \
     .paper = number, .how = "mean of speed-ups where the factor is high less that where it is low"},
#define RANK(id, basis, source, what, config, workloads, machines, stat, of, most) \
    {ROW(id, basis, source, what, RANK, config, workloads, stat),                  \
     .machine = {machines},                                                        \
     .factor = of,                                                                 \
     .paper = most,                                                                \
     .how = "place by size of the effect",                                         \
     .way = CLAIM_AT_MOST},
#define SPREAD(id, basis, source, what, config, workloads, machines, stat, goes, number)                   \
    {ROW(id, basis, source, what, PAIRS, config, workloads, stat), .machine = {machines}, .paper = number, \
     .way = CLAIM_##goes, .how = "mean of speed-ups, over the pairs of machines"},
#define PAPER(prefix, name, title)
#define SMALLER(config, settings)
#define MACHINE_CODE(config, settings)
#define NOTE(id, text)
const struct claim claim_list[] = {
#include "lab/claims.def"
    {0}};

#undef CLAIM
#undef BOUND
#undef VALUES
#undef CHANGE
#undef EFFECT
#undef RANK
#undef SPREAD
#define SPREAD(...)
#define EFFECT(...)
#define RANK(...)
#define CLAIM(...)
#define BOUND(...)
#define VALUES(...)
#define CHANGE(...)

#undef PAPER
#define PAPER(prefix, name, title) {prefix, name, title},
const struct claim_paper claim_papers[] = {
#include "lab/claims.def"
    {0}};
#undef PAPER
#define PAPER(prefix, name, title)

struct pair {
    const char *key, *text;
};
#undef SMALLER
#define SMALLER(config, settings) {config, settings},
static const struct pair smaller[] = {
#include "lab/claims.def"
    {0}};
#undef SMALLER
#define SMALLER(config, settings)

#undef MACHINE_CODE
#define MACHINE_CODE(config, settings) {config, settings},
static const struct pair machine_code[] = {
#include "lab/claims.def"
    {0}};
#undef MACHINE_CODE
#define MACHINE_CODE(config, settings)

#undef NOTE
#define NOTE(id, text) {id, text},
static const struct pair notes[] = {
#include "lab/claims.def"
    {0}};

const char *const claim_way_names[] = {
    [CLAIM_UNSAID] = "",           [CLAIM_RISES] = "rises",     [CLAIM_FALLS] = "falls",
    [CLAIM_STAYS] = "stays",       [CLAIM_EVEN] = "even",       [CLAIM_EITHER] = "either",
    [CLAIM_AT_LEAST] = "at least", [CLAIM_AT_MOST] = "at most", NULL};
const char *const claim_basis_names[] = {
    [CLAIM_PREDICTED] = "predicted", [CLAIM_CHOSEN] = "chosen",         [CLAIM_FITTED] = "fitted",
    [CLAIM_DERIVED] = "derived",     [CLAIM_DEFINITION] = "definition", NULL};
const char *const claim_verdict_names[] = {[VERDICT_NONE] = "",
                                           [VERDICT_SIGN] = "sign differs",
                                           [VERDICT_NO_EFFECT] = "no effect",
                                           [VERDICT_OFF] = "off",
                                           [VERDICT_THIRD] = "within a third",
                                           [VERDICT_AGREES] = "agrees",
                                           NULL};

static const char *claims_table_text_of(const struct pair *pairs, const char *key) {
    for (; pairs->key; pairs++)
        if (!strcmp(pairs->key, key)) return pairs->text;
    return NULL;
}

const char *claims_smaller(const char *config) {
    const char *text = claims_table_text_of(smaller, config);
    return text ? text : "";
}

const char *claims_machine_code(const char *config) {
    const char *text = claims_table_text_of(machine_code, config);
    return text ? text : "";
}

const struct workload *claims_workload(const char *names, enum work_isa isa) {
    char name[64];
    const size_t n = strcspn(names, " ");
    if (n >= sizeof name) return NULL;
    memcpy(name, names, n);
    name[n] = '\0';
    const struct workload *w = workload_find(name);
    return w ? workload_build(w, isa) : NULL;
}

bool claim_built(const struct claim *c, enum work_isa isa) {
    const char *p = c->workloads;
    while (*p && claims_workload(p, isa)) p += strcspn(p, " "), p += *p == ' ';
    return isa == WORK_PTX || (*c->workloads && !*p);
}

const char *claim_note(const struct claim *c) {
    return claims_table_text_of(notes, c->id);
}

static bool has_mech(const char *spec) {
    const char *name, *title;
    size_t n = strcspn(spec, ":");
    for (size_t i = 0; hd_mech_at(i, &name, &title) == HD_OK; i++)
        if (strlen(name) == n && !strncmp(name, spec, n)) return true;
    return false;
}

const char *claim_waits(const struct claim *c) {
    for (const struct table1_scheme *s = table1_schemes; c->kind == CLAIM_GRID && s->name; s++)
        if (!table1_there(s)) return s->mech;
    for (int i = 0; i < CLAIM_MACHINES; i++)
        if (c->machine[i].mech && !has_mech(c->machine[i].mech)) return c->machine[i].mech;
    return NULL;
}

bool claim_named(const struct claim *c, const char *name) {
    size_t n = strlen(name);
    return !strncmp(c->id, name, n) && (!c->id[n] || c->id[n] == '.');
}

bool claim_of_paper(const struct claim *c, const struct claim_paper *p) {
    size_t n = strlen(p->prefix);
    return !strncmp(c->id, p->prefix, n) && c->id[n] == '.';
}

bool claim_signed(const struct claim *c) {
    switch (c->kind) {
    case CLAIM_OF_PEAK:
    case CLAIM_SHARE:
    case CLAIM_POOLED:
    case CLAIM_MOST:
    case CLAIM_COUNT:
    case CLAIM_STATIC:
    case CLAIM_GRID:
    case CLAIM_AREA:
    case CLAIM_RANK: return false;
    default: return true;
    }
}
