/* Generated kernels under dynamic warp formation: whatever the policy, the lanes and the sizes of its tables, the memory left
 * is what the CPU computed and every thread executes as many instructions as it does without time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "diff/check.h"

#define TINY "configs/tiny.ini"

static const struct diff_machine machines[] = {
    {"tiny", TINY, {NULL}},
    {"dwf-8800gtx", "configs/dwf-8800gtx.ini", {NULL}},
    {"harp-fermi", "configs/harp-fermi.ini", {NULL}},
    {"warps of 4, scoreboard", TINY, {"sm.warp_size", "4", "sm.simd_width", "4", "sm.issue", "scoreboard"}},
    {"warps of 64, scoreboard",
     TINY,
     {"sm.warp_size", "64", "sm.simd_width", "16", "sm.issue", "scoreboard"}},
    {"fetch", TINY, {"sm.ideal_fetch", "false", "l1i.ideal", "false", "l1i.sets", "2", "l1i.ways", "1"}},
};
enum { MACHINES = sizeof machines / sizeof *machines };

/* Options of the mechanism. With a pool of one or two a thread gets its turn so rarely that the usual watchdog would call
 * a loop a deadlock. */
static const char *const settings[][10] = {
    {"dwf.policy", "dmaj"},
    {"dwf.policy", "dmaj", "dwf.majority", "ideal", "dwf.lanes", "free"},
    {"dwf.policy", "dmin"},
    {"dwf.policy", "dtime", "dwf.swizzle", "false"},
    {"dwf.policy", "dpc", "dwf.memory", "thread"},
    {"dwf.policy", "dpdpri", "dwf.lanes", "conflict"},
    {"dwf.lut_entries", "1", "dwf.pool", "1", "dwf.heap", "1", "dwf.heap_lut", "1", "dwf.spill_cycles", "3"},
    {"dwf.pool", "2", "dwf.heap", "2", "dwf.heap_lut", "2", "dwf.heap_ports", "1", "dwf.spill_cycles", "0"},
    {"dwf.policy", "dpdpri", "dwf.pool", "2", "dwf.lut_entries", "2", "dwf.memory", "thread",
     "dwf.spill_cycles", "9"},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static bool one(struct diff_case *c, size_t machine, size_t setting, struct sb *why) {
    const char *more[17] = {"run.mode", "timed", "run.mech", "dwf", "gpu.watchdog", "5000000"};
    for (size_t k = 0; k < 10 && settings[setting][k]; k++) more[6 + k] = settings[setting][k];
    return diff_run(c, &machines[machine], more, why);
}

/* Every setting for each kernel, the machines in turn. */
static void every_setting_leaves_the_same_memory(void **state) {
    (void)state;
    static const struct diff_machine functional = {.name = "functional"};
    struct diff_range range = diff_range(16);
    struct sb why = {0};
    unsigned failed = 0;
    for (uint64_t i = 0; i < range.count && failed < 5; i++) {
        struct diff_case c;
        diff_make(&c, range.first + i);
        failed += !diff_run(&c, &functional, NULL, &why);
        for (size_t k = 0; k < SETTINGS; k++) failed += !one(&c, (range.first + i + k) % MACHINES, k, &why);
        diff_free(&c);
    }
    if (failed) fail_msg("%s", why.text);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_setting_leaves_the_same_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
