/* Sweeps: what a point is, that only missing ones run, and that whatever becomes of them is stored. */
#include "points.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sim/config.h"

/* ---- what a point is ---- */

static struct store_id id_of(struct arena *mem, struct lab_point p) {
    struct store_id id;
    struct err e = {0};
    if (!lab_point_id(&p, mem, &id, &e)) fail_msg("%s", err_text(&e));
    return id;
}

static struct store_id id_with(struct arena *mem, const char *mech, const char *key, const char *value) {
    hd_option o = {key, value};
    struct lab_point p = points_at(0, mech);
    p.settings = &o;
    p.nsettings = 1;
    return id_of(mem, p);
}

static void the_same_point_asked_for_differently_has_one_key(void **state) {
    struct arena mem = {0};
    struct store_id plain = id_of(&mem, points_at(0, "pdom"));
    (void)state;
    assert_true(id_of(&mem, points_at(0, NULL)).key == plain.key); /* tiny's own mechanism */
    assert_true(id_with(&mem, "pdom", "gpu.sms", "1").key == plain.key);
    assert_true(id_with(&mem, "pdom", "gpu.sms", "0x1").key == plain.key);
    assert_true(id_with(&mem, "pdom", "dwf.policy", "dtime").key == plain.key);
    assert_true(id_with(&mem, "pdom:side=most", "gpu.sms", "1").key ==
                id_with(&mem, "pdom", "pdom.side", "most").key);
    struct lab_point a = points_at(0, "pdom"), b = a;
    a.config = NULL;
    b.config = CONFIG_DEFAULT;
    assert_true(id_of(&mem, a).key == id_of(&mem, b).key);
    arena_free(&mem);
}

static void different_points_have_different_keys(void **state) {
    struct arena mem = {0};
    struct lab_point other = points_at(0, "pdom");
    other.subject.size = WORK_SMALL;
    struct lab_point elsewhere = points_at(0, "pdom");
    elsewhere.config = NULL;
    struct store_id ids[] = {id_of(&mem, points_at(0, "pdom")),
                             id_of(&mem, points_at(1, "pdom")),
                             id_of(&mem, points_at(0, "mimd")),
                             id_of(&mem, points_at(0, "pdom:side=most")),
                             id_with(&mem, "pdom", "gpu.sms", "2"),
                             id_with(&mem, "pdom", "gpu.sms", "4"),
                             id_with(&mem, "pdom", "sm.warp_size", "16"),
                             id_of(&mem, other),
                             id_of(&mem, elsewhere)};
    (void)state;
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        for (size_t k = 0; k < i; k++) assert_true(ids[i].key != ids[k].key);
    arena_free(&mem);
}

/* Neither a kernel that was compiled anew nor another build of heddle may find what is stored of the one before. */
static void a_point_is_of_its_kernels_and_of_the_sources_it_ran_under(void **state) {
    struct arena mem = {0};
    struct workload changed = points_workloads[0];
    struct lab_point point = points_at(0, "pdom");
    struct store_id before = id_of(&mem, point);
    size_t n = strlen(hd_version());
    (void)state;
    assert_memory_equal(before.version, hd_version(), n);
    assert_int_equal(before.version[n], '+');
    assert_string_equal(before.version + n + 1, lab_sources);
    assert_int_equal(strspn(lab_sources, "0123456789abcdef"), 12);

    changed.code_bytes--;
    point.subject.workload = &changed;
    struct store_id after = id_of(&mem, point);
    assert_true(after.program != before.program && after.key != before.key);
    assert_true(after.machine == before.machine);
    arena_free(&mem);
}

static struct store_id id_of_program(struct arena *mem, struct lab_program p) {
    struct lab_point point = {.subject = {.program = &p}, .config = "tiny"};
    return id_of(mem, point);
}

static void a_program_is_its_text_launch_and_arguments(void **state) {
    static const uint8_t zeros[260], ones[260] = {1};
    struct arena mem = {0};
    struct lab_arg args[] = {{.text = "buf:u8[260]", .bytes = 260, .initial = zeros},
                             {.text = "u32:0", .value = {.type = HD_ARG_U32}}};
    struct lab_arg filled[] = {args[0], args[1]}, spinning[] = {args[0], args[1]};
    filled[0].initial = ones;
    spinning[1].value.v.u = 1;
    struct lab_program p = {.file = "f.ptx",
                            .text = points_ptx,
                            .text_bytes = sizeof points_ptx - 1,
                            .kernel = "k",
                            .launch = {.grid = {1}, .block = {64}},
                            .args = args,
                            .nargs = 2};
    struct lab_program wider = p, other = p, spins = p, shorter = p;
    wider.launch.block[0] = 32;
    other.args = filled;
    spins.args = spinning;
    shorter.text_bytes--;
    struct store_id ids[] = {id_of_program(&mem, p), id_of_program(&mem, wider), id_of_program(&mem, other),
                             id_of_program(&mem, spins), id_of_program(&mem, shorter)};
    (void)state;
    assert_string_equal(ids[0].workload, "f.ptx:k");
    assert_string_equal(ids[0].size, "-");
    assert_true(ids[0].key == id_of_program(&mem, p).key);
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        for (size_t k = 0; k < i; k++) assert_true(ids[i].key != ids[k].key);
    p.identity = lab_subject_hash(&(struct lab_subject){.program = &p});
    args[0].initial = NULL; /* what is not there at the moment counts all the same */
    assert_true(ids[0].key == id_of_program(&mem, p).key);
    arena_free(&mem);
}

static void a_script_is_its_kernels_and_what_it_does(void **state) {
    struct arena mem = {0};
    const struct lab_script script = {.name = "s.hds",
                                      .file = "f.ptx",
                                      .text = points_ptx,
                                      .text_bytes = sizeof points_ptx - 1,
                                      .identity = 1};
    struct lab_script other = script, shorter = script;
    other.identity = 2;
    shorter.text_bytes--;
    const struct lab_script *const scripts[] = {&script, &other, &shorter};
    struct store_id ids[3];
    (void)state;
    for (size_t i = 0; i < 3; i++)
        ids[i] = id_of(&mem, (struct lab_point){.subject = {.script = scripts[i]}, .config = "tiny"});
    assert_string_equal(ids[0].workload, "f.ptx:s.hds");
    assert_true(ids[0].key != ids[1].key && ids[0].key != ids[2].key && ids[1].key != ids[2].key);
    arena_free(&mem);
}

static void arguments_come_before_options_and_are_part_of_the_key(void **state) {
    static const hd_option sms = {"gpu.sms", "2"}, small[] = {{"block", "64"}, {"n", "8"}},
                           large[] = {{"block", "64"}, {"n", "16"}};
    struct arena mem = {0};
    struct lab_point a = points_at(0, "pdom"), b, c;
    (void)state;
    a.subject.name = "f.cu:k";
    a.settings = &sms;
    a.nsettings = 1;
    b = c = a;
    b.arguments = small, b.narguments = 2;
    c.arguments = large, c.narguments = 2;
    struct store_id ids[] = {id_of(&mem, a), id_of(&mem, b), id_of(&mem, c)};
    assert_string_equal(ids[0].workload, "f.cu:k");
    assert_string_equal(ids[0].options, "gpu.sms=2");
    assert_string_equal(ids[1].options, "block=64 n=8 gpu.sms=2");
    assert_true(ids[0].machine == ids[1].machine && ids[1].machine == ids[2].machine);
    assert_true(ids[0].key != ids[1].key && ids[1].key != ids[2].key);
    arena_free(&mem);
}

static void what_is_known_of_one_point_is_right_for_the_next(void **state) {
    static const hd_option settings[][2] = {{{"gpu.sms", "2"}, {"pdom.side", "most"}},
                                            {{"gpu.sms", "1"}, {"pdom.side", "taken"}}};
    static const char *const mechs[] = {NULL, "pdom", "dwf", "pdom:side=most"}, *const configs[] = {"tiny",
                                                                                                    NULL};
    struct arena mem = {0}, own = {0};
    struct lab_known *k = lab_known_new(&mem);
    struct err e = {0};
    (void)state;
    for (size_t round = 0; round < 2; round++)
        for (size_t i = 0; i < 2 * 2 * 4 * 2; i++) {
            struct lab_point p = points_at(i & 1, mechs[i / 2 % 4]);
            struct store_id known, fresh;
            p.config = configs[i / 8 % 2];
            p.settings = settings[i / 16];
            p.nsettings = 2;
            assert_true(lab_known_id(k, &p, &known, &e) && lab_point_id(&p, &own, &fresh, &e));
            assert_true(known.key == fresh.key && known.machine == fresh.machine &&
                        known.program == fresh.program);
            assert_string_equal(known.options, fresh.options);
            assert_int_equal(known.noptions, fresh.noptions);
            for (size_t o = 0; o < known.noptions; o++)
                assert_string_equal(known.option[o].value, fresh.option[o].value);
        }
    struct lab_point bad = points_at(0, "pdmo");
    struct store_id id;
    assert_false(lab_known_id(k, &bad, &id, &e));
    assert_false(lab_known_id(k, &bad, &id, &e)); /* what failed is not known */
    err_free(&e);
    lab_known_free(k);
    arena_free(&own);
    arena_free(&mem);
}

static void what_cannot_be_is_said(void **state) {
    static const struct {
        const char *config, *mech, *key, *value, *why;
    } cases[] = {
        {"tniy", "pdom", "gpu.sms", "1", "did you mean tiny?"},
        {"tiny", "pdmo", "gpu.sms", "1", "did you mean 'pdom'?"},
        {"tiny", "pdmo:side=most", "gpu.sms", "1", "did you mean 'pdom'?"},
        {"tiny", "pdom:sied=most", "gpu.sms", "1", "did you mean pdom.side?"},
        {"tiny", "pdom:side", "gpu.sms", "1", "'side' is not KEY=VALUE"},
        {"tiny", "pdom:", "gpu.sms", "1", "is not KEY=VALUE"},
        {"tiny", "", "gpu.sms", "1", "there is no mechanism"},
        {"tiny", "pdom", "gpu.smss", "1", "did you mean gpu.sms?"},
        {"tiny", "pdom", "gpu.sms", "none", "gpu.sms"},
        {"tiny", "pdom", "run.mech", "mimd", "--mech"},
        {"tiny", "pdom", "run.mode", "functional", "timed"},
    };
    struct arena mem = {0};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hd_option o = {cases[i].key, cases[i].value};
        struct lab_point p = points_at(0, cases[i].mech);
        struct store_id id;
        struct err e = {0};
        p.config = cases[i].config;
        p.settings = &o;
        p.nsettings = 1;
        assert_false(lab_point_id(&p, &mem, &id, &e));
        if (!strstr(err_text(&e), cases[i].why)) fail_msg("%s lacks: %s", err_text(&e), cases[i].why);
        err_free(&e);
    }
    arena_free(&mem);
}

/* ---- sweeps ---- */

static struct lab_sweep sweep(struct store *s, const struct lab_point *points, size_t n, unsigned jobs) {
    return (struct lab_sweep){.store = s, .points = points, .npoints = n, .jobs = jobs};
}

static struct store *in_memory(void) {
    struct store *s;
    struct err e = {0};
    assert_true(store_open(NULL, STORE_WRITE, &s, &e));
    return s;
}

static void whatever_becomes_of_a_point_is_stored(void **state) {
    struct store *s = in_memory();
    const struct lab_point points[] = {points_at(2, "pdom"), points_at(1, "pdom"), points_at(0, "pdom")};
    struct lab_sweep w = sweep(s, points, 3, 2);
    struct err e = {0};
    double v;
    (void)state;
    assert_true(lab_sweep(&w, &e));
    assert_int_equal(w.progress.points, 3);
    assert_int_equal(w.progress.done, 3);
    assert_int_equal(w.progress.bad, 2);
    assert_true(w.progress.part == 1 && !w.stopped);
    assert_int_equal(w.found[0]->state, STORE_FAILED);
    assert_non_null(strstr(w.found[0]->error, "gpu.watchdog"));
    assert_int_equal(w.found[1]->state, STORE_WRONG);
    assert_non_null(strstr(w.found[1]->error, "the result is wrong: "));
    assert_int_equal(w.found[2]->state, STORE_GOOD);
    assert_true(w.found[2]->seconds > 0);

    assert_true(lab_sweep_value(&w, 2, "exec.threads", &v, &e) && v == 64);
    assert_true(lab_sweep_value(&w, 2, "ipc", &v, &e) && v > 0);
    assert_false(lab_sweep_value(&w, 0, "ipc", &v, &e));
    assert_non_null(strstr(err_text(&e), "endless under pdom failed: "));
    assert_false(lab_sweep_value(&w, 2, "icp", &v, &e));
    assert_non_null(strstr(err_text(&e), "did you mean ipc?"));
    lab_sweep_free(&w);
    err_free(&e);
    store_close(s);
}

static void a_mechanism_has_counters_of_its_own(void **state) {
    struct store *s = in_memory();
    const struct lab_point points[] = {points_at(0, "dwf"), points_at(0, "pdom")};
    struct lab_sweep w = sweep(s, points, 2, 1);
    struct err e = {0};
    struct stats own = {0};
    uint64_t first;
    double v;
    (void)state;
    for (const struct mech_ops *const *m = mech_list; *m; m++)
        if (!strcmp((*m)->name, "dwf")) own.mech = *m;
    struct sb name = {0};
    sb_add(&name, "dwf.%s", stats_counter(&own, 0, &first)->key);
    assert_true(lab_sweep(&w, &e));
    assert_true(lab_sweep_value(&w, 0, name.text, &v, &e));
    assert_false(lab_sweep_value(&w, 1, name.text, &v, &e));
    sb_free(&name);
    lab_sweep_free(&w);
    err_free(&e);
    store_close(s);
}

static void only_what_is_missing_runs(void **state) {
    struct store *s = in_memory();
    const struct lab_point points[] = {points_at(0, "pdom"), points_at(0, "mimd"),
                                       points_at(0, "pdom:side=taken"), points_at(1, "pdom"),
                                       points_at(0, "nrec")};
    struct err e = {0};
    (void)state;
    struct lab_sweep w = sweep(s, points, 2, 1);
    assert_true(lab_sweep(&w, &e));
    assert_int_equal(w.progress.done, 2);
    lab_sweep_free(&w);

    w = sweep(s, points, 5, 2); /* the third is the first again: its parameter is what it is anyway */
    assert_true(lab_sweep_look(&w, &e));
    assert_int_equal(w.progress.points, 4);
    assert_int_equal(w.progress.stored, 2);
    assert_true(w.again[2] && w.found[2] == w.found[0] && !w.found[3]);
    lab_sweep_free(&w);
    w = sweep(s, points, 5, 2);
    assert_true(lab_sweep(&w, &e));
    assert_int_equal(w.progress.stored, 2);
    assert_int_equal(w.progress.done, 2);
    assert_int_equal(w.rows.rows.n, 4);
    lab_sweep_free(&w);

    w = sweep(s, points, 5, 2); /* only the wrong one */
    w.retry = true;
    assert_true(lab_sweep(&w, &e));
    assert_int_equal(w.progress.stored, 3);
    assert_int_equal(w.progress.done, 1);
    assert_int_equal(w.found[3]->state, STORE_WRONG);
    lab_sweep_free(&w);
    store_close(s);
}

/* A limit on the size of files is what a full disk is, and holds for root too. */
static void limit_files(rlim_t bytes) {
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static atomic_int runs; /* runs of the workload below */
static void counted(struct work *w) {
    atomic_fetch_add(&runs, 1);
    points_good(w);
}

static void nothing_runs_for_a_store_that_cannot_be_written(void **state) {
    char path[] = "/tmp/heddle-sweep-XXXXXX";
    int file = mkstemp(path);
    struct store *s;
    struct workload good = points_workloads[0];
    struct lab_point points[] = {points_at(0, "pdom"), points_at(0, "mimd")};
    good.run = counted;
    points[0].subject.workload = points[1].subject.workload = &good;
    struct err e = {0};
    (void)state;
    assert_true(file >= 0 && !close(file));
    assert_true(store_open(path, STORE_WRITE, &s, &e));
    struct lab_sweep w = sweep(s, points, 1, 1);
    assert_true(lab_sweep(&w, &e));
    lab_sweep_free(&w);

    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    limit_files(0);
    w = sweep(s, points, 2, 1);
    bool fine = lab_sweep(&w, &e);
    lab_sweep_free(&w);
    w = sweep(s, points, 1, 1); /* but what is there can be had */
    struct err none = {0};
    bool had = lab_sweep(&w, &none);
    lab_sweep_free(&w);
    limit_files(RLIM_INFINITY);
    signal(SIGXFSZ, handler);
    assert_false(fine);
    assert_int_equal(atomic_load(&runs), 1); /* only the run before */
    assert_non_null(strstr(err_text(&e), path));
    assert_true(had);
    err_free(&e);
    store_close(s);
    unlink(path);
}

static void assert_equal_rows(const struct store_rows *a, const struct store_rows *b) {
    assert_int_equal(a->rows.n, b->rows.n);
    assert_int_equal(a->names.n, b->names.n);
    for (size_t i = 0; i < a->rows.n; i++) {
        const struct store_row *x = &a->rows.v[i], *y = &b->rows.v[i];
        assert_true(x->id.key == y->id.key && x->digest == y->digest && x->state == y->state);
        assert_string_equal(x->error, y->error);
        for (size_t k = 0; k < a->names.n; k++) {
            assert_int_equal(x->values[k].kind, y->values[k].kind);
            assert_memory_equal(&x->values[k].whole, &y->values[k].whole, 8);
        }
    }
}

static void the_number_of_threads_changes_nothing(void **state) {
    static const char *const mechs[] = {"nrec", "pdom", "lwm", "mimd", "dwf", "harp", "mp", "minpc"};
    enum { N = 2 * sizeof mechs / sizeof *mechs };
    struct lab_point points[N];
    struct store_rows rows[2];
    struct err e = {0};
    (void)state;
    for (size_t i = 0; i < N; i++) points[i] = points_at(i % 2, mechs[i / 2]);
    for (unsigned jobs = 1; jobs <= 2; jobs++) {
        struct store *s = in_memory();
        struct lab_sweep w = sweep(s, points, N, jobs);
        assert_true(lab_sweep(&w, &e));
        assert_true(store_read(s, NULL, 0, &rows[jobs - 1], &e));
        lab_sweep_free(&w);
        store_close(s);
    }
    assert_equal_rows(&rows[0], &rows[1]);
    store_rows_free(&rows[0]);
    store_rows_free(&rows[1]);
}

/* Stops once a point has ended. */
static bool enough(void *user, const struct lab_progress *p) {
    *(size_t *)user += 1;
    return !p->done;
}

/* ---- with another sweep at work ---- */

enum { SHARED = 9 };

/* Points 0 to 8, in the order in which they ran; and at which of them another sweep has stored a point meanwhile. */
static struct {
    struct store *store;
    const struct store_id *ids;
    char ran[SHARED + 1];
    int when[SHARED]; /* by point: when this one runs, the other stores it; -1: never */
} other;

static void run_shared(struct work *w) {
    const struct lab_outcome o = {.launches = 1};
    struct err e = {0};
    other.ran[strlen(other.ran)] = *w->workload->name;
    for (int i = 0; i < SHARED; i++)
        if (other.when[i] == *w->workload->name - '0')
            assert_true(store_put(other.store, &other.ids[i], &o, false, &e));
    points_good(w);
}

/* The other one stores the first point while it runs here too, and later on the seventh. */
static void sweeps_that_meet_share_the_work(void **state) {
    static const char *const names[SHARED] = {"0", "1", "2", "3", "4", "5", "6", "7", "8"};
    struct workload workloads[SHARED];
    struct lab_point points[SHARED];
    struct err e = {0};
    (void)state;
    other.store = in_memory();
    for (int i = 0; i < SHARED; i++) {
        workloads[i] = points_workloads[0];
        workloads[i].name = names[i];
        workloads[i].run = run_shared;
        points[i] = points_at(0, "pdom");
        points[i].subject.workload = &workloads[i];
        other.when[i] = i == 0 ? 0 : i == 6 ? 5 : -1;
    }
    struct lab_sweep w = sweep(other.store, points, SHARED, 1);
    assert_true(lab_sweep_ids(&w, &e));
    other.ids = w.ids;
    assert_true(lab_sweep(&w, &e));
    /* after 0: the middle of 1 to 8; at 6: that of 1 to 4, and not of 7 and 8 */
    assert_string_equal(other.ran, "05347812");
    assert_int_equal(w.progress.stored, 2);
    assert_int_equal(w.progress.done, 7);
    assert_int_equal(w.rows.rows.n, SHARED);
    lab_sweep_free(&w);
    store_close(other.store);
}

static void a_stopped_sweep_goes_on_where_it_was(void **state) {
    struct store *s = in_memory();
    hd_option patient = {"gpu.watchdog", "1000000000"}; /* spins for minutes, unless it is abandoned */
    struct lab_point points[] = {points_at(0, "pdom"), points_at(2, "pdom"), points_at(0, "mimd")};
    struct err e = {0};
    size_t ticks = 0;
    double v;
    (void)state;
    points[1].settings = &patient;
    points[1].nsettings = 1;
    struct lab_sweep w = sweep(s, points, 3, 1);
    w.tick = enough;
    w.user = &ticks;
    assert_true(lab_sweep(&w, &e));
    assert_true(w.stopped && ticks > 0);
    assert_int_equal(w.progress.done, 1);
    assert_true(w.found[0] && !w.found[1] && !w.found[2]);
    assert_false(lab_sweep_value(&w, 1, "ipc", &v, &e));
    assert_non_null(strstr(err_text(&e), "has not run"));
    lab_sweep_free(&w);

    const struct lab_point rest[] = {points[0], points[2]};
    w = sweep(s, rest, 2, 1);
    assert_true(lab_sweep(&w, &e));
    assert_int_equal(w.progress.stored, 1);
    assert_int_equal(w.progress.done, 1);
    lab_sweep_free(&w);
    err_free(&e);
    store_close(s);
}

static void a_bad_point_stops_a_sweep_before_it_begins(void **state) {
    struct store *s = in_memory();
    const struct lab_point points[] = {points_at(0, "pdom"), points_at(0, "pdmo")};
    struct lab_sweep w = sweep(s, points, 2, 1);
    struct store_rows r;
    struct err e = {0};
    (void)state;
    assert_false(lab_sweep(&w, &e));
    assert_non_null(strstr(err_text(&e), "did you mean 'pdom'?"));
    assert_true(store_read(s, NULL, 0, &r, &e));
    assert_int_equal(r.rows.n, 0);
    store_rows_free(&r);
    lab_sweep_free(&w);
    err_free(&e);
    store_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_point_asked_for_differently_has_one_key),
        cmocka_unit_test(different_points_have_different_keys),
        cmocka_unit_test(a_point_is_of_its_kernels_and_of_the_sources_it_ran_under),
        cmocka_unit_test(a_program_is_its_text_launch_and_arguments),
        cmocka_unit_test(a_script_is_its_kernels_and_what_it_does),
        cmocka_unit_test(arguments_come_before_options_and_are_part_of_the_key),
        cmocka_unit_test(what_is_known_of_one_point_is_right_for_the_next),
        cmocka_unit_test(what_cannot_be_is_said),
        cmocka_unit_test(whatever_becomes_of_a_point_is_stored),
        cmocka_unit_test(a_mechanism_has_counters_of_its_own),
        cmocka_unit_test(only_what_is_missing_runs),
        cmocka_unit_test(nothing_runs_for_a_store_that_cannot_be_written),
        cmocka_unit_test(the_number_of_threads_changes_nothing),
        cmocka_unit_test(sweeps_that_meet_share_the_work),
        cmocka_unit_test(a_stopped_sweep_goes_on_where_it_was),
        cmocka_unit_test(a_bad_point_stops_a_sweep_before_it_begins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
