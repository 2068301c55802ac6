/* Warp-wide operations, in convergent and divergent code, and across different PCs. */
#include "rig.h"

/* %t: lane; result in %v is stored at p[lane]. */
#define KERNEL(body)                                                                                   \
    HEAD ".visible .entry k(.param .u64 p, .param .u64 q) {\n.reg .u64 %rd<9>; .reg .u32 %t, %v, %w, " \
         "%r<9>; .reg .pred %p<9>;\n"                                                                  \
         "ld.param.u64 %rd0, [p];\nmov.u32 %t, %laneid;\nmov.u32 %v, 0;\n" body                        \
         "\nmul.wide.u32 %rd1, %t, 4;\nadd.u64 %rd1, %rd1, %rd0;\nst.global.u32 [%rd1], %v;\nret;\n}\n"

static void run_with(const char *text, uint32_t lanes, uint64_t q, uint32_t out[32]) {
    struct rig r = rig_load(text);
    uint64_t buf = rig_buf(&r, 128, "out");
    rig_ok(&r, "k", 1, lanes, (uint64_t[]){buf, q});
    memcpy(out, rig_u32(&r, buf), 128);
    rig_free(&r);
}

static void run(const char *text, uint32_t lanes, uint32_t out[32]) {
    run_with(text, lanes, 0, out);
}

/* An independent reading of the manual's table of shuffles. */
static uint32_t shfl_model(const char *mode, int lane, int b, int clamp, int segment, bool *p) {
    int max = (lane & segment) | (clamp & ~segment), min = lane & segment, j;
    if (!strcmp(mode, "up")) {
        j = lane - b;
        *p = j >= max;
    } else if (!strcmp(mode, "down")) {
        j = lane + b;
        *p = j <= max;
    } else if (!strcmp(mode, "bfly")) {
        j = lane ^ b;
        *p = j <= max;
    } else {
        j = min | (b & ~segment);
        *p = j <= max;
    }
    return (uint32_t)(*p ? j : lane);
}

#define SHFL(mode)                                                                    \
    KERNEL("ld.param.u32 %r1, [q];\nld.param.u32 %r2, [q+4];\nadd.u32 %w, %t, 100;\n" \
           "shfl.sync." mode ".b32 %v|%p1, %w, %r1, %r2, -1;\n@%p1 add.u32 %v, %v, 1000;")

static void shuffles_follow_the_manual(void **state) {
    (void)state;
    static const char *const modes[][2] = {
        {"up", SHFL("up")}, {"down", SHFL("down")}, {"bfly", SHFL("bfly")}, {"idx", SHFL("idx")}};
    for (int mode = 0; mode < 4; mode++)
        for (int b = 0; b < 32; b += 5)
            for (int width = 8; width <= 32; width *= 2) {
                int segment = 32 - width, clamp = mode == 0 ? 0 : 31;
                uint32_t out[32], c = (uint32_t)(segment << 8 | clamp);
                run_with(modes[mode][1], 32, (uint64_t)c << 32 | (uint32_t)b, out);
                for (int l = 0; l < 32; l++) {
                    bool p;
                    uint32_t from = shfl_model(modes[mode][0], l, b, clamp, segment, &p);
                    assert_int_equal(out[l], from + 100 + (p ? 1000 : 0));
                }
            }
}

static void votes_and_ballots_see_the_active_group(void **state) {
    (void)state;
    uint32_t out[32];
    run(KERNEL("and.b32 %w, %t, 3; setp.eq.u32 %p1, %w, 0;\nvote.sync.ballot.b32 %v, %p1, -1;"), 32, out);
    for (int l = 0; l < 32; l++) assert_int_equal(out[l], 0x11111111);
    run(KERNEL("setp.lt.u32 %p1, %t, 8;\n@!%p1 bra OUT;\nsetp.gt.u32 %p2, %t, 5;\nvote.sync.any.pred %p3, "
               "%p2, 255;\n"
               "vote.sync.all.pred %p4, %p2, 255;\nvote.sync.uni.pred %p5, !%p2, 255;\nactivemask.b32 %v;\n"
               "@%p3 add.u32 %v, %v, 1000; @%p4 add.u32 %v, %v, 10000; @%p5 add.u32 %v, %v, 100000;\nOUT:"),
        32, out);
    for (int l = 0; l < 32; l++) assert_int_equal(out[l], l < 8 ? 1255 : 0);
}

static void match_redux_and_elect(void **state) {
    (void)state;
    uint32_t out[32];
    run(KERNEL("and.b32 %w, %t, 1;\nmatch.any.sync.b32 %v, %w, -1;"), 32, out);
    for (int l = 0; l < 32; l++) assert_int_equal(out[l], l & 1 ? 0xaaaaaaaa : 0x55555555);
    run(KERNEL("mov.u32 %w, 5;\nmatch.all.sync.b32 %v|%p1, %w, -1;\n@!%p1 mov.u32 %v, 1;"), 32, out);
    assert_int_equal(out[9], 0xffffffff);
    run(KERNEL("match.all.sync.b32 %v|%p1, %t, -1;\n@!%p1 add.u32 %v, %v, 1;"), 32, out);
    assert_int_equal(out[9], 1);
    run(KERNEL("redux.sync.add.u32 %v, %t, -1;"), 32, out);
    assert_int_equal(out[3], 496);
    run(KERNEL("sub.u32 %w, %t, 7;\nredux.sync.min.s32 %v, %w, -1;"), 32, out);
    assert_int_equal(out[3], (uint32_t)-7);
    run(KERNEL("sub.u32 %w, %t, 7;\nredux.sync.max.u32 %v, %w, -1;"), 32, out);
    assert_int_equal(out[3], UINT32_MAX);
    run(KERNEL("setp.lt.u32 %p1, %t, 4; @%p1 bra OUT;\nelect.sync %v|%p2, 0xfffffff0;\n@%p2 add.u32 %v, %v, "
               "100;\nOUT:"),
        32, out);
    assert_int_equal(out[0], 0);
    assert_int_equal(out[4], 104);
    assert_int_equal(out[5], 4);
}

/* Both sides of a branch shuffle with the full mask: sm_70 lets them meet although their PCs differ. */
static void sync_meets_across_different_pcs(void **state) {
    (void)state;
    uint32_t out[32];
    run(KERNEL("setp.lt.u32 %p1, %t, 16;\nmul.lo.u32 %w, %t, 10;\n@%p1 bra LOW;\n"
               "shfl.sync.bfly.b32 %v, %w, 31, 31, -1;\nadd.u32 %v, %v, 1000;\nbra DONE;\n"
               "LOW: shfl.sync.bfly.b32 %v, %w, 31, 31, -1;\nDONE:"),
        32, out);
    for (uint32_t l = 0; l < 32; l++) assert_int_equal(out[l], (31 - l) * 10 + (l < 16 ? 0 : 1000));
}

/* Groups of one instruction with masks of their own do not wait for each other. */
static void member_masks_may_differ_between_lanes(void **state) {
    (void)state;
    uint32_t out[32];
    run(KERNEL("setp.lt.u32 %p1, %t, 16;\nselp.b32 %r1, 0xffff, 0xffff0000, %p1;\nredux.sync.add.u32 %v, %t, "
               "%r1;"),
        32, out);
    assert_int_equal(out[0], 120);
    assert_int_equal(out[31], 376);
}

static void exited_and_missing_lanes_are_not_waited_for(void **state) {
    (void)state;
    uint32_t out[32];
    run(KERNEL("setp.gt.u32 %p1, %t, 9;\n@%p1 exit;\nredux.sync.add.u32 %v, %t, -1;\nbar.warp.sync -1;"), 20,
        out);
    assert_int_equal(out[0], 45);
}

static void a_lane_outside_its_own_mask_is_a_fault(void **state) {
    (void)state;
    struct rig r = rig_load(KERNEL("redux.sync.add.u32 %v, %t, 7;"));
    rig_fails(&r, "k", 1, 32, (uint64_t[]){rig_buf(&r, 128, "b"), 0},
              "lane 3 executes redux with member mask 0x00000007, which does not name it\n"
              "  kernel k, block (0,0,0), thread (3,0,0)\n  at t.ptx:9: redux.sync.add.u32 %v, %t, 7;");
    rig_free(&r);
}

static void waiting_for_a_lane_that_never_comes_is_a_deadlock(void **state) {
    (void)state;
    struct rig r = rig_load(KERNEL("setp.eq.u32 %p1, %t, 0;\n@%p1 bra ELSE;\nbar.warp.sync -1;\nbra DONE;\n"
                                   "ELSE: bar.sync 0;\nDONE:"));
    rig_fails(&r, "k", 1, 4, (uint64_t[]){rig_buf(&r, 128, "b"), 0},
              "deadlock: no thread of the block can go on\n"
              "  kernel k, block (0,0,0): 4 threads wait, 0 have exited\n"
              "  warp 0, 1 thread from (0,0,0) on, lanes 0x00000001: waits in barrier 0 at t.ptx:13: ELSE: "
              "bar.sync 0;\n"
              "  warp 0, 3 threads from (1,0,0) on, lanes 0x0000000e: wait for lanes 0x00000001 at t.ptx:11: "
              "bar.warp.sync -1;");
    rig_free(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shuffles_follow_the_manual),
        cmocka_unit_test(votes_and_ballots_see_the_active_group),
        cmocka_unit_test(match_redux_and_elect),
        cmocka_unit_test(sync_meets_across_different_pcs),
        cmocka_unit_test(member_masks_may_differ_between_lanes),
        cmocka_unit_test(exited_and_missing_lanes_are_not_waited_for),
        cmocka_unit_test(a_lane_outside_its_own_mask_is_a_fault),
        cmocka_unit_test(waiting_for_a_lane_that_never_comes_is_a_deadlock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
