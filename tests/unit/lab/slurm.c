/* What Slurm's programs print, and what becomes of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "lab/cluster/slurm.h"

static void a_queue_is_read(void **state) {
    struct slurm_tasks t = {0};
    (void)state;
    slurm_read_queue("17|0|RUNNING|None|n3\n17|1|PENDING|Resources|\n18|4|TIMEOUT|TimeLimit|n4\n"
                     "slurm_load_jobs error: something\n19|N/A|RUNNING|None|n1\n17|0|COMPLETED|None|n3\n|||\n"
                     "20|2|COMPLETED|None|n1",
                     &t);
    assert_int_equal(t.v.n, 4); /* not what is no task of an array, and the first word on each counts */
    assert_true(t.v.v[0].job == 17 && t.v.v[0].index == 0 && !t.v.v[0].ended);
    assert_string_equal(t.v.v[0].reason, "");
    assert_string_equal(t.v.v[0].node, "n3");
    assert_true(t.v.v[1].index == 1 && !t.v.v[1].ended);
    assert_string_equal(t.v.v[1].node, "");
    assert_true(t.v.v[2].job == 18 && t.v.v[2].index == 4 && t.v.v[2].ended);
    assert_true(t.v.v[3].job == 20 && t.v.v[3].ended);
    slurm_tasks_free(&t);
}

static void accounts_are_read(void **state) {
    struct slurm_tasks t = {0};
    (void)state;
    slurm_read_accounts(
        "17_0|CANCELLED by 1000|0:15|n1\n17_1|OUT_OF_MEMORY|0:125|n2\n17_[2-9]|PENDING|0:0|None assigned\n"
        "18|COMPLETED|0:0|n1\n17_10|COMPLETED|0:0|n1\n17_11|FAILED+|1:0|n1\n",
        &t);
    assert_int_equal(t.v.n, 4);
    assert_string_equal(t.v.v[0].state, "CANCELLED");
    assert_string_equal(t.v.v[1].state, "OUT_OF_MEMORY");
    assert_string_equal(t.v.v[1].reason, "0:125");
    assert_true(t.v.v[2].index == 10 && t.v.v[2].ended && !*t.v.v[2].reason);
    assert_string_equal(t.v.v[3].state, "FAILED");
    slurm_tasks_free(&t);
}

static void what_will_go_on_has_not_ended(void **state) {
    static const char *const going[] = {"PENDING",    "RUNNING",   "CONFIGURING",
                                        "COMPLETING", "SUSPENDED", "REQUEUED"};
    static const char *const over[] = {"COMPLETED", "FAILED",   "TIMEOUT",   "CANCELLED",    "NODE_FAIL",
                                       "PREEMPTED", "DEADLINE", "BOOT_FAIL", "OUT_OF_MEMORY"};
    (void)state;
    for (size_t i = 0; i < sizeof going / sizeof *going + sizeof over / sizeof *over; i++) {
        struct slurm_tasks t = {0};
        struct sb line = {0};
        bool ended = i >= sizeof going / sizeof *going;
        sb_add(&line, "1|2|%s|None|n\n", ended ? over[i - sizeof going / sizeof *going] : going[i]);
        slurm_read_queue(line.text, &t);
        assert_int_equal(t.v.v[0].ended, ended);
        sb_free(&line);
        slurm_tasks_free(&t);
    }
}

static void words_are_parted_as_a_shell_does(void **state) {
    struct slurm_words w = {0};
    struct arena mem = {0};
    struct err e = {0};
    (void)state;
    assert_true(slurm_split("  --time=1:00 -p long\t--comment='two words' a\\ b \"c 'd'\" ''", &mem, &w, &e));
    static const char *const want[] = {"--time=1:00", "-p",    "long", "--comment=two words",
                                       "a b",         "c 'd'", ""};
    assert_int_equal(w.v.n, sizeof want / sizeof *want);
    for (size_t i = 0; i < w.v.n; i++) assert_string_equal(w.v.v[i], want[i]);
    assert_false(slurm_split("--comment='open", &mem, &w, &e));
    assert_non_null(strstr(err_text(&e), "the quote ' does not end"));
    VEC_FREE(&w.v);
    arena_free(&mem);
    err_free(&e);
}

static void expect(const char *state, const char *said, const char *log, const char *why) {
    struct arena mem = {0};
    struct slurm_task t = {.job = 7, .index = 3, .state = state, .reason = "", .node = "n1"};
    const char *got = slurm_why(state ? &t : NULL, said, log, &mem);
    if (strncmp(got, why, strlen(why)) != 0) fail_msg("%s, not %s", got, why);
    arena_free(&mem);
}

/* Slurm's word counts; where it has forgotten, its log; then what the task said. */
static void reasons_are_told_from_what_there_is(void **state) {
    (void)state;
    expect("TIMEOUT", "stopped", "", "out of time (Slurm's task 7_3: TIMEOUT, on n1)");
    expect("OUT_OF_MEMORY", "", "", "out of memory");
    expect("NODE_FAIL", "", "", "its node failed");
    expect("PREEMPTED", "", "", "preempted");
    expect("CANCELLED", "stopped", "", "cancelled");
    expect(NULL, "",
           "slurmstepd: error: *** JOB 11 ON n CANCELLED AT 2026-11-17T16:53:28 DUE TO TIME LIMIT ***",
           "out of time");
    expect(NULL, "", "slurmstepd: error: *** JOB 4 ON n CANCELLED AT 2026-11-17T16:39:01 ***", "cancelled");
    expect(NULL, "", "slurmstepd: error: Detected 1 oom_kill event in StepId=5.batch", "out of memory");
    expect("FAILED", "cannot write x: No space left on device", "",
           "no space left on the disk (Slurm's task 7_3: FAILED, on n1): cannot write x: No space left on "
           "device");
    expect("FAILED", "", "", "its task ended before it (Slurm's task 7_3: FAILED, on n1)");
    expect(NULL, "", "", "its task ended before it");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_queue_is_read),
        cmocka_unit_test(accounts_are_read),
        cmocka_unit_test(what_will_go_on_has_not_ended),
        cmocka_unit_test(words_are_parted_as_a_shell_does),
        cmocka_unit_test(reasons_are_told_from_what_there_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
