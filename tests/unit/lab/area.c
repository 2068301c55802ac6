/* The model of area: closed forms, the fit, the published rows (DWF Tables 7.1 and 7.2, HARP Table 7), mechanisms. */
#include "lab/area.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lab/run/mech_choice.h"

static void assert_near(double got, double want, double relative) {
    if (!(fabs(got - want) <= relative * fabs(want))) fail_msg("%.9g, not %.9g", got, want);
}

static struct mech_array array(uint64_t entries, uint64_t bits) {
    return (struct mech_array){
        .name = "a", .arrays = 1, .entries = entries, .bits = bits, .ways = 1, .reads = 1, .writes = 1};
}

/* ---- arrays ---- */

static void an_array_is_its_cells_and_the_bits_it_reads(void **state) {
    (void)state;
    double got[AREA_CONSTANTS];
    struct mech_array a = array(64, 63); /* 4 ways, 2 + 1 ports: 64 x 63 x 9 cells, 4 x 63 x 3 bits at once */
    a.ways = 4;
    a.reads = 2;
    area_amounts(&a, got);
    assert_near(got[AREA_CELL], 64 * 63 * 9, 0);
    assert_near(got[AREA_READ], 4 * 63 * 3, 0);
    assert_true(got[AREA_CAM] == 0 && got[AREA_REGISTER] == 0 && got[AREA_DECODER] == 0);
}

/* Tags in a CAM are searched all at once: no ways are read. */
static void tags_are_cells_of_their_own(void **state) {
    (void)state;
    double got[AREA_CONSTANTS];
    struct mech_array a = array(128, 32);
    a.ways = 16;
    a.tag = 33;
    area_amounts(&a, got);
    assert_near(got[AREA_CELL], 128 * (32 + 33) * 4, 0);
    assert_near(got[AREA_READ], 16 * (32 + 33) * 2, 0);
    a.cell = MECH_CAM;
    area_amounts(&a, got);
    assert_near(got[AREA_CELL], 128 * 32 * 4, 0);
    assert_near(got[AREA_CAM], 128 * 33 * 4, 0);
    assert_near(got[AREA_READ], (16 * 32 + 33) * 2, 0);
}

/* As harp.ready_lookup = 0 and dws.wst = 0 have it. */
static void a_table_without_entries_takes_nothing(void **state) {
    (void)state;
    for (enum mech_cell cell = MECH_SRAM; cell <= MECH_REGISTERS; cell++) {
        double got[AREA_CONSTANTS];
        struct mech_array a = array(0, 32);
        a.cell = cell;
        a.tag = 8;
        area_amounts(&a, got);
        for (int i = 0; i < AREA_CONSTANTS; i++) assert_true(got[i] == 0);
    }
}

static void registers_are_their_bits(void **state) {
    (void)state;
    double got[AREA_CONSTANTS];
    struct mech_array a = array(2, 376);
    a.cell = MECH_REGISTERS;
    a.arrays = 3;
    area_amounts(&a, got);
    assert_near(got[AREA_REGISTER], 3 * 752, 0);
    assert_true(got[AREA_CELL] == 0 && got[AREA_READ] == 0);
}

static void area_grows_with_everything_an_array_has(void **state) {
    (void)state;
    for (const struct area_node *node = area_nodes; node->nm; node++) {
        struct area_model m;
        area_model_make(node, &m);
        for (enum mech_cell cell = MECH_SRAM; cell <= MECH_CAM; cell++) {
            struct mech_array a = array(64, 32);
            a.cell = cell;
            a.tag = cell == MECH_CAM ? 8 : 0;
            const double before = area_array_mm2(&m, &a);
            struct mech_array more[] = {a, a, a, a, a, a, a};
            more[0].entries++, more[1].bits++, more[2].ways++, more[3].tag++;
            more[4].reads++, more[5].writes++, more[6].arrays++;
            for (size_t i = 0; i < sizeof more / sizeof *more; i++)
                assert_true(area_array_mm2(&m, &more[i]) > before);
            assert_near(area_array_mm2(&m, &more[6]), 2 * before, 1e-12);
        }
        area_model_free(&m);
    }
}

/* ---- the fit ---- */

static double made_mm2(const struct area_row *row, const double um2[AREA_CONSTANTS]) {
    struct area_fit f = {0};
    for (int i = 0; i < AREA_CONSTANTS; i++) {
        f.um2[i] = um2[i];
        f.fitted[i] = true;
    }
    return area_row_mm2(&f, row);
}

/* Rows of the published structures, with areas made from constants that are known. */
static void the_fit_finds_the_constants_that_rows_were_made_from(void **state) {
    (void)state;
    const double um2[AREA_CONSTANTS] = {
        [AREA_CELL] = 1.25, [AREA_READ] = 210, [AREA_CAM] = 5.5, [AREA_REGISTER] = 9};
    struct area_row row[32];
    size_t n = 0;
    for (; area_rows[n].nm; n++) {
        row[n] = area_rows[n];
        row[n].mm2 = made_mm2(&row[n], um2);
    }
    struct area_fit f;
    area_fit(row, n, SIZE_MAX, &f);
    assert_int_equal(f.rows, n);
    assert_int_equal(f.constants, 4);
    for (int i = 0; i < AREA_DECODER; i++) assert_near(f.um2[i], um2[i], 1e-9);
    assert_false(f.fitted[AREA_DECODER]);
    area_fit(row, n, 3, &f);
    assert_int_equal(f.rows, n - 1);
    assert_near(area_row_mm2(&f, &row[3]), row[3].mm2, 1e-9);
}

/* Two points of a line that would cross zero below them: the least squares alone would make an access negative. */
static void constants_are_never_negative(void **state) {
    (void)state;
    struct area_row row[] = {
        {90, "a", "", 1, {{.arrays = 1, .entries = 1000, .bits = 1, .ways = 1, .reads = 1}}},
        {90, "b", "", 3, {{.arrays = 1, .entries = 2000, .bits = 1, .ways = 1, .reads = 1}}}};
    struct area_fit f;
    area_fit(row, 2, SIZE_MAX, &f);
    assert_true(f.um2[AREA_READ] == 0);
    assert_near(f.um2[AREA_CELL], 1e6 * (1000 + 2000 / 3.) / (1e6 + 4e6 / 9), 1e-9); /* sum x / sum x^2 */
}

static void a_row_whose_constant_no_other_has_cannot_be_left_out(void **state) {
    (void)state;
    struct area_model m;
    area_model_make(area_node_find(90), &m);
    assert_string_equal(m.errors.v[0].row->structure, "warp update registers");
    assert_true(isnan(m.errors.v[0].alone) != 0);
    for (size_t i = 1; i < m.errors.n; i++) assert_true(isfinite(m.errors.v[i].alone) != 0);
    area_model_free(&m);
}

/* ---- published rows ---- */

/* What docs/area.md says of the fit. */
static void every_published_row_is_within_the_error_that_is_documented(void **state) {
    (void)state;
    static const struct {
        int nm;
        double error[8], rms;
    } want[] = {{90, {0, 0.12, 0.06, 0.69, 0.06, 0.18, 0.19, 0.01}, 0.27},
                {40, {0.03, 0.36, 0.11, 0.08, 0.01, 0.09, 0.07}, 0.15}};
    for (size_t k = 0; k < 2; k++) {
        struct area_model m;
        area_model_make(area_node_find(want[k].nm), &m);
        assert_int_equal(m.errors.n, k ? 7 : 8);
        assert_int_equal(m.fit.rows - m.fit.constants, k ? 4 : 5);
        for (size_t i = 0; i < m.errors.n; i++)
            if (!(fabs(m.errors.v[i].error) <= want[k].error[i] + 1e-9))
                fail_msg("%s: %+.3f", m.errors.v[i].row->structure, m.errors.v[i].error);
        assert_true(m.rms < want[k].rms);
        area_model_free(&m);
    }
}

/* The rows are the tables': their sums are the papers' totals, of which the register files are no part. */
static void published_rows_add_up_to_the_papers_totals(void **state) {
    (void)state;
    double dwf = 0, harp = 0;
    for (const struct area_row *r = area_rows; r->nm; r++) {
        if (r->nm == 90 && strncmp(r->structure, "register file", 13) != 0) dwf += r->mm2;
        if (r->nm == 40) harp += r->mm2 * (strncmp(r->structure, "lookup", 6) ? 1 : 2);
    }
    assert_near(dwf, 1.6353, 1e-9);
    assert_near(harp, 0.1622, 0.006); /* its rows are rounded */
}

/* What a node has no row for: area goes with the square of the feature size. */
static void what_a_node_lacks_is_scaled_from_the_other(void **state) {
    (void)state;
    struct area_model m90, m40;
    area_model_make(area_node_find(90), &m90);
    area_model_make(area_node_find(40), &m40);
    assert_int_equal(m90.scaled[AREA_CAM], 40);
    assert_int_equal(m40.scaled[AREA_REGISTER], 90);
    assert_int_equal(m40.scaled[AREA_DECODER], 90);
    assert_int_equal(m90.scaled[AREA_CELL] + m40.scaled[AREA_CELL] + m40.scaled[AREA_CAM], 0);
    assert_near(m90.um2[AREA_CAM] / m40.um2[AREA_CAM], 81 / 16., 1e-12);
    assert_near(m40.um2[AREA_DECODER] / m90.um2[AREA_DECODER], 16 / 81., 1e-12);
    assert_near(m90.um2[AREA_DECODER], 722000 / 7., 1e-12);
    area_model_free(&m90);
    area_model_free(&m40);
}

/* ---- mechanisms ---- */

static void find(const struct area_model *m, const char *mech, struct area *out) {
    struct arena mem = {0};
    struct mech_choice choice;
    struct err e = {0};
    if (!mech_choice_read(mech, &mem, &choice, &e)) fail_msg("%s", err_text(&e));
    const hd_config config = {
        .file = m->node->config, .options = choice.setting, .noptions = choice.nsettings};
    if (!area_find(m, &config, out, &e)) fail_msg("%s: %s", mech, err_text(&e));
    arena_free(&mem);
}

/* DWF 7: 1.6353 + 0.722 mm2 a core, 8.02 % of 470 mm2; but the MHeap LUT has the 31 bits that its contents add up to. */
static void dwf_on_its_machine_is_tables_7_1_and_7_2(void **state) {
    (void)state;
    static const double published[] = {0.0080, 0.2633, 0.6194, 0.0342, 0.4945, 0.2159};
    struct area_model m;
    struct area a;
    area_model_make(area_node_of("dwf-8800gtx"), &m);
    find(&m, "dwf", &a);
    assert_int_equal(a.storage.parts.n, sizeof published / sizeof *published);
    assert_int_equal(a.decoders, 7);
    assert_near(a.register_decoders, 0.722, 1e-9);
    assert_near(a.tables, 1.6353, 0.1);
    assert_near(area_share(&m, a.tables + a.register_decoders), 8.02, 0.1);
    area_free(&a);
    area_model_free(&m);
}

/* HARP 8: 1 % for the tables. First-Level, depths and valid bits are ours. */
static void harp_on_its_machine_is_table_7(void **state) {
    (void)state;
    struct area_model m;
    struct area a;
    area_model_make(area_node_of("harp-fermi"), &m);
    find(&m, "harp", &a);
    assert_int_equal(a.decoders, 30);
    assert_near(a.tables, 0.3244, 0.1);
    assert_near(area_share(&m, a.tables), 1, 0.1);
    area_free(&a);
    area_model_free(&m);
}

static void a_mechanism_is_the_sum_of_its_arrays_and_those_that_mix_rows_have_decoders(void **state) {
    (void)state;
    static const char *const mixes[] = {"dwf",   "harp", "lwm", "mimd",   "tbc",
                                        "capri", "sbi",  "swi", "sbi+swi"};
    for (const struct area_node *node = area_nodes; node->nm; node++) {
        struct area_model m;
        const char *name, *title;
        area_model_make(node, &m);
        for (size_t k = 0; hd_mech_at(k, &name, &title) == HD_OK; k++) {
            struct area a;
            double sum = 0;
            bool mixed = false;
            find(&m, name, &a);
            for (size_t i = 0; i < a.mm2.n; i++) sum += a.mm2.v[i];
            for (size_t i = 0; i < sizeof mixes / sizeof *mixes; i++) mixed |= !strcmp(mixes[i], name);
            assert_near(a.tables, sum, 1e-12);
            assert_true(a.tables > 0 && (a.register_decoders > 0) == mixed);
            area_free(&a);
        }
        area_model_free(&m);
    }
}

static void a_wider_table_takes_more(void **state) {
    (void)state;
    struct area_model m;
    struct area few, many;
    area_model_make(area_node_find(90), &m);
    find(&m, "dwf:pool=64", &few);
    find(&m, "dwf:pool=128", &many);
    assert_true(few.tables < many.tables && few.storage.bits < many.storage.bits);
    area_free(&few);
    area_free(&many);
    area_model_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_array_is_its_cells_and_the_bits_it_reads),
        cmocka_unit_test(tags_are_cells_of_their_own),
        cmocka_unit_test(a_table_without_entries_takes_nothing),
        cmocka_unit_test(registers_are_their_bits),
        cmocka_unit_test(area_grows_with_everything_an_array_has),
        cmocka_unit_test(the_fit_finds_the_constants_that_rows_were_made_from),
        cmocka_unit_test(constants_are_never_negative),
        cmocka_unit_test(a_row_whose_constant_no_other_has_cannot_be_left_out),
        cmocka_unit_test(every_published_row_is_within_the_error_that_is_documented),
        cmocka_unit_test(published_rows_add_up_to_the_papers_totals),
        cmocka_unit_test(what_a_node_lacks_is_scaled_from_the_other),
        cmocka_unit_test(dwf_on_its_machine_is_tables_7_1_and_7_2),
        cmocka_unit_test(harp_on_its_machine_is_table_7),
        cmocka_unit_test(a_mechanism_is_the_sum_of_its_arrays_and_those_that_mix_rows_have_decoders),
        cmocka_unit_test(a_wider_table_takes_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
