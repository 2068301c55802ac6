/* The profile names the branch that is to blame, and its share is what the run would be shorter by without it: each kernel is
 * run with a branch and without, and the cycles saved are compared with what the profile said. What is saved is what the
 * branch causes and, if work goes with it, what that work takes by itself: slots of active threads and waits for its
 * instructions. Mechanisms differ in these parts, never in the sum: where threads are regrouped the work takes more and the
 * branch causes less, down to nothing. */
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

struct setting {
    const char *mech, *option[2]; /* NULL: none */
};
/* DWF's dmin runs the rarest PC first, however far ahead its threads are: many a thread has not come to the branch yet while
 * others run behind it, so that the profile cannot know where the two will part. */
static bool runs_ahead(const struct setting *on) {
    return on->option[1] && !strcmp(on->option[1], "dmin");
}
/* Marks and joins that are issued again go with the branch, too, and are charged to where they stand. */
static bool has_marks(const struct setting *on) {
    static const char *const mech[] = {"tesla", "sympa13",     "lorie-strong", "amd",
                                       "pomp",  "sandybridge", "volta"};
    for (size_t k = 0; k < sizeof mech / sizeof *mech; k++)
        if (!strcmp(on->mech, mech[k])) return true;
    return false;
}
static const struct setting settings[] = {
    {"pdom", {0}},
    {"lwm", {0}},
    {"mp-basic", {0}},
    {"mp", {0}},
    {"dpe", {0}},
    {"dws", {"dws.branch", "stack"}},
    {"dws", {0}},
    {"minpc", {0}},
    {"tesla", {0}},
    {"sympa13", {0}},
    {"tf", {0}},
    {"tf", {"tf.kind", "sandybridge"}},
    {"lorie-strong", {0}},
    {"takahashi", {0}},
    {"amd", {0}},
    {"pomp", {0}},
    {"sandybridge", {0}},
    {"sbi", {0}},
    {"swi", {0}},
    {"sbi+swi", {0}},
    {"tbc", {0}},
    {"capri", {0}},
    {"volta", {0}},
    {"volta", {"volta.place", "merge"}},
    {"harp", {0}},
    {"nrec", {0}},
    {"mimd", {0}},
    {"dwf", {"dwf.policy", "dmaj"}},
    {"dwf", {"dwf.policy", "dmin"}},
    {"dwf", {"dwf.policy", "dtime"}},
    {"dwf", {"dwf.policy", "dpc"}},
    {"dwf", {"dwf.policy", "dpdpri"}},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

struct result {
    const struct setting *setting;
    double cycles;
    struct profile profile;
    struct rig r;
    struct sb text;
};

static void run(struct result *x, const struct setting *on, uint32_t grid, uint32_t block, struct sb *text) {
    *x = (struct result){.setting = on, .text = *text};
    timed_device(&x->r, &(struct timed_machine){
                            "harp-fermi", on->mech, {"gpu.sms", "1", on->option[0], on->option[1]}});
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

/* At the lines from one text up to another: slots of active threads and of waits for these lines, which is what they take by
 * themselves; and slots lost because threads are elsewhere. */
struct work {
    double takes, loses;
};
static struct work work_at(const struct result *x, const char *from, const char *to) {
    const uint32_t first = line_of(x, from), end = line_of(x, to);
    uint64_t takes = 0, loses = 0;
    for (size_t k = 0; k < x->profile.ptx.n; k++) {
        const struct profile_row *row = &x->profile.ptx.v[k];
        if (row->line < first || row->line >= end) continue;
        takes += row->own.lanes[LANE_ACTIVE] + profile_waits(&row->own);
        loses += row->own.lanes[LANE_PARTED] + row->own.lanes[LANE_EXITED];
    }
    return (struct work){share(x, takes), share(x, loses)};
}

static void must_be_near(const struct result *x, const char *what, double said, double truth, double margin) {
    const char *policy = x->setting->option[1] ? x->setting->option[1] : "";
    if (getenv("SHOW"))
        printf("%-36s %-8s %-6s said %.3f, is %.3f\n", what, x->setting->mech, policy, said, truth);
    if (!(said > truth - margin && said < truth + margin))
        fail_msg("%s under %s %s: the profile said %.3f, and it is %.3f", what, x->setting->mech, policy,
                 said, truth);
}

/* ---- sixteen cheap branches and one that is not ---- */

enum { CHEAP = 16 };

static void cheap_branches(struct sb *t) {
    for (int k = 0; k < CHEAP; k++)
        sb_add(
            t,
            "\tshr.u32 %%t, %%h, %d;\n\tand.b32 %%t, %%t, 1;\n\tsetp.eq.u32 %%p, %%t, 0;\n\t@%%p bra S%d;\n"
            "\tadd.u32 %%acc, %%acc, %d;\n\txor.b32 %%acc, %%acc, %%h;\nS%d:\n",
            k + 8, k, k, k);
}

static void seventeen(struct sb *t, bool long_one) {
    text_begin(t);
    cheap_branches(t);
    if (long_one) {
        sb_add(t, "\trem.u32 %%t, %%id, 7;\n\tsetp.ne.u32 %%p, %%t, 0;\n\t@%%p bra DONE;\n");
        rounds_of(t, "LOOP", 500);
        sb_add(t, "DONE:\n");
    }
    text_end(t);
}

/* Runs with the long branch and without; returns what is saved. */
static double run_seventeen(struct result *with, const struct setting *on) {
    struct result without;
    struct sb a = {0}, b = {0};
    seventeen(&a, true);
    seventeen(&b, false);
    run(with, on, GRID, BLOCK, &a);
    run(&without, on, GRID, BLOCK, &b);
    const double saved = 1 - without.cycles / with->cycles;
    end(&without);
    return saved;
}

static void the_branch_around_500_iterations_comes_first(void **state) {
    (void)state;
    for (size_t k = 0; k < SETTINGS; k++) {
        struct result with;
        run_seventeen(&with, &settings[k]);
        const double second = share(&with, profile_causes(&with.profile.branches.v[1].own));
        if (with.profile.branches.v[0].line != line_of(&with, "bra DONE"))
            fail_msg("%s: line %u comes first", settings[k].mech, with.profile.branches.v[0].line);
        assert_true(runs_ahead(&settings[k]) || second < caused(&with, "bra DONE") / 5);
        end(&with);
    }
}

/* Every seventh thread works in it, so that of seven slots six are lost, if these threads' lanes are not given to others. It
 * is the same without reconvergence: of the other threads of the warp, each by itself since the cheap branches, six of seven
 * are elsewhere because of the long one. */
static void its_share_is_six_sevenths_of_what_it_takes(void **state) {
    (void)state;
    static const char *const mechs[] = {"pdom", "mp-basic", "mp", "dpe", "minpc", "harp", "nrec"};
    for (size_t k = 0; k < sizeof mechs / sizeof *mechs; k++) {
        struct result with;
        const struct setting on = {mechs[k], {0}};
        const double saved = run_seventeen(&with, &on);
        must_be_near(&with, "share of the long branch", caused(&with, "bra DONE"), saved * 6 / 7, 0.04);
        end(&with);
    }
}

/* Threads that go through the cheap branches together work in the long one together: all lanes lost there are the long
 * branch's. Where they do not meet behind each of them, 3.6 of the 31 others of a warp work in it too, but not in step: these
 * lanes are lost to the cheap branches. Either way fewer are lost in all where other warps have threads for them. */
static void what_is_lost_in_the_long_branch_is_its_own_or_the_cheap_ones(void **state) {
    (void)state;
    for (size_t k = 0; k < SETTINGS; k++) {
        const struct setting *on = &settings[k];
        const bool dwf = !strcmp(on->mech, "dwf"), alone = dwf || !strcmp(on->mech, "nrec");
        struct result with;
        if (runs_ahead(on)) continue;
        const double saved = run_seventeen(&with, on);
        const double loses = work_at(&with, "mov.u32 %n, 500", "DONE:").loses;
        must_be_near(&with, "of what is lost in it", caused(&with, "bra DONE") / loses,
                     alone ? 1 - (32 / 7.0 - 1) / 31 : 1, 0.06);
        if (dwf || !strcmp(on->mech, "mimd")) assert_true(loses < saved * 0.6);
        end(&with);
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
    const char
        *work; /* what goes with the branch, from there to JOIN; NULL: all threads do as much without it */
};
static const struct removal removals[] = {
    {"one lane", "bra JOIN", one_lane, GRID, BLOCK, "mov.u32 %n, 100"},
    {"two sides", "bra SIDE", two_sides, GRID, BLOCK, NULL},
    {"trip counts", "@%q bra JOIN", trip_counts, GRID, BLOCK, NULL},
    {"early exit", "// JOIN", early_exit, GRID, BLOCK, NULL},
    {"one lane, loads", "bra JOIN", one_lane_loads, 2, 32, "ONE:"},
};

static void compare_removal(const struct removal *x, const struct setting *on) {
    struct result with, without;
    struct sb a = {0}, b = {0};
    x->text(&a, true);
    x->text(&b, false);
    run(&with, on, x->grid, x->block, &a);
    run(&without, on, x->grid, x->block, &b);
    const double said = caused(&with, x->branch) + (x->work ? work_at(&with, x->work, "JOIN:").takes : 0);
    must_be_near(&with, x->name, said, 1 - without.cycles / with.cycles,
                 runs_ahead(on) || has_marks(on) ? 0.06 : 0.04);
    end(&with);
    end(&without);
}

static void removing_a_branch_saves_what_it_causes(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof removals / sizeof *removals; k++)
        for (size_t m = 0; m < SETTINGS; m++) compare_removal(&removals[k], &settings[m]);
}

/* One lane loads, and where others wait for it the cycles without an issue are the branch's. Where they go on and are
 * gone, the machine waits for memory and no thread for another: the load suffers it. */
static void a_wait_for_memory_is_the_branchs_only_if_others_wait_for_it(void **state) {
    (void)state;
    static const struct {
        const char *mech;
        bool others_wait;
    } cases[] = {{"pdom", true},  {"mp", true},   {"harp", true},
                 {"nrec", false}, {"dwf", false}, {"mimd", false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct result x;
        struct sb t = {0};
        const struct setting on = {cases[k].mech, {0}};
        one_lane_loads(&t, true);
        run(&x, &on, 2, 32, &t);
        const double branch = caused(&x, "bra JOIN"), load = work_at(&x, "ONE:", "JOIN:").takes;
        assert_true(cases[k].others_wait ? branch > 0.5 && load < 0.05 : load > 0.5 && branch < 0.1);
        end(&x);
    }
}

/* ---- what the table of branches says ---- */

/* A guarded exit sends its threads two ways. */
static void a_branch_at_which_some_exit_is_divergent(void **state) {
    (void)state;
    struct result x;
    struct sb t = {0};
    early_exit(&t, true);
    run(&x, &settings[0], GRID, BLOCK, &t);
    const struct profile_row *exit = row_at(&x.profile.branches, line_of(&x, "// JOIN"));
    assert_int_equal(exit->count.executions, GRID * BLOCK / 32);
    assert_int_equal(exit->count.divergences, GRID * BLOCK / 32);
    assert_int_equal(exit->count.sides, 2 * GRID * BLOCK / 32);
    end(&x);
}

/* Lanes go round 1 to 50 times, not the same ones in each warp, so that DWF fills places with threads of other warps: threads
 * of one warp are taken apart at plain instructions. It is the loop that makes the places. */
static void regrouped_threads_are_charged_to_a_branch(void **state) {
    (void)state;
    struct result x;
    struct sb t = {0};
    uint64_t elsewhere = 0;
    text_begin(&t);
    sb_add(&t, "\tshr.u32 %%t, %%h, 8;\n\trem.u32 %%n, %%t, 50;\n\tadd.u32 %%n, %%n, 1;\n");
    rounds(&t, "JOIN");
    text_end(&t);
    run(&x, &(struct setting){"dwf", {0}}, GRID, BLOCK, &t);
    const uint32_t loop = line_of(&x, "@%q bra JOIN");
    for (size_t k = 0; k < x.profile.branches.n; k++)
        if (x.profile.branches.v[k].line != loop) elsewhere += profile_causes(&x.profile.branches.v[k].own);
    if (getenv("SHOW"))
        printf("loop %.4f, elsewhere %.4f\n", caused(&x, "@%q bra JOIN"), share(&x, elsewhere));
    assert_true(share(&x, elsewhere) < 0.002);
    end(&x);
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
    run(&x, &settings[0], GRID, BLOCK, &t);
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
    run(&x, &settings[0], GRID, BLOCK, &t);
    const struct profile_row *call = row_at(&x.profile.ptx, line_of(&x, "call (r)"));
    const struct profile_row *in = row_at(&x.profile.branches, line_of(&x, "bra FAR"));
    assert_true(share(&x, profile_causes(&in->own)) > 0.4);
    assert_int_equal(profile_causes(&call->own), 0);
    assert_int_equal(profile_causes(&call->calls), profile_causes(&in->own));
    end(&x);
}

/* ---- how long threads are apart ---- */

/* `if (a || b)`, whose two branches have one join, a loop that threads leave one by one, and a branch at which some exit. */
static void branches_of_one_join(struct sb *t) {
    text_begin(t);
    sb_add(t, "\tand.b32 %%t, %%lane, 1;\n\tsetp.eq.u32 %%p, %%t, 0;\n\t@%%p bra FIRST;\n"
              "\tand.b32 %%t, %%lane, 2;\n\tsetp.eq.u32 %%p, %%t, 0;\n\t@%%p bra SECOND;\n"
              "\tadd.u32 %%acc, %%acc, 5;\n\tbra.uni BOTH;\nFIRST:\nSECOND: add.u32 %%acc, %%acc, 7;\nBOTH:\n"
              "\tadd.u32 %%n, %%lane, 1;\n");
    rounds(t, "LOOP");
    sb_add(t, "\tsetp.gt.u32 %%p, %%lane, 20;\n\t@%%p exit; // JOIN\n");
    text_end(t);
}

/* Whether the mechanism has the threads of a warp together again: others may, of those they regroup, or never. */
static bool rejoins(const struct setting *on) {
    static const char *const mech[] = {"dws", "harp", "nrec", "mimd", "dwf"};
    for (size_t k = 0; k < sizeof mech / sizeof *mech; k++)
        if (!strcmp(on->mech, mech[k])) return false;
    return true;
}

static void divergences_end(const struct result *x, const char *branch) {
    const struct sm_branch *c = &row_at(&x->profile.branches, line_of(x, branch))->count;
    assert_true(c->divergences > 0 && c->reconvergences <= c->divergences);
    if (!rejoins(x->setting)) return;
    if (c->reconvergences < c->divergences || c->reconvergence_cycles < c->reconvergences)
        fail_msg("%s: %s: %" PRIu64 " of %" PRIu64 " divergences end, %" PRIu64 " cycles later",
                 x->setting->mech, branch, c->reconvergences, c->divergences, c->reconvergence_cycles);
}

static void every_divergence_that_ends_is_seen_to_end(void **state) {
    (void)state;
    for (int k = 0; k < SETTINGS; k++) {
        struct result x;
        struct sb t = {0};
        branches_of_one_join(&t);
        run(&x, &settings[k], 1, 32, &t);
        divergences_end(&x, "@%p bra FIRST");
        divergences_end(&x, "@%p bra SECOND");
        divergences_end(&x, "@%q bra LOOP");
        for (size_t b = 0; b < x.profile.branches.n; b++)
            if (x.profile.branches.v[b].line == line_of(&x, "// JOIN"))
                assert_int_equal(x.profile.branches.v[b].count.reconvergences, 0);
        end(&x);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_branch_around_500_iterations_comes_first),
        cmocka_unit_test(its_share_is_six_sevenths_of_what_it_takes),
        cmocka_unit_test(what_is_lost_in_the_long_branch_is_its_own_or_the_cheap_ones),
        cmocka_unit_test(removing_a_branch_saves_what_it_causes),
        cmocka_unit_test(a_wait_for_memory_is_the_branchs_only_if_others_wait_for_it),
        cmocka_unit_test(a_branch_at_which_some_exit_is_divergent),
        cmocka_unit_test(regrouped_threads_are_charged_to_a_branch),
        cmocka_unit_test(calls_are_followed),
        cmocka_unit_test(a_call_causes_what_its_function_causes),
        cmocka_unit_test(every_divergence_that_ends_is_seen_to_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
