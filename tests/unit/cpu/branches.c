/* What branches cost: nothing when they are predicted, but that a taken one ends its cycle of fetch; a fixed time when not. */
#include "base/bits.h"
#include "rig.h"

enum { FILL = 5, MANY = 4000 };

/* A branch whose directions `taken` says, to itself or on; then a jump back if it went on, so that addresses repeat. */
static struct cpu_stats run(const struct cpu_options *o, uint64_t n, bool (*taken)(uint64_t k)) {
    struct cpu *c = cpu_new(o);
    for (uint64_t k = 0; k < n; k++) {
        const bool t = taken(k);
        const struct cpu_insn b = rig_branch(0, CPU_BRANCH, t ? 0 : 1), back = rig_branch(1, CPU_JUMP, 0);
        cpu_step(c, &b);
        if (!t) cpu_step(c, &back);
    }
    const struct cpu_stats s = cpu_get_stats(c);
    cpu_free(c);
    return s;
}

static bool always(uint64_t k) {
    (void)k;
    return true;
}
static bool random_way(uint64_t k) {
    uint64_t x = (k + 1) * UINT64_C(0x9e3779b97f4a7c15);
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    return x >> 63;
}

/* One a cycle, but for the first, whose target is not known: it is done in cycle 3, and fetch goes on 3 cycles
 * later. */
static void a_loop_of_one_branch_takes_a_cycle_a_round(void **state) {
    (void)state;
    const struct cpu_options o = rig_ideal();
    const struct cpu_stats s = run(&o, MANY, always);
    assert_int_equal(s.mispredicts, 1);
    assert_int_equal(s.branches, MANY);
    assert_int_equal(s.cycles, 3 + 3 + (MANY - 1) + FILL - 1);
}

/* Each wrong prediction takes 3 + mispredict cycles: fetch, dispatch and issue, then the penalty. What is predicted takes one
 * cycle of fetch if it is taken; branches that are not taken share one with the jump behind them. */
static void random_branches_take_their_penalty(void **state) {
    (void)state;
    uint64_t cycles[2];
    struct cpu_stats s = {0};
    for (int k = 0; k < 2; k++) {
        struct cpu_options o = rig_ideal();
        o.cpu.mispredict = k ? 13 : 3;
        s = run(&o, MANY, random_way);
        cycles[k] = s.cycles;
    }
    assert_int_equal(cycles[1] - cycles[0], 10 * s.mispredicts);
    /* Two-bit counters are right about half of the time; the jumps are always but once. */
    assert_true(s.mispredicts > MANY * 45 / 100 && s.mispredicts < MANY * 55 / 100);
    /* A group of fetch ends with a taken branch, or with a wrong prediction. */
    assert_in_range(cycles[0], MANY + s.mispredicts * 5 - MANY / 2, MANY + s.mispredicts * 6);
}

/* A two-bit counter misses a loop's end once a round, and learns nothing else from it. */
static bool loop_of_ten(uint64_t k) {
    return k % 10 != 9;
}
static void a_counter_misses_the_end_of_a_loop_only(void **state) {
    (void)state;
    const struct cpu_options o = rig_ideal();
    const struct cpu_stats s = run(&o, MANY, loop_of_ten);
    assert_int_equal(s.mispredicts, MANY / 10 + 2); /* and two targets, the first time */
}

/* Calls nested as deep as the stack are returned from without a mistake; one level more loses the outermost. */
static void returns_are_predicted_to_the_depth_of_the_stack(void **state) {
    (void)state;
    for (uint64_t depth = 8; depth <= 9; depth++) {
        const struct cpu_options o = rig_ideal();
        struct cpu *c = cpu_new(&o);
        uint64_t warm = 0;
        for (int round = 0; round < 2; round++) {
            warm = cpu_get_stats(c).mispredicts;
            for (uint64_t d = 0; d < depth; d++) {
                const struct cpu_insn call = rig_branch(100 * d, CPU_CALL, 100 * (d + 1));
                cpu_step(c, &call);
            }
            for (uint64_t d = depth; d > 0; d--) {
                const struct cpu_insn ret = rig_branch(100 * d + 50, CPU_RETURN, 100 * (d - 1) + 1);
                cpu_step(c, &ret);
            }
        }
        assert_int_equal(cpu_get_stats(c).mispredicts - warm, depth - 8);
        cpu_free(c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_of_one_branch_takes_a_cycle_a_round),
        cmocka_unit_test(random_branches_take_their_penalty),
        cmocka_unit_test(a_counter_misses_the_end_of_a_loop_only),
        cmocka_unit_test(returns_are_predicted_to_the_depth_of_the_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
