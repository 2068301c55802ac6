/* Estimates from stored times: the best likeness there is, powers of arguments, factors between sizes. */
#include <math.h>

#include "lab/store/cost.h"
#include "points.h"

static struct store_id id_of(const char *workload, const char *size, const char *config, const char *mech,
                             const char *options) {
    static const hd_option none[1];
    return (struct store_id){.workload = workload,
                             .size = size,
                             .config = config,
                             .mech = mech,
                             .options = options,
                             .version = "0",
                             .option = none};
}

/* A point that took so long. */
static void put(struct store *s, struct store_id id, double seconds, enum err_code code) {
    static uint64_t key;
    struct lab_outcome o = {.seconds = seconds, .err = {.code = code}};
    struct err e = {0};
    id.key = ++key;
    assert_true(store_put(s, &id, &o, false, &e));
}

static struct store *filled(void) {
    struct store *s;
    struct err e = {0};
    assert_true(store_open(NULL, STORE_WRITE, &s, &e));
    return s;
}

static void expect(struct store *s, struct store_id id, enum lab_basis basis, double seconds) {
    struct lab_cost c;
    struct err e = {0};
    assert_true(lab_costs(s, &id, 1, &c, &e));
    assert_int_equal(c.basis, basis);
    if (fabs(c.seconds - seconds) > 1e-6 * seconds) fail_msg("%g seconds, not %g", c.seconds, seconds);
}

static void the_best_likeness_counts(void **state) {
    struct store *s = filled();
    (void)state;
    put(s, id_of("mu", "tiny", "a", "pdom", ""), 1, ERR_OK);
    put(s, id_of("mu", "tiny", "a", "pdom", "gpu.sms=4"), 3, ERR_OK);
    put(s, id_of("mu", "tiny", "b", "pdom", ""), 8, ERR_OK);
    put(s, id_of("mu", "tiny", "a", "harp", ""), 100, ERR_OK);
    put(s, id_of("mux", "tiny", "a", "pdom", ""), 1000, ERR_OK);
    put(s, id_of("mu", "tiny", "a", "dwf", ""), 500, ERR_FAULT);
    expect(s, id_of("mu", "tiny", "a", "pdom", "gpu.sms=4"), COST_SAME, 3);
    expect(s, id_of("mu", "tiny", "a", "pdom", "gpu.sms=8"), COST_LIKE, 2);
    expect(s, id_of("mu", "tiny", "c", "pdom", ""), COST_LIKE, 4);
    expect(s, id_of("mu", "tiny", "a", "dwf", ""), COST_LIKE, 28);
    expect(s, id_of("bfs", "tiny", "a", "pdom", ""), COST_UNKNOWN, 0);
    store_close(s);
}

static void builds_are_averaged(void **state) {
    struct store *s = filled();
    (void)state;
    put(s, id_of("mu", "tiny", "a", "pdom", ""), 1, ERR_OK);
    put(s, id_of("mu", "tiny", "a", "pdom", ""), 2, ERR_OK);
    expect(s, id_of("mu", "tiny", "a", "pdom", ""), COST_SAME, 1.5);
    store_close(s);
}

static void sizes_scale_as_other_workloads_do(void **state) {
    struct store *s = filled();
    (void)state;
    put(s, id_of("mu", "tiny", "a", "pdom", ""), 2, ERR_OK);
    expect(s, id_of("mu", "small", "a", "pdom", ""), COST_UNKNOWN, 0);
    put(s, id_of("bfs", "tiny", "a", "pdom", ""), 1, ERR_OK);
    put(s, id_of("bfs", "small", "a", "pdom", ""), 10, ERR_OK);
    put(s, id_of("ray", "tiny", "a", "pdom", ""), 1, ERR_OK);
    put(s, id_of("ray", "small", "a", "pdom", ""), 40, ERR_OK);
    expect(s, id_of("mu", "small", "a", "pdom", ""), COST_SCALED, 40);
    store_close(s);
}

static void arguments_scale_by_a_power(void **state) {
    struct store *s = filled();
    (void)state;
    put(s, id_of("f.cu:k", "-", "a", "pdom", "n=100 gpu.sms=4"), 1, ERR_OK);
    expect(s, id_of("f.cu:k", "-", "a", "pdom", "n=300"), COST_SCALED, 3);
    put(s, id_of("f.cu:k", "-", "a", "pdom", "n=200"), 4, ERR_OK);
    expect(s, id_of("f.cu:k", "-", "a", "pdom", "n=400"), COST_SCALED, 16);
    expect(s, id_of("f.cu:k", "-", "b", "pdom", "n=200 seed=7"), COST_LIKE, 4);
    expect(s, id_of("f.cu:k", "-", "a", "dwf", "n=200"), COST_LIKE, 4);
    expect(s, id_of("g.cu:k", "-", "a", "pdom", "n=200"), COST_UNKNOWN, 0);
    store_close(s);
}

static void jobs_take_points_in_order(void **state) {
    const struct lab_cost costs[] = {
        {4, COST_SAME}, {1, COST_LIKE}, {1, COST_SCALED}, {99, COST_UNKNOWN}, {3, COST_SAME}};
    (void)state;
    assert_true(lab_cost_wall(costs, 5, 1) == 9);
    assert_true(lab_cost_wall(costs, 5, 2) == 5);
    assert_true(lab_cost_wall(costs, 5, 64) == 4);
    assert_true(lab_cost_wall(costs, 0, 2) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_likeness_counts), cmocka_unit_test(builds_are_averaged),
        cmocka_unit_test(sizes_scale_as_other_workloads_do), cmocka_unit_test(arguments_scale_by_a_power),
        cmocka_unit_test(jobs_take_points_in_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
