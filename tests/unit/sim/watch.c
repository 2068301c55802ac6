/* What a timed launch records: series, profile, trace and timeline agree with the statistics and with each other. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>

#include "kernels/harness.h"
#include "sim/observe/timeline.h"
#include "sim/sim.h"

/* Threads of odd number take a longer way, written as a source file's line 7. */
static const char PTX[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry k(.param .u64 out)\n{\n"
    "\t.reg .b64 %a<3>;\n\t.reg .b32 %r<6>;\n\t.reg .pred %p;\n"
    "\tld.param.u64 %a0, [out];\n\tmov.u32 %r0, %tid.x;\n\tmov.u32 %r1, %ctaid.x;\n\tmov.u32 %r2, %ntid.x;\n"
    "\tmad.lo.u32 %r3, %r1, %r2, %r0;\n\tand.b32 %r4, %r0, 1;\n\tsetp.eq.u32 %p, %r4, 0;\n"
    "\t.loc 1 7 3\n\t@%p bra EVEN;\n"
    "\tadd.u32 %r4, %r4, 5;\n\tmul.lo.u32 %r4, %r4, %r3;\n\tbra JOIN;\n"
    "EVEN:\n\tadd.u32 %r4, %r4, 9;\nJOIN:\n"
    "\tmul.wide.u32 %a1, %r3, 4;\n\tadd.u64 %a2, %a0, %a1;\n\tst.global.u32 [%a2], %r4;\n\tret;\n}\n"
    ".file 1 \"way.cu\"\n";
enum { BLOCKS = 6, THREADS = 40, ALL = BLOCKS * THREADS, BRANCH_LINE = 17 };

struct text {
    struct sb all;
};
static void collect(void *user, const char *text, size_t n) {
    sb_addn(&((struct text *)user)->all, text, n);
}

struct watched {
    struct rig r;
    struct text trace, timeline;
};

static void watched_wide(struct watched *w, const char *mech, const char *warp_size, uint64_t interval,
                         uint32_t threads) {
    hd_option o[] = {{"run.mode", "timed"}, {"run.mech", mech}, {"sm.warp_size", warp_size}};
    memset(w, 0, sizeof *w);
    if (hd_device_open(&(hd_config){.options = o, .noptions = 3, .file = "tiny"}, &w->r.dev))
        fail_msg("no device");
    MUST(&w->r, hd_module_load(w->r.dev, "way.ptx", PTX, 0, &w->r.mod));
    sim_watch(w->r.dev, &(struct watch){.interval = interval,
                                        .threads = threads,
                                        .profile = true,
                                        .trace = {collect, &w->trace},
                                        .timeline = {collect, &w->timeline}});
    uint64_t d = rig_zero(&w->r, ALL * 4);
    RUN(&w->r, "k", LAUNCH(.grid = {BLOCKS}, .block = {THREADS}), PTR(d));
}

static void watched_run(struct watched *w, const char *mech, uint64_t interval, uint32_t threads) {
    watched_wide(w, mech, "8", interval, threads);
}

static void watched_end(struct watched *w) {
    rig_close(&w->r);
    sb_free(&w->trace.all);
    sb_free(&w->timeline.all);
}

/* ---- series ---- */

static void intervals_add_up_to_the_launch(void **state) {
    (void)state;
    struct watched w;
    watched_run(&w, "pdom", 32, ALL);
    const struct series *s = sim_series(w.r.dev);
    struct series_sample sum = {0};
    assert_true(s->samples.n > 3);
    for (size_t i = 0; i < s->samples.n; i++) {
        const struct series_sample *p = &s->samples.v[i];
        assert_true(p->cycles == 32 || i + 1 == s->samples.n);
        sum.cycles += p->cycles;
        assert_int_equal(p->cycle, sum.cycles);
        assert_true(!i || p->unfinished <= p[-1].unfinished);
        sm_stats_join(&sum.sm, &p->sm);
    }
    const struct stats *t = sim_stats(w.r.dev, false);
    assert_int_equal(sum.cycles, t->gpu.cycles);
    assert_memory_equal(&sum.sm.sm, &t->sm, sizeof t->sm);
    assert_memory_equal(&sum.sm.warp, &t->warp, sizeof t->warp);
    assert_memory_equal(&sum.sm.idle, &t->idle, sizeof t->idle);
    assert_int_equal(s->samples.v[s->samples.n - 1].unfinished, 0);
    watched_end(&w);
}

/* The kernel twice, of some 500 cycles each: intervals of 4 cycles would be more than 200. */
static void a_bounded_series_joins_its_samples_over_launches(void **state) {
    (void)state;
    enum { MOST = 16 };
    struct watched w;
    watched_run(&w, "pdom", 4, 0);
    sim_watch(w.r.dev, &(struct watch){.interval = 4, .samples = MOST});
    uint64_t d = rig_zero(&w.r, ALL * 4), cycles = 0, insts = 0;
    for (int k = 0; k < 2; k++) {
        RUN(&w.r, "k", LAUNCH(.grid = {BLOCKS}, .block = {THREADS}), PTR(d));
        cycles += sim_stats(w.r.dev, false)->gpu.cycles;
        insts += sim_stats(w.r.dev, false)->sm.thread_insts;
    }
    const struct series *s = sim_series(w.r.dev);
    assert_in_range(s->samples.n, MOST, 2 * MOST - 1);
    assert_true(s->interval > 4 && cycles / s->interval < 2 * MOST);
    for (size_t i = 0; i < s->samples.n; i++) {
        cycles -= s->samples.v[i].cycles;
        insts -= s->samples.v[i].sm.sm.thread_insts;
    }
    assert_int_equal(cycles, 0);
    assert_int_equal(insts, 0);
    watched_end(&w);
}

static void counts_of_threads_only_grow_and_end_at_what_each_executes(void **state) {
    (void)state;
    struct watched w;
    watched_run(&w, "mimd", 50, ALL);
    const struct series *s = sim_series(w.r.dev);
    const uint64_t *last = s->counts.v + (s->samples.n - 1) * ALL;
    uint64_t sum = 0;
    for (uint32_t t = 0; t < ALL; t++) {
        assert_int_equal(last[t], t % THREADS % 2 ? 15 : 13); /* the odd way is two instructions longer */
        for (size_t i = 1; i < s->samples.n; i++)
            assert_true(s->counts.v[i * ALL + t] >= s->counts.v[(i - 1) * ALL + t]);
        sum += last[t];
    }
    assert_int_equal(sum, sim_stats(w.r.dev, false)->sm.thread_insts);
    watched_end(&w);
}

static void the_series_as_csv_has_a_line_for_each_sample(void **state) {
    (void)state;
    struct watched w;
    struct sb csv = {0};
    watched_run(&w, "pdom", 100, 2);
    series_csv(sim_series(w.r.dev), &csv);
    size_t lines = 0;
    for (const char *c = csv.text; *c; c++) lines += *c == '\n';
    assert_int_equal(lines, sim_series(w.r.dev)->samples.n + 1);
    assert_int_equal(strncmp(csv.text, "launch,cycle,cycles,ipc,", 24), 0);
    assert_non_null(strstr(csv.text, ",w32,wider,thread_0,thread_1\n"));
    sb_free(&csv);
    watched_end(&w);
}

/* ---- profile ---- */

static void the_branch_is_profiled_with_its_lines(void **state) {
    (void)state;
    struct watched w;
    struct profile p;
    watched_run(&w, "pdom", 0, 0);
    sim_profile(w.r.mod, &p);
    assert_int_equal(p.branches.n, 1);
    const struct profile_row *b = &p.branches.v[0];
    assert_string_equal(b->func, "k");
    assert_int_equal(b->line, BRANCH_LINE);
    assert_string_equal(b->file, "way.cu");
    assert_int_equal(b->source_line, 7);
    assert_int_equal(b->count.executions, BLOCKS * THREADS / 8); /* warps of 8 */
    assert_int_equal(b->count.lanes, ALL);
    assert_int_equal(b->count.divergences, b->count.executions);
    assert_int_equal(b->count.sides, 2 * b->count.executions);
    assert_int_equal(b->own.parted,
                     (3 + 1) * ALL / 2); /* instructions of the sides, half the lanes of each */
    assert_int_equal(b->count.reconvergences, b->count.executions);
    assert_true(b->count.reconvergence_cycles > 0);
    profile_free(&p);
    watched_end(&w);
}

/* ---- trace and timeline ---- */

static void the_trace_has_a_line_for_each_issue(void **state) {
    (void)state;
    struct watched w;
    watched_run(&w, "pdom", 0, 0);
    sim_watch(w.r.dev, NULL);
    uint64_t issues = 0, threads = 0, began = 0, ended = 0;
    for (char *rest = NULL, *line = strtok_r(w.trace.all.text, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        unsigned cycle, sm, sched, pc, warp, mask, n;
        if (sscanf(line, "%u %u %u %u w%u:%x %u ", &cycle, &sm, &sched, &pc, &warp, &mask, &n) == 7) {
            issues++;
            threads += n;
            assert_int_equal(n, __builtin_popcount(mask));
        }
        began += strstr(line, " begins") != NULL;
        ended += strstr(line, " ends") != NULL;
    }
    const struct stats *s = sim_stats(w.r.dev, false);
    assert_int_equal(issues, s->sm.warp_insts);
    assert_int_equal(threads, s->sm.thread_insts);
    assert_int_equal(began, BLOCKS);
    assert_int_equal(ended, BLOCKS);
    watched_end(&w);
}

/* Not the one of the kernel. */
static bool is_slice(json_t *e) {
    const char *kind = json_string_value(json_object_get(e, "cat"));
    return kind && !strcmp(kind, "split");
}

/* Counts the slices of one track. Each begins where the one before has ended, or with it, so that viewers can nest
 * them. */
static size_t count_slices(json_t *events, size_t *blocks) {
    struct {
        json_int_t begun, end;
    } last[256] = {0};
    size_t i, slices = 0;
    json_t *e;
    json_array_foreach(events, i, e) {
        const char *ph = json_string_value(json_object_get(e, "ph"));
        json_int_t ts = json_integer_value(json_object_get(e, "ts")),
                   tid = json_integer_value(json_object_get(e, "tid")),
                   dur = json_integer_value(json_object_get(e, "dur"));
        *blocks += *ph == 'b';
        if (!is_slice(e)) continue;
        slices++;
        assert_true(tid > 0 && tid < 256 && dur > 0);
        assert_true(ts >= last[tid].end || ts == last[tid].begun);
        last[tid].begun = ts;
        last[tid].end = ts + dur;
    }
    return slices;
}

/* A warp of tiny has 8 threads: the lanes of a track are in one eight. */
static void expect_lanes_of_one_warp(json_t *events) {
    unsigned seen[256] = {0};
    size_t i;
    json_t *e;
    json_array_foreach(events, i, e) {
        if (!is_slice(e)) continue;
        const char *lanes = json_string_value(json_object_get(json_object_get(e, "args"), "lanes"));
        unsigned *lanes_seen = &seen[json_integer_value(json_object_get(e, "tid"))];
        *lanes_seen |= (unsigned)strtoul(lanes, NULL, 16);
        assert_true(*lanes_seen && *lanes_seen >> (__builtin_ctz(*lanes_seen) & ~7) <= 0xff);
    }
}

static void the_timeline_is_json_with_slices_that_do_not_overlap(void **state) {
    (void)state;
    static const char *const mechs[] = {"pdom", "nrec", "mimd", "dwf"};
    for (size_t m = 0; m < sizeof mechs / sizeof *mechs; m++) {
        struct watched w;
        watched_run(&w, mechs[m], 0, 0);
        sim_watch(w.r.dev, NULL); /* completes it */
        json_error_t where;
        json_t *root = json_loads(w.timeline.all.text, 0, &where);
        if (!root) fail_msg("line %d: %s", where.line, where.text);
        size_t blocks = 0;
        /* Each of a block's five warps: before the branch, and both ways. */
        assert_true(count_slices(json_object_get(root, "traceEvents"), &blocks) >= BLOCKS * 5 * 3);
        assert_int_equal(blocks, BLOCKS);
        expect_lanes_of_one_warp(json_object_get(root, "traceEvents"));
        json_decref(root);
        watched_end(&w);
    }
}

/* HARP's warps are as wide as the SIMD group, 8 on tiny, whatever the machine's are. */
static void tracks_of_the_timeline_are_the_mechanism_s_warps(void **state) {
    (void)state;
    static const char *const sizes[] = {"8", "16", "32"};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        struct watched w;
        watched_wide(&w, "harp", sizes[k], 0, 0);
        sim_watch(w.r.dev, NULL);
        json_t *root = json_loads(w.timeline.all.text, 0, NULL);
        assert_non_null(root);
        expect_lanes_of_one_warp(json_object_get(root, "traceEvents"));
        json_decref(root);
        watched_end(&w);
    }
}

/* Two splits of one warp in a packet, while the slice of the first is open from before. */
static void slices_of_a_packet_do_not_overlap_either(void **state) {
    (void)state;
    struct text text = {0};
    struct ir_insn code[2] = {{.block = 0}, {.block = 1}};
    const struct ir_module m = {.code = {code, 2, 2}};
    struct mech_split even = {.pc = 0, .set = {1, {{0, 0x55}}}}, odd = {.pc = 1, .set = {1, {{0, 0xaa}}}};
    struct mech_packet one = {.n = 1, .split = {&even}}, both = {.n = 2, .split = {&even, &odd}};
    struct timeline *t = timeline_new((struct watch_sink){collect, &text}, 128);
    timeline_launch(
        t, &(struct timeline_launch){.module = &m, .kernel = "a \"quoted\\\x01 name", .warp_size = 8});
    timeline_issue(t, 3, 0, &one);
    timeline_issue(t, 4, 0, &both);
    timeline_issue(t, 6, 0, &both);
    timeline_end_launch(t, 7);
    timeline_free(t);
    json_t *root = json_loads(text.all.text, 0, NULL);
    assert_non_null(root);
    size_t blocks = 0;
    assert_int_equal(count_slices(json_object_get(root, "traceEvents"), &blocks), 4);
    json_decref(root);
    sb_free(&text.all);
}

/* Finds the event of a kind (ph: its letter) with this name. */
static json_t *find_event(json_t *events, const char *ph, const char *name) {
    size_t i;
    json_t *e;
    json_array_foreach(events, i, e) {
        if (!strcmp(json_string_value(json_object_get(e, "ph")), ph) &&
            !strcmp(json_string_value(json_object_get(e, "name")), name))
            return e;
    }
    return NULL;
}

static json_int_t arg(json_t *event, const char *key) {
    return json_integer_value(json_object_get(json_object_get(event, "args"), key));
}

static void slices_carry_pcs_and_lines(void **state) {
    (void)state;
    struct watched w;
    watched_run(&w, "pdom", 0, 0);
    sim_watch(w.r.dev, NULL);
    json_t *root = json_loads(w.timeline.all.text, 0, NULL), *events = json_object_get(root, "traceEvents"),
           *e;
    size_t i, branch = 0;
    json_array_foreach(events, i, e) {
        if (!is_slice(e)) continue;
        assert_true(arg(e, "last_pc") >= arg(e, "pc"));
        /* instructions are in lines of their own, from the ninth on */
        assert_true(arg(e, "ptx_line") >= 9 && arg(e, "ptx_line") <= 28);
        const char *source = json_string_value(json_object_get(json_object_get(e, "args"), "source"));
        branch += source && !strcmp(source, "way.cu") && arg(e, "line") == 7;
    }
    assert_true(branch >= BLOCKS * 5);
    json_decref(root);
    watched_end(&w);
}

static void the_timeline_says_what_its_time_is(void **state) {
    (void)state;
    struct watched w;
    watched_run(&w, "pdom", 0, 0);
    sim_watch(w.r.dev, NULL);
    json_t *root = json_loads(w.timeline.all.text, 0, NULL), *events = json_object_get(root, "traceEvents");
    assert_string_equal(json_string_value(json_object_get(json_object_get(root, "otherData"), "time unit")),
                        "1 us is 1 core cycle");
    json_t *process = find_event(events, "M", "process_name");
    assert_string_equal(json_string_value(json_object_get(json_object_get(process, "args"), "name")),
                        "device (1 us = 1 core cycle)");
    json_t *kernel = find_event(events, "X", "k");
    assert_int_equal(json_integer_value(json_object_get(kernel, "dur")),
                     sim_stats(w.r.dev, false)->gpu.cycles);
    json_decref(root);
    watched_end(&w);
}

/* Sum of a counter over time, of all processes: each value holds until the next of its process. */
static double integral(json_t *events, const char *name, json_int_t end) {
    double value[8] = {0}, sum = 0;
    json_int_t since[8] = {0};
    size_t i;
    json_t *e;
    json_array_foreach(events, i, e) {
        if (strcmp(json_string_value(json_object_get(e, "ph")), "C") ||
            strcmp(json_string_value(json_object_get(e, "name")), name))
            continue;
        const json_int_t pid = json_integer_value(json_object_get(e, "pid")),
                         ts = json_integer_value(json_object_get(e, "ts"));
        assert_true(pid < 8 && ts >= since[pid] && ts <= end);
        sum += value[pid] * (double)(ts - since[pid]);
        value[pid] = json_number_value(json_object_get(json_object_get(e, "args"), "value"));
        since[pid] = ts;
    }
    for (int p = 0; p < 8; p++) assert_true(value[p] == 0);
    return sum;
}

/* IPC over time is instructions; warps over time are those of the blocks' lives. */
static void counters_add_up(void **state) {
    (void)state;
    static const uint64_t windows[] = {0, 10, 1000000};
    for (size_t k = 0; k < sizeof windows / sizeof *windows; k++) {
        struct watched w;
        watched_run(&w, "pdom", windows[k], 0);
        sim_watch(w.r.dev, NULL);
        json_t *root = json_loads(w.timeline.all.text, 0, NULL),
               *events = json_object_get(root, "traceEvents");
        const struct stats *s = sim_stats(w.r.dev, false);
        const double insts = integral(events, "IPC", (json_int_t)s->gpu.cycles);
        assert_true(fabs(insts / (double)s->sm.thread_insts - 1) < 1e-4);
        json_t *lanes = find_event(events, "C", "active lanes");
        assert_true(json_number_value(json_object_get(json_object_get(lanes, "args"), "value")) <= 8);
        assert_non_null(find_event(events, "C", "L1D hit rate (%)"));
        double lives = 0;
        size_t i;
        json_t *e;
        json_array_foreach(events, i, e) {
            const char *ph = json_string_value(json_object_get(e, "ph"));
            const double ts = json_number_value(json_object_get(e, "ts"));
            if (*ph == 'b' || *ph == 'e') lives += 5 * (*ph == 'e' ? ts : -ts);
        }
        assert_true(integral(events, "resident warps", (json_int_t)s->gpu.cycles) == lives);
        json_decref(root);
        watched_end(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_add_up_to_the_launch),
        cmocka_unit_test(a_bounded_series_joins_its_samples_over_launches),
        cmocka_unit_test(counts_of_threads_only_grow_and_end_at_what_each_executes),
        cmocka_unit_test(the_series_as_csv_has_a_line_for_each_sample),
        cmocka_unit_test(the_branch_is_profiled_with_its_lines),
        cmocka_unit_test(the_trace_has_a_line_for_each_issue),
        cmocka_unit_test(the_timeline_is_json_with_slices_that_do_not_overlap),
        cmocka_unit_test(tracks_of_the_timeline_are_the_mechanism_s_warps),
        cmocka_unit_test(slices_of_a_packet_do_not_overlap_either),
        cmocka_unit_test(slices_carry_pcs_and_lines),
        cmocka_unit_test(the_timeline_says_what_its_time_is),
        cmocka_unit_test(counters_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
