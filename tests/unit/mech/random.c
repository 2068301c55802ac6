/* Random programs with random outcomes through every mechanism of the list, as it is by default, at every warp size: each
 * thread executes exactly its own path, none is lost, the mechanism's books balance after every commit, and a stack stays
 * within 2W entries. Mechanisms with tables have tests of their own that cut these down to an entry. */
#include "unit/mech/random_program.h"

enum { MOST_PARAMS = 32 };

/* Defaults, but any choice of a list; mp does not let anybody wait longer than the fake waits for something to happen. */
static void any_params(const struct mech_ops *ops, struct rng *r, int64_t *param) {
    for (int k = 0; ops->params && ops->params[k].key; k++) {
        const struct mech_param *p = &ops->params[k];
        assert_true(k < MOST_PARAMS);
        param[k] = p->kind == 'e'                ? (int64_t)rng_below(r, (uint64_t)p->high + 1)
                   : !strcmp(p->key, "patience") ? 10
                                                 : p->def;
    }
}

/* Runs one; returns whether it ran to the end. What waits for ever waits at a barrier. */
static bool run_one(struct rng *r, const struct mech_ops *ops, uint32_t w, bool barriers) {
    struct ir_module *m = random_program(r, random_mix(r, barriers));
    struct cfg *c = fake_finish(m);
    struct fake *f = fake_new(m, c, w, random_threads(r, w));
    int64_t param[MOST_PARAMS] = {0};
    any_params(ops, r, param);
    random_machine(f, r);
    f->env.param = param;
    f->slow = rng_below(r, 2) && (!ops->memory || !ops->params);
    f->per_block = 32 * (uint32_t)rng_below(r, 4);
    fake_start(f, ops->name);
    bool done = fake_run(f);
    if (!done) {
        struct sb text = {0};
        f->mech->ops->state(f->mech, &text);
        assert_non_null(strstr(text.text, "waiting at a barrier"));
        sb_free(&text);
    }
    assert_true(f->mech->stats.stack_max <= 2 * w);
    assert_true(f->mech->stats.splits_max <= f->env.warps * 32);
    fake_free(f);
    cfg_free(c);
    ir_module_free(m);
    return done;
}

static uint32_t run_many(const struct mech_ops *ops, bool barriers) {
    struct rng r = {barriers ? 2 : 1};
    uint32_t stuck = 0;
    for (uint32_t w = 4; w <= 256; w *= 2)
        for (uint32_t n = 0; n < (w < 64 ? 150u : 2000u / w); n++) stuck += !run_one(&r, ops, w, barriers);
    return stuck;
}

static void test_every_thread_takes_its_own_path(void **state) {
    (void)state;
    for (const struct mech_ops *const *m = mech_list; *m; m++)
        if (run_many(*m, false)) fail_msg("%s does not end", (*m)->name);
}

/* Who holds threads back that others wait for at a barrier may stick, but only there. */
static void test_with_barriers_only_those_without_progress_stick(void **state) {
    (void)state;
    for (const struct mech_ops *const *m = mech_list; *m; m++) {
        const uint32_t stuck = run_many(*m, true);
        if (stuck && (*m)->caps & MECH_PROGRESS) fail_msg("%s sticks %u times", (*m)->name, stuck);
        if (!strcmp((*m)->name, "pdom")) assert_true(stuck);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_thread_takes_its_own_path),
        cmocka_unit_test(test_with_barriers_only_those_without_progress_stick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
