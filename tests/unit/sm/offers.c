/* What the SM offers a mechanism beyond `when`: warps of its own width, tables made for the launch, and threads of a load in
 * flight that have their data. The mechanisms here are nrec with a function or two changed. */
#include "mech/lib/order.h"
#include "mech/lib/set.h"
#include "mech/lib/split.h"
#include "unit/sm/rig.h"

/* ---- width ---- */

static uint32_t width_128(const void *params, uint32_t warp_size, uint32_t simd_width) {
    (void)params, (void)warp_size, (void)simd_width;
    return 128;
}

static void a_mechanism_runs_with_warps_of_its_own_width(void **state) {
    (void)state; /* 160 threads on 16 lanes: a warp of 128 in eight beats, and one of 32 in as many */
    struct machine x =
        machine_load(HEAD ".visible .entry k() {\n.reg .u32 %r;\nmov.u32 %r, %laneid;\nexit;\n}\n");
    struct mech_ops ops = *mech_find("nrec");
    ops.width = width_128;
    x.mech = &ops;
    x.audit = true;
    machine_ok(&x, "", "k", 1, 160, NULL);
    assert_int_equal(x.s.sm.warp_insts, 2 * 2);
    assert_int_equal(x.s.sm.thread_insts, 2 * 160);
    assert_int_equal(x.s.sm.lane_slots, 2 * 2 * 128);
    assert_int_equal(x.s.warp.issued[7], 2 * 8);
    assert_int_equal(x.s.warp.issued[1], 2 * 8);
    machine_free(&x);
}

/* ---- tables ---- */

static bool create_from_tables(struct mech *m, struct err *e) {
    (void)e;
    assert_string_equal(m->env.tables, "made once");
    return true;
}

static void tables_of_the_launch_reach_the_mechanism(void **state) {
    (void)state;
    struct machine x = machine_load(HEAD ".visible .entry k() {\nexit;\n}\n");
    struct mech_ops ops = *mech_find("nrec");
    ops.create = create_from_tables;
    x.mech = &ops;
    x.tables = "made once";
    machine_ok(&x, "", "k", 1, 32, NULL);
    machine_free(&x);
}

/* ---- a load in flight ---- */

/* Two loads of a line; then, of a warp, half the threads load that line again and half another. */
#define LOADS                                                                             \
    HEAD ".visible .entry k(.param .u64 in, .param .u64 out) {\n"                         \
         ".reg .u32 %t, %v, %w; .reg .u64 %i, %o, %a, %b; .reg .pred %p;\n"               \
         "ld.param.u64 %i, [in]; ld.param.u64 %o, [out]; mov.u32 %t, %tid.x;\n"           \
         "ld.global.u32 %w, [%i];\n"                                                      \
         "mul.wide.u32 %a, %t, 4; add.u64 %o, %o, %a; setp.lt.u32 %p, %t, 16;\n"          \
         "add.u64 %b, %i, 4096; selp.u64 %b, %i, %b, %p; add.u64 %b, %b, %a;\n"           \
         "ld.global.u32 %v, [%b];\n"                                                      \
         "add.u32 %v, %v, %w; add.u32 %v, %v, 1; add.u32 %v, %v, 1; add.u32 %v, %v, 1;\n" \
         "st.global.u32 [%o], %v;\nexit;\n}\n"

static uint32_t revived, commits_of_the_rest;

/* As DWS's revive: where nothing else can issue, threads of a load that have their data go on without the others. */
static bool select_reviving(struct mech *m, uint32_t sched, struct mech_packet *p) {
    struct mech_split *s = order_pick(m->order, sched, *m->env.now);
    struct mech_set ready;
    FOR_SPLITS(load, m->pool) {
        if (s || !load->in_flight) continue;
        m->env.ready(m->env.sm, load, &ready);
        if (!ready.n) continue;
        assert_true(set_subset(&ready, &load->set) && !set_equal(&ready, &load->set));
        struct mech_split *t = split_divide(m, load, &ready);
        t->pc = load->pc + 1;
        order_add(m->order, t);
        revived += t->threads;
        s = order_pick(m->order, sched, *m->env.now);
    }
    if (!s) return false;
    split_issue(m, p, s);
    return true;
}

static uint64_t every_cycle(const struct mech *m, uint32_t sched) {
    (void)sched;
    return *m->env.now + 1;
}

static void commit_counting(struct mech *m, struct mech_split *s, const struct mech_outcome *o) {
    if (o->insn->op == IR_LD_U32 && o->insn->space == IR_SP_GLOBAL && s->threads == 16) {
        commits_of_the_rest++;
        assert_int_equal(o->nsides, 1);
        assert_int_equal(set_count(&o->side[0].set), 16);
    }
    mech_find("nrec")->commit(m, s, o);
}

static uint64_t run_loads(bool revive, bool tick_all) {
    struct machine x = machine_load(LOADS);
    struct mech_ops ops = *mech_find("nrec");
    uint64_t p[2] = {rig_buf(&x.r, 8192, "in"), rig_buf(&x.r, 128, "out")};
    for (uint32_t k = 0; k < 2048; k++) rig_u32(&x.r, p[0])[k] = k;
    if (revive) {
        ops.select = select_reviving;
        ops.next = every_cycle;
        ops.commit = commit_counting;
    }
    x.mech = &ops;
    x.audit = true;
    x.tick_all = tick_all;
    x.m.memory.ideal = x.m.l1d.ideal = false;
    revived = commits_of_the_rest = 0;
    machine_ok(&x, "", "k", 1, 32, p);
    for (uint32_t t = 0; t < 32; t++) assert_int_equal(rig_u32(&x.r, p[1])[t], (t < 16 ? t : 1024 + t) + 3);
    const uint64_t cycles = x.cycles, insts = x.s.sm.thread_insts;
    machine_free(&x);
    assert_true(insts % 32 == 0);
    return cycles;
}

static void threads_of_a_load_that_have_data_can_be_taken_late(void **state) {
    (void)state;
    const uint64_t together = run_loads(false, false);
    assert_int_equal(revived, 0);
    const uint64_t apart = run_loads(true, false);
    assert_int_equal(revived, 16); /* threads that hit */
    assert_int_equal(commits_of_the_rest, 1);
    assert_true(apart <= together + 16); /* the rest alone is what it waits for */
    assert_int_equal(run_loads(true, true), apart);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mechanism_runs_with_warps_of_its_own_width),
        cmocka_unit_test(tables_of_the_launch_reach_the_mechanism),
        cmocka_unit_test(threads_of_a_load_that_have_data_can_be_taken_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
