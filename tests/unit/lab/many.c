/* A database of many points: adding, asking and joining cost less than a millisecond a point, however many there are. Each
 * point is on a machine of its own, which is the worst case: every one brings 150 options along. HEDDLE_POINTS is how many. */
#include "points.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "lab/run/pool.h"
#include "lab/store/merge.h"
#include "lab/store/pivot.h"

enum { USUAL = 5000 };
#ifdef __SANITIZE_ADDRESS__
static const double LIMIT = 5e-3;
#else
static const double LIMIT = 1e-3; /* seconds a point */
#endif

struct many {
    size_t n;
    struct store_id *ids;
    char folder[32], db[80], part[2][80], joined[80];
    struct arena mem;
    struct err e;
};

static int setup(void **state) {
    struct many *m = calloc(1, sizeof *m);
    const char *n = getenv("HEDDLE_POINTS");
    m->n = n ? strtoul(n, NULL, 10) : USUAL;
    strcpy(m->folder, "/tmp/heddle-many-XXXXXX");
    assert_non_null(mkdtemp(m->folder));
    snprintf(m->db, sizeof m->db, "%s/r.sqlite", m->folder);
    snprintf(m->joined, sizeof m->joined, "%s/j.sqlite", m->folder);
    for (int i = 0; i < 2; i++) snprintf(m->part[i], sizeof m->part[i], "%s/r.%d-of-2", m->folder, i + 1);
    m->ids = calloc(m->n, sizeof *m->ids);
    struct lab_point p = points_at(0, "pdom");
    struct store_id one;
    assert_true(lab_point_id(&p, &m->mem, &one, &m->e));
    for (size_t i = 0; i < m->n; i++) {
        m->ids[i] = one;
        /* spread over all keys, as hashes are */
        m->ids[i].key = (i + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 1;
        m->ids[i].machine = (i + 1) * UINT64_C(0xbf58476d1ce4e5b9) >> 1;
    }
    *state = m;
    return 0;
}

static int teardown(void **state) {
    struct many *m = *state;
    unlink(m->db);
    unlink(m->joined);
    for (int i = 0; i < 2; i++) unlink(m->part[i]);
    assert_int_equal(rmdir(m->folder), 0);
    arena_free(&m->mem);
    err_free(&m->e);
    free(m->ids);
    free(m);
    return 0;
}

/* Time of the processor: how long the disk takes and what else is at work is not ours. */
struct since {
    double clock, processor;
};

static struct since now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (struct since){lab_seconds(), (double)t.tv_sec + 1e-9 * (double)t.tv_nsec};
}

static void fits(const struct many *m, const char *what, struct since start) {
    struct since end = now();
    double each = (end.processor - start.processor) / (double)m->n;
    printf("%s %zu points: %.0f us a point, %.0f by the clock\n", what, m->n, each * 1e6,
           1e6 * (end.clock - start.clock) / (double)m->n);
    assert_true(each < LIMIT);
}

static void put(struct many *m, struct store *s, size_t i) {
    struct lab_outcome o = {.launches = 1, .checked = 64, .digest = i, .seconds = 0.5};
    o.total.gpu.cycles = 1000 + i;
    if (!store_put(s, &m->ids[i], &o, false, &m->e)) fail_msg("%s", err_text(&m->e));
}

/* Ten seeds of each n, averaged, over the first: what is read as words of the points' options. */
static void tabulating(struct many *m, struct store_rows *r) {
    static const char *const by_n[] = {"n"}, *const by_mech[] = {"mech"}, *const by_seed[] = {"seed"};
    struct pivot p = {.rows = {by_n, 1}, .cols = {by_mech, 1}, .over = {by_seed, 1}};
    struct pivot_point *points = calloc(m->n, sizeof *points);
    hd_option(*words)[2] = calloc(m->n, sizeof *words);
    char(*text)[2][24] = calloc(m->n, sizeof *text);
    for (size_t i = 0; i < m->n; i++) {
        snprintf(text[i][0], sizeof text[i][0], "%zu", i / 10);
        snprintf(text[i][1], sizeof text[i][1], "%zu", i % 10);
        words[i][0] = (hd_option){"n", text[i][0]};
        words[i][1] = (hd_option){"seed", text[i][1]};
        r->rows.v[i].word = words[i];
        r->rows.v[i].nwords = 2;
        points[i] = (struct pivot_point){&r->rows.v[i], true, (double)i};
    }
    struct since since = now();
    assert_true(pivot_make(&p, points, m->n, &m->e) && pivot_relative(&p, "pdom", &m->e));
    fits(m, "tabulating", since);
    assert_int_equal(p.row_heads.n, (m->n + 9) / 10);
    assert_true(pivot_cell(&p, p.row_heads.n - 1, 0)->has);
    pivot_free(&p);
    free(points);
    free(words);
    free(text);
}

static void adding_and_asking(struct many *m) {
    struct store *s;
    struct store_rows r;
    enum store_state state;
    bool there;
    assert_true(store_open(m->db, STORE_WRITE, &s, &m->e));
    struct since since = now();
    store_batch(s, true);
    for (size_t i = 0; i < m->n; i++) put(m, s, i);
    assert_true(store_flush(s, &m->e));
    fits(m, "adding", since);
    since = now();
    for (size_t i = 0; i < m->n; i++)
        assert_true(store_has(s, m->ids[i].key, &there, &state, &m->e) && there);
    fits(m, "asking for", since);
    since = now();
    assert_true(store_read(s, NULL, 0, &r, &m->e));
    assert_int_equal(r.rows.n, m->n);
    fits(m, "reading", since);
    assert_int_equal(r.rows.v[m->n - 1].id.noptions, m->ids[0].noptions);
    tabulating(m, &r);
    store_rows_free(&r);
    store_close(s);
}

static void joining(struct many *m) {
    struct store *s;
    struct since since = now();
    for (uint32_t part = 1; part <= 2; part++) {
        struct shard_about about = {.sweep = 1, .part = part, .parts = 2, .version = "v", .host = "h"};
        assert_true(store_open_shard(m->part[part - 1], &about, &s, &m->e));
        store_batch(s, true);
        for (size_t i = 0; i < m->n; i++)
            if (shard_has(i, part, 2)) put(m, s, i);
        store_close(s);
    }
    fits(m, "adding to shards", since);
    struct merge_file files[3] = {{.path = m->part[0]}, {.path = m->part[1]}, {.path = m->db}};
    for (size_t n = 2; n <= 3; n++) {
        struct merge j = {.to = m->joined, .files = files, .nfiles = n};
        since = now();
        if (!merge(&j, &m->e)) fail_msg("%s", err_text(&m->e));
        fits(m, n == 2 ? "joining" : "joining again, and a database with the same", since);
        assert_int_equal(j.points, m->n);
        merge_free(&j);
    }
}

static void a_point_costs_less_than_a_millisecond(void **state) {
    struct many *m = *state;
    adding_and_asking(m);
    joining(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_point_costs_less_than_a_millisecond, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
