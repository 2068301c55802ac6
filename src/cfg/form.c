/* Where the marks of each form go; rewrite.c puts them there.
 *
 * JOINS (Lorie & Strong, US 4435758, as SL 2.3 describes it): hardware that compares the block numbers of threads needs to
 * be told where that is worth it, which is where paths meet. */
#include "cfg/form.h"

#include <stdlib.h>

static struct rewrite *make_joins(const struct ir_module *m, const struct cfg *c, struct err *e) {
    VEC(struct rewrite_insert) marks = {0};
    for (uint32_t b = 0; b < c->nblocks; b++) {
        if (!cfg_block_joins(m, c, b)) continue;
        const struct ir_insn sync = {.op = IR_MARK, .sub = IR_MK_SYNC, .target = IR_NOPC};
        VEC_PUSH(&marks, ((struct rewrite_insert){.pc = c->blocks[b].first, .insn = sync}));
    }
    struct rewrite *r = cfg_rewrite(m, c, marks.v, marks.n, e);
    VEC_FREE(&marks);
    return r;
}

struct rewrite *cfg_make_form(const struct ir_module *m, const struct cfg *c, enum cfg_form form,
                              struct err *e) {
    CHECK(form == CFG_FORM_JOINS);
    return make_joins(m, c, e);
}
