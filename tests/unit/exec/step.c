/* The step interface as another scheduler uses it: one instruction, some lanes, and the outcome it leaves. */
#include "rig.h"

#include "exec/warp.h"

struct machine {
    struct rig r;
    struct exec_grid g;
    struct exec_block b;
    uint32_t pc;
};

static void open_machine(struct machine *m, uint32_t threads, const uint64_t *params) {
    m->r.launch = (struct exec_launch){.image = m->r.im,
                                       .func = (uint32_t)ir_find_func(m->r.m, "k"),
                                       .grid = {1, 1, 1},
                                       .block = {threads, 1, 1},
                                       .params = params};
    assert_true(exec_grid_init(&m->g, &m->r.launch, &m->r.err));
    assert_true(exec_block_alloc(&m->b, &m->g, &m->r.err));
    exec_block_start(&m->b, 0);
    m->pc = m->g.func->entry;
}

static void close_machine(struct machine *m) {
    exec_block_free(&m->b);
    exec_grid_free(&m->g);
    rig_free(&m->r);
}

/* Steps sequential instructions of warp w until the next one is op. */
static void step_to(struct machine *m, uint32_t w, uint32_t mask, uint16_t op) {
    for (; m->g.module->code.v[m->pc].op != op; m->pc++) {
        exec_step(&m->b.warps[w], m->pc, mask);
        assert_int_equal(m->g.out.flow, EXEC_NEXT);
    }
}

static void outcomes_tell_where_each_lane_goes(void **state) {
    (void)state;
    static const char text[] =
        HEAD ".visible .entry k(.param .u64 p) {\n.reg .u64 %a<3>; .reg .u32 %t; .reg .pred %p;\n"
             "ld.param.u64 %a0, [p];\nmov.u32 %t, %tid.x;\nmul.wide.u32 %a1, %t, 4;\nadd.u64 %a1, %a1, %a0;\n"
             "st.global.u32 [%a1], %t;\nsetp.lt.u32 %p, %t, 4;\n@%p bra OUT;\nbar.sync 0;\nOUT: "
             "membar.cta;\nret;\n}\n";
    struct machine m = {.r = rig_load(text)};
    uint64_t buf = rig_buf(&m.r, 256, "b");
    open_machine(&m, 40, &buf);
    const struct exec_out *o = &m.g.out;
    assert_int_equal(m.b.nwarps, 2);
    assert_int_equal(m.b.warps[1].live, 0xff);
    step_to(&m, 0, 0xff, IR_ST_U32);
    exec_step(&m.b.warps[0], m.pc, 0xf0);
    assert_int_equal(o->access.mask, 0xf0);
    assert_int_equal(o->access.bytes, 4);
    assert_true(o->access.store);
    for (uint32_t l = 4; l < 8; l++) assert_int_equal(o->access.addr[l], buf + 4 * l);
    assert_int_equal(rig_u32(&m.r, buf)[3], 0);
    assert_int_equal(rig_u32(&m.r, buf)[5], 5);
    m.pc++;
    step_to(&m, 0, 0xff, IR_BRA);
    exec_step(&m.b.warps[0], m.pc, 0xff);
    assert_int_equal(o->flow, EXEC_JUMP);
    assert_int_equal(o->taken, 0x0f);
    assert_int_equal(o->target, m.pc + 2);
    close_machine(&m);
}

/* What the deep recursion of one block took is not kept for those after it; what they all need is. */
static void a_block_that_ends_gives_back_what_its_calls_took(void **state) {
    (void)state;
    static const char text[] =
        HEAD ".func deep(.param .u32 n) {\n.local .b8 room[1000]; .reg .u32 %r; .reg .pred %p;\n"
             "ld.param.u32 %r, [n];\nsetp.eq.u32 %p, %r, 0;\n@%p ret;\nsub.u32 %r, %r, 1;\n"
             ".param .u32 m;\nst.param.u32 [m], %r;\ncall deep, (m);\nret;\n}\n"
             ".visible .entry k() {\n.local .b8 own[100];\n.param .u32 m;\n"
             "st.param.u32 [m], 100;\ncall deep, (m);\nret;\n}\n";
    struct machine m = {.r = rig_load(text)};
    open_machine(&m, 32, NULL);
    struct exec_warp *w = &m.b.warps[0];
    const struct exec_out *o = &m.g.out;
    const uint32_t first = w->local_cap;
    for (uint32_t steps = 0; w->depth[0] < 80 && steps < 2000; steps++) {
        exec_step(w, m.pc, ~0u);
        m.pc = o->flow == EXEC_JUMP && o->taken ? o->target : m.pc + 1;
    }
    assert_int_equal(w->depth[0], 80);
    assert_true(w->local_cap >= 80 * 1000);
    assert_true(w->stack[0].cap >= 80 && w->stack[31].saved_cap);
    exec_block_end(&m.b);
    assert_int_equal(w->local_cap, first);
    assert_int_equal(w->stack[0].cap, 0);
    exec_block_start(&m.b, 0);
    for (uint32_t i = 0; i < first; i++) assert_int_equal(w->local[i], 0);
    close_machine(&m);
}

static void blocked_lanes_are_released_by_the_last_arrival_or_exit(void **state) {
    (void)state;
    static const char text[] = HEAD ".visible .entry k() {\nbar.sync 0;\nret;\n}\n";
    struct machine m = {.r = rig_load(text)};
    open_machine(&m, 64, NULL);
    struct exec_warp *w0 = &m.b.warps[0], *w1 = &m.b.warps[1];
    const struct exec_out *o = &m.g.out;
    exec_step(w0, m.pc, ~0u);
    assert_int_equal(o->flow, EXEC_JUMP);
    assert_int_equal(o->waiting, ~0u);
    assert_int_equal(w0->blocked, ~0u);
    exec_step(w1, m.pc, 0xffff);
    assert_int_equal(o->waiting, 0xffff);
    assert_int_equal(m.b.blocked, 48);
    assert_false(o->woke);
    exec_step(w1, m.pc + 1, 0xff0000); /* these leave instead of arriving */
    assert_int_equal(o->exited, 0xff0000);
    assert_false(o->woke);
    exec_step(w1, m.pc, 0xff000000);
    assert_int_equal(o->waiting, 0);
    assert_true(o->woke);
    assert_int_equal(w0->released, ~0u);
    assert_int_equal(w1->released, 0xffff);
    assert_int_equal(w0->blocked | w1->blocked, 0);
    assert_int_equal(m.b.blocked, 0);
    assert_int_equal(w0->wait_pc[5], m.pc);
    close_machine(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outcomes_tell_where_each_lane_goes),
        cmocka_unit_test(a_block_that_ends_gives_back_what_its_calls_took),
        cmocka_unit_test(blocked_lanes_are_released_by_the_last_arrival_or_exit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
