/* Random kernels that several mechanisms run, one after the other, so that what they take can be compared. */
#ifndef TESTS_UNIT_MECH_RANDOM_KERNEL_H
#define TESTS_UNIT_MECH_RANDOM_KERNEL_H

#include "unit/mech/random_run.h"
#include "unit/mech/random_shapes.h"

struct ran {
    bool done;
    uint64_t issued, lanes;
    struct mech_stats stats;
};

struct kernel {
    struct ir_module *m;
    struct cfg *c;
    uint64_t seed;
    uint32_t w, budget;
};

static inline struct kernel kernel_of(struct rng *r, struct ir_module *m, uint32_t budget) {
    const uint32_t w =
        4u << rng_below(r, rng_below(r, 6) ? 4 : 7); /* mostly narrow ones, which take less time */
    return (struct kernel){m, fake_finish(m), rng_next(r), w, budget};
}
static inline void kernel_free(struct kernel *k) {
    cfg_free(k->c);
    ir_module_free(k->m);
}

/* In the form that the mechanism asks for: one full warp, or with `more` a ragged block with a last warp of one thread. */
static inline struct ran kernel_run(const struct kernel *k, const char *mech, const int64_t *param,
                                    bool more) {
    struct rewrite *form = random_form(k->m, k->c, mech_find(mech), param);
    struct fake *f =
        fake_new(form ? form->m : k->m, form ? form->cfg : k->c, k->w, more ? 2 * k->w + 1 : k->w);
    f->form = form;
    f->env.param = param;
    f->seed = k->seed;
    f->budget = k->budget;
    fake_start(f, mech);
    struct ran r = {.done = fake_run(f)};
    r.issued = f->issued;
    r.lanes = f->lane_sum;
    r.stats = f->mech->stats;
    fake_free(f);
    cfg_rewrite_free(form);
    return r;
}

#endif
