/* Thread block compaction where a block is one warp is pdom: on generated kernels, structured and not, every statistic of the
 * machine is the same, whichever side runs first, under every order and both ways to issue. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "diff/sweep.h"

#ifdef __SANITIZE_ADDRESS__
enum { KERNELS = 100 };
#else
enum { KERNELS = 2000 };
#endif
enum { MOST_INSTS = 16384 }; /* of threads: larger ones would take most of the time */

/* The largest block of a generated kernel has 128 threads. */
static const struct diff_machine machine = {
    "blocks of a warp",
    "configs/tiny.ini",
    {"sm.warp_size", "128", "sm.simd_width", "32", "run.mode", "timed"}};

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

/* Runs the kernel under two mechanisms; every statistic that is not one's own must be the same. */
static bool same(struct diff_case *c, const char *const *one, const char *const *other, struct sb *why) {
    struct sb a = {0}, b = {0};
    c->stats = &a;
    bool good = diff_run(c, &machine, one, why);
    c->stats = &b;
    good = good && diff_run(c, &machine, other, why);
    if (good && strcmp(a.text, b.text)) {
        sb_add(why, "seed %llu: ", (unsigned long long)c->kernel.seed);
        first_difference(a.text, b.text, why);
        good = false;
    }
    c->stats = NULL;
    sb_free(&a);
    sb_free(&b);
    return good;
}

static void with_the_block_as_one_warp_it_is_pdom(void **state) {
    (void)state;
    static const char *const sides[] = {"taken", "fallthrough", "most"};
    static const char *const orders[] = {"lrr", "gto", "oldest", "two_level"};
    const struct diff_range range = diff_range(KERNELS);
    struct sb why = {0};
    uint64_t done = 0;
    for (uint64_t seed = range.first; done < range.count && !why.len; seed++) {
        struct diff_case c;
        const bool began = diff_begin(&c, seed, &why), small = c.insts <= MOST_INSTS;
        const char *side = c.kernel.leaves ? sides[0] : sides[seed % 3], *order = orders[seed / 3 % 4],
                   *issue = seed % 5 < 2 ? "scoreboard" : "barrel", *audit = seed % 8 ? "false" : "true";
        const char *const pdom[] = {"run.mech", "pdom",     "pdom.side", side, "sm.order",
                                    order,      "sm.issue", issue,       NULL};
        const char *const tbc[] = {"run.mech",  "tbc",      "tbc.side", side,         "sm.order",
                                   order,       "sm.issue", issue,      "tbc.likely", "false",
                                   "run.audit", audit,      NULL};
        if (began && small) same(&c, pdom, tbc, &why);
        done += small;
        diff_free(&c);
    }
    if (why.len) fail_msg("%s", why.text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_the_block_as_one_warp_it_is_pdom),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
