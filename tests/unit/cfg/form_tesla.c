/* Tesla's form of a program: what stands where, for the shapes of the papers; and on random programs that tokens are balanced
 * on every path, and that every thread executes what it executes in the original. */
#include <inttypes.h>

#include "cfg/form.h"
#include "front/ptx/ptx.h"
#include "unit/cfg/same_paths.h"
#include "unit/mech/programs.h"
#include "unit/mech/random_program.h"

/* ---- what stands where ---- */

static void list_insn(const struct ir_insn *i, struct sb *out) {
    if (i->guard) sb_add(out, "@%sp ", i->guard & IR_GUARD_NEG ? "!" : "");
    sb_add(out, "%s", ir_insn_name(i));
    if ((i->op == IR_BRA || i->op == IR_MARK) && i->target != IR_NOPC) sb_add(out, " %" PRIu32, i->target);
    sb_add(out, "%s\n", i->flags & IR_F_SYNC ? " .s" : "");
}

static struct rewrite *make(const struct ir_module *m, const struct cfg *c, enum cfg_form form) {
    struct err e = {0};
    struct rewrite *r = cfg_make_form(m, c, form, &e);
    if (!r) fail_msg("%s", err_text(&e));
    return r;
}

/* m, which ends here, in the form: a line for each instruction. */
static void expect_form(struct ir_module *m, enum cfg_form form, const char *want) {
    struct cfg *c = fake_finish(m);
    struct rewrite *r = make(m, c, form);
    struct sb out = {0};
    for (size_t pc = 0; pc < r->m->code.n; pc++) list_insn(&r->m->code.v[pc], &out);
    assert_string_equal(out.text, want);
    sb_free(&out);
    cfg_rewrite_free(r);
    cfg_free(c);
    ir_module_free(m);
}

static void a_branch_has_ssy_before_it_and_its_join_the_flag(void **state) {
    (void)state;
    expect_form(program_diamond(), CFG_FORM_TESLA,
                "add\nssy 6\n@p bra 5\nadd\nbra 6\nadd\n"
                "add .s\nexit\n");
}

/* DWF Figure 3.1's shape: one in another. */
static void what_cannot_carry_the_flag_has_a_join_before_it(void **state) {
    (void)state;
    struct ir_module *m = program_nested();
    expect_form(m, CFG_FORM_TESLA,
                "ssy 10\n@p bra 9\nssy 7\n@p bra 6\nadd\nbra 7\nadd\n"
                "join .s\nbra 10\nadd\n"
                "join .s\nexit\n");
}

static void a_barrier_has_a_join_before_it(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("barrier");
    fake_bra(m, FAKE_MAYBE, 2);
    fake_op(m);
    fake_bar(m, 0);
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "barrier");
    expect_form(m, CFG_FORM_TESLA, "ssy 3\n@p bra 3\nadd\njoin .s\nbar.sync\nexit\n");
}

static uint32_t count_ssy(const char *text, bool wide) {
    struct err e = {0};
    struct ir_module *m = ptx_load("t.ptx", text, strlen(text), &e);
    if (!m) fail_msg("%s", err_text(&e));
    struct cfg *c = fake_finish(m);
    c->wide_warps = wide;
    struct rewrite *r = make(m, c, CFG_FORM_TESLA_SSY);
    uint32_t n = 0;
    for (size_t pc = 0; pc < r->m->code.n; pc++) n += ir_is_mark(&r->m->code.v[pc], IR_MK_SSY);
    cfg_rewrite_free(r);
    cfg_free(c);
    ir_module_free(m);
    return n;
}

/* What a vote says is the same in a warp of 32, but not in the two halves of one of 64. */
static void warps_of_more_than_32_threads_diverge_by_votes(void **state) {
    (void)state;
    static const char text[] =
        ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() {\n.reg .pred %p<3>;\n.reg .b32 "
        "%r<3>;\nmov.u32 %r1, %tid.x;\nsetp.gt.u32 %p1, %r1, 40;\nvote.sync.any.pred %p2, %p1, -1;\n"
        "@%p2 bra L;\nmov.u32 %r2, 1;\nL: bar.sync 0;\nret;\n}\n";
    assert_int_equal(count_ssy(text, false), 0);
    assert_int_equal(count_ssy(text, true), 1);
}

/* Where a region ends and another begins with one branch, the former ends first. */
static void a_branch_may_end_a_region_and_begin_another(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("two");
    fake_bra(m, FAKE_MAYBE, 2); /* 0 */
    fake_op(m);
    fake_bra(m, FAKE_MAYBE, 4); /* 2 */
    fake_op(m);
    fake_op(m); /* 4 */
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "two");
    expect_form(m, CFG_FORM_TESLA, "ssy 3\n@p bra 3\nadd\njoin .s\nssy 7\n@p bra 7\nadd\nadd .s\nexit\n");
}

/* ---- loops ---- */

static struct ir_module *do_while(void) {
    struct ir_module *m = ir_module_new("do");
    fake_op(m);                 /* 0 L */
    fake_bra(m, FAKE_MAYBE, 0); /* 1 */
    fake_op(m);                 /* 2 */
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "do");
    return m;
}

/* There is no exit that leaves where it does not jump: the branch is turned, and a jump goes back. */
static void a_loop_has_pbk_before_it_and_is_left_by_brk(void **state) {
    (void)state;
    expect_form(do_while(), CFG_FORM_TESLA, "pbk 4\nadd\n@!p brk 4\nbra 1\nadd\nexit\n");
}

static void without_breaks_a_loop_is_a_region_like_others(void **state) {
    (void)state;
    expect_form(do_while(), CFG_FORM_TESLA_SSY, "ssy 3\nadd\n@p bra 1\nadd .s\nexit\n");
}

/* `while` with a `break` in it: both jump out, to what follows. */
static void exits_that_jump_out_become_brk_as_they_are(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("while");
    fake_op(m);                 /* 0 */
    fake_bra(m, FAKE_MAYBE, 6); /* 1 header */
    fake_op(m);                 /* 2 */
    fake_bra(m, FAKE_MAYBE, 6); /* 3 break */
    fake_op(m);                 /* 4 */
    fake_bra(m, 0, 1);          /* 5 */
    fake_op(m);                 /* 6 */
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "while");
    expect_form(m, CFG_FORM_TESLA, "add\npbk 7\n@p brk 7\nadd\n@p brk 7\nadd\nbra 2\nadd\nexit\n");
}

/* `if (c) do ... while (d);`, as compilers turn `while`: the loop's token lies above the branch's. */
static void a_loop_behind_a_branch_has_both_tokens(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("rotated");
    fake_bra(m, FAKE_MAYBE, 3); /* 0 */
    fake_op(m);                 /* 1 L */
    fake_bra(m, FAKE_MAYBE, 1); /* 2 */
    fake_op(m);                 /* 3 */
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "rotated");
    expect_form(m, CFG_FORM_TESLA, "ssy 6\n@p bra 6\npbk 6\nadd\n@!p brk 6\nbra 3\nadd .s\nexit\n");
}

/* A token that is pushed on the way to the join would be lost there, one behind it pushed in every round. */
static void a_loop_at_whose_header_others_meet_has_ssy(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("header");
    fake_bra(m, FAKE_MAYBE, 2); /* 0 */
    fake_op(m);                 /* 1 */
    fake_op(m);                 /* 2 L */
    fake_bra(m, FAKE_MAYBE, 2); /* 3 */
    fake_op(m);                 /* 4 */
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "header");
    expect_form(m, CFG_FORM_TESLA,
                "ssy 6\nssy 4\n@p bra 4\nadd\nadd .s\n@p bra 8\nadd .s\nexit\nssy 4\nbra 4\n");
}

/* A loop with another way to what follows it, past the loop: SSY there, too, for the join pops in any case; PBK needs none. */
static struct ir_module *loop_with_detour(void) {
    struct ir_module *m = ir_module_new("detour");
    fake_put(m, (struct ir_insn){
                    .op = IR_SETP_S32, /* 0: uniform */
                    .nd = 2,
                    .ns = 2,
                    .o = {ir_reg(IR_FILE_P, 1), IR_NONE, ir_const(IR_FILE_32, 0), ir_const(IR_FILE_32, 0)}});
    VEC_PUSH(&m->k32, 0);
    fake_bra(m, FAKE_MAYBE, 5); /* 1 */
    fake_op(m);                 /* 2 L */
    fake_put(m, (struct ir_insn){
                    .op = IR_SETP_S32, /* 3: varies */
                    .nd = 2,
                    .ns = 2,
                    .o = {ir_reg(IR_FILE_P, 2), IR_NONE, ir_reg(IR_FILE_32, 1), ir_const(IR_FILE_32, 0)}});
    fake_bra(m, 2, 2); /* 4 */
    fake_op(m);        /* 5 */
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "detour");
    return m;
}

static void whoever_comes_to_a_join_from_elsewhere_has_passed_an_ssy(void **state) {
    (void)state;
    expect_form(loop_with_detour(), CFG_FORM_TESLA_SSY,
                "setp\n@p bra 8\nssy 6\nadd\nsetp\n@p bra 3\nadd .s\nexit\nssy 6\nbra 6\n");
    expect_form(loop_with_detour(), CFG_FORM_TESLA,
                "setp\n@p bra 7\npbk 7\nadd\nsetp\n@!p brk 7\nbra 3\nadd\nexit\n");
}

static void a_loop_that_an_indirect_branch_leaves_has_ssy(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("brx");
    fake_op(m);                               /* 0 */
    fake_brx(m, 2, (const uint32_t[]){0, 2}); /* 1 */
    fake_op(m);                               /* 2 */
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "brx");
    expect_form(m, CFG_FORM_TESLA, "ssy 3\nadd\nbrx.idx\nadd .s\nexit\n");
}

/* ---- calls ---- */

static struct ir_module *calls(uint16_t guard) {
    struct ir_module *m = ir_module_new("calls");
    if (guard)
        fake_call(m, guard, 1);
    else
        fake_call_ind(m, 2, (const uint32_t[]){1, 2});
    fake_op(m);
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "kernel");
    fake_op(m);
    fake_end(m, IR_RET, 0);
    fake_func(m, "f");
    fake_op(m);
    fake_end(m, IR_RET, 0);
    fake_func(m, "g");
    return m;
}

static void a_guarded_call_is_a_branch_around_it_and_a_return_a_join(void **state) {
    (void)state;
    expect_form(calls(FAKE_MAYBE), CFG_FORM_TESLA, "ssy 2\n@p call\nadd .s\nexit\nadd\nret\nadd\nret\n");
    expect_form(calls(0), CFG_FORM_TESLA, "call\nadd\nexit\nadd\nret\nadd\nret\n");
}

/* ---- on every path ---- */

enum { DEEP = 48 };
struct open { /* tokens, what they speak of */
    bool known;
    uint32_t n, pc[DEEP];
    bool pbk[DEEP];
};

struct walk {
    const struct ir_module *m; /* the original */
    const struct cfg *c;
    const struct rewrite *r;
    struct open *at;
};

/* The exit by which threads at a new PC are taken to leave (exits.c). */
static uint32_t exit_at(const struct walk *k, uint32_t pc) {
    return k->c->blocks[k->m->code.v[k->r->old_pc[pc]].block].exit;
}

/* The instruction stands on an edge, where threads are in neither block. */
static bool on_edge(const struct walk *k, uint32_t pc) {
    const uint32_t old = k->r->old_pc[pc];
    return pc < k->r->landing[old] || pc > k->r->new_pc[old];
}

/* Threads that have gone to another exit never come to the joins of those who stay: their tokens count no more. */
static void forget_left(const struct walk *k, struct open *s, uint32_t pc) {
    uint32_t n = 0;
    if (on_edge(k, pc)) return;
    for (uint32_t t = 0; t < s->n; t++) {
        if (exit_at(k, s->pc[t]) != exit_at(k, pc)) continue;
        s->pc[n] = s->pc[t];
        s->pbk[n++] = s->pbk[t];
    }
    s->n = n;
}

/* At pc with these tokens: the same on every path. */
static void come(const struct walk *k, struct open s, uint32_t pc) {
    const struct rewrite *r = k->r;
    struct open *at = k->at;
    forget_left(k, &s, pc);
    if (r->m->code.v[pc].flags & IR_F_SYNC) {
        assert_true(s.n && !s.pbk[s.n - 1] && s.pc[s.n - 1] == pc);
        s.n--;
    }
    if (at[pc].known) {
        assert_int_equal(at[pc].n, s.n);
        assert_memory_equal(at[pc].pc, s.pc, s.n * sizeof *s.pc);
        return;
    }
    at[pc] = s;
    at[pc].known = true;
}

/* All threads that come here are to end here: no other thread waits for them. */
static bool ends_all(const struct walk *k, uint32_t pc) {
    const uint16_t op = k->r->m->code.v[pc].op;
    const uint32_t exit = exit_at(k, pc), block = k->m->code.v[k->r->old_pc[pc]].block;
    if (op != IR_RET && op != IR_EXIT) return false;
    return k->c->exits == CFG_EXITS_EDGES || exit == block || (exit == CFG_NONE && op == IR_RET);
}

static void step(const struct walk *k, uint32_t pc) {
    const struct rewrite *r = k->r;
    const struct ir_insn *i = &r->m->code.v[pc];
    struct open s = k->at[pc], left = s;
    if (i->op == IR_MARK && i->sub != IR_MK_JOIN) {
        assert_true(i->sub == IR_MK_SSY || i->sub == IR_MK_PBK);
        assert_true(s.n < DEEP);
        s.pbk[s.n] = i->sub == IR_MK_PBK;
        s.pc[s.n++] = i->target;
    }
    if (ir_is_mark(i, IR_MK_BRK)) {
        assert_true(s.n && s.pbk[s.n - 1] && s.pc[s.n - 1] == i->target);
        left.n--;
    }
    if (ends_all(k, pc)) assert_int_equal(s.n, 0);
    if (i->op == IR_BRA) come(k, left, i->target);
    for (uint32_t w = 0; i->op == IR_BRX && w < r->m->ext.v[i->ext]; w++)
        come(k, s, r->m->ext.v[i->ext + 1 + w]);
    const bool ends = i->op == IR_BRA || i->op == IR_BRX || i->op == IR_RET || i->op == IR_EXIT;
    if (!ends || i->guard) come(k, s, pc + 1);
}

static void check_balance(const struct ir_module *m, const struct cfg *c, const struct rewrite *r) {
    struct open *at = xcalloc(r->m->code.n, sizeof *at);
    bool *done = xcalloc(r->m->code.n, sizeof *done);
    const struct walk k = {m, c, r, at};
    for (size_t f = 0; f < r->m->funcs.n; f++) come(&k, (struct open){0}, r->m->funcs.v[f].entry);
    for (bool more = true; more;) {
        more = false;
        for (uint32_t pc = 0; pc < r->m->code.n; pc++) {
            if (!at[pc].known || done[pc]) continue;
            done[pc] = more = true;
            step(&k, pc);
        }
    }
    free(at);
    free(done);
}

static void random_programs_have_balanced_tokens_and_the_same_paths(void **state) {
    (void)state;
    struct rng r = {31};
    uint64_t marks[IR_NMARKS] = {0}, turned = 0;
    for (int n = 0; n < 3000; n++) {
        const struct random_mix mix = {.calls = n % 3 == 0,
                                       .barriers = n % 4 == 0,
                                       .ends = n % 5 == 0,
                                       .ways = 2 + (uint32_t)rng_below(&r, RANDOM_WAYS - 1)};
        struct ir_module *m = random_program(&r, mix);
        struct cfg *c = fake_finish_with(m, n % 4 < 3 ? CFG_EXITS_MAIN : CFG_EXITS_EDGES);
        struct rewrite *f = make(m, c, n % 2 ? CFG_FORM_TESLA : CFG_FORM_TESLA_SSY);
        check_balance(m, c, f);
        expect_same_paths(m, c, f, rng_next(&r));
        for (size_t pc = 0; pc < f->m->code.n; pc++) {
            const struct ir_insn *i = &f->m->code.v[pc];
            if (i->op == IR_MARK || i->op == IR_BRA) marks[i->sub]++;
            turned += i->guard >> 15;
        }
        cfg_rewrite_free(f);
        cfg_free(c);
        ir_module_free(m);
    }
    assert_true(marks[IR_MK_SSY] > 1000 && marks[IR_MK_JOIN] > 500 && marks[IR_MK_PBK] > 20);
    assert_true(marks[IR_MK_BRK] > 20 && turned > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_branch_has_ssy_before_it_and_its_join_the_flag),
        cmocka_unit_test(what_cannot_carry_the_flag_has_a_join_before_it),
        cmocka_unit_test(a_barrier_has_a_join_before_it),
        cmocka_unit_test(warps_of_more_than_32_threads_diverge_by_votes),
        cmocka_unit_test(a_branch_may_end_a_region_and_begin_another),
        cmocka_unit_test(a_loop_has_pbk_before_it_and_is_left_by_brk),
        cmocka_unit_test(without_breaks_a_loop_is_a_region_like_others),
        cmocka_unit_test(exits_that_jump_out_become_brk_as_they_are),
        cmocka_unit_test(a_loop_behind_a_branch_has_both_tokens),
        cmocka_unit_test(a_loop_at_whose_header_others_meet_has_ssy),
        cmocka_unit_test(whoever_comes_to_a_join_from_elsewhere_has_passed_an_ssy),
        cmocka_unit_test(a_loop_that_an_indirect_branch_leaves_has_ssy),
        cmocka_unit_test(a_guarded_call_is_a_branch_around_it_and_a_return_a_join),
        cmocka_unit_test(random_programs_have_balanced_tokens_and_the_same_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
