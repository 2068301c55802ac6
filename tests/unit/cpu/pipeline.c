/* Times of straight code in closed form. FILL is what a lone instruction of one cycle takes from end to end: fetch, dispatch,
 * issue, write-back, commit, a cycle each. */
#include "rig.h"

enum { FILL = 5, MANY = 4000 };

/* Cycles of n instructions of that work, each of which reads what the one `distance` before it wrote; 0: they are independent. */
static uint64_t chain(const struct cpu_options *o, enum cpu_work work, uint64_t n, uint64_t distance) {
    struct cpu *c = cpu_new(o);
    for (uint64_t k = 0; k < n; k++) {
        const uint8_t to = (uint8_t)(distance ? 1 + k % distance : 1);
        const struct cpu_insn i = rig_op(k, work, to, distance ? to : 0);
        cpu_step(c, &i);
    }
    const uint64_t cycles = cpu_drain(c);
    assert_int_equal(cpu_get_stats(c).cycles, cycles);
    assert_int_equal(cpu_get_stats(c).insts, n);
    cpu_free(c);
    return cycles;
}

static void one_instruction_goes_through_five_stages(void **state) {
    (void)state;
    const struct cpu_options o = rig_ideal();
    assert_int_equal(chain(&o, CPU_INT, 1, 0), FILL);
    assert_int_equal(chain(&o, CPU_MULT, 1, 0), FILL + 2);
    assert_int_equal(chain(&o, CPU_DIV, 1, 0), FILL + 19);
}

/* A chain takes its latency an instruction, and the rest of the pipeline once. */
static void a_dependent_chain_takes_its_latency(void **state) {
    (void)state;
    static const struct {
        enum cpu_work work;
        uint64_t latency;
    } all[] = {{CPU_INT, 1},     {CPU_MULT, 3},    {CPU_DIV, 20},    {CPU_FP_ADD, 2},
               {CPU_FP_MULT, 4}, {CPU_FP_DIV, 12}, {CPU_FP_SQRT, 24}};
    const struct cpu_options o = rig_ideal();
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        assert_int_equal(chain(&o, all[k].work, MANY, 1), FILL - 1 + MANY * all[k].latency);
}

/* Independent adds go four a cycle, by any of the widths, or by the number of units. */
static void independent_adds_fill_the_narrowest_stage(void **state) {
    (void)state;
    struct cpu_options o = rig_ideal();
    assert_int_equal(chain(&o, CPU_INT, MANY, 0), MANY / 4 + FILL - 1);
    int64_t *const width[] = {&o.cpu.fetch_width, &o.cpu.decode_width, &o.cpu.issue_width,
                              &o.cpu.commit_width, &o.cpu.int_alus};
    for (size_t k = 0; k < sizeof width / sizeof *width; k++) {
        *width[k] = 2;
        assert_int_equal(chain(&o, CPU_INT, MANY, 0), MANY / 2 + FILL - 1);
        *width[k] = 4;
    }
}

/* Two chains side by side go two a cycle. */
static void chains_side_by_side_overlap(void **state) {
    (void)state;
    const struct cpu_options o = rig_ideal();
    assert_int_equal(chain(&o, CPU_INT, MANY, 2), MANY / 2 + FILL - 1);
    assert_int_equal(chain(&o, CPU_FP_ADD, MANY, 4), MANY / 2 + FILL - 1);
}

/* One multiplier takes one a cycle; the divider, which is the same unit, one in 19. */
static void a_unit_is_busy_for_its_interval(void **state) {
    (void)state;
    struct cpu_options o = rig_ideal();
    assert_int_equal(chain(&o, CPU_MULT, MANY, 0), MANY + FILL - 1 + 2);
    assert_int_equal(chain(&o, CPU_DIV, MANY, 0), 19 * MANY + FILL - 1 + 1);
    o.cpu.int_mults = 2;
    assert_int_equal(chain(&o, CPU_DIV, MANY, 0), 19 * MANY / 2 + FILL - 1 + 1);
}

/* A divide of 20 cycles at the head of a full window of W: the next divide is dispatched in the cycle in which the first commits,
 * 1 cycle after that it issues, 20 after that it is done, 1 after that it commits. */
static void the_window_bounds_what_overlaps(void **state) {
    (void)state;
    struct cpu_options o = rig_ideal();
    o.cpu.window = 1;
    assert_int_equal(chain(&o, CPU_DIV, MANY, 0), FILL + 19 + (MANY - 1) * (1 + 20 + 1));
    assert_int_equal(chain(&o, CPU_INT, MANY, 0), FILL + (MANY - 1) * (1 + 1 + 1));
    o.cpu.window = 2; /* two in the time of one */
    assert_int_equal(chain(&o, CPU_INT, MANY, 0), FILL + (MANY / 2 - 1) * (1 + 1 + 1));
}

/* A drained core begins from its first stage. */
static void a_drain_empties_the_pipeline(void **state) {
    (void)state;
    const struct cpu_options o = rig_ideal();
    struct cpu *c = cpu_new(&o);
    assert_int_equal(cpu_drain(c), 0);
    for (uint64_t k = 0; k < 10; k++) {
        const struct cpu_insn i = rig_op(k, CPU_INT, 1, 0);
        cpu_step(c, &i);
        assert_int_equal(cpu_drain(c), (k + 1) * FILL);
    }
    cpu_free(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_instruction_goes_through_five_stages),
        cmocka_unit_test(a_dependent_chain_takes_its_latency),
        cmocka_unit_test(independent_adds_fill_the_narrowest_stage),
        cmocka_unit_test(chains_side_by_side_overlap),
        cmocka_unit_test(a_unit_is_busy_for_its_interval),
        cmocka_unit_test(the_window_bounds_what_overlaps),
        cmocka_unit_test(a_drain_empties_the_pipeline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
