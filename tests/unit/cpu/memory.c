/* Loads, stores and code: pointer chasing in closed form at every level, forwarding, ports. */
#include "rig.h"

enum { FILL = 5, MANY = 2000, DATA = 0x1000000 };

/* Cycles per load, once warm, of a walk over `bytes` of memory in steps of a line, each load's address the value of the one before. */
static double chase(const struct cpu_options *o, uint64_t bytes, uint64_t line) {
    struct cpu *c = cpu_new(o);
    uint64_t before = 0;
    for (int round = 0; round < 4; round++) {
        before = round == 3 ? cpu_drain(c) : 0;
        for (uint64_t at = 0; at < bytes; at += line) {
            const struct cpu_insn i = rig_load(at / line % 8, 1, 1, DATA + at);
            cpu_step(c, &i);
        }
    }
    const uint64_t loads = bytes / line, cycles = cpu_drain(c) - before;
    cpu_free(c);
    return (double)(cycles - (FILL - 1)) / (double)loads;
}

/* A load is its address, one cycle, and the latency of the level that has the line: 1, 6, 18 + 7 * 2. */
static void chasing_takes_the_latency_of_its_level(void **state) {
    (void)state;
    struct cpu_options o = rig_defaults();
    o.cpu.tlb_miss = 1;
    assert_float_equal(chase(&o, 8 << 10, 32), 1 + 1, 1e-9);
    assert_float_equal(chase(&o, 128 << 10, 64), 1 + 6, 1e-9);
    assert_float_equal(chase(&o, 1 << 20, 64), 1 + 18 + 7 * 2, 1e-9);
    o.cpu.mem_first = 100;
    assert_float_equal(chase(&o, 1 << 20, 64), 1 + 100 + 7 * 2, 1e-9);
}

/* The default reaches 128 pages of 4096 bytes. One load a page beyond that misses its translation, beside the line's own miss. */
static void chasing_pages_takes_the_translation(void **state) {
    (void)state;
    struct cpu_options o = rig_defaults();
    o.cpu.tlb_miss = 200;
    assert_float_equal(chase(&o, 256 * 4096, 4096), 1 + 200, 1e-9);
}

static uint64_t run_same(const struct cpu_options *o, uint64_t n, struct cpu_insn (*insn)(uint64_t k)) {
    struct cpu *c = cpu_new(o);
    for (uint64_t k = 0; k < n; k++) {
        const struct cpu_insn i = insn(k);
        cpu_step(c, &i);
    }
    const uint64_t cycles = cpu_drain(c);
    cpu_free(c);
    return cycles;
}

static struct cpu_insn independent_load(uint64_t k) {
    return rig_load(k % 8, 1, 0, DATA + 8 * (k % 4));
}
static struct cpu_insn independent_store(uint64_t k) {
    return rig_store(k % 8, 0, 0, DATA + 8 * (k % 4));
}

/* Two ports, and two operations a load of the four that issue: two loads a cycle, and two stores. */
static void ports_bound_independent_accesses(void **state) {
    (void)state;
    struct cpu_options o = rig_ideal();
    assert_int_equal(run_same(&o, MANY, independent_load), MANY / 2 + FILL - 1 + 1);
    assert_int_equal(run_same(&o, MANY, independent_store), MANY / 2 + FILL - 1);
    o.cpu.mem_ports = 1;
    assert_int_equal(run_same(&o, MANY, independent_load), MANY + FILL - 1 + 1);
    assert_int_equal(run_same(&o, MANY, independent_store), MANY + FILL - 1);
}

/* A value that goes through memory: the store waits for it, the load for the store, and it does not wait for the cache. */
static void a_load_takes_its_value_from_the_store_before_it(void **state) {
    (void)state;
    struct cpu_options o = rig_ideal();
    o.cpu.l1_latency = 50;
    struct cpu *c = cpu_new(&o);
    for (uint64_t k = 0; k < MANY; k++) {
        const struct cpu_insn put = rig_store(0, 1, 0, DATA), get = rig_load(1, 1, 0, DATA);
        cpu_step(c, &put);
        cpu_step(c, &get);
    }
    const struct cpu_stats s = cpu_get_stats(c);
    assert_int_equal(s.forwards, MANY);
    assert_int_equal(s.loads, MANY);
    assert_int_equal(s.stores, MANY);
    /* One cycle a round: the load issues in the cycle in which the value is there, and has it in the next. */
    assert_true(s.cycles >= MANY && s.cycles <= MANY + 2 * FILL);
    cpu_free(c);
}

/* Code in a row of lines that is longer than the instruction cache: each line of eight instructions is fetched from the second
 * level, six cycles, and then takes two of four instructions. */
static void code_that_misses_waits_for_its_lines(void **state) {
    (void)state;
    struct cpu_options o = rig_defaults();
    o.cpu.tlb_miss = 1;
    struct cpu *c = cpu_new(&o);
    const uint64_t n = (64 << 10) / RIG_LENGTH;
    uint64_t before = 0;
    for (int round = 0; round < 2; round++) {
        before = cpu_drain(c);
        for (uint64_t k = 0; k < n; k++) {
            const struct cpu_insn i = rig_insn(k, CPU_INT);
            cpu_step(c, &i);
        }
    }
    const uint64_t lines = n / 8;
    assert_int_equal(cpu_drain(c) - before, lines * (6 + 2) + FILL - 1);
    assert_int_equal(cpu_get_stats(c).il1_misses, 2 * lines);
    cpu_free(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chasing_takes_the_latency_of_its_level),
        cmocka_unit_test(chasing_pages_takes_the_translation),
        cmocka_unit_test(ports_bound_independent_accesses),
        cmocka_unit_test(a_load_takes_its_value_from_the_store_before_it),
        cmocka_unit_test(code_that_misses_waits_for_its_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
