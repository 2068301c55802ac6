/* Shards: whatever becomes of the file, whole points stay; what does not belong together is not joined; joining again changes
 * nothing. */
#include "points.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab/store/merge.h"
#include "sim/file.h"

enum { POINTS = 6 };
static const char *const mechs[POINTS] = {"nrec", "pdom", "mimd", "dwf", "harp", "tf"};

struct place {
    char folder[64], a[80], b[80], out[80];
    struct store_id id[POINTS];
    struct arena mem;
    struct err e;
};

static int setup(void **state) {
    struct place *p = calloc(1, sizeof *p);
    strcpy(p->folder, "/tmp/heddle-shard-XXXXXX");
    assert_non_null(mkdtemp(p->folder));
    snprintf(p->a, sizeof p->a, "%s/a", p->folder);
    snprintf(p->b, sizeof p->b, "%s/b", p->folder);
    snprintf(p->out, sizeof p->out, "%s/out.sqlite", p->folder);
    for (size_t i = 0; i < POINTS; i++) {
        struct lab_point point = points_at(0, mechs[i]);
        assert_true(lab_point_id(&point, &p->mem, &p->id[i], &p->e));
    }
    *state = p;
    return 0;
}

static int teardown(void **state) {
    struct place *p = *state;
    unlink(p->a);
    unlink(p->b);
    unlink(p->out);
    assert_int_equal(rmdir(p->folder), 0);
    arena_free(&p->mem);
    err_free(&p->e);
    free(p);
    return 0;
}

static struct shard_about about(uint32_t part, uint64_t points) {
    return (struct shard_about){
        .sweep = 77, .part = part, .parts = 2, .points = points, .version = "v", .host = "h"};
}

static void put(struct place *p, struct store *s, size_t i, uint64_t cycles) {
    struct lab_outcome o = {.launches = 1, .checked = 2, .digest = i, .seconds = 0.25};
    o.total.gpu.cycles = cycles;
    o.total.sm.thread_insts = 7;
    assert_true(store_begin(s, p->id[i].key, &p->e));
    if (!store_put(s, &p->id[i], &o, false, &p->e)) fail_msg("%s", err_text(&p->e));
}

/* Points from to to-1 into a shard, which ends well with `end`. */
static void make(struct place *p, const char *path, uint32_t part, size_t from, size_t to, bool end) {
    struct shard_about x = about(part, to - from);
    struct store *s;
    if (!store_open_shard(path, &x, &s, &p->e)) fail_msg("%s", err_text(&p->e));
    for (size_t i = from; i < to; i++) put(p, s, i, 1000 + i);
    if (end) store_shard_end(s, "");
    store_close(s);
}

static void save(const char *path, const struct sb *bytes, size_t n) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes->text, 1, n, f), n);
    fclose(f);
}

static bool join(struct place *p, struct merge *m, struct merge_file *files, size_t n) {
    *m = (struct merge){.to = p->out, .files = files, .nfiles = n};
    return merge(m, &p->e);
}

/* ---- one shard ---- */

static void a_shard_has_what_was_put_in(void **state) {
    struct place *p = *state;
    struct shard_found f;
    make(p, p->a, 2, 0, POINTS, true);
    assert_true(shard_is(p->a));
    assert_true(shard_read(p->a, &f, &p->e));
    assert_int_equal(f.about.sweep, 77);
    assert_int_equal(f.about.part, 2);
    assert_int_equal(f.rows.rows.n, POINTS);
    assert_true(f.ended && !f.bad && !f.running.n);
    const struct store_row *row = store_by_key(&f.rows, p->id[3].key);
    double v;
    assert_string_equal(row->id.mech, "dwf");
    assert_int_equal(row->id.noptions, p->id[3].noptions);
    assert_string_equal(store_option(row, "gpu.sms"), "1");
    assert_true(store_number(row, store_find(&f.rows, "cycles", &p->e), &v) && v == 1003);
    assert_true(row->seconds == 0.25 && row->digest == 3);
    shard_found_free(&f);
}

/* Cut anywhere, it reads, has only whole points, and none less than a longer piece; taken up again, it gets the rest. */
static void a_shard_cut_anywhere_keeps_its_whole_points(void **state) {
    struct place *p = *state;
    struct sb whole = {0};
    size_t most = 0;
    make(p, p->a, 1, 0, POINTS, true);
    assert_true(file_read(p->a, &whole, &p->e));
    for (size_t cut = 0; cut <= whole.len; cut += cut < 600 || whole.len - cut < 40 ? 1 : 37) {
        struct shard_found f;
        save(p->b, &whole, cut);
        assert_true(shard_read(p->b, &f, &p->e));
        size_t n = f.rows.rows.n;
        assert_in_range(n, most, POINTS);
        assert_true(f.good + f.bad == cut || cut < 512);
        most = n;
        for (size_t i = 0; i < n; i++) assert_int_equal(f.rows.rows.v[i].launches, 1);
        shard_found_free(&f);
        if (cut % 11) continue;
        make(p, p->b, 1, n, POINTS, true);
        assert_true(shard_read(p->b, &f, &p->e));
        assert_int_equal(f.rows.rows.n, POINTS);
        assert_true(!f.bad && f.ended);
        shard_found_free(&f);
    }
    assert_int_equal(most, POINTS);
    sb_free(&whole);
}

static void damage_in_the_middle_costs_one_point(void **state) {
    struct place *p = *state;
    struct sb whole = {0};
    make(p, p->a, 1, 0, POINTS, true);
    assert_true(file_read(p->a, &whole, &p->e));
    for (size_t at = whole.len / 3; at < whole.len; at += 501) {
        struct shard_found f;
        whole.text[at] = (char)~whole.text[at];
        save(p->b, &whole, whole.len);
        assert_true(shard_read(p->b, &f, &p->e));
        assert_in_range(f.rows.rows.n, POINTS - 1, POINTS);
        assert_true(f.bad > 0);
        shard_found_free(&f);
        whole.text[at] = (char)~whole.text[at];
    }
    sb_free(&whole);
}

static void what_ran_when_it_was_killed_is_known(void **state) {
    struct place *p = *state;
    struct shard_found f;
    pid_t child = fork();
    if (!child) {
        struct shard_about x = about(1, 3);
        struct store *s;
        store_open_shard(p->a, &x, &s, &p->e);
        put(p, s, 0, 1000);
        store_begin(s, p->id[1].key, &p->e);
        raise(SIGKILL);
    }
    waitpid(child, NULL, 0);
    assert_true(shard_read(p->a, &f, &p->e));
    assert_int_equal(f.rows.rows.n, 1);
    assert_int_equal(f.running.n, 1);
    assert_true(f.running.v[0] == p->id[1].key && !f.ended);
    shard_found_free(&f);
}

static void other_shards_are_not_continued(void **state) {
    struct place *p = *state;
    struct shard_about x = about(2, 3);
    struct store *s, *second;
    make(p, p->a, 1, 0, 3, true);
    assert_false(store_open_shard(p->a, &x, &s, &p->e));
    assert_non_null(strstr(err_text(&p->e), "is another shard of this sweep: 1/2"));
    x = about(1, 3), x.sweep = 78;
    assert_false(store_open_shard(p->a, &x, &s, &p->e));
    assert_non_null(strstr(err_text(&p->e), "is a shard of another sweep"));
    x = about(1, 3), x.version = "w";
    assert_false(store_open_shard(p->a, &x, &s, &p->e));
    assert_non_null(strstr(err_text(&p->e), "by another build of heddle (v; this is w)"));
    assert_false(store_open(p->a, STORE_WRITE, &s, &p->e));
    assert_non_null(strstr(err_text(&p->e), "is a shard of a sweep"));
    x = about(1, 3);
    assert_true(store_open_shard(p->a, &x, &s, &p->e));
    assert_false(store_open_shard(p->a, &x, &second, &p->e));
    assert_non_null(strstr(err_text(&p->e), "is being written by another process"));
    store_close(s);
}

/* ---- joining ---- */

static void joining_twice_is_joining_once(void **state) {
    struct place *p = *state;
    struct merge_file files[] = {{.path = p->a}, {.path = p->b}, {.path = p->a}};
    struct merge m;
    struct sb first = {0}, second = {0};
    make(p, p->a, 1, 0, 3, true);
    make(p, p->b, 2, 3, POINTS, true);
    assert_true(join(p, &m, files, 3));
    assert_int_equal(m.points, POINTS);
    assert_int_equal(files[0].added.fresh, 3);
    assert_int_equal(files[2].added.same, 3); /* this shard again */
    merge_free(&m);
    assert_true(file_read(p->out, &first, &p->e));
    assert_true(join(p, &m, files, 2));
    assert_int_equal(files[0].added.fresh + files[1].added.fresh, 0);
    merge_free(&m);
    assert_true(file_read(p->out, &second, &p->e));
    assert_int_equal(first.len, second.len);
    /* SQLite counts transactions in its first page */
    assert_memory_equal(first.text + 100, second.text + 100, first.len - 100);
    sb_free(&first);
    sb_free(&second);
}

static void shards_that_are_cut_are_named_and_lose_nothing(void **state) {
    struct place *p = *state;
    struct merge_file files[] = {{.path = p->a}, {.path = p->b}};
    struct sb whole = {0};
    struct merge m;
    make(p, p->a, 1, 0, 3, true);
    make(p, p->b, 2, 3, POINTS, false);
    assert_true(file_read(p->a, &whole, &p->e));
    save(p->a, &whole, whole.len - 10);
    assert_true(join(p, &m, files, 2));
    assert_int_equal(m.points, POINTS - 1);
    assert_true(files[0].bad > 0 && files[0].missing == 1);
    assert_true(!files[1].ended && !files[1].missing);
    merge_free(&m);
    sb_free(&whole);
}

static void refused(struct place *p, struct merge_file *files, size_t n, const char *why) {
    struct merge m;
    assert_false(join(p, &m, files, n));
    if (!strstr(err_text(&p->e), why)) fail_msg("%s", err_text(&p->e));
    merge_free(&m);
    assert_int_not_equal(access(p->out, F_OK), 0); /* nothing is made */
}

static void what_does_not_belong_together_is_refused(void **state) {
    struct place *p = *state;
    struct merge_file files[] = {{.path = p->a}, {.path = p->b}};
    struct shard_about x = about(2, 3);
    struct store *s;
    make(p, p->a, 1, 0, 3, true);
    x.sweep = 78;
    assert_true(store_open_shard(p->b, &x, &s, &p->e));
    store_close(s);
    refused(p, files, 2, "are shards of different sweeps");
    unlink(p->b);
    x = about(2, 3), x.version = "w";
    assert_true(store_open_shard(p->b, &x, &s, &p->e));
    store_close(s);
    refused(p, files, 2, "different builds of heddle (v and w)");
    save(p->b, &(struct sb){.text = "something else entirely", .len = 23}, 23);
    refused(p, files, 2, "is not a result store");
    unlink(p->b);
    refused(p, files, 2, "No such file");
    make(p, p->b, 2, 3, 5, true);
    assert_true(store_open_shard(p->b, &(struct shard_about){77, 2, 2, 2, "v", "h"}, &s, &p->e));
    put(p, s, 0, 1234); /* which the other has with 1000 */
    store_close(s);
    refused(p, files, 2, "different results for good tiny under nrec on tiny: gpu.cycles differs");
    files[1].path = p->out;
    refused(p, files, 2, "cannot be joined to itself");
}

/* A store that has a point with other results is not touched. */
static void a_conflict_leaves_the_store_as_it_was(void **state) {
    struct place *p = *state;
    struct merge_file files[] = {{.path = p->b}, {.path = p->a}};
    struct sb before = {0}, after = {0};
    struct merge m;
    struct store *s;
    make(p, p->a, 1, 0, 3, true);
    make(p, p->b, 2, 3, POINTS, true);
    assert_true(store_open(p->out, STORE_WRITE, &s, &p->e));
    put(p, s, 0, 4321);
    store_close(s);
    assert_true(file_read(p->out, &before, &p->e));
    assert_false(join(p, &m, files, 2));
    merge_free(&m);
    assert_true(file_read(p->out, &after, &p->e));
    assert_int_equal(before.len, after.len);
    assert_memory_equal(before.text, after.text, before.len);
    sb_free(&before);
    sb_free(&after);
}

static void a_killed_point_gives_way_to_a_result(void **state) {
    struct place *p = *state;
    struct store *s;
    struct store_added added;
    struct shard_found f;
    enum store_state how;
    bool there;
    make(p, p->a, 1, 0, 2, true);
    assert_true(store_open(NULL, STORE_WRITE, &s, &p->e));
    assert_true(store_put_killed(s, &p->id[0], "out of memory", &p->e));
    assert_true(store_put_killed(s, &p->id[0], "out of time", &p->e)); /* the first reason stays */
    assert_true(store_has(s, p->id[0].key, &there, &how, &p->e) && there && how == STORE_KILLED);
    assert_true(shard_read(p->a, &f, &p->e));
    assert_true(store_add(s, &f.rows, p->a, &added, &p->e));
    assert_int_equal(added.replaced, 1);
    assert_int_equal(added.fresh, 1);
    assert_true(store_put_killed(s, &p->id[0], "out of memory", &p->e)); /* and a result is not replaced */
    assert_true(store_has(s, p->id[0].key, &there, &how, &p->e) && how == STORE_GOOD);
    shard_found_free(&f);
    store_close(s);
}

/* ---- arithmetic ---- */

static void every_point_is_of_one_part(void **state) {
    (void)state;
    for (uint32_t parts = 1; parts <= 40; parts++) {
        size_t least = SIZE_MAX, most = 0, all = 0;
        for (uint32_t part = 1; part <= parts; part++) {
            size_t n = 0;
            for (size_t i = 0; i < 1000; i++) n += shard_has(i, part, parts);
            least = n < least ? n : least;
            most = n > most ? n : most;
            all += n;
        }
        assert_int_equal(all, 1000);
        assert_in_range(most - least, 0, 1);
    }
}

static void parts_are_read(void **state) {
    static const char *const bad[] = {"",     "1",    "1/",   "/2",   "0/2", "3/2",
                                      "1/2x", "-1/2", "1/-2", "1 /2", "1/0"};
    struct err e = {0};
    uint32_t part, parts;
    (void)state;
    assert_true(shard_parse("2/8", &part, &parts, &e) && part == 2 && parts == 8);
    assert_true(shard_parse("1/1", &part, &parts, &e) && part == 1 && parts == 1);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(shard_parse(bad[i], &part, &parts, &e));
        assert_non_null(strstr(err_text(&e), "is not I/N"));
    }
    err_free(&e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_shard_has_what_was_put_in, setup, teardown),
        cmocka_unit_test_setup_teardown(a_shard_cut_anywhere_keeps_its_whole_points, setup, teardown),
        cmocka_unit_test_setup_teardown(damage_in_the_middle_costs_one_point, setup, teardown),
        cmocka_unit_test_setup_teardown(what_ran_when_it_was_killed_is_known, setup, teardown),
        cmocka_unit_test_setup_teardown(other_shards_are_not_continued, setup, teardown),
        cmocka_unit_test_setup_teardown(joining_twice_is_joining_once, setup, teardown),
        cmocka_unit_test_setup_teardown(shards_that_are_cut_are_named_and_lose_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(what_does_not_belong_together_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(a_conflict_leaves_the_store_as_it_was, setup, teardown),
        cmocka_unit_test_setup_teardown(a_killed_point_gives_way_to_a_result, setup, teardown),
        cmocka_unit_test(every_point_is_of_one_part),
        cmocka_unit_test(parts_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
