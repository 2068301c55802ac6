/* That a form of a program leads every thread where the program does. */
#ifndef TESTS_UNIT_CFG_SAME_PATHS_H
#define TESTS_UNIT_CFG_SAME_PATHS_H

#include "unit/mech/fake_sm.h"

/* Each thread alone in both, step by step over what the original has. */
static inline void expect_same_paths(const struct ir_module *m, const struct cfg *c, const struct rewrite *r,
                                     uint64_t seed) {
    struct fake *a = fake_new(m, c, 4, 4), *b = fake_new(r->m, r->cfg, 4, 4);
    a->seed = b->seed = seed;
    b->form = r;
    for (uint32_t id = 0; id < 4; id++) {
        struct fake_thread t = {.live = true, .pc = m->funcs.v[0].entry};
        struct fake_thread u = {.live = true, .pc = r->m->funcs.v[0].entry};
        while (t.live && t.steps < 100) {
            while (r->m->code.v[u.pc].flags & IR_F_ADDED) fake_step(b, &u, id);
            assert_int_equal(r->old_pc[u.pc], t.pc);
            fake_step(a, &t, id);
            fake_step(b, &u, id);
            assert_int_equal(t.live, u.live);
        }
    }
    fake_free(a);
    fake_free(b);
}

#endif
