/* Threads that leave before the others: under every mechanism the launch ends with the right memory, is no deadlock, and costs
 * about what it costs without them; with an edge from every exit to the end (cfg.exits = edges) a stack waits at the end. */
#include "kernels/harness.h"

static const char *const mechs[] = {
#define MECH(name) #name,
#include "mech/mech.def"
};

enum { THREADS = 64, NMECHS = sizeof mechs / sizeof *mechs };

#define HEAD                                                                                                \
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u32 n)\n{\n" \
    ".reg .b64 %a<4>;\n.reg .b32 %r<8>;\n.reg .pred %p<4>;\nld.param.u64 %a0, [out];\nld.param.u32 %r1, "   \
    "[n];\n"                                                                                                \
    "mov.u32 %r0, %tid.x;\nmul.wide.u32 %a1, %r0, 4;\nadd.u64 %a1, %a0, %a1;\nand.b32 %r2, %r0, 1;\n"       \
    "setp.eq.u32 %p1, %r2, 0;\nsetp.gt.u32 %p2, %r0, %r1;\nmov.u32 %r3, %r0;\n"
/* A loop of as many rounds as the thread has a number, so that the sides come to their end at different times. */
#define LOOP(label) \
    label ": add.u32 %r3, %r3, 3;\nsub.u32 %r4, %r4, 1;\nsetp.ne.u32 %p3, %r4, 0;\n@%p3 bra " label ";\n"
#define TAIL "J: bar.sync 0;\nadd.u32 %r3, %r3, 7;\nst.global.u32 [%a1], %r3;\n"

/* if (t & 1) { if (t > n) return; ... } ... __syncthreads() */
static const char early_return[] =
    HEAD "@%p1 bra E;\n@%p2 ret;\nadd.u32 %r4, %r0, 1;\n" LOOP("A") "bra.uni J;\n"
                                                                    "E: add.u32 %r4, %r0, 5;\n" LOOP("B") TAIL
    "ret;\n}\n";
/* A return with code before it, which is behind the end of the kernel. */
static const char long_return[] = HEAD
    "@%p1 bra E;\n@%p2 bra R;\nadd.u32 %r4, %r0, 1;\n" LOOP("A") "bra.uni J;\n"
                                                                 "E: add.u32 %r4, %r0, 5;\n" LOOP("B") TAIL
    "ret;\n"
    "R: add.u32 %r4, %r0, 2;\n" LOOP("C") "mov.u32 %r4, 0;\n"
                                          "st.global.u32 [%a1], %r4;\nret;\n}\n";
/* An assertion that holds: its trap is never reached. */
static const char assertion[] =
    HEAD "@%p1 bra E;\nsetp.gt.u32 %p2, %r0, 4096;\n@%p2 bra R;\n"
         "add.u32 %r4, %r0, 1;\n" LOOP("A") "bra.uni J;\n"
                                            "E: add.u32 %r4, %r0, 5;\n" LOOP("B") TAIL
    "ret;\n"
    "R: mov.u32 %r5, 1;\ntrap;\n}\n";

/* if (odd && t > n) { ...; return; } ... __syncthreads(), all in the kernel's outermost code: those who return, or those who
 * stay, are the fall-through. */
#define LEAVES  "not.pred %p3, %p1;\nand.pred %p3, %p3, %p2;\n"
#define RETURNS "add.u32 %r4, %r0, 2;\n" LOOP("C") "mov.u32 %r4, 0;\nst.global.u32 [%a1], %r4;\nret;\n"
#define STAYS(wait)                                                    \
    "S: add.u32 %r4, %r0, 5;\n@!%p1 sub.u32 %r4, %r4, 4;\n" wait LOOP( \
        "A") "add.u32 %r3, %r3, 7;\n"                                  \
             "st.global.u32 [%a1], %r3;\nret;\n"
static const char top_inline[] = HEAD LEAVES "@!%p3 bra S;\n" RETURNS STAYS("bar.sync 0;\n") "}\n";
static const char top_away[] = HEAD LEAVES "@%p3 bra R;\n" STAYS("bar.sync 0;\n") "R: " RETURNS "}\n";
/* A return and a vote: the way with the vote is the main one, although the return has a loop. */
static const char top_vote[] =
    HEAD LEAVES "@!%p3 bra S;\n" RETURNS STAYS("vote.sync.ballot.b32 %r5, %p1, -1;\n") "}\n";
/* Two returns in a row. */
static const char top_twice[] =
    HEAD LEAVES "setp.lt.and.u32 %p3, %r0, 52, %p3;\n@!%p3 bra U;\n" RETURNS "U: " LEAVES
                "@!%p3 bra S;\nadd.u32 %r4, %r0, 2;\n" LOOP(
                    "D") "mov.u32 %r4, 0;\nst.global.u32 [%a1], %r4;\nret;\n" STAYS("bar.sync 0;\n") "}\n";
/* do { if (odd && t > n && round == 1) { ...; return; } __syncthreads(); } while (++round < 3) */
static const char loop_return[] = HEAD LEAVES
    "selp.b32 %r6, 1, 9, %p3;\nmov.u32 %r5, 0;\n"
    "L: setp.eq.u32 %p3, %r5, %r6;\n@!%p3 bra T;\n" RETURNS
    "T: bar.sync 0;\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p3, %r5, 3;\n@%p3 bra L;\n" STAYS("") "}\n";

/* more: an option besides, or one without a key */
static hd_status launch(const char *text, const char *mech, const char *exits, hd_option more, uint32_t n,
                        uint32_t *out, struct rig *r) {
    const hd_option o[] = {{"run.mode", "timed"}, {"run.mech", mech}, {"cfg.exits", exits}, more};
    memset(r, 0, sizeof *r);
    if (hd_device_open(&(hd_config){.options = o, .noptions = 3 + (more.key != NULL), .file = "tiny"},
                       &r->dev))
        fail_msg("%s", r->dev ? hd_error(r->dev) : "no memory");
    MUST(r, hd_module_load(r->dev, "early.ptx", text, 0, &r->mod));
    uint64_t d = rig_zero(r, THREADS * 4);
    hd_status st = rig_launch(r, "k", LAUNCH(.block = {THREADS}), ARGS(PTR(d), hd_arg_u32(n)));
    rig_out(r, d, out, THREADS * 4);
    return st;
}

static uint32_t wanted(uint32_t t, uint32_t n) {
    if (t & 1 && t > n) return 0;
    return t + 3 * (t & 1 ? t + 1 : t + 5) + 7;
}

static void ends(const char *text, const char *name, hd_option more, uint32_t n) {
    struct rig r;
    uint32_t got[THREADS];
    if (launch(text, name, "main", more, n, got, &r)) fail_msg("%s: %s", name, hd_error(r.dev));
    for (uint32_t t = 0; t < THREADS; t++)
        if (got[t] != wanted(t, n)) fail_msg("%s: thread %u has %u, want %u", name, t, got[t], wanted(t, n));
    rig_close(&r);
}

static void ends_everywhere(const char *text, uint32_t n) {
    for (size_t m = 0; m < NMECHS; m++) {
        char name[32];
        snprintf(name, sizeof name, "%s", mechs[m]);
        for (char *c = name; *c; c++)
            if (*c == '_') *c = strcmp(name, "sbi_swi") ? '-' : '+';
        ends(text, name, (hd_option){0}, n);
    }
}

static void an_early_return_before_a_barrier_is_no_deadlock(void **state) {
    (void)state;
    ends_everywhere(early_return, 40);
    ends_everywhere(long_return, 40);
}

static void an_assertion_before_a_barrier_is_no_deadlock(void **state) {
    (void)state;
    ends_everywhere(assertion, 4096);
}

/* Threads that return run first, wherever their code lies: those that stay would wait for them at the barrier. */
static void a_return_in_the_outermost_code_is_no_deadlock(void **state) {
    (void)state;
    ends_everywhere(top_inline, 40);
    ends_everywhere(top_away, 40);
    ends_everywhere(top_vote, 40);
    ends_everywhere(top_twice, 40);
}

static void so_it_is_whatever_side_of_a_branch_runs_first(void **state) {
    (void)state;
    static const char *const sides[] = {"taken", "fallthrough", "most"};
    static const char *const stacks[][2] = {
        {"pdom", "pdom.side"}, {"lwm", "lwm.side"}, {"tbc", "tbc.side"}, {"capri", "capri.side"}};
    for (size_t m = 0; m < sizeof stacks / sizeof *stacks; m++)
        for (size_t k = 0; k < sizeof sides / sizeof *sides; k++) {
            ends(top_inline, stacks[m][0], (hd_option){stacks[m][1], sides[k]}, 40);
            ends(top_away, stacks[m][0], (hd_option){stacks[m][1], sides[k]}, 40);
        }
}

static void a_return_in_a_loop_with_a_barrier_is_no_deadlock(void **state) {
    (void)state;
    ends_everywhere(loop_return, 40);
}

/* The strict graph is the textbook's, with its deadlock: the even threads wait at the barrier below the odd ones' entry. */
static void with_edges_from_all_exits_a_stack_deadlocks(void **state) {
    (void)state;
    static const char *const stacks[] = {"pdom", "lwm", "tesla"};
    for (size_t m = 0; m < sizeof stacks / sizeof *stacks; m++) {
        struct rig r;
        uint32_t got[THREADS];
        assert_int_equal(launch(early_return, stacks[m], "edges", (hd_option){0}, 40, got, &r), HD_FAULT);
        assert_non_null(strstr(hd_error(r.dev), "SIMT-induced deadlock"));
        rig_close(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_early_return_before_a_barrier_is_no_deadlock),
        cmocka_unit_test(an_assertion_before_a_barrier_is_no_deadlock),
        cmocka_unit_test(a_return_in_the_outermost_code_is_no_deadlock),
        cmocka_unit_test(so_it_is_whatever_side_of_a_branch_runs_first),
        cmocka_unit_test(a_return_in_a_loop_with_a_barrier_is_no_deadlock),
        cmocka_unit_test(with_edges_from_all_exits_a_stack_deadlocks),
    };
    return cmocka_run_group_tests_name("sim/early_returns", tests, NULL, NULL);
}
