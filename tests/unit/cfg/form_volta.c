/* The form for convergence barriers: what stands where, for the shapes of the papers and for code with breaks; and on random
 * programs that a thread that sets a barrier syncs on it or breaks from it on every path, and that every thread
 * executes what it executes in the original. */
#include <inttypes.h>

#include "cfg/form.h"
#include "unit/cfg/same_paths.h"
#include "unit/mech/programs.h"
#include "unit/mech/random_program.h"

/* ---- what stands where ---- */

static void list_insn(const struct ir_insn *i, struct sb *out) {
    const bool reg = i->op == IR_MARK && i->sub != IR_MK_YIELD;
    if (i->guard) sb_add(out, "@%sp ", i->guard & IR_GUARD_NEG ? "!" : "");
    sb_add(out, "%s", ir_insn_name(i));
    if (reg) sb_add(out, " b%u", (unsigned)i->reg);
    if ((i->op == IR_BRA || i->op == IR_MARK) && i->target != IR_NOPC) sb_add(out, " %" PRIu32, i->target);
    sb_add(out, "\n");
}

static struct rewrite *make(const struct ir_module *m, const struct cfg *c, enum cfg_form form) {
    struct err e = {0};
    struct rewrite *r = cfg_make_form(m, c, form, &e);
    if (!r) fail_msg("%s", err_text(&e));
    return r;
}

static void expect_listing(const struct ir_module *m, const struct cfg *c, enum cfg_form form,
                           const char *want) {
    struct rewrite *r = make(m, c, form);
    struct sb out = {0};
    for (size_t pc = 0; pc < r->m->code.n; pc++) list_insn(&r->m->code.v[pc], &out);
    assert_string_equal(out.text, want);
    sb_free(&out);
    cfg_rewrite_free(r);
}

/* m, which ends here, in both forms: a line for each instruction. */
static void expect_forms(struct ir_module *m, const char *ipdom, const char *merge) {
    struct cfg *c = fake_finish(m);
    expect_listing(m, c, CFG_FORM_VOLTA, ipdom);
    expect_listing(m, c, CFG_FORM_VOLTA_MERGE, merge);
    cfg_free(c);
    ir_module_free(m);
}

/* SL Figure 1: if-then-else. */
static void an_if_has_bssy_before_it_and_bsync_where_its_ways_meet(void **state) {
    (void)state;
    struct ir_module *m = program_diamond();
    const char *want = "add\nbssy b0 6\n@p bra 5\nadd\nbra 6\nadd\nbsync b0\nadd\nexit\n";
    expect_forms(m, want, want);
}

/* DWF Figure 3.1's shape. */
static void an_if_in_another_has_the_next_register(void **state) {
    (void)state;
    struct ir_module *m = program_nested();
    const char *want = "bssy b0 10\n@p bra 9\nbssy b1 7\n@p bra 6\nadd\nbra 7\nadd\nbsync b1\nbra 10\nadd\n"
                       "bsync b0\nexit\n";
    expect_forms(m, want, want);
}

static void a_loop_has_bssy_before_it_and_ifs_in_a_row_share_a_register(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("loop");
    fake_bra(m, FAKE_MAYBE, 2); /* 0 if */
    fake_op(m);                 /* 1 */
    fake_op(m);                 /* 2: end of the if */
    fake_op(m);                 /* 3 L */
    fake_bra(m, FAKE_MAYBE, 3); /* 4 */
    fake_end(m, IR_EXIT, 0);    /* 5 */
    fake_func(m, "loop");
    const char *want = "bssy b0 3\n@p bra 3\nadd\nbsync b0\nadd\nbssy b0 8\nadd\n@p bra 6\nbsync b0\nexit\n";
    expect_forms(m, want, want);
}

/* The BSSY of the loop, on the edges to its header, comes before the BSYNC of the if: they must not share a register. */
static void a_loop_that_begins_where_an_if_ends_has_another_register(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("adjoining");
    fake_bra(m, FAKE_MAYBE, 2); /* 0 if */
    fake_op(m);                 /* 1 */
    fake_op(m);                 /* 2 L: end of the if */
    fake_bra(m, FAKE_MAYBE, 2); /* 3 */
    fake_end(m, IR_EXIT, 0);    /* 4 */
    fake_func(m, "adjoining");
    struct cfg *c = fake_finish(m);
    for (enum cfg_form form = CFG_FORM_VOLTA; form <= CFG_FORM_VOLTA_MERGE; form++) {
        struct rewrite *r = make(m, c, form);
        const struct ir_insn *loop = &r->m->code.v[r->landing[4]], *cond = &r->m->code.v[r->landing[2]];
        assert_true(ir_is_mark(loop, IR_MK_BSYNC) && ir_is_mark(cond, IR_MK_BSYNC));
        assert_int_not_equal(loop->reg, cond->reg);
        cfg_rewrite_free(r);
    }
    cfg_free(c);
    ir_module_free(m);
}

/* do { if (c) { if (d) break; x; } else y;  z; } while (e): the post-dominator of all three is behind the loop. Where compilers
 * place them, those who stay meet at z, and who breaks leaves that barrier. */
static void threads_that_stay_in_a_loop_meet_at_the_end_of_an_if_that_others_broke_out_of(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("break");
    fake_bra(m, FAKE_MAYBE, 4); /* 0 L: if c, else at 4 */
    fake_bra(m, FAKE_MAYBE, 7); /* 1: if d break */
    fake_op(m);                 /* 2 x */
    fake_bra(m, 0, 5);          /* 3 */
    fake_op(m);                 /* 4 y */
    fake_op(m);                 /* 5 z */
    fake_bra(m, FAKE_MAYBE, 0); /* 6 */
    fake_end(m, IR_EXIT, 0);    /* 7 */
    fake_func(m, "break");
    expect_forms(m, "bssy b0 8\n@p bra 5\n@p bra 8\nadd\nbra 6\nadd\nadd\n@p bra 1\nbsync b0\nexit\n",
                 "bssy b0 10\nbssy b1 7\n@p bra 6\n@p bra 12\nadd\nbra 7\nadd\nbsync b1\nadd\n@p bra 1\n"
                 "bsync b0\nexit\nbreak b1\nbra 10\n");
}

/* A loop in a loop; the inner one is also left to behind the outer one. */
static void a_break_out_of_two_loops_leaves_the_inner_barrier(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("two");
    fake_op(m);                 /* 0 outer */
    fake_op(m);                 /* 1 inner */
    fake_bra(m, FAKE_MAYBE, 6); /* 2: out of both */
    fake_bra(m, FAKE_MAYBE, 1); /* 3 */
    fake_op(m);                 /* 4: behind the inner one */
    fake_bra(m, FAKE_MAYBE, 0); /* 5 */
    fake_end(m, IR_EXIT, 0);    /* 6 */
    fake_func(m, "two");
    expect_forms(m, "bssy b0 7\nadd\nadd\n@p bra 7\n@p bra 2\nadd\n@p bra 1\nbsync b0\nexit\n",
                 "bssy b0 9\nadd\nbssy b1 6\nadd\n@p bra 11\n@p bra 3\nbsync b1\nadd\n@p bra 1\nbsync b0\n"
                 "exit\nbreak b1\nbra 9\n");
}

/* ---- yield ---- */

static void fake_cas(struct ir_module *m, bool result) {
    fake_put(m, (struct ir_insn){.op = IR_ATOM_U32,
                                 .sub = IR_AT_CAS,
                                 .nd = 1,
                                 .ns = 3,
                                 .space = IR_SP_GLOBAL,
                                 .o = {result ? ir_reg(IR_FILE_32, 0) : IR_NONE, ir_reg(IR_FILE_64, 1),
                                       ir_reg(IR_FILE_32, 1), ir_reg(IR_FILE_32, 2)}});
}

/* The spin lock of US 10067768's kind: taken in a loop, released behind it. */
static void a_loop_that_may_wait_yields_before_it_goes_round(void **state) {
    (void)state;
    for (int result = 0; result < 2; result++) {
        struct ir_module *m = ir_module_new("lock");
        fake_cas(m, result);        /* 0 */
        fake_bra(m, FAKE_MAYBE, 0); /* 1 */
        fake_end(m, IR_EXIT, 0);    /* 2 */
        fake_func(m, "lock");
        const char *want = result ? "bssy b0 4\natom\n@p yield\n@p bra 1\nbsync b0\nexit\n"
                                  : "bssy b0 3\natom\n@p bra 1\nbsync b0\nexit\n";
        expect_forms(m, want, want);
    }
}

static void a_loop_whose_way_out_is_the_jump_yields_on_the_way_back_only(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("volatile");
    fake_load(m);               /* 0 */
    fake_bra(m, FAKE_MAYBE, 3); /* 1 */
    fake_bra(m, 0, 0);          /* 2 */
    fake_end(m, IR_EXIT, 0);    /* 3 */
    fake_func(m, "volatile");
    m->code.v[0].mods = IR_M_VOLATILE;
    const char *want = "bssy b0 5\nld\n@p bra 5\nyield\nbra 1\nbsync b0\nexit\n";
    expect_forms(m, want, want);
}

static void a_loop_that_calls_what_waits_yields(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("call");
    fake_call(m, 0, 1);         /* 0 */
    fake_bra(m, FAKE_MAYBE, 0); /* 1 */
    fake_end(m, IR_EXIT, 0);    /* 2 */
    fake_func(m, "kernel");
    fake_put(m, (struct ir_insn){.op = IR_NOP, .sub = IR_NOP_NANOSLEEP}); /* 3 */
    fake_end(m, IR_RET, 0);                                               /* 4 */
    fake_func(m, "f");
    const char *want = "bssy b0 4\ncall\n@p yield\n@p bra 1\nbsync b0\nexit\nnop\nret\n";
    expect_forms(m, want, want);
}

/* ---- calls ---- */

/* The branch in f joins at its end only: its threads come back apart, and the caller brings them together. */
static void a_function_saves_what_it_uses_and_threads_that_return_apart_meet_behind_the_call(void **state) {
    (void)state;
    struct ir_module *m = ir_module_new("calls");
    fake_call(m, 0, 1);              /* 0 */
    fake_end(m, IR_EXIT, 0);         /* 1 */
    fake_func(m, "kernel");          /* */
    fake_bra(m, FAKE_MAYBE, 4);      /* 2 */
    fake_op(m);                      /* 3 */
    fake_op(m);                      /* 4 */
    fake_end(m, IR_RET, FAKE_MAYBE); /* 5 */
    fake_end(m, IR_RET, 0);          /* 6 */
    fake_func(m, "f");
    const char *want = "bssy b0 2\ncall\nbsync b0\nexit\nbmov b0\nbssy b0 8\n@p bra 8\nadd\nbsync b0\nadd\n"
                       "@p bmov b0\n@p ret\nbmov b0\nret\n";
    expect_forms(m, want, want);
}

/* ---- more regions than registers ---- */

static void the_seventeenth_if_in_one_another_has_no_barrier(void **state) {
    (void)state;
    enum { DEEP = 20 };
    struct ir_module *m = ir_module_new("deep");
    for (uint32_t k = 0; k < DEEP; k++) fake_bra(m, FAKE_MAYBE, DEEP + DEEP - k); /* k */
    for (uint32_t k = 0; k <= DEEP; k++) fake_op(m); /* DEEP: innermost; DEEP + k: end of if DEEP - k */
    fake_end(m, IR_EXIT, 0);
    fake_func(m, "deep");
    struct cfg *c = fake_finish(m);
    for (enum cfg_form form = CFG_FORM_VOLTA; form <= CFG_FORM_VOLTA_MERGE; form++) {
        struct rewrite *r = make(m, c, form);
        for (uint32_t k = 0; k < DEEP; k++) {
            const struct ir_insn *end = &r->m->code.v[r->landing[DEEP + DEEP - k]];
            assert_int_equal(ir_is_mark(end, IR_MK_BSYNC), k < 16);
            if (k < 16) assert_int_equal(end->reg, k);
        }
        cfg_rewrite_free(r);
    }
    cfg_free(c);
    ir_module_free(m);
}

/* ---- on every path ---- */

enum { REGISTERS = 16 };
struct open { /* barriers that a thread that comes here is a member of: where they end, plus one */
    bool known;
    uint32_t join[REGISTERS];
};

struct walk {
    const struct ir_module *m; /* the original */
    const struct cfg *c;
    const struct rewrite *r;
    struct open *at;
    bool merge;
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

/* Threads that go to this exit meet at barriers before they are there. */
static bool has_barriers(const struct walk *k, uint32_t exit) {
    bool any = false;
    for (uint32_t pc = 0; pc < k->r->m->code.n; pc++)
        any |= ir_is_mark(&k->r->m->code.v[pc], IR_MK_BSYNC) && exit_at(k, pc) == exit;
    return any;
}

/* Threads that have gone to another exit do not come to the barriers they were members of. If they meet at others, which may
 * be in the same registers, they have left the former. */
static void forget_left(const struct walk *k, struct open *s, uint32_t pc) {
    const uint32_t func = k->c->blocks[k->m->code.v[k->r->old_pc[pc]].block].func;
    /* Irreducible functions have all their BREAKs. */
    const bool merges = k->merge && k->c->funcs[func].structure != CFG_IRREDUCIBLE;
    if (merges || on_edge(k, pc)) return;
    for (uint32_t b = 0; b < REGISTERS; b++) {
        if (!s->join[b] || exit_at(k, s->join[b] - 1) == exit_at(k, pc)) continue;
        assert_false(has_barriers(k, exit_at(k, pc)));
        s->join[b] = 0;
    }
}

/* At pc with these: the same on every path, but for what is synced on here. */
static void come(const struct walk *k, struct open s, uint32_t pc) {
    struct open *at = k->at;
    const struct ir_insn *i = &k->r->m->code.v[pc];
    forget_left(k, &s, pc);
    if (ir_is_mark(i, IR_MK_BSYNC)) {
        assert_true(!s.join[i->reg] || s.join[i->reg] == pc + 1);
        s.join[i->reg] = 0;
    }
    s.known = true;
    if (at[pc].known) assert_memory_equal(&at[pc], &s, sizeof s);
    at[pc] = s;
}

static bool is_last_way(const struct ir_insn *i) {
    return !i->guard && (i->op == IR_BRA || i->op == IR_BRX || i->op == IR_RET || i->op == IR_EXIT);
}

static void step(const struct walk *k, uint32_t pc) {
    const struct rewrite *r = k->r;
    const struct ir_insn *i = &r->m->code.v[pc];
    struct open s = k->at[pc];
    if (ir_is_mark(i, IR_MK_BSSY)) {
        assert_int_equal(s.join[i->reg], 0);
        assert_true(ir_is_mark(&r->m->code.v[i->target], IR_MK_BSYNC));
        assert_int_equal(r->m->code.v[i->target].reg, i->reg);
        s.join[i->reg] = i->target + 1;
    }
    if (ir_is_mark(i, IR_MK_BREAK)) assert_true(s.join[i->reg]);
    if (ir_is_mark(i, IR_MK_BREAK) && !i->guard) s.join[i->reg] = 0;
    if (i->op == IR_RET) { /* who returns has left all */
        for (uint32_t b = 0; b < REGISTERS; b++) {
            bool left = !s.join[b];
            for (uint32_t p = pc; p-- && r->m->code.v[p].op == IR_MARK;)
                left |= ir_is_mark(&r->m->code.v[p], IR_MK_BREAK) && r->m->code.v[p].reg == b &&
                        r->m->code.v[p].guard == i->guard;
            const struct ir_func *fn = ir_func_at(r->m, pc);
            assert_true(left || fn->kernel);
        }
    }
    if (i->op == IR_BRA) come(k, s, i->target);
    for (uint32_t w = 0; i->op == IR_BRX && w < r->m->ext.v[i->ext]; w++)
        come(k, s, r->m->ext.v[i->ext + 1 + w]);
    if (!is_last_way(i)) come(k, s, pc + 1);
}

static void check_balance(const struct ir_module *m, const struct cfg *c, const struct rewrite *r,
                          bool merge) {
    struct open *at = xcalloc(r->m->code.n, sizeof *at);
    bool *done = xcalloc(r->m->code.n, sizeof *done);
    const struct walk k = {m, c, r, at, merge};
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

static void whoever_sets_a_barrier_syncs_on_it_or_breaks_from_it(void **state) {
    (void)state;
    struct rng r = {47};
    uint64_t marks[2][IR_NMARKS] = {{0}}, reducible = 0, strict_breaks = 0;
    for (int n = 0; n < 3000; n++) {
        const struct random_mix mix = {.calls = n % 3 == 0,
                                       .barriers = n % 4 == 0,
                                       .ends = n % 5 == 0,
                                       .loads = true,
                                       .ways = 2 + (uint32_t)rng_below(&r, RANDOM_WAYS - 1)};
        struct ir_module *m = random_program(&r, mix);
        for (size_t pc = 0; pc < m->code.n; pc++)
            if (m->code.v[pc].op == IR_LD_U32 && !rng_below(&r, 2)) m->code.v[pc].mods |= IR_M_VOLATILE;
        const bool strict = n % 4 == 3;
        struct cfg *c = fake_finish_with(m, strict ? CFG_EXITS_EDGES : CFG_EXITS_MAIN);
        for (int merge = 0; merge < 2; merge++) {
            struct rewrite *f = make(m, c, merge ? CFG_FORM_VOLTA_MERGE : CFG_FORM_VOLTA);
            check_balance(m, c, f, merge);
            expect_same_paths(m, c, f, rng_next(&r));
            for (size_t pc = 0; pc < f->m->code.n; pc++)
                if (f->m->code.v[pc].op == IR_MARK) {
                    marks[merge][f->m->code.v[pc].sub]++;
                    strict_breaks += strict && !merge && f->m->code.v[pc].sub == IR_MK_BREAK;
                }
            cfg_rewrite_free(f);
        }
        for (size_t f = 0; f < m->funcs.n; f++) reducible += c->funcs[f].structure != CFG_IRREDUCIBLE;
        cfg_free(c);
        ir_module_free(m);
    }
    assert_true(reducible > 2000);
    assert_int_equal(strict_breaks, 0); /* where all exits count every way out of a region leads to its end */
    assert_true(marks[0][IR_MK_BREAK] > 20);
    assert_true(marks[0][IR_MK_BSSY] > 1000 && marks[0][IR_MK_YIELD] > 100 && marks[0][IR_MK_BMOV] > 100);
    assert_true(marks[1][IR_MK_BSSY] > 1000 && marks[1][IR_MK_BREAK] > 500);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_if_has_bssy_before_it_and_bsync_where_its_ways_meet),
        cmocka_unit_test(an_if_in_another_has_the_next_register),
        cmocka_unit_test(a_loop_has_bssy_before_it_and_ifs_in_a_row_share_a_register),
        cmocka_unit_test(a_loop_that_begins_where_an_if_ends_has_another_register),
        cmocka_unit_test(threads_that_stay_in_a_loop_meet_at_the_end_of_an_if_that_others_broke_out_of),
        cmocka_unit_test(a_break_out_of_two_loops_leaves_the_inner_barrier),
        cmocka_unit_test(a_loop_that_may_wait_yields_before_it_goes_round),
        cmocka_unit_test(a_loop_whose_way_out_is_the_jump_yields_on_the_way_back_only),
        cmocka_unit_test(a_loop_that_calls_what_waits_yields),
        cmocka_unit_test(a_function_saves_what_it_uses_and_threads_that_return_apart_meet_behind_the_call),
        cmocka_unit_test(the_seventeenth_if_in_one_another_has_no_barrier),
        cmocka_unit_test(whoever_sets_a_barrier_syncs_on_it_or_breaks_from_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
