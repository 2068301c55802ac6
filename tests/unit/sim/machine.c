/* The timed machine as a whole: dispatch, limits, the watchdog's verdicts, the same bytes every time. */
#include "kernels/harness.h"
#include "mech/mech.h"
#include "sim/sim.h"

/* A device of a configuration; options as key, value, ..., NULL. */
static void machine(struct rig *r, const char *config, const char *const *set) {
    hd_option o[16] = {{"run.mode", "timed"}};
    size_t n = 1;
    for (; set && *set; set += 2) o[n++] = (hd_option){set[0], set[1]};
    memset(r, 0, sizeof *r);
    if (hd_device_open(&(hd_config){.options = o, .noptions = n, .file = config}, &r->dev))
        fail_msg("%s", r->dev ? hd_error(r->dev) : "no memory");
    hd_set_print(r->dev, rig_print, r);
}
#define SET(...) ((const char *const[]){__VA_ARGS__, NULL})

static void load(struct rig *r, const char *body) {
    struct sb t = {0};
    sb_add(&t, ".version 7.0\n.target sm_70\n.address_size 64\n");
    sb_add(&t, ".visible .entry k(.param .u64 out)\n{\n\t.reg .b64 %%a<4>;\n\t.reg .b32 %%r<8>;\n\t.reg "
               ".pred %%p<4>;\n");
    sb_add(&t, "\tld.param.u64 %%a0, [out];\n\tmov.u32 %%r0, %%tid.x;\n%s\tret;\n}\n", body);
    MUST(r, hd_module_load(r->dev, "machine.ptx", t.text, t.len, &r->mod));
    sb_free(&t);
}

/* ---- results ---- */

static const char LOOP[] = /* out[i] = steps of a loop whose length depends on the thread */
    "\tmov.u32 %r1, %ctaid.x;\n\tmov.u32 %r2, %ntid.x;\n\tmad.lo.u32 %r3, %r1, %r2, %r0;\n\tmul.lo.u32 %r4, "
    "%r3, 7;\n\tand.b32 %r4, %r4, 31;\n"
    "\tmov.u32 %r5, 0;\nL:\n\tadd.u32 %r5, %r5, 3;\n\tsub.u32 %r4, %r4, 1;\n\tsetp.gt.s32 %p0, %r4, "
    "0;\n\t@%p0 bra L;\n"
    "\tmul.wide.u32 %a1, %r3, 4;\n\tadd.u64 %a2, %a0, %a1;\n\tst.global.u32 [%a2], %r5;\n";
enum { BLOCKS = 20, THREADS = 96, CELLS = BLOCKS * THREADS };

static void loop_run(const char *config, const char *const *set, uint32_t *out, struct stats *stats) {
    struct rig r;
    machine(&r, config, set);
    load(&r, LOOP);
    uint64_t d = rig_zero(&r, CELLS * 4);
    RUN(&r, "k", LAUNCH(.grid = {BLOCKS}, .block = {THREADS}), PTR(d));
    rig_out(&r, d, out, CELLS * 4);
    if (stats) *stats = *sim_stats(r.dev, false);
    rig_close(&r);
}

/* By name, then whatever has no row; not how the host went about it. */
static void same_stats(const struct stats *one, const struct stats *other) {
    struct stats x = *one, y = *other, *a = &x, *b = &y;
    memset(x.gpu.lockstep, 0, sizeof x.gpu.lockstep);
    memset(y.gpu.lockstep, 0, sizeof y.gpu.lockstep);
    for (int i = 0; i < STAT_COUNT; i++)
        if (stat_is_counter((enum stat_id)i) &&
            stats_exact(a, (enum stat_id)i) != stats_exact(b, (enum stat_id)i))
            fail_msg("%s differs", stat_rows[i].name);
    assert_memory_equal(a, b, sizeof *a);
}

/* Two launches: many threads that read a line each, then one. What the second waited, and the splits it had, say nothing of
 * the first; the total is the larger. */
static void a_maximum_is_of_its_launch(void **state) {
    (void)state;
    static const char *const maxima[] = {"load.latency_max", "dram.latency_max", "div.splits_max"};
    static const char body[] = "\tmov.u32 %r1, %ctaid.x;\n\tmov.u32 %r2, %ntid.x;\n"
                               "\tmad.lo.u32 %r3, %r1, %r2, %r0;\n\tmul.wide.u32 %a1, %r3, 128;\n"
                               "\tadd.u64 %a2, %a0, %a1;\n\tld.global.u32 %r4, [%a2];\n"
                               "\tst.global.u32 [%a2], %r4;\n";
    struct rig r;
    double first[3];
    machine(&r, "harp-fermi", NULL);
    load(&r, body);
    uint64_t d = rig_zero(&r, 16 * 96 * 128);
    uint64_t cold = rig_zero(&r, 128);
    RUN(&r, "k", LAUNCH(.grid = {16}, .block = {96}), PTR(d));
    for (int k = 0; k < 3; k++) first[k] = rig_stat(&r, maxima[k]);
    RUN(&r, "k", LAUNCH(.grid = {1}, .block = {1}), PTR(cold));
    for (int k = 0; k < 3; k++) {
        double total;
        MUST(&r, hd_stat(r.dev, true, maxima[k], &total));
        assert_true(rig_stat(&r, maxima[k]) > 0);
        assert_true(rig_stat(&r, maxima[k]) < first[k]);
        assert_true(total == first[k]);
    }
    rig_close(&r);
}

static void every_machine_computes_the_same(void **state) {
    (void)state;
    uint32_t want[CELLS], got[CELLS];
    for (uint32_t i = 0; i < CELLS; i++) want[i] = 3 * ((i * 7 & 31) ? i * 7 & 31 : 1);
    for (const struct config *c = config_list; c->name; c++)
        for (size_t m = 0; mech_list[m]; m++) {
            loop_run(c->name, SET("run.mech", mech_list[m]->name), got, NULL);
            same_u32(c->name, got, want, CELLS);
        }
}

static void two_runs_give_the_same_bytes(void **state) {
    (void)state;
    uint32_t out[CELLS];
    for (size_t m = 0; mech_list[m]; m++) {
        struct stats one, two;
        loop_run("turing-rtx2060", SET("run.mech", mech_list[m]->name), out, &one);
        loop_run("turing-rtx2060", SET("run.mech", mech_list[m]->name), out, &two);
        same_stats(&one, &two);
    }
}

/* Watching changes nothing; neither does how often the series makes the clock stop. */
static void watching_costs_no_cycle(void **state) {
    (void)state;
    uint32_t out[CELLS];
    struct stats plain;
    loop_run("tiny", NULL, out, &plain);
    struct rig r;
    machine(&r, "tiny", NULL);
    sim_watch(r.dev, &(struct watch){.interval = 7, .threads = 3});
    load(&r, LOOP);
    uint64_t d = rig_zero(&r, CELLS * 4);
    RUN(&r, "k", LAUNCH(.grid = {BLOCKS}, .block = {THREADS}), PTR(d));
    same_stats(&plain, sim_stats(r.dev, false));
    rig_close(&r);
}

/* ---- dispatch and residency ---- */

static void limited(const char *const *set, uint32_t grid, uint32_t shared, const char *name,
                    double resident) {
    struct rig r;
    machine(&r, "harp-fermi", set);
    load(&r, LOOP);
    uint64_t d = rig_zero(&r, 4 * 96 * 1024);
    RUN(&r, "k", LAUNCH(.grid = {grid}, .block = {96}, .shared_bytes = shared), PTR(d));
    assert_true(rig_stat(&r, name) == 1);
    hd_kernel_info info;
    MUST(&r, hd_kernel_get_info(hd_module_kernel_at(r.mod, 0), &info));
    if (resident == 0) resident = 4096 / (96 * info.registers); /* three whole warps */
    assert_true(rig_stat(&r, "gpu.resident_blocks") == resident);
    assert_true(rig_stat(&r, "sm.blocks") == grid);
    rig_close(&r);
}

static void residency_names_its_limiter(void **state) {
    (void)state;
    limited(SET("gpu.sms", "1"), 40, 0, "gpu.limited_blocks", 16);
    limited(SET("gpu.sms", "1", "sm.threads", "512"), 40, 0, "gpu.limited_threads", 4); /* 256 a scheduler */
    limited(SET("gpu.sms", "1", "sm.threads", "512", "sm.share", "warps"), 40, 0, "gpu.limited_threads", 5);
    limited(SET("gpu.sms", "1", "sm.registers", "4096"), 40, 0, "gpu.limited_registers", 0);
    limited(SET("gpu.sms", "1"), 40, 10 << 10, "gpu.limited_shared", 3);
    limited(SET("gpu.sms", "4"), 40, 0, "gpu.limited_grid", 16);
}

/* HARP Table 5: 16 SMs of two schedulers; blocks of NW, LPS and CP (256, of which six fit) and of MTM. */
static void a_scheduler_holds_its_share_of_the_grid_or_what_fits(void **state) {
    (void)state;
    const struct {
        uint32_t grid, block;
        const char *share;
        double threads;
    } rows[] = {{128, 16, "blocks", 64},   {127, 16, "blocks", 48},  {100, 128, "blocks", 384},
                {256, 128, "blocks", 768}, {40, 256, "blocks", 256}, {1, 100, "blocks", 100},
                {32, 256, "warps", 256},   {1, 100, "warps", 50}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rig r;
        machine(&r, "harp-fermi", SET("sm.share", rows[i].share));
        load(&r, LOOP);
        uint64_t d = rig_zero(&r, 4 * 256 * 128);
        RUN(&r, "k", LAUNCH(.grid = {rows[i].grid}, .block = {rows[i].block}), PTR(d));
        assert_true(rig_stat(&r, "gpu.scheduler_threads") == rows[i].threads);
        rig_close(&r);
    }
}

static void a_block_that_does_not_fit_is_refused(void **state) {
    (void)state;
    struct rig r;
    machine(&r, "harp-fermi", NULL);
    load(&r, LOOP);
    uint64_t d = rig_zero(&r, 4096);
    rig_fails(
        &r, "k", LAUNCH(.block = {64}, .shared_bytes = 33 << 10), ARGS(PTR(d)), HD_INVALID,
        TEXTS("kernel k: not even one block of 64 threads fits on an SM: it needs 33792 bytes of shared "
              "memory of 32768 (sm.shared_bytes)"));
    rig_close(&r);
}

/* One at a time: an SM that holds two blocks takes the next two when both have ended, so the longer of each pair counts. */
static void one_at_a_time_waits_for_all_blocks(void **state) {
    (void)state;
    static const char body[] = /* even blocks run 10 times as long */
        "\tmov.u32 %r1, %ctaid.x;\n\tand.b32 %r1, %r1, 1;\n\tsetp.eq.u32 %p0, %r1, 0;\n\tselp.u32 %r2, 1000, "
        "100, %p0;\n"
        "L:\n\tsub.u32 %r2, %r2, 1;\n\tsetp.gt.s32 %p1, %r2, 0;\n\t@%p1 bra L;\n";
    double cycles[2];
    for (int k = 0; k < 2; k++) {
        struct rig r;
        machine(&r, "tiny", SET("sm.blocks", "2", "gpu.dispatch", k ? "one_at_a_time" : "as_freed"));
        load(&r, body);
        RUN(&r, "k", LAUNCH(.grid = {8}, .block = {8}), PTR(0));
        cycles[k] = rig_stat(&r, "gpu.cycles");
        rig_close(&r);
    }
    assert_true(cycles[0] > 2 * 3 * 4000 &&
                cycles[0] < 2.5 * 3 * 4000); /* 4400 loop turns over two places, 3 instructions of depth 4 */
    assert_true(cycles[1] > 4 * 3 * 4000);
}

/* Round robin, or one behind the other: even shares, as many as fit. */
static void neighbours_share_an_sm_one_at_a_time(void **state) {
    (void)state;
    static const struct {
        const char *dispatch, *room;
        uint32_t blocks, sm[7];
    } want[] = {{"as_freed", "8", 7, {0, 1, 2, 0, 1, 2, 0}},
                {"one_at_a_time", "8", 7, {0, 0, 0, 1, 1, 1, 2}},
                {"one_at_a_time", "2", 6, {0, 0, 1, 1, 2, 2}}};
    for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
        struct rig r;
        uint32_t got[7];
        machine(&r, "tiny", SET("gpu.sms", "3", "sm.blocks", want[k].room, "gpu.dispatch", want[k].dispatch));
        load(&r, "\tmov.u32 %r1, %ctaid.x;\n\tmov.u32 %r2, %smid;\n\tmad.wide.u32 %a1, %r1, 4, %a0;\n"
                 "\tst.global.u32 [%a1], %r2;\n");
        uint64_t d = rig_zero(&r, sizeof got);
        RUN(&r, "k", LAUNCH(.grid = {want[k].blocks}, .block = {8}), PTR(d));
        MUST(&r, hd_copy_out(r.dev, got, d, sizeof got));
        for (uint32_t b = 0; b < want[k].blocks; b++) assert_int_equal(got[b], want[k].sm[b]);
        rig_close(&r);
    }
}

/* ---- limits ---- */

static void limits_end_a_launch(void **state) {
    (void)state;
    static const char forever[] = "L:\n\tadd.u32 %r0, %r0, 1;\n\tbra L;\n";
    struct rig r;
    machine(&r, "tiny", SET("gpu.max_cycles", "5000"));
    load(&r, forever);
    rig_fails(&r, "k", LAUNCH(.block = {8}), ARGS(PTR(0)), HD_LIMIT,
              TEXTS("kernel k stopped after ", "(gpu.max_cycles is 5000): 0 of 1 blocks have ended"));
    rig_close(&r);
    machine(&r, "tiny", NULL);
    load(&r, forever);
    rig_fails(
        &r, "k", LAUNCH(.block = {8}, .max_insts = 30000), ARGS(PTR(0)), HD_LIMIT,
        TEXTS("stopped after 30008 thread instructions (the limit is 30000) in kernel k, block (0,0,0), "
              "warp 0\n  at machine.ptx:12: add.u32 %r0, %r0, 1;"));
    /* the machine is fit for the next launch */
    hd_module_unload(r.mod);
    load(&r, LOOP);
    uint64_t d = rig_zero(&r, 4096);
    RUN(&r, "k", LAUNCH(.block = {64}), PTR(d));
    rig_close(&r);
}

static int stop_at_once(void *user, uint64_t done, uint64_t blocks) {
    (void)user, (void)done, (void)blocks;
    return 0;
}

static void progress_can_stop_a_launch(void **state) {
    (void)state;
    struct rig r;
    machine(&r, "tiny", NULL);
    load(&r, LOOP);
    uint64_t d = rig_zero(&r, CELLS * 4);
    hd_set_progress(r.dev, stop_at_once, NULL);
    rig_fails(&r, "k", LAUNCH(.grid = {BLOCKS}, .block = {THREADS}), ARGS(PTR(d)), HD_LIMIT,
              TEXTS("stopped on request after ", " of 20 blocks of kernel k, ", " cycles, ",
                    "\n  SM 0: ", " warps, ", " at machine.ptx:"));
    rig_close(&r);
}

/* ---- the watchdog ---- */

/* The thread that has the lock waits for the others at the loop's end: the classic. */
static const char SPIN[] =
    "L:\n\tatom.global.cas.b32 %r1, [%a0], 0, 1;\n\tsetp.ne.u32 %p0, %r1, 0;\n\t@%p0 bra L;\n"
    "\tatom.global.exch.b32 %r2, [%a0], 0;\n";

static void a_spin_lock_under_a_stack_is_simt_induced(void **state) {
    (void)state;
    struct rig r;
    machine(&r, "tiny", SET("run.mech", "pdom"));
    load(&r, SPIN);
    uint64_t d = rig_zero(&r, 4);
    rig_fails(&r, "k", LAUNCH(.block = {8}), ARGS(PTR(d)), HD_FAULT,
              TEXTS("SIMT-induced deadlock: with every thread on its own, as under mimd, they finish",
                    "kernel k, cycle ", "(gpu.watchdog is 20000)",
                    "mechanism pdom holds 1 thread that could run: 0 on a path that waits for its turn, 1 at "
                    "a reconvergence point",
                    "block (0,0,0)", "machine.ptx:12: atom.global.cas.b32", "mechanism pdom:"));
    rig_close(&r);
}

/* A mechanism that promises progress runs it to the end. Another may or may not; if not, the lock would have been
 * passed on with every thread on its own, and the report shows the mechanism's tables. */
static void a_spin_lock_ends_or_the_mechanism_is_to_blame(void **state) {
    (void)state;
    for (size_t m = 0; mech_list[m]; m++) {
        const struct mech_ops *mech = mech_list[m];
        struct rig r;
        char tables[64];
        machine(&r, "tiny", SET("run.mech", mech->name));
        load(&r, SPIN);
        uint64_t d = rig_zero(&r, 4);
        hd_status st = rig_launch(&r, "k", LAUNCH(.block = {8}), ARGS(PTR(d)));
        snprintf(tables, sizeof tables, "\n  mechanism %s:\n", mech->name);
        if (st && (mech->caps & MECH_PROGRESS || st != HD_FAULT ||
                   !strstr(hd_error(r.dev), "SIMT-induced deadlock") || !strstr(hd_error(r.dev), tables)))
            fail_msg("%s: %s", mech->name, hd_error(r.dev));
        rig_close(&r);
    }
}

/* SL section 3: nothing guarantees that a thread which does not have the lowest PC ever runs. The owner stands behind
 * the loop, at a higher PC than those that spin. */
static void a_spin_lock_livelocks_under_min_pc(void **state) {
    (void)state;
    struct rig r;
    machine(&r, "tiny", SET("run.mech", "minpc"));
    load(&r, SPIN);
    uint64_t d = rig_zero(&r, 4);
    rig_fails(&r, "k", LAUNCH(.block = {8}), ARGS(PTR(d)), HD_FAULT,
              TEXTS("SIMT-induced deadlock", "no thread has made progress for ",
                    "mechanism minpc holds 1 thread that could run: 1 on a path that waits for its turn",
                    "(7 threads from (1,0,0) on) go round a loop that only another thread could end",
                    " standing w0:00000001"));
    rig_close(&r);
}

/* Who has the lock is blocked at the end of the loop, the others are in it; with YIELD the barrier would let him go. */
static void without_yield_a_spin_lock_deadlocks_under_convergence_barriers(void **state) {
    (void)state;
    struct rig r;
    machine(&r, "tiny", SET("run.mech", "volta", "volta.yield", "false"));
    load(&r, SPIN);
    uint64_t d = rig_zero(&r, 4);
    rig_fails(&r, "k", LAUNCH(.block = {8}), ARGS(PTR(d)), HD_FAULT,
              TEXTS("SIMT-induced deadlock", "mechanism volta holds 1 thread that could run",
                    "0 on a path that waits for its turn, 1 at a reconvergence point",
                    "(7 threads from (1,0,0) on) go round a loop that only another thread could end",
                    " w0:00000001 blocked by b0 at 5 bsync", "path pc "));
    rig_close(&r);
}

/* Half of the warp in barrier 0, half in barrier 1. Under a stack the half that does not run first never even gets there. */
static void barriers_that_cannot_complete_are_the_program_s_fault(void **state) {
    (void)state;
    for (size_t m = 0; mech_list[m]; m++) {
        struct rig r;
        char tables[64];
        snprintf(tables, sizeof tables, "\n  mechanism %s:\n", mech_list[m]->name);
        machine(&r, "tiny", SET("run.mech", mech_list[m]->name));
        load(&r,
             "\tsetp.lt.u32 %p0, %r0, 4;\n\t@%p0 bra A;\n\tbar.sync 1;\n\tbra B;\nA:\n\tbar.sync 0;\nB:\n");
        rig_fails(&r, "k", LAUNCH(.block = {8}), ARGS(PTR(0)), HD_FAULT,
                  TEXTS("program deadlock: every thread that is left waits at a barrier or for its warp, "
                        "under any mechanism",
                        "in barrier ", tables));
        rig_close(&r);
    }
}

/* No thread ever sets the flag. */
static void waiting_for_nothing_is_the_program_s_fault(void **state) {
    (void)state;
    for (size_t m = 0; mech_list[m]; m++) {
        struct rig r;
        machine(&r, "tiny", SET("run.mech", mech_list[m]->name));
        load(&r, "L:\n\tld.volatile.global.u32 %r1, [%a0];\n\tsetp.eq.u32 %p0, %r1, 0;\n\t@%p0 bra L;\n");
        uint64_t d = rig_zero(&r, 4);
        rig_fails(&r, "k", LAUNCH(.block = {8}), ARGS(PTR(d)), HD_FAULT,
                  TEXTS("program deadlock: threads spin, also when every thread gets its turn",
                        "no thread has made progress for "));
        rig_close(&r);
    }
}

/* Block 0 waits for block 1, which finds no room. */
static void a_machine_that_is_too_small_is_said_to_be(void **state) {
    (void)state;
    static const char body[] =
        "\tmov.u32 %r1, %ctaid.x;\n\tsetp.eq.u32 %p0, %r1, 1;\n\t@%p0 bra S;\nL:\n\tld.volatile.global.u32 "
        "%r2, [%a0];\n"
        "\tsetp.eq.u32 %p1, %r2, 0;\n\t@%p1 bra L;\n\tbra E;\nS:\n\tst.volatile.global.u32 [%a0], 1;\nE:\n";
    struct rig r;
    machine(&r, "tiny", SET("sm.blocks", "1"));
    load(&r, body);
    uint64_t d = rig_zero(&r, 4);
    rig_fails(&r, "k", LAUNCH(.grid = {2}, .block = {8}), ARGS(PTR(d)), HD_FAULT,
              TEXTS("if they wait for a block that has not begun, the machine is too small", "1 not begun"));
    rig_close(&r);
    machine(&r, "tiny", NULL);
    load(&r, body);
    d = rig_zero(&r, 4);
    RUN(&r, "k", LAUNCH(.grid = {2}, .block = {8}), PTR(d));
    rig_close(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_machine_computes_the_same),
        cmocka_unit_test(a_maximum_is_of_its_launch),
        cmocka_unit_test(two_runs_give_the_same_bytes),
        cmocka_unit_test(watching_costs_no_cycle),
        cmocka_unit_test(residency_names_its_limiter),
        cmocka_unit_test(a_scheduler_holds_its_share_of_the_grid_or_what_fits),
        cmocka_unit_test(a_block_that_does_not_fit_is_refused),
        cmocka_unit_test(one_at_a_time_waits_for_all_blocks),
        cmocka_unit_test(neighbours_share_an_sm_one_at_a_time),
        cmocka_unit_test(limits_end_a_launch),
        cmocka_unit_test(progress_can_stop_a_launch),
        cmocka_unit_test(a_spin_lock_under_a_stack_is_simt_induced),
        cmocka_unit_test(a_spin_lock_ends_or_the_mechanism_is_to_blame),
        cmocka_unit_test(a_spin_lock_livelocks_under_min_pc),
        cmocka_unit_test(without_yield_a_spin_lock_deadlocks_under_convergence_barriers),
        cmocka_unit_test(barriers_that_cannot_complete_are_the_program_s_fault),
        cmocka_unit_test(waiting_for_nothing_is_the_program_s_fault),
        cmocka_unit_test(a_machine_that_is_too_small_is_said_to_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
