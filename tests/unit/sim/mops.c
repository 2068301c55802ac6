/* Loads, stores, address conversions and special registers, one test per row of ops.def: a row without one
 * does not compile. mops_atom.c, mops_warp.c and mops_ctrl.c have the other classes. */
#include "base/bits.h"
#include "ir/insn.h"
#include "kernels/snippet.h"

/* A place to load from or store to: lines that put the thread's input there (64 bytes) and leave the address
 * in %d1, and the suffix of ld, st and atom. */
struct place {
    const char *space, *decls, *locals, *address;
    bool writable, shared_by_all; /* one copy for all threads: the first thread's input */
};
#define SHARED_ADDRESS "mov.u64 %d1, sh;\nmul.wide.u32 %d2, %ti, 64;\nadd.u64 %d1, %d1, %d2;\n"
/* The first 64 bytes of shared memory for each thread: from its input, to its output. */
#define SHARED_FILL                                                                                          \
    "mov.u64 %%d5, sh;\nmul.wide.u32 %%d6, %%ti, 64;\nadd.u64 %%d5, %%d5, %%d6;\nmov.u32 %%r5, 0;\nFILL:\n"  \
    "ld.global.u32 %%r6, [%%in];\nst.shared.u32 [%%d5], %%r6;\nadd.u64 %%in, %%in, 4;\nadd.u64 %%d5, %%d5, " \
    "4;\n"                                                                                                   \
    "add.u32 %%r5, %%r5, 4;\nsetp.lt.u32 %%p5, %%r5, 64;\n@%%p5 bra FILL;\nbar.sync 0;\n"
#define SHARED_EMPTY                                                                                    \
    "bar.sync 0;\nmov.u64 %%d5, sh;\nmul.wide.u32 %%d6, %%ti, 64;\nadd.u64 %%d5, %%d5, %%d6;\nmov.u32 " \
    "%%r5, 0;\n"                                                                                        \
    "EMPTY:\nld.shared.u32 %%r6, [%%d5];\nst.global.u32 [%%out], %%r6;\nadd.u64 %%out, %%out, 4;\n"     \
    "add.u64 %%d5, %%d5, 4;\nadd.u32 %%r5, %%r5, 4;\nsetp.lt.u32 %%p5, %%r5, 64;\n@%%p5 bra EMPTY;\n"
static const struct place places[] = {
    {".global", "", "", "mov.u64 %d1, %in;\n", true, false},
    {"", "", "", "cvta.global.u64 %d1, %in;\n", true, false},
    {".shared", ".shared .align 16 .b8 sh[6144];\n", "", SHARED_ADDRESS, true, false},
    {"", ".shared .align 16 .b8 sh[6144];\n", "", SHARED_ADDRESS "cvta.shared.u64 %d1, %d1;\n", true, false},
    {".local", "", ".local .align 16 .b8 lo[64];\n", "mov.u64 %d1, lo;\n", true, false},
    {"", "", ".local .align 16 .b8 lo[64];\n", "mov.u64 %d1, lo;\ncvta.local.u64 %d1, %d1;\n", true, false},
    {".const", ".const .align 16 .b8 co[64] = {CONST};\n", "", "mov.u64 %d1, co;\n", false, true},
    {"", ".const .align 16 .b8 co[64] = {CONST};\n", "", "mov.u64 %d1, co;\ncvta.const.u64 %d1, %d1;\n",
     false, true},
    {".param", "", "", "mov.u64 %d1, blob;\n", false, true},
};
enum { NPLACES = sizeof places / sizeof *places };

static void fill(uint8_t *bytes, size_t n, uint64_t seed) {
    struct rng rng = {seed};
    for (size_t i = 0; i < n; i++) bytes[i] = (uint8_t)rng_next(&rng);
}

/* Declarations with the constant's initialiser filled in, and the code that fills the place from the input. */
static void place_setup(struct snippet *s, const struct place *p, const uint8_t *in) {
    const char *mark = strstr(p->decls, "CONST");
    if (mark) {
        sb_addn(&s->decls, p->decls, (size_t)(mark - p->decls));
        for (int i = 0; i < SLOT; i++) sb_add(&s->decls, "%s%u", i ? "," : "", in[i]);
        sb_add(&s->decls, "%s", mark + 5);
    } else {
        sb_add(&s->decls, "%s", p->decls);
    }
    sb_add(&s->code, "%s%s", p->locals, p->address);
    if (!p->writable || !strcmp(p->address, places[0].address) || !strcmp(p->address, places[1].address))
        return;
    for (int i = 0; i < SLOT; i += 4)
        sb_add(&s->code, "ld.global.b32 %%r2, [%%in+%d];\nst%s.b32 [%%d1+%d], %%r2;\n", i, p->space, i);
}

/* What a value of that many bytes becomes in a register. */
static uint64_t extend(const uint8_t *at, unsigned bytes, bool sign) {
    uint64_t v = 0;
    memcpy(&v, at, bytes);
    if (sign && bytes < 8 && v >> (8 * bytes - 1) & 1) v |= ~(uint64_t)0 << (8 * bytes);
    return v;
}

static void load_case(const struct place *p, const char *type, unsigned bytes, bool sign, unsigned vec,
                      bool wide) {
    enum { N = SNIPPET_THREADS, AT = 16 };
    static uint8_t in[N * SLOT];
    static uint64_t got[N][8];
    struct snippet s = {.block = N};
    fill(in, sizeof in, bytes + vec);
    place_setup(&s, p, in);
    static const char *const regs[] = {"", "%s10", "{%s10, %s11}", "", "{%s10, %s11, %s12, %s13}"};
    sb_add(&s.code, "ld%s", p->space);
    if (vec > 1) sb_add(&s.code, ".v%u", vec);
    sb_add(&s.code, ".%s ", type);
    for (const char *c = regs[vec]; *c; c++) {
        if (c[0] == '%' && c[1] == 's')
            sb_add(&s.code, "%s", wide ? "%d" : "%r"), c++;
        else
            sb_addn(&s.code, c, 1);
    }
    sb_add(&s.code, ", [%%d1+%d];\n", AT);
    for (unsigned v = 0; v < vec; v++) {
        if (!wide) sb_add(&s.code, "cvt.u64.u32 %%d%u, %%r%u;\n", 10 + v, 10 + v);
        sb_add(&s.code, "st.global.u64 [%%out+%u], %%d%u;\n", 8 * v, 10 + v);
    }
    snippet_run(&s, in, got);
    for (unsigned t = 0; t < N; t++)
        for (unsigned v = 0; v < vec; v++) {
            uint64_t want = extend(in + (p->shared_by_all ? 0 : t * SLOT) + AT + v * bytes, bytes, sign);
            if (!wide) want = (uint32_t)want;
            if (got[t][v] != want)
                fail_msg("ld%s.%s (place %d, vec %u, wide %d) thread %u element %u: got 0x%llx, want 0x%llx",
                         p->space, type, (int)(p - places), vec, wide, t, v, (unsigned long long)got[t][v],
                         (unsigned long long)want);
        }
}

static void load(const char *type, unsigned bytes, bool sign) {
    for (int p = 0; p < NPLACES; p++)
        for (unsigned vec = 1; vec <= 4 && vec * bytes <= 16; vec *= 2)
            for (int wide = bytes == 8; wide < 2; wide++) load_case(&places[p], type, bytes, sign, vec, wide);
}
static void test_LD_U8(void **state) {
    (void)state;
    load("u8", 1, false);
    load("b8", 1, false);
}
static void test_LD_S8(void **state) {
    (void)state;
    load("s8", 1, true);
}
static void test_LD_U16(void **state) {
    (void)state;
    load("u16", 2, false);
}
static void test_LD_S16(void **state) {
    (void)state;
    load("s16", 2, true);
}
static void test_LD_U32(void **state) {
    (void)state;
    load("u32", 4, false);
    load("b32", 4, false);
}
static void test_LD_S32(void **state) {
    (void)state;
    load("s32", 4, true);
}
static void test_LD_U64(void **state) {
    (void)state;
    load("u64", 8, false);
    load("s64", 8, false);
}

static void store_case(const struct place *p, const char *type, unsigned bytes, unsigned vec, bool wide) {
    enum { N = 40, AT = 32 };
    static uint8_t in[N * SLOT], got[N * SLOT];
    struct snippet s = {.block = N};
    const char *reg = wide ? "%d" : "%r";
    fill(in, sizeof in, 100 + bytes + vec);
    place_setup(&s, p, in);
    for (unsigned v = 0; v < vec; v++)
        sb_add(&s.code, "ld.global.%s %s%u, [%%in+%u];\n", wide ? "u64" : "u32", reg, 10 + v,
               wide ? 8 * v : 4 * v);
    sb_add(&s.code, "st%s", p->space);
    if (vec > 1) sb_add(&s.code, ".v%u", vec);
    sb_add(&s.code, ".%s [%%d1+%d], %s", type, AT, vec > 1 ? "{" : "");
    for (unsigned v = 0; v < vec; v++) sb_add(&s.code, "%s%s%u", v ? ", " : "", reg, 10 + v);
    sb_add(&s.code, "%s;\n", vec > 1 ? "}" : "");
    for (int i = 0; i < SLOT; i += 4)
        sb_add(&s.code, "ld%s.b32 %%r2, [%%d1+%d];\nst.global.b32 [%%out+%d], %%r2;\n", p->space, i, i);
    snippet_run(&s, in, got);
    for (unsigned t = 0; t < N; t++) {
        uint8_t want[SLOT];
        memcpy(want, in + t * SLOT, SLOT);
        for (unsigned v = 0; v < vec; v++)
            memcpy(want + AT + v * bytes, in + t * SLOT + v * (wide ? 8 : 4), bytes);
        if (memcmp(want, got + t * SLOT, SLOT))
            fail_msg("st%s.%s (place %d, vec %u, wide %d), thread %u", p->space, type, (int)(p - places), vec,
                     wide, t);
    }
}

static void store(const char *type, unsigned bytes) {
    for (int p = 0; p < NPLACES; p++)
        for (unsigned vec = 1; places[p].writable && vec <= 4 && vec * bytes <= 16; vec *= 2)
            for (int wide = bytes == 8; wide < 2; wide++) store_case(&places[p], type, bytes, vec, wide);
}
static void test_ST_U8(void **state) {
    (void)state;
    store("u8", 1);
    store("s8", 1);
}
static void test_ST_U16(void **state) {
    (void)state;
    store("u16", 2);
    store("b16", 2);
}
static void test_ST_U32(void **state) {
    (void)state;
    store("u32", 4);
    store("s32", 4);
}
static void test_ST_U64(void **state) {
    (void)state;
    store("u64", 8);
}

/* Hints leave memory and registers alone, wherever they point. */
static void test_PREFETCH(void **state) {
    (void)state;
    static uint64_t in[32][8], got[32][8];
    struct snippet s = {0};
    in[3][0] = 77;
    sb_add(&s.code, "prefetch.global.L1 [%%in];\nprefetch.global.L2 [%%in+64];\nprefetchu.L1 [%%in];\n"
                    "prefetch.L2 [%%in];\nld.global.u64 %%d1, [%%in];\nst.global.u64 [%%out], %%d1;\n");
    snippet_run(&s, in, got);
    for (int i = 0; i < 32; i++) assert_true(got[i][0] == in[i][0]);
}

/* ---- special registers: every one of IR_SREGS, as a function of the thread ---- */

enum { GX = 3, GY = 2, GZ = 2, BX = 10, BY = 3, BZ = 2, NT = BX * BY * BZ, NB = GX * GY * GZ, DYN = 48 };
struct where {
    uint64_t t, b, lane; /* thread in block, block, lane */
};
typedef bool sreg_check(const struct where *w, uint64_t v);
#define IS(id, value)                                          \
    static bool sreg_##id(const struct where *w, uint64_t v) { \
        (void)w;                                               \
        (void)v;                                               \
        return value;                                          \
    }
/* clang-format off */
IS(TID_X, v == w->t % BX)     IS(TID_Y, v == w->t / BX % BY)   IS(TID_Z, v == w->t / (BX * BY))
IS(NTID_X, v == BX)           IS(NTID_Y, v == BY)              IS(NTID_Z, v == BZ)
IS(CTAID_X, v == w->b % GX)   IS(CTAID_Y, v == w->b / GX % GY) IS(CTAID_Z, v == w->b / (GX * GY))
IS(NCTAID_X, v == GX)         IS(NCTAID_Y, v == GY)            IS(NCTAID_Z, v == GZ)
IS(LANEID, v == w->lane)      IS(WARPID, v == w->t / 32)       IS(NWARPID, v >= 2)
IS(SMID, v < 1024)            IS(NSMID, v >= 1 && v <= 1024)   IS(GRIDID, v < 1 << 20)
IS(LANEMASK_EQ, v == 1u << w->lane)
IS(LANEMASK_LE, v == (2ull << w->lane) - 1)
IS(LANEMASK_LT, v == (1u << w->lane) - 1)
IS(LANEMASK_GE, v == (~0u << w->lane))
IS(LANEMASK_GT, v == (uint32_t)(~0ull << (w->lane + 1)))
/* kernels_threads.c: clocks advance */
IS(CLOCK, true)               IS(CLOCK_HI, true)               IS(CLOCK64, true)
IS(GLOBALTIMER, true)         IS(GLOBALTIMER_LO, true)         IS(GLOBALTIMER_HI, true)
IS(TOTAL_SMEM, v >= DYN && v < DYN + 128) IS(AGGR_SMEM, v >= DYN) IS(DYNAMIC_SMEM, v == DYN)
IS(RESERVED_SMEM, true)       IS(ZERO, v == 0)                 IS(ONE, v == 1)
/* api_machine.c: cooperative launches */
IS(ENVREG1, v == 0)           IS(ENVREG2, v == 0)
    /* clang-format on */

    static const struct {
    const char *name;
    int bits;
    sreg_check *check;
} sregs[] = {
#define SREG(id, ptx, width) {ptx, width, sreg_##id},
    IR_SREGS(SREG)
#undef SREG
    /* registers a machine like this answers with a constant */
    {"%pm0", 32, sreg_ZERO},
    {"%envreg0", 32, sreg_ZERO},
    {"%cluster_ctaid.x", 32, sreg_ZERO},
    {"%cluster_nctaid.x", 32, sreg_ONE},
    {"%nctaid.z", 32, sreg_NCTAID_Z},
    {"WARP_SZ", 32, NULL},
};

static void sreg_rows(int bits) {
    static uint64_t got[NB * NT];
    for (size_t k = 0; k < sizeof sregs / sizeof *sregs; k++) {
        if (sregs[k].bits != bits || !strcmp(sregs[k].name, "%zero") || !strcmp(sregs[k].name, "%one"))
            continue;
        char text[1400];
        snprintf(text, sizeof text,
                 ".version 8.0\n.target sm_90\n.address_size 64\n.extern .shared .b8 dyn[];\n"
                 ".visible .entry k(.param .u64 out)\n{\n.reg .u32 %%r<10>;\n.reg .u64 %%d<4>;\n"
                 "mov.u32 %%r0, %%tid.x;\nmov.u32 %%r1, %%tid.y;\nmov.u32 %%r2, %%tid.z;\n"
                 "mad.lo.u32 %%r2, %%r2, %d, %%r1;\nmad.lo.u32 %%r0, %%r2, %d, %%r0;\n"
                 "mov.u32 %%r3, %%ctaid.x;\nmov.u32 %%r4, %%ctaid.y;\nmov.u32 %%r5, %%ctaid.z;\n"
                 "mad.lo.u32 %%r5, %%r5, %d, %%r4;\nmad.lo.u32 %%r5, %%r5, %d, %%r3;\n"
                 "mad.lo.u32 %%r0, %%r5, %d, %%r0;\nmul.wide.u32 %%d1, %%r0, 8;\nld.param.u64 %%d0, [out];\n"
                 "add.u64 %%d0, %%d0, %%d1;\nmov.u%d %s, %s;\n%sst.global.u64 [%%d0], %%d2;\nret;\n}\n",
                 BY, BX, GY, GX, NT, bits, bits == 32 ? "%r6" : "%d2", sregs[k].name,
                 bits == 32 ? "cvt.u64.u32 %d2, %r6;\n" : "");
        struct rig r;
        rig_text(&r, sregs[k].name, text);
        uint64_t d = rig_zero(&r, sizeof got);
        RUN(&r, "k", LAUNCH(.grid = {GX, GY, GZ}, .block = {BX, BY, BZ}, .shared_bytes = DYN), PTR(d));
        rig_out(&r, d, got, sizeof got);
        rig_close(&r);
        for (uint64_t i = 0; i < NB * NT; i++) {
            struct where w = {i % NT, i / NT, i % NT % 32};
            if (sregs[k].check ? !sregs[k].check(&w, got[i]) : got[i] != 32)
                fail_msg("%s of thread %d, block %d is 0x%llx", sregs[k].name, (int)w.t, (int)w.b,
                         (unsigned long long)got[i]);
        }
    }
}
static void test_SREG_U32(void **state) {
    (void)state;
    sreg_rows(32);
}
static void test_SREG_U64(void **state) {
    (void)state;
    sreg_rows(64);
}

/* ---- addresses ---- */

/* Each thread writes through the address of its own variable; no other thread's changes. */
static void test_FRAME_U64(void **state) {
    (void)state;
    static uint64_t in[32][8], got[32][8];
    struct snippet s = {0};
    sb_add(&s.code,
           ".local .align 8 .b8 a[24];\n.local .align 8 .b8 b[16];\nmov.u64 %%d1, a;\nmov.u64 %%d2, b+8;\n"
           "st.local.u32 [%%d1+4], %%ti;\nadd.u32 %%r2, %%ti, 1000;\nst.local.u32 [%%d2], %%r2;\n"
           "ld.local.u32 %%r3, [a+4];\nld.local.u32 %%r4, [b+8];\n"
           "st.global.u32 [%%out], %%r3;\nst.global.u32 [%%out+8], %%r4;\n");
    snippet_run(&s, in, got);
    for (uint64_t i = 0; i < 32; i++) assert_true(got[i][0] == i && got[i][1] == 1000 + i);
}

/* 32-bit addresses: results leave through a variable of the module. */
static void run_32(const char *locals, const char *code, uint32_t *got) {
    struct sb t = {0};
    struct rig r;
    uint64_t addr, bytes;
    sb_add(
        &t,
        ".version 7.0\n.target sm_70\n.address_size 32\n.global .align 8 .u32 result[64];\n"
        ".shared .align 4 .u32 sh[32];\n.visible .entry k()\n{\n.reg .u32 %%r<20>;\n.reg .pred %%p<4>;\n"
        "%smov.u32 %%r0, %%tid.x;\nshl.b32 %%r1, %%r0, 3;\nmov.u32 %%r2, result;\nadd.u32 %%r2, %%r2, %%r1;\n"
        "%sret;\n}\n",
        locals, code);
    rig_text(&r, "addresses32.ptx", t.text);
    hd_kernel *k = NULL;
    MUST(&r, hd_module_kernel(r.mod, "k", &k));
    MUST(&r, hd_run(k, LAUNCH(.block = {32}), NULL, 0));
    MUST(&r, hd_module_symbol(r.mod, "result", &addr, &bytes));
    rig_out(&r, addr, got, 64 * 4);
    rig_close(&r);
    sb_free(&t);
}
static void test_FRAME_U32(void **state) {
    (void)state;
    uint32_t got[64];
    run_32(".local .align 4 .b8 a[16];\n",
           "mov.u32 %r3, a;\nst.local.u32 [%r3+8], %r0;\nld.local.u32 %r4, [a+8];\n"
           "st.global.u32 [%r2], %r4;\n",
           got);
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(got[2 * i], i);
}
static void test_CVTA_U32(void **state) {
    (void)state;
    uint32_t got[64];
    run_32("",
           "shl.b32 %r3, %r0, 2;\nmov.u32 %r4, sh;\nadd.u32 %r4, %r4, %r3;\ncvta.shared.u32 %r5, %r4;\n"
           "st.u32 [%r5], %r0;\ncvta.to.shared.u32 %r6, %r5;\nld.shared.u32 %r7, [%r6];\n"
           "cvta.global.u32 %r8, %r2;\nst.u32 [%r8], %r7;\nsub.u32 %r9, %r6, %r4;\nst.u32 [%r8+4], %r9;\n",
           got);
    for (uint32_t i = 0; i < 32; i++) assert_true(got[2 * i] == i && got[2 * i + 1] == 0);
}
static void test_ISSPACEP_U32(void **state) {
    (void)state;
    uint32_t got[64];
    run_32(
        "",
        "mov.u32 %r4, sh;\ncvta.shared.u32 %r5, %r4;\nisspacep.shared %p0, %r5;\nisspacep.global %p1, %r5;\n"
        "selp.u32 %r6, 1, 0, %p0;\nselp.u32 %r7, 1, 0, %p1;\nst.global.u32 [%r2], %r6;\nst.global.u32 "
        "[%r2+4], %r7;\n",
        got);
    for (uint32_t i = 0; i < 32; i++) assert_true(got[2 * i] == 1 && got[2 * i + 1] == 0);
}

/* To generic and back is the identity, and the generic address reaches the same bytes. */
static void test_CVTA_U64(void **state) {
    (void)state;
    static const char *const space[] = {"global", "shared", "local", "const"};
    static uint64_t in[32][8], got[32][8];
    for (uint64_t i = 0; i < 32; i++) in[i][0] = 41;
    for (int k = 0; k < 4; k++) {
        struct snippet s = {0};
        sb_add(&s.decls, ".shared .u64 vshared;\n.const .u64 vconst = 41;\n.global .u64 vglobal = 41;\n");
        sb_add(&s.code,
               ".local .u64 vlocal;\nmov.u64 %%d1, 41;\nst.local.u64 [vlocal], %%d1;\nst.shared.u64 "
               "[vshared], %%d1;\n"
               "mov.u64 %%d2, v%s;\ncvta.%s.u64 %%d3, %%d2;\ncvta.to.%s.u64 %%d4, %%d3;\nsub.u64 %%d4, %%d4, "
               "%%d2;\n"
               "ld.u64 %%d5, [%%d3];\nst.global.u64 [%%out], %%d4;\nst.global.u64 [%%out+8], %%d5;\n",
               space[k], space[k], space[k]);
        snippet_run(&s, in, got);
        for (int i = 0; i < 32; i++) assert_true(got[i][0] == 0 && got[i][1] == 41);
    }
}

static void test_ISSPACEP_U64(void **state) {
    (void)state;
    static const char *const space[] = {"global", "shared", "local", "const"};
    static uint64_t in[32][8], got[32][8];
    for (int k = 0; k < 4; k++) {
        struct snippet s = {0};
        sb_add(&s.decls, ".shared .u64 vshared;\n.const .u64 vconst = 41;\n.global .u64 vglobal = 41;\n");
        sb_add(&s.code, ".local .u64 vlocal;\nmov.u64 %%d2, v%s;\ncvta.%s.u64 %%d3, %%d2;\n", space[k],
               space[k]);
        for (int q = 0; q < 4; q++)
            sb_add(&s.code,
                   "isspacep.%s %%p1, %%d3;\nselp.u64 %%d4, 1, 0, %%p1;\nst.global.u64 [%%out+%d], %%d4;\n",
                   space[q], 8 * q);
        snippet_run(&s, in, got);
        for (int i = 0; i < 32; i++)
            for (int q = 0; q < 4; q++)
                if (got[i][q] != (q == k))
                    fail_msg("isspacep.%s of a .%s address is %d", space[q], space[k], (int)got[i][q]);
    }
}

/* ---- matrices of 8 rows of 16 bytes; thread 8 j + r names row r of matrix j ---- */

/* Rows lie that many bytes apart, in turn or, if scattered, in another order. */
struct rows {
    unsigned matrices, apart;
    bool trans, scattered, generic;
};

static unsigned row_at(const struct rows *m, unsigned row) {
    return (m->scattered ? row * 13 % 32 : row) * m->apart;
}

/* The address of the thread's row in shared memory, in %d1. */
static void row_address(struct sb *code, const struct rows *m) {
    if (m->scattered) sb_add(code, "mul.lo.u32 %%r2, %%lane, 13;\nand.b32 %%r2, %%r2, 31;\n");
    sb_add(code, "mul.wide.u32 %%d2, %s, %u;\nmov.u64 %%d1, sh;\nadd.u64 %%d1, %%d1, %%d2;\n",
           m->scattered ? "%r2" : "%lane", m->apart);
    if (m->generic) sb_add(code, "cvta.shared.u64 %%d1, %%d1;\n");
}

static void matrix_op(struct sb *code, const char *op, const struct rows *m, bool store) {
    sb_add(code, "%s.sync.aligned.m8n8.x%u%s%s.b16 ", op, m->matrices, m->trans ? ".trans" : "",
           m->generic ? "" : ".shared");
    if (store) sb_add(code, "[%%d1], ");
    sb_add(code, "{");
    for (unsigned k = 0; k < m->matrices; k++) sb_add(code, "%s%%r%u", k ? ", " : "", 10 + k);
    sb_add(code, store ? "};\n" : "}, [%%d1];\n");
}

/* Element c of row r of matrix j, from what the threads hold. */
static uint16_t held(uint32_t regs[32][SLOT / 4], const struct rows *m, unsigned j, unsigned r, unsigned c) {
    const unsigned row = m->trans ? c : r, col = m->trans ? r : c;
    return (uint16_t)(regs[4 * row + col / 2][j] >> 16 * (col % 2));
}

static void ldmatrix_case(const struct rows *m) {
    static uint8_t in[32 * SLOT];
    static uint32_t got[32][SLOT / 4];
    struct snippet s = {0};
    fill(in, sizeof in, m->apart + m->matrices);
    sb_add(&s.decls, ".shared .align 16 .b8 sh[2048];\n");
    sb_add(&s.code, SHARED_FILL);
    row_address(&s.code, m);
    matrix_op(&s.code, "ldmatrix", m, false);
    for (unsigned k = 0; k < m->matrices; k++)
        sb_add(&s.code, "st.global.u32 [%%out+%u], %%r%u;\n", 4 * k, 10 + k);
    snippet_run(&s, in, got);
    for (unsigned j = 0; j < m->matrices; j++)
        for (unsigned r = 0; r < 8; r++)
            for (unsigned c = 0; c < 8; c++) {
                uint16_t want;
                memcpy(&want, in + row_at(m, 8 * j + r) + 2 * c, 2);
                if (held(got, m, j, r, c) != want)
                    fail_msg("ldmatrix.x%u, rows %u apart: matrix %u (%u, %u) is 0x%x, want 0x%x",
                             m->matrices, m->apart, j, r, c, held(got, m, j, r, c), want);
            }
}

static void stmatrix_case(const struct rows *m) {
    static uint32_t in[32][SLOT / 4];
    static uint8_t got[32 * SLOT];
    struct snippet s = {0};
    fill((uint8_t *)in, sizeof in, 7 + m->apart + m->matrices);
    sb_add(&s.decls, ".shared .align 16 .b8 sh[2048];\n");
    for (unsigned k = 0; k < m->matrices; k++)
        sb_add(&s.code, "ld.global.u32 %%r%u, [%%in+%u];\n", 10 + k, 4 * k);
    row_address(&s.code, m);
    matrix_op(&s.code, "stmatrix", m, true);
    sb_add(&s.code, SHARED_EMPTY);
    snippet_run(&s, in, got);
    for (unsigned j = 0; j < m->matrices; j++)
        for (unsigned r = 0; r < 8; r++)
            for (unsigned c = 0; c < 8; c++) {
                uint16_t v;
                memcpy(&v, got + row_at(m, 8 * j + r) + 2 * c, 2);
                if (held(in, m, j, r, c) != v)
                    fail_msg("stmatrix.x%u, rows %u apart: matrix %u (%u, %u) is 0x%x, want 0x%x",
                             m->matrices, m->apart, j, r, c, v, held(in, m, j, r, c));
            }
}

static void every_matrix(void (*call)(const struct rows *m)) {
    for (unsigned x = 1; x <= 4; x *= 2)
        for (unsigned k = 0; k < 16; k++) call(&(struct rows){x, k & 1 ? 16 : 64, k & 2, k & 4, k & 8});
}
static void test_LDMATRIX(void **state) {
    (void)state;
    every_matrix(ldmatrix_case);
}
static void test_STMATRIX(void **state) {
    (void)state;
    every_matrix(stmatrix_case);
}

/* Bytes of the thread's part of a fragment that is loaded row by row; tests/unit/sim/wmma.c has the whole matrices. */
static void test_WMMA_AT(void **state) {
    (void)state;
    static uint8_t in[32 * SLOT], got[32][SLOT];
    struct snippet s = {0};
    fill(in, sizeof in, 5);
    sb_add(&s.code, "wmma.load.a.sync.aligned.row.m16n16k16.global.u8 {%%r10, %%r11}, [%%ain+32], 48;\n"
                    "st.global.v2.u32 [%%out], {%%r10, %%r11};\n");
    snippet_run(&s, in, got);
    for (unsigned l = 0; l < 32; l++)
        for (unsigned half = 0; half < 2; half++)
            assert_memory_equal(&got[l][4 * half], &in[32 + (l / 4 + 8 * half) * 48 + l % 4 * 4], 4);
}

#define ROWS_ALU    TEST
#define ROWS_LDST   TEST
#define ROWS_ATOM   SKIP
#define ROWS_TEX    SKIP
#define ROWS_WARP   SKIP
#define ROWS_BAR    SKIP
#define ROWS_BRANCH SKIP
#define ROWS_CTRL   SKIP

/* Machine code has tests of its own: exec/machine.c. */
#define R(...)

int main(void) {
    const struct CMUnitTest tests[] = {
#include "ir/ops.def"
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
