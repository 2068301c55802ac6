/* Verdicts at the edges of their rules, and the score of a made-up list: docs/reproduction.md says what is expected. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lab/claims.h"

static enum claim_verdict gain(double paper, double ours) {
    return claim_judge(&(struct claim){.kind = CLAIM_OVER}, CLAIM_UNSAID, paper, ours);
}
static enum claim_verdict share(double paper, double ours) {
    return claim_judge(&(struct claim){.kind = CLAIM_SHARE}, CLAIM_UNSAID, paper, ours);
}
static enum claim_verdict way(enum claim_way said, double paper, double ours) {
    return claim_judge(&(struct claim){.kind = CLAIM_MEAN}, said, paper, ours);
}

static void a_third_is_of_the_papers_number(void **state) {
    (void)state;
    assert_int_equal(gain(30, 40), VERDICT_THIRD);
    assert_int_equal(gain(30, 20), VERDICT_THIRD);
    assert_int_equal(gain(30, 40.1), VERDICT_OFF);
    assert_int_equal(gain(30, 19.9), VERDICT_OFF);
    assert_int_equal(gain(-30, -40), VERDICT_THIRD);
    assert_int_equal(gain(-30, -41), VERDICT_OFF);
}

static void a_gain_for_a_loss_is_another_sign(void **state) {
    (void)state;
    assert_int_equal(gain(30, -0.1), VERDICT_SIGN);
    assert_int_equal(gain(-1, 0.1), VERDICT_SIGN);
    assert_int_equal(gain(30, 0.04), VERDICT_NO_EFFECT); /* prints as +0.0 */
    assert_int_equal(gain(30, -0.04), VERDICT_NO_EFFECT);
    assert_int_equal(gain(30, 0.06), VERDICT_OFF);
    assert_int_equal(gain(0.03, 0.035), VERDICT_THIRD); /* near enough, however small */
    assert_int_equal(gain(30, NAN), VERDICT_NONE);
}

static void a_share_has_no_sign(void **state) {
    (void)state;
    assert_int_equal(share(60, 80), VERDICT_THIRD);
    assert_int_equal(share(60, 81), VERDICT_OFF);
    assert_int_equal(share(60, 0), VERDICT_OFF);
    assert_int_equal(share(0, 0.04), VERDICT_THIRD);
    assert_int_equal(share(0, 0.06), VERDICT_OFF);
    static const enum claim_kind without[] = {CLAIM_OF_PEAK, CLAIM_SHARE, CLAIM_MOST, CLAIM_COUNT,
                                              CLAIM_GRID};
    static const enum claim_kind with[] = {CLAIM_OVER, CLAIM_MEAN, CLAIM_BEST, CLAIM_GAP, CLAIM_CHANGE};
    for (size_t i = 0; i < 5; i++) {
        assert_false(claim_signed(&(struct claim){.kind = without[i]}));
        assert_true(claim_signed(&(struct claim){.kind = with[i]}));
    }
}

static void a_way_is_met_or_not(void **state) {
    (void)state;
    assert_int_equal(way(CLAIM_RISES, 0, 0.5), VERDICT_AGREES);
    assert_int_equal(way(CLAIM_RISES, 0, 0.4), VERDICT_SIGN);
    assert_int_equal(way(CLAIM_FALLS, 0, -0.5), VERDICT_AGREES);
    assert_int_equal(way(CLAIM_FALLS, 0, -0.4), VERDICT_SIGN);
    assert_int_equal(way(CLAIM_STAYS, 0, 0.4), VERDICT_AGREES);
    assert_int_equal(way(CLAIM_STAYS, 0, -0.5), VERDICT_SIGN);
    assert_int_equal(way(CLAIM_EVEN, 0, -4.9), VERDICT_AGREES);
    assert_int_equal(way(CLAIM_EVEN, 0, 5), VERDICT_SIGN);
    assert_int_equal(way(CLAIM_EITHER, 0, 10), VERDICT_NONE); /* cannot fail, hence no check */
}

static void a_bound_holds_and_zero_as_it_is_printed(void **state) {
    (void)state;
    assert_int_equal(way(CLAIM_AT_LEAST, 0, -0.04), VERDICT_AGREES);
    assert_int_equal(way(CLAIM_AT_LEAST, 0, -0.06), VERDICT_SIGN);
    assert_int_equal(way(CLAIM_AT_LEAST, 0, 50), VERDICT_AGREES);
    assert_int_equal(way(CLAIM_AT_MOST, 0.15, 0.15), VERDICT_AGREES);
    assert_int_equal(way(CLAIM_AT_MOST, 0.15, 0.16), VERDICT_SIGN);
}

/* ---- the score ---- */

static const struct claim made_up[] = {
    {.id = "dwf.close", .kind = CLAIM_OVER, .paper = 30},
    {.id = "dwf.off", .kind = CLAIM_OVER, .paper = 30},
    {.id = "dwf.wrong", .kind = CLAIM_OVER, .paper = 30},
    {.id = "dwf.chosen", .basis = CLAIM_CHOSEN, .kind = CLAIM_OVER, .paper = 30},
    {.id = "dwf.fit", .basis = CLAIM_FITTED, .kind = CLAIM_OVER, .paper = 30},
    {.id = "harp.way", .kind = CLAIM_CHANGE, .way = CLAIM_FALLS},
    {.id = "harp.even", .kind = CLAIM_OVER, .way = CLAIM_EVEN},
    {.id = "harp.stays", .kind = CLAIM_CHANGE, .way = CLAIM_STAYS},
    {.id = "harp.either", .kind = CLAIM_CHANGE, .way = CLAIM_EITHER},
    {.id = "harp.missing", .kind = CLAIM_OVER, .paper = 30},
    {.id = "sl.table", .kind = CLAIM_SHARE, .values = "10 20 rises -"},
};
enum { MADE_UP = sizeof made_up / sizeof *made_up, TABLE = MADE_UP - 1 };
static const double ours[MADE_UP] = {33, 99, -5, 50, 30, -7, 4, 2, 3, 0, 0};

static void make_up(struct claim_result r[MADE_UP], struct claim_value values[4]) {
    const struct claim_value four[4] = {{.has_paper = true, .paper = 10, .there = true, .ours = 11},
                                        {.has_paper = true, .paper = 20, .there = true, .ours = 40},
                                        {.way = CLAIM_RISES, .there = true, .ours = 3},
                                        {.there = true, .ours = 3}};
    memcpy(values, four, sizeof four);
    for (size_t i = 0; i < MADE_UP; i++)
        r[i] = (struct claim_result){
            .claim = &made_up[i], .ours = ours[i], .there = strcmp(made_up[i].id, "harp.missing") != 0};
    r[TABLE].values.v = values;
    r[TABLE].values.n = 4;
    for (size_t i = 0; i < MADE_UP; i++) claim_judge_result(&r[i]);
}

static void is_part(const struct claim_part *p, double right, double of) {
    if (fabs(p->right - right) > 1e-12 || fabs(p->of - of) > 1e-12)
        fail_msg("%g of %g, not %g of %g", p->right, p->of, right, of);
}

static void predictions_and_what_is_chosen_count_apart(void **state) {
    (void)state;
    struct claim_result r[MADE_UP];
    struct claim_value values[4];
    struct claim_score s;
    make_up(r, values);
    claim_score(r, MADE_UP, CLAIM_CHOSEN, NULL, &s);
    is_part(&s.sign, 1, 1);
    is_part(&s.size, 0, 1);
    assert_int_equal(s.claims, 1);
    claim_score(r, MADE_UP, CLAIM_PREDICTED, NULL, &s);
    is_part(&s.sign, 5, 7);        /* close, off, way, even, the table's way; not wrong, stays */
    is_part(&s.sign_claims, 5, 7); /* the table's only way is met */
    is_part(&s.sign_moved, 4, 5);  /* neither even nor stays */
    is_part(&s.sign_moved_claims, 4, 5);
    is_part(&s.size, 2, 5); /* close and one of the table's; not off, wrong, the other */
    is_part(&s.size_claims, 1.5, 4);
    assert_int_equal(s.claims, 8); /* neither the chosen, the fitted one nor "either" */
    assert_int_equal(s.unchecked, 1);
}

static void a_paper_has_a_score_of_its_own(void **state) {
    (void)state;
    struct claim_result r[MADE_UP];
    struct claim_value values[4];
    struct claim_score s;
    make_up(r, values);
    for (const struct claim_paper *p = claim_papers; p->prefix; p++) {
        claim_score(r, MADE_UP, CLAIM_PREDICTED, p, &s);
        if (!strcmp(p->prefix, "dwf")) is_part(&s.sign, 2, 3);
        if (!strcmp(p->prefix, "dwf")) is_part(&s.size, 1, 3);
        if (!strcmp(p->prefix, "harp")) is_part(&s.sign, 2, 3);
        if (!strcmp(p->prefix, "harp")) is_part(&s.sign_moved, 1, 1);
        if (!strcmp(p->prefix, "harp")) assert_int_equal(s.unchecked, 1);
        if (!strcmp(p->prefix, "sl")) is_part(&s.size_claims, 0.5, 1);
        if (!strcmp(p->prefix, "mp")) assert_int_equal(s.claims, 0);
    }
}

/* ---- the table ---- */

static size_t words(const char *text) {
    size_t n = 0;
    for (const char *p = text; *p; p += strspn(p, " ")) {
        p += strcspn(p, " ");
        n++;
    }
    return n;
}

static void every_claim_says_where_it_stands(void **state) {
    (void)state;
    size_t by_basis[CLAIM_DEFINITION + 1] = {0};
    for (const struct claim *c = claim_list; c->id; c++) {
        const struct claim_paper *p = claim_papers;
        while (p->prefix && !claim_of_paper(c, p)) p++;
        if (!p->prefix) fail_msg("%s is of no paper", c->id);
        const size_t n = strlen(p->name);
        if (strncmp(c->source, p->name, n) || (c->source[n] != ' ' && c->source[n] != ','))
            fail_msg("%s has the source %s", c->id, c->source);
        if (strcmp(p->prefix, "mp") && !strpbrk(c->source, "123456789")) /* slides have no sections */
            fail_msg("%s names no section: %s", c->id, c->source);
        by_basis[c->basis]++;
    }
    for (size_t i = 0; i <= CLAIM_DEFINITION; i++) assert_true(by_basis[i] > 0);
}

/* Whether the paper has something to say of a workload that a claim is about: a number for all, or one that is not "-". */
static bool counts(const struct claim *c, const char *workload) {
    const char *value = c->values ? c->values : "";
    const size_t n = strlen(workload);
    for (const char *p = c->workloads; *p; p += strspn(p, " "), value += strspn(value, " ")) {
        if (!strncmp(p, workload, n) && (p[n] == ' ' || !p[n])) return value[0] != '-' || value[1] > ' ';
        p += strcspn(p, " ");
        value += strcspn(value, " ");
    }
    return false;
}

/* docs/reproduction.md says which options and programs were settled after their effect had been seen. */
static bool rests_on_a_choice(const struct claim *c) {
    bool dwf = false;
    for (int i = 0; i < CLAIM_MACHINES; i++)
        dwf |= c->machine[i].mech && !strncmp(c->machine[i].mech, "dwf", 3);
    return (dwf && !strcmp(c->config, "dwf-8800gtx")) || !strcmp(c->config, "harp-gpgpusim2") ||
           !strcmp(c->config, "mp-fermi") || counts(c, "fft");
}
static void no_prediction_rests_on_what_was_chosen(void **state) {
    (void)state;
    for (const struct claim *c = claim_list; c->id; c++) {
        if (c->basis == CLAIM_PREDICTED && rests_on_a_choice(c)) fail_msg("%s is no prediction", c->id);
        if (c->basis == CLAIM_CHOSEN && !rests_on_a_choice(c)) fail_msg("%s rests on no choice", c->id);
    }
}

static void a_table_has_a_value_for_each_workload(void **state) {
    (void)state;
    for (const struct claim *c = claim_list; c->id; c++)
        if (c->values && words(c->values) != words(c->workloads))
            fail_msg("%s: %zu values for %zu workloads", c->id, words(c->values), words(c->workloads));
}

#define PAPER(...)
#define SMALLER(...)
#define MACHINE_CODE(...)
#define CLAIM(...)
#define BOUND(...)
#define VALUES(...)
#define CHANGE(...)
#define EFFECT(...)
#define RANK(...)
#define SPREAD(...)
#define NOTE(id, text) {id, text},
static const char *const notes[][2] = {
#include "lab/claims.def"
};
static void a_note_is_of_a_claim_and_the_only_one(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) {
        const struct claim *c = claim_list;
        while (c->id && strcmp(c->id, notes[i][0])) c++;
        if (!c->id) fail_msg("a note is of %s, which is no claim", notes[i][0]);
        assert_string_equal(claim_note(c), notes[i][1]); /* the first of its id */
        assert_int_equal(notes[i][1][strlen(notes[i][1]) - 1], '.');
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_third_is_of_the_papers_number),
        cmocka_unit_test(a_gain_for_a_loss_is_another_sign),
        cmocka_unit_test(a_share_has_no_sign),
        cmocka_unit_test(a_way_is_met_or_not),
        cmocka_unit_test(a_bound_holds_and_zero_as_it_is_printed),
        cmocka_unit_test(predictions_and_what_is_chosen_count_apart),
        cmocka_unit_test(a_paper_has_a_score_of_its_own),
        cmocka_unit_test(every_claim_says_where_it_stands),
        cmocka_unit_test(no_prediction_rests_on_what_was_chosen),
        cmocka_unit_test(a_table_has_a_value_for_each_workload),
        cmocka_unit_test(a_note_is_of_a_claim_and_the_only_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
