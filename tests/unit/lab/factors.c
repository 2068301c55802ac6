/* Factorial experiments: factors as they are written, effects of responses made up here and of runs, HARP's Table 6. */
#include "points.h"

#include <math.h>
#include <stdio.h>

#include "lab/claims.h"
#include "lab/factors.h"
#include "sim/config.h"

static void assert_near(double value, double want) {
    if (!(fabs(value - want) < 1e-12)) fail_msg("%.17g is not %.17g", value, want);
}

/* ---- factors ---- */

static bool read(const char *text, struct factor *f, struct arena *mem) {
    struct err e = {0};
    bool fine = factor_read(text, mem, f, &e);
    err_free(&e);
    return fine;
}

static void a_factor_is_a_key_with_its_levels(void **state) {
    struct arena mem = {0};
    struct factor f;
    (void)state;
    assert_true(read("sm.depth=8,16", &f, &mem));
    assert_string_equal(f.name, "sm.depth");
    assert_int_equal(f.noptions, 1);
    assert_int_equal(f.levels, 2);
    assert_string_equal(f.options[0].value[0], "8");
    assert_string_equal(f.options[0].value[1], "16");
    arena_free(&mem);
}

static void options_that_go_together_are_one_factor(void **state) {
    struct arena mem = {0};
    struct factor f;
    struct sb text = {0};
    (void)state;
    assert_true(read("room for threads:sm.threads=1,2,3:sbi+swi.x=4,5,6", &f, &mem));
    assert_string_equal(f.name, "room for threads");
    assert_int_equal(f.noptions, 2);
    assert_int_equal(f.levels, 3);
    assert_string_equal(f.options[1].key, "sbi+swi.x");
    factor_level(&f, 2, &text);
    assert_string_equal(text.text, "3, 6");
    sb_free(&text);
    assert_true(read("a.b=1,2:c.d=3,4", &f, &mem));
    assert_string_equal(f.name, "a.b:c.d");
    arena_free(&mem);
}

static void what_is_no_factor_is_refused(void **state) {
    static const char *const bad[] = {
        "",          "sm.depth",     "sm.depth=",        "sm.depth=8",     "sm.depth=8,",
        "=8,16",     "a:",           ":sm.depth=8,16",   "a:sm.depth=,16", "a.b=1,2:",
        "a.b=1,2:c", "a.b=1,2:c.d=", "a.b=1,2:c.d=1,2,3"};
    struct arena mem = {0};
    struct factor f;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (read(bad[i], &f, &mem)) fail_msg("'%s' was taken for a factor", bad[i]);
    arena_free(&mem);
}

/* The fault in factors separated by blanks; "": there is none. */
static char *fault(const char *mech, const char *relative_to, const char *text, struct arena *mem) {
    static const hd_option set[] = {{"gpu.sms", "2"}};
    struct experiment x = {.response = {.mech = mech, .relative_to = relative_to},
                           .config = "tiny",
                           .settings = set,
                           .nsettings = 1};
    struct factor list[4];
    struct err e = {0};
    size_t n = 0;
    for (const char *p = text; *p; p += strcspn(p, " "), p += *p == ' ')
        assert_true(factor_read(arena_strndup(mem, p, strcspn(p, " ")), mem, &list[n++], &e));
    factors_check(list, n, &x, mem, &e);
    char *found = arena_strdup(mem, err_text(&e));
    err_free(&e);
    return found;
}

static void factors_must_say_something(void **state) {
    static const struct {
        const char *mech, *relative_to, *factors, *fault;
    } cases[] = {
        {"pdom", NULL, "sm.depth=8,16 pdom.side=taken,most", NULL},
        {"harp", "pdom", "harp.first=4,8 pdom.side=taken,most", NULL},
        {"harp", "harp:first=8", "harp.first=4,16", NULL},
        {"pdom", NULL, "sm.dept=8,16", "did you mean sm.depth?"},
        {"pdom", NULL, "sm.depth=8,x", "sm.depth"},
        {"pdom", NULL, "sm.depth=8,100", "out of range"},
        {"pdom", NULL, "sm.shared_bytes=32K,32768", "is 32K twice"},
        {"pdom", NULL, "sm.depth=8,16 sm.depth=2,4", "given twice"},
        {"pdom", NULL, "a:sm.depth=8,16:sm.depth=2,4", "given twice"},
        {"pdom", NULL, "gpu.sms=1,2", "set for the whole experiment"},
        {"pdom", NULL, "run.mech=pdom,harp", "set for the whole experiment"},
        {"pdom", NULL, "harp.first=4,8", "parameter of harp, which does not run"},
        {"harp:first=4", NULL, "harp.first=4,8", "parameter of harp"},
    };
    struct arena mem = {0};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *found = fault(cases[i].mech, cases[i].relative_to, cases[i].factors, &mem);
        if (cases[i].fault ? !strstr(found, cases[i].fault) : *found)
            fail_msg("%s under %s: \"%s\"", cases[i].factors, cases[i].mech, found);
    }
    arena_free(&mem);
}

/* ---- effects ---- */

static const struct factor three[] = {{.name = "a"}, {.name = "b"}, {.name = "c"}};

/* Program p gives 10 + (p + 1) (1 a + 4 b - 2 c + pair a b), so that effects are 2, 8 and -4 times p + 1. */
static void respond(struct factors *f, size_t programs, double pair) {
    struct experiment *x = &f->x;
    x->nsubjects = x->counted = programs;
    x->nmachines = f->design.runs;
    x->value = calloc(x->nmachines * programs, sizeof *x->value);
    x->mean = calloc(x->nmachines, sizeof *x->mean);
    x->left_out = calloc(programs + 1, sizeof *x->left_out);
    for (size_t run = 0; run < x->nmachines; run++) {
        const signed char *level = f->design.level[run];
        for (size_t p = 0; p < programs; p++) {
            double v =
                10 + (double)(p + 1) * (level[0] + 4 * level[1] - 2 * level[2] + pair * level[0] * level[1]);
            x->value[run * programs + p] = v;
            x->mean[run] += v / (double)programs;
        }
    }
    f->list = three;
    f->n = 3;
    factors_work_out(f);
}

static void effects_are_those_of_the_response(void **state) {
    (void)state;
    struct factors f = {0};
    assert_true(design_make(&f.design, 12, false));
    respond(&f, 3, 0);
    assert_near(f.effects[0].effect, 4); /* effect on the mean, twice the first program's */
    assert_near(f.effects[1].effect, 16);
    assert_near(f.effects[2].effect, -8);
    assert_int_equal(f.order[0], 1);
    assert_int_equal(f.order[1], 2);
    assert_int_equal(f.order[2], 0);
    assert_int_equal(f.effects[2].rank, 2);
    assert_near(f.effects[2].by_subject[0], -4);
    assert_near(f.effects[2].by_subject[2], -12);
    assert_int_equal(f.effects[2].rank_sum, 6); /* second in each of three */
    factors_free(&f);
}

/* Variances of a linear response are the squares of its coefficients: 1, 16 and 4 of 21. */
static void shares_of_a_linear_response_add_up_to_one(void **state) {
    (void)state;
    struct factors f = {0};
    assert_true(design_make(&f.design, 8, true));
    respond(&f, 1, 0);
    assert_near(f.effects[0].share, 1.0 / 21);
    assert_near(f.effects[1].share, 16.0 / 21);
    assert_near(f.effects[2].share, 4.0 / 21);
    factors_free(&f);
}

static void without_error_the_noise_line_is_zero(void **state) {
    (void)state;
    struct factors f = {0};
    assert_true(design_make(&f.design, 20, false));
    respond(&f, 2, 0);
    assert_int_equal(f.nunassigned, 16);
    assert_true(f.error == 0 && f.limit == 0);
    factors_free(&f);
}

/* In 12 runs an interaction is in each column but its own two by a third, up to its sign: 3 a b make 2 of each of the
 * eight columns without a factor, and of the effect of c. Foldover takes it out of all. */
static void unassigned_columns_tell_of_interactions(void **state) {
    (void)state;
    struct factors f = {0};
    assert_true(design_make(&f.design, 12, false));
    respond(&f, 1, 3);
    assert_int_equal(f.nunassigned, 8);
    for (size_t i = 0; i < 8; i++) assert_near(fabs(f.unassigned[i]), 2);
    assert_near(f.error, 2);
    assert_near(f.limit, 2 * 2.306);
    assert_near(fabs(f.effects[2].effect + 4), 2);
    double off = f.effects[2].effect + 4;
    factors_free(&f);
    f = (struct factors){0};
    assert_true(design_make(&f.design, 12, true));
    respond(&f, 1, 3);
    assert_near(f.effects[2].effect, -4);
    assert_near(f.effects[2].interaction, off);
    assert_true(f.error == 0);
    factors_free(&f);
}

static void a_program_that_does_not_count_has_no_ranks(void **state) {
    (void)state;
    struct factors f = {0};
    assert_true(design_make(&f.design, 8, false));
    respond(&f, 2, 0);
    f.x.left_out[0] = "it failed";
    factors_work_out(&f);
    assert_int_equal(f.effects[1].ranks[0], 0);
    assert_int_equal(f.effects[1].rank_sum, 1);
    factors_free(&f);
}

/* ---- runs ---- */

static bool measure(struct factors *f, struct factor *list, size_t n, struct lab_subject *subjects,
                    size_t nsubjects, struct err *e) {
    f->x.config = "tiny";
    f->x.subjects = subjects;
    f->x.nsubjects = nsubjects;
    f->list = list;
    f->n = n;
    bool fine = design_make(&f->design, 8, false) && factors_check(list, n, &f->x, &f->mem, e) &&
                factors_plan(f, e) && store_open(NULL, STORE_WRITE, &f->x.sweep.store, e) &&
                factors_run(f, e);
    store_close(f->x.sweep.store);
    return fine;
}

/* A deeper pipeline takes longer; texture caches are of no use to a kernel without textures. */
static void runs_have_effects(void **state) {
    (void)state;
    struct lab_subject subject = {.workload = &points_workloads[0]};
    struct factors f = {.x = {.response = {.stat = "cycles", .mech = "pdom", .mean = PIVOT_ARITHMETIC}}};
    struct factor list[2];
    struct err e = {0};
    assert_true(factor_read("sm.depth=8,40", &f.mem, &list[0], &e));
    assert_true(factor_read("l1t.sets=64,128", &f.mem, &list[1], &e));
    if (!measure(&f, list, 2, &subject, 1, &e)) fail_msg("%s", err_text(&e));
    assert_string_equal(f.x.stat, "gpu.cycles");
    assert_true(f.effects[0].effect > 32); /* more than one instruction comes after the other */
    assert_true(f.effects[1].effect == 0);
    assert_true(f.error == 0); /* nothing else differs */
    factors_free(&f);
}

/* "endless" never ends, "wrong" computes something else than is expected. */
static void programs_that_fail_do_not_count(void **state) {
    (void)state;
    struct lab_subject subjects[] = {{.workload = &points_workloads[0]},
                                     {.workload = &points_workloads[1]},
                                     {.workload = &points_workloads[2]}};
    struct factors f = {.x = {.response = {"ipc", "pdom", "mimd", PIVOT_GEOMETRIC}}};
    struct factor list[1];
    struct err e = {0};
    assert_true(factor_read("sm.depth=8,40", &f.mem, &list[0], &e));
    if (!measure(&f, list, 1, subjects, 3, &e)) fail_msg("%s", err_text(&e));
    assert_int_equal(f.x.counted, 1);
    assert_null(f.x.left_out[0]);
    assert_non_null(strstr(f.x.left_out[1], "wrong"));
    assert_non_null(strstr(f.x.left_out[2], "failed"));
    assert_int_equal(f.x.wrong, 4); /* two machines, two mechanisms */
    factors_free(&f);
}

static void what_cannot_be_is_told_before_anything_runs(void **state) {
    static const struct {
        struct response response;
        const char *factors[2], *fault;
    } cases[] = {
        {{"ipx", "pdom", NULL, PIVOT_ARITHMETIC}, {"sm.depth=8,16"}, "there is no statistic"},
        {{"harp.merges", "pdom", NULL, PIVOT_ARITHMETIC}, {"sm.depth=8,16"}, "there is no statistic"},
        {{"harp.barriers_reserved", "harp", "pdom", PIVOT_ARITHMETIC},
         {"sm.depth=8,16"},
         "pdom has no statistic"},
        {{"ipc", "pdom", NULL, PIVOT_ARITHMETIC}, {"sm.depth=8,16,24"}, "has 3 values"},
        {{"ipc", "pdom", NULL, PIVOT_ARITHMETIC},
         {"sm.warp_size=16,32", "sm.simd_width=16,32"},
         "with sm.warp_size=16 sm.simd_width=32: "},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct lab_subject subject = {.workload = &points_workloads[0]};
        struct factors f = {.x = {.response = cases[i].response}};
        struct factor list[2];
        struct err e = {0};
        size_t n = 0;
        for (; n < 2 && cases[i].factors[n]; n++)
            assert_true(factor_read(cases[i].factors[n], &f.mem, &list[n], &e));
        assert_false(measure(&f, list, n, &subject, 1, &e));
        assert_int_equal(e.code, ERR_INPUT);
        if (!strstr(err_text(&e), cases[i].fault)) fail_msg("%s", err_text(&e));
        assert_null(f.x.value);
        err_free(&e);
        factors_free(&f);
    }
}

/* ---- HARP's Table 6 ---- */

/* The paper: "the low value represents the baseline configuration (Table 3) and the high value is assumed to be twice the low". */
static void harp_preset_is_the_machine_and_twice_that(void **state) {
    (void)state;
    struct err e = {0};
    const struct factor_preset *p = factor_preset("harp", &e);
    struct options o;
    struct arena mem = {0};
    options_init(&o);
    assert_true(config_read(&o, p->config, &e));
    for (size_t k = 0; k < 7; k++) {
        struct factor f;
        assert_true(factor_read(p->row[k].factor, &mem, &f, &e));
        for (size_t i = 0; i < f.noptions; i++) {
            size_t row = options_find(&o, f.options[i].key, &e);
            int64_t base = option_whole(&o.rows[row], &o);
            assert_true(options_set_row(&o, row, f.options[i].value[0], OPTION_GIVEN, &e));
            assert_int_equal(option_whole(&o.rows[row], &o), base);
            assert_true(options_set_row(&o, row, f.options[i].value[1], OPTION_GIVEN, &e));
            assert_int_equal(option_whole(&o.rows[row], &o), 2 * base);
        }
    }
    assert_null(p->row[7].factor);
    assert_null(factor_preset("hrap", &e));
    options_free(&o);
    arena_free(&mem);
    err_free(&e);
}

static const struct claim *claim_of_run(size_t run) {
    char id[32];
    snprintf(id, sizeof id, "harp.table6.run-%zu", run);
    for (const struct claim *c = claim_list; c->id; c++)
        if (!strcmp(c->id, id)) return c;
    fail_msg("there is no claim %s", id);
    return NULL;
}

/* Adds those settings that the configuration does not have already. */
static void add_settings(const struct experiment_machine *m, const struct options *base, struct sb *out) {
    for (size_t i = 0; i < m->nsettings; i++) {
        struct sb text = {0};
        struct err e = {0};
        option_print(&base->rows[options_find(base, m->settings[i].key, &e)], base, &text);
        if (strcmp(text.text, m->settings[i].value) != 0)
            sb_add(out, "%s%s=%s", out->len ? " " : "", m->settings[i].key, m->settings[i].value);
        sb_free(&text);
    }
}

/* Two tables say what the runs are: they must be the same runs. The last is the configuration itself. */
static void claims_of_harp_table_6_are_the_runs_of_its_design(void **state) {
    (void)state;
    struct err e = {0};
    const struct factor_preset *p = factor_preset("harp", &e);
    struct arena mem = {0};
    struct factor list[7];
    struct design d;
    struct options base;
    options_init(&base);
    assert_true(config_read(&base, p->config, &e) && design_make(&d, p->size, false));
    for (size_t k = 0; k < 7; k++) assert_true(factor_read(p->row[k].factor, &mem, &list[k], &e));
    for (size_t run = 0; run < 7; run++) {
        const struct claim *c = claim_of_run(run + 1);
        struct sb settings = {0};
        size_t level[7];
        for (size_t k = 0; k < 7; k++) level[k] = d.level[run][k] > 0;
        struct experiment_machine m = factors_machine(list, 7, level, &mem);
        add_settings(&m, &base, &settings);
        assert_string_equal(settings.text, c->machine[0].settings);
        assert_string_equal(settings.text, c->machine[1].settings);
        assert_string_equal(c->workloads, p->workloads);
        assert_near(c->paper / 100, p->run[run] - 1);
        sb_free(&settings);
    }
    options_free(&base);
    arena_free(&mem);
}

/* The paper's own effects agree with themselves; reversed in size they do not. */
static void agreement_is_of_signs_and_ranks(void **state) {
    (void)state;
    struct err e = {0};
    const struct factor_preset *p = factor_preset("harp", &e);
    struct factors f = {.n = 7, .effects = calloc(7, sizeof(struct factor_effect))};
    for (size_t k = 0; k < 7; k++) f.effects[k].effect = p->row[k].effect;
    struct factor_agreement same = factors_agree(&f, p);
    assert_int_equal(same.signs, 7);
    assert_near(same.ranks, 1);
    for (size_t k = 0; k < 7; k++) f.effects[k].effect = -1 / p->row[k].effect;
    struct factor_agreement other = factors_agree(&f, p);
    assert_int_equal(other.signs, 0);
    assert_near(other.ranks, -1);
    for (size_t k = 0; k < 7; k++) f.effects[k].effect = 0;
    assert_true(factors_agree(&f, p).ranks == 0);
    free(f.effects);
}

/* ---- spread ---- */

static void spread_is_that_of_a_sample(void **state) {
    static const double value[] = {2, 4, 4, 4, 5, 5, 7, 9};
    struct spread s = spread_of(value, 8);
    (void)state;
    assert_near(s.mean, 5);
    assert_true(s.least == 2 && s.most == 9);
    assert_near(s.deviation, sqrt(32.0 / 7));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_factor_is_a_key_with_its_levels),
        cmocka_unit_test(options_that_go_together_are_one_factor),
        cmocka_unit_test(what_is_no_factor_is_refused),
        cmocka_unit_test(factors_must_say_something),
        cmocka_unit_test(effects_are_those_of_the_response),
        cmocka_unit_test(shares_of_a_linear_response_add_up_to_one),
        cmocka_unit_test(without_error_the_noise_line_is_zero),
        cmocka_unit_test(unassigned_columns_tell_of_interactions),
        cmocka_unit_test(a_program_that_does_not_count_has_no_ranks),
        cmocka_unit_test(runs_have_effects),
        cmocka_unit_test(programs_that_fail_do_not_count),
        cmocka_unit_test(what_cannot_be_is_told_before_anything_runs),
        cmocka_unit_test(harp_preset_is_the_machine_and_twice_that),
        cmocka_unit_test(claims_of_harp_table_6_are_the_runs_of_its_design),
        cmocka_unit_test(agreement_is_of_signs_and_ranks),
        cmocka_unit_test(spread_is_that_of_a_sample),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
