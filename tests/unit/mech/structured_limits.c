/* What walkers of structured code refuse, SL's Table 1 among it, and what it takes to store who is active: masks grow with
 * the depth of nesting, counters with its logarithm, PCs not at all (SL 2.1, 2.3). */
#include "unit/mech/structured_rig.h"

/* ---- what is refused ---- */

/* SL Table 1: recursion No or Sync, indirect No. */
static void calls_recursion_and_indirect_branches_are_those_of_table_1(void **state) {
    (void)state;
    for (int k = 0; k < SCHEMES; k++) {
        const bool calls = k == AMD || k == POMP;
        struct ir_module *m = recursion();
        struct cfg *c = fake_finish(m);
        struct err e = {0};
        assert_int_equal(mech_can_run(scheme(k), m, c, 0, &e), calls);
        if (!calls) assert_non_null(strstr(err_text(&e), "a call of a function"));
        err_free(&e);
        cfg_free(c);
        ir_module_free(m);
        m = ir_module_new("table");
        fake_brx(m, 2, (const uint32_t[]){1, 2});
        fake_op(m);
        fake_end(m, IR_EXIT, 0);
        fake_func(m, "kernel");
        c = fake_finish(m);
        e = (struct err){0};
        assert_false(mech_can_run(scheme(k), m, c, 0, &e));
        assert_non_null(strstr(err_text(&e), "an indirect branch"));
        err_free(&e);
        cfg_free(c);
        ir_module_free(m);
    }
}

static void expect_refusal(struct ir_module *m, int64_t depth, const char *why) {
    struct cfg *c = fake_finish(m);
    for (int k = 0; k < SCHEMES; k++) {
        struct err e = {0};
        struct arena mem = {0};
        const void *tables;
        const int64_t param[32] = {[DEPTH] = k == SANDYBRIDGE ? 0 : depth};
        const struct mech_program p = {.module = m, .cfg = c, .warp_size = 32, .simd_width = 32};
        const bool fine = mech_prepare(scheme(k), param, p, &mem, &tables, &e);
        if (k == SANDYBRIDGE && depth < 64) {
            assert_true(fine);
        } else {
            assert_false(fine);
            assert_int_equal(e.code, ERR_INPUT);
            if (!strstr(err_text(&e), why) || !strstr(err_text(&e), structured_names[k]))
                fail_msg("%s does not say %s", err_text(&e), why);
        }
        err_free(&e);
        arena_free(&mem);
    }
    cfg_free(c);
    ir_module_free(m);
}

/* One instruction of figure_1 or breaks replaced. */
static void refuse_with(struct ir_module *m, uint32_t pc, struct ir_insn i, const char *why) {
    i.line = m->code.v[pc].line;
    m->code.v[pc] = i;
    expect_refusal(m, 64, why);
}

#define MARKED(mark, ...) ((struct ir_insn){.op = IR_BRA, .sub = IR_MK_##mark, __VA_ARGS__})
#define PLAIN(mark)       ((struct ir_insn){.op = IR_MARK, .sub = IR_MK_##mark, .target = IR_NOPC})
#define NOP               ((struct ir_insn){.op = IR_NOP})

static void code_that_is_not_as_its_marks_say_is_refused(void **state) {
    (void)state;
    refuse_with(figure_1(), 1, (struct ir_insn){.op = IR_BRA, .guard = 1, .target = 4}, "may part threads");
    refuse_with(figure_1(), 1, PLAIN(IF), "an if is no branch");
    refuse_with(figure_1(), 1, MARKED(IF, .guard = 1, .target = 5), "an else is not what its if leads to");
    refuse_with(figure_1(), 1, NOP, "an else has no if");
    refuse_with(figure_1(), 3, NOP, "an endif is not what its if or else leads to");
    refuse_with(figure_1(), 3, MARKED(ELSE, .guard = 1, .target = 5), "an else is not what its if leads to");
    refuse_with(figure_1(), 5, NOP, "an if or loop does not end");
    refuse_with(figure_1(), 6, PLAIN(ENDIF), "an endif has no if");
    refuse_with(figure_1(), 2, (struct ir_insn){.op = IR_BRA, .target = 6}, "leads out of its part");
    refuse_with(figure_1(), 6, (struct ir_insn){.op = IR_BRA, .target = 0}, "leads back");
    refuse_with(figure_1(), 2, MARKED(BRK, .target = 6), "a brk or cont is in no loop");
    refuse_with(breaks(), 3, MARKED(BRK, .target = 9), "a brk or cont leads elsewhere");
    refuse_with(breaks(), 3, MARKED(CONT, .target = 6), "a brk or cont leads elsewhere");
    refuse_with(breaks(), 7, MARKED(ENDLOOP, .target = 2), "an endloop does not lead back to its loop");
    refuse_with(breaks(), 0, MARKED(LOOP, .target = 7), "a loop begins with a branch");
    refuse_with(breaks(), 0, NOP, "in no loop");
}

static void what_nests_deeper_than_there_are_levels_is_refused(void **state) {
    (void)state;
    expect_refusal(breaks(), 2, "breaks: it nests 3 levels deep (an if or a call is one, a loop two)");
    expect_refusal(breaks(), 1, ".depth = 1");
}

/* ---- storage ---- */

/* An if in an if in an if ... */
static struct ir_module *ifs(uint32_t deep) {
    struct ir_module *m = ir_module_new("ifs");
    for (uint32_t k = 0; k < deep; k++) put_branch(m, IR_MK_IF, FAKE_MAYBE, 2 * deep - k);
    fake_op(m);
    for (uint32_t k = 0; k < deep; k++) put_mark(m, IR_MK_ENDIF, IR_NOPC);
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "ifs");
    return m;
}

/* SL 2.1: O(log n) against O(n); 2.3: constant space. */
static void storage_grows_with_depth_by_masks_with_its_logarithm_by_counters(void **state) {
    (void)state;
    static const struct {
        uint32_t deep, masks, counters;
    } row[] = {{1, 2, 1}, {3, 4, 2}, {4, 5, 3}, {7, 8, 3}, {15, 16, 4}, {31, 32, 5}, {63, 64, 6}};
    for (size_t n = 0; n < sizeof row / sizeof *row; n++)
        for (int k = 0; k < SCHEMES; k++) {
            const uint32_t bits[] = {row[n].masks, row[n].counters, 32};
            struct rig r = {0};
            rig_load(&r, ifs(row[n].deep), 32, 64, nobody);
            rig_start(&r, k, true);
            assert_true(fake_run(r.f));
            assert_int_equal(rig_counter(&r, "depth_max"), row[n].deep);
            assert_int_equal(rig_counter(&r, "kernel_depth"), row[n].deep);
            assert_int_equal(rig_counter(&r, "warp_bits"), 32 * bits[way_of(k)]);
            rig_down(&r);
        }
}

static void storage_without_a_program_is_for_the_levels_of_the_machine(void **state) {
    (void)state;
    static const char *const want[] = {"masks 4160\nwarp_pc 64\n", "counters 448\nwarp_pc 64\n",
                                       "thread_pc 2048\nwarp_pc 64\n"};
    for (int k = 0; k < SCHEMES; k++) {
        struct rig r = {0};
        struct sb out = {0};
        rig_load(&r, figure_1(), 32, 64, nobody);
        rig_start(&r, k, true);
        storage_text(r.f->mech, &out);
        assert_string_equal(out.text, want[way_of(k)]);
        sb_free(&out);
        rig_down(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_recursion_and_indirect_branches_are_those_of_table_1),
        cmocka_unit_test(code_that_is_not_as_its_marks_say_is_refused),
        cmocka_unit_test(what_nests_deeper_than_there_are_levels_is_refused),
        cmocka_unit_test(storage_grows_with_depth_by_masks_with_its_logarithm_by_counters),
        cmocka_unit_test(storage_without_a_program_is_for_the_levels_of_the_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
