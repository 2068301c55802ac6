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
#include "lab/run/subject.h"
#include "mech/mech.h"

/* One workload under one mechanism; mech NULL: functional. */
struct verify_case {
    const struct workload *workload;
    const char *mech;
};

/* A lock whose holder must progress while others of its warp spin: a mechanism that cannot do that is found out by the watchdog,
 * which then says that the program is not to blame. These must finish it; the others may do either. */
static inline bool verify_deadlock(const struct verify_case *c, const struct lab_outcome *out) {
    const char *const fair[] = {"mimd", "nrec", "mp", "mp-basic"};
    if (strcmp(c->workload->name, "spin-lock") != 0) return false;
    for (size_t i = 0; i < sizeof fair / sizeof *fair; i++)
        if (!strcmp(c->mech, fair[i])) return false;
    if (!strcmp(c->mech, "pdom")) assert_int_equal(out->err.code, ERR_FAULT);
    if (out->err.code) assert_non_null(strstr(err_text(&out->err), "SIMT-induced deadlock"));
    return out->err.code != ERR_OK;
}

/* A mechanism that does not run all code may refuse the workload. */
static inline bool verify_refused(const struct verify_case *c, const struct lab_outcome *out) {
    return out->err.code == ERR_REFUSED && MECH_ANY_CODE & ~mech_find(c->mech)->caps;
}

/* VERIFY_CONFIG, VERIFY_SIZE: the same on another machine or at another size (make test-long). A size there is not fails. */
static inline void verify_run(const struct verify_case *c, const char *mech, struct lab_outcome *out) {
    const char *config = getenv("VERIFY_CONFIG"), *size = getenv("VERIFY_SIZE");
    const hd_option timed[] = {{"run.mode", "timed"}, {"run.mech", mech}};
    const hd_option functional[] = {{"run.mode", "functional"}};
    hd_config machine = {.options = mech ? timed : functional, .noptions = mech ? 2 : 1, .file = config};
    struct lab_subject s = {.workload = c->workload, .size = WORK_TINY};
    struct err e = {0};
    if (size && !lab_size(size, &s.size, &e)) fail_msg("VERIFY_SIZE: %s", err_text(&e));
    lab_run(&s, &machine, NULL, out);
}

static inline void verify_fine(const struct verify_case *c, const char *mech, const struct lab_outcome *out) {
    if (out->err.code)
        fail_msg("@%s under %s: %s", c->workload->name, mech ? mech : "no time", err_text(&out->err));
}

static inline void verify_timed(const struct verify_case *c, const struct lab_outcome *functional) {
    struct lab_outcome timed;
    verify_run(c, c->mech, &timed);
    if (!verify_refused(c, &timed) && !verify_deadlock(c, &timed)) {
        verify_fine(c, c->mech, &timed);
        assert_int_equal(timed.digest, functional->digest);
        assert_int_equal(timed.launches, functional->launches);
        assert_true(timed.total.gpu.cycles > 0);
    }
    lab_outcome_free(&timed);
}

static inline void verify_test(void **state) {
    const struct verify_case *c = *state;
    struct lab_outcome functional;
    verify_run(c, NULL, &functional);
    verify_fine(c, NULL, &functional);
    assert_true(functional.launches > 0);
    if (c->mech) verify_timed(c, &functional);
    lab_outcome_free(&functional);
}

/* VERIFY_MECHS: only these, "pdom,dwf". */
static inline bool verify_wants(const char *mech) {
    const char *list = getenv("VERIFY_MECHS");
    size_t n = strlen(mech);
    for (const char *p = list; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
        if (strcspn(p, ",") == n && !strncmp(p, mech, n)) return true;
    return !list;
}

/* Every workload whose origin begins with that paper, under every mechanism. */
static inline int verify_main(const char *origin) {
    struct arena mem = {0};
    VEC(struct CMUnitTest) tests = {0};
    for (const struct workload *w = workload_list; w->name; w++) {
        if (strncmp(w->origin, origin, strlen(origin)) != 0) continue;
        const char *mech = NULL, *title;
        for (size_t m = 0; m == 0 || hd_mech_at(m - 1, &mech, &title) == HD_OK; m++) {
            if (m && !verify_wants(mech)) continue;
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
