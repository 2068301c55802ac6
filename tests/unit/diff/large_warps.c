/* A large warp of as many threads as there are lanes has one sub-warp, its warp: on 2,000 generated kernels lwm is then pdom
 * to the cycle, in every statistic of the machine, whatever its other options, for every width and way to issue. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "diff/sweep.h"

#ifdef __SANITIZE_ADDRESS__
enum { SOME_KERNELS = 200 };
#else
enum { SOME_KERNELS = 300 };
#endif
enum { ALL_KERNELS = 2000 };
enum { MOST_INSTS = 32768 }; /* instructions of a kernel: those that have more would take most of the time */

#define WIDE(w) "sm.warp_size", w, "sm.simd_width", w, "lwm.size", w
static const struct diff_machine machines[] = {
    {"4", "configs/tiny.ini", {WIDE("4")}},
    {"8, scoreboard", "configs/tiny.ini", {WIDE("8"), "sm.issue", "scoreboard"}},
    {"16", "configs/harp-fermi.ini", {WIDE("16"), "sm.order", "two_level", "sm.order_active", "2"}},
    {"16, jumps", "configs/tiny.ini", {WIDE("16"), "lwm.jump", "all", "sm.order", "gto"}},
    {"32, fetch", "configs/harp-fermi.ini", {WIDE("32"), "sm.ideal_fetch", "false", "l1i.ideal", "false"}},
    {"32", "configs/turing-rtx2060.ini", {WIDE("32"), "gpu.sms", "2", "lwm.sync", "all"}},
    {"64, scoreboard", "configs/harp-fermi.ini", {WIDE("64"), "sm.issue", "scoreboard"}},
    {"128", "configs/tiny.ini", {WIDE("128"), "sm.threads", "512", "sm.register_banks", "true"}},
    {"256", "configs/tiny.ini", {WIDE("256"), "sm.threads", "512", "lwm.sync", "all"}},
};
enum { MACHINES = sizeof machines / sizeof *machines };

static void measure(struct diff_case *c, const struct diff_machine *machine, const char *mech,
                    struct sb *stats) {
    const char *const more[] = {"run.mode", "timed", "run.mech", mech, NULL};
    struct sb why = {0};
    c->stats = stats;
    if (!diff_run(c, machine, more, &why)) fail_msg("%s", why.text);
    c->stats = NULL;
}

/* All that are not a mechanism's own. */
static void compare(struct diff_case *c, const struct diff_machine *machine) {
    struct sb of[2] = {0};
    measure(c, machine, "pdom", &of[0]);
    measure(c, machine, "lwm", &of[1]);
    const char *a = of[0].text, *b = of[1].text;
    for (size_t n; *a || *b; a += n, b += n) {
        n = strcspn(a, "\n") + 1;
        if (strncmp(a, b, n) != 0)
            fail_msg("seed %llu, lanes %s: %.*s under pdom, %.*s under lwm",
                     (unsigned long long)c->kernel.seed, machine->name, (int)n - 1, a, (int)strcspn(b, "\n"),
                     b);
    }
    sb_free(&of[0]);
    sb_free(&of[1]);
}

static void as_wide_as_the_lanes_it_is_pdom(void **state) {
    (void)state;
    struct diff_range range = diff_long_range(SOME_KERNELS, ALL_KERNELS);
    struct sb why = {0};
    for (uint64_t done = 0, seed = range.first; done < range.count; seed++) {
        struct diff_case c;
        if (!diff_begin(&c, seed, &why)) fail_msg("%s", why.text);
        if (c.insts <= MOST_INSTS || range.count == 1) {
            compare(&c, &machines[seed / 2 % MACHINES]);
            done++;
        }
        diff_free(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_wide_as_the_lanes_it_is_pdom),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
