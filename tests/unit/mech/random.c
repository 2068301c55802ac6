/* Random programs with random outcomes through every mechanism, at every warp size: each thread executes exactly its own
 * path, none is lost, the mechanism's books balance after every commit, and the stack stays within 2W entries. */
#include "unit/mech/fake_sm.h"

enum { FUNCS = 3 };

struct mix { /* what a program may contain */
    bool calls, barriers, ends;
};

static void random_insn(struct ir_module *m, struct rng *r, struct mix mix, uint32_t from, uint32_t len) {
    uint32_t to = from + (uint32_t)rng_below(r, len), funcs[2] = {1, 2};
    uint64_t what = rng_below(r, 100);
    uint16_t maybe = rng_below(r, 3) ? FAKE_MAYBE : 0;
    if (what < 30)
        fake_bra(m, FAKE_MAYBE, to);
    else if (what < 36)
        fake_bra(m, 0, to);
    else if (what < 42)
        fake_brx(m, 3,
                 (uint32_t[]){to, from + (uint32_t)rng_below(r, len), from + (uint32_t)rng_below(r, len)});
    else if (what < 52 && mix.calls)
        fake_call(m, maybe, 1 + (uint32_t)rng_below(r, FUNCS - 1));
    else if (what < 55 && mix.calls)
        fake_call_ind(m, 2, funcs);
    else if (what < 60 && mix.ends)
        fake_end(m, what & 1 ? IR_RET : IR_EXIT, FAKE_MAYBE);
    else if (what < 66 && mix.barriers)
        fake_bar(m, maybe);
    else
        fake_op(m);
}

static struct ir_module *random_program(struct rng *r, struct mix mix) {
    static const char *const name[FUNCS] = {"kernel", "first", "second"};
    struct ir_module *m = ir_module_new("random");
    for (uint32_t f = 0; f < FUNCS; f++) {
        uint32_t from = (uint32_t)m->code.n, len = 4 + (uint32_t)rng_below(r, 20);
        for (uint32_t k = 0; k + 1 < len; k++) random_insn(m, r, mix, from, len);
        fake_end(m, f ? IR_RET : IR_EXIT, 0);
        fake_func(m, name[f]);
    }
    return m;
}

static struct mix any_mix(struct rng *r, bool barriers) {
    return (struct mix){
        .calls = rng_below(r, 2), .barriers = barriers && rng_below(r, 2), .ends = rng_below(r, 2)};
}

/* Runs one; returns whether it ran to the end. */
static bool run_one(struct rng *r, const char *mech, uint32_t w, bool barriers) {
    struct ir_module *m = random_program(r, any_mix(r, barriers));
    struct cfg *c = fake_finish(m);
    struct fake *f = fake_new(m, c, w, 1 + (uint32_t)rng_below(r, w < 32 ? 48 : 2 * w));
    int64_t side[1] = {(int64_t)rng_below(r, 3)};
    f->env.param = side;
    f->env.schedulers = 1 + (uint32_t)rng_below(r, 3);
    f->env.order = (uint32_t)rng_below(r, 4);
    f->env.order_groups = 1 + (uint32_t)rng_below(r, 4);
    f->slow = rng_below(r, 2);
    f->per_block = 32 * (uint32_t)rng_below(r, 4);
    f->seed = rng_next(r);
    f->budget = 20 + (uint32_t)rng_below(r, 60);
    fake_start(f, mech);
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

static const uint32_t sizes[] = {4, 8, 16, 32, 64, 128, 256};

static void run_many(const char *mech, uint64_t seed, bool barriers, bool may_stick) {
    struct rng r = {seed};
    uint32_t stuck = 0;
    for (uint32_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
        for (uint32_t n = 0; n < (sizes[k] < 64 ? 400u : 6000u / sizes[k]); n++)
            stuck += !run_one(&r, mech, sizes[k], barriers);
    if (!may_stick) assert_int_equal(stuck, 0);
}

static void test_every_thread_takes_its_own_path_under_pdom(void **state) {
    (void)state;
    run_many("pdom", 1, false, false);
}
static void test_every_thread_takes_its_own_path_under_nrec(void **state) {
    (void)state;
    run_many("nrec", 2, true, false);
}
static void test_every_thread_takes_its_own_path_under_mimd(void **state) {
    (void)state;
    run_many("mimd", 3, true, false);
}
/* A stack holds threads back that others wait for at a barrier: these programs may stick, but only there. */
static void test_a_stack_with_barriers_sticks_only_at_barriers(void **state) {
    (void)state;
    run_many("pdom", 4, true, true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_thread_takes_its_own_path_under_pdom),
        cmocka_unit_test(test_every_thread_takes_its_own_path_under_nrec),
        cmocka_unit_test(test_every_thread_takes_its_own_path_under_mimd),
        cmocka_unit_test(test_a_stack_with_barriers_sticks_only_at_barriers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
