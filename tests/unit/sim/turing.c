/* The latencies of turing-rtx2060 against those measured on such hardware (gpu-arch-microbenchmark, an RTX 2070), by the
 * same method: one thread, each instruction needs the result of the one before. A round's own counting is done while its load
 * is under way. */
#include "kernels/harness.h"

static void chase_open(struct rig *r, const char *head, const char *round, const char *const *set) {
    hd_option o[8] = {{"run.mode", "timed"}, {"gpu.sms", "1"}};
    size_t n = 2;
    for (; set && *set; set += 2) o[n++] = (hd_option){set[0], set[1]};
    memset(r, 0, sizeof *r);
    if (hd_device_open(&(hd_config){.options = o, .noptions = n, .file = "turing-rtx2060"}, &r->dev))
        fail_msg("%s", r->dev ? hd_error(r->dev) : "no memory");
    struct sb t = {0};
    sb_add(&t,
           ".version 7.0\n.target sm_70\n.address_size 64\n.const .align 64 .b8 c[8192];\n"
           ".visible .entry k(.param .u64 ring, .param .u32 rounds)\n{\n"
           ".reg .b64 %%a<4>; .reg .b32 %%r<9>; .reg .f32 %%f<4>; .reg .pred %%p;\n"
           ".shared .align 8 .b8 s[64];\n"
           "ld.param.u64 %%a0, [ring]; mov.u64 %%a2, %%a0; ld.param.u32 %%r0, [rounds];\n%s\n"
           "L:\n%s\nsub.u32 %%r0, %%r0, 1; setp.ne.u32 %%p, %%r0, 0; @%%p bra L;\n"
           "st.global.u64 [%%a2+8], %%a0; ret;\n}\n",
           head, round);
    MUST(r, hd_module_load(r->dev, "chase.ptx", t.text, t.len, &r->mod));
    sb_free(&t);
}

static uint64_t cycles(struct rig *r, uint64_t ring, uint32_t rounds) {
    RUN(r, "k", LAUNCH(.grid = {1}, .block = {1}), PTR(ring), hd_arg_u32(rounds));
    return (uint64_t)rig_stat(r, "gpu.cycles");
}

/* Cycles of a round once everything is where it stays: of the rounds from `warm` on, as many again. The ring's lines, of
 * `stride` bytes, each hold the address of the next. */
static double each(const char *head, const char *round, uint32_t lines, uint32_t stride, uint32_t warm,
                   const char *const *set) {
    struct rig r;
    chase_open(&r, head, round, set);
    uint64_t ring = rig_zero(&r, (size_t)lines * stride + 64);
    for (uint32_t i = 0; i < lines; i++) {
        uint64_t next = ring + (uint64_t)((i + 1) % lines) * stride;
        MUST(&r, hd_copy_in(r.dev, ring + (uint64_t)i * stride, &next, 8));
    }
    cycles(&r, ring, warm); /* brings the code, as the ring, into L2 */
    uint64_t few = cycles(&r, ring, warm), more = cycles(&r, ring, 2 * warm);
    rig_close(&r);
    return (double)(more - few) / warm;
}

static void is(const char *what, double got, double want) {
    if (got != want) fail_msg("%s takes %g cycles, not %g", what, got, want);
}

static void global_loads(void **state) {
    (void)state;
    const char *chase = "ld.global.u64 %a0, [%a0];";
    is("a hit in L1", each("", chase, 1, 128, 64, NULL), 32);
    /* 128 KB: four times L1, in L2 after the first lap. */
    is("a hit in L2", each("", chase, 1024, 128, 1024, NULL), 236);
}

static void shared_loads(void **state) {
    (void)state;
    is("a shared load",
       each("mov.u64 %a1, s; cvt.u32.u64 %r1, %a1; st.shared.u32 [%r1], %r1;", "ld.shared.u32 %r1, [%r1];", 1,
            64, 64, NULL),
       23);
}

/* Cycles of one of these steps in a row, from two loops of which one has 8 more; issue is in order, so that what ends a round
 * cannot overlap with a step that waits. Fetch is left out. */
static double step(const char *head, const char *text, uint32_t warm) {
    const char *const set[] = {"sm.ideal_fetch", "true", NULL};
    double round[2];
    for (int k = 0; k < 2; k++) {
        struct sb body = {0};
        for (int n = 0; n < 4 + 8 * k; n++) sb_add(&body, "%s\n", text);
        round[k] = each(head, body.text, 1, 64, warm, set);
        sb_free(&body);
    }
    return (round[1] - round[0]) / 8;
}

/* The table is zero: the loaded value, added to an address known before, makes the next load wait; the addition is 4. */
static void constant_loads(void **state) {
    (void)state;
    const char *head = "mov.u64 %a1, c; cvt.u32.u64 %r1, %a1; mov.u32 %r3, 0; mov.u32 %r4, %r1;";
    is("a hit in L1C", step(head, "ld.const.u32 %r2, [%r1]; add.u32 %r1, %r4, %r2;", 16), 4 + 4);
    const char *walk = "ld.const.u32 %r2, [%r1]; add.u32 %r3, %r3, 64; and.b32 %r3, %r3, 8191;\n"
                       "add.u32 %r5, %r4, %r3; add.u32 %r1, %r5, %r2;";
    is("a hit in L1.5", step(head, walk, 128), 62 + 4);
}

static void multiply_adds(void **state) {
    (void)state;
    const char *head = "mov.f32 %f1, 0f3f800000; mov.f32 %f2, %f1; mov.f32 %f3, %f1;";
    is("a multiply-add", step(head, "fma.rn.f32 %f1, %f1, %f2, %f3;", 16), 4);
}

/* Two warps on the machine of 30 SMs, 64 words each, 16 laps: 128 lines, each asked for once by a store, which does not
 * allocate, once by the load that brings it, and 15 times by one that finds it. A load after the first lap takes 32 cycles, one
 * of the first, which finds in L2 what the stores have left there, 236; those of the other warp are under way meanwhile. */
static void local_arrays_stay_in_the_first_level(void **state) {
    (void)state;
    enum { WORDS = 64, LAPS = 16, WARPS = 2 };
    struct rig r;
    const char *const set[] = {"gpu.sms", "30", NULL};
    const char *each_word_holds_the_address_of_the_next =
        ".local .align 4 .b8 v[256]; mov.u64 %a1, v; cvt.u32.u64 %r1, %a1; mov.u32 %r2, %r1;\n"
        "add.u32 %r3, %r1, 252;\n"
        "F: add.u32 %r4, %r2, 4; st.local.u32 [%r2], %r4; mov.u32 %r2, %r4; setp.ne.u32 %p, %r2, %r3;\n"
        "@%p bra F; st.local.u32 [%r3], %r1;";
    chase_open(&r, each_word_holds_the_address_of_the_next, "ld.local.u32 %r1, [%r1];", set);
    uint64_t ring = rig_zero(&r, 64);
    RUN(&r, "k", LAUNCH(.grid = {1}, .block = {WARPS * 32}), PTR(ring), hd_arg_u32(WORDS * LAPS));
    assert_int_equal(rig_stat(&r, "l1d.reads"), WARPS * WORDS * LAPS);
    assert_int_equal(rig_stat(&r, "l1d.hits"), WARPS * WORDS * (LAPS - 1));
    const double least = WORDS * (236 + 32.0 * (LAPS - 1)), took = rig_stat(&r, "gpu.cycles");
    if (took < least || took > 1.2 * least) fail_msg("%g cycles, not %g to %g", took, least, 1.2 * least);
    rig_close(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(global_loads),
        cmocka_unit_test(shared_loads),
        cmocka_unit_test(constant_loads),
        cmocka_unit_test(multiply_adds),
        cmocka_unit_test(local_arrays_stay_in_the_first_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
