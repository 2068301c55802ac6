/* Claims about area: shares of the chip of the node that the paper's machine has, or of a mechanism's own tables. */
#include <string.h>

#include "lab/area.h"
#include "lab/claims_impl.h"
#include "lab/run/mech_choice.h"

/* "area", or "area.tables" or "area.decoders" of it; "area.majority" is a share of the tables (below). */
static double claims_area_part_of(const struct area *a, const char *stat) {
    return !strcmp(stat, "area.tables")     ? a->tables
           : !strcmp(stat, "area.decoders") ? a->register_decoders
                                            : a->tables + a->register_decoders;
}

/* What DWF's tables have for the majority policy, its heap and the LUT of that, in per cent of all of them (DWF 9.3.1). */
static double majority_of(const struct area *a) {
    double mm2 = 0;
    for (uint32_t i = 0; i < a->storage.arrays.n; i++) {
        const char *name = a->storage.arrays.v[i].name;
        if (!strcmp(name, "mheap_lut") || !strcmp(name, "max_heap")) mm2 += a->mm2.v[i];
    }
    return 100 * mm2 / a->tables;
}

double claims_area(const struct claim *c) {
    struct area_model model;
    struct mech_choice choice;
    struct area area;
    struct arena mem = {0};
    struct err e = {0};
    area_model_make(area_node_of(c->config), &model);
    if (!mech_choice_read(c->machine[0].mech, &mem, &choice, &e)) PANIC("%s: %s", c->id, err_text(&e));
    const hd_config config = {.file = c->config, .options = choice.setting, .noptions = choice.nsettings};
    if (!area_find(&model, &config, &area, &e)) PANIC("%s: %s", c->id, err_text(&e));
    const double percent = !strcmp(c->stat, "area.majority")
                               ? majority_of(&area)
                               : area_share(&model, claims_area_part_of(&area, c->stat));
    area_free(&area);
    area_model_free(&model);
    arena_free(&mem);
    return percent;
}
