/* Closed forms: what a kernel must cost on a machine whose parts are known. */
#include "unit/sm/rig.h"

/* n additions in a row, each on the result of the one before; then exit. */
#define CHAIN                                            \
    HEAD ".visible .entry chain() {\n.reg .u32 %r<2>;\n" \
         "mov.u32 %r1, %laneid;\n"

static struct machine chain(uint32_t n, const char *insn) {
    struct sb text = {0};
    sb_add(&text, "%s", CHAIN);
    for (uint32_t k = 0; k < n; k++) sb_add(&text, "%s\n", insn);
    sb_add(&text, "exit;\n}\n");
    struct machine x = machine_load(text.text);
    sb_free(&text);
    return x;
}

/* Cycles that 40 more of the instruction take, over 40. */
static uint64_t each(const char *insn, void (*set)(struct machine *), uint32_t threads) {
    uint64_t cycles[2];
    for (uint32_t k = 0; k < 2; k++) {
        struct machine x = chain(10 + 40 * k, insn);
        if (set) set(&x);
        machine_ok(&x, "pdom", "chain", 1, threads, NULL);
        cycles[k] = x.cycles;
        machine_free(&x);
    }
    assert_int_equal((cycles[1] - cycles[0]) % 40, 0);
    return (cycles[1] - cycles[0]) / 40;
}

static void scoreboard(struct machine *x) {
    x->o.sm.issue = SM_SCOREBOARD;
    x->o.latency.alu = 5;
    x->o.sm.depth = 4;
}
static void scoreboard_slow(struct machine *x) {
    scoreboard(x);
    x->o.latency.alu = 1;
    x->o.latency.imul = 9;
}
static void shallow(struct machine *x) {
    x->o.sm.depth = 5;
}

static void a_dependent_chain_has_the_configured_latency(void **state) {
    (void)state;
    assert_int_equal(each("add.u32 %r1, %r1, 1;", scoreboard, 32), 4 + 5 - 1);
    assert_int_equal(each("mul.lo.u32 %r1, %r1, 3;", scoreboard_slow, 32), 4 + 9 - 1);
}

/* n rounds over two counters that do not depend on each other. */
static uint64_t two_counters(uint32_t n) {
    struct sb text = {0};
    sb_add(&text, "%s", HEAD ".visible .entry k() {\n.reg .u32 %a, %b;\nmov.u32 %a, 1;\nmov.u32 %b, 2;\n");
    for (uint32_t k = 0; k < n; k++) sb_add(&text, "add.u32 %%a, %%a, 1;\nadd.u32 %%b, %%b, 1;\n");
    sb_add(&text, "%s", "add.u32 %a, %a, %b;\nexit;\n}\n");
    struct machine x = machine_load(text.text);
    x.o.sm.issue = SM_SCOREBOARD;
    machine_ok(&x, "pdom", "k", 1, 32, NULL);
    const uint64_t cycles = x.cycles;
    machine_free(&x);
    sb_free(&text);
    return cycles;
}

static void independent_instructions_do_not_wait_for_each_other(void **state) {
    (void)state; /* both counters advance in the eight cycles one of them needs */
    assert_int_equal(two_counters(30) - two_counters(20), 10 * 8);
}

static void one_warp_issues_every_depth_cycles_under_barrel(void **state) {
    (void)state;
    assert_int_equal(each("add.u32 %r1, %r1, 1;", NULL, 32), 8);
    assert_int_equal(each("add.u32 %r1, %r1, 1;", shallow, 32), 5);
    assert_int_equal(each("add.u32 %r1, %r1, 1;", shallow, 7), 5);
}

static void by_warps(struct machine *x) {
    x->o.sm.share = SM_SHARE_WARPS;
}

/* A warp holds its port for two of the eight cycles: four fill a scheduler. A block's warps are shared by both, or not. */
static void warps_fill_the_pipeline(void **state) {
    (void)state;
    assert_int_equal(each("add.u32 %r1, %r1, 1;", by_warps, 4 * 2 * 32), 8);
    assert_int_equal(each("add.u32 %r1, %r1, 1;", by_warps, 2 * 4 * 2 * 32), 16);
    assert_int_equal(each("add.u32 %r1, %r1, 1;", NULL, 4 * 32), 8);
    assert_int_equal(each("add.u32 %r1, %r1, 1;", NULL, 2 * 4 * 32), 16);
}

static void a_full_sm_reaches_peak_ipc(void **state) {
    (void)state;
    for (int issue = SM_BARREL; issue <= SM_SCOREBOARD; issue++) {
        struct machine x = chain(2000, "add.u32 %r1, %r1, 1;");
        x.o.sm.issue = issue;
        machine_ok(&x, "pdom", "chain", 2, 768, NULL);
        const double peak = (double)(x.o.sm.schedulers * x.o.sm.simd_width);
        const double ipc = (double)x.s.sm.thread_insts / (double)x.cycles;
        assert_true(ipc <= peak && ipc > 0.99 * peak);
        machine_free(&x);
    }
}

static void a_unit_takes_an_instruction_per_interval(void **state) {
    (void)state; /* divides: interval 4 per beat, two beats; 24 warps per scheduler keep it busy */
    struct machine x = chain(500, "div.u32 %r1, %r1, 3;");
    machine_ok(&x, "pdom", "chain", 2, 768, NULL);
    assert_in_range(x.cycles, 500 * 24 * 8, 500 * 24 * 8 + 200);
    machine_free(&x);
}

static void sequences(struct machine *x) {
    x->o.sequence.udiv32 = 18;
    x->o.interval.idiv = 1;
}

/* A chain of 18 instructions: it holds the port for 18 times two beats, and its result is there 18 times the depth and the
 * class's own latency after its start. */
static void a_sequence_takes_its_issue_slots(void **state) {
    (void)state;
    assert_int_equal(each("div.u32 %r1, %r1, 3;", sequences, 32), 18 * 8 + 16 - 1);
    assert_int_equal(each("rem.u32 %r1, %r1, 3;", sequences, 32), 8 + 16 - 1);
    struct machine x = chain(100, "div.u32 %r1, %r1, 3;");
    sequences(&x);
    machine_ok(&x, "pdom", "chain", 2, 768, NULL);
    assert_in_range(x.cycles, 100 * 24 * 18 * 2, 100 * 24 * 18 * 2 + 300);
    assert_int_equal(x.s.sm.sequence_slots, 100 * 48 * 17);
    assert_int_equal(x.s.sm.issues, (100 + 2) * 48);
    machine_free(&x);
}

/* The unit of f64 is kept by a division that is a sequence; one that is an operation has a unit of its own. */
static void a_sequence_runs_on_the_unit_of_its_instructions(void **state) {
    (void)state;
    for (int64_t slots = 1; slots <= 4; slots += 3) {
        struct machine x = machine_load(
            HEAD ".visible .entry k() {\n.reg .f64 %a<4>;\nmov.f64 %a1, 0d3FF0000000000000;\n"
                 "mov.f64 %a3, %a1;\ndiv.rn.f64 %a2, %a1, %a1;\nadd.f64 %a3, %a3, %a1;\nexit;\n}\n");
        x.o.sm.issue = SM_SCOREBOARD;
        x.o.sm.simd_width = 32;
        x.o.sequence.fdiv64 = slots;
        x.o.interval.fdiv64 = 500;
        machine_ok(&x, "pdom", "k", 1, 32, NULL);
        assert_int_equal(x.cycles > 500, slots > 1);
        machine_free(&x);
    }
}

/* Each scheduler's warps have a unit of their own, or both schedulers take turns at one. */
static void a_shared_unit_of_f64_is_one_for_all_schedulers(void **state) {
    (void)state;
    for (int shared = 0; shared < 2; shared++) {
        struct sb text = {0};
        sb_add(&text, "%s", HEAD ".visible .entry k() {\n.reg .f64 %a;\nmov.f64 %a, 0d3FF0000000000000;\n");
        for (int k = 0; k < 200; k++) sb_add(&text, "add.f64 %%a, %%a, %%a;\n");
        sb_add(&text, "exit;\n}\n");
        struct machine x = machine_load(text.text);
        x.o.sm.shared_fp64 = shared;
        x.o.interval.fp64 = 5;
        by_warps(&x);
        machine_ok(&x, "pdom", "k", 1, 768, NULL); /* 12 warps a scheduler, two beats */
        const uint64_t want = 200 * 12 * 5 * 2 * (shared ? 2 : 1);
        assert_in_range(x.cycles, want, want + 200);
        const struct sm_stats slept = x.s;
        x.tick_all = true;
        machine_ok(&x, "pdom", "k", 1, 768, NULL);
        assert_memory_equal(&slept, &x.s, sizeof slept);
        machine_free(&x);
        sb_free(&text);
    }
}

/* Units of different classes work side by side, but the port issues one warp every beats: half of the warps add, the other
 * half multiply. */
static void instructions_of_all_classes_share_the_port(void **state) {
    (void)state;
    enum { N = 300 };
    struct sb text = {0};
    sb_add(&text, "%s",
           HEAD ".visible .entry k() {\n.reg .u32 %r; .reg .pred %p;\nmov.u32 %r, %tid.x;\n"
                "and.b32 %r, %r, 32; setp.eq.u32 %p, %r, 0; @%p bra M;\n");
    for (int k = 0; k < N; k++) sb_add(&text, "add.u32 %%r, %%r, 3;\n");
    sb_add(&text, "exit;\nM:\n");
    for (int k = 0; k < N; k++) sb_add(&text, "mul.lo.u32 %%r, %%r, 3;\n");
    sb_add(&text, "exit;\n}\n");
    struct machine x = machine_load(text.text);
    machine_ok(&x, "pdom", "k", 2, 768, NULL);
    assert_in_range(x.cycles, N * 24 * 2, N * 24 * 2 + 500);
    machine_free(&x);
    sb_free(&text);
}

/* Shared memory: thread t reads word t * stride, n times. */
static uint64_t shared_cycles(uint32_t stride, uint32_t n, struct sm_stats *s) {
    struct machine x = shared_load(SHARED_READ, n, stride);
    machine_ok(&x, "pdom", "k", 1, 32, NULL);
    uint64_t cycles = x.cycles;
    *s = x.s;
    machine_free(&x);
    return cycles;
}

static void a_bank_conflict_of_degree_k_costs_k(void **state) {
    (void)state;
    struct sm_stats s;
    const uint64_t none = shared_cycles(1, 20, &s) - shared_cycles(1, 10, &s);
    assert_int_equal(none, 10 * (8 - 1 + 4)); /* depth - 1 to the memory stage, shared_latency there */
    assert_int_equal(s.sm.shared_conflict_cycles, 0);
    for (uint32_t k = 2; k <= 32; k *= 2) {
        const uint64_t ten = shared_cycles(k, 20, &s) - shared_cycles(k, 10, &s);
        assert_int_equal(ten, none + 10 * (k - 1));
        assert_int_equal(s.sm.shared_conflict_cycles, 10 * (k - 1));
        assert_int_equal(s.sm.shared_accesses, 10);
    }
    assert_int_equal(shared_cycles(0, 20, &s) - shared_cycles(0, 10, &s), none); /* one word for all */
}

/* Cycles that ten atomics of a warp take, of thread t on word t * stride. */
static uint64_t shared_atomics(uint32_t stride) {
    uint64_t cycles[2];
    for (uint32_t k = 0; k < 2; k++) {
        struct machine x = shared_load(SHARED_ADD, 10 + 10 * k, stride);
        machine_ok(&x, "pdom", "k", 1, 32, NULL);
        cycles[k] = x.cycles;
        machine_free(&x);
    }
    return cycles[1] - cycles[0];
}

static void atomics_on_one_bank_take_turns(void **state) {
    (void)state;
    const uint64_t none = shared_atomics(1);
    assert_int_equal(none, 10 * (8 - 1 + 4));
    assert_int_equal(shared_atomics(2), none + 10 * 1);
    assert_int_equal(shared_atomics(0), none + 10 * 31); /* one word: no broadcast */
}

/* A pointer chase through one word that points to itself. */
static uint64_t chase(int issue, uint32_t n) {
    struct sb text = {0};
    sb_add(&text, HEAD ".visible .entry k(.param .u64 p) {\n.reg .u64 %%a;\nld.param.u64 %%a, [p];\n");
    for (uint32_t k = 0; k < n; k++) sb_add(&text, "ld.global.u64 %%a, [%%a];\n");
    sb_add(&text, "st.global.u64 [%%a], %%a;\nexit;\n}\n");
    struct machine x = machine_load(text.text);
    x.o.sm.issue = issue;
    uint64_t p = rig_buf(&x.r, 64, "loop");
    *(uint64_t *)exec_mem_at(x.r.mem, p, 8) = p;
    machine_ok(&x, "pdom", "k", 1, 1, &p);
    uint64_t cycles = x.cycles;
    machine_free(&x);
    sb_free(&text);
    return cycles;
}

static void a_chain_of_loads_has_the_latency_of_a_hit(void **state) {
    (void)state;
    for (int issue = SM_BARREL; issue <= SM_SCOREBOARD; issue++)
        assert_int_equal(chase(issue, 30) - chase(issue, 20), 10 * (8 - 1 + 10));
}

/* Registers 0 to 8 are alive at once, so they have rows 0 to 8; then the instruction, n times. */
static struct machine nine_rows(const char *insn, uint32_t n) {
    struct sb text = {0};
    sb_add(&text, "%s", HEAD ".visible .entry k() {\n.reg .u32 %r<9>;\n");
    for (uint32_t k = 0; k < 9; k++) sb_add(&text, "mov.u32 %%r%u, %u;\n", k, k);
    for (uint32_t k = 0; k < n; k++) sb_add(&text, "%s\n", insn);
    sb_add(&text, "%s",
           "add.u32 %r1, %r1, %r2;\nadd.u32 %r3, %r3, %r5;\nadd.u32 %r6, %r6, %r7;\n"
           "add.u32 %r0, %r0, 1;\nadd.u32 %r4, %r4, 1;\nadd.u32 %r8, %r8, 1;\nexit;\n}\n");
    struct machine x = machine_load(text.text);
    sb_free(&text);
    return x;
}

/* Cycles that bank conflicts of n such instructions take, which must be what the run takes longer by. */
static uint64_t conflict_cycles(const char *insn, uint32_t n, void (*set)(struct machine *)) {
    struct machine x = nine_rows(insn, n);
    if (set) set(&x);
    machine_ok(&x, "pdom", "k", 1, 32, NULL);
    const uint64_t without = x.cycles;
    assert_int_equal(x.s.sm.register_conflict_cycles, 0);
    x.o.sm.register_banks = true;
    machine_ok(&x, "pdom", "k", 1, 32, NULL);
    const uint64_t extra = x.s.sm.register_conflict_cycles;
    assert_int_equal(x.cycles, without + extra);
    assert_int_equal(x.s.warp.stall, extra);
    machine_free(&x);
    return extra;
}

static void operands_in_one_bank_take_turns(void **state) {
    (void)state; /* four banks; two beats */
    assert_int_equal(conflict_cycles("mad.lo.u32 %r0, %r0, %r4, %r8;", 1, NULL), 2 * 2);
    assert_int_equal(conflict_cycles("mad.lo.u32 %r0, %r0, %r4, %r7;", 1, NULL), 1 * 2);
    assert_int_equal(conflict_cycles("mad.lo.u32 %r0, %r1, %r2, %r3;", 1, NULL), 0);
}

static void a_register_read_twice_is_read_once(void **state) {
    (void)state;
    assert_int_equal(conflict_cycles("mad.lo.u32 %r0, %r0, %r0, %r0;", 1, NULL), 0);
    assert_int_equal(conflict_cycles("mad.lo.u32 %r0, %r0, %r0, %r4;", 1, NULL), 1 * 2);
}

static void turing_banks(struct machine *x) {
    x->o.sm.simd_width = 32;
    x->o.sm.register_bank_count = x->o.sm.register_bank_reads = 2;
    x->o.sm.register_conflict = 0.55;
}

/* Jia et al. (Turing T4, 2019): two banks that give two registers each, so that only three of one bank conflict. The cost is
 * that of the published measurement on an RTX 2070, 3.516 cycles for an FFMA with a conflict and 2.969 for one without. */
static void a_conflict_costs_what_is_configured_on_average(void **state) {
    (void)state;
    assert_int_equal(conflict_cycles("mad.lo.u32 %r0, %r2, %r4, %r8;", 100, turing_banks), 55);
    assert_int_equal(conflict_cycles("mad.lo.u32 %r1, %r1, %r5, %r7;", 20, turing_banks), 11);
    assert_int_equal(conflict_cycles("mad.lo.u32 %r0, %r2, %r4, %r7;", 100, turing_banks), 0);
    assert_int_equal(conflict_cycles("mad.lo.u32 %r0, %r2, %r4, %r2;", 100, turing_banks), 0);
}

/* A 64-bit row lies in two banks: a shift count meets one half or the other. Both counts are live, so they have rows 0 and 1. */
static void a_wide_operand_reads_two_banks(void **state) {
    (void)state;
    struct machine x =
        machine_load(HEAD ".visible .entry k(.param .u64 p) {\n.reg .u32 %a, %b; .reg .u64 %d, %q;\n"
                          "mov.u32 %a, %laneid; mov.u32 %b, %tid.x; mov.u64 %d, 1;\n"
                          "shl.b64 %d, %d, %a; shl.b64 %d, %d, %b; shl.b64 %d, %d, %a; shl.b64 %d, %d, %b;\n"
                          "ld.param.u64 %q, [p]; st.global.u64 [%q], %d;\nexit;\n}\n");
    uint64_t p = rig_buf(&x.r, 8, "out");
    x.o.sm.register_banks = true;
    machine_ok(&x, "pdom", "k", 1, 32, &p);
    assert_int_equal(x.s.sm.register_conflict_cycles, 4 * 2); /* one more read for each shift, two beats */
    machine_free(&x);
}

/* W0.Mem is for lines on their way; the pipeline, shared memory and an empty scheduler are W0.Idle. */
static void a_cycle_without_issue_is_memory_s_only_if_a_line_is_on_its_way(void **state) {
    (void)state;
    struct machine x = chain(100, "add.u32 %r1, %r1, 3;");
    x.m.memory.ideal = false;
    machine_ok(&x, "pdom", "chain", 1, 32, NULL);
    assert_int_equal(x.s.warp.w0_mem, 0);
    assert_true(x.s.warp.w0_idle > 100 * (8 - 2));
    machine_free(&x);
    struct sm_stats s;
    shared_cycles(32, 20, &s);
    assert_int_equal(s.warp.w0_mem, 0);

    x = machine_load(HEAD
                     ".visible .entry k(.param .u64 p) {\n.reg .u64 %a;\nld.param.u64 %a, [p];\n"
                     "ld.global.u64 %a, [%a]; ld.global.u64 %a, [%a];\nst.global.u64 [%a], %a;\nexit;\n}\n");
    uint64_t p = rig_buf(&x.r, 64, "loop");
    *(uint64_t *)exec_mem_at(x.r.mem, p, 8) = p;
    by_warps(&x);
    x.o.sm.schedulers = 1;
    x.m.memory.ideal = false;
    machine_ok(&x, "pdom", "k", 1, 1, &p);
    /* A miss and a hit from issue on, each but for its own beats; the store is posted. */
    assert_true(x.mem.load.count == 1);
    assert_in_range(x.s.warp.w0_mem, x.mem.load.latency_sum + 10, x.mem.load.latency_sum + 10 + 2 * 8);
    machine_free(&x);
}

static void a_barrier_lets_go_when_the_last_arrival_writes_back(void **state) {
    (void)state; /* warp 1 arrives after 10 more instructions; both go on together */
    struct machine x =
        machine_load(HEAD ".visible .entry k(.param .u64 p) {\n.reg .u32 %t; .reg .pred %p;\n"
                          "mov.u32 %t, %tid.x;\nsetp.lt.u32 %p, %t, 32;\n@%p bra L;\n"
                          "add.u32 %t, %t, 1;\nadd.u32 %t, %t, 1;\nadd.u32 %t, %t, 1;\nadd.u32 %t, %t, 1;\n"
                          "add.u32 %t, %t, 1;\nL: bar.sync 0;\nexit;\n}\n");
    uint64_t p = 0;
    by_warps(&x);
    machine_ok(&x, "pdom", "k", 1, 64, &p);
    /* nine instructions up to the barrier, which resolves in cycle 9 * 8; exit issues then and commits 8 later */
    assert_int_equal(x.cycles, 9 * 8 + 8);
    assert_int_equal(x.s.sm.barriers, 1);
    assert_int_equal(x.s.idle.barrier > 0, 1);
    machine_free(&x);
}

/* Warp 0 loads a line that is not there; eight others add until long after it has come. */
static uint64_t stalls_of_a_return(int64_t writeback, bool busy) {
    struct sb text = {0};
    sb_add(&text,
           HEAD ".visible .entry k(.param .u64 p) {\n.reg .u64 %%a; .reg .u32 %%r, %%t; .reg .pred %%q;\n"
                "ld.param.u64 %%a, [p];\nmov.u32 %%t, %%tid.x;\nmov.u32 %%r, 0;\n"
                "setp.lt.u32 %%q, %%t, 32;\n@!%%q bra ADD;\n"
                "ld.global.u32 %%r, [%%a];\nst.global.u32 [%%a], %%r;\nexit;\nADD:\n");
    for (uint32_t k = 0; k < 200; k++) sb_add(&text, "add.u32 %%r, %%r, 1;\n");
    sb_add(&text, "st.global.u32 [%%a + 4], %%r;\nexit;\n}\n");
    struct machine x = machine_load(text.text);
    uint64_t p = rig_buf(&x.r, 64, "line");
    by_warps(&x);
    x.o.sm.schedulers = 1;
    x.o.sm.writeback = writeback;
    x.m.memory.ideal = false;
    machine_ok(&x, "pdom", "k", 1, busy ? 9 * 32 : 32, &p);
    const uint64_t stalls = x.s.warp.stall;
    machine_free(&x);
    sb_free(&text);
    return stalls;
}

/* DWF 5.1.1: threads from the return queue go first. Thirty-two of them, eight in a cycle; an empty pipeline loses nothing. */
static void threads_back_from_memory_hold_up_the_pipeline(void **state) {
    (void)state;
    assert_int_equal(stalls_of_a_return(0, true), 0);
    assert_int_equal(stalls_of_a_return(8, true), 4);
    assert_int_equal(stalls_of_a_return(12, true), 3);
    assert_int_equal(stalls_of_a_return(32, true), 1);
    assert_int_equal(stalls_of_a_return(8, false), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dependent_chain_has_the_configured_latency),
        cmocka_unit_test(independent_instructions_do_not_wait_for_each_other),
        cmocka_unit_test(one_warp_issues_every_depth_cycles_under_barrel),
        cmocka_unit_test(warps_fill_the_pipeline),
        cmocka_unit_test(a_full_sm_reaches_peak_ipc),
        cmocka_unit_test(a_unit_takes_an_instruction_per_interval),
        cmocka_unit_test(a_sequence_takes_its_issue_slots),
        cmocka_unit_test(a_sequence_runs_on_the_unit_of_its_instructions),
        cmocka_unit_test(a_shared_unit_of_f64_is_one_for_all_schedulers),
        cmocka_unit_test(instructions_of_all_classes_share_the_port),
        cmocka_unit_test(a_bank_conflict_of_degree_k_costs_k),
        cmocka_unit_test(atomics_on_one_bank_take_turns),
        cmocka_unit_test(a_chain_of_loads_has_the_latency_of_a_hit),
        cmocka_unit_test(operands_in_one_bank_take_turns),
        cmocka_unit_test(a_register_read_twice_is_read_once),
        cmocka_unit_test(a_conflict_costs_what_is_configured_on_average),
        cmocka_unit_test(a_wide_operand_reads_two_banks),
        cmocka_unit_test(a_cycle_without_issue_is_memory_s_only_if_a_line_is_on_its_way),
        cmocka_unit_test(a_barrier_lets_go_when_the_last_arrival_writes_back),
        cmocka_unit_test(threads_back_from_memory_hold_up_the_pipeline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
