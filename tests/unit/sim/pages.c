/* Every mechanism has its page in docs/mechanisms, with all it must have, and with its options, statistics and storage as they are. */
#include "mech/mech.h"
#include "sim/docs.h"
#include "unit/sim/page.h"

/* A+B has a page A-B, a file name for every system and address. A variant, NAME-more, may be on NAME's page. */
static void page_of(const struct mech_ops *m, char *path, size_t room, struct sb *page) {
    snprintf(path, room, "docs/mechanisms/%s.md", m->name);
    for (char *c = path; *c; c++)
        if (*c == '+') *c = '-';
    if (page_read(path, page)) return;
    snprintf(path, room, "docs/mechanisms/%.*s.md", (int)strcspn(m->name, "-"), m->name);
    if (!page_read(path, page)) fail_msg("%s has no page %s", m->name, path);
}

static void every_mechanism_has_its_page(void **state) {
    (void)state;
    static const char *const parts[] = {"\n## Idea\n",  "\n## Rules\n", "\n## Options, statistics, storage\n",
                                        "\n## Example", "\n## Cost\n",  "eviations\n"};
    for (const struct mech_ops *const *m = mech_list; *m; m++) {
        struct sb page = {0};
        char path[128];
        page_of(*m, path, sizeof path, &page);
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
            if (!strstr(page.text, parts[k])) fail_msg("%s lacks %s", path, parts[k]);
        sb_free(&page);
    }
}

static void its_options_statistics_and_storage_are_current(void **state) {
    (void)state;
    for (const struct mech_ops *const *m = mech_list; *m; m++) {
        struct sb page = {0}, want = {0};
        char path[128];
        page_of(*m, path, sizeof path, &page);
        sb_add(&want, "\n<!-- generated: mechanism %s -->\n", (*m)->name);
        docs_mechanism(*m, &want);
        sb_add(&want, "<!-- end -->\n");
        if (!strstr(page.text, want.text)) fail_msg("%s is out of date: run make docs", path);
        sb_free(&page);
        sb_free(&want);
    }
}

static void every_mechanism_is_in_the_overview(void **state) {
    (void)state;
    struct sb page = {0};
    assert_true(page_read("docs/mechanisms.md", &page));
    for (const struct mech_ops *const *m = mech_list; *m; m++) {
        char name[64];
        snprintf(name, sizeof name, "`%s`", (*m)->name);
        if (!strstr(page.text, name)) fail_msg("docs/mechanisms.md does not name %s", name);
    }
    sb_free(&page);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mechanism_has_its_page),
        cmocka_unit_test(its_options_statistics_and_storage_are_current),
        cmocka_unit_test(every_mechanism_is_in_the_overview),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
