/* A page of HTML: what is escaped, that every tag closes, that a chart has its zero and the same input gives the same bytes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "report/html.h"

static size_t times(const char *text, const char *what) {
    size_t n = 0;
    for (const char *p = text; (p = strstr(p, what)); p += strlen(what)) n++;
    return n;
}

static void text_cannot_leave_its_place(void **state) {
    (void)state;
    struct sb out = {0};
    html_text(&out, "<script>alert(\"1\" & '2')</script>\x01\n");
    assert_string_equal(out.text, "&lt;script&gt;alert(&quot;1&quot; &amp; &#39;2&#39;)&lt;/script&gt;?\n");
    sb_free(&out);
    html_add(&out, "%s %d", "a<b", 3);
    assert_string_equal(out.text, "a&lt;b 3");
    sb_free(&out);
    html_mark(&out, HTML_BAD, "</span>");
    assert_string_equal(out.text, "<span class=\"bad\">&#10007; &lt;/span&gt;</span>");
    sb_free(&out);
    html_begin(&out, "</title><b>");
    assert_non_null(strstr(out.text, "<title>&lt;/title&gt;&lt;b&gt;</title>"));
    sb_free(&out);
}

static void a_table_keeps_its_heading(void **state) {
    (void)state;
    struct table t;
    struct sb out = {0};
    table_init(&t, "lr");
    TABLE_HEAD(&t, "a", "b");
    table_cell(&t, "%s", "x<y");
    table_cell(&t, "%d", 7);
    table_end_row(&t);
    html_table(&out, &t);
    assert_string_equal(out.text, "<table>\n<tr><th>a</th><th class=\"n\">b</th></tr>\n"
                                  "<tr><td>x&lt;y</td><td class=\"n\">7</td></tr>\n</table>\n");
    table_free(&t);
    sb_free(&out);
}

/* -10 to +30 on 216 units between the edges: zero at 2 + 54, ours from there to the left edge. */
static void bars_start_at_zero(void **state) {
    (void)state;
    struct sb out = {0};
    const struct html_bar b = {.theirs = "+30 %",
                               .ours = "-10 %",
                               .their = 30,
                               .our = -10,
                               .has_their = true,
                               .has_our = true,
                               .mark = HTML_BAD};
    html_pair(&out, &b, &b, 1);
    assert_non_null(strstr(out.text, "<title>paper +30 %, ours -10 %</title>"));
    assert_non_null(strstr(out.text, "class=\"theirs\" x=\"56.0\" y=\"3\" width=\"162.0\""));
    assert_non_null(strstr(out.text, "class=\"bad\" x=\"2.0\" y=\"15\" width=\"54.0\""));
    assert_non_null(strstr(out.text, "M56.0 0"));
    sb_free(&out);
}

static void what_is_no_number_has_no_bar(void **state) {
    (void)state;
    struct sb out = {0};
    const struct html_bar none = {.theirs = "", .ours = "-"}, nan = {.our = NAN, .has_our = true},
                          zero = {.ours = "0", .has_our = true};
    html_pair(&out, &none, &none, 1);
    html_pair(&out, &nan, &nan, 1);
    assert_int_equal(times(out.text, "<rect"), 0);
    assert_int_equal(times(out.text, "nan"), 0);
    html_pair(&out, &zero, &zero, 1);
    assert_int_equal(times(out.text, "<rect"), 1); /* a zero is seen */
    html_columns(&out, NULL, 0);
    assert_int_equal(times(out.text, "<svg"), times(out.text, "</svg>"));
    sb_free(&out);
}

static void columns(struct sb *out) {
    const struct html_bar bars[] = {
        {.label = "a&b",
         .theirs = "1",
         .ours = "2",
         .their = 1,
         .our = 2,
         .has_their = true,
         .has_our = true},
        {.label = "c", .theirs = "", .ours = "-3", .our = -3, .has_our = true, .mark = HTML_GOOD}};
    html_columns(out, bars, 2);
}
static void columns_are_named_and_the_same_again(void **state) {
    (void)state;
    struct sb out = {0}, again = {0};
    columns(&out);
    columns(&again);
    assert_string_equal(out.text, again.text);
    assert_int_equal(times(out.text, "<rect"), 3);
    assert_int_equal(times(out.text, "<g>"), 2);
    assert_int_equal(times(out.text, "</g>"), 2);
    assert_non_null(strstr(out.text, "<title>a&amp;b: paper 1, ours 2</title>"));
    assert_non_null(strstr(out.text, "<title>c: paper none, ours -3</title>"));
    sb_free(&out);
    sb_free(&again);
}

static void a_page_needs_nothing_else(void **state) {
    (void)state;
    struct sb out = {0};
    html_begin(&out, "x");
    html_end(&out);
    static const char *const outside[] = {"<script", "<link", "src=", "http", "url(", "@import"};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) assert_null(strstr(out.text, outside[i]));
    assert_non_null(strstr(out.text, "prefers-color-scheme:dark"));
    assert_non_null(strstr(out.text, "@media print"));
    static const char *const tags[] = {"html", "head", "body", "style", "title"};
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
        char tag[16] = "</";
        assert_int_equal(times(out.text, strcat(strcat(tag, tags[i]), ">")), 1);
    }
    assert_int_equal(times(out.text, "{"), times(out.text, "}"));
    sb_free(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_cannot_leave_its_place),
        cmocka_unit_test(a_table_keeps_its_heading),
        cmocka_unit_test(bars_start_at_zero),
        cmocka_unit_test(what_is_no_number_has_no_bar),
        cmocka_unit_test(columns_are_named_and_the_same_again),
        cmocka_unit_test(a_page_needs_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
