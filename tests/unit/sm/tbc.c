/* Warp-level .sync operations under thread block compaction and CAPRI: the members of one are in several compacted warps, and a
 * compacted warp has members of several. */
#include "unit/sm/rig.h"

enum { THREADS = 64, WARP = 8 };

/* In every pair of rows of eight threads the first takes its lower four lanes to the branch, the second its upper four, so
 * that two rows make one compacted warp, and an architectural warp of 32 is in two of them. There each thread reads the
 * number of the lowest member of its architectural warp, by a shuffle that waits for all members. */
#define KERNEL                                                                                          \
    HEAD ".visible .entry k(.param .u64 out) {\n"                                                       \
         ".reg .u32 %t, %v, %m, %r, %l, %z; .reg .u64 %o, %a; .reg .pred %p;\n"                         \
         "ld.param.u64 %o, [out];\nmov.u32 %t, %tid.x;\nmul.wide.u32 %a, %t, 4;\nadd.u64 %o, %o, %a;\n" \
         "shr.u32 %r, %t, 1;\nxor.b32 %r, %r, %t;\nand.b32 %r, %r, 4;\nsetp.eq.u32 %p, %r, 0;\n"        \
         "vote.sync.ballot.b32 %m, %p, -1;\nadd.u32 %v, %t, 1000;\n@!%p bra L;\n"                       \
         "neg.s32 %z, %m;\nand.b32 %z, %z, %m;\nclz.b32 %l, %z;\nsub.u32 %l, 31, %l;\n"                 \
         "bar.warp.sync %m;\nshfl.sync.idx.b32 %v, %t, %l, 31, %m;\nbar.warp.sync %m;\n"                \
         "L:\nst.global.u32 [%o], %v;\nexit;\n}\n"

static bool is_member(uint32_t t) {
    return !((t >> 1 ^ t) & 4);
}

/* Runs it; x has the statistics. */
static void run(struct machine *x, const char *mech, int issue, uint32_t schedulers) {
    *x = machine_load(KERNEL);
    x->o.sm.warp_size = x->o.sm.simd_width = WARP;
    x->o.sm.schedulers = schedulers;
    x->o.sm.issue = issue;
    x->audit = true;
    uint64_t out = rig_buf(&x->r, THREADS * 4, "out");
    machine_ok(x, mech, "k", 1, THREADS, &out);
    for (uint32_t t = 0; t < THREADS; t++)
        assert_int_equal(rig_u32(&x->r, out)[t], is_member(t) ? t & ~31u : 1000 + t);
}

static void members_in_several_warps_meet(void **state) {
    (void)state;
    static const char *const mechs[] = {"tbc", "capri"};
    for (int k = 0; k < 4; k++) {
        struct machine x;
        run(&x, mechs[k / 2], SM_BARREL + k % 2, 1);
        /* warps_before, warps_after: 8 to the branch's side become 4; these and what 8 had left, the home warps */
        assert_int_equal(x.ms.extra[3], 8 + 4 + 8);
        assert_int_equal(x.ms.extra[4], 4 + 8);
        machine_free(&x);
    }
}

/* An architectural warp is on both schedulers, each of which has a stack. */
static void members_on_several_schedulers_meet(void **state) {
    (void)state;
    for (int issue = 0; issue < 2; issue++) {
        struct machine x;
        run(&x, "tbc", issue, 2);
        machine_free(&x);
        run(&x, "capri", issue, 2);
        machine_free(&x);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_in_several_warps_meet),
        cmocka_unit_test(members_on_several_schedulers_meet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
