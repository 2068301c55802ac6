/* What launches leave each other: caches between them, and whose traffic it is. */
#include "kernels/harness.h"

enum { LINES = 512, LINE = 128 };

/* Writes a line per thread, or nothing. */
static const char TEXT[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                           ".visible .entry writes(.param .u64 out)\n{\n.reg .b64 %a<4>; .reg .b32 %r<4>;\n"
                           "ld.param.u64 %a0, [out]; mov.u32 %r0, %tid.x; mul.wide.u32 %a1, %r0, 128;\n"
                           "add.u64 %a0, %a0, %a1; st.global.u32 [%a0], %r0; ret;\n}\n"
                           ".visible .entry reads(.param .u64 out)\n{\n.reg .b64 %a<4>; .reg .b32 %r<4>;\n"
                           "ld.param.u64 %a0, [out]; mov.u32 %r0, %tid.x; mul.wide.u32 %a1, %r0, 128;\n"
                           "add.u64 %a0, %a0, %a1; ld.global.u32 %r1, [%a0]; add.u32 %r1, %r1, 1; ret;\n}\n"
                           ".visible .entry idles(.param .u64 out)\n{\nret;\n}\n";

static void open_with(struct rig *r, const char *config, const char *const *set) {
    hd_option o[16] = {{"run.mode", "timed"}, {"sm.ideal_fetch", "true"}};
    size_t n = 2;
    for (; set && *set; set += 2) o[n++] = (hd_option){set[0], set[1]};
    memset(r, 0, sizeof *r);
    if (hd_device_open(&(hd_config){.options = o, .noptions = n, .file = config}, &r->dev))
        fail_msg("%s", r->dev ? hd_error(r->dev) : "no memory");
    MUST(r, hd_module_load(r->dev, "launches.ptx", TEXT, sizeof TEXT - 1, &r->mod));
}
#define SET(...) ((const char *const[]){__VA_ARGS__, NULL})

static void launch(struct rig *r, const char *kernel, uint64_t out) {
    RUN(r, kernel, LAUNCH(.grid = {1}, .block = {LINES}), PTR(out));
}

/* The value of a statistic in the last launch. */
static uint64_t stat_of(struct rig *r, const char *name) {
    return (uint64_t)rig_stat(r, name);
}

/* A launch that writes and one that does nothing, with the caches emptied in between: the writes belong to the first,
 * and the second takes as long as on a new machine. */
static void write_backs_are_of_the_launch_that_wrote(void **state) {
    (void)state;
    static const char *const machines[][9] = {
        {"harp-fermi", "memory.flush_l2", "true", "l2.allocate", "true", NULL}, /* L2 writes back */
        {"harp-fermi", "l2.present", "false", "l1d.write", "back", "l1d.allocate", "true", NULL}, /* L1 */
        {"dwf-8800gtx", "memory.flush_l2", "true", NULL},
    };
    for (size_t k = 0; k < sizeof machines / sizeof *machines; k++) {
        struct rig r;
        open_with(&r, machines[k][0], machines[k] + 1);
        uint64_t out = rig_zero(&r, LINES * LINE);
        launch(&r, "idles", out);
        const uint64_t alone = stat_of(&r, "gpu.cycles");
        launch(&r, "writes", out);
        assert_int_equal(stat_of(&r, "dram.writes"), LINES);
        assert_true(stat_of(&r, "dram.bytes") >= LINES * 4);
        assert_true(stat_of(&r, "gpu.cycles") > alone + LINES / 8);
        launch(&r, "idles", out);
        assert_int_equal(stat_of(&r, "dram.writes"), 0);
        assert_int_equal(stat_of(&r, "dram.bytes"), 0);
        assert_int_equal(stat_of(&r, "l1d.writebacks") + stat_of(&r, "l2.writebacks"), 0);
        assert_int_equal(stat_of(&r, "gpu.cycles"), alone);
        rig_close(&r);
    }
}

/* L1 writes back into L2, and that into DRAM: what was dirty in L1 does not stay in L2. */
static void both_levels_are_emptied(void **state) {
    (void)state;
    struct rig r;
    open_with(
        &r, "harp-fermi",
        SET("memory.flush_l2", "true", "l1d.write", "back", "l1d.allocate", "true", "l2.allocate", "true"));
    uint64_t out = rig_zero(&r, LINES * LINE);
    launch(&r, "writes", out);
    assert_int_equal(stat_of(&r, "l1d.writebacks"), LINES);
    assert_int_equal(stat_of(&r, "l2.writebacks"), LINES);
    launch(&r, "reads", out);
    assert_int_equal(stat_of(&r, "l2.misses"), LINES);
    assert_int_equal(stat_of(&r, "dram.writes"), 0);
    rig_close(&r);
}

/* DWF Tables 6.2 and 6.3: of the loads and stores of threads (ld.param too), those that asked for a line, and those that had
 * to wait. 512 threads with a line each. */
static void miss_rates_by_thread(void **state) {
    (void)state;
    struct rig r;
    open_with(&r, "dwf-8800gtx", NULL);
    launch(&r, "reads", rig_zero(&r, LINES * LINE));
    assert_int_equal(stat_of(&r, "exec.insts_ldst"), 2 * LINES);
    assert_true(rig_stat(&r, "l1d.miss_rate_by_thread") == 0.5);
    assert_true(rig_stat(&r, "l1d.miss_rate_pending_by_thread") == 0.5);
    rig_close(&r);
}

/* A launch that fails leaves nothing behind: the next is as on a new machine. */
static void a_failed_launch_leaves_no_lines(void **state) {
    (void)state;
    struct rig r;
    open_with(&r, "harp-fermi", NULL);
    uint64_t out = rig_zero(&r, LINES * LINE);
    launch(&r, "reads", out);
    const uint64_t cold = stat_of(&r, "gpu.cycles");
    launch(&r, "reads", out);
    assert_true(stat_of(&r, "gpu.cycles") < cold); /* from L2 */
    hd_kernel *k = NULL;
    MUST(&r, hd_module_kernel(r.mod, "writes", &k));
    assert_int_equal(hd_run(k, LAUNCH(.grid = {1}, .block = {LINES}), ARGS(PTR(16))), HD_FAULT);
    launch(&r, "reads", out);
    assert_int_equal(stat_of(&r, "gpu.cycles"), cold);
    rig_close(&r);
}

/* With memory.warm_l2 what the host has copied is in L2, in the next launch and only there: as after a launch that has read it
 * all. A copy of half the array makes half the misses; a buffer that was not copied is not there. */
static void host_copies_warm_l2(void **state) {
    (void)state;
    static char data[LINES * LINE];
    uint64_t took[2];
    for (int on = 0; on < 2; on++) {
        struct rig r;
        open_with(&r, "harp-fermi", SET("memory.warm_l2", on ? "true" : "false"));
        uint64_t whole = rig_in(&r, data, sizeof data);
        uint64_t out = rig_zero(&r, sizeof data), lines = LINES;
        launch(&r, "reads", whole);
        assert_int_equal(stat_of(&r, "l2.misses"), on ? 0 : lines);
        assert_int_equal(stat_of(&r, "dram.reads"), on ? 0 : lines);
        assert_int_equal(stat_of(&r, "l2.accesses"), lines); /* copies are none */
        took[on] = stat_of(&r, "gpu.cycles");
        launch(&r, "reads", whole);
        assert_int_equal(stat_of(&r, "l2.misses"), 0);
        MUST(&r, hd_copy_in(r.dev, out, data, sizeof data / 4)); /* in two */
        MUST(&r, hd_copy_in(r.dev, out + sizeof data / 4, data, sizeof data / 4));
        launch(&r, "reads", out);
        assert_int_equal(stat_of(&r, "l2.misses"), on ? lines / 2 : lines);
        rig_close(&r);
    }
    assert_true(took[1] < took[0]);
}

/* More than L2 holds: the end of the copy is there. Without an L2 nothing is. */
static void the_end_of_a_long_copy_is_in_l2(void **state) {
    (void)state;
    static char data[4 * LINES * LINE];
    struct rig r;
    open_with(&r, "harp-fermi",
              SET("memory.warm_l2", "true", "dram.channels", "1", "l2.sets", "64", "l2.ways", "16"));
    uint64_t at = rig_in(&r, data, sizeof data); /* 256 KB into 64 KB */
    launch(&r, "reads", at + sizeof data - LINES * LINE);
    assert_int_equal(stat_of(&r, "l2.misses"), 0);
    launch(&r, "reads", at);
    assert_int_equal(stat_of(&r, "l2.misses"), LINES);
    rig_close(&r);
    open_with(&r, "harp-fermi", SET("memory.warm_l2", "true", "l2.present", "false"));
    launch(&r, "reads", rig_in(&r, data, sizeof data));
    assert_int_equal(stat_of(&r, "dram.reads"), LINES);
    rig_close(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(write_backs_are_of_the_launch_that_wrote),
        cmocka_unit_test(both_levels_are_emptied),
        cmocka_unit_test(miss_rates_by_thread),
        cmocka_unit_test(a_failed_launch_leaves_no_lines),
        cmocka_unit_test(host_copies_warm_l2),
        cmocka_unit_test(the_end_of_a_long_copy_is_in_l2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
