/* Statistics of timed launches: sums that must hold, the same numbers again when run again, and more SMs at equal work. */
#include "base/bits.h"
#include "diff/check.h"
#include "kernels/timed.h"
#include "mech/mech.h"
#include "sim/config.h"

enum { N = 2048, BLOCK = 64 };

static void run_vectors(struct rig *r) {
    uint64_t a = rig_zero(r, 4 * N), b = rig_zero(r, 4 * N), c = rig_zero(r, 4 * N);
    RUN(r, "vecadd", LAUNCH(.grid = {N / BLOCK}, .block = {BLOCK}), PTR(c), PTR(a), PTR(b), hd_arg_u32(N));
}

/* Every statistic of the last launch. */
static size_t all_stats(struct rig *r, double *out, size_t most) {
    size_t n = hd_stat_count();
    assert_true(n <= most);
    for (size_t i = 0; i < n; i++) {
        hd_stat_info info;
        MUST(r, hd_stat_at(i, &info));
        MUST(r, hd_stat(r->dev, 0, info.name, &out[i]));
    }
    return n;
}

static void two_runs_give_the_same_statistics(void **state) {
    (void)state;
    static const char *const configs[] = {"tiny", "harp-fermi", "turing-rtx2060"};
    enum { MOST = 1024 };
    static double first[MOST], again[MOST];
    for (int k = 0; k < 3; k++) {
        struct timed_machine m = {configs[k], NULL, {NULL}};
        size_t n = 0;
        for (int run = 0; run < 2; run++) {
            struct rig r;
            timed_open(&r, &m, "vecadd.ptx");
            run_vectors(&r);
            n = all_stats(&r, run ? again : first, MOST);
            rig_close(&r);
        }
        for (size_t i = 0; i < n; i++)
            if (memcmp(&first[i], &again[i], sizeof *first) != 0) {
                hd_stat_info info;
                assert_int_equal(hd_stat_at(i, &info), HD_OK);
                fail_msg("%s: %s is %g, then %g", configs[k], info.name, first[i], again[i]);
            }
    }
}

static void sums_hold_for_every_configuration(void **state) {
    (void)state;
    for (const struct config *c = config_list; c->name; c++)
        for (const struct mech_ops *const *mech = mech_list; *mech; mech++) {
            struct timed_machine m = {c->name, (*mech)->name, {NULL}};
            struct rig r;
            struct sb why = {0};
            timed_open(&r, &m, "vecadd.ptx");
            run_vectors(&r);
            if (!diff_invariants(r.dev, &why)) fail_msg("%s, %s: %s", m.config, m.mech, why.text);
            rig_close(&r);
        }
}

/* What is moved can be told from the kernel: each thread reads two words and writes one, in lines of 32 bytes, and reads four
 * parameters, which are constants. */
static void memory_traffic_is_what_the_kernel_asks_for(void **state) {
    (void)state;
    struct timed_machine m = {"tiny", NULL, {"sm.warp_size", "8"}};
    struct rig r;
    timed_open(&r, &m, "vecadd.ptx");
    run_vectors(&r);
    near_value("memory instructions", rig_stat(&r, "sm.memory_insts"), (4 + 3) * N / 8, 0);
    near_value("reads", rig_stat(&r, "l1d.reads"), 2 * N / 8, 0);
    near_value("writes", rig_stat(&r, "l1d.writes"), N / 8, 0);
    near_value("misses of reads", rig_stat(&r, "load.count"), 2 * N / 8, 0);
    near_value("DRAM reads", rig_stat(&r, "dram.reads"), 2 * N / 8, 0);
    rig_close(&r);
}

/* Compute-bound work on twice the SMs: half the cycles, within the last block's time. */
static void twice_the_sms_take_half_the_cycles(void **state) {
    (void)state;
    double cycles[3];
    static const char *const sms[] = {"1", "2", "4"};
    for (int k = 0; k < 3; k++) {
        struct timed_machine m = {"harp-fermi", NULL, {"gpu.sms", sms[k], "memory.ideal", "true"}};
        struct rig r;
        timed_open(&r, &m, "diverge.ptx");
        uint64_t d = rig_zero(&r, 4 * 256 * 64);
        RUN(&r, "uniform", LAUNCH(.grid = {64}, .block = {256}), PTR(d), hd_arg_u32(50));
        cycles[k] = rig_stat(&r, "gpu.cycles");
        rig_close(&r);
    }
    near_value("2 SMs", cycles[1], cycles[0] / 2, 0.05 * cycles[0]);
    near_value("4 SMs", cycles[2], cycles[0] / 4, 0.05 * cycles[0]);
}

/* Totals are the sums of the launches, and a warm second level makes the second launch faster. */
static void launches_add_up(void **state) {
    (void)state;
    struct timed_machine m = {"harp-fermi", NULL, {NULL}};
    struct rig r;
    double first, second, total;
    timed_open(&r, &m, "vecadd.ptx");
    uint64_t a = rig_zero(&r, 4 * N), b = rig_zero(&r, 4 * N), c = rig_zero(&r, 4 * N);
    RUN(&r, "vecadd", LAUNCH(.grid = {N / BLOCK}, .block = {BLOCK}), PTR(c), PTR(a), PTR(b), hd_arg_u32(N));
    first = rig_stat(&r, "gpu.cycles");
    RUN(&r, "vecadd", LAUNCH(.grid = {N / BLOCK}, .block = {BLOCK}), PTR(c), PTR(a), PTR(b), hd_arg_u32(N));
    second = rig_stat(&r, "gpu.cycles");
    MUST(&r, hd_stat(r.dev, 1, "gpu.cycles", &total));
    assert_true(total == first + second);
    assert_true(second < first);
    rig_close(&r);
}

/* The longest latency of a launch is its own: an access that waits behind no other is not charged with the queues of
 * the launch before it. */
static void maxima_are_those_of_the_launch(void **state) {
    (void)state;
    struct timed_machine m = {"harp-fermi", NULL, {NULL}};
    struct rig r;
    double all = 0;
    timed_open(&r, &m, "vecadd.ptx");
    run_vectors(&r);
    double crowded = rig_stat(&r, "load.latency_max"), crowded_dram = rig_stat(&r, "dram.latency_max");
    uint64_t a = rig_zero(&r, 4), b = rig_zero(&r, 4), c = rig_zero(&r, 4);
    RUN(&r, "vecadd", LAUNCH(.grid = {1}, .block = {1}), PTR(c), PTR(a), PTR(b), hd_arg_u32(1));
    assert_true(rig_stat(&r, "load.latency_max") > 0);
    assert_true(rig_stat(&r, "load.latency_max") < crowded);
    assert_true(rig_stat(&r, "dram.latency_max") > 0);
    assert_true(rig_stat(&r, "dram.latency_max") < crowded_dram);
    MUST(&r, hd_stat(r.dev, 1, "load.latency_max", &all));
    assert_true(all == crowded);
    rig_close(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_runs_give_the_same_statistics),
        cmocka_unit_test(sums_hold_for_every_configuration),
        cmocka_unit_test(memory_traffic_is_what_the_kernel_asks_for),
        cmocka_unit_test(twice_the_sms_take_half_the_cycles),
        cmocka_unit_test(launches_add_up),
        cmocka_unit_test(maxima_are_those_of_the_launch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
