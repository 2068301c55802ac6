/* Where the marks of each form go; rewrite.c puts them there.
 *
 * REGIONS (Brunie, Collange & Diamos, ISCA 2012: SBI): a path that comes to the reconvergence point R of a branch D before
 * the others is to wait while one of them is in [D, R), so R has a SYNC that names D. D is the last instruction of the
 * block that dominates all branches of the region (regions.h), or the first of the function where the region begins with
 * it. Ours: a point that does not lie behind D in PC order has no mark, since [D, R) is empty; and branches count that may
 * diverge within a block, for the machine's warp may be wider than the 32 threads a compiler knows of. */
#include "cfg/form_impl.h"
#include "cfg/regions.h"
#include "cfg/structurise.h"
#include "cfg/uniform.h"

void form_put_sync(form_inserts *marks, uint32_t pc, uint32_t target) {
    VEC_PUSH(marks, ((struct rewrite_insert){.pc = pc,
                                             .targets = target != IR_NOPC,
                                             .insn = {.op = IR_MARK, .sub = IR_MK_SYNC, .target = target}}));
}

/* Where the region begins, as a PC. */
static uint32_t region_start(const struct cfg *c, const struct cfg_regions *g, const struct cfg_region *r) {
    for (uint32_t k = 0; k < r->nmarks; k++)
        if (g->marks[r->mark + k].pc == IR_NOPC) return c->blocks[r->start].first;
    return c->blocks[r->start].end - 1;
}

static struct rewrite *make_regions(const struct ir_module *m, const struct cfg *c, struct err *e) {
    form_inserts marks = {0};
    uint8_t *varies = cfg_uniform(m, c);
    struct cfg_regions *g = cfg_regions(m, c, varies, FORM_MOST_MARKS, e);
    for (uint32_t k = 0; g && k < g->n; k++) {
        const uint32_t start = region_start(c, g, &g->v[k]), end = c->blocks[g->v[k].join].first;
        if (start < end) form_put_sync(&marks, end, start);
    }
    struct rewrite *r = g ? cfg_rewrite(m, c, marks.v, marks.n, e) : NULL;
    xfree(varies);
    cfg_regions_free(g);
    VEC_FREE(&marks);
    return r;
}

static form_make_fn *const make[CFG_FORMS] = {
    [CFG_FORM_JOINS] = form_joins,           [CFG_FORM_REGIONS] = make_regions,
    [CFG_FORM_TESLA] = form_tesla,           [CFG_FORM_TESLA_SSY] = form_tesla_ssy,
    [CFG_FORM_VOLTA] = form_volta,           [CFG_FORM_VOLTA_MERGE] = form_volta_merge,
    [CFG_FORM_STRUCTURED] = cfg_structurise,
};

struct rewrite *cfg_make_partial_form(const struct ir_module *m, const struct cfg *c, enum cfg_form form,
                                      struct err *e) {
    CHECK(form > CFG_FORM_NONE && form < CFG_FORMS);
    return make[form](m, c, e);
}

struct rewrite *cfg_make_form(const struct ir_module *m, const struct cfg *c, enum cfg_form form,
                              struct err *e) {
    struct rewrite *r = cfg_make_partial_form(m, c, form, e);
    for (uint32_t f = 0; r && r->refused && f < m->funcs.n; f++)
        if (r->refused[f]) {
            err_set(e, ERR_INPUT, "%s", r->refused[f]);
            cfg_rewrite_free(r);
            return NULL;
        }
    return r;
}
