/* Finds where the unit goes after a block that it walked without threads: the first block of that block's frontier. The
 * tables are made once for a launch, since frontiers can be quadratic in the number of blocks; only their first blocks
 * are kept. */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "mech/tf/tf.h"

enum { MOST = 1 << 22 }; /* entries of all frontiers of a function */

static bool tf_tables_refuse(const struct mech_program *p, uint32_t func, struct err *e) {
    const struct ir_func *f = &p->module->funcs.v[func];
    return err_set(e, ERR_INPUT,
                   "%s:%" PRIu32
                   ": mechanism tf with tf.kind = sandybridge cannot run %s: its thread frontiers "
                   "have more than %d entries; tf.skip = true and tf.kind = stack need none",
                   p->module->name, f->line, f->name, MOST);
}

static bool follow_blocks(const struct mech_program *p, uint32_t func, const uint32_t *place, uint32_t *after,
                          struct err *e) {
    const struct cfg *c = p->cfg;
    const struct cfg_func *f = &c->funcs[func];
    struct cfg_frontiers fr;
    struct err limit = {0}; /* says the same without the way out */
    if (!cfg_frontiers(c, func, MOST, &fr, &limit)) {
        err_free(&limit);
        return tf_tables_refuse(p, func, e);
    }
    for (uint32_t k = 0; k < f->nblocks; k++) {
        const struct cfg_block *b = &c->blocks[f->block + k];
        for (uint32_t pc = b->first; pc + 1 < b->end; pc++) after[pc] = place[pc + 1];
        if (fr.first[k] < fr.first[k + 1]) after[b->end - 1] = place[c->blocks[fr.block[fr.first[k]]].first];
    }
    cfg_frontiers_free(&fr);
    return true;
}

/* For the functions that the kernel can reach. */
static bool tf_tables_follow(const struct mech_program *p, const uint32_t *place, uint32_t *after,
                             struct err *e) {
    const uint32_t n = (uint32_t)p->module->funcs.n;
    bool *seen = xcalloc(n, sizeof *seen), fine = true;
    ir_reach(p->module, p->func, seen);
    for (uint32_t f = 0; fine && f < n; f++) fine = !seen[f] || follow_blocks(p, f, place, after, e);
    xfree(seen);
    return fine;
}

const void *tf_prepare(const struct mech_program *p, struct arena *mem, struct err *e) {
    const struct tf_params *params = p->params;
    const uint32_t n = (uint32_t)p->module->code.n;
    struct tf_tables *t = ARENA_NEW(mem, struct tf_tables, 1);
    uint32_t *after = ARENA_NEW(mem, uint32_t, n);
    *t = (struct tf_tables){*walk_by_priority(p, mem), after};
    memset(after, 0xff, n * sizeof *after); /* TF_NOWHERE */
    if (params->kind == TF_SANDYBRIDGE && !params->skip && !tf_tables_follow(p, t->order.place, after, e))
        return NULL;
    return t;
}
