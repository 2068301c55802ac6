/* mma.sync: every shape and type, element for element, against the tables of the PTX manual (tests/ref/mma.c); what Fasi et
 * al. 2021 measured of the sums; and who has to take part. */
#include <fenv.h>
#include <math.h>

#include "base/bits.h"
#include "kernels/timed.h"
#include "mech/mech.h"
#include "ref/mma.h"

enum { LANES = 32, REGS = 8 };

/* What the threads bring, and what they get: registers, each in eight bytes. */
struct fragments {
    uint64_t a[LANES][REGS], b[LANES][REGS], c[LANES][REGS], d[LANES][REGS];
};

static unsigned regs_of(const struct ref_mma *s, char matrix, const char *type) {
    const unsigned bits = ref_mma_bits(type);
    return ref_mma_elements(s, matrix) * bits / (bits < 32 ? 32 : bits);
}

/* Element i of a thread's registers. */
static uint64_t element(const uint64_t *regs, const char *type, unsigned i) {
    const unsigned bits = ref_mma_bits(type), per = bits < 32 ? 32 / bits : 1;
    return per == 1 ? regs[i] : regs[i / per] >> i % per * bits & ((1u << bits) - 1);
}

static void put_element(uint64_t *regs, const char *type, unsigned i, uint64_t v) {
    const unsigned bits = ref_mma_bits(type), per = bits < 32 ? 32 / bits : 1;
    if (per == 1)
        regs[i] = v;
    else
        regs[i / per] |= v << i % per * bits;
}

/* ---- the reference ---- */

/* The products of a warp: one, or four by quad pairs. */
static unsigned product_of(const struct ref_mma *s, unsigned lane) {
    return s->m == 8 && s->k == 4 && !strcmp(s->a, "f16") ? lane % 16 / 4 : 0;
}

static void expect(const struct ref_mma *s, struct fragments *f) {
    static uint64_t a[4][16][256], b[4][32][256], c[4][16][32];
    unsigned row, col;
    for (unsigned l = 0; l < LANES; l++) {
        const unsigned q = product_of(s, l);
        for (unsigned i = 0; i < ref_mma_elements(s, 'a'); i++) {
            ref_mma_place(s, 'a', s->a, l, i, &row, &col);
            a[q][row][col] = element(f->a[l], s->a, i);
        }
        for (unsigned i = 0; i < ref_mma_elements(s, 'b'); i++) {
            ref_mma_place(s, 'b', s->b, l, i, &row, &col);
            b[q][col][row] = element(f->b[l], s->b, i);
        }
        for (unsigned i = 0; i < ref_mma_elements(s, 'c'); i++) {
            ref_mma_place(s, 'c', s->c, l, i, &row, &col);
            c[q][row][col] = element(f->c[l], s->c, i);
        }
    }
    memset(f->d, 0, sizeof f->d);
    for (unsigned l = 0; l < LANES; l++)
        for (unsigned i = 0; i < ref_mma_elements(s, 'c'); i++) {
            const unsigned q = product_of(s, l);
            ref_mma_place(s, 'c', s->d, l, i, &row, &col);
            put_element(f->d[l], s->d, i, ref_mma_sum(s, a[q][row], b[q][col], s->k, c[q][row][col]));
        }
}

/* ---- the kernel ---- */

static void registers(struct sb *t, char prefix, unsigned n, bool wide) {
    sb_add(t, "{");
    for (unsigned k = 0; k < n; k++) sb_add(t, "%s%%%c%c%u", k ? ", " : "", wide ? 'w' : 'r', prefix, k);
    sb_add(t, "}");
}

static void instruction(const struct ref_mma *s, struct sb *t) {
    static const char *const rounds[] = {"", ".rn", ".rz", ".rm", ".rp"};
    const int at = s->round == FE_TOWARDZERO ? 2
                   : s->round == FE_DOWNWARD ? 3
                   : s->round == FE_UPWARD   ? 4
                                             : 0;
    const bool bits = !strcmp(s->a, "b1"), wide = !strcmp(s->d, "f64");
    sb_add(t, "mma.sync.aligned.m%un%uk%u.%s.%s%s%s.%s.%s.%s.%s%s ", s->m, s->n, s->k,
           s->a_col ? "col" : "row", s->b_row ? "row" : "col", rounds[at], s->sat ? ".satfinite" : "", s->d,
           s->a, s->b, s->c,
           !bits         ? ""
           : s->bits_and ? ".and.popc"
                         : ".xor.popc");
    registers(t, 'd', regs_of(s, 'c', s->d), wide);
    sb_add(t, ", ");
    registers(t, 'a', regs_of(s, 'a', s->a), wide);
    sb_add(t, ", ");
    registers(t, 'b', regs_of(s, 'b', s->b), wide);
    sb_add(t, ", ");
    registers(t, 'c', regs_of(s, 'c', s->c), wide);
    sb_add(t, ";\n");
}

/* Loads a, b and c of struct fragments, runs `code`, stores d. */
static void kernel_text(struct sb *t, const char *before, const char *code) {
    sb_add(t, ".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n");
    for (const char *c = "abcd"; *c; c++) sb_add(t, ".reg .b32 %%r%c<8>;\n.reg .b64 %%w%c<8>;\n", *c, *c);
    sb_add(t, ".reg .b64 %%p, %%o;\n.reg .b32 %%t, %%l;\n.reg .pred %%q;\nld.param.u64 %%p, [p];\nmov.u32 "
              "%%t, %%tid.x;\n"
              "mul.wide.u32 %%o, %%t, 64;\nadd.u64 %%p, %%p, %%o;\nand.b32 %%l, %%t, 31;\n");
    for (unsigned m = 0; m < 3; m++)
        for (unsigned k = 0; k < REGS; k++)
            sb_add(t, "ld.global.b64 %%w%c%u, [%%p+%u];\ncvt.u32.u64 %%r%c%u, %%w%c%u;\n", "abc"[m], k,
                   m * LANES * REGS * 8 + 8 * k, "abc"[m], k, "abc"[m], k);
    for (unsigned k = 0; k < REGS; k++) sb_add(t, "mov.b32 %%rd%u, 0;\nmov.b64 %%wd%u, 0;\n", k, k);
    sb_add(t, "%s%s", before, code);
    const bool wide = strstr(code, "f64");
    for (unsigned k = 0; k < REGS; k++) {
        if (!wide) sb_add(t, "cvt.u64.u32 %%wd%u, %%rd%u;\n", k, k);
        sb_add(t, "st.global.b64 [%%p+%u], %%wd%u;\n", 3 * LANES * REGS * 8 + 8 * k, k);
    }
    sb_add(t, "ret;\n}\n");
}

static void run(struct rig *r, const struct ref_mma *s, const char *before, struct fragments *f) {
    struct sb code = {0}, text = {0};
    instruction(s, &code);
    kernel_text(&text, before, code.text);
    if (hd_module_load(r->dev, "mma.ptx", text.text, 0, &r->mod))
        fail_msg("%s\n%s", hd_error(r->dev), text.text);
    uint64_t p = rig_in(r, f, sizeof *f);
    RUN(r, "k", LAUNCH(.block = {LANES}), PTR(p));
    rig_out(r, p, f, sizeof *f);
    MUST(r, hd_free(r->dev, p));
    sb_free(&code);
    sb_free(&text);
}

/* ---- numbers ---- */

/* Bits of a float of that type: of all kinds, or of a few sizes. */
static uint64_t some(struct rng *rng, const char *type, bool special) {
    const unsigned bits = ref_mma_bits(type);
    const uint64_t v = rng_next(rng);
    if (!strcmp(type, "f64"))
        return special && v % 8 == 0 ? v : f64_bits((double)((int64_t)v >> 20) * 0x1p-40);
    if (!strcmp(type, "f16")) return special && v % 8 == 0 ? v >> 16 & 0xffff : (v & 0x8fff) | 0x3000;
    if (!strcmp(type, "bf16")) return special && v % 8 == 0 ? v >> 16 & 0xffff : (v & 0x83ff) | 0x3c00;
    if (!strcmp(type, "tf32") || !strcmp(type, "f32"))
        return special && v % 8 == 0 ? v >> 16 & 0xffffffff : (v & 0x83ffffff) | 0x3c000000;
    return bits == 64 ? v : v & ((1ull << bits) - 1);
}

static void fill(struct fragments *f, const struct ref_mma *s, uint64_t seed) {
    struct rng rng = {seed};
    const bool special = seed % 2;
    memset(f, 0, sizeof *f);
    for (unsigned l = 0; l < LANES; l++) {
        for (unsigned i = 0; i < ref_mma_elements(s, 'a'); i++)
            put_element(f->a[l], s->a, i, some(&rng, s->a, special && rng_below(&rng, 6) == 0));
        for (unsigned i = 0; i < ref_mma_elements(s, 'b'); i++)
            put_element(f->b[l], s->b, i, some(&rng, s->b, special && rng_below(&rng, 6) == 0));
        for (unsigned i = 0; i < ref_mma_elements(s, 'c'); i++) {
            uint64_t v = some(&rng, s->c, special);
            if (!strcmp(s->c, "s32") && special)
                v = v % 2 ? INT32_MAX - v % 99 : (uint32_t)INT32_MIN + v % 99;
            put_element(f->c[l], s->c, i, v);
        }
    }
}

static void check(const struct ref_mma *s) {
    static struct fragments got, want;
    for (uint64_t seed = 0; seed < 6; seed++) {
        struct rig r;
        fill(&want, s, 100 * seed + seed);
        got = want;
        expect(s, &want);
        rig_device(&r);
        run(&r, s, "", &got);
        for (unsigned l = 0; l < LANES; l++)
            for (unsigned k = 0; k < REGS; k++)
                if (got.d[l][k] != want.d[l][k])
                    fail_msg("m%un%uk%u %s %s %s %s, lane %u register %u: got 0x%llx, want 0x%llx", s->m,
                             s->n, s->k, s->d, s->a, s->b, s->c, l, k, (unsigned long long)got.d[l][k],
                             (unsigned long long)want.d[l][k]);
        rig_close(&r);
    }
}
#define CHECK_MMA(m_, n_, k_, d_, a_, b_, c_, ...) \
    check(&(struct ref_mma){.m = m_, .n = n_, .k = k_, .a = a_, .b = b_, .c = c_, .d = d_, __VA_ARGS__})

/* ---- every shape and type ---- */

static void halves(void **state) {
    (void)state;
    static const char *const acc[] = {"f16", "f32"};
    for (int d = 0; d < 2; d++)
        for (int c = 0; c < 2; c++) {
            CHECK_MMA(16, 8, 8, acc[d], "f16", "f16", acc[c]);
            CHECK_MMA(16, 8, 16, acc[d], "f16", "f16", acc[c]);
            for (int layout = 0; layout < 4; layout++)
                CHECK_MMA(8, 8, 4, acc[d], "f16", "f16", acc[c], .a_col = layout & 1, .b_row = layout & 2);
        }
}

static void bf16_tf32_and_fp8(void **state) {
    (void)state;
    static const char *const fp8[] = {"e4m3", "e5m2"};
    CHECK_MMA(16, 8, 8, "f32", "bf16", "bf16", "f32");
    CHECK_MMA(16, 8, 16, "f32", "bf16", "bf16", "f32");
    CHECK_MMA(16, 8, 4, "f32", "tf32", "tf32", "f32");
    CHECK_MMA(16, 8, 8, "f32", "tf32", "tf32", "f32");
    for (int k = 0; k < 4; k++) {
        CHECK_MMA(16, 8, 32, "f32", fp8[k & 1], fp8[k >> 1], "f32");
        CHECK_MMA(16, 8, 16, "f16", fp8[k & 1], fp8[k >> 1], "f16");
    }
}

static void doubles(void **state) {
    (void)state;
    CHECK_MMA(8, 8, 4, "f64", "f64", "f64", "f64", .round = FE_TONEAREST);
    for (unsigned k = 4; k <= 16; k *= 2) {
        CHECK_MMA(16, 8, k, "f64", "f64", "f64", "f64", .round = FE_TONEAREST);
        CHECK_MMA(16, 8, k, "f64", "f64", "f64", "f64", .round = FE_TOWARDZERO);
        CHECK_MMA(16, 8, k, "f64", "f64", "f64", "f64", .round = FE_DOWNWARD);
        CHECK_MMA(16, 8, k, "f64", "f64", "f64", "f64", .round = FE_UPWARD);
    }
}

static void integers(void **state) {
    (void)state;
    static const char *const bytes[] = {"s8", "u8"}, *const nibbles[] = {"s4", "u4"};
    static const unsigned shapes[3][3] = {{8, 16, 32}, {16, 16, 32}, {16, 32, 64}};
    for (int t = 0; t < 8; t++)
        for (int k = 0; k < 3; k++) {
            const bool sat = t & 4;
            CHECK_MMA(shapes[k][0], 8, shapes[k][1], "s32", bytes[t & 1], bytes[t >> 1 & 1], "s32",
                      .sat = sat);
            CHECK_MMA(shapes[k][0], 8, shapes[k][2], "s32", nibbles[t & 1], nibbles[t >> 1 & 1], "s32",
                      .sat = sat);
        }
}

static void bits(void **state) {
    (void)state;
    for (int use_and = 0; use_and < 2; use_and++) {
        CHECK_MMA(8, 8, 128, "s32", "b1", "b1", "s32", .bits_and = use_and);
        CHECK_MMA(16, 8, 128, "s32", "b1", "b1", "s32", .bits_and = use_and);
        CHECK_MMA(16, 8, 256, "s32", "b1", "b1", "s32", .bits_and = use_and);
    }
}

/* ---- sums: m16n8k8 on halves, A's first row and B's first column ---- */

static float first_sum(const float *a, const float *b, unsigned n, float c) {
    static const struct ref_mma s = {.m = 16, .n = 8, .k = 8, .a = "f16", .b = "f16", .c = "f32", .d = "f32"};
    static struct fragments f;
    struct rig r;
    memset(&f, 0, sizeof f);
    for (unsigned k = 0; k < n; k++) { /* powers of two: the exponent alone */
        put_element(f.a[k / 2], "f16", k % 2, (a[k] < 0 ? 0x8000u : 0) | (uint64_t)(ilogbf(a[k]) + 15) << 10);
        put_element(f.b[k / 2], "f16", k % 2, (uint64_t)(ilogbf(b[k]) + 15) << 10);
    }
    f.c[0][0] = f32_bits(c);
    rig_device(&r);
    run(&r, &s, "", &f);
    rig_close(&r);
    return f32_from((uint32_t)f.d[0][0]);
}

static void sums_are_cut_off_as_on_a_v100(void **state) {
    (void)state;
    const float one[8] = {1, 1, 1, 1, 1, 1, 1, 1},
                tiny[8] = {0x1p-12f, 0x1p-12f, 0x1p-12f, 0x1p-12f, 0x1p-12f, 0x1p-12f, 0x1p-12f, 0x1p-12f};
    const float small[8] = {0x1p-11f, 0x1p-11f, 0x1p-11f, 0x1p-11f, 0x1p-11f, 0x1p-11f, 0x1p-11f, 0x1p-11f};
    const float lead[8] = {1, 0x1p-12f, 0x1p-12f, 0x1p-12f}, minus[8] = {-0x1p-12f, -0x1p-12f};
    const float twice[8] = {0x1p-12f, 0x1p-12f, 0x1p-12f, 0x1p-12f, 1, 1, 1, 1};
    /* Eight times 2^-24 beside 1: each is cut off, though together they are 2^-21. */
    assert_true(first_sum(tiny, tiny, 8, 1) == 1);
    /* Where the largest is a product, too. */
    assert_true(first_sum(lead, (float[]){1, 0x1p-12f, 0x1p-12f, 0x1p-12f}, 4, 0) == 1);
    /* 2^-22 beside 1 stays. */
    assert_true(first_sum(small, small, 8, 1) == 1 + 8 * 0x1p-22f);
    /* Towards zero, not down: 1 - 2^-24 is 1 when the term is cut off first. */
    assert_true(first_sum(minus, tiny, 2, 1) == 1);
    /* The sum is cut off once more when it is normalised: 5 + 2^-23 has no place for the last bit. */
    assert_true(first_sum(one, one, 4, 1 + 0x1p-23f) == 5);
    /* Four at a time, in order: alone the first four add up, beside 1 they would be cut off. */
    assert_true(first_sum(twice, (float[]){0x1p-12f, 0x1p-12f, 0x1p-12f, 0x1p-12f, 1, 1, 1, 1}, 8, 0) == 4);
    assert_true(first_sum((float[]){0x1p-11f, 0x1p-11f, 0x1p-11f, 0x1p-11f, 1},
                          (float[]){0x1p-11f, 0x1p-11f, 0x1p-11f, 0x1p-11f, 1}, 5, 0) == 1 + 4 * 0x1p-22f);
}

/* ---- who takes part ---- */

static const struct ref_mma plain = {
    .m = 16, .n = 8, .k = 16, .a = "f16", .b = "f16", .c = "f32", .d = "f32"};

/* Threads come to the instruction at different times: whatever the mechanism, the result is the same. */
static const char late[] = "mov.u32 %t, %l;\nsetp.lt.u32 %q, %l, 7;\n@%q bra L1;\nL2:\nsub.u32 %t, %t, "
                           "1;\nsetp.gt.u32 %q, %t, 9;\n@%q bra L2;\nL1:\n";

static void every_mechanism_gives_the_same(void **state) {
    (void)state;
    static struct fragments want, got;
    fill(&want, &plain, 42);
    got = want;
    expect(&plain, &want);
    const struct fragments in = got;
    for (const struct mech_ops *const *m = mech_list; *m; m++) {
        struct rig r;
        timed_device(&r, &(struct timed_machine){.config = "tiny", .mech = (*m)->name});
        got = in;
        struct sb code = {0}, text = {0};
        instruction(&plain, &code);
        kernel_text(&text, late, code.text);
        MUST(&r, hd_module_load(r.dev, "mma.ptx", text.text, 0, &r.mod));
        uint64_t p = rig_in(&r, &got, sizeof got);
        hd_kernel *k = NULL;
        MUST(&r, hd_module_kernel(r.mod, "k", &k));
        const hd_status s = hd_run(k, LAUNCH(.block = {LANES}), ARGS(PTR(p)));
        sb_free(&code);
        sb_free(&text);
        if (s != HD_REFUSED) {
            if (s) fail_msg("%s: %s", (*m)->name, hd_error(r.dev));
            rig_out(&r, p, &got, sizeof got);
            same_u64((*m)->name, got.d, want.d, LANES * REGS);
        }
        rig_close(&r);
    }
}

static void fails(const char *before, uint32_t block, const char *const *texts) {
    static struct fragments f;
    struct sb code = {0}, text = {0};
    struct rig r;
    rig_device(&r);
    instruction(&plain, &code);
    kernel_text(&text, before, code.text);
    MUST(&r, hd_module_load(r.dev, "mma.ptx", text.text, 0, &r.mod));
    uint64_t p = rig_in(&r, &f, sizeof f);
    rig_fails(&r, "k", LAUNCH(.block = {block}), ARGS(PTR(p)), HD_FAULT, texts);
    rig_close(&r);
    sb_free(&code);
    sb_free(&text);
}

static void a_part_of_a_warp_is_a_fault(void **state) {
    (void)state;
    fails("", 31,
          TEXTS("mma needs all 32 threads of the warp at the same instruction: lane 31 has exited",
                "mma.ptx:"));
    fails("setp.eq.u32 %q, %l, 5;\n@%q exit;\n", 32, TEXTS("lane 5 has exited or does not exist"));
    fails("setp.eq.u32 %q, %l, 5;\n@%q bra DONE;\nbra.uni GO;\nDONE:\nret;\nGO:\n", 32, TEXTS("lane 5"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves),
        cmocka_unit_test(bf16_tf32_and_fp8),
        cmocka_unit_test(doubles),
        cmocka_unit_test(integers),
        cmocka_unit_test(bits),
        cmocka_unit_test(sums_are_cut_off_as_on_a_v100),
        cmocka_unit_test(every_mechanism_gives_the_same),
        cmocka_unit_test(a_part_of_a_warp_is_a_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
