/* Mechanisms that join threads at the same places use the same lanes, whatever runs first: 2,000 structured kernels
 * take as many lane slots under basic multi-path and dual-path execution as under a post-dominator stack (MP: "same
 * SIMD unit utilization for SPS, DPS and basic MP"; HARP Table 2: DPE has no impact on width). So they do under
 * dynamic warp subdivision if it divides nothing but branches and lets their sides wait, or has no room to divide
 * anything; under convergence barriers at the post-dominators, whose marks take no lane slots of the program, as long
 * as no thread yields and none loses patience; and where one PC walks structured code (chap, amd, pomp, gma,
 * sandybridge), if loops are left at one place, and fewer if not. What is added to make it structured is left out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "diff/sweep.h"
#include "unit/diff/program.h"

#ifdef __SANITIZE_ADDRESS__
enum { SOME_KERNELS = 200 };
#else
enum { SOME_KERNELS = 300 };
#endif
enum { ALL_KERNELS = 2000, SOME_WALKED = 400 };
enum { MOST_INSTS = 32768 };

struct way {
    const char *mech, *option[7];
};

static double slots_of(struct diff_case *c, const struct diff_machine *machine, const struct way *w) {
    const char *more[12] = {"run.mode", "timed", "run.mech", w->mech};
    struct sb why = {0};
    for (int k = 0; w->option[k]; k++) more[4 + k] = w->option[k];
    if (!diff_run(c, machine, more, &why)) fail_msg("%s", why.text);
    return c->lane_slots;
}

/* How the worst function is built, CFG_IRREDUCIBLE standing for anything that a walker may refuse, too, and CFG_BREAKS
 * for threads that end before the last instruction. */
static enum cfg_structure structure_of(const struct diff_case *c) {
    struct program p = load(c->text.text, c->text.len);
    enum cfg_structure worst = CFG_STRUCTURED;
    for (size_t f = 0; f < p.m->funcs.n; f++)
        if (p.c->funcs[f].structure > worst) worst = p.c->funcs[f].structure;
    for (size_t pc = 0; pc < p.m->code.n; pc++) {
        const uint16_t op = p.m->code.v[pc].op;
        const bool early = op == IR_EXIT && pc + 1 < p.m->code.n;
        if (early && worst == CFG_STRUCTURED) worst = CFG_BREAKS;
        if (op == IR_BRX || op == IR_CALL_IND || op == IR_CALL) worst = CFG_IRREDUCIBLE;
    }
    unload(&p);
    return worst;
}

/* With breaks those that stay in a loop meet at the end of the if with the break in it, a stack's at the end of the
 * loop; where some have ended, the others meet at the end of the if, a stack's never. */
static void walk(struct diff_case *c, const struct diff_machine *machine, bool breaks) {
    static const struct way pdom = {"pdom", {NULL}}, ways[] = {{"chap", {NULL}},
                                                               {"amd", {NULL}},
                                                               {"pomp", {"pomp.skip", "true"}},
                                                               {"gma", {"gma.skip", "false"}},
                                                               {"sandybridge", {NULL}}};
    const double want = slots_of(c, machine, &pdom);
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        const double got = slots_of(c, machine, &ways[k]);
        if (breaks ? got > want : got != want)
            fail_msg("seed %llu on %s: %.0f lane slots under %s, %.0f under pdom",
                     (unsigned long long)c->kernel.seed, machine->name, got, ways[k].mech, want);
    }
}

/* Where those who leave run beside those who stay, a .sync may let one half of a warp of 64 go on while the other
 * waits. */
static bool parts_at_sync(const struct diff_case *c, const struct diff_machine *machine) {
    return c->kernel.leaves && strstr(machine->name, "warps of 64");
}

static void same_lanes(struct diff_case *c, const struct diff_machine *machine) {
    const bool small = c->kernel.seed / 2 % 2; /* every other kernel with as little room as there can be */
    const struct way pdom = {"pdom", {NULL}},
                     ways[] = {
                         {"mp-basic", {"mp-basic.patience", "0"}},
                         {"dpe", {"dpe.entries", small ? "1" : "0"}},
                         {"dws",
                          {"dws.branch", "stack", small ? "dws.wst" : "dws.memory", small ? "0" : "off"}},
                         {"volta",
                          {"volta.yield", "false", "volta.patience", "0",
                           small ? "volta.interleave" : "volta.fair", small ? "any" : "3"}}};
    const double want = slots_of(c, machine, &pdom);
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        const double got = slots_of(c, machine, &ways[k]);
        if (got != want)
            fail_msg("seed %llu on %s: %.0f lane slots under %s, %.0f under pdom",
                     (unsigned long long)c->kernel.seed, machine->name, got, ways[k].mech, want);
    }
}

static void joins_at_post_dominators_use_the_lanes_of_a_stack(void **state) {
    (void)state;
    struct diff_range range = diff_long_range(SOME_KERNELS, ALL_KERNELS);
    struct sb why = {0};
    for (uint64_t done = 0, seed = range.first; done < range.count; seed += 2) {
        struct diff_case c;
        if (!diff_begin(&c, seed, &why)) fail_msg("%s", why.text);
        const struct diff_machine *machine = &diff_machines[seed / 2 % diff_nmachines()];
        if ((c.insts <= MOST_INSTS || range.count == 1) && !parts_at_sync(&c, machine)) {
            same_lanes(&c, machine);
            done++;
        }
        diff_free(&c);
    }
}

static void walkers_of_structured_code_use_the_lanes_of_a_stack_or_fewer(void **state) {
    (void)state;
    struct diff_range range = diff_long_range(SOME_WALKED, ALL_KERNELS);
    struct sb why = {0};
    uint32_t walked[2] = {0};
    for (uint64_t done = 0, seed = range.first; done < range.count; seed += 2, done++) {
        struct diff_case c;
        diff_make(&c, seed);
        const enum cfg_structure built = structure_of(&c);
        diff_free(&c);
        if (built > CFG_BREAKS) continue;
        if (!diff_begin(&c, seed, &why)) fail_msg("%s", why.text);
        if (c.insts <= MOST_INSTS) {
            walk(&c, &diff_machines[seed / 2 % diff_nmachines()], built == CFG_BREAKS);
            walked[built == CFG_BREAKS]++;
        }
        diff_free(&c);
    }
    assert_true(range.count == 1 || (walked[0] >= range.count / 200 && walked[1] >= range.count / 50));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joins_at_post_dominators_use_the_lanes_of_a_stack),
        cmocka_unit_test(walkers_of_structured_code_use_the_lanes_of_a_stack_or_fewer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
