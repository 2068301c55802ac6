/* Tesla's stack beside pdom on thousands of random kernels of every kind, with loops, calls, recursion, indirect branches and
 * threads that end anywhere: threads meet where pdom lets them meet, so that what is issued for the program's own instructions is
 * what pdom issues; the rest are marks and lost joins. Then everything at once, with small caches of tokens. */
#include "unit/mech/random_shapes.h"
#include "unit/mech/rig.h"

enum { KERNELS = 2000 };

struct ran {
    uint64_t issued, lanes, added, empty, diverged;
};

static struct ran run(struct rig *r, const char *mech, uint64_t seed, uint32_t budget) {
    r->f->seed = seed;
    r->f->budget = budget;
    fake_start(r->f, mech);
    assert_true(fake_run(r->f));
    return (struct ran){.issued = r->f->issued,
                        .lanes = r->f->lane_sum,
                        .added = r->f->added,
                        .empty = r->f->empty,
                        .diverged = r->f->mech->stats.divergences};
}

typedef struct ir_module *program_fn(struct rng *r);

static struct ir_module *anything(struct rng *r) {
    return any_program(r, rng_below(r, 2));
}

/* The program in both forms under tesla, as it is under pdom. Each run has its own copy, made from the same seed. */
static void compare(program_fn *program, uint32_t budget, uint64_t seed, struct ran *sum) {
    struct rng r = {seed};
    const uint32_t w = 4u << rng_below(&r, rng_below(&r, 6) ? 4 : 7);
    const uint64_t decisions = rng_next(&r);
    struct rng copy = r;
    struct rig rig = {0};
    rig_load(&rig, program(&copy), w, w, NULL);
    const struct ran p = run(&rig, "pdom", decisions, budget);
    rig_down(&rig);
    for (int64_t brk = 0; brk < 2; brk++) {
        copy = r;
        rig_load_form(&rig, program(&copy), brk ? CFG_FORM_TESLA : CFG_FORM_TESLA_SSY, w, w, NULL);
        rig.param[0] = brk;
        rig.param[1] = 12;
        const struct ran t = run(&rig, "tesla", decisions, budget);
        assert_int_equal(t.issued, p.issued + t.added + t.empty);
        assert_int_equal(t.empty, rig_counter(&rig, "join_lost"));
        assert_true(t.lanes >= p.lanes);
        assert_true(rig_counter(&rig, "ssy_issues") <= t.added);
        sum->issued += p.issued;
        sum->added += t.added;
        sum->empty += t.empty;
        rig_down(&rig);
    }
}

static void what_is_issued_beside_marks_and_lost_joins_is_what_pdom_issues(void **state) {
    (void)state;
    static program_fn *const program[] = {forward_program, structured_program, anything};
    struct ran sum = {0};
    for (uint64_t n = 0; n < KERNELS; n++)
        compare(program[n % 3], n % 3 == 2 ? 40 : 0, n * 0x9e3779b97f4a7c15u + 1, &sum);
    assert_true(sum.added > KERNELS && sum.empty > KERNELS);
}

/* Latencies, several schedulers, barriers, ragged blocks, caches of tokens down to one. */
static void every_thread_takes_its_own_path_with_any_cache(void **state) {
    (void)state;
    struct rng r = {37};
    uint64_t spills = 0, breaks = 0;
    for (int n = 0; n < KERNELS / 2; n++) {
        const uint32_t w = 4u << rng_below(&r, rng_below(&r, 4) ? 4 : 7);
        struct rig rig = {0};
        rig_load_form(&rig, random_program(&r, random_mix(&r, n % 2)),
                      n % 3 ? CFG_FORM_TESLA : CFG_FORM_TESLA_SSY, w, random_threads(&r, w), NULL);
        random_machine(rig.f, &r);
        rig.f->slow = rng_below(&r, 3);
        rig.f->per_block = 32 * (uint32_t)rng_below(&r, 4);
        rig.param[0] = n % 3 != 0;
        rig.param[1] = 1 + (int64_t)rng_below(&r, 13);
        rig.param[2] = (int64_t)rng_below(&r, 20);
        fake_start(rig.f, "tesla");
        assert_true(fake_run(rig.f) || n % 2); /* only a barrier may hold a warp for ever */
        spills += rig_counter(&rig, "spills");
        breaks += rig_counter(&rig, "breaks");
        rig_down(&rig);
    }
    assert_true(spills > 1000 && breaks > 500);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_issued_beside_marks_and_lost_joins_is_what_pdom_issues),
        cmocka_unit_test(every_thread_takes_its_own_path_with_any_cache),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
