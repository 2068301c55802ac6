/* SL's Table 1 by experiment, for all ten schemes: what the paper says comes out, and every one runs or refuses recursion, indirect
 * calls and branches, unstructured and irreducible code as it must. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "lab/table1.h"

/* What the paper has no column for: code that a structuriser takes, and code that it refuses. */
static const struct {
    const char *mech, *unstructured, *irreducible;
} shapes[] = {
    {"lorie-strong", "Yes", "Yes"}, {"chap", "Yes", "No"},
    {"amd", "Yes", "No"},           {"pomp", "Yes", "No"},
    {"gma", "Yes", "No"},           {"tesla", "Yes", "Yes"},
    {"sandybridge", "Yes", "No"},   {"takahashi", "Yes", "Yes"},
    {"sympa13", "Yes", "Yes"},      {"minpc:stack=div", "Yes", "Yes"},
};

static void as_the_paper_says(void **state) {
    (void)state;
    for (const struct table1_scheme *s = table1_schemes; s->name; s++) {
        struct table1_row row;
        assert_true(table1_there(s));
        table1_run(s, &row);
        if (row.err.code) fail_msg("%s", err_text(&row.err));
        for (int c = 0; c < TABLE1_COLUMNS; c++)
            if (strcmp(row.ours[c], s->paper[c]) != 0)
                fail_msg("%s, %s: %s, and %s in the paper", s->mech, table1_column_names[c], row.ours[c],
                         s->paper[c]);
        assert_int_equal(table1_agrees(&row), TABLE1_COLUMNS);
        table1_free(&row);
    }
}

static void code_of_any_shape(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct table1_row row;
        const struct table1_scheme *s = table1_schemes;
        while (s->name && strcmp(s->mech, shapes[i].mech) != 0) s++;
        assert_non_null(s->name);
        assert_true(table1_there(s));
        table1_run(s, &row);
        if (strcmp(row.unstructured, shapes[i].unstructured) != 0 ||
            strcmp(row.irreducible, shapes[i].irreducible) != 0)
            fail_msg("%s: unstructured %s, irreducible %s", s->mech, row.unstructured, row.irreducible);
        table1_free(&row);
    }
}

/* The kernel that tells Sync from Div tells nothing else: the same mechanism, another stack. */
static void stacks_in_step(void **state) {
    const struct table1_scheme sync = {"in step", "minpc:stack=sync", {"PC", "PC", "Sync", "Yes"}};
    const struct table1_scheme stack = {"a stack", "pdom", {"?", "?", "Sync", "Yes"}};
    struct table1_row row;
    (void)state;
    table1_run(&sync, &row);
    assert_int_equal(table1_agrees(&row), TABLE1_COLUMNS);
    table1_free(&row);
    table1_run(&stack, &row);
    assert_int_equal(table1_agrees(&row), 2);
    table1_free(&row);
}

static void unknown_mechanisms_are_told(void **state) {
    const struct table1_scheme none = {"none", "nosuch", {"", "", "", ""}};
    struct table1_row row;
    (void)state;
    assert_false(table1_there(&none));
    table1_run(&none, &row);
    assert_int_equal(row.err.code, ERR_INPUT);
    assert_int_equal(table1_agrees(&row), 0);
    table1_free(&row);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_paper_says),
        cmocka_unit_test(code_of_any_shape),
        cmocka_unit_test(stacks_in_step),
        cmocka_unit_test(unknown_mechanisms_are_told),
    };
    return cmocka_run_group_tests_name("lab/table1", tests, NULL, NULL);
}
