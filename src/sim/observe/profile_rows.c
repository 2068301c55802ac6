/* The profile of a module (profile.h) through the public API. It is made when it is asked for, and anew after a launch. */
#include <string.h>

#include "sim/device/internal.h"
#include "sim/kinds.h"

static const struct profile *current(hd_module *mod) {
    if (mod->profile_at != mod->dev->launches) {
        profile_free(&mod->profile);
        sim_profile(mod, &mod->profile);
        mod->profile_at = mod->dev->launches;
    }
    return &mod->profile;
}

static const struct profile_rows *rows_by(const struct profile *p, hd_profile_by by) {
    switch (by) {
    case HD_PROFILE_BRANCHES: return &p->branches;
    case HD_PROFILE_PTX: return &p->ptx;
    case HD_PROFILE_SOURCE: return &p->source;
    case HD_PROFILE_FUNCTIONS: return &p->functions;
    }
    return NULL;
}

static hd_status profile_rows_find(hd_module *mod, const char *call, hd_profile_by by,
                                   const struct profile_rows **out) {
    hd_status s = sim_ready(mod ? mod->dev : NULL);
    if (s) return s;
    *out = rows_by(current(mod), by);
    return *out ? HD_OK : sim_refuse(mod->dev, "%s: %d is not an hd_profile_by", call, (int)by);
}

static hd_status profile_rows_count(hd_module *mod, hd_profile_by by, size_t *n) {
    const struct profile_rows *rows;
    hd_status s = profile_rows_find(mod, "hd_profile_count", by, &rows);
    if (!s) *n = rows->n;
    return s;
}

static hd_status try_count(hd_module *mod, hd_profile_by by, size_t *n) {
    SIM_CALL(mod ? mod->dev : NULL, profile_rows_count(mod, by, n));
}

size_t hd_profile_count(hd_module *mod, hd_profile_by by) {
    size_t n = 0;
    try_count(mod, by, &n);
    return n;
}

static hd_profile_cost cost(const struct profile_cost *c) {
    return (hd_profile_cost){profile_slots(c), profile_suffers(c), profile_causes(c)};
}

/* Rows come mostly in the order of lines: the search goes on where the last one ended. */
static const char *line_text(hd_module *mod, uint32_t line) {
    if (!mod->profile_text || line < mod->profile_line)
        mod->profile_text = mod->ir->text, mod->profile_line = 1;
    while (mod->profile_line < line && mod->profile_text) {
        const char *end = strchr(mod->profile_text, '\n');
        mod->profile_text = end ? end + 1 : NULL;
        mod->profile_line++;
    }
    return mod->profile_text ? mod->profile_text : "";
}

static hd_status row_at(hd_module *mod, hd_profile_by by, size_t index, hd_profile_row *row) {
    const struct profile_rows *rows;
    hd_status s = profile_rows_find(mod, "hd_profile_at", by, &rows);
    if (s) return s;
    if (!row) return sim_refuse(mod->dev, "hd_profile_at: row must not be NULL");
    if (index >= rows->n) return sim_refuse(mod->dev, "hd_profile_at: there are %zu rows", rows->n);
    const struct profile_row *r = &rows->v[index];
    const struct ir_place at = ir_place(mod->ir, r->line);
    *row = (hd_profile_row){.function = r->func,
                            .file = at.name,
                            .line = at.line,
                            .text = line_text(mod, r->line),
                            .source = r->file,
                            .source_line = r->source_line,
                            .executions = r->count.executions,
                            .lanes = r->count.lanes,
                            .divergences = r->count.divergences,
                            .sides = r->count.sides,
                            .reconvergences = r->count.reconvergences,
                            .reconvergence_cycles = r->count.reconvergence_cycles,
                            .own = cost(&r->own),
                            .with_calls = cost(&r->calls)};
    return HD_OK;
}

hd_status hd_profile_at(hd_module *mod, hd_profile_by by, size_t index, hd_profile_row *row) {
    SIM_CALL(mod ? mod->dev : NULL, row_at(mod, by, index, row));
}

static hd_status all_slots(hd_module *mod, uint64_t *slots) {
    hd_status s = sim_ready(mod ? mod->dev : NULL);
    if (s) return s;
    if (!slots) return sim_refuse(mod->dev, "hd_profile_slots: slots must not be NULL");
    *slots = current(mod)->slots;
    return HD_OK;
}

hd_status hd_profile_slots(hd_module *mod, uint64_t *slots) {
    SIM_CALL(mod ? mod->dev : NULL, all_slots(mod, slots));
}

static hd_status kind_at(hd_module *mod, size_t index, hd_profile_kind *kind) {
    hd_status s = sim_ready(mod ? mod->dev : NULL);
    if (s) return s;
    if (!kind) return sim_refuse(mod->dev, "hd_profile_kind_at: kind must not be NULL");
    if (index >= SM_LANE_KINDS + SM_WAITS)
        return sim_refuse(mod->dev, "hd_profile_kind_at: there are %d kinds", SM_LANE_KINDS + SM_WAITS);
    const struct profile *p = current(mod);
    const bool waits = index >= SM_LANE_KINDS;
    const size_t k = waits ? index - SM_LANE_KINDS : index;
    const struct slot_kind *named = waits ? &wait_kinds[k] : &lane_kinds[k];
    *kind = (hd_profile_kind){named->key, named->name, waits, waits ? p->waits[k] : p->lanes[k]};
    return HD_OK;
}

hd_status hd_profile_kind_at(hd_module *mod, size_t index, hd_profile_kind *kind) {
    SIM_CALL(mod ? mod->dev : NULL, kind_at(mod, index, kind));
}
