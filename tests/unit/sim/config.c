/* Configurations: each loads, is complete and consistent; the default is the tables'; names, files, origins. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/config.h"
#include "sim/docs.h"
#include "sim/file.h"

/* Sections that describe the machine, not the run, nor the host core, which a configuration of a GPU leaves as it is. */
static bool of_machine(const struct option_row *row) {
    return strcmp(row->section, "exec") != 0 && strcmp(row->section, "run") != 0 &&
           strcmp(row->section, "mem") != 0 && strcmp(row->section, "cfg") != 0 &&
           strcmp(row->section, "cpu") != 0;
}

static void opened(struct options *o, const char *name) {
    struct err e = {0};
    options_init(o);
    if (!config_read(o, name, &e)) fail_msg("%s", err_text(&e));
}

static void every_machine_is_complete_and_consistent(void **state) {
    (void)state;
    size_t n = 0;
    for (const struct config *c = config_list; c->name; c++, n++) {
        struct options o;
        struct err e = {0};
        opened(&o, c->name);
        if (!options_check(&o, &e)) fail_msg("%s: %s", c->name, err_text(&e));
        for (size_t i = 0; i < OPTION_COUNT; i++)
            if (of_machine(&o.rows[i]) && o.origin[i] != OPTION_FILE)
                fail_msg("%s does not set %s", c->name, o.rows[i].key);
        assert_true(*c->title && *c->title != '#');
        options_free(&o);
    }
    assert_int_equal(n, 8);
}

static void compiled_in_is_what_the_files_say(void **state) {
    (void)state;
    for (const struct config *c = config_list; c->name; c++) {
        char path[256];
        struct sb text = {0};
        struct err e = {0};
        snprintf(path, sizeof path, "configs/%s.ini", c->name);
        assert_true(file_read(path, &text, &e));
        assert_string_equal(text.text, c->text);
        sb_free(&text);
    }
}

static void values_equal(const struct options *a, const struct options *b) {
    for (size_t i = 0; i < a->nrows; i++) {
        struct sb x = {0}, y = {0};
        option_print(&a->rows[i], a, &x);
        option_print(&b->rows[i], b, &y);
        if (strcmp(x.text ? x.text : "", y.text ? y.text : "") != 0)
            fail_msg("%s: %s and %s", a->rows[i].key, x.text, y.text);
        sb_free(&x);
        sb_free(&y);
    }
}

static void the_defaults_are_harp_fermi(void **state) {
    (void)state;
    struct options plain, harp;
    options_init(&plain);
    opened(&harp, CONFIG_DEFAULT);
    values_equal(&plain, &harp);
    options_free(&plain);
    options_free(&harp);
}

/* The lines of HARP Table 3 and DWF Table 5.2, once more. */
static void the_tables_of_the_papers(void **state) {
    (void)state;
    struct options o;
    opened(&o, "harp-fermi");
    assert_int_equal(o.gpu.sms, 16);
    assert_int_equal(o.memory.dram.channels, 6);
    assert_int_equal(o.memory.noc.sms_per_port, 4);
    assert_int_equal(o.memory.l2.sets * o.memory.l2.ways * o.memory.l2.line, 128 << 10);
    assert_int_equal(o.memory.l1d.sets * o.memory.l1d.ways * o.memory.l1d.line, 48 << 10);
    assert_int_equal(o.memory.l1t.sets * o.memory.l1t.ways * o.memory.l1t.line, 8 << 10);
    assert_int_equal(o.machine.sm.registers * 4, 128 << 10);
    assert_int_equal(o.machine.sm.threads, 2 * 768);
    options_free(&o);
    opened(&o, "dwf-8800gtx");
    assert_int_equal(o.machine.sm.warp_size / o.machine.sm.simd_width, 4);
    assert_int_equal(o.memory.l1d.sets * o.memory.l1d.ways * o.memory.l1d.line, 512 << 10);
    /* ten cycles of cache, nine of them on the way of every instruction (5.1.1), and nothing behind it (5.2) */
    assert_int_equal(o.machine.sm.depth - 5 + o.memory.l1d.latency, 10);
    assert_false(o.memory.l2.present);
    assert_int_equal(o.memory.dram.policy, MEM_FRFCFS);
    assert_int_equal(o.memory.dram.tRRD, 8);
    assert_int_equal(o.memory.dram.tRC, 34);
    options_free(&o);
}

static void shown_text_reads_back_the_same(void **state) {
    (void)state;
    struct options o, again;
    struct err e = {0};
    struct sb text = {0};
    opened(&o, "turing-rtx2060");
    assert_true(options_set(&o, "pdom.side", "most", OPTION_GIVEN, &e));
    assert_true(options_set(&o, "mem.global_bytes", "1G", OPTION_GIVEN, &e));
    config_show(&o, &text);
    options_init(&again);
    if (!options_read_text(&again, "shown", text.text, &e)) fail_msg("%s", err_text(&e));
    values_equal(&o, &again);
    assert_non_null(strstr(text.text, "[gpu]\nsms = 30                        ; turing-rtx2060\n"));
    assert_non_null(strstr(text.text, "global_bytes = 1G               ; given\n"));
    assert_non_null(strstr(text.text, "isa = auto                      ; default\n"));
    sb_free(&text);
    options_free(&o);
    options_free(&again);
}

static void refused(const char *name, const char *message) {
    struct options o;
    struct err e = {0};
    options_init(&o);
    assert_false(config_read(&o, name, &e));
    assert_int_equal(e.code, ERR_INPUT);
    assert_string_equal(err_text(&e), message);
    err_free(&e);
    options_free(&o);
}

static void names_that_do_not_exist_are_refused(void **state) {
    (void)state;
    refused("harp-ferni", "there is no configuration \"harp-ferni\"; did you mean harp-fermi?");
    refused("cray", "there is no configuration \"cray\"; there are dwf-8800gtx, harp-fermi, harp-gpgpusim2, "
                    "mp-fermi, sl-tesla, tiny, "
                    "turing-rtx2060, volta-v100, and files by their path");
    refused("no/such.ini", "cannot open no/such.ini: No such file or directory");
}

static void a_file_counts_over_defaults_and_under_what_is_given(void **state) {
    (void)state;
    char path[] = "/tmp/heddle-config-XXXXXX";
    static const char text[] = "[gpu]\nsms = 3\n[pdom]\nside = fallthrough\n";
    int fd = mkstemp(path);
    assert_int_equal(write(fd, text, sizeof text - 1), (ssize_t)sizeof text - 1);
    close(fd);
    struct options o;
    struct err e = {0};
    options_init(&o);
    assert_true(options_set(&o, "pdom.side", "most", OPTION_GIVEN, &e));
    assert_true(config_read(&o, path, &e));
    assert_int_equal(o.gpu.sms, 3);
    assert_string_equal(options_origin(&o, options_find(&o, "gpu.sms", &e)), path);
    assert_string_equal(options_origin(&o, options_find(&o, "pdom.side", &e)), "given");
    assert_string_equal(options_origin(&o, options_find(&o, "gpu.watchdog", &e)), "default");
    options_free(&o);
    unlink(path);
}

static void the_committed_page_is_current(void **state) {
    (void)state;
    struct sb page = {0}, committed = {0};
    struct err e = {0};
    docs_configurations(&page);
    assert_true(file_read("docs/configurations.md", &committed, &e));
    assert_string_equal(committed.text, page.text);
    sb_free(&page);
    sb_free(&committed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_machine_is_complete_and_consistent),
        cmocka_unit_test(compiled_in_is_what_the_files_say),
        cmocka_unit_test(the_defaults_are_harp_fermi),
        cmocka_unit_test(the_tables_of_the_papers),
        cmocka_unit_test(shown_text_reads_back_the_same),
        cmocka_unit_test(names_that_do_not_exist_are_refused),
        cmocka_unit_test(a_file_counts_over_defaults_and_under_what_is_given),
        cmocka_unit_test(the_committed_page_is_current),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
