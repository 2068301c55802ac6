/* Branches, calls, exits, fences and hints, one test per row of ops.def. */
#include "base/bits.h"
#include "ir/insn.h"
#include "kernels/snippet.h"

/* Runs code with functions at module scope by 64 threads; each leaves its %r20, or what it stored before it ended. */
static void run(uint32_t *got, const char *decls, const char *code) {
    uint32_t in[64][16] = {0}, out[64][16];
    struct snippet s = {.block = 64};
    sb_add(&s.decls, "%s", decls);
    sb_add(&s.code, "mov.u32 %%r20, 0;\n%s\nst.global.u32 [%%out], %%r20;\n", code);
    snippet_run(&s, in, out);
    for (int i = 0; i < 64; i++) got[i] = out[i][0];
}
#define EACH(value)                   \
    for (uint32_t i = 0; i < 64; i++) \
        if (got[i] != (value)) fail_msg("thread %u: got %u, want %u", i, got[i], (uint32_t)(value))

static void test_BRA(void **state) {
    (void)state;
    uint32_t got[64];
    run(got, "",
        "setp.lt.u32 %p1, %ti, 20;\n@%p1 bra A;\nadd.u32 %r20, %r20, 5;\nbra.uni B;\nA: add.u32 %r20, %r20, "
        "9;\nB:");
    EACH(i < 20 ? 9u : 5u);
    run(got, "",
        "setp.lt.u32 %p1, %ti, 20;\n@!%p1 bra A;\nadd.u32 %r20, %r20, 5;\nA: add.u32 %r20, %r20, 1;");
    EACH(i < 20 ? 6u : 1u);
    run(got, "",
        "L: add.u32 %r20, %r20, 3;\nsetp.le.u32 %p1, %r20, %ti;\n@%p1 bra L;"); /* each its own count */
    EACH((i / 3 + 1) * 3);
    run(got, "", "setp.eq.u32 %p1, %ti, 999;\n@%p1 bra A;\nmov.u32 %r20, 4;\nA:"); /* taken by none */
    EACH(4u);
}

static void test_BRX(void **state) {
    (void)state;
    uint32_t got[64];
    run(got, "",
        "rem.u32 %r2, %ti, 3;\nT: .branchtargets A, B, C;\nbrx.idx %r2, T;\nA: add.u32 %r20, %r20, 1;\n"
        "B: add.u32 %r20, %r20, 10;\nC: add.u32 %r20, %r20, 100;");
    EACH(i % 3 == 0 ? 111u : i % 3 == 1 ? 110u : 100u);
    run(got, "",
        "mov.u32 %r2, 1;\nT: .branchtargets A, B;\nbrx.idx.uni %r2, T;\nA: mov.u32 %r20, 1;\nB: add.u32 "
        "%r20, %r20, 7;");
    EACH(7u);
}

static const char functions[] =
    ".func (.param .u32 r) sq(.param .u32 x)\n{\n.reg .u32 %a;\nld.param.u32 %a, [x];\nmul.lo.u32 %a, %a, "
    "%a;\n"
    "st.param.u32 [r], %a;\nret;\n}\n"
    ".func (.param .u32 r) half(.param .u32 x)\n{\n.reg .u32 %a;\n.reg .pred %p;\nld.param.u32 %a, [x];\n"
    "setp.lt.u32 %p, %a, 10;\n@%p bra SMALL;\nshr.u32 %a, %a, 1;\nst.param.u32 [r], %a;\nret;\n"
    "SMALL: st.param.u32 [r], 77;\nret;\n}\n"
    ".func (.reg .u32 r, .reg .u64 s) pair(.reg .u32 x)\n{\nadd.u32 r, x, 1;\nmul.wide.u32 s, x, "
    "3;\nret;\n}\n"
    ".func quit(.param .u32 x)\n{\n.reg .u32 %a;\n.reg .pred %p;\nld.param.u32 %a, [x];\nsetp.gt.u32 %p, %a, "
    "30;\n"
    "@%p exit;\nret;\n}\n";

#define CALL1(how, callee, tail)                                                                  \
    "{ .param .u32 a;\n.param .u32 b;\nst.param.u32 [a], %ti;\n" how " (b), " callee ", (a)" tail \
    ";\nld.param.u32 %r20, [b];\n}\n"

static void test_CALL(void **state) {
    (void)state;
    uint32_t got[64];
    run(got, functions, CALL1("call", "sq", ""));
    EACH(i * i);
    run(got, functions, CALL1("call.uni", "half", "")); /* returns from two places */
    EACH(i < 10 ? 77u : i / 2);
    run(got, functions, "call (%r20, %d3), pair, (%ti);\ncvt.u32.u64 %r3, %d3;\nadd.u32 %r20, %r20, %r3;");
    EACH(4 * i + 1);
    run(got, functions, "setp.gt.u32 %p1, %ti, 40;\n@%p1 call (%r20, %d3), pair, (%ti);"); /* guarded */
    EACH(i > 40 ? i + 1 : 0);
}

static void test_CALL_IND(void **state) {
    (void)state;
    uint32_t got[64];
    const char *pick = "mov.u64 %d5, sq;\nsetp.gt.u32 %p1, %ti, 12;\n@%p1 mov.u64 %d5, half;\n";
    struct sb code = {0};
    sb_add(&code, "%sP: .callprototype (.param .u32 _) _ (.param .u32 _);\n%s", pick,
           CALL1("call", "%d5", ", P"));
    run(got, functions, code.text);
    EACH(i > 12 ? i / 2 : i * i);
    sb_free(&code);
    sb_add(&code, "%sT: .calltargets half, sq;\n%s", pick, CALL1("call", "%d5", ", T"));
    run(got, functions, code.text);
    EACH(i > 12 ? i / 2 : i * i);
    sb_free(&code);
}

static void test_RET(void **state) {
    (void)state;
    uint32_t got[64];
    run(got, "",
        "st.global.u32 [%out], 5;\nsetp.gt.u32 %p1, %ti, 30;\n@%p1 ret;\nmov.u32 %r20, 6;"); /* from a
                                                                                                 kernel: the
                                                                                                 end */
    EACH(i > 30 ? 5u : 6u);
}

static void test_EXIT(void **state) {
    (void)state;
    uint32_t got[64];
    run(got, "", "st.global.u32 [%out], 5;\nsetp.gt.u32 %p1, %ti, 30;\n@%p1 exit;\nmov.u32 %r20, 6;");
    EACH(i > 30 ? 5u : 6u);
    run(got, functions,
        "st.global.u32 [%out], 5;\n{ .param .u32 a;\nst.param.u32 [a], %ti;\ncall quit, (a);\n}\nmov.u32 "
        "%r20, 6;");
    EACH(i > 30 ? 5u : 6u); /* from within a function: the whole thread ends */
}

/* printf of a string and a number, malloc, free; kernels_calls.c has assertions and the rest. */
static void test_SYS(void **state) {
    (void)state;
    struct rig r;
    rig_text(
        &r, "sys.ptx",
        ".version 7.0\n.target sm_70\n.address_size 64\n"
        ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
        ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n"
        ".global .align 1 .b8 fmt[8] = {37, 117, 32, 37, 99, 10, 0, 0};\n" /* "%u %c\n" */
        ".visible .entry k()\n{\n.local .align 8 .b8 args[8];\n.reg .u32 %r<4>;\n.reg .u64 %d<4>;\n"
        "mov.u32 %r0, %tid.x;\n{ .param .b64 n;\n.param .b64 p;\nst.param.b64 [n], 64;\ncall (p), malloc, "
        "(n);\n"
        "ld.param.b64 %d2, [p];\n}\nst.u32 [%d2+60], %r0;\nld.u32 %r1, [%d2+60];\nst.local.u32 [args], %r1;\n"
        "add.u32 %r2, %r1, 65;\nst.local.u32 [args+4], %r2;\nmov.u64 %d0, args;\ncvta.local.u64 %d0, %d0;\n"
        "mov.u64 %d1, fmt;\ncvta.global.u64 %d1, %d1;\n{ .param .b64 f;\n.param .b64 a;\n.param .b32 v;\n"
        "st.param.b64 [f], %d1;\nst.param.b64 [a], %d0;\ncall.uni (v), vprintf, (f, a);\nld.param.b32 %r3, "
        "[v];\n}\n"
        "{ .param .b64 p;\nst.param.b64 [p], %d2;\ncall free, (p);\n}\nret;\n}\n");
    hd_kernel *k = NULL;
    MUST(&r, hd_module_kernel(r.mod, "k", &k));
    MUST(&r, hd_run(k, LAUNCH(.block = {3}), NULL, 0));
    assert_string_equal(r.printed, "0 A\n1 B\n2 C\n");
    rig_close(&r);
}

/* Both stop the launch at the thread that reaches them. */
static void stops(const char *insn, const char *word) {
    struct rig r;
    char text[400];
    snprintf(text, sizeof text,
             ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry stopper()\n{\n.reg .u32 "
             "%%r;\n.reg .pred %%p;\n"
             "mov.u32 %%r, %%tid.x;\nsetp.eq.u32 %%p, %%r, 37;\n@%%p %s;\nret;\n}\n",
             insn);
    rig_text(&r, "stop.ptx", text);
    rig_fails(&r, "stopper", LAUNCH(.block = {32}), NULL, 0, HD_OK, TEXTS("")); /* no thread gets there */
    rig_fails(&r, "stopper", LAUNCH(.grid = {2}, .block = {64}), NULL, 0, HD_FAULT,
              TEXTS(word, "stopper", "(0,0,0)", "(37,0,0)", "stop.ptx:10"));
    rig_close(&r);
}
static void test_TRAP(void **state) {
    (void)state;
    stops("trap", "trap");
}
static void test_BRKPT(void **state) {
    (void)state;
    stops("brkpt", "brkpt");
}

static void test_MEMBAR(void **state) {
    (void)state;
    uint32_t got[64];
    run(got, "",
        "mov.u32 %r20, "
        "%ti;\nmembar.cta;\nmembar.gl;\nmembar.sys;\nfence.sc.gpu;\nfence.acq_rel.cta;\nadd.u32 %r20, %r20, "
        "1;");
    EACH(i + 1);
}
static void test_NOP(void **state) {
    (void)state;
    uint32_t got[64];
    run(got, "",
        "mov.u32 %r20, %ti;\nnanosleep.u32 100;\nnanosleep.u32 %r20;\npmevent 7;\nadd.u32 %r20, %r20, 2;");
    EACH(i + 2);
}

#define ROWS_ALU    SKIP
#define ROWS_LDST   SKIP
#define ROWS_ATOM   SKIP
#define ROWS_TEX    SKIP
#define ROWS_WARP   SKIP
#define ROWS_BAR    SKIP
#define ROWS_BRANCH TEST
#define ROWS_CTRL   TEST

/* Machine code has tests of its own: exec/machine.c. */
#define R(...)

int main(void) {
    const struct CMUnitTest tests[] = {
#include "ir/ops.def"
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
