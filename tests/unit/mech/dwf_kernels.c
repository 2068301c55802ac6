/* Dynamic warp formation on the whole machine: the kernels that diverge leave the memory the functional engine leaves under
 * every policy, and issue fewer, fuller warps than the post-dominator stack where threads of several warps part alike. */
#include "base/bits.h"
#include "kernels/timed.h"

enum { N = 512 };

struct subject {
    const char *name, *file, *kernel;
    bool input;      /* reads an array of numbers */
    uint32_t number; /* the last argument; 0: none */
};
static const struct subject subjects[] = {
    {"nested ifs", "diverge.ptx", "nested", false, 24},
    {"odd and even", "diverge.ptx", "odd_even", false, 24},
    {"collatz", "diverge.ptx", "collatz", false, N},
    {"loop with a break", "diverge.ptx", "loop_break", true, 60},
    {"state machine", "shapes.ptx", "state_machine", true, 0},
    {"uniform", "diverge.ptx", "uniform", false, 24},
};
enum { NESTED, ODD_EVEN, SUBJECTS = sizeof subjects / sizeof *subjects };

static void launch(struct rig *r, const struct subject *s, uint32_t *out) {
    struct rng rng = {6};
    uint32_t in[N];
    hd_arg args[3];
    size_t n = 0;
    for (int i = 0; i < N; i++) in[i] = (uint32_t)rng_next(&rng);
    const uint64_t d = rig_zero(r, 4 * N);
    args[n++] = PTR(d);
    if (s->input) args[n++] = PTR(rig_in(r, in, sizeof in));
    if (s->number) args[n++] = hd_arg_u32(s->number);
    MUST(r, rig_launch(r, s->kernel, LAUNCH(.grid = {N / 128}, .block = {128}), args, n));
    rig_out(r, d, out, 4 * N);
}

struct figures {
    double ipc, insts, width;
};
static struct figures timed(const struct subject *s, const struct timed_machine *m, uint32_t *out) {
    struct rig r;
    timed_open(&r, m, s->file);
    launch(&r, s, out);
    struct figures f = {rig_stat(&r, "gpu.ipc"), rig_stat(&r, "sm.thread_insts"),
                        rig_stat(&r, "sm.lane_activity")};
    rig_close(&r);
    return f;
}

static const char *const policies[] = {"dmaj", "dmin", "dtime", "dpc", "dpdpri"};

static void memory_is_that_of_the_functional_engine(void **state) {
    (void)state;
    static const char *const lanes[] = {"aware", "free", "conflict"}, *const issue[] = {"barrel",
                                                                                        "scoreboard"};
    for (size_t k = 0; k < SUBJECTS; k++) {
        struct rig r;
        uint32_t want[N], got[N];
        rig_open(&r, subjects[k].file);
        launch(&r, &subjects[k], want);
        rig_close(&r);
        for (size_t p = 0; p < 5; p++) {
            struct timed_machine m = {"tiny",
                                      "dwf",
                                      {"dwf.policy", policies[p], "dwf.lanes", lanes[(k + p) % 3], "sm.issue",
                                       issue[k % 2], "sm.warp_size", p % 2 ? "8" : "32"}};
            timed(&subjects[k], &m, got);
            same_u32(policies[p], got, want, N);
        }
    }
}

static struct figures on_wide_warps(size_t subject, const char *mech, const char *key, const char *value) {
    uint32_t out[N];
    struct timed_machine m = {
        "harp-fermi", mech, {"gpu.sms", "1", "memory.ideal", "true", "sm.schedulers", "1", key, value}};
    return timed(&subjects[subject], &m, out);
}

/* Idle lanes of one warp are filled with threads of another; nothing does better than any threads on any lanes. Of the
 * policies, those that keep threads together do well and dmin does not (6.1, Figure 6.3). */
static void warps_are_fuller_than_on_a_stack(void **state) {
    (void)state;
    static const char *const good[] = {"dmaj", "dpdpri"};
    struct figures pdom = on_wide_warps(NESTED, "pdom", NULL, NULL),
                   mimd = on_wide_warps(NESTED, "mimd", NULL, NULL),
                   dmin = on_wide_warps(NESTED, "dwf", "dwf.policy", "dmin");
    for (size_t p = 0; p < 2; p++) {
        struct figures dwf = on_wide_warps(NESTED, "dwf", "dwf.policy", good[p]);
        if (!(dwf.width > 1.05 * pdom.width && dwf.ipc > 1.05 * pdom.ipc && dwf.ipc <= 1.02 * mimd.ipc))
            fail_msg("%s: lanes %g, IPC %g; pdom %g, %g; mimd %g", good[p], dwf.width, dwf.ipc, pdom.width,
                     pdom.ipc, mimd.ipc);
        assert_true(dwf.insts == pdom.insts && dmin.ipc < dwf.ipc);
    }
}

/* 004 4.1: what even and odd lanes do apart can only meet if every other warp has them the other way round. */
static void swizzling_fills_the_warps_of_odd_and_even(void **state) {
    (void)state;
    struct figures plain = on_wide_warps(ODD_EVEN, "dwf", "dwf.swizzle", "false"),
                   swizzled = on_wide_warps(ODD_EVEN, "dwf", "dwf.swizzle", "true");
    if (!(swizzled.width > 1.3 * plain.width))
        fail_msg("lanes %g without, %g with", plain.width, swizzled.width);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_that_of_the_functional_engine),
        cmocka_unit_test(warps_are_fuller_than_on_a_stack),
        cmocka_unit_test(swizzling_fills_the_warps_of_odd_and_even),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
