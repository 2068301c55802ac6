/* Residency, what observers and counters see, what stalls, what faults and deadlocks say. */
#include "unit/sm/rig.h"

#define KERNEL(body) HEAD ".visible .entry k(.param .u64 p) {\n" body "exit;\n}\n"

/* ---- residency ---- */

static uint32_t fits(const char *text, uint32_t threads, uint32_t dynamic, void (*set)(struct sm_options *),
                     enum sm_limiter *why) {
    struct machine x = machine_load(text);
    uint64_t p = 0;
    x.r.launch = (struct exec_launch){.image = x.r.im,
                                      .func = (uint32_t)ir_find_func(x.r.m, "k"),
                                      .grid = {1, 1, 1},
                                      .block = {threads, 1, 1},
                                      .dynamic_shared = dynamic,
                                      .params = &p};
    struct exec_grid g;
    assert_true(exec_grid_init(&g, &x.r.launch, &x.r.err));
    if (set) set(&x.o);
    uint32_t n = sm_residency(&x.o, &g, why);
    exec_grid_free(&g);
    machine_free(&x);
    return n;
}

static void few_registers(struct sm_options *o) {
    o->sm.registers = 1000;
    o->sm.register_unit = 64;
}
static void few_threads(struct sm_options *o) {
    o->sm.threads = 300;
}
static void few_blocks(struct sm_options *o) {
    o->sm.blocks = 3;
}

static void two_schedulers(struct sm_options *o) {
    o->sm.threads = 1536;
    o->sm.schedulers = 2;
    o->sm.share = SM_SHARE_BLOCKS;
}
static void two_schedulers_by_warps(struct sm_options *o) {
    two_schedulers(o);
    o->sm.share = SM_SHARE_WARPS;
}

/* HARP Table 3: 768 threads at each of two schedulers, whatever would fit on the SM. */
static void whole_blocks_leave_each_scheduler_its_threads(void **state) {
    (void)state;
    const char *text = KERNEL("");
    enum sm_limiter why;
    assert_int_equal(fits(text, 512, 0, two_schedulers_by_warps, &why), 3);
    assert_int_equal(fits(text, 512, 0, two_schedulers, &why), 2);
    assert_int_equal(why, SM_BY_THREADS);
    assert_int_equal(fits(text, 256, 0, two_schedulers, &why), 6);
    assert_int_equal(fits(text, 768, 0, two_schedulers, &why), 2);
    assert_int_equal(fits(text, 769, 0, two_schedulers, &why),
                     1); /* too large for one: its warps take turns */
}

/* Each limit says how many blocks it allows: 16 blocks, 1536 threads / 64; 2 warps of 128 registers; no shared memory,
 * which limits nothing. */
static void each_limit_says_what_it_allows(void **state) {
    (void)state;
    struct machine x =
        machine_load(KERNEL(".reg .u64 %a; .reg .u32 %b; ld.param.u64 %a, [p]; ld.global.u32 %b, [%a];"
                            "st.global.u32 [%a], %b;"));
    const struct exec_grid g = {.func = &x.r.m->funcs.v[ir_find_func(x.r.m, "k")], .threads = 64};
    struct sm_limit l[SM_LIMITS];
    few_registers(&x.o);
    sm_limits(&x.o, &g, l);
    for (const struct sm_limit *at = l; at < l + SM_LIMITS; at++) {
        const uint64_t want[SM_LIMITS] = {[SM_BY_BLOCKS] = (uint64_t)x.o.sm.blocks,
                                          [SM_BY_THREADS] = (uint64_t)x.o.sm.threads / 64,
                                          [SM_BY_REGISTERS] = 1000 / 256,
                                          [SM_BY_SHARED] = UINT64_MAX};
        assert_int_equal(at->blocks, want[at->by]);
    }
    machine_free(&x);
}

static void residency_is_limited_by_the_scarcest(void **state) {
    (void)state;
    enum sm_limiter why;
    /* one 64-bit and one 32-bit register: three words, 96 of a warp, 128 in units of 64 */
    const char *text = KERNEL(".reg .u64 %a; .reg .u32 %b; ld.param.u64 %a, [p]; ld.global.u32 %b, [%a];"
                              "st.global.u32 [%a], %b;");
    assert_int_equal(fits(text, 64, 0, NULL, &why), 16);
    assert_int_equal(why, SM_BY_BLOCKS);
    assert_int_equal(fits(text, 64, 0, few_blocks, &why), 3);
    assert_int_equal(why, SM_BY_BLOCKS);
    assert_int_equal(fits(text, 64, 0, few_threads, &why), 4);
    assert_int_equal(why, SM_BY_THREADS);
    assert_int_equal(fits(text, 64, 0, few_registers, &why), 1000 / (2 * 128));
    assert_int_equal(why, SM_BY_REGISTERS);
    assert_int_equal(fits(text, 64, 5 << 10, NULL, &why), 6);
    assert_int_equal(why, SM_BY_SHARED);
    assert_int_equal(fits(text, 512, 0, few_threads, &why), 0);
    assert_int_equal(why, SM_BY_THREADS);
}

static void a_block_that_cannot_fit_is_refused(void **state) {
    (void)state;
    struct machine x = machine_load(KERNEL(""));
    uint64_t p = 0;
    x.o.sm.threads = 32;
    assert_false(machine_run(&x, "pdom", "k", 1, 64, &p));
    assert_string_equal(
        err_text(&x.r.err),
        "kernel k: not even one block of 64 threads fits on an SM: it needs 64 threads of 32 (sm.threads)");
    machine_free(&x);
}

static void blocks_run_as_many_at_a_time_as_fit(void **state) {
    (void)state; /* each block alone takes two instructions of 8 cycles */
    struct machine x = machine_load(KERNEL(".reg .u32 %a; mov.u32 %a, %laneid;"));
    uint64_t p = 0;
    x.o.sm.blocks = 1;
    machine_ok(&x, "pdom", "k", 5, 32, &p);
    assert_int_equal(x.s.sm.block_cycles,
                     16 + 4 * 17); /* a block that follows another issues in the next cycle */
    assert_int_equal(x.s.sm.blocks, 5);
    x.o.sm.blocks = 2;
    machine_ok(&x, "pdom", "k", 5, 32, &p);
    assert_int_equal(x.cycles, 16 + 17 + 17);
    machine_free(&x);
}

/* ---- barriers ---- */

static void nobody_is_released_before_it_is_known_to_wait(void **state) {
    (void)
        state; /* warp 0 issues its barrier in cycle 24 and is known to wait 57 cycles later; warp 1 exits in cycle 48 and so
                    completes the barrier */
    struct machine x = machine_load(KERNEL(".reg .u32 %t; .reg .pred %p; mov.u32 %t, %tid.x; setp.ge.u32 %p, "
                                           "%t, 32; @%p bra E; bar.sync 0; exit;\n"
                                           "E: add.u32 %t, %t, 1; add.u32 %t, %t, 1; add.u32 %t, %t, 1;\n"));
    uint64_t p = 0;
    x.o.latency.bar = 50;
    machine_ok(&x, "pdom", "k", 1, 64, &p);
    assert_int_equal(x.cycles, 24 + 57 + 8);
    machine_free(&x);
}

/* ---- what is seen ---- */

struct seen {
    uint32_t issues, threads, begun, ended;
    uint64_t last;
};
static void see_issue(void *user, uint64_t cycle, uint32_t sm, uint32_t sched, const struct mech_packet *p,
                      const char *event) {
    struct seen *s = user;
    assert_int_equal(sm, 0);
    assert_true(sched < 2 && event);
    for (uint32_t k = 0; k < p->n; k++) s->threads += p->split[k]->threads;
    s->issues++;
    s->last = cycle;
}
static void see_block(void *user, uint64_t cycle, uint32_t sm, uint64_t block, bool begins) {
    struct seen *s = user;
    (void)cycle;
    (void)sm;
    assert_true(block < 2);
    s->begun += begins;
    s->ended += !begins;
}

static void an_observer_sees_every_issue_and_block(void **state) {
    (void)state;
    struct machine x = machine_load(KERNEL(".reg .u32 %a; mov.u32 %a, %laneid; add.u32 %a, %a, 1;"));
    struct seen seen = {0};
    const struct sm_observer o = {.user = &seen, .issue = see_issue, .block = see_block};
    uint64_t p = 0, insts[2 * 48] = {0};
    x.observer = &o;
    x.thread_insts = insts;
    machine_ok(&x, "pdom", "k", 2, 48, &p);
    assert_int_equal(seen.issues, 3 * 4);
    assert_int_equal(seen.threads, 3 * 96);
    assert_int_equal(seen.begun, 2);
    assert_int_equal(seen.ended, 2);
    assert_int_equal(seen.last + 8, x.cycles);
    for (int t = 0; t < 2 * 48; t++) assert_int_equal(insts[t], 3);
    machine_free(&x);
}

static void branches_are_counted_where_they_are(void **state) {
    (void)state; /* lanes 0-4 take the branch: 32 = 5 + 27 */
    struct machine x =
        machine_load(KERNEL(".reg .u32 %a; .reg .pred %p; mov.u32 %a, %laneid; setp.lt.u32 %p, %a, 5;\n"
                            "@%p bra L; add.u32 %a, %a, 1; L: bra M; M:\n"));
    uint64_t p = 0;
    x.profile = true;
    machine_ok(&x, "pdom", "k", 1, 64, &p);
    const struct sm_branch *b = &x.branch[x.r.m->funcs.v[0].entry + 2];
    assert_int_equal(b->executions, 2);
    assert_int_equal(b->divergences, 2);
    assert_int_equal(b->sides, 4);
    assert_int_equal(b->reconvergences, 2);
    assert_true(b->reconvergence_cycles >= 2 * 8);
    assert_int_equal(x.branch[x.r.m->funcs.v[0].entry + 4].executions, 2);
    assert_int_equal(x.branch[x.r.m->funcs.v[0].entry + 4].divergences, 0);
    assert_int_equal(x.s.warp.issued[6], 2 * 2); /* 27 threads, two beats */
    assert_true(x.s.idle.dependency && x.s.idle.reconvergence);
    machine_free(&x);
}

/* ---- memory ---- */

static void a_full_queue_stalls_the_pipeline(void **state) {
    (void)state; /* every access of a warp is 32 lines: the queue fills whatever the memory does */
    struct machine x = machine_load(KERNEL(
        ".reg .u64 %a, %b; .reg .u32 %t; ld.param.u64 %a, [p]; mov.u32 %t, %tid.x;\n"
        "mul.wide.u32 %b, %t, 64; add.u64 %a, %a, %b; ld.global.u32 %t, [%a]; ld.global.u32 %t, [%a];\n"));
    x.o.sm.lsu_queue = 1;
    uint64_t p = rig_buf(&x.r, 64 * 512, "a");
    machine_ok(&x, "pdom", "k", 1, 512, &p);
    assert_int_equal(x.s.sm.memory_lines, 2 * 512);
    assert_int_equal(x.s.sm.memory_insts, 3 * 16); /* the parameter is one too */
    assert_true(x.s.warp.stall > 500);
    assert_true(x.cycles >= 2 * 512);
    assert_int_equal(x.mem.l1d.accesses, 2 * 512);
    machine_free(&x);
}

static void splits_of_one_packet_share_lines(void **state) {
    (void)
        state; /* even lanes store at one PC, odd ones at another, in the same cycle: 128 bytes are still two lines */
    struct machine x = machine_load(KERNEL(
        ".reg .u64 %a, %b; .reg .u32 %t; .reg .pred %p; ld.param.u64 %a, [p]; mov.u32 %t, %tid.x;\n"
        "mul.wide.u32 %b, %t, 4; add.u64 %a, %a, %b; and.b32 %t, %t, 1; setp.eq.u32 %p, %t, 0; @%p bra E;\n"
        "st.global.u32 [%a], %t; exit;\nE: st.global.u32 [%a], %t;\n"));
    uint64_t p = rig_buf(&x.r, 128, "a");
    machine_ok(&x, "mimd", "k", 1, 32, &p);
    assert_int_equal(x.s.sm.memory_lines, 2);
    assert_int_equal(x.s.sm.memory_insts, 1 + 2);
    machine_ok(&x, "pdom", "k", 1, 32, &p);
    assert_int_equal(x.s.sm.memory_lines, 4);
    machine_free(&x);
}

/* 32 threads read 128 bytes, two lines of 64, and read them again; then write them and another 128 that have not been
 * read: by thread 64 accesses miss or find nothing to wait for, 64 hit. Requests are two each time (DWF Tables 6.2,
 * 6.3). */
static void data_accesses_are_counted_by_thread(void **state) {
    (void)state;
    struct machine x = machine_load(
        KERNEL(".reg .u64 %a, %b; .reg .u32 %t, %v; ld.param.u64 %a, [p]; mov.u32 %t, %tid.x;\n"
               "mul.wide.u32 %b, %t, 4; add.u64 %a, %a, %b; ld.global.u32 %v, [%a]; add.u32 %v, %v, 1;\n"
               "ld.global.u32 %t, [%a]; st.global.u32 [%a], %v; st.global.u32 [%a+128], %t;\n"));
    uint64_t p = rig_buf(&x.r, 256, "a");
    x.m.memory.ideal = false;
    machine_ok(&x, "pdom", "k", 1, 32, &p);
    assert_int_equal(x.mem.l1d.accesses, 4 * 2);
    assert_int_equal(x.mem.l1d.misses, 2 * 2);
    assert_int_equal(x.s.sm.l1d_accesses, 4 * 32);
    assert_int_equal(x.s.sm.l1d_waits, 2 * 32);
    machine_free(&x);
}

/* Constants and parameters have a cache of their own; parameters are there from the start. */
static void constants_go_through_their_cache(void **state) {
    (void)state;
    struct machine x =
        machine_load(HEAD ".const .align 4 .u32 c[64] = {5};\n.visible .entry k(.param .u64 p) {\n"
                          ".reg .u64 %a; .reg .u32 %t, %v; ld.param.u64 %a, [p];\n"
                          "mov.u32 %t, c; ld.const.u32 %v, [%t]; ld.const.u32 %v, [%t+128];\n"
                          "ld.const.u32 %v, [%t+4]; st.global.u32 [%a], %v; exit;\n}\n");
    uint64_t p = rig_buf(&x.r, 128, "a");
    x.m.memory.ideal = false;
    machine_ok(&x, "pdom", "k", 1, 32, &p);
    assert_int_equal(x.mem.l1c.accesses, 3);
    assert_int_equal(x.mem.l1c.misses, 2);
    assert_int_equal(x.mem.l1c.hits, 1);
    assert_int_equal(x.mem.l1d.reads, 0);
    assert_int_equal(x.mem.l1d.writes, 1);
    machine_free(&x);
}

/* A warp's constants by line: 32 words of 64-byte lines are two requests. By word: as many as there are different words, one a
 * cycle, whatever the lanes; an access of 8 bytes is one word of 8. Returns the cycles. */
static uint64_t constants(int by, const char *index, const char *load, uint64_t accesses) {
    char text[1024];
    snprintf(text, sizeof text,
             HEAD ".const .align 8 .u32 c[64] = {5};\n.visible .entry k(.param .u64 p) {\n"
                  ".reg .u32 %%t, %%v, %%c; .reg .u64 %%w; mov.u32 %%t, %%tid.x; mov.u32 %%c, c;\n"
                  "%s add.u32 %%t, %%t, %%c; %s exit;\n}\n",
             index, load);
    struct machine x = machine_load(text);
    uint64_t p = 0;
    x.o.sm.constant_by = by;
    x.o.sm.simd_width = 32;
    machine_ok(&x, "pdom", "k", 1, 32, &p);
    assert_int_equal(x.mem.l1c.accesses, accesses);
    const uint64_t cycles = x.cycles;
    machine_free(&x);
    return cycles;
}

static void constants_are_served_by_line_or_by_word(void **state) {
    (void)state;
    const char *word = "ld.const.u32 %v, [%t];", *pair = "ld.const.u64 %w, [%t];";
    const char *all = "mul.lo.u32 %t, %t, 4;", *four = "and.b32 %t, %t, 3; mul.lo.u32 %t, %t, 4;",
               *one = "and.b32 %t, %t, 0;", *bytes = "and.b32 %t, %t, 3;", *pairs = "mul.lo.u32 %t, %t, 8;";
    const uint64_t line = constants(SM_BY_LINE, all, word, 2);
    assert_int_equal(constants(SM_BY_WORD, all, word, 32), line + 30);
    assert_int_equal(constants(SM_BY_WORD, four, word, 4), constants(SM_BY_LINE, four, word, 1) + 3);
    assert_int_equal(constants(SM_BY_WORD, one, word, 1), constants(SM_BY_LINE, one, word, 1));
    assert_int_equal(constants(SM_BY_WORD, bytes, "ld.const.u8 %v, [%t];", 1),
                     constants(SM_BY_LINE, bytes, "ld.const.u8 %v, [%t];", 1));
    assert_int_equal(constants(SM_BY_WORD, pairs, pair, 32), constants(SM_BY_LINE, pairs, pair, 4) + 28);
}

/* An OpenCL __constant pointer is an address in device memory: its line, which a global load has brought into L2, is there. */
static void a_constant_load_of_a_buffer_finds_its_line_in_l2(void **state) {
    (void)state;
    struct machine x = machine_load(KERNEL(".reg .u64 %a; .reg .u32 %v, %w; ld.param.u64 %a, [p];\n"
                                           "ld.global.u32 %v, [%a]; add.u32 %v, %v, 1; bar.sync 0;\n"
                                           "ld.const.u32 %w, [%a]; add.u32 %v, %v, %w;\n"
                                           "st.global.u32 [%a], %v;\n"));
    uint64_t p = rig_buf(&x.r, 128, "a");
    x.m.memory.ideal = false;
    machine_ok(&x, "pdom", "k", 1, 32, &p);
    assert_int_equal(x.mem.l1d.misses, 1);
    assert_int_equal(x.mem.l1c.misses, 1);
    assert_int_equal(x.mem.l2.misses, 1);
    assert_int_equal(x.mem.dram.reads, 1);
    machine_free(&x);
}

static void neighbouring_local_variables_share_lines(void **state) {
    (void)state; /* 32 threads x 4 bytes = two lines of 64 */
    struct machine x =
        machine_load(KERNEL(".local .u32 v[4]; .reg .u32 %a; mov.u32 %a, 1; st.local.u32 [v+4], %a;"));
    uint64_t p = 0;
    machine_ok(&x, "pdom", "k", 1, 32, &p);
    assert_int_equal(x.s.sm.memory_lines, 2);
    x.o.sm.local = SM_LOCAL_THREADS; /* 16 bytes in one piece each */
    machine_ok(&x, "pdom", "k", 1, 32, &p);
    assert_int_equal(x.s.sm.memory_lines, 32 * 16 / 64);
    machine_free(&x);
}

/* Two blocks one after the other in one slot, or at once in two. */
static void the_next_block_in_a_slot_finds_the_lines_of_local_memory(void **state) {
    (void)state;
    struct machine x = machine_load(KERNEL(".local .u32 v[4]; .reg .u32 %a; ld.local.u32 %a, [v+4];"));
    uint64_t p = 0;
    x.m.memory.ideal = false;
    for (uint32_t slots = 1; slots <= 2; slots++) {
        x.o.sm.blocks = slots;
        machine_ok(&x, "pdom", "k", 2, 32, &p);
        assert_int_equal(x.mem.l1d.reads, 2 * 2);
        assert_int_equal(x.mem.l1d.misses, 2 * slots);
    }
    machine_free(&x);
}

static void a_warp_may_have_many_loads_under_way(void **state) {
    (void)state; /* more than the scoreboard of a warp has room for */
    struct sb text = {0};
    sb_add(&text, "%s",
           HEAD ".visible .entry k(.param .u64 p) {\n.reg .u64 %a; .reg .u32 %r<100>, %s;\n"
                "ld.param.u64 %a, [p];\nmov.u32 %s, 0;\n");
    for (int k = 0; k < 100; k++) sb_add(&text, "ld.global.u32 %%r%d, [%%a+%d];\n", k, 128 * k);
    for (int k = 0; k < 100; k++) sb_add(&text, "add.u32 %%s, %%s, %%r%d;\n", k);
    sb_add(&text, "st.global.u32 [%%a], %%s;\nexit;\n}\n");
    struct machine x = machine_load(text.text);
    x.m.memory.ideal = false;
    x.o.sm.issue = SM_SCOREBOARD;
    uint64_t p = rig_buf(&x.r, 128 * 100, "a");
    uint32_t *v = exec_mem_at(x.r.mem, p, 128 * 100);
    for (uint32_t k = 0; k < 100; k++) v[32 * k] = k;
    machine_ok(&x, "pdom", "k", 1, 1, &p);
    assert_int_equal(*v, 99 * 50);
    assert_true(x.s.warp.w0_mem > 0);
    machine_free(&x);
    sb_free(&text);
}

static void instructions_come_through_the_instruction_cache(void **state) {
    (void)state; /* 64 instructions of 8 bytes in lines of 128: four lines and the entry of the next */
    struct sb text = {0};
    sb_add(&text, "%s", HEAD ".visible .entry k(.param .u64 p) {\n.reg .u32 %a;\nmov.u32 %a, 1;\n");
    for (int k = 0; k < 62; k++) sb_add(&text, "add.u32 %%a, %%a, 1;\n");
    sb_add(&text, "exit;\n}\n");
    struct machine x = machine_load(text.text);
    uint64_t p = 0;
    x.m.memory.ideal = x.m.l1i.ideal = x.o.sm.ideal_fetch = false;
    machine_ok(&x, "pdom", "k", 1, 32, &p);
    assert_int_equal(x.s.sm.fetch_stalls, 4);
    assert_int_equal(x.mem.l1i.accesses, 4);
    assert_true(x.cycles > 64 * 8 + 4 * 20);
    machine_free(&x);
    sb_free(&text);
}

/* ---- what goes wrong ---- */

static void a_fault_is_reported(void **state) {
    (void)state;
    struct machine x = machine_load(KERNEL(".reg .u64 %a; ld.param.u64 %a, [p]; st.global.u64 [%a], %a;"));
    uint64_t p = 8;
    assert_false(machine_run(&x, "pdom", "k", 1, 32, &p));
    assert_int_equal(x.r.err.code, ERR_FAULT);
    assert_non_null(strstr(err_text(&x.r.err), "thread (0,0,0)"));
    machine_free(&x);
}

static void a_deadlock_says_who_waits_for_whom(void **state) {
    (void)state; /* warp 0 waits in barrier 0, warp 1 in barrier 1 */
    struct machine x =
        machine_load(KERNEL(".reg .u32 %t; mov.u32 %t, %tid.x; shr.u32 %t, %t, 5; bar.sync %t;"));
    uint64_t p = 0;
    x.most = 1000;
    assert_false(machine_run(&x, "pdom", "k", 1, 64, &p));
    assert_non_null(strstr(x.described.text, "block (0,0,0): 64 threads have not exited"));
    assert_non_null(strstr(x.described.text,
                           "warp 0 lanes 0xffffffff (32 threads from (0,0,0) on) in barrier 0, 32 of 64 "
                           "threads have arrived; not there: warp 1 lanes 0xffffffff at t.ptx:5"));
    assert_non_null(strstr(x.described.text, "mechanism pdom"));
    machine_free(&x);
}

static void a_report_says_whom_the_mechanism_holds(void **state) {
    (void)state; /* the classic: under a stack the one that holds the lock waits for those that spin */
    static const char text[] = KERNEL(".reg .u64 %a; .reg .u32 %o; .reg .pred %p; ld.param.u64 %a, [p];\n"
                                      "L: atom.global.cas.b32 %o, [%a], 0, 1; setp.ne.u32 %p, %o, 0; @%p bra "
                                      "L; atom.global.exch.b32 %o, [%a], 0;\n");
    struct machine x = machine_load(text);
    uint64_t p = rig_buf(&x.r, 64, "lock");
    x.most = 20000;
    assert_false(machine_run(&x, "pdom", "k", 1, 32, &p));
    assert_int_equal(x.ran, ~1u);
    assert_non_null(strstr(x.described.text,
                           "warp 0 lanes 0x00000001 (1 thread from (0,0,0) on) for the mechanism to let them "
                           "go on at t.ptx:6"));
    memset(exec_mem_at(x.r.mem, p, 64), 0, 64);
    machine_ok(&x, "mimd", "k", 1, 32, &p);
    machine_free(&x);
}

/* Widths are powers of two, the SIMD group no wider than the warp, resident threads whole warps. */
static void widths_that_do_not_fit_are_refused(void **state) {
    (void)state;
    static const struct {
        int64_t warp, simd, threads;
        const char *message; /* NULL: fine */
    } machines[] = {
        {32, 16, 1536, NULL},
        {4, 4, 32, NULL},
        {256, 256, 256, NULL},
        {24, 16, 1536, "sm.warp_size is 24: it must be a power of two"},
        {32, 12, 1536, "sm.simd_width is 12: it must be a power of two"},
        {8, 16, 1536, "sm.simd_width is 16: more than the 8 threads of a warp (sm.warp_size)"},
        {64, 16, 96, "sm.threads is 96: it must be a multiple of 64, whole warps"},
    };
    struct machine x = {0};
    machine_defaults(&x);
    for (size_t k = 0; k < sizeof machines / sizeof *machines; k++) {
        x.o.sm.warp_size = machines[k].warp;
        x.o.sm.simd_width = machines[k].simd;
        x.o.sm.threads = machines[k].threads;
        assert_int_equal(sm_options_check(&x.o, &x.r.err), !machines[k].message);
        if (machines[k].message) assert_string_equal(err_text(&x.r.err), machines[k].message);
    }
    err_free(&x.r.err);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_blocks_leave_each_scheduler_its_threads),
        cmocka_unit_test(each_limit_says_what_it_allows),
        cmocka_unit_test(residency_is_limited_by_the_scarcest),
        cmocka_unit_test(a_block_that_cannot_fit_is_refused),
        cmocka_unit_test(blocks_run_as_many_at_a_time_as_fit),
        cmocka_unit_test(nobody_is_released_before_it_is_known_to_wait),
        cmocka_unit_test(an_observer_sees_every_issue_and_block),
        cmocka_unit_test(branches_are_counted_where_they_are),
        cmocka_unit_test(a_full_queue_stalls_the_pipeline),
        cmocka_unit_test(splits_of_one_packet_share_lines),
        cmocka_unit_test(data_accesses_are_counted_by_thread),
        cmocka_unit_test(constants_go_through_their_cache),
        cmocka_unit_test(constants_are_served_by_line_or_by_word),
        cmocka_unit_test(a_constant_load_of_a_buffer_finds_its_line_in_l2),
        cmocka_unit_test(neighbouring_local_variables_share_lines),
        cmocka_unit_test(the_next_block_in_a_slot_finds_the_lines_of_local_memory),
        cmocka_unit_test(a_warp_may_have_many_loads_under_way),
        cmocka_unit_test(instructions_come_through_the_instruction_cache),
        cmocka_unit_test(a_fault_is_reported),
        cmocka_unit_test(a_deadlock_says_who_waits_for_whom),
        cmocka_unit_test(a_report_says_whom_the_mechanism_holds),
        cmocka_unit_test(widths_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
