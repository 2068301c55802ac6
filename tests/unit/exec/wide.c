/* Accesses and atomics of 16 and 32 bytes, pairs of f32 in a register, redux of f32, and the barrier of a cluster of one
 * block. */
#include "rig.h"

#include <math.h>

#include "base/bits.h"

#define KERNEL(body)                                                                                        \
    HEAD ".visible .entry k(.param .u64 p) {\n.shared .align 128 .b8 sh[1024];\n.reg .b64 %a, %d<9>; .reg " \
         ".b128 %q<4>; .reg .b32 %r<12>, %t; .reg .pred %p<4>;\nld.param.u64 %a, [p]; mov.u32 %t, "         \
         "%tid.x;\n" body "\nret;\n}\n"

static struct rig start(const char *text, uint64_t *p, uint32_t **v) {
    struct rig r = rig_load(text);
    *p = rig_buf(&r, 4096, "data");
    *v = exec_mem_at(r.mem, *p, 4096);
    for (uint32_t k = 0; k < 1024; k++) (*v)[k] = k * 2654435761u;
    return r;
}

static void accesses_of_32_bytes(void **state) {
    (void)state;
    static const char *const text[] = {
        KERNEL("mul.wide.u32 %d0, %t, 32; add.u64 %d1, %a, %d0;\n"
               "ld.global.v8.b32 {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [%d1];\n"
               "st.global.v8.b32 [%d1+2048], {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7};"),
        KERNEL("mul.wide.u32 %d0, %t, 32; add.u64 %d1, %a, %d0;\nmov.u64 %d6, %d1;\n"
               "ld.global.v4.b64 {%d1,%d2,%d3,%d4}, [%d1]; st.global.v4.b64 [%d6+2048], {%d1,%d2,%d3,%d4};"),
        KERNEL(
            "mul.wide.u32 %d0, %t, 32; add.u64 %d1, %a, %d0;\nld.global.b128 %q0, [%d1]; ld.global.b128 %q1, "
            "[%d1+16]; mov.b128 {%d2,%d3}, %q1; mov.b128 %q2, {%d2,%d3};\n"
            "st.global.b128 [%d1+2048], %q0; st.global.b128 [%d1+2064], %q2;")};
    for (size_t k = 0; k < sizeof text / sizeof *text; k++) {
        uint64_t p;
        uint32_t *v;
        struct rig r = start(text[k], &p, &v);
        rig_ok(&r, "k", 1, 64, &p);
        assert_memory_equal(v, v + 512, 2048);
        rig_free(&r);
    }
}

/* A ticket of 128 bits that every thread exchanges, and a counter that each swaps until it succeeds. */
static void atomics_of_16_bytes(void **state) {
    (void)state;
    uint64_t p;
    uint32_t *v;
    struct rig r = start(
        KERNEL("mov.u64 %d5, 0; again: ld.global.b128 %q0, [%a]; mov.b128 {%d0,%d1}, %q0; add.u64 %d2, "
               "%d0, 1; sub.u64 %d3, %d1, 1; mov.b128 %q1, {%d2,%d3};\n"
               "atom.global.cas.b128 %q2, [%a], %q0, %q1; mov.b128 {%d2,%d3}, %q2;\n"
               "setp.ne.u64 %p0, %d2, %d0; @%p0 bra again;\n"
               "cvt.u64.u32 %d0, %t; mov.b128 %q0, {%d0,%d0}; atom.global.exch.b128 %q1, [%a+16], %q0;\n"
               "mov.b128 {%d0,%d1}, %q1; mul.wide.u32 %d2, %t, 8; add.u64 %d2, %d2, %a; st.global.u64 "
               "[%d2+64], %d1;"),
        &p, &v);
    memset(v, 0, 4096);
    uint64_t *w = (uint64_t *)(void *)v;
    w[2] = w[3] = 1000;
    rig_ok(&r, "k", 1, 64, &p);
    assert_int_equal(w[0], 64);
    assert_true(w[1] == (uint64_t)-64);
    assert_int_equal(w[2], w[3]);
    bool seen[1001] = {false};
    seen[w[2]] = true; /* what the last one left: each value is handed on once */
    for (int t = 0; t < 64; t++) {
        assert_false(seen[w[8 + t]]);
        seen[w[8 + t]] = true;
    }
    rig_free(&r);
}

static void vectors_of_atomics(void **state) {
    (void)state;
    uint64_t p;
    uint32_t *v;
    struct rig r = start(KERNEL("mov.f32 %r0, 0f3f800000; mov.f32 %r1, 0f40000000;\n"
                                "atom.global.v2.f32.add {%r2,%r3}, [%a], {%r0,%r1};\n"
                                "red.global.v2.f32.add [%a+8], {%r0,%r1};"),
                         &p, &v);
    memset(v, 0, 4096);
    rig_ok(&r, "k", 1, 40, &p);
    const float want[4] = {40, 80, 40, 80};
    assert_memory_equal(v, want, sizeof want);
    rig_free(&r);
}

static void pairs_of_floats(void **state) {
    (void)state;
    uint64_t p;
    uint32_t *v;
    struct rig r = start(
        KERNEL("ld.global.b64 %d0, [%a]; ld.global.b64 %d1, [%a+8]; ld.global.b64 %d2, [%a+16];\n"
               "fma.rn.f32x2 %d3, %d0, %d1, %d2; add.rz.f32x2 %d4, %d0, %d1; mul.rn.f32x2 %d0, %d0, %d0;\n"
               "st.global.b64 [%a+24], %d3; st.global.b64 [%a+32], %d4; st.global.b64 [%a+40], %d0;"),
        &p, &v);
    float *f = (float *)(void *)v;
    const float in[6] = {1.1f, -3.7f, 2.3f, 0x1p-20f, 9.5f, 1.0f};
    memcpy(f, in, sizeof in);
    rig_ok(&r, "k", 1, 1, &p);
    for (int h = 0; h < 2; h++) {
        assert_true(f[6 + h] == fmaf(in[h], in[2 + h], in[4 + h]));
        const double exact = (double)in[h] + (double)in[2 + h];
        float cut = (float)exact;
        if (fabs((double)cut) > fabs(exact)) cut = nextafterf(cut, 0);
        assert_true(f[8 + h] == cut);
        assert_true(f[10 + h] == in[h] * in[h]);
    }
    rig_free(&r);
}

static uint32_t redux(const char *op, const float *in) {
    char text[2048];
    uint64_t p;
    uint32_t *v;
    snprintf(
        text, sizeof text,
        HEAD
        ".visible .entry k(.param .u64 p) {\n.reg .b64 %%a, %%d; .reg .b32 %%r, %%t;\nld.param.u64 %%a, [p]; "
        "mov.u32 %%t, %%tid.x; mul.wide.u32 %%d, %%t, 4; add.u64 %%d, %%d, %%a; ld.global.b32 %%r, [%%d];\n"
        "redux.sync.%s.f32 %%r, %%r, -1; st.global.b32 [%%d+128], %%r; ret;\n}\n",
        op);
    struct rig r = start(text, &p, &v);
    memcpy(v, in, 128);
    rig_ok(&r, "k", 1, 32, &p);
    for (int t = 1; t < 32; t++) assert_int_equal(v[32], v[32 + t]);
    const uint32_t got = v[32];
    rig_free(&r);
    return got;
}

static void reductions_of_floats(void **state) {
    (void)state;
    float in[32];
    for (int k = 0; k < 32; k++) in[k] = (float)(k * 37 % 32) - 20.5f; /* -20.5 to 10.5 */
    assert_true(f32_from(redux("min", in)) == -20.5f);
    assert_true(f32_from(redux("max", in)) == 10.5f);
    assert_true(f32_from(redux("max.abs", in)) == 20.5f);
    assert_true(f32_from(redux("min.abs.NaN", in)) == 0.5f);
    in[7] = NAN;
    assert_true(f32_from(redux("min", in)) == -20.5f);
    assert_int_equal(redux("min.NaN", in), 0x7fffffff);
    for (int k = 0; k < 32; k++) in[k] = NAN;
    assert_int_equal(redux("max", in), 0x7fffffff);
}

/* Each thread's word is there for its neighbour of the other warp after the barrier; work between the halves is free to be
 * anywhere. */
#define CLUSTER(first)                                                                                     \
    KERNEL(                                                                                                \
        "mov.u32 %r0, sh; mad.lo.u32 %r1, %t, 4, %r0; xor.b32 %r2, %t, 32; mad.lo.u32 %r3, %r2, 4, %r0;\n" \
        "mapa.shared::cluster.u32 %r3, %r3, 0; st.shared.u32 [%r1], %t;\n" first                           \
        "barrier.cluster.arrive.release.aligned; add.u32 %r4, %t, 1; "                                     \
        "barrier.cluster.wait.acquire.aligned;\n"                                                          \
        "ld.shared::cluster.u32 %r5, [%r3]; barrier.cluster.arrive; barrier.cluster.wait;\n"               \
        "st.shared.u32 [%r1], %r4; mul.wide.u32 %d0, %t, 4; add.u64 %d0, %d0, %a; st.global.u32 [%d0], "   \
        "%r5;")

static void the_cluster_has_one_block(void **state) {
    (void)state;
    uint64_t p;
    uint32_t *v;
    struct rig r = start(CLUSTER("griddepcontrol.wait; griddepcontrol.launch_dependents;\n"), &p, &v);
    rig_ok(&r, "k", 3, 64, &p);
    for (uint32_t t = 0; t < 64; t++) assert_int_equal(v[t], t ^ 32);
    rig_free(&r);
    r = start(KERNEL("barrier.cluster.wait;"), &p, &v);
    assert_false(rig_run(&r, "k", 1, 32, &p));
    assert_non_null(
        strstr(err_text(&r.err), "a thread waits at the cluster's barrier that has not arrived there"));
    rig_free(&r);
    r = start(
        KERNEL("setp.eq.u32 %p0, %t, 0; @%p0 bra out; barrier.cluster.arrive; barrier.cluster.wait; ret;\n"
               "out: ld.global.volatile.u32 %r0, [%a]; setp.ne.u32 %p0, %r0, 7; @%p0 bra out;"),
        &p, &v);
    assert_false(rig_run(&r, "k", 1, 32, &p)); /* one never arrives */
    assert_non_null(strstr(err_text(&r.err), "in the cluster's barrier at "));
    rig_free(&r);
}

/* st.async: the store, and its bytes on the mbarrier. */
static void stores_that_an_mbarrier_counts(void **state) {
    (void)state;
    uint64_t p;
    uint32_t *v;
    struct rig r = start(
        KERNEL("mbarrier.init.shared.b64 [sh], 1; mbarrier.arrive.expect_tx.shared.b64 %d0, [sh], 8;\n"
               "mov.u32 %r0, sh; mbarrier.test_wait.shared.b64 %p0, [sh], %d0; selp.u32 %r1, 1, 0, %p0;\n"
               "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%r0+64], {7, 9}, [%r0];\n"
               "mbarrier.test_wait.shared.b64 %p0, [sh], %d0; selp.u32 %r2, 1, 0, %p0;\n"
               "ld.shared.v2.u32 {%r3,%r4}, [sh+64]; st.global.v4.u32 [%a], {%r1,%r2,%r3,%r4};"),
        &p, &v);
    rig_ok(&r, "k", 1, 1, &p);
    const uint32_t want[4] = {0, 1, 7, 9};
    assert_memory_equal(v, want, sizeof want);
    rig_free(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accesses_of_32_bytes),
        cmocka_unit_test(atomics_of_16_bytes),
        cmocka_unit_test(vectors_of_atomics),
        cmocka_unit_test(pairs_of_floats),
        cmocka_unit_test(reductions_of_floats),
        cmocka_unit_test(the_cluster_has_one_block),
        cmocka_unit_test(stores_that_an_mbarrier_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
