/* A program in the fake SM, with the parameters of a mechanism: what the tests of mechanisms set up and take down. */
#ifndef TESTS_UNIT_MECH_RIG_H
#define TESTS_UNIT_MECH_RIG_H

#include "unit/mech/fake_sm.h"

typedef uint32_t choose_fn(uint32_t thread, uint32_t pc, uint32_t step);

struct rig {
    struct ir_module *m;
    struct cfg *c;
    struct fake *f;
    int64_t param[32];   /* in the order of the mechanism's table; the test's to fill before it starts */
    struct mech_ops ops; /* room for the mechanism's, where a test leaves some of them out */
};

/* Not started yet. */
static inline void rig_load(struct rig *r, struct ir_module *m, uint32_t w, uint32_t threads,
                            choose_fn *choose) {
    r->m = m;
    r->c = fake_finish(m);
    r->f = fake_new(m, r->c, w, threads);
    r->f->env.param = r->param;
    r->f->choose = choose;
}

static inline void rig_down(struct rig *r) {
    fake_free(r->f);
    cfg_free(r->c);
    ir_module_free(r->m);
}

static inline uint64_t rig_counter(const struct rig *r, const char *key) {
    const struct mech_counter *c = r->f->mech->ops->counters;
    for (uint32_t k = 0; c[k].key; k++)
        if (!strcmp(c[k].key, key)) return r->f->mech->stats.extra[k];
    fail_msg("%s has no counter %s", r->f->mech->ops->name, key);
    return 0;
}

#endif
