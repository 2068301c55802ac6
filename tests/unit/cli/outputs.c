/* Outputs: what the tables of all commands say about files is complete, and every option that writes one is tried first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/cli.h"
#include "cli/cmd/commands.h"
#include "cli/outputs.h"

static void every_value_that_is_a_file_says_what_for(void **state) {
    (void)state;
    for (const struct command *const *c = commands; *c; c++)
        for (const struct opt *o = (*c)->options; o->name; o++) {
            const unsigned use = o->how & (OPT_WRITES | OPT_UPDATES | OPT_READS);
            const bool file = o->value && strstr(o->value, "FILE");
            if (file != (use != 0) || (use & (use - 1)))
                fail_msg("heddle %s --%s: is it read or written?", (*c)->name, o->name);
        }
}

static bool prepare(const struct command *c, char **words, int n, struct err *e) {
    struct opts o;
    assert_true(opts_parse(&o, c->options, n, words, e));
    const bool fine = outputs_prepare(&o, e);
    opts_free(&o);
    return fine;
}

static void every_file_that_is_written_is_tried(void **state) {
    (void)state;
    size_t tried = 0;
    for (const struct command *const *c = commands; *c; c++)
        for (const struct opt *o = (*c)->options; o->name; o++) {
            char option[64];
            struct err e = {0};
            if (!(o->how & OPT_WRITES)) continue;
            const char *before = strchr(o->value, '=') ? "k=" : strchr(o->value, ':') ? "0:" : "";
            snprintf(option, sizeof option, "--%s=%s/dev/null/x", o->name, before);
            assert_false(prepare(*c, (char *[]){option}, 1, &e));
            assert_string_equal(err_text(&e), "cannot write /dev/null/x: Not a directory");
            err_free(&e);
            tried++;
        }
    assert_true(tried > 10);
}

static void two_outputs_need_two_places(void **state) {
    (void)state;
    const struct command *run = command_find("run");
    struct err e = {0};
    assert_false(prepare(run, (char *[]){"--json", "-", "--trace", "/dev/stdout"}, 4, &e));
    assert_string_equal(err_text(&e), "--json and --trace cannot both go to -");
    err_free(&e);
    assert_false(prepare(run, (char *[]){"--dump", "0:/dev/null", "--dump", "1:/dev/null"}, 4, &e));
    assert_string_equal(err_text(&e), "--dump cannot go to /dev/null twice");
    err_free(&e);
    assert_true(prepare(run, (char *[]){"--json", "-", "--trace", "/dev/null", "--print", "0"}, 6, &e));
}

static void standard_output_has_one_name(void **state) {
    (void)state;
    struct opts o;
    struct err e = {0};
    assert_true(opts_parse(&o, command_find("run")->options, 2, (char *[]){"--json", "/dev/stdout"}, &e));
    assert_true(outputs_prepare(&o, &e));
    assert_string_equal(opts_value(&o, "json"), "-");
    assert_true(outputs_on_stdout(&o));
    opts_free(&o);
    assert_true(opts_parse(&o, command_find("run")->options, 2, (char *[]){"--json", "/dev/null"}, &e));
    assert_false(outputs_on_stdout(&o));
    opts_free(&o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_value_that_is_a_file_says_what_for),
        cmocka_unit_test(every_file_that_is_written_is_tried),
        cmocka_unit_test(two_outputs_need_two_places),
        cmocka_unit_test(standard_output_has_one_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
