/* The probes against closed forms (docs/sm.md, docs/memory.md) on machines whose options are known, and the published figures
 * that configurations are held to. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lab/probe.h"

#define MACHINE(name, ...)                                                                                  \
    (&(hd_config){                                                                                          \
        .file = name,                                                                                       \
        .options = (const hd_option[]){{"run.mode", "timed"}, {"run.mech", "pdom"}, __VA_ARGS__},           \
        .noptions = sizeof((const hd_option[]){{"run.mode", "timed"}, {"run.mech", "pdom"}, __VA_ARGS__}) / \
                    sizeof(hd_option)})

static double measure(const char *name, const hd_config *machine) {
    struct err e = {0};
    double value = NAN;
    const struct probe *p = probe_find(name, &e);
    if (!p || !probe_run(p, machine, &value, &e)) fail_msg("%s: %s", name, err_text(&e));
    return value;
}

static void check(const char *name, const hd_config *machine, double want, double within) {
    const double ours = measure(name, machine);
    if (fabs(ours - want) > within) fail_msg("%s: %g, not %g", name, ours, want);
}

/* D - 1 cycles of the pipeline and the unit's latency. */
static void a_chain_takes_depth_and_latency(void **state) {
    (void)state;
    static const char *const depth[] = {"4", "10"};
    for (int i = 0; i < 2; i++) {
        const double d = i ? 10 : 4;
        const hd_config *m = MACHINE("turing-rtx2060", {"sm.depth", depth[i]}, {"latency.alu", "3"});
        check("latency.alu", m, d - 1 + 3, 0.01);
        check("latency.shared", m, d - 1 + 20, 0.01);
        check("latency.l1", m, d - 1 + 29, 0.01);
    }
}

static void a_level_adds_its_latency(void **state) {
    (void)state;
    const double once = measure("latency.l2", MACHINE("turing-rtx2060", {"l2.latency", "100"}));
    check("latency.l2", MACHINE("turing-rtx2060", {"l2.latency", "150"}), once + 50, 0.01);
    const double dram = measure("latency.dram", MACHINE("turing-rtx2060", {"l2.latency", "100"}));
    check("latency.dram", MACHINE("turing-rtx2060", {"l2.latency", "150"}), dram + 50, 1);
    assert_true(dram > once);
    const double first = measure("latency.constant", MACHINE("turing-rtx2060", {"l15c.latency", "40"}));
    check("latency.constant2", MACHINE("turing-rtx2060", {"l15c.latency", "40"}), first + 40, 0.01);
}

/* 32 lanes every `interval` cycles, from each of four schedulers. */
static void a_rate_is_that_of_the_busiest_unit(void **state) {
    (void)state;
    check("rate.fp32", MACHINE("turing-rtx2060", {"interval.fp32", "2"}), 64, 0.5);
    check("rate.fp32", MACHINE("turing-rtx2060", {"interval.fp32", "8"}), 16, 0.1);
    check("rate.sfu", MACHINE("turing-rtx2060", {"interval.sfu", "16"}), 8, 0.1);
}

/* n threads at a bank take n cycles; 32 banks of 4 bytes. */
static void conflicts_take_a_cycle_for_each_thread_at_a_bank(void **state) {
    (void)state;
    const hd_config *m = MACHINE("turing-rtx2060", {"gpu.sms", "1"});
    check("banks.1", m, 1, 0.05);
    check("banks.2", m, 2, 0.1);
    check("banks.4", m, 4, 0.1);
    check("banks.32", m, 32, 0.1);
    check("bandwidth.shared", m, 128, 3);
}

/* 12 channels of 8 bytes at 3500 MHz, and half of them. */
static void a_stream_gets_the_bandwidth_of_the_channels(void **state) {
    (void)state;
    check("bandwidth.dram", MACHINE("turing-rtx2060", {"gpu.sms", "30"}), 336, 12);
    check("bandwidth.dram", MACHINE("turing-rtx2060", {"gpu.sms", "20"}, {"dram.channels", "6"}), 168, 6);
}

static void residency_is_the_machines(void **state) {
    (void)state;
    check("resident", MACHINE("turing-rtx2060", {"sm.blocks", "3"}), 3 * 256, 0);
}

static void what_a_machine_lacks_is_refused(void **state) {
    (void)state;
    static const char *const names[] = {"latency.l2", "latency.constant2"};
    for (int i = 0; i < 2; i++) {
        struct err e = {0};
        double value;
        assert_false(
            probe_run(probe_find(names[i], &e), MACHINE("dwf-8800gtx", {"gpu.sms", "1"}), &value, &e));
        assert_int_equal(e.code, ERR_REFUSED);
        err_free(&e);
    }
    struct err e = {0};
    assert_null(probe_find("latency.l3", &e));
    assert_non_null(strstr(err_text(&e), "did you mean 'latency.l"));
    err_free(&e);
}

static void machines_have_the_published_figures(void **state) {
    (void)state;
    for (const struct published *p = published_list; p->config; p++) {
        const double ours = measure(p->probe, MACHINE(p->config, {"gpu.watchdog", "200000"}));
        if (p->percent && !published_holds(p, ours))
            fail_msg("%s: %s is %g, published %g (%s)", p->config, p->probe, ours, p->value, p->source);
        assert_true(p->percent || p->note);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_takes_depth_and_latency),
        cmocka_unit_test(a_level_adds_its_latency),
        cmocka_unit_test(a_rate_is_that_of_the_busiest_unit),
        cmocka_unit_test(conflicts_take_a_cycle_for_each_thread_at_a_bank),
        cmocka_unit_test(a_stream_gets_the_bandwidth_of_the_channels),
        cmocka_unit_test(residency_is_the_machines),
        cmocka_unit_test(what_a_machine_lacks_is_refused),
        cmocka_unit_test(machines_have_the_published_figures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
