/* Random programs through a mechanism at every warp size: each thread executes exactly its own path, none is lost, the
 * mechanism's books balance after every commit, and a stack stays within twice as many entries as it has threads. */
#ifndef TESTS_UNIT_MECH_RANDOM_RUN_H
#define TESTS_UNIT_MECH_RANDOM_RUN_H

#include "unit/mech/random_program.h"

enum { RANDOM_PARAMS = 32 };

/* Gives parameters their defaults, but any choice of a list. Patience is no longer than the fake waits for something to
 * happen. */
static inline void random_params(const struct mech_ops *ops, struct rng *r, int64_t *param) {
    for (int k = 0; ops->params && ops->params[k].key; k++) {
        const struct mech_param *p = &ops->params[k];
        assert_true(k < RANDOM_PARAMS);
        const bool waits = !strcmp(p->key, "patience") || !strcmp(p->key, "spill_cycles");
        param[k] = p->kind == OPTION_ENUM ? (int64_t)rng_below(r, (uint64_t)p->high + 1)
                   : waits                ? 10
                                          : p->def;
    }
}

/* What the mechanism runs of anything. */
static inline struct random_mix random_mix_for(struct rng *r, const struct mech_ops *ops, bool barriers) {
    struct random_mix mix = random_mix(r, barriers);
    mix.calls &= (ops->caps & MECH_CALLS) != 0;
    if (!(ops->caps & MECH_INDIRECT)) mix.ways = 0;
    return mix;
}

/* *form: that of m which the mechanism asks for; NULL: m itself. False: there is none, which only those may meet with that do
 * not run everything. */
static inline bool random_try_form(const struct ir_module *m, const struct cfg *c, const struct mech_ops *ops,
                                   const int64_t *param, struct rewrite **form) {
    struct err e = {0};
    const enum cfg_form which = mech_form(ops, param);
    *form = which == CFG_FORM_NONE ? NULL : cfg_make_form(m, c, which, &e);
    const bool fine = which == CFG_FORM_NONE || *form;
    if (!fine && ops->caps & MECH_IRREDUCIBLE) fail_msg("%s", err_text(&e));
    err_free(&e);
    return fine;
}

/* Makes the form where there must be one. */
static inline struct rewrite *random_form(const struct ir_module *m, const struct cfg *c,
                                          const struct mech_ops *ops, const int64_t *param) {
    struct rewrite *form;
    assert_true(random_try_form(m, c, ops, param, &form));
    return form;
}

/* Runs one, unless the mechanism refuses it; returns whether it ran to the end. What waits for ever waits at a barrier. */
static inline bool random_run_one(struct rng *r, const struct mech_ops *ops, uint32_t w, bool barriers) {
    struct ir_module *m = random_program(r, random_mix_for(r, ops, barriers));
    struct cfg *c = fake_finish(m);
    struct err e = {0};
    struct rewrite *form;
    int64_t param[RANDOM_PARAMS] = {0};
    random_params(ops, r, param);
    if (!mech_can_run(ops, m, c, 0, &e) || !random_try_form(m, c, ops, param, &form)) {
        err_free(&e);
        cfg_free(c);
        ir_module_free(m);
        return true;
    }
    struct fake *f = fake_new(form ? form->m : m, form ? form->cfg : c, w, random_threads(r, w));
    f->form = form;
    random_machine(f, r);
    f->env.param = param;
    f->slow = rng_below(r, 2) && (!ops->memory || !ops->params);
    f->per_block = 32 * (uint32_t)rng_below(r, 4);
    fake_start_ops(f, ops);
    bool done = fake_run(f);
    if (!done) {
        struct sb text = {0};
        f->mech->ops->state(f->mech, &text);
        assert_non_null(strstr(text.text, "waiting at a barrier"));
        sb_free(&text);
    }
    assert_true(f->mech->stats.stack_max <=
                2 * (ops->caps & MECH_AT_HOME ? f->mech->env.warp_size : f->threads));
    assert_true(f->mech->stats.splits_max <= f->env.warps * 32);
    fake_free(f);
    cfg_rewrite_free(form);
    cfg_free(c);
    ir_module_free(m);
    return done;
}

/* Hundreds of them; how many did not run to the end. */
static inline uint32_t random_run(const struct mech_ops *ops, bool barriers) {
    struct rng r = {barriers ? 2 : 1};
    uint32_t stuck = 0;
    for (uint32_t w = 4; w <= 256; w *= 2)
        for (uint32_t n = 0; n < (w < 64 ? 150u : 2000u / w); n++)
            stuck += !random_run_one(&r, ops, w, barriers);
    return stuck;
}

#endif
