/* Dynamic warp formation on the whole machine: the kernels that diverge leave the memory the functional engine leaves under
 * every policy, and issue fewer, fuller warps than the post-dominator stack where threads of several warps part alike. */
#include "base/bits.h"
#include "kernels/timed.h"
#include "sim/sim.h"

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

/* DWF 4.1: what even and odd lanes do apart can only meet if every other warp has them the other way round. */
static void swizzling_fills_the_warps_of_odd_and_even(void **state) {
    (void)state;
    struct figures plain = on_wide_warps(ODD_EVEN, "dwf", "dwf.swizzle", "none"),
                   swizzled = on_wide_warps(ODD_EVEN, "dwf", "dwf.swizzle", "swap");
    if (!(swizzled.width > 1.3 * plain.width))
        fail_msg("lanes %g without, %g with", plain.width, swizzled.width);
}

/* ---- starvation: DWF 6.2, Figures 6.4(d) and 6.5(d) ---- */

enum {
    THREADS = 64,
    ODD = 5,
    ROUNDS = 60,
    ROUND = 5,
    BEFORE = 3
}; /* instructions of a round, before the first */

/* A loop with a short block that only thread 5 runs, in its first round. */
static const char RARE[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry rare(.param .u32 rounds)\n{\n"
    "\t.reg .b32 %r<4>;\n\t.reg .pred %p<2>;\n"
    "\tld.param.u32 %r0, [rounds];\n\tmov.u32 %r1, %tid.x;\n\tmov.u32 %r2, 0;\n"
    "AGAIN:\n\tsetp.ne.u32 %p0, %r1, 5;\n\t@%p0 bra ON;\n\tadd.u32 %r1, %r1, 1;\n"
    "ON:\n\tadd.u32 %r2, %r2, 1;\n\tsetp.lt.u32 %p1, %r2, %r0;\n\t@%p1 bra AGAIN;\n\tret;\n}\n";

/* Instructions of each thread over time, in samples of 40 cycles: a round of all eight warps. */
static void watch_threads(struct rig *r, const char *policy) {
    const hd_option o[] = {{"run.mode", "timed"}, {"run.mech", "dwf"}, {"dwf.policy", policy}};
    memset(r, 0, sizeof *r);
    if (hd_device_open(&(hd_config){.options = o, .noptions = 3, .file = "tiny"}, &r->dev))
        fail_msg("no device");
    MUST(r, hd_module_load(r->dev, "rare.ptx", RARE, 0, &r->mod));
    sim_watch(r->dev, &(struct watch){.interval = 40, .threads = THREADS});
    RUN(r, "rare", LAUNCH(.block = {THREADS}), hd_arg_u32(ROUNDS));
}

/* Samples in which all others are still at work. */
static size_t samples_at_work(const struct series *s) {
    for (size_t k = 0; k < s->samples.n; k++)
        for (uint32_t t = 0; t < THREADS; t++)
            if (t != ODD && s->counts.v[k * THREADS + t] == BEFORE + ROUNDS * ROUND + 1) return k;
    return s->samples.n;
}

/* It stands where it stepped aside until the others have finished. */
static void majority_starves_the_thread_that_took_another_way(void **state) {
    (void)state;
    struct rig r;
    watch_threads(&r, "dmaj");
    const struct series *s = sim_series(r.dev);
    const size_t n = samples_at_work(s);
    assert_true(n > 30);
    for (size_t k = 3; k < n; k++) assert_int_equal(s->counts.v[k * THREADS + ODD], BEFORE + 2);
    assert_int_equal(s->counts.v[(s->samples.n - 1) * THREADS + ODD], BEFORE + ROUNDS * ROUND + 2);
    rig_close(&r);
}

/* The thread has passed fewer post-dominators, so it goes first: it is never more than a round behind another. */
static void post_dominator_priority_lets_it_catch_up(void **state) {
    (void)state;
    struct rig r;
    watch_threads(&r, "dpdpri");
    const struct series *s = sim_series(r.dev);
    const size_t n = samples_at_work(s);
    assert_true(n > 30);
    for (size_t k = 0; k < n; k++)
        for (uint32_t t = 0; t < THREADS; t++)
            if (s->counts.v[k * THREADS + t] > s->counts.v[k * THREADS + ODD] + ROUND)
                fail_msg("sample %zu: thread %d has executed %llu, thread %u %llu", k, ODD,
                         (unsigned long long)s->counts.v[k * THREADS + ODD], t,
                         (unsigned long long)s->counts.v[k * THREADS + t]);
    rig_close(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_that_of_the_functional_engine),
        cmocka_unit_test(warps_are_fuller_than_on_a_stack),
        cmocka_unit_test(swizzling_fills_the_warps_of_odd_and_even),
        cmocka_unit_test(majority_starves_the_thread_that_took_another_way),
        cmocka_unit_test(post_dominator_priority_lets_it_catch_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
