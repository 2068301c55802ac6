/* Asynchronous copies and mbarriers, values only: bytes against a plain copy, phases against a model of the PTX manual's
 * words, and what is a fault. That a copy takes time is in tests/unit/sim/async.c. */
#include "rig.h"

#include "base/bits.h"

#define KERNEL(params, regs, body) \
    HEAD ".visible .entry k(" params ") {\n.shared .align 128 .b8 sh[4096];\n" regs "\n" body "\nret;\n}\n"
#define REGS ".reg .b64 %a, %d<9>; .reg .b32 %r<9>; .reg .pred %p<4>;"

/* ---- cp.async ---- */

/* Thread t copies from p + 32 t, reads as many bytes as the word at p + 2048 + 4 t says, and stores the result. */
#define COPY(insn)                                                                                      \
    KERNEL(                                                                                             \
        ".param .u64 p", REGS,                                                                          \
        "ld.param.u64 %a, [p]; mov.u32 %r0, %tid.x; mul.wide.u32 %d0, %r0, 4; add.u64 %d1, %a, %d0;\n"  \
        "ld.global.u32 %r1, [%d1+2048]; setp.eq.u32 %p1, %r1, 0; mul.wide.u32 %d2, %r0, 32;\n"          \
        "add.u64 %d3, %a, %d2; mov.u32 %r2, sh; mad.lo.u32 %r3, %r0, 16, %r2;\n"                        \
        "st.shared.v4.u32 [%r3], {-1,-1,-1,-1}; st.shared.v4.u32 [%r3+1024], {-1,-1,-1,-1};\n" insn     \
        "\ncp.async.commit_group; cp.async.wait_group 0;\nld.shared.v4.u32 {%r4,%r5,%r6,%r7}, [%r3];\n" \
        "mul.wide.u32 %d4, %r0, 16; add.u64 %d5, %a, %d4; st.global.v4.u32 [%d5+4096], {%r4,%r5,%r6,%r7};")

static void check_copy(const char *text, uint32_t size, bool sized, bool predicate) {
    struct rig r = rig_load(text);
    const uint64_t p = rig_buf(&r, 8192, "data");
    uint8_t *b = exec_mem_at(r.mem, p, 8192);
    for (int k = 0; k < 2048; k++) b[k] = (uint8_t)(k * 13 + 5);
    uint32_t *n = (uint32_t *)(void *)(b + 2048);
    for (uint32_t t = 0; t < 40; t++) n[t] = t % 18;
    rig_ok(&r, "k", 1, 40, &p);
    for (uint32_t t = 0; t < 40; t++) {
        uint8_t want[16];
        memset(want, 0xff, sizeof want);
        const uint32_t read = predicate ? (n[t] ? size : 0) : !sized || n[t] > size ? size : n[t];
        memset(want, 0, size);
        memcpy(want, b + 32 * t + 8 * (size == 8), read);
        assert_memory_equal(b + 4096 + 16 * t, want, sizeof want);
    }
    rig_free(&r);
}

static void copies_of_every_size(void **state) {
    (void)state;
    check_copy(COPY("cp.async.ca.shared.global [%r3], [%d3], 4;"), 4, false, false);
    check_copy(COPY("cp.async.ca.shared::cta.global.L2::128B [%r3], [%d3+8], 8;"), 8, false, false);
    check_copy(COPY("cp.async.cg.shared.global [%r3], [%d3], 16;"), 16, false, false);
    check_copy(COPY("cp.async.ca.shared.global.L2::cache_hint [%r3], [%d3], 16, %d7;"), 16, false, false);
    check_copy(COPY("cp.async.ca.shared.global [%r3], [%d3], 4, %r1;"), 4, true, false);
    check_copy(COPY("cp.async.ca.shared.global [%r3], [%d3+8], 8, %r1;"), 8, true, false);
    check_copy(COPY("cp.async.cg.shared.global [%r3], [%d3], 16, %r1;"), 16, true, false);
    check_copy(COPY("cp.async.ca.shared.global [%r3], [%d3], 4, %p1;"), 4, false, true);
    check_copy(COPY("cp.async.cg.shared.global [%r3], [%d3], 16, %p1;"), 16, false, true);
    /* a displacement of the destination */
    check_copy(
        COPY("sub.u32 %r3, %r3, 1024; cp.async.cg.shared.global [%r3+1024], [%d3], 16; add.u32 %r3, %r3, "
             "1024;"),
        16, false, false);
}

#define ONE(insn) KERNEL(".param .u64 p", REGS, "ld.param.u64 %a, [p]; mov.u32 %r1, sh;\n" insn)

static void fails_with(const char *text, const char *why) {
    struct rig r = rig_load(text);
    const uint64_t p = rig_buf(&r, 256, "data");
    assert_false(rig_run(&r, "k", 1, 1, &p));
    if (!strstr(err_text(&r.err), why)) fail_msg("%s", err_text(&r.err));
    rig_free(&r);
}

static void copies_are_checked_like_accesses(void **state) {
    (void)state;
    fails_with(ONE("cp.async.cg.shared.global [%r1], [%a+256], 16;"), "just past the end of data");
    fails_with(ONE("cp.async.cg.shared.global [%r1], [%a+248], 16;"), "misaligned 16-byte load");
    fails_with(ONE("cp.async.ca.shared.global [%r1+4096], [%a], 4;"), "shared");
    fails_with(ONE("cp.async.ca.shared.global [%r1+8], [%a], 16;"), "misaligned");
    fails_with(ONE("mov.u64 %a, 0; cp.async.ca.shared.global [%r1], [%a], 4;"), "null");
    struct rig r =
        rig_load(ONE("mov.u64 %a, 0; cp.async.ca.shared.global [%r1], [%a], 4, 0;")); /* nothing is read */
    rig_ok(&r, "k", 1, 1, &(uint64_t){0});
    rig_free(&r);
    r = rig_load(ONE("cp.async.cg.shared.global [%r1], [%a+240], 16, 9;"));
    const uint64_t p = rig_buf(&r, 249, "data"); /* only what is read has to be there */
    rig_ok(&r, "k", 1, 1, &p);
    rig_free(&r);
}

/* Memory of the host has its own addresses on the device, as cudaHostRegister gives it: what lies between two such pieces is
 * as far from them here as there. */
static void place_host(struct rig *r, uint64_t addr, void *host, uint64_t bytes) {
    const struct exec_place p = {.bytes = bytes, .fixed = addr, .host = host, .label = "host"};
    uint64_t at;
    assert_true(exec_mem_place(r->mem, &p, &at, &r->err));
}

static void copy_across(const char *insn) {
    static _Alignas(16) uint8_t host[768], want[768];
    struct rig r = rig_load(insn);
    const uint64_t p = (uint64_t)(uintptr_t)host;
    for (uint32_t k = 0; k < sizeof host; k++) host[k] = want[k] = (uint8_t)(k + 1);
    place_host(&r, p, host, 256);
    place_host(&r, p + 512, host + 512, 256);
    assert_false(rig_run(&r, "k", 1, 1, &p));
    assert_non_null(strstr(err_text(&r.err), "out-of-bounds 768-byte"));
    assert_memory_equal(host, want, sizeof host);
    rig_free(&r);
}

static void bulk_copies_do_not_cross_from_one_piece_of_memory_to_another(void **state) {
    (void)state;
    copy_across(ONE("cp.async.bulk.global.shared::cta.bulk_group [%a], [sh], 768;"));
    copy_across(ONE("mbarrier.init.shared.b64 [sh+4088], 1;\n"
                    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [sh], [%a], 768, "
                    "[sh+4088];"));
}

static void copies_do_not_cross_from_one_piece_of_memory_to_another(void **state) {
    (void)state;
    static uint8_t first[8], second[8];
    struct rig r = rig_load(ONE("cp.async.cg.shared.global [%r1], [%a], 16;"));
    const uint64_t p = UINT64_C(1) << 40;
    place_host(&r, p, first, sizeof first);
    place_host(&r, p + 8, second, sizeof second);
    assert_false(rig_run(&r, "k", 1, 1, &p));
    assert_non_null(strstr(err_text(&r.err), "out-of-bounds 16-byte load"));
    rig_free(&r);
}

/* ---- mbarriers ---- */

struct model { /* in plain numbers */
    long expected, pending, tx, phase;
};

static void step_phase(struct model *m) {
    if (m->pending || m->tx) return;
    m->phase++;
    m->pending = m->expected;
}

enum { ARRIVE, ARRIVE_N, EXPECT, COMPLETE, ARRIVE_TX, DROP, CP, CP_NOINC, KINDS, STEPS = 48 };

/* One random step that the manual allows, as text and in the model; returns what pending_count of its state must be, or
 * -1. */
static long add_step(struct sb *out, struct rng *g, struct model *m) {
    const long before = m->pending;
    long n = 1 + (long)rng_below(g, (uint64_t)(before ? before : 1)), tx = 16 * (1 + (long)rng_below(g, 8));
    uint64_t kind = rng_below(g, KINDS);
    if (!before) kind = m->tx > 0 ? COMPLETE : EXPECT; /* no thread may arrive: bytes are missing */
    if (kind == DROP && m->expected < 3) kind = ARRIVE;
    switch (kind) {
    case ARRIVE:
        sb_add(out, "mbarrier.arrive.shared.b64 %%d1, [sh+8];\n");
        m->pending--;
        break;
    case ARRIVE_N:
        sb_add(out, "mbarrier.arrive.release.cta.shared::cta.b64 %%d1, [sh+8], %ld;\n", n);
        m->pending -= n;
        break;
    case EXPECT:
        if (!before) tx = -m->tx + 16;
        sb_add(out, "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [sh+8], %ld;\n", tx);
        m->tx += tx;
        return step_phase(m), -1;
    case COMPLETE:
        if (m->tx > 0 && (!before || rng_below(g, 2))) tx = m->tx;
        sb_add(out, "mbarrier.complete_tx.shared::cta.b64 [sh+8], %ld;\n", tx);
        m->tx -= tx;
        return step_phase(m), -1;
    case ARRIVE_TX:
        sb_add(out, "mbarrier.arrive.expect_tx.shared.b64 %%d1, [sh+8], %ld;\n", tx);
        m->tx += tx;
        m->pending--;
        break;
    case DROP:
        sb_add(out, "mbarrier.arrive_drop.shared.b64 %%d1, [sh+8];\n");
        m->pending--;
        m->expected--;
        break;
    case CP: sb_add(out, "cp.async.mbarrier.arrive.shared.b64 [sh+8];\n"); return step_phase(m), -1;
    default:
        sb_add(out, "cp.async.mbarrier.arrive.noinc.shared.b64 [sh+8];\n");
        m->pending--;
        return step_phase(m), -1;
    }
    step_phase(m);
    return before;
}

#define OPENING HEAD ".visible .entry k(.param .u64 p) {\n.shared .align 8 .b8 sh[64];\n" REGS "\n"

/* After each step: pending_count of the state it returned, whether its phase is over by state, and by both parities. */
static void phases_follow_the_manual(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct rng g = {seed};
        struct model m = {.expected = 1 + (long)rng_below(&g, 6)};
        struct sb text = {0};
        long want[STEPS][4];
        m.pending = m.expected;
        sb_add(&text, "%s", OPENING);
        sb_add(&text, "ld.param.u64 %%a, [p]; mbarrier.init.shared.b64 [sh+8], %ld;\n", m.expected);
        for (int s = 0; s < STEPS; s++) {
            const long phase = m.phase;
            want[s][0] = add_step(&text, &g, &m);
            sb_add(&text, want[s][0] < 0
                              ? "mov.u32 %%r1, -1; mov.u32 %%r2, -1;\n"
                              : "mbarrier.pending_count.b64 %%r1, %%d1; mbarrier.test_wait.shared.b64 %%p1, "
                                "[sh+8], %%d1; selp.u32 %%r2, 1, 0, %%p1;\n");
            sb_add(&text,
                   "mbarrier.test_wait.parity.shared.b64 %%p1, [sh+8], 0; selp.u32 %%r3, 1, 0, %%p1;\n"
                   "mbarrier.try_wait.parity.shared.b64 %%p1, [sh+8], 1, 100; selp.u32 %%r4, 1, 0, %%p1;\n"
                   "st.global.v4.u32 [%%a+%d], {%%r1,%%r2,%%r3,%%r4};\n",
                   16 * s);
            want[s][1] = want[s][0] < 0 ? -1 : m.phase != phase;
            want[s][2] = m.phase % 2 != 0;
            want[s][3] = m.phase % 2 != 1;
        }
        sb_add(&text, "ret;\n}\n");
        struct rig r = rig_load(text.text);
        const uint64_t p = rig_buf(&r, 16 * STEPS, "out");
        rig_ok(&r, "k", 1, 1, &p);
        const int32_t *got = exec_mem_at(r.mem, p, 16 * STEPS);
        for (int s = 0; s < STEPS; s++)
            for (int k = 0; k < 4; k++)
                if (got[4 * s + k] != want[s][k])
                    fail_msg("seed %d step %d: value %d is %d, not %ld\n%s", (int)seed, s, k, got[4 * s + k],
                             want[s][k], text.text);
        rig_free(&r);
        sb_free(&text);
    }
}

static void what_the_manual_leaves_undefined_is_a_fault(void **state) {
    (void)state;
    fails_with(ONE("mbarrier.arrive.shared.b64 %d1, [%r1];"),
               "the mbarrier at shared address 0x0 is not initialised");
    fails_with(ONE("mbarrier.init.shared.b64 [%r1], 0;"), "is initialised with a count beyond 1 to 2^20 - 1");
    fails_with(ONE("mbarrier.init.shared.b64 [%r1], 2; mbarrier.arrive.shared.b64 %d1, [%r1], 3;"),
               "3 arrivals at the mbarrier at shared address 0x0, which waits for 2 of 2");
    fails_with(ONE("mbarrier.init.shared.b64 [%r1], 2; mbarrier.inval.shared.b64 [%r1]; "
                   "mbarrier.test_wait.parity.shared"
                   ".b64 %p1, [%r1], 0;"),
               "is not initialised");
    fails_with(ONE("mbarrier.init.shared.b64 [%r1+4], 2;"), "misaligned");
    fails_with(ONE("mbarrier.init.b64 [%a], 2;"), "an mbarrier lies in shared memory, this address does not");
}

/* Warp 0 fills, the others wait for the phase and read; twice round, the buffer handed back by another mbarrier. */
static const char pipeline[] = KERNEL(
    ".param .u64 p", REGS,
    "ld.param.u64 %a, [p]; mov.u32 %r0, %tid.x; setp.ne.u32 %p0, %r0, 0;\n"
    "@%p0 bra ready; mbarrier.init.shared.b64 [sh], 32; mbarrier.init.shared.b64 [sh+8], 96;\nready: "
    "bar.sync 0;\n"
    "mov.u32 %r7, 0; setp.ge.u32 %p0, %r0, 32; @%p0 bra consumer;\n"
    "producer: mov.u32 %r4, sh; mad.lo.u32 %r1, %r0, 16, %r4; add.u32 %r6, %r7, 1; and.b32 %r6, %r6, 1;\n"
    "empty: mbarrier.try_wait.parity.shared.b64 %p1, [sh+8], %r6; @!%p1 bra empty;\n"
    "mad.lo.u32 %r2, %r7, 512, 0; mad.lo.u32 %r2, %r0, 16, %r2; cvt.u64.u32 %d1, %r2; add.u64 %d1, %d1, %a;\n"
    "cp.async.cg.shared.global [%r1+64], [%d1], 16; cp.async.mbarrier.arrive.noinc.shared.b64 [sh];\n"
    "add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 4; @%p1 bra producer; bra done;\n"
    "consumer: and.b32 %r6, %r7, 1;\n"
    "full: mbarrier.try_wait.parity.shared.b64 %p1, [sh], %r6; @!%p1 bra full;\n"
    "and.b32 %r2, %r0, 31; mov.u32 %r4, sh; mad.lo.u32 %r1, %r2, 16, %r4; ld.shared.u32 %r3, [%r1+64];\n"
    "mad.lo.u32 %r2, %r7, 128, %r0; mul.wide.u32 %d1, %r2, 4; add.u64 %d1, %d1, %a; st.global.u32 "
    "[%d1+4096], %r3;\n"
    "mbarrier.arrive.shared.b64 %d2, [sh+8]; add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 4; @%p1 bra "
    "consumer;\ndone:");

static void producers_and_consumers_hand_a_buffer_over(void **state) {
    (void)state;
    struct rig r = rig_load(pipeline);
    const uint64_t p = rig_buf(&r, 8192, "data");
    uint32_t *v = exec_mem_at(r.mem, p, 8192);
    for (uint32_t k = 0; k < 1024; k++) v[k] = k * 2654435761u;
    rig_ok(&r, "k", 1, 128, &p);
    for (uint32_t round = 0; round < 4; round++)
        for (uint32_t t = 32; t < 128; t++)
            assert_int_equal(v[1024 + round * 128 + t], v[round * 128 + t % 32 * 4]);
    rig_free(&r);
}

/* A thread waits for 33 arrivals of 32: the report says which thread and where. */
static void waits_that_nobody_can_end_are_reported(void **state) {
    (void)state;
    struct rig r = rig_load(KERNEL(".param .u64 p", REGS,
                                   "mov.u32 %r0, %tid.x; setp.ne.u32 %p0, %r0, 0; @%p0 bra ready;\n"
                                   "mbarrier.init.shared.b64 [sh], 33;\nready: bar.sync 0;\n"
                                   "mbarrier.arrive.shared.b64 %d1, [sh];\n"
                                   "again: mbarrier.try_wait.shared.b64 %p1, [sh], %d1; @!%p1 bra again;"));
    assert_false(rig_run(&r, "k", 1, 32, &(uint64_t){0}));
    const char *why = err_text(&r.err);
    if (!strstr(why, "deadlock: every thread polls memory that no thread will change") ||
        !strstr(why, "warp 0, lanes 0xffffffff: loop at t.ptx") || !strstr(why, "try_wait"))
        fail_msg("%s", why);
    rig_free(&r);
}

/* ---- bulk copies ---- */

static void bulk_copies_go_in_and_out(void **state) {
    (void)state;
    struct rig r = rig_load(
        ONE("mbarrier.init.shared.b64 [sh], 1; mbarrier.arrive.expect_tx.shared.b64 %d1, [sh], 512;\n"
            "mbarrier.test_wait.shared.b64 %p0, [sh], %d1; selp.u32 %r2, 1, 0, %p0;\n"
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [sh+128], [%a+256], 512, "
            "[sh];\nmbarrier.test_wait.shared.b64 %p0, [sh], %d1; selp.u32 %r3, 1, 0, %p0;\n"
            "fence.proxy.async.shared::cta;\n"
            "cp.async.bulk.global.shared::cta.bulk_group [%a+1024], [sh+128], 512;\n"
            "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;\n"
            "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%a+2048], [sh+128], 256;\n"
            "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n"
            "st.global.v2.u32 [%a], {%r2,%r3};"));
    const uint64_t p = rig_buf(&r, 4096, "data");
    uint32_t *v = exec_mem_at(r.mem, p, 4096);
    for (uint32_t k = 0; k < 1024; k++) v[k] = k < 512 ? k * 77u : 5;
    rig_ok(&r, "k", 1, 1, &p);
    assert_int_equal(v[0], 0);
    assert_int_equal(v[1], 1);
    for (uint32_t k = 0; k < 128; k++) assert_int_equal(v[256 + k], (64 + k) * 77u);
    for (uint32_t k = 0; k < 64; k++) assert_int_equal(v[512 + k], 5 + (64 + k) * 77u);
    assert_int_equal(v[512 + 64], 5);
    rig_free(&r);
    fails_with(ONE("cp.async.bulk.global.shared::cta.bulk_group [%a], [sh], 24;"), "a bulk copy of 24 bytes");
    fails_with(ONE("cp.async.bulk.global.shared::cta.bulk_group [%a+8], [sh], 16;"), "misaligned");
    fails_with(ONE("cp.async.bulk.global.shared::cta.bulk_group [%a], [sh], 272;"), "data");
#define COMPLETES "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [sh], [%a], "
#define WITHIN                             \
    "mbarrier.init.shared.b64 [sh+8], 1; " \
    "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
    fails_with(ONE(COMPLETES "16, [sh+4096];"), "out-of-bounds 8-byte store to shared memory");
    fails_with(ONE(COMPLETES "0, [sh+4096];"), "out-of-bounds 8-byte store to shared memory");
    fails_with(ONE(COMPLETES "16, [sh+4];"), "misaligned 8-byte store to shared memory");
    fails_with(ONE(COMPLETES "16, [sh+8];"), "is not initialised");
    fails_with(ONE(WITHIN "[sh+4080], [sh], 32, [sh+8];"), "out-of-bounds 32-byte store to shared memory");
    fails_with(ONE(WITHIN "[sh+16], [sh+4080], 32, [sh+8];"),
               "out-of-bounds 32-byte load from shared memory");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_of_every_size),
        cmocka_unit_test(copies_are_checked_like_accesses),
        cmocka_unit_test(bulk_copies_do_not_cross_from_one_piece_of_memory_to_another),
        cmocka_unit_test(copies_do_not_cross_from_one_piece_of_memory_to_another),
        cmocka_unit_test(phases_follow_the_manual),
        cmocka_unit_test(what_the_manual_leaves_undefined_is_a_fault),
        cmocka_unit_test(producers_and_consumers_hand_a_buffer_over),
        cmocka_unit_test(waits_that_nobody_can_end_are_reported),
        cmocka_unit_test(bulk_copies_go_in_and_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
