/* Parquet files read back by a reader of the tests' own: numbers to the last bit, texts, what is missing, runs and packed values
 * of every length around the eights in which they are written, several groups of rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/parquet.h"

#include "parquet_reader.h"

static void numbers_and_texts_come_back(void **state) {
    static const struct parquet_column columns[] = {
        {"word", PARQUET_TEXT}, {"count", PARQUET_WHOLE}, {"share", PARQUET_REAL}, {"size", PARQUET_WHOLE}};
    static const char *const words[] = {"", "pdom", "na\xc3\xafve, \"quoted\"\n"};
    static const uint32_t word[] = {1, 2, 0, 1};
    static const int64_t whole[] = {INT64_MIN, INT64_MAX, 0, -1}, sizes[] = {32, 64};
    static const double real[] = {0.1, -0.0, 1e308, 5e-324};
    static const bool has[] = {true, false, true, true}, none[] = {false, false, false, false};
    static const uint32_t size[] = {0, 1, 1, 0};
    struct sb out = {0};
    struct parquet p = {.out = &out, .creator = "test version 1.0.0", .columns = columns, .ncolumns = 4};
    (void)state;
    parquet_begin(&p);
    parquet_add(&p, &(struct parquet_values){.word = word, .nwords = 3, .text = words}, 4);
    parquet_add(&p, &(struct parquet_values){.whole = whole}, 4);
    parquet_add(&p, &(struct parquet_values){.real = real, .has = has}, 4);
    parquet_add(&p, &(struct parquet_values){.word = size, .nwords = 2, .whole = sizes}, 4);
    /* a second group, in which a column has nothing */
    parquet_add(&p, &(struct parquet_values){.word = word, .nwords = 3, .text = words, .has = none}, 4);
    parquet_add(&p, &(struct parquet_values){.whole = whole, .has = none}, 4);
    parquet_add(&p, &(struct parquet_values){.real = real}, 4);
    parquet_add(&p, &(struct parquet_values){.word = size, .nwords = 2, .whole = sizes, .has = has}, 4);
    parquet_end(&p);
    struct pr_table t = pr_read(out.text, out.len);
    assert_string_equal(t.creator, "test version 1.0.0");
    assert_int_equal(t.ncolumns, 4);
    assert_int_equal(t.nrows, 8);
    assert_int_equal(t.ngroups, 2);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(t.columns[0].values[i].text, words[word[i]]);
        assert_true(t.columns[1].values[i].whole == whole[i]);
        assert_int_equal(t.columns[2].values[i].has, has[i]);
        if (has[i]) assert_memory_equal(&t.columns[2].values[i].real, &real[i], 8);
        assert_true(t.columns[3].values[i].whole == sizes[size[i]]);
        assert_false(t.columns[0].values[4 + i].has || t.columns[1].values[4 + i].has);
        assert_memory_equal(&t.columns[2].values[4 + i].real, &real[i], 8);
        assert_int_equal(t.columns[3].values[4 + i].has, has[i]);
    }
    assert_string_equal(t.columns[3].name, "size");
    pr_table_free(&t);
    sb_free(&out);
}

/* Words of a dictionary of that size in runs of that length, some of them missing. */
static void check_runs(size_t rows, size_t nwords, size_t run, size_t missing) {
    static const struct parquet_column column = {"n", PARQUET_WHOLE};
    uint32_t *word = calloc(rows, sizeof *word);
    int64_t *whole = calloc(nwords, sizeof *whole);
    bool *has = calloc(rows, sizeof *has);
    struct sb out = {0};
    struct parquet p = {.out = &out, .creator = "test", .columns = &column, .ncolumns = 1};
    for (size_t i = 0; i < nwords; i++) whole[i] = (int64_t)(i * i) - 7;
    for (size_t i = 0; i < rows; i++) {
        word[i] = (uint32_t)(i / run * 2654435761u % nwords);
        has[i] = !missing || i / 3 % missing;
    }
    parquet_begin(&p);
    parquet_add(&p, &(struct parquet_values){.word = word, .nwords = nwords, .whole = whole, .has = has},
                rows);
    parquet_end(&p);
    struct pr_table t = pr_read(out.text, out.len);
    for (size_t i = 0; i < rows; i++) {
        assert_int_equal(t.columns[0].values[i].has, has[i]);
        if (has[i]) assert_true(t.columns[0].values[i].whole == whole[word[i]]);
    }
    pr_table_free(&t);
    sb_free(&out);
    free(word);
    free(whole);
    free(has);
}

static void runs_of_any_length_come_back(void **state) {
    static const size_t words[] = {1, 2, 3, 5, 200, 257, 70000};
    (void)state;
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        for (size_t run = 1; run < 20; run += 3)
            for (size_t rows = 1; rows < 100; rows += 7)
                for (size_t missing = 0; missing < 4; missing += 3) check_runs(rows, words[w], run, missing);
    check_runs(100000, 70000, 1, 5);
    check_runs(100000, 3, 1000, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_and_texts_come_back),
        cmocka_unit_test(runs_of_any_length_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
