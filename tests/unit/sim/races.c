/* Races as the library gives them: run.races, hd_race_count, hd_race_at. */
#include "api.h"

/* Every thread stores its own number at out, then the kernel's parameter at out + 4, then a counter of its own. */
static const char RACY[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry racy(.param .u64 out, .param .u32 n)\n{\n  .reg .b64 %d0;\n"
    "  .reg .b32 %r<2>;\n  ld.param.u64 %d0, [out];\n  ld.param.u32 %r0, [n];\n"
    "  mov.u32 %r1, %tid.x;\n  st.global.u32 [%d0], %r1;\n  st.global.u32 [%d0+4], %r0;\n"
    "  red.global.add.u32 [%d0+8], 1;\n  ret;\n}\n";

static hd_device *open_with(const char *races) {
    hd_device *dev;
    hd_option o[] = {{"run.races", races}};
    WORKS(dev, hd_device_open(&(hd_config){.options = o, .noptions = 1}, &dev));
    return dev;
}

static void launch(hd_device *dev, hd_module **mod) {
    hd_kernel *k;
    uint64_t out;
    WORKS(dev, hd_module_load(dev, "racy.ptx", RACY, 0, mod));
    WORKS(dev, hd_module_kernel(*mod, "racy", &k));
    WORKS(dev, hd_alloc(dev, 16, &out));
    WORKS(dev, hd_label(dev, out, "results"));
    WORKS(dev, hd_run(k, &(hd_launch){.grid = {1}, .block = {64}},
                      (const hd_arg[]){hd_arg_ptr(out), hd_arg_u32(9)}, 2));
}

static void a_race_is_described_and_fails_no_launch(void **state) {
    (void)state;
    hd_device *dev = open_with("on");
    hd_module *mod;
    hd_race race;
    launch(dev, &mod);
    assert_int_equal(hd_race_count(dev), 2);
    WORKS(dev, hd_race_at(dev, 0, &race));
    assert_string_equal(race.kind, "write-write");
    assert_false(race.same_value);
    assert_int_equal(race.count, 63);
    assert_string_equal(race.file, "racy.ptx");
    assert_string_equal(race.kernel, "racy");
    assert_string_equal(race.space, "global");
    assert_string_equal(race.object, "results");
    assert_int_equal(race.offset, 0);
    assert_int_equal(race.launch, 0);
    assert_string_equal(race.access[0].what, "write");
    assert_int_equal(race.access[0].thread[0], 0);
    assert_int_equal(race.access[1].thread[0], 1);
    assert_int_equal(race.access[1].line, 11);
    assert_string_equal(race.access[1].text, "st.global.u32 [%d0], %r1;");
    assert_null(race.access[1].source);
    WORKS(dev, hd_race_at(dev, 1, &race));
    assert_true(race.same_value);
    assert_int_equal(race.offset, 4);
    assert_int_equal(hd_race_at(dev, 2, &race), HD_INVALID);
    hd_device_close(dev);
}

/* A second launch of the same instructions adds to them; texts outlive the module. */
static void launches_add_up(void **state) {
    (void)state;
    hd_device *dev = open_with("lockstep");
    hd_module *mod;
    hd_race race;
    launch(dev, &mod);
    hd_kernel *k = hd_module_kernel_at(mod, 0);
    uint64_t out;
    WORKS(dev, hd_alloc(dev, 16, &out));
    WORKS(dev, hd_run(k, &(hd_launch){.grid = {1}, .block = {64}},
                      (const hd_arg[]){hd_arg_ptr(out), hd_arg_u32(9)}, 2));
    hd_module_unload(mod);
    assert_int_equal(hd_race_count(dev), 2);
    WORKS(dev, hd_race_at(dev, 0, &race));
    assert_int_equal(race.count, 2 * 63);
    assert_string_equal(race.access[1].text, "st.global.u32 [%d0], %r1;");
    hd_device_close(dev);
}

static void without_the_option_there_is_nothing(void **state) {
    (void)state;
    hd_device *dev = open_with("off");
    hd_module *mod;
    hd_race race;
    launch(dev, &mod);
    assert_int_equal(hd_race_count(dev), 0);
    assert_int_equal(hd_race_at(dev, 0, &race), HD_INVALID);
    assert_int_equal(hd_race_count(NULL), 0);
    hd_device_close(dev);
}

static void timed_devices_refuse_it(void **state) {
    (void)state;
    hd_device *dev;
    hd_option o[] = {{"run.races", "on"}, {"run.mode", "timed"}};
    FAILS(dev, HD_INVALID, "run.races: races are looked for in functional runs, and run.mode is timed",
          hd_device_open(&(hd_config){.options = o, .noptions = 2}, &dev));
    hd_device_close(dev);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_race_is_described_and_fails_no_launch),
        cmocka_unit_test(launches_add_up),
        cmocka_unit_test(without_the_option_there_is_nothing),
        cmocka_unit_test(timed_devices_refuse_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
