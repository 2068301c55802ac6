/* Marks, the instructions that a form of a program adds: they take time like any instruction, change nothing, and are
 * counted apart, so that IPC compares equal work. */
#include "mech/lib/set.h"
#include "unit/sm/rig.h"

#define KERNEL                                                                       \
    HEAD ".visible .entry k(.param .u64 out) {\n"                                    \
         ".reg .u32 %t, %v; .reg .u64 %o, %a; .reg .pred %p;\n"                      \
         "ld.param.u64 %o, [out];\nmov.u32 %t, %tid.x;\nmul.wide.u32 %a, %t, 4;\n"   \
         "add.u64 %o, %o, %a;\nsetp.lt.u32 %p, %t, 5;\nmov.u32 %v, 7;\n@%p bra L;\n" \
         "add.u32 %v, %v, %t;\nL:\nadd.u32 %v, %v, 1;\nst.global.u32 [%o], %v;\nexit;\n}\n"
enum { STORE = 9, MARKS = 10, THREADS = 48 };

/* The kernel with ten marks of that kind before its store, for those threads only for which the guard of its branch holds
 * if `guarded`. */
static struct rewrite *marked(struct machine *x, enum ir_mark kind, bool guarded) {
    struct rewrite_insert in[MARKS];
    const uint16_t guard = x->r.m->code.v[6].guard;
    assert_int_equal(x->r.m->code.v[6].op, IR_BRA);
    assert_int_equal(x->r.m->code.v[STORE].op, IR_ST_U32);
    for (uint32_t k = 0; k < MARKS; k++)
        in[k] = (struct rewrite_insert){
            .pc = STORE,
            .insn = {.op = IR_MARK, .sub = (uint8_t)kind, .target = IR_NOPC, .guard = guarded ? guard : 0}};
    struct rewrite *form = cfg_rewrite(x->r.m, x->r.cfg, in, MARKS, &x->r.err);
    assert_non_null(form);
    return form;
}

struct result {
    struct sm_stats s;
    uint64_t cycles;
    struct sm_branch at[32];
};

static struct result run(struct machine *x, const struct rewrite *form) {
    struct result r = {0};
    uint64_t out = rig_buf(&x->r, THREADS * 4, "out");
    x->form = form;
    x->audit = true;
    machine_ok(x, "pdom", "k", 1, THREADS, &out);
    for (uint32_t t = 0; t < THREADS; t++) assert_int_equal(rig_u32(&x->r, out)[t], t < 5 ? 8 : 8 + t);
    memcpy(r.at, x->branch, (form ? form->m : x->r.m)->code.n * sizeof *r.at);
    r.s = x->s;
    r.cycles = x->cycles;
    return r;
}

static struct result plain(int issue) {
    struct machine x = machine_load(KERNEL);
    x.o.sm.issue = issue;
    const struct result r = run(&x, NULL);
    machine_free(&x);
    return r;
}

static struct result with_marks(int issue, enum ir_mark kind, bool guarded) {
    struct machine x = machine_load(KERNEL);
    x.o.sm.issue = issue;
    struct rewrite *form = marked(&x, kind, guarded);
    const struct result r = run(&x, form);
    cfg_rewrite_free(form);
    machine_free(&x);
    return r;
}

static void marks_are_counted_apart(void **state) {
    (void)state; /* two warps, 32 and 16 threads */
    const struct result a = plain(SM_BARREL), b = with_marks(SM_BARREL, IR_MK_SYNC, false);
    assert_int_equal(b.s.sm.thread_insts, a.s.sm.thread_insts);
    assert_int_equal(b.s.sm.warp_insts, a.s.sm.warp_insts);
    assert_int_equal(b.s.sm.lane_slots, a.s.sm.lane_slots);
    assert_int_equal(a.s.sm.overhead_insts + a.s.sm.overhead_lanes + a.s.sm.overhead_slots, 0);
    assert_int_equal(b.s.sm.overhead_insts, MARKS * 2);
    assert_int_equal(b.s.sm.overhead_lanes, MARKS * THREADS);
    assert_int_equal(b.s.sm.overhead_slots, MARKS * 2 * 32);
    assert_int_equal(b.s.sm.issues, a.s.sm.issues + MARKS * 2);
    assert_int_equal(b.at[STORE].executions, 2);
    assert_int_equal(b.at[STORE].lanes, THREADS);
}

static void a_mark_takes_the_pipeline_like_any_instruction(void **state) {
    (void)state;
    assert_int_equal(with_marks(SM_BARREL, IR_MK_SYNC, false).cycles, plain(SM_BARREL).cycles + MARKS * 8);
}

static void only_marks_that_decide_who_runs_are_waited_for(void **state) {
    (void)state; /* under a scoreboard: the others cost their beats */
    const uint64_t was = plain(SM_SCOREBOARD).cycles,
                   flow = with_marks(SM_SCOREBOARD, IR_MK_SYNC, false).cycles,
                   only = with_marks(SM_SCOREBOARD, IR_MK_SSY, false).cycles;
    assert_in_range(flow, was + (MARKS - 2) * 8, was + MARKS * 8);
    assert_in_range(only, was + 1, was + MARKS * 4);
}

static void a_guarded_mark_counts_for_those_it_is_for(void **state) {
    (void)state;
    const struct result b = with_marks(SM_BARREL, IR_MK_BREAK, true);
    assert_int_equal(b.s.sm.overhead_insts, MARKS * 2);
    assert_int_equal(b.s.sm.overhead_lanes, MARKS * 5);
}

/* ---- what the mechanism is told ---- */

static uint32_t marked_threads, marks_seen;

static void see_commit(struct mech *m, struct mech_split *s, const struct mech_outcome *o) {
    if (o->insn->op == IR_MARK) {
        marks_seen++;
        marked_threads += set_count(&o->marked);
        assert_int_equal(o->nsides, 1);
        assert_int_equal(o->side[0].pc, o->pc + 1);
        assert_true(set_equal(&o->side[0].set, &s->set));
        assert_true(set_subset(&o->marked, &s->set));
        assert_int_equal(o->insn->sub, IR_MK_YIELD);
    } else {
        assert_int_equal(o->marked.n, 0);
    }
    mech_find("pdom")->commit(m, s, o);
}

static void a_mechanism_learns_whom_a_mark_is_for(void **state) {
    (void)state;
    for (int guarded = 0; guarded < 2; guarded++)
        for (int issue = SM_BARREL; issue <= SM_SCOREBOARD; issue++) {
            struct machine x = machine_load(KERNEL);
            struct mech_ops ops = *mech_find("pdom");
            ops.commit = see_commit;
            x.mech = &ops;
            x.o.sm.issue = issue;
            struct rewrite *form = marked(&x, IR_MK_YIELD, guarded);
            marks_seen = marked_threads = 0;
            run(&x, form);
            assert_int_equal(marks_seen, MARKS * 2);
            assert_int_equal(marked_threads, MARKS * (guarded ? 5 : THREADS));
            cfg_rewrite_free(form);
            machine_free(&x);
        }
}

static void the_functional_engine_passes_over_marks(void **state) {
    (void)state;
    struct machine x = machine_load(KERNEL);
    struct rewrite *form = marked(&x, IR_MK_JOIN, true);
    uint64_t out = rig_buf(&x.r, THREADS * 4, "out");
    rig_ok(&x.r, "k", 1, THREADS, &out);
    const uint64_t insts = x.r.stats.thread_insts, warps = x.r.stats.warp_insts;
    memset(rig_u32(&x.r, out), 0, THREADS * 4);
    x.r.launch.form = form->m;
    x.r.launch.max_insts = insts; /* marks do not count against the limit either */
    rig_ok(&x.r, "k", 1, THREADS, &out);
    for (uint32_t t = 0; t < THREADS; t++) assert_int_equal(rig_u32(&x.r, out)[t], t < 5 ? 8 : 8 + t);
    assert_int_equal(x.r.stats.thread_insts, insts);
    assert_int_equal(x.r.stats.warp_insts, warps);
    assert_int_equal(x.r.stats.class_insts[IR_C_MARK], MARKS * 5);
    cfg_rewrite_free(form);
    machine_free(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marks_are_counted_apart),
        cmocka_unit_test(a_mark_takes_the_pipeline_like_any_instruction),
        cmocka_unit_test(only_marks_that_decide_who_runs_are_waited_for),
        cmocka_unit_test(a_guarded_mark_counts_for_those_it_is_for),
        cmocka_unit_test(a_mechanism_learns_whom_a_mark_is_for),
        cmocka_unit_test(the_functional_engine_passes_over_marks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
