/* Files of points: CSV as others write it, and the line of what is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "lab/sweep/table.h"

/* Cells with | between them, - where they are empty, each row with its line before it. */
static void expect(const char *text, const char *want) {
    struct arena mem = {0};
    struct sweep_table t;
    struct err e = {0};
    struct sb all = {0};
    if (!sweep_table_parse("p.csv", text, &mem, &t, &e)) fail_msg("%s: %s", text, err_text(&e));
    for (size_t i = 0; i < t.keys.v.n; i++) sb_add(&all, "%s|", t.keys.v.v[i]);
    for (size_t r = 0; r < t.lines.n; r++) {
        sb_add(&all, " %u:", t.lines.v[r]);
        for (size_t i = 0; i < t.keys.v.n; i++) {
            const char *cell = t.cells.v[r * t.keys.v.n + i];
            sb_add(&all, "%s|", cell ? cell : "-");
        }
    }
    assert_string_equal(all.text, want);
    sb_free(&all);
    sweep_table_free(&t);
    arena_free(&mem);
}

static void refuse(const char *text, const char *message) {
    struct arena mem = {0};
    struct sweep_table t;
    struct err e = {0};
    if (sweep_table_parse("p.csv", text, &mem, &t, &e)) fail_msg("%s is not refused", text);
    assert_string_equal(err_text(&e), message);
    sweep_table_free(&t);
    err_free(&e);
    arena_free(&mem);
}

static void rows_and_cells(void **state) {
    (void)state;
    expect("mech,gpu.sms\npdom,4\nharp,8\n", "mech|gpu.sms| 2:pdom|4| 3:harp|8|");
    expect("mech\r\npdom\r\n", "mech| 2:pdom|");
    expect("mech\npdom", "mech| 2:pdom|");
    expect(" mech , n \n pdom ,\t4\n", "mech|n| 2:pdom|4|");
    expect("a,b\n1,\n,2\n", "a|b| 2:1|-| 3:-|2|");
    expect("\xef\xbb\xbf"
           "a\n1\n",
           "a| 2:1|");
}

static void comments_and_empty_lines(void **state) {
    (void)state;
    expect("# points\n\na,b\n  \n# more\n1,2\n\n", "a|b| 6:1|2|");
}

static void quotes(void **state) {
    (void)state;
    expect("a,b\n\"x,y\",\"say \"\"hi\"\"\"\n\"two\nlines\" ,3\n4,5\n",
           "a|b| 2:x,y|say \"hi\"| 3:two\nlines|3| 5:4|5|");
    refuse("a\n\"x\n", "p.csv:2: a quote is not closed");
    refuse("a\n\"x\" y\n", "p.csv:2: text after a closing quote");
}

static void what_is_wrong(void **state) {
    (void)state;
    refuse("", "p.csv: it has no heading");
    refuse("# nothing\n", "p.csv: it has no heading");
    refuse("a,b\n", "p.csv: it has a heading and no points");
    refuse("a,,b\n1,2,3\n", "p.csv:1: column 2 of the heading is empty");
    refuse("a,b,a\n1,2,3\n", "p.csv:1: two columns are called a");
    refuse("a,b\n1,2\n\n3\n", "p.csv:4: 1 cells, the heading has 2");
    refuse("a,b\n1,2,3\n", "p.csv:2: 3 cells, the heading has 2");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_and_cells),
                                       cmocka_unit_test(comments_and_empty_lines), cmocka_unit_test(quotes),
                                       cmocka_unit_test(what_is_wrong)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
