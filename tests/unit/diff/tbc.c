/* Thread block compaction where a block is one warp is pdom, and so is CAPRI that never waits; CAPRI that always waits is
 * thread block compaction. On generated kernels, structured and not, every statistic of the machine is the same, whichever
 * side runs first, under every order and both ways to issue. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "diff/sweep.h"

#ifdef __SANITIZE_ADDRESS__
enum { SOME_KERNELS = 100 };
#else
enum { SOME_KERNELS = 300 };
#endif
enum { ALL_KERNELS = 2000 };
enum { MOST_INSTS = 16384 }; /* instructions of threads: larger kernels would take most of the time */

/* The largest block of a generated kernel has 128 threads. */
static const struct diff_machine one_warp = {
    "blocks of a warp",
    "configs/tiny.ini",
    {"sm.warp_size", "128", "sm.simd_width", "32", "run.mode", "timed"}};
static const struct diff_machine warps[] = {
    {"warps of 4", "configs/tiny.ini", {"sm.warp_size", "4", "sm.simd_width", "4", "run.mode", "timed"}},
    {"warps of 8", "configs/tiny.ini", {"sm.warp_size", "8", "sm.simd_width", "8", "run.mode", "timed"}},
    {"warps of 32", "configs/harp-fermi.ini", {"sm.schedulers", "2", "run.mode", "timed"}}};

static void first_difference(const char *a, const char *b, struct sb *why) {
    while (*a && *b) {
        const size_t n = strcspn(a, "\n"), k = strcspn(b, "\n");
        if (n != k || memcmp(a, b, n)) {
            sb_add(why, "%.*s, but %.*s", (int)n, a, (int)k, b);
            return;
        }
        a += n + 1;
        b += k + 1;
    }
}

static bool measure(struct diff_case *c, const struct diff_machine *machine, const char *const *options,
                    struct sb *stats, struct sb *why) {
    c->stats = stats;
    const bool good = diff_run(c, machine, options, why);
    c->stats = NULL;
    return good;
}

/* Runs the kernel; every statistic that is not a mechanism's own must be as `want` has it. */
static bool same(struct diff_case *c, const struct diff_machine *machine, const struct sb *want,
                 const char *const *options, struct sb *why) {
    struct sb got = {0};
    bool good = measure(c, machine, options, &got, why);
    if (good && strcmp(want->text, got.text)) {
        sb_add(why, "seed %llu: ", (unsigned long long)c->kernel.seed);
        first_difference(want->text, got.text, why);
        good = false;
    }
    sb_free(&got);
    return good;
}

/* What the machine and both mechanisms have in common, by the seed. */
struct choice {
    const char *side, *order, *issue, *audit;
};

static struct choice choose(uint64_t seed) {
    static const char *const sides[] = {"taken", "fallthrough", "most"};
    static const char *const orders[] = {"lrr", "gto", "oldest", "two_level"};
    return (struct choice){.side = sides[seed % 3],
                           .order = orders[seed / 3 % 4],
                           .issue = seed % 5 < 2 ? "scoreboard" : "barrel",
                           .audit = seed % 8 ? "false" : "true"};
}

#define COMMON "sm.order", x.order, "sm.issue", x.issue, "run.audit", x.audit

/* Where a block is one warp: tbc, and capri that never waits, is pdom. */
static bool a_block_as_one_warp(struct diff_case *c, uint64_t seed, struct sb *why) {
    const struct choice x = choose(seed);
    const char *const pdom[] = {COMMON, "run.mech", "pdom", "pdom.side", x.side, NULL};
    const char *const tbc[] = {COMMON, "run.mech", "tbc", "tbc.side", x.side, "tbc.likely", "false", NULL};
    const char *const capri[] = {COMMON,         "run.mech", "capri",         "capri.side", x.side,
                                 "capri.likely", "false",    "capri.predict", "inadequate", NULL};
    struct sb want = {0};
    const bool good = measure(c, &one_warp, pdom, &want, why) && same(c, &one_warp, &want, tbc, why) &&
                      same(c, &one_warp, &want, capri, why);
    sb_free(&want);
    return good;
}

/* capri that always waits is tbc. */
static bool always_waiting(struct diff_case *c, uint64_t seed, struct sb *why) {
    const struct choice x = choose(seed);
    const char *const tbc[] = {COMMON, "run.mech", "tbc", "tbc.side", x.side, NULL};
    const char *const capri[] = {COMMON,          "run.mech", "capri",         "capri.side", x.side,
                                 "capri.uniform", "wait",     "capri.predict", "adequate",   NULL};
    const struct diff_machine *machine = &warps[seed % 3];
    struct sb want = {0};
    const bool good = measure(c, machine, tbc, &want, why) && same(c, machine, &want, capri, why);
    sb_free(&want);
    return good;
}

static void they_are_pdom_or_each_other(void **state) {
    (void)state;
    const struct diff_range range = diff_long_range(SOME_KERNELS, ALL_KERNELS);
    struct sb why = {0};
    uint64_t done = 0;
    for (uint64_t seed = range.first; done < range.count && !why.len; seed++) {
        struct diff_case c;
        const bool began = diff_begin(&c, seed, &why), small = c.insts <= MOST_INSTS;
        if (began && small && a_block_as_one_warp(&c, seed, &why)) always_waiting(&c, seed, &why);
        done += small;
        diff_free(&c);
    }
    if (why.len) fail_msg("%s", why.text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_are_pdom_or_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
