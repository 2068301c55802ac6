/* Devices: opening, options through the API, callbacks, statistics by name, handles that are NULL. */
#include "api.h"

static void a_device_opens_with_defaults(void **state) {
    (void)state;
    hd_device *dev = NULL;
    assert_int_equal(hd_device_open(NULL, &dev), HD_OK);
    assert_string_equal(hd_error(dev), "");
    hd_device_close(dev);
    assert_int_equal(hd_device_open(NULL, NULL), HD_INVALID);
}

static void version_and_names(void **state) {
    (void)state;
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", HD_VERSION_MAJOR, HD_VERSION_MINOR, HD_VERSION_PATCH);
    assert_string_equal(hd_version(), text);
    assert_string_equal(hd_status_name(HD_OK), "HD_OK");
    assert_string_equal(hd_status_name(HD_INTERNAL), "HD_INTERNAL");
    assert_string_equal(hd_status_name(HD_REFUSED), "HD_REFUSED");
    assert_string_equal(hd_status_name((hd_status)99), "unknown status");
}

static void bad_options(const hd_config *config, const char *text) {
    hd_device *dev = NULL;
    uint64_t addr;
    hd_module *mod;
    FAILS(dev, HD_INVALID, text, hd_device_open(config, &dev));
    /* the reason stays, whatever else is tried on it */
    FAILS(dev, HD_INVALID, text, hd_alloc(dev, 4, &addr));
    FAILS(dev, HD_INVALID, text, hd_module_load(dev, "x", "", 0, &mod));
    hd_device_close(dev);
}

static void a_device_that_does_not_open_says_why(void **state) {
    (void)state;
    bad_options(&(hd_config){.options = (hd_option[]){{"exec.iza", "auto"}}, .noptions = 1},
                "there is no option \"exec.iza\"; did you mean exec.isa?");
    bad_options(&(hd_config){.options = (hd_option[]){{"exec.isa", "auto"}, {"mem.global_bytes", "0"}},
                             .noptions = 2},
                "mem.global_bytes: \"0\" is out of range: expected a size in bytes (K, M, G, T may follow) "
                "from 1 to 64T");
    bad_options(&(hd_config){.options = (hd_option[]){{"exec.isa", NULL}}, .noptions = 1},
                "hd_device_open: option 0 has no key or no value");
    bad_options(&(hd_config){.noptions = 1}, "hd_device_open: options is NULL, noptions is not 0");
    bad_options(&(hd_config){.file = "/nonexistent.ini"},
                "cannot open /nonexistent.ini: No such file or directory");
}

static void null_handles_are_refused_everywhere(void **state) {
    (void)state;
    uint64_t u = 0;
    double d;
    hd_module *mod;
    hd_kernel *k;
    hd_kernel_info info;
    hd_launch l = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    hd_texture t = {0};
    assert_string_equal(hd_error(NULL), "");
    hd_device_close(NULL);
    hd_module_unload(NULL);
    hd_set_log(NULL, NULL, NULL);
    hd_set_print(NULL, NULL, NULL);
    hd_set_progress(NULL, NULL, NULL);
    assert_int_equal(hd_module_load(NULL, "x", "", 0, &mod), HD_INVALID);
    assert_int_equal(hd_module_load_file(NULL, "x", &mod), HD_INVALID);
    assert_int_equal(hd_module_kernel_count(NULL), 0);
    assert_null(hd_module_kernel_at(NULL, 0));
    assert_int_equal(hd_module_kernel(NULL, "x", &k), HD_INVALID);
    assert_int_equal(hd_module_symbol(NULL, "x", &u, NULL), HD_INVALID);
    assert_int_equal(hd_kernel_get_info(NULL, &info), HD_INVALID);
    assert_int_equal(hd_alloc(NULL, 1, &u), HD_INVALID);
    assert_int_equal(hd_free(NULL, u), HD_INVALID);
    assert_int_equal(hd_copy_in(NULL, 0, &u, 1), HD_INVALID);
    assert_int_equal(hd_copy_out(NULL, &u, 0, 1), HD_INVALID);
    assert_int_equal(hd_copy(NULL, 0, 0, 1), HD_INVALID);
    assert_int_equal(hd_set(NULL, 0, 0, 1), HD_INVALID);
    assert_int_equal(hd_label(NULL, 0, "x"), HD_INVALID);
    assert_int_equal(hd_texture_new(NULL, &t, &u), HD_INVALID);
    assert_int_equal(hd_texture_free(NULL, 1), HD_INVALID);
    assert_int_equal(hd_texture_bind(NULL, "x", 1), HD_INVALID);
    assert_int_equal(hd_run(NULL, &l, NULL, 0), HD_INVALID);
    assert_int_equal(hd_run_packed(NULL, &l, NULL, 0), HD_INVALID);
    assert_int_equal(hd_stat(NULL, 0, "exec.threads", &d), HD_INVALID);
    assert_int_equal(hd_stat_at(0, NULL), HD_INVALID);
    assert_int_equal(hd_stat_value(NULL, 0, 0, &d), HD_INVALID);
    assert_int_equal(hd_stat_own(NULL, 0, 0, &(hd_stat_info){0}, &d), HD_INVALID);
}

/* ---- callbacks ---- */

struct heard {
    hd_log_level level;
    char text[256];
    int n;
};

static void hear(void *user, hd_log_level level, const char *text) {
    struct heard *h = user;
    h->level = level;
    snprintf(h->text, sizeof h->text, "%s", text);
    h->n++;
}

static void the_log_hears_loads_launches_and_failures(void **state) {
    struct api *a = *state;
    struct heard h = {0};
    hd_module *mod;
    hd_set_log(a->dev, hear, &h);
    WORKS(a->dev,
          hd_module_load(a->dev, "empty.ptx", ".version 7.0\n.target sm_70\n.address_size 64\n", 0, &mod));
    assert_int_equal(h.level, HD_LOG_WARNING);
    assert_string_equal(h.text, "empty.ptx: 0 kernels, 0 instructions");
    WORKS(a->dev, hd_run(api_kernel(a, "uses_shared"), &(hd_launch){.block = {64}}, NULL, 0));
    assert_int_equal(h.level, HD_LOG_INFO);
    assert_string_equal(h.text, "uses_shared: 192 thread instructions");
    assert_int_equal(h.n, 3);
    assert_int_equal(hd_alloc(a->dev, 0, &(uint64_t){0}), HD_INVALID);
    assert_int_equal(h.level, HD_LOG_ERROR);
    assert_string_equal(h.text, hd_error(a->dev));
    hd_set_log(a->dev, NULL, NULL);
    assert_int_equal(hd_alloc(a->dev, 0, &(uint64_t){0}), HD_INVALID);
    assert_int_equal(h.n, 4);
}

static void take_text(void *user, const char *text, size_t n) {
    strncat(user, text, n);
}

static void what_kernels_print_arrives(void **state) {
    struct api *a = *state;
    char text[64] = "";
    hd_set_print(a->dev, take_text, text);
    WORKS(a->dev, hd_run(api_kernel(a, "says"), &(hd_launch){.block = {2}}, NULL, 0));
    assert_string_equal(text, "hi\nhi\n");
}

struct count {
    uint64_t calls, last, stop_at;
    struct api *api;
    hd_status inner;
};

/* What only looks is answered during a launch, what would change the device is not. */
static void look_and_touch(struct count *c) {
    hd_device *dev = c->api->dev;
    uint64_t addr = 0x200000000000, host = 0;
    hd_device_info info;
    hd_fault_info fault;
    hd_memory m;
    assert_int_equal(hd_device_get_info(dev, &info), HD_OK);
    assert_int_equal(hd_fault(dev, &fault), HD_OK);
    assert_int_equal(hd_find_next(dev, 0, &m), HD_OK);
    assert_int_equal(hd_find(dev, m.addr, &m), HD_OK);
    assert_int_equal(hd_alloc_at(dev, 8, &host, &addr), HD_INVALID);
    assert_int_equal(hd_module_place(c->api->mod, "counter", &host, addr), HD_INVALID);
    assert_int_equal(hd_device_set(dev, "exec.heap_bytes", "1"), HD_INVALID);
    assert_int_equal(hd_profile_slots(c->api->mod, &host), HD_INVALID);
    c->inner = hd_alloc(dev, 16, &addr);
}

static int count_blocks(void *user, uint64_t done, uint64_t blocks) {
    struct count *c = user;
    c->calls++;
    c->last = done;
    assert_true(done <= blocks);
    if (c->api) look_and_touch(c);
    return done < c->stop_at;
}

static void progress_stops_a_launch(void **state) {
    struct api *a = *state;
    struct count c = {.stop_at = 3};
    hd_set_progress(a->dev, count_blocks, &c);
    assert_int_equal(
        hd_run(api_kernel(a, "exact"), &(hd_launch){.grid = {1000000}, .block = {32, 2}}, NULL, 0), HD_LIMIT);
    assert_true(c.calls >= 1);
    assert_true(c.last < 1000000);
    double blocks;
    WORKS(a->dev, hd_stat(a->dev, 0, "exec.blocks", &blocks));
    assert_true(blocks < 1000000);
}

static void callbacks_may_not_change_the_device(void **state) {
    struct api *a = *state;
    struct count c = {.stop_at = UINT64_MAX, .api = a};
    hd_set_progress(a->dev, count_blocks, &c);
    WORKS(a->dev, hd_run(api_kernel(a, "exact"), &(hd_launch){.grid = {4}, .block = {32, 2}}, NULL, 0));
    assert_true(c.calls > 0);
    assert_int_equal(c.inner, HD_INVALID);
    assert_string_equal(hd_error(a->dev), "not from a callback: a launch is under way");
    hd_set_progress(a->dev, NULL, NULL);
    api_alloc(a, 16);
}

/* ---- statistics ---- */

static void statistics_of_the_last_launch_and_of_all(void **state) {
    struct api *a = *state;
    double v;
    WORKS(a->dev, hd_stat(a->dev, 0, "exec.threads", &v));
    assert_true(v == 0);
    WORKS(a->dev, hd_run(api_kernel(a, "exact"), &(hd_launch){.grid = {3}, .block = {32, 2}}, NULL, 0));
    WORKS(a->dev, hd_run(api_kernel(a, "most"), &(hd_launch){.block = {16}}, NULL, 0));
    WORKS(a->dev, hd_stat(a->dev, 0, "exec.threads", &v));
    assert_true(v == 16);
    WORKS(a->dev, hd_stat(a->dev, 1, "exec.threads", &v));
    assert_true(v == 3 * 64 + 16);
    WORKS(a->dev, hd_stat(a->dev, 1, "exec.launches", &v));
    assert_true(v == 2);
    WORKS(a->dev, hd_stat(a->dev, 0, "exec.lane_activity", &v));
    assert_true(v == 0.5);
}

static void statistics_are_listed_and_looked_up(void **state) {
    struct api *a = *state;
    double v;
    hd_stat_info info;
    for (size_t i = 0; i < hd_stat_count(); i++) {
        assert_int_equal(hd_stat_at(i, &info), HD_OK);
        WORKS(a->dev, hd_stat(a->dev, 0, info.name, &v));
        assert_true(*info.unit && *info.meaning);
        if (!strcmp(info.unit, "fraction")) assert_false(info.integral);
    }
    assert_int_equal(hd_stat_at(hd_stat_count(), &info), HD_INVALID);
    FAILS(a->dev, HD_INVALID, "there is no statistic \"exec.thread\"; did you mean exec.threads?",
          hd_stat(a->dev, 0, "exec.thread", &v));
    FAILS(a->dev, HD_INVALID, "hd_stat: name and value must not be NULL", hd_stat(a->dev, 0, NULL, &v));
    FAILS(a->dev, HD_INVALID, "hd_stat: name and value must not be NULL",
          hd_stat(a->dev, 0, "exec.threads", NULL));
}

static void statistics_are_the_same_by_index_and_by_name(void **state) {
    struct api *a = *state;
    double by_name, by_index;
    hd_stat_info info;
    size_t counted = 0;
    WORKS(a->dev, hd_run(api_kernel(a, "exact"), &(hd_launch){.grid = {3}, .block = {32, 2}}, NULL, 0));
    WORKS(a->dev, hd_run(api_kernel(a, "most"), &(hd_launch){.block = {16}}, NULL, 0));
    for (int total = 0; total < 2; total++)
        for (size_t i = 0; i < hd_stat_count(); i++) {
            assert_int_equal(hd_stat_at(i, &info), HD_OK);
            WORKS(a->dev, hd_stat(a->dev, total, info.name, &by_name));
            WORKS(a->dev, hd_stat_value(a->dev, total, i, &by_index));
            assert_memory_equal(&by_name, &by_index, sizeof by_name); /* a NaN too */
            counted += by_index != 0;
        }
    assert_true(counted > 10);
    assert_int_equal(hd_stat_value(a->dev, 0, hd_stat_count(), &by_index), HD_INVALID);
    assert_int_equal(hd_stat_value(a->dev, 0, 0, NULL), HD_INVALID);
    assert_int_equal(hd_stat_own(a->dev, 0, 0, &info, &by_index), HD_INVALID); /* functional: no mechanism */
}

/* Every counter that the mechanism lists is found, each under the name that hd_stat takes. */
static void counters_of_a_mechanism_are_listed(void **state) {
    (void)state;
    hd_device *dev;
    hd_module *mod;
    hd_kernel *k;
    hd_stat_info info;
    double by_name, by_index;
    size_t n = 0;
    assert_int_equal(
        hd_device_open(&(hd_config){.options = &(hd_option){"run.mech", "dwf"}, .noptions = 1}, &dev), HD_OK);
    WORKS(dev, hd_module_load(dev, "api.ptx", API_PTX, 0, &mod));
    WORKS(dev, hd_module_kernel(mod, "uses_shared", &k));
    assert_int_equal(hd_stat_own(dev, 0, 0, &info, &by_index), HD_INVALID); /* nothing ran yet */
    WORKS(dev, hd_run(k, &(hd_launch){.block = {4}}, NULL, 0));
    for (; !hd_stat_own(dev, 1, n, &info, &by_index); n++) {
        char name[128];
        snprintf(name, sizeof name, "dwf.%s", info.name);
        WORKS(dev, hd_stat(dev, 1, name, &by_name));
        assert_true(by_name == by_index && info.integral && *info.unit && *info.meaning);
    }
    assert_true(n > 0);
    assert_string_equal(hd_error(dev), "");
    hd_device_close(dev);
}

/* Cycles of a launch on a device that was opened so. */
static double cycles_of(const hd_config *config) {
    hd_device *dev;
    hd_module *mod;
    hd_kernel *k;
    double cycles;
    assert_int_equal(hd_device_open(config, &dev), HD_OK);
    assert_int_equal(hd_module_load(dev, "api.ptx", API_PTX, 0, &mod), HD_OK);
    assert_int_equal(hd_module_kernel(mod, "uses_shared", &k), HD_OK);
    assert_int_equal(hd_run(k, &(hd_launch){.block = {4}}, NULL, 0), HD_OK);
    assert_int_equal(hd_stat(dev, 0, "gpu.cycles", &cycles), HD_OK);
    hd_device_close(dev);
    return cycles;
}

static double cycles_with(const char *key, const char *value) {
    return cycles_of(&(hd_config){.options = &(hd_option){key, value}, .noptions = 1});
}

/* A user who names a machine, a mechanism or a parameter of one wants to know its cycles. */
static void a_device_that_was_told_of_a_machine_runs_timed(void **state) {
    (void)state;
    assert_true(cycles_of(&(hd_config){.file = "tiny"}) > 0);
    assert_true(cycles_with("run.mech", "mimd") > 0);
    assert_true(cycles_with("gpu.sms", "2") > 0);
    assert_true(cycles_with("pdom.side", "most") > 0);
    assert_true(cycles_with("run.mode", "timed") > 0);
    assert_true(
        cycles_of(&(hd_config){
            .options = &(hd_option){"run.mech", "mimd"}, .noptions = 1, .file = "tiny", .stand_in = 1}) > 0);
}

static void any_other_device_computes_only_and_run_mode_decides(void **state) {
    (void)state;
    assert_true(cycles_of(NULL) == 0);
    assert_true(cycles_of(&(hd_config){0}) == 0);
    assert_true(cycles_with("exec.quantum", "64") == 0);
    assert_true(cycles_with("mem.global_bytes", "1M") == 0);
    assert_true(cycles_with("run.races", "lockstep") == 0);
    assert_true(cycles_with("run.mode", "functional") == 0);
    assert_true(cycles_with("run.mode", "auto") == 0);
    assert_true(cycles_of(&(hd_config){.file = "tiny", .stand_in = 1}) == 0);
    const hd_option races[] = {{"run.mech", "mimd"}, {"run.races", "on"}};
    assert_true(cycles_of(&(hd_config){.options = races, .noptions = 2, .file = "tiny"}) == 0);
    const hd_option both[] = {{"run.mech", "mimd"}, {"run.mode", "functional"}};
    assert_true(cycles_of(&(hd_config){.options = both, .noptions = 2, .file = "tiny"}) == 0);
}

static void configurations_and_mechanisms_are_listed(void **state) {
    (void)state;
    const char *name = NULL, *title = NULL;
    size_t configs = 0, mechs = 0;
    for (; !hd_config_at(configs, &name, &title); configs++) {
        hd_device *dev;
        assert_int_equal(hd_device_open(&(hd_config){.file = name}, &dev), HD_OK);
        assert_true(*title);
        hd_device_close(dev);
    }
    for (; !hd_mech_at(mechs, &name, &title); mechs++) {
        hd_device *dev;
        assert_int_equal(
            hd_device_open(&(hd_config){.options = &(hd_option){"run.mech", name}, .noptions = 1}, &dev),
            HD_OK);
        assert_true(*title);
        hd_device_close(dev);
    }
    assert_true(configs >= 6 && mechs >= 3);
    assert_int_equal(hd_config_at(configs, NULL, NULL), HD_INVALID);
    assert_int_equal(hd_mech_at(0, NULL, NULL), HD_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_device_opens_with_defaults),
        cmocka_unit_test(version_and_names),
        cmocka_unit_test(a_device_that_does_not_open_says_why),
        cmocka_unit_test(null_handles_are_refused_everywhere),
        API_TEST(the_log_hears_loads_launches_and_failures),
        API_TEST(what_kernels_print_arrives),
        API_TEST(progress_stops_a_launch),
        API_TEST(callbacks_may_not_change_the_device),
        API_TEST(statistics_of_the_last_launch_and_of_all),
        API_TEST(statistics_are_listed_and_looked_up),
        API_TEST(statistics_are_the_same_by_index_and_by_name),
        cmocka_unit_test(counters_of_a_mechanism_are_listed),
        cmocka_unit_test(configurations_and_mechanisms_are_listed),
        cmocka_unit_test(a_device_that_was_told_of_a_machine_runs_timed),
        cmocka_unit_test(any_other_device_computes_only_and_run_mode_decides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
