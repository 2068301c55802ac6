/* Memory of the host follows what runs at once: not how many threads a grid has, not how many SMs stand idle, and not what
 * launches before took. Of this process, as the host counts it; ratios, since pages differ. */
#include "kernels/harness.h"

#include "base/guard.h"

/* Each thread has registers; nothing goes to memory. */
static const char TEXT[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                           ".visible .entry works(.param .u32 rounds)\n{\n.reg .b32 %r<40>; .reg .pred %p;\n"
                           "mov.u32 %r0, %tid.x; ld.param.u32 %r1, [rounds];\n"
                           "L: mad.lo.u32 %r0, %r0, %r0, %r1; sub.u32 %r1, %r1, 1; setp.ne.u32 %p, %r1, 0;\n"
                           "@%p bra L; ret;\n}\n";

/* A line of /proc/self/status, in KB. */
static uint64_t status(const char *key) {
    char line[256];
    uint64_t kb = 0;
    FILE *f = fopen("/proc/self/status", "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        if (!strncmp(line, key, strlen(key))) kb = strtoull(line + strlen(key) + 1, NULL, 10);
    fclose(f);
    assert_true(kb);
    return kb;
}

/* From here on. */
static void restart_peak(void) {
    FILE *f = fopen("/proc/self/clear_refs", "w");
    if (!f || fputs("5", f) < 0 || fclose(f)) skip();
}

static void open_sms(struct rig *r, const char *sms) {
    const hd_option o[] = {{"run.mode", "timed"}, {"gpu.sms", sms}};
    memset(r, 0, sizeof *r);
    if (hd_device_open(&(hd_config){.options = o, .noptions = 2, .file = "turing-rtx2060"}, &r->dev))
        fail_msg("%s", r->dev ? hd_error(r->dev) : "no memory");
    MUST(r, hd_module_load(r->dev, "scale.ptx", TEXT, sizeof TEXT - 1, &r->mod));
}

static void launch(struct rig *r, uint32_t blocks) {
    RUN(r, "works", LAUNCH(.grid = {blocks}, .block = {256}), hd_arg_u32(2));
}

/* KB that a machine and a launch take at most. */
static uint64_t peak(const char *sms, uint32_t blocks) {
    struct rig r;
    restart_peak();
    const uint64_t before = status("VmRSS:");
    open_sms(&r, sms);
    launch(&r, blocks);
    const uint64_t most = status("VmHWM:");
    rig_close(&r);
    return most > before ? most - before : 0;
}

static void a_grid_of_many_blocks_takes_the_memory_of_few(void **state) {
    (void)state;
    peak("4", 16); /* what the process keeps for itself from now on */
    const uint64_t few = peak("4", 16), many = peak("4", 4000);
    assert_true(many <= few + few / 4 + 1024);
}

static void an_idle_sm_takes_a_twentieth_of_a_full_one(void **state) {
    (void)state;
    enum { FEW = 8, MANY = 520 };
    peak("8", 4 * FEW);
    const uint64_t one = peak("8", 1), idle = peak("520", 1), full = peak("8", 4 * FEW);
    const uint64_t each_full = (full - one) / (FEW - 1), each_idle = (idle - one) / (MANY - FEW);
    assert_true(full > one && idle >= one);
    assert_true(each_idle * 20 <= each_full);
}

static void small_launches_do_not_keep_what_a_large_one_took(void **state) {
    (void)state;
    struct rig r;
    const uint64_t before = status("VmRSS:");
    open_sms(&r, "256");
    launch(&r, 1);
    const uint64_t small = status("VmRSS:");
    launch(&r, 4 * 256);
    const uint64_t large = status("VmRSS:");
    for (int k = 0; k < 40; k++) launch(&r, 1);
    const uint64_t after = status("VmRSS:");
    assert_true(small > before && large > small + 16 * 1024);
    assert_true(after < small + (large - small) / 3);
    rig_close(&r);
}

int main(void) {
#ifdef GUARDED
    return 0; /* AddressSanitizer keeps what is freed, and shadows what is not */
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grid_of_many_blocks_takes_the_memory_of_few),
        cmocka_unit_test(an_idle_sm_takes_a_twentieth_of_a_full_one),
        cmocka_unit_test(small_launches_do_not_keep_what_a_large_one_took),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
