/* Forms of a program: which marks, where, and that the rest is the program. */
#include "cfg/form.h"
#include "unit/mech/fake_sm.h"

static struct rewrite *joins(const struct ir_module *m, const struct cfg *c) {
    struct err e = {0};
    struct rewrite *r = cfg_make_form(m, c, CFG_FORM_JOINS, &e);
    if (!r) fail_msg("%s", err_text(&e));
    return r;
}

/* The instruction is a SYNC that nobody can come past. */
static void expect_sync(const struct rewrite *r, uint32_t old) {
    const uint32_t pc = r->landing[old];
    assert_int_equal(pc + 1, r->new_pc[old]);
    assert_int_equal(r->m->code.v[pc].op, IR_MARK);
    assert_int_equal(r->m->code.v[pc].sub, IR_MK_SYNC);
    assert_true(r->m->code.v[pc].flags & IR_F_ADDED && r->m->code.v[pc].flags & IR_F_LEADER);
    assert_int_equal(r->m->code.v[pc].line, old + 1);
    assert_int_equal(r->old_pc[pc], old);
}

/* The shape of Figure 1 of Diamos et al. (thread frontiers): BB3, BB5 and the exit are where paths meet. */
static void paths_of_unstructured_code_join_at_three_blocks(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("p4.ptx");
    fake_bra(m, FAKE_MAYBE, 2); /* 0 BB1 */
    fake_bra(m, FAKE_MAYBE, 5); /* 1 BB2 */
    fake_bra(m, FAKE_MAYBE, 4); /* 2 BB3 */
    fake_bra(m, FAKE_MAYBE, 5); /* 3 BB4 */
    fake_op(m);                 /* 4 BB5 */
    fake_end(m, IR_EXIT, 0);    /* 5 */
    fake_func(m, "kernel");
    struct cfg *c = fake_finish(m);
    struct rewrite *r = joins(m, c);
    assert_int_equal(r->m->code.n, 6 + 3);
    assert_int_equal(r->cfg->nblocks, c->nblocks);
    expect_sync(r, 2);
    expect_sync(r, 4);
    expect_sync(r, 5);
    for (uint32_t old = 0; old < 6; old++) {
        const struct ir_insn *a = &m->code.v[old], *b = &r->m->code.v[r->new_pc[old]];
        assert_int_equal(a->op, b->op);
        assert_int_equal(b->flags & IR_F_ADDED, 0);
        if (a->op == IR_BRA) assert_int_equal(b->target, r->landing[a->target]);
        if (old == 0 || old == 1 || old == 3) assert_int_equal(r->landing[old], r->new_pc[old]);
    }
    cfg_rewrite_free(r);
    cfg_free(c);
    ir_module_free(m);
}

/* The entry is a way into a loop that begins there; straight code has no join. */
static void a_loop_at_the_entry_has_a_join_and_straight_code_none(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("p5.ptx");
    fake_op(m);
    fake_bra(m, FAKE_MAYBE, 0);
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "loop");
    fake_op(m);
    fake_end(m, IR_RET, 0);
    fake_func(m, "straight");
    struct cfg *c = fake_finish(m);
    struct rewrite *r = joins(m, c);
    assert_int_equal(r->m->code.n, 5 + 1);
    expect_sync(r, 0);
    assert_int_equal(r->m->funcs.v[0].entry, 0);
    assert_int_equal(r->m->funcs.v[1].entry, 4);
    cfg_rewrite_free(r);
    cfg_free(c);
    ir_module_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_of_unstructured_code_join_at_three_blocks),
        cmocka_unit_test(a_loop_at_the_entry_has_a_join_and_straight_code_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
