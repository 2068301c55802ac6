/* Pages: data cannot leave its element, nothing outside is named, what is not used is not embedded, the same data give the
 * same bytes. What a page draws is tested in a browser (tests/browser.sh). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "page/files.h"
#include "page/page.h"

static size_t times(const char *text, const char *what) {
    size_t n = 0;
    for (const char *p = text; (p = strstr(p, what)); p += strlen(what)) n++;
    return n;
}

static void write_page(struct sb *out, const char *title, unsigned use, json_t *data) {
    page_write(out, &(struct page){.title = title, .app = "compare", .use = use, .data = data});
    json_decref(data);
}

/* The text between the tags of the data's element; moves the end of the text there. */
static char *data_of(struct sb *page) {
    static const char begin[] = "<script type=\"application/json\" id=\"data\">\n";
    char *from = strstr(page->text, begin);
    assert_non_null(from);
    from += strlen(begin);
    *strstr(from, "</script>") = 0;
    return from;
}

static void data_cannot_end_its_element(void **state) {
    (void)state;
    static const char evil[] = "</script><script>alert(1)</script><!-- <b> & \"quoted\" \x01";
    struct sb out = {0};
    write_page(&out, "t", 0, json_pack("{s:s, s:[s]}", "text", evil, "</script>", evil));
    assert_null(strstr(out.text, "alert(1)</"));
    char *data = data_of(&out);
    assert_null(strchr(data, '<'));
    json_t *back = json_loads(data, 0, NULL);
    assert_non_null(back);
    assert_string_equal(json_string_value(json_object_get(back, "text")), evil);
    assert_string_equal(json_string_value(json_array_get(json_object_get(back, "</script>"), 0)), evil);
    json_decref(back);
    sb_free(&out);
}

static void the_title_is_text(void **state) {
    (void)state;
    struct sb out = {0};
    write_page(&out, "</title><script>\"&\n", 0, json_object());
    assert_non_null(strstr(out.text, "<title>&lt;/title&gt;&lt;script&gt;&quot;&amp;?</title>"));
    sb_free(&out);
}

/* A page names no file and no host: no src, no href but the icon's, no import; and the policy would stop one that did. */
static void a_page_needs_nothing_beside_itself(void **state) {
    (void)state;
    struct sb out = {0};
    write_page(&out, "t", PAGE_CHARTS | PAGE_GRAPHS, json_object());
    assert_int_equal(times(out.text, "default-src 'none'"), 1);
    assert_int_equal(times(out.text, " src="), 0);
    assert_int_equal(times(out.text, "<link"), 1);
    assert_int_equal(times(out.text, "@import"), 0);
    assert_int_equal(times(out.text, "url(h"), 0);
    assert_int_equal(times(out.text, "<script"), times(out.text, "</script>"));
    assert_int_equal(times(out.text, " onclick="), 0);
    assert_non_null(strstr(out.text, "</body>\n</html>\n"));
    sb_free(&out);
}

static void only_what_is_used_is_embedded(void **state) {
    (void)state;
    struct sb none = {0}, charts = {0}, all = {0};
    write_page(&none, "t", 0, json_object());
    write_page(&charts, "t", PAGE_CHARTS, json_object());
    write_page(&all, "t", PAGE_CHARTS | PAGE_GRAPHS, json_object());
    assert_true(none.len < 100 * 1000);
    assert_true(charts.len > none.len + 100 * 1000 && charts.len < 400 * 1000);
    assert_true(all.len > charts.len + 50 * 1000 && all.len < 500 * 1000);
    assert_null(strstr(none.text, "Chart.js Contributors"));
    assert_null(strstr(charts.text, "Chris Pettitt"));
    sb_free(&none);
    sb_free(&charts);
    sb_free(&all);
}

/* The Expat licence asks for its text in all copies. */
static void licences_go_with_the_libraries(void **state) {
    (void)state;
    struct sb out = {0};
    write_page(&out, "t", PAGE_CHARTS | PAGE_GRAPHS, json_object());
    assert_non_null(strstr(out.text, "Chart.js Contributors"));
    assert_non_null(strstr(out.text, "Chris Pettitt"));
    assert_int_equal(times(out.text, "Permission is hereby granted"), 2);
    for (const struct page_file *f = page_files; f->name; f++)
        if (strstr(f->name, ".copyright")) assert_null(memmem(f->text, f->bytes, "*/", 2));
    sb_free(&out);
}

static void the_same_data_give_the_same_bytes(void **state) {
    (void)state;
    struct sb one = {0}, other = {0};
    const double third = 1.0 / 3;
    write_page(&one, "t", PAGE_CHARTS, json_pack("{s:i, s:f}", "b", 1, "a", third));
    write_page(&other, "t", PAGE_CHARTS, json_pack("{s:i, s:f}", "b", 1, "a", third));
    assert_int_equal(one.len, other.len);
    assert_memory_equal(one.text, other.text, one.len);
    assert_string_equal(data_of(&one), "{\"b\":1,\"a\":0.3333333333}\n");
    sb_free(&one);
    sb_free(&other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_cannot_end_its_element),
        cmocka_unit_test(the_title_is_text),
        cmocka_unit_test(a_page_needs_nothing_beside_itself),
        cmocka_unit_test(only_what_is_used_is_embedded),
        cmocka_unit_test(licences_go_with_the_libraries),
        cmocka_unit_test(the_same_data_give_the_same_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
