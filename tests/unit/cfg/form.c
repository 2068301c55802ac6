/* Forms of a program: which marks, where, and that the rest is the program. */
#include "cfg/form.h"
#include "front/ptx/ptx.h"
#include "unit/mech/fake_sm.h"

static struct rewrite *make(const struct ir_module *m, const struct cfg *c, enum cfg_form form) {
    struct err e = {0};
    struct rewrite *r = cfg_make_form(m, c, form, &e);
    if (!r) fail_msg("%s", err_text(&e));
    return r;
}

static struct rewrite *joins(const struct ir_module *m, const struct cfg *c) {
    return make(m, c, CFG_FORM_JOINS);
}

/* The instruction is a SYNC that no thread can come past. */
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

/* The entry is a way into a loop that begins there, and threads come behind the loop in different rounds; straight code has
 * no join. */
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
    assert_int_equal(r->m->code.n, 5 + 2);
    expect_sync(r, 0);
    expect_sync(r, 2);
    assert_int_equal(r->m->funcs.v[0].entry, 0);
    assert_int_equal(r->m->funcs.v[1].entry, 5);
    cfg_rewrite_free(r);
    cfg_free(c);
    ir_module_free(m);
}

/* 0, 2, 4 and 7 have two ways in. 6 has one, and its turn comes before the end of a round. 9, which `continue` skips, and 11,
 * behind the loop, have one too, but threads stand there when others come a round later. */
static void only_blocks_that_a_round_passes_before_their_turn_have_a_mark(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("rounds.ptx");
    fake_op(m);                 /* 0 outer loop */
    fake_bra(m, FAKE_MAYBE, 4); /* 1 if */
    fake_op(m);                 /* 2 then: an inner loop */
    fake_bra(m, FAKE_MAYBE, 2); /* 3 */
    fake_op(m);                 /* 4 endif */
    fake_bra(m, FAKE_MAYBE, 7); /* 5 if */
    fake_op(m);                 /* 6 then */
    fake_op(m);                 /* 7 endif */
    fake_bra(m, FAKE_MAYBE, 0); /* 8 continue */
    fake_op(m);                 /* 9 the rest */
    fake_bra(m, FAKE_MAYBE, 0); /* 10 */
    fake_end(m, IR_EXIT, 0);    /* 11 */
    fake_func(m, "rounds");
    struct cfg *c = fake_finish(m);
    struct rewrite *r = joins(m, c);
    for (uint32_t pc = 0; pc < 12; pc++) {
        const bool marked = pc == 0 || pc == 2 || pc == 4 || pc == 7 || pc == 9 || pc == 11;
        if (marked)
            expect_sync(r, pc);
        else
            assert_int_equal(r->landing[pc], r->new_pc[pc]);
    }
    assert_int_equal(r->m->code.n, 12 + 6);
    cfg_rewrite_free(r);
    cfg_free(c);
    ir_module_free(m);
}

/* ---- regions ---- */

#define KERNEL(body)                                                                                    \
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg .pred %p<4>;\n"        \
    ".reg .b32 %r<4>;\nmov.u32 %r1, %tid.x;\nsetp.gt.u32 %p1, %r1, 1;\nsetp.gt.u32 %p2, %r1, 2;\n" body \
    "exit;\n}\n"

/* The marks of the text's form, each {PC of the point, PC where its region begins} of the original. */
static void expect_regions(const char *text, uint32_t n, const uint32_t (*want)[2]) {
    struct err e = {0};
    struct ir_module *m = ptx_load("t.ptx", text, strlen(text), &e);
    struct cfg *c = m ? cfg_analyse(m, CFG_EXITS_MAIN, &e) : NULL;
    if (!c) fail_msg("%s", err_text(&e));
    struct rewrite *r = make(m, c, CFG_FORM_REGIONS);
    assert_int_equal(r->m->code.n, m->code.n + n);
    for (uint32_t k = 0; k < n; k++) {
        const struct ir_insn *sync = &r->m->code.v[r->landing[want[k][0]]];
        assert_int_equal(sync->op, IR_MARK);
        assert_int_equal(sync->sub, IR_MK_SYNC);
        assert_int_equal(sync->target, r->landing[want[k][1]]);
    }
    cfg_rewrite_free(r);
    cfg_free(c);
    ir_module_free(m);
}

static void regions_have_a_mark_at_their_end_that_names_their_branch(void **state) {
    (void)state;
    /* 3 @p1 bra C; 4 B; 5 bra D; 6 C; 7 D */
    expect_regions(KERNEL("@%p1 bra C;\nmov.u32 %r2, 1;\nbra D;\nC: mov.u32 %r2, 2;\nD: mov.u32 %r3, 3;\n"),
                   1, (const uint32_t[][2]){{7, 3}});
    /* 3 @p1 bra G; 4 @p2 bra D; 5 C; 6 bra E; 7 D; 8 E; 9 G: one region in another */
    expect_regions(KERNEL("@%p1 bra G;\n@%p2 bra D;\nmov.u32 %r2, 1;\nbra E;\nD: mov.u32 %r2, 2;\n"
                          "E: mov.u32 %r3, 3;\nG: mov.u32 %r3, 4;\n"),
                   2, (const uint32_t[][2]){{8, 4}, {9, 3}});
}

static void a_loop_is_a_region_that_begins_before_it(void **state) {
    (void)state;
    /* 2 falls into the loop 3, 4 @p1 bra 3; 5 */
    expect_regions(KERNEL("L: mov.u32 %r2, 1;\n@%p1 bra L;\nmov.u32 %r3, 3;\n"), 1,
                   (const uint32_t[][2]){{5, 2}});
}

static void uniform_branches_and_joins_before_their_branch_have_no_mark(void **state) {
    (void)state;
    expect_regions(KERNEL("mov.u32 %r2, %ntid.x;\nsetp.gt.u32 %p3, %r2, 5;\n"
                          "@%p3 bra C;\nmov.u32 %r2, 1;\nC: mov.u32 %r2, 2;\n"),
                   0, NULL);
    /* .uni speaks of 32 threads; a mechanism's warp may have more */
    expect_regions(KERNEL("@%p1 bra.uni C;\nmov.u32 %r2, 1;\nC: mov.u32 %r2, 2;\n"), 1,
                   (const uint32_t[][2]){{5, 3}});
    /* 3 bra B; 4 J; 5 exit; 6 B: @p1 bra J; 7; 8 bra J: threads meet at 4, which is before 6 */
    expect_regions(KERNEL("bra B;\nJ: mov.u32 %r3, 1;\nexit;\nB: @%p1 bra J;\nmov.u32 %r2, 2;\nbra J;\n"), 0,
                   NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_of_unstructured_code_join_at_three_blocks),
        cmocka_unit_test(a_loop_at_the_entry_has_a_join_and_straight_code_none),
        cmocka_unit_test(only_blocks_that_a_round_passes_before_their_turn_have_a_mark),
        cmocka_unit_test(regions_have_a_mark_at_their_end_that_names_their_branch),
        cmocka_unit_test(a_loop_is_a_region_that_begins_before_it),
        cmocka_unit_test(uniform_branches_and_joins_before_their_branch_have_no_mark),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
