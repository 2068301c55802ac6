/* The bound on thread instructions: what it counts, and that it is exact to one warp-instruction in either mode, under every
 * mechanism. */
#include "kernels/harness.h"
#include "mech/mech.h"
#include "sim/sim.h"

/* A loop of a length that depends on the thread, with guards that are false for some; a barrier, then a straight part. */
static const char TEXT[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n"
    "\t.reg .b32 %r<8>;\n\t.reg .pred %p<4>;\n"
    "\tmov.u32 %r0, %tid.x;\n\tand.b32 %r1, %r0, 7;\n\tmov.u32 %r2, 0;\n\tsetp.gt.u32 %p1, %r0, 20;\n"
    "L:\n\tadd.u32 %r2, %r2, 1;\n\t@%p1 add.u32 %r3, %r2, 5;\n\tsetp.le.u32 %p0, %r2, %r1;\n\t@%p0 bra L;\n"
    "\tbar.sync 0;\n\tadd.u32 %r2, %r2, 1;\n\tadd.u32 %r2, %r2, 2;\n\tret;\n}\n";
enum { BLOCKS = 3, THREADS = 40 };

/* mech NULL: functional. */
static hd_status bounded(const char *mech, uint64_t most, uint64_t *insts) {
    hd_option o[] = {{"run.mode", mech ? "timed" : "functional"}, {"run.mech", mech ? mech : "pdom"}};
    struct rig r = {0};
    assert_int_equal(hd_device_open(&(hd_config){.options = o, .noptions = 2, .file = "tiny"}, &r.dev),
                     HD_OK);
    MUST(&r, hd_module_load(r.dev, "limits.ptx", TEXT, sizeof TEXT - 1, &r.mod));
    hd_status st =
        rig_launch(&r, "k", LAUNCH(.grid = {BLOCKS}, .block = {THREADS}, .max_insts = most), NULL, 0);
    if (st) assert_non_null(strstr(hd_error(r.dev), "in kernel k, block ("));
    *insts = (uint64_t)rig_stat(&r, "exec.thread_insts");
    rig_close(&r);
    return st;
}

/* Threads that execute an instruction together: 32 of the machine's warps are one to the functional engine. */
static uint32_t widest(const char *mech) {
    const struct mech_ops *ops = mech ? mech_find(mech) : NULL;
    int64_t param[MECH_PARAMETERS] = {0};
    for (uint32_t k = 0; ops && ops->params && ops->params[k].key; k++) param[k] = ops->params[k].def;
    const uint32_t width = ops ? mech_width(ops, param, 8, 8) : 32;
    return width > 32 ? width : 32;
}

static void exact(const char *mech, uint64_t all) {
    uint64_t insts;
    assert_int_equal(bounded(mech, all, &insts), HD_OK);
    assert_int_equal(insts, all);
    for (uint64_t most = 1; most < all; most += most < 80 || most + 80 > all ? 1 : 37) {
        assert_int_equal(bounded(mech, most, &insts), HD_LIMIT);
        if (insts <= most || insts > most + widest(mech))
            fail_msg("%s: %llu instructions with a bound of %llu", mech ? mech : "functional",
                     (unsigned long long)insts, (unsigned long long)most);
    }
}

static void a_launch_stops_with_the_warp_instruction_that_exceeds_the_bound(void **state) {
    (void)state;
    uint64_t all, same;
    assert_int_equal(bounded(NULL, 0, &all), HD_OK);
    exact(NULL, all);
    for (size_t m = 0; mech_list[m]; m++) {
        assert_int_equal(bounded(mech_list[m]->name, 0, &same), HD_OK);
        assert_int_equal(same, all);
        exact(mech_list[m]->name, all);
    }
}

/* CUDA's limits: 2^63 blocks, near enough, and more threads than 64 bits count. */
static void the_largest_grid_starts_and_ends_at_its_bound(void **state) {
    (void)state;
    const hd_launch most = {.grid = {INT32_MAX, 65535, 65535}, .block = {1024}, .max_insts = 100000};
    static const char *const mode[] = {"functional", "timed"};
    for (int k = 0; k < 3;
         k++) { /* the third time with a series of the threads, for which there is no memory */
        hd_option o[] = {{"run.mode", mode[k > 0]}, {"sm.threads", "1024"}};
        struct rig r = {0};
        assert_int_equal(hd_device_open(&(hd_config){.options = o, .noptions = 2}, &r.dev), HD_OK);
        MUST(&r, hd_module_load(r.dev, "limits.ptx", TEXT, sizeof TEXT - 1, &r.mod));
        if (k == 2) sim_watch(r.dev, &(struct watch){.interval = 100, .threads = 4});
        assert_int_equal(rig_launch(&r, "k", &most, NULL, 0), k == 2 ? HD_MEMORY : HD_LIMIT);
        if (k < 2) assert_in_range((uint64_t)rig_stat(&r, "exec.thread_insts"), 100001, 100032);
        rig_close(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_launch_stops_with_the_warp_instruction_that_exceeds_the_bound),
        cmocka_unit_test(the_largest_grid_starts_and_ends_at_its_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
