/* What a mechanism may say with a packet: how long it issues, who issues when, and that a split has no threads. The
 * mechanisms here are nrec with one function changed. */
#include "mech/lib/order.h"
#include "mech/lib/set.h"
#include "mech/lib/split.h"
#include "unit/sm/rig.h"

/* n additions, each on the result of the one before, then exit. */
static struct machine chain(uint32_t n, const char *insn) {
    struct sb text = {0};
    sb_add(&text, "%s", HEAD ".visible .entry k() {\n.reg .u32 %r1;\nmov.u32 %r1, %laneid;\n");
    for (uint32_t k = 0; k < n; k++) sb_add(&text, "%s\n", insn);
    sb_add(&text, "exit;\n}\n");
    struct machine x = machine_load(text.text);
    x.audit = true;
    sb_free(&text);
    return x;
}

static const char *const add = "add.u32 %r1, %r1, 1;", *const divide = "div.u32 %r1, %r1, 3;";

static uint64_t classes(const struct sm_stats *s) {
    const struct sm_warp_stats *w = &s->warp;
    return w->w0_mem + w->w0_idle + w->stall + w->empty + stat_total(w->issued, SM_SIZES);
}

/* ---- beats ---- */

static bool select_in(uint32_t beats, struct mech *m, uint32_t sched, struct mech_packet *p) {
    struct mech_split *s = order_pick(m->order, sched, *m->env.now);
    if (!s) return false;
    split_issue(m, p, s);
    p->beats = beats;
    return true;
}
static bool select_1(struct mech *m, uint32_t sched, struct mech_packet *p) {
    return select_in(1, m, sched, p);
}
static bool select_4(struct mech *m, uint32_t sched, struct mech_packet *p) {
    return select_in(4, m, sched, p);
}
static bool select_1_whole(struct mech *m, uint32_t sched, struct mech_packet *p) {
    p->last_beat = true;
    return select_in(1, m, sched, p);
}
static bool select_4_whole(struct mech *m, uint32_t sched, struct mech_packet *p) {
    p->last_beat = true;
    return select_in(4, m, sched, p);
}
static bool select_20(struct mech *m, uint32_t sched, struct mech_packet *p) {
    return select_in(20, m, sched, p);
}

typedef bool select_fn(struct mech *m, uint32_t sched, struct mech_packet *p);

/* Runs 10 + n of the instruction; a warp of 32 on 16 lanes takes two beats by itself. */
static struct machine run_beats(select_fn *select, const char *insn, uint32_t n, uint32_t threads) {
    struct mech_ops ops = *mech_find("nrec");
    struct machine x = chain(10 + n, insn);
    if (select) ops.select = select;
    x.mech = &ops;
    machine_ok(&x, "", "k", 1, threads, NULL);
    assert_int_equal(classes(&x.s), x.s.warp.cycles);
    machine_free(&x);
    return x; /* its counters */
}

static uint64_t each(select_fn *select, const char *insn, uint32_t threads) {
    const uint64_t few = run_beats(select, insn, 0, threads).cycles,
                   many = run_beats(select, insn, 40, threads).cycles;
    assert_int_equal((many - few) % 40, 0);
    return (many - few) / 40;
}

static void a_packet_holds_the_port_for_its_beats(void **state) {
    (void)state; /* eight warps of one scheduler, a pipeline of eight */
    assert_int_equal(each(NULL, add, 8 * 32), 16);
    assert_int_equal(each(select_1, add, 8 * 32), 8);
    assert_int_equal(each(select_4, add, 8 * 32), 32);
}

static void a_packet_holds_its_unit_for_its_beats(void **state) {
    (void)state; /* a divider takes a beat every four cycles */
    assert_int_equal(each(NULL, divide, 8 * 32), 8 * 2 * 4);
    assert_int_equal(each(select_1, divide, 8 * 32), 8 * 1 * 4);
    assert_int_equal(each(select_4, divide, 8 * 32), 8 * 4 * 4);
}

static void a_result_is_there_when_the_last_beat_is(void **state) {
    (void)state; /* one warp */
    assert_int_equal(each(select_1, add, 32), 8);
    assert_int_equal(each(select_20, add, 32), 20);
}

static void lanes_are_counted_by_the_beats_of_a_packet(void **state) {
    (void)state;
    const uint64_t insts = 12 * 8;
    struct sm_stats s = run_beats(NULL, add, 0, 8 * 32).s;
    assert_int_equal(s.sm.lane_slots, insts * 32);
    assert_int_equal(s.warp.issued[7], insts * 2);
    s = run_beats(select_4, add, 0, 8 * 32).s; /* half of the lanes: the class of 13 to 16 of 32 */
    assert_int_equal(s.sm.lane_slots, insts * 4 * 16);
    assert_int_equal(s.lane.active, insts * 32);
    assert_int_equal(s.lane.absent, insts * 32); /* more slots than a warp has lanes */
    assert_int_equal(s.warp.issued[3], insts * 4);
    s = run_beats(select_1, add, 0, 8 * 32).s; /* for more threads than there are lanes */
    assert_int_equal(s.sm.lane_slots, insts * 32);
    assert_int_equal(s.sm.beyond_slots, insts * 16);
    assert_int_equal(s.warp.issued[7], insts * 1);
    assert_int_equal(s.sm.issues, insts);
    assert_int_equal(s.sm.empty_issues, 0);
}

/* ---- who is in which beat ---- */

static struct mech_set in_beat[16];

/* Rows of 16 threads, a beat each. */
static bool select_rows(struct mech *m, uint32_t sched, struct mech_packet *p) {
    struct mech_split *s = order_pick(m->order, sched, *m->env.now);
    if (!s) return false;
    split_issue(m, p, s);
    p->beat = in_beat;
    p->beats = 2 * s->set.n;
    for (uint32_t b = 0; b < p->beats; b++) {
        in_beat[b].n = 0;
        set_add(&in_beat[b], s->set.p[b / 2].warp, s->set.p[b / 2].mask & 0xffffu << 16 * (b % 2));
    }
    return true;
}

/* Selects as select_rows does, but memory takes all threads at once. */
static bool select_together(struct mech *m, uint32_t sched, struct mech_packet *p) {
    const bool some = select_rows(m, sched, p);
    p->beat = NULL;
    return some;
}

static uint32_t width_256(const void *params, uint32_t warp_size, uint32_t simd_width) {
    (void)params, (void)warp_size, (void)simd_width;
    return 256;
}

/* %t: the thread; %a: an array of all threads in global memory; %s: one in shared memory. */
#define ACCESS(insns)                                                                              \
    HEAD ".shared .u32 words[1024];\n.visible .entry k(.param .u64 array) {\n"                     \
         ".reg .u32 %t, %s, %x, %y; .reg .u64 %a, %b, %v0, %v1; .reg .pred %p; .local "            \
         ".align 32 .b8 own[64];\nmov.u32 %t, %tid.x; mov.u32 %s, words; mov.u64 %a, %v0;\n" insns \
         "\nexit;\n}\n"

static struct machine run_access(select_fn *select, const char *text, uint32_t threads) {
    struct mech_ops ops = *mech_find("nrec");
    struct machine x = machine_load(text);
    ops.select = select;
    if (threads > 32) ops.width = width_256;
    x.mech = &ops;
    x.audit = true;
    x.o.sm.shared_banks = 32;
    x.m.l1d.line = 128;
    uint64_t p[1] = {rig_buf(&x.r, 4096, "array")};
    machine_ok(&x, "", "k", 1, threads, p);
    machine_free(&x);
    return x;
}

static void expect_lines(const char *insns, uint32_t threads, uint64_t together, uint64_t by_beat) {
    assert_int_equal(run_access(select_together, insns, threads).s.sm.memory_lines, together);
    const struct sm_stats s = run_access(select_rows, insns, threads).s;
    assert_int_equal(s.sm.memory_lines, by_beat);
}

#define ARRAY "ld.param.u64 %a, [array]; mul.wide.u32 %b, %t, 4; add.u64 %b, %a, %b;"
static void a_line_that_two_beats_want_is_asked_for_twice(void **state) {
    (void)state; /* lines of 128 bytes */
    expect_lines(ACCESS(ARRAY "ld.global.u32 %x, [%b];"), 32, 1, 2);
    expect_lines(ACCESS(ARRAY "ld.global.u32 %x, [%b];"), 256, 8, 16);
    expect_lines(ACCESS(ARRAY "ld.global.u32 %x, [%a];"), 256, 1, 16);
    expect_lines(ACCESS(ARRAY "st.global.u32 [%b], %t;"), 32, 1, 2);
    expect_lines(ACCESS(ARRAY "red.global.add.u32 [%b], 1;"), 32, 1, 2);
    expect_lines(ACCESS(ARRAY "setp.ge.u32 %p, %t, 16; @%p ld.global.u32 %x, [%b];"), 32, 1, 1);
    /* Four words of each thread, more than are coalesced at once: rows of 16 are half a line. */
    expect_lines(ACCESS("st.local.v2.u64 [own], {%v0, %v1};"), 256, 4 * 8, 4 * 16);
}

static void a_beat_has_its_own_conflicts_in_shared_memory(void **state) {
    (void)state; /* every other word: 16 threads fill the 32 banks, the next 16 do so again */
    const char *const two = ACCESS("shl.b32 %x, %t, 3; add.u32 %x, %x, %s; ld.shared.u32 %y, [%x];");
    assert_int_equal(run_access(select_together, two, 32).s.sm.shared_conflict_cycles, 1);
    struct sm_stats s = run_access(select_rows, two, 32).s;
    assert_int_equal(s.sm.shared_conflict_cycles, 0);
    assert_int_equal(s.sm.shared_accesses, 1); /* instructions */
    const char *const one = ACCESS("red.shared.add.u32 [%s], 1;");
    assert_int_equal(run_access(select_together, one, 32).s.sm.shared_conflict_cycles, 31);
    assert_int_equal(run_access(select_rows, one, 32).s.sm.shared_conflict_cycles, 15 + 15);
}

static void accesses_by_beats_cost_the_same_whether_slept_through_or_not(void **state) {
    (void)state;
    const char *const text =
        ACCESS(ARRAY "ld.global.u32 %x, [%b]; st.shared.u32 [%s], %x; ld.shared.u32 %y, [%s]; "
                     "st.global.u32 [%b], %y;");
    struct sm_stats s[2];
    for (int tick = 0; tick < 2; tick++) {
        struct mech_ops ops = *mech_find("nrec");
        struct machine x = machine_load(text);
        ops.select = select_rows;
        ops.width = width_256;
        x.mech = &ops;
        x.tick_all = tick;
        x.m.memory.ideal = x.m.l1d.ideal = false;
        uint64_t p[1] = {rig_buf(&x.r, 4096, "array")};
        machine_ok(&x, "", "k", 2, 256, p);
        s[tick] = x.s;
        machine_free(&x);
    }
    assert_memory_equal(&s[0], &s[1], sizeof s[0]);
}

static void results_may_be_counted_from_the_last_beat(void **state) {
    (void)state; /* a pipeline of eight: an addition on the result of the one before */
    assert_int_equal(each(select_4, add, 32), 8);
    assert_int_equal(each(select_4_whole, add, 32), 8 + 3);
    assert_int_equal(each(select_1_whole, add, 32), 8);
}

/* ---- splits without threads ---- */

/* Before each instruction but the first, the warp issues it once without threads, which go on when that is back. */
static void commit_twice(struct mech *m, struct mech_split *s, const struct mech_outcome *o) {
    if (!s->threads) {
        assert_int_equal(o->nsides + o->exited.n + o->waiting.n, 0);
        assert_int_equal(o->pc, s->pc);
        struct mech_split *warp = split_at(m->pool, s->own[0]);
        assert_int_equal(warp->pc, s->pc);
        order_add(m->order, warp);
        split_free(m, s);
        return;
    }
    if (o->exited.n) {
        mech_find("nrec")->commit(m, s, o);
        return;
    }
    assert_int_equal(o->nsides, 1);
    s->pc = o->side[0].pc;
    order_remove(m->order, s);
    struct mech_split *empty = split_new(m, s->sched, s->pc);
    empty->own[0] = s->id;
    order_add(m->order, empty);
}

static struct machine run_twice(void (*set)(struct machine *), uint32_t n, uint32_t threads) {
    struct mech_ops ops = *mech_find("nrec");
    struct machine x = chain(n, add);
    ops.commit = commit_twice;
    x.mech = &ops;
    if (set) set(&x);
    machine_ok(&x, "", "k", 1, threads, NULL);
    assert_int_equal(classes(&x.s), x.s.warp.cycles);
    machine_free(&x);
    return x;
}

static void an_issue_without_threads_goes_through_the_pipeline(void **state) {
    (void)state; /* barrel: each takes the pipeline's eight cycles */
    const uint64_t few = run_twice(NULL, 10, 32).cycles, many = run_twice(NULL, 50, 32).cycles;
    assert_int_equal(many - few, 40 * (8 + 8));
}

static void as_scoreboard(struct machine *x) {
    x->o.sm.issue = SM_SCOREBOARD;
}

static void an_issue_without_threads_waits_for_no_operand(void **state) {
    (void)state; /* its two beats fit into the eight cycles until the sum is there */
    const uint64_t few = run_twice(as_scoreboard, 10, 32).cycles,
                   many = run_twice(as_scoreboard, 50, 32).cycles;
    assert_int_equal(many - few, 40 * 8);
}

static void issues_without_threads_are_counted_apart(void **state) {
    (void)state; /* two warps of 12 instructions, all but the first issued twice */
    const struct sm_stats s = run_twice(NULL, 10, 48).s;
    assert_int_equal(s.sm.issues, 2 * (12 + 11));
    assert_int_equal(s.sm.empty_issues, 2 * 11);
    assert_int_equal(s.warp.empty, 2 * 11 * 2);
    assert_int_equal(s.sm.warp_insts, 2 * 12);
    assert_int_equal(s.sm.thread_insts, 12 * 48);
    assert_int_equal(s.sm.lane_slots, 2 * 12 * 32);
    assert_int_equal(s.lane.empty, 2 * 11 * 32);
    assert_int_equal(s.lane.absent, 12 * 16);
    assert_int_equal(s.lane.active, 12 * 48);
}

static void through_the_cache(struct machine *x) {
    x->m.memory.ideal = x->m.l1i.ideal = x->o.sm.ideal_fetch = false;
}

static void an_issue_without_threads_is_fetched(void **state) {
    (void)state; /* 64 instructions are four lines; each is asked for without threads, the first with */
    const struct machine x = run_twice(through_the_cache, 62, 32);
    assert_int_equal(x.s.sm.fetch_stalls, 4);
    assert_int_equal(x.s.sm.empty_issues, 63);
}

static void two_level(struct machine *x) {
    x->o.sm.order = 3;
    x->o.sm.order_active = 1;
}

static void issues_without_threads_keep_their_turn_in_a_two_level_order(void **state) {
    (void)state;
    assert_int_equal(run_twice(two_level, 10, 96).s.sm.empty_issues, 3 * 11);
}

/* Never lets its threads go: walks on without them. */
static void commit_for_ever(struct mech *m, struct mech_split *s, const struct mech_outcome *o) {
    (void)o;
    if (s->threads) {
        order_remove(m->order, s);
        s = split_new(m, s->sched, s->pc);
    }
    order_add(m->order, s);
}

static void nobody_has_run_in_issues_without_threads(void **state) {
    (void)state;
    struct mech_ops ops = *mech_find("nrec");
    struct machine x = chain(10, add);
    ops.commit = commit_for_ever;
    x.mech = &ops;
    x.most = 1000;
    assert_false(machine_run(&x, "", "k", 1, 32, NULL));
    assert_int_equal(x.ran, 0);
    assert_in_range(x.s.sm.empty_issues, 100, 125);
    machine_free(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_packet_holds_the_port_for_its_beats),
        cmocka_unit_test(a_packet_holds_its_unit_for_its_beats),
        cmocka_unit_test(a_result_is_there_when_the_last_beat_is),
        cmocka_unit_test(lanes_are_counted_by_the_beats_of_a_packet),
        cmocka_unit_test(a_line_that_two_beats_want_is_asked_for_twice),
        cmocka_unit_test(a_beat_has_its_own_conflicts_in_shared_memory),
        cmocka_unit_test(accesses_by_beats_cost_the_same_whether_slept_through_or_not),
        cmocka_unit_test(results_may_be_counted_from_the_last_beat),
        cmocka_unit_test(an_issue_without_threads_goes_through_the_pipeline),
        cmocka_unit_test(an_issue_without_threads_waits_for_no_operand),
        cmocka_unit_test(issues_without_threads_are_counted_apart),
        cmocka_unit_test(an_issue_without_threads_is_fetched),
        cmocka_unit_test(issues_without_threads_keep_their_turn_in_a_two_level_order),
        cmocka_unit_test(nobody_has_run_in_issues_without_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
