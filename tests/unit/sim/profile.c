/* The profile names the branch that is to blame, and its share is what the run would be shorter by without it: each kernel is
 * run with a branch and without, and the cycles saved are compared with what the profile said. */
#include <stdbool.h>

#include "kernels/timed.h"
#include "mech/mech.h"
#include "sim/sim.h"

enum { GRID = 12, BLOCK = 128 }; /* what an SM holds at once */

/* ---- kernels: %id is the thread, %lane and %warp where it is, %acc what it computes ---- */

static void text_begin(struct sb *t) {
    sb_add(
        t,
        ".version 7.0\n.target sm_70\n.address_size 64\n"
        ".func (.param .b32 r) far_work(.param .b32 x, .param .b32 n)\n{\n"
        "\t.reg .b32 %%a, %%c, %%n;\n\t.reg .pred %%q;\n"
        "\tld.param.b32 %%a, [x];\n\tld.param.b32 %%n, [n];\n\tmov.u32 %%c, 0;\n"
        "FAR: mad.lo.u32 %%a, %%a, 3, %%c;\n\tadd.u32 %%c, %%c, 1;\n\tsetp.lt.u32 %%q, %%c, %%n;\n"
        "\t@%%q bra FAR;\n\tst.param.b32 [r], %%a;\n\tret;\n}\n"
        ".visible .entry k(.param .u64 out)\n{\n"
        "\t.reg .b64 %%out, %%at, %%off;\n\t.reg .b32 %%id, %%lane, %%warp, %%acc, %%t, %%u, %%c, %%h, %%n;\n"
        "\t.reg .pred %%p, %%q;\n\tld.param.u64 %%out, [out];\n"
        "\tmov.u32 %%t, %%ctaid.x;\n\tmov.u32 %%u, %%ntid.x;\n\tmov.u32 %%c, %%tid.x;\n"
        "\tmad.lo.u32 %%id, %%t, %%u, %%c;\n\tmov.u32 %%lane, %%laneid;\n\tshr.u32 %%warp, %%id, 5;\n"
        "\tmov.u32 %%acc, %%id;\n\tmul.lo.u32 %%h, %%id, 0x9e3779b1;\n");
}

static void text_end(struct sb *t) {
    sb_add(t, "\tmul.wide.u32 %%off, %%id, 4;\n\tadd.s64 %%at, %%out, %%off;\n\tst.global.u32 [%%at], "
              "%%acc;\n\tret;\n}\n");
}

/* %n times something. */
static void rounds(struct sb *t, const char *label) {
    sb_add(t,
           "\tmov.u32 %%c, 0;\n%s: mad.lo.u32 %%acc, %%acc, 3, %%c;\n\txor.b32 %%acc, %%acc, %%id;\n"
           "\tadd.u32 %%c, %%c, 1;\n\tsetp.lt.u32 %%q, %%c, %%n;\n\t@%%q bra %s;\n",
           label, label);
}

static void rounds_of(struct sb *t, const char *label, unsigned n) {
    sb_add(t, "\tmov.u32 %%n, %u;\n", n);
    rounds(t, label);
}

/* ---- runs ---- */

struct result {
    double cycles;
    struct profile profile;
    struct rig r;
    struct sb text;
};

static void run(struct result *x, const char *mech, uint32_t grid, uint32_t block, struct sb *text) {
    *x = (struct result){.text = *text};
    timed_device(&x->r, &(struct timed_machine){"harp-fermi", mech, {"gpu.sms", "1", NULL}});
    MUST(&x->r, hd_module_load(x->r.dev, "k.ptx", text->text, text->len, &x->r.mod));
    sim_watch(x->r.dev, &(struct watch){.profile = true});
    uint64_t out = rig_zero(&x->r, 4 * GRID * BLOCK);
    RUN(&x->r, "k", LAUNCH(.grid = {grid}, .block = {block}), PTR(out));
    x->cycles = rig_stat(&x->r, "gpu.cycles");
    sim_profile(x->r.mod, &x->profile);
}

static void end(struct result *x) {
    profile_free(&x->profile);
    sb_free(&x->text);
    rig_close(&x->r);
}

/* The number of the line that has that text. */
static uint32_t line_of(const struct result *x, const char *what) {
    const char *at = strstr(x->text.text, what);
    uint32_t line = 1;
    assert_non_null(at);
    for (const char *p = x->text.text; p < at; p++) line += *p == '\n';
    return line;
}

static const struct profile_row *row_at(const struct profile_rows *rows, uint32_t line) {
    for (size_t k = 0; k < rows->n; k++)
        if (rows->v[k].line == line) return &rows->v[k];
    fail_msg("line %u has no row", line);
    return NULL;
}

static double share(const struct result *x, uint64_t slots) {
    return (double)slots / (double)x->profile.slots;
}

/* What the branch that has this text causes, of all slots. */
static double caused(const struct result *x, const char *branch) {
    return share(x, profile_causes(&row_at(&x->profile.branches, line_of(x, branch))->own));
}

/* ---- sixteen cheap branches and one that is not ---- */

enum { CHEAP = 16 };

static void seventeen(struct sb *t, bool long_one) {
    text_begin(t);
    for (int k = 0; k < CHEAP; k++)
        sb_add(
            t,
            "\tshr.u32 %%t, %%h, %d;\n\tand.b32 %%t, %%t, 1;\n\tsetp.eq.u32 %%p, %%t, 0;\n\t@%%p bra S%d;\n"
            "\tadd.u32 %%acc, %%acc, %d;\n\txor.b32 %%acc, %%acc, %%h;\nS%d:\n",
            k + 8, k, k, k);
    if (long_one) {
        sb_add(t, "\trem.u32 %%t, %%id, 7;\n\tsetp.ne.u32 %%p, %%t, 0;\n\t@%%p bra DONE;\n");
        rounds_of(t, "LOOP", 500);
        sb_add(t, "DONE:\n");
    }
    text_end(t);
}

static void the_branch_around_500_iterations_comes_first(void **state) {
    (void)state;
    static const char *const mechs[] = {"pdom", "mp-basic", "mp", "dpe", "minpc", "harp"};
    for (size_t k = 0; k < sizeof mechs / sizeof *mechs; k++) {
        struct result with, without;
        struct sb a = {0}, b = {0};
        seventeen(&a, true);
        seventeen(&b, false);
        run(&with, mechs[k], GRID, BLOCK, &a);
        run(&without, mechs[k], GRID, BLOCK, &b);
        const struct profile_row *first = &with.profile.branches.v[0];
        if (first->line != line_of(&with, "bra DONE"))
            fail_msg("%s: line %u comes first", mechs[k], first->line);
        const double said = caused(&with, "bra DONE"), saved = 1 - without.cycles / with.cycles;
        const double second = share(&with, profile_causes(&with.profile.branches.v[1].own));
        /* Every seventh thread works in it, so that of seven slots six are lost. */
        if (!strcmp(mechs[k], "pdom")) near_value("share of the long branch", said, saved * 6 / 7, 0.04);
        assert_true(second < said / 10);
        end(&with);
        end(&without);
    }
}

/* ---- removing a branch saves what it causes ---- */

/* One lane of a warp works long. */
static void one_lane(struct sb *t, bool branch) {
    text_begin(t);
    rounds_of(t, "ALL", 40);
    if (branch) {
        sb_add(t, "\tsetp.ne.u32 %%p, %%lane, 5;\n\t@%%p bra JOIN;\n");
        rounds_of(t, "ONE", 100);
        sb_add(t, "JOIN:\n");
    }
    text_end(t);
}

/* Two sides of the same length; without divergence each warp takes one of them as a whole. */
static void two_sides(struct sb *t, bool branch) {
    text_begin(t);
    sb_add(t, "\tand.b32 %%t, %%%s, 1;\n\tsetp.ne.u32 %%p, %%t, 0;\n\t@%%p bra SIDE;\n",
           branch ? "lane" : "warp");
    rounds_of(t, "LEFT", 60);
    sb_add(t, "\tbra JOIN;\nSIDE:\n");
    rounds_of(t, "RIGHT", 60);
    sb_add(t, "JOIN:\n");
    text_end(t);
}

/* Lane l goes round 3 l times; without divergence all go round as often as they do on average, and a half. */
static void trip_counts(struct sb *t, bool branch) {
    text_begin(t);
    if (branch)
        sb_add(t, "\tmad.lo.u32 %%n, %%lane, 3, 1;\n");
    else
        sb_add(t, "\tmov.u32 %%n, 48;\n");
    rounds(t, "JOIN");
    text_end(t);
}

/* Three of four threads leave at once; without divergence three of four warps do. */
static void early_exit(struct sb *t, bool branch) {
    text_begin(t);
    sb_add(t, "\tand.b32 %%t, %%%s, 3;\n\tsetp.ne.u32 %%p, %%t, 0;\n\t@%%p exit; // JOIN\n",
           branch ? "lane" : "warp");
    rounds_of(t, "REST", 80);
    text_end(t);
}

/* One lane follows a chain of loads, the others wait for it. */
static void one_lane_loads(struct sb *t, bool branch) {
    text_begin(t);
    rounds_of(t, "ALL", 40);
    if (branch) {
        sb_add(t,
               "\tsetp.ne.u32 %%p, %%lane, 5;\n\t@%%p bra JOIN;\n\tmov.u32 %%c, 0;\n"
               "ONE: cvt.u64.u32 %%off, %%c;\n\tadd.s64 %%at, %%out, %%off;\n\tld.global.u32 %%t, [%%at];\n"
               "\tadd.u32 %%acc, %%acc, %%t;\n\tadd.u32 %%c, %%c, 128;\n\tsetp.lt.u32 %%q, %%c, 2560;\n"
               "\t@%%q bra ONE;\nJOIN:\n");
    }
    text_end(t);
}

struct removal {
    const char *name, *branch;
    void (*text)(struct sb *t, bool branch);
    uint32_t grid, block;
    double margin;
};
static const struct removal removals[] = {
    {"one lane", "bra JOIN", one_lane, GRID, BLOCK, 0.04},
    {"two sides", "bra SIDE", two_sides, GRID, BLOCK, 0.04},
    {"trip counts", "@%q bra JOIN", trip_counts, GRID, BLOCK, 0.04},
    {"early exit", "// JOIN", early_exit, GRID, BLOCK, 0.04},
    {"one lane, loads", "bra JOIN", one_lane_loads, 2, 32, 0.04},
};

static void compare_removal(const struct removal *x, const char *mech) {
    struct result with, without;
    struct sb a = {0}, b = {0};
    x->text(&a, true);
    x->text(&b, false);
    run(&with, mech, x->grid, x->block, &a);
    run(&without, mech, x->grid, x->block, &b);
    const double said = caused(&with, x->branch), saved = 1 - without.cycles / with.cycles;
    if (getenv("SHOW")) printf("%-16s %-9s said %.3f saved %.3f\n", x->name, mech, said, saved);
    if (!(said > saved - x->margin && said < saved + x->margin))
        fail_msg("%s under %s: the profile said %.3f, without the branch %.3f is saved", x->name, mech, said,
                 saved);
    end(&with);
    end(&without);
}

static void removing_a_branch_saves_what_it_causes(void **state) {
    (void)state;
    static const char *const mechs[] = {"pdom", "mp-basic", "mp", "dpe", "minpc"};
    for (size_t k = 0; k < sizeof removals / sizeof *removals; k++)
        for (size_t m = 0; m < sizeof mechs / sizeof *mechs; m++) compare_removal(&removals[k], mechs[m]);
}

/* ---- calls ---- */

/* Every eighth thread calls a function that works long, the others do not: the branch around the call causes what is lost
 * inside of the function, and the call suffers it. */
static void calls_are_followed(void **state) {
    (void)state;
    struct result x;
    struct sb t = {0};
    text_begin(&t);
    sb_add(&t, "\tand.b32 %%t, %%lane, 7;\n\tsetp.ne.u32 %%p, %%t, 0;\n\t@%%p bra JOIN;\n"
               "\t{\n\t.param .b32 a, b, r;\n\tst.param.b32 [a], %%acc;\n\tst.param.b32 [b], 200;\n"
               "\tcall (r), far_work, (a, b);\n\tld.param.b32 %%acc, [r];\n\t}\nJOIN:\n");
    text_end(&t);
    run(&x, "pdom", GRID, BLOCK, &t);
    const struct profile_row *call = row_at(&x.profile.ptx, line_of(&x, "call (r)"));
    const struct profile_row *branch = row_at(&x.profile.branches, line_of(&x, "bra JOIN"));
    const struct profile_row *in = row_at(&x.profile.branches, line_of(&x, "bra FAR"));
    assert_true(share(&x, profile_causes(&branch->own)) > 0.7);
    assert_int_equal(profile_causes(&in->own), 0);
    assert_true(share(&x, profile_suffers(&call->own)) < 0.05);
    assert_true(share(&x, profile_suffers(&call->calls)) > 0.7);
    assert_int_equal(x.profile.functions.n, 2);
    for (size_t k = 0; k < 2; k++) {
        const struct profile_row *f = &x.profile.functions.v[k];
        const bool kernel = !strcmp(f->func, "k");
        assert_true(kernel ? share(&x, profile_slots(&f->own)) < 0.3
                           : share(&x, profile_slots(&f->own)) > 0.7);
        if (kernel) /* and all of it, with what it calls */
            assert_int_equal(profile_slots(&f->calls) + x.profile.waits[WAIT_RECONVERGENCE] +
                                 x.profile.waits[WAIT_NOBODY],
                             x.profile.slots);
    }
    end(&x);
}

/* A branch inside of the function that parts threads is the function's, and with calls the caller's line has caused it. */
static void a_call_causes_what_its_function_causes(void **state) {
    (void)state;
    struct result x;
    struct sb t = {0};
    text_begin(&t);
    sb_add(&t, "\tmad.lo.u32 %%t, %%lane, 4, 1;\n\t{\n\t.param .b32 a, b, r;\n\tst.param.b32 [a], %%acc;\n"
               "\tst.param.b32 [b], %%t;\n\tcall (r), far_work, (a, b);\n\tld.param.b32 %%acc, [r];\n\t}\n");
    text_end(&t);
    run(&x, "pdom", GRID, BLOCK, &t);
    const struct profile_row *call = row_at(&x.profile.ptx, line_of(&x, "call (r)"));
    const struct profile_row *in = row_at(&x.profile.branches, line_of(&x, "bra FAR"));
    assert_true(share(&x, profile_causes(&in->own)) > 0.4);
    assert_int_equal(profile_causes(&call->own), 0);
    assert_int_equal(profile_causes(&call->calls), profile_causes(&in->own));
    end(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_branch_around_500_iterations_comes_first),
        cmocka_unit_test(removing_a_branch_saves_what_it_causes),
        cmocka_unit_test(calls_are_followed),
        cmocka_unit_test(a_call_causes_what_its_function_causes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
