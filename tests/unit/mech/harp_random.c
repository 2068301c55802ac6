/* Random programs with random outcomes through HARP, at every SIMD width, with tables from one entry to the paper's sizes:
 * each thread executes exactly its own path, none is lost, and the tables' invariants hold after every commit. */
#include "unit/mech/random_program.h"

enum { PARAMS = 12 };

/* In the order of the mechanism's parameters: first, second, ready, waiting, barriers, ways, latency, few, spill, what is
 * counted and merged, and when warps depart. */
static void random_tables(struct rng *r, int64_t *p) {
    static const int64_t paper[PARAMS] = {2, 512, 8, 8, 128, 16, 1, 2, 400, 0, 0, 0};
    memcpy(p, paper, sizeof paper);
    p[6] = 1 << rng_below(r, 3);
    p[9] = (int64_t)rng_below(r, 2);
    p[10] = (int64_t)rng_below(r, 2);
    p[11] = (int64_t)rng_below(r, 2);
    if (rng_below(r, 3) == 0) return;
    if (rng_below(r, 2)) { /* one entry each */
        memcpy(p, (int64_t[]){1, 1, 1, 1, 1, 1}, 6 * sizeof *p);
        p[8] = 5;
        return;
    }
    p[0] = 1 + (int64_t)rng_below(r, 4);
    p[1] = 1 + (int64_t)rng_below(r, 8);
    p[2] = (int64_t)rng_below(r, 5);
    p[3] = (int64_t)rng_below(r, 5);
    p[5] = 1 + (int64_t)rng_below(r, 4);
    p[4] = p[5] * (1 + (int64_t)rng_below(r, 4));
    p[7] = 1 + (int64_t)rng_below(r, 4);
    p[8] = 1 + (int64_t)rng_below(r, 30);
}

struct totals {
    uint64_t stuck, misses, revivals, ready_merges, waiting_merges, spills;
};

static uint64_t counter(const struct fake *f, const char *key) {
    const struct mech_counter *c = f->mech->ops->counters;
    for (uint32_t k = 0; c[k].key; k++)
        if (!strcmp(c[k].key, key)) return f->mech->stats.extra[k];
    fail_msg("no counter %s", key);
    return 0;
}

static void note(const struct fake *f, struct totals *t) {
    t->misses += counter(f, "barrier_misses");
    t->revivals += counter(f, "revivals");
    t->ready_merges += counter(f, "ready_merges");
    t->waiting_merges += counter(f, "waiting_merges");
    t->spills += counter(f, "spills");
    assert_int_equal(counter(f, "revivals"), f->mech->stats.reconvergences);
}

static void run_one(struct rng *r, uint32_t w, bool barriers, struct totals *t) {
    struct ir_module *m = random_program(r, random_mix(r, barriers));
    struct cfg *c = fake_finish(m);
    struct fake *f = fake_new(m, c, w < 4 ? 4 : w, 1 + (uint32_t)rng_below(r, w < 64 ? 128 : 3 * w));
    int64_t param[PARAMS];
    random_tables(r, param);
    random_machine(f, r);
    f->env.param = param;
    f->env.simd_width = w;
    f->slow = rng_below(r, 2);
    fake_start(f, "harp");
    if (!fake_run(
            f)) { /* threads wait for each other at a barrier and at a reconvergence point, as under a stack */
        struct sb text = {0};
        f->mech->ops->state(f->mech, &text);
        assert_non_null(strstr(text.text, "waiting at a barrier"));
        assert_non_null(strstr(text.text, "reached"));
        sb_free(&text);
        t->stuck++;
    }
    assert_true(f->lane_sum <= f->issued * w);
    note(f, t);
    fake_free(f);
    cfg_free(c);
    ir_module_free(m);
}

static struct totals run_many(uint64_t seed, bool barriers) {
    static const uint32_t sizes[] = {1, 2, 4, 8, 16, 32, 64, 256};
    struct rng r = {seed};
    struct totals t = {0};
    for (uint32_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
        for (uint32_t n = 0; n < (sizes[k] < 64 ? 250u : 20u); n++) run_one(&r, sizes[k], barriers, &t);
    return t;
}

static void test_every_thread_takes_its_own_path(void **state) {
    (void)state;
    struct totals t = run_many(1, false);
    assert_int_equal(t.stuck, 0);
    assert_true(t.misses && t.revivals && t.ready_merges && t.waiting_merges && t.spills);
}

static void test_with_barriers_it_sticks_only_where_a_reconvergence_waits_for_a_barrier(void **state) {
    (void)state;
    struct totals t = run_many(2, true);
    assert_true(t.stuck && t.revivals);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_thread_takes_its_own_path),
        cmocka_unit_test(test_with_barriers_it_sticks_only_where_a_reconvergence_waits_for_a_barrier),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
