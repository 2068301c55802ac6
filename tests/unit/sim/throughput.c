/* What a full SM of turing-rtx2060 computes in a cycle, against the results per clock cycle and SM that the CUDA C++
 * Programming Guide publishes for compute capability 7.5 (Arithmetic Instructions, Throughput of Native Arithmetic
 * Instructions). */
#include "kernels/harness.h"
#include "sim/sim.h"

enum { THREADS = 1024, FEW = 100, MANY = 300 };

/* Cycles of one SM with so many threads that each run `n` times the instructions. Warps take turns, so that none is left to end
 * alone. */
static double cycles(const char *insns, int n, uint32_t threads) {
    const hd_option o[] = {{"run.mode", "timed"},      {"gpu.sms", "1"},
                           {"sm.ideal_fetch", "true"}, {"sm.register_banks", "false"},
                           {"memory.ideal", "true"},   {"sm.order", "lrr"}};
    struct rig r = {0};
    struct sb t = {0};
    if (hd_device_open(&(hd_config){.options = o, .noptions = sizeof o / sizeof *o, .file = "turing-rtx2060"},
                       &r.dev))
        fail_msg("%s", r.dev ? hd_error(r.dev) : "no memory");
    sb_add(&t, "%s",
           ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n"
           ".reg .b32 %r<4>;\n.reg .f32 %f<4>;\n.reg .f64 %d<4>;\n.reg .b64 %l<4>;\n"
           "mov.u32 %r0, %tid.x;\nmov.u32 %r1, 7;\nmov.u64 %l0, 77;\nmov.u64 %l1, 7;\n"
           "mov.f32 %f0, 0f3F800000;\nmov.f64 %d0, 0d3FF0000000000000;\n");
    for (int k = 0; k < n; k++) sb_add(&t, "%s\n", insns);
    sb_add(&t, "ret;\n}\n");
    MUST(&r, hd_module_load(r.dev, "k.ptx", t.text, t.len, &r.mod));
    RUN(&r, "k", LAUNCH(.grid = {1}, .block = {threads}));
    const double c = rig_stat(&r, "gpu.cycles");
    sb_free(&t);
    rig_close(&r);
    return c;
}

/* Times that the instructions are executed in a cycle, over all threads. */
static double per_cycle(const char *insns) {
    return THREADS * (double)(MANY - FEW) / (cycles(insns, MANY, THREADS) - cycles(insns, FEW, THREADS));
}

static void about(double got, double want) {
    if (got < 0.99 * want || got > 1.01 * want) fail_msg("%.3f a cycle, not %.3f", got, want);
}

static void a_unit_of_16_lanes_takes_a_warp_every_two_cycles(void **state) {
    (void)state;
    about(per_cycle("add.u32 %r0, %r0, 1;"), 64);
    about(per_cycle("fma.rn.f32 %f0, %f0, %f0, %f0;"), 64);
    about(per_cycle("mad.lo.u32 %r0, %r0, %r0, %r0;"), 64);
}

/* The port is held for one cycle: another unit takes a warp in the second. */
static void units_alternate_on_the_port(void **state) {
    (void)state;
    about(2 * per_cycle("add.u32 %r0, %r0, 1;\nfma.rn.f32 %f0, %f0, %f0, %f0;"), 128);
}

static void narrow_units_have_their_published_rates(void **state) {
    (void)state;
    about(per_cycle("fma.rn.f64 %d0, %d0, %d0, %d0;"), 2);
    about(per_cycle("ex2.approx.ftz.f32 %f0, %f0;"), 16);
    about(per_cycle("cvt.rn.f32.u32 %f0, %r0;"), 16);
    about(per_cycle("shfl.sync.down.b32 %r0, %r0, 1, 31, -1;"), 32);
}

/* Divisions and roots are sequences of machine instructions: the port, or the unit that they keep longest, says how many a
 * cycle there are. */
static void sequences_are_bound_by_their_slots_or_their_unit(void **state) {
    (void)state;
    about(per_cycle("div.rn.f32 %f0, %f0, %f0;"), 4 * 32 / 10.0); /* five FFMA of two cycles; 8 slots */
    about(per_cycle("sqrt.rn.f32 %f0, %f0;"), 4 * 32 / 10.0);
    about(per_cycle("div.u32 %r0, %r0, %r1;"),
          4 * 32 / 24.0); /* three of the unit of special functions; 18 slots */
    about(per_cycle("div.s64 %l0, %l0, %l1;"), 4 * 32 / 88.0); /* slots */
    about(per_cycle("div.rn.f64 %d0, %d0, %d0;"), 32 / 128.0); /* eight DFMA on the one unit */
}

/* Cycles of one of a warp's instructions that each need the result of the one before. */
static double latency(const char *insn) {
    return (cycles(insn, MANY, 32) - cycles(insn, FEW, 32)) / (MANY - FEW);
}

/* Arafa et al., Low Overhead Instruction Latency Characterization for NVIDIA GPGPUs (2019), data of the TITAN RTX. */
static void latencies_are_those_measured(void **state) {
    (void)state;
    static const struct {
        const char *insn;
        double measured, within; /* a part of it */
    } rows[] = {
        {"fma.rn.f32 %f0, %f0, %f0, %f0;", 4, 0},  {"add.u32 %r0, %r0, 1;", 4, 0},
        {"fma.rn.f64 %d0, %d0, %d0, %d0;", 45, 0}, {"rcp.rn.f32 %f0, %f0;", 70, 0},
        {"sqrt.rn.f32 %f0, %f0;", 72, 0.05},       {"sqrt.rn.f64 %d0, %d0;", 366, 0.001},
        {"div.s32 %r0, %r0, %r1;", 79, 0.25},      {"rem.u32 %r0, %r0, %r1;", 79, 0.25},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const double got = latency(rows[k].insn), off = rows[k].within * rows[k].measured;
        if (got < rows[k].measured - off || got > rows[k].measured + off)
            fail_msg("%s %.1f cycles, measured %.1f", rows[k].insn, got, rows[k].measured);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_unit_of_16_lanes_takes_a_warp_every_two_cycles),
        cmocka_unit_test(units_alternate_on_the_port),
        cmocka_unit_test(narrow_units_have_their_published_rates),
        cmocka_unit_test(latencies_are_those_measured),
        cmocka_unit_test(sequences_are_bound_by_their_slots_or_their_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
