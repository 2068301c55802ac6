/* Workloads at size tiny under every mechanism: each run ends in its own check against the CPU, and all of them, the functional
 * one included, must leave the same bytes. One test program for each paper, so that cores can share the work. */
#ifndef HEDDLE_TESTS_WORKLOADS_VERIFY_H
#define HEDDLE_TESTS_WORKLOADS_VERIFY_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "lab/subject.h"

/* One workload under one mechanism; mech NULL: functional. */
struct verify_case {
    const struct workload *workload;
    const char *mech;
};

/* VERIFY_CONFIG, VERIFY_SIZE: the same on another machine or at another size (make test-long). */
static inline void verify_run(const struct verify_case *c, const char *mech, struct lab_outcome *out) {
    const char *config = getenv("VERIFY_CONFIG"), *size = getenv("VERIFY_SIZE");
    const hd_option timed[] = {{"run.mode", "timed"}, {"run.mech", mech}};
    const hd_option functional[] = {{"run.mode", "functional"}};
    hd_config machine = {.options = mech ? timed : functional, .noptions = mech ? 2 : 1, .file = config};
    struct lab_subject s = {.workload = c->workload, .size = WORK_TINY};
    for (int i = 0; size && i < WORK_SIZES; i++)
        if (!strcmp(size, work_size_names[i])) s.size = (enum work_size)i;
    lab_run(&s, &machine, NULL, out);
    if (out->err.code)
        fail_msg("@%s under %s: %s", c->workload->name, mech ? mech : "no time", err_text(&out->err));
}

static inline void verify_test(void **state) {
    const struct verify_case *c = *state;
    struct lab_outcome functional, timed;
    verify_run(c, NULL, &functional);
    assert_true(functional.launches > 0);
    if (c->mech) {
        verify_run(c, c->mech, &timed);
        assert_int_equal(timed.digest, functional.digest);
        assert_int_equal(timed.launches, functional.launches);
        assert_true(timed.total.gpu.cycles > 0);
        lab_outcome_free(&timed);
    }
    lab_outcome_free(&functional);
}

/* Every workload whose origin begins with that paper, under every mechanism. */
static inline int verify_main(const char *origin) {
    struct arena mem = {0};
    VEC(struct CMUnitTest) tests = {0};
    for (const struct workload *w = workload_list; w->name; w++) {
        if (strncmp(w->origin, origin, strlen(origin)) != 0) continue;
        const char *mech = NULL, *title;
        for (size_t m = 0; m == 0 || hd_mech_at(m - 1, &mech, &title) == HD_OK; m++) {
            struct verify_case *c = ARENA_NEW(&mem, struct verify_case, 1);
            char *name = ARENA_NEW(&mem, char, 64);
            *c = (struct verify_case){w, m ? mech : NULL};
            snprintf(name, 64, "%s under %s", w->name, m ? mech : "no time");
            VEC_PUSH(&tests, (struct CMUnitTest){name, verify_test, NULL, NULL, c});
        }
    }
    int failed = _cmocka_run_group_tests(origin, tests.v, tests.n, NULL, NULL);
    VEC_FREE(&tests);
    arena_free(&mem);
    return failed;
}

#endif
