/* The store: what is put in comes out, in canonical order, once; what is not a store is refused and left alone. */
#include "points.h"

#include <stdio.h>
#include <unistd.h>

#include "sim/file.h"

struct place {
    char folder[64], path[80];
    struct arena mem;
    struct err e;
};

static int setup(void **state) {
    struct place *p = calloc(1, sizeof *p);
    strcpy(p->folder, "/tmp/heddle-store-XXXXXX");
    assert_non_null(mkdtemp(p->folder));
    snprintf(p->path, sizeof p->path, "%s/r.sqlite", p->folder);
    *state = p;
    return 0;
}

static int teardown(void **state) {
    struct place *p = *state;
    unlink(p->path);
    assert_int_equal(rmdir(p->folder), 0); /* nothing is left beside the file */
    arena_free(&p->mem);
    err_free(&p->e);
    free(p);
    return 0;
}

static struct store_id id_of(struct place *p, struct lab_point point) {
    struct store_id id;
    assert_true(lab_point_id(&point, &p->mem, &id, &p->e));
    return id;
}

static void put(struct place *p, struct store *s, const struct store_id *id, uint64_t cycles, bool replace) {
    struct lab_outcome o = {.launches = 3, .checked = 77, .digest = 0xabcdef, .seconds = 1.5};
    o.total.gpu.cycles = cycles;
    o.total.sm.thread_insts = 3 * cycles;
    assert_true(store_put(s, id, &o, replace, &p->e));
}

static void what_is_put_in_comes_out(void **state) {
    struct place *p = *state;
    struct store *s;
    struct store_rows r;
    hd_option sms = {"gpu.sms", "2"};
    struct lab_point point = points_at(0, "pdom:side=most");
    point.settings = &sms;
    point.nsettings = 1;
    struct store_id id = id_of(p, point);
    assert_true(store_open(p->path, STORE_WRITE, &s, &p->e));
    put(p, s, &id, 1000, false);
    store_close(s);

    assert_true(store_open(p->path, STORE_READ, &s, &p->e));
    assert_true(store_read(s, NULL, 0, &r, &p->e));
    assert_int_equal(r.rows.n, 1);
    const struct store_row *row = &r.rows.v[0];
    assert_true(row->id.key == id.key && row->id.machine == id.machine && row->id.program == id.program);
    assert_string_equal(row->id.workload, "good");
    assert_string_equal(row->id.size, "tiny");
    assert_string_equal(row->id.config, "tiny");
    assert_string_equal(row->id.mech, "pdom:side=most");
    assert_string_equal(row->id.options, "gpu.sms=2");
    assert_string_equal(row->id.version, id.version);
    assert_int_equal(row->state, STORE_GOOD);
    assert_string_equal(row->error, "");
    assert_int_equal(row->launches, 3);
    assert_int_equal(row->checked, 77);
    assert_int_equal(row->digest, 0xabcdef);
    assert_true(row->seconds == 1.5);
    assert_int_equal(row->id.noptions, id.noptions);
    for (size_t i = 0; i < id.noptions; i++)
        assert_string_equal(store_option(row, id.option[i].key), id.option[i].value);
    assert_null(store_option(row, "dwf.policy"));
    double v;
    assert_true(store_number(row, store_find(&r, "gpu.ipc", &p->e), &v) && v == 3);
    assert_true(store_number(row, store_find(&r, "cycles", &p->e), &v) && v == 1000);
    assert_ptr_equal(store_by_key(&r, id.key), row);
    assert_null(store_by_key(&r, id.key + 1));
    store_rows_free(&r);
    store_close(s);
}

static void a_point_that_is_there_stays_unless_replaced(void **state) {
    struct place *p = *state;
    struct store *s;
    struct store_rows r;
    struct store_id id = id_of(p, points_at(0, "pdom"));
    double v;
    assert_true(store_open(NULL, STORE_WRITE, &s, &p->e));
    for (int replace = 0; replace < 2; replace++) {
        put(p, s, &id, 1000, false);
        put(p, s, &id, 2000, replace);
        assert_true(store_read(s, NULL, 0, &r, &p->e));
        assert_int_equal(r.rows.n, 1);
        assert_true(store_number(&r.rows.v[0], store_find(&r, "gpu.cycles", &p->e), &v));
        assert_true(v == (replace ? 2000 : 1000));
        store_rows_free(&r);
    }
    store_close(s);
}

static void rows_come_in_canonical_order(void **state) {
    struct place *p = *state;
    struct store *s;
    struct store_rows r;
    /* put in backwards; numbers are numbers, mechanisms have the order of their table, not the alphabet's */
    const char *const sms[] = {"10", "9", "1"}, *const mechs[] = {"minpc", "mimd", "pdom", "nrec"};
    assert_true(store_open(NULL, STORE_WRITE, &s, &p->e));
    for (size_t m = 0; m < 4; m++)
        for (size_t i = 0; i < 3; i++) {
            hd_option o = {"gpu.sms", sms[i]};
            struct lab_point point = points_at(0, mechs[m]);
            point.settings = &o;
            point.nsettings = 1;
            struct store_id id = id_of(p, point);
            put(p, s, &id, 1, false);
        }
    assert_true(store_read(s, NULL, 0, &r, &p->e));
    assert_int_equal(r.rows.n, 12);
    for (size_t i = 0; i < 12; i++) {
        assert_string_equal(r.rows.v[i].id.mech, mechs[3 - i / 3]);
        assert_string_equal(store_place(&r.rows.v[i], "gpu.sms"), sms[2 - i % 3]);
    }
    assert_true(store_axis(&r, "workload", &p->e) && store_axis(&r, "gpu.sms", &p->e));
    assert_false(store_axis(&r, "gpu.smss", &p->e));
    assert_non_null(strstr(err_text(&p->e), "did you mean gpu.sms?"));
    store_rows_free(&r);
    store_close(s);
}

static void only_the_keys_asked_for_are_read(void **state) {
    struct place *p = *state;
    struct store *s;
    struct store_rows r;
    struct store_id a = id_of(p, points_at(0, "pdom")), b = id_of(p, points_at(0, "mimd"));
    enum store_state how;
    bool there;
    assert_true(store_open(NULL, STORE_WRITE, &s, &p->e));
    put(p, s, &a, 1, false);
    put(p, s, &b, 1, false);
    assert_true(store_read(s, &b.key, 1, &r, &p->e));
    assert_int_equal(r.rows.n, 1);
    assert_string_equal(r.rows.v[0].id.mech, "mimd");
    store_rows_free(&r);
    assert_true(store_read(s, &b.key, 0, &r, &p->e));
    assert_int_equal(r.rows.n, 0);
    store_rows_free(&r);
    assert_true(store_has(s, a.key, &there, &how, &p->e) && there && how == STORE_GOOD);
    assert_true(store_has(s, a.key ^ 1, &there, &how, &p->e) && !there);
    store_close(s);
}

static void statistics_are_found_by_name(void **state) {
    struct place *p = *state;
    struct store *s;
    struct store_rows r;
    struct store_id id = id_of(p, points_at(0, "dwf"));
    assert_true(store_open(NULL, STORE_WRITE, &s, &p->e));
    put(p, s, &id, 1, false);
    assert_true(store_read(s, NULL, 0, &r, &p->e));
    assert_string_equal(r.names.v[store_find(&r, "ipc", &p->e)], "gpu.ipc");
    assert_string_equal(r.names.v[store_find(&r, "cycles", &p->e)],
                        "gpu.cycles"); /* many have it, gpu first */
    assert_string_equal(r.names.v[store_find(&r, "stack_max", &p->e)], "div.stack_max");
    assert_int_equal(store_find(&r, "miss_rate", &p->e), r.names.n);
    assert_non_null(strstr(err_text(&p->e), "\"miss_rate\" may be l1d.miss_rate or l1t.miss_rate"));
    assert_int_equal(store_find(&r, "icp", &p->e), r.names.n);
    assert_non_null(strstr(err_text(&p->e), "did you mean ipc?"));
    assert_int_equal(store_find(&r, "gpu.icp", &p->e), r.names.n);
    assert_non_null(strstr(err_text(&p->e), "did you mean gpu.ipc?"));
    store_rows_free(&r);
    store_close(s);
}

/* Neither way of opening takes the file, and it has the same bytes after. */
static void refused(struct place *p, const char *bytes, size_t n, const char *why) {
    struct sb after = {0};
    struct store *s;
    FILE *f = fopen(p->path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    fclose(f);
    for (int access = STORE_READ; access <= STORE_WRITE; access++) {
        assert_false(store_open(p->path, (enum store_access)access, &s, &p->e));
        assert_null(s);
        assert_non_null(strstr(err_text(&p->e), why));
    }
    assert_true(file_read(p->path, &after, &p->e));
    assert_int_equal(after.len, n);
    assert_memory_equal(after.text, bytes, n);
    sb_free(&after);
}

static void other_files_are_refused_and_left_alone(void **state) {
    struct place *p = *state;
    static char noise[4096];
    memset(noise, 'x', sizeof noise);
    refused(p, noise, sizeof noise, "is not a result store: it is no SQLite database");
    refused(p, "no database", 11, "is not a result store");
    /* a header that promises more than there is */
    memset(noise, 0, sizeof noise);
    memcpy(noise, "SQLite format 3\0\x10\0\1\1\0\x40\x20\x20", 24);
    refused(p, noise, 100, "r.sqlite");
}

static void a_damaged_store_is_an_error(void **state) {
    struct place *p = *state;
    struct store *s;
    struct store_rows r = {0};
    assert_true(store_open(p->path, STORE_WRITE, &s, &p->e));
    static const char *const mechs[] = {"nrec", "pdom", "mimd", "dwf", "harp"};
    for (size_t i = 0; i < 5; i++) {
        struct store_id id = id_of(p, points_at(0, mechs[i]));
        put(p, s, &id, 1, false);
    }
    store_close(s);
    struct sb whole = {0};
    assert_true(file_read(p->path, &whole, &p->e));
    for (size_t cut = whole.len / 8; cut < whole.len; cut += whole.len / 8) {
        FILE *f = fopen(p->path, "wb");
        fwrite(whole.text, 1, cut, f);
        for (size_t i = cut; i < whole.len; i++) fputc(0xff, f);
        fclose(f);
        bool fine = store_open(p->path, STORE_READ, &s, &p->e);
        if (fine) {
            fine = store_read(s, NULL, 0, &r, &p->e);
            store_rows_free(&r);
            store_close(s);
        }
        assert_false(fine);
        assert_non_null(strstr(err_text(&p->e), p->path));
    }
    sb_free(&whole);
}

static void a_missing_file_is_only_made_to_be_written(void **state) {
    struct place *p = *state;
    struct store *s;
    assert_false(store_open(p->path, STORE_READ, &s, &p->e));
    assert_non_null(strstr(err_text(&p->e), "No such file"));
    assert_int_not_equal(access(p->path, F_OK), 0);
    assert_false(store_open("", STORE_WRITE, &s, &p->e));
    assert_false(store_open("/nonexistent/r.sqlite", STORE_WRITE, &s, &p->e));
    assert_non_null(strstr(err_text(&p->e), "/nonexistent/r.sqlite"));
    assert_false(store_open(p->folder, STORE_WRITE, &s, &p->e));
    FILE *f = fopen(p->path, "wb"); /* an empty file is as good as none */
    fclose(f);
    assert_false(store_open(p->path, STORE_READ, &s, &p->e));
    assert_non_null(strstr(err_text(&p->e), "it is empty"));
    assert_true(store_open(p->path, STORE_WRITE, &s, &p->e));
    store_close(s);
}

static void two_stores_share_a_file(void **state) {
    struct place *p = *state;
    struct store *a, *b, *reader;
    struct store_rows r;
    struct store_id x = id_of(p, points_at(0, "pdom")), y = id_of(p, points_at(0, "mimd"));
    assert_true(store_open(p->path, STORE_WRITE, &a, &p->e));
    assert_true(store_open(p->path, STORE_WRITE, &b, &p->e));
    assert_true(store_open(p->path, STORE_READ, &reader, &p->e));
    put(p, a, &x, 1, false);
    put(p, b, &x, 2, false); /* a was first */
    put(p, b, &y, 2, false);
    assert_true(store_read(reader, NULL, 0, &r, &p->e));
    assert_int_equal(r.rows.n, 2);
    double v;
    assert_true(store_number(&r.rows.v[0], store_find(&r, "cycles", &p->e), &v) && v == 1);
    store_rows_free(&r);
    struct lab_outcome o = {0};
    assert_false(store_put(reader, &x, &o, true, &p->e)); /* who reads does not write */
    store_close(reader);
    store_close(b);
    store_close(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_put_in_comes_out, setup, teardown),
        cmocka_unit_test_setup_teardown(a_point_that_is_there_stays_unless_replaced, setup, teardown),
        cmocka_unit_test_setup_teardown(rows_come_in_canonical_order, setup, teardown),
        cmocka_unit_test_setup_teardown(only_the_keys_asked_for_are_read, setup, teardown),
        cmocka_unit_test_setup_teardown(statistics_are_found_by_name, setup, teardown),
        cmocka_unit_test_setup_teardown(other_files_are_refused_and_left_alone, setup, teardown),
        cmocka_unit_test_setup_teardown(a_damaged_store_is_an_error, setup, teardown),
        cmocka_unit_test_setup_teardown(a_missing_file_is_only_made_to_be_written, setup, teardown),
        cmocka_unit_test_setup_teardown(two_stores_share_a_file, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
