/* Generated kernels on the timed machine: a mechanism only schedules, a machine only takes time. Under every mechanism and
 * on every machine the memory left is what the CPU computed, every thread executes as many instructions as it does without
 * time, and the statistics add up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "diff/check.h"

#define TINY   "configs/tiny.ini"
#define FERMI  "configs/harp-fermi.ini"
#define TURING "configs/turing-rtx2060.ini"

static const struct diff_machine machines[] = {
    {"tiny", TINY, {NULL}},
    {"harp-fermi", FERMI, {NULL}},
    {"turing-rtx2060", TURING, {"gpu.sms", "3"}},
    {"dwf-8800gtx", "configs/dwf-8800gtx.ini", {NULL}},
    {"mp-fermi", "configs/mp-fermi.ini", {NULL}},
    {"sl-tesla", "configs/sl-tesla.ini", {NULL}},
    {"warps of 4", TINY, {"sm.warp_size", "4", "sm.simd_width", "4"}},
    {"warps of 16", TINY, {"sm.warp_size", "16", "sm.simd_width", "8"}},
    {"warps of 32, scoreboard", TINY, {"sm.warp_size", "32", "sm.issue", "scoreboard"}},
    {"warps of 64", TINY, {"sm.warp_size", "64", "sm.simd_width", "16"}},
    {"warps of 64, scoreboard", FERMI, {"sm.warp_size", "64", "sm.issue", "scoreboard"}},
    {"warps of 4, scoreboard", FERMI, {"sm.warp_size", "4", "sm.simd_width", "4", "sm.issue", "scoreboard"}},
    {"greedy", TINY, {"sm.order", "gto", "sm.issue", "scoreboard"}},
    {"two-level", TINY, {"sm.order", "two_level", "sm.order_active", "2"}},
    {"oldest, register banks", TINY, {"sm.order", "oldest", "sm.register_banks", "true"}},
    {"fetch", TINY, {"sm.ideal_fetch", "false", "l1i.ideal", "false", "l1i.sets", "2", "l1i.ways", "1"}},
    {"one block at a time", TINY, {"gpu.dispatch", "one_at_a_time", "gpu.sms", "2"}},
    {"ideal memory", TINY, {"memory.ideal", "true"}},
    {"ideal L1", TINY, {"l1d.ideal", "true"}},
    {"ideal L2", TINY, {"l2.ideal", "true"}},
    {"ideal crossbar", TINY, {"noc.ideal", "true"}},
    {"ideal DRAM", TINY, {"dram.ideal", "true"}},
    {"write-back, allocating L1", TINY, {"l1d.write", "back", "l1d.allocate", "true"}},
    {"sectors, random",
     FERMI,
     {"l1d.line", "128", "l1d.sector", "32", "l1d.replace", "random", "l1d.ports", "2"}},
    {"hardly any resources",
     TINY,
     {"l1d.mshrs", "1", "l1d.merges", "1", "l2.mshrs", "1", "l2.merges", "1", "dram.queue", "1",
      "sm.lsu_queue", "1", "noc.input_buffer", "8", "noc.output_buffer", "8"}},
    {"four clocks, FR-FCFS, refresh",
     FERMI,
     {"clock.noc", "613", "clock.l2", "391", "clock.dram", "1777", "dram.policy", "frfcfs", "dram.tREFI",
      "500"}},
};
enum { MACHINES = sizeof machines / sizeof *machines, MECHS = 8, AT_ONCE = 3 };
static const char *const mechs[MECHS] = {"nrec", "pdom", "mimd", "dwf", "harp", "mp", "mp-basic", "minpc"};

static bool one(struct diff_case *c, size_t machine, size_t mech, struct sb *why) {
    const char *const more[] = {"run.mode", "timed", "run.mech", mechs[mech], NULL};
    return diff_run(c, &machines[machine], more, why);
}

/* Without time first: that is where the number of instructions comes from. */
static bool begin(struct diff_case *c, uint64_t seed, struct sb *why) {
    static const struct diff_machine functional = {.name = "functional"};
    diff_make(c, seed);
    return diff_run(c, &functional, NULL, why);
}

/* Each kernel under a few mechanisms on one machine, mechanisms and machines in turn. */
static void mechanisms_leave_the_same_memory(void **state) {
    (void)state;
    struct diff_range range = diff_range(500);
    struct sb why = {0};
    unsigned failed = 0;
    for (uint64_t i = 0; i < range.count && failed < 5; i++) {
        struct diff_case c;
        failed += !begin(&c, range.first + i, &why);
        for (size_t m = 0; m < AT_ONCE; m++)
            failed += !one(&c, (range.first + i) % MACHINES, ((range.first + i) * AT_ONCE + m) % MECHS, &why);
        diff_free(&c);
    }
    if (failed) fail_msg("%s", why.text);
}

/* Every mechanism on every machine, for a few kernels (HEDDLE_DIFF_EVERY of them). */
static void machines_leave_the_same_memory(void **state) {
    (void)state;
    const char *every = getenv("HEDDLE_DIFF_EVERY");
    struct diff_range range = diff_range(1);
    range.count = every ? strtoull(every, NULL, 10) : 2;
    struct sb why = {0};
    unsigned failed = 0;
    for (uint64_t i = 0; i < range.count && failed < 5; i++) {
        struct diff_case c;
        failed += !begin(&c, range.first + i, &why);
        for (size_t k = 0; k < MACHINES * MECHS && failed < 5; k++)
            failed += !one(&c, k / MECHS, k % MECHS, &why);
        diff_free(&c);
    }
    if (failed) fail_msg("%s", why.text);
}

/* A kernel that leaves by a branch needs the leaving side to run first: nothing else lets the others through. */
static void the_order_of_sides_does_not_show(void **state) {
    (void)state;
    static const char *const orders[] = {"taken", "fallthrough", "most"};
    struct diff_range range = diff_range(52);
    struct sb why = {0};
    unsigned failed = 0;
    for (uint64_t i = 0; i < range.count && failed < 5; i++) {
        struct diff_case c;
        failed += !begin(&c, range.first + i, &why);
        for (size_t k = 0; k < 3 && !c.kernel.leaves; k++) {
            const char *const more[] = {"run.mode",  "timed",   "run.mech", "pdom",
                                        "pdom.side", orders[k], NULL};
            failed += !diff_run(&c, &machines[i % MACHINES], more, &why);
        }
        diff_free(&c);
    }
    if (failed) fail_msg("%s", why.text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mechanisms_leave_the_same_memory),
        cmocka_unit_test(machines_leave_the_same_memory),
        cmocka_unit_test(the_order_of_sides_does_not_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
