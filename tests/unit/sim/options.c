/* Options: what each kind accepts and refuses, in which words; files; which of several values counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/docs.h"
#include "sim/options.h"
#include "unit/sim/page.h"

/* A table of its own with every kind, as a part with its own keys would have. */
struct values {
    option_INT whole;
    option_SIZE size;
    option_REAL real;
    option_BOOL flag;
    option_ENUM word;
    option_TEXT text;
};
#define REPLACE(CHOICE) CHOICE(lru, 7) CHOICE(fifo, 3) CHOICE(random, 5)
static const struct option_row rows[] = {
    {.key = "t.whole",
     .section = "t",
     .kind = OPTION_INT,
     .low = -5,
     .high = 64,
     .offset = offsetof(struct values, whole)},
    {.key = "t.size",
     .section = "t",
     .kind = OPTION_SIZE,
     .low = 1024,
     .high = (int64_t)1 << 40,
     .offset = offsetof(struct values, size)},
    {.key = "t.real",
     .section = "t",
     .kind = OPTION_REAL,
     .rlow = 0,
     .rhigh = 1.5,
     .offset = offsetof(struct values, real)},
    {.key = "t.flag", .section = "t", .kind = OPTION_BOOL, .offset = offsetof(struct values, flag)},
    {.key = "t.word",
     .section = "t",
     .kind = OPTION_ENUM,
     .choices = OPTION_CHOICES(REPLACE),
     .offset = offsetof(struct values, word)},
    {.key = "t.text", .section = "t", .kind = OPTION_TEXT, .offset = offsetof(struct values, text)},
};
enum { WHOLE, SIZE, REAL, FLAG, WORD, TEXT };

struct fixture {
    struct values v;
    struct arena mem;
    struct err e;
};

static bool takes(struct fixture *f, int row, const char *text) {
    return option_read(&rows[row], text, &f->v, &f->mem, &f->e);
}

static void refused(struct fixture *f, int row, const char *text, const char *message) {
    struct values before = f->v;
    assert_false(takes(f, row, text));
    assert_int_equal(f->e.code, ERR_INPUT);
    assert_string_equal(err_text(&f->e), message);
    assert_memory_equal(&before, &f->v, sizeof before);
}

static void done(struct fixture *f) {
    arena_free(&f->mem);
    err_free(&f->e);
}

static void whole_numbers(void **state) {
    (void)state;
    struct fixture f = {0};
    assert_true(takes(&f, WHOLE, "64"));
    assert_int_equal(f.v.whole, 64);
    assert_true(takes(&f, WHOLE, "-5"));
    assert_int_equal(f.v.whole, -5);
    assert_true(takes(&f, WHOLE, "0x1f"));
    assert_int_equal(f.v.whole, 31);
    assert_true(takes(&f, WHOLE, "010")); /* not octal: a user who writes this does not mean 8 */
    assert_int_equal(f.v.whole, 10);
    refused(&f, WHOLE, "65", "t.whole: \"65\" is out of range: expected a whole number from -5 to 64");
    refused(&f, WHOLE, "-6", "t.whole: \"-6\" is out of range: expected a whole number from -5 to 64");
    refused(&f, WHOLE, "99999999999999999999",
            "t.whole: \"99999999999999999999\" is out of range: expected a whole number from -5 to 64");
    static const char *const bad[] = {"", " 5", "5 ", "five", "1.5", "4K", "0x", "--1", "+-1", "-"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char message[128];
        snprintf(message, sizeof message,
                 "t.whole: \"%s\" is not a value of this option: expected a whole number from -5 to 64",
                 bad[i]);
        refused(&f, WHOLE, bad[i], message);
    }
    done(&f);
}

static void sizes_take_suffixes(void **state) {
    (void)state;
    struct fixture f = {0};
    static const struct {
        const char *text;
        uint64_t bytes;
    } good[] = {{"1024", 1024},  {"1K", 1024},        {"48k", 49152},
                {"3M", 3145728}, {"2G", 2147483648u}, {"1T", (uint64_t)1 << 40}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(takes(&f, SIZE, good[i].text));
        assert_int_equal(f.v.size, good[i].bytes);
    }
    refused(
        &f, SIZE, "1023",
        "t.size: \"1023\" is out of range: expected a size in bytes (K, M, G, T may follow) from 1K to 1T");
    refused(&f, SIZE, "9000000T",
            "t.size: \"9000000T\" is out of range: expected a size in bytes (K, M, G, T may follow) from 1K "
            "to 1T");
    refused(&f, SIZE, "4KB",
            "t.size: \"4KB\" is not a value of this option: expected a size in bytes (K, M, G, T may follow) "
            "from 1K to 1T");
    refused(&f, SIZE, "K",
            "t.size: \"K\" is not a value of this option: expected a size in bytes (K, M, G, T may follow) "
            "from 1K to 1T");
    done(&f);
}

static void reals(void **state) {
    (void)state;
    struct fixture f = {0};
    assert_true(takes(&f, REAL, "1.25"));
    assert_true(f.v.real == 1.25);
    assert_true(takes(&f, REAL, "1e-3"));
    assert_true(f.v.real == 1e-3);
    refused(&f, REAL, "2", "t.real: \"2\" is out of range: expected a number from 0 to 1.5");
    refused(&f, REAL, "nan",
            "t.real: \"nan\" is not a value of this option: expected a number from 0 to 1.5");
    refused(&f, REAL, "1,5",
            "t.real: \"1,5\" is not a value of this option: expected a number from 0 to 1.5");
    refused(&f, REAL, "-", "t.real: \"-\" is not a value of this option: expected a number from 0 to 1.5");
    done(&f);
}

static void words_flags_and_text(void **state) {
    (void)state;
    struct fixture f = {0};
    assert_true(takes(&f, WORD, "random"));
    assert_int_equal(f.v.word, 5);
    assert_true(takes(&f, WORD, "lru"));
    assert_int_equal(f.v.word, 7);
    assert_string_equal(option_word(rows[WORD].choices, 3), "fifo");
    assert_null(option_word(rows[WORD].choices, 0));
    refused(&f, WORD, "rand", "t.word: \"rand\" is not a value of this option: expected lru, fifo or random");
    refused(&f, WORD, "lru|fifo",
            "t.word: \"lru|fifo\" is not a value of this option: expected lru, fifo or random");
    refused(&f, WORD, "", "t.word: \"\" is not a value of this option: expected lru, fifo or random");
    static const char *const yes[] = {"true", "ON", "yes", "1"}, *const no[] = {"false", "off", "No", "0"};
    for (int i = 0; i < 4; i++) {
        assert_true(takes(&f, FLAG, yes[i]));
        assert_true(f.v.flag);
        assert_true(takes(&f, FLAG, no[i]));
        assert_false(f.v.flag);
    }
    refused(&f, FLAG, "2", "t.flag: \"2\" is not a value of this option: expected true or false");
    char text[] = "any thing";
    assert_true(takes(&f, TEXT, text));
    text[0] = 'X';
    assert_string_equal(f.v.text, "any thing"); /* a copy */
    done(&f);
}

/* What is printed reads back as the same value. */
static void values_print_as_they_are_read(void **state) {
    (void)state;
    struct fixture f = {0};
    static const char *const texts[] = {
        [WHOLE] = "-5", [SIZE] = "48K", [REAL] = "0.25", [FLAG] = "true", [WORD] = "fifo", [TEXT] = "a b"};
    for (int i = 0; i <= TEXT; i++) {
        struct sb out = {0};
        assert_true(takes(&f, i, texts[i]));
        option_print(&rows[i], &f.v, &out);
        assert_string_equal(out.text, texts[i]);
        sb_free(&out);
    }
    done(&f);
}

/* ---- the machine's table ---- */

static void every_row_is_complete(void **state) {
    (void)state;
    struct options o;
    options_init(&o); /* panics when a default is refused by its own row */
    for (size_t i = 0; i < o.nrows; i++) {
        const struct option_row *r = &o.rows[i];
        assert_int_equal(strncmp(r->key, r->section, strlen(r->section)), 0);
        assert_int_equal(o.origin[i], OPTION_DEFAULT);
        assert_int_equal(r->help[strlen(r->help) - 1], '.');
        assert_int_equal(r->kind == OPTION_ENUM, r->choices != NULL);
    }
    assert_int_equal(o.exec.shared_bytes, 227 * 1024);
    assert_int_equal(o.machine.sm.shared_bytes, 32 * 1024);
    assert_int_equal(o.memory.dram.tRCD, 12);
    assert_int_equal(o.run.mode, RUN_AUTO);
    options_free(&o);
}

static void unknown_keys_name_the_nearest(void **state) {
    (void)state;
    struct options o;
    struct err e = {0};
    options_init(&o);
    assert_false(options_set(&o, "exec.iza", "auto", OPTION_GIVEN, &e));
    assert_string_equal(err_text(&e), "there is no option \"exec.iza\"; did you mean exec.isa?");
    assert_false(options_set(&o, "global_bytes", "1G", OPTION_GIVEN, &e));
    assert_string_equal(err_text(&e), "there is no option \"global_bytes\"; did you mean mem.global_bytes?");
    assert_false(options_set(&o, "colour", "red", OPTION_GIVEN, &e));
    assert_string_equal(err_text(&e), "there is no option \"colour\"");
    assert_false(options_set(&o, "", "", OPTION_GIVEN, &e));
    assert_string_equal(err_text(&e), "there is no option \"\"");
    err_free(&e);
    options_free(&o);
}

static void the_call_wins_over_the_file(void **state) {
    (void)state;
    struct options o;
    struct err e = {0};
    options_init(&o);
    assert_true(options_set(&o, "exec.max_insts", "10", OPTION_FILE, &e));
    assert_int_equal(o.exec.max_insts, 10);
    assert_int_equal(o.origin[OPT_exec_max_insts], OPTION_FILE);
    assert_true(options_set(&o, "exec.max_insts", "20", OPTION_GIVEN, &e));
    assert_int_equal(o.exec.max_insts, 20);
    assert_true(options_set(&o, "exec.max_insts", "30", OPTION_FILE, &e));
    assert_int_equal(o.exec.max_insts, 20);
    assert_int_equal(o.origin[OPT_exec_max_insts], OPTION_GIVEN);
    assert_false(
        options_set(&o, "exec.max_insts", "many", OPTION_FILE, &e)); /* checked though it would not count */
    assert_string_equal(option_origin_name[OPTION_GIVEN], "given");
    err_free(&e);
    options_free(&o);
}

/* ---- parameters of mechanisms ---- */

static void parameters_of_mechanisms_are_options(void **state) {
    (void)state;
    struct options o;
    struct err e = {0};
    const int64_t *param = NULL;
    options_init(&o);
    assert_true(o.nrows > OPTION_COUNT);
    assert_string_equal(options_mech(&o, &param)->name, "pdom");
    assert_int_equal(param[0], 0);
    assert_true(options_set(&o, "pdom.side", "most", OPTION_GIVEN, &e));
    assert_int_equal(param[0], 2);
    assert_false(options_set(&o, "pdom.side", "least", OPTION_GIVEN, &e));
    assert_string_equal(
        err_text(&e),
        "pdom.side: \"least\" is not a value of this option: expected taken, fallthrough or most");
    assert_false(options_set(&o, "pdom.sides", "most", OPTION_GIVEN, &e));
    assert_string_equal(err_text(&e), "there is no option \"pdom.sides\"; did you mean pdom.side?");
    struct sb value = {0};
    option_print(&o.rows[options_find(&o, "pdom.side", &e)], &o, &value);
    assert_string_equal(value.text, "most");
    sb_free(&value);
    err_free(&e);
    options_free(&o);
}

/* ---- what no row alone can say ---- */

static void inconsistent(const char *key, const char *value, const char *message) {
    struct options o;
    struct err e = {0};
    options_init(&o);
    assert_true(options_check(&o, &e));
    assert_true(options_set(&o, key, value, OPTION_GIVEN, &e));
    assert_false(options_check(&o, &e));
    assert_int_equal(e.code, ERR_INPUT);
    assert_string_equal(err_text(&e), message);
    err_free(&e);
    options_free(&o);
}

static void machines_beyond_the_host_are_refused(void **state) {
    (void)state;
    struct options o;
    struct err e = {0};
    options_init(&o);
    assert_true(options_set(&o, "gpu.sms", "1024", OPTION_GIVEN, &e));
    assert_true(options_set(&o, "sm.threads", "2048", OPTION_GIVEN, &e));
    assert_true(options_check(&o, &e));
    assert_true(options_set(&o, "sm.threads", "2080", OPTION_GIVEN, &e));
    assert_false(options_check(&o, &e));
    assert_string_equal(
        err_text(&e),
        "gpu.sms times sm.threads is 2129920: machines of more than 2097152 threads are not simulated");
    err_free(&e);
    options_free(&o);
}

static void inconsistent_machines_are_refused(void **state) {
    (void)state;
    inconsistent("run.mech", "pdm", "run.mech: there is no mechanism \"pdm\"; did you mean pdom?");
    inconsistent("run.mech", "telepathy", "run.mech: there is no mechanism \"telepathy\"");
    inconsistent("sm.warp_size", "24", "sm.warp_size is 24: it must be a power of two");
    inconsistent("sm.simd_width", "64",
                 "sm.simd_width is 64: more than the 32 threads of a warp (sm.warp_size)");
    inconsistent("sm.threads", "100", "sm.threads is 100: it must be a multiple of 32, whole warps");
    inconsistent("l2.line", "96", "l2.line is 96: it must be a power of two");
    inconsistent("l1d.sector", "128",
                 "l1d.sector is 128: it must be 0 or a power of two up to l1d.line (64)");
    inconsistent("l1d.sector", "1", "l1d.sector = 1 makes 64 sectors of a line of 64; 32 is the most");
    inconsistent("dram.interleave", "96", "dram.interleave = 96 is not a multiple of l2.line = 64");
    inconsistent(
        "dram.mask_row", "f0",
        "dram.mask_chip is missing: masks are given for all of chip, row, column and bank, or for none");
}

/* ---- files ---- */

static void with_bytes(const char *text, size_t bytes, bool good, const char *message) {
    char path[] = "/tmp/heddle-options-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, bytes), (ssize_t)bytes);
    close(fd);
    struct options o;
    struct err e = {0};
    options_init(&o);
    assert_int_equal(options_read_file(&o, path, &e), good);
    if (good) {
        assert_int_equal(o.exec.isa, 1);
        assert_int_equal(o.origin[OPT_exec_isa], OPTION_FILE);
        assert_int_equal(o.mem.global_bytes, 1 << 20);
    } else {
        assert_int_equal(strncmp(err_text(&e), path, strlen(path)), 0);
        assert_string_equal(err_text(&e) + strlen(path), message);
    }
    unlink(path);
    err_free(&e);
    options_free(&o);
}

static void with_file(const char *text, bool good, const char *message) {
    with_bytes(text, strlen(text), good, message);
}

static void files_set_options(void **state) {
    (void)state;
    with_file("# a machine\n[exec]\nisa = portable ; same bits\n\n[mem]\nglobal_bytes=1M\n", true, NULL);
}

/* However long a comment is, it is one line; a value that the reader cannot hold is refused, and so is a file with a NUL: its
 * text would end there without a word. */
static void with_long_lines(void) {
    struct sb text = {0};
    sb_add(&text, "[exec]\n# %0400d = 1\n  ; %0400d\nisa = x\n", 0, 0);
    with_file(text.text, false,
              ":4: exec.isa: \"x\" is not a value of this option: expected auto, portable or avx2");
    text.len = 0;
    sb_add(&text, "[exec]\nquantum = %0400d\nisa = x\n", 1);
    with_file(text.text, false, ":2: the line is too long");
    sb_free(&text);
    with_bytes("[exec]\nquantum = 7\n\0isa = x", 28, false, ":3: a NUL character");
}

/* libinih would take the second of two values, and a line that begins with a space as more of the one above. */
static void a_key_has_one_value_on_one_line(void **state) {
    (void)state;
    with_file("[exec]\nquantum = 5\nisa = auto\nquantum = 5\n", false,
              ":4: exec.quantum is given a second time: line 2 sets it already");
    with_file("[exec]\nquantum = 5\n[run]\nmech = pdom\n[exec]\nquantum = 5\n", false,
              ":6: exec.quantum is given a second time: line 2 sets it already");
    static const char continued[] =
        ": a line that begins with a space continues the value above, and a value "
        "has only one line";
    static const struct {
        const char *text, *line;
    } cases[] = {{"[dram]\nmask_row = ff\n  00\n", ":3"},
                 {"[dram]\nmask_row = ff\n\n# rows\n\t00\n", ":5"},
                 {"[exec]\nquantum = 5\n isa = auto\n", ":3"},
                 {"[exec]\nquantum = 5\n [mem]\nglobal_bytes = 1M\n", ":3"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct sb message = {0};
        sb_add(&message, "%s%s", cases[k].line, continued);
        with_file(cases[k].text, false, message.text);
        sb_free(&message);
    }
    with_file("[exec]\n  isa = portable\n  ; indented\n \t\n[mem] ; memory\n global_bytes=1M\n", true, NULL);
}

/* libinih drops what is behind a section's bracket. */
static void nothing_in_a_file_is_skipped(void **state) {
    (void)state;
    with_file("[exec] quantum = 5\n", false, ":1: only a comment may follow [section]");
    with_file("/* a machine\n[exec]\nisa = portable\n", false, ":1: expected [section] or name = value");
    with_file("[exec]\nisa = portable /* a machine\n", false,
              ":2: exec.isa: \"portable /* a machine\" is not a value of this option: expected auto, "
              "portable or avx2");
}

static void files_are_refused_with_their_line(void **state) {
    (void)state;
    with_file("[exec]\nisa = auto\nisaa = auto\n", false,
              ":3: there is no option \"exec.isaa\"; did you mean exec.isa?");
    with_file("[exec]\n\nisa = x\nquantum = y\n", false,
              ":3: exec.isa: \"x\" is not a value of this option: expected auto, portable or avx2");
    with_file("[exec\nisa = auto\n", false, ":1: expected [section] or name = value");
    with_file("[exec]\nnonsense\nisa = x\n", false, ":2: expected [section] or name = value");
    with_file("isa = auto\n", false, ":1: there is no option \"isa\"; did you mean exec.isa?");
    with_long_lines();
    struct options o;
    struct err e = {0};
    options_init(&o);
    assert_false(options_read_file(&o, "/nonexistent/x.ini", &e));
    assert_string_equal(err_text(&e), "cannot open /nonexistent/x.ini: No such file or directory");
    assert_false(options_read_file(&o, "/tmp", &e));
    assert_string_equal(err_text(&e), "cannot read /tmp: Is a directory");
    err_free(&e);
    options_free(&o);
}

/* ---- what is generated ---- */

static void the_committed_page_is_current(void **state) {
    (void)state;
    struct sb page = {0};
    docs_options(&page);
    page_is("docs/options.md", &page);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_numbers),
        cmocka_unit_test(sizes_take_suffixes),
        cmocka_unit_test(reals),
        cmocka_unit_test(words_flags_and_text),
        cmocka_unit_test(values_print_as_they_are_read),
        cmocka_unit_test(every_row_is_complete),
        cmocka_unit_test(unknown_keys_name_the_nearest),
        cmocka_unit_test(the_call_wins_over_the_file),
        cmocka_unit_test(parameters_of_mechanisms_are_options),
        cmocka_unit_test(inconsistent_machines_are_refused),
        cmocka_unit_test(machines_beyond_the_host_are_refused),
        cmocka_unit_test(files_set_options),
        cmocka_unit_test(a_key_has_one_value_on_one_line),
        cmocka_unit_test(nothing_in_a_file_is_skipped),
        cmocka_unit_test(files_are_refused_with_their_line),
        cmocka_unit_test(the_committed_page_is_current),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
